"""Places that call for functions of their own, as bases see them: numbers, and nothing of shapes or equations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._support.numbers import real_array
from .._support.stored import stored
from ..errors import RegionError, quoted


@stored("Hole")
@dataclass(frozen=True)
class Hole:
    """A hole of a domain: a point inside it, its distance from the rim, and the axes in which it lies."""

    centre: tuple[float, ...]
    radius: float
    axes: tuple[int, ...]


@stored("Corner")
@dataclass(frozen=True)
class Corner:
    """A corner of a domain in the plane of two axes: its place, the direction from it into the domain, midway between
    its two sides, and the angle between these, both in radians.

    `cut` is a direction from it that leaves the domain for good or, if there is none, as in a hole, as far as `end`, a
    place outside of it; `near` the length of the shorter side, and `reach`
    the distance of the farthest point of the domain. `jumps` says that there are values on both sides, which need not
    be the same at the corner, and `lowest` of which degree the function then is that jumps there.

    `exponents` are the degrees that solutions of the leading terms have there, if they are known, and `roots` the
    numbers p, each with how often it is one, for which functions of x + p y are such solutions. `alone` says that there
    are no other terms or variable coefficients inside, `radial` that there is but the unknown itself, times a constant,
    so that solutions of degree λ go on with r^(λ+2), r^(λ+4), … times the same function of the angle, and `shifted`
    that there are others on the sides, or that these are curved, so that solutions have those degrees and whole numbers
    more.

    A user gives the place, `fens.Corner((0, 1))`, and the domain tells the rest.
    """

    place: tuple[float, ...]
    direction: float = math.nan
    opening: float = math.nan
    axes: tuple[int, int] = (0, 1)
    cut: float = math.nan
    near: float = 1.0
    reach: float = 1.0
    alone: bool = False
    jumps: bool = False
    exponents: tuple[complex, ...] = ()
    roots: tuple[tuple[complex, int], ...] = ((1j, 1),)
    lowest: int = 0
    shifted: bool = False
    radial: bool = False
    end: tuple[float, ...] = ()

    @property
    def pole(self) -> float:
        """The power of the inverse distance with which functions grow there; 0 if they have a bound."""
        degrees = [power.real for power in self.exponents] + [float(self.lowest) if self.jumps else 0.0]
        return -min(0.0, *degrees)

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", place_of(self.place))
        for name in ("direction", "opening", "cut", "near", "reach"):
            if not isinstance(value := getattr(self, name), int | float):
                raise RegionError(f"{name} of a corner must be a number, and is found by solve; got {quoted(value)}.")

    @property
    def first_side(self) -> float:
        """The direction of the side from which angles are counted, counter-clockwise and through the domain."""
        return self.direction - self.opening / 2


def place_of(given: Any) -> tuple[float, ...]:
    """A place as numbers, one for each coordinate; of a corner its own."""
    if isinstance(given, Corner):
        return given.place
    message = "A corner is at a place, such as fens.Corner((0, 1)), a finite number for each coordinate; got "
    place = real_array(given, RegionError, f"{message}{quoted(given)}.")
    if place.ndim != 1 or not len(place) or not np.isfinite(place).all():
        raise RegionError(f"{message}{quoted(given)}.")
    return tuple(place.tolist())


@stored("Onset")
@dataclass(frozen=True)
class Onset:
    """A place in space and time from which on something diffuses whose data do not fit together there: a corner of
    space-time with initial and boundary values that disagree, a jump or a kink of initial values inside, or a jump of
    boundary values at some time.

    `axes` are those of space and of time, `directions` is 1 or −1 for each, the way into the domain and that of time,
    and `diffusivity` is the one there. The domain is `between` two values in space, and extends to `duration` in time.
    `varies` says that the diffusivity is not the same everywhere.
    """

    place: tuple[float, float]
    axes: tuple[int, int]
    directions: tuple[float, float]
    diffusivity: float
    between: tuple[float, float]
    duration: float
    varies: bool = False
    nonlinear: bool = False

    @property
    def inside(self) -> bool:
        """Whether the domain is on both sides of it."""
        return self.between[0] < self.place[0] < self.between[1]

    @property
    def reach(self) -> float:
        """The distance of the farthest point in space."""
        return max(abs(end - self.place[0]) for end in self.between)

    @property
    def spread(self) -> float:
        """How far things diffuse: √(4aT)."""
        return math.sqrt(4 * self.diffusivity * self.duration)


@stored("InsideCrack")
@dataclass(frozen=True)
class Crack:
    """A straight crack inside a domain, from one tip to another, both of which are corners.

    `mixed` says that its two sides have different kinds of conditions, and `jumps` that there are values on both.
    """

    tips: tuple[Corner, Corner]
    mixed: bool = False

    @property
    def alone(self) -> bool:
        """Whether there are no lower terms, variable coefficients or other unknowns."""
        return self.tips[0].alone

    @property
    def jumps(self) -> bool:
        """Whether there are values on both sides, which need not be the same at the tips."""
        return self.tips[0].jumps

    @property
    def size(self) -> float:
        """The distance of the farthest point of the domain, in half lengths of the crack; at least 1."""
        half = math.dist(self.tips[0].place, self.tips[1].place) / 2
        return max(1.0, min(tip.reach for tip in self.tips) / half)


@stored("Spot")
@dataclass(frozen=True)
class Spot:
    """A place where a function varies: its centre, and how far it extends along each axis, as a standard deviation."""

    centre: tuple[float, ...]
    width: tuple[float, ...]


@dataclass(frozen=True)
class Sites:
    """All that is known of the places of a domain at which solutions are seldom smooth."""

    holes: tuple[Hole, ...] = ()
    corners: tuple[Corner, ...] = ()
    onsets: tuple[Onset, ...] = ()
    cracks: tuple[Crack, ...] = ()  # those inside; others have a corner at their tip
