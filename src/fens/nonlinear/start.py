"""Where a nonlinear iteration starts: the weights of a first function."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp
import torch
from torch import Tensor

from .._support.device import to_device
from .._support.steering import Nonlinear
from ..basis import TrialSpace
from ..discretise import DiscreteCondition, LinearRows, RowFunctional, System, homes, linearise, mean_row_norm, weigh
from ..errors import SettingError, quoted
from ..geometry import Region
from ..lstsq import Ridged, Solver
from ..problem import Jet, Problem, Unknown, component_values, linear_part


def starts(
    problem: Problem,
    initial: Any,
    discretised: Sequence[DiscreteCondition],
    features: TrialSpace,
    row_weights: str | Mapping[Region, float],
    seed: np.random.SeedSequence,
    solver: Solver,
) -> Iterator[Tensor]:
    """The weights of the functions to start from, one after another as long as the last one did not lead anywhere.

    A function that is not made of these features is fitted by them. With none given these are the solution of the
    linear part of the equations, and the constants 1 and 0. Unknown numbers start from their initial values.
    """
    if initial is None:
        yield _of_linear_part(problem, discretised, features, row_weights, solver)
        for constant in (1.0, 0.0):
            functions = dict.fromkeys((u for u in problem.unknowns if not isinstance(u, Unknown)), constant)
            yield _fitted(problem, functions, discretised, features, solver)
    elif isinstance(initial, str):
        if initial != "random":
            raise SettingError(
                f"initial must be an expression, a number, a callable, a Solution or 'random'; got {quoted(initial)}."
            )
        yield _random(features, seed, discretised[0].points.device)
    elif _made_of(initial, problem, features):
        yield initial.weights
    else:
        yield _fitted(problem, initial_functions(problem, initial), discretised, features, solver)


def initial_functions(problem: Problem, initial: Any) -> dict[sp.Expr, Any]:
    """The function that each unknown starts from."""
    if isinstance(functions := getattr(initial, "functions", None), Mapping):  # a solution, perhaps with other names
        same = len(functions) == len(problem.unknowns) and set(functions) != set(problem.unknowns)
        initial = dict(zip(problem.unknowns, functions.values(), strict=True)) if same else functions
    if not isinstance(initial, Mapping):
        functions = [u for u in problem.unknowns if not isinstance(u, Unknown)]
        if len(functions) > 1:
            raise SettingError(
                f"The problem has several unknowns; initial must be a mapping from {', '.join(map(str, functions))} to "
                f"their functions, or a Solution; got {quoted(initial)}."
            )
        return {functions[0]: initial}
    for unknown in initial:
        problem.of(unknown)
    return {u: initial.get(u, 0.0) for u in problem.unknowns if not isinstance(u, Unknown) or u in initial}


def _numbers(problem: Problem, initial: Mapping[sp.Expr, Any] | None = None) -> dict[int, float]:
    """What the unknown numbers start from."""
    return {
        k: float((initial or {}).get(c.unknown, c.unknown.initial))
        for k, c in enumerate(problem.components)
        if c.is_constant
    }


def _with_numbers(weights: Tensor, numbers: Mapping[int, float], features: TrialSpace) -> Tensor:
    for k, value in numbers.items():
        weights[features.columns[k]] = value
    return weights


def _of_linear_part(
    problem: Problem,
    discretised: Sequence[DiscreteCondition],
    features: TrialSpace,
    row_weights: str | Mapping[Region, float],
    solver: Solver,
) -> Tensor:
    """The solution of the equations without their nonlinear terms, the unknown numbers taken as given.

    Where that leaves too few equations, as of |∇u| = 1, the harmonic extension of the conditions takes their place.
    Where it leaves a part of u open, as a constant, and the rest contradicts itself, weights would be as large as
    rounding is small, if nothing kept them from it.
    """
    numbers = _numbers(problem)
    forms = [replace(p, form=linear_part(p.condition.equation.with_numbers(numbers))) for p in discretised]
    conditions = linearise([p for p in forms if p.form.coefficients])
    if sum(map(len, conditions)) < len(features):
        extensions = (_laplace(discretised[home], k) for k, home in enumerate(homes(problem, discretised)))
        conditions = (*extensions, *conditions)
    conditions = weigh(conditions, features, row_weights)
    rows, columns = sum(map(len, conditions)), len(features)
    column = max(mean_row_norm(c, features) for c in conditions) * math.sqrt(rows / columns)
    weights = solver.factorise(Ridged(System(conditions, features), Nonlinear.RIDGE * column)).solve().weights
    return _with_numbers(weights, numbers, features)


def _laplace(discretised: DiscreteCondition, unknown: int) -> LinearRows:
    d = discretised.points.shape[1]
    operator = tuple((1.0, Jet(unknown, tuple(2 * (i == axis) for i in range(d)))) for axis in range(d))
    zero = discretised.points.new_zeros(len(discretised.points))
    return LinearRows(discretised.condition, RowFunctional(discretised.points), operator, zero)


def _fitted(
    problem: Problem,
    functions: Mapping[sp.Expr, Any],
    discretised: Sequence[DiscreteCondition],
    features: TrialSpace,
    solver: Solver,
) -> Tensor:
    """Weights of functions that are close to given ones at the points of their domains."""
    conditions = []
    for k, component in enumerate(problem.components):
        if component.is_constant:
            continue
        given = functions[component.unknown]
        for p in discretised:
            if p.condition.region.domain not in (component.domain, None) or not p.is_pointwise:
                continue
            values = component_values(given, component, problem.coordinates, p.samples.points, "initial function")
            source = to_device(values, p.points.device)
            value = ((1.0, Jet(k, (0,) * features.dimension)),)
            conditions.append(LinearRows(p.condition, RowFunctional(p.points), value, source))
    weights = solver.factorise(System(tuple(conditions), features)).solve().weights
    return _with_numbers(weights, _numbers(problem, functions), features)


def _random(features: TrialSpace, seed: np.random.SeedSequence, device: torch.device) -> Tensor:
    """The paper's start, with weights that give a function of size one."""
    half = np.sqrt(3.0 / len(features))
    draw = np.random.default_rng(seed).uniform(-half, half, len(features))
    return to_device(draw, device)


def _made_of(initial: Any, problem: Problem, features: TrialSpace) -> bool:
    """Whether a function is a solution in the same coordinates and of the same features, whose weights can be taken."""
    own, other = getattr(initial, "features", None), getattr(initial, "problem", None)
    if not isinstance(own, TrialSpace) or not isinstance(other, Problem) or len(own) != len(features):
        return False
    if other.coordinates != problem.coordinates or other.unknowns != problem.unknowns:
        return False
    return own.is_same(features)
