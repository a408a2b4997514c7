"""Some of many points that cover a region as all of them do."""

from __future__ import annotations

import numpy as np

BITS = 60  # of a place along the curve


def subsample(points: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Indices of `count` of the points, each chosen at random among neighbours.

    Neighbours are those along a space-filling curve, so that, unlike in a random subset, no gap is left.
    """
    groups = np.array_split(along_curve(points), min(count, len(points)))
    return np.array([group[rng.integers(len(group))] for group in groups])


def along_curve(points: np.ndarray) -> np.ndarray:
    """The order of points along Morton's curve: by the interleaved bits of their coordinates."""
    lower, width = points.min(axis=0), np.ptp(points, axis=0)
    unit = (points - lower) / np.where(width > 0, width, 1.0)
    axes = min(points.shape[1], BITS)
    bits = BITS // axes
    cells = np.minimum(np.floor(unit * 2**bits), 2**bits - 1).astype(np.int64)
    code = np.zeros(len(points), dtype=np.int64)
    for bit in range(bits):
        for axis in range(axes):
            code |= (cells[:, axis] >> bit & 1) << (bit * axes + axis)
    return np.argsort(code, kind="stable")
