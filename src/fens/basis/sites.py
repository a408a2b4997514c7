"""Places that call for functions of their own, as bases see them: numbers, and nothing of shapes or equations."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .._support.stored import stored


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

    `cut` is a direction from it that leaves the domain for good, `near` the length of the shorter side, and `reach`
    the distance of the farthest point of the domain. `alone` says that there are no lower terms, variable coefficients
    or other unknowns, `jumps` that there are values on both sides, which need not be the same at the corner.
    """

    place: tuple[float, ...]
    direction: float
    opening: float
    axes: tuple[int, int] = (0, 1)
    cut: float = math.nan
    near: float = 1.0
    reach: float = 1.0
    alone: bool = False
    jumps: bool = False


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
