"""Problems made from their solution, for testing: the sources follow from the operators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from .._support.sums import written_out
from ..errors import EquationError, quoted
from .operators import unfolded
from .problem import Problem
from .symbols import checked_expression
from .unknowns import Unknown


def manufacture(operators: Mapping[Any, Any], unknown: Any, exact: Any = None) -> Problem:
    """The problem {region: operator(u) = operator(exact)}, whose solution is `exact`.

    Each operator is an expression in the unknown, or a list of them. For several unknowns give a mapping from them to
    their solutions in place of one unknown and one solution.

    >>> import fens
    >>> x = sp.Symbol("x")
    >>> u = sp.Function("u")(x)
    >>> rod = fens.Box({x: (0, 1)})
    >>> manufacture({rod: u.diff(x, 2), rod.boundary: u}, u, x**3)
    Problem for u(x) on the box 0 < x < 1:
      Eq(Derivative(u(x), (x, 2)), 6*x) on the box 0 < x < 1
      Eq(u(x), x**3) on the boundary
    """
    if not isinstance(operators, Mapping):
        raise EquationError(f"manufacture() takes a mapping from regions to operators; got {quoted(operators)}.")
    pairs = list(unknown.items()) if isinstance(unknown, Mapping) else [(unknown, exact)]
    for sought, _ in pairs:
        if not isinstance(sought, AppliedUndef | Unknown):
            raise EquationError(f"An unknown of manufacture() is a function such as u(x, y); got {quoted(sought)}.")
    solutions = {u: checked_expression(known, "manufacture() takes exact solutions, each") for u, known in pairs}

    def equation(operator: Any, region: Any) -> sp.Eq:
        left = checked_expression(operator, "manufacture() takes operators, each")
        source = written_out(left.subs(solutions)).doit()
        domain = getattr(region, "domain", None)
        if domain is not None:  # else it is for the problem to know which coordinates are space
            source = unfolded(source, [x for x in domain.coordinates if x != getattr(domain, "time", None)]).doit()
        return sp.Eq(left, source, evaluate=False)

    listed = {r: op if isinstance(op, list | tuple) else [op] for r, op in operators.items()}
    return Problem({region: [equation(op, region) for op in ops] for region, ops in listed.items()})
