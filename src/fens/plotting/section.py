"""Sections of domains: some coordinates are free, the others held."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..geometry import Cylinder, Domain

COMPARABLE = 4.0  # ratio of lengths up to which they are drawn to one scale


@dataclass(frozen=True)
class Section:
    """The points of a domain at which all but the free axes have the held values."""

    domain: Domain
    free: tuple[int, ...]
    held: tuple[float, ...]  # one for each axis; those of free axes do not matter

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """Of the domain, along the free axes."""
        return tuple(self.domain.bounds[i] for i in self.free)

    @property
    def names(self) -> tuple[object, ...]:
        """The free coordinates."""
        return tuple(self.domain.coordinates[i] for i in self.free)

    @property
    def to_scale(self) -> bool:
        """Whether the two free axes are lengths that can be compared."""
        lengths = [b - a for a, b in self.bounds]
        return self.holds_time and max(lengths) <= COMPARABLE * min(lengths)

    @property
    def holds_time(self) -> bool:
        """Whether time, which is the last axis if there is any, is none of the free ones."""
        return not isinstance(self.domain, Cylinder) or len(self.held) - 1 not in self.free

    def points(self, free: np.ndarray) -> np.ndarray:
        """Points of the whole space, from rows of the free coordinates."""
        found = np.tile(np.array(self.held), (len(free), 1))
        found[:, list(self.free)] = free
        return found

    def contains(self, free: np.ndarray) -> np.ndarray:
        """Which rows of the free coordinates lie in the closed domain."""
        return self.domain.contains(self.points(free))

    def signed_distance(self, free: np.ndarray) -> np.ndarray:
        """Negative inside the domain, positive outside."""
        return self.domain.signed_distance(self.points(free))

    def of_another(self, domain: Domain) -> Section:
        """The same section of another domain with the same coordinates."""
        return Section(domain, self.free, self.held)


def middle(domain: Domain) -> tuple[float, ...]:
    """The middle of the bounds."""
    return tuple((a + b) / 2 for a, b in domain.bounds)


def to_scale(domain: Domain) -> bool:
    """Whether the first three axes, or the two there are, are lengths that can be compared."""
    axes = range(min(3, len(domain.bounds)))
    return all(Section(domain, pair, (0.0,) * len(domain.bounds)).to_scale for pair in combinations(axes, 2))
