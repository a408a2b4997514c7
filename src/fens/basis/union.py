"""Bases side by side: functions of several kinds for one unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor

from .._support.stored import stored
from .basis import Basis, Operator, Orders
from .memory import MemoryBudget


@dataclass(frozen=True)
class SideBySide:
    """Several bases; their columns follow one another."""

    members: tuple[Basis, ...]

    def __len__(self) -> int:
        return sum(map(len, self.members))

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self.members[0].dimension

    @property
    def columns(self) -> tuple[slice, ...]:
        """Which of the columns belong to each member."""
        ends = list(accumulate(map(len, self.members)))
        return tuple(slice(start, end) for start, end in zip([0, *ends], ends, strict=False))

    @property
    def speeds(self) -> Tensor:
        """How fast each function varies."""
        return torch.cat([m.speeds for m in self.members])


@stored("Joined")
@dataclass(frozen=True)
class Union(SideBySide, Basis):
    """A basis of the functions of several."""

    @property
    def frequencies(self) -> Tensor | None:
        """Those of all members that have some."""
        found = [W for m in self.members if (W := m.frequencies) is not None]
        return torch.cat(found) if found else None

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(x_i)."""
        total = points.new_empty((len(self), len(points))).T
        for member, columns in zip(self.members, self.columns, strict=True):
            total[:, columns] = member.matrix(operator, points)
        return total

    def matvec(self, operator: Operator, points: Tensor, weights: Tensor) -> Tensor:
        """Σ_j w_j (Σ_α c_α ∂^α φ_j)(x_i), the sum of those of the members."""
        pairs = zip(self.members, self.columns, strict=True)
        return torch.stack([m.matvec(operator, points, weights[own]) for m, own in pairs]).sum(dim=0)

    def derivatives(self, alphas: Sequence[Orders], points: Tensor, weights: Tensor) -> list[Tensor]:
        """Σ_j w_j ∂^α φ_j(x_i) for each α, the sums of those of the members."""
        pairs = zip(self.members, self.columns, strict=True)
        each = [m.derivatives(alphas, points, weights[own]) for m, own in pairs]
        return [torch.stack(same).sum(dim=0) for same in zip(*each, strict=True)]

    def counted_from(self, origin: Tensor) -> Union:
        """The same functions of the offset from a place, of each member in its own way."""
        return Union(tuple(m.counted_from(origin) for m in self.members))

    def cached(self, budget: MemoryBudget) -> Union:
        """The same with members that remember, each in its own way, out of one budget."""
        return Union(tuple(m.cached(budget) for m in self.members))
