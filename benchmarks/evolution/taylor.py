"""Ordinary differential equations by their Taylor series, with as many digits as asked for.

Coefficients come one after another from the equations, by Cauchy products. A step is as long as leaves the last
coefficients below the tolerance, and its polynomial gives the values within. Made at 30 and at 40 digits, with orders
to match, the two agree to what `--make` prints.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mpmath import mp, mpf

Array = np.ndarray


class Series:
    """A power series whose coefficients are found when they are asked for."""

    def __init__(self, rule: Callable[[int], Any]) -> None:
        self.found: list[Any] = []
        self.rule = rule

    def upto(self, k: int) -> list[Any]:
        while len(self.found) <= k:
            self.found.append(self.rule(len(self.found)))
        return self.found[: k + 1]

    def __add__(self, other: Any) -> "Series":
        b = series(other)
        return Series(lambda k: self.upto(k)[k] + b.upto(k)[k])

    def __sub__(self, other: Any) -> "Series":
        return self + (-1) * series(other)

    def __rsub__(self, other: Any) -> "Series":
        return series(other) - self

    def __mul__(self, other: Any) -> "Series":
        if not isinstance(other, Series):
            return Series(lambda k: other * self.upto(k)[k])
        return Series(lambda k: mp.fdot(self.upto(k), other.upto(k)[::-1]))

    def __neg__(self) -> "Series":
        return (-1) * self

    __radd__, __rmul__ = __add__, __mul__


def series(value: Any) -> Series:
    """A number as a series."""
    return value if isinstance(value, Series) else Series(lambda k: value if k == 0 else mpf(0))


System = Callable[..., Sequence[Any]]  # the derivatives, from the unknowns


def expanded(system: System, state: Sequence[Any], order: int) -> list[list[Any]]:
    """Coefficients of the solution from a state on."""
    unknowns = [Series(lambda k: mpf(0)) for _ in state]
    for u, value in zip(unknowns, state, strict=True):
        u.found = [value]
    slopes = [series(f) for f in system(*unknowns)]
    for k in range(order):
        following = [f.upto(k)[k] / (k + 1) for f in slopes]
        for u, value in zip(unknowns, following, strict=True):
            u.found.append(value)
    return [u.found for u in unknowns]


def solved(system: System, state: Sequence[Any], times: Array, digits: int = 30) -> Array:
    """Values at times, which increase from 0 on, a row for each."""
    order = int(1.2 * digits)
    with mp.workdps(digits + 5):
        tolerance = mpf(10) ** -digits
        now, here, found = mpf(0), [mpf(value) for value in state], []
        waiting = [mpf(float(time)) for time in times]
        while waiting:
            coefficients = expanded(system, here, order)
            size = max(max(map(abs, here)), mpf("1e-3"))
            steps = [
                (tolerance * size / max(abs(c[k]) for c in coefficients)) ** (mpf(1) / k) for k in (order - 1, order)
            ]
            step = min(steps)
            while waiting and waiting[0] <= now + step:
                passed = waiting.pop(0) - now
                found.append([mp.polyval(c[::-1], passed) for c in coefficients])
            here, now = [mp.polyval(c[::-1], step) for c in coefficients], now + step
        return np.array(found, dtype=object)


def twice(system: System, state: Sequence[Any], times: Array) -> tuple[Array, float]:
    """Values as floats, and the largest difference between 30 and 40 digits."""
    coarse, fine = (solved(system, state, times, digits) for digits in (30, 40))
    return fine.astype(float), float(max(abs(d) for d in (fine - coarse).ravel()))
