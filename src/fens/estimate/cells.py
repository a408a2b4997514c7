"""Values at scattered places, cell by cell and next to other points: what is smooth in them, and what stands out."""

from __future__ import annotations

import numpy as np

from .._support.steering import Scanning


def smooth_in_cells(points: np.ndarray, values: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """The least squares of values in each cell by a quadratic, or a plane in more than two dimensions."""
    _, cells = np.unique(cells, return_inverse=True)
    width, count = np.ptp(points, axis=0), np.bincount(cells)
    axes = [points[:, i] / width[i] for i in np.flatnonzero(width > 0)]
    axes = [a - (np.bincount(cells, a) / count)[cells] for a in axes]
    squares = [a * b for k, a in enumerate(axes) for b in axes[k:]] if len(axes) <= Scanning.MOST_AXES else []
    columns = [np.ones(len(values)), *axes, *squares]
    columns = [c / (np.sqrt(np.bincount(cells, c * c) / count)[cells] + np.finfo(float).tiny) for c in columns]
    matrix = np.array([[np.bincount(cells, a * b) for b in columns] for a in columns]).transpose(2, 0, 1)
    right = np.stack([np.bincount(cells, a * values) for a in columns], axis=1)
    found = (np.linalg.pinv(matrix, rcond=1e-10, hermitian=True) @ right[:, :, None])[:, :, 0]
    return np.asarray(sum(found[cells, k] * column for k, column in enumerate(columns)))


def part_of_bump(cells: np.ndarray, beside: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The part of all places that are in the cell of one, and stand out at least half as much; for several of them."""
    order = np.argsort(cells, kind="stable")
    starts, ends = (np.searchsorted(cells[order], cells[rows], side) for side in ("left", "right"))
    inside = (beside[order[a:b]] > beside[r] / 2 for a, b, r in zip(starts, ends, rows, strict=True))
    return np.array([np.count_nonzero(i) for i in inside]) / len(cells)


def cells_of(points: np.ndarray) -> np.ndarray:
    """The number of the cell that each point is in, of many."""
    lower, width = points.min(axis=0), np.ptp(points, axis=0)
    along = max(1, round(Scanning.CELLS ** (1 / max(1, int(np.count_nonzero(width))))))
    points, lower, width = points[:, width > 0], lower[width > 0], width[width > 0]
    cells = np.minimum((points - lower) / width * along, along - 1).astype(int)
    return np.asarray((cells @ along ** np.arange(points.shape[1])).astype(np.int16))  # NumPy sorts these by digits


def extremes_in_cells(points: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Where a function is largest and smallest in each of many cells."""
    number = cells_of(points)
    order = np.argsort(number, kind="stable")
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(order)))
    rows = []
    for best in (np.maximum, np.minimum):
        extreme = np.repeat(best.reduceat(values[order], starts), sizes)
        rows.append(order[np.flatnonzero(values[order] == extreme)])
    return np.unique(np.concatenate([r[np.unique(number[r], return_index=True)[1]] for r in rows]))


def ranges_nearby(
    places: np.ndarray, points: np.ndarray, values: np.ndarray, coincide: float = Scanning.COINCIDE
) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest value at the nearest points of each place; points that all but coincide, as those do
    that are graded towards a corner, count as one.
    """
    one_of = apart(points, coincide)
    points, values = points[one_of], values[one_of]
    nearest = _nearest(places, points)
    return values[nearest].min(axis=1), values[nearest].max(axis=1)


def apart(points: np.ndarray, coincide: float = Scanning.COINCIDE) -> np.ndarray:
    """The numbers of points of which no two are much closer to each other than points usually are."""
    width = np.ptp(points, axis=0)
    axes = width > 0
    usual = len(points) ** (-1 / max(1, int(np.count_nonzero(axes))))
    cells = np.floor(points[:, axes] / width[axes] / (coincide * usual))
    return np.sort(np.unique(cells, axis=0, return_index=True)[1]) if axes.any() else np.arange(len(points))


def _nearest(places: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The numbers of the nearest points of each place."""
    width = np.where((w := np.ptp(points, axis=0)) > 0, w, 1.0)
    count = min(Scanning.NEIGHBOURS * points.shape[1] + Scanning.NEIGHBOURS, len(points))
    distance = sum(((places[:, None, i] - points[None, :, i]) / width[i]) ** 2 for i in range(points.shape[1]))
    return np.asarray(np.argpartition(distance, count - 1, axis=1)[:, :count])
