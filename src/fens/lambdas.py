"""Expressions as functions of arrays: the one place where SymPy makes code of them.

It does so by writing their names into a program, as they are. An expression that comes from a file has names of
someone else's choice, so that only symbols that are arguments, and functions of SymPy's, get here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from .errors import EvaluationError


def lambdified(symbols: Sequence[sp.Symbol], body: Any, modules: Any) -> Callable[..., Any]:
    """A function of as many arrays as there are symbols: the value of an expression, or of each in a list."""
    for expression in body if isinstance(body, list) else [body]:
        _check(expression, set(symbols))
    return sp.lambdify(list(symbols), body, modules=modules, cse=True)  # type: ignore[no-any-return]


def _check(expression: sp.Basic, arguments: set[sp.Symbol]) -> None:
    if strange := sorted(map(str, expression.free_symbols - arguments)):
        raise EvaluationError(f"The formula {expression} contains {strange[0]}, which has no value.")
    for node in sp.preorder_traversal(expression):
        ours = str(type(node).__module__).split(".")[0] == "fens" and node not in arguments
        if ours or (isinstance(node, AppliedUndef) and not hasattr(type(node), "_imp_")):
            raise EvaluationError(f"The formula {expression} contains {node}, which has no formula.")
