"""Functions with the singularities that solutions have along edges: at the corners of a plane domain at all times.

Next to an edge a solution is what it is at a corner, with coefficients that vary along the edge. So each function of a
corner is multiplied by polynomials of the coordinate along the edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from ..._support.device import to_device
from ..._support.steering import EdgeFeatures
from ..._support.stored import stored
from ..ansatz import Ansatz, Drawn, Frame, Sum
from ..basis import Basis, Coefficient, Operator, Orders
from ..proposals import PROPOSALS, Proposal, Rough
from .corners import AtCorners


@stored("Chebyshev")
@dataclass(frozen=True)
class Chebyshev(Basis):
    """Chebyshev polynomials of one coordinate, on an interval of it."""

    middle: Tensor
    half_width: Tensor
    degrees: int  # how many polynomials
    axis: int
    coordinates: int

    def __len__(self) -> int:
        return self.degrees

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self.coordinates

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α T_j)(x_i)."""
        s = (points[:, self.axis] - self.middle) / self.half_width
        T = [torch.ones_like(s), s]
        while len(T) < self.degrees:
            T.append(2 * s * T[-1] - T[-2])
        values = torch.stack(T[: self.degrees], dim=1)
        total = torch.zeros_like(values)
        for c, alpha in operator:
            if sum(alpha) == alpha[self.axis]:
                slopes = values @ self._derivative(alpha[self.axis])
                total += (c[:, None] if isinstance(c, Tensor) else c) * slopes
        return total

    def counted_from(self, origin: Tensor) -> Chebyshev:
        """The same functions of the offset from a place."""
        return replace(self, middle=self.middle - origin[self.axis])

    def _derivative(self, order: int) -> Tensor:
        """The matrix from values to derivatives: T_n′ = 2n (T_(n−1) + T_(n−3) + …), with half of T_0."""
        n = np.arange(float(self.degrees))
        slope = np.where((n[:, None] < n) & ((n - n[:, None]) % 2 == 1), 2 * n, 0.0)
        slope[0] /= 2
        return to_device(np.linalg.matrix_power(slope, order), self.middle.device) / self.half_width**order


@stored("EdgeFunctions")
@dataclass(frozen=True)
class EdgeFunctions(Basis):
    """All products of a function across an edge and one along it, which depends on one coordinate alone."""

    across: Basis
    along: Chebyshev

    def __len__(self) -> int:
        return len(self.across) * len(self.along)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self.along.dimension

    @property
    def speeds(self) -> Tensor:
        """None of them is smooth."""
        return torch.full((len(self),), float("inf"), dtype=torch.float64)

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(x_i): a product of two matrices for each order of derivatives along the edge."""
        total = points.new_zeros((len(points), len(self.along), len(self.across)))
        for along, part in self._parts(operator).items():
            total += self.along.matrix([(1.0, along)], points)[:, :, None] * self.across.matrix(part, points)[:, None]
        return total.flatten(1)

    def matvec(self, operator: Operator, points: Tensor, weights: Tensor) -> Tensor:
        """Σ_j w_j (Σ_α c_α ∂^α φ_j)(x_i): across first, for each of those along."""
        each = weights.reshape(len(self.along), len(self.across), -1)
        columns = each.transpose(0, 1).reshape(len(self.across), -1)
        total = points.new_zeros((len(points), each.shape[2]))
        for along, part in self._parts(operator).items():
            across = self.across.matvec(part, points, columns).reshape(len(points), len(self.along), -1)
            total += (self.along.matrix([(1.0, along)], points)[:, :, None] * across).sum(dim=1)
        return total.reshape(len(points), *weights.shape[1:])

    def counted_from(self, origin: Tensor) -> EdgeFunctions:
        """The same functions of the offset from a place."""
        return EdgeFunctions(self.across.counted_from(origin), self.along.counted_from(origin))

    def _parts(self, operator: Operator) -> dict[Orders, list[tuple[Coefficient, Orders]]]:
        """The operator across the edge that belongs to each order of derivatives along it."""
        found: dict[Orders, list[tuple[Coefficient, Orders]]] = {}
        for c, alpha in operator:
            along = tuple(n if k == self.along.axis else 0 for k, n in enumerate(alpha))
            across = tuple(0 if k == self.along.axis else n for k, n in enumerate(alpha))
            found.setdefault(along, []).append((c, across))
        return found


@dataclass(frozen=True)
class EdgesDraw(Drawn):
    """Functions of corners, and how many polynomials there are along edges, between two values of a coordinate."""

    across: Drawn
    degrees: int
    axis: int
    between: tuple[float, float]

    def __len__(self) -> int:
        return len(self.across) * self.degrees

    def scaled(self, scale: Sequence[float], device: torch.device) -> Basis:
        """The functions, whatever the scale."""
        low, high = (to_device(np.array(end), device) for end in self.between)
        across = self.across.scaled(scale, device)
        along = Chebyshev((low + high) / 2, (high - low) / 2, self.degrees, self.axis, across.dimension)
        return EdgeFunctions(across, along)


@stored("AlongEdges")
@dataclass(frozen=True)
class AlongEdges(AtCorners):
    """Functions with the singularities of corners, times polynomials of the further coordinate."""

    def draw(self, count: int, frame: Frame, seed: np.random.SeedSequence) -> EdgesDraw:
        """About `count` functions."""
        (axis,) = set(range(frame.dimension)) - set(self.corners[0].axes)
        degrees = max(2, round(EdgeFeatures.DEGREES * count ** (1 / 3)))
        across = super().draw(count // degrees, frame, seed)
        low, high = frame.bounds[axis]
        return EdgesDraw(across, degrees, axis, (low, high))


def along_edges(ansatz: Ansatz, rough: Rough) -> Ansatz | None:
    """A part of the functions along the edges of a plane domain in the course of time, if these are not too many."""
    corners = rough.sites.corners
    known = any(isinstance(part, AlongEdges) for part in ansatz.parts)
    if known or rough.dimension != 3 or not 0 < len(corners) <= EdgeFeatures.MOST:
        return None
    return Sum(((1 - EdgeFeatures.SHARE, ansatz), (EdgeFeatures.SHARE, AlongEdges(corners))))


PROPOSALS.own("edges", Proposal(along_edges, special=True))
