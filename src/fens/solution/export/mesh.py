"""Cells that fill a domain, for programs that draw meshes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.spatial import Delaunay, QhullError

from ...errors import UnsupportedEquation
from ...geometry import Box, Cylinder, Demand, Domain, Grid
from .places import Axes, rows_of

# how VTK calls cells, and in which order it lists the corners of those that are products
VERTEX, LINE, TRIANGLE, QUAD, TETRAHEDRON, HEXAHEDRON, WEDGE = 1, 3, 5, 9, 10, 12, 13
PRODUCTS = {0: VERTEX, 1: LINE, 2: QUAD, 3: HEXAHEDRON}
SIMPLICES = {1: LINE, 2: TRIANGLE, 3: TETRAHEDRON}
EXTRUDED = {VERTEX: LINE, LINE: QUAD, TRIANGLE: WEDGE, QUAD: HEXAHEDRON}
NEAR = 0.4  # of the distance between points, from the boundary within which others than its own are left out
NEAREST = 1e-9  # of the length of a crack: what is closer is on it
FLAT = 1e-3  # volume of a cell relative to that of one of a grid, below which it is none


@dataclass(frozen=True)
class Mesh:
    """Points as rows, and cells of one kind as rows of their numbers."""

    points: np.ndarray
    cells: np.ndarray
    kind: int

    def extruded(self, along: np.ndarray) -> Mesh:
        """The mesh through values of a further coordinate."""
        n, steps = len(self.points), np.arange(len(along))
        points = np.column_stack([np.tile(self.points, (len(along), 1)), np.repeat(along, n)])
        layers = [self.cells + n * k for k in steps]
        turned = [layer[:, ::-1] for layer in layers] if self.kind == LINE else layers  # round a quad, not across it
        cells = [np.concatenate([low, high], axis=1) for low, high in zip(layers[:-1], turned[1:], strict=True)]
        return Mesh(points, np.concatenate(cells), EXTRUDED[self.kind])

    def only(self, keep: np.ndarray) -> Mesh:
        """Some of the cells, with the points that they need."""
        cells = self.cells[keep]
        used, numbers = np.unique(cells, return_inverse=True)
        return Mesh(self.points[used], numbers.reshape(cells.shape), self.kind)


def mesh_of(domain: Domain, counts: tuple[int, ...]) -> Mesh:
    """A mesh of a domain with about so many points along the axes; curved boundaries have points of their own."""
    if isinstance(domain, Cylinder):
        return mesh_of(domain.base, counts[:-1]).extruded(np.linspace(domain.start, domain.end, counts[-1]))
    if isinstance(domain, Box):
        ends = zip(domain.coordinates, domain.intervals, counts, strict=True)
        return grid_mesh({x: np.linspace(a, b, n) for x, (a, b), n in ends})
    return _triangulated(domain, counts)


def grid_mesh(axes: Axes) -> Mesh:
    """The cells of a grid, of as many dimensions as there are axes with more than one value."""
    points = rows_of(axes)
    shape = [a.size for a in axes.values()]
    numbers = np.arange(len(points)).reshape(shape)
    long = [i for i, n in enumerate(shape) if n > 1]
    if len(long) > 3:
        raise UnsupportedEquation(
            f"A mesh has up to three dimensions; here {len(long)} coordinates vary. Fix the others by numbers: "
            "points={x: xs, y: ys, z: 0.5}."
        )
    corners = []
    for offsets in _corners(len(long)):
        part = [slice(None)] * len(shape)
        for i, o in zip(long, offsets, strict=True):
            part[i] = slice(o, shape[i] - 1 + o)
        corners.append(numbers[tuple(part)].ravel())
    return Mesh(points, np.stack(corners, axis=1), PRODUCTS[len(long)])


def _corners(d: int) -> list[tuple[int, ...]]:
    """The corners of a cell in the order of VTK: round the bottom, then round the top."""
    if d < 2:
        return list(product((0, 1), repeat=d))
    ring = [(0, 0), (1, 0), (1, 1), (0, 1)]
    return [(*at, *top) for top in product((0, 1), repeat=d - 2) for at in ring]


def _triangulated(domain: Domain, counts: tuple[int, ...]) -> Mesh:
    """Triangles or tetrahedra between points of a grid inside and of the boundary."""
    spacing = 2 * np.array(domain.half_widths) / (np.array(counts) - 1)
    points = _points(domain, counts, float(np.min(spacing)))
    d = points.shape[1]
    scaled = (points - points.min(axis=0)) / spacing
    if d == 1:
        order = np.argsort(points[:, 0])
        simplices = np.stack([order[:-1], order[1:]], axis=1)
    else:
        try:
            simplices = Delaunay(scaled).simplices
        except QhullError as error:
            raise UnsupportedEquation(f"{domain.name} has too few points for a mesh; take more.") from error
    size = np.linalg.det(scaled[simplices[:, 1:]] - scaled[simplices[:, :1]])
    turned = size < 0  # VTK lists corners so that volumes are positive
    simplices[turned, -2:] = simplices[turned, -2:][:, ::-1]
    solid = np.abs(size) > FLAT
    middle = points[simplices].mean(axis=1)
    inside = solid & (domain.signed_distance(middle) < 0)
    mesh = Mesh(points, simplices, SIMPLICES[d]).only(inside)
    for crack in domain.cracks:
        mesh = _parted(mesh, crack)
    return mesh


def _parted(mesh: Mesh, crack: tuple[tuple[float, float], tuple[float, float]]) -> Mesh:
    """A mesh in which the two sides of a crack have points of their own, each on its side."""
    tip, along = np.array(crack[1]), np.array(crack[0]) - np.array(crack[1])
    length = np.linalg.norm(along)
    left = np.array([-along[1], along[0]]) / length
    far, off = (mesh.points - tip) @ along / length, (mesh.points - tip) @ left
    upon = np.flatnonzero((np.abs(off) < NEAREST * length) & (far > NEAREST * length) & (far < length * (1 + NEAREST)))
    on_left = (mesh.points[mesh.cells].mean(axis=1) - tip) @ left > 0
    mirrored = mesh.points[upon] - 2 * off[upon, None] * left
    other = np.arange(len(mesh.points))
    other[upon] = len(mesh.points) + np.arange(len(upon))
    elsewhere = (off[mesh.cells] > 0) != on_left[:, None]  # a point of the crack that is on the other side
    cells = np.where(elsewhere, other[mesh.cells], mesh.cells)
    return Mesh(np.concatenate([mesh.points, mirrored]), cells, mesh.kind).only(np.ones(len(cells), dtype=bool))


def _points(domain: Domain, counts: tuple[int, ...], spacing: float) -> np.ndarray:
    """Points of a grid that are not too near to the boundary, or on it, and points of the boundary."""
    seed, grid = np.random.SeedSequence(0), Grid(*counts)
    inside = grid.sample(Demand.inside(domain), seed)[0].points
    signed_distance = domain.signed_distance(inside)
    inside = inside[(signed_distance < -NEAR * spacing) | (np.abs(signed_distance) <= domain.slack)]
    rim = grid.sample(Demand(domain, (domain, domain.boundary), (1, 1), 1), seed)[1].points
    both = np.concatenate([rim, inside])
    rounded = np.round(both / (1e-6 * spacing))
    return np.asarray(both[np.sort(np.unique(rounded, axis=0, return_index=True)[1])])
