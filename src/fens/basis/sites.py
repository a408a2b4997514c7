"""Places that call for functions of their own, as bases see them: numbers, and nothing of shapes or equations."""

from __future__ import annotations

from dataclasses import dataclass

from .._support.stored import stored


@stored("Hole")
@dataclass(frozen=True)
class Hole:
    """A hole of a domain: a point inside it, its distance from the rim, and the axes in which it lies."""

    centre: tuple[float, ...]
    radius: float
    axes: tuple[int, ...]


@dataclass(frozen=True)
class Corner:
    """A corner of a domain in the plane of two axes: its place, and the directions of its two sides as angles."""

    place: tuple[float, ...]
    angles: tuple[float, float]
    axes: tuple[int, ...]


@dataclass(frozen=True)
class Face:
    """A flat face of a domain: a point of it, the normal that leads out, and how far the domain reaches behind it."""

    place: tuple[float, ...]
    normal: tuple[float, ...]
    depth: float


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
    faces: tuple[Face, ...] = ()
