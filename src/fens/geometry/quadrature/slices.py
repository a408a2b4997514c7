"""Integrals over shapes: slices, and in each slice Gauss's rule between the places where it enters and leaves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise

import numpy as np

from ...errors import RegionError
from ..boundary.curve import Arc
from ..region import Domain
from .rule import TIP, Vertices, cell_rule, gauss, gauss_with_roots

HALVINGS = 40
HALVED = 10  # times at most, a slab where curves are not resolved
DIGITS = 0.6  # that one more point along a slice is worth
SAME = 1e-9  # of a slab: places that are one
RESOLVED = 1e-14  # error of areas, relative to the square of the size of the domain


def slice_rule(domain: Domain, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Points inside and weights. In the plane between the arcs of the boundary, in space slice by slice."""
    d = len(domain.coordinates)
    if d == 1:
        return _interval_rule(domain, n)
    if d == 2:
        return plane_rule(domain, [_arc(domain, e.piece) for e in domain.edges], n, np.zeros((0, 2)))
    return _space_rule(domain, n)


def _interval_rule(domain: Domain, n: int) -> tuple[np.ndarray, np.ndarray]:
    ends = np.sort([e.piece.place(np.zeros((1, 0))).points[0, 0] for e in domain.edges])
    nodes, weights = gauss(n)
    kept = [(a, b) for a, b in pairwise(ends) if domain.signed_distance(np.array([[(a + b) / 2]]))[0] < 0]
    points = np.concatenate([a + (b - a) * nodes for a, b in kept])
    return points[:, None], np.concatenate([(b - a) * weights for a, b in kept])


def _space_rule(domain: Domain, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Sections at values of the last coordinate, between those at which an operand begins or ends."""
    nodes, weights = gauss_with_roots(n, 1)  # areas of sections change more gently than lengths
    found, factors = [], []
    for a, b in pairwise(domain.breaks):
        for value, weight in zip(a + (b - a) * nodes, (b - a) * weights, strict=True):
            section = domain.section(float(value))
            if section is not None and section.edges:
                points, w = section.quadrature(n)
                found.append(np.column_stack([points, np.full(len(points), value)]))
                factors.append(w * weight)
    if not found:
        raise RegionError(f"No section of {domain.name} has an inside: it is too thin, or empty.")
    return np.concatenate(found), np.concatenate(factors)


@dataclass(frozen=True)
class Branch:
    """A stretch of an arc on which the first coordinate only rises or only falls."""

    arc: Arc
    start: float
    end: float

    @cached_property
    def table(self) -> tuple[np.ndarray, np.ndarray]:
        """Parameters, finely spaced, and the first coordinate there, which rises."""
        fine = self.arc.fine
        places = np.concatenate([[self.start], fine[(fine > self.start) & (fine < self.end)], [self.end]])
        x = self.arc.at(places)[0][:, 0]
        return (places, x) if x[-1] > x[0] else (places[::-1], x[::-1])

    def ends(self) -> tuple[float, float]:
        """The first coordinate where the branch begins and ends, in order."""
        x = self.table[1]
        return float(x[0]), float(x[-1])

    def height(self, x: np.ndarray) -> np.ndarray:
        """The second coordinate as a function of the first, by Newton's method, with bisection where it would leave."""
        places, xs = self.table
        size = float(np.abs(xs).max())
        k = np.clip(np.searchsorted(xs, x), 1, len(xs) - 1)
        low, high = places[k - 1], places[k]  # where the first coordinate is below and above x
        here = low + (high - low) * np.clip((x - xs[k - 1]) / np.maximum(xs[k] - xs[k - 1], 1e-300), 0, 1)
        for _ in range(HALVINGS):
            points, v = self.arc.at(here)
            beyond = points[:, 0] > x
            low, high = np.where(beyond, low, here), np.where(beyond, here, high)
            off = points[:, 0] - x
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # where it runs vertically
                after = here - off / v[:, 0]
            after = np.where((after > np.minimum(low, high)) & (after < np.maximum(low, high)), after, (low + high) / 2)
            far = (np.abs(off) > 4e-16 * size) & (np.abs(after - here) > 1e-15 * (abs(self.end) + 1))
            if not far.any():
                break
            here = np.where(far, after, here)
        return self.arc.at(here)[0][:, 1]


def plane_rule(domain: Domain, arcs: list[Arc], n: int, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slabs between the places where branches begin or end: in each, the same branches lie in the same order.

    Points are denser towards some further places, of which there may be none, where functions need not be smooth.
    """
    branches = [b for arc in arcs for b in _branches(arc)]
    if not branches:
        return np.zeros((0, 2)), np.zeros(0)
    width = 2 * max(domain.half_widths)
    spans = np.array([b.ends() for b in branches])
    ends = [arc.at(np.array([arc.start, arc.end]))[0][:, 0] for arc in arcs]  # of vertical ones, too: cracks
    marks = _distinct(np.sort(np.concatenate([spans.ravel(), *ends, places[:, 0]])), 1e-13 * width)
    rules = []
    for left, right in pairwise(marks):
        middle = (left + right) / 2
        there = [b for b, (a, c) in zip(branches, spans, strict=True) if a < middle < c]
        cuts = _resolved(there, left, right, n, max(RESOLVED, 10 ** (-DIGITS * n)) * width**2)
        rules += [_slab(domain, there, a, b, n, places) for a, b in pairwise(cuts)]
    return np.concatenate([p for p, _ in rules]), np.concatenate([w for _, w in rules])


def _resolved(branches: list[Branch], left: float, right: float, n: int, least: float) -> list[float]:
    """A slab cut in halves until n points in each resolve the curves."""
    nodes, weights = gauss_with_roots(n)

    @cache  # the halves of a slab are slabs themselves in the next step
    def moments(a: float, b: float) -> np.ndarray:
        return np.array([(b - a) * weights @ branch.height(a + (b - a) * nodes) for branch in branches])

    def cut(a: float, c: float, halvings: int) -> list[float]:
        b = (a + c) / 2
        off = moments(a, c) - (moments(a, b) + moments(b, c))
        if halvings == 0 or not np.abs(off).max(initial=0.0) > least:
            return [a, c]
        return [*cut(a, b, halvings - 1), *cut(b, c, halvings - 1)[1:]]

    return cut(left, right, HALVED)


def _slab(
    domain: Domain, branches: list[Branch], left: float, right: float, n: int, places: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    middle = np.array([(left + right) / 2])
    ordered = sorted(branches, key=lambda b: float(b.height(middle)[0]))
    points, factors = [np.zeros((0, 2))], [np.zeros(0)]
    for low, high in pairwise(ordered):
        between = np.array([[middle[0], (low.height(middle)[0] + high.height(middle)[0]) / 2]])
        if domain.signed_distance(between)[0] >= 0:
            continue
        for (a, b), singular in _cells(low, high, left, right, places):
            unit, weights = cell_rule(n, singular)
            columns, column = np.unique(unit[:, 0], return_inverse=True)
            across = left + (right - left) * columns
            bottom = low.height(across)
            gap = np.maximum(high.height(across) - bottom, 0.0)
            y = bottom[column] + gap[column] * (a + (b - a) * unit[:, 1])
            points.append(np.column_stack([across[column], y]))
            factors.append((right - left) * (b - a) * weights * gap[column])
    return np.concatenate(points), np.concatenate(factors)


def _cells(
    low: Branch, high: Branch, left: float, right: float, places: np.ndarray
) -> list[tuple[tuple[float, float], Vertices]]:
    """What lies between two branches, divided at places at the ends of the slab: from which share of the height to
    which, and the vertices that are such places.
    """
    shares, tips = list[tuple[int, float]](), set[tuple[int, int]]()
    for end, x in enumerate((left, right)):
        here = places[np.abs(places[:, 0] - x) <= SAME * (right - left), 1]
        if len(here):
            (bottom,), (top,) = low.height(np.array([x])), high.height(np.array([x]))
            if top - bottom <= SAME * (right - left):
                tips |= {(end, TIP)} if np.abs(here - bottom).min() <= SAME * (right - left) else set()
            else:
                found = (here - bottom) / (top - bottom)
                shares += [(end, float(np.clip(s, 0, 1))) for s in found if -SAME < s < 1 + SAME]
    marks = _distinct(np.sort([0.0, 1.0, *(s for _, s in shares)]), SAME)
    return [
        ((a, b), frozenset(tips | {(end, int(at == b)) for end, s in shares for at in (a, b) if abs(s - at) <= SAME}))
        for a, b in pairwise(marks)
    ]


def _branches(arc: Arc) -> list[Branch]:
    """An arc cut where it turns back; stretches that are vertical are left out."""
    marks = np.unique(np.concatenate([[arc.start, arc.end], arc.turns(0)]))
    size = np.abs(arc.at(marks)[0]).max() + 1e-300
    ends = arc.at(marks)[0][:, 0]
    return [
        Branch(arc, a, b)
        for a, b, x0, x1 in zip(marks[:-1], marks[1:], ends[:-1], ends[1:], strict=True)
        if abs(x1 - x0) > 1e-14 * size
    ]


def _arc(domain: Domain, piece: object) -> Arc:
    if not isinstance(piece, Arc):
        raise RegionError(f"There is no quadrature on {domain.name}: its boundary is known by points only.")
    return piece


def _distinct(values: np.ndarray, gap: float) -> np.ndarray:
    kept: np.ndarray = values[np.concatenate([[True], np.diff(values) > gap])]
    return kept
