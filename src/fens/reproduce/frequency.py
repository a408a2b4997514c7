"""What the features of an activation can represent, frequency by frequency.

The paper leaves this for the future. Here M features σ(ρ(w x + b)) on [−1, 1], drawn as the paper draws them, fit
cos kx and sin kx by least squares, for many ρ and k; and the spectrum of a feature is taken. Both are computed from the
formula itself, with NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .cells import Cell

POINTS = 1000
SCALES = np.geomspace(1, 400, 40)
FREQUENCIES = np.geomspace(1, 400, 40)
SPECTRUM = np.arange(1, 257)  # periods of the interval that spectra are taken at
ROUND_OFF = 1e-16

SIGMA: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "cos": np.cos,
    "sin": np.sin,
    "tanh": np.tanh,
    "sigmoid": lambda z: 0.5 + 0.5 * np.tanh(z / 2),
    "swish": lambda z: z * (0.5 + 0.5 * np.tanh(z / 2)),
}


def run_frequency(cell: Cell) -> dict[str, Any]:
    """Errors of the best fits, over ρ and k; the best error at each k, and the spectrum at the scale that is best."""
    errors = np.array([response(cell.activation, cell.features, rho, cell.seed) for rho in SCALES])
    middle = SCALES[int(np.argmin(np.log(errors).mean(1)))]
    return {
        "scales": _short(SCALES),
        "frequencies": _short(FREQUENCIES),
        "errors": [_short(row) for row in errors],
        "rho": [float(f"{middle:.4g}")],
        "spectrum": _short(spectrum(cell.activation, cell.features, middle, cell.seed)),
    }


def response(activation: str, features: int, rho: float, seed: int) -> np.ndarray:
    """The largest error of the least-squares fits of cos kx and sin kx, for each k, at points between those fitted."""
    fitted, between = np.linspace(-1, 1, POINTS), np.linspace(-1, 1, 2 * POINTS - 1)[1::2]
    A, B = (matrix(activation, features, rho, seed, x) for x in (fitted, between))
    targets = np.concatenate([np.cos(np.outer(fitted, FREQUENCIES)), np.sin(np.outer(fitted, FREQUENCIES))], axis=1)
    expected = np.concatenate([np.cos(np.outer(between, FREQUENCIES)), np.sin(np.outer(between, FREQUENCIES))], axis=1)
    weights = np.linalg.lstsq(A, targets, rcond=None)[0]
    largest = np.abs(B @ weights - expected).max(0).reshape(2, -1).max(0)
    return np.asarray(np.maximum(largest, ROUND_OFF))


def spectrum(activation: str, features: int, rho: float, seed: int) -> np.ndarray:
    """The root mean square, over features, of their Fourier coefficients on the interval, with a smooth window."""
    x = np.linspace(-1, 1, 8 * len(SPECTRUM), endpoint=False)
    window = np.cos(np.pi * x / 2) ** 4
    coefficients = np.fft.rfft(matrix(activation, features, rho, seed, x) * window[:, None], axis=0)[SPECTRUM]
    return np.asarray(np.maximum(np.sqrt((np.abs(coefficients) ** 2).mean(1)) / len(x), ROUND_OFF))


def matrix(activation: str, features: int, rho: float, seed: int, x: np.ndarray) -> np.ndarray:
    """σ(ρ(w x + b)), a row for each point; w and b uniform with unit variance."""
    w, b = np.random.default_rng(seed).uniform(-np.sqrt(3), np.sqrt(3), (2, features))
    z = rho * (np.outer(x, w) + b)
    if activation != "cos_sin":
        return SIGMA[activation](z)
    half = features // 2
    return np.concatenate([np.cos(z[:, :half]), np.sin(z[:, half:])], axis=1)


def _short(values: np.ndarray) -> list[float]:
    return [float(f"{v:.3g}") for v in values]
