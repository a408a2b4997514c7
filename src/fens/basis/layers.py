"""Two hidden layers, both of which reach the output (hidden-layer concatenated networks, HLConcELM).

The first layer is φ_j(x) = σ(W_j·x + b_j), the second ψ_k(x) = σ(Σ_j V_kj φ_j(x) + c_k), and the output layer sees
φ and ψ side by side. Derivatives of ψ follow from those of σ and of the first layer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from torch import Tensor

from .._support.device import to_device
from .._support.stored import stored
from .ansatz import Ansatz, Drawn, Frame, Plain, RandomDraw
from .basis import Basis, Coefficient, Operator
from .calculus import composition
from .distribution import Distribution
from .random_features import RandomFeatures


@stored("Layers")
@dataclass(frozen=True)
class Layers(Basis):
    """The features of both layers, those of the first one first."""

    first: RandomFeatures
    V: Tensor
    c: Tensor

    def __len__(self) -> int:
        return len(self.first) + len(self.c)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self.first.dimension

    @property
    def frequencies(self) -> Tensor:
        """Frequencies; those of the second layer are the mean ones of what it sees."""
        return torch.cat([self.first.W, self.V.abs() @ self.first.W.abs()])

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(x_i)."""
        whole = points.new_zeros((len(self), len(points))).T
        whole[:, : len(self.first)] = self.first.matrix(operator, points)
        second = whole[:, len(self.first) :]

        @cache  # terms of the operator share what they need of the first layer
        def inner(orders: tuple[int, ...]) -> Tensor:
            seen = self.first.matrix([(1.0, orders)], points) @ self.V.T
            return seen if any(orders) else seen + self.c

        @cache
        def outer(order: int) -> Tensor:
            return self.first.activation.derivatives(inner((0,) * points.shape[1]), [order])[0]

        for coefficient, alpha in operator:
            second += _times(coefficient, composition(alpha, outer, inner))
        return whole


@dataclass(frozen=True)
class LayersDraw(Drawn):
    """The draws of both layers, at scale 1; the scale is that of the first."""

    first: RandomDraw
    V: np.ndarray
    c: np.ndarray

    def __len__(self) -> int:
        return len(self.first) + len(self.c)

    @property
    def leading(self) -> RandomDraw:
        """The first layer."""
        return self.first

    @property
    def frequencies(self) -> np.ndarray:
        """Those of the first layer."""
        return self.first.W

    def scaled(self, scale: Sequence[float], device: torch.device) -> Layers:
        """The features of both layers."""
        V, c = (to_device(a, device) for a in (self.V, self.c))
        return Layers(self.first.scaled(scale, device), V, c)


@stored("TwoLayers")
@dataclass(frozen=True)
class TwoLayers(Ansatz):
    """Half of the features in each of two layers; the second sees inputs of about size one."""

    first: Plain

    def draw(self, count: int, frame: Frame, seed: np.random.SeedSequence) -> LayersDraw:
        """`count` features in both layers."""
        for_first, for_V, for_c = seed.spawn(3)
        n = count - count // 2
        half = np.sqrt(3.0)
        V = np.random.default_rng(for_V).uniform(-half, half, (count // 2, n)) * np.sqrt(2.0 / n)
        c = np.random.default_rng(for_c).uniform(-half, half, count // 2)
        return LayersDraw(self.first.draw(n, frame, for_first), V, c)

    def with_frequencies(self, change: Callable[[Distribution], Distribution]) -> TwoLayers:
        """The same with frequencies of the first layer from another distribution."""
        return TwoLayers(self.first.with_frequencies(change))

    @property
    def parts(self) -> tuple[Ansatz, ...]:
        """Itself, and what its first layer is drawn from."""
        return (self, *self.first.parts)


def _times(coefficient: Coefficient, values: Tensor) -> Tensor:
    return coefficient[:, None] * values if isinstance(coefficient, Tensor) else coefficient * values
