"""Polygons, with holes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from ..._support.numbers import is_whole, items, real_array
from ...errors import RegionError, quoted
from ..boundary.curve import Arc, Line
from ..checks import check_size, checked_label, checked_plane, optional
from ..region import Facet, Part
from .registry import Description, shape
from .shape import Shape

Ring = tuple[tuple[float, float], ...]
CHUNK = 2**22  # entries of a table of points and edges


@shape("polygon", "Polygon")
@dataclass(frozen=True, repr=False, init=False)
class Polygon(Shape):
    """`Polygon([(0, 0), (2, 0), (1, 1)], (x, y), holes=[…])`, its corners in order, either way round.

    Edge number k, `polygon.edge(k)`, runs from corner k to the next; those of the holes follow those of the outside.
    """

    corners: Ring
    coordinates: tuple[sp.Symbol, ...]
    holes: tuple[Ring, ...]
    label: str

    def __init__(self, corners: Any, coordinates: Any, holes: Any = (), *, name: str = "") -> None:
        object.__setattr__(self, "corners", _ring(corners))
        object.__setattr__(self, "coordinates", checked_plane("A polygon", coordinates, 2))
        if (rings := items(holes)) is None:
            raise RegionError(f"The holes of a polygon are a list of rings of corners; got {quoted(holes)}.")
        object.__setattr__(self, "holes", tuple(map(_ring, rings)))
        object.__setattr__(self, "label", checked_label(name))
        check_size(self.coordinates, self.bounds)
        shapely = optional("shapely", "Polygons")
        outline = shapely.Polygon(self.corners, self.holes)
        if not shapely.is_valid(outline):
            raise RegionError(
                f"The corners do not make a polygon: {shapely.is_valid_reason(outline)}. Its edges may meet only at "
                "corners, and its holes must lie inside."
            )

    file_keys = ("coordinates", "holes")

    @classmethod
    def from_file(cls, table: Description) -> Polygon:
        holes = table.rings("holes")
        return cls(table.points("polygon"), table.coordinates(), holes, name=table.label)

    @property
    def name(self) -> str:
        holes = f" and {len(self.holes)} holes" if self.holes else ""
        return self.label or f"the polygon of {len(self.corners)} corners{holes}"

    @cached_property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        corners = np.array(self.corners)
        return tuple(zip(corners.min(axis=0).tolist(), corners.max(axis=0).tolist(), strict=True))

    @cached_property
    def hole_sites(self) -> tuple[tuple[tuple[float, ...], float], ...]:
        shapely = optional("shapely", "Polygons")
        spokes = [shapely.maximum_inscribed_circle(shapely.Polygon(hole)) for hole in self.holes]
        return tuple((tuple(spoke.coords[0]), float(spoke.length)) for spoke in spokes)

    @cached_property
    def edges(self) -> tuple[Facet, ...]:
        rings = [_oriented(self.corners, 1.0), *(_oriented(h, -1.0) for h in self.holes)]
        arcs = [Arc.whole(segment) for ring in rings for segment in ring]
        return tuple(
            Facet(arc, self.label or "polygon", f"edge {k}", bool(self.label)) for k, arc in enumerate(arcs)
        )

    def edge(self, number: int) -> Part:
        """The edge from corner `number` to the next, counted from 0."""
        if not is_whole(number, 0) or number >= len(self.edges):
            raise RegionError(
                f"The edges of {self.name} have the numbers 0 to {len(self.edges) - 1}; got {quoted(number)}."
            )
        return Part(self, f"edge {number}", (self.edges[number].piece,))

    def signed_distance(self, points: np.ndarray) -> np.ndarray:
        size = max(1, CHUNK // len(self.edges))
        parts = [self._depth(points[k : k + size]) for k in range(0, len(points), size)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _depth(self, points: np.ndarray) -> np.ndarray:
        start, end = self._ends
        along, from_start = end - start, points[:, None, :] - start
        share = np.clip(np.sum(from_start * along, axis=2) / np.sum(along * along, axis=1), 0, 1)
        nearest = np.linalg.norm(from_start - share[:, :, None] * along, axis=2).min(axis=1)
        y = points[:, 1, None]
        straddles = (start[:, 1] <= y) != (end[:, 1] <= y)
        turn = along[:, 0] * from_start[:, :, 1] - along[:, 1] * from_start[:, :, 0]
        crossed = straddles & ((turn > 0) == (along[:, 1] > 0))
        inside = np.count_nonzero(crossed, axis=1) % 2 == 1
        signed_distance: np.ndarray = np.where(inside, -nearest, nearest)
        return signed_distance

    @cached_property
    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        segments = [e.piece.curve for e in self.edges]  # type: ignore[attr-defined]
        return np.array([s.start for s in segments]), np.array([s.end for s in segments])


def _ring(corners: Any) -> Ring:
    array = real_array(corners, RegionError, "The corners of a polygon are pairs of real numbers.")
    if array.ndim != 2 or array.shape[1] != 2 or len(array) < 3:
        raise RegionError(f"A polygon has at least three corners, each a pair of numbers; got shape {array.shape}.")
    if not np.isfinite(array).all():
        raise RegionError("The corners of a polygon must be finite.")
    ring = [tuple(map(float, corner)) for corner in array]
    if ring[0] == ring[-1]:  # closed by repetition, as files often have it
        ring = ring[:-1]
    twice = next((k for k, c in enumerate(ring) if c == ring[k - 1]), None)
    if twice is not None or len(ring) < 3:
        raise RegionError(f"The corners of a polygon must differ from the next; number {twice} does not.")
    return tuple(ring)  # type: ignore[arg-type]


def _oriented(ring: Ring, sense: float) -> list[Line]:
    """The edges in the order of the corners, each running counter-clockwise for sense 1, clockwise for −1."""
    corners = np.array(ring)
    after = np.roll(corners, -1, axis=0)
    area = float(np.sum(corners[:, 0] * after[:, 1] - corners[:, 1] * after[:, 0]))
    pairs: Sequence[Any] = list(zip(ring, (*ring[1:], ring[0]), strict=True))
    return [Line(a, b) if area * sense > 0 else Line(b, a) for a, b in pairs]
