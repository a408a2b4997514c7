"""The curves g(x, y) = 0, traced on a grid and then exact."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy as sp

from ..._support.stored import stored
from ..expression import compiled, with_gradient
from .curve import Curve

CELLS = 96  # of the grid, along each axis
STEPS = 40
BEND = 0.25  # radians: the most a panel may bend
LONGEST = 12  # vertices of the trace that make one panel at most


@stored("Level")
@dataclass(frozen=True)
class Level(Curve):
    """A closed curve on which g vanishes: over each chord between its vertices, the graph of a function.

    The distance from the chord is found by Newton's method, so that points are on the curve to round-off, and
    velocities follow from the gradient.
    """

    level: sp.Expr
    coordinates: tuple[sp.Symbol, ...]
    vertices: tuple[tuple[float, float], ...]
    closed = True

    @property
    def panels(self) -> int:
        return len(self.vertices)

    @cached_property
    def _chords(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        start = np.array(self.vertices)
        along = np.roll(start, -1, axis=0) - start
        across = np.column_stack([along[:, 1], -along[:, 0]])
        return start, along, across / np.linalg.norm(across, axis=1)[:, None]

    def at(self, parameter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        panel = np.minimum(np.floor(parameter).astype(int), self.panels - 1)
        start, along, across = (a[panel] for a in self._chords)
        base = start + (parameter - panel)[:, None] * along
        points = _onto(self.level, self.coordinates, base, across)
        slopes = _gradient(self.level, self.coordinates, points)
        rise = -np.sum(slopes * along, axis=1) / np.sum(slopes * across, axis=1)
        return points, along + rise[:, None] * across


def traced(
    level: sp.Expr, coordinates: tuple[sp.Symbol, ...], box: tuple[tuple[float, float], ...]
) -> tuple[Level, ...]:
    """All closed curves g = 0 in a box, with the inside, g < 0, on their left."""
    loops = _loops(*_grid(level, coordinates, box))
    found = []
    for loop in loops:
        slopes = _gradient(level, coordinates, loop)
        lengths = np.linalg.norm(slopes, axis=1)[:, None]
        points = _onto(level, coordinates, loop, slopes / np.where(lengths > 0, lengths, 1.0))
        distinct = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1) > 1e-9 * np.ptp(points, axis=0).max()
        points = points[distinct]
        if len(points) < 3 or not np.isfinite(points).all():
            continue
        ahead = np.roll(points, -1, axis=0) - points
        outward = np.column_stack([ahead[:, 1], -ahead[:, 0]])
        if np.sum(outward * _gradient(level, coordinates, points)) < 0:
            points = points[::-1]
        found.append(Level(level, coordinates, tuple(map(tuple, _thinned(level, coordinates, points).tolist()))))
    return tuple(found)


def _gradient(level: sp.Expr, coordinates: tuple[sp.Symbol, ...], points: np.ndarray) -> np.ndarray:
    return np.column_stack(with_gradient(level, coordinates)(*points.T)[1:])


def _onto(
    level: sp.Expr, coordinates: tuple[sp.Symbol, ...], base: np.ndarray, across: np.ndarray
) -> np.ndarray:
    """The points base + h·across on the curve, by Newton's method for h from zero."""
    function = with_gradient(level, coordinates)
    points, size, last = base, float(np.abs(base).max(initial=0.0)), np.inf
    for _ in range(STEPS):
        g, *slopes = function(*points.T)
        slope = np.sum(np.column_stack(slopes) * across, axis=1)
        step = g / np.where(slope == 0, 1.0, slope)
        points = points - step[:, None] * across
        largest = np.abs(step).max(initial=0.0)
        if largest <= 1e-15 * size or (largest <= 1e-11 * size and largest >= last / 2):  # at round-off
            break
        last = largest
    return points


def _grid(
    level: sp.Expr, coordinates: tuple[sp.Symbol, ...], box: tuple[tuple[float, float], ...]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A grid around the part of the box where g < 0, and the values of g there."""
    g = compiled((level,), coordinates)
    (a, b), (c, d) = box
    for _ in range(8):
        x, y = np.linspace(a, b, CELLS + 1), np.linspace(c, d, CELLS + 1)
        X, Y = np.meshgrid(x, y, indexing="ij")
        values = g(X.ravel(), Y.ravel())[0].reshape(X.shape)
        inside = np.argwhere(values < 0)
        if not len(inside):
            break
        # a curve around a single point of the grid can reach beyond its neighbours, not beyond theirs
        (i, j), (k, m) = np.maximum(inside.min(axis=0) - 2, 0), np.minimum(inside.max(axis=0) + 2, CELLS)
        if (k - i) > 0.8 * CELLS and (m - j) > 0.8 * CELLS:
            break
        a, b, c, d = x[i], x[k], y[j], y[m]
    return x, y, np.where(np.isnan(values), np.inf, values)


def _loops(x: np.ndarray, y: np.ndarray, values: np.ndarray) -> list[np.ndarray]:
    """Closed polygons around the negative values, by marching squares."""
    neighbours: dict[tuple[int, int, int], list[tuple[int, int, int]]] = {}
    negative = values < 0
    mixed = negative[:-1, :-1].astype(int) + negative[1:, :-1] + negative[:-1, 1:] + negative[1:, 1:]
    for i, j in np.argwhere((mixed > 0) & (mixed < 4)):
        for one, two in _crossings(int(i), int(j), values, negative):
            neighbours.setdefault(one, []).append(two)
            neighbours.setdefault(two, []).append(one)
    loops = []
    while neighbours:
        start = next(iter(neighbours))
        loop, here = [start], neighbours[start][0]
        while here != start:
            loop.append(here)
            ways = [w for w in neighbours.get(here, []) if w != loop[-2]]
            if not ways:  # the curve leaves the grid
                break
            here = ways[0]
        for edge in loop:
            neighbours.pop(edge, None)
        loops.append(np.array([_place(edge, x, y, values) for edge in loop]))
    return [loop for loop in loops if len(loop) > 2]


def _crossings(
    i: int, j: int, values: np.ndarray, negative: np.ndarray
) -> list[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    """Pairs of the edges of a cell, (axis, i, j), that the curve connects."""
    bottom, top, left, right = (0, i, j), (0, i, j + 1), (1, i, j), (1, i + 1, j)
    corners = negative[i, j], negative[i + 1, j], negative[i + 1, j + 1], negative[i, j + 1]
    ring = (bottom, right, top, left)
    crossed = [e for k, e in enumerate(ring) if corners[k] != corners[(k + 1) % 4]]
    if len(crossed) == 2:
        return [(crossed[0], crossed[1])]
    centre = values[i : i + 2, j : j + 2].mean() < 0
    if centre == corners[0]:  # the corners of the other sign are cut off
        return [(bottom, right), (top, left)]
    return [(left, bottom), (right, top)]


def _place(edge: tuple[int, int, int], x: np.ndarray, y: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    axis, i, j = edge
    a, b = values[i, j], values[i + (axis == 0), j + (axis == 1)]
    share = float(a / (a - b)) if np.isfinite(a - b) else 0.5
    if axis == 0:
        return float(x[i] + share * (x[i + 1] - x[i])), float(y[j])
    return float(x[i]), float(y[j] + share * (y[j + 1] - y[j]))


def _thinned(level: sp.Expr, coordinates: tuple[sp.Symbol, ...], points: np.ndarray) -> np.ndarray:
    """Fewer vertices, where the curve bends little between them."""
    slopes = _gradient(level, coordinates, points)
    angle = np.unwrap(np.arctan2(slopes[:, 1], slopes[:, 0]))
    kept = [0]
    for k in range(1, len(points) - 1):
        if k + 1 - kept[-1] > LONGEST or np.ptp(angle[kept[-1] : k + 2]) > BEND:
            kept.append(k)
    return points[kept] if len(kept) > 2 else points
