"""The points of a condition, and the rows that an operator has there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .._support.device import to_device, to_host
from ..basis import Coefficient, Family, Features, derivatives, row_slices
from ..geometry import Samples
from ..problem import Jet

POINTS = 2**18  # at which a function is evaluated at a time: their coordinates are few next to those of a matrix


@dataclass(frozen=True)
class Places:
    """The points of a condition on a device, the opposite ones of pairs, and the weights of a quadrature rule."""

    points: Tensor
    opposite: Tensor | None = None
    weights: Tensor | None = None

    @classmethod
    def of(cls, samples: Samples, device: torch.device) -> Places:
        """Samples on a device."""
        arrays = (samples.points, samples.opposite, samples.weights)
        return cls(*(None if a is None else to_device(a, device) for a in arrays))  # type: ignore[arg-type]

    def only(self, part: slice) -> Places:
        """Some of the points."""
        return Places(*(None if a is None else a[part] for a in (self.points, self.opposite, self.weights)))  # type: ignore[arg-type]

    def summed(self, values: Tensor) -> Tensor:
        """Values at the points, or for a quadrature rule their integral."""
        return values if self.weights is None else (self.weights @ values)[None]

    def matrix(self, features: Family, operator: Sequence[tuple[Coefficient, Jet]]) -> Tensor:
        """A row for each point, or one for the integral, and a column for each feature."""
        here = [(c, jet.unknown, jet.orders) for c, jet in operator if not jet.opposite]
        there = [(c, jet.unknown, jet.orders) for c, jet in operator if jet.opposite]
        A = features.matrix(here, self.points)
        if there:
            assert self.opposite is not None
            A = A.add_(features.matrix(there, self.opposite))
        return self.summed(A)

    def matvec(self, features: Family, operator: Sequence[tuple[Coefficient, Jet]], weights: Tensor) -> Tensor:
        """The matrix times weights, or each column of them, without the matrix where that is possible."""
        total = self.points.new_zeros((len(self.points), *weights.shape[1:]))
        for points, opposite in ((self.points, False), (self.opposite, True)):
            own = [(c, jet.unknown, jet.orders) for c, jet in operator if jet.opposite == opposite]
            if own:
                assert points is not None
                total += features.matvec(own, points, weights)
        return self.summed(total)


def evaluate_jets(features: Family, weights: Tensor, places: Places, jets: Sequence[Jet]) -> dict[Jet, np.ndarray]:
    """Derivatives of Σ w_j φ_j at points."""
    found: dict[Jet, np.ndarray] = {}
    for k, opposite in dict.fromkeys((jet.unknown, jet.opposite) for jet in jets):
        points = places.opposite if opposite else places.points
        assert points is not None
        own = [jet for jet in jets if (jet.unknown, jet.opposite) == (k, opposite)]
        values = evaluate(features.members[k], weights[features.columns[k]], points, [jet.orders for jet in own])
        found.update(zip(own, values, strict=True))
    return found


def evaluate(
    features: Features, weights: Tensor, points: Tensor, alphas: Sequence[tuple[int, ...]]
) -> list[np.ndarray]:
    """Derivatives ∂^α of Σ w_j φ_j at points; with a column for each of several w."""
    blocks = [
        derivatives(features, alphas, points[part], weights) for part in row_slices(len(points), len(features), POINTS)
    ]
    if not blocks:
        return [np.zeros((0, *weights.shape[1:])) for _ in alphas]
    return [to_host(torch.cat(b)) for b in zip(*blocks, strict=True)]
