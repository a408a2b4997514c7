"""The front door: a problem, options, a solution."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from ._support.numbers import items
from ._support.progress import within
from .basis import Distribution
from .discretise import check_weights
from .eigenvalues import eigen
from .errors import EvaluationError, FensError, NotConverged, SettingError, quoted, warn_of
from .geometry import Region, Sampler
from .options import Scale, Settings
from .problem import Problem
from .solution import Solution
from .strategy.grow import grow
from .strategy.pipeline import solve_with
from .strategy.time import march

__all__ = ["continuation", "eigen", "solve", "solve_again"]

MOST_VALUES = 10_000


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
        hidden layers: 1, or 2 for a network whose second hidden layer sees the first and reaches the output, too.
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
    return _told(_solved(problem, settings))


def solve_again(solution: Solution) -> Solution:
    """Solve the problem of a solution once more, with the same options: on the same machine, to the same bits.

    `solution.provenance` tells what the machine and the versions were. `fens.solve(solution.problem,
    **solution.settings.options)` is the same, and takes other options besides.
    """
    if not isinstance(solution, Solution):
        raise SettingError(f"solve_again() takes a fens.Solution; got {type(solution).__name__}.")
    return _told(_solved(solution.problem, solution.settings))


def _solved(problem: Problem, settings: Settings) -> Solution:
    """The solution of a problem: in slabs of time, with as many features as pay, or with those asked for."""
    with within(settings.max_seconds) as deadline:
        if settings.blocks > 1:
            found: Solution = march(problem, settings)
        else:
            found = grow(problem, settings) if settings.grows else solve_with(problem, settings)
    if not deadline.passed or found.stats.status == "failed":
        return found
    advice = f"The time was up before all was tried that may lower the error; raise max_seconds. {found.stats.advice}"
    return replace(found, stats=replace(found.stats, status="out of time", advice=advice.strip()))


def _told(solution: Solution) -> Solution:
    """A solution on its way to the user, with a warning if it is not to be trusted."""
    if solution.doubt:
        warn_of(f"The solution is {solution.doubt}")
    return solution


def continuation(
    problem_of: Callable[[Any], Problem], values: Iterable[Any], *, initial: Any = None, **options: Any
) -> list[Solution]:
    """The solutions of `problem_of(value)` for each value, each started from the one before.

    For stiff parameters: go from a value at which the iteration converges from anywhere to the one that is wanted.
    `initial` is where the first one starts, and the other options are those of `solve`.
    """
    if not callable(problem_of):
        raise SettingError(f"continuation() takes a function from a parameter to a problem; got {quoted(problem_of)}.")
    if (steps := items(values, MOST_VALUES)) is None:
        raise SettingError(
            f"continuation() takes the values of the parameter as a list, at most {MOST_VALUES}, each a solve of its "
            f"own; got {quoted(values)}."
        )
    found: list[Solution] = []
    for value in steps:
        problem = _problem(problem_of, value)
        try:
            found.append(solve(problem, initial=found[-1] if found else initial, **options))
        except NotConverged as error:
            message = f"At the value {value} of the parameter, number {len(found) + 1}: {error} Or take smaller steps."
            raise NotConverged(message, error.states) from error
    if not found:
        raise SettingError("continuation() needs at least one value of the parameter.")
    return found


def _problem(problem_of: Callable[[Any], Problem], value: Any) -> Problem:
    try:
        return problem_of(value)
    except FensError:
        raise
    except Exception as error:
        raise EvaluationError(
            f"The function from a parameter to a problem raised {type(error).__name__} at the value {quoted(value)}: "
            f"{error}"
        ) from error
