"""Whether points lie inside a closed triangulated surface: how often a ray from each crosses it."""

from __future__ import annotations

from functools import cached_property

import numpy as np

DIRECTION = (0.3141592653, 0.2718281828, 0.9095)  # along no plane or edge that anyone draws
NEAR = 1e-9  # of a triangle: how far from it a ray still tells that its plane is near


class Rays:
    """Triangles sorted into the squares of a grid across the rays, so that each point is held against a few."""

    def __init__(self, corners: np.ndarray) -> None:
        self.frame = _frame()
        self.corners = corners @ self.frame
        flat = self.corners[:, :, :2]
        self.cells = max(1, round(np.sqrt(len(corners))))
        self.low = flat.min(axis=(0, 1))
        self.step = np.maximum((flat.max(axis=(0, 1)) - self.low) / self.cells, 1e-300)

    def signed_distance(self, points: np.ndarray) -> np.ndarray:
        """Negative inside; next to the surface, about the distance from it, elsewhere at least that."""
        at = points @ self.frame
        cell = np.floor((at[:, :2] - self.low) / self.step).astype(int)
        within = np.all((cell >= -1) & (cell <= self.cells), axis=1)
        cell = np.clip(cell, 0, self.cells - 1)
        start, count, order = self._sorted
        key = np.where(within, cell[:, 0] * self.cells + cell[:, 1], 0)
        crossings = np.zeros(len(points), dtype=int)
        nearest = np.full(len(points), np.ptp(self.corners))
        rows = np.flatnonzero(within)
        for k in range(int(count.max())):
            rows = rows[count[key[rows]] > k]
            hit, beside, height = self._against(order[start[key[rows]] + k], at[rows])
            crossings[rows] += hit & (height > 0)
            nearest[rows] = np.where(beside, np.minimum(nearest[rows], np.abs(height)), nearest[rows])
        return np.where(crossings % 2 == 1, -nearest, nearest)

    def _against(self, triangle: np.ndarray, at: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Whether rays hit triangles, or pass close by; and how far from their planes the points are, if below."""
        origin, inverse, normal = (a[triangle] for a in self._planes)
        away = at - origin
        u = inverse[:, 0, 0] * away[:, 0] + inverse[:, 0, 1] * away[:, 1]
        v = inverse[:, 1, 0] * away[:, 0] + inverse[:, 1, 1] * away[:, 1]
        least = np.minimum(np.minimum(u, v), 1 - u - v)
        below = -np.sum(away * normal, axis=1) * np.sign(normal[:, 2])
        return least >= 0, least >= -NEAR, below

    @cached_property
    def _planes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        a, b, c = self.corners.transpose(1, 0, 2)
        sides = np.stack([b - a, c - a], axis=2)[:, :2, :]
        determinant = sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]
        adjugate = np.stack(
            [
                np.stack([sides[:, 1, 1], -sides[:, 0, 1]], axis=1),
                np.stack([-sides[:, 1, 0], sides[:, 0, 0]], axis=1),
            ],
            axis=1,
        )
        normal = np.cross(b - a, c - a)
        length = np.maximum(np.linalg.norm(normal, axis=1), 1e-300)[:, None]
        return a, adjugate / np.where(determinant == 0, np.inf, determinant)[:, None, None], normal / length

    @cached_property
    def _sorted(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For each square, where its triangles begin in a list, and how many they are; and the list."""
        flat = self.corners[:, :, :2]
        margin = NEAR * (1 + np.abs(flat).max())
        first = np.clip(np.floor((flat.min(axis=1) - margin - self.low) / self.step).astype(int), 0, self.cells - 1)
        last = np.clip(np.floor((flat.max(axis=1) + margin - self.low) / self.step).astype(int), 0, self.cells - 1)
        spans = last - first + 1
        number = spans[:, 0] * spans[:, 1]
        triangle = np.repeat(np.arange(len(flat)), number)
        within = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
        i, j = np.divmod(within, spans[triangle, 1])
        key = (first[triangle, 0] + i) * self.cells + first[triangle, 1] + j
        order = np.argsort(key, kind="stable")
        count = np.bincount(key, minlength=self.cells**2)
        return np.cumsum(count) - count, count, triangle[order]


def _frame() -> np.ndarray:
    """Orthonormal columns, the last along the rays."""
    ray = np.array(DIRECTION) / np.linalg.norm(DIRECTION)
    one = np.cross(ray, [0.0, 1.0, 0.0])
    one /= np.linalg.norm(one)
    return np.column_stack([one, np.cross(ray, one), ray])
