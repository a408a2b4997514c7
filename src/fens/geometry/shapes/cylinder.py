"""Space-time cylinders over domains in space."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

from ..._support.stored import stored
from ..boundary.pair import Pair
from ..boundary.piece import Piece
from ..checks import check_names, which_end
from ..region import SLACK, Domain, Facet, Part, points_of


@stored("Cylinder")
@dataclass(frozen=True, repr=False)
class Cylinder(Domain):
    """A domain in space through an interval of time: `box.during(t, 0, 1)`.

    Its regions are `initial`, `final`, `sides` (the boundary of the base at all times), `face(x, 0)` for one of
    the sides, `part("hole")` for any part of the base's boundary, and `boundary`, which is all of these together.
    """

    base: Domain
    time: sp.Symbol
    start: float
    end: float

    def __post_init__(self) -> None:
        check_names(self.coordinates)

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:  # type: ignore[override]
        return (*self.base.coordinates, self.time)

    @property
    def name(self) -> str:
        return f"{self.base.name} during {self.start:g} < {self.time} < {self.end:g}"

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        return (*self.base.bounds, (self.start, self.end))

    @property
    def patches(self) -> tuple[Piece, ...]:
        return tuple(p.extruded(self.start, self.end) for p in self.base.patches)

    @property
    def edges(self) -> tuple[Facet, ...]:
        return (*self._side_edges, *self._instant(self.start, -1.0), *self._instant(self.end, 1.0))

    @property
    def hole_sites(self) -> tuple[tuple[tuple[float, ...], float], ...]:
        return self.base.hole_sites

    @property
    def sides(self) -> Part:
        """The boundary of the base, at all times."""
        return Part(self, "the sides", tuple(e.piece for e in self._side_edges))

    @property
    def initial(self) -> Part:
        """The base at the first instant."""
        return Part(self, "the initial time", tuple(e.piece for e in self._instant(self.start, -1.0)))

    @property
    def final(self) -> Part:
        """The base at the last instant."""
        return Part(self, "the final time", tuple(e.piece for e in self._instant(self.end, 1.0)))

    @property
    def boundary(self) -> Part:
        """The whole boundary in space-time, that is sides, initial and final time."""
        return Part(self, "the boundary in space and time", tuple(e.piece for e in self.edges))

    def part(self, which: Any) -> Part:
        """A part of the base at all times, or of the boundary in space-time."""
        if isinstance(which, str) and which in ("initial", "final", "sides"):
            return {"initial": self.initial, "final": self.final, "sides": self.sides}[which]
        part = self.base.part(which)
        return Part(self, part.name, tuple(p.extruded(self.start, self.end) for p in part.pieces))

    def face(self, coordinate: sp.Symbol, value: Any) -> Part:
        """One face of the base at all times; for the time coordinate, the initial or the final instant."""
        self.axis(coordinate)
        if coordinate != self.time:
            part = self.base.face(coordinate, value)
            return Part(self, part.name, tuple(p.extruded(self.start, self.end) for p in part.pieces))
        return (self.initial, self.final)[which_end(coordinate, (self.start, self.end), value)]

    def pair(self, coordinate: sp.Symbol) -> Pair:
        """Two opposite faces of the base at all times, or for the time coordinate the final and the initial instant."""
        axis = self.axis(coordinate)
        upper = self.final if coordinate == self.time else self.face(coordinate, self.bounds[axis][1])
        name = f"the pair of faces across {coordinate}"
        return Pair(self, name, upper.pieces, axis, self.bounds[axis][0])

    def signed_distance(self, points: np.ndarray) -> np.ndarray:
        time = points[:, -1]
        beyond = np.maximum(self.start - time, time - self.end)
        result: np.ndarray = np.maximum(self.base.signed_distance(points[:, :-1]), beyond)
        return result

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Which of the points lie in the closed cylinder, up to round-off in space and in time."""
        points = points_of(self, points)
        slack, time = SLACK * (self.end - self.start), points[:, -1]
        during: np.ndarray = (time >= self.start - slack) & (time <= self.end + slack)
        inside: np.ndarray = during & self.base.contains(points[:, :-1])
        return inside

    @property
    def cracks(self) -> tuple[tuple[tuple[float, float], tuple[float, float]], ...]:
        return self.base.cracks

    @property
    def uncracked(self) -> Domain:
        return replace(self, base=self.base.uncracked) if self.cracks else self

    def on_crack(self, points: np.ndarray) -> np.ndarray:
        return self.base.on_crack(points[:, :-1])

    @property
    def _side_edges(self) -> tuple[Facet, ...]:
        return tuple(replace(e, piece=e.piece.extruded(self.start, self.end)) for e in self.base.edges)

    def _instant(self, at: float, direction: float) -> tuple[Facet, ...]:
        name = "initial" if direction < 0 else "final"
        return tuple(Facet(p.sliced(at, direction), name) for p in self.base.patches)
