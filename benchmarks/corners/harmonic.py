"""Harmonic functions in polygons, as sums of the functions that their corners have, fitted on the boundary.

Every term is harmonic inside, so that the largest misfit on the sides bounds the error of a Dirichlet problem
everywhere (the maximum principle), however the coefficients were found.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Powers:
    """w^λ about a corner whose first side has angle `start`: Im w^λ vanishes there, Re w^λ has no normal derivative."""

    corner: complex
    start: float
    opening: float
    exponents: tuple[float, ...]
    part: str = "sin"
    size: float = 1.0  # distances are relative to it

    def __len__(self) -> int:
        return len(self.exponents)

    def _log(self, z: Array) -> tuple[Array, complex]:
        """log w with its cut outside of the domain, opposite to the bisector; and dw/dz."""
        turn = np.exp(-1j * (self.start + self.opening / 2)) / self.size
        with np.errstate(divide="ignore"):
            return np.log((z - self.corner) * turn) + 0.5j * self.opening, np.exp(-1j * self.start) / self.size

    def functions(self, z: Array) -> Array:
        """Analytic functions, a column each, of which the terms are the real parts."""
        log, _ = self._log(z)
        return self._unit * np.exp(log[:, None] * np.array(self.exponents))

    def slopes(self, z: Array) -> Array:
        log, turn = self._log(z)
        powers = np.array(self.exponents)
        return self._unit * turn * powers * np.exp(log[:, None] * (powers - 1))

    @property
    def _unit(self) -> complex:
        return -1j if self.part == "sin" else 1.0


@dataclass(frozen=True)
class Log(Powers):
    """Im w^n log w for integers n: what right angles have, where sources or second derivatives along sides disagree."""

    def functions(self, z: Array) -> Array:
        log, _ = self._log(z)
        product = np.exp(log[:, None] * np.array(self.exponents)) * log[:, None]
        return self._unit * np.where(np.isfinite(product), product, 0)

    def slopes(self, z: Array) -> Array:
        log, turn = self._log(z)
        n = np.array(self.exponents)
        return self._unit * turn * np.exp(log[:, None] * (n - 1)) * (n * log[:, None] + 1)


@dataclass(frozen=True)
class Polynomials:
    """Re and Im of ((z − centre)/size)^k."""

    centre: complex
    degree: int
    size: float = 1.0

    def __len__(self) -> int:
        return 2 * self.degree + 1

    def functions(self, z: Array) -> Array:
        powers = ((z - self.centre) / self.size)[:, None] ** np.arange(self.degree + 1)
        return np.concatenate([powers, -1j * powers[:, 1:]], axis=1)

    def slopes(self, z: Array) -> Array:
        k = np.arange(1, self.degree + 1)
        slopes = k / self.size * ((z - self.centre) / self.size)[:, None] ** (k - 1)
        return np.concatenate([np.zeros((len(z), 1)), slopes, -1j * slopes], axis=1)


Terms = Powers | Polynomials


@dataclass(frozen=True)
class Harmonic:
    """Re Σ c f(z), with its derivatives."""

    terms: tuple[Terms, ...]
    coefficients: tuple[float, ...]

    def __call__(self, x: Array, y: Array) -> Array:
        z = np.asarray(x + 1j * np.asarray(y))
        values = np.concatenate([t.functions(z.ravel()) for t in self.terms], axis=1).real
        return (values @ np.array(self.coefficients)).reshape(z.shape)

    def gradient(self, x: Array, y: Array) -> tuple[Array, Array]:
        z = np.asarray(x + 1j * np.asarray(y))
        slopes = np.concatenate([t.slopes(z.ravel()) for t in self.terms], axis=1) @ np.array(self.coefficients)
        return slopes.real.reshape(z.shape), -slopes.imag.reshape(z.shape)


@dataclass(frozen=True)
class Side:
    """A side from one corner to the next, counterclockwise, with values of u or of its outward normal derivative."""

    first: complex
    last: complex
    value: Callable[[Array], Array]
    kind: str = "dirichlet"

    def points(self, count: int) -> Array:
        """Half of them towards the ends, down to 1e-13 of its length, half as Chebyshev's."""
        towards = 10.0 ** np.linspace(-13, -2, count // 4)
        s = np.concatenate([towards, np.sin(np.pi / 2 * (np.arange(count // 4) + 0.5) / (count // 2)) ** 2])
        step = self.last - self.first
        return np.concatenate([self.first + s * step, self.last - s * step])

    def rows(self, terms: Sequence[Terms], z: Array) -> Array:
        if self.kind == "dirichlet":
            return np.concatenate([t.functions(z) for t in terms], axis=1).real
        normal = -1j * (self.last - self.first) / abs(self.last - self.first)
        return (np.concatenate([t.slopes(z) for t in terms], axis=1) * normal).real


def fitted(terms: Sequence[Terms], sides: Sequence[Side], count: int = 400) -> Harmonic:
    """The sum that comes closest to what is given on the sides."""
    places = [side.points(count) for side in sides]
    A = np.concatenate([s.rows(terms, z) for s, z in zip(sides, places, strict=True)])
    b = np.concatenate([s.value(z) for s, z in zip(sides, places, strict=True)])
    scale = np.linalg.norm(A, axis=0)
    coefficients = np.linalg.lstsq(A / scale, b, rcond=1e-15)[0] / scale
    return Harmonic(tuple(terms), tuple(coefficients.tolist()))


def misfit(found: Harmonic, sides: Sequence[Side], count: int = 1111) -> float:
    """The largest difference from what is given, at points of other places than those of the fit."""
    c = np.array(found.coefficients)
    places = [side.points(count) for side in sides]
    return max(float(np.abs(s.rows(found.terms, z) @ c - s.value(z)).max()) for s, z in zip(sides, places, strict=True))
