"""Reading what a user wrote as an equation F(x, u, ∂u, ∂²u, …) = 0, and refusing what is none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from .._support.compile import FUNCTIONS, check_bounds
from .._support.sums import written_out
from .._support.symbols import namesakes
from ..errors import EquationError, UnsupportedEquation, quoted
from .equation import Equation, Jet
from .formula import real_parts
from .operators import unfolded
from .symbols import ONE_OVER_MEASURE, Data, Jump, OfCoordinate, Opposite, Total
from .unknowns import Component, Unknown

HIGHEST = 100  # order of a derivative: powers of frequencies of the size of 1000 are numbers up to there


def read(statement: Any, components: Sequence[Component], coordinates: Sequence[sp.Symbol]) -> tuple[Equation, ...]:
    """The equation a user wrote, `Eq(left, right)` or an expression that must vanish, checked and taken apart."""
    return taken_apart(statement, worked_out(statement, coordinates), components, coordinates)


def taken_apart(
    statement: Any, residual: sp.Expr, components: Sequence[Component], coordinates: Sequence[sp.Symbol]
) -> tuple[Equation, ...]:
    """The equation that a statement comes to, with its residual worked out; one between complex values is two."""
    text = str(statement)
    are_complex = any(c.part for c in components)
    _refuse_odd_parts(residual, text, are_complex)
    residual, kind = _integrand(residual, text)
    reader = Reader(components, coordinates, text, {})
    for node in sorted(residual.atoms(Jump), key=str):
        residual = residual.xreplace({node: reader.jump(node.args[0])})
    residual = reader.replaced(residual)
    reader.refuse_foreign_symbols(residual)
    parts = [p for p in real_parts(residual, coordinates) if p != 0] if are_complex else [residual]
    found = []
    for part in parts:
        present = tuple((jet, symbol) for jet, symbol in reader.jets.items() if symbol in part.free_symbols)
        found.append(Equation(part, present, text, kind, statement))
    if not found or not all(e.jets for e in found):
        names = ", ".join(dict.fromkeys(str(c.unknown) for c in components))
        raise EquationError(f"The equation {text} does not contain the unknown {names}; every equation must.")
    return tuple(found)


@dataclass(frozen=True)
class Reader:
    """Puts a symbol for each derivative of the unknowns into an equation, and remembers which."""

    components: Sequence[Component]
    coordinates: Sequence[sp.Symbol]
    text: str
    jets: dict[Jet, sp.Dummy]

    def replaced(self, expression: sp.Expr, opposite: bool = False) -> sp.Expr:
        """The expression with symbols for the unknowns and their derivatives."""
        # in an order that does not depend on hashes, else neither would the order of sums, and so the last bits
        nodes = sorted(self._nodes(expression).items(), key=lambda item: (str(item[1][0]), item[1][1], str(item[0])))
        values = {node: self._value(node, *what, opposite) for node, what in nodes}
        if opposite:
            values.update({x: Opposite(x) for x in self.coordinates})
        return expression.xreplace(values)

    def jump(self, expression: sp.Expr) -> sp.Expr:
        """The difference of an expression across a pair of points."""
        if expression.has(Jump):
            raise UnsupportedEquation(f"The equation {self.text} contains a jump of a jump.")
        return self.replaced(expression) - self.replaced(expression, opposite=True)

    def refuse_foreign_symbols(self, residual: sp.Expr) -> None:
        """Refuse symbols that are neither coordinates nor unknowns nor words of ours."""
        known = set(self.coordinates) | set(self.jets.values()) | {ONE_OVER_MEASURE}
        listed = ", ".join(map(str, self.coordinates))
        for s in sorted(residual.free_symbols, key=str):
            if s in known or isinstance(s, Data):
                continue
            if isinstance(s, OfCoordinate) and s.coordinate in self.coordinates:
                continue
            if other := namesakes([s], self.coordinates):
                raise EquationError(f"The symbol {s} in {self.text} is no coordinate, but has the name of one.{other}")
            raise EquationError(
                f"The symbol {s} in {self.text} is not a coordinate of the domain ({listed}); "
                f"substitute its value first, e.g. equation.subs({s}, 1.0), or if it is sought make it a fens.Unknown."
            )

    def _value(self, node: sp.Expr, unknown: sp.Expr, orders: tuple[int, ...], opposite: bool) -> sp.Expr:
        value = sp.S.Zero
        for k, component in enumerate(self.components):
            if component.unknown == unknown:
                name = f"{component.part} {node}".strip()
                symbol = self.jets.setdefault(Jet(k, orders, opposite), sp.Dummy(name, real=True))
                value += sp.I * symbol if component.part == "im" else symbol
        return value

    def _nodes(self, expression: sp.Expr) -> dict[sp.Expr, tuple[sp.Expr, tuple[int, ...]]]:
        """Every node of the tree that is an unknown or a derivative of one, with which it is and of which orders."""
        unknowns = {c.unknown for c in self.components}
        none = (0,) * len(self.coordinates)
        nodes: dict[sp.Expr, tuple[sp.Expr, tuple[int, ...]]] = {}
        for f in expression.atoms(AppliedUndef, Unknown):
            if f not in unknowns:
                raise UnsupportedEquation(
                    f"The equation {self.text} takes the unknown at {f}, not at the coordinates; "
                    "put the equation on the region where it holds instead, such as box.face(x, 0)."
                )
            nodes[f] = f, none
        for d in expression.atoms(sp.Derivative):
            if d.expr not in unknowns:
                raise EquationError(f"The equation {self.text} contains {d}, which could not be worked out.")
            nodes[d] = d.expr, _orders(d, self.coordinates, self.text)
        return nodes


def _integrand(residual: sp.Expr, text: str) -> tuple[sp.Expr, str | None]:
    """What is integrated, and how, if the equation is one of integrals: other terms count with their share."""
    totals = sorted(residual.atoms(Total), key=str)
    if not totals:
        return residual, None
    stand_ins = {total: sp.Dummy() for total in totals}
    outer = residual.xreplace(stand_ins)
    coefficients = {total: sp.expand(outer).coeff(s) for total, s in stand_ins.items()}
    rest = sp.expand(outer - sum(c * stand_ins[total] for total, c in coefficients.items()))
    kinds = {total.kind for total in totals}
    if len(kinds) > 1 or any(e.free_symbols or e.atoms(AppliedUndef) for e in (rest, *coefficients.values())):
        raise UnsupportedEquation(
            f"The equation {text} is not a sum of integrals, each times a number, and a number; only such equations "
            "with integrals are supported, and only one kind of functional in each."
        )
    inside = sp.Add(*(c * total.args[0] for total, c in coefficients.items()))
    return inside + rest * ONE_OVER_MEASURE, kinds.pop()


def worked_out(statement: Any, coordinates: Sequence[sp.Symbol], space: Sequence[sp.Symbol] | None = None) -> sp.Expr:
    """left − right with all derivatives taken that can be, for coordinates that are real numbers.

    `space` are the coordinates that `laplacian`, `grad` and `div` go over; all of them, unless they are given.
    """
    expression = _unfolded(as_expression(statement), coordinates if space is None else space, statement)
    for d in expression.atoms(sp.Derivative):
        _check_orders(d, statement)
        if d.atoms(AppliedUndef) and not set(d.variables) <= set(coordinates):
            known = ", ".join(map(str, coordinates))
            raise EquationError(
                f"{d} in {statement} differentiates by something else than the coordinates, {known}."
                f"{namesakes(d.variables, coordinates)}"
            )
    if all(map(_is_worked_out, sp.preorder_traversal(expression))):
        return expression
    real = {x: sp.Dummy(x.name, real=True) for x in coordinates}  # else the derivative of |x| is not a formula
    return expression.xreplace(real).doit().xreplace({dummy: x for x, dummy in real.items()})


def _unfolded(expression: sp.Expr, space: Sequence[sp.Symbol], statement: Any) -> sp.Expr:
    try:
        return unfolded(expression, space)
    except EquationError as error:
        raise EquationError(f"The equation {statement} cannot be read: {error}") from error


def _check_orders(derivative: sp.Derivative, statement: Any) -> None:
    """Refuse orders that are no numbers, or so large that their powers of frequencies are none."""
    for _, order in derivative.variable_count:
        if not order.is_Integer:
            raise UnsupportedEquation(f"The equation {statement} contains {derivative}, whose order is not a number.")
        if order > HIGHEST:
            raise UnsupportedEquation(
                f"The equation {statement} contains a derivative of order {order}; the highest order is {HIGHEST}."
            )


def _is_worked_out(node: sp.Basic) -> bool:
    """Whether a node is evaluated, and would be the same if coordinates were known to be real."""
    if isinstance(node, sp.Derivative):
        return isinstance(node.expr, AppliedUndef) and all(isinstance(a, sp.Symbol) for a in node.expr.args)
    plain = sp.Symbol | sp.Number | sp.NumberSymbol | sp.Add | sp.Mul | sp.Pow | sp.Tuple | AppliedUndef
    return (isinstance(node, plain) or node.func in FUNCTIONS) and (not node.args or node.func(*node.args) == node)


def as_expression(statement: Any) -> sp.Expr:
    """left − right of an `Eq`, or the expression itself."""
    check_bounds(statement, EquationError)
    if isinstance(statement, sp.Eq) and not any(getattr(side, "is_Matrix", False) for side in statement.args):
        return written_out(statement.lhs - statement.rhs)
    if statement is True or statement is False or isinstance(statement, sp.logic.boolalg.BooleanAtom):
        raise EquationError(
            f"An equation is {bool(statement)} by itself: SymPy found both sides equal, or never equal, "
            "whatever the unknown is. Write an equation that contains the unknown."
        )
    if isinstance(statement, Relational):
        raise EquationError(f"{statement} is not an equation between expressions; write sp.Eq(left, right).")
    if isinstance(statement, sp.Expr) and not getattr(statement, "is_Matrix", False):
        return written_out(statement)
    raise EquationError(
        f"An equation is sp.Eq(left, right), or an expression that must vanish; got {type(statement).__name__}: "
        f"{quoted(statement)}."
    )


def find_unknowns(expressions: Iterable[sp.Expr], coordinates: Sequence[sp.Symbol]) -> tuple[sp.Expr, ...]:
    """The functions sought, u(x, y), in the order of their names, and after them the numbers."""
    listed = list(expressions)
    functions = {f for e in listed for f in e.atoms(AppliedUndef)}
    candidates = {f for f in functions if set(f.args) == set(coordinates) and len(f.args) == len(coordinates)}
    by_name: dict[str, sp.Expr] = {}
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
    for k in sorted({k for e in listed for k in e.atoms(Unknown)}, key=str):
        if by_name.setdefault(k.name, k) != k:
            raise EquationError(f"Two unknowns have the name {k}; each needs its own.")
    return tuple(by_name.values())


def _refuse_odd_parts(residual: sp.Expr, text: str, may_be_complex: bool) -> None:
    if residual.has(sp.nan, sp.zoo, sp.oo, -sp.oo):
        raise EquationError(f"The equation {text} contains an infinite or undefined number.")
    if residual.has(sp.I) and not may_be_complex:
        raise UnsupportedEquation(
            f"The equation {text} is complex, and its unknowns are real; write them as fens.complex_unknown('u')(x, y)."
        )
    if residual.has(sp.Subs, sp.Integral):
        part = next(iter(residual.atoms(sp.Subs, sp.Integral)))
        raise UnsupportedEquation(
            f"The equation {text} contains {part}, which is neither a derivative nor a formula; for an integral over "
            "a region there is fens.integral."
        )


def _orders(derivative: sp.Derivative, coordinates: Sequence[sp.Symbol], text: str) -> tuple[int, ...]:
    counts = dict(derivative.variable_count)
    return tuple(int(counts.get(x, 0)) for x in coordinates)
