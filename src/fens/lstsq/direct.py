"""Householder QR held in memory, damped by one unit of round-off and refined.

The feature matrix is numerically rank-deficient on purpose: its columns span the solution many times over, and
round-off decides how the weights are shared. Back substitution in R would put noise divided by noise along the
directions that the rows do not see. So what is solved is min ‖A w − b‖² + λ²‖w‖² with λ one unit of round-off of ‖A‖,
by a second QR, of [R; λ·1]. Then it is refined: the residual is solved for in the same way, and added. Damping keeps
the weights small where the rows say nothing; refinement takes away what damping cost where they do (iterated
Tikhonov), and the rounding of the QR itself. On the paper's problems the errors are at or below those of back
substitution and of truncated singular values, by up to a factor of ten (`benchmarks/lstsq_choice.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from ..product import product
from .result import Failed, LeastSquares
from .rows import Rows
from .size import factor_of, largest
from .triangle import EPS, Damped, norm, rank_of


@dataclass(frozen=True)
class Direct:
    """The solver for matrices that fit in memory: its peak is below three times the matrix.

    `damping` is λ relative to ‖A‖; `refinements` is how many corrections are tried.
    """

    damping: float = EPS
    refinements: int = 2

    def factorise(self, rows: Rows) -> Factorised | Failed:
        """The part of the work that does not depend on the right-hand side."""
        A, b = _gathered(rows)
        size = largest(A)
        if not 0 < size < float("inf"):
            return Failed("all zero" if size == 0 else "not finite", A.new_zeros(A.shape[1]))
        size = factor_of(size)
        if size != 1:
            A = A / size
        reflectors, tau = torch.geqrf(A)
        R = reflectors[: A.shape[1]]
        rank = rank_of(R.diagonal().abs())
        return Factorised(A, b, size, reflectors, tau, rank, Damped(R, self.damping * norm(R)), self.refinements)


@dataclass(frozen=True)
class Factorised:
    """A matrix, divided by its size if that is extreme, ready to be solved with for any number of right-hand sides."""

    A: Tensor
    target: Tensor
    size: float
    reflectors: Tensor
    tau: Tensor
    rank: int
    damped: Damped
    refinements: int

    def solve(self, b: Tensor | None = None) -> LeastSquares:
        """The weights for one right-hand side, by default that of the rows."""
        b, n = (self.target if b is None else b) / self.size, self.A.shape[1]
        factor = factor_of(largest(b))
        b = b / factor
        projected = self._project(b)
        weights = self.damped.solve(projected[:n])
        misfit = b - product(self.A, weights)
        for _ in range(self.refinements):
            better = weights + self.damped.solve(self._project(misfit)[:n])
            smaller = b - product(self.A, better)
            if not smaller.norm() < misfit.norm():
                break
            weights, misfit = better, smaller
        weights, unit = weights * factor, factor * self.size
        if not largest(weights) < float("inf"):
            status = "overflow" if torch.isfinite(b).all() else "not finite"
            return Failed(status, torch.zeros_like(weights)).solve()
        return LeastSquares(weights, unit * float(misfit.norm()), unit * float(projected[n:].norm()), self.rank)

    def image(self, weights: Tensor) -> Tensor:
        """A w, without much rounding."""
        return product(self.A, weights) * self.size

    def inverse_row(self, column: int) -> Tensor:
        """How the weight of one column depends on the right-hand side: a row of the pseudo-inverse."""
        z = torch.zeros_like(self.A[:, 0])
        z[: self.A.shape[1]] = self.damped.inverse_row(column)
        row: Tensor = torch.ormqr(self.reflectors, self.tau, z[:, None], left=True, transpose=False)[:, 0]
        return row / self.size

    def _project(self, b: Tensor) -> Tensor:
        """Qᵀb."""
        column: Tensor = torch.ormqr(self.reflectors, self.tau, b[:, None], left=True, transpose=True)[:, 0]
        return column


def _gathered(rows: Rows) -> tuple[Tensor, Tensor]:
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
