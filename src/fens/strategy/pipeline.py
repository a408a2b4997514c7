"""What happens to a problem, in order, when the number of features is given."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from .._support.device import device_of
from .._support.progress import tell, time_left
from ..basis import all_isotropic
from ..discretise import discretise
from ..errors import NotConverged
from ..estimate import estimate_error
from ..fit.discrete import DiscreteProblem, check_size, deviations, draw_features, place_points
from ..fit.scale import ScaleHint, choose_scale
from ..options import Settings
from ..problem import LINEARISATIONS, Problem
from ..solution import Solution
from .adapt import Candidate, Round, first_distributions, should_adapt, with_extreme_points
from .adapt import adapt as adapt_frequencies
from .localise import localised, with_points_at_spots


def solve_with(problem: Problem, settings: Settings, smaller: Solution | None = None) -> Solution:
    """Solve a problem with a given number of features; a solution with fewer tells where to begin."""
    where, clock = device_of(settings.device), Clock(f"{settings.size} features: ")
    streams = np.random.SeedSequence(settings.seed).spawn(7)
    for_features, for_points, for_start, for_trials, for_estimate, for_rounds, for_pieces = streams
    options = replace(settings, cluster=None)  # a connection is nothing to be kept
    distributions = smaller.frequencies if smaller else first_distributions(problem, settings)
    if settings.partition is not None:
        with clock("pieces"):  # places for them, and points there
            distributions = localised(problem, settings, first_distributions(problem, settings), for_pieces)
            settings, smaller = with_points_at_spots(settings, distributions), None

    with clock("points"):  # where the equations are asked to hold
        samples = place_points(problem, settings, for_points)
    with clock("equations"):  # linear forms of them, at the points
        discretised = discretise(problem, samples, LINEARISATIONS[settings.nonlinear], where)
        check_size(discretised, sum(settings.sizes(problem)), settings.bytes)
        discrete = DiscreteProblem(problem, settings, discretised, for_start, for_trials)
    with clock("features"):  # frequencies and phases at scale 1
        unscaled = draw_features(problem, settings, for_features, distributions)
    with clock("scale"):  # given, or searched
        isotropic = all_isotropic(distributions)
        choice = choose_scale(discrete, unscaled, ScaleHint(smaller.scales, isotropic, stride=1) if smaller else None)
    with clock("adaptation"):  # frequencies like those of the solution, where that helps
        best, rounds = Candidate(distributions, unscaled, choice), tuple[Round, ...]()
        if should_adapt(discrete, best, smaller.search if smaller else None):
            best, rounds = adapt_frequencies(discrete, best, for_rounds)
        rho, choice = best.choice.scales, best.choice
    if (reached := with_extreme_points(settings, best)) is not settings:
        with clock("points"):  # further ones, on the way to corners
            samples = place_points(problem, reached, for_points)
            discretised = discretise(problem, samples, LINEARISATIONS[settings.nonlinear], where)
            discrete, choice = replace(discrete, settings=reached, discretised=discretised), replace(choice, fit=None)
    with clock("least squares"):  # the weights of the features, in one solve or, if nonlinear, in several
        chosen = best.unscaled.scaled(rho, where)
        stats, w = choice.fit or discrete.starting_from(choice.function).fitted(chosen)
    if stats.status == "failed" and settings.raise_on_failure and time_left():
        raise NotConverged(f"The nonlinear iteration did not converge: {stats.advice}", stats.iterations)
    error = None
    if settings.estimate:
        with clock("estimate"):  # the error, from a second solve
            error = estimate_error(discrete, chosen, w, best.distributions, rho, stats, for_estimate)

    stats, spread = replace(stats, seconds=clock.seconds, rounds=rounds), deviations(discrete, chosen, w)
    return Solution(problem, chosen, w, samples, rho, choice.search, stats, options, error, best.distributions, spread)


class Clock:
    """Seconds spent in each pass; with a label, each is told as it begins."""

    def __init__(self, label: str = "") -> None:
        self.label = label
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        if self.label:
            tell(self.label + name)
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
