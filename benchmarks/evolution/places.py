"""Where and when errors are looked for: everywhere, at all times, and more often at first."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import qmc

Array = np.ndarray
GOLDEN = (np.sqrt(5) - 1) / 2


def spread(bounds: Sequence[tuple[float, float]], power: int = 12) -> Array:
    """2^power points in a box of which time is the last axis.

    A quarter is at times that go down to 1e-7 of the whole, evenly in their logarithm, an eighth at the first instant
    and an eighth at the last.
    """
    part = qmc.Sobol(len(bounds), seed=0).random_base2(power)
    some = len(part) // 8
    part[: 2 * some, -1] = 10.0 ** (-7 * part[: 2 * some, -1])
    part[2 * some : 3 * some, -1] = 0.0
    low, high = np.array(bounds, dtype=float).T
    points = low + (high - low) * part
    points[3 * some : 4 * some, -1] = high[-1]
    return points


def along(start: float, stop: float, count: int) -> Array:
    """Places between two ends, no two of them at the same distance."""
    return np.sort(start + (stop - start) * ((0.5 + GOLDEN * np.arange(count)) % 1))


def early_and_late(end: float, count: int, decades: int = 7) -> Array:
    """Times from the first to the last, half of them evenly, half evenly in their logarithm."""
    early = end * 10.0 ** np.linspace(-decades, 0, count - count // 2, endpoint=False)
    return np.unique(np.concatenate([np.linspace(0, end, count // 2), early]))
