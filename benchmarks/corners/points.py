"""Where errors are looked for: everywhere, and towards each corner down to 1e-8 of it."""

from collections.abc import Sequence

import numpy as np
from scipy.stats import qmc

Array = np.ndarray
Corner = tuple[float, float, float, float]  # x, y, and the angles between which the domain lies there
DISTANCES = 10.0 ** -np.arange(1, 9)
ANGLES = 9


def near(corners: Sequence[Corner], distances: Array = DISTANCES, angles: int = ANGLES) -> Array:
    """Points at all distances of each corner, at angles strictly between its sides, the outermost close to these."""
    part = (1 - np.cos(np.pi * (np.arange(angles) + 0.5) / angles)) / 2
    found = []
    for x, y, first, last in corners:
        theta = first + (last - first) * part
        r, theta = (a.ravel() for a in np.meshgrid(distances, theta, indexing="ij"))
        found.append(np.stack([x + r * np.cos(theta), y + r * np.sin(theta)], axis=1))
    return np.concatenate(found)


def inside(vertices: Sequence[tuple[float, float]], count: int = 600, margin: float = 1e-6) -> Array:
    """Points spread evenly in a polygon, none closer to its sides than a margin."""
    corners = np.array(vertices, dtype=float)
    low, high = corners.min(axis=0), corners.max(axis=0)
    many = low + (high - low) * qmc.Sobol(2, seed=0).random_base2(int(np.ceil(np.log2(6 * count))))
    within = (winding(many, corners) != 0) & (distance_to_sides(many, corners) > margin)
    return many[within][:count]


def winding(points: Array, corners: Array) -> Array:
    """How many times a polygon goes around each point."""
    steps = (corners - points[:, None, :]) @ np.array([1, 1j])
    return np.rint(np.angle(np.roll(steps, -1, axis=1) / steps).sum(axis=1) / (2 * np.pi)).astype(int)


def distance_to_sides(points: Array, corners: Array) -> Array:
    z, starts = points @ np.array([1, 1j]), corners @ np.array([1, 1j])
    sides = np.roll(starts, -1) - starts
    along = np.clip(((z[:, None] - starts) / sides).real, 0, 1)
    return np.abs(z[:, None] - starts - along * sides).min(axis=1)


def corners_of(vertices: Sequence[tuple[float, float]]) -> list[Corner]:
    """The corners of a polygon that goes counterclockwise, with the angles of their two sides."""
    z = np.array(vertices, dtype=float) @ np.array([1, 1j])
    first = np.angle(np.roll(z, -1) - z)
    opening = np.angle((np.roll(z, 1) - z) / (np.roll(z, -1) - z)) % (2 * np.pi)
    return [(c.real, c.imag, a, a + o) for c, a, o in zip(z, first, opening, strict=True)]


def of_polygon(vertices: Sequence[tuple[float, float]], count: int = 600) -> Array:
    """Points everywhere in a polygon, and near all its corners."""
    return np.concatenate([inside(vertices, count), near(corners_of(vertices))])
