"""A problem: a map from regions to the equations that hold there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from .._support.stored import stored
from ..errors import EquationError, FensError, RegionError, UnsupportedEquation, quoted
from .equation import Equation
from .expression import as_expression, find_unknowns, taken_apart, worked_out
from .flux import check_jumps
from .operators import unfolded
from .unknowns import Component, Unknown, parts_of

MOST_EQUATIONS = 2000


@stored("Condition")
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
        if len(statements) > MOST_EQUATIONS:
            raise EquationError(
                f"A problem has at most {MOST_EQUATIONS} equations; got {len(statements)}. Values at many points are "
                "one equation: fens.Points with fens.Data."
            )
        self.domains: tuple[Any, ...] = _domains(statements)
        self.coordinates: tuple[sp.Symbol, ...] = self.domains[0].coordinates
        try:
            self.components, read_all = self._read(statements)
        except FensError:
            self._explain(statements)
            raise
        # equations on the domain first, the rest as given
        self.conditions: tuple[Condition, ...] = tuple(
            sorted(read_all, key=lambda c: (c.region not in self.domains, not c.equation.is_pointwise))
        )
        self._check_jumps(statements, self.components)
        for condition in self.conditions:
            _check(condition, self.domains)
        for domain in self.domains:
            if not self.regions_of(domain):
                raise EquationError(
                    f"On {domain.name} there are integrals only, which are one row each; add an equation that holds at "
                    "its points."
                )

    def _read(self, statements: list[tuple[Any, Any]]) -> tuple[tuple[Component, ...], list[Condition]]:
        stated = [(region, s, worked_out(s, self.coordinates, self._space_of(region))) for region, s in statements]
        components = _components([(region, residual) for region, _, residual in stated], self.domains)
        conditions = [
            Condition(region, equation)
            for region, s, residual in stated
            for equation in taken_apart(s, residual, components, self.coordinates)
        ]
        return components, conditions

    def _check_jumps(self, statements: list[tuple[Any, Any]], components: tuple[Component, ...]) -> None:
        """Refuse coefficients that jump under a derivative in the equations on the domains."""
        for region, statement in statements:
            if region in self.domains:
                check_jumps(statement, region, components, self._space_of(region))

    def _explain(self, statements: list[tuple[Any, Any]]) -> None:
        """Refuse jumps in equations that could not be read: they tell more than what they led to, as floor(x) does."""
        try:
            written = [(region, unfolded(as_expression(s), self._space_of(region))) for region, s in statements]
            components = _components(written, self.domains)
        except FensError:
            return
        self._check_jumps(statements, components)

    @classmethod
    def of_conditions(
        cls, domains: tuple[Any, ...], components: tuple[Component, ...], conditions: Iterable[Condition]
    ) -> Problem:
        """A problem of equations that have been read already."""
        self = cls.__new__(cls)
        self.domains, self.components, self.conditions = domains, components, tuple(conditions)
        self.coordinates = domains[0].coordinates
        return self

    @property
    def domain(self) -> Any:
        """The domain, or the first of several."""
        return self.domains[0]

    @property
    def space(self) -> tuple[sp.Symbol, ...]:
        """The coordinates without time."""
        return self._space_of(self.domain)

    def _space_of(self, region: Any) -> tuple[sp.Symbol, ...]:
        """The coordinates of the domain of a region without its time."""
        domain = self.domain if region.domain is None else region.domain
        return tuple(x for x in domain.coordinates if x != getattr(domain, "time", None))

    @property
    def unknowns(self) -> tuple[sp.Expr, ...]:
        """What is sought, as it stands in the equations; functions in the order of their names, then numbers."""
        return tuple(dict.fromkeys(c.unknown for c in self.components))

    @property
    def half_widths(self) -> tuple[tuple[float, ...], ...]:
        """Half the size of the domain of each component, along each axis."""
        return tuple(c.domain.half_widths for c in self.components)

    def of(self, unknown: sp.Expr) -> tuple[int, ...]:
        """The numbers of the components of an unknown: one, or two if it is complex."""
        sought = isinstance(unknown, sp.Basic)  # arrays compare entry by entry
        found = tuple(k for k, c in enumerate(self.components) if sought and c.unknown == unknown)
        if not found:
            known = ", ".join(map(str, self.unknowns))
            raise EquationError(f"{quoted(unknown)} is not an unknown of this problem; it has {known}.")
        return found

    @property
    def is_linear(self) -> bool:
        """Whether every equation is linear in the unknowns."""
        return all(c.equation.is_linear for c in self.conditions)

    @property
    def regions(self) -> tuple[Any, ...]:
        """The regions that carry equations, the domain first."""
        return tuple(dict.fromkeys(c.region for c in self.conditions))

    def regions_of(self, domain: Any) -> dict[Any, int]:
        """The regions of one of the domains, and how many equations hold at each point of them."""
        pointwise = [c.region for c in self.conditions if c.equation.is_pointwise]
        own = (r for r in pointwise if r.domain == domain or (r.domain is None and domain == self.domain))
        return dict(Counter(own))

    def equations_on(self, region: Any) -> tuple[Equation, ...]:
        """The equations that hold on a region, in the order they were given."""
        found = tuple(c.equation for c in self.conditions if hasattr(region, "patches") and c.region == region)
        if not found:
            carrying = ", ".join(r.name for r in self.regions)
            raise RegionError(f"The problem has no equation on {_name(region)}; it has some on: {carrying}.")
        return found

    def _repr_latex_(self) -> str:
        from .typeset import latex_of

        return f"$\\displaystyle {latex_of(self)}$"

    def _repr_html_(self) -> str:
        from .typeset import html_of, sought

        return f"<p>Problem for {escape(sought(self))}</p>{html_of(self)}"

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.unknowns))
        lines = "\n".join(f"  {c.label}" for c in self.conditions)
        return f"Problem for {names} on {' and '.join(d.name for d in self.domains)}:\n{lines}"


def _statements(equations: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    if not isinstance(equations, Mapping):
        raise EquationError(
            f"A problem is a mapping from regions to equations, {{box: Eq(...), box.boundary: Eq(...)}}; "
            f"got {type(equations).__name__}."
        )
    pairs = []
    for region, given in equations.items():
        if not hasattr(region, "patches") or isinstance(region, type):
            raise RegionError(f"The keys of a problem are regions, such as box or box.boundary; got {quoted(region)}.")
        listed = list(given) if isinstance(given, list | tuple) else [given]
        if not listed:
            raise EquationError(f"The list of equations on {region.name} is empty.")
        pairs += [(region, statement) for statement in listed]
    return pairs


def _domains(statements: list[tuple[Any, Any]]) -> tuple[Any, ...]:
    regions = dict.fromkeys(region for region, _ in statements)
    domains = tuple(r for r in regions if r.domain is r)
    if not domains:
        given = ", ".join(r.name for r in regions) or "no region at all"
        raise EquationError(f"No equation holds on the domain itself, only on {given}; add one, {{domain: Eq(...)}}.")
    for other in domains[1:]:
        if other.coordinates != domains[0].coordinates:
            raise RegionError(
                f"The domains of one problem have the same coordinates in the same order; {domains[0].name} has "
                f"{_listed(domains[0].coordinates)} and {other.name} has {_listed(other.coordinates)}."
            )
    for domain in domains:
        domain.check_size()
    for region in regions:
        if region.domain is not None and region.domain not in domains:
            raise RegionError(
                f"The region {region.name!r} belongs to {region.domain.name}, which is not a domain of this problem: "
                f"{' and '.join(d.name for d in domains)}; take the regions from the domains that carry equations."
            )
    return domains


def _components(residuals: list[tuple[Any, sp.Expr]], domains: tuple[Any, ...]) -> tuple[Component, ...]:
    coordinates = domains[0].coordinates
    unknowns = find_unknowns((r for _, r in residuals), coordinates)
    if not any(isinstance(u, AppliedUndef) for u in unknowns):
        raise EquationError(
            f"No equation contains an unknown: a sp.Function of the coordinates, such as "
            f"sp.Function('u')({_listed(coordinates)})."
        )
    found = []
    for unknown in unknowns:
        on = dict.fromkeys(region for region, r in residuals if region in domains and r.has(unknown))
        if isinstance(unknown, Unknown):
            on = dict.fromkeys(domains[:1])
        if len(on) != 1:
            where = " and on ".join(d.name for d in on) or "none"
            raise UnsupportedEquation(
                f"The unknown {unknown} has equations on {len(on)} domains ({where}); each unknown has one domain. "
                "Give each domain its own function, and join them by equations on the boundary they share."
            )
        found += [Component(unknown, next(iter(on)), part) for part in parts_of(unknown)]
    return tuple(found)


def _check(condition: Condition, domains: tuple[Any, ...]) -> None:
    """That the region can give what the equation asks of it."""
    region, equation = condition.region, condition.equation
    if equation.residual.has(sp.DiracDelta, sp.SingularityFunction):
        raise UnsupportedEquation(
            f"The equation {equation.text} contains a point source, DiracDelta, which has no values; SymPy makes one "
            "of the derivative of a step, too. Replace it by a narrow bump, or make two domains that meet there, each "
            "with a function of its own, and give the difference of their fluxes on the boundary they share."
        )
    if equation.uses_normals and not region.has_normals:
        raise EquationError(
            f"The equation {equation.text} uses the outward normal, and {region.name} has none; "
            "put it on a boundary region."
        )
    if equation.uses_pairs and not region.has_pairs:
        raise EquationError(
            f"The equation {equation.text} has a jump, and {region.name} is not a pair of faces; put it on box.pair(x)."
        )
    if not equation.is_pointwise and region.domain is None:
        raise EquationError(f"The equation {equation.text} has an integral, and {region.name} have none.")
    if region.domain is None:
        region.check_inside(domains)
    for data in equation.data:
        expected = None if region.domain is not None else len(region)
        if expected is None:
            raise EquationError(f"Data belongs on a fens.Points region, not on {region.name}.")
        if len(data.values) != expected:
            raise EquationError(
                f"Data has {len(data.values)} values for {expected} points; give one value for each point."
            )
        if data.std is not None and equation.residual.diff(data).free_symbols:
            raise UnsupportedEquation(
                f"The equation {equation.text} has data with a standard deviation times something else than a number; "
                "divide by it."
            )


def _listed(symbols: Iterable[sp.Symbol]) -> str:
    return ", ".join(map(str, symbols))


def _name(region: Any) -> str:
    return str(getattr(region, "name", quoted(region)))
