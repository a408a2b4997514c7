"""Features that remember what they were at points, for operators that change from one iteration to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from torch import Tensor

from .activation import Activation
from .family import Family
from .random_features import Operator, RandomFeatures

ENTRY = 8  # bytes


@dataclass
class Allowance:
    """Bytes that may still be used."""

    bytes: int


@dataclass(frozen=True)
class Kept:
    """Random features whose derivatives at points are kept, as long as the allowance lasts.

    Points are told apart by where they are in memory, and are kept, too, so that nothing else can be there.
    """

    plain: RandomFeatures
    allowance: Allowance
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
        known = self._known(points, self.plain.orders(operator))
        return self.plain.matrix(operator, points) if known is None else self.plain.matrix_from(known, operator)

    def sums(self, alphas: Sequence[tuple[int, ...]], points: Tensor, weights: Tensor) -> Tensor:
        """∂^α Σ_j w_j φ_j at the points, a column for each α."""
        known = self._known(points, self.plain.orders([(1.0, alpha) for alpha in alphas]))
        if known is None:
            return self.plain.sums(alphas, points, weights)
        return self.plain.sums_from(known, alphas, weights)

    def _known(self, points: Tensor, orders: Sequence[int]) -> Mapping[int, Tensor] | None:
        """σ⁽ⁿ⁾ at the points for some n; None if there are none, or no memory for them."""
        where = (points.data_ptr(), tuple(points.shape), points.stride())
        known = self._found[where][1] if where in self._found else {}
        missing = [n for n in orders if n not in known]
        size = ENTRY * len(points) * len(self) * len(missing)
        if not orders or size > self.allowance.bytes:
            return None
        self.allowance.bytes -= size
        known.update(zip(missing, self.plain.bases(points, missing), strict=True))
        self._found[where] = points, known
        return known


def kept(features: Family, bytes_: int) -> Family:
    """A family that remembers, within so many bytes."""
    allowance = Allowance(bytes_)
    members = (Kept(f, allowance) if isinstance(f, RandomFeatures) else f for f in features.members)
    return Family(tuple(members))
