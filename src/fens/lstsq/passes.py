"""Rows that are never held together: what can be had of them by going through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from .rows import Rows


class Passes(Protocol):
    """What a solver asks of rows that it cannot hold; each answer takes one pass over them."""

    @property
    def rhs(self) -> Tensor:
        """b."""
        ...

    def triangle(self) -> Tensor:
        """R of a QR of [A | b]."""
        ...

    def matvec(self, weights: Tensor) -> Tensor:
        """A w, for one w or for each column of several."""
        ...

    def rmatvec(self, residual: Tensor) -> Tensor:
        """Aᵀ r, for one r or for each column of several."""
        ...


@dataclass(frozen=True)
class Sequential:
    """Passes over rows made one block after another, here, with about `height` of them in memory at a time."""

    rows: Rows
    height: int

    @property
    def rhs(self) -> Tensor:
        """b."""
        return self.rows.rhs

    def triangle(self) -> Tensor:
        """R of a QR of [A | b]."""
        stack = None
        for A, b in self.rows:
            stack = stack or QRAccumulator.like(A, self.height)
            stack.add(A, b)
        assert stack is not None
        return stack.triangle()

    def matvec(self, weights: Tensor) -> Tensor:
        """A w."""
        return self.rows.matvec(weights)

    def rmatvec(self, residual: Tensor) -> Tensor:
        """Aᵀ r."""
        total, start = torch.zeros_like(residual[:1]), 0
        for A, b in self.rows:
            total = total + A.T @ residual[start : start + len(b)]
            start += len(b)
        return total


class QRAccumulator:
    """The triangle of all rows seen so far, above rows that have yet to be folded in: R ← R of a QR of [R; A_k | b_k].

    One column-major array, factorised in place whenever it is full, whatever the blocks in which rows come.
    """

    def __init__(self, array: Tensor) -> None:
        self.array = array
        self.filled = 0
        self.folded = True

    @classmethod
    def like(cls, A: Tensor, height: int) -> QRAccumulator:
        """An empty one for rows such as those of A and their right-hand sides."""
        n = A.shape[1] + 1
        return cls(A.new_zeros((n, n + height)).T)

    def add(self, A: Tensor, b: Tensor) -> None:
        """Further rows."""
        while len(b):
            room = len(self.array) - self.filled
            place = slice(self.filled, self.filled + min(room, len(b)))
            self.array[place, :-1], self.array[place, -1] = A[:room], b[:room]
            A, b, self.filled, self.folded = A[room:], b[room:], place.stop, False
            if self.filled == len(self.array):
                self._fold()

    def triangle(self) -> Tensor:
        """The triangle of all rows."""
        if not self.folded:
            self._fold()
        return self.array[: self.array.shape[1]].clone()

    def _fold(self) -> None:
        n = self.array.shape[1]
        tau = self.array.new_empty(n)
        torch.geqrf(self.array, out=(self.array, tau))
        self.array[:n].triu_()
        self.array[n:] = 0.0
        self.filled, self.folded = n, True
