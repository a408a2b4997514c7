"""Problem × points × features → blocks of rows.

First the equations meet the points: coefficients and sources become numbers, which no later choice changes. Then
these meet the features, as often as a search needs, and each block of rows is made when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import sympy as sp
import torch
from torch import Tensor

from .domain import Region, Samples
from .errors import EvaluationError, SettingError
from .features import Coefficient, RandomFeatures
from .problem import Condition, Data, Formula, Normal, Problem, linear_form

BLOCK_ENTRIES = 2**20  # a block of 8 MiB keeps the temporaries of its making small beside the matrix
BALANCE_ROWS = 256  # rows from which the size of a condition's rows is estimated


@dataclass(frozen=True)
class Collocated:
    """One equation at its points: Σ c_α ∂^α u = source, row by row, each row multiplied by `weight`."""

    region: Region
    label: str
    points: Tensor
    operator: tuple[tuple[Coefficient, tuple[int, ...]], ...]
    source: Tensor
    weight: float = 1.0

    def __len__(self) -> int:
        return len(self.source)

    def rows(self, features: RandomFeatures, part: slice = slice(None)) -> tuple[Tensor, Tensor]:
        """The block (A_k, b_k) of some of the points."""
        operator = [(c[part] if isinstance(c, Tensor) else c, alpha) for c, alpha in self.operator]
        A = features.matrix(operator, self.points[part])
        return (A, self.source[part]) if self.weight == 1 else (A.mul_(self.weight), self.source[part] * self.weight)


@dataclass(frozen=True)
class System:
    """All rows of a problem for given features; iterating makes them block by block, again each time."""

    conditions: tuple[Collocated, ...]
    features: RandomFeatures

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return sum(map(len, self.conditions)), len(self.features)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        size = max(1, BLOCK_ENTRIES // len(self.features))
        for condition in self.conditions:
            for start in range(0, len(condition), size):
                yield condition.rows(self.features, slice(start, start + size))


def collocate(problem: Problem, samples: Mapping[Region, Samples], device: torch.device) -> tuple[Collocated, ...]:
    """Every condition of a problem at the points of its region."""
    return tuple(_collocate(c, samples[c.region], problem.coordinates, device) for c in problem.conditions)


def weigh(
    conditions: Sequence[Collocated], features: RandomFeatures, weights: str | Mapping[Region, float]
) -> tuple[Collocated, ...]:
    """The conditions with their row weights.

    `"balanced"` gives every condition the mean row norm of the first one, which is the equation on the domain;
    `"unit"` leaves all as they are; a mapping gives the weights of the regions in it, and 1 to the others.
    """
    if weights == "unit":
        return tuple(conditions)
    if weights == "balanced":
        reference, *others = (_mean_row_norm(c, features) for c in conditions)
        factors = [1.0, *(reference / n if n > 0 else 1.0 for n in others)]
        return tuple(replace(c, weight=f) for c, f in zip(conditions, factors, strict=True))
    if isinstance(weights, Mapping):
        return tuple(replace(c, weight=_given_weight(weights, c.region)) for c in conditions)
    raise SettingError(
        f"The weights must be 'balanced', 'unit', or a mapping from regions to numbers; got {weights!r}."
    )


def _given_weight(weights: Mapping[Region, float], region: Region) -> float:
    weight = float(weights.get(region, 1.0))
    if not 0 < weight < float("inf"):
        raise SettingError(f"The weight of {region.name} must be positive and finite; got {weight}.")
    return weight


def _mean_row_norm(condition: Collocated, features: RandomFeatures) -> float:
    step = -(-len(condition) // BALANCE_ROWS)
    A, _ = replace(condition, weight=1.0).rows(features, slice(None, None, step))
    return float(torch.linalg.vector_norm(A, dim=1).mean())


def _collocate(
    condition: Condition, samples: Samples, coordinates: Sequence[sp.Symbol], device: torch.device
) -> Collocated:
    form = linear_form(condition.equation)
    values = _values(condition, samples, coordinates)
    operator = []
    for jet, formula in form.coefficients:
        array = _evaluate(formula, values, condition, samples, "coefficient")
        constant = formula.is_constant
        operator.append((float(array[0]) if constant else torch.as_tensor(array, device=device), jet.orders))
    source = _evaluate(form.source, values, condition, samples, "source")
    return Collocated(
        condition.region,
        condition.label,
        torch.as_tensor(samples.points, device=device),
        tuple(operator),
        torch.as_tensor(source, device=device),
    )


def _values(
    condition: Condition, samples: Samples, coordinates: Sequence[sp.Symbol]
) -> dict[sp.Symbol, np.ndarray]:
    values = {x: samples.points[:, i] for i, x in enumerate(coordinates)}
    for symbol in condition.equation.residual.free_symbols:
        if isinstance(symbol, Normal) and samples.normals is not None:
            values[symbol] = samples.normals[:, list(coordinates).index(symbol.coordinate)]
        if isinstance(symbol, Data):
            values[symbol] = symbol.values
    return values


def _evaluate(
    formula: Formula, values: Mapping[sp.Symbol, np.ndarray], condition: Condition, samples: Samples, role: str
) -> np.ndarray:
    array = formula(values, len(samples))
    bad = np.flatnonzero(~np.isfinite(array))
    if len(bad):
        where = ", ".join(f"{x:.6g}" for x in samples.points[bad[0]])
        raise EvaluationError(
            f"The {role} {formula.expression} of {condition.label} is {array[bad[0]]} at the point ({where})"
            f"{f' and {len(bad) - 1} others' if len(bad) > 1 else ''}; it must be finite at every point. "
            "Change the formula there, or choose points that avoid it."
        )
    return array
