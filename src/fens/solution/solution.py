"""What the user keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp
from torch import Tensor

from ..assemble import evaluate_jets, place, sample
from ..domain import Clustered, Demand, Grid, Region, Sampler, Samples
from ..errors import SettingError
from ..estimate import Error
from ..features import Distribution, Isotropic, RandomFeatures
from ..field import Field, broadcast
from ..fit import Stats
from ..problem import LINEARISATIONS, Problem, function_values
from ..scale import Search
from ..settings import Settings, check_sampler
from .integral import integrate

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Comparison:
    """Errors against a known function: the largest absolute one, and the L2 norm relative to the function's."""

    linf: float
    l2: float
    points: int

    def __repr__(self) -> str:
        return f"L∞ {self.linf:.2e}, relative L2 {self.l2:.2e} on {self.points} points"


@dataclass(frozen=True, repr=False, eq=False)
class Solution:
    """A computed function, its derivatives, and how it came about.

    Call it with coordinates in the order of the unknown's arguments; numbers give a float, arrays broadcast.
    """

    problem: Problem
    features: RandomFeatures
    weights: Tensor
    samples: Mapping[Region, Samples]
    scale: float | tuple[float, ...]
    search: Search | None
    stats: Stats
    settings: Settings
    error: Error | None = None
    frequencies: Distribution = field(default_factory=Isotropic)

    @property
    def field(self) -> Field:
        """The unknown itself, as a function."""
        d = len(self.problem.coordinates)
        arguments = self.problem.unknowns[0].args
        return Field(self.features, self.weights, self.problem.domain, arguments, (0,) * d)

    @property
    def scales(self) -> tuple[float, ...]:
        """The scale along each axis."""
        return self.scale if isinstance(self.scale, tuple) else (self.scale,) * len(self.problem.coordinates)

    @property
    def expected_error(self) -> float:
        """The error estimate; infinite where there is none to be trusted."""
        return float("inf") if self.error is None or self.error.verdict == "unreliable" else self.error.estimate

    def meets(self, tol: float) -> bool:
        """Whether the error is below a tolerance, as far as can be known."""
        return self.expected_error <= tol

    def __call__(self, *coordinates: Any, outside: str = "nan") -> Any:
        """The value at the given coordinates; NaN outside the domain unless `outside="extrapolate"`."""
        return self.field(*coordinates, outside=outside)

    def diff(self, *variables: Any) -> Field:
        """An exact derivative of the computed function: `diff(x, 2)`, `diff(x, y)`, of any order."""
        return self.field.diff(*variables)

    def residual(self, region: Region, points: Sampler | None = None) -> np.ndarray:
        """left − right of the equation on a region, unweighted, at its collocation points or at points of choice.

        For several equations on the region there is one row for each.
        """
        self.problem.equations_on(region)
        samples = self.samples
        if points is not None:
            check_sampler(points)
            samples = sample(self.problem, points, len(self.features), self._fresh_seed())
        # the linearisation of the solve: Picard's takes equations that Newton's refuses
        placed = place(self.problem, samples, LINEARISATIONS[self.settings.nonlinear], self.weights.device)
        rows = [
            p.residual(evaluate_jets(self.features, self.weights, p.points, p.jets))
            for p in placed
            if p.condition.region == region
        ]
        return rows[0] if len(rows) == 1 else np.stack(rows)

    def compare(
        self, exact: sp.Expr | Callable[..., Any], points: Sampler | str | Mapping[sp.Symbol, Any] | None = None
    ) -> Comparison:
        """Errors against a known function of the same arguments, an expression or a callable.

        They are taken on `points`: a `Grid` or other sampler, `"collocation"` for the points of the solve, a
        mapping from coordinates to arrays, or by default a fine set of points independent of the solve.
        """
        where = self._comparison_points(points)
        if len(where) == 0:
            raise SettingError("compare() needs at least one point.")
        arguments = self.problem.unknowns[0].args
        expected = function_values(exact, arguments, self.problem.coordinates, where, "exact solution")
        error = self.field.at(where) - expected
        size = float(np.abs(expected).max()) or 1.0  # so that no square over- or underflows
        norm = float(np.linalg.norm(expected / size))
        l2 = float(np.linalg.norm(error / size)) / norm if norm else float("nan")
        return Comparison(float(np.abs(error).max()), l2, len(where))

    def integrate(self, expression: Any, on: Region | None = None, points: int = 24) -> float:
        """∫ of an expression in the unknown, its derivatives and the coordinates, over the domain or a part of it.

        On a boundary part it may contain `fens.normal(x)`: `integrate(fens.normal_derivative(u), on=domain.boundary)`
        is the flux out of the domain. `points` is how many there are along each direction, as in `quadrature`.
        """
        return integrate(self.problem, self.features, self.weights, expression, on, points)

    def plot(self, path: str | None = None) -> Figure:
        """A picture of the solution, for one and two coordinates; written to `path` if one is given."""
        from .plot import plot

        return plot(self.field, path)

    def __repr__(self) -> str:
        s = self.stats
        rho = self.scale if isinstance(self.scale, tuple) else (self.scale,)
        lines = [
            f"Solution {self.problem.unknowns[0]} on {self.problem.domain.name}",
            f"{s.features} {self.features.activation.name} features at scale {', '.join(f'{r:.4g}' for r in rho)}, "
            f"{s.rows} rows, numerical rank {s.rank}",
            f"residual {s.residual:.2e}{self._iterations()}, {sum(s.seconds.values()):.2f} s",
        ]
        if self.error is not None:
            lines.append(f"error about {self.error.estimate:.1e}, {self.error.verdict}: {self.error.advice}")
        if s.status != "converged":
            lines.append(f"{s.status.upper()}: {s.advice}")
        return "\n  ".join(lines)

    def _iterations(self) -> str:
        states = self.stats.iterations
        return f" after {states[-1].iteration} iterations of {self.settings.nonlinear}" if states else ""

    def _fresh_seed(self) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.settings.seed, spawn_key=(99,))  # not a stream of the solve

    def _comparison_points(self, points: Any) -> np.ndarray:
        domain = self.problem.domain
        if points is None:
            d = len(domain.coordinates)
            points = Grid({1: 2001, 2: 201, 3: 51}[d]) if d <= 3 else Clustered(interior=20_000)
        if isinstance(points, str) and points == "collocation":
            return np.concatenate([s.points for s in self.samples.values()])
        if isinstance(points, Mapping):
            if set(points) != set(domain.coordinates):
                known = ", ".join(map(str, domain.coordinates))
                given = ", ".join(map(str, points))
                raise SettingError(f"The points of comparison need arrays for {known}; got {given}.")
            arrays = broadcast([points[x] for x in domain.coordinates], domain.coordinates)
            return np.stack([a.ravel() for a in arrays], axis=1)
        check_sampler(points)
        return np.asarray(points.sample(Demand.inside(domain), self._fresh_seed())[0].points)
