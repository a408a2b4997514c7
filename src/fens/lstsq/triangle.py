"""Upper triangles: the damped solve with one, and what its diagonal tells."""

from __future__ import annotations

import torch
from torch import Tensor

PANEL = 256  # columns
EPS = torch.finfo(torch.float64).eps


class Damped:
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
            diagonal = R.new_zeros((width, n - start)).fill_diagonal_(damping)
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
        return back_substitution(self.R, top)

    def inverse_row(self, column: int) -> Tensor:
        """How the weight of one column depends on c."""
        unit = torch.zeros_like(self.R[0])
        unit[column] = 1.0
        top, below = forward_substitution(self.R, unit), torch.zeros_like(unit)
        for rows, reflectors, tau in reversed(self.panels):  # the reflections of `solve` undone, the last one first
            width = rows.stop - rows.start
            v = torch.cat([top[rows], below])[:, None]
            v = torch.ormqr(reflectors, tau, v, left=True, transpose=False)[:, 0]
            top[rows], below = v[:width], v[width : len(v) - width]
        return top


def back_substitution(R: Tensor, c: Tensor) -> Tensor:
    """R⁻¹c panel by panel from below; on the whole of R, PyTorch would make a copy first."""
    w = torch.zeros_like(c)
    for start in reversed(range(0, len(c), PANEL)):
        rows = slice(start, start + PANEL)
        known = R[rows, start + PANEL :] @ w[start + PANEL :]
        w[rows] = torch.linalg.solve_triangular(R[rows, rows], (c[rows] - known)[:, None], upper=True)[:, 0]
    return w


def forward_substitution(R: Tensor, c: Tensor) -> Tensor:
    """R⁻ᵀc panel by panel from above."""
    w = torch.zeros_like(c)
    for start in range(0, len(c), PANEL):
        rows = slice(start, start + PANEL)
        known = R[:start, rows].T @ w[:start]
        w[rows] = torch.linalg.solve_triangular(R[rows, rows].triu().T, (c[rows] - known)[:, None], upper=False)[:, 0]
    return w


def norm(R: Tensor, steps: int = 6) -> float:
    """‖R‖₂ of the upper triangle to a few per cent, by power iteration."""
    U = R.triu()
    v = torch.ones_like(U[0])
    for _ in range(steps):
        v = U.T @ (U @ (v / v.norm()))
    return float(v.norm().sqrt())


def numerical_rank(A: Tensor) -> int:
    """Numerical rank of a matrix with columns in random order, from one unpivoted QR."""
    return rank_of(torch.geqrf(A)[0].diagonal().abs())


def rank_of(diagonal: Tensor) -> int:
    """Numerical rank seen on the diagonal of R, which falls to round-off once random columns span everything."""
    return int((diagonal > 64 * EPS * diagonal.max()).sum())
