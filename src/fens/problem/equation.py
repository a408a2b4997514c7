"""Equations that were read: F(x, jets) = 0, with a symbol for each derivative of the unknowns, and if F is linear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from .._support.stored import stored
from .symbols import Data, Normal
from .wrapped import Wrapped


@stored("Jet")
@dataclass(frozen=True)
class Jet:
    """∂^orders of component number `unknown`; orders follow the coordinates. Of two points at the `opposite` one."""

    unknown: int
    orders: tuple[int, ...]
    opposite: bool = False


@stored("Equation")
@dataclass(frozen=True)
class Equation:
    """F = 0, where F is an expression in the coordinates and in one symbol for each derivative of the unknowns.

    It holds at every point of its region, or for a `functional` of F there, such as its integral.
    """

    residual: sp.Expr
    jets: tuple[tuple[Jet, sp.Dummy], ...]
    text: str
    functional: str | None = None  # its name
    statement: sp.Basic | None = field(default=None, repr=False, compare=False)  # as the user wrote it

    @property
    def is_pointwise(self) -> bool:
        """Whether it is F itself that vanishes, at every point, rather than a functional of it."""
        return self.functional is None

    @property
    def uses_normals(self) -> bool:
        """Whether the equation only makes sense where there is an outward normal."""
        return any(isinstance(s, Normal) for s in self.residual.free_symbols)

    @property
    def uses_pairs(self) -> bool:
        """Whether the equation only makes sense for pairs of points."""
        return any(jet.opposite for jet, _ in self.jets)

    @cached_property
    def data(self) -> tuple[Data, ...]:
        """The measured values it refers to."""
        return tuple(s for s in self.residual.free_symbols if isinstance(s, Data))

    @cached_property
    def is_linear(self) -> bool:
        """Whether it is linear in the unknowns; found by differentiating, so that (u + 1)² − u² is."""
        return is_affine(self.residual, {symbol for _, symbol in self.jets})

    def with_numbers(self, numbers: Mapping[int, float]) -> Equation:
        """The equation with the unknown numbers among its components given."""
        known = {symbol: sp.Float(numbers[jet.unknown]) for jet, symbol in self.jets if jet.unknown in numbers}
        if not known:
            return self
        jets = tuple((jet, symbol) for jet, symbol in self.jets if symbol not in known)
        return replace(self, residual=self.residual.xreplace(known), jets=jets, statement=None)


def differentiated(function: Any, coordinates: Sequence[sp.Symbol], orders: Sequence[int]) -> Any:
    """∂^orders of an expression, or of anything else with SymPy's `diff`."""
    counts = [(x, n) for x, n in zip(coordinates, orders, strict=True) if n]
    return function.diff(*counts) if counts else function


def is_affine(expression: sp.Expr, symbols: set[sp.Dummy]) -> bool:
    """Whether an expression is linear in the symbols, up to a constant."""
    if multipliers(expression, symbols) is not None:
        return True
    inside = symbols & expression.free_symbols
    if any(part.free_symbols & inside for part in expression.atoms(Relational, Wrapped)):
        return False  # neither a step nor a callable shows its nonlinearity in a derivative
    return all(not (sp.expand(expression.diff(s)).free_symbols & symbols) for s in inside)


def multipliers(expression: sp.Expr, symbols: set[sp.Dummy]) -> dict[sp.Dummy, sp.Expr] | None:
    """What each symbol is multiplied by, in a sum of multiples of them; None if it is not written as one.

    Most equations are, and differentiating them would take ten times as long.
    """
    terms: dict[sp.Dummy, list[sp.Expr]] = {symbol: [] for symbol in symbols}
    for term in sp.Add.make_args(expression):
        factors = sp.Mul.make_args(term)
        dependent = [f for f in factors if not symbols.isdisjoint(f.free_symbols)]
        if len(dependent) > 1 or not symbols.issuperset(dependent):
            return None
        for symbol in dependent:
            terms[symbol].append(sp.Mul(*(f for f in factors if f is not symbol)))
    return {symbol: sp.Add(*parts) for symbol, parts in terms.items()}
