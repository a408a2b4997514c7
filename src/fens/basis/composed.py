"""Features g(x) σ(W·q(x) + b): random features of other coordinates q, times an amplitude g.

Solutions on a domain with holes are seldom smooth inside the holes: there they have logarithms and poles, which
features of x alone resolve slowly. Around a hole with centre c, with r = |x − c|, two kinds of features have the same
singularities: g(r) σ(W·x + b) with the fundamental solution g of Laplace's equation, and σ(W·q + b) of the inverted
coordinates q = (x − c)/r² (in more than two dimensions times g, Kelvin's transform).

Derivatives follow from those of σ, g and q, by Leibniz and Faà di Bruno.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
import torch
from torch import Tensor

from .._support.compile import lambdified
from .._support.device import to_device, to_host
from .activation import Activation
from .calculus import composition, leibniz
from .distribution import Hole
from .frequencies import Draw
from .joined import Joined
from .random_features import Operator, RandomFeatures


@dataclass(frozen=True)
class Composed:
    """g(x) σ(W·q(x) + b), with g and q as expressions in as many symbols as there are coordinates."""

    inner: RandomFeatures
    symbols: tuple[sp.Symbol, ...]
    amplitude: sp.Expr
    inner_coordinates: tuple[sp.Expr, ...]

    def __len__(self) -> int:
        return len(self.inner)

    @property
    def W(self) -> Tensor:
        """The frequencies in the inner coordinates."""
        return self.inner.W

    @property
    def b(self) -> Tensor:
        """The phases."""
        return self.inner.b

    @property
    def activation(self) -> Activation:
        """The activation."""
        return self.inner.activation

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """As of `RandomFeatures`."""
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
            self.known[key] = self.features.activation.derivatives(phase, [order])[0]
        found = self.known[key]
        assert found is not None
        return found


@dataclass(frozen=True)
class HoleDraw:
    """Plain features, and for each hole features with its singularities, at scale 1."""

    plain: Draw
    around: tuple[tuple[Draw, Hole, bool], ...]

    @property
    def W(self) -> np.ndarray:
        """The frequencies."""
        return np.concatenate([self.plain.W, *(d.W for d, _, _ in self.around)])

    @property
    def b(self) -> np.ndarray:
        """The phases."""
        return np.concatenate([self.plain.b, *(d.b for d, _, _ in self.around)])

    @property
    def activation(self) -> Activation:
        """The activation, which all have in common."""
        return self.plain.activation

    @property
    def half_width(self) -> np.ndarray:
        """What the coordinates are divided by."""
        return self.plain.half_width

    @property
    def cell_size(self) -> int:
        """The number of plain features."""
        return self.plain.cell_size

    @property
    def counts(self) -> tuple[int, ...]:
        """One cell along each axis."""
        return self.plain.counts

    def scaled(self, scale: Sequence[float], device: torch.device) -> Joined:
        """The features at a scale for each axis, all alike."""
        composed = [_composed(d, hole, inverted, scale, device) for d, hole, inverted in self.around]
        return Joined((self.plain.scaled(scale, device), *composed))


def draw_around(
    count: int,
    share: float,
    holes: Sequence[Hole],
    draw_one: Callable[[int, np.random.SeedSequence], Draw],
    seed: np.random.SeedSequence,
) -> HoleDraw:
    """`count` features, a share of them around holes, of each kind as many."""
    kinds = [(hole, inverted) for hole in holes for inverted in (False, True)]
    own = int(share * count / len(kinds))
    first, *streams = seed.spawn(1 + len(kinds))
    around = tuple((draw_one(own, s), *kind) for s, kind in zip(streams, kinds, strict=True))
    return HoleDraw(draw_one(count - own * len(kinds), first), around)


def _composed(draw: Draw, hole: Hole, inverted: bool, scale: Sequence[float], device: torch.device) -> Composed:
    d = len(draw.center)
    symbols = sp.symbols(f"x0:{d}", real=True)
    offsets = {i: symbols[i] - sp.Float(hole.centre[k]) for k, i in enumerate(hole.axes)}
    square = sp.Add(*(o**2 for o in offsets.values())) / sp.Float(hole.radius) ** 2
    green = sp.log(square) / 2 if len(hole.axes) == 2 else square ** sp.Rational(2 - len(hole.axes), 2)
    if not inverted:
        return Composed(draw.scaled(scale, device), symbols, green, symbols)
    # the outside of the hole becomes the inside of a ball of its radius, in which features vary on that scale
    inner = tuple(offsets[i] / square if i in offsets else symbols[i] for i in range(d))
    centre = draw.center.copy()
    rho = np.asarray(scale, dtype=np.float64).copy()
    for i in hole.axes:
        rho[i] *= draw.reach[i] / hole.radius
        centre[i] = 0.0
    origin = np.where(np.isin(np.arange(d), hole.axes), 0.0, draw.origin)
    moved = replace(draw, center=centre, origin=origin)
    amplitude = sp.S.One if len(hole.axes) == 2 else green
    return Composed(moved.scaled(rho.tolist(), device), symbols, amplitude, inner)


@cache
def _compiled(expression: sp.Expr, symbols: tuple[sp.Symbol, ...], orders: tuple[int, ...]) -> Any:
    """∂^orders of an expression as a function of arrays; None if it vanishes."""
    variables = [(s, n) for s, n in zip(symbols, orders, strict=True) if n]
    derivative = expression.diff(*variables) if variables else expression
    return None if derivative == 0 else lambdified(symbols, derivative)
