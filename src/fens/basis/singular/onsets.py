"""Functions with the singularities that diffusion has where it begins with data that do not fit together.

Where initial and boundary values of u_t = a u_xx disagree, or initial values jump or have a kink, solutions are sums of
similarity functions τ^(k/2) F(ξ) with ξ = s/√(4aτ), of the distance s and the time τ since then: F is the complementary
error function or one of its repeated integrals, which are products of polynomials with erfc ξ and with exp(−ξ²). Lower
terms and smooth coefficients add polynomials of s and τ, coefficients that vary higher powers of ξ before exp(−ξ²),
and nonlinear terms other functions of ξ, for which there are powers of it before exp(−γξ²) with random γ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count as counting
from itertools import islice

import numpy as np
import torch
from torch import Tensor

from ..._support.device import to_device
from ..._support.steering import OnsetFeatures
from ..._support.stored import stored
from ..ansatz import Ansatz, Drawn, Frame, Sum
from ..basis import Basis, Operator
from ..proposals import PROPOSALS, Proposal, Rough
from ..sites import Onset
from ..union import Union

FARTHEST = 30.0  # ξ beyond which erfc ξ and exp(−ξ²) are zero or constant
NEAREST = 1e-60  # y and θ of the place itself: some of their inverse powers are still numbers
Term = tuple[bool, int, int]  # whether it has erfc or the exponential, and what is added to the powers of y and √θ


@stored("SimilarityFunctions")
@dataclass(frozen=True)
class SimilarityFunctions(Basis):
    """y^m θ^(n/2) erfc ξ, or the same times exp(−γξ²), with ξ = y/√θ, y and θ being proportional to s and τ.

    Before the time of the place they are what they are at that time: zero, on the side of it where the domain is.
    """

    place: Tensor  # in the axes of space and time
    units: Tensor  # what these are divided by for y and θ, with a sign for their direction
    powers: Tensor  # m
    roots: Tensor  # n
    rates: Tensor  # γ, which is 1 for those with erfc
    errors: Tensor  # 1 for those with erfc, 0 for the others
    axes: tuple[int, int]
    coordinates: int

    def __len__(self) -> int:
        return len(self.powers)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self.coordinates

    @property
    def speeds(self) -> Tensor:
        """None of them is smooth."""
        return torch.full((len(self),), float("inf"), dtype=torch.float64)

    def matrix(self, operator: Operator, points: Tensor) -> Tensor:
        """(Σ_α c_α ∂^α φ_j)(x_i): each of two functions times a sum of products of one of the point and one of j."""
        y, theta, xi = self._coordinates(points)
        found: dict[bool, list[tuple[Tensor, Tensor]]] = {True: [], False: []}
        for c, alpha in operator:
            i, j = (alpha[axis] for axis in self.axes)
            if i + j < sum(alpha):
                continue  # they do not depend on other coordinates
            unit = float(self.units[0]) ** -i * float(self.units[1]) ** -j
            for (has_erfc, dm, dn), factors in self._terms(i, j).items():
                here = y**dm * theta ** (dn / 2) if has_erfc else xi**dm * theta ** ((dm + dn) / 2)
                found[has_erfc].append((c * unit * here, factors))
        total = points.new_zeros((len(self), len(points))).T
        for has_erfc, terms in found.items():
            if terms:
                rows, columns = (torch.stack(part, dim=1) for part in zip(*terms, strict=True))
                total += self._functions(has_erfc, y, theta, xi) * (rows @ columns.T)
        return total

    def _coordinates(self, points: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """y, θ and ξ, none of them zero."""
        y, theta = ((points[:, list(self.axes)] - self.place) / self.units).T
        begun = theta >= 0
        y = torch.where(y.abs() < NEAREST, torch.full_like(y, NEAREST), y)
        theta = theta.clamp_min(NEAREST)
        xi = (y / theta.sqrt()).clamp(-FARTHEST, FARTHEST)
        xi = torch.where(xi.abs() < NEAREST, torch.full_like(xi, NEAREST), xi)
        return y, theta, torch.where(begun, xi, FARTHEST)

    def _functions(self, has_erfc: bool, y: Tensor, theta: Tensor, xi: Tensor) -> Tensor:
        """y^m θ^(n/2) erfc ξ, or with exp(−γξ²), of all functions."""
        y, theta, xi = y[:, None], theta[:, None], xi[:, None]
        if has_erfc:
            found: Tensor = y**self.powers * theta ** (self.errors * self.roots / 2) * torch.special.erfc(xi)
        else:
            found = theta ** ((self.powers + self.roots) / 2) * xi**self.powers * torch.exp(-self.rates * xi**2)
        return found

    def _terms(self, i: int, j: int) -> dict[Term, Tensor]:
        """∂^i/∂y^i ∂^j/∂θ^j, as factors of each function before such functions with other powers."""
        if (i, j) not in self._known:
            if i + j == 0:
                self._known[0, 0] = {(True, 0, 0): self.errors, (False, 0, 0): 1 - self.errors}
            else:
                before = self._terms(i - 1, j) if i else self._terms(i, j - 1)
                self._known[i, j] = self._differentiated(before, in_space=i > 0)
        return self._known[i, j]

    def _differentiated(self, terms: dict[Term, Tensor], in_space: bool) -> dict[Term, Tensor]:
        found: dict[Term, Tensor] = {}
        for (has_erfc, dm, dn), factor in terms.items():
            inner = (1.0 if in_space else -0.5) * (2 / np.pi**0.5 if has_erfc else 2 * self.rates)
            lower, power = ((dm - 1, dn), self.powers + dm) if in_space else ((dm, dn - 2), (self.roots + dn) / 2)
            steps = (0, 1) if has_erfc else (1, 2)
            inside = (dm + steps[0], dn - steps[1]) if in_space else (dm + steps[1], dn - steps[1] - 2)
            for key, value in (((has_erfc, *lower), power * factor), ((False, *inside), -inner * factor)):
                found[key] = found.get(key, torch.zeros_like(factor)) + value
        return {key: value for key, value in found.items() if bool(value.any())}

    @cached_property
    def _known(self) -> dict[tuple[int, int], dict[Term, Tensor]]:
        return {}


@dataclass(frozen=True)
class OnsetsDraw(Drawn):
    """For each place the powers m and n, γ and whether there is erfc; the scale of others means nothing to them."""

    at: tuple[tuple[Onset, np.ndarray], ...]
    dimension: int

    def __len__(self) -> int:
        return sum(len(terms) for _, terms in self.at)

    def scaled(self, scale: Sequence[float], device: torch.device) -> Basis:
        """The functions, whatever the scale."""
        return Union(tuple(self._functions(onset, terms, device) for onset, terms in self.at))

    def _functions(self, onset: Onset, terms: np.ndarray, device: torch.device) -> SimilarityFunctions:
        in_space, in_time = onset.directions
        length = max(onset.reach, onset.spread)  # so that neither y nor θ is more than 1
        units = np.array([in_space * length, in_time * length**2 / (4 * onset.diffusivity)])
        m, n, rates, errors = (to_device(np.ascontiguousarray(column), device) for column in terms.T)
        place = to_device(np.array(onset.place), device)
        return SimilarityFunctions(
            place, to_device(units, device), m, n, rates, errors, onset.axes, self.dimension
        )  # fmt: skip


@stored("AtOnsets")
@dataclass(frozen=True)
class AtOnsets(Ansatz):
    """Similarity functions at places where diffusion begins with data that do not fit together, as many at each."""

    onsets: tuple[Onset, ...]

    def draw(self, count: int, frame: Frame, seed: np.random.SeedSequence) -> OnsetsDraw:
        """`count` functions."""
        reflected = dict.fromkeys(image for onset in self.onsets for image in images(onset))
        all_of_them = (*self.onsets, *reflected)
        shares = np.array([1.0] * len(self.onsets) + [OnsetFeatures.IMAGE] * len(reflected))
        ends = np.round(np.cumsum(np.append(0.0, shares)) / shares.sum() * count).astype(int)
        drawn = zip(all_of_them, np.diff(ends), seed.spawn(len(all_of_them)), strict=True)
        at = tuple((o, similarity_powers(o, int(n), np.random.default_rng(s))) for o, n, s in drawn if n)
        return OnsetsDraw(at, frame.dimension)

    @property
    def is_plain(self) -> bool:
        """Places are known."""
        return False

    @property
    def graded(self) -> tuple[Onset, ...]:
        """All of them."""
        return self.onsets


def images(onset: Onset) -> list[Onset]:
    """Its reflections in the ends of the rod, and those of these in the other end, as far as they are felt inside.

    What reaches an end is reflected there, as if it came from an image: of that, the rod feels an outermost part, which
    has all derivatives, and is not analytic.
    """
    found, (low, high) = list[Onset](), onset.between
    for upwards in (True, False):
        x = onset.place[0]
        for _ in range(OnsetFeatures.REFLECTIONS):
            x, direction, away = (2 * high - x, -1.0, high - x) if upwards else (2 * low - x, 1.0, x - low)
            if away <= 0 or away > OnsetFeatures.FELT * onset.spread:
                break
            found.append(replace(onset, place=(x, onset.place[1]), directions=(direction, onset.directions[1])))
            upwards = not upwards
    return found


def similarity_powers(onset: Onset, count: int, rng: np.random.Generator) -> np.ndarray:
    """Rows (m, n, γ, erfc) of the lowest degrees m + n."""
    return np.array(list(islice(_by_degree(onset, rng), count)))


def _by_degree(onset: Onset, rng: np.random.Generator) -> Iterator[tuple[float, float, float, float]]:
    for k in counting():
        for n in range(0, k + 1, 2):
            yield k - n, n, 1.0, 1.0
        for m in range((k + 1) % 2, 3 * k if onset.varies else k, 2):
            yield m, k - m, 1.0, 0.0
        if onset.nonlinear and k >= 2:
            for m in range(OnsetFeatures.POWERS):
                yield m, k - m, 1.0 + (OnsetFeatures.STEEPEST - 1) * rng.random(), 0.0


def at_onsets(ansatz: Ansatz, rough: Rough) -> Ansatz | None:
    """A part of the functions at the places where data do not fit together, if there are some and not too many."""
    onsets = rough.sites.onsets
    known = any(isinstance(part, AtOnsets) for part in ansatz.parts)
    if known or not 0 < len(onsets) <= OnsetFeatures.MOST:
        return None
    return Sum(((1 - OnsetFeatures.SHARE, ansatz), (OnsetFeatures.SHARE, AtOnsets(onsets))))


PROPOSALS.own("onsets", Proposal(at_onsets, special=True))
