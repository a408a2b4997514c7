"""References in closed form, or by series that converge everywhere in the domain, corners and sides included."""

import numpy as np
from scipy.special import erfc, factorial, zeta

Array = np.ndarray
TERMS = 120  # of expansions whose terms fall like 0.71ⁿ at worst


def square_with_source(x: Array, y: Array) -> Array:
    """−Δu = 1 on the unit square, u = 0 around it.

    u = x(1−x)/2 − Σ 4/(nπ)³ sin nπx (e^(−nπy) + e^(−nπ(1−y))) / (1 + e^(−nπ)) over odd n. Without the last denominator
    the sum is one of Legendre's chi functions, whose expansion about the corner converges where its series does not.
    """
    x, y = np.minimum(x, 1 - x), np.minimum(y, 1 - y)
    n = np.arange(1, 40, 2)[:, None]
    flat, low = x.reshape(1, -1), y.reshape(1, -1)
    waves = (np.exp(-n * np.pi * low) + np.exp(-n * np.pi * (1 - low))) / (np.exp(n * np.pi) + 1)
    rest = (np.sin(n * np.pi * flat) * waves / n**3).sum(axis=0).reshape(np.shape(x))
    near, far = chi3(1j * np.pi * (x + 1j * y)), chi3(1j * np.pi * (x + 1j * (1 - y)))
    return x * (1 - x) / 2 - 4 / np.pi**3 * (near.imag + far.imag - rest)


def chi3(mu: Array) -> Array:
    """Σ e^(nμ)/n³ over odd n, for Re μ ≤ 0 and 0 ≤ Im μ ≤ π/2: by its expansion about μ = 0, or term by term."""
    close = np.abs(mu) < 2.4
    small, large = np.where(close, mu, -1.0), np.where(close, -1.0, mu)
    n = np.arange(1, 80, 2)
    direct = (np.exp(large[..., None] * n) / n**3).sum(axis=-1)
    return np.where(close, polylog3(small) - polylog3(2 * small) / 8, direct)


def polylog3(mu: Array) -> Array:
    """Li₃(e^μ) = Σ ζ(3−k) μᵏ/k!, but for k = 2 μ²/2 (3/2 − log(−μ)); for |μ| < 2π."""
    k = np.arange(TERMS)
    coefficients = np.zeros(TERMS)
    coefficients[[0, 1]] = zeta(3), zeta(2)
    coefficients[3] = -0.5 / 6
    m = np.arange(4, TERMS)  # ζ(3−k) by its functional equation, with 1/k! taken into it: no number overflows
    s = m - 2
    coefficients[4:] = 2 * np.cos(np.pi * s / 2) * zeta(s) / ((2 * np.pi) ** s * factorial(m) / factorial(s - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.where(mu == 0, 0, mu**2 / 2 * (1.5 - np.log(-mu)))
    return (coefficients * mu[..., None] ** k).sum(axis=-1) + log


def square_with_jump(x: Array, y: Array) -> Array:
    """Δu = 0 on the unit square, u = 1 at y = 1 and 0 on the other sides.

    Σ 4/(nπ) sin nπx sinh nπy / sinh nπ over odd n; its leading part Σ 4/(nπ) sin nπx e^(−nπ(1−y)) is an angle.
    """
    n = np.arange(1, 40, 2)
    x, y = np.asarray(x)[..., None], np.asarray(y)[..., None]
    down = np.exp(-n * np.pi * (1 + y)) - np.exp(-n * np.pi * (3 - y))
    rest = (4 / (n * np.pi) * np.sin(n * np.pi * x) * down / (1 - np.exp(-2 * n * np.pi))).sum(axis=-1)
    x, y = x[..., 0], y[..., 0]
    return 2 / np.pi * np.arctan2(np.sin(np.pi * np.minimum(x, 1 - x)), np.sinh(np.pi * (1 - y))) - rest


def rod(x: Array, t: Array) -> Array:
    """u_t = u_xx on 0 < x < 1, u = 1 at first and 0 at the ends: by images of erfc for short times, by sines else."""
    x, t = (np.asarray(a, dtype=float)[..., None] for a in np.broadcast_arrays(x, t))
    return np.where(t[..., 0] < 0.1, rod_by_images(x, t), rod_by_sines(x, t))


def rod_by_images(x: Array, t: Array) -> Array:
    n = np.arange(6)
    width = 2 * np.sqrt(np.where(t < 0.5, t, 0.5))
    return 1 - ((-1.0) ** n * (erfc((n + x) / width) + erfc((n + 1 - x) / width))).sum(axis=-1)


def rod_by_sines(x: Array, t: Array) -> Array:
    n = np.arange(1, 40, 2)
    return (4 / (n * np.pi) * np.sin(n * np.pi * x) * np.exp(-((n * np.pi) ** 2) * np.maximum(t, 0.01))).sum(axis=-1)
