"""The functions an expression may use. What is not in these tables cannot be called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from ..errors import FensError, FileError
from ..problem import Data, Unknown, integral, jump, normal, normal_derivative, operators
from ..problem.discontinuity import may_jump
from ..problem.operators import Held, HeldGradient, unfolded
from .bounds import MOST_INSIDE, MOST_NODES, Work, brief, extent

HIGHEST_ORDER = 12
MOST_ARGUMENTS = 8
LARGEST_IN_SERIES = 100
WORK_OF_EXTREMES = 1000  # nodes


@dataclass(frozen=True)
class Names:
    """What names mean: coordinates, parameters, unknowns, named expressions and columns of data."""

    meanings: Mapping[str, sp.Basic] = field(default_factory=dict)
    coordinates: tuple[sp.Symbol, ...] = ()
    time: sp.Symbol | None = None
    columns: Mapping[str, Data] = field(default_factory=dict)
    work: Work = field(default_factory=Work)

    @property
    def space(self) -> tuple[sp.Symbol, ...]:
        """The coordinates without time."""
        return tuple(x for x in self.coordinates if x != self.time)

    def with_meanings(self, more: Mapping[str, sp.Basic]) -> Names:
        """The same with further names."""
        return replace(self, meanings={**self.meanings, **more})

    def with_columns(self, columns: Mapping[str, Data]) -> Names:
        """The same with columns of data, which `data(…)` takes first, and which else come last."""
        return replace(self, columns=columns, meanings={**columns, **self.meanings})


Arguments = Sequence[sp.Basic]


@dataclass(frozen=True)
class Word:
    """A function that can be called, with how many arguments it takes."""

    call: Callable[[Arguments, Names], Any]
    least: int = 1
    most: int = 1


CONSTANTS = {"pi": sp.pi, "e": sp.E, "I": sp.I}


def elementary(function: Callable[..., Any], least: int = 1, most: int = 0) -> Word:
    """A function of SymPy's."""

    def call(arguments: Arguments, names: Names) -> Any:
        check_bearable(*arguments)
        return function(*arguments)

    return Word(call, least, most or least)


def extreme(function: Callable[..., Any]) -> Word:
    """Max or Min, about which SymPy asks each time it sees them which argument is larger; so they count for many."""

    def call(arguments: Arguments, names: Names) -> Any:
        check_bearable(*arguments)
        names.work.add(WORK_OF_EXTREMES)
        return function(*arguments)

    return Word(call, 2, MOST_ARGUMENTS)


def bessel(function: Callable[..., Any]) -> Word:
    """A Bessel function, of numbers that are not too large: its series would take as many terms."""

    def call(arguments: Arguments, names: Names) -> Any:
        check_bearable(*arguments)
        for a in arguments:
            if a.is_number and not abs(complex(a.evalf(15))) <= LARGEST_IN_SERIES:
                raise FileError(f"Bessel functions take numbers up to {LARGEST_IN_SERIES}; got {brief(a)}")
        return function(*arguments)

    return Word(call, 2, 2)


def check_bearable(*expressions: sp.Basic) -> None:
    """Refuse expressions of which SymPy would ask for minutes whether they are positive, or real."""
    for e in expressions:
        if (nodes := extent(e)[0]) > MOST_INSIDE:
            raise FileError(f"an argument has {nodes} parts, all names replaced, and {MOST_INSIDE} are the most")


def differentiated(expression: sp.Expr, variables: Sequence[sp.Symbol], work: Work) -> sp.Expr:
    """A derivative, one variable after another, as long as the formula stays bearable."""
    check_bearable(expression)
    for x in variables:
        expression = expression.diff(x)
        nodes = extent(expression)[0]
        work.add(nodes)
        if nodes > MOST_NODES:
            raise FileError(f"the derivative has more than {MOST_NODES} parts")
    return expression


def diff(arguments: Arguments, names: Names) -> sp.Expr:
    """diff(u, x), diff(u, x, 2), diff(u, x, y), diff(u, x, 2, y)."""
    expression, *rest = arguments
    variables: list[sp.Symbol] = []
    for k, x in enumerate(rest):
        if x in names.coordinates:
            variables.append(x)
        elif k > 0 and rest[k - 1] in names.coordinates and x.is_Integer and 1 <= x <= HIGHEST_ORDER:
            variables += [rest[k - 1]] * (int(x) - 1)
        else:
            known = ", ".join(map(str, names.coordinates)) or "none yet"
            raise FileError(
                f"diff() takes coordinates ({known}), each with its order behind it, 1 to {HIGHEST_ORDER}; "
                f"got {brief(x)}"
            )
    if not variables or len(variables) > HIGHEST_ORDER:
        raise FileError(f"diff() takes derivatives up to order {HIGHEST_ORDER}")
    if may_jump(expression):
        return held(sp.Derivative(expression, *variables), names)
    return differentiated(expression, variables, names.work)


def held(operator: sp.Expr, names: Names) -> sp.Expr:
    """A derivative as it is written, if it is of an unknown, so that no jump is dropped; of what is known, the formula.

    The formula must be bearable in any case: the problem is made of it.
    """
    taken = formula_of(operator, names.space, names.work)
    return operator if operator.has(AppliedUndef) else taken


@lru_cache(maxsize=64)  # operators of operators come here from the inside out, each with the one before
def formula_of(expression: sp.Basic, space: tuple[sp.Symbol, ...], work: Work) -> sp.Basic:
    """An expression with its derivatives taken, from the inside out, as long as the formulas stay bearable."""
    if not expression.has(sp.Derivative, Held):
        return expression
    arguments = [formula_of(a, space, work) for a in expression.args]
    if isinstance(expression, sp.Derivative):
        return differentiated(arguments[0], expression.variables, work)
    inside = expression.func(*arguments)
    return formula_of(unfolded(inside, space), space, work) if _is_number(inside) else inside


def _is_number(expression: sp.Basic) -> bool:
    return isinstance(expression, Held) and not isinstance(expression, HeldGradient)


def laplacian(arguments: Arguments, names: Names) -> sp.Expr:
    """The sum of second derivatives in space."""
    if may_jump(arguments[0]):
        return held(operators.laplacian(arguments[0]), names)
    inside = formula_of(arguments[0], names.space, names.work)
    return sp.Add(*(differentiated(inside, (x, x), names.work) for x in names.space))


def gradient(arguments: Arguments, names: Names) -> sp.Expr:
    """The vector of first derivatives in space, for div()."""
    for x in names.space:
        differentiated(formula_of(arguments[0], names.space, names.work), [x], names.work)
    return operators.grad(arguments[0])


def divergence(arguments: Arguments, names: Names) -> sp.Expr:
    """The divergence of a gradient times something, or of as many components as there are coordinates in space."""
    return held(operators.div(arguments[0] if len(arguments) == 1 else tuple(arguments)), names)


def data(arguments: Arguments, names: Names) -> sp.Expr:
    """A column of measured values, with a standard deviation: a number or another column."""
    column, *deviation = arguments
    if not isinstance(column, Data):
        raise FileError(f"data() takes a column of the file of points; got {brief(column)}")
    if not deviation:
        return column
    std = deviation[0].values if isinstance(deviation[0], Data) else deviation[0]
    return Data(column.values, std)


def where(arguments: Arguments, names: Names) -> sp.Expr:
    """where(x < 1/2, 1, 2): the second where the first holds, else the third."""
    condition, one, other = arguments
    if not isinstance(condition, Relational):
        raise FileError(f"where() takes a comparison first, as in where(x < 1/2, 1, 2); got {brief(condition)}")
    check_bearable(condition, one, other)
    return sp.Piecewise((one, condition), (other, True))


def outward(arguments: Arguments, names: Names) -> sp.Expr:
    """A component of the outward normal."""
    if arguments[0] not in names.coordinates:
        known = ", ".join(map(str, names.coordinates))
        raise FileError(f"normal() takes a coordinate ({known}); got {brief(arguments[0])}")
    return normal(arguments[0])


def outward_derivative(arguments: Arguments, names: Names) -> sp.Expr:
    """The derivative of an unknown, or of another expression, along the outward normal."""
    if isinstance(arguments[0], AppliedUndef):
        return normal_derivative(arguments[0])
    return sp.Add(*(normal(x) * differentiated(arguments[0], [x], names.work) for x in names.space))


WORDS: dict[str, Word] = {
    **{
        name: elementary(getattr(sp, name))
        for name in (
            "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
            "exp", "log", "sqrt", "cbrt", "sign", "erf", "erfc", "re", "im", "conjugate",
        )
    },
    "atan2": elementary(sp.atan2, 2),
    **{name: bessel(getattr(sp, name)) for name in ("besselj", "bessely", "besseli", "besselk")},
    "ln": elementary(sp.log),
    "abs": elementary(sp.Abs),
    "heaviside": elementary(lambda x: sp.Heaviside(x, sp.Rational(1, 2))),
    "min": extreme(sp.Min),
    "max": extreme(sp.Max),
    "where": Word(where, 3, 3),
    "diff": Word(diff, 2, 2 * HIGHEST_ORDER),
    "laplacian": Word(laplacian),
    "grad": Word(gradient),
    "div": Word(divergence, 1, MOST_ARGUMENTS),
    "strong": Word(lambda arguments, _: operators.strong(arguments[0])),
    "normal": Word(outward),
    "normal_derivative": Word(outward_derivative),
    "jump": Word(lambda arguments, _: jump(arguments[0])),
    "integral": Word(lambda arguments, _: integral(arguments[0])),
    "data": Word(data, 1, 2),
}  # fmt: skip


def call(name: str, arguments: Arguments, names: Names) -> sp.Expr:
    """The value of a function of the table, or of an unknown called with the coordinates."""
    meaning = names.meanings.get(name)
    if isinstance(meaning, AppliedUndef):
        if tuple(arguments) != names.coordinates:
            listed = ", ".join(map(str, names.coordinates))
            raise FileError(f"the unknown {name} is a function of {listed}: write {name}")
        return meaning
    word = WORDS[name]
    if not word.least <= len(arguments) <= word.most:
        counts = f"{word.least}" if word.least == word.most else f"{word.least} to {word.most}"
        raise FileError(f"{name}() takes {counts} {'argument' if counts == '1' else 'arguments'}; got {len(arguments)}")
    for a in arguments:
        if isinstance(a, Relational) and name != "where":
            raise FileError(f"a comparison belongs into where(); got {name}({brief(a)})")
    try:
        return word.call(arguments, names)
    except FileError:
        raise
    except FensError as error:
        raise FileError(str(error).rstrip(".")) from error
    except Exception as error:  # SymPy refuses in many ways, as Max(I, x) does
        raise FileError(f"{name}() cannot be taken of {', '.join(map(brief, arguments))}") from error


def is_unknown(meaning: sp.Basic) -> bool:
    """Whether a name stands for something that is sought."""
    return isinstance(meaning, AppliedUndef | Unknown)
