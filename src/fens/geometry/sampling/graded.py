"""Points that get ever denser towards corners, at all distances down to where coordinates end."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
    """What lies between the two sides of a corner, up to a distance: where points are graded.

    `along` is how many more there are on each of its sides, for each row that a feature has, and `decades` down to
    where they are graded, if not as others are.
    """

    place: tuple[float, ...]
    direction: float
    opening: float
    radius: float
    along: float = 0.0
    decades: float | None = None

    @property
    def corner(self) -> np.ndarray:
        """The place; in the course of time that at any time."""
        return np.array(self.place)

    def points(self, count: int, decades: float, rng: np.random.Generator) -> np.ndarray:
        """As many in each decade of the distance."""
        unit = sobol(count, 2, rng)
        r = self.radius * 10.0 ** (-decades * unit[:, 0])
        angle = self.direction + self.opening / 2 * np.cos(np.pi * unit[:, 1])
        found: np.ndarray = np.array(self.place) + r[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return found


@dataclass(frozen=True)
class Fan:
    """What can be reached by diffusion from a place in space and time, which goes as the root of the time.

    `axes` are those of space and time, `directions` are 1 or −1 for each, and `farthest` is how many times √(4aτ).
    """

    place: tuple[float, ...]
    axes: tuple[int, int]
    directions: tuple[float, float]
    diffusivity: float
    reach: float
    duration: float
    inside: bool
    farthest: float
    along: float = 0.0
    decades: float | None = None

    @property
    def corner(self) -> np.ndarray:
        """The place, in the order of the coordinates."""
        return np.array(self.place)[np.argsort(self.axes)]

    def points(self, count: int, decades: float, rng: np.random.Generator) -> np.ndarray:
        """As many in each decade of the time."""
        unit = sobol(count, 2, rng)
        time = min(self.duration, self.reach**2 / (4 * self.diffusivity)) * 10.0 ** (-decades * unit[:, 0])
        width = np.minimum(self.farthest * np.sqrt(4 * self.diffusivity * time), self.reach)
        share = np.cos(np.pi * unit[:, 1]) if self.inside else 1 - np.cos(np.pi / 2 * unit[:, 1])
        found = np.empty((count, 2))
        found[:, self.axes[0]] = self.place[0] + self.directions[0] * width * share
        found[:, self.axes[1]] = self.place[1] + self.directions[1] * time
        return found


@dataclass(frozen=True)
class Graded:
    """Clustered points, a share of them graded towards corners instead: as many in each decade of the distance."""

    sectors: tuple[Sector | Fan, ...]
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
            points = self._inside(domain.bounds, count, rng)
            return Samples(points[domain.contains(points) & ~domain.on_crack(points)])
        in_time = len(domain.coordinates) - len(self.sectors[0].place)
        if in_time and all(p.at_any_time is None for p in region.patches):
            return self._at_instants(region.patches, domain, count, rng)
        near = SAME_PLACE * max(domain.half_widths)
        curves = [(p, p.at_any_time if in_time else p) for p in region.patches]
        at = [(p, *stop) for p, curve in curves if curve is not None for stop in self._stops(curve, near).items()]
        towards = [(p, s, sense, sector) for p, s, sector in at for sense in _senses(s)]
        if not towards:
            return Samples(np.zeros((0, len(domain.coordinates))))
        each, found = math.ceil(count / len(towards)), []
        for piece, stop, sense, sector in towards:
            unit = self._unit(each, stop, sense, sector, rng)
            found.append(piece.place(np.column_stack([unit, _denser_at_ends((len(unit), in_time), rng)])))
        return Samples.joined(found)

    def _inside(self, bounds: Sequence[tuple[float, float]], count: int, rng: np.random.Generator) -> np.ndarray:
        """Points next to all corners, at times that are denser towards the first and the last one."""
        each = math.ceil(count / len(self.sectors))
        points = np.concatenate([s.points(each, self._decades(s), rng) for s in self.sectors])
        further = np.array(bounds[points.shape[1] :]).reshape(-1, 2)
        times = further[:, 0] + np.ptp(further, axis=1) * _denser_at_ends((len(points), len(further)), rng)
        return np.column_stack([points, times])

    def _at_instants(
        self, pieces: Sequence[Piece], domain: Domain, count: int, rng: np.random.Generator
    ) -> Samples:
        """Points at the first or the last instant."""
        found = []
        for piece in pieces:
            here = piece.place(rng.random((TICKS**2, len(piece.ends))))
            points = self._inside(domain.bounds, count if len(here) else 0, rng)
            if len(points) and here.normals is not None:
                points[:, -1] = here.points[0, -1]
                found.append(Samples(points, np.tile(here.normals[0], (len(points), 1))).only(piece.contains(points)))
        return Samples.joined(found) if found else Samples(np.zeros((0, len(domain.coordinates))))

    def _unit(
        self, count: int, stop: float, sense: float, sector: Sector | Fan, rng: np.random.Generator
    ) -> np.ndarray:
        """Parameters towards a stop, from below or from above; those `along` as Chebyshev's points are."""
        length = 1 - stop if sense > 0 else stop
        near = 10.0 ** (-self._decades(sector) * sobol(count, 1, rng))
        if sector.along:
            near = np.concatenate([near, sobol(math.ceil(self.rows * sector.along), 1, rng) ** 2])
        return np.asarray(stop + sense * length * near)

    def _decades(self, sector: Sector | Fan) -> float:
        return self.decades if sector.decades is None else sector.decades

    def _stops(self, piece: Piece, near: float) -> dict[float, Sector | Fan]:
        """The parameters of a piece at which there are corners."""
        found: dict[float, Sector | Fan] = {}
        for sector in self.sectors:
            found |= dict.fromkeys(stops(piece, [sector.corner], near), sector)
        return found


def _denser_at_ends(shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Random numbers between 0 and 1, as Chebyshev's points are."""
    return np.asarray((1 - np.cos(np.pi * rng.random(shape))) / 2)


def stops(piece: Piece, places: Sequence[Sequence[float] | np.ndarray], near: float) -> list[float]:
    """The parameters of a curve at which there are some places; a closed one begins and ends at the same place."""
    if len(piece.ends) != 1:
        return []
    found = {s for place in places if (s := parameter(piece, np.array(place), near)) is not None}
    return sorted(found | ({0.0, 1.0} if not piece.ends[0] and found & {0.0, 1.0} else set()))


def on_boundary(domain: Domain, place: tuple[float, ...]) -> bool:
    """Whether a place lies on the boundary of a domain in the plane."""
    near, curves = SAME_PLACE * max(domain.half_widths), [e.piece for e in domain.edges if len(e.piece.ends) == 1]
    return len(place) == 2 and any(parameter(piece, np.array(place), near) is not None for piece in curves)


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
