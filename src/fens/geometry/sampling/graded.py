"""Points that get ever denser towards corners, at all distances down to where coordinates end."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..._support.sobol import sobol
from ..boundary.piece import Piece, Samples
from ..region import Domain, Region
from .samplers import Clustered, Demand, spread_clustered

SAME_PLACE = 1e-9  # of the size of a domain: the end of a side that is a corner


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
            return Samples(points[domain.contains(points)])
        ends = list(self._ends(region.patches, SAME_PLACE * max(domain.half_widths)))
        if not ends:
            return Samples(np.zeros((0, len(domain.coordinates))))
        each = math.ceil(count / len(ends))
        return Samples.joined([piece.place(self._unit(each, at_end, rng)) for piece, at_end in ends])

    def _inside(self, sector: Sector, count: int, rng: np.random.Generator) -> np.ndarray:
        unit = sobol(count, 2, rng)
        r = sector.radius * 10.0 ** (-self.decades * unit[:, 0])
        angle = sector.direction + sector.opening / 2 * np.cos(np.pi * unit[:, 1])
        points: np.ndarray = np.array(sector.place) + r[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return points

    def _unit(self, count: int, at_end: bool, rng: np.random.Generator) -> np.ndarray:
        near = 10.0 ** (-self.decades * sobol(count, 1, rng))
        return 1 - near if at_end else near

    def _ends(self, pieces: Sequence[Piece], near: float) -> Iterator[tuple[Piece, bool]]:
        """The ends of pieces that are corners."""
        places = np.array([s.place for s in self.sectors])
        for piece in pieces:
            if len(piece.ends) == 1 and piece.ends[0]:
                for at_end, place in zip((False, True), piece.place(np.array([[0.0], [1.0]])).points, strict=True):
                    if (np.abs(places - place).max(axis=1) <= near).any():
                        yield piece, at_end
