"""Functions of several kinds for one unknown."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from .._support.stored import stored
from .basis import Basis, Operator
from .memory import MemoryBudget


@stored("Joined")
@dataclass(frozen=True)
class Union(Basis):
    """Bases side by side: the columns of one follow those of another."""

    members: tuple[Basis, ...]

    def __len__(self) -> int:
        return sum(map(len, self.members))

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self.members[0].dimension

    @property
    def frequencies(self) -> Tensor | None:
        """Those of all members that have some."""
        found = [W for m in self.members if (W := m.frequencies) is not None]
        return torch.cat(found) if found else None

    @property
    def speeds(self) -> Tensor:
        """How fast each function varies."""
        return torch.cat([m.speeds for m in self.members])

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(x_i)."""
        total, start = points.new_empty((len(self), len(points))).T, 0
        for member in self.members:
            total[:, start : start + len(member)] = member.matrix(operator, points)
            start += len(member)
        return total

    def cached(self, budget: MemoryBudget) -> Union:
        """The same with members that remember, each in its own way, out of one budget."""
        return Union(tuple(m.cached(budget) for m in self.members))
