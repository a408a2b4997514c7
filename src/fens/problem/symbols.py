"""The few words an equation needs beyond SymPy's own: normals, jumps, integrals and data."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from .._support.compile import sympified
from .._support.numbers import real_array
from .._support.registry import registry
from ..errors import EquationError, quoted

LARGEST, SMALLEST = 1e75, 1e-75  # of data and deviations, up and down: squares of their ratios are numbers


class OfCoordinate(sp.Symbol):  # type: ignore[misc]
    """A symbol that belongs to a coordinate; its value comes with the points of a region."""

    prefix = ""

    def __new__(cls, coordinate: sp.Symbol) -> OfCoordinate:
        # past SymPy's cache, which would take those of two coordinates of one name for the same object
        self = sp.Symbol.__xnew__(cls, f"{cls.prefix}_{coordinate.name}", real=True)
        self.coordinate = coordinate
        return self  # type: ignore[no-any-return]

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.coordinate)

    def __getnewargs_ex__(self) -> tuple[tuple[sp.Symbol], dict[str, Any]]:
        return (self.coordinate,), {}


class Normal(OfCoordinate):
    """Component of the outward unit normal along one coordinate."""

    prefix = "n"


class Opposite(OfCoordinate):
    """A coordinate at the other one of a pair of points."""

    prefix = "opposite"


class Jump(sp.Function):  # type: ignore[misc]
    """The value on the upper one of a pair of faces minus that on the lower; what `jump(u)` gives."""

    nargs = 1


class Total(sp.Function):  # type: ignore[misc]
    """A functional of an expression on the region of an equation: its integral, or the one that a second part names."""

    nargs = (1, 2)

    @property
    def kind(self) -> str:
        """The name of the functional."""
        return str(self.args[1]) if len(self.args) > 1 else "integral"


ONE_OVER_MEASURE = sp.Dummy("one_over_measure", positive=True)  # of the region of an integral


def jump(expression: Any) -> Jump:
    """The value on the upper face minus that on the lower, for an equation on `box.pair(x)`.

    `{box.pair(x): [Eq(jump(u), 0), Eq(jump(u.diff(x)), 0)]}` makes u periodic in x. The unknown by itself is there
    the value on the upper face.
    """
    return Jump(checked_expression(expression, "jump() takes"))


def integral(expression: Any) -> Total:
    """The integral of an expression over the region on which the equation stands.

    `{disc: [Eq(..., f), Eq(integral(u), 0)]}` asks for a mean of zero; on a boundary region it is a flux. The
    equation is one row: outside of integrals it can contain numbers only.
    """
    return Total(checked_expression(expression, "integral() takes"))


def functional(name: str, expression: Any) -> Total:
    """A functional of an expression on the region of the equation: one that was registered as a condition, by name.

    `integral(u)` is `functional("integral", u)`. `fens.register("condition", name, …)` adds others.
    """
    if not isinstance(name, str) or name not in registry("condition"):
        raise EquationError(
            f"functional() takes the name of a condition, one of {', '.join(registry('condition'))}; "
            f"got {quoted(name)}."
        )
    inside = checked_expression(expression, "functional() takes, after the name,")
    return Total(inside) if name == "integral" else Total(inside, sp.Symbol(name))


def checked_expression(given: Any, what: str) -> sp.Expr:
    """An expression of SymPy's, from what a user gave for it."""
    message = f"{what} an expression, such as u(x, y); got {quoted(given)}."
    expression = sympified(given, EquationError, message)
    if not isinstance(expression, sp.Expr) or getattr(expression, "is_Matrix", False):
        raise EquationError(message)
    return expression


def normal(coordinate: sp.Symbol) -> Normal:
    """The component of the outward unit normal along `coordinate`, for an equation on a boundary region."""
    if not isinstance(coordinate, sp.Symbol):
        raise EquationError(f"normal() takes one coordinate, a SymPy symbol; got {quoted(coordinate)}.")
    return Normal(coordinate)


def normal_derivative(u: AppliedUndef) -> sp.Expr:
    """∂u/∂n = Σ n_i ∂u/∂x_i, for an equation on a boundary region.

    >>> import sympy as sp
    >>> x, y = sp.symbols("x y")
    >>> normal_derivative(sp.Function("u")(x, y))
    n_x*Derivative(u(x, y), x) + n_y*Derivative(u(x, y), y)
    """
    if not isinstance(u, AppliedUndef) or not all(isinstance(x, sp.Symbol) for x in u.args):
        raise EquationError(
            f"normal_derivative() takes an unknown such as u(x, y); got {quoted(u)}. "
            "For other expressions write the sum of fens.normal(x)*expression.diff(x) over the coordinates."
        )
    return sp.Add(*(normal(x) * u.diff(x) for x in u.args))


class Data(sp.Dummy):  # type: ignore[misc]
    """Measured values, one for each point of a `Points` region: `{Points({x: xs}): Eq(u, Data(values))}`.

    With `std`, the standard deviation of their noise, one for all or one for each, they are fitted as well as the
    other equations allow, those with less noise more closely. Without it they must hold like the other equations.
    """

    values: np.ndarray
    std: np.ndarray | None

    def __new__(cls, values: Any, std: Any = None) -> Any:
        if _is_complex(values):
            parts = [cls(part(np.asarray(values)), std) for part in (np.real, np.imag)]
            return parts[0] + sp.I * parts[1]
        array = real_array(values, EquationError, f"Data takes an array of numbers; got {quoted(values)}.")
        if array.ndim != 1:
            raise EquationError(f"Data takes one value for each point, a 1-D array; got shape {array.shape}.")
        if not np.isfinite(array).all():
            where = int(np.flatnonzero(~np.isfinite(array))[0])
            raise EquationError(f"Data must be finite; value number {where} is {array[where]}.")
        if (largest := np.abs(array).max(initial=0.0)) > LARGEST:
            raise EquationError(
                f"Data are at most {LARGEST:g} in size, else their squares are no numbers; got {largest:g}. "
                "Measure in another unit."
            )
        self = super().__new__(cls, "data", real=True)
        self.values = array
        self.std = None if std is None else _deviations(std, len(array))
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (self.values, self.std), {}


def _is_complex(values: Any) -> bool:
    try:
        return bool(np.iscomplexobj(values))
    except Exception:  # an object may raise anything when it is asked for its numbers
        return False


def _deviations(std: Any, count: int) -> np.ndarray:
    message = f"The standard deviation of Data must be a number or an array; got {quoted(std)}."
    array = real_array(std, EquationError, message)
    if array.shape not in ((), (count,)):
        raise EquationError(f"Data has {count} values and deviations of shape {array.shape}; give one for each.")
    if not (np.isfinite(array).all() and (array > 0).all()):
        raise EquationError("The standard deviations of Data must be positive and finite.")
    if not ((array >= SMALLEST) & (array <= LARGEST)).all():
        raise EquationError(
            f"The standard deviations of Data are from {SMALLEST:g} to {LARGEST:g}, else squares are no numbers; "
            f"they go from {array.min():g} to {array.max():g}. Measure in another unit."
        )
    return np.array(np.broadcast_to(array, (count,)))
