"""Windows, and functions under them: ψ(x) φ_j(x), where ψ is one or vanishes away from a cell or a spot.

By Leibniz ∂^α(ψφ) = Σ (α over β) ∂^β ψ ∂^(α−β) φ. A point touches the windows it lies in or near, and all other columns
of its row are zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
import torch
from numpy.polynomial import HermiteE, Polynomial
from torch import Tensor

from .._support.device import to_device
from .._support.stored import stored
from .ansatz import Drawn, RandomDraw
from .basis import OfBasis, Operator
from .calculus import leibniz
from .sites import Spot

SMOOTHNESS = 6  # continuous derivatives of the windows
FAR = 8.6  # standard deviations from its centre at which a Gaussian is round-off


class Window(Protocol):
    """What multiplies the features of one piece."""

    def near(self, points: Tensor) -> Tensor:
        """Which of the points the window does not vanish at."""
        ...

    def window(self, points: Tensor, orders: tuple[int, ...]) -> Tensor:
        """A derivative of the window at points."""
        ...


@stored("Cell")
@dataclass(frozen=True)
class Cell:
    """A box with a window over it: along each axis its ends, infinite where nothing adjoins, and the overlap."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    overlap: tuple[float, ...]

    def near(self, points: Tensor) -> Tensor:
        """Which of the points the window does not vanish at."""
        lower, upper, overlap = (to_device(a, points.device) for a in (self.lower, self.upper, self.overlap))
        return ((points > lower - overlap) & (points < upper + overlap)).all(dim=1)

    def window(self, points: Tensor, orders: tuple[int, ...]) -> Tensor:
        """∂^orders ψ at points."""
        value = torch.ones_like(points[:, 0])
        for i, n in enumerate(orders):
            x, delta = points[:, i], self.overlap[i]
            value = value * (_step(x, self.lower[i], delta, n) - _step(x, self.upper[i], delta, n))
        return value


@stored("Bell")
@dataclass(frozen=True)
class Gaussian:
    """A Gaussian window around a spot."""

    spot: Spot

    def near(self, points: Tensor) -> Tensor:
        return (self._distances(points).abs() < FAR).all(dim=1)

    def window(self, points: Tensor, orders: tuple[int, ...]) -> Tensor:
        z = self._distances(points)
        value = torch.exp(-(z**2).sum(dim=1) / 2)
        for i, n in enumerate(orders):
            value = value * _horner(_hermite(n), z[:, i]) / (-self.spot.width[i]) ** n
        return value

    def _distances(self, points: Tensor) -> Tensor:
        """In standard deviations."""
        centre, width = (to_device(a, points.device) for a in (self.spot.centre, self.spot.width))
        return (points - centre) / width


@stored("Windowed")
@dataclass(frozen=True)
class Windowed(OfBasis):
    """The functions of a basis, times a window."""

    window: Window

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(x_i)."""
        total = points.new_zeros((len(self), len(points))).T
        rows = torch.nonzero(self.window.near(points))[:, 0]
        if len(rows):
            own = _windowed(operator, self.window, points[rows], rows)
            total[rows] = self.plain.matrix(own, points[rows])
        return total


@dataclass(frozen=True)
class WindowedDraw(Drawn):
    """What is drawn for a window, at scale 1, on such a part of each axis of the domain.

    Its scales are larger than those that are asked for, by a factor for each axis.
    """

    plain: Drawn
    window: Window
    extent: tuple[float, ...]
    factors: np.ndarray | float = 1.0

    def __len__(self) -> int:
        return len(self.plain)

    @property
    def leading(self) -> RandomDraw:
        """That of what stands in the window."""
        return self.plain.leading

    @property
    def reach(self) -> tuple[float, ...]:
        """The part of each axis on which the window does not vanish."""
        return self.extent

    @property
    def frequencies(self) -> np.ndarray | None:
        """Frequencies at scale 1."""
        W = self.plain.frequencies
        return None if W is None else W * self.factors

    def scaled(self, scale: Sequence[float], device: torch.device) -> Windowed:
        """The basis at a scale for each axis."""
        return Windowed(self.plain.scaled((np.asarray(scale) * self.factors).tolist(), device), self.window)


def _windowed(operator: Operator, window: Window, points: Tensor, rows: Tensor) -> Operator:
    """The operator on ψφ, as one on φ with coefficients that hold the derivatives of ψ."""
    found: dict[tuple[int, ...], Tensor] = {}
    for coefficient, alpha in operator:
        c = coefficient[rows] if isinstance(coefficient, Tensor) else coefficient
        for times, beta, rest in leibniz(alpha):
            term = c * times * window.window(points, beta)
            found[rest] = found[rest] + term if rest in found else term
    return [(coefficient, rest) for rest, coefficient in found.items()]


def _step(x: Tensor, at: float, width: float, order: int) -> Tensor:
    """The derivative of a smooth step from 0 to 1 around a place; at −∞ it has been made everywhere."""
    if at == -float("inf") or at == float("inf"):
        return torch.full_like(x, float(at < 0 and order == 0))
    tau = ((x - at) / width).clamp(-1, 1)
    value = _horner(_polynomial(order), tau)
    if order > 0:
        value = torch.where(tau.abs() < 1, value, 0.0) / width**order
    return value


def _horner(coefficients: Sequence[float], x: Tensor) -> Tensor:
    value = torch.zeros_like(x)
    for c in reversed(coefficients):
        value = value * x + c
    return value


@cache
def _hermite(order: int) -> tuple[float, ...]:
    """Coefficients of He_n, with which the derivatives of exp(−z²/2) are (−1)ⁿ He_n(z) exp(−z²/2)."""
    return tuple(HermiteE.basis(order).convert(kind=Polynomial).coef.tolist())


@cache
def _polynomial(order: int) -> tuple[float, ...]:
    """Coefficients of a derivative of the step, the integral of (1 − τ²)^SMOOTHNESS from −1."""
    slope = Polynomial([1.0, 0.0, -1.0]) ** SMOOTHNESS
    step = slope.integ(lbnd=-1)
    step = step / step(1.0)
    return tuple((step.deriv(order) if order else step).coef.tolist())
