"""Reading one equation: F(x, u, ∂u, ∂²u, …) = 0, with each derivative of the unknown as a symbol of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from ..errors import EquationError, UnsupportedEquation
from .symbols import Data, Normal, Wrapped

Unknowns = Sequence[AppliedUndef]


@dataclass(frozen=True)
class Jet:
    """∂^orders of unknown number `unknown`; orders follow the coordinates of the domain."""

    unknown: int
    orders: tuple[int, ...]


@dataclass(frozen=True)
class Equation:
    """F = 0, where F is an expression in the coordinates and in one symbol for each derivative of the unknowns."""

    residual: sp.Expr
    jets: tuple[tuple[Jet, sp.Dummy], ...]
    text: str

    @property
    def uses_normals(self) -> bool:
        """Whether the equation only makes sense where there is an outward normal."""
        return any(isinstance(s, Normal) for s in self.residual.free_symbols)

    @property
    def data(self) -> tuple[Data, ...]:
        """The measured values it refers to."""
        return tuple(s for s in self.residual.free_symbols if isinstance(s, Data))

    @cached_property
    def is_linear(self) -> bool:
        """Whether it is linear in the unknowns; found by differentiating, so that (u + 1)² − u² is."""
        return is_affine(self.residual, {symbol for _, symbol in self.jets})


def read(statement: Any, unknowns: Unknowns, coordinates: Sequence[sp.Symbol]) -> Equation:
    """The equation a user wrote, `Eq(left, right)` or an expression that must vanish, checked and taken apart."""
    text = str(statement)
    residual = worked_out(statement, coordinates)
    _refuse_odd_parts(residual, text)
    derivatives = _derivatives(residual, unknowns, coordinates, text)
    jets: dict[Jet, sp.Dummy] = {}
    # in an order of their own: that of SymPy's sets changes from one process to the next, and sums with it
    for node, jet in sorted(derivatives.items(), key=lambda item: (item[1].unknown, item[1].orders, str(item[0]))):
        jets.setdefault(jet, sp.Dummy(str(node), real=True))
    residual = residual.xreplace({node: jets[jet] for node, jet in derivatives.items()})
    _refuse_foreign_symbols(residual, set(jets.values()), coordinates, text)
    present = tuple((jet, symbol) for jet, symbol in jets.items() if symbol in residual.free_symbols)
    if not present:
        names = ", ".join(map(str, unknowns))
        raise EquationError(f"The equation {text} does not contain the unknown {names}; every equation must.")
    return Equation(residual, present, text)


def worked_out(statement: Any, coordinates: Sequence[sp.Symbol]) -> sp.Expr:
    """left − right with all derivatives taken that can be, for coordinates that are real numbers."""
    expression = as_expression(statement)
    for d in expression.atoms(sp.Derivative):
        if d.atoms(AppliedUndef) and not set(d.variables) <= set(coordinates):
            known = ", ".join(map(str, coordinates))
            raise EquationError(f"{d} in {statement} differentiates by something else than the coordinates, {known}.")
    real = {x: sp.Dummy(x.name, real=True) for x in coordinates}  # else the derivative of |x| is not a formula
    return expression.xreplace(real).doit().xreplace({dummy: x for x, dummy in real.items()})


def as_expression(statement: Any) -> sp.Expr:
    """left − right of an `Eq`, or the expression itself."""
    if isinstance(statement, sp.Eq) and not any(getattr(side, "is_Matrix", False) for side in statement.args):
        return statement.lhs - statement.rhs
    if statement is True or statement is False or isinstance(statement, sp.logic.boolalg.BooleanAtom):
        raise EquationError(
            f"An equation is {bool(statement)} by itself: SymPy found both sides equal, or never equal, "
            "whatever the unknown is. Write an equation that contains the unknown."
        )
    if isinstance(statement, Relational):
        raise EquationError(f"{statement} is not an equation between expressions; write sp.Eq(left, right).")
    if isinstance(statement, sp.Expr):
        return statement
    raise EquationError(
        f"An equation is sp.Eq(left, right), or an expression that must vanish; got {type(statement).__name__}: "
        f"{statement!r}."
    )


def find_unknowns(expressions: Iterable[sp.Expr], coordinates: Sequence[sp.Symbol]) -> tuple[AppliedUndef, ...]:
    """The functions sought, u(x, y), in the order of their names."""
    functions = {f for e in expressions for f in e.atoms(AppliedUndef)}
    candidates = {f for f in functions if set(f.args) == set(coordinates) and len(f.args) == len(coordinates)}
    by_name: dict[str, AppliedUndef] = {}
    for f in sorted(candidates, key=str):
        other = by_name.setdefault(f.func.__name__, f)
        if other != f:
            raise EquationError(
                f"The unknown appears as {other} and as {f}; use one order of the coordinates, and one symbol "
                "and one function, with the same assumptions, throughout."
            )
    for f in sorted(functions, key=str):
        if f.func.__name__ not in by_name:
            raise EquationError(
                f"The function {f} is not an unknown of this domain, whose coordinates are "
                f"({', '.join(map(str, coordinates))}): an unknown takes each of them once. For a known function "
                "write its formula, or fens.wrap(callable)."
            )
    return tuple(by_name.values())


def _refuse_odd_parts(residual: sp.Expr, text: str) -> None:
    if residual.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        raise EquationError(f"The equation {text} contains an infinite or undefined number.")
    if residual.has(sp.I):
        raise UnsupportedEquation(f"The equation {text} is complex; only real equations are supported.")
    if residual.has(sp.Subs, sp.Integral):
        part = next(iter(residual.atoms(sp.Subs, sp.Integral)))
        raise UnsupportedEquation(f"The equation {text} contains {part}, which is neither a derivative nor a formula.")


def _derivatives(
    residual: sp.Expr, unknowns: Unknowns, coordinates: Sequence[sp.Symbol], text: str
) -> dict[sp.Expr, Jet]:
    """Every node of the tree that is an unknown or a derivative of one, with what it is."""
    place = {u: k for k, u in enumerate(unknowns)}
    nodes: dict[sp.Expr, Jet] = {}
    for f in residual.atoms(AppliedUndef):
        if f not in place:
            raise UnsupportedEquation(
                f"The equation {text} takes the unknown at {f}, not at the coordinates; "
                "put the equation on the region where it holds instead, such as box.face(x, 0)."
            )
        nodes[f] = Jet(place[f], (0,) * len(coordinates))
    for d in residual.atoms(sp.Derivative):
        if d.expr not in place:
            raise EquationError(f"The equation {text} contains {d}, which could not be worked out.")
        nodes[d] = Jet(place[d.expr], _orders(d, coordinates, text))
    return nodes


def _orders(derivative: sp.Derivative, coordinates: Sequence[sp.Symbol], text: str) -> tuple[int, ...]:
    counts = dict(derivative.variable_count)
    if not all(n.is_Integer for n in counts.values()):
        raise UnsupportedEquation(f"The equation {text} contains {derivative}, whose order is not a number.")
    return tuple(int(counts.get(x, 0)) for x in coordinates)


def _refuse_foreign_symbols(
    residual: sp.Expr, jets: set[sp.Dummy], coordinates: Sequence[sp.Symbol], text: str
) -> None:
    known = set(coordinates) | jets
    for s in sorted(residual.free_symbols, key=str):
        if s in known or isinstance(s, Data):
            continue
        if isinstance(s, Normal) and s.coordinate in coordinates:
            continue
        if s.name in {x.name for x in coordinates}:
            raise EquationError(
                f"The symbol {s} in {text} has the name of a coordinate but other assumptions; use one symbol for both."
            )
        raise EquationError(
            f"The symbol {s} in {text} is not a coordinate of the domain "
            f"({', '.join(map(str, coordinates))}); substitute its value first, e.g. equation.subs({s}, 1.0)."
        )


def is_affine(expression: sp.Expr, symbols: set[sp.Dummy]) -> bool:
    """Whether an expression is linear in the symbols, up to a constant."""
    inside = symbols & expression.free_symbols
    if any(part.free_symbols & inside for part in expression.atoms(Relational, Wrapped)):
        return False  # neither a step nor a callable shows its nonlinearity in a derivative
    return all(not (sp.expand(expression.diff(s)).free_symbols & symbols) for s in inside)
