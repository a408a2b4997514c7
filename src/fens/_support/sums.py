"""Sums and products over an index, `sp.Sum` and `sp.Product`: how many terms they have, and the terms themselves.

SymPy looks for a closed form first, for as long as it takes, and then adds fractions exactly, however many there are.
Here a sum is its terms, of which there are few.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import sympy as sp
from sympy.concrete.expr_with_intlimits import ExprWithIntLimits

MOST_TERMS = 1000  # SymPy takes milliseconds for each
MOST_FACTORS = math.isqrt(MOST_TERMS)  # a derivative of a product has as many terms of as many factors each


def terms(series: ExprWithIntLimits) -> float:
    """At most how many terms a sum has, or the derivative of a product; infinity if limits are not whole numbers."""
    return _length(series) ** (2 if isinstance(series, sp.Product) else 1)


def _length(series: ExprWithIntLimits) -> float:
    least: dict[sp.Symbol, sp.Expr] = {}
    most: dict[sp.Symbol, sp.Expr] = {}
    count = 1.0
    for index, *ends in reversed(series.limits):  # the last one is the outermost, on which others may depend
        values = [end.xreplace(outer) for end in ends for outer in (least, most)]
        if not all(isinstance(v, sp.Integer) for v in values):
            return math.inf
        least[index], most[index] = min(values), max(values)
        if (count := count * int(most[index] - least[index] + 1)) > MOST_TERMS:
            return math.inf
    return count


def written_out(expression: sp.Expr) -> sp.Expr:
    """The expression with the terms of sums and products in their places."""
    if not expression.has(ExprWithIntLimits):
        return expression
    if isinstance(expression, ExprWithIntLimits):
        return _joined(type(expression), written_out(expression.function), expression.limits)
    return expression.func(*map(written_out, expression.args))


def _joined(kind: type[ExprWithIntLimits], term: sp.Expr, limits: Sequence[sp.Tuple]) -> sp.Expr:
    if not limits:
        return term
    *inner, (index, lower, upper) = limits
    # by the rule of SymPy's, sums over a range and the one behind it are that over both, whichever way they go
    start, stop = (lower, upper + 1) if lower <= upper else (upper + 1, lower)
    values = [{index: sp.Integer(k)} for k in range(int(start), int(stop))]
    parts = [_joined(kind, term.xreplace(v), [limit.xreplace(v) for limit in inner]) for v in values]
    if issubclass(kind, sp.Sum):
        return sp.Add(*parts) if lower <= upper else -sp.Add(*parts)
    return sp.Mul(*parts) if lower <= upper else 1 / sp.Mul(*parts)
