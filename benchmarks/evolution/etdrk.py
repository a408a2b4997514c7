"""Periodic equations u_t = L u + N(u) by Fourier series in space and ETDRK4 in time (Cox & Matthews, 2002).

The functions (e^z − 1)/z, … of the method are means over circles around z (Kassam & Trefethen, 2005). Each solution is
made twice, with more functions and shorter steps the second time; `--make` prints what the two differ by, and how far
the same code is from two solitons of Korteweg and de Vries, which are known.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Periodic:
    """Equations for components that are rows, on an interval with so many points.

    `linear` takes wave numbers to the factors of each component, `nonlinear` takes the interval, as it is here, and
    Fourier coefficients to those of what is left.
    """

    start: float
    length: float
    points: int
    linear: Callable[[Array], Array]
    nonlinear: Callable[["Periodic", Array], Array]

    @property
    def x(self) -> Array:
        return self.start + self.length * np.arange(self.points) / self.points

    @property
    def waves(self) -> Array:
        return 2 * np.pi / self.length * np.arange(self.points // 2 + 1)

    def values(self, v: Array) -> Array:
        return np.fft.irfft(v, self.points)

    def coefficients(self, u: Array) -> Array:
        return np.fft.rfft(u)

    def slope(self, v: Array) -> Array:
        return 1j * self.waves * v

    def at(self, v: Array, places: Array) -> Array:
        """Values anywhere, a row for each component."""
        phases = np.exp(1j * np.multiply.outer(self.waves, np.asarray(places) - self.start))
        weights = np.where((self.waves == 0) | (np.arange(len(self.waves)) == self.points / 2), 1.0, 2.0)
        return np.asarray(((v * weights) @ phases).real / self.points)


def solved(equations: Periodic, first: Callable[[Array], Array], times: Array, substeps: int, places: Array) -> Array:
    """Values at places and at times, which are evenly spaced from 0 on: (component, time, place)."""
    h = times[1] / substeps
    step = stepper(equations, h)
    v = equations.coefficients(np.atleast_2d(first(equations.x)))
    found = [equations.at(v, places)]
    for _ in times[1:]:
        for _ in range(substeps):
            v = step(v)
        found.append(equations.at(v, places))
    return np.stack(found, axis=1)


def stepper(equations: Periodic, h: float, circle: int = 64) -> Callable[[Array], Array]:
    """One step of the method."""
    L = h * np.atleast_2d(equations.linear(equations.waves)).astype(complex)
    z = L[..., None] + np.exp(2j * np.pi * (np.arange(circle) + 0.5) / circle)
    whole, half = np.exp(L), np.exp(L / 2)
    q = h * ((np.exp(z / 2) - 1) / z).mean(axis=-1)
    a = h * ((-4 - z + np.exp(z) * (4 - 3 * z + z**2)) / z**3).mean(axis=-1)
    b = h * ((2 + z + np.exp(z) * (z - 2)) / z**3).mean(axis=-1)
    c = h * ((-4 - 3 * z - z**2 + np.exp(z) * (4 - z)) / z**3).mean(axis=-1)

    def of(v: Array) -> Array:
        return equations.nonlinear(equations, v)

    def step(v: Array) -> Array:
        now = of(v)
        one = half * v + q * now
        first = of(one)
        two = half * v + q * first
        second = of(two)
        last = of(half * one + q * (2 * second - now))
        return np.asarray(whole * v + a * now + 2 * b * (first + second) + c * last)

    return step
