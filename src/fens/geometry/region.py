"""Regions: named sets of points, made of pieces. A domain is a whole; parts belong to one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from .._support.numbers import is_whole, real_array, real_number
from .._support.stored import stored
from .._support.symbols import namesakes
from ..errors import FensError, RegionError, quoted
from .boundary.piece import Definition, Piece, Samples
from .checks import check_size

MOST_NODES = 4 * 10**6  # of a quadrature
SLACK = 1e-12  # round-off, relative to the size of a domain


class Region(Definition, ABC):
    """A set of points on which equations can hold. Immutable, and equal to another made in the same way."""

    @property
    @abstractmethod
    def domain(self) -> Any:
        """The domain this is a part of, the region itself if it is one, or None for free points."""

    @property
    @abstractmethod
    def name(self) -> str:
        """How messages refer to it."""

    @property
    @abstractmethod
    def patches(self) -> tuple[Piece, ...]:
        """The pieces it consists of."""

    @property
    def has_normals(self) -> bool:
        """Whether an outward normal is defined on it."""
        return bool(self.patches) and all(p.has_normals for p in self.patches)

    @property
    def has_pairs(self) -> bool:
        """Whether its points come in pairs."""
        return False

    @property
    def measure(self) -> float:
        """Length, area or volume; the number of points of what consists of points."""
        return sum(p.measure for p in self.patches)

    def rule(self, n: int) -> tuple[Samples, np.ndarray]:
        """Points, with their normals on a boundary, and weights for integrals over the region."""
        if not self.patches:
            raise RegionError(f"There is no integral over {self.name}.")
        rules = [p.rule(n) for p in self.patches]
        return Samples.joined([s for s, _ in rules]), np.concatenate([w for _, w in rules])

    def quadrature(self, n: int = 24) -> tuple[np.ndarray, np.ndarray]:
        """Points in the region and weights: ∫f ≈ Σ weights·f(points), with about n points along a smooth stretch.

        Products of Gauss's rules, so that smooth functions are integrated to round-off with moderate n, on boxes of up
        to four dimensions, balls, ellipsoids, all plane shapes and what is combined from them, cylinders over these,
        and their boundaries. Implicit shapes in 3-D, and what is combined in 3-D from boxes, balls and these, are
        integrated slice by slice: to round-off if boundaries do not meet, else to three to six digits. The rest, that
        is boundaries of these, solids of triangles and boxes in more than four dimensions, have Sobol points with equal
        weights, good for two to four digits.
        """
        samples, weights = self.rule(checked_count(n, self, "quadrature()", RegionError))
        return samples.points, weights

    def __repr__(self) -> str:
        return f"<{self.name}>"


def checked_count(n: Any, region: Region, caller: str, error: type[FensError]) -> int:
    """The number of points of a rule along a direction, of which there are at most MOST_NODES in all."""
    dimension = 1 if region.domain is None else len(region.domain.coordinates) - (region is not region.domain)
    most = round(MOST_NODES ** (1 / min(max(dimension, 2), 4)))
    if not is_whole(n, 1) or n > most:
        what = f"a whole positive number of points along a direction, at most {most} on {region.name}"
        raise error(f"{caller} takes {what}; got {quoted(n)}.")
    return int(n)


@stored("Part")
@dataclass(frozen=True, repr=False)
class Part(Region):
    """A named part of a domain, such as its boundary."""

    of: Any
    title: str
    pieces: tuple[Piece, ...]

    @property
    def domain(self) -> Any:
        return self.of

    @property
    def name(self) -> str:
        return self.title

    @property
    def patches(self) -> tuple[Piece, ...]:
        return self.pieces


@dataclass(frozen=True)
class Facet:
    """A piece of the boundary of a domain, and where it comes from.

    `shape` is the name of the shape it belongs to, `detail` which part of that it is, `named` whether the name is the
    user's, and `origins` the pieces it was cut from.
    """

    piece: Piece
    shape: str
    detail: str = ""
    named: bool = False
    origins: tuple[Piece, ...] = ()

    def cut(self, piece: Piece) -> Facet:
        """The same edge after a part of it was cut away."""
        return replace(self, piece=piece, origins=(*self.origins, self.piece))

    def answers(self, name: str) -> bool:
        """Whether it goes by a name."""
        return name in (self.shape, self.detail)


class Domain(Region):
    """A region that is a whole: it has coordinates, bounds, a boundary and an inside.

    Domains of the same coordinates combine: `a + b` is what lies in either, `a & b` in both, `a - b` in a but not b.
    """

    coordinates: tuple[sp.Symbol, ...]

    @property
    def domain(self) -> Domain:
        return self

    @property
    @abstractmethod
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """The smallest interval along each axis that holds the domain."""

    @property
    @abstractmethod
    def edges(self) -> tuple[Facet, ...]:
        """The pieces of the boundary."""

    @abstractmethod
    def signed_distance(self, points: np.ndarray) -> np.ndarray:
        """Negative inside, positive outside; near the boundary about the distance from it."""

    @property
    def boundary(self) -> Part:
        """The whole boundary."""
        return Part(self, "the boundary", tuple(e.piece for e in self.edges))

    def part(self, which: Any) -> Part:
        """A part of the boundary: by the name of a shape or edge, or what is left of a part of one of its shapes."""
        if isinstance(which, Part):
            found = [e.piece for e in self.edges if any(p in which.pieces for p in (e.piece, *e.origins))]
            title = which.name if which.name != "the boundary" else f"the boundary of {which.domain.name}"
        else:
            if not isinstance(which, str):
                raise RegionError(f"A part of a boundary has a name, or is one of another; got {type(which).__name__}.")
            found, title = [e.piece for e in self.edges if e.answers(which)], f"the part {which}"
        if not found:
            raise RegionError(
                f"There is no part {quoted(getattr(which, 'name', which))} of the boundary of {self.name}; "
                f"its parts are {', '.join(map(repr, self.part_names))}."
            )
        return Part(self, title, tuple(found))

    @property
    def part_names(self) -> tuple[str, ...]:
        """What `part` can be asked for."""
        names = [n for e in self.edges for n in (e.shape, e.detail) if n]
        return tuple(dict.fromkeys(names))

    def face(self, coordinate: sp.Symbol, value: Any) -> Part:
        """The face of a box among the shapes on which a coordinate has the given value."""
        self.axis(coordinate)
        return self.part(face_name(coordinate, value))

    def edge(self, number: int) -> Part:
        """What there is of an edge of a polygon among the shapes, by its number."""
        return self.part(f"edge {quoted(number)}")

    @property
    def hole_sites(self) -> tuple[tuple[tuple[float, ...], float], ...]:
        """The holes, as a point inside each, and its distance from the rim."""
        return ()

    @cached_property
    def half_widths(self) -> tuple[float, ...]:
        """Half the length of each of the bounds."""
        return tuple((b - a) / 2 for a, b in self.bounds)

    @cached_property
    def slack(self) -> float:
        """Distances that are round-off."""
        largest = max(max(abs(a), abs(b)) for a, b in self.bounds)
        return max(SLACK * 2 * max(self.half_widths), 8 * float(np.finfo(float).eps) * largest)

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Which of the points, one in a row, lie in the closed domain, up to round-off."""
        inside: np.ndarray = self.signed_distance(points_of(self, points)) <= self.slack
        return inside

    @property
    def cracks(self) -> tuple[tuple[tuple[float, float], tuple[float, float]], ...]:
        """The cracks, each from where it starts, at the boundary if it does, to its tip."""
        return ()

    @property
    def inside_cracks(self) -> tuple[tuple[tuple[float, float], tuple[float, float]], ...]:
        """Those of the cracks that do not reach the boundary: both of their ends are tips."""
        return ()

    @property
    def uncracked(self) -> Domain:
        """The domain together with its cracks."""
        return self

    def on_crack(self, points: np.ndarray) -> np.ndarray:
        """Which points lie on a crack itself, and so on neither of its sides."""
        return np.zeros(len(points), dtype=bool)

    def farthest(self, directions: np.ndarray) -> np.ndarray:
        """For each direction, one in a row, the point of the bounds that is farthest along it; of a box, a corner."""
        lower, upper = np.array(self.bounds).T
        return np.asarray(np.select([directions > 0, directions < 0], [upper, lower], (lower + upper) / 2))

    def section(self, value: float) -> Domain | None:
        """What lies at one value of the last coordinate; None if nothing does."""
        raise NotImplementedError

    @property
    def has_sections(self) -> bool:
        """Whether `section` is known."""
        return False

    @property
    def breaks(self) -> tuple[float, ...]:
        """Values of the last coordinate between which sections are alike."""
        return self.bounds[-1]

    def check_size(self) -> None:
        """Refuse what is absurdly large or small; shapes that are registered have no other check."""
        check_size(self.coordinates, self.bounds)

    def axis(self, coordinate: Any) -> int:
        """The number of a coordinate."""
        if not isinstance(coordinate, sp.Symbol) or coordinate not in self.coordinates:
            raise RegionError(
                f"{quoted(coordinate)} is not a coordinate of {self.name}; "
                f"the coordinates are {', '.join(map(str, self.coordinates))}."
                f"{namesakes([coordinate], self.coordinates)}"
            )
        return self.coordinates.index(coordinate)


def face_name(coordinate: sp.Symbol, value: Any) -> str:
    """The detail by which the face of a box is known."""
    return f"{coordinate} = {real_number(value, RegionError, f'A face is at a number; got {quoted(value)}.'):g}"


def points_of(domain: Domain, points: Any) -> np.ndarray:
    """Points as rows of real numbers, as many in each as the domain has coordinates."""
    d = len(domain.coordinates)
    array = real_array(points, RegionError, "Points are arrays of real numbers, one point in a row.")
    if array.ndim != 2 or array.shape[1] != d:
        raise RegionError(
            f"Points of {domain.name} are an array with one row for each and {d} columns; got shape {array.shape}."
        )
    return array


@stored("Points")
@dataclass(frozen=True, repr=False, eq=False)
class Points(Region):
    """Given points, where measurements were taken or an equation is to hold besides: `Points({x: xs, y: ys})`."""

    values: Mapping[sp.Symbol, Any]
    arrays: Mapping[sp.Symbol, np.ndarray] = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.values, Mapping) or not self.values:
            raise RegionError("Points takes a mapping from coordinates to arrays, such as Points({x: xs, y: ys}).")
        for x in self.values:
            if not isinstance(x, sp.Symbol):
                raise RegionError(f"The coordinates of Points are SymPy symbols; got {quoted(x)}.")
        message = "The coordinates of Points must be arrays of real numbers."
        arrays = {x: real_array(v, RegionError, message).ravel() for x, v in self.values.items()}
        lengths = {len(a) for a in arrays.values()}
        if len(lengths) != 1 or 0 in lengths:
            given = ", ".join(f"{x}: {len(a)}" for x, a in arrays.items())
            raise RegionError(f"Points needs as many values for each coordinate, and at least one; got {given}.")
        if not all(np.isfinite(a).all() for a in arrays.values()):
            raise RegionError("The coordinates of Points must be finite.")
        object.__setattr__(self, "arrays", arrays)

    def __len__(self) -> int:
        return len(next(iter(self.arrays.values())))

    @property
    def domain(self) -> None:
        return None

    @property
    def name(self) -> str:
        return f"the {len(self)} given points"

    @property
    def patches(self) -> tuple[Piece, ...]:
        return ()

    def samples(self, coordinates: Sequence[sp.Symbol]) -> Samples:
        """The points, with the coordinates in the given order."""
        return Samples(np.stack([self.arrays[x] for x in coordinates], axis=1))

    def check_inside(self, domains: Sequence[Domain]) -> None:
        """Refuse points that lack a coordinate or lie outside all of the domains."""
        domain = domains[0]
        if set(self.arrays) != set(domain.coordinates):
            raise RegionError(
                f"Points has the coordinates {', '.join(map(str, self.arrays))}; "
                f"{domain.name} has {', '.join(map(str, domain.coordinates))}."
                f"{namesakes(self.arrays, domain.coordinates)}"
            )
        points = self.samples(domain.coordinates).points
        outside = np.flatnonzero(~np.any([d.contains(points) for d in domains], axis=0))
        if len(outside):
            where = ", ".join(f"{v:g}" for v in points[outside[0]])
            names = " and ".join(d.name for d in domains)
            raise RegionError(f"Point number {outside[0]} of Points, ({where}), lies outside {names}.")
