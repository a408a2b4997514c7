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
from .activation import Activation
from .calculus import composition
from .frequencies import Draw
from .random_features import Coefficient, Operator, RandomFeatures


@dataclass(frozen=True)
class Layers:
    """The features of both layers, those of the first one first."""

    first: RandomFeatures
    V: Tensor
    c: Tensor

    def __len__(self) -> int:
        return len(self.first) + len(self.c)

    @property
    def W(self) -> Tensor:
        """Frequencies; those of the second layer are the mean ones of what it sees."""
        return torch.cat([self.first.W, self.V.abs() @ self.first.W.abs()])

    @property
    def b(self) -> Tensor:
        """The phases."""
        return torch.cat([self.first.b, self.c])

    @property
    def activation(self) -> Activation:
        """The activation, which both layers have in common."""
        return self.first.activation

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """As of `RandomFeatures`."""
        whole = points.new_zeros((len(self), len(points))).T
        whole[:, : len(self.first)] = self.first.matrix(operator, points)
        second = whole[:, len(self.first) :]

        @cache  # terms of the operator share what they need of the first layer
        def inner(orders: tuple[int, ...]) -> Tensor:
            seen = self.first.matrix([(1.0, orders)], points) @ self.V.T
            return seen if any(orders) else seen + self.c

        @cache
        def outer(order: int) -> Tensor:
            return self.activation.derivatives(inner((0,) * points.shape[1]), [order])[0]

        for coefficient, alpha in operator:
            second += _times(coefficient, composition(alpha, outer, inner))
        return whole


@dataclass(frozen=True)
class LayerDraw:
    """The draws of both layers, at scale 1; the scale is that of the first."""

    first: Draw
    V: np.ndarray
    c: np.ndarray

    @property
    def W(self) -> np.ndarray:
        """The frequencies of the first layer."""
        return self.first.W

    @property
    def b(self) -> np.ndarray:
        """The phases."""
        return np.concatenate([self.first.b, self.c])

    @property
    def activation(self) -> Activation:
        """The activation, which both layers have in common."""
        return self.first.activation

    @property
    def half_width(self) -> np.ndarray:
        """What the coordinates are divided by."""
        return self.first.half_width

    @property
    def cell_size(self) -> int:
        """The features of the first layer."""
        return self.first.cell_size

    @property
    def counts(self) -> tuple[int, ...]:
        """One cell along each axis."""
        return self.first.counts

    def scaled(self, scale: Sequence[float], device: torch.device) -> Layers:
        """The features of both layers."""
        V, c = (to_device(a, device) for a in (self.V, self.c))
        return Layers(self.first.scaled(scale, device), V, c)


def draw_layers(
    count: int, draw_one: Callable[[int, np.random.SeedSequence], Draw], seed: np.random.SeedSequence
) -> LayerDraw:
    """`count` features, half of them in each layer; the second sees inputs of about size one."""
    for_first, for_V, for_c = seed.spawn(3)
    n = count - count // 2
    half = np.sqrt(3.0)
    V = np.random.default_rng(for_V).uniform(-half, half, (count // 2, n)) * np.sqrt(2.0 / n)
    return LayerDraw(draw_one(n, for_first), V, np.random.default_rng(for_c).uniform(-half, half, count // 2))


def _times(coefficient: Coefficient, values: Tensor) -> Tensor:
    return coefficient[:, None] * values if isinstance(coefficient, Tensor) else coefficient * values
