"""What every basis has in common: functions φ_j of the coordinates, and linear differential operators on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import torch
from torch import Tensor

from .._support.matmul import matmul
from .memory import Memory, MemoryBudget
from .row_slices import row_slices

Coefficient = float | Tensor  # the same everywhere, or one value for each point
Orders = tuple[int, ...]  # α
Operator = Sequence[tuple[Coefficient, Orders]]  # Σ c(x) ∂^α as pairs (c, α)


class Basis(ABC):
    """Functions φ_j, j < len. A basis has to tell its matrix; what else it knows of itself makes it faster.

    Frequencies are what some have: a basis without them is as good as any other.
    """

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The number of coordinates."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(x_i), a matrix with a row for each point and a column for each function."""

    def matvec(self, operator: Operator, points: Tensor, weights: Tensor) -> Tensor:
        """Σ_j w_j (Σ_α c_α ∂^α φ_j)(x_i), without much rounding; a column for each of several w."""
        # in one array from the start: small ones between large ones that come and go would leave memory in pieces
        total = points.new_empty((len(points), *weights.shape[1:]))
        for part in row_slices(len(points), len(self)):
            here = [(c[part] if isinstance(c, Tensor) else c, alpha) for c, alpha in operator]
            total[part] = matmul(self.matrix(here, points[part]), weights)
        return total

    def derivatives(self, alphas: Sequence[Orders], points: Tensor, weights: Tensor) -> list[Tensor]:
        """Σ_j w_j ∂^α φ_j(x_i) for each α."""
        return [self.matvec([(1.0, alpha)], points, weights) for alpha in alphas]

    @property
    def frequencies(self) -> Tensor | None:
        """The wave numbers of those functions that have some, one in a row; None if none has."""
        return None

    @property
    def speeds(self) -> Tensor:
        """How fast each function varies: the length of its frequency, zero if it has none. Sorts smooth from rough."""
        W = self.frequencies
        return torch.zeros(len(self), dtype=torch.float64) if W is None else torch.linalg.vector_norm(W, dim=1)

    def cached(self, budget: MemoryBudget) -> Basis:
        """The same functions, which remember what they were at points: for operators that change, as Newton's do."""
        return CachedBasis(self, budget)

    def counted_from(self, origin: Tensor) -> Basis:
        """The same functions of the offset from a place."""
        return FromOrigin(self, origin)


@dataclass(frozen=True)
class OfBasis(Basis):
    """What is made of another basis, a function of each of its functions: it passes on what that knows of itself."""

    plain: Basis

    def __len__(self) -> int:
        return len(self.plain)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self.plain.dimension

    @property
    def frequencies(self) -> Tensor | None:
        """Those of the basis."""
        return self.plain.frequencies

    @property
    def speeds(self) -> Tensor:
        """Those of the basis."""
        return self.plain.speeds


@dataclass(frozen=True)
class FromOrigin(OfBasis):
    """The functions of a basis at an origin plus an offset: for those that are smooth there, the sum is good enough."""

    origin: Tensor

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(origin + x_i)."""
        return self.plain.matrix(operator, self.origin + points)

    def matvec(self, operator: Operator, points: Tensor, weights: Tensor) -> Tensor:
        """Σ_j w_j (Σ_α c_α ∂^α φ_j)(origin + x_i)."""
        return self.plain.matvec(operator, self.origin + points, weights)

    def derivatives(self, alphas: Sequence[Orders], points: Tensor, weights: Tensor) -> list[Tensor]:
        """Σ_j w_j ∂^α φ_j(origin + x_i) for each α."""
        return self.plain.derivatives(alphas, self.origin + points, weights)


@dataclass(frozen=True)
class CachedBasis(OfBasis):
    """Any basis, with its derivatives at points kept: an operator is a sum of these, times its coefficients."""

    budget: MemoryBudget
    _memory: Memory = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_memory", Memory(self.budget))

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(x_i)."""
        found = self._derivatives(points, [alpha for _, alpha in operator]) if operator else None
        if found is None:
            return self.plain.matrix(operator, points)
        total = points.new_zeros((len(self), len(points))).T
        for c, alpha in operator:
            total += (c[:, None] if isinstance(c, Tensor) else c) * found[alpha]
        return total

    def derivatives(self, alphas: Sequence[Orders], points: Tensor, weights: Tensor) -> list[Tensor]:
        """Σ_j w_j ∂^α φ_j(x_i) for each α."""
        found = self._derivatives(points, alphas)
        if found is None:
            return self.plain.derivatives(alphas, points, weights)
        return [matmul(found[alpha], weights) for alpha in alphas]

    def _derivatives(self, points: Tensor, alphas: Sequence[Orders]) -> Mapping[Hashable, Tensor] | None:
        """∂^α φ at the points for each α; None if there is no room for them."""
        missing = list(dict.fromkeys(self._memory.missing(points, alphas)))
        if not self._memory.allows(points, len(self), len(missing)):
            return None
        found: dict[Hashable, Tensor] = {
            alpha: self.plain.matrix([(1.0, alpha)], points) for alpha in missing  # type: ignore[list-item]
        }
        return self._memory.kept(points, found)


def same(one: Any, other: Any) -> bool:
    """Whether two bases are the same functions: alike in all of their parts, whatever they remember."""
    one, other = (b.plain if isinstance(b, CachedBasis) else b for b in (one, other))
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return torch.equal(one, other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Basis) and type(one) is type(other):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))  # type: ignore[arg-type]
    return bool(one == other)
