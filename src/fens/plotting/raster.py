"""Values of functions along lines and on plane sections."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .outline import outline
from .quantity import Quantity
from .section import Section

BUDGET = 4e8  # values of features that one picture may take: a few seconds
FEWEST, MOST = 81, 401  # nodes along the longer side of a map
CURVE = 1001
RIM = 2.5  # nodes this far outside take the value of the nearest one inside, so that shading reaches the boundary


@dataclass(frozen=True)
class Curve:
    """A function along a line; NaN where that leaves the domain."""

    x: np.ndarray
    values: np.ndarray


@dataclass(frozen=True)
class Raster:
    """A function on a plane section: a row of values for each value of the second coordinate; NaN outside."""

    section: Section
    across: np.ndarray
    up: np.ndarray
    values: np.ndarray
    on_outline: np.ndarray

    @property
    def known(self) -> np.ndarray:
        """All values, those on the boundary too."""
        return np.concatenate([self.values.ravel(), self.on_outline])

    @cached_property
    def is_full(self) -> bool:
        """Whether the section fills its bounds."""
        return not np.isnan(self.values).any()

    @property
    def filled(self) -> np.ndarray:
        """The values, carried over the boundary by a few nodes."""
        from scipy.ndimage import distance_transform_edt

        unknown = np.isnan(self.values)
        if unknown.all() or not unknown.any():
            return self.values
        distance, nearest = distance_transform_edt(unknown, return_indices=True)
        return np.where(distance <= RIM, self.values[tuple(nearest)], np.nan)


def curve(quantity: Quantity, section: Section, count: int = CURVE) -> Curve:
    """A quantity along the one free axis."""
    ((a, b),) = section.bounds
    x = np.linspace(a, b, count)
    return Curve(x, _values(quantity, section, x[:, None], section.contains(x[:, None])))


def raster(quantity: Quantity, section: Section, count: int) -> Raster:
    """A quantity on the two free axes, with so many nodes along the longer one if they are drawn to scale."""
    lengths = np.array([b - a for a, b in section.bounds])
    share = lengths / lengths.max() if section.to_scale else np.ones(2)
    nx, ny = (max(2, round(count * s)) for s in share)
    (a, b), (c, d) = section.bounds
    across, up = np.linspace(a, b, nx), np.linspace(c, d, ny)
    nodes = np.column_stack([m.ravel() for m in np.meshgrid(across, up, indexing="xy")])
    rim = outline(section)
    found = _values(quantity, section, nodes, rim.contains(section, nodes)).reshape(ny, nx)
    on_rim = _values(quantity, section, rim.vertices, section.contains(rim.vertices))
    return Raster(section, across, up, found, on_rim)


def resolution(cost: int, maps: int, most: int = MOST) -> int:
    """Nodes along the longer side of each of several maps of functions with so many features."""
    return int(np.clip(math.sqrt(BUDGET / (max(1, cost) * maps)), FEWEST, most))


def _values(quantity: Quantity, section: Section, free: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """NaN outside the domain, where nothing is evaluated, and where the value is no finite number."""
    found = np.full(len(free), np.nan)
    if inside.any():
        found[inside] = quantity.at(section.points(free[inside]))
    return np.where(np.isfinite(found), found, np.nan)
