"""From a problem and options to the weights of features: points, frequencies, least squares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
import torch

from .._support.device import device_of
from .._support.numbers import shown
from .._support.progress import watch
from .._support.stored import stored
from ..basis import (
    AroundHoles,
    Distribution,
    Draw,
    Draws,
    Family,
    Localised,
    Unscaled,
    activation,
    constant,
    draw,
    draw_around,
    draw_layers,
    draw_pieces,
    draw_spots,
)
from ..basis.rank import by_rank
from ..discretise import DiscreteCondition, System, discretise, linearise, sample, weigh
from ..discretise.field import Fields
from ..errors import EvaluationError, SettingError
from ..geometry import Clustered, Region, Samples
from ..lstsq import Failed, LeastSquares, least
from ..nonlinear import Iterate, Iteration, State, best, starts, status_of
from ..options import Settings
from ..problem import LINEARISATIONS, Component, Problem


@stored("Stats")
@dataclass(frozen=True)
class Stats:
    """What a solve did.

    `residual` is ‖A w − F‖ of the weighted rows, and `rank` the numerical rank of the matrix; `row_weights` are those
    of the conditions, in the order of the problem's; `seconds` is the time of each pass. `status` is "converged", or
    for a nonlinear iteration also "settled" or "failed", and `advice` then says why and what to do; its states are
    in `iterations`. `sizes` has the numbers of features tried and the error estimate of each, where that was left to
    `solve`; `rounds` what was tried to adapt the frequencies.
    """

    rows: int
    features: int
    residual: float
    rank: int
    largest_weight: float
    row_weights: tuple[float, ...]
    seconds: Mapping[str, float]
    status: str = "converged"
    advice: str = ""
    iterations: tuple[State, ...] = ()
    sizes: tuple[tuple[int, float], ...] = ()
    rounds: tuple[object, ...] = ()


Fit = tuple[Stats, torch.Tensor]


@dataclass(frozen=True)
class DiscreteProblem:
    """A problem with its options, at its points; and where random choices in its course come from."""

    problem: Problem
    settings: Settings
    discretised: Sequence[DiscreteCondition]
    for_start: np.random.SeedSequence
    for_trials: np.random.SeedSequence

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(p.rows for p in self.discretised)

    @cached_property
    def held_out(self) -> tuple[DiscreteCondition, ...]:
        """The equations at other points, which no fit uses."""
        return place_elsewhere(self.problem, self.settings, self.for_trials)

    def starting_from(self, function: Fields | None) -> DiscreteProblem:
        """The same, with a nonlinear iteration from a function."""
        if function is None or self.problem.is_linear:
            return self
        return replace(self, settings=replace(self.settings, initial=function))

    def resized(self, factor: float) -> DiscreteProblem:
        """The same with so many times as many features, and points for these."""
        given = self.settings.features
        if isinstance(given, Mapping):
            some: Mapping[Any, int] | int = {u: max(1, int(factor * n)) for u, n in given.items()}
        else:
            some = max(1, int(factor * self.settings.size))
        return replace(self, settings=replace(self.settings, features=some, tol=None))

    def fitted(self, features: Family) -> Fit:
        """The weights of given features."""
        return find_weights(self.problem, self.settings, self.discretised, features, self.for_start)


def place_points(problem: Problem, settings: Settings, seed: np.random.SeedSequence) -> dict[Region, Samples]:
    """Points on every region of a problem, and none without."""
    sizes = settings.sizes(problem)
    check_room(0, sum(sizes), settings.bytes)  # before there are as many points
    found = sample(problem, settings.sampler, sizes, seed)
    for region, samples in found.items():
        if len(samples) == 0:
            raise SettingError(f"The points leave none on {region.name}; choose more of them.")
    return found


def place_elsewhere(
    problem: Problem, settings: Settings, seed: np.random.SeedSequence
) -> tuple[DiscreteCondition, ...]:
    """The equations at points of our own choice; where they have no value at some of these, at the user's."""
    linearisation, device = LINEARISATIONS[settings.nonlinear], device_of(settings.device)
    samples = sample(problem, Clustered(rows=1.0), settings.sizes(problem), seed)
    discretised = discretise(problem, samples, linearisation, device)
    try:
        if problem.is_linear:
            linearise(discretised)
    except EvaluationError:
        return discretise(problem, place_points(problem, settings, seed), linearisation, device)
    return discretised


def check_size(discretised: Sequence[DiscreteCondition], features: int, memory: int) -> None:
    """Refuse a system with fewer rows than unknowns, which would not be determined, or one too large to be held."""
    rows = sum(p.rows for p in discretised)
    if rows < features:
        raise SettingError(
            f"The points give {rows} rows for {features} features; least squares needs at least as many rows as "
            "features. Take more points or fewer features."
        )
    check_room(rows, features, memory)


def check_room(rows: int, features: int, memory: int) -> None:
    """Refuse a system too large to be held."""
    if (needed := least(rows, features)) > memory:
        what = f"{features} features" if not rows else f"{rows} rows of {features} features"
        raise SettingError(
            f"{what} need {shown(needed)} of memory, and {shown(memory)} may be used; take fewer, "
            "or raise memory, which is half of what is free by default."
        )


def draw_features(
    problem: Problem, settings: Settings, seed: np.random.SeedSequence, distributions: Sequence[Distribution]
) -> Draws:
    """The random features of a solve, at scale 1: for each component those of its distribution."""
    seeds = [seed] if len(problem.components) == 1 else seed.spawn(len(problem.components))
    parts = zip(problem.components, settings.sizes(problem), seeds, distributions, strict=True)
    return Draws(tuple(_draw(component, settings, size, s, drawn) for component, size, s, drawn in parts))


def _draw(
    component: Component, settings: Settings, size: int, seed: np.random.SeedSequence, distribution: Distribution
) -> Unscaled:
    bounds = component.domain.bounds
    if component.is_constant:
        return constant(bounds)

    def in_box(count: int, box: Sequence[tuple[float, float]], stream: np.random.SeedSequence) -> Draw:
        return draw(
            count,
            box,
            activation(settings.activation),
            initialisation=settings.initialisation,
            affine=settings.maps_inputs,
            seed=stream,
            distribution=distribution,
        )

    if isinstance(distribution, Localised):
        return draw_spots(
            size, distribution.share, distribution.spots, bounds, in_box, _ratios(settings, bounds), seed
        )
    if (cells := settings.cells(component.domain.coordinates)) is not None:
        return draw_pieces(size, bounds, cells, in_box, seed)
    if isinstance(distribution, AroundHoles):
        return draw_around(size, distribution.share, distribution.holes, lambda n, s: in_box(n, bounds, s), seed)
    if settings.layers == 2:
        return draw_layers(size, lambda count, stream: in_box(count, bounds, stream), seed)
    return in_box(size, bounds, seed)


def _ratios(
    settings: Settings, bounds: Sequence[tuple[float, float]]
) -> Callable[[int, int, Sequence[float]], np.ndarray]:
    """How much larger frequencies are at a spot than everywhere, if both have the rank for their number."""
    d = len(bounds)
    whole = [1.0 if settings.maps_inputs else (b - a) / 2 for a, b in bounds]

    def ratios(at_spot: int, everywhere: int, reach: Sequence[float]) -> np.ndarray:
        own = np.ones(d) if settings.maps_inputs else np.array(reach)
        return by_rank(at_spot, [1.0] * d) / own / by_rank(everywhere, whole)

    return ratios


def find_weights(
    problem: Problem,
    settings: Settings,
    discretised: Sequence[DiscreteCondition],
    features: Family,
    for_start: np.random.SeedSequence,
) -> Fit:
    """The weights of given features: by one least squares, or by a nonlinear iteration of them."""
    rows, solver = sum(p.rows for p in discretised), settings.solver(problem)
    if problem.is_linear:
        conditions = weigh(linearise(discretised), features, settings.weights)
        result = solver.factorise(System(conditions, features)).solve()
        require_solved(result)
        largest, row_weights = float(result.weights.abs().max()), tuple(c.weight for c in conditions)
        return Stats(rows, len(features), result.residual, result.rank, largest, row_weights, {}), result.weights
    newton, most = settings.nonlinear == "newton", settings.max_iterations
    failures = []
    for start in starts(problem, settings.initial, discretised, features, settings.weights, for_start, solver):
        # a function that the user gave tells how large u is; a start of our own may be anything
        size = 0.0 if settings.initial is None else max(Iterate.of(problem, discretised, features, start).sizes)
        kept = settings.bytes // 4
        iteration = Iteration(problem, discretised, features, settings.weights, newton, most, solver, size, kept)
        stats, weights = run(iteration, start, rows)
        if stats.status != "failed":
            return stats, weights
        failures.append((stats, weights))
    return min(failures, key=lambda failure: failure[0].residual)


def run(iteration: Iteration, start: torch.Tensor, rows: int) -> Fit:
    """An iteration from start to end: what came of it, and the weights to keep."""
    features = len(iteration.features)
    try:
        states = tuple(watch(iteration.states(start)))
    except EvaluationError as error:
        advice = f"the equations have no value at the initial function. {error} Or try another initial function."
        return Stats(rows, features, float("inf"), 0, 0.0, (), {}, "failed", advice), start
    kept = best(states)
    largest = float(kept.weights.abs().max())
    status = status_of(states, iteration.max_iterations)
    stats = Stats(rows, features, kept.residual, kept.rank, largest, kept.row_weights, {}, *status, states)
    return stats, kept.weights


def deviations(discrete: DiscreteProblem, features: Family, weights: torch.Tensor) -> dict[sp.Expr, float]:
    """The standard deviation of each unknown number that the noise of the data makes; NaN if no noise is given."""
    numbers = {c.unknown: k for k, c in enumerate(discrete.problem.components) if c.is_constant}
    if not numbers:
        return {}
    here = Iterate.of(discrete.problem, discrete.discretised, features, weights)
    conditions = weigh(linearise(discrete.discretised, here.jets), features, discrete.settings.weights)
    factorised = discrete.settings.solver(discrete.problem).factorise(System(conditions, features))
    if isinstance(factorised, Failed) or all(c.noise is None for c in conditions):
        return dict.fromkeys(numbers, float("nan"))
    noise = torch.cat([c.weighted_noise for c in conditions])
    return {
        unknown: float(torch.linalg.vector_norm(factorised.inverse_row(features.columns[k].start) * noise))
        for unknown, k in numbers.items()
    }


def require_solved(result: LeastSquares) -> None:
    """Refuse to hand out weights that mean nothing."""
    if result.status != "solved":
        raise EvaluationError(f"The least squares could not be solved: {result.status}. {result.remedy}")
