"""Integrals of functions that are not smooth at some places, such as corners: rules that are denser towards these."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..boundary.curve import Arc
from ..boundary.piece import Patch, Piece, Samples
from ..region import Region
from ..shapes.combination import straight
from .rule import Rule, gauss, towards
from .slices import plane_rule

AT = 1e-9  # of the size of a domain: a place that lies on a curve
AWAY = 1e-14  # of it: points that are nearer to a place are that place, for all that coordinates can tell


def graded_rule(region: Region, n: int, places: Sequence[tuple[float, ...]]) -> tuple[Samples, np.ndarray]:
    """Points and weights for an integral over a region in the plane or a part of its boundary."""
    domain, at = region.domain, np.array(places)
    if len(domain.coordinates) != at.shape[1]:
        return region.rule(n)  # in space-time, where it is edges that are singular
    pieces = region.domain.edges if region == domain else ()
    arcs = [arc for p in ([e.piece for e in pieces] or region.patches) if (arc := _curve(p)) is not None]
    if len(arcs) < len(pieces or region.patches):
        return region.rule(n)  # the boundary is known by points only
    size = max(domain.half_widths)
    if region == domain:
        points, weights = plane_rule(domain, arcs, n, at)
        samples = Samples(points)
    else:
        rules = [_along(arc, n, at, AT * size) for arc in arcs]
        samples, weights = Samples.joined([s for s, _ in rules]), np.concatenate([w for _, w in rules])
    gaps = np.abs(samples.points[:, None] - at).max(axis=2).min(axis=1)
    kept = np.flatnonzero(gaps > AWAY * size)
    return samples.only(kept), weights[kept]


def _curve(piece: Piece) -> Arc | None:
    if isinstance(piece, Patch) and piece.normal is not None:
        return straight(piece)
    return piece if isinstance(piece, Arc) else None


def _along(arc: Arc, n: int, places: np.ndarray, near: float) -> tuple[Samples, np.ndarray]:
    """Gauss's rule along a curve, in stretches between places, and denser towards these."""
    found = arc.nearest(places)
    stops = found[np.linalg.norm(arc.at(found)[0] - places, axis=1) <= near]
    if not len(stops):
        return arc.rule(n)
    gap, middles = AT * (arc.end - arc.start), (arc.knots[:-1] + arc.knots[1:]) / 2
    marks = np.unique(np.concatenate([arc.knots, middles, stops]))
    marks = marks[np.concatenate([[True], np.diff(marks) > gap])]
    rules = [_stretch(a, b, n, np.concatenate([stops, [arc.start, arc.end][: 2 * arc.closed]]), gap)
             for a, b in pairwise(marks)]  # fmt: skip
    parameter, weights = (np.concatenate(part) for part in zip(*rules, strict=True))
    return arc.placed(parameter), weights * np.linalg.norm(arc.at(parameter)[1], axis=1)


def _stretch(start: float, end: float, n: int, stops: np.ndarray, gap: float) -> Rule:
    """Gauss's rule on an interval, half of it denser towards each end that is a stop."""
    here, there = (bool(np.abs(stops - at).min() <= gap) for at in (start, end))
    if here and there:
        middle = (start + end) / 2
        halves = [_stretch(a, b, n, stops, gap) for a, b in ((start, middle), (middle, end))]
        return tuple(map(np.concatenate, zip(*halves, strict=True)))  # type: ignore[return-value]
    nodes, weights = towards(n) if here or there else gauss(n)
    return (end - (end - start) * nodes if there else start + (end - start) * nodes), (end - start) * weights
