"""Stokes flow in the unit square under a lid that moves with velocity 1: corner functions, fitted on the boundary.

U = u + iv is the sum of two paint scrapers at the lid's corners (Taylor, 1962), which have its jumps, of the fields
with complex exponents that right angles have between walls at rest (Moffatt, 1964) at all four corners, and of
polynomials. All of them satisfy Stokes' equations, so that what is left on the walls bounds the error, up to a factor
of order one. The flow is symmetric: u is even in x − 1/2, v odd.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from .goursat import Corner, Field

Array = np.ndarray
C = 1 / (1 - np.pi**2 / 4)
B, D = -(np.pi**2) / 4 * C, -np.pi / 2 * C
BOTTOM, TOP = Corner(0j, np.pi / 4, np.pi / 2), Corner(1j, -np.pi / 4, np.pi / 2)


def exponents(count: int) -> list[complex]:
    """The first roots of sin(λπ/2)² = λ² beyond 1, each found from the one before."""
    found, value = [], 2.74 + 1.12j
    for _ in range(count):
        for _ in range(30):
            value -= (np.sin(value * np.pi / 2) ** 2 - value**2) / (np.pi / 2 * np.sin(value * np.pi) - 2 * value)
        found.append(complex(value))
        value += 2.05 + 0.1j
    return found


def scraper(z: Array) -> tuple[Array, Array]:
    """U and ψ next to a lid's left end at the origin, the wall going down from there: ψ = θ(Cx + Dy) + By."""
    x, y = z.real, z.imag
    theta, r2 = np.arctan2(y, x), np.abs(z) ** 2
    u = x / r2 * (C * x + D * y) + theta * D + B
    v = y / r2 * (C * x + D * y) - theta * C
    return u + 1j * v, theta * (C * x + D * y) + B * y


def scrapers(z: Array) -> tuple[Array, Array]:
    """Those of both ends of the lid."""
    left, right = scraper(z - 1j), scraper(mirrored(z) - 1j)
    return left[0] + right[0].conjugate(), left[1] + right[1]


def mirrored(z: Array) -> Array:
    return 1 - z.conjugate()


@dataclass(frozen=True)
class Polynomials:
    """φ and χ of powers of z − centre."""

    degree: int
    centre: complex = 0.5 + 0.5j
    size: float = 0.75

    def columns(self, z: Array) -> Array:
        w, found = ((z - self.centre) / self.size)[:, None], []
        k = np.arange(self.degree + 1)
        for factor in (1, 1j):
            phi, slope = factor * w**k, factor * k * w ** np.maximum(k - 1, 0)
            found += [phi - w * slope.conjugate(), -phi.conjugate()]
        return np.concatenate(found, axis=1)

    def streams(self, z: Array) -> Array:
        w, found = ((z - self.centre) / self.size)[:, None], []
        k = np.arange(self.degree + 1)
        for factor in (1, 1j):
            found += [-(w.conjugate() * factor * w**k).imag, -(factor * w ** (k + 1) / (k + 1)).imag]
        return self.size * np.concatenate(found, axis=1)


@dataclass(frozen=True)
class Terms:
    """Fields at the two left corners and polynomials, made symmetric."""

    fields: int
    degree: int

    @cached_property
    def parts(self) -> list[Field | Polynomials]:
        corners = [Field.of(corner, s, (1.0, 1.0), 1.0) for corner in (BOTTOM, TOP) for s in exponents(self.fields)]
        return [*corners, Polynomials(self.degree)]

    def columns(self, z: Array) -> Array:
        return np.concatenate([p.columns(z) + p.columns(mirrored(z)).conjugate() for p in self.parts], axis=1)

    def streams(self, z: Array) -> Array:
        return np.concatenate([p.streams(z) + p.streams(mirrored(z)) for p in self.parts], axis=1)


def walls(count: int) -> tuple[Array, Array]:
    """Points on the left half of the boundary, denser towards corners, and velocities there."""
    s = np.sin(np.pi / 2 * (np.arange(count) + 0.5) / count) ** 2
    towards = 10.0 ** np.linspace(-9, -3, count // 4)
    half = np.concatenate([s[s < 0.5], towards])
    left = 1j * np.concatenate([s, towards, 1 - towards])
    z = np.concatenate([half, left, half + 1j])
    return z, np.concatenate([np.zeros(len(half) + len(left)), np.ones(len(half))])


def fitted(terms: Terms, count: int = 400) -> tuple[Array, float]:
    """Coefficients, and the largest misfit at other points."""
    z, given = walls(count)
    A, b = terms.columns(z), given - scrapers(z)[0]
    A, b = np.concatenate([A.real, A.imag]), np.concatenate([b.real, b.imag])
    norms = np.linalg.norm(A, axis=0)
    norms[norms < 1e-12] = np.inf  # what is antisymmetric
    coefficients = np.linalg.lstsq(A / norms, b, rcond=1e-15)[0] / norms
    z, given = walls(2 * count + 37)
    return coefficients, float(np.abs(terms.columns(z) @ coefficients - given + scrapers(z)[0]).max())


@cache
def flow(fields: int = 16, degree: int = 32) -> tuple[Terms, Array]:
    terms = Terms(fields, degree)
    return terms, fitted(terms)[0]


def velocity(x: Array, y: Array) -> tuple[Array, Array]:
    U = whole(np.asarray(x) + 1j * np.asarray(y))
    return U.real, U.imag


def whole(z: Array) -> Array:
    """u + iv anywhere in the cavity."""
    terms, coefficients = flow()
    return terms.columns(z) @ coefficients + scrapers(z)[0]


def stream(z: Array) -> Array:
    """ψ anywhere in the cavity, 0 on its walls."""
    terms, coefficients = flow()
    both = np.append(z, 0.5)
    values = terms.streams(both) @ coefficients + scrapers(both)[1]
    return values[:-1] - values[-1]


@cache
def corner_flow(count: int = 14) -> tuple[list[Field], Array]:
    """The flow near the bottom left corner by its own fields alone, fitted to the flow at distances of 0.2 to 0.45.

    There it is known to 1e-13 of the lid's velocity; nearer to the corner only these fields keep all digits.
    """
    fields = [Field.of(BOTTOM, s, (1.0, 1.0), 1.0, 0.5) for s in exponents(count)]
    r, theta = np.meshgrid(np.linspace(0.2, 0.45, 24), np.linspace(0.05, np.pi / 2 - 0.05, 24))
    z = (r * np.exp(1j * theta)).ravel()
    A, b = np.concatenate([f.columns(z) for f in fields], axis=1), whole(z)
    A, b = np.concatenate([A.real, A.imag]), np.concatenate([b.real, b.imag])
    norms = np.linalg.norm(A, axis=0)
    return fields, np.linalg.lstsq(A / norms, b, rcond=1e-15)[0] / norms


def in_corner(z: Array) -> tuple[Array, Array]:
    """u + iv and ψ within a distance of 0.45 of the bottom left corner, all digits of them also where they are tiny."""
    fields, coefficients = corner_flow()
    columns = np.concatenate([f.columns(z) for f in fields], axis=1)
    return columns @ coefficients, np.concatenate([f.streams(z) for f in fields], axis=1) @ coefficients


@cache
def eddies(count: int = 2) -> tuple[tuple[complex, float], ...]:
    """Centres of the first eddies of the bottom left corner, and ψ there; each is about 16.57 times smaller."""
    found, guess = [], 0.038 + 0.038j
    for _ in range(count):
        centre = still(lambda z: in_corner(z)[0], guess)
        found.append((centre, float(in_corner(np.array([centre]))[1][0])))
        guess = centre / 16.57
    return tuple(found)


def still(motion: Callable[[Array], Array], start: complex) -> complex:
    """Where a flow is at rest, by Newton's method with differences."""
    z = start
    for _ in range(30):
        h = 1e-4 * abs(z)
        around = motion(np.array([z, z + h, z - h, z + 1j * h, z - 1j * h]))
        dx, dy = (around[1] - around[2]) / (2 * h), (around[3] - around[4]) / (2 * h)
        J = np.array([[dx.real, dy.real], [dx.imag, dy.imag]])
        step = np.linalg.solve(J, [around[0].real, around[0].imag])
        z -= complex(*step)
        if abs(complex(*step)) < 1e-14 * abs(z):
            break
    return z
