"""Functions in windows: ψ(x) φ_j(x), where ψ is one or vanishes away from a cell or a spot.

A box may be cut into cells, each with functions of its own, joined by a partition of unity: the windows ψ_k are
products of smooth steps along the axes and sum to one, so that what every cell can represent, all of them together can.
By Leibniz ∂^α(ψφ) = Σ (α over β) ∂^β ψ ∂^(α−β) φ. A point touches the cells it lies in or near, and all other columns
of its row are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from math import prod
from typing import Protocol

import numpy as np
import torch
from numpy.polynomial import HermiteE, Polynomial
from torch import Tensor

from .._support.device import to_device
from .._support.steering import Features
from .._support.stored import stored
from ..errors import SettingError
from .ansatz import Ansatz, Drawn, Frame, RandomDraw, UnionDraw
from .basis import Basis, OfBasis, Operator
from .calculus import leibniz
from .distribution import Distribution
from .rank import by_rank
from .sites import Spot

OVERLAP = 0.25  # of a cell's width, by which windows reach beyond each of its faces
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
    """What is drawn for a window, at scale 1, on such a part of each axis of the domain."""

    plain: Drawn
    window: Window
    extent: tuple[float, ...]

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
        return self.plain.frequencies

    def scaled(self, scale: Sequence[float], device: torch.device) -> Windowed:
        """The basis at a scale for each axis."""
        return Windowed(self.plain.scaled(scale, device), self.window)


@stored("InCells")
@dataclass(frozen=True)
class InCells(Ansatz):
    """Functions in cells that are all alike, so many along each axis, joined by a partition of unity."""

    counts: tuple[int, ...]
    inner: Ansatz

    def draw(self, count: int, frame: Frame, seed: np.random.SeedSequence) -> UnionDraw:
        """`count` functions, as many in each cell."""
        if count < prod(self.counts):
            raise SettingError(
                f"partition makes {prod(self.counts)} cells, more than the {count} features; take fewer cells."
            )
        cells = [_cell(frame.bounds, self.counts, index) for index in product(*map(range, self.counts))]
        shares = np.diff(np.round(np.linspace(0, count, len(cells) + 1)).astype(int))
        reach = tuple(1.0 if n == 1 else (1 + 2 * OVERLAP) / n for n in self.counts)
        members = []
        for cell, n, s in zip(cells, shares, seed.spawn(len(cells)), strict=True):
            ends = zip(frame.bounds, *_ends(cell), strict=True)
            box = [(max(a, lo - o), min(b, up + o)) for (a, b), lo, up, o in ends]
            members.append(WindowedDraw(self.inner.draw(int(n), frame.within(box), s), cell, reach))
        return UnionDraw(tuple(members))

    def with_frequencies(self, change: Callable[[Distribution], Distribution]) -> InCells:
        """The same with frequencies from other distributions."""
        return InCells(self.counts, self.inner.with_frequencies(change))

    @property
    def parts(self) -> tuple[Ansatz, ...]:
        """Itself, and what is in the cells."""
        return (self, *self.inner.parts)


@stored("AtSpots")
@dataclass(frozen=True)
class AtSpots(Ansatz):
    """A share of the functions at spots, as many at each, under a Gaussian window; the others everywhere."""

    places: tuple[Spot, ...]
    share: float
    inner: Ansatz

    def draw(self, count: int, frame: Frame, seed: np.random.SeedSequence) -> UnionDraw:
        """`count` functions; those at a spot are faster by what their number and its width ask for."""
        own = int(self.share * count / len(self.places))
        first, *streams = seed.spawn(1 + len(self.places))
        rest = count - own * len(self.places)
        members: list[Drawn] = [self.inner.draw(rest, frame, first)]
        for spot, s in zip(self.places, streams, strict=True):
            reach = [Features.REACH * w for w in spot.width]
            box = [(c - r, c + r) for c, r in zip(spot.centre, reach, strict=True)]
            drawn = _faster(self.inner.draw(own, frame.within(box), s), _ratios(own, rest, reach, frame))
            members.append(WindowedDraw(drawn, Gaussian(spot), (1.0,) * frame.dimension))
        return UnionDraw(tuple(members))

    def with_frequencies(self, change: Callable[[Distribution], Distribution]) -> AtSpots:
        """The same with frequencies from other distributions."""
        return replace(self, inner=self.inner.with_frequencies(change))

    @property
    def parts(self) -> tuple[Ansatz, ...]:
        """Itself, and what is at the spots and everywhere."""
        return (self, *self.inner.parts)

    @property
    def is_plain(self) -> bool:
        """It knows where the solution varies."""
        return False

    @property
    def spots(self) -> tuple[Spot, ...]:
        """The spots."""
        return self.places


@dataclass(frozen=True)
class FasterDraw(Drawn):
    """A draw at larger scales than are asked for, by a factor for each axis."""

    plain: Drawn
    factors: np.ndarray

    def __len__(self) -> int:
        return len(self.plain)

    @property
    def leading(self) -> RandomDraw:
        """That of the draw."""
        return self.plain.leading

    @property
    def frequencies(self) -> np.ndarray | None:
        """Those of the draw, as much larger."""
        W = self.plain.frequencies
        return None if W is None else W * self.factors

    def scaled(self, scale: Sequence[float], device: torch.device) -> Basis:
        """The basis at a scale for each axis."""
        return self.plain.scaled(np.asarray(scale) * self.factors, device)


def _faster(drawn: Drawn, factors: np.ndarray) -> Drawn:
    if isinstance(drawn, RandomDraw):
        return replace(drawn, W=drawn.W * factors, b=drawn.b * np.exp(np.mean(np.log(factors))))
    return FasterDraw(drawn, factors)


def _ratios(at_spot: int, everywhere: int, reach: Sequence[float], frame: Frame) -> np.ndarray:
    """How much larger frequencies are at a spot than everywhere, if both have the rank for their number."""
    d = frame.dimension
    whole = [1.0 if frame.affine else (b - a) / 2 for a, b in frame.bounds]
    own = np.ones(d) if frame.affine else np.array(reach)
    return np.asarray(by_rank(at_spot, [1.0] * d) / own / by_rank(everywhere, whole))


def _ends(cell: Cell) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    return cell.lower, cell.upper, cell.overlap


def _cell(bounds: Sequence[tuple[float, float]], counts: tuple[int, ...], index: tuple[int, ...]) -> Cell:
    lower, upper, overlap = [], [], []
    for (a, b), n, i in zip(bounds, counts, index, strict=True):
        width = (b - a) / n
        lower.append(a + i * width if i > 0 else -float("inf"))
        upper.append(a + (i + 1) * width if i < n - 1 else float("inf"))
        overlap.append(OVERLAP * width)
    return Cell(tuple(lower), tuple(upper), tuple(overlap))


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
