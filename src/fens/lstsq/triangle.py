"""Upper triangles: the damped solve with one, and what its diagonal tells."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

PANEL = 96  # columns
EPS = torch.finfo(torch.float64).eps
FEW = 4.0  # units of round-off


class Damped:
    """min ‖R w − c‖² + λ²‖w‖², by QR of [R; λ·1].

    Column panel by column panel, so that the zeros below the diagonals of both halves are never worked on: a fifth
    of the flops of a dense QR. R is replaced in place, above the diagonal of the matrix that holds it; what
    stands below, the reflectors of the first factorisation, stays.
    """

    def __init__(self, R: Tensor, damping: float) -> None:
        self.R = R
        self.panels: list[Reflections] = []
        n = len(R)
        filled = R.new_zeros((n, n)).T  # what becomes of λ·1 above its diagonal
        for start in range(0, n, PANEL):
            rows = slice(start, min(start + PANEL, n))
            corner = R[rows, rows]
            below = filled[: rows.stop, rows]
            below[start:].fill_diagonal_(damping)
            reflections, triangle = Reflections.of(corner.triu(), below, rows)
            corner.tril_(-1).add_(triangle)
            reflections.undo(R[:, rows.stop :], filled[:, rows.stop :])
            self.panels.append(reflections)

    def solve(self, c: Tensor) -> Tensor:
        """The minimiser for each column of c."""
        top, below = own(c), own(torch.zeros_like(c))
        for reflections in self.panels:
            reflections.undo(top, below)
        return back_substitution(self.R, top)

    def inverse_row(self, column: int) -> Tensor:
        """How the weight of one column depends on c."""
        unit = torch.zeros_like(self.R[:, :1])
        unit[column] = 1.0
        top, below = forward_substitution(self.R, unit), torch.zeros_like(unit)
        for reflections in reversed(self.panels):
            reflections.do(top, below)
        return top[:, 0]


@dataclass(frozen=True)
class Reflections:
    """Q = 1 − V T Vᵀ, on some rows of what stands above and on those below it, from the first to the same ones."""

    rows: slice
    above: Tensor
    below: Tensor
    T: Tensor

    @classmethod
    def of(cls, above: Tensor, below: Tensor, rows: slice) -> tuple[Reflections, Tensor]:
        """Q and R of a panel; V takes the place of what is below."""
        width = above.shape[1]
        V, tau = torch.geqrf(torch.cat([above, below]))
        triangle = V[:width].triu()
        V[:width].tril_(-1).fill_diagonal_(1.0)
        # T⁻¹ is the upper half of VᵀV, with half the diagonal, which is 1/τ; no τ is 0, because λ is not
        inverse = (V.T @ V).triu(1) + torch.diag(1 / tau)
        T = torch.linalg.solve_triangular(inverse, torch.zeros_like(inverse).fill_diagonal_(1.0), upper=True)
        return cls(rows, V[:width].clone(), below.copy_(V[width:]), T), triangle

    def do(self, top: Tensor, below: Tensor) -> None:
        """Q times both, in place."""
        self._apply(self.T, top, below)

    def undo(self, top: Tensor, below: Tensor) -> None:
        """Qᵀ times both, in place."""
        self._apply(self.T.T, top, below)

    def _apply(self, T: Tensor, top: Tensor, below: Tensor) -> None:
        X, Y = top[self.rows], below[: self.rows.stop]
        change = T @ (self.above.T @ X).addmm_(self.below.T, Y)
        X.addmm_(self.above, change, alpha=-1)
        Y.addmm_(self.below, change, alpha=-1)


def own(c: Tensor) -> Tensor:
    """A copy, column-major: in-place products with a few columns are ten times as slow otherwise."""
    return c.T.clone(memory_format=torch.contiguous_format).T


def back_substitution(R: Tensor, c: Tensor) -> Tensor:
    """R⁻¹c panel by panel from below; on the whole of R, PyTorch would make a copy first."""
    w = own(c)
    for start in reversed(range(0, len(w), PANEL)):
        rows = slice(start, start + PANEL)
        w[rows] = torch.linalg.solve_triangular(R[rows, rows], w[rows], upper=True)
        w[:start].addmm_(R[:start, rows], w[rows], alpha=-1)
    return w


def forward_substitution(R: Tensor, c: Tensor) -> Tensor:
    """R⁻ᵀc panel by panel from above."""
    w = own(c)
    for start in range(0, len(w), PANEL):
        rows = slice(start, start + PANEL)
        w[rows].addmm_(R[:start, rows].T, w[:start], alpha=-1)
        w[rows] = torch.linalg.solve_triangular(R[rows, rows].triu().T, w[rows], upper=False)
    return w


def norm(A: Tensor, steps: int = 2) -> float:
    """‖A‖₂, or a little less, by power iteration."""
    v = torch.ones_like(A[0])
    for _ in range(steps):
        v = A.T @ (A @ (v / v.norm()))
    return float(v.norm().sqrt())


def rounding(A: Tensor) -> float:
    """The size of the noise that rounding leaves in a triangle of A: a few units of round-off of a column.

    Not of ‖A‖₂, which is larger by √n where columns are nearly parallel.
    """
    return FEW * EPS * float(torch.linalg.vector_norm(A)) / math.sqrt(A.shape[1])


def numerical_rank(A: Tensor) -> int:
    """Numerical rank of a matrix with columns in random order, from one unpivoted QR."""
    return rank_of(torch.geqrf(A)[0].diagonal().abs())


def rank_of(diagonal: Tensor) -> int:
    """Numerical rank seen on the diagonal of R, which falls to round-off once random columns span everything."""
    return int((diagonal > 64 * EPS * diagonal.max()).sum())
