"""What happens to a problem, in order, when the number of features is given."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from .._support.progress import tell, time_left
from .._support.steering import Adaptation
from ..basis import Draw
from ..errors import NotConverged
from ..estimate import estimate_error
from ..fit.discrete import DiscreteProblem, place_points
from ..fit.scale import ScaleHint, Trials, choose_scale
from ..fit.stats import Round
from ..options import Settings
from ..problem import Problem
from ..solution import Solution
from .adapt import (
    Candidate,
    adapt,
    first_ansaetze,
    has_promising,
    may_be_special,
    should_adapt,
    with_extreme_points,
    with_graded_points,
    with_special,
)
from .localise import localised, with_points_at_spots


def solve_with(problem: Problem, settings: Settings, smaller: Solution | None = None) -> Solution:
    """Solve a problem with a given number of features; a solution with fewer tells where to begin."""
    clock = Clock(f"{settings.size} features: ")
    streams = np.random.SeedSequence(settings.seed).spawn(7)
    for_features, for_points, for_start, for_trials, for_estimate, for_rounds, for_pieces = streams
    options = replace(settings, cluster=None)  # a connection is nothing to be kept
    ansaetze = smaller.ansaetze if smaller else first_ansaetze(problem, settings)
    if settings.partition is not None:
        with clock("pieces"):  # places for them, and points there
            ansaetze = localised(problem, settings, first_ansaetze(problem, settings), for_pieces)
            settings, smaller = with_points_at_spots(settings, ansaetze), None

    settings = with_graded_points(settings, ansaetze)
    with clock("points"):  # where the equations are asked to hold
        samples = place_points(problem, settings, for_points)
    with clock("equations"):  # linear forms of them, at the points
        discrete = DiscreteProblem.of(problem, settings, samples, for_start, for_trials)
    with clock("features"):  # trial functions at scale 1
        draw, rounds = discrete.drawn(ansaetze, for_features), tuple[Round, ...]()
        for_special, trials = for_rounds.spawn(0 if smaller else 1), None
        if smaller is None and may_be_special(settings):
            trials = Trials.of(discrete, draw)
            if (found := with_special(discrete, trials, *for_special)) is not None:
                discrete, draw, first = found
                rounds, trials = (first,), None
    with clock("scale"):  # given, or searched
        hint = _hint(smaller, draw) if smaller else None
        best = Candidate(discrete, draw, choose_scale(discrete, draw, hint, trials))
    with clock("adaptation"):  # functions like the solution, where that helps
        if not rounds and should_adapt(best, smaller.search if smaller else None):
            best, rounds = adapt(best, for_rounds)
        discrete, draw, choice = best.discrete, best.draw, best.choice
    if (reached := with_extreme_points(discrete.settings, best)) is not discrete.settings:
        with clock("points"):  # further ones, on the way to corners
            discrete, choice = discrete.moved(reached, for_points), replace(choice, fit=None)
    with clock("least squares"):  # the weights of the functions, in one solve or, if nonlinear, in several
        space = draw.scaled(choice.scales, discrete.device)
        stats, w = choice.fit or discrete.starting_from(choice.function).solve(space)
    if stats.status == "failed" and settings.raise_on_failure and time_left():
        raise NotConverged(f"The nonlinear iteration did not converge: {stats.advice}", stats.iterations)
    error = None
    if settings.estimate:
        with clock("estimate"):  # the error, from a second solve
            seeming = has_promising(rounds, best.loss)
            error = estimate_error(discrete, space, w, draw.ansaetze, choice.scales, stats, for_estimate, seeming)

    return Solution(
        problem, space, w, dict(discrete.samples), choice.scales, choice.search,
        replace(stats, seconds=clock.seconds, rounds=rounds), options, error, draw.ansaetze,
        discrete.deviations(space, w),
    )  # fmt: skip


def _hint(smaller: Solution, draw: Draw) -> ScaleHint:
    """The scale of fewer features is where to begin; beside functions at corners it matters little."""
    if not smaller.has_corners or smaller.search is None:
        return ScaleHint(smaller.scales, draw.is_plain, stride=1)
    enough = Adaptation.LEARNT * min(smaller.search.losses)
    return ScaleHint(smaller.scales, draw.is_plain, enough, Adaptation.STRIDE_AT_CORNERS, Adaptation.PAYS_AT_CORNERS)


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
