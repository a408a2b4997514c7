"""The trial space: a basis for each unknown, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .._support.stored import stored
from .ansatz import Ansatz, Drawn
from .basis import Coefficient, Orders, same
from .memory import MemoryBudget
from .union import SideBySide

JointOperator = Sequence[tuple[Coefficient, int, Orders]]  # Σ c(x) ∂^α u_k as triples (c, k, α)
Scales = tuple[float, ...]  # one for each axis, for one unknown after another


@stored("Family")
@dataclass(frozen=True)
class TrialSpace(SideBySide):
    """Bases of several unknowns, one member for each."""

    def matrix(self, operator: JointOperator, points: Tensor) -> Tensor:
        """A row for each point and a column for each function, zero where the operator does not touch an unknown."""
        if len(self.members) == 1:
            return self.members[0].matrix([(c, alpha) for c, _, alpha in operator], points)
        total = points.new_zeros((len(self), len(points))).T  # column-major, as LAPACK takes it
        for k, (member, columns) in enumerate(zip(self.members, self.columns, strict=True)):
            own = [(c, alpha) for c, unknown, alpha in operator if unknown == k]
            if own:
                total[:, columns] = member.matrix(own, points)
        return total

    def matvec(self, operator: JointOperator, points: Tensor, weights: Tensor) -> Tensor:
        """The matrix times weights, without the matrix where that is possible."""
        total = points.new_zeros((len(points), *weights.shape[1:]))
        for k, (member, columns) in enumerate(zip(self.members, self.columns, strict=True)):
            own = [(c, alpha) for c, unknown, alpha in operator if unknown == k]
            if own:
                total += member.matvec(own, points, weights[columns])
        return total

    def counted_from(self, origin: Tensor) -> TrialSpace:
        """The same space, as functions of the offset from a place."""
        return TrialSpace(tuple(m.counted_from(origin) for m in self.members))

    def cached(self, bytes_: int) -> TrialSpace:
        """The same space, which remembers what its functions were at points, within so many bytes."""
        budget = MemoryBudget(bytes_)
        return TrialSpace(tuple(m.cached(budget) for m in self.members))

    def is_same(self, other: TrialSpace) -> bool:
        """Whether the functions are the same, so that weights of the one are weights of the other."""
        return same(self.members, other.members)


@dataclass(frozen=True)
class Draw:
    """A trial space before its scale is chosen: for each unknown its ansatz, and what was drawn of it at scale 1."""

    ansaetze: tuple[Ansatz, ...]
    members: tuple[Drawn, ...]

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return len(self.members[0].leading.center)

    def scaled(self, scales: Scales, device: torch.device) -> TrialSpace:
        """The trial space at scales, one for each axis of each unknown."""
        own = of_each(scales, self.dimension)
        return TrialSpace(tuple(m.scaled(s, device) for m, s in zip(self.members, own, strict=True)))

    @property
    def is_plain(self) -> bool:
        """Whether nothing is known of the solution: frequencies alike along all directions, and no special place."""
        return all(a.is_plain for a in self.ansaetze)

    @property
    def grades(self) -> bool:
        """Whether there are functions of corners, towards which points are to be graded."""
        return any(a.graded for a in self.ansaetze)

    def frequencies(self, most: int) -> np.ndarray:
        """At most so many frequencies of each unknown, at scale 1."""
        found = [W[:most] for m in self.members if (W := m.frequencies) is not None]
        return np.concatenate([np.zeros((0, self.dimension)), *found])


def of_each(scales: Scales, dimension: int) -> list[Scales]:
    """The scales of each unknown: one for each axis."""
    return [scales[k : k + dimension] for k in range(0, len(scales), dimension)]
