"""Weights of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from .._support.steering import Discretisation
from ..basis import TrialSpace, row_slices
from ..errors import SettingError, quoted
from ..geometry import Region
from ..problem import Problem
from .rows import LinearRows

TINY = 1e-150  # norms below which squares may be lost

Weights = str | Mapping[Region, float]


def weigh(conditions: Sequence[LinearRows], space: TrialSpace, weights: Weights) -> tuple[LinearRows, ...]:
    """The conditions with their row weights.

    `"balanced"` gives every condition the mean row norm of the first one, which is the equation on the domain, after
    rows that differ by orders of magnitude have been divided each by its own norm; `"rows"` divides all rows by their
    norms; `"unit"` leaves all as they are; a mapping gives the weights of the regions in it, and 1 to the others.
    """
    if isinstance(weights, Mapping):
        return tuple(replace(c, weight=float(weights.get(c.condition.region, 1.0))) for c in conditions)
    if weights == "unit":
        return tuple(conditions)
    plain = [replace(c, weight=1.0, scaling=None) for c in conditions]
    norms = [some_norms(replace(c, noise=None), space) for c in plain]
    local = [weights == "rows" or is_uneven(_with_largest(n, c, space)) for n, c in zip(norms, plain, strict=True)]
    # of rows that differ by orders of magnitude, the mean would be that of a few
    usual = [float(n.median()) if own else _mean(n) for n, own in zip(norms, local, strict=True)]
    parts = zip(plain, local, usual, strict=True)
    return _balanced([evened(c, space, u) if own and c.noise is None else c for c, own, u in parts], usual)


def _balanced(conditions: Sequence[LinearRows], norms: Sequence[float]) -> tuple[LinearRows, ...]:
    factors = [norms[0] / n if norms[0] > 0 and n > 0 else 1.0 for n in norms]  # at some u an equation may vanish
    # of data with noise, one factor for all leaves them weighted by their standard deviations alone
    noisy = [f * float(c.noise.min()) for f, c in zip(factors, conditions, strict=True) if c.noise is not None]
    factors = [f if c.noise is None else min(noisy) for f, c in zip(factors, conditions, strict=True)]
    return tuple(replace(c, weight=f) for c, f in zip(conditions, factors, strict=True))


def even(conditions: Sequence[LinearRows], space: TrialSpace) -> tuple[LinearRows, ...]:
    """The conditions, those whose rows differ by orders of magnitude with each row brought to the same norm."""
    norms = [some_norms(replace(c, noise=None), space) for c in conditions]
    pairs = zip(conditions, norms, strict=True)
    return tuple(
        evened(c, space, 1.0) if c.noise is None and is_uneven(_with_largest(n, c, space)) else c for c, n in pairs
    )


def is_uneven(norms: Tensor) -> bool:
    """Whether rows of one condition differ by so much that the largest alone would decide."""
    positive = norms[norms > 0]
    return len(positive) > 1 and bool(positive.max() > Discretisation.UNEVEN * positive.median())


def evened(condition: LinearRows, space: TrialSpace, norm: float) -> LinearRows:
    """A condition with each row brought to a norm; rows of zeros stay as they are."""
    parts = row_slices(len(condition), len(space))
    norms = torch.cat([_norms(condition.block(space, part).matrix()) for part in parts])
    return replace(condition, scaling=torch.where(norms > 0, norm / norms, 1.0)) if norm > 0 else condition


def check_weights(weights: object, problem: Problem) -> None:
    """Refuse row weights that are none, or not for this problem."""
    if isinstance(weights, str) and weights in ("balanced", "rows", "unit"):
        return
    if not isinstance(weights, Mapping):
        raise SettingError(
            "The weights must be 'balanced', 'rows', 'unit', or a mapping from regions to numbers; "
            f"got {quoted(weights)}."
        )
    for region, weight in weights.items():
        problem.equations_on(region)
        if isinstance(weight, bool) or not isinstance(weight, int | float | np.number) or not 0 < weight < float("inf"):
            raise SettingError(f"The weight of {region.name} must be positive and finite; got {weight}.")


def mean_row_norm(condition: LinearRows, space: TrialSpace) -> float:
    """The mean norm of the rows of a condition, from some of them."""
    return _mean(some_norms(condition, space))


def some_norms(condition: LinearRows, space: TrialSpace) -> Tensor:
    """The norms of some rows of a condition, evenly spread over them."""
    step = -(-len(condition) // Discretisation.BALANCE_ROWS)
    return _norms(condition.block(space, slice(None, None, step)).matrix())


def _with_largest(norms: Tensor, condition: LinearRows, space: TrialSpace) -> Tensor:
    """Norms, and those of the rows in which some coefficient is largest: next to a pole there may be one only."""
    varying = [c for c, _ in condition.operator if isinstance(c, Tensor) and len(c) > 1]
    if not varying or not condition.functional.is_pointwise:
        return norms
    rows = {int(c.abs().nan_to_num(posinf=torch.inf).argmax()) for c in varying}
    return torch.cat([norms, *(_norms(condition.block(space, slice(k, k + 1)).matrix()) for k in sorted(rows))])


def _norms(A: Tensor) -> Tensor:
    norms: Tensor = torch.linalg.vector_norm(A, dim=1)
    if TINY < float(norms.mean()) < float("inf"):
        return norms
    size = float(A.abs().max()) or 1.0  # squares of very large or small entries over- or underflow
    scaled: Tensor = torch.linalg.vector_norm(A / size, dim=1).mul_(size)
    return scaled


def _mean(norms: Tensor) -> float:
    return float(norms.mean())
