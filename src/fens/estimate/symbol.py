"""The roots of an equation's symbol: how fast its solutions grow or decay along a direction, with waves across it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import polynomial

from .._support.steering import ShortWaves
from .local import Look


@dataclass(frozen=True)
class Roots:
    """How many roots decay and grow without bound as waves get shorter, how many there are, and how many do neither."""

    decaying: int
    growing: int
    count: int
    undamped: int


def sides(order: int, power: float) -> tuple[int, int] | None:
    """How many of the roots κ of κ^order = power decay and how many grow along an axis; None if some do neither.

    u_t = c ∂ⁿu/∂xⁿ + … has the solutions e^(st + κx) with κⁿ = s/c where s is large. Those that grow in time must be
    determined at the ends of x: those that decay from the lower one there, those that grow towards the upper one there.
    Lower derivatives change no sign.
    """
    angles = (2 * np.pi * np.arange(order) + (np.pi if power < 0 else 0.0)) / order
    real = np.cos(angles)
    if np.abs(real).min() < ShortWaves.UNDAMPED:  # backward diffusion, which grows in time with all of its waves
        return None
    return int(np.sum(real < 0)), int(np.sum(real > 0))


@dataclass(frozen=True)
class Symbol:
    """Equations for as many unknowns, in units of half the widths of their domain."""

    looks: Sequence[Look]
    unknowns: Sequence[int]
    half_widths: np.ndarray

    def roots(self, row: int, direction: np.ndarray, rng: np.random.Generator) -> Roots | None:
        """Those along a direction at one of the points, with waves in a random one across it; None if unknown."""
        along = direction * self.half_widths
        along = np.where(np.abs(along) < 1e-9 * np.abs(along).max(), 0.0, along) / np.linalg.norm(along)
        across = rng.standard_normal(len(along))
        across -= along * (across @ along)
        if len(along) > 1:
            across /= np.linalg.norm(across)
        numbers = (ShortWaves.SHORT, ShortWaves.SHORTER * ShortWaves.SHORT)
        slow, fast = (self._real_parts(row, along, k * across) for k in numbers)
        if len(slow) != len(fast):
            return None
        decaying = int(np.sum((slow < -ShortWaves.FAST) & (fast < ShortWaves.FASTER * slow)))
        growing = int(np.sum((slow > ShortWaves.FAST) & (fast > ShortWaves.FASTER * slow)))
        undamped = int(np.sum((np.abs(slow) < ShortWaves.UNDAMPED) & (np.abs(fast) < ShortWaves.UNDAMPED)))
        return Roots(decaying, growing, len(slow), undamped)

    def _real_parts(self, row: int, along: np.ndarray, waves: np.ndarray) -> np.ndarray:
        """The real parts of the roots τ of det P(τ) = 0, in order."""
        P, n = self._polynomial(row, along, waves), len(self.unknowns)
        degree = len(P) - 1
        if degree < 1 or not np.isfinite(P).all():
            return np.zeros(0)
        if n == 1:
            return np.sort(np.real(polynomial.polyroots(P[:, 0, 0])))
        from scipy.linalg import eigvals

        A, B = np.eye(n * degree, dtype=complex), np.eye(n * degree, dtype=complex)  # P(τ) as a pencil of first order
        A = np.roll(A, n, axis=1)
        A[-n:] = -np.concatenate(list(P[:-1]), axis=1)
        B[-n:, -n:] = P[-1]
        with np.errstate(all="ignore"):
            roots = eigvals(A, B)
        return np.sort(np.real(roots[np.isfinite(roots) & (np.abs(roots) < 1e3 * ShortWaves.SHORT**3)]))

    def _polynomial(self, row: int, along: np.ndarray, waves: np.ndarray) -> np.ndarray:
        """The coefficients of the matrix P(τ), where ∂ is i waves + τ along, relative to each equation's largest."""
        P = np.zeros((self._order + 1, len(self.looks), len(self.unknowns)), dtype=complex)
        for equation, unknown, values, factors in self._terms:
            power = np.array([values[row]], dtype=complex)
            for axis in factors:
                power = np.convolve(power, (1j * waves[axis], along[axis]))
            P[: len(power), equation, unknown] += power
        P /= np.abs(P).max(axis=(0, 2), keepdims=True) + np.finfo(float).tiny
        return P[: 1 + max(np.flatnonzero(np.abs(P).max(axis=(1, 2))), default=0)]

    @cached_property
    def _order(self) -> int:
        return max((len(factors) for *_, factors in self._terms), default=0)

    @cached_property
    def _terms(self) -> list[tuple[int, int, np.ndarray, list[int]]]:
        """The numbers of equation and unknown, the coefficients, and the axes along which one differentiates."""
        return [
            (e, self.unknowns.index(jet.unknown), c / np.prod(self.half_widths ** np.array(jet.orders)), axes)
            for e, look in enumerate(self.looks)
            for jet, c in look.coefficients
            if jet.unknown in self.unknowns
            for axes in [[i for i, k in enumerate(jet.orders) for _ in range(k)]]
        ]
