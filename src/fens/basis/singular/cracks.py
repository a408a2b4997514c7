"""Functions with the singularities that solutions have at both tips of a crack inside a domain.

In the complex coordinate w of a plane in which a crack is the segment from −1 to 1, functions of ζ = w + √(w² − 1) with
|ζ| > 1 jump across the crack and nowhere else. Outside of it harmonic functions are sums of powers ζ^−k and of log |ζ|;
(w − 1)^α (w + 1)^(n − α) has the exponents of tips at which a value meets a flux, log((w − 1)/(w + 1)) is what
different values on the two sides need. Where lower terms, variable coefficients or other unknowns take part, solutions
have the same singularities times smooth functions: random features.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import comb, factorial

import numpy as np
import torch
from torch import Tensor

from ..._support.device import to_device
from ..._support.steering import CornerFeatures, CrackFeatures
from ..._support.stored import stored
from ..ansatz import Ansatz, Drawn, Frame, Plain, RandomDraw, Sum
from ..basis import Basis, Operator, Orders
from ..calculus import leibniz
from ..proposals import PROPOSALS, Proposal, Rough
from ..random_features import RandomFeatures
from ..sites import Corner, Crack
from ..union import Union
from .corners import AtCorners

NEAREST = 1e-75  # |w ∓ 1| of a tip itself: its inverse fourth power is still a number
PLAIN, LOG_RATIO, LOG_ZETA = 0.0, 1.0, 2.0  # the logarithm in a function: none, log((w − 1)/(w + 1)), or log ζ
REAL, IMAGINARY = 0.0, 1.0
Term = tuple[float, float, float, float, float, float]
Derivatives = list[Tensor]  # of orders 0, 1, 2, …


@stored("CrackFunctions")
@dataclass(frozen=True)
class CrackFunctions(Basis):
    """Real or imaginary parts of (w − 1)^a (w + 1)^b L ζ^−k (w̄² − 1)^m, each times a random feature if there are some.

    L is 1 or one of two logarithms. A row of `terms` has a, b, the kind of L, k, m, and whether the real part is meant.
    The sum of a and b is a whole number, so that there is no jump but across the crack.
    """

    tips: Tensor  # the places of w = −1 and of w = 1, one in a row
    terms: Tensor
    size: float  # of |w| in the domain
    axes: tuple[int, int]
    coordinates: int
    inner: RandomFeatures | None = None

    def __len__(self) -> int:
        return len(self.terms)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self.coordinates

    @property
    def speeds(self) -> Tensor:
        """None of them is smooth."""
        return torch.full((len(self),), float("inf"), dtype=torch.float64)

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(x_i), by Leibniz from the derivatives of both factors."""
        total = points.new_zeros((len(self), len(points))).T
        singular = _Singular(self, points, max((sum(alpha) for _, alpha in operator), default=0))
        smooth: dict[Orders, Tensor] = {}
        for c, alpha in operator:
            for times, beta, rest in leibniz(alpha):
                if self.inner is None and any(rest):
                    continue
                term = singular.derivative(beta)
                if self.inner is not None:
                    if rest not in smooth:
                        smooth[rest] = self.inner.matrix([(1.0, rest)], points)
                    term = term * smooth[rest]
                total += (c[:, None] if isinstance(c, Tensor) else c) * times * term
        return total

    @cached_property
    def distinct(self) -> tuple[Tensor, Tensor]:
        """The different singular factors, real and imaginary parts together, and which each function has."""
        found, which = torch.unique(self.terms[:, :-1], dim=0, return_inverse=True)
        return found, which


class _Singular:
    """Derivatives of the singular factors at points."""

    def __init__(self, functions: CrackFunctions, points: Tensor, order: int) -> None:
        self.functions, self.order = functions, order
        (one, two), pair = functions.tips, points[:, list(functions.axes)]
        self.slope = 2 / complex(*(two - one).tolist())  # dw/dz
        p, q = (torch.complex(*(pair - tip).T.contiguous()) * self.slope for tip in (two, one))
        across = torch.where(p.abs() < q.abs(), p.imag, q.imag)  # one side of it for both: the nearer tip knows
        self.p, self.q = (_apart(torch.complex(v.real, across)) for v in (p, q))
        self.w = (self.p + self.q) / 2
        self.root = torch.sqrt(self.p) * torch.sqrt(self.q)
        self.conjugate = int(functions.terms[:, 4].max()) if len(functions) else 0
        self.holomorphic = self._holomorphic()
        self.known: dict[tuple[int, int], Tensor] = {}

    def derivative(self, alpha: Orders) -> Tensor:
        """∂^α of all functions."""
        functions = self.functions
        n, m = (alpha[axis] for axis in functions.axes)
        if n + m < sum(alpha):
            return self.p.real.new_zeros((len(self.p), len(functions)))  # they do not depend on other coordinates
        if (n, m) not in self.known:
            _, which = functions.distinct
            value = self._mixed(n, m)[:, which]
            self.known[n, m] = torch.where(functions.terms[:, 5] == REAL, value.real, value.imag)
        return self.known[n, m]

    def _mixed(self, n: int, m: int) -> Tensor:
        """∂^n/∂x^n ∂^m/∂y^m as a sum of derivatives with respect to w and its conjugate."""
        slope, total = self.slope, torch.zeros_like(self.holomorphic[0])
        for i in range(n + 1):
            for j in range(m + 1):
                by_conjugate = n + m - i - j
                if (other := self._conjugate(by_conjugate)) is not None:
                    turned = 1j**j * (-1j) ** (m - j)
                    factor = comb(n, i) * comb(m, j) * turned * slope ** (i + j) * slope.conjugate() ** by_conjugate
                    total = total + factor * self.holomorphic[i + j] * other
        return total

    def _conjugate(self, order: int) -> Tensor | None:
        """A derivative of (w̄² − 1)^m with respect to w̄, for m = 0 or 1; None if it vanishes."""
        has = self.functions.distinct[0][:, 4]
        if not self.conjugate:
            return torch.ones_like(has) if order == 0 else None
        w = self.w.conj()[:, None]
        values = [(self.p * self.q).conj()[:, None], 2 * w, torch.full_like(w, 2.0)]
        if order >= len(values):
            return None
        return torch.where(has > 0, values[order], 1.0 if order == 0 else 0.0)

    def _holomorphic(self) -> list[Tensor]:
        """The derivatives of (w − 1)^a (w + 1)^b L ζ^−k with respect to w, a column for each of the different ones."""
        terms, _ = self.functions.distinct
        a, b, kind, k, m = terms.T
        found = _product(_powers(self.p, a, self.order), _powers(self.q, b, self.order))
        found = _product(found, self._zeta(k))
        if bool((kind > 0).any()):
            found = _product(found, self._logarithms(kind))
        scale = self.functions.size ** -(a + b + 2 * m)
        return [scale * f for f in found]

    def _zeta(self, k: Tensor) -> Derivatives:
        """Those of ζ^−k, by the differential equation of Chebyshev's polynomials, which it obeys."""
        w, square, root = self.w[:, None], (self.p * self.q)[:, None], self.root[:, None]
        zeta = torch.log(self.w + self.root)[:, None]
        found = [torch.exp(-k * zeta)]
        found.append(-k * found[0] / root)
        for n in range(self.order - 1):
            found.append(((k**2 - n**2) * found[n] - (2 * n + 1) * w * found[n + 1]) / square)
        return found[: self.order + 1]

    def _logarithms(self, kind: Tensor) -> Derivatives:
        """Those of 1, of log((w − 1)/(w + 1)) and of log ζ, as each function has it."""
        p, q = self.p[:, None], self.q[:, None]
        half = torch.full_like(self.p[:1].real, -0.5)
        slopes = _product(_powers(self.p, half, self.order), _powers(self.q, half, self.order))
        ratio = [torch.log(p) - torch.log(q)]
        ratio += [(-1) ** (n - 1) * factorial(n - 1) * (p**-n - q**-n) for n in range(1, self.order + 1)]
        zeta = [torch.log(self.w + self.root)[:, None], *slopes]
        one = [float(n == 0) for n in range(self.order + 1)]
        pairs = zip(one, ratio, zeta[: self.order + 1], strict=True)
        return [torch.where(kind == LOG_RATIO, r, torch.where(kind == LOG_ZETA, z, o)) for o, r, z in pairs]


def _apart(value: Tensor) -> Tensor:
    """The same, a little away from zero."""
    return torch.where(value.abs() < NEAREST, torch.full_like(value, NEAREST), value)


def _powers(base: Tensor, exponents: Tensor, order: int) -> Derivatives:
    """The derivatives of powers, a column for each exponent."""
    log, falling, found = torch.log(base)[:, None], torch.ones_like(exponents), []
    for n in range(order + 1):
        found.append(torch.where(falling == 0, 0.0, falling * torch.exp((exponents - n) * log)))
        falling = falling * (exponents - n)
    return found


def _product(one: Derivatives, other: Derivatives) -> Derivatives:
    """The derivatives of a product."""
    return [sum(comb(n, i) * one[i] * other[n - i] for i in range(n + 1)) for n in range(len(one))]  # type: ignore[misc]


@dataclass(frozen=True)
class CracksDraw(Drawn):
    """For each crack the terms of its functions, and the random features that multiply them, if any."""

    at: tuple[tuple[Crack, np.ndarray, RandomDraw | None], ...]
    dimension: int

    def __len__(self) -> int:
        return sum(len(terms) for _, terms, _ in self.at)

    def scaled(self, scale: Sequence[float], device: torch.device) -> Basis:
        """The functions; the scale is that of the random features."""
        return Union(tuple(self._functions(*each, scale, device) for each in self.at))

    def _functions(
        self, crack: Crack, terms: np.ndarray, inner: RandomDraw | None, scale: Sequence[float], device: torch.device
    ) -> CrackFunctions:
        tips = np.array([tip.place[:2] for tip in crack.tips])
        features = None if inner is None else inner.scaled(scale, device)
        return CrackFunctions(
            to_device(tips, device), to_device(terms, device), crack.size, crack.tips[0].axes, self.dimension, features
        )


@stored("AtCracks")
@dataclass(frozen=True)
class AtCracks(Ansatz):
    """Functions that are singular at the tips of cracks, as many for each crack."""

    cracks: tuple[Crack, ...]
    inner: Plain = Plain()  # noqa: RUF009 - frozen

    def draw(self, count: int, frame: Frame, seed: np.random.SeedSequence) -> CracksDraw:
        """`count` functions."""
        counts = np.diff(np.round(np.linspace(0, count, len(self.cracks) + 1)).astype(int))
        drawn = zip(self.cracks, counts, seed.spawn(len(self.cracks)), strict=True)
        return CracksDraw(tuple(self._drawn(c, int(n), frame, s) for c, n, s in drawn if n), frame.dimension)

    def _drawn(
        self, crack: Crack, count: int, frame: Frame, seed: np.random.SeedSequence
    ) -> tuple[Crack, np.ndarray, RandomDraw | None]:
        if crack.alone:
            return crack, np.array(list(islice(harmonic(crack), count))), None
        kinds = list(singular_factors(crack))
        terms = np.array([kinds[k % len(kinds)] for k in range(count)])
        return crack, terms, self.inner.draw(count, frame, seed)

    @property
    def is_plain(self) -> bool:
        """Cracks are known."""
        return False

    @property
    def graded(self) -> tuple[Corner, ...]:
        """All tips."""
        return tuple(tip for crack in self.cracks for tip in crack.tips)


def harmonic(crack: Crack) -> Iterator[Term]:
    """Functions for Laplace's equation, in the order in which they are needed, without end."""
    yield (0.0, 0.0, LOG_ZETA, 0.0, 0.0, REAL)
    families = [_outside(), _ratios(crack.jumps)]
    if crack.mixed:
        families += [_mixed(0.25), _mixed(0.75)]
    counts = [CrackFeatures.OUTSIDE] + [1] * (len(families) - 1)
    while True:
        for family, count in zip(families, counts, strict=True):
            yield from islice(family, count)


def _outside() -> Iterator[Term]:
    """ζ^−k."""
    k = 1.0
    while True:
        yield from ((0.0, 0.0, PLAIN, k, 0.0, part) for part in (REAL, IMAGINARY))
        k += 1


def _ratios(jumps: bool) -> Iterator[Term]:
    """Logarithms, of which only the angle is bounded where they do not vanish at the tips."""
    if jumps:
        yield from ((a, 0.0, LOG_RATIO, 0.0, 0.0, IMAGINARY) for a in (0.0, 1.0))
    n = 2
    while True:
        a, b = (n + 1) // 2, n // 2
        yield from ((float(a), float(b), LOG_RATIO, 0.0, 0.0, part) for part in (REAL, IMAGINARY))
        n += 1


def _mixed(a: float) -> Iterator[Term]:
    """(w − 1)^a (w + 1)^(1 − a) ζ^−k."""
    k = 0.0
    while True:
        yield from ((a, 1 - a, PLAIN, k, 0.0, part) for part in (REAL, IMAGINARY))
        k += 1


def singular_factors(crack: Crack) -> Iterator[Term]:
    """What smooth functions are multiplied by for other equations."""
    both = REAL, IMAGINARY
    yield from ((0.0, 0.0, PLAIN, k, 0.0, part) for k in (1.0, 1.0, 2.0, 3.0) for part in both)
    yield (0.0, 0.0, LOG_ZETA, 0.0, 0.0, REAL)
    if crack.jumps:
        yield (0.0, 0.0, LOG_RATIO, 0.0, 0.0, IMAGINARY)
    yield from ((1.0, 1.0, LOG_RATIO, 0.0, 0.0, part) for part in both)
    yield from ((0.0, 0.0, LOG_RATIO, 0.0, 1.0, part) for part in both)
    if crack.mixed:
        yield from ((a, 1 - a, PLAIN, k, 0.0, part) for a in (0.25, 0.75) for k in (0.0, 1.0) for part in both)


def at_cracks(ansatz: Ansatz, rough: Rough) -> Ansatz | None:
    """A part of the functions at cracks inside of the domain and at its corners, if there are some and not too many."""
    cracks, corners = rough.sites.cracks, rough.sites.corners
    known = any(isinstance(part, AtCracks) for part in ansatz.parts)
    if known or rough.dimension != 2 or not cracks or len(corners) + 2 * len(cracks) > CornerFeatures.MOST:
        return None
    at, around = 2 * CornerFeatures.REENTRANT * len(cracks), len(corners) + 0.0
    share = CornerFeatures.SHARE / (at + around)
    terms: list[tuple[float, Ansatz]] = [(1 - CornerFeatures.SHARE, ansatz), (share * at, AtCracks(cracks))]
    return Sum((*terms, (share * around, AtCorners(corners))) if corners else tuple(terms))


PROPOSALS.own("cracks", Proposal(at_cracks, special=True))
