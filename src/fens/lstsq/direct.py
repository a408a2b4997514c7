"""Householder QR of [A | b], held in memory.

The feature matrix is numerically rank-deficient on purpose: its columns span the solution many times over, and
round-off decides how the weights are shared. Two solves come from R at little cost beside R itself:

- triangular: back substitution. No information is lost, but along the directions that the rows do not see the
  weights are noise divided by noise.
- damped: min ‖A w − b‖² + λ²‖w‖², λ being one unit of round-off of ‖A‖, by a second QR, of [R; λ·1], then refined:
  the residual of w is solved for in the same way and added. Damping keeps the weights small where rows say
  nothing; refinement takes away what damping cost where they do (iterated Tikhonov), and QR's own rounding.

The damped one is kept unless back substitution leaves a clearly smaller residual. On the paper's problems its
errors are 2 to 10 times below those of back substitution, and at or below those of a truncated singular value
decomposition of R, which costs several times as much (`benchmarks/lstsq_choice.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from .product import product
from .result import LeastSquares
from .rows import Rows

PANEL = 256  # columns
EPS = torch.finfo(torch.float64).eps


@dataclass(frozen=True)
class Direct:
    """The solver for matrices that fit in memory: its peak is below three times the matrix.

    `damping` is λ relative to ‖A‖; `refinements` is how many corrections of the damped solve are tried.
    """

    damping: float = EPS
    refinements: int = 2

    def solve(self, rows: Rows) -> LeastSquares:
        """The minimiser for a system of at least as many rows as columns."""
        table, n = _table(rows), rows.shape[1]
        A, b = table[:, :n], table[:, n]
        if not torch.isfinite(table.sum()):  # a sum, because a mask of the table would cost an eighth of its memory
            return _failed(b.new_zeros(n), "not finite")
        reflectors, tau = torch.geqrf(table)
        R, c = reflectors[:n, :n], reflectors[:n, n]
        diagonal = R.diagonal().abs()
        if diagonal.max() == 0:
            return _failed(b.new_zeros(n), "all zero")

        def project(r: Tensor) -> Tensor:  # Qᵀr, its first n entries
            return torch.ormqr(reflectors, tau, r[:, None], left=True, transpose=True)[:n, 0]

        plain = _back_substitution(R, c)
        rank = _rank(diagonal)
        promised = float(reflectors[n, n].abs()) if len(reflectors) > n else 0.0
        weights, residual = self._refined(A, b, c, project, _Damped(R, self.damping * _norm(R)))
        method = "damped"
        if (smaller := _residual(A, b, plain)) < 0.5 * residual:
            weights, residual, method = plain, smaller, "triangular"
        return LeastSquares(weights, residual, promised, rank, method)

    def _refined(
        self, A: Tensor, b: Tensor, c: Tensor, project: Callable[[Tensor], Tensor], step: Callable[[Tensor], Tensor]
    ) -> tuple[Tensor, float]:
        weights = step(c)
        residual = _residual(A, b, weights)
        for _ in range(self.refinements):
            better = weights + step(project(b - product(A, weights)))
            smaller = _residual(A, b, better)
            if not smaller < residual:
                break
            weights, residual = better, smaller
        return weights, residual


def _table(rows: Rows) -> Tensor:
    """[A | b], column-major, filled block by block so that A exists once."""
    m, n = rows.shape
    table, start = torch.empty(0), 0
    for A, b in rows:
        if not len(table):
            table = A.new_empty((n + 1, m)).T
        table[start : start + len(b), :n] = A
        table[start : start + len(b), n] = b
        start += len(b)
    return table


class _Damped:
    """c ↦ argmin ‖R w − c‖² + λ²‖w‖², by QR of [R; λ·1].

    Column panel by column panel, so that the zeros below the diagonals of both halves are never worked on: a sixth
    of the flops of a dense QR. R is replaced in place, above the diagonal of the matrix that holds it; what
    stands below, the reflectors of the first factorisation, stays.
    """

    def __init__(self, R: Tensor, damping: float) -> None:
        self.R = R
        self.panels: list[tuple[slice, Tensor, Tensor]] = []
        n, below = len(R), R.new_empty((0, len(R)))
        for start in range(0, n, PANEL):
            rows = slice(start, min(start + PANEL, n))
            width = rows.stop - start
            diagonal = torch.eye(width, n - start, dtype=R.dtype, device=R.device) * damping
            right = torch.cat([R[rows, rows.stop :], below[:, width:], diagonal[:, width:]])
            left = torch.cat([R[rows, rows].triu(), below[:, :width], diagonal[:, :width]])
            reflectors, tau = torch.geqrf(left)
            right = torch.ormqr(reflectors, tau, right, left=True, transpose=True)
            R[rows, rows] = R[rows, rows].tril(-1) + reflectors[:width].triu()
            R[rows, rows.stop :] = right[:width]
            below = right[width:]
            self.panels.append((rows, reflectors, tau))

    def __call__(self, c: Tensor) -> Tensor:
        top, below = c.clone(), c.new_empty(0)
        for rows, reflectors, tau in self.panels:
            width = rows.stop - rows.start
            v = torch.cat([top[rows], below, c.new_zeros(width)])[:, None]
            v = torch.ormqr(reflectors, tau, v, left=True, transpose=True)[:, 0]
            top[rows], below = v[:width], v[width:]
        return _back_substitution(self.R, top)


def _back_substitution(R: Tensor, c: Tensor) -> Tensor:
    """R⁻¹c panel by panel from below; on the whole of R, PyTorch would make a copy first."""
    w = torch.zeros_like(c)
    for start in reversed(range(0, len(c), PANEL)):
        rows = slice(start, start + PANEL)
        known = R[rows, start + PANEL :] @ w[start + PANEL :]
        w[rows] = torch.linalg.solve_triangular(R[rows, rows], (c[rows] - known)[:, None], upper=True)[:, 0]
    return w


def _norm(R: Tensor, steps: int = 6) -> float:
    """‖R‖₂ of the upper triangle to a few per cent, by power iteration."""
    U = R.triu()
    v = torch.ones_like(U[0])
    for _ in range(steps):
        v = U.T @ (U @ (v / v.norm()))
    return float(v.norm().sqrt())


def numerical_rank(A: Tensor) -> int:
    """Numerical rank of a matrix with columns in random order, from one unpivoted QR."""
    return _rank(torch.geqrf(A)[0].diagonal().abs())


def _rank(diagonal: Tensor) -> int:
    """Numerical rank seen on the diagonal of R, which falls to round-off once random columns span everything."""
    return int((diagonal > 64 * EPS * diagonal.max()).sum())


def _residual(A: Tensor, b: Tensor, weights: Tensor) -> float:
    value = float((product(A, weights) - b).norm())
    return value if value == value else float("inf")  # weights that overflowed have no residual


def _failed(zeros: Tensor, status: str) -> LeastSquares:
    return LeastSquares(zeros, float("nan"), float("nan"), 0, "none", status)
