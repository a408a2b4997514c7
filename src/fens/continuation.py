"""Solving a problem for one value of a parameter after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .errors import EvaluationError, FensError, NotConverged, SettingError, quoted
from .numbers import items
from .problem import Problem
from .solution import Solution
from .solve import solve

MOST_VALUES = 10_000


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
