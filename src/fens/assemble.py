"""Problem × points × features → blocks of rows.

First the equations meet the points of their regions (`place`). Near a function u they are linear in a correction
(`linearise`), with coefficients and right-hand sides that are now numbers; a linear problem is linearised at zero.
Then these meet the features, as often as a search needs, and each block of rows is made when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import sympy as sp
import torch
from torch import Tensor

from .domain import Demand, Region, Sampler, Samples
from .errors import EvaluationError, SettingError
from .features import Coefficient, RandomFeatures
from .lstsq import product
from .problem import Condition, Data, Equation, Formula, Jet, LinearForm, Normal, Problem

BLOCK_ENTRIES = 2**20  # a block of 8 MiB keeps the temporaries of its making small beside the matrix
BALANCE_ROWS = 256  # rows from which the size of a condition's rows is estimated

Jets = Mapping[Jet, np.ndarray]  # the values of u and its derivatives at the points of a condition


@dataclass(frozen=True)
class Placed:
    """A condition at the points of its region, with the values of everything in it but the unknown."""

    condition: Condition
    form: LinearForm
    samples: Samples
    values: Mapping[sp.Symbol, np.ndarray]
    points: Tensor

    @cached_property
    def jets(self) -> tuple[Jet, ...]:
        """The derivatives of the unknown that the equation contains."""
        return tuple(jet for jet, _ in self.form.equation.jets)

    def at(self, jets: Jets | None) -> Collocated:
        """The linear equation for the correction to the function with these jets; None stands for zero."""
        values, device = self._values(jets), self.points.device
        operator = []
        for jet, formula in self.form.coefficients:
            array = self._evaluate(formula, values, "coefficient")
            coefficient = float(array[0]) if formula.is_constant else torch.as_tensor(array, device=device)
            operator.append((coefficient, jet.orders))
        source = torch.as_tensor(self._evaluate(self.form.source, values, "source"), device=device)
        return Collocated(self.condition, self.points, tuple(operator), source)

    def only(self, rows: np.ndarray) -> Placed:
        """The condition at some of its points."""
        values = {symbol: v[rows] for symbol, v in self.values.items()}
        return replace(self, samples=self.samples.only(rows), values=values, points=self.points[torch.as_tensor(rows)])

    def residual(self, jets: Jets) -> np.ndarray:
        """F at the points, whatever it is: a trial step may leave the domain of a function in it."""
        return -self.form.source(self._values(jets), len(self.samples))

    def _values(self, jets: Jets | None) -> dict[sp.Symbol, np.ndarray]:
        zero = np.zeros(len(self.samples))
        state = {symbol: zero if jets is None else jets[jet] for jet, symbol in self.form.equation.jets}
        return {**self.values, **state}

    def _evaluate(self, formula: Formula, values: Mapping[sp.Symbol, np.ndarray], role: str) -> np.ndarray:
        array = formula(values, len(self.samples))
        bad = np.flatnonzero(~np.isfinite(array))
        if len(bad):
            where = ", ".join(f"{x:.6g}" for x in self.samples.points[bad[0]])
            others = f" and {len(bad) - 1} others" if len(bad) > 1 else ""
            raise EvaluationError(
                f"The {role} {_shown(formula, self.form.equation, role)} of {self.condition.label} is {array[bad[0]]} "
                f"at the point ({where}){others}; it must be finite at every point. "
                "Change the formula there, or choose points that avoid it."
            )
        return array


@dataclass(frozen=True)
class Collocated:
    """One equation at its points: Σ c_α ∂^α u = source, row by row, each row multiplied by `weight`."""

    condition: Condition
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
        for condition in self.conditions:
            for part in parts(len(condition), len(self.features)):
                yield condition.rows(self.features, part)


def sample(
    problem: Problem, sampler: Sampler, features: int, seed: np.random.SeedSequence
) -> dict[Region, Samples]:
    """Points on every region of a problem."""
    demand = Demand(problem.domain, problem.regions, problem.equations_per_region, features)
    return dict(zip(problem.regions, sampler.sample(demand, seed), strict=True))


def place(
    problem: Problem,
    samples: Mapping[Region, Samples],
    linearisation: Callable[[Equation], LinearForm],
    device: torch.device,
) -> tuple[Placed, ...]:
    """Every condition of a problem at the points of its region."""
    return tuple(
        Placed(
            c,
            linearisation(c.equation),
            samples[c.region],
            _known_values(c.equation, samples[c.region], problem.coordinates),
            torch.as_tensor(samples[c.region].points, device=device),
        )
        for c in problem.conditions
    )


def linearise(placed: Sequence[Placed], state: Sequence[Jets] | None = None) -> tuple[Collocated, ...]:
    """The linear equations for the correction to a function, given its jets on each condition; None is zero."""
    return tuple(p.at(None if state is None else state[k]) for k, p in enumerate(placed))


def evaluate_jets(
    features: RandomFeatures, weights: Tensor, points: Tensor, jets: Sequence[Jet]
) -> dict[Jet, np.ndarray]:
    """Derivatives of Σ w_j φ_j at points."""
    found = {}
    for jet in jets:
        values = [
            product(features.matrix([(1.0, jet.orders)], points[part]), weights)
            for part in parts(len(points), len(features))
        ]
        found[jet] = torch.cat(values).cpu().numpy() if values else np.zeros(0)
    return found


def parts(rows: int, columns: int) -> Iterator[slice]:
    """Slices of rows, of about BLOCK_ENTRIES entries each."""
    size = max(1, BLOCK_ENTRIES // columns)
    return (slice(start, start + size) for start in range(0, rows, size))


def weigh(
    conditions: Sequence[Collocated], features: RandomFeatures, weights: str | Mapping[Region, float]
) -> tuple[Collocated, ...]:
    """The conditions with their row weights.

    `"balanced"` gives every condition the mean row norm of the first one, which is the equation on the domain;
    `"unit"` leaves all as they are; a mapping gives the weights of the regions in it, and 1 to the others.
    """
    if weights == "balanced":
        norms = [mean_row_norm(replace(c, weight=1.0), features) for c in conditions]
        factors = [norms[0] / n if norms[0] > 0 and n > 0 else 1.0 for n in norms]  # at some u an equation may vanish
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
            f"The weights must be 'balanced', 'unit', or a mapping from regions to numbers; got {weights!r}."
        )
    for region, weight in weights.items():
        problem.equations_on(region)
        if isinstance(weight, bool) or not isinstance(weight, int | float | np.number) or not 0 < weight < float("inf"):
            raise SettingError(f"The weight of {region.name} must be positive and finite; got {weight}.")


def mean_row_norm(condition: Collocated, features: RandomFeatures) -> float:
    """The mean norm of the rows of a condition, from some of them."""
    step = -(-len(condition) // BALANCE_ROWS)
    A, _ = condition.rows(features, slice(None, None, step))
    size = float(A.abs().max()) or 1.0  # squares of very large or small entries would over- or underflow
    return size * float(torch.linalg.vector_norm(A / size, dim=1).mean())


def _known_values(
    equation: Equation, samples: Samples, coordinates: Sequence[sp.Symbol]
) -> dict[sp.Symbol, np.ndarray]:
    values = {x: samples.points[:, i] for i, x in enumerate(coordinates)}
    for symbol in equation.residual.free_symbols:
        if isinstance(symbol, Normal) and samples.normals is not None:
            values[symbol] = samples.normals[:, list(coordinates).index(symbol.coordinate)]
        if isinstance(symbol, Data):
            values[symbol] = symbol.values
    return values


def _shown(formula: Formula, equation: Equation, role: str) -> sp.Expr:
    """A formula as a user would write it; the source of a linear equation without the terms of the unknown."""
    if role == "source" and equation.is_linear:
        return formula.expression.subs({symbol: 0 for _, symbol in equation.jets})
    return formula.expression.xreplace({symbol: sp.Symbol(symbol.name) for _, symbol in equation.jets})
