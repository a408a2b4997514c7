"""QR of rows that are never held together, damped and refined like `Direct`'s.

Householder vectors are as large as the matrix, so they are not kept: of Q only Qᵀb is known, because b is folded into
the triangle next to A. For residuals and other right-hand sides r the normal equations stand in: (RᵀR + λ²)⁻¹Aᵀr. Their
rounding, ε‖A‖‖r‖, is divided by λ², so λ is chosen such that the weights it makes are no larger than those of the
solution: ‖A‖(ε‖r‖/‖b‖)^½. It falls with the residual, step by step, to the size of rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from .._support.numbers import ENTRY
from .._support.steering import Refinement
from .passes import Passes, Sequential
from .result import Failed, LeastSquares
from .rows import Rows, Scaled
from .size import factor_of, largest
from .triangle import EPS, Damped, norm, rank_of, rounding

TRIANGLES = 5  # that are held besides the rows, each stored as a square
HIGHEST = 4  # rows for each column that are folded in at a time; with more of them, little would be gained


@dataclass(frozen=True)
class Streamed:
    """The solver for matrices that do not fit in memory: it holds a few triangles, and `height` rows at a time."""

    height: int

    @classmethod
    def within(cls, memory: int, columns: int) -> Streamed:
        """One that needs so many bytes at most, if that is possible at all, for a matrix of so many columns."""
        room = memory // (ENTRY * columns) - TRIANGLES * columns
        return cls(max(columns // 2, min(room, HIGHEST * columns), 1))

    def factorise(self, rows: Rows) -> Triangular | Failed:
        """The part of the work that does not depend on the right-hand side."""
        modest = Scaled.modest(rows)
        return factorise(Sequential(modest, self.height), modest.size, modest.rhs_size)


def factorise(passes: Passes, size: float, rhs_size: float) -> Triangular | Failed:
    """A triangle of rows that can be gone through again, and that were divided by their sizes."""
    whole = passes.triangle()
    R, projected = whole[:-1, :-1], whole[:-1, -1:].clone()
    if not 0 < largest(R) < float("inf"):
        return Failed("all zero" if largest(R) == 0 else "not finite", torch.zeros_like(R[0]))
    return Triangular(passes, passes.rhs, projected, size, rhs_size, R.contiguous(), norm(R))


@dataclass(frozen=True)
class Triangular:
    """The triangle of a matrix that is made anew when it is needed, for any number of right-hand sides."""

    passes: Passes
    rhs: Tensor
    projected: Tensor
    size: float
    rhs_size: float
    R: Tensor
    length: float

    @property
    def rank(self) -> int:
        """The numerical rank."""
        return rank_of(self.R.diagonal().abs())

    def solve(self, b: Tensor | None = None) -> LeastSquares:
        """The weights for one right-hand side, by default that of the rows."""
        if b is None:
            factor, rhs = self.rhs_size, self.rhs
            first = self._damped(rounding(self.R)).solve(self.projected)[:, 0]
        else:
            factor = factor_of(largest(b / self.size))
            rhs, first = b / self.size / factor, torch.zeros_like(self.R[0])
        found, residuals = self._refined(first[:, None], rhs[:, None])
        weights, residual = found[:, 0], float(residuals)
        if not (largest(weights * factor) < float("inf") and residual < float("inf")):
            status = "overflow" if torch.isfinite(rhs).all() else "not finite"
            return Failed(status, torch.zeros_like(weights)).solve()
        return LeastSquares(weights * factor, self.size * factor * residual, self.rank)

    def weights_for(self, B: Tensor, refined: bool = True) -> Tensor:
        """The weights for each column of several right-hand sides, in as many passes as for one, always refined."""
        factors = B.new_tensor([factor_of(largest(b / self.size)) for b in B.T])
        nothing = B.new_zeros((B.shape[1], self.R.shape[1])).T
        weights, residuals = self._refined(nothing, B / self.size / factors)
        weights = weights * factors
        return weights.where(torch.isfinite(weights).all(0) & torch.isfinite(residuals), torch.nan)

    def matvec(self, weights: Tensor) -> Tensor:
        """A w, without much rounding."""
        return self.passes.matvec(weights) * self.size

    def inverse_row(self, column: int) -> Tensor:
        """How the weight of one column depends on the right-hand side: a row of the pseudo-inverse."""
        unit = torch.zeros_like(self.R[0])
        unit[column] = 1.0
        return self.passes.matvec(self._normal(unit, EPS**0.5 * self.length)) / self.size

    def _refined(self, weights: Tensor, rhs: Tensor) -> tuple[Tensor, Tensor]:
        """Columns of weights with smaller residuals, each as long as a step makes its own fall, and their norms."""
        whole = rhs.norm(dim=0)
        misfit = rhs - self.passes.matvec(weights) if weights.any() else rhs
        falling = torch.ones_like(whole, dtype=torch.bool)
        for _ in range(Refinement.MOST_STEPS):
            last = misfit.norm(dim=0)
            falling &= last > 0
            if not falling.any():
                break
            better = weights + self._corrections(misfit, last / whole, falling)
            smaller = rhs - self.passes.matvec(better)
            factors = smaller.norm(dim=0) / last
            falling &= factors < 1
            weights, misfit = better.where(falling, weights), smaller.where(falling, misfit)
            falling &= factors <= Refinement.STREAMED_FALLS
        return weights, misfit.norm(dim=0)

    def _corrections(self, misfit: Tensor, parts: Tensor, wanted: Tensor) -> Tensor:
        """Corrections for what is left of right-hand sides, such parts of them, with the damping that each allows."""
        gradients, least = self.passes.rmatvec(misfit), rounding(self.R)
        found = torch.zeros_like(gradients)
        for k in wanted.nonzero().flatten().tolist():
            damping = max(least, self.length * (EPS * float(parts[k])) ** 0.5)
            found[:, k] = self._normal(gradients[:, k], damping)
        return found

    def _normal(self, rmatvec: Tensor, damping: float) -> Tensor:
        """(AᵀA + λ²)⁻¹ g."""
        return self._damped(damping).normal(rmatvec[:, None])[:, 0]

    def _damped(self, damping: float) -> Damped:
        return Damped(self.R.clone(), damping, triangular=True)
