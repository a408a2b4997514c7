"""Integrals of expressions in a computed function."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from .._support.compile import sympified
from ..basis import Corner
from ..discretise import RowFunctional, evaluate_jets
from ..discretise.field import Fields
from ..errors import EquationError, EvaluationError, RegionError, SettingError, Unconverged, quoted
from ..geometry import Region, Samples, checked_count, graded_rule
from ..problem import Formula, Normal, Problem
from ..problem.expression import Reader, worked_out
from ..problem.formula import real_parts

CONVERGED = 1e-2  # difference of two rules, relative to the integral of the absolute value, with which there is one
ABSOLUTELY = 3e-2  # the same of the absolute values, which have kinks
FIRM = 1e-6  # and up to which nothing need be said

Parts = list[tuple[Formula, tuple[Any, ...]]]
Sums = tuple[np.ndarray, np.ndarray]


def integrate(fields: Fields, expression: Any, on: Region | None, n: int, corners: Sequence[Corner] = ()) -> Any:
    """∫ of an expression over a region of a problem, by the region's quadrature; complex if the expression is.

    Points are denser towards corners of the solution.
    """
    problem = fields.problem
    region: Region = problem.domain if on is None else on
    if not isinstance(region, Region) or region.domain not in problem.domains:
        name = getattr(region, "name", quoted(region))
        raise RegionError(f"integrate() takes a region of {problem.domain.name}; got {name}.")
    n = checked_count(n, region, "integrate()", SettingError)
    parts = parts_of(expression, problem, "integrate()")
    places = [c.place for c in corners if len(problem.coordinates) == 2]
    sums = [_sums(parts, fields, region, count, places) for count in (n, n + max(1, n // 3))]
    _check_converged(expression, *sums)
    found = sums[0][0]
    return float(found[0]) if len(found) == 1 else complex(*found)


def _sums(parts: Parts, fields: Fields, region: Region, n: int, places: Sequence[tuple[float, ...]]) -> Sums:
    """The integrals of the parts of an integrand, and of their absolute values, by a rule of n points."""
    samples, factors = graded_rule(region, n, places) if places else region.rule(n)
    values = [_values(formula, jets, fields, samples, region) for formula, jets in parts]
    return np.array([factors @ v for v in values]), np.array([np.abs(factors) @ np.abs(v) for v in values])


def _check_converged(expression: Any, here: Sums, finer: Sums) -> None:
    """Refuse an integral that two rules disagree about, and warn of one to which few digits are common.

    Both are asked of the absolute values, too: 1/(x − ½) has no integral over (0, 1), and symmetric rules give zero.
    """
    (found, size), (other, larger) = here, finer
    whole = float(larger.max())
    gap = float(np.abs(found - other).max())
    if not (gap <= CONVERGED * whole and float(np.abs(size - larger).max()) <= ABSOLUTELY * whole):
        raise EvaluationError(
            f"The integral of {expression} does not converge: two rules give {found[0]:.6g} and {other[0]:.6g}. It may "
            "be infinite; if it is not, take more points, or leave out the part of the region where it is singular."
        )
    if gap > FIRM * whole:
        warnings.warn(
            f"Of the integral of {expression}, {found[0]:.6g}, only about {-math.log10(gap / whole):.0f} digits are "
            "certain; take more points.",
            Unconverged,
            stacklevel=4,
        )


def _values(formula: Formula, jets: tuple[Any, ...], fields: Fields, samples: Samples, region: Region) -> np.ndarray:
    """The integrand at points."""
    coordinates = fields.problem.coordinates
    values = {x: samples.points[:, i] for i, x in enumerate(coordinates)}
    for symbol in formula.expression.free_symbols:
        if isinstance(symbol, Normal):
            if samples.normals is None:
                raise SettingError(f"{formula.expression} uses the outward normal, and {region.name} has none.")
            values[symbol] = samples.normals[:, coordinates.index(symbol.coordinate)]
    where = RowFunctional.of(samples, fields.weights.device)
    found = evaluate_jets(fields.features, fields.weights, where, [jet for jet, _ in jets])
    values |= {symbol: found[jet] for jet, symbol in jets}
    integrand = formula(values, len(samples))
    if len(bad := np.flatnonzero(~np.isfinite(integrand))):
        place = ", ".join(f"{v:.6g}" for v in samples.points[bad[0]])
        raise EvaluationError(f"The integrand {formula.expression} is {integrand[bad[0]]} at the point ({place}).")
    return integrand


def parts_of(expression: Any, problem: Problem, caller: str) -> Parts:
    """An expression with a symbol for each derivative of the unknowns; of a complex one both parts."""
    plain = sympified(expression, SettingError, f"{caller} takes an expression; got {quoted(expression)}.")
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
