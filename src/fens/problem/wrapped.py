"""Python callables inside equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import sympy as sp

from .._support.compile import sympified
from .._support.numbers import real_array
from ..errors import EquationError, EvaluationError, NotInFile, quoted


@dataclass(frozen=True)
class Absent:
    """What a problem contained when it was saved, and a file cannot hold: a Python function, or an object of one's own.

    It has its name only, and says so when it is asked for points, frequencies or values.
    """

    name: str

    @classmethod
    def of(cls, thing: Any) -> Absent:
        """In the place of a thing that cannot be saved."""
        return cls(str(getattr(thing, "__name__", type(thing).__name__)))

    def __call__(self, *arguments: Any) -> NoReturn:
        raise NotInFile(
            f"The problem contains {self.name}, written in Python, which a file cannot hold: the solution was loaded "
            "without it. It can be evaluated, but to solve the problem again or to see its residual, state it again."
        )

    sample = draw = __call__


class Handle(sp.Atom):  # type: ignore[misc]
    """Carries a Python callable inside a SymPy tree; two handles are equal when they hold the same object."""

    def __new__(cls, function: Callable[..., Any], label: str) -> Handle:
        self = super().__new__(cls)
        self.function, self.label = function, label
        return self  # type: ignore[no-any-return]

    def _hashable_content(self) -> tuple[Any, ...]:
        return (self.label, id(self.function))

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.function, self.label)

    def _sympystr(self, printer: Any) -> str:
        return str(self.label)


class Wrapped(sp.Expr):  # type: ignore[misc]
    """A Python callable applied to expressions in the coordinates; what `wrap(f)(x, y)` gives."""

    is_commutative = True
    is_real = True

    def values_at(self, *arguments: np.ndarray) -> np.ndarray:
        """The callable at arrays of arguments, one value per point."""
        function, label = self.args[0].function, self.args[0].label
        arrays = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in arguments))
        values = call_with_arrays(function, f"The wrapped function {label}", arrays)
        if values.size != 1 and values.shape != arrays[0].shape:
            raise EvaluationError(
                f"The wrapped function {label} must return one value for each point; "
                f"for {arrays[0].size} points it returned an array of shape {values.shape}."
            )
        return np.broadcast_to(values.reshape(()) if values.size == 1 else values, arrays[0].shape)

    def _eval_derivative(self, symbol: sp.Symbol) -> sp.Expr:
        if symbol not in self.free_symbols:
            return sp.S.Zero
        shown = self.xreplace({d: sp.Symbol(d.name) for d in self.atoms(sp.Dummy)})
        raise EquationError(
            f"The wrapped function {shown} has no formula, so it cannot be differentiated; write its derivative as a "
            "wrapped function of its own, or where it jumps a domain for each side (“Interfaces” in the guide)."
        )

    def _sympystr(self, printer: Any) -> str:
        return f"{self.args[0].label}({', '.join(map(printer._print, self.args[1:]))})"

    def _latex(self, printer: Any) -> str:
        label = str(self.args[0].label).replace("_", r"\_")
        return rf"\operatorname{{{label}}}\left({', '.join(map(printer._print, self.args[1:]))}\right)"

    _pretty = _sympystr


def wrap(function: Callable[..., Any], name: str | None = None) -> Callable[..., Wrapped]:
    """A Python function of the coordinates as a coefficient or source that has no formula.

    `wrap(f)(x, y)` may stand in an equation wherever a known function of the coordinates may. `f` gets arrays,
    one for each argument, and returns an array; a function of plain numbers works too, only slower.
    """
    if not callable(function):
        raise EquationError(f"wrap() takes a callable; got {quoted(function)}.")
    if name is not None and not isinstance(name, str):
        raise EquationError(f"The name of a wrapped function is a text; got {quoted(name)}.")
    label = name or str(getattr(function, "__name__", "f")).replace("<lambda>", "f")
    handle = Handle(function, label)

    def applied(*arguments: Any) -> Wrapped:
        message = f"The arguments of {label} must be SymPy expressions; got {quoted(arguments)}."
        expressions = [sympified(a, EquationError, message) for a in arguments]
        if not expressions or not all(isinstance(e, sp.Expr) for e in expressions):
            raise EquationError(f"The wrapped function {label} needs at least one argument, a SymPy expression.")
        return Wrapped(handle, *expressions)

    return applied


def call_with_arrays(function: Callable[..., Any], what: str, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """The values of a user's function, which messages call `what`; one that refuses arrays gets single points."""
    try:
        try:
            values = function(*arrays)
        except (TypeError, ValueError):  # math.sin, or a branch on a value, refuses arrays: one point at a time
            columns = zip(*(a.ravel() for a in arrays), strict=True)
            values = np.array([function(*map(float, point)) for point in columns]).reshape(arrays[0].shape)
    except NotInFile:
        raise
    except Exception as error:
        raise EvaluationError(f"{what} raised {type(error).__name__}: {str(error).rstrip('.')}.") from error
    return real_array(values, EvaluationError, f"{what} must return real numbers.")
