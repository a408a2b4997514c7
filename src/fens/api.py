"""The front door: a problem, options, a solution."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from ._support.numbers import items
from ._support.progress import within
from ._support.threads import torch_alone
from .basis import Distribution
from .eigenvalues import eigen
from .errors import EvaluationError, FensError, NotConverged, SettingError, quoted, warn_of
from .geometry import Region, Sampler
from .options import OPTIONS, Scale, Settings, describe
from .problem import Problem
from .solution import Solution
from .strategy.evolve import evolve_or_grow
from .strategy.grow import grow
from .strategy.pipeline import solve_with
from .strategy.time import march

__all__ = ["continuation", "eigen", "solve", "solve_again"]

MOST_VALUES = 10_000


@describe(OPTIONS, problem="what must hold, and where.")
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
    until_settled: bool = True,
    raise_on_failure: bool = True,
    tol: float | None = None,
    max_features: int = 3000,
    estimate: bool = True,
    adapt: bool | None = None,
    frequencies: Distribution | None = None,
    partition: int | Sequence[int] | Mapping[sp.Symbol, int] | None = None,
    layers: int = 1,
    blocks: int | None = None,
    memory: int | str | None = None,
    cluster: Any = None,
    max_seconds: float | None = None,
    corners: Sequence[Any] | None = None,
    until: Any = None,
    continuing: Solution | None = None,
    keep: Iterable[float] | None = None,
    solver: str = "automatic",
) -> Solution:
    """Solve a problem: u(x) = Σ w_j σ(ρ(W_j·x + b_j)), with the weights w by linear least squares.

    A solution that is not to be trusted, by its verdict, comes with an `UnreliableWarning`.
    """
    if not isinstance(problem, Problem):
        raise SettingError(f"solve() takes a fens.Problem; got {type(problem).__name__}.")
    settings = Settings.among(locals())
    settings.check_for(problem)
    return _told(_solved(problem, settings))


def solve_again(solution: Solution) -> Solution:
    """Solve the problem of a solution once more, with the same options: on the same machine, to the same bits.

    `solution.provenance` tells what the machine and the versions were. `fens.solve(solution.problem,
    **solution.settings.options)` is the same, and takes other options beside.
    """
    if not isinstance(solution, Solution):
        raise SettingError(f"solve_again() takes a fens.Solution; got {type(solution).__name__}.")
    asked = getattr(solution, "asked", None)  # where an evolution ended before
    return _told(_solved(solution.problem if asked is None else asked, solution.settings))


def _solved(problem: Problem, settings: Settings) -> Solution:
    """The solution of a problem: in slabs of time, with as many features as pay, or with those asked for."""
    with torch_alone(), within(settings.max_seconds) as deadline:
        if settings.blocks is not None and settings.blocks > 1:
            found: Solution = march(problem, settings)
        elif settings.leaves_features:
            found = evolve_or_grow(problem, settings)
        else:
            found = grow(problem, settings) if settings.grows else solve_with(problem, settings)
    if not deadline.passed or found.stats.status in ("failed", "out of time"):
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
