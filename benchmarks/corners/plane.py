"""References for Laplace's equation on polygons: corner functions, fitted on the boundary in a fraction of a second."""

from functools import cache

import numpy as np

from .harmonic import Harmonic, Log, Polynomials, Powers, Side, fitted, misfit

Array = np.ndarray
L_SHAPE = ((0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2))
MOTZ_SIZE = np.sqrt(2)  # the distance from the singular point to the farthest corner
PUBLISHED_MOTZ = (401.162453745234, 87.655920195088, 17.237915079447, -8.071215259698, 1.440272717023)
PUBLISHED_L = 1.0267919261073  # of the L with u = x², at (0.99, 0.99)


def l_sides(value: object) -> list[Side]:
    z = [complex(a, b) for a, b in L_SHAPE]
    return [Side(a, b, value) for a, b in zip(z, z[1:] + z[:1], strict=True)]  # type: ignore[arg-type]


def l_terms(order: int) -> list[Powers | Polynomials]:
    """r^(2k/3) at the reentrant corner, r² log r at all of them, polynomials for the rest.

    Apart from these terms the solution is analytic beyond the sides, by reflection.
    """
    z = [complex(a, b) for a, b in L_SHAPE]
    exponents = tuple(2 * k / 3 for k in range(1, 3 * order // 2) if k % 3)
    logs = [Log(c, np.angle(d - c), np.pi / 2, (2.0,)) for c, d in zip(z, z[1:] + z[:1], strict=True) if c != 1 + 1j]
    inward = Powers(1 + 1j, np.pi / 2, 1.5 * np.pi, exponents, size=1.5)
    return [inward, Log(1 + 1j, np.pi / 2, 1.5 * np.pi, (2.0,)), *logs, Polynomials(1 + 1j, order, 1.5)]


def squared(z: Array) -> Array:
    return z.real**2


def quarter_of_distance_squared(z: Array) -> Array:
    return np.abs(z - 1 - 1j) ** 2 / 4


@cache
def l_squared(order: int = 48) -> Harmonic:
    """Δu = 0 on the L, u = x² around it."""
    return fitted(l_terms(order), l_sides(squared))


@cache
def l_remainder(order: int = 48) -> Harmonic:
    """The harmonic part of −Δu = 1 on the L with u = 0 around it: u + |z − 1 − i|²/4."""
    return fitted(l_terms(order), l_sides(quarter_of_distance_squared))


def l_with_source(x: Array, y: Array) -> Array:
    z = np.asarray(x) + 1j * np.asarray(y)
    return l_remainder()(x, y) - quarter_of_distance_squared(z)


def zero(z: Array) -> Array:
    return np.zeros(np.shape(z))


def motz_sides() -> list[Side]:
    """Those on which the terms of the expansion do not hold by themselves."""
    right = Side(1, 1 + 1j, lambda z: np.full(np.shape(z), 500.0))
    return [right, Side(1 + 1j, -1 + 1j, zero, "neumann"), Side(-1 + 1j, -1, zero, "neumann")]


@cache
def motz(order: int = 80) -> Harmonic:
    """Motz' problem on (−1, 1) × (0, 1): Σ d_k r^(k+1/2) cos (k+1/2)θ, 500 at x = 1, no flux at y = 1, x = −1."""
    exponents = tuple(k + 0.5 for k in range(order))
    return fitted([Powers(0, 0, np.pi, exponents, "cos", MOTZ_SIZE)], motz_sides())


def motz_coefficients() -> Array:
    found = motz()
    (powers,) = found.terms
    return np.array(found.coefficients) / MOTZ_SIZE ** np.array(powers.exponents)  # type: ignore[union-attr]


def misfits() -> dict[str, float]:
    """What bounds the errors of these references."""
    return {
        "L with u = x²": misfit(l_squared(), l_sides(squared)),
        "−Δu = 1 on the L": misfit(l_remainder(), l_sides(quarter_of_distance_squared)),
        "Motz": misfit(motz(), motz_sides()),
    }
