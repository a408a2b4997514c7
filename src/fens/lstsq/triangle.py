"""Damped least squares by Householder reflections, and what a triangle tells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from .._support.steering import Refinement

PANEL = 120  # columns
EPS = torch.finfo(torch.float64).eps


class Damped:
    """min ‖A w − c‖² + λ²‖w‖², by QR of [A; λ·1], column panel by column panel.

    What becomes of λ·1 is nothing but an upper triangle, so that the zeros below are never worked on; nor are those
    of A, if that is `triangular`. A is replaced in place, by reflections and what is right of a panel's triangle.
    """

    def __init__(self, A: Tensor, damping: float, triangular: bool = False) -> None:
        self.rows = len(A)
        self.A = A = _at_least(A.shape[1], A)
        self.panels: list[Panel] = []
        m, n = A.shape
        filled = A.new_zeros((n, n)).T  # what becomes of λ·1 above its diagonal
        widest = min(PANEL, n)
        work = A.new_empty((m + widest) * widest)  # one for all panels: new memory costs as much as a tenth of the work
        for start in range(0, n, PANEL):
            columns = slice(start, min(start + PANEL, n))
            rows = slice(start, columns.stop if triangular else m)
            below = filled[: columns.stop, columns]
            below[start:].fill_diagonal_(damping)
            panel = Panel.of(A[rows, columns], below, rows, columns, work)
            panel.apply_Qt(A[:, columns.stop :], filled[:, columns.stop :])
            self.panels.append(panel)

    @cached_property
    def rank(self) -> int:
        """The numerical rank of A."""
        return rank_of(torch.cat([panel.lengths for panel in self.panels]))

    def damped_further(self, damping: float) -> Damped:
        """The same with a larger λ, of which only the triangle counts."""
        R = torch.zeros_like(self.A[: self.A.shape[1]])
        for panel in self.panels:
            before = slice(panel.columns.start)
            R[before, panel.columns] = self.A[before, panel.columns]
            R[panel.columns, panel.columns] = panel.triangle
        return Damped(R, damping, triangular=True)

    def solve(self, c: Tensor) -> Tensor:
        """The minimiser for each column of c."""
        return self.solve_R(self.projected(c))

    def projected(self, c: Tensor) -> Tensor:
        """What the triangle has to do with each column of c: Qᵀc above its zeros."""
        top, below = own(_at_least(len(self.A), c)), self._nothing(c)
        for panel in self.panels:
            panel.apply_Qt(top, below)
        return top[: self.A.shape[1]]

    def normal(self, g: Tensor) -> Tensor:
        """(AᵀA + λ²)⁻¹ g for each column of g."""
        return self.solve_R(self.solve_Rt(g))

    def inverse_row(self, column: int) -> Tensor:
        """How the weight of one column depends on c."""
        unit = self._nothing(self.A[:, :1])
        unit[column] = 1.0
        top, below = torch.zeros_like(self.A[:, :1]), torch.zeros_like(unit)
        top[: len(unit)] = self.solve_Rt(unit)
        for panel in reversed(self.panels):
            panel.apply_Q(top, below)
        return top[: self.rows, 0]

    def _nothing(self, c: Tensor) -> Tensor:
        return c.new_zeros((c.shape[1], self.A.shape[1])).T

    def solve_R(self, c: Tensor) -> Tensor:
        """R⁻¹c panel by panel from below, in place."""
        for panel in reversed(self.panels):
            w = c[panel.columns]
            w.copy_(torch.linalg.solve_triangular(panel.triangle, w, upper=True))
            before = slice(panel.columns.start)
            c[before].addmm_(self.A[before, panel.columns], w, alpha=-1)
        return c

    def solve_Rt(self, c: Tensor) -> Tensor:
        """R⁻ᵀc panel by panel from above."""
        c = own(c)
        for panel in self.panels:
            w, before = c[panel.columns], slice(panel.columns.start)
            w.addmm_(self.A[before, panel.columns].T, c[before], alpha=-1)
            w.copy_(torch.linalg.solve_triangular(panel.triangle.T, w, upper=False))
        return c


@dataclass(frozen=True)
class Panel:
    """Some columns: their R, and Q = 1 − V T Vᵀ, on some rows of what stands above and on those below it, from the
    first to the same ones. `lengths` are those of the columns of A at right angles to those before them.
    """

    rows: slice
    columns: slice
    above: Tensor
    below: Tensor
    T: Tensor
    triangle: Tensor
    lengths: Tensor

    @classmethod
    def of(cls, above: Tensor, below: Tensor, rows: slice, columns: slice, work: Tensor) -> Panel:
        """V takes the place of what is factorised."""
        (height, width), whole = above.shape, len(above) + len(below)
        V, tau = work[: whole * width].view(width, whole).T, work.new_empty(width)
        V[:height], V[height:] = above, below
        torch.geqrf(V, out=(V, tau))  # in place
        triangle = V[:width].triu()
        V[:width].tril_(-1).fill_diagonal_(1.0)
        # T⁻¹ is the upper half of VᵀV, with half the diagonal, which is 1/τ; no τ is 0, because λ is not
        inverse = (V.T @ V).triu_(1).diagonal_scatter(1 / tau)
        T = torch.linalg.solve_triangular(inverse, torch.zeros_like(inverse).fill_diagonal_(1.0), upper=True)
        above.copy_(V[:height])
        below.copy_(V[height:])
        # a reflected column was −τ r v, of which the part below is λ's
        damped = tau * torch.linalg.vector_norm(below, dim=0)
        lengths = triangle.diagonal().abs() * (1 - damped.square()).clamp_min(0).sqrt()
        return cls(rows, columns, above, below, T, triangle, lengths)

    def apply_Q(self, top: Tensor, below: Tensor) -> None:
        """Q times both, in place."""
        self._apply(self.T, top, below)

    def apply_Qt(self, top: Tensor, below: Tensor) -> None:
        """Qᵀ times both, in place."""
        self._apply(self.T.T, top, below)

    def _apply(self, T: Tensor, top: Tensor, below: Tensor) -> None:
        X, Y = top[self.rows], below[: self.columns.stop]
        change = T @ (self.above.T @ X).addmm_(self.below.T, Y)
        X.addmm_(self.above, change, alpha=-1)
        Y.addmm_(self.below, change, alpha=-1)


def _at_least(height: int, c: Tensor) -> Tensor:
    """With rows of zeros below, if there are fewer."""
    missing = height - len(c)
    return torch.cat([c, c.new_zeros((missing, c.shape[1]))]) if missing > 0 else c


def own(c: Tensor) -> Tensor:
    """A copy, column-major: in-place products with a few columns are ten times as slow otherwise."""
    return c.T.clone(memory_format=torch.contiguous_format).T


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
    return Refinement.ROUNDING * EPS * float(torch.linalg.vector_norm(A)) / math.sqrt(A.shape[1])


def numerical_rank(A: Tensor) -> int:
    """Numerical rank of a matrix with columns in random order, from one unpivoted QR."""
    return rank_of(torch.geqrf(A)[0].diagonal().abs())


def rank_of(diagonal: Tensor) -> int:
    """Numerical rank seen on the diagonal of R, which falls to round-off once random columns span everything."""
    return int((diagonal > 64 * EPS * diagonal.max()).sum())
