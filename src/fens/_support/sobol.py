"""Points spread evenly over a unit cube."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch

BITS = 53  # of a coordinate, as many as a number in [0, 1) has
HIGHEST = 29  # bit of a direction number, of thirty


def sobol(count: int, dimension: int, rng: np.random.Generator) -> np.ndarray:
    """The first points of a Sobol sequence, scrambled by random triangular matrices and shifts of bits (Matoušek 1998).

    `scipy.stats.qmc.Sobol` does the same and takes several times as long to begin, which a solve does for each piece
    of a boundary, and to be imported; PyTorch has the same direction numbers.
    """
    power = max(0, (count - 1).bit_length())  # drawn in full powers of two, else the sequence loses its balance
    points = rng.integers(0, 2**BITS, (1, dimension))
    for direction in _scrambled(_directions(power, dimension), rng):
        points = np.concatenate([points, points ^ direction])
    return points[:count] * 2.0**-BITS


def _scrambled(directions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Direction numbers times random matrices of bits that are lower triangular, with ones on their diagonals."""
    power, _, dimension = directions.shape
    leading = 2 ** np.arange(BITS - 1, BITS - 1 - power, -1)[:, None]
    columns = rng.integers(leading, 2 * leading, (power, dimension))
    scrambled: np.ndarray = np.bitwise_xor.reduce(directions * columns, axis=1)
    return scrambled


@lru_cache(maxsize=64)
def _directions(power: int, dimension: int) -> np.ndarray:
    """The bits of the direction numbers, the highest first: of which number, which bit, in which dimension."""
    engine = torch.quasirandom.SobolEngine(dimension)  # type: ignore[no-untyped-call]
    numbers = np.asarray(engine.sobolstate)[:, :power].T.astype(np.int64)
    bits: np.ndarray = numbers[:, None, :] >> (HIGHEST - np.arange(power))[None, :, None] & 1
    bits.flags.writeable = False
    return bits


@lru_cache(maxsize=4)
def fixed_sobol(count: int, dimension: int) -> np.ndarray:
    """The same points each time, for what must not depend on a seed: shares, measures and integrals."""
    points = sobol(count, dimension, np.random.default_rng(0))
    points.flags.writeable = False
    return points
