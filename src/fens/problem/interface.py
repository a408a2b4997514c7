"""An equation whose flux jumps, written as two domains that are joined where they meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from .discontinuity import Jump
from .equation import differentiated
from .expression import as_expression
from .operators import unfolded
from .unknowns import Component

STEPS = (sp.Piecewise, sp.Heaviside, sp.sign, sp.floor, sp.ceiling)
MOST_SHOWN = 4  # places that are listed one by one
MOST_NESTED = 8  # steps within steps


@dataclass(frozen=True)
class Flux:
    """What is differentiated, by which coordinate, and how often from there on."""

    inside: sp.Expr
    coordinate: sp.Symbol
    times: int


@dataclass(frozen=True)
class Interface:
    """Where the flux in an equation jumps; its text is how to write that with a domain for each side."""

    statement: Any
    domain: Any
    components: tuple[Component, ...]
    space: tuple[sp.Symbol, ...]
    flux: Flux
    jump: Jump

    def __str__(self) -> str:
        """For this very equation, if its domain is cut into boxes; else how such a thing is written."""
        base, x = self.base, self.flux.coordinate
        if not 0 < len(self.jump.values) <= MOST_SHOWN or not hasattr(base, "intervals") or x not in base.coordinates:
            return (
                "fens.Problem({disc: …, box - disc: …, disc.boundary: [sp.Eq(u1, u2), sp.Eq(a1*fens.normal_derivative("
                "u1), a2*fens.normal_derivative(u2))]}), say; the guide has more under “Interfaces”."
            )
        sides = self.sides
        boxes = ", ".join(f"{s.name} = {self._box(s)}" for s in sides)
        inside = ", ".join(f"{s.name}: {s.of_this(self.statement)}" for s in sides)
        shared = ", ".join(
            f"{a.name}.face({x}, {a.ends[1]:.6g}): [{', '.join(self._continuous(a, b))}]" for a, b in pairwise(sides)
        )
        return (
            f"{boxes}, and fens.Problem({{{inside}, {shared}, …}}); in a file, [domains.{sides[0].name}] and so on. "
            "The guide has more under “Interfaces”."
        )

    @property
    def base(self) -> Any:
        """The domain in space."""
        return getattr(self.domain, "base", self.domain)

    @property
    def sides(self) -> list[Side]:
        """The parts of the domain between the places where the flux jumps."""
        lower, upper = self.base.bounds[self.jump.axis]
        ends = list(pairwise([lower, *self.jump.values, upper]))
        names = ["left", "right"] if len(ends) == 2 else [f"part{k + 1}" for k in range(len(ends))]
        own = {c.unknown for c in self.components if c.domain == self.domain and not c.is_constant}
        return [Side.of(name, e, self.jump, self.domain.coordinates, own) for name, e in zip(names, ends, strict=True)]

    def _continuous(self, one: Side, other: Side) -> Iterator[str]:
        """What is continuous: the unknowns up to where the flux begins, the flux, and its derivatives but the last."""
        x, total, times = self.flux.coordinate, self._total(), self.flux.times
        orders = [(u, _order(total, u, x) - times + 1) for u in sorted(total.atoms(AppliedUndef), key=str)]
        below = [differentiated(u, (x,), (k,)) for u, order in orders for k in range(order)]
        between = [sp.Derivative(self.flux.inside, (x, k)) if k else self.flux.inside for k in range(times - 1)]
        for expression in [*below, *between, total]:
            yield "sp.Eq(" + ", ".join(str(s.of_this(expression).doit()) for s in (one, other)) + ")"

    def _total(self) -> sp.Expr:
        """The sum Φ of all that is differentiated by the coordinate, of an equation that is ∂Φ and other terms."""
        x, parts = self.flux.coordinate, []
        for term in sp.Add.make_args(unfolded(as_expression(self.statement), self.space)):
            factor, derivative = term.as_independent(sp.Derivative, AppliedUndef, x, as_Add=False)
            if isinstance(derivative, sp.Derivative) and x in derivative.variables:
                counts = [(v, n - (v == x)) for v, n in derivative.variable_count if n - (v == x)]
                parts.append((factor, sp.Derivative(derivative.expr, *counts) if counts else derivative.expr))
        if not any(p.has(*self.flux.inside.atoms(*STEPS)) for _, p in parts):
            counts = [(x, self.flux.times - 1)] if self.flux.times > 1 else []
            return sp.Derivative(self.flux.inside, *counts) if counts else self.flux.inside
        return parts[0][1] if len(parts) == 1 else sp.Add(*(f * p for f, p in parts))

    def _box(self, side: Side) -> str:
        intervals = [side.ends if k == self.jump.axis else own for k, own in enumerate(self.base.bounds)]
        sides = (f"{x}: ({a:.6g}, {b:.6g})" for x, (a, b) in zip(self.base.coordinates, intervals, strict=True))
        box, cylinder = f"fens.Box({{{', '.join(sides)}}})", self.domain
        return box if self.base is cylinder else f"{box}.during({cylinder.time}, {cylinder.start:g}, {cylinder.end:g})"


@dataclass(frozen=True)
class Side:
    """One side of a jump: what steps are there, and what the unknowns are called."""

    name: str
    ends: tuple[float, float]
    point: dict[sp.Symbol, sp.Float]
    functions: dict[sp.Expr, sp.Expr]

    @classmethod
    def of(
        cls, name: str, ends: tuple[float, float], jump: Jump, coordinates: Sequence[sp.Symbol], unknowns: set[sp.Expr]
    ) -> Side:
        """The side between two values of the coordinate."""
        place = jump.place.copy()
        place[jump.axis] = sum(ends) / 2
        functions = {u: sp.Function(f"{u.func.__name__}_{name}")(*u.args) for u in unknowns}
        return cls(name, ends, dict(zip(coordinates, map(sp.Float, place), strict=True)), functions)

    def of_this(self, expression: sp.Basic) -> sp.Basic:
        """An expression or equation as it is on this side."""
        for _ in range(MOST_NESTED):
            steps = [s for s in expression.atoms(*STEPS) if s.free_symbols and s.free_symbols <= set(self.point)]
            settled = {s: self._value(s) for s in steps if not s.has(AppliedUndef)}
            if not settled:
                break
            expression = expression.xreplace(settled)
        return expression.xreplace(self.functions)

    def _value(self, step: sp.Expr) -> sp.Expr:
        if isinstance(step, sp.Piecewise):
            return next((e for e, c in step.args if c.xreplace(self.point) == sp.true), sp.nan)
        return sp.Integer(round(step.xreplace(self.point)))


def _order(expression: sp.Expr, unknown: sp.Expr, x: sp.Symbol) -> int:
    """How often an unknown is differentiated by a coordinate."""
    derivatives = [d for d in expression.doit().atoms(sp.Derivative) if d.expr == unknown]
    return max((d.variables.count(x) for d in derivatives), default=0)
