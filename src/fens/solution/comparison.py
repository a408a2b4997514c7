"""A solution next to a function that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from ..discretise.field import broadcast
from ..errors import SettingError, listed
from ..geometry import Clustered, Demand, Domain, Grid, Region, Samples
from ..options.settings import check_sampler
from ..problem import Problem, component_values


@dataclass(frozen=True)
class Comparison:
    """Errors against a known function: the largest absolute one, and the L2 norm relative to the function's."""

    linf: float
    l2: float
    points: int

    def __repr__(self) -> str:
        return f"L∞ {self.linf:.2e}, relative L2 {self.l2:.2e} on {self.points} points"


def compared(problem: Problem, unknown: sp.Expr, function: Any, exact: Any, where: np.ndarray) -> Comparison:
    """The errors of an unknown, as computed, against a known function at points."""
    if len(where) == 0:
        raise SettingError("compare() needs at least one point.")
    components = [problem.components[k] for k in problem.of(unknown)]
    parts = [component_values(exact, c, problem.coordinates, where, "exact solution") for c in components]
    expected = parts[0] if len(parts) == 1 else parts[0] + 1j * parts[1]
    error = function.at(where) - expected
    size = float(np.abs(expected).max()) or 1.0  # so that no square over- or underflows
    norm = float(np.linalg.norm(expected / size))
    l2 = float(np.linalg.norm(error / size)) / norm if norm else float("nan")
    return Comparison(float(np.abs(error).max()), l2, len(where))


def comparison_points(
    points: Any, domain: Domain, solved: Mapping[Region, Samples], seed: np.random.SeedSequence
) -> np.ndarray:
    """The points of a domain that a user asks for: by default many, independent of those at which it was solved."""
    if points is None:
        d = len(domain.coordinates)
        points = Grid({1: 2001, 2: 201, 3: 51}[d]) if d <= 3 else Clustered(interior=20_000)
    if isinstance(points, str) and points == "collocation":
        return np.concatenate([s.points for r, s in solved.items() if r.domain in (domain, None)])
    if isinstance(points, Mapping):
        if set(points) != set(domain.coordinates):
            known = ", ".join(map(str, domain.coordinates))
            raise SettingError(f"The points of comparison need arrays for {known}; got {listed(points)}.")
        arrays = broadcast([points[x] for x in domain.coordinates], domain.coordinates)
        return np.stack([a.ravel() for a in arrays], axis=1)
    check_sampler(points)
    return np.asarray(points.sample(Demand.inside(domain), seed)[0].points)
