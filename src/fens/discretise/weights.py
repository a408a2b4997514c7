"""Weights of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch

from ..basis import TrialSpace
from ..errors import SettingError, quoted
from ..geometry import Region
from ..problem import Problem
from .rows import LinearRows

BALANCE_ROWS = 64  # rows from which the size of a condition's rows is estimated
TINY = 1e-150  # norms below which squares may be lost


def weigh(
    conditions: Sequence[LinearRows], features: TrialSpace, weights: str | Mapping[Region, float]
) -> tuple[LinearRows, ...]:
    """The conditions with their row weights.

    `"balanced"` gives every condition the mean row norm of the first one, which is the equation on the domain;
    `"unit"` leaves all as they are; a mapping gives the weights of the regions in it, and 1 to the others.
    """
    if weights == "balanced":
        norms = [mean_row_norm(replace(c, weight=1.0, noise=None), features) for c in conditions]
        factors = [norms[0] / n if norms[0] > 0 and n > 0 else 1.0 for n in norms]  # at some u an equation may vanish
        # of data with noise, one factor for all leaves them weighted by their standard deviations alone
        noisy = [f * float(c.noise.min()) for f, c in zip(factors, conditions, strict=True) if c.noise is not None]
        factors = [f if c.noise is None else min(noisy) for f, c in zip(factors, conditions, strict=True)]
        return tuple(replace(c, weight=f) for c, f in zip(conditions, factors, strict=True))
    if isinstance(weights, Mapping):
        return tuple(replace(c, weight=float(weights.get(c.condition.region, 1.0))) for c in conditions)
    return tuple(conditions)


def check_weights(weights: object, problem: Problem) -> None:
    """Refuse row weights that are none, or not for this problem."""
    if isinstance(weights, str) and weights in ("balanced", "unit"):
        return
    if not isinstance(weights, Mapping):
        raise SettingError(
            f"The weights must be 'balanced', 'unit', or a mapping from regions to numbers; got {quoted(weights)}."
        )
    for region, weight in weights.items():
        problem.equations_on(region)
        if isinstance(weight, bool) or not isinstance(weight, int | float | np.number) or not 0 < weight < float("inf"):
            raise SettingError(f"The weight of {region.name} must be positive and finite; got {weight}.")


def mean_row_norm(condition: LinearRows, features: TrialSpace) -> float:
    """The mean norm of the rows of a condition, from some of them."""
    step = -(-len(condition) // BALANCE_ROWS)
    A = condition.block(features, slice(None, None, step)).matrix()
    mean = float(torch.linalg.vector_norm(A, dim=1).mean())
    if TINY < mean < float("inf"):
        return mean
    size = float(A.abs().max()) or 1.0  # squares of very large or small entries over- or underflow
    return size * float(torch.linalg.vector_norm(A / size, dim=1).mean())
