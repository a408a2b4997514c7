"""SymPy's expressions as entries: the class and the arguments of each node, and nothing that is evaluated.

Expressions are built as they were: arguments keep their order, and dummies are numbered in the order of their old
numbers, since sums are sorted by these, and the order of a sum decides about the last bits of its value.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import sympy as sp
from sympy.core.function import Application, AppliedUndef
from sympy.core.relational import Equality, GreaterThan, LessThan, StrictGreaterThan, StrictLessThan, Unequality
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.logic.boolalg import Boolean

from ..errors import FileError, SettingError
from ..problem import ONE_OVER_MEASURE, Absent, Data, Normal, Opposite, Unknown
from ..problem.operators import HeldDivergence, HeldGradient, HeldLaplacian, HeldStrong
from ..problem.symbols import Jump, Total
from ..problem.wrapped import Handle, Wrapped

CONSTANTS = {
    str(c): c
    for c in (
        sp.pi, sp.E, sp.I, sp.oo, -sp.oo, sp.zoo, sp.nan, sp.GoldenRatio, sp.EulerGamma, sp.Catalan,
        sp.true, sp.false, ONE_OVER_MEASURE,
    )
}  # fmt: skip
FUNCTIONS: dict[str, Any] = {
    name: f
    for name, f in vars(sp.functions).items()
    if inspect.isclass(f) and issubclass(f, Application) and f.__name__ == name
}
OURS = (HeldDivergence, HeldGradient, HeldLaplacian, HeldStrong)
RELATIONS = (Equality, Unequality, LessThan, GreaterThan, StrictLessThan, StrictGreaterThan)
OPERATORS: dict[str, Callable[..., Any]] = {
    "Add": lambda *args: sp.Add._from_args(args),
    "Mul": lambda *args: sp.Mul._from_args(args),
    "Pow": partial(sp.Pow, evaluate=False),
    "Derivative": partial(sp.Derivative, evaluate=False),
    "Tuple": sp.Tuple,
    "And": partial(sp.And, evaluate=False),
    "Or": partial(sp.Or, evaluate=False),
    "Not": partial(sp.Not, evaluate=False),
    "ExprCondPair": ExprCondPair,
    "Wrapped": Wrapped,
    "Jump": partial(Jump, evaluate=False),
    "Total": partial(Total, evaluate=False),
    **{c.__name__: c for c in OURS},
    **{c.__name__: partial(c, evaluate=False) for c in RELATIONS},
    **{name: partial(f, evaluate=False) for name, f in FUNCTIONS.items()},
}
CLASSES = {
    sp.Add, sp.Mul, sp.Pow, sp.Derivative, sp.Tuple, sp.And, sp.Or, sp.Not, ExprCondPair, Wrapped, Jump, Total,
    *OURS, *RELATIONS, *FUNCTIONS.values(),
}  # fmt: skip

# what arguments of nodes are, other than expressions
KINDS_OF_ARGUMENTS: dict[str, Any] = {
    "Tuple": (sp.Expr, sp.Tuple),
    "Derivative": sp.Tuple,
    **dict.fromkeys(("And", "Or", "Not", "ExprCondPair"), Boolean),
    **dict.fromkeys(("Equality", "Unequality"), (sp.Expr, Boolean)),
    "Piecewise": ExprCondPair,
}

ASSUMPTIONS = {
    "algebraic", "antihermitian", "commutative", "complex", "composite", "even", "extended_negative",
    "extended_nonnegative", "extended_nonpositive", "extended_nonzero", "extended_positive", "extended_real", "finite",
    "hermitian", "imaginary", "infinite", "integer", "irrational", "negative", "noninteger", "nonnegative",
    "nonpositive", "nonzero", "odd", "positive", "prime", "rational", "real", "transcendental", "zero",
}  # fmt: skip

LONGEST_NAME = 1000
MOST_DIGITS = 1200  # bits of a number, four for each
LARGEST_NUMBER = 1e300  # that is a power
LARGEST_POWER = 1000  # of a number, and the largest number that a function is asked for: no 9**9**9, no gamma(10**9)


def parts_of(node: sp.Basic, lenient: bool) -> tuple[Any, ...]:
    """A node as a tag and what belongs to it; one that a file cannot hold, if that may be, as its name only."""
    for name, constant in CONSTANTS.items():
        if node is constant:
            return "constant", name
    if type(node) in LEAVES:
        return LEAVES[type(node)](node)
    if isinstance(node, sp.Rational):
        return "rational", int(node.p), int(node.q)
    if isinstance(node, AppliedUndef):
        return "function", type(node).__name__, dict(getattr(type(node), "_kwargs", {})), *node.args
    if type(node) in CLASSES:
        return "node", type(node).__name__, *node.args
    name = type(node).__name__  # code of the user's, or a kind of expression that has no place in an equation
    if not lenient:
        raise SettingError(f"A formula contains {name}, which is not one of SymPy's functions: {node} cannot be saved.")
    return "node", "Wrapped", Handle(Absent(name), name), *sorted(node.free_symbols, key=str)


def _float(node: sp.Float) -> tuple[Any, ...]:
    sign, mantissa, exponent, _ = node._mpf_
    return "real", int(sign), int(mantissa), int(exponent), int(node._prec)


LEAVES: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    sp.Symbol: lambda s: ("symbol", s.name, dict(s._assumptions_orig)),
    sp.Dummy: lambda s: ("dummy", int(s.dummy_index), s.name, dict(s._assumptions_orig)),
    Data: lambda s: ("data", int(s.dummy_index), s.values, s.std),
    Normal: lambda s: ("normal", s.coordinate),
    Opposite: lambda s: ("opposite", s.coordinate),
    Unknown: lambda s: ("unknown", s.name, s.initial),
    Handle: lambda s: ("handle", s.function, s.label),
    sp.Float: _float,
}


def constant(name: str) -> sp.Basic:
    """A number with a name, a truth value, or the word for one over the measure of a region."""
    return CONSTANTS[name]


def symbol(name: str, given: dict[str, bool]) -> sp.Symbol:
    """A symbol with its assumptions."""
    return sp.Symbol(_text(name), **_assumed(given))


def dummy(number: int, name: str, given: dict[str, bool]) -> sp.Dummy:
    """A dummy of a number that no other has."""
    return sp.Dummy(_text(name), dummy_index=number, **_assumed(given))


def function(name: str, given: dict[str, bool], *arguments: sp.Expr) -> sp.Expr:
    """An unknown function of its arguments."""
    return sp.Function(_text(name), **_assumed(given))(*_nodes(arguments))


def handle(called: Any, label: str) -> Handle:
    """A callable inside an equation: one of known kind, or the name of one that was left behind."""
    if not callable(called):
        raise FileError(f"the file is malformed: the function {label} cannot be called")
    return Handle(called, _text(label))


def rational(p: int, q: int) -> sp.Rational:
    """A whole or a rational number."""
    if type(p) is not int or type(q) is not int or q < 1:
        raise FileError("the file is malformed: a fraction is not one of whole numbers")
    return sp.Rational(p, q)


def real(sign: int, mantissa: int, exponent: int, precision: int) -> sp.Float:
    """A number in binary floating point, of any precision."""
    numbers = (sign, mantissa, exponent, precision)
    bits = mantissa.bit_length() if all(type(n) is int for n in numbers) else -1
    if bits < 0 or sign not in (0, 1) or mantissa < 0 or bits > 4 * MOST_DIGITS or abs(exponent) > 10**5:
        raise FileError("the file is malformed: a number in floating point is not written as one")
    if not 1 <= precision <= 4 * MOST_DIGITS or (mantissa % 2 == 0 and (mantissa, exponent) != (0, 0)):
        raise FileError("the file is malformed: a number in floating point is not written as one")
    return sp.Float._new((sign, mantissa, exponent, bits), precision, zero=False)


def node(name: str, *arguments: sp.Basic) -> sp.Basic:
    """A sum, a product, a function of its arguments …, unevaluated."""
    if name not in OPERATORS:
        raise FileError(f"the file has an expression of the kind {name!r:.60}, which this fens does not know")
    _check_bearable(name, _nodes(arguments))
    _check_kinds(name, arguments)
    made: sp.Basic = OPERATORS[name](*arguments)
    if name == "Pow" and not made.free_symbols:
        _check_power(made)
    return made


def _check_power(power: sp.Basic) -> None:
    """Refuse powers of powers, 9**9**9**9, that somebody may evaluate once; those inside have been checked."""
    for number, most in ((power.args[1], LARGEST_POWER), (power, LARGEST_NUMBER)):
        try:
            small = abs(complex(number.evalf(5))) <= most
        except OverflowError:
            small = False
        except Exception:  # not a number, such as one over zero, which SymPy does not try to compute either
            small = True
        if not small:
            raise FileError(f"the file has a power beyond {LARGEST_NUMBER:g}, or an exponent beyond {LARGEST_POWER}")


def _check_kinds(name: str, arguments: Sequence[sp.Basic]) -> None:
    """Refuse parts of an expression that are of another kind than SymPy ever puts there."""
    wanted: Any = KINDS_OF_ARGUMENTS.get(name, sp.Expr)
    firsts = {"ExprCondPair": sp.Expr, "Derivative": sp.Expr, "Wrapped": Handle}
    for k, a in enumerate(arguments):
        if not isinstance(a, firsts[name] if k == 0 and name in firsts else wanted):
            raise FileError(f"the file has a {name} of a {type(a).__name__:.60}")
    pairs = arguments[1:] if name == "Derivative" else ()
    if not all(len(p) == 2 and isinstance(p[0], sp.Expr) and isinstance(p[1], sp.Expr) for p in pairs):
        raise FileError("the file has a derivative without a variable, or without an order")


def _check_bearable(name: str, arguments: Sequence[sp.Basic]) -> None:
    """Refuse numbers that SymPy would be busy with for ever once it evaluates them."""
    numbers = [a for a in arguments if isinstance(a, sp.Number)]
    if name == "Pow":
        numbers = numbers[1:]
    elif name not in FUNCTIONS:
        return
    if any(a.is_Rational and abs(a) > LARGEST_POWER for a in numbers):
        raise FileError(f"the file has a power or a function of a number beyond {LARGEST_POWER}")


def _nodes(arguments: Sequence[Any]) -> Sequence[sp.Basic]:
    for a in arguments:
        if not isinstance(a, sp.Basic):
            raise FileError(f"the file has an expression with a {type(a).__name__} in it")
    return arguments


def _text(name: Any) -> str:
    if not isinstance(name, str) or not name or len(name) > LONGEST_NAME:
        raise FileError(f"the file has a symbol without a name, or with one of more than {LONGEST_NAME} characters")
    return name


def _assumed(given: Any) -> dict[str, bool]:
    if not isinstance(given, dict) or not set(given) <= ASSUMPTIONS or not all(type(v) is bool for v in given.values()):
        raise FileError("the file is malformed: a symbol has assumptions that fens does not know")
    return given

