"""The features φ_j(x) = σ(W_j·(x − center) + b_j), and linear differential operators applied to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from torch import Tensor

from ..product import product
from .activation import Activation, fold
from .grid import Runs, Waves, quadrature

Coefficient = float | Tensor  # the same everywhere, or one value for each point
Groups = Mapping[int, list[tuple[Coefficient, Tensor]]]  # for each order, the pairs (c, ±W^α)
Operator = Sequence[tuple[Coefficient, tuple[int, ...]]]  # Σ c(x) ∂^α as pairs (c, α)


class Features(Protocol):
    """Functions φ_j with their frequencies W, or what comes nearest to these, and phases b."""

    @property
    def W(self) -> Tensor: ...
    @property
    def b(self) -> Tensor: ...
    @property
    def activation(self) -> Activation: ...

    def __len__(self) -> int: ...

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(x_i), a matrix with a row for each point and a column for each feature."""
        ...


@runtime_checkable
class Summing(Protocol):
    """Features that give several derivatives of a sum at once."""

    def sums(self, alphas: Sequence[tuple[int, ...]], points: Tensor, weights: Tensor) -> Tensor:
        """∂^α Σ_j w_j φ_j at the points, a column for each α."""
        ...


@dataclass(frozen=True)
class RandomFeatures:
    """M features of d coordinates, with frequencies W (M, d), phases b (M) and a center (d)."""

    W: Tensor
    b: Tensor
    center: Tensor
    activation: Activation

    def __len__(self) -> int:
        return len(self.b)

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(x_i), a matrix with a row for each point and a column for each feature.

        The terms are grouped by the function they need: for cos and sin that is one cosine and one sine for each
        point and feature, whatever the operator.
        """
        groups = self._groups(operator)
        if not groups:
            return self.b.new_zeros((len(points), len(self)))
        if (on_grid := self._on_grid(groups, points)) is not None:
            runs, waves = on_grid
            return runs.matrix(waves)
        first, *others = zip(self.bases(points, list(groups)), groups.values(), strict=True)
        return _added(first[0].mul_(_symbol(first[1])), others)

    def bases(self, points: Tensor, orders: Sequence[int]) -> list[Tensor]:
        """σ⁽ⁿ⁾ of every feature at every point, for each n."""
        # as (features, points), so that the result is column-major, which is what LAPACK takes without a copy
        z = torch.addmm(self.b[:, None], self.W, (points - self.center).T).T
        return self.activation.derivatives(z, orders) if orders else []

    def matrix_from(self, bases: Mapping[int, Tensor], operator: Operator) -> Tensor:
        """The matrix, from σ⁽ⁿ⁾ at the points, which stay as they are."""
        first, *others = ((bases[n], terms) for n, terms in self._groups(operator).items())
        return _added(first[0] * _symbol(first[1]), others)

    def sums(self, alphas: Sequence[tuple[int, ...]], points: Tensor, weights: Tensor) -> Tensor:
        """∂^α Σ_j w_j φ_j at the points, a column for each α."""
        orders = self.orders([(1.0, alpha) for alpha in alphas])
        return self.sums_from(dict(zip(orders, self.bases(points, orders), strict=True)), alphas, weights)

    def sums_from(self, bases: Mapping[int, Tensor], alphas: Sequence[tuple[int, ...]], weights: Tensor) -> Tensor:
        """The sums, from σ⁽ⁿ⁾ at the points: W^α goes to the weights, so that each n takes one product of matrices."""
        total = weights.new_empty((len(next(iter(bases.values()))), len(alphas)))
        groups = [next(iter(self._groups([(1.0, alpha)]).items())) for alpha in alphas]
        for n in {order for order, _ in groups}:
            own = [k for k, (order, _) in enumerate(groups) if order == n]
            total[:, own] = product(bases[n], torch.stack([groups[k][1][0][1] * weights for k in own], dim=1))
        return total

    def orders(self, operator: Operator) -> list[int]:
        """The n of the σ⁽ⁿ⁾ that an operator needs."""
        return list(self._groups(operator))

    def grid_image(self, operator: Operator, points: Tensor, weights: Tensor) -> Tensor | None:
        """Σ_j w_j (Σ_α c_α ∂^α φ_j)(x_i) without the matrix, if the points are so arranged."""
        on_grid = self._on_grid(self._groups(operator), points)
        return None if on_grid is None else on_grid[0].image(on_grid[1], weights)

    def _on_grid(self, groups: Groups, points: Tensor) -> tuple[Runs, Waves] | None:
        """Points in runs, and the features as waves, where they are so."""
        constant = all(not isinstance(c, Tensor) for terms in groups.values() for c, _ in terms)
        if not groups or not constant or not self.activation.trigonometric or (runs := Runs.of(points)) is None:
            return None
        alpha, beta = torch.zeros_like(self.b), torch.zeros_like(self.b)
        for order, terms in groups.items():
            symbol, (a, b) = _symbol(terms)[0], quadrature(self.activation, order, len(self), self.b)
            alpha, beta = alpha + symbol * a, beta + symbol * b
        return runs, Waves(self.W, self.b, self.center, alpha, beta)

    def _groups(self, operator: Operator) -> Groups:
        """For each order of derivative that must be evaluated, the pairs (c, ±W^α) that multiply it."""
        groups: dict[int, list[tuple[Coefficient, Tensor]]] = {}
        for coefficient, alpha in operator:
            sign, order = fold(self.activation, sum(alpha))
            factor = torch.full_like(self.b, float(sign))
            for axis, power in enumerate(alpha):
                if power:
                    factor *= self.W[:, axis] ** power
            groups.setdefault(order, []).append((coefficient, factor))
        return groups


def _added(total: Tensor, others: Iterable[tuple[Tensor, Sequence[tuple[Coefficient, Tensor]]]]) -> Tensor:
    for basis, terms in others:
        total.addcmul_(basis, _symbol(terms))
    return total


def _symbol(terms: Sequence[tuple[Coefficient, Tensor]]) -> Tensor:
    """Σ c(x_i) W_j^α: a row if all coefficients are constant, else a matrix, from one product."""
    constant = [c * factor for c, factor in terms if not isinstance(c, Tensor)]
    varying = [(c, factor) for c, factor in terms if isinstance(c, Tensor)]
    total = torch.stack(constant).sum(0)[None, :] if constant else None
    if not varying:
        assert total is not None
        return total
    factors = torch.stack([factor for _, factor in varying])
    coefficients = torch.stack([c for c, _ in varying])
    product = (factors.T @ coefficients).T
    return product if total is None else product.add_(total)
