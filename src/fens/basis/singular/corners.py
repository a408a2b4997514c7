"""Functions with the singularities that solutions have at corners.

In the complex coordinate z of a plane, counted from a corner, solutions of elliptic equations are sums of powers
z^μ z̄^m, and of these times log z: μ is a multiple of π/ω at a corner with the opening ω whose two sides have the same
kind of condition, of π/2ω where these differ, and something else where coefficients jump; m is 0 for Laplace's
equation, and any whole number where lower terms, variable coefficients or other unknowns take part. There are functions
with the exponents that the opening suggests, logarithms, and others with random exponents, which stand for all else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np
import torch
from torch import Tensor

from ..._support.device import to_device
from ..._support.steering import CornerFeatures
from ..._support.stored import stored
from ..ansatz import Ansatz, Drawn, Frame, Sum
from ..basis import Basis, Operator, Orders
from ..proposals import PROPOSALS, Proposal, Rough
from ..row_slices import row_slices
from ..sites import Corner
from ..union import Union

NEAREST = 1e-150  # |z| of the corner itself: its inverse square is still a number
ROUND = 1e-9  # how far exponents are from whole numbers, if they are none


@stored("CornerFunctions")
@dataclass(frozen=True)
class CornerFunctions(Basis):
    """Real and imaginary parts of z^μ z̄^m, times log z for some, where z = p·(x − place) with p = p₁ + i p₂.

    z is counted from the corner, and its argument from −π to π: on the ray where that jumps there must be no point. Of
    log z there is only the argument, which jumps in data need: log |z| has no bound.
    """

    place: Tensor  # of the corner, in the two axes
    map: Tensor  # the vectors p₁ and p₂, one in a row
    powers: Tensor  # μ
    conjugate_powers: Tensor  # m
    logarithms: Tensor  # 1 for those times log z, 0 for the others
    axes: tuple[int, int]
    coordinates: int

    def __len__(self) -> int:
        return len(self._kept)

    @cached_property
    def _kept(self) -> Tensor:
        """Which of all real and imaginary parts, in turn, are bounded."""
        unbounded = (self.logarithms > 0) & (self.powers + self.conjugate_powers == 0)
        kept: Tensor = torch.stack([~unbounded, torch.ones_like(unbounded)], dim=1).ravel().nonzero()[:, 0]
        return kept

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self.coordinates

    @property
    def speeds(self) -> Tensor:
        """None of them is smooth."""
        return torch.full((len(self),), float("inf"), dtype=torch.float64)

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(x_i): z^μ z̄^m times a sum of products of a function of the point and one of the powers."""
        z, log = self._coordinate(points)
        terms = [t for order, c in self._orders(operator).items() for t in self._terms(order, c, z, log)]
        total = points.new_zeros((len(self), len(points))).T
        if terms:
            rows, columns = (torch.stack(part, dim=1) for part in zip(*terms, strict=True))
            value = self._powers(log) * (rows @ (columns.T + 0j))
            total.copy_(torch.view_as_real(value).flatten(1)[:, self._kept])
        return total

    def matvec(self, operator: Operator, points: Tensor, weights: Tensor) -> Tensor:
        """Σ_j w_j (Σ_α c_α ∂^α φ_j)(x_i)."""
        total = points.new_empty((len(points), *weights.shape[1:]))
        for part in row_slices(len(points), len(self)):
            here = [(c[part] if isinstance(c, Tensor) else c, alpha) for c, alpha in operator]
            z, log = self._coordinate(points[part])
            total[part] = self._sum(here, z, log, self._powers(log), weights)
        return total

    def derivatives(self, alphas: Sequence[Orders], points: Tensor, weights: Tensor) -> list[Tensor]:
        """Σ_j w_j ∂^α φ_j(x_i) for each α, with powers that are worked out once."""
        total = [points.new_empty((len(points), *weights.shape[1:])) for _ in alphas]
        for part in row_slices(len(points), len(self)):
            z, log = self._coordinate(points[part])
            powers = self._powers(log)
            for whole, alpha in zip(total, alphas, strict=True):
                whole[part] = self._sum([(1.0, alpha)], z, log, powers, weights)
        return total

    def _coordinate(self, points: Tensor) -> tuple[Tensor, Tensor]:
        """z and its logarithm."""
        z = torch.complex(*((points[:, list(self.axes)] - self.place) @ self.map.T).T.contiguous())
        z = torch.where(z.abs() < NEAREST, torch.full_like(z, NEAREST), z)
        return z, torch.log(z)

    def _powers(self, log: Tensor) -> Tensor:
        """z^μ z̄^m."""
        size = torch.exp(log.real[:, None] * (self.powers + self.conjugate_powers))
        return torch.polar(size, log.imag[:, None] * (self.powers - self.conjugate_powers))

    def _sum(self, operator: Operator, z: Tensor, log: Tensor, powers: Tensor, weights: Tensor) -> Tensor:
        """The sum with weights w of an operator on all functions, from their powers."""
        parts = weights.new_zeros((2 * len(self.powers), *weights.shape[1:]))
        parts[self._kept] = weights
        each = parts.reshape(len(self.powers), 2, -1)
        w = torch.complex(each[:, 0], -each[:, 1])  # Re(w f) has what the weights make of Re f and Im f
        total = weights.new_zeros((len(z), w.shape[1]))
        for order, c in self._orders(operator).items():
            for row, column in self._terms(order, c, z, log):
                total += (row[:, None] * (powers @ (column[:, None] * w))).real
        return total.reshape(len(z), *weights.shape[1:])

    def _terms(
        self, order: tuple[int, int], c: complex | Tensor, z: Tensor, log: Tensor
    ) -> Iterator[tuple[Tensor, Tensor]]:
        """c ∂^n/∂z^n ∂^k/∂z̄^k of z^μ z̄^m (log z)^l, relative to z^μ z̄^m: products of functions of z and of powers."""
        n, k = order
        here = c * z**-n * z.conj() ** -k
        plain, with_log = self._factors(n, k)
        yield here, plain
        if with_log is not None:
            yield here * log, with_log

    def _factors(self, n: int, k: int) -> tuple[Tensor, Tensor | None]:
        """Falling factorials of the powers; those of logarithms, if there are some, apart from what log z stands by."""
        if (n, k) not in self._known:
            falling, slope = _falling(self.powers, n)
            other, _ = _falling(self.conjugate_powers, k)
            has_log = self.logarithms > 0
            with_log = other * torch.where(has_log, falling, 0.0) if bool(has_log.any()) else None
            self._known[n, k] = other * torch.where(has_log, slope, falling), with_log
        return self._known[n, k]

    @cached_property
    def _known(self) -> dict[tuple[int, int], tuple[Tensor, Tensor | None]]:
        return {}

    def _orders(self, operator: Operator) -> dict[tuple[int, int], complex | Tensor]:
        """The operator in terms of ∂^n/∂z^n ∂^k/∂z̄^k: coefficients by (n, k), without those that vanish."""
        p, q = (complex(*v) for v in self.map.T.tolist())
        first, second = self.axes
        total: dict[tuple[int, int], complex | Tensor] = {}
        for c, alpha in operator:
            a, b = alpha[first], alpha[second]
            if a + b < sum(alpha):
                continue  # they do not depend on other coordinates
            for i in range(a + 1):
                for j in range(b + 1):
                    factor = comb(a, i) * comb(b, j) * p**i * q**j * p.conjugate() ** (a - i) * q.conjugate() ** (b - j)
                    key = i + j, a + b - i - j
                    total[key] = total.get(key, 0.0) + c * factor
        return {key: c for key, c in total.items() if isinstance(c, Tensor) or c}


def _unbounded(terms: np.ndarray) -> np.ndarray:
    return np.asarray((terms[:, 2] > 0) & (terms[:, 0] + terms[:, 1] == 0))


def _falling(power: Tensor, n: int) -> tuple[Tensor, Tensor]:
    """μ(μ − 1)…(μ − n + 1), and its derivative with respect to μ."""
    value, slope = torch.ones_like(power), torch.zeros_like(power)
    for k in range(n):
        value, slope = value * (power - k), slope * (power - k) + value
    return value, slope


@dataclass(frozen=True)
class CornersDraw(Drawn):
    """For each corner, powers μ and m, and whether there is a logarithm; the scale of others means nothing to them."""

    at: tuple[tuple[Corner, np.ndarray], ...]
    dimension: int

    def __len__(self) -> int:
        return sum(2 * len(terms) - int(np.count_nonzero(_unbounded(terms))) for _, terms in self.at)

    def scaled(self, scale: Sequence[float], device: torch.device) -> Basis:
        """The functions, whatever the scale."""
        return Union(tuple(self._functions(corner, terms, device) for corner, terms in self.at))

    def _functions(self, corner: Corner, terms: np.ndarray, device: torch.device) -> CornerFunctions:
        turned = corner.cut - np.pi  # so that the argument of z jumps along the cut
        rotation = np.array([[np.cos(turned), np.sin(turned)], [-np.sin(turned), np.cos(turned)]]) / corner.reach
        place = np.array([corner.place[k] for k in range(2)])
        powers, conjugate, logarithms = (to_device(np.ascontiguousarray(column), device) for column in terms.T)
        return CornerFunctions(
            to_device(place, device), to_device(rotation, device), powers, conjugate, logarithms, corner.axes,
            self.dimension,
        )  # fmt: skip


@stored("AtCorners")
@dataclass(frozen=True)
class AtCorners(Ansatz):
    """Functions with singularities at corners, more of them where the opening is more than a straight angle."""

    corners: tuple[Corner, ...]

    def draw(self, count: int, frame: Frame, seed: np.random.SeedSequence) -> CornersDraw:
        """About `count` functions: they come in pairs."""
        shares = np.array([CornerFeatures.REENTRANT if c.opening > np.pi + ROUND else 1.0 for c in self.corners])
        ends = np.round(np.cumsum(np.append(0.0, shares)) / shares.sum() * (count // 2)).astype(int)
        drawn = zip(self.corners, np.diff(ends), seed.spawn(len(self.corners)), strict=True)
        at = tuple((c, exponents(c, int(n), np.random.default_rng(s))) for c, n, s in drawn if n)
        return CornersDraw(at, frame.dimension)

    @property
    def is_plain(self) -> bool:
        """Corners are known."""
        return False

    @property
    def graded(self) -> tuple[Corner, ...]:
        """All of them."""
        return self.corners


def exponents(corner: Corner, count: int, rng: np.random.Generator) -> np.ndarray:
    """Rows (μ, m, logarithm): those that the opening suggests, of the lowest degrees, and random ones."""
    at_random = CornerFeatures.AT_RANDOM_ALONE if corner.alone else CornerFeatures.AT_RANDOM
    known = np.array(suggested(corner, count - int(at_random * count)))
    highest = min(CornerFeatures.BEYOND * (known[:, 0] + known[:, 1]).max(), CornerFeatures.HIGHEST)
    # smaller ones would make a sink of a corner: what flows out there is lost below the nearest points
    random, lowest = count - len(known), np.pi / (2 * corner.opening)
    powers = lowest + (highest - lowest) * (np.arange(random) + rng.random(random)) / max(random, 1)
    conjugate = np.zeros(random) if corner.alone else np.floor(rng.random(random) * (highest - powers + 1) / 2)
    return np.concatenate([known, np.stack([powers, conjugate, np.zeros(random)], axis=1)])


def suggested(corner: Corner, count: int) -> list[tuple[float, int, int]]:
    """The exponents of lowest degree μ + m that solutions can have at a corner: multiples of π/2ω, and logarithms.

    Powers that are whole numbers without a logarithm are polynomials, which are no singularities.
    """
    found = sorted(_all(corner, float(2 * count + 2)), key=lambda t: t[0] + t[1])
    return found[:count]


def _all(corner: Corner, degree: float) -> Iterator[tuple[float, int, int]]:
    step = np.pi / (2 * corner.opening)
    for m in range(1 if corner.alone else int(degree) + 1):
        for j in range(1, int((degree - m) / step) + 1):
            if abs(j * step - round(j * step)) > ROUND:
                yield j * step, m, 0
        # an angle is for values that jump; elsewhere its slope would outweigh all that conditions on fluxes say
        for j in range(0 if corner.jumps or m else 1, int(degree) - m + 1):
            yield float(j), m, 1


def at_corners(ansatz: Ansatz, rough: Rough) -> Ansatz | None:
    """A part of the functions at the corners, if there are some and not too many."""
    corners = rough.sites.corners
    known = any(isinstance(part, AtCorners) for part in ansatz.parts)
    if known or rough.dimension != 2 or not 0 < len(corners) <= CornerFeatures.MOST:
        return None
    return Sum(((1 - CornerFeatures.SHARE, ansatz), (CornerFeatures.SHARE, AtCorners(corners))))


PROPOSALS.own("corners", Proposal(at_corners, special=True))
