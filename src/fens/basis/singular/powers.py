"""Powers of the complex coordinate from a corner, and these times its logarithm."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb

import torch
from torch import Tensor

from ..._support.stored import stored
from ..basis import Basis, Operator, Orders
from ..row_slices import row_slices

NEAREST = 1e-140  # |z| of the corner itself: its inverse square is still a number
SAME = 1e-12  # of the reach of a corner: a place that is the corner, and was rounded
CANCELS = 1e-14  # of the terms of a sum: one that is zero but for rounding
Pair = tuple[Tensor, Tensor]
Factors = tuple[Tensor, Tensor | None, Tensor | None]  # by themselves, of a logarithm, and of its argument


@stored("CornerFunctions")
@dataclass(frozen=True)
class CornerFunctions(Basis):
    """Real and imaginary parts of z^μ z̄^m, times log z for some, where z = p·(x − place) with p = p₁ + i p₂.

    z is counted from the corner, and its argument from −π to π: on the ray where that jumps there must be no point. Of
    log z there may be the argument alone, which jumps in data need: log |z| has no bound.
    """

    place: Tensor  # of the corner, in the two axes
    map: Tensor  # the vectors p₁ and p₂, one in a row
    powers: Tensor  # μ, which may be complex
    conjugate_powers: Tensor  # m
    logarithms: Tensor  # 1 for those times log z, 2 for its argument, 3 for log z though it has no bound, 0 for others
    axes: tuple[int, int]
    coordinates: int

    def __len__(self) -> int:
        return len(self._kept)

    @cached_property
    def _kept(self) -> Tensor:
        """Which of all real and imaginary parts, in turn, are bounded and not zero."""
        unbounded = (self.logarithms == 1) & (self.powers + self.conjugate_powers == 0)
        is_real = (self.logarithms == 2) & (self.powers == self.conjugate_powers)
        kept: Tensor = torch.stack([~unbounded, ~is_real], dim=1).ravel().nonzero()[:, 0]
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
        z, log = self._coordinate(points, _order(alpha for _, alpha in operator))
        terms = [t for order, c in self._orders(operator).items() for t in self._terms(order, c, z, log)]
        total = points.new_zeros((len(self), len(points))).T
        if terms:
            rows, columns = (torch.stack([p + 0j for p in part], dim=1) for part in zip(*terms, strict=True))
            value = self._powers(z, log) * (rows @ columns.T)
            total.copy_(torch.view_as_real(value).flatten(1)[:, self._kept])
        return total

    def matvec(self, operator: Operator, points: Tensor, weights: Tensor) -> Tensor:
        """Σ_j w_j (Σ_α c_α ∂^α φ_j)(x_i)."""
        total = points.new_empty((len(points), *weights.shape[1:]))
        for part in row_slices(len(points), len(self)):
            here = [(c[part] if isinstance(c, Tensor) else c, alpha) for c, alpha in operator]
            z, log = self._coordinate(points[part], _order(alpha for _, alpha in operator))
            total[part] = self._sum(here, z, log, self._powers(z, log), weights)
        return total

    def derivatives(self, alphas: Sequence[Orders], points: Tensor, weights: Tensor) -> list[Tensor]:
        """Σ_j w_j ∂^α φ_j(x_i) for each α, with powers that are worked out once."""
        total = [points.new_empty((len(points), *weights.shape[1:])) for _ in alphas]
        for part in row_slices(len(points), len(self)):
            z, log = self._coordinate(points[part], _order(alphas))
            powers = self._powers(z, log)
            for whole, alpha in zip(total, alphas, strict=True):
                whole[part] = self._sum([(1.0, alpha)], z, log, powers, weights)
        return total

    def counted_from(self, origin: Tensor) -> CornerFunctions:
        """The same functions of the offset from a place: from the corner itself, if it is that, to the last bit."""
        gap = self.place - origin[list(self.axes)]
        if float((self.map @ gap).abs().max()) <= SAME:
            gap = torch.zeros_like(gap)
        return replace(self, place=gap)

    def _coordinate(self, points: Tensor, order: int) -> tuple[Tensor, Tensor]:
        """z and its logarithm, at the corner itself such that derivatives up to an order are large, and no NaN."""
        z = torch.complex(*((points[:, list(self.axes)] - self.place) @ self.map.T).T.contiguous())
        nearest = NEAREST ** (2 / max(order, 2))
        z = torch.where(z.abs() < nearest, torch.full_like(z, nearest), z)
        return z, self._logarithm(z)

    def _logarithm(self, z: Tensor) -> Tensor:
        """That of the powers."""
        return torch.log(z)

    def _powers(self, z: Tensor, log: Tensor) -> Tensor:
        """z^μ z̄^m."""
        if self.powers.is_complex():
            return torch.exp(log[:, None] * self.powers + log.conj()[:, None] * self.conjugate_powers)
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
        plain, with_log, with_angle = self._factors(n, k)
        yield here, plain
        if with_log is not None:
            yield here * log, with_log
        if with_angle is not None:
            yield here * log.imag, with_angle

    def _factors(self, n: int, k: int) -> Factors:
        """Falling factorials of the powers; those of logarithms and angles, if there are some, apart from what log z
        and its argument stand by.
        """
        if (n, k) not in self._known:
            self._known[n, k] = self._split(falling(self.powers, n), falling(self.conjugate_powers, k))
        return self._known[n, k]

    def _split(self, of_power: Pair, of_conjugate: Pair) -> Factors:
        """Products of two factors, each with its slope, apart from what a logarithm and its argument stand by."""
        (value, slope), (other, other_slope) = of_power, of_conjugate
        both, has_angle = value * other, self.logarithms == 2
        has_log = (self.logarithms == 1) | (self.logarithms == 3)
        plain = torch.where(has_log, slope * other, torch.where(self.logarithms == 0, both, 0.0))
        with_log = torch.where(has_log, both, 0.0) if bool(has_log.any()) else None
        with_angle = None
        if bool(has_angle.any()):  # the argument is (log z − log z̄)/2i
            plain = torch.where(has_angle, (slope * other - value * other_slope) / 2j, plain)
            with_angle = torch.where(has_angle, both, 0.0)
        return plain, with_log, with_angle

    @cached_property
    def _known(self) -> dict[tuple[int, int], Factors]:
        return {}

    def _orders(self, operator: Operator) -> dict[tuple[int, int], complex | Tensor]:
        """The operator in terms of ∂^n/∂z^n ∂^k/∂z̄^k: coefficients by (n, k), without those that vanish."""
        p, q = (complex(*v) for v in self.map.T.tolist())
        first, second = self.axes
        total: dict[tuple[int, int], complex | Tensor] = {}
        sizes: dict[tuple[int, int], float] = {}
        for c, alpha in operator:
            a, b = alpha[first], alpha[second]
            if a + b < sum(alpha):
                continue  # they do not depend on other coordinates
            for i in range(a + 1):
                for j in range(b + 1):
                    factor = comb(a, i) * comb(b, j) * p**i * q**j * p.conjugate() ** (a - i) * q.conjugate() ** (b - j)
                    key = i + j, a + b - i - j
                    total[key] = total.get(key, 0.0) + c * factor
                    sizes[key] = sizes.get(key, 0.0) + (0.0 if isinstance(c, Tensor) else abs(c * factor))
        # what cancels but for rounding would be multiplied by powers of the distance that have no bound
        return {key: c for key, c in total.items() if isinstance(c, Tensor) or abs(c) > CANCELS * sizes[key]}


def _order(alphas: Iterable[Orders]) -> int:
    return max(map(sum, alphas), default=0)


def falling(power: Tensor, n: int) -> tuple[Tensor, Tensor]:
    """μ(μ − 1)…(μ − n + 1), and its derivative with respect to μ."""
    value, slope = torch.ones_like(power), torch.zeros_like(power)
    for k in range(n):
        value, slope = value * (power - k), slope * (power - k) + value
    return value, slope
