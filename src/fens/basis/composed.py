"""Features g(x) σ(W·q(x) + b): random features of other coordinates q, times an amplitude g.

Derivatives follow from those of σ, g and q, by Leibniz and Faà di Bruno.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
import torch
from torch import Tensor

from .._support.compile import lambdified
from .._support.device import to_device, to_host
from .._support.stored import stored
from .basis import Basis, Operator
from .calculus import composition, leibniz
from .random_features import RandomFeatures


@stored("Composed")
@dataclass(frozen=True)
class Composed(Basis):
    """g(x) σ(W·q(x) + b), with g and q as expressions in as many symbols as there are coordinates."""

    inner: RandomFeatures
    symbols: tuple[sp.Symbol, ...]
    amplitude: sp.Expr
    inner_coordinates: tuple[sp.Expr, ...]

    def __len__(self) -> int:
        return len(self.inner)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return len(self.symbols)

    @property
    def frequencies(self) -> Tensor:
        """The frequencies in the inner coordinates."""
        return self.inner.W

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(x_i)."""
        total = points.new_zeros((len(self), len(points))).T
        at = _At(self, points)
        for coefficient, alpha in operator:
            for times, beta, rest in leibniz(alpha):
                if (amplitude := at.derivative(self.amplitude, beta)) is not None:
                    total += (coefficient * times * amplitude)[:, None] * at.outer(rest)
        return total


class _At:
    """Derivatives of composed features at points, each worked out once."""

    def __init__(self, features: Composed, points: Tensor) -> None:
        self.features, self.points = features, points
        self.columns = to_host(points).T
        self.known: dict[Any, Tensor | None] = {}

    def derivative(self, expression: sp.Expr, orders: tuple[int, ...]) -> Tensor | None:
        """∂^orders of an expression at the points; None if it vanishes everywhere."""
        key = expression, orders
        if key not in self.known:
            function = _compiled(expression, self.features.symbols, orders)
            value = None if function is None else np.broadcast_to(function(*self.columns), self.columns[0].shape)
            self.known[key] = None if value is None else to_device(np.array(value), self.points.device)
        return self.known[key]

    def phase(self, orders: tuple[int, ...]) -> Tensor | None:
        """∂^orders of W·q(x) + b at the points; None if it vanishes everywhere."""
        if orders not in self.known:
            parts = [self.derivative(q, orders) for q in self.features.inner_coordinates]
            if all(p is None for p in parts):
                self.known[orders] = None
            else:
                zero = torch.zeros_like(self.points[:, 0])
                q = torch.stack([zero if p is None else p for p in parts], dim=1)
                inner = self.features.inner
                whole = not any(orders)
                self.known[orders] = (q - inner.center) @ inner.W.T + inner.b if whole else q @ inner.W.T
        return self.known[orders]

    def outer(self, orders: tuple[int, ...]) -> Tensor:
        """∂^orders of σ(W·q + b)."""
        return composition(orders, self._sigma, self.phase)

    def _sigma(self, order: int) -> Tensor:
        key = "sigma", order
        if key not in self.known:
            phase = self.phase((0,) * self.points.shape[1])
            assert phase is not None
            self.known[key] = self.features.inner.activation.derivatives(phase, [order])[0]
        found = self.known[key]
        assert found is not None
        return found


@cache
def _compiled(expression: sp.Expr, symbols: tuple[sp.Symbol, ...], orders: tuple[int, ...]) -> Any:
    """∂^orders of an expression as a function of arrays; None if it vanishes."""
    variables = [(s, n) for s, n in zip(symbols, orders, strict=True) if n]
    derivative = expression.diff(*variables) if variables else expression
    return None if derivative == 0 else lambdified(symbols, derivative)
