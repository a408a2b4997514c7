"""What frequencies are drawn from, at scale 1: boxes, rotated and stretched boxes, few coordinates, and mixtures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Protocol

import numpy as np

from .._support.numbers import is_whole, real_array
from .._support.sobol import sobol as even_points
from .._support.stored import stored
from ..errors import SettingError, quoted

MOST_SUBSETS = 2 * 10**5


class Distribution(Protocol):
    """A way to draw frequencies."""

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        """`count` frequencies, one in a row, made of numbers that are uniform on (−half, half)."""
        ...


def check_flag(sobol: Any) -> None:
    """Whether frequencies are even is a matter of yes or no."""
    if not isinstance(sobol, bool | np.bool_):
        raise SettingError(f"sobol must be True or False; got {quoted(sobol)}.")


def in_box(count: int, dimension: int, half: float, rng: np.random.Generator, sobol: bool) -> np.ndarray:
    """Points of (−half, half)^d, independent of each other or those of a scrambled Sobol sequence, in random order."""
    if not sobol:
        return rng.uniform(-half, half, (count, dimension))
    return half * (2 * rng.permutation(even_points(count, dimension, rng)) - 1)


@stored("Isotropic")
@dataclass(frozen=True)
class Isotropic:
    """All axes alike: uniform in a box, at random or evenly, as a Sobol sequence is."""

    sobol: bool = False

    def __post_init__(self) -> None:
        check_flag(self.sobol)

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        """`count` frequencies, one in a row."""
        return in_box(count, dimension, half, rng, self.sobol)


@stored("Oriented")
@dataclass(frozen=True)
class Oriented:
    """Uniform in a parallelepiped: z Lᵀ with z uniform in a box, so that directions in which L is large prevail."""

    matrix: tuple[tuple[float, ...], ...]
    sobol: bool = False

    def __post_init__(self) -> None:
        message = "Oriented takes a square matrix of finite numbers, as rows of as many."
        L = real_array(self.matrix, SettingError, message)
        if L.ndim != 2 or L.shape[0] != L.shape[1] or not np.isfinite(L).all():
            raise SettingError(message)
        check_flag(self.sobol)
        object.__setattr__(self, "matrix", tuple(map(tuple, L.tolist())))

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        """`count` frequencies, one in a row."""
        L = np.array(self.matrix)
        if L.shape != (dimension, dimension):
            raise SettingError(f"Oriented has a matrix of shape {L.shape} for {dimension} coordinates.")
        drawn: np.ndarray = in_box(count, dimension, half, rng, self.sobol) @ L.T
        return drawn


@stored("Sparse")
@dataclass(frozen=True)
class Sparse:
    """Each frequency touches the coordinates of one subset only, chosen with the probability of that subset."""

    subsets: tuple[tuple[int, ...], ...]
    shares: tuple[float, ...]
    sobol: bool = False

    def __post_init__(self) -> None:
        listed = isinstance(self.subsets, Sequence) and not isinstance(self.subsets, str | bytes)
        if not listed or not self.subsets or not all(map(_is_subset, self.subsets)):
            raise SettingError(
                "Sparse takes subsets of the coordinates, each a tuple of their numbers from 0 on, such as "
                f"((0,), (0, 1)); got {quoted(self.subsets)}."
            )
        check_flag(self.sobol)
        object.__setattr__(self, "shares", checked_shares("Sparse", self.shares, len(self.subsets)))

    @classmethod
    def up_to(cls, order: int, dimension: int) -> Sparse:
        """Subsets of one, two, … coordinates: each number of coordinates as often as the others, any of them alike."""
        if not is_whole(dimension, 1) or not is_whole(order, 1):
            raise SettingError(
                "Sparse.up_to takes two whole positive numbers, how many coordinates a frequency touches and how many "
                f"there are; got {quoted(order)} and {quoted(dimension)}."
            )
        order = min(int(order), int(dimension))
        if not are_few(order, dimension):
            raise SettingError(
                f"Sparse.up_to has more than {MOST_SUBSETS} subsets of so many coordinates; take a smaller order."
            )
        subsets = [s for k in range(1, order + 1) for s in combinations(range(dimension), k)]
        return cls(tuple(subsets), tuple(1 / comb(dimension, len(s)) / order for s in subsets))

    @classmethod
    def of_few(cls, dimension: int) -> Sparse:
        """Subsets of up to three coordinates, or of fewer where these would be too many."""
        return cls.up_to(next((k for k in (3, 2) if are_few(k, dimension)), 1), dimension)

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        """`count` frequencies, one in a row."""
        if (largest := max(map(max, self.subsets))) >= dimension:
            raise SettingError(f"Sparse has a subset with coordinate number {largest}; they end at {dimension - 1}.")
        mask = np.zeros((len(self.subsets), dimension))
        for row, subset in zip(mask, self.subsets, strict=True):
            row[list(subset)] = 1.0
        shares = np.array(self.shares) / sum(self.shares)
        # in proportion rather than at random: no subset is left without
        chosen = np.searchsorted(np.cumsum(shares), (np.arange(count) + rng.random()) / count).clip(max=len(mask) - 1)
        drawn: np.ndarray = in_box(count, dimension, half, rng, self.sobol) * mask[chosen]
        return drawn


def are_few(order: int, dimension: int) -> bool:
    """Whether there are few enough subsets of up to so many coordinates; the last of them are counted only then."""
    return dimension <= MOST_SUBSETS and all(
        sum(comb(dimension, k) for k in range(1, n + 1)) <= MOST_SUBSETS for n in range(1, order + 1)
    )


def _is_subset(given: Any) -> bool:
    listed = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    return listed and len(given) > 0 and all(is_whole(k, 0) for k in given)


def checked_shares(owner: str, shares: Any, count: int) -> tuple[float, ...]:
    """As many positive numbers, which count relative to each other."""
    message = f"{owner} takes as many positive shares as it has parts, {count}; got {quoted(shares)}."
    found = real_array(shares, SettingError, message)
    if found.shape != (count,) or not (np.isfinite(found).all() and (found > 0).all() and np.isfinite(found.sum())):
        raise SettingError(message)
    return tuple(found.tolist())


@stored("Mixture")
@dataclass(frozen=True)
class Mixture:
    """Some frequencies from one distribution, some from another."""

    parts: tuple[tuple[float, Distribution], ...]

    def __post_init__(self) -> None:
        listed = isinstance(self.parts, Sequence) and not isinstance(self.parts, str | bytes)
        if not listed or not self.parts or not all(map(_is_part, self.parts)):
            raise SettingError(
                "Mixture takes pairs of a share and a distribution, such as ((0.5, fens.Isotropic()), …); "
                f"got {quoted(self.parts)}."
            )
        checked_shares("Mixture", [share for share, _ in self.parts], len(self.parts))

    def draw(self, count: int, dimension: int, half: float, rng: np.random.Generator) -> np.ndarray:
        """`count` frequencies, one in a row."""
        shares = np.cumsum([share for share, _ in self.parts])
        ends = np.round(count * shares / shares[-1]).astype(int)
        counts: Sequence[int] = np.diff(np.concatenate([[0], ends])).tolist()
        drawn = [part.draw(n, dimension, half, rng) for n, (_, part) in zip(counts, self.parts, strict=True)]
        return rng.permutation(np.concatenate(drawn))  # the rank is read off columns in random order


def _is_part(given: Any) -> bool:
    pair = isinstance(given, Sequence) and not isinstance(given, str | bytes) and len(given) == 2
    return pair and hasattr(given[1], "draw") and not isinstance(given[1], type)
