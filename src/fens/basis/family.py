"""The features of several unknowns side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from torch import Tensor

from .._support.matmul import matmul
from .random_features import Coefficient, Features, Operator, RandomFeatures
from .row_slices import row_slices

JointOperator = Sequence[tuple[Coefficient, int, tuple[int, ...]]]  # Σ c(x) ∂^α u_k as triples (c, k, α)


@dataclass(frozen=True)
class Family:
    """Features for each of several unknowns; their columns follow one another."""

    members: tuple[Features, ...]

    def __len__(self) -> int:
        return sum(map(len, self.members))

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return int(self.members[0].W.shape[1])

    @property
    def columns(self) -> tuple[slice, ...]:
        """Which of the columns belong to each unknown."""
        ends = list(accumulate(map(len, self.members)))
        return tuple(slice(start, end) for start, end in zip([0, *ends], ends, strict=False))

    def matrix(self, operator: JointOperator, points: Tensor) -> Tensor:
        """A row for each point and a column for each feature, zero where the operator does not touch an unknown."""
        if len(self.members) == 1:
            return self.members[0].matrix([(c, alpha) for c, _, alpha in operator], points)
        total = points.new_zeros((len(self), len(points))).T  # column-major, as LAPACK takes it
        for k, (member, columns) in enumerate(zip(self.members, self.columns, strict=True)):
            own = [(c, alpha) for c, unknown, alpha in operator if unknown == k]
            if own:
                total[:, columns] = member.matrix(own, points)
        return total

    def matvec(self, operator: JointOperator, points: Tensor, weights: Tensor) -> Tensor:
        """The matrix times weights, without the matrix where that is possible."""
        total = points.new_zeros((len(points), *weights.shape[1:]))
        for k, (member, columns) in enumerate(zip(self.members, self.columns, strict=True)):
            own = [(c, alpha) for c, unknown, alpha in operator if unknown == k]
            if own:
                total += matvec(member, own, points, weights[columns])
        return total


def matvec(features: Features, operator: Operator, points: Tensor, weights: Tensor) -> Tensor:
    """Σ_j w_j (Σ_α c_α ∂^α φ_j)(x_i), without much rounding; a column for each of several w."""
    if isinstance(features, RandomFeatures) and (found := features.grid_matvec(operator, points, weights)) is not None:
        return found
    # in one array from the start: small ones, kept between large ones that come and go, would leave memory in pieces
    total = points.new_empty((len(points), *weights.shape[1:]))
    for part in row_slices(len(points), len(features)):
        here = [(c[part] if isinstance(c, Tensor) else c, alpha) for c, alpha in operator]
        total[part] = matmul(features.matrix(here, points[part]), weights)
    return total
