"""Linear equations at their points, and systems of them: rows that are made when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from .._support.device import to_device
from .._support.steering import Discretisation
from ..basis import Coefficient, TrialSpace, row_slices
from ..problem import Condition, Jet
from .functional import POINTS, RowFunctional


@dataclass(frozen=True)
class LinearRows:
    """One equation at its points: Σ c_α ∂^α u = source, row by row, each row multiplied by `weight`.

    `scaling` multiplies each row by a factor of its own, where rows differ by orders of magnitude; `noise` is the
    standard deviation of each row, if it has data that are known to have some.
    """

    condition: Condition
    functional: RowFunctional
    operator: tuple[tuple[Coefficient, Jet], ...]
    source: Tensor
    noise: np.ndarray | None = None
    weight: float = 1.0
    scaling: Tensor | None = None

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def row_weights(self) -> Tensor | float:
        """What multiplies the rows: one weight for all, or with noise each its own."""
        if self.noise is not None:
            return to_device(self.weight * Discretisation.SOFT / self.noise, self.source.device)
        return self.weight if self.scaling is None else self.weight * self.scaling

    @property
    def rhs(self) -> Tensor:
        """The right-hand sides, weighted."""
        return self.source * self.row_weights

    @property
    def weighted_noise(self) -> Tensor:
        """The standard deviations of the right-hand sides, weighted; zero without noise."""
        if self.noise is None:
            return torch.zeros_like(self.source)
        return to_device(self.noise, self.source.device) * self.row_weights

    def block(self, features: TrialSpace, part: slice = slice(None)) -> Block:
        """Some of the rows."""
        operator = self.operator
        if self.functional.is_pointwise:  # other rows take all points
            operator = tuple((c[part] if isinstance(c, Tensor) else c, jet) for c, jet in operator)
        w = self.row_weights
        w = w[part] if isinstance(w, Tensor) else w
        return Block(features, self.functional.only(part), operator, w, self.source[part] * w)


@dataclass(frozen=True)
class Block:
    """A few rows, as what it takes to make them: nothing but numbers."""

    features: TrialSpace
    functional: RowFunctional
    operator: tuple[tuple[Coefficient, Jet], ...]
    row_weights: Tensor | float
    rhs: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rhs), len(self.features)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        yield self.matrix(), self.rhs

    def blocks(self, height: int | None = None) -> Iterator[Block]:
        """Itself: it is small enough."""
        yield self

    def matrix(self) -> Tensor:
        """The rows."""
        A, w = self.functional.matrix(self.features, self.operator), self.row_weights
        return A.mul_(w[:, None]) if isinstance(w, Tensor) else A if w == 1 else A.mul_(w)

    def matvec(self, weights: Tensor) -> Tensor:
        """The rows times weights, without the rows where that is possible."""
        rows, w = self.functional.matvec(self.features, self.operator, weights), self.row_weights
        return rows * (w[:, None] if isinstance(w, Tensor) and rows.ndim == 2 else w)


@dataclass(frozen=True)
class System:
    """All rows of a problem for given features; iterating makes them block by block, again each time."""

    conditions: tuple[LinearRows, ...]
    features: TrialSpace

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return sum(map(len, self.conditions)), len(self.features)

    @property
    def rhs(self) -> Tensor:
        """The right-hand sides."""
        return torch.cat([c.rhs for c in self.conditions])

    def blocks(self, height: int | None = None) -> Iterator[Block]:
        """The rows in blocks of at most a height, by default a small one."""
        for condition in self.conditions:
            for part in row_slices(len(condition), len(self.features), height):
                yield condition.block(self.features, part)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        for block in self.blocks():
            yield from block

    def matvec(self, weights: Tensor) -> Tensor:
        """A w, without much rounding."""
        return torch.cat([block.matvec(weights) for block in self.blocks(POINTS)])


@dataclass(frozen=True)
class WithRhs:
    """The rows of a system with other right-hand sides."""

    system: System
    rhs: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.system.shape

    def blocks(self, height: int | None = None) -> Iterator[Block]:
        """The rows in blocks of at most a height, by default a small one."""
        start = 0
        for block in self.system.blocks(height):
            yield replace(block, rhs=self.rhs[start : start + len(block.rhs)])
            start += len(block.rhs)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        for block in self.blocks():
            yield from block

    def matvec(self, weights: Tensor) -> Tensor:
        """A w, without much rounding."""
        return self.system.matvec(weights)


@dataclass(frozen=True)
class WithFixedWeights:
    """Rows with the last of their weights given."""

    rows: WithRhs | Block
    last: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.rows.shape
        return rows, columns - len(self.last)

    @property
    def rhs(self) -> Tensor:
        """The right-hand sides."""
        known = torch.cat([self.last.new_zeros(self.shape[1]), self.last])
        return self.rows.rhs - self.rows.matvec(known)

    def blocks(self, height: int | None = None) -> Iterator[WithFixedWeights]:
        """The rows in blocks of at most a height, by default a small one."""
        return (WithFixedWeights(block, self.last) for block in self.rows.blocks(height))

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        free = self.shape[1]
        for A, b in self.rows:
            yield A[:, :free], b - A[:, free:] @ self.last

    def matvec(self, weights: Tensor) -> Tensor:
        """A w, without much rounding."""
        return self.rows.matvec(torch.cat([weights, self.last.new_zeros((len(self.last), *weights.shape[1:]))]))
