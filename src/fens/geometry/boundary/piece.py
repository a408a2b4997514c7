"""Pieces: what regions consist of, each the image of a unit cube or a part of one that is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..._support.stored import stored
from ..quadrature.rule import gauss, tensor

MOST_ATTEMPTS = 50  # each makes more points than are expected to be needed
MOST_IN_VAIN = 2**18  # points of the unit cube, of which none has an image
MOST_TRIALS = 2**21  # points at a time

# how many, whether there are ends along each direction, random numbers → points of the unit cube
UnitPoints = Callable[[int, Sequence[bool], np.random.Generator], np.ndarray]


@stored("Samples")
@dataclass(frozen=True)
class Samples:
    """Points, one in a row, and the outward unit normals there if the region has them.

    Pairs of points have the `opposite` ones too; those of a quadrature rule have `weights`.
    """

    points: np.ndarray
    normals: np.ndarray | None = None
    opposite: np.ndarray | None = None
    weights: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.points)

    def only(self, rows: np.ndarray) -> Samples:
        """Some of the points."""
        return Samples(self.points[rows], *(None if a is None else a[rows] for a in self._others))

    def flipped(self) -> Samples:
        """The same points seen from the other side."""
        return replace(self, normals=None if self.normals is None else -self.normals)

    @classmethod
    def joined(cls, parts: Sequence[Samples]) -> Samples:
        """All the points of several samples, in order."""
        columns = zip(*(p._others for p in parts), strict=True)
        others = (None if any(a is None for a in c) else np.concatenate(c) for c in columns)
        return cls(np.concatenate([p.points for p in parts]), *others)

    @property
    def _others(self) -> tuple[np.ndarray | None, ...]:
        return self.normals, self.opposite, self.weights


class Definition:
    """Something immutable that is known by how it was made: what it worked out is not stored with it."""

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: self.__dict__[f.name] for f in fields(self)}  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


class Piece(Definition, ABC):
    """A point, curve, surface or solid on which points can be placed evenly."""

    @property
    @abstractmethod
    def ends(self) -> tuple[bool, ...]:
        """For each direction of the unit cube, whether the piece ends there, or closes or has none."""

    @property
    @abstractmethod
    def measure(self) -> float:
        """Length, area, volume …; 1 for a single point."""

    @property
    @abstractmethod
    def has_normals(self) -> bool:
        """Whether its points come with outward normals."""

    @property
    def share(self) -> float:
        """About which part of the unit cube has an image; all of it unless the piece is a part of something larger."""
        return 1.0

    @abstractmethod
    def attempt(self, unit: np.ndarray) -> tuple[Samples, np.ndarray]:
        """The images of those points of the unit cube that have one, and their numbers; even points stay even."""

    def place(self, unit: np.ndarray) -> Samples:
        """The images of those points of the unit cube that have one."""
        return self.attempt(unit)[0]

    @abstractmethod
    def contains(self, points: np.ndarray) -> np.ndarray:
        """Which of the points lie on the closed piece."""

    @abstractmethod
    def rule(self, n: int) -> tuple[Samples, np.ndarray]:
        """Points and weights of an integral over the piece, with about n points along each of its directions."""

    def sample(self, count: int, unit: UnitPoints, rng: np.random.Generator) -> Samples:
        """As many points, from those of the unit cube."""
        if not self.ends:  # an end of an interval: more than one point there is the same point again
            return self.place(np.zeros((1, 0)))
        trials = count if self.share >= 1 else min(int(1.1 * count / self.share) + 16, max(count, MOST_TRIALS))
        found: list[Samples] = []
        for k in range(MOST_ATTEMPTS):
            found.append(self.place(unit(trials, self.ends, rng)))
            so_far = sum(map(len, found))
            if so_far >= count or (not so_far and (k + 1) * trials > MOST_IN_VAIN):
                break
        joined = Samples.joined(found)
        return joined.only(np.arange(min(count, len(joined))))

    def towards(self, directions: np.ndarray, far: np.ndarray, rng: np.random.Generator) -> Samples | None:
        """Points on the way to where the piece is farthest along each of some directions, one in a row.

        `far` is a column, 0 for the middle and 1 for the farthest point. None if these are not known.
        """
        return None

    def crowded(self) -> Piece:
        """The same piece, on which even points of the unit cube get denser towards a curved boundary."""
        return self

    def extruded(self, start: float, end: float) -> Piece:
        """The piece times an interval along a new last axis."""
        return Extruded(self, start, end)

    def sliced(self, at: float, direction: float) -> Piece:
        """The piece at one value of a new last axis, with the normal along that axis."""
        return Sliced(self, at, direction)

    @property
    def at_any_time(self) -> Piece | None:
        """What has been extruded to it; None if it extends not along the last axis, or is not known to."""
        return None


@stored("Patch")
@dataclass(frozen=True)
class Patch(Piece):
    """A box of any dimension, parallel to the axes: the axes with lower < upper are its own, the others are fixed."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    normal: tuple[float, ...] | None = None

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes along which the patch extends."""
        return tuple(i for i, (a, b) in enumerate(zip(self.lower, self.upper, strict=True)) if a < b)

    @property
    def ends(self) -> tuple[bool, ...]:
        return (True,) * len(self.axes)

    @property
    def has_normals(self) -> bool:
        return self.normal is not None

    @property
    def measure(self) -> float:
        return float(np.prod([self.upper[i] - self.lower[i] for i in self.axes]))

    def attempt(self, unit: np.ndarray) -> tuple[Samples, np.ndarray]:
        lower, upper, axes = np.array(self.lower), np.array(self.upper), list(self.axes)
        points = np.tile(lower, (len(unit), 1))
        # this form, unlike lower + (upper − lower)·unit, puts 0 and 1 exactly on the ends
        points[:, axes] = lower[axes] * (1 - unit) + upper[axes] * unit
        normals = None if self.normal is None else np.tile(np.array(self.normal), (len(unit), 1))
        return Samples(points, normals), np.arange(len(unit))

    def towards(self, directions: np.ndarray, far: np.ndarray, rng: np.random.Generator) -> Samples:
        return self.place((1 + far * np.sign(directions[:, list(self.axes)])) / 2)

    def contains(self, points: np.ndarray) -> np.ndarray:
        return within(points, np.array(self.lower), np.array(self.upper))

    def rule(self, n: int) -> tuple[Samples, np.ndarray]:
        if not self.axes:
            return self.place(np.zeros((1, 0))), np.ones(1)
        unit, weights = tensor([gauss(n)] * len(self.axes))
        return self.place(unit), weights * self.measure

    def extruded(self, start: float, end: float) -> Piece:
        normal = None if self.normal is None else (*self.normal, 0.0)
        return Patch((*self.lower, start), (*self.upper, end), normal)

    def sliced(self, at: float, direction: float) -> Piece:
        return Patch((*self.lower, at), (*self.upper, at), (*[0.0] * len(self.lower), direction))

    @property
    def at_any_time(self) -> Piece | None:
        normal = None if self.normal is None else self.normal[:-1]
        return Patch(self.lower[:-1], self.upper[:-1], normal) if self.lower[-1] < self.upper[-1] else None


@stored("Extruded")
@dataclass(frozen=True)
class Extruded(Piece):
    """A piece through an interval of a further coordinate."""

    base: Piece
    start: float
    end: float

    @property
    def ends(self) -> tuple[bool, ...]:
        return (*self.base.ends, True)

    @property
    def at_any_time(self) -> Piece:
        return self.base

    @property
    def has_normals(self) -> bool:
        return self.base.has_normals

    @property
    def measure(self) -> float:
        return self.base.measure * (self.end - self.start)

    @property
    def share(self) -> float:
        return self.base.share

    def crowded(self) -> Piece:
        return Extruded(self.base.crowded(), self.start, self.end)

    def attempt(self, unit: np.ndarray) -> tuple[Samples, np.ndarray]:
        below, rows = self.base.attempt(unit[:, :-1])
        when = unit[rows, -1]
        return self.lifted(below, self.start * (1 - when) + self.end * when), rows

    def contains(self, points: np.ndarray) -> np.ndarray:
        during = (points[:, -1] >= self.start) & (points[:, -1] <= self.end)
        during[during] = self.base.contains(points[during, :-1])
        return during

    def rule(self, n: int) -> tuple[Samples, np.ndarray]:
        below, weights = self.base.rule(n)
        times, time_weights = gauss(n)
        rows = np.repeat(np.arange(len(below)), n)
        lifted = self.lifted(below.only(rows), np.tile(self.start * (1 - times) + self.end * times, len(below)))
        return lifted, np.outer(weights, time_weights).ravel() * (self.end - self.start)

    @staticmethod
    def lifted(below: Samples, times: np.ndarray) -> Samples:
        """Samples of the base at given times."""
        normals = None if below.normals is None else np.column_stack([below.normals, np.zeros(len(below))])
        return Samples(np.column_stack([below.points, times]), normals)


@stored("Sliced")
@dataclass(frozen=True)
class Sliced(Piece):
    """A piece at one value of a further coordinate."""

    base: Piece
    at: float
    direction: float

    @property
    def ends(self) -> tuple[bool, ...]:
        return self.base.ends

    @property
    def has_normals(self) -> bool:
        return True

    @property
    def measure(self) -> float:
        return self.base.measure

    @property
    def share(self) -> float:
        return self.base.share

    def crowded(self) -> Piece:
        return Sliced(self.base.crowded(), self.at, self.direction)

    def attempt(self, unit: np.ndarray) -> tuple[Samples, np.ndarray]:
        below, rows = self.base.attempt(unit)
        return self.lifted(below), rows

    def sample(self, count: int, unit: UnitPoints, rng: np.random.Generator) -> Samples:
        return self.lifted(self.base.sample(count, unit, rng))

    def contains(self, points: np.ndarray) -> np.ndarray:
        there: np.ndarray = points[:, -1] == self.at
        there[there] = self.base.contains(points[there, :-1])
        return there

    def rule(self, n: int) -> tuple[Samples, np.ndarray]:
        below, weights = self.base.rule(n)
        return self.lifted(below), weights

    def lifted(self, below: Samples) -> Samples:
        """Samples of the base at the one time."""
        normals = np.zeros((len(below), below.points.shape[1] + 1))
        normals[:, -1] = self.direction
        return Samples(np.column_stack([below.points, np.full(len(below), self.at)]), normals)


def within(points: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Which points lie between two corners."""
    inside: np.ndarray = np.all((points >= lower) & (points <= upper), axis=1)
    return inside

