"""Coefficients that jump under a derivative: refused, with what to write instead.

Derivatives of what jumps are taken on each side of it, and the jump is lost: of (a u′)′ with a step a there remains
a u″, whose smooth solutions have a continuous slope where they should have a continuous flux. So nothing that is
differentiated may jump along the coordinate by which it is; and in front of a highest derivative, where SymPy may have
taken the other one before, a jump must be said to be meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from ..errors import EquationError, UnsupportedEquation
from .discontinuity import Jump, find_jump, find_step, may_jump, points_inside
from .equation import Jet, differentiated, multipliers
from .expression import Reader, as_expression, worked_out
from .formula import real_parts
from .interface import MOST_SHOWN, STEPS, Flux, Interface
from .operators import Held, unfolded, without_strong
from .symbols import Total
from .unknowns import Component


def check_jumps(statement: Any, domain: Any, components: Sequence[Component], space: Sequence[sp.Symbol]) -> None:
    """Refuse an equation on a domain in which something jumps under a derivative, or in front of a highest one."""
    expression = _of_unknowns(as_expression(statement))
    if not may_jump(expression):
        return
    checker = Checker(statement, domain, tuple(components), tuple(space))
    for flux in checker.fluxes(expression):
        checker.check_flux(flux)
    if not expression.has(Total):  # under an integral, a coefficient is a weight
        checker.check_coefficients(expression)


@dataclass(frozen=True)
class Checker:
    """An equation on a domain."""

    statement: Any
    domain: Any
    components: tuple[Component, ...]
    space: tuple[sp.Symbol, ...]

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        found: tuple[sp.Symbol, ...] = self.domain.coordinates
        return found

    def fluxes(self, expression: sp.Expr) -> Iterator[Flux]:
        """Everything in an equation that is still to be differentiated and that may jump, one derivative at a time."""
        real = {x: sp.Dummy(x.name, real=True) for x in self.coordinates}
        back = {dummy: x for x, dummy in real.items()}
        derivatives = unfolded(expression, self.space).xreplace(real).atoms(sp.Derivative)
        for d in sorted(derivatives, key=str):
            if isinstance(d.expr, AppliedUndef) or not all(n.is_Integer for _, n in d.variable_count):
                continue
            inside = d.expr.doit()
            for k, x in enumerate(d.variables):
                if may_jump(inside):
                    yield Flux(inside.xreplace(back), back.get(x, x), d.variables[k:].count(x))
                inside = inside.diff(x)

    def check_flux(self, flux: Flux) -> None:
        """Refuse what jumps along the coordinate by which it is differentiated, or where an unknown has some value."""
        reader = Reader(self.components, self.coordinates, str(self.statement), {})
        read = reader.replaced(flux.inside)
        if (jump := self.jump(read, flux.coordinate, reader.jets)) is not None:
            self._refuse_flux(flux, jump)
        for jet, symbol in reader.jets.items():
            if (at := self._step(read, symbol, reader.jets)) is not None:
                raise UnsupportedEquation(
                    f"In {self.statement}, what is differentiated by {flux.coordinate}, {flux.inside}, jumps where "
                    f"{self._written(jet)} is {at:.6g}. Where that is depends on the solution, and such fronts are not "
                    "supported yet; let the coefficient change over a short range, as 1 + tanh(u/width) does."
                )

    def check_coefficients(self, expression: sp.Expr) -> None:
        """Refuse coefficients of highest derivatives that jump along one of the coordinates of these."""
        reader = Reader(self.components, self.coordinates, str(self.statement), {})
        reader.replaced(worked_out(expression, self.coordinates, self.space))
        plain = reader.replaced(worked_out(without_strong(expression), self.coordinates, self.space))
        if not may_jump(plain):
            return
        symbols = set(reader.jets.values())
        multiples = multipliers(plain, symbols) or multipliers(sp.expand_mul(plain), symbols)
        for jet, symbol in self._highest(reader.jets):
            if multiples is not None:
                coefficient = multiples[symbol]
            else:  # by how much the equation changes with the derivative, which needs no formula of that
                coefficient = plain.xreplace({symbol: sp.Float(1.1)}) - plain.xreplace({symbol: sp.Float(0.3)})
            for x, order in zip(self.coordinates, jet.orders, strict=True):
                if order and (jump := self.jump(coefficient, x, reader.jets)) is not None:
                    self._refuse_coefficient(jet, coefficient if multiples is not None else None, jump)

    def jump(self, expression: sp.Expr, coordinate: sp.Symbol, jets: Mapping[Jet, sp.Dummy]) -> Jump | None:
        """Where an expression jumps along a coordinate, whatever the unknowns are."""
        if not may_jump(expression) or coordinate not in self.coordinates:
            return None
        axis = self.coordinates.index(coordinate)
        for part in real_parts(expression, self.coordinates) if any(c.part for c in self.components) else [expression]:
            for sign in (1, -1):
                found = find_jump(part, self.coordinates, axis, self.domain, self._numbers(jets, sign))
                if found is not None:
                    return found
                if not part.free_symbols & set(jets.values()):
                    break
        return None

    def _step(self, expression: sp.Expr, symbol: sp.Dummy, jets: Mapping[Jet, sp.Dummy]) -> float | None:
        """At which value of an unknown function or of a derivative an expression jumps."""
        constants = {s for jet, s in jets.items() if self.components[jet.unknown].is_constant}
        if symbol in constants or any(c.part for c in self.components):
            return None
        if not any(symbol in s.free_symbols for s in expression.atoms(*STEPS)):
            return None
        for point in points_inside(self.domain, 3)[:3]:
            given = {**self._numbers(jets, 1), **dict(zip(self.coordinates, map(float, point), strict=True))}
            given.pop(symbol)
            if (at := find_step(expression, symbol, given)) is not None:
                return at
        return None

    def _numbers(self, jets: Mapping[Jet, sp.Dummy], sign: int) -> dict[sp.Symbol, float]:
        """Some numbers for the unknowns and their derivatives, with nothing special about them."""
        golden = (np.sqrt(5) - 1) / 2
        return {
            symbol: float(c.unknown.initial) if (c := self.components[jet.unknown]).is_constant
            else sign * (0.5 + float((k + 1) * golden % 1))
            for k, (jet, symbol) in enumerate(jets.items())
        }  # fmt: skip

    def _highest(self, jets: Mapping[Jet, sp.Dummy]) -> list[tuple[Jet, sp.Dummy]]:
        """The derivatives of highest order of each unknown."""
        highest: dict[sp.Expr, int] = {}
        for jet in jets:
            unknown = self.components[jet.unknown].unknown
            highest[unknown] = max(highest.get(unknown, 0), sum(jet.orders))
        return [(j, s) for j, s in jets.items() if sum(j.orders) == highest[self.components[j.unknown].unknown]]

    def _written(self, jet: Jet) -> sp.Expr:
        return differentiated(self.components[jet.unknown].unknown, self.coordinates, jet.orders)

    def _refuse_coefficient(self, jet: Jet, coefficient: sp.Expr | None, jump: Jump) -> NoReturn:
        derivative, u, x = self._written(jet), self.components[jet.unknown].unknown.func, self.coordinates[jump.axis]
        shown = ""
        if coefficient is not None and not coefficient.atoms(sp.Dummy):
            shown = f", a = {-coefficient if coefficient.could_extract_minus_sign() else coefficient},"
        inside = {1: f"a*{u}", 2: f"a*{u}.diff({x})"}.get(sum(jet.orders), f"a*{u}.diff({x}, …)")
        divergence = f"fens.div(a*fens.grad({u})) or " if sum(jet.orders) == 2 else ""
        raise EquationError(
            f"The coefficient a of {derivative} in {self.statement}{shown} jumps {self._where(jump)}, so that this can "
            "mean two things. If the flux is continuous there, as it is between two materials, write the flux form, "
            f"{divergence}sp.Derivative({inside}, {x}), in which no derivative has been taken yet. If a times "
            f"{derivative} is meant as it stands, with all lower derivatives continuous, write "
            f"fens.strong(a*{u}.diff(…)) for that term."
        )

    def _refuse_flux(self, flux: Flux, jump: Jump) -> NoReturn:
        interface = Interface(self.statement, self.domain, self.components, self.space, flux, jump)
        raise UnsupportedEquation(
            f"In {self.statement}, what is differentiated by {flux.coordinate}, {flux.inside}, jumps "
            f"{self._where(jump)}, so that no smooth function solves it. Take a domain for each side, with a function "
            f"of its own, and join them on the boundary they share: {interface}"
        )

    def _where(self, jump: Jump) -> str:
        if jump.values:
            x, more = self.coordinates[jump.axis], len(jump.values) - MOST_SHOWN
            listed = " and ".join(f"{x} = {v:.6g}" for v in jump.values[:MOST_SHOWN])
            return f"at {listed}" + (f" and at {more} more places" if more > 0 else "")
        size = np.ptp(np.array(self.domain.bounds), axis=1)
        values = np.where(np.abs(jump.place) > 1e-12 * size, jump.place, 0.0)  # not x = 1e-21
        place = ", ".join(f"{x} = {v:.6g}" for x, v in zip(self.coordinates, values, strict=True))
        return f"on a surface through {place}" if len(self.coordinates) > 2 else f"on a curve through {place}"


def _of_unknowns(expression: sp.Expr) -> sp.Expr:
    """The terms that contain unknowns or derivatives; sources are as they are, and may be long."""
    terms = sp.Add.make_args(expression)
    return sp.Add(*(t for t in terms if t.has(AppliedUndef, sp.Derivative, Held)))
