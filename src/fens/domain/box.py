"""Boxes, and space-time cylinders over domains."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from ..errors import RegionError
from ..numbers import real_number
from .pair import Pair
from .region import Domain, Part, Patch


@dataclass(frozen=True, repr=False, init=False)
class Box(Domain):
    """A product of intervals: `Box({x: (0, 1), y: (0, 1)})`. In one dimension it is an interval.

    >>> x, y = sp.symbols("x y")
    >>> square = Box({x: (0, 1), y: (-1, 1)})
    >>> square, square.boundary, square.face(y, -1)
    (<the box 0 < x < 1, -1 < y < 1>, <the boundary>, <the face y = -1>)
    """

    coordinates: tuple[sp.Symbol, ...]
    intervals: tuple[tuple[float, float], ...]

    def __init__(self, sides: Mapping[sp.Symbol, tuple[Any, Any]]) -> None:
        if not isinstance(sides, Mapping) or not sides:
            raise RegionError(f"Box takes a mapping from coordinates to intervals, {{x: (0, 1)}}; got {sides!r}.")
        check_names(sides)
        object.__setattr__(self, "coordinates", tuple(sides))
        object.__setattr__(self, "intervals", tuple(interval(x, ends) for x, ends in sides.items()))

    @property
    def name(self) -> str:
        sides = (f"{a:g} < {x} < {b:g}" for x, (a, b) in zip(self.coordinates, self.intervals, strict=True))
        return f"the box {', '.join(sides)}"

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        return self.intervals

    @property
    def patches(self) -> tuple[Patch, ...]:
        lower, upper = zip(*self.intervals, strict=True)
        return (Patch(lower, upper),)

    @property
    def boundary(self) -> Part:
        """All the faces."""
        return Part(self, "the boundary", tuple(self._face(i, e) for i in range(len(self.intervals)) for e in (0, 1)))

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

    def during(self, time: sp.Symbol, start: Any, end: Any) -> Cylinder:
        """The box through an interval of time."""
        return Cylinder(self, time, *interval(time, (start, end)))

    def _face(self, axis: int, end: int) -> Patch:
        lower, upper = map(list, zip(*self.intervals, strict=True))
        lower[axis] = upper[axis] = self.intervals[axis][end]
        normal = [0.0] * len(lower)
        normal[axis] = 2.0 * end - 1.0
        return Patch(tuple(lower), tuple(upper), tuple(normal))


@dataclass(frozen=True, repr=False)
class Cylinder(Domain):
    """A domain in space through an interval of time: `box.during(t, 0, 1)`.

    Its regions are `initial`, `final`, `sides` (the boundary of the base at all times), `face(x, 0)` for one of
    the sides, and `boundary`, which is all of these together.
    """

    base: Box
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
    def patches(self) -> tuple[Patch, ...]:
        return tuple(p.extruded(self.start, self.end) for p in self.base.patches)

    @property
    def sides(self) -> Part:
        """The boundary of the base, at all times."""
        return self._extruded(self.base.boundary, "the sides")

    @property
    def initial(self) -> Part:
        """The base at the first instant."""
        return Part(self, "the initial time", tuple(p.sliced(self.start, -1.0) for p in self.base.patches))

    @property
    def final(self) -> Part:
        """The base at the last instant."""
        return Part(self, "the final time", tuple(p.sliced(self.end, 1.0) for p in self.base.patches))

    @property
    def boundary(self) -> Part:
        """Sides, initial and final time: the whole boundary in space-time."""
        pieces = self.sides.patches + self.initial.patches + self.final.patches
        return Part(self, "the boundary in space and time", pieces)

    def face(self, coordinate: sp.Symbol, value: Any) -> Part:
        """One face of the base at all times; for the time coordinate, the initial or the final instant."""
        if coordinate != self.time:
            self.axis(coordinate)
            part = self.base.face(coordinate, value)
            return self._extruded(part, part.name)
        return (self.initial, self.final)[which_end(coordinate, (self.start, self.end), value)]

    def pair(self, coordinate: sp.Symbol) -> Pair:
        """Two opposite faces of the base at all times, or for the time coordinate the final and the initial instant."""
        axis = self.axis(coordinate)
        upper = self.final if coordinate == self.time else self.face(coordinate, self.bounds[axis][1])
        name = f"the pair of faces across {coordinate}"
        return Pair(self, name, upper.patches, axis, self.bounds[axis][0])

    def _extruded(self, part: Part, name: str) -> Part:
        return Part(self, name, tuple(p.extruded(self.start, self.end) for p in part.patches))


def check_names(coordinates: Iterable[Any]) -> None:
    """Refuse coordinates that are not symbols, or of which two have one name."""
    names: set[str] = set()
    for x in coordinates:
        if not isinstance(x, sp.Symbol):
            raise RegionError(f"Coordinates are SymPy symbols; got {x!r}.")
        if x.name in names:
            raise RegionError(f"Two coordinates have the name {x}; each needs its own.")
        names.add(x.name)


def which_end(coordinate: sp.Symbol, ends: tuple[float, float], value: Any) -> int:
    """0 for the lower end of an interval, 1 for the upper one, whichever the value is."""
    a, b = ends
    at = real_number(value, RegionError, f"A face is at a number; got {coordinate} = {value!r}.")
    for end, bound in enumerate(ends):
        if math.isclose(at, bound, rel_tol=0, abs_tol=1e-12 * (b - a)):
            return end
    x = coordinate
    raise RegionError(f"The faces across {x} are at {x} = {a:g} and {x} = {b:g}; there is none at {x} = {value}.")


def interval(coordinate: Any, ends: Any) -> tuple[float, float]:
    """The ends of an interval as numbers, refused unless finite, in order and allowed by the symbol's assumptions."""
    message = f"The interval of {coordinate} must be two numbers, (lower, upper); got {ends!r}."
    if not isinstance(ends, Sequence | np.ndarray) or isinstance(ends, str) or len(ends) != 2:
        raise RegionError(message)
    a, b = (real_number(e, RegionError, message) for e in ends)
    if not (math.isfinite(a) and math.isfinite(b)):
        raise RegionError(f"The interval of {coordinate} must be finite; got ({a:g}, {b:g}).")
    if not a < b:
        raise RegionError(f"The interval of {coordinate} must have its lower end first; got ({a:g}, {b:g}).")
    x = coordinate
    if isinstance(x, sp.Symbol) and (
        x.is_extended_real is False or x.is_integer or (x.is_nonnegative and a < 0) or (x.is_nonpositive and b > 0)
    ):
        raise RegionError(f"The assumptions of the symbol {x} exclude numbers between {a:g} and {b:g}.")
    return a, b
