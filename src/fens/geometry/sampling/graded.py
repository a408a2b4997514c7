"""Points that get ever denser towards corners, at all distances down to where coordinates end."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ..._support.sobol import sobol
from ..boundary.piece import Piece, Samples
from ..region import Domain, Region
from .samplers import Clustered, Demand, spread_clustered

SAME_PLACE = 1e-9  # of the size of a domain: a place on a side that is a corner
TICKS, TURNS = 33, 16  # along a side, on which a place is looked for


@dataclass(frozen=True)
class Sector:
    """What lies between the two sides of a corner, up to a distance: where points are graded."""

    place: tuple[float, ...]
    direction: float
    opening: float
    radius: float


@dataclass(frozen=True)
class Graded:
    """Clustered points, a share of them graded towards corners instead: as many in each decade of the distance."""

    sectors: tuple[Sector, ...]
    share: float
    decades: float
    rows: float = 2.5

    def sample(self, demand: Demand, seed: np.random.SeedSequence) -> list[Samples]:
        """Points on each region of the demand, in its order."""
        domain, counts = demand.domain, Clustered(rows=self.rows).counts(demand)
        plain, towards = seed.spawn(2)
        graded = [self._towards(r, domain, math.ceil(self.share * n), s)
                  for r, n, s in zip(demand.regions, counts, towards.spawn(len(counts)), strict=True)]  # fmt: skip
        left = [max(1, n - len(g)) for n, g in zip(counts, graded, strict=True)]
        found = spread_clustered(demand, left, plain)
        return [Samples.joined([f, g]) if len(g) else f for f, g in zip(found, graded, strict=True)]

    def thinned(self, rows: float) -> Graded:
        """The same with so many rows for each feature."""
        return replace(self, rows=rows)

    def _towards(self, region: Region, domain: Domain, count: int, seed: np.random.SeedSequence) -> Samples:
        """Points of a region graded towards the corners."""
        rng = np.random.default_rng(seed)
        if region is domain:
            parts = [self._inside(s, math.ceil(count / len(self.sectors)), rng) for s in self.sectors]
            points = np.concatenate(parts)
            return Samples(points[domain.contains(points) & ~domain.on_crack(points)])
        near = SAME_PLACE * max(domain.half_widths)
        towards = [(p, s, sense) for p in region.patches for s in self._stops(p, near) for sense in _senses(s)]
        if not towards:
            return Samples(np.zeros((0, len(domain.coordinates))))
        each = math.ceil(count / len(towards))
        return Samples.joined([p.place(self._unit(each, s, sense, rng)) for p, s, sense in towards])

    def _inside(self, sector: Sector, count: int, rng: np.random.Generator) -> np.ndarray:
        unit = sobol(count, 2, rng)
        r = sector.radius * 10.0 ** (-self.decades * unit[:, 0])
        angle = sector.direction + sector.opening / 2 * np.cos(np.pi * unit[:, 1])
        points: np.ndarray = np.array(sector.place) + r[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return points

    def _unit(self, count: int, stop: float, sense: float, rng: np.random.Generator) -> np.ndarray:
        """Parameters towards a stop, from below or from above."""
        length = 1 - stop if sense > 0 else stop
        return np.asarray(stop + sense * length * 10.0 ** (-self.decades * sobol(count, 1, rng)))

    def _stops(self, piece: Piece, near: float) -> list[float]:
        """The parameters of a piece at which there are corners."""
        if len(piece.ends) != 1:
            return []
        found = {parameter(piece, np.array(s.place), near) for s in self.sectors}
        return sorted(s for s in found if s is not None)


def _senses(stop: float) -> list[float]:
    """From where there is a way to a parameter: from below, from above, or from both."""
    return [1.0] if stop == 0 else [-1.0] if stop == 1 else [-1.0, 1.0]


def parameter(piece: Piece, place: np.ndarray, near: float) -> float | None:
    """Where along a curve a place lies, from 0 to 1; None if it lies elsewhere."""
    low, high = 0.0, 1.0
    for _ in range(TURNS):
        s = np.linspace(low, high, TICKS)
        distance = np.linalg.norm(piece.place(s[:, None]).points - place, axis=1)
        if len(distance) < TICKS:
            return None
        k = int(distance.argmin())
        if distance[k] == 0 or high - low < 1e-15:
            break
        low, high = float(s[max(k - 1, 0)]), float(s[min(k + 1, TICKS - 1)])
    best = float(s[k])
    best = round(best) if min(best, 1 - best) < 1e-12 else best
    return best if distance[k] <= near else None
