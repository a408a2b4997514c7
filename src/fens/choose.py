"""Choosing the scale of the frequencies for a problem: one for each axis, by rank, and refined by trial fits.

A trial is a fit like the final one, and is judged by how well the equations hold at other points, each beside its own
terms. Where there are many more rows than features, it fits some of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from .assemble import Placed, linearise
from .domain import Clustered, Demand, thinned
from .errors import FensError
from .features import Draw
from .field import Field
from .fit import Stats, find_weights, place_elsewhere
from .lstsq import numerical_rank
from .nonlinear import Point
from .numbers import rms
from .problem import Problem
from .scale import ScaleGrid, Search, by_measured_rank, by_rank, descend, search
from .settings import Settings

COMPARABLE = 8.0  # ratio of lengths up to which axes share one scale, at first
UNEQUAL = 3.0  # ratio of the solution's slopes, beside what the scales expect, above which other scales are tried
STEEPEST = 100.0  # the largest such ratio that a trial is trusted with
SLOPE_POINTS = 500

STRIDE = 3  # of the search, in quarter octaves
STEPS = 3  # of a nonlinear iteration, in trials after the first
ROWS = 2.5  # for each feature, if there are more than twice as many

Scales = tuple[float, ...]
Fit = tuple[Stats, torch.Tensor]


@dataclass(frozen=True)
class Begin:
    """Scales to try first, or those of the rank in the same ratios if these are larger; and the stride from there."""

    scales: Scales
    by_rank: bool = False
    stride: int = STRIDE


@dataclass(frozen=True)
class Choice:
    """The scale along each axis, the search for it, the fit with it if that was made, and the function of a trial."""

    scales: Scales
    search: Search | None = None
    fit: Fit | None = None
    function: Field | None = None


def choose_scale(
    problem: Problem,
    settings: Settings,
    unscaled: Draw,
    placed: Sequence[Placed],
    for_start: np.random.SeedSequence,
    for_trials: np.random.SeedSequence,
    begin: Begin | None = None,
) -> Choice:
    """The scale along each axis. `begin` is where to look first, if something is known."""
    if (fixed := settings.fixed_scale(problem.coordinates)) is not None:
        return Choice(fixed)
    if isinstance(settings.scale, ScaleGrid):

        def residual(rho: Scales) -> float:
            features = unscaled.scaled(rho, placed[0].points.device)
            stats, _ = find_weights(problem, settings, placed, features, for_start)
            return float("inf") if stats.status == "failed" else stats.residual

        found = search(settings.scale, len(problem.coordinates), residual)
        return Choice(found.scales[found.best], found)
    trials = Trials.of(problem, settings, unscaled, placed, for_start, for_trials)
    found = refine(problem, settings, trials, begin)
    best = found.scales[found.best]
    final = trials.use_all and (problem.is_linear or found.best == 0)  # a fit that need not be made again
    return Choice(best, found, trials.fits.get(best) if final else None, trials.function(best))


def refine(problem: Problem, settings: Settings, trials: Trials, begin: Begin | None) -> Search:
    """From the scales by rank, or those to begin with, down the held-out residual."""
    start = begin.scales if begin else first_scale(problem, settings, trials)
    if begin is not None and begin.by_rank:
        start = max(start, scale_by_rank(problem, settings, trials.unscaled, start), key=math.prod)
    stride = begin.stride if begin else STRIDE
    reason = descend(lambda factor: trials.loss(tuple(factor * s for s in start)), stride)
    return Search(tuple(trials.losses), tuple(trials.losses.values()), reason)


def first_scale(problem: Problem, settings: Settings, trials: Trials) -> Scales:
    """The scales by rank, in ratios that follow the slopes of a first fit if that is better."""
    start = scale_by_rank(problem, settings, trials.unscaled, first_shape(problem, settings))
    trials.loss(start)
    if (slopes := trials.slopes(start)) is not None:
        other = scale_by_rank(problem, settings, trials.unscaled, slopes)
        if trials.loss(other) < trials.loss(start):
            return other
    return start


def first_shape(problem: Problem, settings: Settings) -> Scales:
    """The ratios of the scales before anything is known of the solution.

    One scale serves all axes of comparable length. Where lengths differ by more, they are likely in different units,
    and the scales go inversely with them.
    """
    lengths = _lengths(problem, settings)
    return (1.0,) * len(lengths) if max(lengths) <= COMPARABLE * min(lengths) else tuple(1 / w for w in lengths)


def scale_by_rank(problem: Problem, settings: Settings, unscaled: Draw, shape: Scales) -> Scales:
    """The scales, in given ratios, at which the features have the numerical rank that serves best."""
    lengths = [w * s for w, s in zip(_lengths(problem, settings), shape, strict=True)]
    if unscaled.activation.trigonometric:
        rho = by_rank(settings.size, lengths)
        return tuple(rho * s for s in shape)
    d, device = len(shape), torch.device(settings.device)
    trial = Clustered(interior=int(1.2 * settings.size) + 1)
    samples = trial.sample(Demand.inside(problem.domain), np.random.SeedSequence(0))
    points = torch.as_tensor(samples[0].points, device=device)
    middle = math.prod(lengths) ** (1 / d)

    def rank(rho: float) -> float:
        features = unscaled.scaled([rho * s / middle for s in shape], device)
        return numerical_rank(features.matrix([(1.0, (0,) * d)], points))

    rho = by_measured_rank(settings.size, d, rank)
    return tuple(rho * s / middle for s in shape)


@dataclass(frozen=True)
class Trials:
    """Fits of a part of the rows, and what they came to at the rest."""

    problem: Problem
    settings: Settings
    unscaled: Draw
    training: Sequence[Placed]
    held_out: Sequence[Placed]
    for_start: np.random.SeedSequence
    use_all: bool
    losses: dict[Scales, float]
    fits: dict[Scales, Fit]

    @classmethod
    def of(
        cls,
        problem: Problem,
        settings: Settings,
        unscaled: Draw,
        placed: Sequence[Placed],
        for_start: np.random.SeedSequence,
        for_trials: np.random.SeedSequence,
    ) -> Trials:
        """No trials yet, of a problem at its points."""
        for_rows, elsewhere = for_trials.spawn(2)
        rows = sum(len(p.samples) for p in placed)
        share = ROWS * settings.size / rows
        training = placed
        if share < 0.5:
            rng = np.random.default_rng(for_rows)
            chosen = [thinned(p.samples.points, math.ceil(share * len(p.samples)), rng) for p in placed]
            training = [p.only(some) for p, some in zip(placed, chosen, strict=True)]
        held_out = place_elsewhere(problem, settings, elsewhere)
        return cls(problem, settings, unscaled, training, held_out, for_start, training is placed, {}, {})

    def loss(self, scales: Scales) -> float:
        """The largest held-out residual of an equation beside its terms; infinite if the fit fails."""
        if scales not in self.losses:
            self.losses[scales] = self._loss(scales)
        return self.losses[scales]

    def slopes(self, scales: Scales) -> Scales | None:
        """The root mean squares of the slopes of a fit along the axes, if their ratios are not those of the scales."""
        if (function := self.function(scales)) is None:
            return None
        points = self.training[0].samples.points[:SLOPE_POINTS]
        slopes = [rms(function.diff(x).at(points)) for x in self.problem.coordinates]
        steepness = np.array(slopes) * self.unscaled.half_width
        if not np.isfinite(steepness).all() or steepness.max() == 0:
            return None
        relative = steepness / np.array(scales)
        relative = np.maximum(relative, relative.max() / STEEPEST)
        return tuple((relative * np.array(scales)).tolist()) if relative.max() > UNEQUAL * relative.min() else None

    def function(self, scales: Scales) -> Field | None:
        """What a trial found."""
        if scales not in self.fits:
            return None
        _, weights = self.fits[scales]
        features = self.unscaled.scaled(scales, weights.device)
        return Field(features, weights, self.problem.domain, self.problem.unknowns[0].args, (0,) * len(scales))

    def _loss(self, scales: Scales) -> float:
        settings, features = self.settings, self.unscaled.scaled(scales, self.training[0].points.device)
        if self.fits and not self.problem.is_linear:  # a few steps from the best so far tell enough
            best = min(self.fits, key=lambda tried: self.losses[tried])
            settings = replace(settings, initial=self.function(best), max_iterations=STEPS)
        try:
            stats, weights = find_weights(self.problem, settings, self.training, features, self.for_start)
            if stats.status == "failed" and settings is self.settings:
                return float("inf")
            there = Point.of(self.held_out, features, weights)
            conditions = linearise(self.held_out, None if self.problem.is_linear else there.jets)
        except FensError:  # numbers beyond the range of floating point
            return float("inf")
        self.fits[scales] = stats, weights
        return there.imbalance(conditions, self.problem.domain.half_widths, 0.0)


def _lengths(problem: Problem, settings: Settings) -> Scales:
    """Half-widths of the domain, after the affine map if there is one."""
    return (1.0,) * len(problem.coordinates) if settings.maps_inputs else problem.domain.half_widths
