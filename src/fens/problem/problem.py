"""A problem: a map from regions to the equations that hold there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ..errors import EquationError, RegionError, UnsupportedEquation
from .expression import Equation, find_unknowns, read, worked_out


@dataclass(frozen=True)
class Condition:
    """One equation on one region."""

    region: Any
    equation: Equation

    @property
    def label(self) -> str:
        """How messages refer to it."""
        return f"{self.equation.text} on {self.region.name}"


class Problem:
    """What must hold, and where.

    `equations` maps each region to the equation that holds there, or to a list of them. One of the regions must
    be the domain itself. An equation is `sp.Eq(left, right)`, or an expression that must vanish.

    >>> import fens
    >>> x = sp.Symbol("x")
    >>> u = sp.Function("u")(x)
    >>> rod = fens.Box({x: (0, 1)})
    >>> fens.Problem({rod: sp.Eq(u.diff(x, 2), -1), rod.boundary: sp.Eq(u, 0)})
    Problem for u(x) on the box 0 < x < 1:
      Eq(Derivative(u(x), (x, 2)), -1) on the box 0 < x < 1
      Eq(u(x), 0) on the boundary
    """

    def __init__(self, equations: Mapping[Any, Any]) -> None:
        statements = _statements(equations)
        self.domain: Any = _domain(statements)
        self.coordinates: tuple[sp.Symbol, ...] = self.domain.coordinates
        self.unknowns = _unknowns(statements, self.coordinates)
        statements.sort(key=lambda pair: pair[0] != self.domain)  # the domain first, the rest as given
        self.conditions: tuple[Condition, ...] = tuple(
            Condition(region, read(s, self.unknowns, self.coordinates)) for region, s in statements
        )
        for condition in self.conditions:
            _check(condition, self.domain)

    @property
    def is_linear(self) -> bool:
        """Whether every equation is linear in the unknowns."""
        return all(c.equation.is_linear for c in self.conditions)

    @property
    def regions(self) -> tuple[Any, ...]:
        """The regions that carry equations, the domain first."""
        others = dict.fromkeys(c.region for c in self.conditions if c.region != self.domain)
        return (self.domain, *others)

    @property
    def equations_per_region(self) -> tuple[int, ...]:
        """How many equations hold on each of the regions."""
        return tuple(len(self.equations_on(r)) for r in self.regions)

    def equations_on(self, region: Any) -> tuple[Equation, ...]:
        """The equations that hold on a region, in the order they were given."""
        found = tuple(c.equation for c in self.conditions if c.region == region)
        if not found:
            carrying = ", ".join(r.name for r in self.regions)
            raise RegionError(f"The problem has no equation on {_name(region)}; it has some on: {carrying}.")
        return found

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.unknowns))
        lines = "\n".join(f"  {c.label}" for c in self.conditions)
        return f"Problem for {names} on {self.domain.name}:\n{lines}"


def _statements(equations: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    if not isinstance(equations, Mapping):
        raise EquationError(
            f"A problem is a mapping from regions to equations, {{box: Eq(...), box.boundary: Eq(...)}}; "
            f"got {type(equations).__name__}."
        )
    pairs = []
    for region, given in equations.items():
        if not hasattr(region, "patches") or isinstance(region, type):
            raise RegionError(f"The keys of a problem are regions, such as box or box.boundary; got {region!r}.")
        listed = list(given) if isinstance(given, list | tuple) else [given]
        if not listed:
            raise EquationError(f"The list of equations on {region.name} is empty.")
        pairs += [(region, statement) for statement in listed]
    return pairs


def _domain(statements: list[tuple[Any, Any]]) -> Any:
    regions = dict.fromkeys(region for region, _ in statements)
    domains = [r for r in regions if r.domain is r]
    if not domains:
        given = ", ".join(r.name for r in regions) or "no region at all"
        raise EquationError(
            f"No equation holds on the domain itself, only on {given}; add one, {{domain: Eq(...)}}."
        )
    if len(domains) > 1:
        raise UnsupportedEquation(
            f"The equations are on {len(domains)} domains, {' and '.join(d.name for d in domains)}; "
            "one problem has one domain."
        )
    for region in regions:
        if region.domain is not None and region.domain != domains[0]:
            raise RegionError(
                f"The region {region.name!r} belongs to {region.domain.name}, not to the domain of this problem, "
                f"{domains[0].name}; take the regions from one domain."
            )
    return domains[0]


def _unknowns(statements: list[tuple[Any, Any]], coordinates: tuple[sp.Symbol, ...]) -> tuple[AppliedUndef, ...]:
    unknowns = find_unknowns((worked_out(s, coordinates) for _, s in statements), coordinates)
    if not unknowns:
        raise EquationError(
            f"No equation contains an unknown: a sp.Function of the coordinates, such as "
            f"sp.Function('u')({', '.join(map(str, coordinates))})."
        )
    if len(unknowns) > 1:
        names = ", ".join(map(str, unknowns))
        raise UnsupportedEquation(f"The equations have {len(unknowns)} unknowns, {names}; only one is supported.")
    return unknowns


def _check(condition: Condition, domain: Any) -> None:
    """That the region can give what the equation asks of it."""
    region, equation = condition.region, condition.equation
    if equation.uses_normals and not region.has_normals:
        raise EquationError(
            f"The equation {equation.text} uses the outward normal, and {region.name} has none; "
            "put it on a boundary region."
        )
    if region.domain is None:
        region.check_inside(domain)
    for data in equation.data:
        expected = None if region.domain is not None else len(region)
        if expected is None:
            raise EquationError(f"Data belongs on a fens.Points region, not on {region.name}.")
        if len(data.values) != expected:
            raise EquationError(
                f"Data has {len(data.values)} values for {expected} points; give one value for each point."
            )


def _name(region: Any) -> str:
    return str(getattr(region, "name", repr(region)))
