"""Pairs of opposite faces, for periodic conditions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..._support.stored import stored
from ..region import Part
from .piece import Samples


@stored("Pair")
@dataclass(frozen=True, repr=False)
class Pair(Part):
    """Two opposite faces: its points are those of the upper one, and each has an opposite one on the lower."""

    axis: int = 0
    lower: float = 0.0

    @property
    def has_pairs(self) -> bool:
        return True

    def paired(self, samples: Samples) -> Samples:
        """Points of the upper face with their opposite ones."""
        opposite = samples.points.copy()
        opposite[:, self.axis] = self.lower
        return replace(samples, opposite=opposite)
