"""Integrals over shapes: slices, and in each slice Gauss's rule between the places where it enters and leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import RegionError
from .curve import Arc
from .region import Domain
from .rule import gauss, gauss_with_roots

HALVINGS = 60


def slice_rule(domain: Domain, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Points inside and weights. In the plane between the arcs of the boundary, in space slice by slice."""
    d = len(domain.coordinates)
    if d == 1:
        return _interval_rule(domain, n)
    if d == 2:
        return _plane_rule(domain, n)
    return _space_rule(domain, n)


def _interval_rule(domain: Domain, n: int) -> tuple[np.ndarray, np.ndarray]:
    ends = np.sort([e.piece.place(np.zeros((1, 0))).points[0, 0] for e in domain.edges])
    nodes, weights = gauss(n)
    kept = [(a, b) for a, b in zip(ends[:-1], ends[1:], strict=True) if domain.depth(np.array([[(a + b) / 2]]))[0] < 0]
    points = np.concatenate([a + (b - a) * nodes for a, b in kept])
    return points[:, None], np.concatenate([(b - a) * weights for a, b in kept])


def _space_rule(domain: Domain, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Sections at values of the last coordinate, between those at which an operand begins or ends."""
    nodes, weights = gauss_with_roots(n)
    found, factors = [], []
    for a, b in zip(domain.breaks[:-1], domain.breaks[1:], strict=True):
        for value, weight in zip(a + (b - a) * nodes, (b - a) * weights, strict=True):
            section = domain.section(float(value))
            if section is not None and section.edges:
                points, w = section.quadrature(n)
                found.append(np.column_stack([points, np.full(len(points), value)]))
                factors.append(w * weight)
    return np.concatenate(found), np.concatenate(factors)


@dataclass(frozen=True)
class Branch:
    """A stretch of an arc on which the first coordinate only rises or only falls."""

    arc: Arc
    start: float
    end: float

    def ends(self) -> tuple[float, float]:
        """The first coordinate where the branch begins and ends, in order."""
        points = self.arc.at(np.array([self.start, self.end]))[0]
        return float(points[:, 0].min()), float(points[:, 0].max())

    def height(self, x: np.ndarray) -> np.ndarray:
        """The second coordinate as a function of the first, by bisection."""
        low, high = np.full(len(x), self.start), np.full(len(x), self.end)
        rising = np.diff(self.arc.at(np.array([self.start, self.end]))[0][:, 0])[0] > 0
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            beyond = (self.arc.at(middle)[0][:, 0] > x) == rising
            low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
        return self.arc.at((low + high) / 2)[0][:, 1]


def _plane_rule(domain: Domain, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Slabs between the places where branches begin or end: in each, the same branches lie in the same order."""
    branches = [b for e in domain.edges for b in _branches(_arc(domain, e.piece))]
    width = 2 * max(domain.half_widths)
    spans = np.array([b.ends() for b in branches])
    marks = _distinct(np.sort(spans.ravel()), 1e-13 * width)
    rules = [
        _slab(domain, [b for b, (a, c) in zip(branches, spans, strict=True) if a < middle < c], left, right, n)
        for left, right in zip(marks[:-1], marks[1:], strict=True)
        for middle in [(left + right) / 2]
    ]
    return np.concatenate([p for p, _ in rules]), np.concatenate([w for _, w in rules])


def _slab(domain: Domain, branches: list[Branch], left: float, right: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = gauss_with_roots(n)
    across, up_nodes, up_weights = left + (right - left) * nodes, *gauss(n)
    middle = np.array([(left + right) / 2])
    order = np.argsort([b.height(middle)[0] for b in branches])
    heights = [branches[k].height(across) for k in order]
    at_middle = [branches[k].height(middle)[0] for k in order]
    points, factors = [np.zeros((0, 2))], [np.zeros(0)]
    for k in range(len(branches) - 1):
        between = np.array([[middle[0], (at_middle[k] + at_middle[k + 1]) / 2]])
        if domain.depth(between)[0] >= 0:
            continue
        low, gap = heights[k][:, None], np.maximum(heights[k + 1] - heights[k], 0.0)[:, None]
        y = (low + gap * up_nodes).ravel()
        points.append(np.column_stack([np.repeat(across, n), y]))
        factors.append(((right - left) * weights[:, None] * gap * up_weights).ravel())
    return np.concatenate(points), np.concatenate(factors)


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
    return values[np.concatenate([[True], np.diff(values) > gap])]
