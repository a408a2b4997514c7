"""Fields that plane elasticity and Stokes flow have at corners, from complex potentials (Kolosov, Goursat, Williams).

Displacements or velocities are U = u + iv = κφ(z) − z conj(φ′(z)) − conj(χ(z)), with κ = 1 for Stokes flow; tractions
follow from φ + z conj(φ′) + conj(χ). For φ and χ of powers z^λ and z^conj(λ), conditions on the two sides of a corner
are four linear equations for four complex coefficients, that have solutions for certain λ only.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

Array = np.ndarray


def conditions(exponent: complex, opening: float, kappas: tuple[float, float]) -> Array:
    """The matrix of both sides, at angles ∓opening/2: κ for a clamped side, −1 for one without traction."""
    rows = []
    for theta, kappa in zip((-opening / 2, opening / 2), kappas, strict=True):
        out, back = np.exp(1j * exponent * theta), np.exp(-1j * exponent * theta)
        turn = exponent * np.exp(2j * theta)
        rows.append([kappa * out, -turn * back, -back, 0])
        rows.append([-exponent * np.exp(-2j * theta) * out, kappa * back, 0, -out])
    return np.array(rows)


def exponents(opening: float, kappas: tuple[float, float], largest: float) -> list[complex]:
    """Those with 0 < Re λ < largest and Im λ ≥ 0, by Newton's method on the determinant from a fine grid of starts."""
    steps = np.arange(0.05, largest + 1, 0.1)
    starts = (steps[:, None] + 1j * np.arange(0, 3.2, 0.2)).ravel()
    found: list[complex] = []
    for start in starts:
        root = _newton(start, opening, kappas)
        if root is None or not 0.01 < root.real < largest or root.imag < -1e-10 or _trivial(root):
            continue
        if all(abs(root - other) > 1e-6 for other in found):
            found.append(root if root.imag > 1e-10 else complex(root.real))
    return sorted(found, key=lambda r: (r.real, r.imag))


def _trivial(root: complex) -> bool:
    """λ = 1 solves the equations of clamped sides with a rotation and its negative, whose sum is nothing."""
    return abs(root - 1) < 1e-5


def _newton(start: complex, opening: float, kappas: tuple[float, float]) -> complex | None:
    value, step = start, 1e-6

    def determinant(s: complex) -> complex:
        return complex(np.linalg.det(conditions(s, opening, kappas)))

    for _ in range(60):
        slope = (determinant(value + step) - determinant(value - step)) / (2 * step)
        change = determinant(value) / slope if slope else 1.0
        value -= change
        if abs(change) < 1e-13 * abs(value):
            return value
        if not 0 < abs(value) < 200:
            return None
    return value if abs(change) < 1e-10 * abs(value) else None


@dataclass(frozen=True)
class Corner:
    """Where a corner is, its bisector's angle, and its opening."""

    place: complex
    bisector: float
    opening: float

    def polar(self, z: Array) -> tuple[Array, Array]:
        """log r, and the angle from the bisector."""
        offset = (z - self.place) * np.exp(-1j * self.bisector)
        return np.log(np.abs(offset)), np.angle(offset)


@dataclass(frozen=True)
class Field:
    """One exponent at a corner, with its four coefficients for distances relative to `size`; multiples are complex."""

    corner: Corner
    exponent: complex
    coefficients: tuple[complex, complex, complex, complex]
    kappa: float
    size: float = 1.0

    @classmethod
    def of(cls, corner: Corner, exponent: complex, kappas: tuple[float, float], kappa: float, size: float = 1) -> Self:
        """The solution of the corner's conditions."""
        _, values, vectors = np.linalg.svd(conditions(exponent, corner.opening, kappas))
        if values[-1] > 1e-8 * values[0] or values[-2] < 1e-8 * values[0]:
            raise ValueError(f"The exponent {exponent} has no field, or several; singular values are {values}.")
        return cls(corner, exponent, tuple(vectors[-1].conjugate().tolist()), kappa, size)

    def terms(self) -> list[tuple[complex, complex, complex, bool]]:
        """Of U: (coefficient, exponent, angular order, whether the multiple is conjugated)."""
        a, b, c, d = self.coefficients
        s = self.exponent
        t = s.conjugate()
        return [
            (self.kappa * a, s, s, False), (-s * b, s, 2 - s, False), (-c, s, -s, False),
            (self.kappa * b.conjugate(), t, t, True), (-t * a.conjugate(), t, 2 - t, True),
            (-d.conjugate(), t, -t, True),
        ]  # fmt: skip

    def columns(self, z: Array) -> Array:
        """U for the multiples 1 and i."""
        log, theta = self.corner.polar(z)
        log = log - np.log(self.size)
        plain, conjugated = np.zeros(len(z), complex), np.zeros(len(z), complex)
        for factor, power, order, flipped in self.terms():
            term = factor * np.exp(power * log + 1j * order * theta)
            if flipped:
                conjugated += term
            else:
                plain += term
        turn = np.exp(1j * self.corner.bisector)
        return turn * np.stack([plain + conjugated, 1j * (plain - conjugated)], axis=1)

    def streams(self, z: Array) -> Array:
        """Stream functions of the same: −Im(conj(z) φ + ∫χ)."""
        log, theta = self.corner.polar(z)
        log = log - np.log(self.size)
        a, b, c, d = self.coefficients
        s = self.exponent
        found = []
        for multiple in (1, 1j):
            total = np.zeros(len(z), complex)
            conjugated = s.conjugate(), np.conj(b * multiple), np.conj(c * multiple)
            for power, phi, chi in ((s, a * multiple, d * multiple), conjugated):
                whole = np.exp((power + 1) * log + 1j * power * theta)
                total += whole * (phi * np.exp(-1j * theta) + chi / (power + 1) * np.exp(1j * theta))
            found.append(-self.size * total.imag)
        return np.stack(found, axis=1)
