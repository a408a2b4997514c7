"""Expressions as functions of arrays.

Most consist of sums, products, powers and elementary functions, and are taken apart into steps of NumPy's, in a tenth
of a millisecond rather than the ten that it takes SymPy to make code of them. SymPy does that for the others, and here
only: it writes their names into a program, as they are. An expression that comes from a file has names of someone
else's choice, so that only symbols that are arguments, and functions of SymPy's, get there.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np
import sympy as sp
from sympy.concrete.expr_with_intlimits import ExprWithIntLimits
from sympy.core.function import AppliedUndef

from ..errors import EvaluationError, FensError, quoted
from .numbers import DETACH
from .sums import MOST_FACTORS, MOST_TERMS, terms

FUNCTIONS: dict[type[sp.Basic], Callable[..., Any]] = {
    sp.exp: np.exp, sp.log: np.log, sp.Abs: np.abs, sp.sign: np.sign, sp.atan2: np.arctan2,
    sp.sin: np.sin, sp.cos: np.cos, sp.tan: np.tan, sp.asin: np.arcsin, sp.acos: np.arccos, sp.atan: np.arctan,
    sp.sinh: np.sinh, sp.cosh: np.cosh, sp.tanh: np.tanh, sp.asinh: np.arcsinh, sp.acosh: np.arccosh,
    sp.atanh: np.arctanh,
}  # fmt: skip
FOLDS = {sp.Add: operator.add, sp.Mul: operator.mul}
POWERS: dict[sp.Expr, Callable[..., Any]] = {sp.S.Half: np.sqrt, sp.S.NegativeOne: np.reciprocal}

DEEPEST = 100  # functions of functions in an expression: SymPy calls itself several times for each
COMBINATORIAL = "sympy.functions.combinatorial"  # where SymPy has factorials, harmonic and other numbers
MOST_DIGITS = 4000  # of a number in an expression: Python does not print more than 4300

Step = tuple[Callable[..., Any], tuple[int, ...]]  # an operation, and the numbers of the values it takes


def lambdified(symbols: Sequence[sp.Symbol], body: Any) -> Callable[..., Any]:
    """A function of as many arrays as there are symbols: the value of an expression, or of each in a list."""
    expressions = body if isinstance(body, list) else [body]
    values: Callable[..., list[Any]]
    try:
        values = Steps.of(symbols, expressions)
    except NotElementary:
        values = _by_sympy(symbols, expressions)
    return values if isinstance(body, list) else lambda *arrays: values(*arrays)[0]


def check_bounds(expression: Any, error: type[FensError]) -> None:
    """Refuse an expression so deep that SymPy would run out of calls, or with numbers or sums that keep it busy."""
    depths: dict[int, int] = {}
    lengths: dict[int, float] = {}  # how many terms there are in all the sums of a part
    stack = [expression] if isinstance(expression, sp.Basic) else []
    while stack:
        node = stack[-1]
        parts = [a for a in node.args if isinstance(a, sp.Basic)]
        if waiting := [a for a in parts if id(a) not in depths]:
            stack += waiting
            continue
        depths[id(node)] = 1 + max((depths[id(a)] for a in parts), default=0)
        stack.pop()
        if depths[id(node)] > DEEPEST:
            raise error(f"The expression is nested more than {DEEPEST} deep; write it as one of less depth.")
        if _is_huge(node):
            raise error(f"The expression contains {quoted(node)}, a number of more than {MOST_DIGITS} digits.")
        inner = sum(lengths[id(a)] for a in parts)
        lengths[id(node)] = terms(node) * max(1.0, inner) if isinstance(node, ExprWithIntLimits) else inner
        if lengths[id(node)] > MOST_TERMS:
            raise error(
                f"The expression contains {quoted(node)}; sums and products have limits that are whole numbers, and at "
                f"most {MOST_TERMS} terms or {MOST_FACTORS} factors in all. Take fewer, or what .doit() gives."
            )


def sympified(given: Any, error: type[FensError], message: str) -> Any:
    """What SymPy makes of something that a user gave for an expression; the error with the message if it is none.

    SymPy would go through containers, and take the number of a tensor that is part of a gradient, which is lost then.
    """
    check_bounds(given, error)
    if isinstance(given, Mapping | list | tuple | Set):
        raise error(message)
    try:
        if getattr(given, "requires_grad", False) is True:
            raise error(f"{message} {DETACH}")
        return sp.sympify(given, strict=True)
    except FensError:
        raise
    except Exception as cause:  # an object may raise anything when SymPy asks it what it is
        raise error(message) from cause


def _is_huge(node: sp.Basic) -> bool:
    """Whether a number has too many digits or, of arguments that have not, a power or factorial would."""
    if isinstance(node, sp.Rational):
        return max(int(node.p).bit_length(), int(node.q).bit_length()) > MOST_DIGITS / math.log10(2)
    if isinstance(node, sp.Pow) and all(isinstance(a, sp.Rational) or _is_power(a) for a in node.args):
        base, exponent = (abs(a.evalf(6)) for a in node.args)
        return bool(base != 0 and exponent * abs(sp.log(base, 10).evalf(6)) > MOST_DIGITS)
    combinatorial = isinstance(node, sp.gamma) or COMBINATORIAL in str(type(node).__module__)
    return combinatorial and any(a.is_Integer and abs(a) > MOST_DIGITS for a in node.args)


def _is_power(node: sp.Basic) -> bool:
    """Whether a number is written as a power of numbers."""
    return isinstance(node, sp.Pow) and all(isinstance(a, sp.Rational) or _is_power(a) for a in node.args)


class NotElementary(Exception):
    """An expression contains something else than finite numbers and elementary functions of the symbols."""


@dataclass(frozen=True)
class Steps:
    """Values found one after another, the arguments first; each is kept for as long as a later step needs it."""

    steps: Sequence[Step]
    spent: Sequence[Sequence[int]]
    results: Sequence[int]

    @classmethod
    def of(cls, symbols: Sequence[sp.Symbol], expressions: Sequence[sp.Basic]) -> Steps:
        """The steps to the values of expressions; what several have in common is found once."""
        recorder = Recorder({s: k for k, s in enumerate(symbols)})
        results = [recorder.number(e) for e in expressions]
        needed, spent = set(results), list[list[int]]()
        for _, operands in reversed(recorder.steps):
            spent.append([k for k in dict.fromkeys(operands) if k not in needed])
            needed.update(operands)
        return cls(recorder.steps, spent[::-1], results)

    def __call__(self, *arrays: Any) -> list[Any]:
        values = list(arrays)
        for (operation, operands), spent in zip(self.steps, self.spent, strict=True):
            found = operation(*map(values.__getitem__, operands))
            for k in spent:
                values[k] = None
            values.append(found)
        return [values[k] for k in self.results]


@dataclass(frozen=True)
class Recorder:
    """Puts a step after another, and numbers the values: those of the arguments, and of each step."""

    numbers: dict[sp.Basic, int]
    steps: list[Step] = field(default_factory=list)

    def number(self, node: sp.Basic) -> int:
        """The number of an expression's value."""
        if node not in self.numbers:
            operation, operands = _operation(node)
            self.steps.append((operation, tuple(self.number(o) for o in operands)))
            self.numbers[node] = len(self.numbers)
        return self.numbers[node]


def _operation(node: sp.Basic) -> tuple[Callable[..., Any], Sequence[sp.Basic]]:
    """What gives the value of an expression, and of what other ones."""
    if isinstance(node, sp.Number | sp.NumberSymbol) and np.isfinite(number := np.float64(node)):
        return lambda: number, ()
    if node.func in FOLDS:
        fold = FOLDS[node.func]
        return (fold if len(node.args) == 2 else lambda *terms: reduce(fold, terms)), node.args
    if isinstance(node, sp.Pow):
        return _power(*node.args)
    if node.func in FUNCTIONS:
        return FUNCTIONS[node.func], node.args
    raise NotElementary


def _power(base: sp.Basic, exponent: sp.Basic) -> tuple[Callable[..., Any], Sequence[sp.Basic]]:
    if isinstance(base, sp.Number) and not base.is_nonnegative and not exponent.is_Integer:
        raise NotElementary  # a complex number
    if exponent in POWERS:
        return POWERS[exponent], (base,)
    if exponent.is_Integer:
        n = int(exponent)  # as a whole number, of which NumPy knows the square
        return lambda value: value**n, (base,)
    return operator.pow, (base, exponent)


def _by_sympy(symbols: Sequence[sp.Symbol], expressions: Sequence[sp.Basic]) -> Callable[..., Any]:
    # dummies, because a symbol may have the name of a constant or function of NumPy's, such as e or pi
    # with names of one length: the order of a sum follows them, and its last bits follow the order
    dummies = {s: sp.Dummy(f"x{k:04d}") for k, s in enumerate(symbols)}
    for expression in expressions:
        _check(expression, set(symbols))
    plain = [e.xreplace(dummies) for e in expressions]
    # cse: sources derived from an exact solution repeat its subexpressions many times over
    return sp.lambdify(list(dummies.values()), plain, modules=["scipy", "numpy"], cse=True)  # type: ignore[no-any-return]


def _check(expression: sp.Basic, arguments: set[sp.Symbol]) -> None:
    if strange := sorted(map(str, expression.free_symbols - arguments)):
        raise EvaluationError(f"The formula {expression} contains {strange[0]}, which has no value.")
    for node in sp.preorder_traversal(expression):
        ours = str(type(node).__module__).split(".")[0] == "fens" and node not in arguments
        if ours or (isinstance(node, AppliedUndef) and not hasattr(type(node), "_imp_")):
            raise EvaluationError(f"The formula {expression} contains {node}, which has no formula.")
