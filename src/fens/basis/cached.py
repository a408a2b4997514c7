"""Features that remember what they were at points, for operators that change from one iteration to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from torch import Tensor

from .activation import Activation
from .family import Family, matvec
from .random_features import Features, Operator, Orders, RandomFeatures

ENTRY = 8  # bytes


@dataclass
class MemoryBudget:
    """Bytes that may still be used."""

    bytes: int


@dataclass(frozen=True)
class CachedBasis:
    """Random features whose derivatives at points are kept, as long as the allowance lasts.

    Points are told apart by where they are in memory, and are kept, too, so that nothing else can be there.
    """

    plain: RandomFeatures
    budget: MemoryBudget
    _found: dict[tuple[object, ...], tuple[Tensor, dict[int, Tensor]]] = field(default_factory=dict, repr=False)

    @property
    def W(self) -> Tensor:
        """The frequencies."""
        return self.plain.W

    @property
    def b(self) -> Tensor:
        """The phases."""
        return self.plain.b

    @property
    def activation(self) -> Activation:
        """The activation."""
        return self.plain.activation

    def __len__(self) -> int:
        return len(self.plain)

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(x_i), a matrix with a row for each point and a column for each feature."""
        bases = self._bases(points, self.plain.orders(alpha for _, alpha in operator))
        return self.plain.matrix_from(bases, operator) if bases else self.plain.matrix(operator, points)

    def derivatives(self, alphas: Sequence[Orders], points: Tensor, weights: Tensor) -> list[Tensor]:
        """Σ_j w_j ∂^α φ_j(x_i) for each α."""
        bases = self._bases(points, self.plain.orders(alphas))
        if not bases:
            return self.plain.derivatives(alphas, points, weights)
        return self.plain.derivatives_from(bases, alphas, weights)

    def _bases(self, points: Tensor, orders: Sequence[int]) -> dict[int, Tensor] | None:
        """σ⁽ⁿ⁾ at the points for each n, which are kept; None if there are none, or more than is allowed."""
        where = points.data_ptr(), tuple(points.shape), points.stride()
        known = self._found[where][1] if where in self._found else {}
        missing = [n for n in orders if n not in known]
        size = ENTRY * len(points) * len(self) * len(missing)
        if not orders or size > self.budget.bytes:
            return None
        self.budget.bytes -= size
        known.update(zip(missing, self.plain.bases(points, missing), strict=True))
        self._found[where] = points, known
        return known


def derivatives(features: Features, alphas: Sequence[Orders], points: Tensor, weights: Tensor) -> list[Tensor]:
    """Σ_j w_j ∂^α φ_j(x_i) for each α; plain features find once what these have in common."""
    if isinstance(features, RandomFeatures | CachedBasis):
        return features.derivatives(alphas, points, weights)
    return [matvec(features, [(1.0, alpha)], points, weights) for alpha in alphas]


def cached(features: Family, bytes_: int) -> Family:
    """A family that remembers, within so many bytes."""
    budget = MemoryBudget(bytes_)
    members = (CachedBasis(f, budget) if isinstance(f, RandomFeatures) else f for f in features.members)
    return Family(tuple(members))
