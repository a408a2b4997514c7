"""Where a solution is looked at once more: on ten times the points of its fit, and towards corners, ends and other
places where equations degenerate, at distances of all orders of magnitude.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

import numpy as np

from .._support.steering import CloserLook
from ..discretise import sample
from ..geometry import Clustered, Cylinder, Domain, Piece, Region, Samples
from ..options.settings import Settings
from ..problem import Problem
from .local import Look


def closer_points(
    problem: Problem, settings: Settings, special: Mapping[Domain, np.ndarray], seed: np.random.SeedSequence
) -> dict[Region, Samples]:
    """Points on all regions; those of a domain are also around its corners and other `special` places."""
    for_dense, for_near = seed.spawn(2)
    rng = np.random.default_rng(for_near)
    rows = CloserLook.ROWS if len(problem.coordinates) <= CloserLook.MANY else CloserLook.FEWER_ROWS
    found = sample(problem, Clustered(rows=rows), settings.sizes(problem), for_dense)
    for region, samples in found.items():
        if region.patches and not region.has_pairs:
            more = [_graded(p, rng) for p in region.patches if any(p.ends)]
            if isinstance(region, Domain):
                more.append(around(region, special[region], rng))
            found[region] = Samples.joined([samples, *more])
    return found


def corners(domain: Domain, rng: np.random.Generator) -> np.ndarray:
    """Where pieces of the boundary end: corners, or in space some points of edges."""
    found = []
    for piece in (edge.piece for edge in domain.edges):
        ends = np.array(piece.ends, dtype=bool)
        if ends.any() or not len(ends):
            unit = rng.random((min(2 ** len(ends), CloserLook.MOST_CORNERS), len(ends)))
            few = len(ends) <= CloserLook.MOST_ENDS
            which = np.array(list(product((0, 1), repeat=len(ends)))) if few else np.round(unit)
            found.append(piece.place(np.where(ends, which.reshape(unit.shape), unit)).points)
    found += [_at_times(domain, rng)] if isinstance(domain, Cylinder) and found else []
    if not found:
        return np.zeros((0, len(domain.coordinates)))
    unique = np.unique(np.concatenate(found).round(14), axis=0)
    return unique[rng.permutation(len(unique))[:CloserLook.MOST_CORNERS]]


def _at_times(domain: Cylinder, rng: np.random.Generator) -> np.ndarray:
    """Places on the edges that corners in space draw in the course of time."""
    places = corners(domain.base, rng) if len(domain.base.coordinates) == 2 else np.zeros((0, 0))
    times = rng.uniform(domain.start, domain.end, len(places))
    return np.column_stack([places, times]) if len(places) else np.zeros((0, len(domain.coordinates)))


def vanishing(look: Look, domain: Domain, find: Callable[[Samples], Look], rng: np.random.Generator) -> np.ndarray:
    """Where the leading coefficients of an equation all but vanish inside a domain: one place, found step by step."""
    widths, points = np.array(domain.half_widths), look.points
    leading = look.leading(widths)
    nowhere = np.zeros((0, points.shape[1]))
    if not np.isfinite(leading).all() or leading.min() > CloserLook.SMALL:
        return nowhere
    place, least = points[np.argmin(leading)], leading.min()
    for step in range(1, CloserLook.ZOOMS + 1):
        near = place + widths * CloserLook.ZOOM**step * rng.uniform(-1, 1, (CloserLook.NEARBY, len(widths)))
        near = near[domain.contains(near)]
        if len(near) and np.nanmin(there := find(Samples(near)).leading(widths)) < least:
            place, least = near[np.nanargmin(there)], float(np.nanmin(there))
    return np.asarray(place[None])


def around(domain: Domain, places: np.ndarray, rng: np.random.Generator) -> Samples:
    """Points of a domain at all distances from places."""
    lower, upper = np.array(domain.bounds).T
    shape = (len(places), CloserLook.DECADES, CloserLook.AROUND, len(lower))
    away = rng.uniform(lower - upper, upper - lower, shape) * _distances()[:, None, None]
    points = (places[:, None, None] + away).reshape(-1, len(lower))
    return Samples(points[domain.contains(points)])


def _distances() -> np.ndarray:
    """Distances from places, relative to the size of a domain."""
    return np.asarray(10.0 ** -np.arange(1.0, CloserLook.DECADES + 1.0))


def _graded(piece: Piece, rng: np.random.Generator) -> Samples:
    """Points of a piece at all distances from its ends, along some or all of its directions."""
    ends = np.array(piece.ends, dtype=bool)
    distance = np.repeat(_distances(), CloserLook.EACH)[:, None]
    unit = rng.random((len(distance), len(ends)))
    near = (rng.random(unit.shape) < 0.6) & ends
    near[~near.any(axis=1)] = ends
    towards = np.where(rng.random(unit.shape) < 0.5, distance * unit, 1 - distance * unit)
    return piece.place(np.where(near, towards, unit))
