"""An equation as a linear form in the unknowns: Σ c_α(x) ∂^α u_k = f(x)."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ..errors import UnsupportedEquation
from .expression import Equation, Jet
from .formula import Formula


@dataclass(frozen=True)
class LinearForm:
    """Σ coefficient · jet = source, with coefficients and source as functions of the points."""

    coefficients: tuple[tuple[Jet, Formula], ...]
    source: Formula


def linear_form(equation: Equation) -> LinearForm:
    """The linear form an equation is; refuses one that is not linear, naming the term that breaks it."""
    if terms := equation.nonlinear_terms():
        raise UnsupportedEquation(
            f"The equation {equation.text} is not linear: the term {terms[0]} is not. "
            "Only linear equations are supported."
        )
    at_rest = {symbol: sp.S.Zero for _, symbol in equation.jets}
    coefficients = ((jet, sp.expand(equation.residual.diff(s)).xreplace(at_rest)) for jet, s in equation.jets)
    return LinearForm(
        tuple((jet, Formula(c)) for jet, c in coefficients if c != 0),
        Formula(-equation.residual.subs(at_rest)),
    )

