"""Shapes: domains in space, which can be combined and carried through time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import sympy as sp

from ..._support.sobol import fixed_sobol
from ..._support.stored import stored
from ...errors import RegionError, quoted
from ..boundary.piece import Piece, Samples, UnitPoints
from ..checks import interval
from ..quadrature.slices import slice_rule
from ..region import Domain
from .cylinder import Cylinder

if TYPE_CHECKING:
    from .combination import Combined
    from .registry import Description

CROWD = 0.02  # depth, relative to the size of a shape, down to which points get denser
TRIALS = 2**14  # points from which shares are estimated


class Shape(Domain):
    """A domain in space."""

    file_keys: ClassVar[tuple[str, ...]] = ()  # what the table of a problem file may have beside the name of the shape

    @classmethod
    def from_file(cls, table: Description) -> Shape:
        """The shape that a table of a problem file describes."""
        raise RegionError(f"A {cls.__name__} cannot be written in a problem file: it has no method from_file.")

    @cached_property
    def patches(self) -> tuple[Piece, ...]:
        return (Inside(self),)

    def during(self, time: sp.Symbol, start: Any, end: Any) -> Cylinder:
        """The shape through an interval of time."""
        return Cylinder(self, time, *interval(time, (start, end)))

    def __add__(self, other: Any) -> Combined:
        return self._combined("+", other)

    def __sub__(self, other: Any) -> Shape:
        return other.taken_from(self) if isinstance(other, Shape) else self._combined("-", other)

    def __and__(self, other: Any) -> Combined:
        return self._combined("&", other)

    def _combined(self, operation: str, other: Any) -> Combined:
        from .combination import Combined

        if not isinstance(other, Shape):
            what = "combine the shapes in space first, then take .during(…)" if isinstance(other, Domain) else "a shape"
            raise RegionError(f"{self.name} can be combined with another shape; got {quoted(other)} ({what}).")
        other.check_inside()
        return Combined(self, operation, other)

    def taken_from(self, whole: Shape) -> Shape:
        """What is left of a shape without this one."""
        return whole._combined("-", self)

    def check_inside(self) -> None:
        """Refuse what has no inside."""

    def filled(self, unit: np.ndarray) -> np.ndarray:
        """The images of points of the unit cube: even points of the shape or, with others, of the box around it."""
        lower, upper = np.array(self.bounds).T
        return np.asarray(lower * (1 - unit) + upper * unit)

    def volume(self) -> float:
        """Length, area or volume; of combined and implicit shapes in space an estimate, good to about a percent."""
        if len(self.coordinates) <= 2:
            return float(self.rule(32)[1].sum())
        return Inside(self).share * float(np.prod(2 * np.array(self.half_widths)))


@stored("Inside")
@dataclass(frozen=True)
class Inside(Piece):
    """What lies within a shape, found by trying points that fill it, or the box around it."""

    shape: Shape

    @property
    def ends(self) -> tuple[bool, ...]:
        return (False,) * len(self.shape.coordinates)

    @property
    def has_normals(self) -> bool:
        return False

    @cached_property
    def measure(self) -> float:
        return self.shape.volume()

    @cached_property
    def share(self) -> float:
        return max(len(self.place(fixed_sobol(TRIALS, len(self.ends)))), 1) / TRIALS

    def attempt(self, unit: np.ndarray) -> tuple[Samples, np.ndarray]:
        points = self.shape.filled(unit)
        rows = np.flatnonzero(self.shape.signed_distance(points) < -self.shape.slack)
        return Samples(points[rows]), rows

    def sample(self, count: int, unit: UnitPoints, rng: np.random.Generator) -> Samples:
        samples = super().sample(count, unit, rng)
        if count and not len(samples):
            raise RegionError(
                f"No point was found inside {self.shape.name}: relative to its size, from {_corner(self.shape, 0)} to "
                f"{_corner(self.shape, 1)}, it is too thin. Scale its coordinates, so that it is as wide as it is long."
            )
        return samples

    def towards(self, directions: np.ndarray, far: np.ndarray, rng: np.random.Generator) -> Samples:
        middle = np.mean(self.shape.bounds, axis=1)
        points = middle + far * (self.shape.farthest(directions) - middle)
        return Samples(points[self.shape.signed_distance(points) < -self.shape.slack])

    @cached_property
    def _crowded(self) -> Piece:
        return Crowded(self.shape)

    def crowded(self) -> Piece:
        return self._crowded

    def contains(self, points: np.ndarray) -> np.ndarray:
        return self.shape.contains(points)

    def rule(self, n: int) -> tuple[Samples, np.ndarray]:
        if len(self.shape.coordinates) <= 2 or self.shape.has_sections:
            points, weights = slice_rule(self.shape, n)
            return Samples(points), weights
        samples = Inside.attempt(self, fixed_sobol(4 * TRIALS, len(self.shape.coordinates)))[0]
        if not len(samples):
            raise RegionError(f"There is no integral over {self.shape.name}: none of {4 * TRIALS} points lies in it.")
        return samples, np.full(len(samples), self.shape.volume() / len(samples))


@dataclass(frozen=True)
class Crowded(Inside):
    """What lies within a shape, with points as the inverse square root of the depth denser towards the boundary.

    So do Chebyshev's points get denser towards the ends of an interval. One more direction of the unit cube decides
    which points are left out.
    """

    @property
    def ends(self) -> tuple[bool, ...]:
        return (False,) * (len(self.shape.coordinates) + 1)

    def attempt(self, unit: np.ndarray) -> tuple[Samples, np.ndarray]:
        points = self.shape.filled(unit[:, :-1])
        signed_distance = -self.shape.signed_distance(points)
        wanted = unit[:, -1] ** 2 * signed_distance <= CROWD * max(self.shape.half_widths)
        rows = np.flatnonzero((signed_distance > self.shape.slack) & wanted)
        return Samples(points[rows]), rows


def _corner(shape: Shape, end: int) -> str:
    """The lowest or the highest corner of the box around a shape."""
    return f"({', '.join(f'{ends[end]:g}' for ends in shape.bounds)})"
