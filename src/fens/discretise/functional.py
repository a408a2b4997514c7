"""Rows: linear functionals of a function, through its values at points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .._support.device import to_device, to_host
from ..basis import Basis, Coefficient, TrialSpace, row_slices
from ..geometry import Samples
from ..problem import Jet

POINTS = 2**18  # at which a function is evaluated at a time: their coordinates are few next to those of a matrix


@dataclass(frozen=True)
class RowFunctional:
    """u ↦ T (L u)(x_i): the values of an operator at points, and a small matrix T from values to rows.

    Collocation and measurements have T = 1, written None: a row for each point. An integral is one row of quadrature
    weights; test functions times such weights would be a Petrov–Galerkin method. Derivatives may be taken at
    `opposite` points, too, one for each point: so do jumps across pairs of faces.
    """

    points: Tensor
    opposite: Tensor | None = None
    T: Tensor | None = None

    @classmethod
    def of(cls, samples: Samples, device: torch.device, T: np.ndarray | None = None) -> RowFunctional:
        """Collocation at samples, or rows of sums over them, on a device."""
        opposite = None if samples.opposite is None else to_device(samples.opposite, device)
        return cls(to_device(samples.points, device), opposite, None if T is None else to_device(T, device))

    @property
    def is_pointwise(self) -> bool:
        """Whether there is a row for each point."""
        return self.T is None

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.points if self.T is None else self.T)

    def only(self, part: slice) -> RowFunctional:
        """Some of the rows; those that take all points have these still."""
        if self.T is not None:
            return RowFunctional(self.points, self.opposite, self.T[part])
        return RowFunctional(self.points[part], None if self.opposite is None else self.opposite[part])

    def mapped(self, values: Tensor) -> Tensor:
        """T times values at the points."""
        if self.T is None:
            return values
        return (self.T[0] @ values)[None] if len(self.T) == 1 else self.T @ values

    def matrix(self, space: TrialSpace, operator: Sequence[tuple[Coefficient, Jet]]) -> Tensor:
        """The rows, with a column for each function of a trial space."""
        here = [(c, jet.unknown, jet.orders) for c, jet in operator if not jet.opposite]
        there = [(c, jet.unknown, jet.orders) for c, jet in operator if jet.opposite]
        A = space.matrix(here, self.points)
        if there:
            assert self.opposite is not None
            A = A.add_(space.matrix(there, self.opposite))
        return self.mapped(A)

    def matvec(self, space: TrialSpace, operator: Sequence[tuple[Coefficient, Jet]], weights: Tensor) -> Tensor:
        """The rows times weights, or each column of them, without the matrix where that is possible."""
        total = self.points.new_zeros((len(self.points), *weights.shape[1:]))
        for points, opposite in ((self.points, False), (self.opposite, True)):
            own = [(c, jet.unknown, jet.orders) for c, jet in operator if jet.opposite == opposite]
            if own:
                assert points is not None
                total += space.matvec(own, points, weights)
        return self.mapped(total)


def evaluate_jets(
    space: TrialSpace, weights: Tensor, functional: RowFunctional, jets: Sequence[Jet]
) -> dict[Jet, np.ndarray]:
    """Derivatives of Σ w_j φ_j at points."""
    found: dict[Jet, np.ndarray] = {}
    for k, opposite in dict.fromkeys((jet.unknown, jet.opposite) for jet in jets):
        points = functional.opposite if opposite else functional.points
        assert points is not None
        own = [jet for jet in jets if (jet.unknown, jet.opposite) == (k, opposite)]
        values = evaluate(space.members[k], weights[space.columns[k]], points, [jet.orders for jet in own])
        found.update(zip(own, values, strict=True))
    return found


def evaluate(
    basis: Basis, weights: Tensor, points: Tensor, alphas: Sequence[tuple[int, ...]]
) -> list[np.ndarray]:
    """Derivatives ∂^α of Σ w_j φ_j at points; with a column for each of several w."""
    blocks = [
        basis.derivatives(alphas, points[part], weights) for part in row_slices(len(points), len(basis), POINTS)
    ]
    if not blocks:
        return [np.zeros((0, *weights.shape[1:])) for _ in alphas]
    return [to_host(torch.cat(b)) for b in zip(*blocks, strict=True)]
