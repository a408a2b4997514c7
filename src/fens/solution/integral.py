"""Integrals of expressions in a computed function."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from ..assemble import Places, evaluate_jets
from ..domain import Region, Samples
from ..errors import EquationError, EvaluationError, RegionError, SettingError
from ..field import Fields
from ..numbers import is_whole
from ..problem import Formula, Normal, Problem
from ..problem.expression import Reader, worked_out
from ..problem.formula import real_parts


def integrate(fields: Fields, expression: Any, on: Region | None, n: int) -> Any:
    """∫ of an expression over a region of a problem, by the region's quadrature; complex if the expression is."""
    problem = fields.problem
    region: Region = problem.domain if on is None else on
    if not isinstance(region, Region) or region.domain not in problem.domains:
        name = getattr(region, "name", repr(region))
        raise RegionError(f"integrate() takes a region of {problem.domain.name}; got {name}.")
    if not is_whole(n, 1):
        raise SettingError(f"integrate() takes a whole positive number of points; got {n!r}.")
    samples, factors = region.rule(int(n))
    parts = [factors @ _values(f, jets, fields, samples, region) for f, jets in _parts(expression, problem)]
    return float(parts[0]) if len(parts) == 1 else complex(*parts)


def _values(formula: Formula, jets: tuple[Any, ...], fields: Fields, samples: Samples, region: Region) -> np.ndarray:
    """The integrand at points."""
    coordinates = fields.problem.coordinates
    values = {x: samples.points[:, i] for i, x in enumerate(coordinates)}
    for symbol in formula.expression.free_symbols:
        if isinstance(symbol, Normal):
            if samples.normals is None:
                raise SettingError(f"{formula.expression} uses the outward normal, and {region.name} has none.")
            values[symbol] = samples.normals[:, coordinates.index(symbol.coordinate)]
    where = Places.of(samples, fields.weights.device)
    found = evaluate_jets(fields.features, fields.weights, where, [jet for jet, _ in jets])
    values |= {symbol: found[jet] for jet, symbol in jets}
    integrand = formula(values, len(samples))
    if len(bad := np.flatnonzero(~np.isfinite(integrand))):
        place = ", ".join(f"{v:.6g}" for v in samples.points[bad[0]])
        raise EvaluationError(f"The integrand {formula.expression} is {integrand[bad[0]]} at the point ({place}).")
    return integrand


def _parts(expression: Any, problem: Problem) -> list[tuple[Formula, tuple[Any, ...]]]:
    """The integrand with a symbol for each derivative of the unknowns; of a complex one both parts."""
    try:
        plain = sp.sympify(expression, strict=True)
    except sp.SympifyError as error:
        raise SettingError(f"integrate() takes an expression; got {expression!r}.") from error
    if isinstance(plain, sp.Expr) and not any(plain.has(u) for u in problem.unknowns):
        strange = {s for s in plain.free_symbols if not isinstance(s, Normal)} - set(problem.coordinates)
        if strange or plain.atoms(AppliedUndef):
            name = min(map(str, strange or plain.atoms(AppliedUndef)))
            raise EquationError(f"The symbol {name} in {plain} is neither a coordinate of the domain nor an unknown.")
        return [(Formula(plain), ())]
    reader = Reader(problem.components, problem.coordinates, str(plain), {})
    integrand = reader.replaced(worked_out(plain, problem.coordinates, problem.space))
    reader.refuse_foreign_symbols(integrand)
    parts = [integrand]
    if any(c.part for c in problem.components):
        real, imaginary = real_parts(integrand, problem.coordinates)
        parts = [real] if imaginary == 0 else [real, imaginary]
    return [(Formula(part), tuple(reader.jets.items())) for part in parts]
