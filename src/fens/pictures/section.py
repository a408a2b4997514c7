"""Sections of domains: some coordinates are free, the others held. Where they lie, and their outlines.

An outline is found from inside and outside alone: squares of a grid are marched through, and where an edge of them
crosses the boundary is found by bisection. That serves every domain, whatever its depth is like away from its boundary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from ..domain import Cylinder, Domain

GRID = 301  # nodes along each axis between which an outline is sought
BISECTIONS = 24
SHARPENINGS = 2
MOVE_TO, LINE_TO = 1, 2  # matplotlib's codes
NUDGE = 1e-6  # of the length of an axis: sections at its very end are outlined this far inside
INSIDE = 1e-9  # of the smallest length: depth that is not round-off
COMPARABLE = 4.0  # ratio of lengths up to which they are drawn to one scale

Inside = Callable[[np.ndarray], np.ndarray]  # which of some points, one in a row, are inside


@dataclass(frozen=True)
class Section:
    """The points of a domain at which all but the free axes have the held values."""

    domain: Domain
    free: tuple[int, ...]
    held: tuple[float, ...]  # one for each axis; those of free axes do not matter

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """Of the domain, along the free axes."""
        return tuple(self.domain.bounds[i] for i in self.free)

    @property
    def names(self) -> tuple[object, ...]:
        """The free coordinates."""
        return tuple(self.domain.coordinates[i] for i in self.free)

    @property
    def to_scale(self) -> bool:
        """Whether the two free axes are lengths that can be compared."""
        lengths = [b - a for a, b in self.bounds]
        return self.holds_time and max(lengths) <= COMPARABLE * min(lengths)

    @property
    def holds_time(self) -> bool:
        """Whether time, which is the last axis if there is any, is none of the free ones."""
        return not isinstance(self.domain, Cylinder) or len(self.held) - 1 not in self.free

    def points(self, free: np.ndarray) -> np.ndarray:
        """Points of the whole space, from rows of the free coordinates."""
        found = np.tile(np.array(self.held), (len(free), 1))
        found[:, list(self.free)] = free
        return found

    def contains(self, free: np.ndarray) -> np.ndarray:
        """Which rows of the free coordinates lie in the closed domain."""
        return self.domain.contains(self.points(free))

    def inside(self, free: np.ndarray) -> np.ndarray:
        """Which lie in its interior; at the very ends of a held axis, those that do a little further in."""
        within: np.ndarray = self.domain.depth(self.points(free)) < -INSIDE * min(self.domain.half_widths)
        return within

    def of_another(self, domain: Domain) -> Section:
        """The same section of another domain with the same coordinates."""
        return Section(domain, self.free, self.held)


def outline(section: Section) -> tuple[np.ndarray, np.ndarray]:
    """The boundary of a plane section: vertices, and matplotlib's codes of polygons with holes; none if it is empty."""
    domain, held = section.domain, section.held
    if isinstance(domain, Cylinder) and section.holds_time:
        return _outline(Section(domain.base, section.free, _nudged(domain.base, held[:-1])))
    return _outline(Section(domain, section.free, _nudged(domain, held)))


@lru_cache(maxsize=64)
def _outline(section: Section) -> tuple[np.ndarray, np.ndarray]:
    lower, upper = np.array(section.bounds).T
    step = (upper - lower) / (GRID - 3)  # a node beyond the bounds on each side, so that outlines close

    def placed(index: np.ndarray) -> np.ndarray:
        result: np.ndarray = lower + (index - 1) * step
        return result

    vertices, codes = _marched(lambda index: section.inside(placed(index)))
    return placed(vertices), codes


def _marched(inside: Inside) -> tuple[np.ndarray, np.ndarray]:
    """The outline of what is inside, in units of the nodes of the grid."""
    from contourpy import FillType, contour_generator

    nodes = np.stack(np.meshgrid(np.arange(GRID), np.arange(GRID), indexing="xy"), axis=-1)
    outside = ~inside(nodes.reshape(-1, 2)).reshape(GRID, GRID)
    lines: Any = contour_generator(z=outside.astype(float), fill_type=FillType.OuterCode).filled(-0.5, 0.5)
    if not lines[0]:
        return np.zeros((0, 2)), np.zeros(0, dtype=np.uint8)
    halfway, codes = np.concatenate(lines[0]), np.concatenate(lines[1])
    one, other = np.floor(halfway), np.ceil(halfway)
    swap = outside[tuple(one.astype(int).T[::-1])][:, None]
    vertices = _crossings(inside, np.where(swap, other, one), np.where(swap, one, other))
    for _ in range(SHARPENINGS):
        vertices, codes = _sharpened(inside, vertices, codes)
    return vertices, codes


def _crossings(inside: Inside, within: np.ndarray, beyond: np.ndarray) -> np.ndarray:
    """The last points inside on the way from points inside to points outside."""
    for _ in range(BISECTIONS):
        middle = (within + beyond) / 2
        still = inside(middle)[:, None]
        within, beyond = np.where(still, middle, within), np.where(still, beyond, middle)
    return within


def _sharpened(inside: Inside, vertices: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The outline with a further vertex for each stretch, on the boundary beside its middle: corners are not cut."""
    rows = np.flatnonzero(codes[1:] != MOVE_TO)
    start, end = vertices[rows], vertices[rows + 1]
    middle, to_the_right = (start + end) / 2, (end - start)[:, ::-1] * (1, -1)  # where the outside is
    within = inside(middle)[:, None]
    off = middle + np.where(within, to_the_right, -to_the_right)
    found = inside(off)[:, None] != within
    crossing = _crossings(inside, np.where(within, middle, off), np.where(within, off, middle))
    new = np.where(found, crossing, np.where(within, middle, start))
    return np.insert(vertices, rows + 1, new, axis=0), np.insert(codes, rows + 1, LINE_TO)


def _nudged(domain: Domain, held: tuple[float, ...]) -> tuple[float, ...]:
    margins = [(a + NUDGE * (b - a), b - NUDGE * (b - a)) for a, b in domain.bounds]
    return tuple(min(max(v, a), b) for v, (a, b) in zip(held, margins, strict=True))


def middle(domain: Domain) -> tuple[float, ...]:
    """The middle of the bounds."""
    return tuple((a + b) / 2 for a, b in domain.bounds)


def to_scale(domain: Domain) -> bool:
    """Whether the first three axes, or the two there are, are lengths that can be compared."""
    axes = range(min(3, len(domain.bounds)))
    return all(Section(domain, pair, (0.0,) * len(domain.bounds)).to_scale for pair in combinations(axes, 2))
