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

from .domain import Demand, Pair, Region, Sampler, Samples
from .errors import EvaluationError, SettingError
from .features import Coefficient, Family, Features
from .lstsq import product
from .problem import (
    ONE_OVER_MEASURE,
    Condition,
    Data,
    Equation,
    Formula,
    Jet,
    LinearForm,
    Normal,
    Opposite,
    Problem,
)

BLOCK_ENTRIES = 2**20  # a block of 8 MiB keeps the temporaries of its making small beside the matrix
SOFT = 1e-5  # weight of data with noise beside that of equations, which are to hold whatever the data say
RULE = 24  # points of an integral along a direction
BALANCE_ROWS = 256  # rows from which the size of a condition's rows is estimated

Jets = Mapping[Jet, np.ndarray]  # the values of u and its derivatives at the points of a condition


@dataclass(frozen=True)
class Placed:
    """A condition at the points of its region, with the values of everything in it but the unknowns.

    An integral is one row, the sum over the points of a quadrature rule; other conditions have a row for each point.
    """

    condition: Condition
    form: LinearForm
    samples: Samples
    values: Mapping[sp.Symbol, np.ndarray]
    places: Places

    @property
    def rows(self) -> int:
        """The number of rows."""
        return 1 if self.is_integral else len(self.samples)

    @property
    def is_integral(self) -> bool:
        """Whether the points are those of a quadrature rule."""
        return self.condition.equation.is_integral

    @property
    def points(self) -> Tensor:
        """The points, on the device."""
        return self.places.points

    @cached_property
    def jets(self) -> tuple[Jet, ...]:
        """The derivatives of the unknowns that the equation contains."""
        return tuple(jet for jet, _ in self.form.equation.jets)

    def at(self, jets: Jets | None) -> Collocated:
        """The linear equation for the correction to the function with these jets; None stands for zero."""
        values, device = self._values(jets), self.points.device
        operator = []
        for jet, formula in self.form.coefficients:
            array = self._evaluate(formula, values, "coefficient")
            coefficient = float(array[0]) if formula.is_constant else torch.as_tensor(array, device=device)
            operator.append((coefficient, jet))
        source = torch.as_tensor(self._evaluate(self.form.source, values, "source"), device=device)
        return Collocated(self.condition, self.places, tuple(operator), self.places.summed(source), self._noise())

    def only(self, rows: np.ndarray) -> Placed:
        """The condition at some of its points."""
        if self.is_integral:
            return self
        values = {symbol: v[rows] for symbol, v in self.values.items()}
        samples = self.samples.only(rows)
        return replace(self, samples=samples, values=values, places=Places.of(samples, self.points.device))

    def residual(self, jets: Jets) -> np.ndarray:
        """F at the points, whatever it is: a trial step may leave the domain of a function in it."""
        values = -self.form.source(self._values(jets), len(self.samples))
        return values if self.samples.weights is None else np.array([self.samples.weights @ values])

    def _noise(self) -> np.ndarray | None:
        """The standard deviation of each row, if it has data with noise."""
        equation = self.condition.equation
        parts = [abs(float(equation.residual.diff(d))) * d.std for d in equation.data if d.std is not None]
        return np.sqrt(np.sum(np.square(parts), axis=0)) if parts else None

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
class Places:
    """The points of a condition on a device, the opposite ones of pairs, and the weights of a quadrature rule."""

    points: Tensor
    opposite: Tensor | None = None
    weights: Tensor | None = None

    @classmethod
    def of(cls, samples: Samples, device: torch.device) -> Places:
        """Samples on a device."""
        arrays = (samples.points, samples.opposite, samples.weights)
        return cls(*(None if a is None else torch.as_tensor(a, device=device) for a in arrays))  # type: ignore[arg-type]

    def only(self, part: slice) -> Places:
        """Some of the points."""
        return Places(*(None if a is None else a[part] for a in (self.points, self.opposite, self.weights)))  # type: ignore[arg-type]

    def summed(self, values: Tensor) -> Tensor:
        """Values at the points, or for a quadrature rule their integral."""
        return values if self.weights is None else (self.weights @ values)[None]

    def matrix(self, features: Family, operator: Sequence[tuple[Coefficient, Jet]]) -> Tensor:
        """A row for each point, or one for the integral, and a column for each feature."""
        here = [(c, jet.unknown, jet.orders) for c, jet in operator if not jet.opposite]
        there = [(c, jet.unknown, jet.orders) for c, jet in operator if jet.opposite]
        A = features.matrix(here, self.points)
        if there:
            assert self.opposite is not None
            A = A.add_(features.matrix(there, self.opposite))
        return self.summed(A)


@dataclass(frozen=True)
class Collocated:
    """One equation at its points: Σ c_α ∂^α u = source, row by row, each row multiplied by `weight`.

    `noise` is the standard deviation of each row, if it has data that are known to have some.
    """

    condition: Condition
    places: Places
    operator: tuple[tuple[Coefficient, Jet], ...]
    source: Tensor
    noise: np.ndarray | None = None
    weight: float = 1.0

    def __len__(self) -> int:
        return len(self.source)

    @property
    def is_integral(self) -> bool:
        """Whether it is one row, summed over the points."""
        return self.places.weights is not None

    @cached_property
    def row_weights(self) -> Tensor | float:
        """What multiplies the rows: one weight for all, or with noise each its own."""
        if self.noise is None:
            return self.weight
        return torch.as_tensor(self.weight * SOFT / self.noise, device=self.source.device)

    @property
    def target(self) -> Tensor:
        """The right-hand sides, weighted."""
        return self.source * self.row_weights

    @property
    def weighted_noise(self) -> Tensor:
        """The standard deviations of the right-hand sides, weighted; zero without noise."""
        if self.noise is None:
            return torch.zeros_like(self.source)
        return torch.as_tensor(self.noise, device=self.source.device) * self.row_weights

    def rows(self, features: Family, part: slice = slice(None)) -> tuple[Tensor, Tensor]:
        """The block (A_k, b_k) of some of the points, or of the one row of an integral."""
        if self.is_integral:
            part = slice(None)
        operator = [(c[part] if isinstance(c, Tensor) else c, jet) for c, jet in self.operator]
        A, w = self.places.only(part).matrix(features, operator), self.row_weights
        if isinstance(w, Tensor):
            return A.mul_(w[part][:, None]), self.source[part] * w[part]
        return (A, self.source[part]) if w == 1 else (A.mul_(w), self.source[part] * w)


@dataclass(frozen=True)
class System:
    """All rows of a problem for given features; iterating makes them block by block, again each time."""

    conditions: tuple[Collocated, ...]
    features: Family

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return sum(map(len, self.conditions)), len(self.features)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        for condition in self.conditions:
            for part in parts(len(condition), len(self.features)):
                yield condition.rows(self.features, part)


@dataclass(frozen=True)
class Pinned:
    """The rows of a system for given right-hand sides, with the last of its weights given too."""

    system: System
    target: Tensor
    last: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.system.shape
        return rows, columns - len(self.last)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        start, free = 0, self.shape[1]
        for A, _ in self.system:
            yield A[:, :free], self.target[start : start + len(A)] - A[:, free:] @ self.last
            start += len(A)


def sample(
    problem: Problem, sampler: Sampler, sizes: Sequence[int], seed: np.random.SeedSequence
) -> dict[Region, Samples]:
    """Points on every region of a problem, with features of these numbers for its components."""
    found: dict[Region, Samples] = {}
    seeds = [seed, *seed.spawn(len(problem.domains) - 1)]
    for domain, stream in zip(problem.domains, seeds, strict=True):
        counts = problem.regions_of(domain)
        features = sum(n for n, c in zip(sizes, problem.components, strict=True) if c.domain == domain)
        demand = Demand(domain, tuple(counts), tuple(counts.values()), features)
        for region, samples in zip(counts, sampler.sample(demand, stream), strict=True):
            found[region] = region.paired(samples) if isinstance(region, Pair) else samples
    return found


def place(
    problem: Problem,
    samples: Mapping[Region, Samples],
    linearisation: Callable[[Equation], LinearForm],
    device: torch.device,
) -> tuple[Placed, ...]:
    """Every condition of a problem at the points of its region, or of a quadrature rule if it is an integral."""
    placed = []
    for c in problem.conditions:
        here = _rule(c.region) if c.equation.is_integral else samples[c.region]
        values = _known_values(c.equation, here, problem.coordinates)
        placed.append(Placed(c, linearisation(c.equation), here, values, Places.of(here, device)))
    return tuple(placed)


def _rule(region: Region) -> Samples:
    """The points and weights of an integral over a region."""
    samples, weights = region.rule(RULE)
    return replace(samples, weights=weights)


def linearise(placed: Sequence[Placed], state: Sequence[Jets] | None = None) -> tuple[Collocated, ...]:
    """The linear equations for the correction to a function, given its jets on each condition; None is zero."""
    return tuple(p.at(None if state is None else state[k]) for k, p in enumerate(placed))


def evaluate_jets(features: Family, weights: Tensor, places: Places, jets: Sequence[Jet]) -> dict[Jet, np.ndarray]:
    """Derivatives of Σ w_j φ_j at points."""
    found = {}
    for jet in jets:
        points = places.opposite if jet.opposite else places.points
        assert points is not None
        own = weights[features.columns[jet.unknown]]
        found[jet] = evaluate(features.members[jet.unknown], own, points, jet.orders)
    return found


def evaluate(features: Features, weights: Tensor, points: Tensor, orders: tuple[int, ...]) -> np.ndarray:
    """A derivative of Σ w_j φ_j at points."""
    blocks = [
        product(features.matrix([(1.0, orders)], points[part]), weights) for part in parts(len(points), len(features))
    ]
    return torch.cat(blocks).cpu().numpy() if blocks else np.zeros(0)


def parts(rows: int, columns: int) -> Iterator[slice]:
    """Slices of rows, of about BLOCK_ENTRIES entries each."""
    size = max(1, BLOCK_ENTRIES // columns)
    return (slice(start, start + size) for start in range(0, rows, size))


def weigh(
    conditions: Sequence[Collocated], features: Family, weights: str | Mapping[Region, float]
) -> tuple[Collocated, ...]:
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
            f"The weights must be 'balanced', 'unit', or a mapping from regions to numbers; got {weights!r}."
        )
    for region, weight in weights.items():
        problem.equations_on(region)
        if isinstance(weight, bool) or not isinstance(weight, int | float | np.number) or not 0 < weight < float("inf"):
            raise SettingError(f"The weight of {region.name} must be positive and finite; got {weight}.")


def mean_row_norm(condition: Collocated, features: Family) -> float:
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
        if isinstance(symbol, Opposite) and samples.opposite is not None:
            values[symbol] = samples.opposite[:, list(coordinates).index(symbol.coordinate)]
        if symbol == ONE_OVER_MEASURE and samples.weights is not None:
            values[symbol] = np.full(len(samples), 1 / samples.weights.sum())
        if isinstance(symbol, Data):
            values[symbol] = symbol.values
    return values


def _shown(formula: Formula, equation: Equation, role: str) -> sp.Expr:
    """A formula as a user would write it; the source of a linear equation without the terms of the unknown."""
    if role == "source" and equation.is_linear:
        return formula.expression.subs({symbol: 0 for _, symbol in equation.jets})
    return formula.expression.xreplace({symbol: sp.Symbol(symbol.name) for _, symbol in equation.jets})
