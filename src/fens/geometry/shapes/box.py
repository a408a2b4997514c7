"""Boxes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from ..._support.sobol import fixed_sobol
from ...errors import RegionError, quoted
from ..boundary.pair import Pair
from ..boundary.piece import Patch, Samples, within
from ..checks import check_names, checked_label, interval, which_end
from ..region import SLACK, Facet, Part, face_name, points_of
from .registry import Description, shape
from .shape import Shape

MOST_AXES = 4  # for which the product of rules along them has a bearable number of points
SOBOL = 2**16


@shape("box", "Box")
@dataclass(frozen=True, repr=False, init=False)
class Box(Shape):
    """A product of intervals: `Box({x: (0, 1), y: (0, 1)})`. In one dimension it is an interval.

    >>> x, y = sp.symbols("x y")
    >>> square = Box({x: (0, 1), y: (-1, 1)})
    >>> square, square.boundary, square.face(y, -1)
    (<the box 0 < x < 1, -1 < y < 1>, <the boundary>, <the face y = -1>)
    """

    coordinates: tuple[sp.Symbol, ...]
    intervals: tuple[tuple[float, float], ...]
    label: str

    def __init__(self, sides: Mapping[sp.Symbol, tuple[Any, Any]], *, name: str = "") -> None:
        if not isinstance(sides, Mapping) or not sides:
            raise RegionError(f"Box takes a mapping from coordinates to intervals, {{x: (0, 1)}}; got {quoted(sides)}.")
        check_names(sides)
        object.__setattr__(self, "coordinates", tuple(sides))
        object.__setattr__(self, "intervals", tuple(interval(x, ends) for x, ends in sides.items()))
        object.__setattr__(self, "label", checked_label(name))

    @classmethod
    def from_file(cls, table: Description) -> Box:
        return cls(table.intervals("box"), name=table.label)

    @property
    def name(self) -> str:
        sides = (f"{a:g} < {x} < {b:g}" for x, (a, b) in zip(self.coordinates, self.intervals, strict=True))
        return self.label or f"the box {', '.join(sides)}"

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        return self.intervals

    @property
    def patches(self) -> tuple[Patch, ...]:
        lower, upper = zip(*self.intervals, strict=True)
        return (Patch(lower, upper),)

    @property
    def edges(self) -> tuple[Facet, ...]:
        """The faces."""
        return tuple(
            Facet(self._face(i, e), self.label or "box", face_name(x, ends[e]), bool(self.label))
            for i, (x, ends) in enumerate(zip(self.coordinates, self.intervals, strict=True))
            for e in (0, 1)
        )

    def signed_distance(self, points: np.ndarray) -> np.ndarray:
        lower, upper = np.array(self.intervals).T
        result: np.ndarray = np.maximum(lower - points, points - upper).max(axis=1)
        return result

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Which of the points lie in the closed box, up to the round-off of each coordinate."""
        lower, upper = np.array(self.intervals).T
        slack = SLACK * (upper - lower)
        return within(points_of(self, points), lower - slack, upper + slack)

    has_sections = True

    def section(self, value: float) -> Box | None:
        low, high = self.intervals[-1]
        rest = dict(zip(self.coordinates[:-1], self.intervals[:-1], strict=True))
        return Box(rest) if low < value < high else None

    def volume(self) -> float:
        return self.patches[0].measure

    def rule(self, n: int) -> tuple[Samples, np.ndarray]:
        if len(self.coordinates) <= MOST_AXES:
            return super().rule(n)
        unit = fixed_sobol(SOBOL, len(self.coordinates))
        return self.patches[0].place(unit), np.full(SOBOL, self.volume() / SOBOL)

    def face(self, coordinate: sp.Symbol, value: Any) -> Part:
        """The face on which a coordinate has the given value, one of the ends of its interval."""
        axis = self.axis(coordinate)
        end = which_end(coordinate, self.intervals[axis], value)
        name = f"the face {coordinate} = {self.intervals[axis][end]:g}"
        return Part(self, name, (self._face(axis, end),))

    def pair(self, coordinate: sp.Symbol) -> Pair:
        """The two faces across a coordinate, for periodic conditions: `{box.pair(x): Eq(jump(u), 0)}`."""
        axis = self.axis(coordinate)
        name = f"the pair of faces across {coordinate}"
        return Pair(self, name, (self._face(axis, 1),), axis, self.intervals[axis][0])

    def _face(self, axis: int, end: int) -> Patch:
        lower, upper = map(list, zip(*self.intervals, strict=True))
        lower[axis] = upper[axis] = self.intervals[axis][end]
        normal = [0.0] * len(lower)
        normal[axis] = 2.0 * end - 1.0
        return Patch(tuple(lower), tuple(upper), tuple(normal))
