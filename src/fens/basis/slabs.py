"""Functions of space times polynomials of time, others in each slab of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from .._support.device import to_device, to_host
from .._support.stored import stored
from .basis import Basis, OfBasis, Operator, Orders
from .row_slices import row_slices


@stored("Combinations")
@dataclass(frozen=True)
class Combinations(OfBasis):
    """Linear combinations ψ = Σ φ_j B_j of the functions of a basis, a column of B for each."""

    B: Tensor

    def __len__(self) -> int:
        return int(self.B.shape[1])

    @property
    def speeds(self) -> Tensor:
        """Not that of any function: they are mixed."""
        return torch.zeros(len(self), dtype=torch.float64)

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α ψ_k)(x_i)."""
        return self.plain.matrix(operator, points) @ self.B


@stored("TimeSlabs")
@dataclass(frozen=True)
class TimeSlabs(Basis):
    """ψ_i(x) T_q(τ), τ from −1 to 1 in each slab, which may leave gaps: there is no value in these.

    Functions are counted slab by slab, in each degree by degree; slab k has the functions of `spaces[which[k]]`. Time
    begins at `first`, which is before the first slab where that was forgotten.
    """

    spaces: tuple[Basis, ...]
    which: tuple[int, ...]
    starts: Tensor
    ends: Tensor
    axis: int  # of time
    degree: int
    first: float | None = None

    @property
    def beginning(self) -> float:
        """When time begins."""
        return float(self.starts[0]) if self.first is None else self.first

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self.spaces[0].dimension

    def __len__(self) -> int:
        return int(self._first[-1])

    @cached_property
    def _first(self) -> np.ndarray:
        """The number of the first function of each slab; that of all at the end."""
        sizes = np.array([len(s) for s in self.spaces])[list(self.which)] * (self.degree + 1)
        return np.concatenate([[0], np.cumsum(sizes)])

    @cached_property
    def _ends(self) -> np.ndarray:
        return to_host(self.ends)

    @cached_property
    def _starts(self) -> np.ndarray:
        return to_host(self.starts)

    def slab_of(self, times: np.ndarray) -> np.ndarray:
        """The slab of each time, the first or last one beyond all; −1 in gaps."""
        number = np.minimum(np.searchsorted(self._ends, times), len(self._ends) - 1)
        forgotten = (number > 0) | (self.beginning < self._starts[0])
        return np.where((times < self._starts[number]) & forgotten, -1, number)

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(x_i), zero for functions of other slabs."""
        total = points.new_zeros((len(self), len(points))).T
        number = self.slab_of(to_host(points[:, self.axis]))
        total[to_device(number < 0, points.device)] = float("nan")
        for k in np.unique(number[number >= 0]).tolist():
            here = to_device(np.flatnonzero(number == k), points.device)
            space, columns = self.spaces[self.which[k]], slice(int(self._first[k]), int(self._first[k + 1]))
            for c, alpha in operator:
                values = space.matrix([(1.0, self._still(alpha))], points[here])
                polynomials = self._polynomials(k, points[here], alpha[self.axis])
                product = (polynomials[:, :, None] * values[:, None]).reshape(len(here), -1)
                total[here, columns] += (c[here, None] if isinstance(c, Tensor) else c) * product
        return total

    def matvec(self, operator: Operator, points: Tensor, weights: Tensor) -> Tensor:
        """Σ_j w_j (Σ_α c_α ∂^α φ_j)(x_i): of each slab only its own functions."""
        parts = self.derivatives([alpha for _, alpha in operator], points, weights)
        total = points.new_zeros((len(points), *weights.shape[1:]))
        for (c, _), part in zip(operator, parts, strict=True):
            total += (c.reshape(-1, *[1] * (part.ndim - 1)) if isinstance(c, Tensor) else c) * part
        return total

    def derivatives(self, alphas: Sequence[Orders], points: Tensor, weights: Tensor) -> list[Tensor]:
        """Σ_j w_j ∂^α φ_j(x_i) for each α."""
        totals = [points.new_full((len(points), *weights.shape[1:]), float("nan")) for _ in alphas]
        number = self.slab_of(to_host(points[:, self.axis]))
        which = np.where(number >= 0, np.array(self.which)[number], -1)
        for s, space in enumerate(self.spaces):
            rows = np.flatnonzero(which == s)
            rows = rows[np.argsort(number[rows], kind="stable")]
            for part in row_slices(len(rows), len(space)):
                some = rows[part]
                here = points[to_device(some, points.device)]
                matrices = {still: space.matrix([(1.0, still)], here) for still in map(self._still, alphas)}
                for k, own in _runs(number[some]):
                    w = self._weights(k, weights)
                    for total, alpha in zip(totals, alphas, strict=True):
                        polynomials = self._polynomials(k, here[own], alpha[self.axis])
                        in_time = matrices[self._still(alpha)][own] @ w  # points × (degrees and columns)
                        in_time = in_time.reshape(len(polynomials), self.degree + 1, *weights.shape[1:])
                        at = to_device(some[own], points.device)
                        total[at] = torch.einsum("pq,pq...->p...", polynomials, in_time)
        return totals

    def _weights(self, k: int, weights: Tensor) -> Tensor:
        """Those of a slab: a row for each function of space."""
        own = weights[int(self._first[k]) : int(self._first[k + 1])]
        n = len(own) // (self.degree + 1)
        return own.reshape(self.degree + 1, n, -1).permute(1, 0, 2).reshape(n, -1)

    def _polynomials(self, k: int, points: Tensor, order: int) -> Tensor:
        """Derivatives of T_q at the times of points, a column for each q."""
        start, length = self._starts[k], self._ends[k] - self._starts[k]
        tau = 2 * (to_host(points[:, self.axis]) - start) / length - 1
        coefficients = np.eye(self.degree + 1)
        for _ in range(order):
            coefficients = np.polynomial.chebyshev.chebder(coefficients, axis=0) * (2 / length)
        values = np.polynomial.chebyshev.chebvander(tau, len(coefficients) - 1) @ coefficients
        return to_device(values, points.device)

    def _still(self, alpha: Orders) -> Orders:
        return (*alpha[: self.axis], 0, *alpha[self.axis + 1 :])


def _runs(numbers: np.ndarray) -> list[tuple[int, slice]]:
    """Equal numbers that follow one another: each, and where."""
    bounds = [0, *(1 + np.flatnonzero(np.diff(numbers))).tolist(), len(numbers)]
    return [(int(numbers[a]), slice(a, b)) for a, b in pairwise(bounds) if b > a]
