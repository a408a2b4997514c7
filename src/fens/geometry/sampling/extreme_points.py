"""Points that reach as far as a domain does along directions in which a solution varies.

In many dimensions even points hardly get away from the middle along a diagonal: in ten, the mean of the coordinates of
a thousand points in a cube is at most about two thirds of what it is at a corner. A function of that mean would be
extrapolated from there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..boundary.piece import Samples
from ..region import Points, Region
from .samplers import Clustered, Demand


@dataclass(frozen=True)
class ExtremePoints:
    """Clustered points, and a share more of them on the way to the farthest ones along some directions."""

    directions: tuple[tuple[float, ...], ...]
    share: float

    def sample(self, demand: Demand, seed: np.random.SeedSequence) -> list[Samples]:
        """Points on each region of the demand, in its order."""
        plain, further = seed.spawn(2)
        rng = np.random.default_rng(further)
        found = Clustered().sample(demand, plain)
        return [self._with_more(r, s, rng) for r, s in zip(demand.regions, found, strict=True)]

    def _with_more(self, region: Region, samples: Samples, rng: np.random.Generator) -> Samples:
        if isinstance(region, Points) or not region.patches:
            return samples
        each, parts = math.ceil(self.share * len(samples) / len(region.patches)), [samples]
        for piece in region.patches:
            directions = np.array(self.directions)[rng.integers(len(self.directions), size=each)]
            far = np.sin(np.pi / 2 * rng.random((each, 1)))  # denser towards the end
            if (more := piece.towards(directions, far, rng)) is not None:
                parts.append(more)
        return Samples.joined(parts)
