"""Where a nonlinear iteration starts: the weights of a first function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..assemble import Collocated, Placed, System, linearise, weigh
from ..domain import Region
from ..errors import SettingError
from ..features import RandomFeatures
from ..lstsq import Direct
from ..problem import Problem, function_values, linear_part


def starts(
    problem: Problem,
    initial: Any,
    placed: Sequence[Placed],
    features: RandomFeatures,
    row_weights: str | Mapping[Region, float],
    seed: np.random.SeedSequence,
) -> Iterator[Tensor]:
    """The weights of the functions to start from, one after another as long as the last one did not lead anywhere.

    A function that is not made of these features is fitted by them. With none given these are the solution of the
    linear part of the equations, and the constants 1 and 0.
    """
    if initial is None:
        yield _of_linear_part(placed, features, row_weights)
        for constant in (1.0, 0.0):
            yield _fitted([np.full(len(p.samples), constant) for p in placed], placed, features)
    elif isinstance(initial, str):
        if initial != "random":
            raise SettingError(
                f"initial must be an expression, a number, a callable, a Solution or 'random'; got {initial!r}."
            )
        yield _random(features, seed)
    elif _made_of(initial, problem, features):
        yield initial.weights
    else:
        arguments = problem.unknowns[0].args
        yield _fitted(
            [
                function_values(initial, arguments, problem.coordinates, p.samples.points, "initial function")
                for p in placed
            ],
            placed,
            features,
        )


def _of_linear_part(
    placed: Sequence[Placed], features: RandomFeatures, row_weights: str | Mapping[Region, float]
) -> Tensor:
    """The solution of the equations without their nonlinear terms.

    Where that leaves too few equations, as of |∇u| = 1, the harmonic extension of the conditions takes their place.
    """
    forms = [replace(p, form=linear_part(p.condition.equation)) for p in placed]
    conditions = linearise([p for p in forms if p.form.coefficients])
    if sum(map(len, conditions)) < len(features):
        conditions = (_laplace(placed[0], features), *conditions)
    return Direct().solve(System(weigh(conditions, features, row_weights), features)).weights


def _laplace(placed: Placed, features: RandomFeatures) -> Collocated:
    d = features.W.shape[1]
    operator = tuple((1.0, tuple(2 * (i == axis) for i in range(d))) for axis in range(d))
    zero = torch.zeros(len(placed.points), dtype=torch.float64, device=placed.points.device)
    return Collocated(placed.condition, placed.points, operator, zero)


def _fitted(values: Sequence[np.ndarray], placed: Sequence[Placed], features: RandomFeatures) -> Tensor:
    value = ((1.0, (0,) * features.W.shape[1]),)
    conditions = tuple(
        Collocated(p.condition, p.points, value, torch.as_tensor(v, device=p.points.device))
        for p, v in zip(placed, values, strict=True)
    )
    return Direct().solve(System(conditions, features)).weights


def _random(features: RandomFeatures, seed: np.random.SeedSequence) -> Tensor:
    """The paper's start, with weights that give a function of size one."""
    half = np.sqrt(3.0 / len(features))
    draw = np.random.default_rng(seed).uniform(-half, half, len(features))
    return torch.as_tensor(draw, device=features.b.device)


def _made_of(initial: Any, problem: Problem, features: RandomFeatures) -> bool:
    """Whether a function is a solution in the same coordinates and of the same features, whose weights can be taken."""
    own, other = getattr(initial, "features", None), getattr(initial, "problem", None)
    if not isinstance(own, RandomFeatures) or not isinstance(other, Problem) or len(own) != len(features):
        return False
    same_order = other.coordinates == problem.coordinates and other.unknowns[0].args == problem.unknowns[0].args
    same_features = torch.equal(own.W, features.W) and torch.equal(own.b, features.b)
    return same_order and same_features and own.activation is features.activation
