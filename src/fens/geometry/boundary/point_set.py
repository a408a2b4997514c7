"""Points that are given, as a table that can be compared and as a piece of a region."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._support.stored import stored
from ...errors import RegionError
from ..sampling.subsample import subsample
from .piece import Definition, Piece, Samples, UnitPoints


@stored("Table")
@dataclass(frozen=True, eq=False)
class Table(Definition):
    """An array that is equal to another with the same numbers."""

    array: np.ndarray

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and np.array_equal(self.array, other.array)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.array.shape, self.array.tobytes()))


@stored("Given")
@dataclass(frozen=True)
class Given(Piece):
    """Given points, with normals if they are those of a boundary. There are no others: fewer can be had, not more."""

    points: Table
    normals: Table | None
    extent: float

    @property
    def ends(self) -> tuple[bool, ...]:
        return (False,)

    @property
    def has_normals(self) -> bool:
        return self.normals is not None

    @property
    def measure(self) -> float:
        return self.extent

    @property
    def samples(self) -> Samples:
        """All of them."""
        return Samples(self.points.array, None if self.normals is None else self.normals.array)

    def attempt(self, unit: np.ndarray) -> tuple[Samples, np.ndarray]:
        count = len(self.points.array)
        rows = np.minimum((unit[:, 0] * count).astype(int), count - 1)
        return self.samples.only(rows), np.arange(len(unit))

    def sample(self, count: int, unit: UnitPoints, rng: np.random.Generator) -> Samples:
        if count >= len(self.points.array):
            return self.samples
        return self.samples.only(subsample(self.points.array, count, rng))

    def contains(self, points: np.ndarray) -> np.ndarray:
        known = {p.tobytes() for p in self.points.array}
        return np.array([p.tobytes() in known for p in np.ascontiguousarray(points)], dtype=bool)

    def rule(self, n: int) -> tuple[Samples, np.ndarray]:
        raise RegionError("There is no integral over given points: what they stand for is not known.")
