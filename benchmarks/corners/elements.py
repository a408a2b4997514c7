"""A small hp finite element method in the plane: quadrilaterals of high order, graded geometrically towards corners.

−∇·(a∇u) + c u = f with u = 0 or no flux on each side. Cells are quadrilaterals; one with a singular vertex is cut into
rings towards it, two quadrilaterals each. Unknowns inside elements are eliminated element by element.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from scipy import linalg, sparse
from scipy.sparse.linalg import splu

Array = np.ndarray
Coefficient = Callable[[Array, Array, Array], Array]  # of x, y and the values of u from the step before


@dataclass(frozen=True)
class Cell:
    """Four vertices by name, counterclockwise; `layers` rings towards the first one, each smaller by `factor`."""

    vertices: tuple[Hashable, Hashable, Hashable, Hashable]
    layers: int = 0
    factor: float = 0.4

    def quadrilaterals(self, places: dict[Any, complex]) -> list[list[tuple[Any, complex]]]:
        """Names and places of the vertices of its elements."""
        v, a, d, b = self.vertices
        origin, along, across, far = (places[k] for k in (v, a, b, d))

        def named(side: Hashable, level: int) -> tuple[Any, complex]:
            if level > self.layers:
                return v, origin
            s = self.factor**level
            if side == "diagonal":
                bilinear = s * (along - origin) + s * (across - origin) + s * s * (far - along - across + origin)
                return (d if level == 0 else (v, "diagonal", self.vertices, level)), origin + bilinear
            return (side if level == 0 else (v, side, level)), origin + s * (places[side] - origin)

        rings = []
        for k in range(self.layers):
            rings.append([named(a, k + 1), named(a, k), named("diagonal", k), named("diagonal", k + 1)])
            rings.append([named(b, k + 1), named("diagonal", k + 1), named("diagonal", k), named(b, k)])
        n = self.layers
        return [*rings, [(v, origin), named(a, n), named("diagonal", n), named(b, n)]]


@dataclass(frozen=True)
class Line:
    """Lagrange polynomials at the Gauss–Lobatto points of [−1, 1], at Gauss points."""

    order: int

    @cached_property
    def nodes(self) -> Array:
        inner = legendre.legroots(legendre.legder([0] * self.order + [1]))
        return np.concatenate([[-1.0], inner, [1.0]])

    @cached_property
    def _weights(self) -> Array:
        gaps = self.nodes[:, None] - self.nodes + np.eye(self.order + 1)
        return 1 / gaps.prod(axis=1)

    def values(self, s: Array) -> Array:
        """A column for each polynomial, by the barycentric formula."""
        gaps = np.asarray(s)[:, None] - self.nodes
        hit = np.abs(gaps) < 1e-15
        terms = self._weights / np.where(hit, 1.0, gaps)
        found = terms / terms.sum(axis=1, keepdims=True)
        return np.where(hit.any(axis=1, keepdims=True), hit.astype(float), found)

    @cached_property
    def gauss(self) -> tuple[Array, Array]:
        return legendre.leggauss(self.order + 3)

    @cached_property
    def derivative(self) -> Array:
        """From values at nodes to slopes there."""
        gaps = self.nodes[:, None] - self.nodes + np.eye(self.order + 1)
        D = self._weights / self._weights[:, None] / gaps
        D[np.diag_indices_from(D)] = 0
        D[np.diag_indices_from(D)] = -D.sum(axis=1)
        return D


class Mesh:
    """Elements of one order on the cells of a domain, and the numbers of their unknowns; `fixed` sides have u = 0."""

    def __init__(
        self, places: dict[Any, complex], cells: Sequence[Cell], order: int, fixed: Callable[[Array], Array]
    ) -> None:
        self.order, self.line = order, Line(order)
        quads = [q for cell in cells for q in cell.quadrilaterals(places)]
        self.corners = np.array([[place for _, place in q] for q in quads])
        self._number([[name for name, _ in q] for q in quads])
        ends = self.corners[:, [0, 1, 2, 3]], self.corners[:, [1, 2, 3, 0]]
        self._fix(fixed((ends[0] + ends[1]) / 2))
        g, w = self.line.gauss
        L, dL = self.line.values(g), self.line.values(g) @ self.line.derivative
        self.B = np.kron(L, L)  # nodes and Gauss points with the first coordinate running faster
        self.B1, self.B2 = np.kron(L, dL), np.kron(dL, L)
        self.weights = np.kron(w, w)
        self.s1, self.s2 = np.tile(g, len(g)), np.repeat(g, len(g))

    def _number(self, names: list[list[Any]]) -> None:
        """Numbers of the unknowns on the sides of each element: those of vertices, then those of sides, as they run."""
        p = self.order
        vertices: dict[Any, int] = {}
        sides: dict[Any, int] = {}
        rows = []
        for quad in names:
            ids = [vertices.setdefault(name, len(vertices)) for name in quad]
            row = [("v", i) for i in ids]
            for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)):
                key = (min(ids[a], ids[b]), max(ids[a], ids[b]))
                number = sides.setdefault(key, len(sides))
                inner = range(p - 1) if ids[a] < ids[b] else range(p - 2, -1, -1)
                row += [("s", number * (p - 1) + k) for k in inner]
            rows.append(row)
        self.skeleton = np.array([[i if kind == "v" else len(vertices) + i for kind, i in row] for row in rows])
        self.size = len(vertices) + len(sides) * (p - 1)

    def _fix(self, fixed: Array) -> None:
        """Marks the unknowns of sides with u = 0, their ends included."""
        p, held = self.order, np.zeros(self.size, dtype=bool)
        for k, (a, b) in enumerate(((0, 1), (1, 2), (2, 3), (3, 0))):
            local = [a, b, *range(4 + k * (p - 1), 4 + (k + 1) * (p - 1))]
            held[self.skeleton[fixed[:, k]][:, local].ravel()] = True
        self.free = np.flatnonzero(~held)

    @cached_property
    def local(self) -> tuple[Array, Array]:
        """Nodes of an element on its sides, in the order of the skeleton, and those inside."""
        p = self.order
        number = np.arange((p + 1) ** 2).reshape(p + 1, p + 1)  # [second, first]
        outer = [number[0, 0], number[0, p], number[p, p], number[p, 0]]
        outer += [*number[0, 1:p], *number[1:p, p], *number[p, p - 1 : 0 : -1], *number[p - 1 : 0 : -1, 0]]
        return np.array(outer), number[1:p, 1:p].ravel()

    def geometry(self, e: int, s1: Array, s2: Array) -> tuple[Array, Array, Array]:
        """Places, and their derivatives by both local coordinates, as complex numbers."""
        a, b, c, d = self.corners[e]
        low, high = (1 - s1) * a + (1 + s1) * b, (1 - s1) * d + (1 + s1) * c
        place = ((1 - s2) * low + (1 + s2) * high) / 4
        return place, ((1 - s2) * (b - a) + (1 + s2) * (c - d)) / 4, ((1 - s1) * (d - a) + (1 + s1) * (c - b)) / 4

    def matrices(self, e: int, u: Array, a: Coefficient, c: Coefficient, f: Coefficient) -> tuple[Array, Array]:
        """∫ a∇v·∇w + c v w and ∫ f v of one element, u being its nodal values."""
        place, d1, d2 = self.geometry(e, self.s1, self.s2)
        area = (d1.conjugate() * d2).imag
        at = place.real, place.imag, self.B @ u
        scale = np.sqrt(self.weights * a(*at) / area)[:, None]
        gx = scale * (d2.imag[:, None] * self.B1 - d1.imag[:, None] * self.B2)
        gy = scale * (d1.real[:, None] * self.B2 - d2.real[:, None] * self.B1)
        mass = self.B.T @ ((self.weights * area * c(*at))[:, None] * self.B)
        return gx.T @ gx + gy.T @ gy + mass, self.B.T @ (self.weights * area * f(*at))

    def solve(self, u: Array, a: Coefficient, c: Coefficient, f: Coefficient) -> Array:
        """Nodal values of all elements, [element, node]."""
        outer, inner = self.local
        small, loads, backs = [], np.zeros(self.size), []
        for e in range(len(self.corners)):
            K, load = self.matrices(e, u[e], a, c, f)
            back = linalg.solve(K[np.ix_(inner, inner)], np.c_[K[np.ix_(inner, outer)], load[inner]], assume_a="sym")
            condensed = K[np.ix_(outer, outer)] - K[np.ix_(outer, inner)] @ back[:, :-1]
            small.append((condensed + condensed.T) / 2)
            np.add.at(loads, self.skeleton[e], load[outer] - K[np.ix_(outer, inner)] @ back[:, -1])
            backs.append(back)
        skeleton = self._solve_skeleton(np.array(small), loads)
        found = np.empty((len(self.corners), (self.order + 1) ** 2))
        for e, back in enumerate(backs):
            found[e, outer] = skeleton[self.skeleton[e]]
            found[e, inner] = back[:, -1] - back[:, :-1] @ found[e, outer]
        return found

    def _solve_skeleton(self, small: Array, loads: Array) -> Array:
        n = small.shape[1]
        rows, columns = np.repeat(self.skeleton, n, axis=1).ravel(), np.tile(self.skeleton, (1, n)).ravel()
        K = sparse.csc_matrix((small.ravel(), (rows, columns)), (self.size, self.size))[self.free][:, self.free]
        found = np.zeros(self.size)
        found[self.free] = splu(K.tocsc(), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve(
            loads[self.free]
        )
        return found

    def nothing(self) -> Array:
        return np.zeros((len(self.corners), (self.order + 1) ** 2))

    def integral(self, u: Array, integrand: Coefficient) -> float:
        """Of a function of x, y and u."""
        total = 0.0
        for e in range(len(self.corners)):
            place, d1, d2 = self.geometry(e, self.s1, self.s2)
            area = (d1.conjugate() * d2).imag
            total += float(np.sum(self.weights * area * integrand(place.real, place.imag, self.B @ u[e])))
        return total

    def evaluate(self, u: Array, x: Array, y: Array) -> Array:
        """u at points, each of which lies in an element or on its sides."""
        z, found = np.asarray(x) + 1j * np.asarray(y), np.full(len(x), np.nan)
        for e, corners in enumerate(self.corners):
            sides = np.roll(corners, -1) - corners
            left = (sides.conjugate() * (z[:, None] - corners)).imag / np.abs(sides)
            mine = np.flatnonzero((left > -1e-12 * np.abs(sides)).all(axis=1) & np.isnan(found))
            if len(mine):
                s1, s2 = self._located(e, z[mine])
                V = np.einsum("nj,ni->nji", self.line.values(s2), self.line.values(s1)).reshape(len(mine), -1)
                found[mine] = V @ u[e]
        return found

    def _located(self, e: int, z: Array) -> tuple[Array, Array]:
        """Local coordinates of points, by Newton's method."""
        s1, s2 = np.zeros(len(z)), np.zeros(len(z))
        for _ in range(12):
            place, d1, d2 = self.geometry(e, s1, s2)
            gap, area = z - place, (d1.conjugate() * d2).imag
            s1 = s1 + (gap.conjugate() * d2).imag / area
            s2 = s2 + (d1.conjugate() * gap).imag / area
        return s1, s2


def one(x: Array, y: Array, u: Array) -> Array:
    return np.ones_like(x)


def none(x: Array, y: Array, u: Array) -> Array:
    return np.zeros_like(x)
