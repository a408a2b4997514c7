"""The front door: what happens to a problem, in order."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from .adapt import Candidate, Round, first_distributions, reaching, worthwhile
from .adapt import adapt as adapt_frequencies
from .assemble import check_weights, place
from .choose import Begin, choose_scale
from .device import device_of
from .domain import Region, Sampler
from .errors import NotConverged, SettingError, ToleranceNotMet, warn_of
from .estimate import estimate_error
from .features import Distribution, all_isotropic
from .fit import Case, check_size, deviations, draw_features, place_points
from .judge import FLOOR, Evidence, after_growth, understated
from .locate import following, located
from .march import march
from .problem import LINEARISATIONS, Problem
from .progress import tell, time_left, within
from .scale import BY_CHANCE
from .settings import Scale, Settings
from .solution import Solution

GROWTH = 1.5  # factor from one number of features to the next
PAYS = 2.0  # factor by which the error must fall for growth to go on
CONVERGING = 1e-6  # relative error above which growth goes on anyway: convergence may not have begun
NEAR_FLOOR = 1e-11  # relative error below which one step tells whether more of them pay
SIZES = 3  # whose errors tell how fast these fall
RESOLVED = 1e-3  # relative error from which on they fall by rule
ALGEBRAIC = 2.0  # power of the number of features, below which more of them do not pay
UNTRUSTED_SIZES, FALLS = 3, 1.25  # sizes beyond the first, over which residuals of solutions in doubt must fall by that
ROWS_TO_GROW = 1.8  # rows for each feature that leave enough of them for more


def solve(
    problem: Problem,
    *,
    features: int | Mapping[sp.Expr, int] | None = None,
    activation: str = "cos",
    scale: Scale = None,
    points: Sampler | None = None,
    weights: str | Mapping[Region, float] = "balanced",
    initialisation: str = "uniform",
    affine: bool | None = None,
    seed: int = 0,
    device: str = "cpu",
    nonlinear: str = "newton",
    initial: Any = None,
    max_iterations: int = 100,
    raise_on_failure: bool = True,
    tol: float | None = None,
    max_features: int = 3000,
    estimate: bool = True,
    adapt: bool | None = None,
    frequencies: Distribution | None = None,
    partition: int | Sequence[int] | Mapping[sp.Symbol, int] | None = None,
    layers: int = 1,
    blocks: int = 1,
    memory: int | str | None = None,
    cluster: Any = None,
    max_seconds: float | None = None,
) -> Solution:
    """Solve a problem: u(x) = Σ w_j σ(ρ(W_j·x + b_j)), with the weights w by linear least squares.

    Parameters
    ----------
    problem
        what must hold, and where.
    features
        how many features, M, for each unknown, or a mapping from unknowns to numbers; by default as many as pay, from
        400 on, or 300 with `tol`, and at most `max_features`.
    activation
        σ: `"cos"`, `"sin"`, `"cos_sin"`, `"sigmoid"`, `"tanh"` or `"swish"`.
    scale
        ρ: a number, one for each coordinate (a sequence or a mapping), a mapping from unknowns to these, or a
        `ScaleGrid` to search; by default it is chosen by the numerical rank of the features and refined by trial fits.
    points
        where the equations are asked to hold: `Grid`, `Random` or, by default, `Clustered`.
    weights
        of the rows: `"balanced"`, `"unit"`, or a mapping from regions to numbers.
    initialisation
        distribution of W and b: `"uniform"` (unit variance), `"xavier"` or `"kaiming"`.
    affine
        whether to map the domain to [−1, 1]^d first; by default only for sigmoid, tanh and swish.
    seed
        of the random draws. The same seed gives the same bits on the same machine.
    device
        `"cpu"` or `"cuda"`.
    nonlinear
        for equations that are not linear: `"newton"`, damped by a line search, or `"picard"`, as in the paper.
    initial
        where a nonlinear iteration starts: an expression, a number, a callable of the unknown's arguments, a mapping
        from unknowns to these, a `Solution`, `"random"`, or by default the solution of the linear part.
    max_iterations
        of a nonlinear iteration.
    raise_on_failure
        whether an iteration that fails raises `NotConverged`, and a tolerance that is not met `ToleranceNotMet`, or
        a solution is returned that says so.
    tol
        the largest absolute error wanted: features, and points with them, are added until the error estimate is
        below it.
    max_features
        how many features there may be, where their number is not given.
    estimate
        whether to estimate the error, which takes a second solve.
    adapt
        whether the frequencies learn from rough solutions along which directions, and in which coordinates together,
        the solution varies; by default in more than three dimensions, and where they do not resolve it otherwise.
    frequencies
        what the frequencies are drawn from, at first: `Isotropic`, `Oriented`, `Sparse`, or a `Mixture` of these.
    partition
        features in pieces, each with its own part of them: at most as many pieces as there are cells, of which there
        are so many along each axis, a number, or one for each coordinate (a sequence or a mapping). Pieces go to where
        rough solutions vary or, if that is better or `adapt` is False, are the cells, joined by a partition of unity.
    layers
        hidden layers: 1, or 2 for a network whose second hidden layer sees the first and reaches the output beside it.
    blocks
        march through time in so many blocks, each with features of its own.
    memory
        how much of it the least squares may use, in bytes or as a text such as `"4 GB"`; by default half of what is
        free. A matrix that does not fit is made block by block, again each time it is needed.
    cluster
        a `distributed.Client` whose workers do the least squares.
    max_seconds
        a time after which no further features, scales, directions or iterations are tried: the best solution so far
        comes back, with the status "out of time". What has begun is finished, and a first solution is always made.

    A solution that is not to be trusted, by its verdict, comes with an `UnreliableWarning`.
    """
    if not isinstance(problem, Problem):
        raise SettingError(f"solve() takes a fens.Problem; got {type(problem).__name__}.")
    check_weights(weights, problem)
    settings = Settings(
        features, activation, scale, points, weights, initialisation, affine, seed, device,
        nonlinear, initial, max_iterations, raise_on_failure, tol, max_features, estimate, adapt, frequencies,
        partition, layers, blocks, memory, cluster, max_seconds,
    )  # fmt: skip
    return _told(solve_as(problem, settings))


def solve_again(solution: Solution) -> Solution:
    """Solve the problem of a solution once more, with the same options: on the same machine, to the same bits.

    `solution.provenance` tells what the machine and the versions were. `fens.solve(solution.problem,
    **solution.settings.options)` is the same, and takes other options beside.
    """
    if not isinstance(solution, Solution):
        raise SettingError(f"solve_again() takes a fens.Solution; got {type(solution).__name__}.")
    return _told(solve_as(solution.problem, solution.settings))


def _told(solution: Solution) -> Solution:
    """A solution on its way to the user, with a warning if it is not to be trusted."""
    if solution.doubt:
        warn_of(f"The solution is {solution.doubt}")
    return solution


def solve_as(problem: Problem, settings: Settings) -> Solution:
    """Solve a problem, at once or in blocks of time."""
    with within(settings.max_seconds) as deadline:
        blocks = march(problem, settings, solve_block) if settings.blocks > 1 else None
        found = blocks or solve_block(problem, settings)
    if not deadline.passed or found.stats.status == "failed":
        return found
    advice = f"The time was up before all was tried that may lower the error; raise max_seconds. {found.stats.advice}"
    return replace(found, stats=replace(found.stats, status="out of time", advice=advice.strip()))


def solve_block(problem: Problem, settings: Settings, last: Solution | None = None) -> Solution:
    """Solve a problem at once; what came before it in time tells where to begin."""
    if last is None:
        return grow(problem, settings) if settings.grows else solve_with(problem, settings)
    size = [len(f) for f, c in zip(last.features.members, problem.components, strict=True) if not c.is_constant]
    given = settings.features if isinstance(settings.features, Mapping) else max(size)
    return solve_with(problem, replace(settings, features=given, tol=None), last)


def solve_with(problem: Problem, settings: Settings, smaller: Solution | None = None) -> Solution:
    """Solve a problem with a given number of features; a solution with fewer tells where to begin."""
    where, clock = device_of(settings.device), Clock(f"{settings.size} features: ")
    streams = np.random.SeedSequence(settings.seed).spawn(7)
    for_features, for_points, for_start, for_trials, for_estimate, for_rounds, for_pieces = streams
    options = replace(settings, cluster=None)  # a connection is nothing to be kept
    distributions = smaller.frequencies if smaller else first_distributions(problem, settings)
    if settings.partition is not None:
        with clock("pieces"):  # places for them, and points there
            distributions = located(problem, settings, first_distributions(problem, settings), for_pieces)
            settings, smaller = following(settings, distributions), None

    with clock("points"):  # where the equations are asked to hold
        samples = place_points(problem, settings, for_points)
    with clock("equations"):  # linear forms of them, at the points
        placed = place(problem, samples, LINEARISATIONS[settings.nonlinear], where)
        check_size(placed, sum(settings.sizes(problem)), settings.bytes)
        case = Case(problem, settings, placed, for_start, for_trials)
    with clock("features"):  # frequencies and phases at scale 1
        unscaled = draw_features(problem, settings, for_features, distributions)
    with clock("scale"):  # given, or searched
        isotropic = all_isotropic(distributions)
        choice = choose_scale(case, unscaled, Begin(smaller.scales, isotropic, stride=1) if smaller else None)
    with clock("adaptation"):  # frequencies like those of the solution, where that helps
        best, rounds = Candidate(distributions, unscaled, choice), tuple[Round, ...]()
        if worthwhile(case, best, smaller.search if smaller else None):
            best, rounds = adapt_frequencies(case, best, for_rounds)
        rho, choice = best.choice.scales, best.choice
    if (reached := reaching(settings, best)) is not settings:
        with clock("points"):  # further ones, on the way to corners
            samples = place_points(problem, reached, for_points)
            placed = place(problem, samples, LINEARISATIONS[settings.nonlinear], where)
            case, choice = replace(case, settings=reached, placed=placed), replace(choice, fit=None)
    with clock("least squares"):  # the weights of the features, in one solve or, if nonlinear, in several
        chosen = best.unscaled.scaled(rho, where)
        stats, w = choice.fit or case.starting_from(choice.function).fitted(chosen)
    if stats.status == "failed" and settings.raise_on_failure and time_left():
        raise NotConverged(f"The nonlinear iteration did not converge: {stats.advice}", stats.iterations)
    error = None
    if settings.estimate:
        with clock("estimate"):  # the error, from a second solve
            error = estimate_error(case, chosen, w, best.distributions, rho, stats, for_estimate)

    stats, spread = replace(stats, seconds=clock.seconds, rounds=rounds), deviations(case, chosen, w)
    return Solution(problem, chosen, w, samples, rho, choice.search, stats, options, error, best.distributions, spread)


def grow(problem: Problem, settings: Settings) -> Solution:
    """Add features until the error estimate passes the tolerance or, without one, as long as that pays."""
    found: list[Solution] = []
    clock, reason = Clock(), ""
    while not reason:
        size = settings.first_size if not found else min(round(GROWTH * found[-1].settings.size), settings.max_features)
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
    return solution.search is None or min(solution.search.losses) < BY_CHANCE


def why_stop(found: Sequence[Solution], settings: Settings) -> str:
    """Why not to solve with more features; empty if there is a reason to."""
    last = found[-1]
    if settings.tol is not None and last.meets(settings.tol):
        return "the tolerance is met"
    if last.settings.size >= settings.max_features:
        return f"max_features, {settings.max_features}, is reached"
    if last.stats.rows < ROWS_TO_GROW * last.settings.size:
        return f"the points, {last.stats.rows} rows, are too few for more features"
    if last.error is None or _is_hopeless(last.error.evidence, len(found)):
        return "more features would not help"
    if len(found) > 1 and all(s.stats.status == "failed" for s in found):
        return "the iteration failed with more features, too"
    if settings.tol is None and last.error.relative <= FLOOR:
        return "round-off is reached"
    if last.error.verdict == "noise-limited":
        return "the noise of the data limits the solution"
    if stuck(found):
        return "the equations hold no better with more features"
    if (power := rate(found)) < ALGEBRAIC:
        reached = last.expected_error * (last.settings.size / settings.max_features) ** power
        if settings.tol is None or reached > settings.tol:
            return f"the error falls only as the power {power:.1f} of the number of features"
    steps = 1 if last.error.relative <= NEAR_FLOOR else 2  # at first, errors fall by chance as much as by rule
    pays = len(found) <= steps or last.expected_error * PAYS < min(s.expected_error for s in found[:-steps])
    return "" if pays or not last.error.relative <= CONVERGING else "more features no longer lower the error"


def rate(found: Sequence[Solution]) -> float:
    """The power of the number of features with which the error falls, over the last sizes; infinite if not known.

    Of smooth solutions it falls faster than any power, once they are resolved: one that is small is the sign of a
    corner, or of conditions that do not fit together there. Before that, from one size to the next, and while
    frequencies learn, errors tell little.
    """
    last = found[-SIZES:]
    if len(last) < SIZES or any(s.error is None or not s.error.relative <= RESOLVED for s in last):
        return float("inf")
    if any(s.stats.rounds for s in last) or not all(np.isfinite(s.expected_error) for s in last):
        return float("inf")
    falls = math.log(last[0].expected_error / last[-1].expected_error)
    return falls / math.log(last[-1].settings.size / last[0].settings.size)


def stuck(found: Sequence[Solution]) -> bool:
    """Whether no solution is to be trusted, and residuals have stayed where they were over the last sizes."""
    worst = [s.error.evidence.worst for s in found if s.error is not None and not s.error.trusted]
    return len(worst) == len(found) > UNTRUSTED_SIZES and worst[-1] * FALLS > worst[-1 - UNTRUSTED_SIZES]


def out_of_time(found: Sequence[Solution]) -> str:
    """Whether the time would be up before a solution with more features is there: it takes longer than the last."""
    longer = GROWTH**2 * sum(found[-1].stats.seconds.values())
    return "" if time_left(longer) else "the time is up, max_seconds"


def _is_hopeless(evidence: Evidence, sizes: int) -> bool:
    """Whether equations have no solution, or none of their own, or none that data obey; at times two sizes must say."""
    if evidence.objection:
        return True
    if understated(evidence.misfit, evidence.measured) and evidence.resolved and sizes > 1:
        return True
    return bool(evidence.conflict or not evidence.determined) and (evidence.resolved or sizes > 1)


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
