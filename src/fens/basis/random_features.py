"""The features φ_j(x) = σ(W_j·(x − center) + b_j), and linear differential operators applied to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from .._support.matmul import matmul
from .._support.stored import stored
from .activation import Activation, fold
from .basis import Basis, CachedBasis, Coefficient, Operator, Orders
from .grid import Runs, Waves, quadrature
from .memory import MemoryBudget
from .row_slices import row_slices

Groups = Mapping[int, list[tuple[Coefficient, Tensor]]]  # for each order, the pairs (c, ±W^α)


@stored("RandomFeatures")
@dataclass(frozen=True)
class RandomFeatures(Basis):
    """M features of d coordinates, with frequencies W (M, d), phases b (M) and a center (d)."""

    W: Tensor
    b: Tensor
    center: Tensor
    activation: Activation

    def __len__(self) -> int:
        return len(self.b)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return int(self.W.shape[1])

    @property
    def frequencies(self) -> Tensor:
        """W."""
        return self.W

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
        if not orders:
            return []
        # as (features, points), so that the result is column-major, which is what LAPACK takes without a copy
        z = torch.addmm(self.b[:, None], self.W, (points - self.center).T).T
        return self.activation.derivatives(z, orders)

    def matrix_from(self, bases: Mapping[int, Tensor], operator: Operator) -> Tensor:
        """The matrix, from σ⁽ⁿ⁾ at the points, which stay as they are."""
        first, *others = ((bases[n], terms) for n, terms in self._groups(operator).items())
        return _added(first[0] * _symbol(first[1]), others)

    def derivatives(self, alphas: Sequence[Orders], points: Tensor, weights: Tensor) -> list[Tensor]:
        """Σ_j w_j ∂^α φ_j(x_i) for each α, without much rounding; a column for each of several w."""
        if self.activation.trigonometric and (runs := Runs.of(points)) is not None:
            return [runs.matvec(self._waves(self._groups([(1.0, alpha)])), weights) for alpha in alphas]
        orders, values = self.orders(alphas), [points.new_empty((len(points), *weights.shape[1:])) for _ in alphas]
        for part in row_slices(len(points), len(self)):
            bases = dict(zip(orders, self.bases(points[part], orders), strict=True))
            for whole, found in zip(values, self.derivatives_from(bases, alphas, weights), strict=True):
                whole[part] = found
        return values

    def derivatives_from(self, bases: Mapping[int, Tensor], alphas: Sequence[Orders], weights: Tensor) -> list[Tensor]:
        """The derivatives, from σ⁽ⁿ⁾ at the points: the factors W^α go to the weights."""
        terms = ((n, factor if weights.ndim == 1 else factor[:, None]) for n, factor in map(self._term, alphas))
        return [matmul(bases[n], weights * factor) for n, factor in terms]

    def orders(self, alphas: Iterable[Orders]) -> list[int]:
        """The n of the σ⁽ⁿ⁾ that derivatives need."""
        return list(dict.fromkeys(fold(self.activation, sum(alpha))[1] for alpha in alphas))

    def matvec(self, operator: Operator, points: Tensor, weights: Tensor) -> Tensor:
        """Σ_j w_j (Σ_α c_α ∂^α φ_j)(x_i), without the matrix if the points are in runs along an axis."""
        on_grid = self._on_grid(self._groups(operator), points)
        return super().matvec(operator, points, weights) if on_grid is None else on_grid[0].matvec(on_grid[1], weights)

    def cached(self, budget: MemoryBudget) -> Basis:
        """The same features, which remember σ⁽ⁿ⁾ at points: fewer numbers than all derivatives."""
        return CachedFeatures(self, budget)

    def _on_grid(self, groups: Groups, points: Tensor) -> tuple[Runs, Waves] | None:
        """Points in runs, and the features as waves, where they are so."""
        constant = all(not isinstance(c, Tensor) for terms in groups.values() for c, _ in terms)
        if not groups or not constant or not self.activation.trigonometric or (runs := Runs.of(points)) is None:
            return None
        return runs, self._waves(groups)

    def _waves(self, groups: Groups) -> Waves:
        """An operator with constant coefficients applied to trigonometric features."""
        alpha, beta = torch.zeros_like(self.b), torch.zeros_like(self.b)
        for order, terms in groups.items():
            symbol, (a, b) = _symbol(terms)[0], quadrature(self.activation, order, len(self), self.b)
            alpha, beta = alpha + symbol * a, beta + symbol * b
        return Waves(self.W, self.b, self.center, alpha, beta)

    def _groups(self, operator: Operator) -> Groups:
        """For each order of derivative that must be evaluated, the pairs (c, ±W^α) that multiply it."""
        groups: dict[int, list[tuple[Coefficient, Tensor]]] = {}
        for coefficient, alpha in operator:
            order, factor = self._term(alpha)
            groups.setdefault(order, []).append((coefficient, factor))
        return groups

    def _term(self, alpha: Orders) -> tuple[int, Tensor]:
        """The n and the ±W^α of ∂^α φ = ±W^α σ⁽ⁿ⁾."""
        sign, order = fold(self.activation, sum(alpha))
        factor = torch.full_like(self.b, float(sign))
        for axis, power in enumerate(alpha):
            if power:
                factor *= self.W[:, axis] ** power
        return order, factor


@dataclass(frozen=True)
class CachedFeatures(CachedBasis):
    """Random features with σ⁽ⁿ⁾ at points kept: all derivatives are multiples of few of these."""

    plain: RandomFeatures

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(x_i)."""
        bases = self._bases(points, self.plain.orders(alpha for _, alpha in operator))
        return self.plain.matrix_from(bases, operator) if bases else self.plain.matrix(operator, points)

    def derivatives(self, alphas: Sequence[Orders], points: Tensor, weights: Tensor) -> list[Tensor]:
        """Σ_j w_j ∂^α φ_j(x_i) for each α."""
        bases = self._bases(points, self.plain.orders(alphas))
        if not bases:
            return self.plain.derivatives(alphas, points, weights)
        return self.plain.derivatives_from(bases, alphas, weights)

    def _bases(self, points: Tensor, orders: Sequence[int]) -> Mapping[int, Tensor] | None:
        """σ⁽ⁿ⁾ at the points for each n, which are kept; None if there are none, or more than there is room for."""
        missing: list[int] = self._memory.missing(points, orders)  # type: ignore[assignment]
        if not orders or not self._memory.allows(points, len(self), len(missing)):
            return None
        found = zip(missing, self.plain.bases(points, missing), strict=True)
        return self._memory.kept(points, dict(found))  # type: ignore[return-value]


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
    matmul = (factors.T @ coefficients).T
    return matmul if total is None else matmul.add_(total)
