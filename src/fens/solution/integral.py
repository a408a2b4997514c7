"""Integrals of expressions in a computed function."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp
import torch
from torch import Tensor

from ..assemble import evaluate_jets
from ..domain import Region
from ..errors import EquationError, EvaluationError, RegionError, SettingError
from ..features import RandomFeatures
from ..numbers import is_whole
from ..problem import Formula, Normal, Problem
from ..problem.expression import read


def integrate(
    problem: Problem, features: RandomFeatures, weights: Tensor, expression: Any, on: Region | None, n: int
) -> float:
    """∫ of an expression over a region of a problem's domain, by the region's quadrature."""
    region: Region = problem.domain if on is None else on
    if not isinstance(region, Region) or region.domain != problem.domain:
        name = getattr(region, "name", repr(region))
        raise RegionError(f"integrate() takes a region of {problem.domain.name}; got {name}.")
    if not is_whole(n, 1):
        raise SettingError(f"integrate() takes a whole positive number of points; got {n!r}.")
    samples, factors = region.rule(int(n))
    formula, jets = _parts(expression, problem)
    values = {x: samples.points[:, i] for i, x in enumerate(problem.coordinates)}
    for symbol in formula.expression.free_symbols:
        if isinstance(symbol, Normal):
            if samples.normals is None:
                raise SettingError(f"{expression} uses the outward normal, and {region.name} has none.")
            values[symbol] = samples.normals[:, problem.coordinates.index(symbol.coordinate)]
    where = torch.as_tensor(samples.points, device=weights.device)
    found = evaluate_jets(features, weights, where, [jet for jet, _ in jets])
    values |= {symbol: found[jet] for jet, symbol in jets}
    integrand = formula(values, len(samples))
    if len(bad := np.flatnonzero(~np.isfinite(integrand))):
        place = ", ".join(f"{v:.6g}" for v in samples.points[bad[0]])
        raise EvaluationError(f"The integrand {expression} is {integrand[bad[0]]} at the point ({place}).")
    return float(factors @ integrand)


def _parts(expression: Any, problem: Problem) -> tuple[Formula, tuple[Any, ...]]:
    """The integrand with a symbol for each derivative of the unknown."""
    try:
        plain = sp.sympify(expression, strict=True)
    except sp.SympifyError as error:
        raise SettingError(f"integrate() takes an expression; got {expression!r}.") from error
    unknown = problem.unknowns[0]
    if isinstance(plain, sp.Expr) and not plain.has(unknown.func):
        strange = {s for s in plain.free_symbols if not isinstance(s, Normal)} - set(problem.coordinates)
        if strange:
            raise EquationError(f"The symbol {min(map(str, strange))} in {plain} is not a coordinate of the domain.")
        return Formula(plain), ()
    equation = read(plain, problem.unknowns, problem.coordinates)
    return Formula(equation.residual), equation.jets
