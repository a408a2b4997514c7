"""A problem at its points: what trial fits, the estimate, slabs of time and eigenvalues all solve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
import torch

from .._support.device import device_of, to_device
from .._support.numbers import shown
from .._support.progress import watch
from ..basis import Ansatz, Draw, Frame, TrialSpace, activation
from ..discretise import (
    DiscreteCondition,
    LinearRows,
    System,
    WithRhs,
    discretise,
    linearise,
    sample,
    weigh,
)
from ..discretise.field import Fields
from ..discretise.iterate import Iterate
from ..errors import EvaluationError, SettingError
from ..geometry import Region, Samples
from ..lstsq import Failed, LeastSquares, Solvable, least
from ..nonlinear import Iteration, best, starts, status_of
from ..options import Settings
from ..problem import LINEARISATIONS, Problem
from .stats import Stats

Fit = tuple[Stats, torch.Tensor]


@dataclass(frozen=True)
class DiscreteProblem:
    """A problem with its options, at its points; and where random choices in its course come from."""

    problem: Problem
    settings: Settings
    samples: Mapping[Region, Samples]
    conditions: tuple[DiscreteCondition, ...]
    for_start: np.random.SeedSequence
    for_trials: np.random.SeedSequence

    @classmethod
    def of(
        cls,
        problem: Problem,
        settings: Settings,
        samples: Mapping[Region, Samples],
        for_start: np.random.SeedSequence,
        for_trials: np.random.SeedSequence,
    ) -> DiscreteProblem:
        """The equations of a problem at samples, if these are enough for its features."""
        conditions = discretised(problem, settings, samples)
        rows, features = sum(c.rows for c in conditions), sum(settings.sizes(problem))
        if rows < features:
            raise SettingError(
                f"The points give {rows} rows for {features} features; least squares needs at least as many rows as "
                "features. Take more points or fewer features."
            )
        check_room(rows, features, settings.bytes)
        return cls(problem, settings, samples, conditions, for_start, for_trials)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(c.rows for c in self.conditions)

    @property
    def device(self) -> torch.device:
        """Where numbers are."""
        return device_of(self.settings.device)

    @cached_property
    def held_out(self) -> tuple[DiscreteCondition, ...]:
        """The equations at points of our own choice, which no fit uses; where they have no value, at the user's."""
        settings = self.settings
        found = self.at(sample(self.problem, settings.held_out_sampler, settings.sizes(self.problem), self.for_trials))
        try:
            if self.problem.is_linear:
                linearise(found)
        except EvaluationError:
            return self.at(place_points(self.problem, settings, self.for_trials))
        return found

    def at(self, samples: Mapping[Region, Samples]) -> tuple[DiscreteCondition, ...]:
        """The equations at other points."""
        return discretised(self.problem, self.settings, samples)

    def moved(self, settings: Settings, seed: np.random.SeedSequence) -> DiscreteProblem:
        """The same problem with other options, at the points of these."""
        samples = place_points(self.problem, settings, seed)
        return replace(self, settings=settings, samples=samples, conditions=self.at(samples))

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

    def drawn(self, ansaetze: Sequence[Ansatz], seed: np.random.SeedSequence) -> Draw:
        """Trial functions of each unknown, at scale 1."""
        components, shared = self.problem.components, activation(self.settings.activation)
        seeds = [seed] if len(components) == 1 else seed.spawn(len(components))
        members = []
        for c, size, s, ansatz in zip(components, self.settings.sizes(self.problem), seeds, ansaetze, strict=True):
            frame = Frame(c.domain.bounds, shared, self.settings.initialisation, self.settings.maps_inputs)
            members.append(ansatz.draw(size, frame, s))
        return Draw(tuple(ansaetze), tuple(members))

    def near(self, conditions: Sequence[DiscreteCondition], space: TrialSpace, weights: torch.Tensor) -> Iterate | None:
        """A solution at points, at which equations that are not linear are linearised; None for linear ones."""
        return None if self.problem.is_linear else Iterate.of(self.problem, conditions, space, weights)

    def linearised(
        self, conditions: Sequence[DiscreteCondition], near: Iterate | None, space: TrialSpace
    ) -> tuple[LinearRows, ...]:
        """Linear equations near a function, weighted for a trial space."""
        return weigh(linearise(conditions, None if near is None else near.jets), space, self.settings.weights)

    def factorised(
        self, rows: tuple[LinearRows, ...], near: Iterate | None, space: TrialSpace
    ) -> tuple[Solvable, LeastSquares] | None:
        """The matrix of linear equations for a trial space and its solution near a function; None if there is none."""
        system = System(rows, space)
        given = system if near is None else WithRhs(system, to_device(near.rhs(rows), system.rhs.device))
        found = self.settings.solver_for(self.problem).factorise(given)
        result = found.solve()
        return None if isinstance(found, Failed) or result.status != "solved" else (found, result)

    def solve(self, space: TrialSpace) -> Fit:
        """The weights of trial functions: by one least squares, or by a nonlinear iteration of them."""
        return self._solve_linear(space) if self.problem.is_linear else self._iterate(space)

    def _solve_linear(self, space: TrialSpace) -> Fit:
        rows = self.linearised(self.conditions, None, space)
        result = self.settings.solver_for(self.problem).factorise(System(rows, space)).solve()
        if result.status != "solved":  # weights that mean nothing are not handed out
            raise EvaluationError(f"The least squares could not be solved: {result.status}. {result.remedy}")
        largest, row_weights = float(result.weights.abs().max()), tuple(c.weight for c in rows)
        return Stats(self.rows, len(space), result.residual, result.rank, largest, row_weights, {}), result.weights

    def _iterate(self, space: TrialSpace) -> Fit:
        problem, settings, conditions = self.problem, self.settings, self.conditions
        newton, solver = settings.nonlinear == "newton", settings.solver_for(problem)
        failures = []
        for start in starts(problem, settings.initial, conditions, space, settings.weights, self.for_start, solver):
            # a function that the user gave tells how large u is; a start of our own may be anything
            size = 0.0 if settings.initial is None else max(Iterate.of(problem, conditions, space, start).sizes)
            iteration = Iteration(
                problem, conditions, space, settings.weights, newton, settings.max_iterations, solver, size,
                settings.bytes // 4, settings.until_settled,
            )  # fmt: skip
            stats, weights = run(iteration, start, self.rows)
            if stats.status != "failed":
                return stats, weights
            failures.append((stats, weights))
        return min(failures, key=lambda failure: failure[0].residual)

    def deviations(self, space: TrialSpace, weights: torch.Tensor) -> dict[sp.Expr, float]:
        """The standard deviation of each unknown number that the noise of the data makes; NaN if none is given."""
        numbers = {c.unknown: k for k, c in enumerate(self.problem.components) if c.is_constant}
        if not numbers:
            return {}
        here = Iterate.of(self.problem, self.conditions, space, weights)
        rows = self.linearised(self.conditions, here, space)
        factorised = self.settings.solver_for(self.problem).factorise(System(rows, space))
        if isinstance(factorised, Failed) or all(c.noise is None for c in rows):
            return dict.fromkeys(numbers, float("nan"))
        noise = torch.cat([c.weighted_noise for c in rows])
        return {
            unknown: float(torch.linalg.vector_norm(factorised.inverse_row(space.columns[k].start) * noise))
            for unknown, k in numbers.items()
        }


def discretised(
    problem: Problem, settings: Settings, samples: Mapping[Region, Samples]
) -> tuple[DiscreteCondition, ...]:
    """The equations of a problem at samples, to be linearised as the options say."""
    form, device = LINEARISATIONS[settings.nonlinear], device_of(settings.device)
    return discretise(problem, samples, form, device, settings.singular_places)


def place_points(problem: Problem, settings: Settings, seed: np.random.SeedSequence) -> dict[Region, Samples]:
    """Points on every region of a problem, and none without."""
    sizes = settings.sizes(problem)
    check_room(0, sum(sizes), settings.bytes)  # before there are as many points
    found = sample(problem, settings.sampler, sizes, seed)
    for region, samples in found.items():
        if len(samples) == 0:
            raise SettingError(f"The points leave none on {region.name}; choose more of them.")
    return found


def check_room(rows: int, features: int, memory: int) -> None:
    """Refuse a system too large to be held."""
    if (needed := least(rows, features)) > memory:
        what = f"{features} features" if not rows else f"{rows} rows of {features} features"
        raise SettingError(
            f"{what} need {shown(needed)} of memory, and {shown(memory)} may be used; take fewer, "
            "or raise memory, which is half of what is free by default."
        )


def run(iteration: Iteration, start: torch.Tensor, rows: int) -> Fit:
    """An iteration from start to end: what came of it, and the weights to keep."""
    features = len(iteration.features)
    try:
        states = tuple(watch(iteration.states(start)))
    except EvaluationError as error:
        advice = f"the equations have no value at the initial function. {error} Or try another initial function."
        return Stats(rows, features, float("inf"), 0, 0.0, (), {}, "failed", advice), start
    kept = best(states) if iteration.until_settled else states[-1]
    largest = float(kept.weights.abs().max())
    status = status_of(states, iteration.max_iterations)
    stats = Stats(rows, features, kept.residual, kept.rank, largest, kept.row_weights, {}, *status, states)
    return stats, kept.weights
