"""Pieces where they are needed.

A solution that varies in a few places only needs features there, and points with them. Rough solutions, with a part of
the features, tell where that is: the slopes that stand out are gathered into spots, at most as many as there are
cells. Each gets features of its own under a Gaussian window, and the next rough solution tells more. The equations at
points that no fit used decide between that and cells that are all alike.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np

from .._support.steering import Localisation, ScaleSearch
from ..basis import Ansatz, AtSpots, InCells
from ..discretise.field import Field, Fields
from ..fit.discrete import DiscreteProblem, place_points
from ..fit.scale import choose_scale
from ..geometry import Concentrated, Demand, Domain, Random
from ..options import Settings
from ..problem import Problem
from .adapt import Candidate
from .gaussian_mixture import find_spots


def localised(
    problem: Problem, settings: Settings, in_cells: tuple[Ansatz, ...], seed: np.random.SeedSequence
) -> tuple[Ansatz, ...]:
    """Functions at spots, if that is better than cells that are all alike."""
    if settings.adapts is False:
        return in_cells
    least = max(Localisation.FEWEST, prod(settings.cells(problem.coordinates) or ()))
    sizes = zip(problem.components, settings.sizes(problem), strict=True)
    fewer = {c.unknown: min(n, max(n // Localisation.PART, least)) for c, n in sizes if not c.is_constant}
    rough = replace(settings, features=fewer, tol=None)
    everywhere = tuple(a.inner if isinstance(a, InCells) else a for a in in_cells)
    for_cells, for_whole, *rounds = seed.spawn(2 + Localisation.ROUNDS)
    best = trial_solve(problem, rough, in_cells, for_cells)
    last = min(best, trial_solve(problem, rough, everywhere, for_whole), key=lambda c: c.loss)
    for stream in rounds:
        if last.choice.function is None or best.loss <= ScaleSearch.ROUND_OFF:
            break
        other = trial_solve(problem, rough, _at_spots(last.choice.function, rough, everywhere), stream)
        last, best = other, min(best, other, key=lambda c: c.loss)
    return best.draw.ansaetze


def with_points_at_spots(settings: Settings, ansaetze: tuple[Ansatz, ...]) -> Settings:
    """The options with points that are dense where the functions are, if the points are ours to choose."""
    spots = [s for a in ansaetze for s in a.spots]
    if not spots or not settings.places_points:
        return settings
    widths = tuple(tuple(Localisation.WIDER * w for w in s.width) for s in spots)
    return replace(settings, points=Concentrated(tuple(s.centre for s in spots), widths, Localisation.AT_SPOTS))


def trial_solve(
    problem: Problem, settings: Settings, ansaetze: tuple[Ansatz, ...], seed: np.random.SeedSequence
) -> Candidate:
    """Functions of some form, with their scale."""
    for_features, for_points, for_start, for_trials = seed.spawn(4)
    settings = with_points_at_spots(settings, ansaetze)
    samples = place_points(problem, settings, for_points)
    discrete = DiscreteProblem.of(problem, settings, samples, for_start, for_trials)
    draw = discrete.drawn(ansaetze, for_features)
    return Candidate(discrete, draw, choose_scale(discrete, draw))


def _at_spots(function: Fields, settings: Settings, everywhere: tuple[Ansatz, ...]) -> tuple[Ansatz, ...]:
    problem = function.problem
    parts = zip(problem.components, function.components, settings.sizes(problem), everywhere, strict=True)
    return tuple(inner if c.is_constant else _around(field, settings, n, inner) for c, field, n, inner in parts)


def _around(field: Field, settings: Settings, size: int, inner: Ansatz) -> Ansatz:
    """Functions at spots where a function varies more than on the mean; the others everywhere."""
    samples = Random(interior=Localisation.SLOPE_POINTS).sample(Demand.inside(field.domain), np.random.SeedSequence(0))
    points = samples[0].points
    above = np.maximum(variation(field, points) - 1, 0.0)
    most = min(Localisation.MOST_SPOTS, int(Localisation.AT_SPOTS * size / Localisation.AT_LEAST))
    if most == 0 or not 0 < above.sum() < float("inf"):
        return inner
    cells = settings.cells(field.domain.coordinates)
    assert cells is not None
    start = _heaviest(points, above, field.domain, cells)[:most]
    spots = find_spots(points, above, start, np.array(field.domain.half_widths) / cells)
    return AtSpots(spots, Localisation.AT_SPOTS, inner)


def variation(field: Field, points: np.ndarray) -> np.ndarray:
    """The squares of slopes and of second derivatives of a function, both relative to their means.

    Of a bump, slopes make a ring and second derivatives a hill with a moat; together they make a hill.
    """
    x, unit = field.domain.coordinates, field.domain.half_widths
    slope = sum(np.square(unit[i] * s) for i, s in enumerate(field.gradient(points)))
    bends = [field.diff(s).gradient(points) for s in x]
    bend = sum(np.square(unit[i] * unit[j] * b) for i, row in enumerate(bends) for j, b in enumerate(row))
    with np.errstate(all="ignore"):  # a constant has none, and what is not finite is no use
        return np.asarray((slope / np.mean(slope) + bend / np.mean(bend)) / 2)


def _heaviest(points: np.ndarray, weights: np.ndarray, domain: Domain, cells: tuple[int, ...]) -> np.ndarray:
    """The middles of the cells that have any of the weight, those with the most first."""
    lower, upper = np.array(domain.bounds).T
    index = np.floor((points - lower) / (upper - lower) * cells).clip(0, np.array(cells) - 1)
    own, which = np.unique(index[weights > 0], axis=0, return_inverse=True)
    order = np.argsort(-np.bincount(which.ravel(), weights[weights > 0]), kind="stable")
    return np.asarray(lower + (upper - lower) * (own[order] + 0.5) / cells)
