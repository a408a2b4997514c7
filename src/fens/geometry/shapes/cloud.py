"""A shape known by points in it and on its boundary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from ..._support.numbers import items, real_array
from ...errors import RegionError
from ..boundary.piece import Piece
from ..boundary.point_set import Given, Table
from ..checks import check_extent, checked_label, checked_plane
from ..region import Facet, points_of
from .registry import Description, shape
from .shape import Shape

BETWEEN = 0.1  # of the distance between boundary points: how far beyond them the shape may reach


@shape("cloud", "Cloud")
@dataclass(frozen=True, repr=False, init=False)
class Cloud(Shape):
    """`Cloud(inside, boundary, normals, (x, y))`: points as rows, and the outward normals at those of the boundary.

    Equations hold at the given points or, where fewer are asked for, at some of them. A further point counts as inside
    if it lies behind the nearest boundary point, up to a tenth of the distance between these.
    """

    inside: Table
    rim: Table
    normals: Table
    coordinates: tuple[sp.Symbol, ...]
    label: str

    def __init__(self, inside: Any, boundary: Any, normals: Any, coordinates: Any, *, name: str = "") -> None:
        axes = items(coordinates)
        d = max(1, len(axes or ()))
        object.__setattr__(self, "coordinates", checked_plane("A point cloud", axes or coordinates, d))
        object.__setattr__(self, "inside", _rows("points inside", inside, d))
        object.__setattr__(self, "rim", _rows("boundary points", boundary, d))
        given = _rows("normals", normals, d).array
        if len(given) != len(self.rim.array) or not given.any(axis=1).all():
            raise RegionError(
                f"A point cloud needs a normal, not zero, for each boundary point; got {len(given)} for "
                f"{len(self.rim.array)}."
            )
        object.__setattr__(self, "normals", Table(_unit(given)))
        object.__setattr__(self, "label", checked_label(name))
        check_extent(self.coordinates, self.bounds)
        outside = np.flatnonzero(~self.contains(self.inside.array))
        if len(outside):
            where = ", ".join(f"{v:g}" for v in self.inside.array[outside[0]])
            raise RegionError(
                f"{len(outside)} points inside lie outside the boundary, the first at ({where}): the normals there "
                "point inwards, or there are too few boundary points."
            )

    file_keys = ("coordinates",)

    @classmethod
    def from_file(cls, table: Description) -> Cloud:
        axes = table.coordinates()
        places = [str(x) for x in axes]
        wanted = {"inside": places, "boundary": [*places, *(f"n_{x}" for x in axes)]}
        inside, rim = table.columns("cloud", wanted).values()
        points, normals = map(np.ascontiguousarray, np.hsplit(rim, 2))
        return cls(inside, points, normals, axes, name=table.label)

    @property
    def name(self) -> str:
        return self.label or f"the cloud of {len(self.inside.array)} points"

    @cached_property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        points = np.concatenate([self.inside.array, self.rim.array])
        return tuple(zip(points.min(axis=0).tolist(), points.max(axis=0).tolist(), strict=True))

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Which points lie behind the nearest boundary point, up to a tenth of the distance between these."""
        inside: np.ndarray = self.signed_distance(points_of(self, points)) <= self.slack + BETWEEN * self._apart
        return inside

    @cached_property
    def _apart(self) -> float:
        two = min(2, len(self.rim.array))
        return float(np.median(self._tree.query(self.rim.array, k=[two])[0]))

    @cached_property
    def patches(self) -> tuple[Piece, ...]:
        return (Given(self.inside, None, float(np.prod(2 * np.array(self.half_widths)))),)

    @cached_property
    def edges(self) -> tuple[Facet, ...]:
        widths = 2 * np.array(self.half_widths)
        surface = 2 * float(np.sum(np.prod(widths) / widths))  # that of the bounds, for want of a better one
        return (Facet(Given(self.rim, self.normals, surface), self.label or "cloud", "", bool(self.label)),)

    def signed_distance(self, points: np.ndarray) -> np.ndarray:
        nearest = self._tree.query(points)[1]
        result: np.ndarray = np.sum((points - self.rim.array[nearest]) * self.normals.array[nearest], axis=1)
        return result

    def volume(self) -> float:
        raise RegionError(f"The size of {self.name} is not known: it is given by points only.")

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self.rim.array)


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors divided by their lengths, the squares of which may be too large or too small."""
    scaled = np.ldexp(vectors, -np.frexp(np.abs(vectors).max(axis=1, keepdims=True))[1])
    unit: np.ndarray = scaled / np.linalg.norm(scaled, axis=1)[:, None]
    return unit


def _rows(what: str, given: Any, d: int) -> Table:
    array = real_array(given, RegionError, f"The {what} of a cloud are rows of real numbers.")
    if array.ndim != 2 or array.shape[1] != d or not len(array):
        raise RegionError(f"The {what} of a cloud need one row each, of {d} numbers; got shape {array.shape}.")
    if not np.isfinite(array).all():
        raise RegionError(f"The {what} of a cloud must be finite.")
    return Table(array)
