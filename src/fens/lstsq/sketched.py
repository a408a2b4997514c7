"""Least squares of many more rows than columns, through a random mixture of the rows.

Each row is added, with random signs, to a few of `RATIO` rows for each column: S [A | b], accumulated block by block,
so that A never exists. Its minimiser nearly minimises ‖A w − b‖, too: the residual is larger by a factor of about 1.3.
It is damped and refined as `Direct` does it, for S A is small enough to be held. Unlike a choice among the rows, a
mixture loses no digits: every row takes part.

What the sketch promises is checked against all rows; should it not hold, they are solved for without a sketch. Where
the residual is far above rounding, since the columns cannot do better, it is made as small as without a sketch by a few
conjugate gradients: there, half as much again of it may be twice the error.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from .._support.device import to_device
from .._support.matmul import matmul
from .._support.steering import Sketching
from .conjugate import descended
from .direct import Direct, Factorised
from .result import Failed, LeastSquares
from .rows import Rows, Solvable, Solver
from .triangle import Damped, rounding

COPIES = 4  # sketched rows that a row is added to; the generator makes 4 numbers at a time


@dataclass(frozen=True)
class Sketched:
    """The solver for many more rows than columns; `otherwise` is asked where a sketch turns out to be misleading."""

    otherwise: Solver
    seed: int = 0

    def factorise(self, rows: Rows) -> Solvable | Failed:
        """The part of the work that does not depend on the right-hand side."""
        mixture = Mixture(math.ceil(Sketching.RATIO * rows.shape[1]) + COPIES, self.seed)
        inner = Direct().factorise(mixture.of_rows(rows))
        return inner if isinstance(inner, Failed) else Checked(rows, mixture, inner, self.otherwise)


@dataclass(frozen=True)
class Mixture:
    """A random matrix S with a few entries of one size in each column, which depend on its number alone."""

    height: int
    seed: int

    def of_rows(self, rows: Rows) -> Mixed:
        """S [A | b]."""
        sums, start = None, 0
        for A, b in rows:
            sums = A.new_zeros((2 * self.height, rows.shape[1])) if sums is None else sums
            A = A.contiguous()
            for copy in to_device(self._destinations(start, len(b)), b.device):
                sums.index_add_(0, copy, A)
            start += len(b)
        assert sums is not None
        return Mixed(_difference(sums), self.times(rows.rhs))

    def times(self, b: Tensor) -> Tensor:
        """S b."""
        sums = b.new_zeros((2 * self.height, 1))
        for copy in to_device(self._destinations(0, len(b)), b.device):
            sums.index_add_(0, copy, b[:, None])
        return _difference(sums)[:, 0]

    def transposed_times(self, mixed: Tensor, rows: int) -> Tensor:
        """Sᵀ of mixed values."""
        both = torch.stack([mixed, -mixed], dim=1).reshape(-1)
        total: Tensor = both[to_device(self._destinations(0, rows), mixed.device)].sum(0)
        return total.mul_(COPIES**-0.5)

    def _destinations(self, start: int, count: int) -> Tensor:
        """For each of the copies of some rows, one after another: twice the row of S it goes to, and 1 if negative."""
        drawn = np.random.Philox(key=self.seed).advance(start).random_raw(count * COPIES)
        return torch.as_tensor((drawn % (2 * self.height)).astype(np.int64).reshape(count, COPIES).T.copy())


def _difference(sums: Tensor) -> Tensor:
    """What was to be added less what was to be subtracted, by turns, of the same length as before the copies."""
    total: Tensor = sums[0::2].sub_(sums[1::2]).mul_(COPIES**-0.5)
    return total.t().contiguous().t()  # column-major, as LAPACK takes it, and without what it was made of


@dataclass(frozen=True)
class Mixed:
    """Mixed rows, in one block."""

    A: Tensor
    rhs: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.A.shape[0], self.A.shape[1]

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        yield self.A, self.rhs

    def blocks(self, height: int | None = None) -> Iterator[Mixed]:
        """The same rows in blocks of at most a height."""
        for start in range(0, len(self.rhs), height or len(self.rhs)):
            part = slice(start, start + (height or len(self.rhs)))
            yield Mixed(self.A[part], self.rhs[part])

    def matvec(self, weights: Tensor) -> Tensor:
        """A w, without much rounding."""
        return matmul(self.A, weights)


@dataclass(frozen=True)
class Checked:
    """A sketched matrix, whose word is taken only after a look at all rows."""

    rows: Rows
    mixture: Mixture
    inner: Factorised
    otherwise: Solver

    @property
    def rank(self) -> int:
        """The numerical rank."""
        return self.inner.rank

    def solve(self, b: Tensor | None = None) -> LeastSquares:
        """The weights for one right-hand side, by default that of the rows."""
        found = self.inner.solve(None if b is None else self.mixture.times(b))
        if found.status != "solved":
            return found
        rhs = self.rows.rhs if b is None else b
        residual = float((rhs - self.rows.matvec(found.weights)).norm())
        if not residual <= Sketching.TRUSTED * found.residual:
            return self.whole.solve(b)
        found = replace(found, residual=residual)
        return found if residual <= Sketching.COARSE * float(rhs.norm()) else self._descended(found, rhs)

    def _descended(self, found: LeastSquares, rhs: Tensor) -> LeastSquares:
        """Nearly the least residual of all rows, by weights that do not make up for a part of it by rounding."""
        inner = self.inner
        mixed = inner.damped.projected(self.mixture.times(rhs)[:, None] / inner.size)
        start = self.preconditioner.solve(mixed)[:, 0]
        weights = descended(self.rows, self.preconditioner, start, rhs)
        residual = float((rhs - self.rows.matvec(weights)).norm())
        return replace(found, weights=weights, residual=residual) if residual < found.residual else found

    @cached_property
    def preconditioner(self) -> Damped:
        """The triangle of the sketch, damped by far more than rounding."""
        return self.inner.damped.damped_further(Sketching.FIRM * rounding(self.inner.A))

    def weights_for(self, B: Tensor, refined: bool = True) -> Tensor:
        """The weights for each column of several right-hand sides, looked at together."""
        mixed = torch.stack([self.mixture.times(b) for b in B.T]).T
        found = self.inner.weights_for(mixed, refined)
        promised = (mixed - self.inner.matvec(found)).norm(dim=0)
        residuals = (B - self.rows.matvec(found)).norm(dim=0)
        misled = torch.isfinite(residuals) & (residuals > Sketching.TRUSTED * promised)
        for k in misled.nonzero().flatten().tolist():
            alone = self.whole.solve(B[:, k])
            found[:, k] = alone.weights if alone.status == "solved" else torch.nan
        return found

    @cached_property
    def whole(self) -> Solvable | Failed:
        """The rows without a sketch."""
        return self.otherwise.factorise(self.rows)

    def matvec(self, weights: Tensor) -> Tensor:
        """A w, without much rounding."""
        return self.rows.matvec(weights)

    def inverse_row(self, column: int) -> Tensor:
        """How the weight of one column depends on the right-hand side: a row of the pseudo-inverse."""
        return self.mixture.transposed_times(self.inner.inverse_row(column), self.rows.shape[0])
