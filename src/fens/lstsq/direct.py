"""Householder QR held in memory, damped by as much as rounding makes and refined.

The feature matrix is numerically rank-deficient on purpose: its columns span the solution many times over, and
round-off decides how the weights are shared. Back substitution in R would put noise divided by noise along the
directions that the rows do not see. So what is solved is min ‖A w − b‖² + λ²‖w‖² with λ of the size of that noise, a
few units of round-off of the norm of a column, by a QR of [A; λ·1]. Then it is refined: the residual is solved for in
the same way, and added. Damping keeps the weights small where the rows say nothing; refinement takes away what
damping cost where they do (iterated Tikhonov), and the rounding of the QR itself. On the paper's problems the errors
are at or below those of back substitution and of truncated singular values, by up to a factor of ten
(`benchmarks/lstsq_choice.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from .._support.matmul import matmul
from .._support.steering import Refinement
from .result import Failed, LeastSquares
from .rows import Rows
from .size import factor_of, largest
from .triangle import Damped, own, rounding


@dataclass(frozen=True)
class Direct:
    """The solver for matrices that fit in memory: its peak is below three times the matrix.

    `damping` is λ relative to the size of rounding; `refinements` is how many corrections are tried.
    """

    damping: float = 1.0
    refinements: int = 2

    def factorise(self, rows: Rows) -> Factorised | Failed:
        """The part of the work that does not depend on the right-hand side."""
        A, b = gathered(rows)
        size = largest(A)
        if not 0 < size < float("inf"):
            return Failed("all zero" if size == 0 else "not finite", A.new_zeros(A.shape[1]))
        size = factor_of(size)
        if size != 1:
            A = A / size
        return Factorised(A, b, size, Damped(own(A), self.damping * rounding(A)), self.refinements)


@dataclass(frozen=True)
class Factorised:
    """A matrix, divided by its size if that is extreme, ready to be solved with for any number of right-hand sides."""

    A: Tensor
    rhs: Tensor
    size: float
    damped: Damped
    refinements: int

    @property
    def rank(self) -> int:
        """The numerical rank."""
        return self.damped.rank

    def solve(self, b: Tensor | None = None) -> LeastSquares:
        """The weights for one right-hand side, by default that of the rows."""
        b = self.rhs if b is None else b
        unit = self.size * factor_of(largest(b / self.size))
        b = b / unit
        weights, misfit = (found[:, 0] for found in self._refined(b[:, None]))
        weights = weights * (unit / self.size)
        if not largest(weights) < float("inf"):
            status = "overflow" if torch.isfinite(b).all() else "not finite"
            return Failed(status, torch.zeros_like(weights)).solve()
        return LeastSquares(weights, unit * float(misfit.norm()), self.rank)

    def weights_for(self, B: Tensor, refined: bool = True) -> Tensor:
        """The weights for each column of several right-hand sides, all at once."""
        units = B.new_tensor([self.size * factor_of(largest(b / self.size)) for b in B.T])
        found = self._refined(B / units)[0] if refined else self.damped.solve(B / units)
        weights: Tensor = found * (units / self.size)
        return weights.where(torch.isfinite(weights).all(0), torch.nan)

    def _refined(self, B: Tensor) -> tuple[Tensor, Tensor]:
        """Weights for each column of B, and what is left of B."""
        weights = self.damped.solve(B)
        misfit = B - matmul(self.A, weights)
        for _ in range(self.refinements):
            better = weights + self.damped.solve(misfit)
            smaller = B - matmul(self.A, better)
            factors = smaller.norm(dim=0) / misfit.norm(dim=0)
            weights, misfit = better.where(factors < 1, weights), smaller.where(factors < 1, misfit)
            if not (factors < Refinement.DIRECT_FALLS).any():
                break
        return weights, misfit

    def matvec(self, weights: Tensor) -> Tensor:
        """A w, without much rounding."""
        return matmul(self.A, weights) * self.size

    def inverse_row(self, column: int) -> Tensor:
        """How the weight of one column depends on the right-hand side: a row of the pseudo-inverse."""
        return self.damped.inverse_row(column) / self.size


def gathered(rows: Rows) -> tuple[Tensor, Tensor]:
    """A and b whole, A column-major and filled block by block so that it exists once."""
    m, n = rows.shape
    A, b, start = torch.empty(0), torch.empty(0), 0
    for A_k, b_k in rows:
        if len(b_k) == m and A_k.stride(0) == 1:
            return A_k, b_k
        if start == 0:
            A, b = A_k.new_empty((n, m)).T, b_k.new_empty(m)
        part = slice(start, start + len(b_k))
        A[part], b[part] = A_k, b_k
        start += len(b_k)
    return A, b
