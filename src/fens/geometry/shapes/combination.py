"""Shapes made of shapes: unions, intersections and differences."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import sympy as sp

from ..._support.sobol import fixed_sobol
from ..._support.stored import stored
from ...errors import RegionError
from ..boundary.clip import clip_arc
from ..boundary.curve import Arc, Line
from ..boundary.piece import Patch, Piece, Samples
from ..region import Facet, points_of
from .shape import TRIALS, Shape

WORDS = {"+": "or", "-": "without", "&": "and"}
PROBE = 1e-6  # step from a point that two boundaries share, relative to the size of the shape


@stored("Combined")
@dataclass(frozen=True, repr=False)
class Combined(Shape):
    """`a + b`, `a - b` or `a & b`."""

    first: Shape
    operation: str
    second: Shape

    def __post_init__(self) -> None:
        if self.first.cracks or self.second.cracks:
            cracked = self.first if self.first.cracks else self.second
            raise RegionError(
                f"Shapes with cracks are not combined further yet, and {cracked.name} has one. Take cracks away last: "
                "(a - b) - segment instead of (a - segment) - b."
            )
        one, two = self.first.coordinates, self.second.coordinates
        if set(one) != set(two) or one != two:
            raise RegionError(
                f"Shapes of the same coordinates, in one order, can be combined; got {', '.join(map(str, one))} and "
                f"{', '.join(map(str, two))}."
            )
        lower, upper = np.array(self._box).T
        trials = np.array_split(lower + (upper - lower) * fixed_sobol(TRIALS, len(one)), 64)  # the first tell, mostly
        if np.any(lower >= upper) or not any(np.any(self.signed_distance(some) < 0) for some in trials):
            raise RegionError(f"There is nothing in {self.name}: the shapes leave no inside.")

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:  # type: ignore[override]
        return self.first.coordinates

    @property
    def name(self) -> str:
        second = f"({self.second.name})" if isinstance(self.second, Combined) else self.second.name
        return f"{self.first.name} {WORDS[self.operation]} {second}"

    @cached_property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        arcs = [e.piece for e in self.edges if isinstance(e.piece, Arc)]
        if len(self.coordinates) != 2 or len(arcs) < len(self.edges):
            return self._box
        if not arcs:  # of a file; others are refused when they are made
            raise RegionError(f"There is nothing in {self.name}: the shapes leave no boundary.")
        boxes = np.array([arc.bounds for arc in arcs])
        return tuple(zip(boxes[:, 0].min(axis=0).tolist(), boxes[:, 1].max(axis=0).tolist(), strict=True))

    @property
    def _box(self) -> tuple[tuple[float, float], ...]:
        pairs = list(zip(self.first.bounds, self.second.bounds, strict=True))
        if self.operation == "+":
            return tuple((min(a, c), max(b, d)) for (a, b), (c, d) in pairs)
        if self.operation == "&":
            return tuple((max(a, c), min(b, d)) for (a, b), (c, d) in pairs)
        return self.first.bounds

    @cached_property
    def size(self) -> float:
        """The largest extent of its operands."""
        return float(max(max(self.first.half_widths), max(self.second.half_widths)) * 2)

    @cached_property
    def slack(self) -> float:
        return max(self.first.slack, self.second.slack)

    @cached_property
    def hole_sites(self) -> tuple[tuple[tuple[float, ...], float], ...]:
        found = self.first.hole_sites if self.operation != "+" else (*self.first.hole_sites, *self.second.hole_sites)
        if self.operation == "-":
            holes = (hole for part in _united(self.second) for hole in _as_hole(part))
            found = (*found, *((c, r) for c, r in holes if self.first.signed_distance(np.array([c]))[0] < r))
        return tuple((c, r) for c, r in found if self.signed_distance(np.array([c]))[0] > 0)

    def signed_distance(self, points: np.ndarray) -> np.ndarray:
        one, two = self.first.signed_distance(points), self.second.signed_distance(points)
        result: np.ndarray = {"+": np.minimum, "&": np.maximum, "-": np.maximum}[self.operation](
            one, -two if self.operation == "-" else two
        )
        return result

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Which of the points lie in the closed shape, up to round-off.

        Where both boundaries pass, depths do not tell whether the shape is there: what is left of two boxes that share
        a face is not on that face. Such points are inside if one of their neighbours is, or if they are on what is left
        of a curve: where two curves touch, the shape may be thinner than any step.
        """
        points = points_of(self, points)
        inside: np.ndarray = self.signed_distance(points) <= self.slack
        rows = np.flatnonzero(inside & self._shared(points))
        if len(rows):
            around = PROBE * self.size * _directions(points.shape[1])
            beside = [self.signed_distance(points[rows] + step) < 0 for step in around]
            upon = [e.piece.contains(points[rows]) for e in self.edges if isinstance(e.piece, Arc)]
            inside[rows] = np.any(beside + upon, axis=0)
        return inside

    def _shared(self, points: np.ndarray) -> np.ndarray:
        one, two = self.first.signed_distance(points), self.second.signed_distance(points)
        shared: np.ndarray = (np.abs(one) <= self.slack) & (np.abs(two) <= self.slack)
        return shared

    @cached_property
    def edges(self) -> tuple[Facet, ...]:
        one = [cut for e in self.first.edges for cut in self._cut(e, 0)]
        two = [cut for e in distinct(self.second.edges, self.first.edges) for cut in self._cut(e, 1)]
        return (*one, *two)

    @property
    def has_sections(self) -> bool:
        return self.first.has_sections and self.second.has_sections

    def section(self, value: float) -> Shape | None:
        one, two = self.first.section(value), self.second.section(value)
        if one is None or two is None:
            return {"+": one or two, "-": one, "&": None}[self.operation]  # type: ignore[return-value]
        try:
            return Combined(one, self.operation, two)  # type: ignore[arg-type]
        except RegionError:  # nothing is left at this value
            return None

    @property
    def breaks(self) -> tuple[float, ...]:
        low, high = self._box[-1]
        marks = {low, high, *self.first.breaks, *self.second.breaks}
        return tuple(sorted(m for m in marks if low <= m <= high))

    def keeps(self, samples: Samples, side: int) -> np.ndarray:
        """Which points of the boundary of an operand, with their normals in the result, are on its boundary."""
        other = (self.second, self.first)[side].signed_distance(samples.points)
        wanted = {"+": 1, "&": -1, "-": 1 if side == 0 else -1}[self.operation]
        keep: np.ndarray = wanted * other > self.slack
        shared = np.abs(other) <= self.slack
        if side == 0 and shared.any():  # what both boundaries share is kept once, where the result lies on one side
            step = PROBE * self.size * samples.normals[shared]  # type: ignore[index]
            at = samples.points[shared]
            keep[shared] = (self.signed_distance(at - step) < 0) & (self.signed_distance(at + step) > 0)
        return keep

    def _cut(self, edge: Facet, side: int) -> Iterable[Facet]:
        turned = side == 1 and self.operation == "-"
        piece = edge.piece
        if isinstance(piece, Patch) and len(self.coordinates) == 2:
            piece = straight(piece)
        if isinstance(piece, Arc):
            arc = replace(piece, turned=piece.turned != turned)
            other = (self.second, self.first)[side]
            return [edge.cut(part) for part in clip_arc(arc, other, lambda s: self.keeps(s, side))]
        trimmed = Trimmed(piece, self, side, turned)
        if trimmed.share == 0:
            return []
        return [edge if trimmed.share == 1 and not turned else edge.cut(trimmed)]


@stored("Trimmed")
@dataclass(frozen=True)
class Trimmed(Piece):
    """What a combination leaves of a piece of the boundary of one of its operands, found by trying."""

    base: Piece
    of: Combined
    side: int
    turned: bool

    @property
    def ends(self) -> tuple[bool, ...]:
        return self.base.ends

    @property
    def has_normals(self) -> bool:
        return self.base.has_normals

    @cached_property
    def kept(self) -> float:
        """About which part of the base is left."""
        unit = fixed_sobol(TRIALS, max(1, len(self.ends)))[:, : len(self.ends)]
        return len(self.place(unit)) / len(self.base.place(unit))

    @property
    def share(self) -> float:
        return self.base.share * self.kept

    @property
    def measure(self) -> float:
        return self.base.measure * self.kept

    def attempt(self, unit: np.ndarray) -> tuple[Samples, np.ndarray]:
        samples, rows = self.base.attempt(unit)
        seen = samples.flipped() if self.turned else samples
        keep = self.of.keeps(seen, self.side)
        return seen.only(keep), rows[keep]

    def contains(self, points: np.ndarray) -> np.ndarray:
        there: np.ndarray = self.base.contains(points) & (np.abs(self.of.signed_distance(points)) <= self.of.slack)
        return there

    def rule(self, n: int) -> tuple[Samples, np.ndarray]:
        if self.kept == 1:  # whole, as far as was seen
            samples, weights = self.base.rule(n)
            return (samples.flipped() if self.turned else samples), weights
        samples = self.place(fixed_sobol(TRIALS, len(self.ends)))
        return samples, np.full(len(samples), self.measure / len(samples))


def distinct(edges: Iterable[Facet], others: Iterable[Facet]) -> list[Facet]:
    """The edges with names of their own: shapes without a name given are numbered where others have the same."""
    taken = {e.shape for e in others}
    names: dict[str, str] = {}
    for e in edges:
        if e.shape not in names:
            number, name, root = 1, e.shape, e.shape.rstrip("0123456789 ")
            while not e.named and (name in taken or name in names.values()):
                number += 1
                name = f"{root} {number}"
            names[e.shape] = name
    return [replace(e, shape=names[e.shape]) for e in edges]


def _directions(d: int) -> np.ndarray:
    """Unit vectors all around."""
    if d == 2:
        angle = 2 * np.pi * (np.arange(48) + 0.3) / 48
        around: np.ndarray = np.column_stack([np.cos(angle), np.sin(angle)])
        return around
    if d == 1:
        return np.array([[1.0], [-1.0]])
    steps: np.ndarray = np.random.default_rng(0).standard_normal((40 * d, d))
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    return steps


def straight(patch: Patch) -> Arc:
    """The face of a rectangle as a curve with the rectangle on its left."""
    ahead = (-patch.normal[1], patch.normal[0])  # type: ignore[index]
    start, end = (patch.lower, patch.upper) if sum(ahead) > 0 else (patch.upper, patch.lower)
    return Arc.whole(Line(start, end))  # type: ignore[arg-type]


def _united(shape: Shape) -> list[Shape]:
    """The shapes that a union consists of."""
    if isinstance(shape, Combined) and shape.operation == "+":
        return [*_united(shape.first), *_united(shape.second)]
    return [shape]


def _as_hole(shape: Shape) -> list[tuple[tuple[float, ...], float]]:
    """The middle of a shape that is taken away, and how far it is from the boundary; none if it is not inside."""
    middle = tuple((a + b) / 2 for a, b in shape.bounds)
    signed_distance = -float(shape.signed_distance(np.array([middle]))[0])
    return [(middle, signed_distance)] if signed_distance > 0 else []
