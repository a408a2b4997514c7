"""Features of several kinds for one unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from .activation import Activation
from .random_features import Features, Operator


@dataclass(frozen=True)
class Joined:
    """Features of several kinds for one unknown, side by side."""

    members: Sequence[Features]

    def __len__(self) -> int:
        return sum(map(len, self.members))

    @property
    def W(self) -> Tensor:
        """The frequencies."""
        return torch.cat([m.W for m in self.members])

    @property
    def b(self) -> Tensor:
        """The phases."""
        return torch.cat([m.b for m in self.members])

    @property
    def activation(self) -> Activation:
        """The activation, which all have in common."""
        return self.members[0].activation

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """As of `RandomFeatures`."""
        total, start = points.new_empty((len(self), len(points))).T, 0
        for member in self.members:
            total[:, start : start + len(member)] = member.matrix(operator, points)
            start += len(member)
        return total
