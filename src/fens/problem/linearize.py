"""An equation F(x, jets) = 0 near a function u: Σ c_α(x; u) ∂^α δ = −F(x; u), linear in the correction δ.

There is one assembly path for all equations. A linear equation has coefficients that do not depend on u, so that one
step from any u solves it. For the others there are three choices of coefficients:

- Newton: c_α = ∂F/∂(∂^α u), the Gateaux derivative.
- Picard: a term that is a function of u times a derivative of u keeps the derivative and takes the function at u;
  any other nonlinear term is taken at u altogether. The step to u + δ is then the classical iteration.
- Explicit: every nonlinear term is taken at u altogether, so that the matrix stays the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import sympy as sp

from ..errors import EquationError, UnsupportedEquation
from .equation import Equation, Jet, is_affine, multipliers
from .formula import Formula


@dataclass(frozen=True)
class LinearForm:
    """Coefficients of the correction, and the source −F, as functions of the points and of the jets of u."""

    equation: Equation
    coefficients: tuple[tuple[Jet, Formula], ...]
    source: Formula

    @cached_property
    def follows_state(self) -> bool:
        """Whether the coefficients depend on u; if not, one factorisation serves all iterations."""
        symbols = {symbol for _, symbol in self.equation.jets}
        return any(c.expression.free_symbols & symbols for _, c in self.coefficients)


@lru_cache(maxsize=256)  # formulas compile once, however often a problem is placed
def newton_form(equation: Equation) -> LinearForm:
    """The linearisation of an equation by its Gateaux derivative; exact for a linear one."""
    return _form(equation, _derivatives(equation, equation.residual, equation.is_linear))


@lru_cache(maxsize=256)
def picard_form(equation: Equation) -> LinearForm:
    """The lagged linearisation of an equation; exact for a linear one."""
    symbols = {symbol: sum(jet.orders) for jet, symbol in equation.jets}
    linear, others = _sorted_terms(equation)
    coefficients = _derivatives(equation, linear, True)
    for term in others:
        kept = _kept_factor(term, symbols)
        if kept is not None:
            coefficients[kept] += term / kept
    return _form(equation, coefficients)


@lru_cache(maxsize=256)
def explicit_form(equation: Equation) -> LinearForm:
    """The linear terms of an equation with all others taken at u; exact for a linear one."""
    linear, _ = _sorted_terms(equation)
    return _form(equation, _derivatives(equation, linear, True))


@lru_cache(maxsize=256)
def linear_part(equation: Equation) -> LinearForm:
    """The equation without its nonlinear terms; it may have no coefficients left."""
    linear, _ = _sorted_terms(equation)
    return _form(equation, _derivatives(equation, linear, True), linear)


LINEARISATIONS = {"newton": newton_form, "picard": picard_form, "explicit": explicit_form}


def _form(equation: Equation, coefficients: Mapping[sp.Symbol, sp.Expr], residual: sp.Expr | None = None) -> LinearForm:
    return LinearForm(
        equation,
        tuple((jet, Formula(coefficients[s])) for jet, s in equation.jets if coefficients[s] != 0),
        Formula(-(equation.residual if residual is None else residual)),
    )


def _derivatives(equation: Equation, residual: sp.Expr, linear: bool) -> dict[sp.Symbol, sp.Expr]:
    """∂F/∂jet for each jet; of a linear F without the jets, which may only seem to be in it, as in (u + 1)² − u²."""
    if (found := multipliers(residual, {symbol for _, symbol in equation.jets})) is not None:
        return found
    at_rest = {symbol: sp.S.Zero for _, symbol in equation.jets} if linear else {}
    refusal = UnsupportedEquation(
        f"Newton's method needs the derivatives by the unknown of all parts of {equation.text}, and one of them has no "
        "formula; use nonlinear='picard'."
    )
    try:
        found = {symbol: residual.diff(symbol).xreplace(at_rest) for _, symbol in equation.jets}
    except EquationError as error:  # a wrapped function of the unknown
        raise refusal from error
    # a step has the derivative 0 everywhere but in one point
    found = {symbol: d.replace(sp.DiracDelta, lambda *_: sp.S.Zero) for symbol, d in found.items()}
    if any(d.has(sp.Derivative, sp.Subs) for d in found.values()):
        raise refusal
    return found


def _sorted_terms(equation: Equation) -> tuple[sp.Expr, list[sp.Expr]]:
    """The linear terms, in sum and as they stand, and the others, expanded."""
    if equation.is_linear:
        return equation.residual, []
    symbols = {symbol for _, symbol in equation.jets}
    linear: list[sp.Expr] = []
    others: list[sp.Expr] = []
    for term in sp.Add.make_args(equation.residual):
        if is_affine(term, symbols):
            linear.append(term)
            continue
        for part in sp.Add.make_args(sp.expand(term)):
            (linear if is_affine(part, symbols) else others).append(part)
    return sp.Add(*linear), others


def _kept_factor(term: sp.Expr, symbols: Mapping[sp.Symbol, int]) -> sp.Symbol | None:
    """The derivative that a nonlinear term keeps: of those among its factors the highest."""
    inside = set(symbols) & term.free_symbols
    powers = term.as_powers_dict()
    factors = [s for s in inside if s in powers and powers[s].is_Integer and powers[s] >= 1]
    derivatives = [s for s in factors if symbols[s] > 0]
    return max(derivatives, key=lambda s: (symbols[s], s.name)) if derivatives else None
