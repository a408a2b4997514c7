"""What the user keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp
from torch import Tensor

from ..assemble import evaluate_jets, place, sample
from ..domain import Clustered, Demand, Domain, Grid, Region, Sampler, Samples
from ..errors import SettingError
from ..estimate import Error
from ..features import Distribution, Family, Isotropic
from ..field import Fields, broadcast
from ..fit import Stats
from ..problem import LINEARISATIONS, Problem, Unknown, component_values
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
    features: Family
    weights: Tensor
    samples: Mapping[Region, Samples]
    scales: tuple[float, ...]
    search: Search | None
    stats: Stats
    settings: Settings
    error: Error | None = None
    frequencies: tuple[Distribution, ...] = (Isotropic(),)
    deviations: Mapping[sp.Expr, float] = field(default_factory=dict)

    @cached_property
    def functions(self) -> dict[sp.Expr, Any]:
        """Each unknown as computed, a function to call, complex or not, or a number."""
        return Fields(self.problem, self.features, self.weights, self.deviations).functions

    def __getitem__(self, unknown: sp.Expr) -> Any:
        """One of the unknowns: `solution[p]`."""
        self.problem.of(unknown)
        return self.functions[unknown]

    @property
    def function(self) -> Any:
        """The unknown itself, as a function, if there is one only."""
        functions = [f for u, f in self.functions.items() if not isinstance(u, Unknown)]
        if len(functions) > 1:
            names = ", ".join(map(str, self.problem.unknowns))
            raise SettingError(f"The solution has several unknowns, {names}; take one of them, as solution[u].")
        return functions[0]

    @property
    def scale(self) -> Any:
        """The scale of the frequencies, one number or one for each axis; for several unknowns a mapping to these."""
        d = len(self.problem.coordinates)
        by_component = [self.scales[k : k + d] for k in range(0, len(self.scales), d)]
        short = [s[0] if len(set(s)) == 1 else s for s in by_component]
        if len(short) == 1:
            return short[0]
        return {c.name: s for c, s in zip(self.problem.components, short, strict=True) if not c.is_constant}

    @property
    def expected_error(self) -> float:
        """The error estimate; infinite where there is none to be trusted."""
        return float("inf") if self.error is None or self.error.verdict == "unreliable" else self.error.estimate

    def meets(self, tol: float) -> bool:
        """Whether the error is below a tolerance, as far as can be known."""
        return self.expected_error <= tol

    def __call__(self, *coordinates: Any, outside: str = "nan") -> Any:
        """The value at the given coordinates; NaN outside the domain unless `outside="extrapolate"`."""
        return self.function(*coordinates, outside=outside)

    def diff(self, *variables: Any) -> Any:
        """An exact derivative of the computed function: `diff(x, 2)`, `diff(x, y)`, of any order."""
        return self.function.diff(*variables)

    def residual(self, region: Region, points: Sampler | None = None) -> np.ndarray:
        """left − right of the equation on a region, unweighted, at its collocation points or at points of choice.

        For several equations on the region there is one row for each.
        """
        self.problem.equations_on(region)
        samples = self.samples
        if points is not None:
            check_sampler(points)
            samples = sample(self.problem, points, [len(f) for f in self.features.members], self._fresh_seed())
        # the linearisation of the solve: Picard's takes equations that Newton's refuses
        placed = place(self.problem, samples, LINEARISATIONS[self.settings.nonlinear], self.weights.device)
        rows = [
            p.residual(evaluate_jets(self.features, self.weights, p.places, p.jets))
            for p in placed
            if p.condition.region == region
        ]
        if len({len(r) for r in rows}) > 1:  # an integral beside equations that hold at points
            return np.concatenate(rows)
        return rows[0] if len(rows) == 1 else np.stack(rows)

    def compare(self, exact: Any, points: Sampler | str | Mapping[sp.Symbol, Any] | None = None) -> Any:
        """Errors against a known function of the same arguments, an expression or a callable.

        They are taken on `points`: a `Grid` or other sampler, `"collocation"` for the points of the solve, a
        mapping from coordinates to arrays, or by default a fine set of points independent of the solve. For several
        unknowns `exact` is a mapping from them to functions, and so is the result.
        """
        if isinstance(exact, Mapping):
            return {u: self._compared(u, function, points) for u, function in exact.items()}
        functions = [u for u in self.problem.unknowns if not isinstance(u, Unknown)]
        if len(functions) > 1:
            names = ", ".join(map(str, functions))
            raise SettingError(f"There are several unknowns; compare() takes a mapping from {names} to functions.")
        return self._compared(functions[0], exact, points)

    def _compared(self, unknown: sp.Expr, exact: Any, points: Any) -> Comparison:
        components = [self.problem.components[k] for k in self.problem.of(unknown)]
        where = self._comparison_points(points, components[0].domain)
        if len(where) == 0:
            raise SettingError("compare() needs at least one point.")
        parts = [component_values(exact, c, self.problem.coordinates, where, "exact solution") for c in components]
        expected = parts[0] if len(parts) == 1 else parts[0] + 1j * parts[1]
        error = self[unknown].at(where) - expected
        size = float(np.abs(expected).max()) or 1.0  # so that no square over- or underflows
        norm = float(np.linalg.norm(expected / size))
        l2 = float(np.linalg.norm(error / size)) / norm if norm else float("nan")
        return Comparison(float(np.abs(error).max()), l2, len(where))

    def integrate(self, expression: Any, on: Region | None = None, points: int = 24) -> Any:
        """∫ of an expression in the unknown, its derivatives and the coordinates, over the domain or a part of it.

        On a boundary part it may contain `fens.normal(x)`: `integrate(fens.normal_derivative(u), on=domain.boundary)`
        is the flux out of the domain. `points` is how many there are along each direction, as in `quadrature`.
        """
        return integrate(Fields(self.problem, self.features, self.weights), expression, on, points)

    def plot(self, path: str | None = None) -> Figure:
        """A picture, for one and two coordinates, with a panel for each unknown; written to `path` if one is given."""
        from .plot import plot

        functions = {u.func.__name__: f for u, f in self.functions.items() if not isinstance(u, Unknown)}
        return plot(functions, path)

    def __repr__(self) -> str:
        s = self.stats
        rho = [self.scales[k] for k in range(len(self.scales)) if k == 0 or self.scales[k] != self.scales[k - 1]]
        names, where = ", ".join(map(str, self.problem.unknowns)), " and ".join(d.name for d in self.problem.domains)
        lines = [
            f"Solution {names} on {where}",
            f"{s.features} {self.settings.activation} features at scale {', '.join(f'{r:.4g}' for r in rho)}, "
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

    def _comparison_points(self, points: Any, domain: Domain) -> np.ndarray:
        if points is None:
            d = len(domain.coordinates)
            points = Grid({1: 2001, 2: 201, 3: 51}[d]) if d <= 3 else Clustered(interior=20_000)
        if isinstance(points, str) and points == "collocation":
            return np.concatenate([s.points for r, s in self.samples.items() if r.domain in (domain, None)])
        if isinstance(points, Mapping):
            if set(points) != set(domain.coordinates):
                known = ", ".join(map(str, domain.coordinates))
                given = ", ".join(map(str, points))
                raise SettingError(f"The points of comparison need arrays for {known}; got {given}.")
            arrays = broadcast([points[x] for x in domain.coordinates], domain.coordinates)
            return np.stack([a.ravel() for a in arrays], axis=1)
        check_sampler(points)
        return np.asarray(points.sample(Demand.inside(domain), self._fresh_seed())[0].points)
