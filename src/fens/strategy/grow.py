"""How many features: as many as pay, or as a tolerance takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .._support.progress import time_left
from .._support.steering import Assessment, Growth, ScaleSearch
from ..errors import NotConverged, ToleranceNotMet
from ..estimate.assess import Evidence, after_growth, understated
from ..options import Settings
from ..problem import Problem
from ..solution import Solution
from .pipeline import Clock, solve_with


def grow(problem: Problem, settings: Settings) -> Solution:
    """Add features until the error estimate passes the tolerance or, without one, as long as that pays."""
    found: list[Solution] = []
    clock, reason = Clock(), ""
    while not reason:
        size = settings.first_size
        if found:
            size = min(round(growth_factor(found) * found[-1].settings.size), settings.max_features)
        with clock("smaller sizes"):
            found.append(solve_larger(problem, replace(settings, features=size), found))
        reason = why_stop(found, settings) or out_of_time(found)
    best = min(reversed(found), key=lambda s: s.expected_error)
    seconds = {**best.stats.seconds, "other sizes": sum(clock.seconds.values()) - sum(best.stats.seconds.values())}
    sizes = tuple((s.settings.size, s.expected_error) for s in found)
    rounds = tuple(r for s in found for r in s.stats.rounds)
    stats = replace(best.stats, seconds=seconds, sizes=sizes, rounds=rounds)
    error = None if best.error is None else after_growth(best.error, sizes)
    best = replace(best, stats=stats, error=error, settings=replace(settings, cluster=None))
    if best.stats.status == "failed" and settings.raise_on_failure and time_left():
        raise NotConverged(f"The nonlinear iteration did not converge: {best.stats.advice}", best.stats.iterations)
    if settings.tol is None or best.meets(settings.tol) or not time_left():
        return best
    message = (
        f"The error estimate is {best.expected_error:.1e}, above the tolerance {settings.tol:.1e}: {reason}. "
        f"{best.error.advice if best.error else ''}"
    )
    best = replace(best, stats=replace(best.stats, status="tolerance not met", advice=message))
    if settings.raise_on_failure:
        raise ToleranceNotMet(f"{message} The best solution is the `solution` of this exception.", best)
    return best


def growth_factor(found: Sequence[Solution]) -> float:
    """From one number of features to the next. Corners divide them: a first few at each only tell whether they help."""
    is_first = len(found) == 1 and found[0].has_corners
    return Growth.FACTOR**2 if is_first else Growth.FACTOR


def solve_larger(problem: Problem, settings: Settings, smaller: Sequence[Solution]) -> Solution:
    """Solve with a number of features, knowing the solutions with fewer."""
    settings = replace(settings, raise_on_failure=False)
    last = smaller[-1] if smaller else None
    if last is None or not _says_something(last):
        return solve_with(problem, settings)
    if not problem.is_linear and last.stats.status != "failed":
        settings = replace(settings, initial=last)
    return solve_with(problem, settings, last)


def _says_something(solution: Solution) -> bool:
    """Whether a solution is any guide to a better one; scales and directions found by chance would mislead."""
    return solution.search is None or min(solution.search.losses) < ScaleSearch.BY_CHANCE


def why_stop(found: Sequence[Solution], settings: Settings) -> str:
    """Why not to solve with more features; empty if there is a reason to."""
    last = found[-1]
    if settings.tol is not None and last.meets(settings.tol):
        return "the tolerance is met"
    if last.settings.size >= settings.max_features:
        return f"max_features, {settings.max_features}, is reached"
    if settings.tol is None and last.has_corners and Growth.FACTOR * last.stats.features > Growth.MOST_AT_CORNERS:
        return "more functions at the corners would take long"
    if last.stats.rows < Growth.ROWS_TO_GROW * last.settings.size:
        return f"the points, {last.stats.rows} rows, are too few for more features"
    if last.error is None or _is_hopeless(
        [s.error.evidence for s in found if s.error is not None], last.has_corners
    ):
        return "more features would not help"
    if len(found) > 1 and all(s.stats.status == "failed" for s in found):
        return "the iteration failed with more features, too"
    if settings.tol is None and last.error.relative <= Assessment.FLOOR:
        return "round-off is reached"
    if settings.tol is None and last.has_corners and last.error.relative <= enough_at_corners(last.stats.features):
        return "more digits at the corners would take long"
    if last.error.verdict == "noise-limited":
        return "the noise of the data limits the solution"
    if stuck(found):
        return "the equations hold no better with more features"
    if (power := rate(found)) < Growth.ALGEBRAIC:
        reached = last.expected_error * (last.settings.size / settings.max_features) ** power
        if settings.tol is None or reached > settings.tol:
            return f"the error falls only as the power {power:.1f} of the number of features"
    steps = 1 if last.error.relative <= Growth.NEAR_FLOOR else 2  # at first, errors fall by chance as much as by rule
    pays = len(found) <= steps or last.expected_error * Growth.PAYS < min(s.expected_error for s in found[:-steps])
    return "" if pays or not last.error.relative <= Growth.CONVERGING else "more features no longer lower the error"


def enough_at_corners(functions: int) -> float:
    """The relative error with which growth ends: larger where there are many functions, since time grows with them."""
    return Growth.ENOUGH_AT_CORNERS * max(1.0, functions / Growth.MANY_AT_CORNERS) ** 3


def rate(found: Sequence[Solution]) -> float:
    """The power of the number of features with which the error falls, over the last sizes; infinite if not known.

    Of smooth solutions it falls faster than any power, once they are resolved: one that is small is the sign of a
    corner, or of conditions that do not fit together there. Before that, from one size to the next, and while
    frequencies learn, errors tell little.
    """
    last = found[-Growth.SIZES:]
    if len(last) < Growth.SIZES or any(s.error is None or not s.error.relative <= Growth.RESOLVED for s in last):
        return float("inf")
    if any(s.stats.rounds for s in last) or not all(np.isfinite(s.expected_error) for s in last):
        return float("inf")
    falls = math.log(last[0].expected_error / last[-1].expected_error)
    return falls / math.log(last[-1].settings.size / last[0].settings.size)


def stuck(found: Sequence[Solution]) -> bool:
    """Whether no solution is to be trusted, and residuals have stayed where they were over the last sizes."""
    worst = [s.error.evidence.worst for s in found if s.error is not None and not s.error.trusted]
    if not len(worst) == len(found) > Growth.UNTRUSTED_SIZES:
        return False
    return worst[-1] * Growth.UNTRUSTED_FALLS > worst[-1 - Growth.UNTRUSTED_SIZES]


def out_of_time(found: Sequence[Solution]) -> str:
    """Whether the time would be up before a solution with more features is there: it takes longer than the last."""
    longer = Growth.FACTOR**2 * sum(found[-1].stats.seconds.values())
    return "" if time_left(longer) else "the time is up, max_seconds"


def _is_hopeless(found: Sequence[Evidence], at_corners: bool) -> bool:
    """Whether equations have no solution, or none of their own, or none that data obey; at times two sizes must say.

    Residuals of a contradiction do not fall; those that do may be of a singular solution that is not resolved yet.
    """
    evidence = found[-1]
    if evidence.objection:
        return True
    if understated(evidence.misfit, evidence.measured) and evidence.resolved and len(found) > 1:
        return True
    if evidence.conflict and (evidence.resolved or _stays(found)):
        return True
    return not evidence.determined and (len(found) > 1 or (evidence.resolved and not at_corners))


def _stays(found: Sequence[Evidence]) -> bool:
    """Whether residuals are much the same as those of the size before."""
    return len(found) > 1 and found[-1].worst * Growth.CONFLICT_STAYS > found[-2].worst
