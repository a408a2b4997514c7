"""What frequencies are drawn from, at scale 1: boxes, rotated and stretched boxes, few coordinates, and mixtures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Protocol

import numpy as np

from ..errors import SettingError
from ..sobol import sobol as even_points


@dataclass(frozen=True)
class Hole:
    """A hole of a domain: a point inside it, its distance from the rim, and the axes in which it lies."""

    centre: tuple[float, ...]
    radius: float
    axes: tuple[int, ...]


@dataclass(frozen=True)
class Spot:
    """A place where a function varies: its centre, and how far it extends along each axis, as a standard deviation."""

    centre: tuple[float, ...]
    width: tuple[float, ...]


class Distribution(Protocol):
    """A way to draw frequencies."""

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        """`count` frequencies, one in a row, made of numbers that are uniform on (−half, half)."""
        ...


def in_box(count: int, dimension: int, half: float, rng: np.random.Generator, sobol: bool) -> np.ndarray:
    """Points of (−half, half)^d, independent of each other or those of a scrambled Sobol sequence, in random order."""
    if not sobol:
        return rng.uniform(-half, half, (count, dimension))
    return half * (2 * rng.permutation(even_points(count, dimension, rng)) - 1)


@dataclass(frozen=True)
class Isotropic:
    """All axes alike: uniform in a box, at random or evenly, as a Sobol sequence is."""

    sobol: bool = False

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        """`count` frequencies, one in a row."""
        return in_box(count, dimension, half, rng, self.sobol)


@dataclass(frozen=True)
class Oriented:
    """Uniform in a parallelepiped: z Lᵀ with z uniform in a box, so that directions in which L is large prevail."""

    matrix: tuple[tuple[float, ...], ...]
    sobol: bool = False

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        """`count` frequencies, one in a row."""
        L = np.array(self.matrix)
        if L.shape != (dimension, dimension):
            raise SettingError(f"Oriented has a matrix of shape {L.shape} for {dimension} coordinates.")
        drawn: np.ndarray = in_box(count, dimension, half, rng, self.sobol) @ L.T
        return drawn


@dataclass(frozen=True)
class Sparse:
    """Each frequency touches the coordinates of one subset only, chosen with the probability of that subset."""

    subsets: tuple[tuple[int, ...], ...]
    shares: tuple[float, ...]
    sobol: bool = False

    @classmethod
    def up_to(cls, order: int, dimension: int) -> Sparse:
        """Subsets of one, two, … coordinates: each number of coordinates as often as the others, any of them alike."""
        subsets = [s for k in range(1, order + 1) for s in combinations(range(dimension), k)]
        return cls(tuple(subsets), tuple(1 / comb(dimension, len(s)) / order for s in subsets))

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        """`count` frequencies, one in a row."""
        mask = np.zeros((len(self.subsets), dimension))
        for row, subset in zip(mask, self.subsets, strict=True):
            row[list(subset)] = 1.0
        shares = np.array(self.shares) / sum(self.shares)
        # in proportion rather than at random: no subset is left without
        chosen = np.searchsorted(np.cumsum(shares), (np.arange(count) + rng.random()) / count).clip(max=len(mask) - 1)
        drawn: np.ndarray = in_box(count, dimension, half, rng, self.sobol) * mask[chosen]
        return drawn


@dataclass(frozen=True)
class AroundHoles:
    """Some of the features with singularities inside the holes of the domain, the others plain."""

    holes: tuple[Hole, ...]
    share: float
    base: Distribution

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        """`count` frequencies, one in a row."""
        return self.base.draw(count, dimension, half, rng)


@dataclass(frozen=True)
class Localised:
    """Some of the features at spots, as many at each, the others everywhere."""

    spots: tuple[Spot, ...]
    share: float
    base: Distribution

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        """`count` frequencies, one in a row."""
        return self.base.draw(count, dimension, half, rng)


@dataclass(frozen=True)
class Mixture:
    """Some frequencies from one distribution, some from another."""

    parts: tuple[tuple[float, Distribution], ...]

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        """`count` frequencies, one in a row."""
        shares = np.cumsum([share for share, _ in self.parts])
        ends = np.round(count * shares / shares[-1]).astype(int)
        counts: Sequence[int] = np.diff(np.concatenate([[0], ends])).tolist()
        drawn = [part.draw(n, dimension, half, rng) for n, (_, part) in zip(counts, self.parts, strict=True)]
        return rng.permutation(np.concatenate(drawn))  # the rank is read off columns in random order


def all_isotropic(distributions: Sequence[Distribution]) -> bool:
    """Whether frequencies are drawn alike along all directions, as if nothing were known."""
    return all(isinstance(d, Isotropic) for d in distributions)
