"""Equations at the points of their regions, and their linear forms near a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import sympy as sp
import torch
from torch import Tensor

from .._support.device import to_device, to_host
from ..errors import EvaluationError
from ..geometry import Demand, Pair, Region, Sampler, Samples
from ..problem import (
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
from .functional import RowFunctional
from .functionals import rows_of
from .rows import LinearRows

Jets = Mapping[Jet, np.ndarray]  # the values of u and its derivatives at the points of a condition


@dataclass(frozen=True)
class DiscreteCondition:
    """A condition at the points of its region, with the values of everything in it but the unknowns.

    Most conditions have a row for each point; one of a functional has sums over its points, as an integral has.
    `noise` is the standard deviation of each row, if it has data that are known to have some.
    """

    condition: Condition
    form: LinearForm
    samples: Samples
    values: Mapping[sp.Symbol, np.ndarray]
    functional: RowFunctional
    noise: np.ndarray | None = None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.functional.rows

    @property
    def is_pointwise(self) -> bool:
        """Whether there is a row for each point; the points of others are not to be chosen or moved."""
        return self.functional.is_pointwise

    @property
    def points(self) -> Tensor:
        """The points, on the device."""
        return self.functional.points

    @cached_property
    def jets(self) -> tuple[Jet, ...]:
        """The derivatives of the unknowns that the equation contains."""
        return tuple(jet for jet, _ in self.form.equation.jets)

    @cached_property
    def at_rest(self) -> LinearRows:
        """The linear equation for the correction to zero."""
        return self.at(None)

    def at(self, jets: Jets | None) -> LinearRows:
        """The linear equation for the correction to the function with these jets; None stands for zero."""
        values, device = self._values(jets), self.points.device
        operator = []
        for jet, formula in self.form.coefficients:
            array = self._evaluate(formula, values, "coefficient")
            coefficient = float(array[0]) if formula.is_constant else to_device(array, device)
            operator.append((coefficient, jet))
        source = to_device(self._evaluate(self.form.source, values, "source"), device)
        return LinearRows(self.condition, self.functional, tuple(operator), self.functional.mapped(source), self.noise)

    def only(self, rows: np.ndarray) -> DiscreteCondition:
        """The condition at some of its points."""
        if not self.is_pointwise:
            return self
        values = {symbol: v[rows] for symbol, v in self.values.items()}
        samples = self.samples.only(rows)
        functional = RowFunctional.of(samples, self.points.device)
        noise = None if self.noise is None else self.noise[rows]
        return replace(self, samples=samples, values=values, functional=functional, noise=noise)

    def moved(
        self, samples: Samples, coordinates: Sequence[sp.Symbol], T: np.ndarray | None = None
    ) -> DiscreteCondition:
        """The condition at other points, or its functional by another rule; without one, what it is a functional of."""
        values = known_values(self.condition.equation, samples, coordinates, T)
        if T is None and ONE_OVER_MEASURE in self.values:
            values[ONE_OVER_MEASURE] = np.full(len(samples), self.values[ONE_OVER_MEASURE][0])
        functional = RowFunctional.of(samples, self.points.device, T)
        return replace(self, samples=samples, values=values, functional=functional)

    def residual(self, jets: Jets) -> np.ndarray:
        """F at the points, whatever it is: a trial step may leave the domain of a function in it."""
        values = -self.form.source(self._values(jets), len(self.samples))
        return np.asarray(values if self.functional.T is None else to_host(self.functional.T) @ values)

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


def discretise(
    problem: Problem,
    samples: Mapping[Region, Samples],
    linearisation: Callable[[Equation], LinearForm],
    device: torch.device,
    singular: Sequence[tuple[float, ...]] = (),
) -> tuple[DiscreteCondition, ...]:
    """Every condition of a problem at the points of its region, or those of its functional, such as an integral, which
    resolves singular places of the unknowns.
    """
    discretised = []
    for c in problem.conditions:
        name = c.equation.functional
        here, T = (samples[c.region], None) if name is None else rows_of(name, c.region, singular)
        values = known_values(c.equation, here, problem.coordinates, T)
        functional, noise = RowFunctional.of(here, device, T), _noise(c.equation)
        discretised.append(DiscreteCondition(c, linearisation(c.equation), here, values, functional, noise))
    return tuple(discretised)


def homes(problem: Problem, discretised: Sequence[DiscreteCondition]) -> tuple[int, ...]:
    """For each component of the unknowns the number of the first condition on its domain."""
    regions = [p.condition.region for p in discretised]
    return tuple(regions.index(c.domain) for c in problem.components)


def linearise(discretised: Sequence[DiscreteCondition], state: Sequence[Jets] | None = None) -> tuple[LinearRows, ...]:
    """The linear equations for the correction to a function, given its jets on each condition; None is zero."""
    return tuple(p.at_rest if state is None else p.at(state[k]) for k, p in enumerate(discretised))


def _noise(equation: Equation) -> np.ndarray | None:
    """The standard deviation of each row, if it has data with noise."""
    parts = [abs(float(equation.residual.diff(d))) * d.std for d in equation.data if d.std is not None]
    return np.sqrt(np.sum(np.square(parts), axis=0)) if parts else None


def known_values(
    equation: Equation, samples: Samples, coordinates: Sequence[sp.Symbol], T: np.ndarray | None = None
) -> dict[sp.Symbol, np.ndarray]:
    """What an equation knows at points besides the unknowns: coordinates, normals, data."""
    values = {x: samples.points[:, i] for i, x in enumerate(coordinates)}
    for symbol in equation.residual.free_symbols:
        if isinstance(symbol, Normal) and samples.normals is not None:
            values[symbol] = samples.normals[:, list(coordinates).index(symbol.coordinate)]
        if isinstance(symbol, Opposite) and samples.opposite is not None:
            values[symbol] = samples.opposite[:, list(coordinates).index(symbol.coordinate)]
        if symbol == ONE_OVER_MEASURE and T is not None:
            values[symbol] = np.full(len(samples), 1 / _measure(T, equation))
        if isinstance(symbol, Data):
            values[symbol] = symbol.values
    return values


def _measure(T: np.ndarray, equation: Equation) -> float:
    """What a functional makes of one, which a number in its equation is a share of."""
    sums = T.sum(axis=1)
    if not sums[0] or not np.allclose(sums, sums[0]):
        raise EvaluationError(
            f"The equation {equation.text} has a number besides its functional, whose rows do not make the same of "
            "one; write the number inside of the functional."
        )
    return float(sums[0])


def _shown(formula: Formula, equation: Equation, role: str) -> sp.Expr:
    """A formula as a user would write it; the source of a linear equation without the terms of the unknown."""
    if role == "source" and equation.is_linear:
        return formula.expression.subs({symbol: 0 for _, symbol in equation.jets})
    return formula.expression.xreplace({symbol: sp.Symbol(symbol.name) for _, symbol in equation.jets})
