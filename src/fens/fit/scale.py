"""Choosing the scale of the frequencies for a problem: one for each axis, by rank, and refined by trial fits.

A trial is a fit like the final one, and is judged by how well the equations hold at other points, each relative to its
own terms. Where there are many more rows than features, it fits some of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .._support.device import device_of, to_device
from .._support.numbers import geometric_mean, rms
from .._support.progress import track
from .._support.steering import ScaleSearch, ScaleTrials
from ..basis import Draw, Drawn, Scales, of_each
from ..basis.rank import by_measured_rank, by_rank
from ..discretise import DiscreteCondition, even, linearise
from ..discretise.field import Field, Fields
from ..discretise.iterate import Iterate
from ..errors import FensError
from ..geometry import Clustered, Demand, Domain, subsample
from ..lstsq import numerical_rank
from ..lstsq.cluster import Cluster
from ..options import ScaleGrid, Settings
from .discrete import DiscreteProblem, Fit
from .search import Search, descend, search


@dataclass(frozen=True)
class ScaleHint:
    """Scales to try first, or those of the rank in the same ratios if these are larger; a loss with which the first
    will do; the stride from there, and what it must leave of the loss.
    """

    scales: Scales
    by_rank: bool = False
    enough: float = 0.0
    stride: int = field(default_factory=lambda: ScaleTrials.STRIDE)
    pays: float = 1.0


@dataclass(frozen=True)
class ScaleChoice:
    """The scales, the search for them, the fit with them if that was made, and the functions of a trial.

    `serves` says that equations hold as well as they need to: to round-off, or far better than a tolerance asks.
    """

    scales: Scales
    search: Search | None = None
    fit: Fit | None = None
    function: Fields | None = None
    serves: bool = False


def choose_scale(
    discrete: DiscreteProblem, draw: Draw, hint: ScaleHint | None = None, trials: Trials | None = None
) -> ScaleChoice:
    """The scale along each axis. `hint` is where to look first, if something is known; `trials` were made already."""
    problem, settings = discrete.problem, discrete.settings
    if (fixed := settings.fixed_scale(problem)) is not None:
        return ScaleChoice(fixed)
    if isinstance(settings.scale, ScaleGrid):
        count = len(problem.coordinates) * len(problem.components)
        found = search(settings.scale, count, Residuals(discrete, draw))
        return ScaleChoice(found.scales[found.best], found)
    trials = Trials.of(discrete, draw) if trials is None else trials
    found = refine(trials, hint)
    best = found.scales[found.best]
    final = trials.use_all and (problem.is_linear or found.best == 0)  # a fit that need not be made again
    serves = trials.loss(best) <= trials.enough(best)
    return ScaleChoice(best, found, trials.fits.get(best) if final else None, trials.function(best), serves)


def first_choice(trials: Trials) -> ScaleChoice:
    """The scale by rank alone, with a trial at it."""
    start = scale_by_rank(trials.discrete, trials.draw, axis_ratios(trials.discrete))
    return ScaleChoice(start, Search((start,), (trials.loss(start),), "a first trial"), None, trials.function(start))


@dataclass(frozen=True)
class Residuals:
    """‖A w − F‖ of scales: one after another, or on a cluster side by side."""

    discrete: DiscreteProblem
    draw: Draw

    def __call__(self, scales: Sequence[Scales]) -> Iterable[float]:
        settings = self.discrete.settings
        if settings.cluster is None:
            return (self.of(rho) for rho in track(scales, "searching the scale"))
        alone = replace(self, discrete=replace(self.discrete, settings=replace(settings, cluster=None)))
        return Cluster.of(settings.cluster).map(alone.of, scales, label="scales tried")

    def of(self, rho: Scales) -> float:
        """That of one scale."""
        stats, _ = self.discrete.solve(self.draw.scaled(rho, self.discrete.device))
        return float("inf") if stats.status == "failed" else stats.residual


def refine(trials: Trials, hint: ScaleHint | None) -> Search:
    """From the scales by rank, or those to begin with, down the held-out residual."""
    start = hint.scales if hint else first_scale(trials)
    if hint is not None and hint.by_rank:
        start = max(start, scale_by_rank(trials.discrete, trials.draw, start), key=geometric_mean)
    stride = hint.stride if hint else ScaleTrials.STRIDE
    if hint is not None and trials.loss(start) <= hint.enough:
        return Search(tuple(trials.losses), tuple(trials.losses.values()), "the scale of fewer features serves")
    pays = hint.pays if hint else 1.0
    reason = descend(lambda factor: trials.loss(tuple(factor * s for s in start)), stride, trials.enough(start), pays)
    return Search(tuple(trials.losses), tuple(trials.losses.values()), reason)


def first_scale(trials: Trials) -> Scales:
    """The scales by rank, in ratios that follow the slopes of a first fit if that is better and wanted."""
    start = scale_by_rank(trials.discrete, trials.draw, axis_ratios(trials.discrete))
    met = trials.loss(start) <= trials.enough(start) and trials.discrete.settings.tol is not None
    if not met and (slopes := trials.slopes(start)) is not None:
        other = scale_by_rank(trials.discrete, trials.draw, slopes)
        if trials.loss(other) < trials.loss(start):
            return other
    return start


def axis_ratios(discrete: DiscreteProblem) -> Scales:
    """The ratios of the scales before anything is known of the solution.

    One scale serves all axes of comparable length. Where lengths differ by more, they are likely in different units,
    and the scales go inversely with them.
    """
    shape: list[float] = []
    for lengths in _lengths(discrete):
        comparable = max(lengths) <= ScaleTrials.COMPARABLE * min(lengths)
        shape += [1.0 if comparable else 1 / w for w in lengths]
    return tuple(shape)


def scale_by_rank(discrete: DiscreteProblem, draw: Draw, shape: Scales) -> Scales:
    """The scales, in given ratios, at which the features of each component have the rank that serves best."""
    found: list[float] = []
    parts = zip(discrete.problem.components, draw.members, _lengths(discrete), strict=True)
    for (component, drawn, lengths), own in zip(parts, of_each(shape, draw.dimension), strict=True):
        if component.is_constant:
            found += (1.0,) * draw.dimension
        else:
            found += _by_rank(discrete.settings, component.domain, drawn, lengths, own)
    return tuple(found)


def _by_rank(settings: Settings, domain: Domain, drawn: Drawn, half_widths: Scales, shape: Scales) -> Scales:
    size, lengths = len(drawn), [w * s for w, s in zip(half_widths, shape, strict=True)]
    if drawn.leading.activation.trigonometric:
        rho = by_rank(len(drawn.leading), [w * r for w, r in zip(lengths, drawn.reach, strict=True)])
        return tuple(rho * s for s in shape)
    d, device = len(shape), device_of(settings.device)
    samples = Clustered(interior=int(1.2 * size) + 1).sample(Demand.inside(domain), np.random.SeedSequence(0))
    points = to_device(samples[0].points, device)
    middle = geometric_mean(lengths)

    def rank(rho: float) -> float:
        features = drawn.scaled([rho * s / middle for s in shape], device)
        return numerical_rank(features.matrix([(1.0, (0,) * d)], points))

    rho = by_measured_rank(size, d, rank)
    return tuple(rho * s / middle for s in shape)


@dataclass(frozen=True)
class Trials:
    """Fits of a part of the rows, and what they came to at the rest."""

    discrete: DiscreteProblem
    draw: Draw
    held_out: Sequence[DiscreteCondition]
    use_all: bool
    losses: dict[Scales, float] = field(default_factory=dict)
    fits: dict[Scales, Fit] = field(default_factory=dict)
    sizes: dict[Scales, float] = field(default_factory=dict)  # the largest |u|

    @classmethod
    def of(cls, discrete: DiscreteProblem, draw: Draw) -> Trials:
        """No trials yet, of a problem at its points."""
        share = ScaleTrials.ROWS * sum(discrete.settings.sizes(discrete.problem)) / discrete.rows
        if share >= 0.5:
            return cls(discrete, draw, discrete.held_out, True)
        rng = np.random.default_rng(discrete.for_trials)
        chosen = [subsample(p.samples.points, math.ceil(share * len(p.samples)), rng) for p in discrete.conditions]
        training = tuple(p.only(some) for p, some in zip(discrete.conditions, chosen, strict=True))
        return cls(replace(discrete, conditions=training), draw, discrete.held_out, False)

    def loss(self, scales: Scales) -> float:
        """The largest held-out residual of an equation relative to its terms; infinite if the fit fails."""
        if scales not in self.losses:
            self.losses[scales] = self._loss(scales)
        return self.losses[scales]

    def enough(self, scales: Scales) -> float:
        """A loss below which no other scale is worth a trial: round-off or, with a tolerance, far below that."""
        self.loss(scales)  # finds the size, too
        tol, size = self.discrete.settings.tol, self.sizes.get(scales)
        if tol is None or not size:
            return ScaleSearch.ROUND_OFF
        return max(ScaleSearch.ROUND_OFF, ScaleTrials.SURE * min(tol / size, 1.0))

    def slopes(self, scales: Scales) -> Scales | None:
        """The root mean squares of the slopes of a fit along the axes, if their ratios are not those of the scales.

        Those of one component relative to each other; how one compares with another says nothing about either.
        """
        if (functions := self.function(scales)) is None:
            return None
        shape: list[float] = []
        each = zip(functions.components, of_each(scales, self.draw.dimension), self.draw.members, strict=True)
        for function, own, drawn in each:
            shape += self._ratios(function, np.array(own), drawn.leading.half_width)
        return None if shape == list(scales) else tuple(shape)

    def _ratios(self, function: Field, scales: np.ndarray, unit: np.ndarray) -> list[float]:
        """Scales in proportion to a function's slopes; those given, if they are about that already."""
        inside = Clustered(interior=ScaleTrials.SLOPE_POINTS)
        samples = inside.sample(Demand.inside(function.domain), np.random.SeedSequence(0))
        steepness = np.array([rms(slope) for slope in function.gradient(samples[0].points)]) * unit
        if not np.isfinite(steepness).all() or steepness.max() == 0:
            return list(scales.tolist())
        relative = steepness / scales
        relative = np.maximum(relative, relative.max() / ScaleTrials.STEEPEST)
        if relative.max() <= ScaleTrials.UNEQUAL * relative.min():
            return list(scales.tolist())
        return list((relative * scales).tolist())

    def function(self, scales: Scales) -> Fields | None:
        """What a trial found."""
        if scales not in self.fits:
            return None
        _, weights = self.fits[scales]
        return Fields(self.discrete.problem, self.draw.scaled(scales, weights.device), weights)

    def _loss(self, scales: Scales) -> float:
        discrete, problem = self.discrete, self.discrete.problem
        features = self.draw.scaled(scales, discrete.device)
        if self.fits and not problem.is_linear:  # a few steps from the best so far tell enough
            best = min(self.fits, key=lambda tried: self.losses[tried])
            steps = 1 if self.losses[best] < ScaleTrials.NEARLY else ScaleTrials.STEPS
            settings = replace(discrete.settings, initial=self.function(best), max_iterations=steps)
            discrete = replace(discrete, settings=settings)
        try:
            stats, weights = discrete.solve(features)
            if stats.status == "failed" and discrete is self.discrete:
                return float("inf")
            there = Iterate.of(problem, self.held_out, features, weights)
            conditions = even(linearise(self.held_out, None if problem.is_linear else there.jets), features)
        except FensError:  # numbers beyond the range of floating point
            return float("inf")
        self.fits[scales], self.sizes[scales] = (stats, weights), max(there.sizes)
        return there.relative_residual(conditions, problem.half_widths, 0.0)


def _lengths(discrete: DiscreteProblem) -> tuple[Scales, ...]:
    """Half-widths of the domain of each component, after the affine map if there is one."""
    if discrete.settings.maps_inputs:
        return ((1.0,) * len(discrete.problem.coordinates),) * len(discrete.problem.components)
    return discrete.problem.half_widths
