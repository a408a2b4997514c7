"""Whether the parts of an object belong together: shapes, types of numbers, counts of coordinates.

Objects are put together without the work of their constructors, and so without their checks. Where those take the
fields as they are, they are asked here, and what they make is dropped; else there is a line for each kind.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp
import torch

from ..basis import (
    Cell,
    Chebyshev,
    Combinations,
    Composed,
    Corner,
    CornerFunctions,
    Crack,
    CrackFunctions,
    CutCornerFunctions,
    EdgeFunctions,
    Gaussian,
    Hole,
    Layers,
    Onset,
    RandomFeatures,
    SimilarityFunctions,
    Spot,
    TimeSlabs,
    TrialSpace,
    Union,
    Windowed,
)
from ..discretise.field import ComplexField, Field
from ..fit.search import Search
from ..geometry import (
    Ball,
    Box,
    Cloud,
    Clustered,
    Combined,
    Cylinder,
    Domain,
    Extruded,
    Grid,
    Implicit,
    Pair,
    Part,
    Patch,
    Points,
    Polygon,
    Random,
    Region,
    Samples,
    Segment,
    Shape,
    Slit,
    Star,
    Surface,
)
from ..geometry.boundary.curve import Arc, Line, Lip, Oval
from ..geometry.boundary.piece import Sliced
from ..geometry.boundary.point_set import Given, Table
from ..geometry.boundary.trace import Level
from ..geometry.checks import LARGEST, SMALLEST, check_names, interval
from ..geometry.shapes.ball import Sphere
from ..geometry.shapes.combination import WORDS, Trimmed
from ..geometry.shapes.implicit import Shell, inequality
from ..geometry.shapes.shape import Inside
from ..geometry.shapes.star import Polar
from ..geometry.shapes.surface import Triangles
from ..nonlinear import State
from ..options import ScaleGrid
from ..problem import Component, Condition, Equation, Jet, Unknown

HIGHEST_ORDER = 100  # of a derivative
MOST_POLYNOMIALS = 1000  # along an edge
MOST_TIMES = 10  # that each of the shapes of a combined one is used, on average
MOST_COORDINATES = 1000


def is_sound(value: Any) -> bool:
    """Whether the parts of an object, each of which is of its type, belong together. Constructors raise errors, too."""
    return CHECKS[type(value)](value) is not False if type(value) in CHECKS else True


def coordinates_of(piece: Any) -> int:
    """How many coordinates the points of a piece have."""
    if isinstance(piece, Extruded | Sliced):
        return coordinates_of(piece.base) + 1
    if isinstance(piece, Trimmed):
        return coordinates_of(piece.base)
    if isinstance(piece, Inside | Shell):
        return len(piece.shape.coordinates)
    if isinstance(piece, Given):
        return int(piece.points.array.shape[1])
    if isinstance(piece, Triangles):
        return 3
    if isinstance(piece, Arc):
        return 2
    if not isinstance(piece, Patch | Sphere):  # from outside
        return int(piece.place(np.full((1, len(piece.ends)), 0.5)).points.shape[1])
    return len(piece.lower) if isinstance(piece, Patch) else len(piece.radii)


def _tensors(*tensors: torch.Tensor, shapes: Sequence[tuple[int, ...]]) -> bool:
    return all(t.dtype == torch.float64 and tuple(t.shape) == s for t, s in zip(tensors, shapes, strict=True))


def _rows(array: np.ndarray | None, kind: str = "f") -> bool:
    """Whether an array is rows of coordinates."""
    return array is None or (array.ndim == 2 and array.dtype.kind == kind and bool((np.abs(array) <= LARGEST).all()))


def _alike(*arrays: np.ndarray | None) -> bool:
    return len({a.shape for a in arrays if a is not None}) == 1


def _place(*numbers: float) -> bool:
    """Whether numbers are coordinates of something; SymPy's would make all that is computed from them slow."""
    return all(isinstance(n, float | int) and abs(n) <= LARGEST for n in numbers)


def _size(*numbers: float) -> bool:
    return all(isinstance(n, float | int) and SMALLEST <= n <= LARGEST for n in numbers)


def _formula(expression: sp.Expr, *symbols: sp.Symbol) -> bool:
    return bool(expression.free_symbols <= set(symbols))


def _random_features(f: RandomFeatures) -> bool:
    m, d = f.W.shape if f.W.ndim == 2 else (0, 0)
    return d > 0 and _tensors(f.W, f.b, f.center, shapes=[(m, d), (m,), (d,)])


def _layers(f: Layers) -> bool:
    return f.c.ndim == 1 and _tensors(f.V, f.c, shapes=[(len(f.c), len(f.first)), (len(f.c),)])


def _joined(f: Any) -> bool:
    return _joined_members(f.members)


def _joined_members(members: Sequence[Any]) -> bool:
    return len(members) > 0 and len({m.dimension for m in members}) == 1


def _windowed(f: Windowed) -> bool:
    window = f.window
    sides = len(window.spot.centre) if isinstance(window, Gaussian) else len(getattr(window, "lower", ()))
    return sides == f.dimension


def _composed(f: Composed) -> bool:
    check_names(f.symbols)
    parts = (f.amplitude, *f.inner_coordinates)
    return len(f.inner_coordinates) == f.inner.dimension and all(_formula(e, *f.symbols) for e in parts)


def _corner(c: Corner) -> bool:
    places = len(c.place) == 2 and len(c.end) in (0, 2) and _place(*c.place, *c.end, c.direction, c.cut)
    return places and _size(c.opening, c.near, c.reach)


def _corner_functions(f: CornerFunctions) -> bool:
    inside = len(f.axes) == 2 and all(0 <= k < f.coordinates <= MOST_COORDINATES for k in f.axes)
    each = [(len(f.powers),)] * 3 if f.powers.ndim == 1 else [(0,)] * 3
    arrays = (f.place, f.map, f.powers, f.conjugate_powers, f.logarithms)
    return inside and _tensors(*arrays, shapes=[(2,), (2, 2), *each])


def _cut_corner_functions(f: CutCornerFunctions) -> bool:
    return _corner_functions(f) and _tensors(f.end, shapes=[(2,)])


def _chebyshev(f: Chebyshev) -> bool:
    inside = 0 <= f.axis < f.coordinates <= MOST_COORDINATES and 0 < f.degrees <= MOST_POLYNOMIALS
    return inside and _tensors(f.middle, f.half_width, shapes=[(), ()])


def _edge_functions(f: EdgeFunctions) -> bool:
    return f.across.dimension == f.along.dimension and len(f.across) > 0


def _onset(o: Onset) -> bool:
    right = len(o.place) == len(o.axes) == len(o.directions) == len(o.between) == 2 and o.between[0] < o.between[1]
    return right and _place(*o.place, *o.directions, *o.between) and _size(o.diffusivity, o.duration)


def _similarity_functions(f: SimilarityFunctions) -> bool:
    inside = len(f.axes) == 2 and all(0 <= k < f.coordinates <= MOST_COORDINATES for k in f.axes)
    each = [(len(f.powers),)] * 4 if f.powers.ndim == 1 else [(0,)] * 4
    return inside and _tensors(f.place, f.units, f.powers, f.roots, f.rates, f.errors, shapes=[(2,), (2,), *each])


def _crack(c: Crack) -> bool:
    return all(map(_corner, c.tips)) and c.tips[0].place != c.tips[1].place


def _crack_functions(f: CrackFunctions) -> bool:
    inside = len(f.axes) == 2 and all(0 <= k < f.coordinates <= MOST_COORDINATES for k in f.axes)
    alike = f.inner is None or (len(f.inner) == len(f.terms) and f.inner.dimension == f.coordinates)
    return inside and alike and _size(f.size) and _tensors(f.tips, f.terms, shapes=[(2, 2), (len(f.terms), 6)])


def _combinations(f: Combinations) -> bool:
    return f.B.ndim == 2 and _tensors(f.B, shapes=[(len(f.plain), f.B.shape[1])])


def _time_slabs(f: TimeSlabs) -> bool:
    inside = 0 <= f.axis < f.dimension and 0 < f.degree <= MOST_POLYNOMIALS and len(f.which) > 0
    known = _joined_members(f.spaces) and all(isinstance(k, int) and 0 <= k < len(f.spaces) for k in f.which)
    if not inside or not known or not _tensors(f.starts, f.ends, shapes=[(len(f.which),)] * 2):
        return False
    between = torch.stack([f.starts, f.ends], dim=1).flatten()
    return bool((f.starts < f.ends).all() and (between.diff() >= 0).all() and (between.abs() <= LARGEST).all())


def _field(f: Field) -> bool:
    d = len(f.domain.coordinates)
    right = f.features.dimension == d == len(f.orders) and set(f.arguments) == set(f.domain.coordinates)
    weights = _tensors(f.weights, shapes=[(len(f.features),)])
    return right and weights and len(f.arguments) == d and all(0 <= n <= HIGHEST_ORDER for n in f.orders)


def _samples(s: Samples) -> bool:
    weights = s.weights is None or (s.weights.dtype.kind == "f" and s.weights.shape == (len(s.points),))
    return all(map(_rows, (s.points, s.normals, s.opposite))) and _alike(s.points, s.normals, s.opposite) and weights


def _triangles(vertices: np.ndarray, faces: np.ndarray) -> bool:
    inside = faces.size > 0 and faces.min() >= 0 and faces.max() < len(vertices)
    return _rows(vertices) and _rows(faces, "i") and inside and vertices.shape[1] == faces.shape[1] == 3


def _polygon(p: Polygon) -> bool:
    check_names(p.coordinates)
    rings = [p.corners, *p.holes]
    return len(p.coordinates) == 2 and all(len(r) > 2 and all(_place(*c) for c in r) for r in rings)


def _surface(s: Surface) -> bool:
    check_names(s.coordinates)
    return len(s.coordinates) == 3 and _triangles(s.vertices.array, s.faces.array)


def _patch(p: Patch) -> bool:
    return len({len(v) for v in (p.lower, p.upper, p.normal) if v is not None}) == 1 and _place(*p.lower, *p.upper)


def _part(p: Part) -> bool:
    d = len(p.of.coordinates) if isinstance(p.of, Domain) else 0
    distinct = len(set(map(id, p.pieces))) == len(p.pieces)
    return d > 0 and len(p.pieces) > 0 and distinct and {coordinates_of(piece) for piece in p.pieces} == {d}


def _points(p: Points) -> bool:
    again = Points(p.values).arrays
    return set(p.arrays) == set(again) and all(_same(p.arrays[x], again[x]) for x in again)


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return one.dtype == other.dtype and one.shape == other.shape


def _component(c: Component) -> bool:
    if not isinstance(c.domain, Domain) or c.part not in ("", "re", "im"):
        return False
    arguments = c.unknown.args
    known = set(arguments) == set(c.domain.coordinates) and len(arguments) == len(c.domain.coordinates)
    return isinstance(c.unknown, Unknown) or (isinstance(c.unknown, sp.core.function.AppliedUndef) and known)


def _jet(j: Jet) -> bool:
    return j.unknown >= 0 and all(0 <= n <= HIGHEST_ORDER for n in j.orders)


def _search(s: Search) -> bool:
    alike = len(s.scales) == len(s.losses) and len({len(scale) for scale in s.scales}) <= 1
    return alike and all(0 < rho < math.inf for scale in s.scales for rho in scale)


def _combined(s: Combined) -> bool:
    """That something is left takes long to find. Shapes of shapes may share theirs, but not so that they explode."""
    leaves = _leaves(s)
    if any(isinstance(part, Segment | Slit) for part in (s.first, s.second)):
        return False
    alike = s.operation in WORDS and s.first.coordinates == s.second.coordinates
    return alike and len(leaves) <= MOST_TIMES * len({id(leaf) for leaf in leaves})


def _slit(s: Slit) -> bool:
    """Where its crack starts is found when it is asked for."""
    return isinstance(s.segment, Segment) and s.shape.coordinates == s.segment.coordinates


def _leaves(shape: Any) -> list[Any]:
    return [*_leaves(shape.first), *_leaves(shape.second)] if isinstance(shape, Combined) else [shape]


def _cylinder(c: Cylinder) -> bool:
    replace(c)
    interval(c.time, (c.start, c.end))
    return isinstance(c.base, Shape) and _place(c.start, c.end) and _size(c.end - c.start)


def _mapped(coordinates: Sequence[sp.Symbol], values: Sequence[Any]) -> dict[sp.Symbol, Any]:
    check_names(coordinates)
    return dict(zip(coordinates, values, strict=True))


CHECKS: Mapping[type, Callable[[Any], Any]] = {
    Box: lambda s: all(_place(*e) and _size(e[1] - e[0]) for e in s.intervals)
    and Box(_mapped(s.coordinates, s.intervals)),
    Ball: lambda s: _place(*s.centre) and _size(*s.radii) and Ball(_mapped(s.coordinates, s.centre), list(s.radii)),
    Cloud: lambda s: Cloud(s.inside.array, s.rim.array, s.normals.array, s.coordinates),
    Combined: _combined,
    Cylinder: _cylinder,
    Implicit: lambda s: inequality(s.relation, s.box),  # that it is smooth and bounded takes a second to find
    Polygon: _polygon,
    Segment: lambda s: _place(*s.start, *s.end) and Segment(s.start, s.end, s.coordinates),
    Slit: _slit,
    Star: lambda s: _place(*s.centre) and Star(_mapped(s.coordinates, s.centre), s.radius, s.angle),
    Surface: _surface,
    Part: _part,
    Pair: lambda p: _part(p) and 0 <= p.axis < len(p.of.coordinates) and _place(p.lower),
    Points: _points,
    Samples: _samples,
    Arc: lambda p: 0 <= p.start < p.end <= p.curve.panels,
    Extruded: lambda p: _place(p.start, p.end) and _size(p.end - p.start),
    Given: lambda p: _alike(p.points.array, p.normals and p.normals.array) and p.points.array.size and _place(p.extent),
    Patch: _patch,
    Sliced: lambda p: _place(p.at) and abs(p.direction) == 1,
    Sphere: lambda p: len(p.centre) == len(p.radii) and _place(*p.centre) and _size(*p.radii),
    Triangles: lambda p: _triangles(p.vertices.array, p.faces.array),
    Trimmed: lambda p: p.side in (0, 1) and coordinates_of(p.base) == len(p.of.coordinates),
    Level: lambda c: len(c.coordinates) == 2 and len(c.vertices) > 2 and _formula(c.level, *c.coordinates)
    and all(_place(*v) for v in c.vertices),
    Oval: lambda c: _place(*c.centre) and _size(*c.radii),
    Polar: lambda c: _place(*c.centre) and _formula(c.radius, c.angle),
    Line: lambda c: _place(*c.start, *c.end),
    Lip: lambda c: _place(*c.start, *c.end) and c.start != c.end,
    Table: lambda t: _rows(t.array, t.array.dtype.kind) and t.array.dtype.kind in "fi",
    Clustered: replace,
    Random: replace,
    Grid: lambda g: Grid(*g.counts) and (g.axes is None or len(g.axes) == len(g.counts)),
    ScaleGrid: replace,
    RandomFeatures: _random_features,
    Layers: _layers,
    Union: _joined,
    Windowed: _windowed,
    Composed: _composed,
    TrialSpace: _joined,
    Combinations: _combinations,
    TimeSlabs: _time_slabs,
    Cell: lambda c: len(c.lower) == len(c.upper) == len(c.overlap) > 0,
    Spot: lambda s: len(s.centre) == len(s.width) > 0 and _place(*s.centre) and _size(*s.width),
    Corner: _corner,
    CornerFunctions: _corner_functions,
    CutCornerFunctions: _cut_corner_functions,
    Chebyshev: _chebyshev,
    EdgeFunctions: _edge_functions,
    Onset: _onset,
    SimilarityFunctions: _similarity_functions,
    Crack: _crack,
    CrackFunctions: _crack_functions,
    Hole: lambda h: len(h.centre) == len(h.axes) > 0 and _place(*h.centre, h.radius),
    Field: _field,
    ComplexField: lambda f: f.real.domain == f.imag.domain and f.real.arguments == f.imag.arguments,
    Component: _component,
    Condition: lambda c: isinstance(c.region, Region),
    Equation: lambda e: len({s for _, s in e.jets}) == len(e.jets),
    Jet: _jet,
    State: lambda s: s.weights.ndim == 1,
    Search: _search,
}
