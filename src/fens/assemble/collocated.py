"""Linear equations at their points, and systems of them: rows that are made when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from ..features import Coefficient, Family
from ..problem import Condition, Jet
from .places import Places, parts

SOFT = 1e-5  # weight of data with noise beside that of equations, which are to hold whatever the data say


@dataclass(frozen=True)
class Collocated:
    """One equation at its points: Σ c_α ∂^α u = source, row by row, each row multiplied by `weight`.

    `noise` is the standard deviation of each row, if it has data that are known to have some.
    """

    condition: Condition
    places: Places
    operator: tuple[tuple[Coefficient, Jet], ...]
    source: Tensor
    noise: np.ndarray | None = None
    weight: float = 1.0

    def __len__(self) -> int:
        return len(self.source)

    @property
    def is_integral(self) -> bool:
        """Whether it is one row, summed over the points."""
        return self.places.weights is not None

    @cached_property
    def row_weights(self) -> Tensor | float:
        """What multiplies the rows: one weight for all, or with noise each its own."""
        if self.noise is None:
            return self.weight
        return torch.as_tensor(self.weight * SOFT / self.noise, device=self.source.device)

    @property
    def target(self) -> Tensor:
        """The right-hand sides, weighted."""
        return self.source * self.row_weights

    @property
    def weighted_noise(self) -> Tensor:
        """The standard deviations of the right-hand sides, weighted; zero without noise."""
        if self.noise is None:
            return torch.zeros_like(self.source)
        return torch.as_tensor(self.noise, device=self.source.device) * self.row_weights

    def rows(self, features: Family, part: slice = slice(None)) -> tuple[Tensor, Tensor]:
        """The block (A_k, b_k) of some of the points, or of the one row of an integral."""
        places, operator = self._only(part)
        A, w = places.matrix(features, operator), self.row_weights
        if isinstance(w, Tensor):
            return A.mul_(w[part][:, None]), self.source[part] * w[part]
        return (A, self.source[part]) if w == 1 else (A.mul_(w), self.source[part] * w)

    def image(self, features: Family, weights: Tensor) -> Tensor:
        """A w for these rows, without much rounding."""
        return torch.cat([self._image(features, weights, part) for part in parts(len(self), len(features))])

    def _image(self, features: Family, weights: Tensor, part: slice) -> Tensor:
        places, operator = self._only(part)
        w = self.row_weights
        return places.image(features, operator, weights) * (w[part] if isinstance(w, Tensor) else w)

    def _only(self, part: slice) -> tuple[Places, list[tuple[Coefficient, Jet]]]:
        """Some of the points and the operator there; of an integral all of them."""
        if self.is_integral:
            part = slice(None)
        return self.places.only(part), [(c[part] if isinstance(c, Tensor) else c, jet) for c, jet in self.operator]


@dataclass(frozen=True)
class System:
    """All rows of a problem for given features; iterating makes them block by block, again each time."""

    conditions: tuple[Collocated, ...]
    features: Family

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return sum(map(len, self.conditions)), len(self.features)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        for condition in self.conditions:
            for part in parts(len(condition), len(self.features)):
                yield condition.rows(self.features, part)

    def image(self, weights: Tensor) -> Tensor:
        """A w, without much rounding."""
        return torch.cat([c.image(self.features, weights) for c in self.conditions])


@dataclass(frozen=True)
class Aimed:
    """The rows of a system with other right-hand sides."""

    system: System
    target: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.system.shape

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        start = 0
        for A, _ in self.system:
            yield A, self.target[start : start + len(A)]
            start += len(A)

    def image(self, weights: Tensor) -> Tensor:
        """A w, without much rounding."""
        return self.system.image(weights)


@dataclass(frozen=True)
class Pinned:
    """The rows of a system with the last of its weights given."""

    rows: Aimed
    last: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.rows.shape
        return rows, columns - len(self.last)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        free = self.shape[1]
        for A, b in self.rows:
            yield A[:, :free], b - A[:, free:] @ self.last

    def image(self, weights: Tensor) -> Tensor:
        """A w, without much rounding."""
        return self.rows.image(torch.cat([weights, torch.zeros_like(self.last)]))
