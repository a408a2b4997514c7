"""Points spread evenly over a unit cube."""

from __future__ import annotations

from functools import lru_cache

import numpy as np


def sobol(count: int, dimension: int, rng: np.random.Generator) -> np.ndarray:
    """The first points of a scrambled Sobol sequence."""
    from scipy.stats import qmc  # which takes as long to import as all of fens

    power = max(0, (count - 1).bit_length())  # drawn in full powers of two, else the sequence loses its balance
    points: np.ndarray = qmc.Sobol(dimension, rng=rng).random_base2(power)[:count]
    return points


@lru_cache(maxsize=4)
def fixed_sobol(count: int, dimension: int) -> np.ndarray:
    """The same points each time, for what must not depend on a seed: shares, measures and integrals."""
    points = sobol(count, dimension, np.random.default_rng(0))
    points.flags.writeable = False
    return points
