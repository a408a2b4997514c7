"""The six problems: what they are, their exact solutions, and the points that errors are taken at, in plain NumPy.

Every solver states the problems itself, as its user would; from here come only the solution that it is held against
and the points. Both environments import this.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

LEVELS = (1e-3, 1e-6, 1e-9, 1e-12)  # errors to be reached
SEED = 20261116  # of the points, which no solver knows


@dataclass(frozen=True)
class Problem:
    """A problem with its solution. Points are arrays with one row each; time is the last coordinate."""

    name: str
    title: str
    statement: str
    bounds: tuple[tuple[float, float], ...]
    exact: Callable[[np.ndarray], np.ndarray]
    inside: Callable[[np.ndarray], np.ndarray] = lambda x: np.ones(len(x), bool)
    points: int = 4000

    def test_points(self) -> np.ndarray:
        """Even random points, the first half of them inside, the others on the faces of the bounding box."""
        rng = np.random.default_rng(SEED)
        low, high = np.array(self.bounds).T
        x = low + (high - low) * rng.random((self.points, len(low)))
        on_face = np.arange(self.points // 2, self.points)
        axis = rng.integers(0, len(low), len(on_face))
        x[on_face, axis] = np.where(rng.random(len(on_face)) < 0.5, low[axis], high[axis])
        return x[self.inside(x)]

    def error(self, predict: Callable[[np.ndarray], np.ndarray]) -> float:
        """The largest error at the test points; infinite if a value is not finite."""
        x = self.test_points()
        found = np.asarray(predict(x), dtype=float).reshape(len(x))
        return float(np.abs(found - self.exact(x)).max()) if np.isfinite(found).all() else float("inf")


def _helmholtz(x: np.ndarray) -> np.ndarray:
    return np.sin(np.pi * x[:, 0]) * np.sin(4 * np.pi * x[:, 1])


def _heat(x: np.ndarray) -> np.ndarray:
    return 2 * np.exp(-x[:, 2]) * np.sin(np.pi * x[:, 0] / 2) * np.sin(np.pi * x[:, 1] / 2)


def _burgers(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp((x[:, 0] - x[:, 1]) / 0.02))


def _poisson(x: np.ndarray) -> np.ndarray:
    m = x.mean(axis=1)
    return m**2 + np.sin(m)


def _holed(x: np.ndarray) -> np.ndarray:
    return np.exp(x[:, 0]) * np.sin(3 * x[:, 1])


def _outside_disc(x: np.ndarray) -> np.ndarray:
    return np.hypot(x[:, 0] - 0.5, x[:, 1] - 0.5) >= 0.25


UNIT = (0.0, 1.0)
PROBLEMS = {
    p.name: p
    for p in (
        Problem("helmholtz", "Helmholtz", "Δu + u = f on (0,1)², u = sin πx sin 4πy", (UNIT,) * 2, _helmholtz),
        Problem(
            "heat",
            "Heat, two dimensions and time",
            "u_t = Δu + f on (0,1)² × (0,1], u = 2e^(−t) sin(πx/2) sin(πy/2)",
            (UNIT,) * 3,
            _heat,
        ),
        Problem(
            "burgers",
            "Burgers",
            "u_t + u u_x = u_xx/100 + f on (0,1) × (0,1], a front: u = 1/(1 + e^(50(x−t)))",
            (UNIT,) * 2,
            _burgers,
        ),
        Problem(
            "poisson_5d",
            "Poisson, five dimensions",
            "−Δu = f on (−1,1)⁵, u = m² + sin m, m the mean of x",
            ((-1.0, 1.0),) * 5,
            _poisson,
        ),
        Problem(
            "poisson_10d",
            "Poisson, ten dimensions",
            "−Δu = f on (−1,1)¹⁰, u = m² + sin m, m the mean of x",
            ((-1.0, 1.0),) * 10,
            _poisson,
            points=2000,
        ),
        Problem(
            "holed_square",
            "Poisson on a square without a disc",
            "Δu = f on (0,1)² without the disc of radius 1/4 in its middle, u = e^x sin 3y",
            (UNIT,) * 2,
            _holed,
            _outside_disc,
        ),
    )
}
