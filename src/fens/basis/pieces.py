"""Features in pieces: a box is cut into cells, each with features of its own, joined by a partition of unity.

φ_kj(x) = ψ_k(x) σ(W_kj·x + b_kj), where the windows ψ_k are products of smooth steps along the axes and sum to one, so
that what every cell can represent, all of them together can. By Leibniz ∂^α(ψφ) = Σ (α over β) ∂^β ψ ∂^(α−β) φ. A point
touches the cells it lies in or near, and all other columns of its row are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, product
from math import prod
from typing import Protocol

import numpy as np
import torch
from numpy.polynomial import HermiteE, Polynomial
from torch import Tensor

from .._support.device import to_device
from ..errors import SettingError
from .activation import Activation
from .calculus import leibniz
from .distribution import Spot
from .frequencies import Draw
from .joined import Joined
from .random_features import Operator

OVERLAP = 0.25  # of a cell's width, by which windows reach beyond each of its faces
SMOOTHNESS = 6  # continuous derivatives of the windows
FAR = 8.6  # standard deviations from its centre at which a Gaussian is round-off
REACH = 2.5  # standard deviations within which features at a spot have to be told apart


class Window(Protocol):
    """What multiplies the features of one piece."""

    def near(self, points: Tensor) -> Tensor:
        """Which of the points the window does not vanish at."""
        ...

    def window(self, points: Tensor, orders: tuple[int, ...]) -> Tensor:
        """A derivative of the window at points."""
        ...


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


@dataclass(frozen=True)
class Bell:
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


@dataclass(frozen=True)
class Pieces(Joined):
    """The features of all pieces, one after another, each under its window."""

    cells: tuple[Window, ...]

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """As of `RandomFeatures`."""
        total = points.new_zeros((len(self), len(points))).T
        ends = list(accumulate(map(len, self.members)))
        for cell, member, start, end in zip(self.cells, self.members, [0, *ends], ends, strict=False):
            rows = torch.nonzero(cell.near(points))[:, 0]
            if len(rows):
                own = _windowed(operator, cell, points[rows], rows)
                total[rows, start:end] = member.matrix(own, points[rows])
        return total


@dataclass(frozen=True)
class PieceDraw:
    """The draws of all pieces, at scale 1; `counts` of cells along the axes that are all alike."""

    members: tuple[Draw, ...]
    cells: tuple[Window, ...]
    counts: tuple[int, ...]

    @property
    def W(self) -> np.ndarray:
        """The frequencies."""
        return np.concatenate([m.W for m in self.members])

    @property
    def b(self) -> np.ndarray:
        """The phases."""
        return np.concatenate([m.b for m in self.members])

    @property
    def activation(self) -> Activation:
        """The activation, which all have in common."""
        return self.members[0].activation

    @property
    def half_width(self) -> np.ndarray:
        """What the coordinates are divided by."""
        return self.members[0].half_width

    @property
    def cell_size(self) -> int:
        """How many features the first piece has."""
        return len(self.members[0].b)

    def scaled(self, scale: Sequence[float], device: torch.device) -> Pieces:
        """The features of all cells, at one scale."""
        return Pieces(tuple(m.scaled(scale, device) for m in self.members), self.cells)


def draw_pieces(
    count: int,
    bounds: Sequence[tuple[float, float]],
    counts: tuple[int, ...],
    draw_one: Callable[[int, Sequence[tuple[float, float]], np.random.SeedSequence], Draw],
    seed: np.random.SeedSequence,
) -> PieceDraw:
    """`count` features in all, in `counts` cells along the axes."""
    if count < prod(counts):
        raise SettingError(f"partition makes {prod(counts)} cells, more than the {count} features; take fewer cells.")
    cells = [_cell(bounds, counts, index) for index in product(*map(range, counts))]
    shares = np.diff(np.round(np.linspace(0, count, prod(counts) + 1)).astype(int))
    members = []
    for cell, n, s in zip(cells, shares, seed.spawn(len(cells)), strict=True):
        reach = [(max(a, lo - o), min(b, up + o)) for (a, b), lo, up, o in zip(bounds, *_ends(cell), strict=True)]
        members.append(draw_one(int(n), reach, s))
    return PieceDraw(tuple(members), tuple(cells), counts)


def draw_spots(
    count: int,
    share: float,
    spots: Sequence[Spot],
    bounds: Sequence[tuple[float, float]],
    draw_one: Callable[[int, Sequence[tuple[float, float]], np.random.SeedSequence], Draw],
    ratios: Callable[[int, int, Sequence[float]], np.ndarray],
    seed: np.random.SeedSequence,
) -> PieceDraw:
    """`count` features, a share of them at spots, as many at each.

    `ratios` gives, for numbers of features at a spot and everywhere and the reach of the spot, how much larger the
    frequencies at the spot are along each axis.
    """
    own = int(share * count / len(spots))
    first, *streams = seed.spawn(1 + len(spots))
    rest = count - own * len(spots)
    members, everywhere = [draw_one(rest, bounds, first)], _everywhere(len(bounds))
    for spot, s in zip(spots, streams, strict=True):
        reach = [REACH * w for w in spot.width]
        drawn = draw_one(own, [(c - r, c + r) for c, r in zip(spot.centre, reach, strict=True)], s)
        larger = ratios(own, rest, reach)
        members.append(replace(drawn, W=drawn.W * larger, b=drawn.b * np.exp(np.mean(np.log(larger)))))
    return PieceDraw(tuple(members), (everywhere, *map(Bell, spots)), (1,) * len(bounds))


def _everywhere(dimension: int) -> Cell:
    infinite = float("inf")
    return Cell((-infinite,) * dimension, (infinite,) * dimension, (0.0,) * dimension)


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


def _windowed(operator: Operator, cell: Window, points: Tensor, rows: Tensor) -> Operator:
    """The operator on ψφ, as one on φ with coefficients that hold the derivatives of ψ."""
    found: dict[tuple[int, ...], Tensor] = {}
    for coefficient, alpha in operator:
        c = coefficient[rows] if isinstance(coefficient, Tensor) else coefficient
        for times, beta, rest in leibniz(alpha):
            term = c * times * cell.window(points, beta)
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
