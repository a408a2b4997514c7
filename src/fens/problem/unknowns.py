"""What is sought: real functions, complex functions, and numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from .._support.numbers import real_number
from .._support.stored import stored
from ..errors import EquationError, quoted


class Unknown(sp.Symbol):  # type: ignore[misc]
    """A number to be found along with the functions: `k = Unknown("k", initial=1)`.

    `initial` is where the iteration begins.
    """

    initial: float

    def __new__(cls, name: str, initial: Any = 1.0) -> Unknown:
        if not isinstance(name, str) or not name:
            raise EquationError(f"An Unknown needs a name; got {quoted(name)}.")
        message = f"The initial value of the unknown {name} must be a finite number; got {quoted(initial)}."
        value = real_number(initial, EquationError, message)
        if not math.isfinite(value):
            raise EquationError(message)
        self = sp.Symbol.__xnew__(cls, name, real=True)
        self.initial = value
        return self  # type: ignore[no-any-return]

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.initial)

    def __getnewargs_ex__(self) -> tuple[tuple[str, float], dict[str, Any]]:
        return (self.name, self.initial), {}


def complex_unknown(name: str) -> Callable[..., AppliedUndef]:
    """A function with complex values: `u = complex_unknown("u")(x, y)`, for equations with `sp.I`."""
    if not isinstance(name, str) or not name:
        raise EquationError(f"complex_unknown() takes a name; got {quoted(name)}.")
    try:
        return sp.Function(name, complex=True)  # type: ignore[no-any-return]
    except ValueError as error:  # Python has no class of such a name
        raise EquationError(f"complex_unknown() takes a name of letters and digits; got {quoted(name)}.") from error


@stored("Component")
@dataclass(frozen=True)
class Component:
    """A real function or number that is computed: an unknown, or the real or the imaginary part of one."""

    unknown: sp.Expr
    domain: Any
    part: str = ""

    @property
    def is_constant(self) -> bool:
        """Whether it is a number."""
        return isinstance(self.unknown, Unknown)

    @property
    def name(self) -> str:
        """How messages and tables refer to it."""
        plain = str(self.unknown) if self.is_constant else self.unknown.func.__name__
        return f"{self.part} {plain}".strip()


def parts_of(unknown: sp.Expr) -> tuple[str, ...]:
    """The parts by which an unknown is computed."""
    is_complex = unknown.is_complex and not unknown.is_real  # a plain function of SymPy's is neither, and taken as real
    return ("re", "im") if is_complex else ("",)
