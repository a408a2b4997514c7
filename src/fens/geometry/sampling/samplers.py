"""Where the equations are asked to hold: points on each region of a problem."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import sympy as sp

from ..._support.numbers import ENTRY, about, free, is_whole, real_number, shown
from ..._support.sobol import sobol
from ..._support.stored import stored
from ...errors import SettingError, listed, quoted
from ..boundary.curve import Arc
from ..boundary.piece import Extruded, Patch, Piece, Samples, Sliced, UnitPoints
from ..region import Domain, Points, Region
from .subsample import along_curve

LARGEST_GRID = 10**8
BEYOND_ALL = 1e18  # points, more than any memory has room for
COPIES = 4  # of the coordinates of points, while they are being placed
MANY = 16  # candidates for each point that is to be kept
WINDING = 50  # times the points along the sides of a grid, or of a face of it, is most for a boundary on it


@dataclass(frozen=True)
class Demand:
    """What points are wanted for: the regions of a domain, the number of equations on each, and the features."""

    domain: Domain
    regions: tuple[Region, ...]
    equations: tuple[int, ...]
    features: int

    @classmethod
    def inside(cls, domain: Domain, features: int = 1) -> Demand:
        """Points in the domain only."""
        return cls(domain, (domain,), (1,), features)


class Sampler(Protocol):
    """A way to place points."""

    def sample(self, demand: Demand, seed: np.random.SeedSequence) -> list[Samples]:
        """Points on each region of the demand, in its order."""
        ...


@stored("Clustered")
@dataclass(frozen=True)
class Clustered:
    """Sobol points, denser towards the faces (cosine map): the default.

    Without counts there are about `rows` rows for each feature. Interior and faces share them as the polynomials
    of one total degree do: as many degrees of freedom on a face as the restrictions to it have, which is
    d/(p + d) of those inside.
    """

    interior: int | None = None
    boundary: int | None = None
    rows: float = 2.5

    def __post_init__(self) -> None:
        check_counts(self, interior=self.interior, boundary=self.boundary)
        rows = real_number(self.rows, SettingError, f"Clustered takes a number for rows; got {quoted(self.rows)}.")
        if not 1 <= rows < float("inf"):
            raise SettingError(f"Clustered needs at least one row for each feature; got rows={self.rows}.")

    def sample(self, demand: Demand, seed: np.random.SeedSequence) -> list[Samples]:
        """Points on each region of the demand, in its order."""
        return spread_clustered(demand, self.counts(demand), seed)

    def counts(self, demand: Demand) -> list[int]:
        """How many points there are on each region."""
        domain, regions = demand.domain, demand.regions
        face = face_share(demand.features, len(domain.coordinates))
        shares = [1.0 if r is domain else face * sum(faces(p, domain) for p in r.patches) for r in regions]
        excess = sum(s for s, r in zip(shares, regions, strict=True) if r is not domain)
        if excess > 1:  # in high dimension the faces would take all; they get half at most
            shares = [s if r is domain else s / excess for s, r in zip(shares, regions, strict=True)]
        total = sum(s * e for s, e in zip(shares, demand.equations, strict=True))
        unit = float(self.rows) * demand.features / (total or 1.0)  # given points have no share
        counts = [max(1, round(min(unit * s, BEYOND_ALL))) for s in shares]
        return override(counts, demand, self.interior, self.boundary)


@dataclass(frozen=True)
class Concentrated:
    """Clustered points, a share of them around given places instead: with standard deviations, as many at each.

    The points on the boundary are as much denser there as those inside are, in their dimension.
    """

    centres: tuple[tuple[float, ...], ...]
    widths: tuple[tuple[float, ...], ...]
    share: float

    def sample(self, demand: Demand, seed: np.random.SeedSequence) -> list[Samples]:
        """Points on each region of the demand, in its order."""
        domain, counts = demand.domain, Clustered().counts(demand)
        pairs = list(zip(demand.regions, counts, strict=True))
        first = [math.ceil((1 - self.share) * n) if r is domain else MANY * n for r, n in pairs]
        plain, around = seed.spawn(2)
        found = spread_clustered(demand, first, plain)
        rng = np.random.default_rng(around)
        for k, (region, n) in enumerate(pairs):
            if region is domain:
                found[k] = Samples.joined([found[k], Samples(self._around(domain, round(self.share * n), rng))])
            elif region.patches:
                found[k] = found[k].only(self._dense(found[k].points, n, domain, rng))
        return found

    def _around(self, domain: Domain, count: int, rng: np.random.Generator) -> np.ndarray:
        """Points of the domain around the places."""
        from scipy.special import ndtri

        found, each = [], math.ceil(count / len(self.centres))
        for centre, width in zip(self.centres, self.widths, strict=True):
            normal = ndtri(sobol(4 * each, len(centre), rng).clip(1e-9, 1 - 1e-9))
            points = np.array(centre) + np.array(width) * normal
            found.append(points[domain.contains(points)][:each])
        return np.concatenate(found)

    def _dense(self, points: np.ndarray, count: int, domain: Domain, rng: np.random.Generator) -> np.ndarray:
        """Which of many points to keep so that they are as dense as they should be, next to `count` of them evenly."""
        d, density = len(domain.coordinates), np.full(len(points), 1 - self.share)
        for centre, width in zip(self.centres, self.widths, strict=True):
            z = (points - np.array(centre)) / np.array(width)
            peak = domain.measure / np.prod(width) / (2 * math.pi) ** (d / 2) / len(self.centres)
            density += self.share * peak * np.exp(-(z**2).sum(axis=1) / 2)
        order = along_curve(points)  # neighbours stand in for each other, so that no gap is left
        passed = np.cumsum(density[order] ** ((d - 1) / d)) * count / len(points) + rng.random()
        kept: np.ndarray = order[np.diff(np.floor(passed), prepend=0.0) > 0]
        return kept if len(kept) else order[:1]


@stored("Random")
@dataclass(frozen=True)
class Random:
    """Independent uniform points: `interior` in the domain, `boundary` on all the other regions together."""

    interior: int
    boundary: int = 0

    def __post_init__(self) -> None:
        check_counts(self, interior=self.interior)
        if not is_whole(self.boundary, 0):
            raise SettingError(f"Random takes a whole number for boundary, not negative; got {quoted(self.boundary)}.")

    def sample(self, demand: Demand, seed: np.random.SeedSequence) -> list[Samples]:
        """Points on each region of the demand, in its order."""
        if self.boundary == 0 and any(r.patches and r is not demand.domain for r in demand.regions):
            raise SettingError("Random needs a number of points for boundary: some equations are not on the domain.")
        counts = override([1] * len(demand.regions), demand, self.interior, self.boundary or None)
        return spread(demand, counts, _uniform, seed)


@stored("Grid")
@dataclass(frozen=True)
class Grid:
    """A uniform grid that includes the ends: `Grid(101)`, or per axis `Grid(101, 51)` or `Grid({x: 101, t: 51})`.

    A grid point that lies on another region of the problem belongs to that region, not to the domain.
    """

    counts: tuple[int, ...]
    axes: tuple[sp.Symbol, ...] | None

    def __init__(self, *counts: Any) -> None:
        axes = None
        if len(counts) == 1 and isinstance(counts[0], Mapping):
            axes, counts = tuple(counts[0]), tuple(counts[0].values())
        elif len(counts) == 1 and isinstance(counts[0], list | tuple):
            counts = tuple(counts[0])
        for n in counts:
            if not is_whole(n, 2):
                raise SettingError(f"Grid takes whole numbers of points, at least 2 along an axis; got {quoted(n)}.")
        if not counts:
            raise SettingError("Grid takes the number of points along the axes, such as Grid(101).")
        object.__setattr__(self, "counts", tuple(int(n) for n in counts))
        object.__setattr__(self, "axes", axes)

    def sample(self, demand: Demand, seed: np.random.SeedSequence) -> list[Samples]:
        """Points on each region of the demand, in its order."""
        domain, regions = demand.domain, demand.regions
        per_axis = self.per_axis(domain)
        if (total := math.prod(per_axis)) > LARGEST_GRID:
            raise SettingError(
                f"The grid has {about(total)} points; take fewer along each axis or, in many "
                "dimensions, Random or Clustered points."
            )
        check_room(total, domain)
        found = [_given(r, domain) or self._on(r, per_axis, seed) for r in regions]
        return [
            self._unclaimed(s, domain, [q for q in regions if q is not r]) if r is domain else s
            for r, s in zip(regions, found, strict=True)
        ]

    def per_axis(self, domain: Domain) -> tuple[int, ...]:
        """The number of points along each axis of a domain."""
        d = len(domain.coordinates)
        if self.axes is not None:
            if set(self.axes) != set(domain.coordinates):
                raise SettingError(
                    f"Grid has counts for {listed(self.axes)}; the coordinates are "
                    f"{', '.join(map(str, domain.coordinates))}."
                )
            return tuple(self.counts[self.axes.index(x)] for x in domain.coordinates)
        if len(self.counts) not in (1, d):
            raise SettingError(f"Grid has counts for {len(self.counts)} axes; the domain has {d}.")
        return self.counts if len(self.counts) == d else self.counts * d

    @staticmethod
    def _on(region: Region, per_axis: tuple[int, ...], seed: np.random.SeedSequence) -> Samples:
        parts = [_grid_on(p, region.domain, per_axis, seed) for p in region.patches]
        joined = Samples.joined(parts)
        joined = joined.only(~region.domain.on_crack(joined.points))
        first = np.sort(np.unique(joined.points, axis=0, return_index=True)[1])  # a corner of several faces counts once
        return joined.only(first)

    @staticmethod
    def _unclaimed(samples: Samples, domain: Domain, others: Sequence[Region]) -> Samples:
        patches = [p for r in others for p in r.patches]
        claimed = np.abs(domain.signed_distance(samples.points)) <= domain.slack
        where = samples.points[claimed]
        claimed[claimed] = np.any([p.contains(where) for p in patches] or [np.zeros(len(where), bool)], axis=0)
        return samples.only(~claimed)


def _grid_on(piece: Piece, domain: Domain, per_axis: tuple[int, ...], seed: np.random.SeedSequence) -> Samples:
    """A grid on a face; evenly spaced points on curves, as far apart as those of the grid; even points elsewhere."""
    if isinstance(piece, Patch):
        return piece.place(_mesh([per_axis[i] for i in piece.axes]))
    spacing = [2 * h / (n - 1) for h, n in zip(domain.half_widths, per_axis, strict=True)]
    if isinstance(piece, Sliced):
        below = _grid_on(piece.base, domain.base, per_axis[:-1], seed)  # type: ignore[attr-defined]
        return piece.lifted(below)
    if isinstance(piece, Extruded):
        below = _grid_on(piece.base, domain.base, per_axis[:-1], seed)  # type: ignore[attr-defined]
        times = np.linspace(piece.start, piece.end, per_axis[-1])
        rows = np.repeat(np.arange(len(below)), len(times))
        return piece.lifted(below.only(rows), np.tile(times, len(below)))
    if isinstance(piece, Arc):
        count = max(2, round(piece.measure / math.prod(spacing) ** (1 / len(spacing))) + 1)
        count = min(count, WINDING * max(per_axis))
        return piece.place(np.linspace(0, 1, count, endpoint=not piece.closed)[:, None])
    if piece.has_normals:
        count = max(1, round(piece.measure / math.prod(spacing) ** ((len(spacing) - 1) / len(spacing))))
        count = min(count, WINDING * max(per_axis) ** (len(spacing) - 1))  # of one that is long and thin
        return piece.sample(count, _even_sobol, np.random.default_rng(seed))
    lower, upper = np.array(domain.bounds).T
    unit = _mesh(per_axis)
    points = lower * (1 - unit) + upper * unit
    return Samples(points[domain.contains(points)])


def _mesh(counts: Sequence[int]) -> np.ndarray:
    ticks = [np.linspace(0, 1, n) for n in counts]
    mesh = np.meshgrid(*ticks, indexing="ij") if ticks else [np.zeros(1)]
    return np.stack([m.ravel() for m in mesh], axis=1)[:, : len(counts)]


def faces(piece: Piece, domain: Domain) -> float:
    """As how many faces of a box a piece counts: by its measure, relative to the mean of the faces of the bounds."""
    if isinstance(piece, Patch | Sliced):
        return 1.0
    if isinstance(piece, Extruded):
        return faces(piece.base, domain.base)  # type: ignore[attr-defined]
    widths = 2 * np.array(domain.half_widths)
    return piece.measure / float(np.mean(np.prod(widths) / widths))


def face_share(features: int, dimension: int) -> float:
    """d/(p + d), where p is the degree at which polynomials in d variables are as many as the features."""
    degree = 0
    size = 1.0
    while size < features:
        degree += 1
        size *= (degree + dimension) / degree
    return dimension / (degree + dimension)


def spread_clustered(demand: Demand, counts: Sequence[int], seed: np.random.SeedSequence) -> list[Samples]:
    """Clustered points on every region, as many as given."""
    return spread(demand, counts, _clustered_sobol, seed)


def spread(demand: Demand, counts: Sequence[int], unit: UnitPoints, seed: np.random.SeedSequence) -> list[Samples]:
    """Points on every region, from those of a unit cube; given points stay as they are."""
    check_room(sum(counts), demand.domain)
    streams = seed.spawn(len(counts))
    return [
        _given(r, demand.domain) or _on_region(r, n, unit, s)
        for r, n, s in zip(demand.regions, counts, streams, strict=True)
    ]


def _on_region(region: Region, count: int, unit: UnitPoints, seed: np.random.SeedSequence) -> Samples:
    """`count` points on a region, each piece getting its part and at least one."""
    pieces, streams = region.patches, [np.random.default_rng(s) for s in seed.spawn(len(region.patches))]
    counts = [count]
    if len(pieces) > 1:
        shares = np.array([p.measure if unit is _uniform else faces(p, region.domain) for p in pieces])
        counts = np.maximum(1, np.round(count * shares / shares.sum())).astype(int).tolist()
    if unit is _clustered_sobol:
        pieces = tuple(p.crowded() for p in pieces)
    return Samples.joined([p.sample(n, unit, rng) for p, n, rng in zip(pieces, counts, streams, strict=True)])


def _uniform(count: int, ends: Sequence[bool], rng: np.random.Generator) -> np.ndarray:
    return rng.random((count, len(ends)))


def _even_sobol(count: int, ends: Sequence[bool], rng: np.random.Generator) -> np.ndarray:
    return sobol(count, len(ends), rng)


def _clustered_sobol(count: int, ends: Sequence[bool], rng: np.random.Generator) -> np.ndarray:
    even = sobol(count, len(ends), rng)
    clustered: np.ndarray = np.where(ends, (1 - np.cos(np.pi * even)) / 2, even)
    return clustered


def override(counts: list[int], demand: Demand, interior: int | None, boundary: int | None) -> list[int]:
    """Replace the counts in the domain and, shared by measure, on the regions that are parts of it."""
    domain, regions = demand.domain, demand.regions
    measures = [0.0 if r is domain or boundary is None else r.measure for r in regions]
    result = list(counts)
    for k, r in enumerate(regions):
        if r is domain and interior is not None:
            result[k] = interior
        if r is not domain and boundary is not None and r.patches:
            result[k] = max(1, round(boundary * measures[k] / sum(measures)))
    return result


def check_room(count: int, domain: Domain) -> None:
    """Refuse more points than fit into memory, before there are any."""
    if (needed := COPIES * ENTRY * count * len(domain.coordinates)) > free():
        raise SettingError(f"So many points need {shown(needed)} of memory, and {shown(free())} are free; take fewer.")


def check_counts(owner: object, **counts: int | None) -> None:
    """Refuse counts that are not whole and positive."""
    for name, n in counts.items():
        if n is not None and not is_whole(n, 1):
            raise SettingError(f"{type(owner).__name__} takes a whole positive number for {name}; got {quoted(n)}.")


def _given(region: Region, domain: Domain) -> Samples | None:
    return region.samples(domain.coordinates) if isinstance(region, Points) else None
