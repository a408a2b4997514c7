"""Balls and ellipsoids of any dimension."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from ..._support.numbers import items, real_number
from ..._support.sobol import fixed_sobol
from ..._support.stored import stored
from ...errors import RegionError, listed, quoted
from ..boundary.curve import Arc, Oval
from ..boundary.piece import Patch, Piece, Samples
from ..checks import check_size, checked_centre, checked_label
from ..quadrature.rule import gauss
from ..region import Facet
from .registry import Description, shape
from .shape import TRIALS, Shape

IN_A_BOX = 3  # dimensions up to which the box around a ball is filled: in ten a ball has a 400th of it


@shape("ball", "Ball")
@dataclass(frozen=True, repr=False, init=False)
class Ball(Shape):
    """`Ball({x: 0.5, y: 0.5}, radius=0.25)`; an ellipsoid by a radius for each axis, `radius={x: 0.2, y: 0.3}`.

    >>> x, y = sp.symbols("x y")
    >>> disc = Ball({x: 0, y: 0}, radius=1, name="disc")
    >>> round(disc.volume(), 12) == round(math.pi, 12)
    True
    """

    coordinates: tuple[sp.Symbol, ...]
    centre: tuple[float, ...]
    radii: tuple[float, ...]
    label: str

    def __init__(self, centre: Mapping[sp.Symbol, Any], radius: Any, *, name: str = "") -> None:
        coordinates, place = checked_centre("a ball", centre)
        object.__setattr__(self, "coordinates", coordinates)
        object.__setattr__(self, "centre", place)
        object.__setattr__(self, "radii", _radii(coordinates, radius))
        object.__setattr__(self, "label", checked_label(name))
        check_size(coordinates, self.bounds)

    file_keys = ("radius",)

    @classmethod
    def from_file(cls, table: Description) -> Ball:
        radius = table.values("radius") if table.is_table("radius") else table.number("radius")
        return cls(table.values("ball"), radius, name=table.label)

    @property
    def name(self) -> str:
        place = ", ".join(f"{c:g}" for c in self.centre)
        if len(set(self.radii)) == 1:
            return self.label or f"the ball around ({place}) of radius {self.radii[0]:g}"
        return self.label or f"the ellipsoid around ({place}) of radii {', '.join(f'{r:g}' for r in self.radii)}"

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        return tuple((c - r, c + r) for c, r in zip(self.centre, self.radii, strict=True))

    @property
    def edges(self) -> tuple[Facet, ...]:
        pieces = _boundary(self.centre, self.radii)
        return tuple(Facet(p, self.label or "ball", "", bool(self.label)) for p in pieces)

    def signed_distance(self, points: np.ndarray) -> np.ndarray:
        from_centre = points - np.array(self.centre)
        if len(set(self.radii)) == 1:
            result: np.ndarray = np.linalg.norm(from_centre, axis=1) - self.radii[0]
            return result
        unit = from_centre / np.array(self.radii)
        norm, slope = np.linalg.norm(unit, axis=1), np.linalg.norm(unit / np.array(self.radii), axis=1)
        at_centre = slope == 0
        near = norm * (norm - 1) / np.where(at_centre, 1.0, slope)  # the distance to first order
        return np.where(at_centre, -min(self.radii), near)

    def filled(self, unit: np.ndarray) -> np.ndarray:
        if len(self.radii) <= IN_A_BOX:
            return super().filled(unit)
        return np.asarray(np.array(self.centre) + np.array(self.radii) * ball_points(unit))

    def farthest(self, directions: np.ndarray) -> np.ndarray:
        return np.asarray(np.array(self.centre) + np.array(self.radii) * _unit(directions * np.array(self.radii)))

    has_sections = True

    def section(self, value: float) -> Ball | None:
        share = 1 - ((value - self.centre[-1]) / self.radii[-1]) ** 2
        if share <= 0:
            return None
        centre = dict(zip(self.coordinates[:-1], self.centre[:-1], strict=True))
        return Ball(centre, [r * math.sqrt(share) for r in self.radii[:-1]])

    def volume(self) -> float:
        d = len(self.radii)
        return math.exp(d / 2 * math.log(math.pi) - math.lgamma(d / 2 + 1)) * math.prod(self.radii)

    def rule(self, n: int) -> tuple[Samples, np.ndarray]:
        points, weights = ball_rule(len(self.radii), n)
        return Samples(np.array(self.centre) + points * np.array(self.radii)), weights * math.prod(self.radii)


@stored("Sphere")
@dataclass(frozen=True)
class Sphere(Piece):
    """The surface of an ellipsoid in three or more dimensions.

    Even points of a sphere are stretched; where that stretches areas less than elsewhere, some are left out.
    """

    centre: tuple[float, ...]
    radii: tuple[float, ...]

    @property
    def ends(self) -> tuple[bool, ...]:
        return (False,) * (_angles(len(self.radii)) + (not self._round))

    @property
    def has_normals(self) -> bool:
        return True

    @property
    def _round(self) -> bool:
        return len(set(self.radii)) == 1

    @cached_property
    def share(self) -> float:
        if self._round:
            return 1.0
        around = sphere_points(fixed_sobol(TRIALS, _angles(len(self.radii))))
        return float(np.mean(self._stretch(around)) / self._most)

    @cached_property
    def measure(self) -> float:
        if len(self.radii) == 3:
            return float(self.rule(48)[1].sum())
        return _sphere_area(len(self.radii)) * self.share * self._most

    def attempt(self, unit: np.ndarray) -> tuple[Samples, np.ndarray]:
        around = sphere_points(unit[:, : _angles(len(self.radii))])
        rows = np.arange(len(unit))
        if not self._round:
            rows = rows[unit[:, -1] * self._most <= self._stretch(around)]
        return self._placed(around[rows]), rows

    def towards(self, directions: np.ndarray, far: np.ndarray, rng: np.random.Generator) -> Samples:
        along = _unit(directions * np.array(self.radii))
        across = rng.standard_normal(along.shape)
        across = _unit(across - np.sum(across * along, axis=1, keepdims=True) * along)
        return self._placed(_unit(far * along + np.sqrt(1 - far**2) * across))

    def contains(self, points: np.ndarray) -> np.ndarray:
        norm = np.linalg.norm((points - np.array(self.centre)) / np.array(self.radii), axis=1)
        there: np.ndarray = np.abs(norm - 1) <= 1e-12
        return there

    def rule(self, n: int) -> tuple[Samples, np.ndarray]:
        if len(self.radii) == 3:
            around, weights = sphere_rule(n)
        else:
            around = sphere_points(fixed_sobol(TRIALS, _angles(len(self.radii))))
            weights = np.full(TRIALS, _sphere_area(len(self.radii)) / TRIALS)
        return self._placed(around), weights * self._stretch(around)

    @property
    def _most(self) -> float:
        return math.prod(self.radii) / min(self.radii)

    def _stretch(self, around: np.ndarray) -> np.ndarray:
        """How areas grow from the unit sphere to the surface."""
        stretch: np.ndarray = math.prod(self.radii) * np.linalg.norm(around / np.array(self.radii), axis=1)
        return stretch

    def _placed(self, around: np.ndarray) -> Samples:
        normals = _unit(around / np.array(self.radii))
        return Samples(np.array(self.centre) + around * np.array(self.radii), normals)


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors, one in a row, of length 1; any for zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: np.ndarray = np.where(norms > 0, vectors, np.eye(1, vectors.shape[1])) / np.where(norms > 0, norms, 1.0)
    return found


def _normal(unit: np.ndarray) -> np.ndarray:
    """Normal numbers from even ones."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(unit, 1e-15, 1 - 1e-15)))


def sphere_points(unit: np.ndarray) -> np.ndarray:
    """Even points of the unit sphere from those of a square, in more than three dimensions of a cube."""
    if unit.shape[1] == 2:
        height, angle = 2 * unit[:, 0] - 1, 2 * np.pi * unit[:, 1]
        level = np.sqrt((1 - height) * (1 + height))
        points = np.column_stack([level * np.cos(angle), level * np.sin(angle), height])
    else:
        points = _normal(unit)
    around: np.ndarray = points / np.linalg.norm(points, axis=1)[:, None]
    return around


def ball_points(unit: np.ndarray) -> np.ndarray:
    """Even points of the unit ball from those of a cube: normal numbers have a length apart from their direction."""
    from scipy.special import gammainc

    normal, d = _normal(unit), unit.shape[1]
    length = np.linalg.norm(normal, axis=1)
    return np.asarray(gammainc(d / 2, length**2 / 2)[:, None] ** (1 / d) * _unit(normal))


def sphere_rule(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss's rule in the height, equal steps around the axis."""
    heights, weights = gauss(n)
    height, angle = 2 * heights - 1, 2 * np.pi * (np.arange(2 * n) + 0.5) / (2 * n)
    level = np.sqrt((1 - height) * (1 + height))
    columns = [np.outer(level, np.cos(angle)), np.outer(level, np.sin(angle)), np.outer(height, np.ones(2 * n))]
    return np.column_stack([c.ravel() for c in columns]), np.repeat(weights * 2, 2 * n) * np.pi / n


def ball_rule(d: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The unit ball as slices that are balls: sections at x = sin φ have the radius cos φ, which is smooth."""
    nodes, weights = gauss(n)
    angle = np.pi * (nodes - 0.5)
    if d == 1:
        return (2 * nodes - 1)[:, None], 2 * weights
    below, below_weights = ball_rule(d - 1, n)
    points = np.concatenate(
        [np.column_stack([below * np.cos(a), np.full(len(below), np.sin(a))]) for a in angle]
    )
    return points, np.outer(np.pi * weights * np.cos(angle) ** d, below_weights).ravel()


def _boundary(centre: tuple[float, ...], radii: tuple[float, ...]) -> tuple[Piece, ...]:
    if len(radii) == 1:
        ends = ((centre[0] - radii[0], -1.0), (centre[0] + radii[0], 1.0))
        return tuple(Patch((at,), (at,), (n,)) for at, n in ends)
    if len(radii) == 2:
        return (Arc.whole(Oval(centre, radii)),)  # type: ignore[arg-type]
    return (Sphere(centre, radii),)


def _radii(coordinates: Sequence[sp.Symbol], radius: Any) -> tuple[float, ...]:
    given = radius
    if isinstance(radius, Mapping):
        if set(radius) != set(coordinates):
            raise RegionError(
                f"An ellipsoid needs a radius for each of {', '.join(map(str, coordinates))}; "
                f"got some for {listed(radius)}."
            )
        given = [radius[x] for x in coordinates]
    many = isinstance(given, Sequence | np.ndarray) and not isinstance(given, str) and getattr(given, "ndim", 1) > 0
    single = items(given, len(coordinates)) if many else (given,)
    if single is None or len(single) not in (1, len(coordinates)):
        raise RegionError(
            f"An ellipsoid needs {len(coordinates)} radii, one for each axis; got {len(given)}: {quoted(given)}."
        )
    message = f"The radius of a ball is a number, or one for each axis; got {quoted(radius)}."
    numbers = [real_number(r, RegionError, message) for r in single]
    for r in numbers:
        if not 0 < r < math.inf:
            raise RegionError(f"The radius of a ball must be positive and finite; got {r:g}.")
    return tuple(numbers * len(coordinates) if len(numbers) == 1 else numbers)


def _angles(d: int) -> int:
    return 2 if d == 3 else d


def _sphere_area(d: int) -> float:
    return 2 * math.exp(d / 2 * math.log(math.pi) - math.lgamma(d / 2))
