"""The outline of a plane section.

It is found from inside and outside alone: squares of a grid are marched through, and where an edge of them crosses the
boundary is found by bisection. That serves every domain, whatever its depth is like away from its boundary; how large
that is only tells where there is no need to look closely.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..geometry import Cylinder, Domain
from .section import Section

COARSE, FINER = 75, 4  # squares along each axis, and parts of these where the boundary may pass
GRID = COARSE * FINER + 1
BISECTIONS = 12
SHARPENINGS = 3
BENT = 0.1  # turn, in radians, at which a stretch may cut a corner
MOVE_TO, LINE_TO = 1, 2  # matplotlib's codes
NUDGE = 1e-6  # of the length of an axis: sections at its very end are outlined this far inside
CLOSE = 1e-6  # of a square: distance from a line of the grid
INSIDE = 1e-9  # of the smallest length: depth that is not round-off

Inside = Callable[[np.ndarray], np.ndarray]  # which of some points, one in a row, are inside


@dataclass(frozen=True)
class Outline:
    """Vertices, none if the section is empty, with matplotlib's codes of polygons with holes; and whence they come.

    `inside` has which nodes of the grid are, with a row for each value of the second coordinate.
    """

    vertices: np.ndarray
    codes: np.ndarray
    inside: np.ndarray
    corner: np.ndarray
    step: np.ndarray

    def contains(self, section: Section, free: np.ndarray) -> np.ndarray:
        """Which points lie in the closed section; the domain is asked only near its boundary."""
        at = (free - self.corner) / self.step
        low, high = np.floor(at - CLOSE), np.floor(at + CLOSE) + 1  # a point on a line of the grid is in both squares
        columns, rows = (np.clip([a, a + 1, b], 0, GRID - 1).astype(int) for a, b in zip(low.T, high.T, strict=True))
        around = np.stack([self.inside[row, column] for row in rows for column in columns])
        within = np.asarray(around.all(axis=0))
        near = np.flatnonzero(around.any(axis=0) != within)
        within[near] = section.contains(free[near])
        return within


def outline(section: Section) -> Outline:
    """The outline of a section with two free axes."""
    domain, held = section.domain.uncracked, section.held
    if isinstance(domain, Cylinder) and section.holds_time:
        return _outline(Section(domain.base, section.free, _nudged(domain.base, held[:-1])))
    return _outline(Section(domain, section.free, _nudged(domain, held)))


@lru_cache(maxsize=64)
def _outline(section: Section) -> Outline:
    lower, upper = np.array(section.bounds).T
    step = (upper - lower) / (GRID - 3)  # a node beyond the bounds on each side, so that outlines close
    corner, least = lower - step, INSIDE * min(section.domain.half_widths)

    def signed_distance(index: np.ndarray) -> np.ndarray:
        return section.signed_distance(corner + index * step)

    def inside(index: np.ndarray) -> np.ndarray:
        result: np.ndarray = signed_distance(index) < -least
        return result

    nodes = _nodes_inside(signed_distance, inside, float(np.hypot(*step)) * FINER)
    vertices, codes = _marched(nodes, inside)
    return Outline(corner + vertices * step, codes, nodes, corner, step)


def _nodes_inside(signed_distance: Inside, inside: Inside, diagonal: float) -> np.ndarray:
    """Which nodes of the grid are inside; squares whose corners are far from the boundary are not looked into."""
    wide = np.arange(0, GRID, FINER)
    depths = signed_distance(_pairs(wide, wide)).reshape(len(wide), len(wide))
    corners = np.stack([depths[i : COARSE + i, j : COARSE + j] for i in (0, 1) for j in (0, 1)])
    settled = (np.abs(corners) > diagonal).all(axis=0) & ((corners < 0).all(axis=0) | (corners > 0).all(axis=0))
    whole = np.ones((FINER, FINER), dtype=bool)
    found, near = (np.pad(np.kron(part, whole), (0, 1)) for part in (settled & (corners[0] < 0), ~settled))
    near[:, 1:] |= near[:, :-1]
    near[1:] |= near[:-1]
    rows, columns = np.nonzero(near)
    found[rows, columns] = inside(np.column_stack([columns, rows]))
    return found


def _marched(nodes: np.ndarray, inside: Inside) -> tuple[np.ndarray, np.ndarray]:
    """The outline of the nodes inside, in units of the grid."""
    from contourpy import FillType, contour_generator

    lines: Any = contour_generator(z=(~nodes).astype(float), fill_type=FillType.OuterCode).filled(-0.5, 0.5)
    if not lines[0]:
        return np.zeros((0, 2)), np.zeros(0, dtype=np.uint8)
    halfway, codes = np.concatenate(lines[0]), np.concatenate(lines[1])
    one, other = np.floor(halfway), np.ceil(halfway)
    first = nodes[tuple(one.astype(int).T[::-1])][:, None]
    vertices = _crossings(inside, np.where(first, one, other), np.where(first, other, one))
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
    """The outline with a further vertex for each stretch at a bend, on the boundary next to its middle."""
    rows = _bent(vertices, codes)
    start, end = vertices[rows], vertices[rows + 1]
    middle, to_the_right = (start + end) / 2, (end - start)[:, ::-1] * (1, -1)  # where the outside is
    within = inside(middle)[:, None]
    off = middle + np.where(within, to_the_right, -to_the_right)
    found = inside(off)[:, None] != within
    crossing = _crossings(inside, np.where(within, middle, off), np.where(within, off, middle))
    new = np.where(found, crossing, np.where(within, middle, start))
    return np.insert(vertices, rows + 1, new, axis=0), np.insert(codes, rows + 1, LINE_TO)


def _bent(vertices: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The numbers of the vertices at which stretches begin that turn against one of their neighbours, or have none."""
    rows = np.flatnonzero(codes[1:] != MOVE_TO)
    angle = np.arctan2(*(vertices[rows + 1] - vertices[rows]).T[::-1])
    turn = np.abs(np.angle(np.exp(1j * np.diff(angle)))) > BENT
    apart = np.diff(rows) > 1  # those of another ring
    bends = np.concatenate([[True], turn | apart, [True]])
    return np.asarray(rows[bends[:-1] | bends[1:]])


def _pairs(across: np.ndarray, up: np.ndarray) -> np.ndarray:
    """All pairs of two arrays, in the order of the rows of a grid."""
    return np.column_stack([m.ravel() for m in np.meshgrid(across, up, indexing="xy")])


def _nudged(domain: Domain, held: tuple[float, ...]) -> tuple[float, ...]:
    margins = [(a + NUDGE * (b - a), b - NUDGE * (b - a)) for a, b in domain.bounds]
    return tuple(min(max(v, a), b) for v, (a, b) in zip(held, margins, strict=True))
