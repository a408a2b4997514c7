"""Rows above a multiple of the identity, which keeps the weights small where the rows are inconsistent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from .rows import Rows


@dataclass(frozen=True)
class Identity:
    """Some rows of a multiple of the identity, with zero on the right."""

    size: float
    start: int
    columns: int
    rhs: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rhs), self.columns

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        A = self.rhs.new_zeros(self.shape)
        A[:, self.start :].fill_diagonal_(self.size)
        yield A, self.rhs

    def blocks(self, height: int | None = None) -> Iterator[Identity]:
        """The same rows in blocks of at most a height."""
        step = height or len(self.rhs)
        for first in range(0, len(self.rhs), step):
            yield Identity(self.size, self.start + first, self.columns, self.rhs[first : first + step])

    def matvec(self, weights: Tensor) -> Tensor:
        """A w."""
        return self.size * weights[self.start : self.start + len(self.rhs)]


@dataclass(frozen=True)
class Ridged:
    """min ‖A w − b‖² + size²‖w‖², as rows for any solver."""

    rows: Rows
    size: float

    @property
    def identity(self) -> Identity:
        """What stands below the rows."""
        columns = self.rows.shape[1]
        return Identity(self.size, 0, columns, self.rows.rhs.new_zeros(columns))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.rows.shape
        return rows + columns, columns

    @property
    def rhs(self) -> Tensor:
        """b above zeros."""
        return torch.cat([self.rows.rhs, self.identity.rhs])

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        yield from self.rows
        yield from self.identity

    def blocks(self, height: int | None = None) -> Iterator[Rows]:
        """The same rows in blocks of at most a height."""
        yield from self.rows.blocks(height)
        yield from self.identity.blocks(height)

    def matvec(self, weights: Tensor) -> Tensor:
        """A w above the multiple of w."""
        return torch.cat([self.rows.matvec(weights), self.identity.matvec(weights)])
