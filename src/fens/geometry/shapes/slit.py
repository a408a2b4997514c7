"""Cracks: shapes without a straight line that ends inside, and starts there or at the boundary."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp

from ..._support.numbers import real_array
from ..._support.stored import stored
from ...errors import RegionError, quoted
from ..boundary.clip import crossings
from ..boundary.curve import OFF, Arc, Line, Lip
from ..boundary.piece import Patch, Piece
from ..checks import check_places, checked_label, checked_plane
from ..region import Domain, Facet
from .combination import straight
from .cylinder import Cylinder
from .registry import Description, shape
from .shape import Shape

Place = tuple[float, float]
SAME = 100.0  # slacks between places that are one
SHORTEST = 1e-6  # of the size of a shape: a crack, and what is left between its tip and the boundary


@shape("segment", "Crack")
@dataclass(frozen=True, repr=False, init=False)
class Segment(Shape):
    """`shape - Segment((0, 0), (1, 0), (x, y), name="slit")`: a straight crack in a plane shape.

    An end inside the shape is a tip; one of the two may lie on the boundary of the shape or beyond it. The crack has
    two sides, with conditions of their own: `part("slit, left")` and `part("slit, right")`, as seen from the first
    point towards the second; `part("slit")` is both.
    """

    start: Place
    end: Place
    coordinates: tuple[sp.Symbol, ...]
    label: str

    def __init__(self, start: Any, end: Any, coordinates: Any, *, name: str = "") -> None:
        object.__setattr__(self, "start", _place(start))
        object.__setattr__(self, "end", _place(end))
        object.__setattr__(self, "coordinates", checked_plane("A segment", coordinates, 2))
        object.__setattr__(self, "label", checked_label(name))
        if self.start == self.end:
            raise RegionError(f"The ends of a segment must differ; both are {_shown(self.start)}.")

    file_keys = ("coordinates",)

    @classmethod
    def from_file(cls, table: Description) -> Segment:
        ends = table.points("segment")
        if len(ends) != 2:
            raise RegionError(f"A segment has two ends, [[0, 0], [1, 0]]; got {len(ends)}.")
        return cls(ends[0], ends[1], table.coordinates(), name=table.label)

    @property
    def name(self) -> str:
        return self.label or f"the segment from {_shown(self.start)} to {_shown(self.end)}"

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        (a, c), (b, d) = self.start, self.end
        return (min(a, b), max(a, b)), (min(c, d), max(c, d))

    @property
    def edges(self) -> tuple[Facet, ...]:
        both = Line(self.start, self.end), Line(self.end, self.start)
        return tuple(Facet(Arc.whole(line), self.label or "segment") for line in both)

    @property
    def patches(self) -> tuple[Piece, ...]:
        raise self._refused()

    def signed_distance(self, points: np.ndarray) -> np.ndarray:
        return distance(points, self.start, self.end)[0]

    def during(self, time: sp.Symbol, start: Any, end: Any) -> Cylinder:
        raise self._refused()

    def taken_from(self, whole: Shape) -> Slit:
        return Slit(whole, self)

    def check_inside(self) -> None:
        raise self._refused()

    def _combined(self, operation: str, other: Any) -> Any:
        raise self._refused()

    def __sub__(self, other: Any) -> Shape:
        raise self._refused()

    def _refused(self) -> RegionError:
        return RegionError(
            f"A segment has no inside, so that {self.name} can only be taken away from a shape: shape - segment."
        )


@stored("Slit")
@dataclass(frozen=True, repr=False)
class Slit(Shape):
    """A shape without a segment that ends inside of it: `shape - segment`."""

    shape: Shape
    segment: Segment

    def __post_init__(self) -> None:
        one, two = self.shape.coordinates, self.segment.coordinates
        if one != two:
            raise RegionError(
                f"A crack in a plane shape has the same coordinates, in one order; {self.shape.name} has "
                f"{', '.join(map(str, one))}, {self.segment.name} {', '.join(map(str, two))}."
            )
        if not all(isinstance(e.piece, Arc | Patch) for e in self.shape.edges):
            raise RegionError(f"{self.shape.name} cannot have a crack: its boundary is known by points only.")
        _ = self.crack

    @cached_property
    def crack(self) -> tuple[Place, Place]:
        """Where it starts, at the boundary if it does, and its tip."""
        line = Arc.whole(Line(self.segment.start, self.segment.end))
        marks = crossings(line, self.uncracked)
        depths = -self.uncracked.signed_distance(line.at((marks[:-1] + marks[1:]) / 2)[0])
        within = np.flatnonzero(depths > self.shape.slack)
        if not len(within):
            raise self._refused(f"no part of it lies inside {self.shape.name}")
        if len(within) > 1:
            raise self._refused("it meets the boundary more than once; take each part away by itself")
        first, last = marks[within[0]], marks[within[0] + 1]
        given = {first: first == 0, last: last == 1}  # others were found, to a few units of rounding
        ends = zip(given.values(), line.at(np.array([first, last]))[0], strict=True)
        return self._ordered([_place(p if exact else self._onto(p)) for exact, p in ends])

    def _onto(self, place: np.ndarray) -> np.ndarray:
        """The next place on the boundary, of one that is there to round-off."""
        arcs = [straight(e.piece) if isinstance(e.piece, Patch) else e.piece for e in self.uncracked.edges]
        found = np.concatenate([a.at(a.nearest(place[None]))[0] for a in arcs if isinstance(a, Arc)])
        nearest: np.ndarray = found[np.linalg.norm(found - place, axis=1).argmin()]
        return nearest

    def _ordered(self, ends: list[Place]) -> tuple[Place, Place]:
        """Its two ends, that at the boundary first if there is one."""
        size = 2 * max(self.shape.half_widths)
        depths = -self.uncracked.signed_distance(np.array(ends))
        at_boundary = depths <= SAME * self.shape.slack
        if at_boundary.all():
            raise self._refused(
                "it crosses the shape from boundary to boundary. Take two shapes instead, with a condition between them"
            )
        mouth, tip = ends[::-1] if at_boundary[1] else ends
        if min(math.dist(mouth, tip), *depths[~at_boundary]) < SHORTEST * size:
            raise self._refused("it is too short, or its tip too near to the boundary")
        if any(_gap((mouth, tip), other) < SHORTEST * size for other in self.shape.cracks):
            raise self._refused("it meets another crack, which is not supported yet; neither are cracks with a kink")
        return mouth, tip

    @property
    def uncracked(self) -> Domain:
        return self.shape.uncracked

    def _refused(self, why: str) -> RegionError:
        what = "A crack ends inside a shape, and starts there or at its boundary"
        return RegionError(f"{what}; {self.segment.name} is none in {self.shape.name}: {why}.")

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:  # type: ignore[override]
        return self.shape.coordinates

    @property
    def name(self) -> str:
        return f"{self.shape.name} without {self.segment.name}"

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        return self.shape.bounds

    @property
    def hole_sites(self) -> tuple[tuple[tuple[float, ...], float], ...]:
        return self.shape.hole_sites

    @cached_property
    def cracks(self) -> tuple[tuple[Place, Place], ...]:
        return (*self.shape.cracks, self.crack)

    @cached_property
    def inside_cracks(self) -> tuple[tuple[Place, Place], ...]:
        starts = np.array([start for start, _ in self.cracks])
        inside = self.uncracked.signed_distance(starts) < -SAME * self.slack
        return tuple(crack for crack, is_inside in zip(self.cracks, inside, strict=True) if is_inside)

    @cached_property
    def edges(self) -> tuple[Facet, ...]:
        around = [part for edge in self.shape.edges for part in self._cut(edge)]
        name = self._own_name
        left, right = self._lips
        sides = [Facet(Arc.whole(lip), name, f"{name}, {side}", bool(self.segment.label))
                 for side, lips in (("left", left), ("right", right)) for lip in lips]  # fmt: skip
        return (*around, *sides)

    @property
    def _lips(self) -> tuple[tuple[Lip, ...], tuple[Lip, ...]]:
        """Those on the left and on the right. With two tips each has two halves, which are exact at one of these."""
        start, tip = self.crack
        if (start, tip) in self.inside_cracks:
            middle = _place((np.array(start) + np.array(tip)) / 2)
            to_tip, from_start = Lip(middle, tip, ends_at_tip=True), Lip(start, middle, ends_at_tip=False)
            from_tip, to_start = Lip(tip, middle, ends_at_tip=False), Lip(middle, start, ends_at_tip=True)
            return (from_start, to_tip), (from_tip, to_start)
        forward = math.dist(self.segment.start, start) < math.dist(self.segment.start, tip)
        in_, out = (Lip(start, tip, ends_at_tip=True),), (Lip(tip, start, ends_at_tip=False),)
        return (in_, out) if forward else (out, in_)

    @property
    def _own_name(self) -> str:
        """The name given, or one that no other part has."""
        taken, name, number = {e.shape for e in self.shape.edges}, self.segment.label or "segment", 1
        while not self.segment.label and name in taken:
            number += 1
            name = f"segment {number}"
        return name

    def _cut(self, edge: Facet) -> Iterable[Facet]:
        """An edge in two parts where the crack starts."""
        if isinstance(edge.piece, Patch):
            edge = edge.cut(straight(edge.piece))
        piece: Any = edge.piece
        mouth = np.array([self.crack[0]])
        at = float(piece.nearest(mouth)[0])
        if math.dist(piece.at(np.array([at]))[0][0], mouth[0]) > SAME * self.slack:
            return [edge]
        gap = SHORTEST * (piece.end - piece.start)
        inner = [at] if piece.start + gap < at < piece.end - gap else []
        if piece.closed and not inner:
            inner = [(piece.start + piece.end) / 2]  # it has no ends as a whole, and as two parts it has
        marks = [piece.start, *inner, piece.end]
        return [edge.cut(replace(piece, start=a, end=b)) for a, b in pairwise(marks)] if inner else [edge]

    def signed_distance(self, points: np.ndarray) -> np.ndarray:
        result: np.ndarray = np.maximum(self.shape.signed_distance(points), -distance(points, *self.crack)[0])
        return result

    def contains(self, points: np.ndarray) -> np.ndarray:
        return self.shape.contains(points)

    def on_crack(self, points: np.ndarray) -> np.ndarray:
        off, size = distance(points, *self.crack)
        upon: np.ndarray = (off <= OFF / 2 * size) | self.shape.on_crack(points)
        return upon

    def filled(self, unit: np.ndarray) -> np.ndarray:
        return self.shape.filled(unit)

    def farthest(self, directions: np.ndarray) -> np.ndarray:
        return self.shape.farthest(directions)


def distance(points: np.ndarray, one: Place, tip: Place) -> tuple[np.ndarray, np.ndarray]:
    """The distance of points from a segment, and the numbers in whose rounding units it is known."""
    from_tip, along = points - np.array(tip), np.array(one) - np.array(tip)
    share = np.clip(from_tip @ along / (along @ along), 0, 1)
    off = from_tip - share[:, None] * along
    return np.linalg.norm(off, axis=1), np.maximum(np.abs(points), np.abs(from_tip)).max(axis=1, initial=0.0)


def _gap(one: tuple[Place, Place], other: tuple[Place, Place]) -> float:
    """The distance between two segments."""
    if all(_turn(*a, b[0]) * _turn(*a, b[1]) < 0 for a, b in ((one, other), (other, one))):
        return 0.0  # they cross
    return min(float(distance(np.array(a), *b)[0].min()) for a, b in ((one, other), (other, one)))


def _turn(a: Place, b: Place, c: Place) -> float:
    """Positive if the way from a to c by b turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _place(given: Any) -> Place:
    array = real_array(given, RegionError, f"The ends of a segment are pairs of real numbers; got {quoted(given)}.")
    if array.shape != (2,) or not np.isfinite(array).all():
        raise RegionError(f"The ends of a segment are pairs of finite numbers; got {quoted(given)}.")
    check_places(array, "The ends of a segment")
    return float(array[0]), float(array[1])


def _shown(place: Place) -> str:
    return f"({place[0]:g}, {place[1]:g})"
