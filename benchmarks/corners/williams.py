"""Plane strain on an L, made of the fields of its reentrant corner between a clamped side and one without traction.

The L is (−1, 1)² without the quadrant x, y > 0. The side y = 0 is clamped, x = 0 free; the first exponent is complex.
"""

from functools import cache

import numpy as np
import sympy as sp

from .goursat import Corner, Field, exponents

Term = tuple[complex, complex, complex]  # coefficient, exponent of r, order in θ
POISSON = sp.Rational(3, 10)
SHEAR = 1 / (2 * (1 + POISSON))  # of Young's modulus 1
LAME = POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
KAPPA = float(3 - 4 * POISSON)
CORNER = Corner(0j, 1.25 * np.pi, 1.5 * np.pi)
MULTIPLES = (1.0 + 0.5j, 0.6, -0.4)  # of the first three exponents
SHAPE = ((-1, -1), (1, -1), (1, 0), (0, 0), (0, 1), (-1, 1))
CLAMPED = 2  # the edge from (1, 0) to (0, 0)


@cache
def fields() -> tuple[Field, ...]:
    """From the bisector the free side comes first in angle, at π/2, the clamped one last, at 2π."""
    kappas = (-1.0, KAPPA)
    return tuple(Field.of(CORNER, s, kappas, KAPPA) for s in exponents(CORNER.opening, kappas, 1.3))


def displacement(x: sp.Symbol, y: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
    """u and v in closed form."""
    terms = []
    for field, multiple in zip(fields(), MULTIPLES, strict=True):
        for factor, power, order, conjugated in field.terms():
            terms.append((factor * (np.conj(multiple) if conjugated else multiple), power, order))
    real, imaginary = summed(terms, complex(np.exp(1j * CORNER.bisector)), x, y)
    return real / (2 * SHEAR), imaginary / (2 * SHEAR)


def exact_stresses(x: sp.Symbol, y: sp.Symbol) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """σ_xx, σ_yy, σ_xy in closed form: σ_xx + σ_yy = 4 Re φ′, σ_yy − σ_xx + 2iσ_xy = 2(conj(z) φ″ + χ′)."""
    mean, deviation = [], []
    for field, multiple in zip(fields(), MULTIPLES, strict=True):
        a, b, c, d = field.coefficients
        s, t = field.exponent, field.exponent.conjugate()
        for power, phi, chi in ((s, a * multiple, d * multiple), (t, np.conj(b * multiple), np.conj(c * multiple))):
            mean.append((2 * power * phi, power - 1, power - 1))
            deviation.append((power * (power - 1) * phi, power - 1, power - 3))
            deviation.append((power * chi, power - 1, power - 1))
    half_sum, _ = summed(mean, 1.0, x, y)
    half_difference, shear = summed(deviation, complex(np.exp(-2j * CORNER.bisector)), x, y)
    return half_sum - half_difference, half_sum + half_difference, shear


def summed(terms: list[Term], turn: complex, x: sp.Symbol, y: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
    """Real and imaginary part of turn · Σ c r^λ e^(iqθ), r^α e^(−Im q θ) times cos and sin of Im λ log r + Re q θ."""
    log, theta = sp.log(x**2 + y**2) / 2, sp.atan2(x - y, -x - y)
    merged: dict[tuple[complex, complex], complex] = {}
    for factor, power, order in terms:
        key = (complex(power), complex(order))
        merged[key] = merged.get(key, 0) + turn * factor
    real = imaginary = sp.S.Zero
    for (power, order), c in merged.items():
        size, angle = sp.exp(power.real * log - order.imag * theta), power.imag * log + order.real * theta
        real += size * (c.real * sp.cos(angle) - c.imag * sp.sin(angle))
        imaginary += size * (c.real * sp.sin(angle) + c.imag * sp.cos(angle))
    return real, imaginary


def stresses(u: sp.Expr, v: sp.Expr, x: sp.Symbol, y: sp.Symbol) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """σ_xx, σ_yy, σ_xy by Hooke's law."""
    spread = LAME * (u.diff(x) + v.diff(y))
    return spread + 2 * SHEAR * u.diff(x), spread + 2 * SHEAR * v.diff(y), SHEAR * (u.diff(y) + v.diff(x))
