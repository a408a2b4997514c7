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

from .product import product
from .result import LeastSquares
from .rows import Rows

PANEL = 256  # columns
MODEST = 1e-100  # numbers between this and its inverse can be squared
EPS = torch.finfo(torch.float64).eps


@dataclass(frozen=True)
class Direct:
    """The solver for matrices that fit in memory: its peak is below three times the matrix.

    `damping` is λ relative to ‖A‖; `refinements` is how many corrections are tried.
    """

    damping: float = EPS
    refinements: int = 2

    def solve(self, rows: Rows) -> LeastSquares:
        """The minimiser for a system of at least as many rows as columns."""
        A, b = _gathered(rows)
        return self._factorise(A).solve(b)

    def factorise(self, rows: Rows) -> Factorised | Failed:
        """The part of the work that does not depend on the right-hand side."""
        return self._factorise(_gathered(rows)[0])

    def _factorise(self, A: Tensor) -> Factorised | Failed:
        size = _largest(A)
        if not 0 < size < float("inf"):
            return Failed("all zero" if size == 0 else "not finite", A.new_zeros(A.shape[1]))
        size = _factor(size)
        if size != 1:
            A = A / size
        reflectors, tau = torch.geqrf(A)
        R = reflectors[: A.shape[1]]
        rank = _rank(R.diagonal().abs())
        return Factorised(A, size, reflectors, tau, rank, _Damped(R, self.damping * _norm(R)), self.refinements)


@dataclass(frozen=True)
class Failed:
    """A matrix that cannot be solved with."""

    status: str
    nothing: Tensor
    rank: int = 0

    def solve(self, b: Tensor) -> LeastSquares:
        """No weights, and why."""
        return LeastSquares(self.nothing, float("nan"), float("nan"), 0, self.status)


@dataclass(frozen=True)
class Factorised:
    """A matrix, divided by its size if that is extreme, ready to be solved with for any number of right-hand sides."""

    A: Tensor
    size: float
    reflectors: Tensor
    tau: Tensor
    rank: int
    damped: _Damped
    refinements: int

    def solve(self, b: Tensor) -> LeastSquares:
        """The weights for one right-hand side."""
        b, n = b / self.size, self.A.shape[1]
        factor = _factor(_largest(b))
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
        if not _largest(weights) < float("inf"):
            status = "overflow" if torch.isfinite(b).all() else "not finite"
            return Failed(status, torch.zeros_like(weights)).solve(b)
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


class _Damped:
    """min ‖R w − c‖² + λ²‖w‖², by QR of [R; λ·1].

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

    def solve(self, c: Tensor) -> Tensor:
        """The minimiser for one c."""
        top, below = c.clone(), c.new_empty(0)
        for rows, reflectors, tau in self.panels:
            width = rows.stop - rows.start
            v = torch.cat([top[rows], below, c.new_zeros(width)])[:, None]
            v = torch.ormqr(reflectors, tau, v, left=True, transpose=True)[:, 0]
            top[rows], below = v[:width], v[width:]
        return _back_substitution(self.R, top)

    def inverse_row(self, column: int) -> Tensor:
        """How the weight of one column depends on c."""
        unit = torch.zeros_like(self.R[0])
        unit[column] = 1.0
        top, below = _forward_substitution(self.R, unit), torch.zeros_like(unit)
        for rows, reflectors, tau in reversed(self.panels):  # the reflections of `solve` undone, the last one first
            width = rows.stop - rows.start
            v = torch.cat([top[rows], below])[:, None]
            v = torch.ormqr(reflectors, tau, v, left=True, transpose=False)[:, 0]
            top[rows], below = v[:width], v[width : len(v) - width]
        return top


def _back_substitution(R: Tensor, c: Tensor) -> Tensor:
    """R⁻¹c panel by panel from below; on the whole of R, PyTorch would make a copy first."""
    w = torch.zeros_like(c)
    for start in reversed(range(0, len(c), PANEL)):
        rows = slice(start, start + PANEL)
        known = R[rows, start + PANEL :] @ w[start + PANEL :]
        w[rows] = torch.linalg.solve_triangular(R[rows, rows], (c[rows] - known)[:, None], upper=True)[:, 0]
    return w


def _forward_substitution(R: Tensor, c: Tensor) -> Tensor:
    """R⁻ᵀc panel by panel from above."""
    w = torch.zeros_like(c)
    for start in range(0, len(c), PANEL):
        rows = slice(start, start + PANEL)
        known = R[:start, rows].T @ w[:start]
        w[rows] = torch.linalg.solve_triangular(R[rows, rows].triu().T, (c[rows] - known)[:, None], upper=False)[:, 0]
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


def _largest(values: Tensor) -> float:
    """The largest absolute value; NaN if there is one."""
    lowest, highest = torch.aminmax(values)
    return max(-float(lowest), float(highest)) if lowest == lowest else float("nan")


def _factor(size: float) -> float:
    """What to divide numbers of a size by before they are squared: 1, unless the squares would over- or underflow."""
    return size if 0 < size < MODEST or 1 / MODEST < size < float("inf") else 1.0


def _gathered(rows: Rows) -> tuple[Tensor, Tensor]:
    """A and b whole, A column-major and filled block by block so that it exists once."""
    m, n = rows.shape
    A, b, start = torch.empty(0), torch.empty(0), 0
    for A_k, b_k in rows:
        if start == 0:
            A, b = A_k.new_empty((n, m)).T, b_k.new_empty(m)
        part = slice(start, start + len(b_k))
        A[part], b[part] = A_k, b_k
        start += len(b_k)
    return A, b
