"""What the user keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp
import torch
from torch import Tensor

from ..assemble import BLOCK_ENTRIES, collocate
from ..domain import Clustered, Demand, Grid, Region, Sampler, Samples
from ..errors import EvaluationError, SettingError
from ..features import RandomFeatures
from ..lstsq import product
from ..problem import Formula, Problem
from ..scale import Search
from ..settings import Settings
from .field import Field

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Stats:
    """What a solve did.

    `residual` is ‖A w − F‖ of the weighted rows and `promised` the smallest possible by the factorisation;
    `rank` is the numerical rank of the matrix; `method` how the weights came from R; `seconds` the time of
    each pass.
    """

    rows: int
    features: int
    residual: float
    promised: float
    rank: int
    method: str
    largest_weight: float
    row_weights: Mapping[str, float]
    seconds: Mapping[str, float]


@dataclass(frozen=True)
class Comparison:
    """Errors against a known function: the largest absolute one, and the L2 norm relative to the function's."""

    linf: float
    l2: float
    points: int

    def __repr__(self) -> str:
        return f"L∞ {self.linf:.2e}, relative L2 {self.l2:.2e} on {self.points} points"


@dataclass(frozen=True, repr=False)
class Solution:
    """A computed function, its derivatives, and how it came about.

    Call it with coordinates in the order of the unknown's arguments; numbers give a float, arrays broadcast.
    """

    problem: Problem
    features: RandomFeatures
    weights: Tensor
    samples: Mapping[Region, Samples] = field(repr=False)
    scale: float | tuple[float, ...]
    search: Search | None
    stats: Stats
    settings: Settings

    @property
    def field(self) -> Field:
        """The unknown itself, as a function."""
        d = len(self.problem.coordinates)
        arguments = self.problem.unknowns[0].args
        return Field(self.features, self.weights, self.problem.domain, arguments, (0,) * d)

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
        samples = self.samples if points is None else self._sampled(points)
        conditions = collocate(self.problem, samples, self.weights.device)
        rows = [self._misfit(c) for c in conditions if c.region == region]
        return rows[0] if len(rows) == 1 else np.stack(rows)

    def compare(
        self, exact: sp.Expr | Callable[..., Any], points: Sampler | str | Mapping[sp.Symbol, Any] | None = None
    ) -> Comparison:
        """Errors against a known function of the same arguments, an expression or a callable.

        They are taken on `points`: a `Grid` or other sampler, `"collocation"` for the points of the solve, a
        mapping from coordinates to arrays, or by default a fine set of points independent of the solve.
        """
        where = self._comparison_points(points)
        expected = self._exact_values(exact, where)
        error = self.field.at(where) - expected
        norm = float(np.linalg.norm(expected))
        l2 = float(np.linalg.norm(error)) / norm if norm else float("nan")
        return Comparison(float(np.abs(error).max()), l2, len(where))

    def plot(self, path: str | None = None) -> Figure:
        """A picture of the solution, for one and two coordinates; written to `path` if one is given."""
        from .plot import plot

        return plot(self.field, path)

    def __repr__(self) -> str:
        s = self.stats
        rho = self.scale if isinstance(self.scale, tuple) else (self.scale,)
        return (
            f"Solution {self.problem.unknowns[0]} on {self.problem.domain.name}\n"
            f"  {s.features} {self.features.activation.name} features at scale {', '.join(f'{r:.4g}' for r in rho)}, "
            f"{s.rows} rows, numerical rank {s.rank}\n"
            f"  residual {s.residual:.2e} ({s.method} solve), {sum(s.seconds.values()):.2f} s"
        )

    def _misfit(self, condition: Any) -> np.ndarray:
        size = max(1, BLOCK_ENTRIES // len(self.features))
        parts = []
        for start in range(0, len(condition), size):
            A, b = condition.rows(self.features, slice(start, start + size))
            parts.append(product(A, self.weights) - b)
        return torch.cat(parts).cpu().numpy()

    def _sampled(self, points: Sampler) -> dict[Region, Samples]:
        problem = self.problem
        demand = Demand(problem.domain, problem.regions, problem.equations_per_region, len(self.features))
        return dict(zip(problem.regions, points.sample(demand, self._fresh_seed()), strict=True))

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
            arrays = np.broadcast_arrays(*(np.asarray(points[x], dtype=np.float64) for x in domain.coordinates))
            return np.stack([a.ravel() for a in arrays], axis=1)
        if not hasattr(points, "sample"):
            raise SettingError(
                "compare() takes as points a Grid or another sampler, 'collocation', or a mapping from "
                f"coordinates to arrays; got {points!r}."
            )
        return np.asarray(points.sample(Demand.inside(domain), self._fresh_seed())[0].points)

    def _exact_values(self, exact: Any, points: np.ndarray) -> np.ndarray:
        columns = {x: points[:, i] for i, x in enumerate(self.problem.coordinates)}
        if callable(exact) and not isinstance(exact, sp.Basic):
            values = np.asarray(exact(*(columns[x] for x in self.problem.unknowns[0].args)), dtype=np.float64)
            values = np.broadcast_to(values, (len(points),))
        else:
            expression = sp.sympify(exact)
            if strange := expression.free_symbols - set(columns):
                raise SettingError(f"The exact solution contains {strange}, which are not coordinates.")
            values = Formula(expression)(columns, len(points))
        if not np.isfinite(values).all():
            raise EvaluationError("The exact solution is not finite at some of the points of comparison.")
        return values
