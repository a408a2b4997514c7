"""What makes a problem one of evolution: what holds at all times, and what is known at the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from ..geometry import Box, Cylinder, Domain, Extruded, Pair, Part, Patch, Piece, Points, Region
from ..problem import Component, Condition, Formula, Jet, Normal, Problem, Wrapped, newton_form

MOST_TOGETHER = 12  # initial values that equations give only together


@dataclass(frozen=True)
class AtAllTimes:
    """A condition that holds at all times, and where in space; without a region it is an equation of a system of ODEs.

    `at` has the places of one that holds at points.
    """

    condition: Condition
    region: Region | None
    at: np.ndarray | None = None


@dataclass(frozen=True)
class Evolution:
    """A problem in a cylinder, or on an interval of time alone, that goes on from its first instant.

    `orders` has, for each component, the order of its highest derivative in time: zero for one that the others
    determine at each instant, as a pressure. `initial` has the values and derivatives, (component, order), at first.
    """

    problem: Problem
    base: Domain | None
    time: sp.Symbol
    start: float
    end: float
    running: tuple[AtAllTimes, ...]
    orders: tuple[int, ...]
    initial: dict[tuple[int, int], Formula]

    @classmethod
    def of(cls, problem: Problem) -> Evolution | None:
        """The evolution that a problem states; None if it states none that can go forward in time by itself."""
        found = _cylinder(problem)
        if found is None or any(c.is_constant for c in problem.components):
            return None
        base, time, start, end = found
        running, first = list[AtAllTimes](), list[Condition]()
        for c in problem.conditions:
            if not c.equation.is_pointwise or c.equation.data:
                return None
            if _is_initial(c.region, problem.domain, time, start):
                first.append(c)
            elif (here := _at_all_times(c, problem.domain)) is not None:
                running.append(here)
            else:
                return None
        axis = problem.coordinates.index(time)
        orders = _orders(problem, running, axis)
        inside = sum(c.region == problem.domain for c in problem.conditions)
        initial = _initial_values(first, axis)
        wanted = {(k, q) for k, r in enumerate(orders) for q in range(r)}
        if not any(orders) or inside != len(problem.components) or initial is None or not wanted <= set(initial):
            return None
        return cls(problem, base, time, start, end, tuple(running), orders, initial)

    @property
    def axis(self) -> int:
        """The number of time among the coordinates."""
        return self.problem.coordinates.index(self.time)

    @property
    def length(self) -> float:
        """How long it is."""
        return self.end - self.start

    @property
    def has_more_at_first(self) -> bool:
        """Whether initial conditions say more than it takes to begin."""
        return any(q >= self.orders[k] for k, q in self.initial)

    @cached_property
    def is_steady(self) -> bool:
        """Whether equations are linear, with coefficients that do not depend on time."""
        forms = [newton_form(r.condition.equation) for r in self.running]
        return self.problem.is_linear and all(
            self.time not in c.expression.free_symbols and not c.expression.has(Wrapped)
            for form in forms for _, c in form.coefficients
        )

    @cached_property
    def constraints(self) -> dict[int, int] | None:
        """Which equation in the domain determines each unknown without derivative in time, as that of continuity the
        pressure; None if the others do not give the derivatives of the others.
        """
        axis, domain = self.axis, self.problem.domain
        inside = [r.condition.equation for r in self.running if r.condition.region == domain]
        for r in self.running:
            outward = {n: 0 for n in r.condition.equation.residual.free_symbols
                       if isinstance(n, Normal) and n.coordinate == self.time}
            left_of = r.condition.equation.residual.xreplace(outward) if outward else None
            for jet, symbol in r.condition.equation.jets:
                if left_of is not None and not left_of.has(symbol):
                    continue  # normals of sides have no part in time
                mixed = sum(jet.orders) != jet.orders[axis]
                highest = jet.orders[axis] and jet.orders[axis] == self.orders[jet.unknown]
                if jet.orders[axis] and (r.condition.region != domain or (highest and mixed)):
                    return None
        left = [e for e, equation in enumerate(inside) if not any(j.orders[axis] for j, _ in equation.jets)]
        slaves = [k for k, order in enumerate(self.orders) if not order]
        if len(left) != len(slaves):
            return None
        found = {}
        for k in slaves:  # first those that have it
            own = [e for e in left if any(jet.unknown == k for jet, _ in inside[e].jets)]
            found[k] = (own or left)[0]
            left.remove(found[k])
        return found

    @cached_property
    def multipliers(self) -> tuple[int, ...]:
        """The unknowns without derivative in time that are in no equation without one: they see to it that it holds."""
        inside = [r.condition.equation for r in self.running if r.condition.region == self.problem.domain]
        slaves = set(self.constraints or ())
        return tuple(
            k for k, e in (self.constraints or {}).items()
            if not any(jet.unknown in slaves for jet, _ in inside[e].jets)
        )

    def until(self, end: float) -> Problem:
        """The problem as far as some time."""
        return shortened(self.problem, end)


def _cylinder(problem: Problem) -> tuple[Domain | None, sp.Symbol, float, float] | None:
    domain = problem.domain
    if len(problem.domains) > 1:
        return None
    if isinstance(domain, Cylinder):
        return domain.base, domain.time, domain.start, domain.end
    if isinstance(domain, Box) and len(domain.coordinates) == 1:
        return (None, domain.coordinates[0], *domain.bounds[0])
    return None


def _is_initial(region: Region, domain: Domain, time: sp.Symbol, start: float) -> bool:
    """Whether a region is the whole of the first instant."""
    if isinstance(domain, Cylinder):
        return bool(region == domain.initial)
    if isinstance(region, Points):
        return bool((region.arrays[time] == start).all())
    return isinstance(region, Part) and all(
        isinstance(p, Patch) and p.lower == p.upper == (start,) for p in region.patches
    )


def _at_all_times(condition: Condition, domain: Domain) -> AtAllTimes | None:
    """A condition without time; None if it does not hold at all times."""
    region = condition.region
    if region == domain:
        return AtAllTimes(condition, getattr(domain, "base", None))
    if not isinstance(domain, Cylinder):
        return None
    if isinstance(region, Points):
        places = _sensors(region, domain)
        return None if places is None else AtAllTimes(condition, None, places)
    pieces = [_without_time(p, domain) for p in region.patches]
    if not isinstance(region, Part) or any(p is None for p in pieces) or not pieces:
        return None
    kept = tuple(p for p in pieces if p is not None)
    if isinstance(region, Pair):
        return None if domain.coordinates[region.axis] == domain.time else AtAllTimes(
            condition, Pair(domain.base, region.title, kept, region.axis, region.lower)
        )
    return AtAllTimes(condition, Part(domain.base, region.title, kept))


def _without_time(piece: Piece, domain: Cylinder) -> Piece | None:
    """A piece of the boundary in space of which this is all that passes in time; None if it is something else."""
    through = (domain.start, domain.end)
    if isinstance(piece, Extruded) and (piece.start, piece.end) == through:
        return piece.base
    if isinstance(piece, Patch) and (piece.lower[-1], piece.upper[-1]) == through:
        normal = None if piece.normal is None else piece.normal[:-1]
        return replace(piece, lower=piece.lower[:-1], upper=piece.upper[:-1], normal=normal)
    return None


def _sensors(region: Points, domain: Cylinder) -> np.ndarray | None:
    """The places of points that are the same at several times from the first to the last; None for other points."""
    columns = [region.arrays[x] for x in domain.base.coordinates]
    places = np.unique(np.stack(columns, axis=1), axis=0)
    when = np.unique(region.arrays[domain.time])
    whole = len(when) > 2 and when[0] <= domain.start + 1e-9 and when[-1] >= domain.end - 1e-9
    return places if whole and len(places) * len(when) == len(columns[0]) else None


def _orders(problem: Problem, running: Sequence[AtAllTimes], axis: int) -> tuple[int, ...]:
    found = [0] * len(problem.components)
    for r in running:
        for jet, _ in r.condition.equation.jets:
            found[jet.unknown] = max(found[jet.unknown], jet.orders[axis])
    return tuple(found)


def _initial_values(conditions: Sequence[Condition], axis: int) -> dict[tuple[int, int], Formula] | None:
    """What initial conditions say of each component and its derivatives in time; None if they say something else."""
    symbols: dict[tuple[int, int], sp.Symbol] = {}
    residuals = []
    for c in conditions:
        own = {symbol: _in_time(jet, axis) for jet, symbol in c.equation.jets}
        if not c.equation.is_linear or c.equation.uses_normals or None in own.values():
            return None
        for what in own.values():
            symbols.setdefault(what, sp.Dummy(f"u{what}"))  # type: ignore[arg-type]
        residuals.append(c.equation.residual.xreplace({s: symbols[what] for s, what in own.items()}))  # type: ignore[index]
    if len(symbols) != len(residuals):
        return None
    alone = _one_by_one(residuals, list(symbols.values()))
    if alone is None and len(symbols) <= MOST_TOGETHER:
        solved = sp.solve(residuals, list(symbols.values()), dict=True)
        alone = solved[0] if len(solved) == 1 else None
    if alone is None or set(alone) != set(symbols.values()):
        return None
    return {what: Formula(alone[s]) for what, s in symbols.items()}


def _one_by_one(residuals: Sequence[sp.Expr], symbols: Sequence[sp.Symbol]) -> dict[sp.Symbol, sp.Expr] | None:
    """The values of symbols from equations with one of them in each; None if some have more."""
    found = {}
    for F in residuals:
        inside = [s for s in symbols if F.has(s)]
        if len(inside) != 1:
            return None
        slope = F.diff(inside[0])
        found[inside[0]] = -F.xreplace({inside[0]: sp.S.Zero}) / slope
    return found


def _in_time(jet: Jet, axis: int) -> tuple[int, int] | None:
    """The component and the order in time of a derivative that has none in space."""
    return (jet.unknown, jet.orders[axis]) if sum(jet.orders) == jet.orders[axis] and not jet.opposite else None


def are_alike(one: Evolution, other: Evolution) -> bool:
    """Whether two evolutions have the same equations and initial values, whenever they end."""
    equations = [_written(e) for e in (one, other)]
    firsts = [{what: f.expression for what, f in e.initial.items()} for e in (one, other)]
    return equations[0] == equations[1] and firsts[0] == firsts[1]


def _written(evolution: Evolution) -> set[tuple[Any, sp.Expr]]:
    """Regions in space and what holds there, with the same symbols for derivatives."""
    found = set()
    for r in evolution.running:
        names = {symbol: sp.Symbol(f"{jet}") for jet, symbol in r.condition.equation.jets}
        where = r.region.name if r.at is None and r.region is not None else str(r.at)
        found.add((where, r.condition.equation.residual.xreplace(names)))
    return found


def shortened(problem: Problem, end: float) -> Problem:
    """A problem as far as some time: the same conditions, on the parts of their regions that are before it."""
    domain = problem.domain
    if isinstance(domain, Cylinder):
        block: Any = replace(domain, end=end)
    else:
        (t,), ((start, _),) = domain.coordinates, domain.bounds
        block = Box({t: (start, end)}, name=domain.label)
    conditions = [Condition(_moved(c.region, domain, block), c.equation) for c in problem.conditions]
    components = tuple(Component(c.unknown, block, c.part) for c in problem.components)
    return Problem.of_conditions((block,), components, conditions)


def _moved(region: Region, whole: Domain, block: Domain) -> Region:
    """A region of a domain as that of a shorter one."""
    if region == whole:
        return block
    if isinstance(region, Points):
        return _before(region, whole, *block.bounds[-1])
    if not isinstance(whole, Cylinder):
        return replace(region, of=block)  # type: ignore[type-var]
    if region == whole.initial:
        return block.initial  # type: ignore[attr-defined, no-any-return]
    pieces = tuple(_cut(p, block) for p in region.patches)
    return replace(region, of=block, pieces=pieces)  # type: ignore[type-var]


def _before(points: Points, whole: Domain, start: float, end: float) -> Points:
    """Those that are before some time; of places at which something holds at all times there are some until then."""
    time = getattr(whole, "time", whole.coordinates[0])
    when = points.arrays[time]
    before = {x: a[when <= end] for x, a in points.arrays.items()}
    held = _sensors(points, whole) if isinstance(whole, Cylinder) else None
    if held is None or end in when:
        return Points(before)
    assert isinstance(whole, Cylinder)
    for last in ((start + end) / 2, end):
        if last not in before[time]:
            more = dict(zip(whole.base.coordinates, held.T, strict=True)) | {time: np.full(len(held), last)}
            before = {x: np.concatenate([a, more[x]]) for x, a in before.items()}
    return Points(before)


def _cut(piece: Piece, block: Domain) -> Piece:
    start, end = block.bounds[-1]
    if isinstance(piece, Extruded):
        return replace(piece, start=start, end=end)
    assert isinstance(piece, Patch)
    return replace(piece, lower=(*piece.lower[:-1], start), upper=(*piece.upper[:-1], end))
