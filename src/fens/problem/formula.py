"""SymPy expressions as functions of arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from .._support.compile import check_bounds, lambdified, sympified
from ..errors import EvaluationError, SettingError, quoted
from .unknowns import Component
from .wrapped import Wrapped, call_with_arrays

HUGE = 10**300
Values = Mapping[sp.Symbol, np.ndarray]


@dataclass(frozen=True)
class Formula:
    """A real expression that is evaluated at many points at once.

    >>> x = sp.Symbol("x")
    >>> Formula(2 * x**2)({x: np.array([1.0, 3.0])}, 2)
    array([ 2., 18.])
    """

    expression: sp.Expr

    def __reduce__(self) -> tuple[type[Formula], tuple[sp.Expr]]:
        return Formula, (self.expression,)  # what is compiled cannot be pickled, and is soon made again

    @property
    def is_constant(self) -> bool:
        """Whether the value is one number; a wrapped callable of constants counts as unknown, so as varying."""
        return not self.expression.free_symbols and not self.expression.has(Wrapped)

    def __call__(self, values: Values, count: int) -> np.ndarray:
        """The value at each of `count` points, given the arrays of the symbols in the expression."""
        if isinstance(self.expression, sp.Integer | sp.Float) and abs(self.expression) < HUGE:  # most coefficients are
            return np.full(count, float(self.expression))
        table = dict(values)
        for call, stand_in, arguments in self._calls:
            table[stand_in] = call.values_at(*(argument(values, count) for argument in arguments))
        try:
            with np.errstate(all="ignore"):  # what comes out is checked where the region and the point are known
                result = np.asarray(self._compiled(*(table[s] for s in self._arguments)))
            if np.iscomplexobj(result):
                result = np.where(result.imag == 0, result.real, np.nan)  # as NumPy's own functions do off their domain
            return np.array(np.broadcast_to(result.astype(np.float64), (count,)))
        except OverflowError as error:
            raise EvaluationError(
                f"The expression {quoted(self.expression)} has a number in it that is too large for floating point; "
                "divide the equation by it, or choose other units."
            ) from error
        except Exception as error:
            raise EvaluationError(
                f"The expression {quoted(self.expression)} cannot be evaluated numerically: {error}. "
                "Give the part that NumPy and SciPy do not know as fens.wrap(function)."
            ) from error

    @cached_property
    def _calls(self) -> tuple[tuple[Wrapped, sp.Dummy, tuple[Formula, ...]], ...]:
        """Each wrapped call, a symbol to stand in for it, and its arguments."""
        calls = _outermost_calls(self.expression)
        return tuple(
            (call, sp.Dummy(f"call{k:04d}"), tuple(Formula(a) for a in call.args[1:])) for k, call in enumerate(calls)
        )

    @cached_property
    def _plain(self) -> sp.Expr:
        return self.expression.xreplace({call: stand_in for call, stand_in, _ in self._calls})

    @cached_property
    def _arguments(self) -> tuple[sp.Symbol, ...]:
        return tuple(sorted(self._plain.free_symbols, key=sp.default_sort_key))

    @cached_property
    def _compiled(self) -> Any:
        return lambdified(self._arguments, self._plain)


def function_values(
    function: Any, arguments: Sequence[sp.Symbol], coordinates: Sequence[sp.Symbol], points: np.ndarray, what: str
) -> np.ndarray:
    """A known function at points: an expression or number in the coordinates, or a callable of the arguments.

    `points` has a row for each point and a column for each of the coordinates, `arguments` is the order in which a
    callable takes them, and `what` is what messages call the function.
    """
    check_bounds(function, SettingError)
    columns = {x: points[:, i] for i, x in enumerate(coordinates)}
    if callable(function) and not isinstance(function, sp.Basic):
        values = call_with_arrays(function, f"The {what}", [columns[x] for x in arguments])
        if values.shape not in ((), (len(points),)):
            raise EvaluationError(
                f"The {what} must return one value for each point; for {len(points)} it gave shape {values.shape}."
            )
    else:
        message = f"The {what} must be an expression or a callable; got {quoted(function)}."
        expression = sympified(function, SettingError, message)
        if strange := sorted(map(str, getattr(expression, "free_symbols", set()) - set(columns))):
            known = ", ".join(map(str, coordinates))
            raise SettingError(f"The {what} contains {', '.join(strange)}; the coordinates are {known}.")
        if not isinstance(expression, sp.Expr) or expression.is_Matrix or expression.atoms(AppliedUndef):
            raise SettingError(f"The {what} must be an expression in the coordinates; got {quoted(function)}.")
        try:
            values = Formula(expression)(columns, len(points))
        except OverflowError as error:
            raise EvaluationError(f"The {what} is too large a number.") from error
    values = np.array(np.broadcast_to(values, (len(points),)))
    if len(bad := np.flatnonzero(~np.isfinite(values))):
        where = ", ".join(f"{v:.6g}" for v in points[bad[0]])
        raise EvaluationError(f"The {what} is {values[bad[0]]} at the point ({where}); it must be finite.")
    return values


def component_values(
    function: Any, component: Component, coordinates: Sequence[sp.Symbol], points: np.ndarray, what: str
) -> np.ndarray:
    """A known function at points, for one component of an unknown: of a complex one its real or imaginary part."""
    arguments = component.unknown.args
    if component.part:
        function = _part(function, component.part, coordinates, what)
    return function_values(function, arguments, coordinates, points, what)


def _part(function: Any, part: str, coordinates: Sequence[sp.Symbol], what: str) -> Any:
    check_bounds(function, SettingError)
    if callable(function) and not isinstance(function, sp.Basic):
        take = np.real if part == "re" else np.imag
        return lambda *values: take(function(*values))
    message = f"The {what} must be an expression or a callable; got {quoted(function)}."
    expression = sympified(function, SettingError, message)
    return real_parts(expression, coordinates)[part == "im"]


def real_parts(expression: sp.Expr, coordinates: Sequence[sp.Symbol]) -> tuple[sp.Expr, sp.Expr]:
    """Real and imaginary part, for coordinates that are real."""
    real = {x: sp.Dummy(x.name, real=True) for x in coordinates}
    back = {dummy: x for x, dummy in real.items()}
    re, im = expression.xreplace(real).as_real_imag()
    return re.xreplace(back), im.xreplace(back)


def _outermost_calls(expression: sp.Expr) -> Iterable[Wrapped]:
    """Wrapped calls not inside another, each once; the inner ones are evaluated with the arguments of the outer."""
    found: dict[Wrapped, None] = {}
    walk = sp.preorder_traversal(expression)
    for node in walk:
        if isinstance(node, Wrapped):
            found[node] = None
            walk.skip()
    return tuple(found)
