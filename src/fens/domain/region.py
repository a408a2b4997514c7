"""Regions: named sets of points, made of patches that are images of a unit cube."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy as sp

from ..errors import RegionError
from ..numbers import real_array


@dataclass(frozen=True)
class Samples:
    """Points, one in a row, and the outward unit normals there if the region has them.

    Pairs of points have the `opposite` ones too; those of a quadrature rule have `weights`.
    """

    points: np.ndarray
    normals: np.ndarray | None = None
    opposite: np.ndarray | None = None
    weights: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.points)

    def only(self, rows: np.ndarray) -> Samples:
        """Some of the points."""
        return Samples(self.points[rows], *(None if a is None else a[rows] for a in self._others))

    @classmethod
    def joined(cls, parts: Sequence[Samples]) -> Samples:
        """All the points of several samples, in order."""
        columns = zip(*(p._others for p in parts), strict=True)
        others = (None if any(a is None for a in c) else np.concatenate(c) for c in columns)
        return cls(np.concatenate([p.points for p in parts]), *others)

    @property
    def _others(self) -> tuple[np.ndarray | None, ...]:
        return self.normals, self.opposite, self.weights


@dataclass(frozen=True)
class Patch:
    """A box of any dimension, parallel to the axes: the axes with lower < upper are its own, the others are fixed."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    normal: tuple[float, ...] | None = None

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes along which the patch extends."""
        return tuple(i for i, (a, b) in enumerate(zip(self.lower, self.upper, strict=True)) if a < b)

    @property
    def measure(self) -> float:
        """Length, area, volume …; 1 for a single point."""
        return float(np.prod([self.upper[i] - self.lower[i] for i in self.axes]))

    def place(self, unit: np.ndarray) -> Samples:
        """The images of points of the unit cube of the patch's dimension."""
        lower, upper, axes = np.array(self.lower), np.array(self.upper), list(self.axes)
        points = np.tile(lower, (len(unit), 1))
        # this form, unlike lower + (upper − lower)·unit, puts 0 and 1 exactly on the ends
        points[:, axes] = lower[axes] * (1 - unit) + upper[axes] * unit
        normals = None if self.normal is None else np.tile(np.array(self.normal), (len(unit), 1))
        return Samples(points, normals)

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Which of the points lie on the closed patch, exactly."""
        return _within(points, np.array(self.lower), np.array(self.upper))

    def extruded(self, start: float, end: float) -> Patch:
        """The patch times an interval along a new last axis."""
        normal = None if self.normal is None else (*self.normal, 0.0)
        return Patch((*self.lower, start), (*self.upper, end), normal)

    def sliced(self, at: float, direction: float) -> Patch:
        """The patch at one value of a new last axis, with the normal along that axis."""
        return Patch((*self.lower, at), (*self.upper, at), (*[0.0] * len(self.lower), direction))


class Region(ABC):
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
    def patches(self) -> tuple[Patch, ...]:
        """What it consists of."""

    @property
    def has_normals(self) -> bool:
        """Whether an outward normal is defined on it."""
        return bool(self.patches) and all(p.normal is not None for p in self.patches)

    @property
    def has_pairs(self) -> bool:
        """Whether its points come in pairs."""
        return False

    def __repr__(self) -> str:
        return f"<{self.name}>"


@dataclass(frozen=True, repr=False)
class Part(Region):
    """A named part of a domain, such as its boundary."""

    of: Any
    title: str
    pieces: tuple[Patch, ...]

    @property
    def domain(self) -> Any:
        return self.of

    @property
    def name(self) -> str:
        return self.title

    @property
    def patches(self) -> tuple[Patch, ...]:
        return self.pieces


class Domain(Region):
    """A region that is a whole: it has coordinates, bounds and a boundary."""

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
    def boundary(self) -> Part:
        """The whole boundary."""

    @property
    def half_widths(self) -> tuple[float, ...]:
        """Half the length of each of the bounds."""
        return tuple((b - a) / 2 for a, b in self.bounds)

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Which of the points lie in the closed domain, up to round-off."""
        lower, upper = np.array(self.bounds).T
        slack = 1e-12 * (upper - lower)
        return _within(points, lower - slack, upper + slack)

    def axis(self, coordinate: Any) -> int:
        """The number of a coordinate."""
        if coordinate not in self.coordinates:
            raise RegionError(
                f"{coordinate} is not a coordinate of {self.name}; "
                f"the coordinates are {', '.join(map(str, self.coordinates))}."
            )
        return self.coordinates.index(coordinate)


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
                raise RegionError(f"The coordinates of Points are SymPy symbols; got {x!r}.")
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
    def patches(self) -> tuple[Patch, ...]:
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
            )
        points = self.samples(domain.coordinates).points
        outside = np.flatnonzero(~np.any([d.contains(points) for d in domains], axis=0))
        if len(outside):
            where = ", ".join(f"{v:g}" for v in points[outside[0]])
            names = " and ".join(d.name for d in domains)
            raise RegionError(f"Point number {outside[0]} of Points, ({where}), lies outside {names}.")


def _within(points: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    inside: np.ndarray = np.all((points >= lower) & (points <= upper), axis=1)
    return inside
