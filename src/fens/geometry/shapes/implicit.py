"""Shapes given by an inequality."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.relational import GreaterThan, LessThan, StrictGreaterThan, StrictLessThan

from ..._support.compile import check_bounds
from ..._support.sobol import fixed_sobol
from ..._support.stored import stored
from ...errors import RegionError, quoted
from ..boundary.curve import Arc
from ..boundary.piece import Piece, Samples
from ..boundary.trace import traced
from ..checks import checked_label
from ..expression import compiled, with_gradient
from ..region import Facet
from .box import Box
from .registry import Description, shape
from .shape import TRIALS, Shape

STEPS = 30  # of Newton's method, which near a boundary takes a few
SHELL = 0.02  # thickness relative to the size of the box
UPRIGHT = 1e-5  # other slopes relative to that along an axis, where a plane across it touches the boundary
STARTS = 400  # points from which critical heights are looked for


@shape("implicit", "Implicit")
@dataclass(frozen=True, repr=False, init=False)
class Implicit(Shape):
    """Where an inequality holds, which must be well inside a box: `Implicit(x**2 + y**4 < 1, Box({x: (-2, 2), …}))`.

    The boundary must be smooth, so that its normal is the gradient: shapes with corners are intersections, `a & b`.
    In the plane the boundary is traced on a grid of 96 cells across the shape; pieces and gaps smaller than a cell can
    be missed.
    """

    relation: sp.Basic
    box: Box
    label: str

    def __init__(self, relation: Any, box: Box, *, name: str = "") -> None:
        if not isinstance(box, Box):
            raise RegionError(f"Implicit takes a Box that holds the shape; got {quoted(box)}.")
        object.__setattr__(self, "relation", inequality(relation, box))
        object.__setattr__(self, "box", box)
        object.__setattr__(self, "label", checked_label(name))
        self._check_bounded()
        self._check_smooth()

    file_keys = ("within",)

    @classmethod
    def from_file(cls, table: Description) -> Implicit:
        box = Box(table.intervals("within"))
        return cls(table.inequality("implicit", box.coordinates), box, name=table.label)

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:  # type: ignore[override]
        """Those of the box around it."""
        return self.box.coordinates

    @property
    def name(self) -> str:
        return self.label or f"the shape {self.relation}"

    @cached_property
    def level(self) -> sp.Expr:
        """g, negative inside."""
        r = self.relation
        return r.lhs - r.rhs if isinstance(r, StrictLessThan | LessThan) else r.rhs - r.lhs

    def levels(self, points: np.ndarray) -> np.ndarray:
        """g at points."""
        return compiled((self.level,), self.coordinates)(*points.T)[0]

    def gradients(self, points: np.ndarray) -> np.ndarray:
        """∇g at points."""
        return np.column_stack(with_gradient(self.level, self.coordinates)(*points.T)[1:])

    def signed_distance(self, points: np.ndarray) -> np.ndarray:
        size = 2 * max(self.box.half_widths)
        g, *slopes = with_gradient(self.level, self.coordinates)(*points.T)
        slope = np.sqrt(sum(s * s for s in slopes))
        near = np.clip(np.where(g == 0, 0.0, g / np.maximum(slope, 1e-300)), -size, size)
        beyond = self.box.signed_distance(points)
        return np.where(beyond > 0, beyond, np.where(np.isnan(near), size, near))

    def projected(self, points: np.ndarray) -> np.ndarray:
        """Points of the boundary near others, by Newton's method along the gradient."""
        for _ in range(STEPS):
            g, *parts = with_gradient(self.level, self.coordinates)(*points.T)
            slopes = np.column_stack(parts)
            step = (g / np.maximum(np.sum(slopes**2, axis=1), 1e-300))[:, None] * slopes
            points = points - step
            if np.abs(step).max(initial=0.0) <= 1e-15 * max(self.box.half_widths):
                break
        return points

    @cached_property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        d = len(self.coordinates)
        if d == 2:
            boxes = np.array([e.piece.bounds for e in self.edges])  # type: ignore[attr-defined]
            return tuple(zip(boxes[:, 0].min(axis=0).tolist(), boxes[:, 1].max(axis=0).tolist(), strict=True))
        heights = [self._critical(axis) for axis in range(d)]
        return tuple((min(h), max(h)) for h in heights)

    @cached_property
    def breaks(self) -> tuple[float, ...]:
        return tuple(sorted(self._critical(len(self.coordinates) - 1)))

    @cached_property
    def edges(self) -> tuple[Facet, ...]:
        d = len(self.coordinates)
        pieces: tuple[Piece, ...] = (
            tuple(Arc.whole(c) for c in traced(self.level, self.coordinates, self.box.intervals))
            if d == 2
            else (Shell(self),)
            if d > 2
            else self._ends()
        )
        return tuple(Facet(p, self.label or "implicit", "", bool(self.label)) for p in pieces)

    has_sections = True

    def section(self, value: float) -> Implicit | None:
        box = self.box.section(value)
        if box is None:
            return None
        section = object.__new__(Implicit)  # unchecked: it may be empty
        fixed = self.level.subs(self.coordinates[-1], sp.Float(value, 17))
        for key, what in (("relation", sp.StrictLessThan(fixed, 0, evaluate=False)), ("box", box), ("label", "")):
            object.__setattr__(section, key, what)
        return section if section.edges else None

    def near_boundary(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points of the boundary next to points of the box in a thin shell around it, and the numbers of these."""
        lower, upper = np.array(self.box.intervals).T
        points = lower + (upper - lower) * unit
        thickness = SHELL * 2 * min(self.box.half_widths)
        rows = np.flatnonzero(np.abs(self.signed_distance(points)) < 2 * thickness)
        found = self.projected(points[rows])
        close = np.linalg.norm(found - points[rows], axis=1) < thickness
        return found[close], rows[close]

    def _ends(self) -> tuple[Piece, ...]:
        from ..boundary.piece import Patch

        (low, high), = self.box.intervals
        places = np.linspace(low, high, 4097)[:, None]
        change = np.flatnonzero(np.diff(np.sign(self.levels(places))))
        found = self.projected((places[change] + places[change + 1]) / 2)
        sides = np.sign(self.gradients(found))[:, 0]
        return tuple(Patch((float(p),), (float(p),), (float(n),)) for p, n in zip(found[:, 0], sides, strict=True))

    def _critical(self, axis: int) -> set[float]:
        """The values of a coordinate at which a plane touches the boundary: there g and the other slopes vanish."""
        others = [i for i in range(len(self.coordinates)) if i != axis]
        conditions = (self.level, *(self.level.diff(self.coordinates[i]) for i in others))
        slopes = tuple(c.diff(x) for c in conditions for x in self.coordinates)
        f, jacobian = compiled(conditions, self.coordinates), compiled(slopes, self.coordinates)
        d, size = len(self.coordinates), 2 * max(self.box.half_widths)
        points = self.near_boundary(fixed_sobol(4 * TRIALS, d))[0]
        far = [points[np.argmin(points[:, axis])], points[np.argmax(points[:, axis])]]
        points = np.concatenate([far, points[:STARTS]])
        for _ in range(STEPS):
            values = np.column_stack(f(*points.T))
            matrix = np.stack(jacobian(*points.T), axis=1).reshape(len(points), d, d)
            step = np.einsum("kij,kj->ki", np.linalg.pinv(matrix), values)
            length = np.linalg.norm(step, axis=1)[:, None]
            points = points - step * np.minimum(1, 0.1 * size / np.maximum(length, 1e-300))
        # not when points no longer move: where the boundary is flat they do for long, and heights are right long before
        slopes_there = np.abs(self.gradients(points))
        upright = slopes_there[:, others].max(axis=1) <= UPRIGHT * slopes_there[:, axis]
        done = upright & (np.abs(self.signed_distance(points)) < 1e-9 * size)
        found = np.sort([far[0][axis], far[1][axis]] if not done.any() else points[done, axis])
        return set(found[np.concatenate([[True], np.diff(found) > 1e-7 * size])].tolist())

    def _check_bounded(self) -> None:
        for edge in self.box.edges:
            unit = fixed_sobol(TRIALS, max(1, len(self.coordinates) - 1))
            on_face = edge.piece.place(unit[:, : len(edge.piece.ends)])
            values = self.levels(on_face.points)
            if np.any(values <= 0):
                where = ", ".join(f"{v:g}" for v in on_face.points[np.argmin(values)])
                raise RegionError(
                    f"The shape {self.relation} reaches the box around it at ({where}): it is unbounded, or the box is "
                    "too small. Give a larger box, or intersect the shape with one, Implicit(…) & Box(…)."
                )
        inside = self.levels(self.box.patches[0].place(fixed_sobol(TRIALS, len(self.coordinates))).points) < 0
        if not inside.any():
            raise RegionError(
                f"There is nothing in the shape {self.relation}: no point of {self.box.name} satisfies it."
            )

    def _check_smooth(self) -> None:
        if not self.edges:
            raise RegionError(f"No boundary of the shape {self.relation} was found in {self.box.name}.")
        for edge in self.edges:
            if edge.piece.ends:
                samples = edge.piece.place(fixed_sobol(2**10, len(edge.piece.ends)))
                off = ~(np.abs(self.signed_distance(samples.points)) < 1e-9 * 2 * max(self.box.half_widths))
                if off.any():
                    where = ", ".join(f"{v:g}" for v in samples.points[np.argmax(off)])
                    raise RegionError(
                        f"The boundary of the shape {self.relation} is not smooth near ({where}), or its formula is "
                        "not defined there. Shapes with corners are made of smooth ones by & and -."
                    )


@stored("Shell")
@dataclass(frozen=True)
class Shell(Piece):
    """The boundary of an implicit shape in space: even points of a thin shell around it, moved onto it."""

    shape: Implicit

    @property
    def ends(self) -> tuple[bool, ...]:
        return (False,) * len(self.shape.coordinates)

    @property
    def has_normals(self) -> bool:
        return True

    @cached_property
    def share(self) -> float:
        return max(1, len(self.shape.near_boundary(fixed_sobol(4 * TRIALS, len(self.ends)))[0])) / (4 * TRIALS)

    @cached_property
    def measure(self) -> float:
        """The volume of the shell over its thickness, good to about a percent."""
        return self.shape.box.volume() * self.share / (2 * SHELL * 2 * min(self.shape.box.half_widths))

    def attempt(self, unit: np.ndarray) -> tuple[Samples, np.ndarray]:
        points, rows = self.shape.near_boundary(unit)
        slopes = self.shape.gradients(points)
        return Samples(points, slopes / np.linalg.norm(slopes, axis=1)[:, None]), rows

    def contains(self, points: np.ndarray) -> np.ndarray:
        there: np.ndarray = np.abs(self.shape.signed_distance(points)) <= self.shape.slack
        return there

    def rule(self, n: int) -> tuple[Samples, np.ndarray]:
        samples = self.place(fixed_sobol(4 * TRIALS, len(self.ends)))
        return samples, np.full(len(samples), self.measure / len(samples))


def inequality(relation: Any, box: Box) -> Any:
    kinds = StrictLessThan | LessThan | StrictGreaterThan | GreaterThan
    if not isinstance(relation, kinds):
        raise RegionError(f"Implicit takes an inequality such as x**2 + y**4 < 1; got {quoted(relation)}.")
    check_bounds(relation, RegionError)
    if strange := relation.free_symbols - set(box.coordinates):
        known = ", ".join(map(str, box.coordinates))
        raise RegionError(
            f"The inequality {relation} contains {', '.join(sorted(map(str, strange)))}; the coordinates are {known}."
        )
    if not relation.free_symbols:
        raise RegionError(f"The inequality {relation} contains no coordinate.")
    return relation
