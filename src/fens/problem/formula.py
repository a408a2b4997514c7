"""SymPy expressions as functions of arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from ..errors import EvaluationError
from .symbols import Wrapped

Values = Mapping[sp.Symbol, np.ndarray]


@dataclass(frozen=True)
class Formula:
    """A real expression that is evaluated at many points at once.

    >>> x = sp.Symbol("x")
    >>> Formula(2 * x**2)({x: np.array([1.0, 3.0])}, 2)
    array([ 2., 18.])
    """

    expression: sp.Expr

    @property
    def is_constant(self) -> bool:
        """Whether the value is one number; a wrapped callable of constants counts as unknown, so as varying."""
        return not self.expression.free_symbols and not self.expression.has(Wrapped)

    def __call__(self, values: Values, count: int) -> np.ndarray:
        """The value at each of `count` points, given the arrays of the symbols in the expression."""
        table = dict(values)
        for call, stand_in in self._calls:
            table[stand_in] = call.values_at(*(Formula(a)(values, count) for a in call.args[1:]))
        with np.errstate(all="ignore"):  # what comes out is checked where the region and the point are known
            result = np.asarray(self._function(*(table[s] for s in self._arguments)))
        if np.iscomplexobj(result):
            raise EvaluationError(
                f"The expression {self.expression} is complex at some points; only real-valued ones are supported."
            )
        return np.array(np.broadcast_to(result.astype(np.float64), (count,)))

    @cached_property
    def _calls(self) -> tuple[tuple[Wrapped, sp.Dummy], ...]:
        return tuple((call, sp.Dummy()) for call in _outermost_calls(self.expression))

    @cached_property
    def _arguments(self) -> tuple[sp.Symbol, ...]:
        plain = self.expression.xreplace(dict(self._calls))
        return tuple(sorted(plain.free_symbols, key=sp.default_sort_key))

    @cached_property
    def _function(self) -> Any:
        plain = self.expression.xreplace(dict(self._calls))
        # cse: sources derived from an exact solution repeat its subexpressions many times over
        function = sp.lambdify(self._arguments, plain, modules=["scipy", "numpy"], cse=True)

        def call(*arrays: np.ndarray) -> Any:
            try:
                return function(*arrays)
            except (NameError, TypeError, AttributeError) as error:
                raise EvaluationError(
                    f"The expression {self.expression} cannot be evaluated numerically: {error}. "
                    "Give the part that NumPy and SciPy do not know as fens.wrap(function)."
                ) from error

        return call


def _outermost_calls(expression: sp.Expr) -> Iterable[Wrapped]:
    """Wrapped calls not inside another, each once; the inner ones are evaluated with the arguments of the outer."""
    found: dict[Wrapped, None] = {}
    walk = sp.preorder_traversal(expression)
    for node in walk:
        if isinstance(node, Wrapped):
            found[node] = None
            walk.skip()
    return tuple(found)
