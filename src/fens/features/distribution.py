"""What frequencies are drawn from, at scale 1: boxes, rotated and stretched boxes, few coordinates, and mixtures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Protocol

import numpy as np

from ..errors import SettingError


class Distribution(Protocol):
    """A way to draw frequencies."""

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        """`count` frequencies, one in a row, made of numbers that are uniform on (−half, half)."""
        ...


@dataclass(frozen=True)
class Isotropic:
    """All axes alike: uniform in a box."""

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        return rng.uniform(-half, half, (count, dimension))


@dataclass(frozen=True)
class Oriented:
    """Uniform in a parallelepiped: z Lᵀ with z uniform in a box, so that directions in which L is large prevail."""

    matrix: tuple[tuple[float, ...], ...]

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        L = np.array(self.matrix)
        if L.shape != (dimension, dimension):
            raise SettingError(f"Oriented has a matrix of shape {L.shape} for {dimension} coordinates.")
        drawn: np.ndarray = rng.uniform(-half, half, (count, dimension)) @ L.T
        return drawn


@dataclass(frozen=True)
class Sparse:
    """Each frequency touches the coordinates of one subset only, chosen with the probability of that subset."""

    subsets: tuple[tuple[int, ...], ...]
    shares: tuple[float, ...]

    @classmethod
    def up_to(cls, order: int, dimension: int) -> Sparse:
        """Subsets of one, two, … coordinates: each number of coordinates as often as the others, any of them alike."""
        subsets = [s for k in range(1, order + 1) for s in combinations(range(dimension), k)]
        return cls(tuple(subsets), tuple(1 / comb(dimension, len(s)) / order for s in subsets))

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        mask = np.zeros((len(self.subsets), dimension))
        for row, subset in zip(mask, self.subsets, strict=True):
            row[list(subset)] = 1.0
        shares = np.array(self.shares) / sum(self.shares)
        # in proportion rather than at random: no subset is left without
        chosen = np.searchsorted(np.cumsum(shares), (np.arange(count) + rng.random()) / count).clip(max=len(mask) - 1)
        drawn: np.ndarray = rng.uniform(-half, half, (count, dimension)) * mask[chosen]
        return drawn


@dataclass(frozen=True)
class Mixture:
    """Some frequencies from one distribution, some from another."""

    parts: tuple[tuple[float, Distribution], ...]

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        shares = np.cumsum([share for share, _ in self.parts])
        ends = np.round(count * shares / shares[-1]).astype(int)
        counts: Sequence[int] = np.diff(np.concatenate([[0], ends])).tolist()
        drawn = [part.draw(n, dimension, half, rng) for n, (_, part) in zip(counts, self.parts, strict=True)]
        return rng.permutation(np.concatenate(drawn))  # the rank is read off columns in random order
