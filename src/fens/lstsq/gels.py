"""Plain least squares as LAPACK's `gels` does it: a QR of A and back substitution, neither damped nor refined.

This is what the paper uses. Where the columns are numerically dependent, as those of features are, the weights are
noise divided by noise along the directions that the rows do not see; `direct` says what that costs, and does better.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from .._support.matmul import matmul
from .direct import gathered
from .result import Failed, LeastSquares
from .rows import Rows
from .size import factor_of, largest
from .triangle import rank_of


@dataclass(frozen=True)
class Gels:
    """The solver without anything of ours; with fewer rows than columns it finds the smallest weights."""

    def factorise(self, rows: Rows) -> Undamped | Failed:
        """The part of the work that does not depend on the right-hand side."""
        A, b = gathered(rows)
        size = largest(A)
        if not 0 < size < float("inf"):
            return Failed("all zero" if size == 0 else "not finite", A.new_zeros(A.shape[1]))
        A = A / factor_of(size) if factor_of(size) != 1 else A
        qr = QR(*torch.geqrf(A if len(A) >= A.shape[1] else A.T))
        if not (qr.R.diagonal() != 0).all():
            return Failed("singular", A.new_zeros(A.shape[1]))
        return Undamped(A, b, factor_of(size), qr)


@dataclass(frozen=True)
class QR:
    """A matrix with at least as many rows as columns, by its reflections and what they leave."""

    packed: Tensor
    tau: Tensor

    @property
    def R(self) -> Tensor:
        """The triangle."""
        return self.packed[: len(self.tau)].triu()

    def divided(self, B: Tensor) -> Tensor:
        """R⁻¹ Qᵀ B, the columns that minimise ‖Q R x − b‖."""
        projected = torch.ormqr(self.packed, self.tau, B, transpose=True)[: len(self.tau)]
        found: Tensor = torch.linalg.solve_triangular(self.R, projected, upper=True)
        return found

    def transposed_divided(self, C: Tensor) -> Tensor:
        """Q R⁻ᵀ C, the smallest columns with (Q R)ᵀ x = c."""
        within = torch.linalg.solve_triangular(self.R.T, C, upper=False)
        below = C.new_zeros((len(self.packed) - len(within), C.shape[1]))
        return torch.ormqr(self.packed, self.tau, torch.cat([within, below]))


@dataclass(frozen=True)
class Undamped:
    """A matrix, divided by its size if that is extreme, and the QR of it, or of its transpose if that is taller."""

    A: Tensor
    rhs: Tensor
    size: float
    qr: QR

    @property
    def tall(self) -> bool:
        """Whether there are no fewer rows than columns."""
        return len(self.A) >= self.A.shape[1]

    @property
    def rank(self) -> int:
        """The numerical rank."""
        return rank_of(self.qr.R.diagonal().abs())

    def solve(self, b: Tensor | None = None) -> LeastSquares:
        """The weights for one right-hand side, by default that of the rows."""
        b = self.rhs if b is None else b
        weights = self.weights_for(b[:, None])[:, 0]
        if weights.isnan().any():
            status = "overflow" if torch.isfinite(b).all() else "not finite"
            return Failed(status, torch.zeros_like(weights)).solve()
        unit = factor_of(largest(b))
        misfit = b / unit - self.matvec(weights / unit)
        return LeastSquares(weights, unit * float(misfit.norm()), self.rank)

    def weights_for(self, B: Tensor, refined: bool = True) -> Tensor:
        """The weights for each column of several right-hand sides, never refined."""
        units = B.new_tensor([self.size * factor_of(largest(b / self.size)) for b in B.T])
        divide = self.qr.divided if self.tall else self.qr.transposed_divided
        weights = divide(B / units) * (units / self.size)
        return weights.where(torch.isfinite(weights).all(0), torch.nan)

    def matvec(self, weights: Tensor) -> Tensor:
        """A w, without much rounding."""
        return matmul(self.A, weights) * self.size

    def inverse_row(self, column: int) -> Tensor:
        """How the weight of one column depends on the right-hand side: a row of the pseudo-inverse."""
        unit = self.A.new_zeros((self.A.shape[1], 1))
        unit[column] = 1.0
        divide = self.qr.transposed_divided if self.tall else self.qr.divided
        return divide(unit)[:, 0] / self.size
