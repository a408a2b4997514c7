"""What a solver sees of a least-squares problem, and what it makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from .result import Failed, LeastSquares
from .size import factor_of, largest


class Rows(Protocol):
    """The rows of min ‖A w − b‖, in blocks (A_k, b_k), which can be gone through again."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of A."""
        ...

    @property
    def rhs(self) -> Tensor:
        """b."""
        ...

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]: ...

    def blocks(self, height: int | None = None) -> Iterator[Rows]:
        """The same rows in blocks of at most a height, each of which can be made alone."""
        ...

    def matvec(self, weights: Tensor) -> Tensor:
        """A w, without much rounding."""
        ...


class Solvable(Protocol):
    """A factorised matrix: it serves any number of right-hand sides."""

    @property
    def rank(self) -> int:
        """Its numerical rank."""
        ...

    def solve(self, b: Tensor | None = None) -> LeastSquares:
        """The weights for one right-hand side, by default that of the rows."""
        ...

    def weights_for(self, B: Tensor, refined: bool = True) -> Tensor:
        """The weights for each column of several right-hand sides; NaN where they are not finite.

        Without refinement, where that can be left out, there may be rounding in them that need not be.
        """
        ...

    def matvec(self, weights: Tensor) -> Tensor:
        """A w, without much rounding."""
        ...

    def inverse_row(self, column: int) -> Tensor:
        """How the weight of one column depends on the right-hand side: a row of the pseudo-inverse."""
        ...


class Solver(Protocol):
    """A way to solve least squares."""

    def factorise(self, rows: Rows) -> Solvable | Failed:
        """The part of the work that does not depend on the right-hand side."""
        ...


@dataclass(frozen=True)
class Scaled:
    """Rows divided by a size, and right-hand sides further by another, so that their squares are numbers."""

    rows: Rows
    size: float
    rhs_size: float

    @classmethod
    def modest(cls, rows: Rows) -> Scaled:
        """Rows divided by their size as far as needed, which is taken from the first that are not zero."""
        for A, b in rows:
            size = largest(A)
            if 0 < size < float("inf"):
                return cls(rows, factor_of(size), factor_of(largest(b / factor_of(size))))
        return cls(rows, 1.0, 1.0)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of A."""
        return self.rows.shape

    @property
    def rhs(self) -> Tensor:
        """b."""
        return self.rows.rhs / self.size / self.rhs_size

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        for A, b in self.rows:
            yield (A, b) if self.size == self.rhs_size == 1 else (A / self.size, b / self.size / self.rhs_size)

    def blocks(self, height: int | None = None) -> Iterator[Scaled]:
        """The same rows in blocks of at most a height."""
        return (Scaled(block, self.size, self.rhs_size) for block in self.rows.blocks(height))

    def matvec(self, weights: Tensor) -> Tensor:
        """A w."""
        return self.rows.matvec(weights) / self.size
