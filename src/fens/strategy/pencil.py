"""Which powers of the distance solutions have next to a place: the exponents λ of all r^λ f(θ).

Next to a place where sides meet, the leading terms of equations and conditions alone decide. Put into them, r^λ f(θ)
leaves equations for f along the arc of each sector, polynomial in λ, which have a solution for some λ only. They are
collocated in Chebyshev points. Unknowns may be of different orders, as velocities and a pressure are: the degree of
each is λ and a number of its own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .._support.steering import CornerPencil

Orders = tuple[int, int]


@dataclass(frozen=True)
class Term:
    """c ∂^orders of an unknown; along a side, at the first or at the last angle of that unknown's sector."""

    c: float
    unknown: int
    orders: Orders
    at_last: bool = False

    @property
    def order(self) -> int:
        """The number of derivatives."""
        return sum(self.orders)


Row = tuple[Term, ...]


@dataclass(frozen=True)
class Junction:
    """Sectors that meet at a place: the first and the last angle of each unknown, the equations, as many as unknowns,
    and all conditions along sides.

    `raised` is by how much the degrees of unknowns are higher than equations make them, which leave that open.
    """

    sectors: tuple[tuple[float, float], ...]
    inside: tuple[Row, ...]
    along: tuple[Row, ...]
    raised: tuple[int, ...] = ()

    @cached_property
    def degrees(self) -> tuple[int, ...] | None:
        """What is added to λ for each unknown, 0 for the highest; None if equations do not determine the unknowns."""
        weights = self._weights
        return None if weights is None else tuple(t - max(weights[1]) for t in weights[1])

    @cached_property
    def _weights(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Numbers s of the equations and t of the unknowns: the leading terms are those of the order s + t."""
        n = len(self.sectors)
        if len(self.inside) != n or n > CornerPencil.MOST:
            return None
        orders = np.full((n, n), -np.inf)
        for i, row in enumerate(self.inside):
            for term in row:
                orders[i, term.unknown] = max(orders[i, term.unknown], term.order)
        matched = max(itertools.permutations(range(n)), key=lambda p: orders[range(n), list(p)].sum())
        own = orders[range(n), list(matched)]
        if not np.isfinite(own).all():
            return None
        t = np.zeros(n)
        for _ in range(n):  # the longest ways: each equation has no term above its own
            for i, j in enumerate(matched):
                t = np.maximum(t, orders[i] - own[i] + t[j])
        if self.raised:
            t = t + np.array(self.raised)
        s = own - t[list(matched)]
        if (orders > s[:, None] + t).any():
            return None
        return tuple(map(int, s)), tuple(map(int, t))

    @cached_property
    def regular(self) -> Junction | None:
        """The same with degrees for which equations and conditions leave something for no function of every λ: those
        that equations make or, as those of a clamped plate Δw = m, Δm = f, with one of them raised until a lower term
        is a leading one; None if there are none.
        """
        if self._weights is None or not self.is_determined:
            return None
        s, t = self._weights
        gaps = {
            (k, s[i] + t[a.unknown] - a.order)
            for i, row in enumerate(self.inside)
            for a in row
            for k in range(len(t))
        }
        shifts = sorted((gap, k) for k, gap in gaps if gap > 0)
        raised = [replace(self, raised=tuple(gap * (j == k) for j in range(len(t)))) for gap, k in shifts]
        return next((j for j in (self, *raised) if j._weights is not None and not j.is_singular), None)

    @property
    def is_singular(self) -> bool:
        """Whether there are functions for every λ."""
        matrices = self._matrices(CornerPencil.NODES)
        polynomial = sum(M * CornerPencil.BESIDE**k for k, M in enumerate(matrices))
        return bool(1 / np.linalg.cond(polynomial) < CornerPencil.SINGULAR)

    @cached_property
    def leading(self) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
        """The equations and the conditions along sides, with nothing but their leading terms."""
        assert self._weights is not None
        s, t = self._weights
        inside = tuple(tuple(a for a in row if a.order == s[i] + t[a.unknown]) for i, row in enumerate(self.inside))
        highest = [max(a.order + t[a.unknown] for a in row) for row in self.along]
        along = tuple(tuple(a for a in row if a.order + t[a.unknown] == h)
                      for row, h in zip(self.along, highest, strict=True))  # fmt: skip
        return inside, along

    @cached_property
    def jump(self) -> int | None:
        """The degree λ of functions that jump where given values do, below which solutions have no finite energy: half
        of the order of the equations for one of the highest unknowns, less one; None if that is no whole number.
        """
        assert self._weights is not None
        order, highest = sum(map(sum, self._weights)), sum(t == max(self._weights[1]) for t in self._weights[1])
        return order // (2 * highest) - 1 if order % (2 * highest) == 0 else None

    def turned(self, angle: float) -> Junction:
        """The same in coordinates that are turned, with rows of size one: alike corners are then the same."""
        sectors = tuple((round(a + angle, 12), round(b + angle, 12)) for a, b in self.sectors)
        inside, along = (tuple(_turned(row, angle) for row in rows) for rows in (self.inside, self.along))
        return Junction(sectors, inside, along, self.raised)

    @cached_property
    def is_determined(self) -> bool:
        """Whether there are as many conditions along the sides as the equations take."""
        return self._weights is not None and 0 < len(self.along) == sum(map(sum, self._weights))

    def blocks(self) -> list[tuple[list[int], list[int]]]:
        """Equations and unknowns that the leading terms couple."""
        inside, _ = self.leading
        touched = [{a.unknown for a in row} for row in inside]
        groups: list[set[int]] = []
        for unknowns in touched:
            joined = [g for g in groups if g & unknowns]
            groups = [g for g in groups if not g & unknowns] + [set.union(unknowns, *joined)]
        return [([i for i, u in enumerate(touched) if u <= g], sorted(g)) for g in groups]

    def roots(self) -> tuple[tuple[tuple[complex, int], ...], ...]:
        """For each unknown the numbers p with which functions of x + p y solve the equations, and how often each does;
        none if some p is real, so that equations are not elliptic.
        """
        inside, _ = self.leading
        found: dict[int, tuple[tuple[complex, int], ...]] = {}
        for equations, unknowns in self.blocks():
            found |= dict.fromkeys(unknowns, _roots([inside[i] for i in equations], unknowns))
        return tuple(found.get(k, ()) for k in range(len(self.sectors)))

    def exponents(self, highest: float) -> tuple[complex, ...]:
        """All λ with real parts from 0 to the highest and imaginary parts that are not negative."""
        if not self.is_determined:
            return ()
        nodes = self._enough_nodes(highest)
        fine = [self._candidates(nodes + more, highest) for more in (0, CornerPencil.MORE_NODES)]
        same = [z for z in fine[1] if np.abs(fine[0] - z).min(initial=np.inf) < CornerPencil.SAME * (1 + abs(z))]
        return tuple(self._distinct(same))

    def _enough_nodes(self, highest: float) -> int:
        """For functions of the angle that oscillate up to the highest exponent; these have branch points, too, with a
        complex angle at which x + p y vanishes, and polynomials converge by the ellipse that avoids them.
        """
        widest = max(last - first for first, last in self.sectors)
        nodes = float(CornerPencil.NODES + CornerPencil.BY_ANGLE * highest * widest)
        for p in {p for own in self.roots() for p, _ in own if p != 1j}:
            away = abs(np.arctan(-1 / p).imag) / (widest / 2)
            nodes = max(nodes, CornerPencil.DIGITS * math.log(10) / math.asinh(away))
        return min(round(nodes), CornerPencil.MOST_NODES)

    def _candidates(self, nodes: int, highest: float) -> np.ndarray:
        matrices = self._matrices(nodes)
        n, degree = len(matrices[0]), len(matrices) - 1
        A, B = (np.eye(n * degree) for _ in range(2))  # the polynomial as a pencil of first order
        A = np.roll(A, n, axis=1)
        A[-n:] = -np.concatenate(matrices[:-1], axis=1)
        B[-n:, -n:] = matrices[-1]
        # by their inverses from a place where none is: conditions make B singular, and infinite ones come out as 0
        inverses = np.linalg.eigvals(np.linalg.solve(A - CornerPencil.BESIDE * B, B))
        found = CornerPencil.BESIDE + 1 / inverses[np.abs(inverses) > 1e-6]
        low, most = -CornerPencil.SAME, highest * CornerPencil.SLENDER
        kept = (found.real > low) & (found.real < highest) & (found.imag > low) & (found.imag < most)
        return np.array([self._polished(matrices, z) for z in found[kept]])

    @staticmethod
    def _polished(matrices: Sequence[np.ndarray], z: complex) -> complex:
        """A root of the polynomial as exact as rounding lets it be."""
        for _ in range(CornerPencil.STEPS):
            powers = z ** np.arange(len(matrices))
            P = sum(c * M for c, M in zip(powers, matrices, strict=True))
            slope = sum(k * z ** (k - 1) * M for k, M in enumerate(matrices) if k)
            left, _, right = np.linalg.svd(P)
            across = left[:, -1].conj() @ slope @ right[-1].conj()
            if abs(across) < 1e-12 * np.abs(slope).max():
                break  # a root that is not simple stays where it was
            step = (left[:, -1].conj() @ P @ right[-1].conj()) / across
            if not abs(step) < CornerPencil.SAME:
                break
            z = z - step
        return complex(z)

    @staticmethod
    def _distinct(found: Sequence[complex]) -> list[complex]:
        """Each once, those next to whole or real numbers as such."""
        kept: list[complex] = []
        for z in sorted(found, key=lambda z: (z.real, z.imag)):
            real = round(z.real) if abs(z.real - round(z.real)) < CornerPencil.WHOLE else z.real
            z = complex(real, z.imag if abs(z.imag) > CornerPencil.SAME else 0.0)
            if all(abs(z - other) > CornerPencil.SAME for other in kept):
                kept.append(z)
        return kept

    def _matrices(self, nodes: int) -> list[np.ndarray]:
        """The polynomial in λ: a matrix for each power, with rows of equations at points and of conditions."""
        assert self._weights is not None
        assert self.degrees is not None
        s, t = self._weights
        arcs = [Arc(first, last, nodes + t[k]) for k, (first, last) in enumerate(self.sectors)]
        ends = np.cumsum([0, *(arc.nodes for arc in arcs)])
        inside, along = self.leading
        rows = [
            [(a, arcs[a.unknown].between(nodes - s[i])) for a in row] for i, row in enumerate(inside)
        ] + [[(a, np.array([self.sectors[a.unknown][int(a.at_last)]])) for a in row] for row in along]
        power = max(a.order for row in rows for a, _ in row)
        blocks = []
        for row in rows:
            block = np.zeros((power + 1, len(row[0][1]), ends[-1]))
            for a, angles in row:
                part = arcs[a.unknown].derivative(a.orders, self.degrees[a.unknown], angles)
                block[: len(part), :, ends[a.unknown] : ends[a.unknown + 1]] += a.c * part
            blocks.append(block / (np.abs(block).max() or 1.0))
        return list(np.concatenate(blocks, axis=1))


@dataclass(frozen=True)
class Arc:
    """Functions of the angle by their values in Chebyshev points."""

    first: float
    last: float
    nodes: int

    @cached_property
    def _unit(self) -> np.ndarray:
        return -np.cos(np.pi * np.arange(self.nodes) / (self.nodes - 1))

    @cached_property
    def angles(self) -> np.ndarray:
        """Where values are."""
        return np.asarray((self.first + self.last) / 2 + (self.last - self.first) / 2 * self._unit)

    def between(self, count: int) -> np.ndarray:
        """As many angles inside, at which equations hold."""
        unit = -np.cos(np.pi * (np.arange(count) + 0.5) / count)
        return np.asarray((self.first + self.last) / 2 + (self.last - self.first) / 2 * unit)

    @cached_property
    def slope(self) -> np.ndarray:
        """The matrix from values to derivatives."""
        x, n = self._unit, self.nodes
        w = (-1.0) ** np.arange(n)
        w[[0, -1]] *= 0.5
        D = w / (w[:, None] * (x[:, None] - x + np.eye(n)))
        D -= np.diag(D.sum(axis=1))
        return np.asarray(2 / (self.last - self.first) * D)

    def at(self, angles: np.ndarray) -> np.ndarray:
        """The matrix from values to those at other angles."""
        w = (-1.0) ** np.arange(self.nodes)
        w[[0, -1]] *= 0.5
        with np.errstate(all="ignore"):
            weights = w / (angles[:, None] - self.angles)
            found = weights / weights.sum(axis=1, keepdims=True)
        exact = np.abs(angles[:, None] - self.angles) < 1e-14
        hit = exact.any(axis=1)
        found[hit] = exact[hit]
        return np.asarray(found)

    def derivative(self, orders: Orders, degree: int, angles: np.ndarray) -> np.ndarray:
        """∂^orders of r^(λ + degree) f(θ), divided by its power of r, at angles: a matrix for each power of λ.

        ∂_x r^μ f = r^(μ−1) (μ cos θ f − sin θ f′), and ∂_y r^μ f = r^(μ−1) (μ sin θ f + cos θ f′).
        """
        c, s = np.cos(self.angles)[:, None], np.sin(self.angles)[:, None]
        found, power = [np.eye(self.nodes)], degree
        for radial, across in [(c, -s)] * orders[0] + [(s, c)] * orders[1]:
            turned = [across * (self.slope @ P) + power * radial * P for P in found] + [np.zeros_like(found[0])]
            for k, P in enumerate(found):
                turned[k + 1] = turned[k + 1] + radial * P
            found, power = turned, power - 1
        return np.array([self.at(angles) @ P for P in found])


def _turned(row: Row, angle: float) -> Row:
    """The terms of a row in coordinates that are turned by an angle."""
    c, s = math.cos(angle), math.sin(angle)  # x' = c x − s y and y' = s x + c y, so that ∂_x = c ∂_x' + s ∂_y'
    found: dict[tuple[int, bool, Orders], float] = {}
    for term in row:
        power = np.ones(1)  # of ∂_y', while ∂_x' has the rest
        for along in [(c, s)] * term.orders[0] + [(-s, c)] * term.orders[1]:
            power = np.convolve(power, along)
        for k, value in enumerate(power):
            key = term.unknown, term.at_last, (term.order - k, k)
            found[key] = found.get(key, 0.0) + term.c * value
    largest = max(map(abs, found.values()))
    return tuple(
        Term(size, unknown, orders, at_last)
        for (unknown, at_last, orders), total in sorted(found.items())
        if (size := round(float(total / largest), 12))
    )


def _roots(rows: Sequence[Row], unknowns: Sequence[int]) -> tuple[tuple[complex, int], ...]:
    """The roots p, in the upper half of the plane, of the determinant of the symbol in the direction (1, p)."""
    degree = sum(max((a.order for a in row), default=0) for row in rows)
    points = np.exp(2j * np.pi * np.arange(degree + 1) / (degree + 1))
    symbol = np.zeros((degree + 1, len(rows), len(unknowns)), dtype=complex)
    for i, row in enumerate(rows):
        for a in row:
            symbol[:, i, unknowns.index(a.unknown)] += a.c * points ** a.orders[1]
    coefficients = np.fft.fft(np.linalg.det(symbol)) / (degree + 1)
    coefficients[np.abs(coefficients) < 1e-12 * np.abs(coefficients).max(initial=0)] = 0
    found = np.roots(coefficients[::-1]) if np.abs(coefficients).max(initial=0) else np.zeros(0)
    groups: list[list[complex]] = []
    for p in found:
        near = next((g for g in groups if abs(np.mean(g) - p) < CornerPencil.MULTIPLE * (1 + abs(p))), None)
        groups.append([p]) if near is None else near.append(p)
    means = [(complex(np.mean(g)), len(g)) for g in groups]
    if any(abs(p.imag) < CornerPencil.MULTIPLE for p, _ in means):
        return ()
    return tuple((_neat(p), n) for p, n in means if p.imag > 0)


def _neat(p: complex) -> complex:
    """i, if it is nearly that."""
    return 1j if abs(p - 1j) < CornerPencil.NEAT else p
