"""The cells of the domains on which finite elements are used, graded towards their corners."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .elements import Cell, Mesh

Array = np.ndarray
I_BEAM = (
    (-0.6, -1.0), (0.6, -1.0), (0.6, -0.7), (0.1, -0.7), (0.1, 0.7), (0.6, 0.7), (0.6, 1.0), (-0.6, 1.0), (-0.6, 0.7),
    (-0.1, 0.7), (-0.1, -0.7), (-0.6, -0.7),
)  # fmt: skip
REENTRANT, CONVEX = 33, 14  # rings, each 0.4 times the last: to 1e-13 and 3e-6 of the cell


def graded(vertices: Sequence[Any], singular: Mapping[Any, int]) -> Cell:
    """A cell whose first vertex is the singular one, if it has one."""
    for k, name in enumerate(vertices):
        if name in singular:
            return Cell((*vertices[k:], *vertices[:k]), singular[name])
    return Cell(tuple(vertices))


def lattice(xs: Sequence[float], ys: Sequence[float]) -> dict[Any, complex]:
    return {(i, j): complex(a, b) for i, a in enumerate(xs) for j, b in enumerate(ys)}


def on_lattice(boxes: Sequence[tuple[int, int]], singular: Mapping[Any, int]) -> list[Cell]:
    return [graded([(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)], singular) for i, j in boxes]


def l_mesh(order: int) -> Mesh:
    """The L, moved so that its reentrant corner is the origin, where coordinates are finest."""
    steps = (-1, -0.5, 0, 0.5, 1)
    singular = {(2, 2): REENTRANT, **dict.fromkeys([(0, 0), (4, 0), (4, 2), (2, 4), (0, 4)], CONVEX)}
    boxes = [(i, j) for i in range(4) for j in range(4) if i < 2 or j < 2]
    return Mesh(lattice(steps, steps), on_lattice(boxes, singular), order, on_l)


def on_l(z: Array) -> Array:
    """Whether midpoints of sides lie on the boundary."""
    x, y = z.real, z.imag
    outer = (np.abs(x + 1) < 1e-14) | (np.abs(y + 1) < 1e-14) | (np.abs(x - 1) < 1e-14) | (np.abs(y - 1) < 1e-14)
    return outer | ((x == 0) & (y > 0)) | ((y == 0) & (x > 0))


def beam_mesh(order: int) -> Mesh:
    """The upper right quarter of the I-beam, moved so that its reentrant corner (0.1, 0.7) is the origin."""
    xs, ys = (-0.1, 0, 0.2, 0.35, 0.5), (-0.7, -0.4, -0.2, -0.1, 0, 0.15, 0.3)
    singular = {(1, 4): REENTRANT, (4, 4): CONVEX, (4, 6): CONVEX}
    boxes = [(i, j) for i in range(4) for j in range(6) if i == 0 or j >= 4]
    return Mesh(lattice(xs, ys), on_lattice(boxes, singular), order, on_beam)


def on_beam(z: Array) -> Array:
    """The sides of the beam, not the lines that cut it in quarters."""
    x, y = z.real, z.imag
    outer = (np.abs(x - 0.5) < 1e-14) | (np.abs(y - 0.3) < 1e-14)
    return outer | ((x == 0) & (y < 0)) | ((y == 0) & (x > 0))


def regular(sides: int) -> Array:
    """The corners of a regular polygon in the unit circle."""
    return np.exp(2j * np.pi * np.arange(sides) / sides)


def regular_mesh(sides: int, order: int) -> Mesh:
    """A regular polygon, a kite for each corner."""
    corners = regular(sides)
    middles = (corners + np.roll(corners, -1)) / 2
    places: dict[Any, complex] = {"centre": 0j}
    places |= {("corner", k): c for k, c in enumerate(corners)} | {("middle", k): m for k, m in enumerate(middles)}
    singular = {("corner", k): CONVEX for k in range(sides)}
    cells = [
        graded([("corner", k), ("middle", k), "centre", ("middle", (k - 1) % sides)], singular) for k in range(sides)
    ]
    ways = middles / np.abs(middles)

    def on_side(z: Array) -> Array:
        return np.max((z[..., None] * ways.conjugate()).real, axis=-1) > np.cos(np.pi / sides) - 1e-13

    return Mesh(places, cells, order, on_side)
