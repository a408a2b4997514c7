"""Functions with the singularities that solutions have at corners.

In the complex coordinate z of a plane, counted from a corner, solutions of elliptic equations are sums of powers z^μ
z̄^m, and of these times log z. Their degrees μ + m are those that the leading terms of equations and conditions have
next to the corner, and for Laplace's equation multiples of π/ω or π/2ω at an opening ω; m is 0 for Laplace's
equation, at most 1 for biharmonic functions, as displacements and velocities are, and any whole number where lower
terms or variable coefficients take part; if that is the unknown alone, as in Helmholtz', by factors of z z̄. If the
leading terms are not those of the Laplacian, z is x + p y with a root p of their symbol. There are functions of the
degrees that are known, of whole ones with logarithms, and others with random exponents, which stand for all else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from ..._support.device import device_of, to_device
from ..._support.steering import CornerFeatures
from ..._support.stored import stored
from ..ansatz import Ansatz, Drawn, Frame, Sum
from ..basis import Basis
from ..proposals import PROPOSALS, Proposal, Rough
from ..sites import Corner
from ..union import Union
from .cuts import CutCornerFunctions
from .holes import AroundHoles
from .powers import CornerFunctions

ROUND = 1e-9  # how far exponents are from whole numbers, if they are none


@dataclass(frozen=True)
class CornersDraw(Drawn):
    """For each corner and root p, powers μ and m, and whether there is a logarithm; scales mean nothing to them."""

    at: tuple[tuple[Corner, complex, np.ndarray], ...]
    dimension: int

    def __len__(self) -> int:
        return len(self._functions)

    def scaled(self, scale: Sequence[float], device: torch.device) -> Basis:
        """The functions, whatever the scale."""
        return Union(tuple(functions_at(*one, self.dimension, device) for one in self.at))

    @cached_property
    def _functions(self) -> Basis:
        return self.scaled((), device_of("cpu"))


def functions_at(
    corner: Corner, p: complex, terms: np.ndarray, dimension: int, device: torch.device
) -> CornerFunctions:
    """Powers of x + p y, turned so that its argument jumps along the cut, and at most one in the domain."""
    along = np.cos(corner.cut) + p * np.sin(corner.cut)
    turned = -np.conj(along) / abs(along) / (corner.reach * max(1.0, abs(p)))
    z = np.array([turned, turned * p])
    powers, conjugate, logarithms = terms.T
    powers = powers if powers.imag.any() else powers.real
    arrays = np.array(corner.place[:2]), np.stack([z.real, z.imag]), powers, conjugate.real, logarithms.real
    place, plane, mu, m, log = (to_device(np.ascontiguousarray(a), device) for a in arrays)
    if not corner.end:
        return CornerFunctions(place, plane, mu, m, log, corner.axes, dimension)
    end = to_device(np.subtract(corner.end, corner.place[:2]), device)
    return CutCornerFunctions(place, plane, mu, m, log, corner.axes, dimension, end)


@stored("AtCorners")
@dataclass(frozen=True)
class AtCorners(Ansatz):
    """Functions with singularities at corners, more of them where the opening is more than a straight angle."""

    corners: tuple[Corner, ...]

    def draw(self, count: int, frame: Frame, seed: np.random.SeedSequence) -> Drawn:
        """About `count` functions: they come in pairs."""
        shares = np.array([CornerFeatures.REENTRANT if c.opening > np.pi + ROUND else 1.0 for c in self.corners])
        ends = np.round(np.cumsum(np.append(0.0, shares)) / shares.sum() * (count // 2)).astype(int)
        drawn = zip(self.corners, np.diff(ends), seed.spawn(len(self.corners)), strict=True)
        # as many points as there are for these functions see no oscillations beyond
        degree = min(max(CornerFeatures.LOWEST_KNOWN, CornerFeatures.BY_COUNT * count), CornerFeatures.HIGHEST_KNOWN)
        at = [one for c, n, s in drawn for one in _at(c, int(n), degree, np.random.default_rng(s))]
        return CornersDraw(tuple(at), frame.dimension)

    @property
    def is_plain(self) -> bool:
        """Corners are known."""
        return False

    @property
    def graded(self) -> tuple[Corner, ...]:
        """All of them."""
        return self.corners


def _at(
    corner: Corner, count: int, degree: float, rng: np.random.Generator
) -> Iterator[tuple[Corner, complex, np.ndarray]]:
    """As many functions of each root."""
    for k, (p, times) in enumerate(corner.roots):
        own = (count * (k + 1)) // len(corner.roots) - (count * k) // len(corner.roots)
        if own:
            yield corner, p, exponents(corner, times, own, degree, rng)


def exponents(corner: Corner, times: int, count: int, degree: float, rng: np.random.Generator) -> np.ndarray:
    """Rows (μ, m, logarithm): those of the lowest degrees that are known of a root, up to one, and random ones."""
    at_random = CornerFeatures.AT_RANDOM_ALONE if corner.alone else CornerFeatures.AT_RANDOM
    at_random = CornerFeatures.AT_RANDOM_KNOWN if corner.exponents else at_random
    known = np.array(suggested(corner, times, count - int(at_random * count), degree))
    highest = min(CornerFeatures.BEYOND * (known[:, 0] + known[:, 1]).real.max(), CornerFeatures.HIGHEST)
    # smaller ones would make a sink of a corner: what flows out there is lost below the nearest points
    random, lowest = count - len(known), corner.lowest + np.pi / (2 * corner.opening)
    degrees = lowest + (highest - lowest) * (np.arange(random) + rng.random(random)) / max(random, 1)
    of_root = rng.integers(times, size=random) if times > 1 else np.zeros(random)
    beyond = np.zeros(random) if corner.alone else np.floor(rng.random(random) * (highest - degrees + 1) / 2)
    powers = degrees - of_root + (beyond if corner.radial and not corner.shifted else 0)
    return np.concatenate([known, np.stack([powers, of_root + beyond, np.zeros(random)], axis=1)])


def suggested(corner: Corner, times: int, count: int, highest: float) -> list[tuple[complex, int, int]]:
    """The terms of lowest degree μ + m that solutions can have at a corner, for a root that is one so many times.

    Powers that are whole numbers without a logarithm are polynomials, which are no singularities.
    """
    degree = 2.0
    while len(found := set(_terms(corner, times, degree))) < count and degree < highest:
        degree = min(1.5 * degree, highest)
    return sorted(found, key=lambda t: ((t[0] + t[1]).real, t[1], t[0].real, t[0].imag, t[2]))[:count]


def _terms(corner: Corner, times: int, degree: float) -> Iterator[tuple[complex, int, int]]:
    """All up to a degree: those of the leading terms and, if others take part, these times z^j z̄^k."""
    for power, m, log in _leading(corner, times, degree):
        for j, k in _together(corner, int(degree - (power + m).real)):
            mu = power + j
            if log or not _is_whole(mu) or mu.real < -ROUND:
                yield complex(round(mu.real, 12), mu.imag), m + k, log


def _together(corner: Corner, degree: int) -> Iterator[tuple[int, int]]:
    """The powers j and k with which z^j z̄^k takes part, up to a degree."""
    alike = corner.radial and not corner.shifted  # (z z̄)^k alone
    for j in range(degree + 1 if corner.shifted or not corner.alone else 1):
        ks = range(1) if corner.alone else range(j, j + 1) if alike else range(degree - j + 1)
        yield from ((j, k) for k in ks if j + k <= degree)


def _leading(corner: Corner, times: int, degree: float) -> Iterator[tuple[complex, int, int]]:
    """Those of the leading terms: of a root that is one twice, z^λ and z^(λ−1) z̄, and so on."""
    for m in range(times):
        for power in _degrees(corner, degree):
            if not _is_whole(power):
                yield power - m, m, 0
            if power.imag:
                yield power.conjugate() - m, m, 0
        for j in _resonances(corner, degree):
            yield complex(j - m), m, 1 if j > 0 else 3
        # an angle is for values that jump; elsewhere its slope would outweigh all that conditions on fluxes say
        if corner.jumps:
            yield complex(corner.lowest - m), m, 0
            yield complex(corner.lowest - m), m, 2


def _resonances(corner: Corner, degree: float) -> list[int]:
    """The whole degrees with logarithms: those of polynomial data that solutions have, too; all if that is unknown."""
    if not corner.exponents:
        return list(range(corner.lowest + 1, int(degree) + 1))
    return [round(power.real) for power in _degrees(corner, degree) if _is_whole(power)]


def _is_whole(power: complex) -> bool:
    return not power.imag and abs(power.real - round(power.real)) < ROUND


def _degrees(corner: Corner, degree: float) -> list[complex]:
    """The degrees of solutions: known ones, continued if they are evenly spaced, or what the opening alone suggests."""
    known = sorted(corner.exponents, key=lambda power: (power.real, power.imag))
    if not known:
        step = np.pi / (2 * corner.opening)
        return [complex(j * step) for j in range(1, int(degree / step) + 1)]
    steps = np.diff(known[-CornerFeatures.EVENLY:])
    if len(steps) == CornerFeatures.EVENLY - 1 and np.abs(steps - steps[0]).max() < ROUND:
        while known[-1].real + steps[0].real <= degree:
            known.append(known[-1] + steps[0])
    return [power for power in known if power.real <= degree]


def at_corners(ansatz: Ansatz, rough: Rough) -> Ansatz | None:
    """A part of the functions at the corners, if there are some and not too many; cracks inside bring them along."""
    corners = rough.sites.corners
    known = rough.sites.cracks or any(isinstance(part, AtCorners) for part in ansatz.parts)
    if known or rough.dimension != 2 or not 0 < len(corners) <= CornerFeatures.MOST:
        return None
    parts: list[tuple[float, Ansatz]] = [(1 - CornerFeatures.SHARE, ansatz), (CornerFeatures.SHARE, AtCorners(corners))]
    if rough.sites.holes and any(corner.end for corner in corners):
        parts.append((CornerFeatures.AROUND_HOLES, AroundHoles(rough.sites.holes)))
    return Sum(tuple(parts))


PROPOSALS.own("corners", Proposal(at_corners, special=True))
