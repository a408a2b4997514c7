"""What equations and conditions say of solutions next to a place where sides meet: their leading terms there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import sympy as sp

from .._support.steering import CornerPencil
from ..discretise.condition import known_values
from ..geometry import Domain, Samples
from ..problem import Equation, Formula, Normal, Problem, newton_form, nonsmooth_where_zero
from .pencil import Junction, Row, Term


@dataclass(frozen=True)
class Side:
    """One of the two sides of a sector: its angle, the outward normal there, and the equations that hold on it."""

    angle: float
    normal: tuple[float, ...]
    equations: tuple[Equation, ...]
    is_straight: bool = True


@dataclass(frozen=True)
class Sector:
    """A part of a domain between two sides that meet at a place, counter-clockwise from the first to the last; what
    changes in time is looked at halfway.
    """

    domain: Domain
    place: tuple[float, ...]
    first: Side
    last: Side
    opening: float

    @property
    def somewhen(self) -> np.ndarray:
        """The place, with a time if the domain has one."""
        times = [(low + high) / 2 for low, high in self.domain.bounds[len(self.place) :]]
        return np.array([*self.place, *times])


@dataclass(frozen=True)
class Leading:
    """What is known of an unknown at a corner: see `fens.basis.Corner`."""

    exponents: tuple[complex, ...]
    roots: tuple[tuple[complex, int], ...]
    lowest: int
    alone: bool
    shifted: bool
    radial: bool


@dataclass(frozen=True)
class Read:
    """An equation at a place: its terms, whether they have constant coefficients, and whether there are derivatives in
    time besides, which next to a corner are like lower terms.
    """

    row: Row
    is_constant: bool
    evolves: bool


def leading_terms(problem: Problem, component: int, own: Sector, others: Sequence[Sector]) -> Leading | None:
    """What the sectors that meet at a place make of an unknown in one of them; None if that cannot be told."""
    angle = own.first.angle
    sectors = sorted(_coupled(problem, own, others), key=lambda s: round((s.first.angle - angle) % (2 * np.pi), 9))
    functions = [(k, c) for k, c in enumerate(problem.components) if not c.is_constant]
    members = {k: s for s in sectors for k, c in functions if c.domain == s.domain}
    numbers = {k: i for i, k in enumerate(members)}
    if component not in numbers or len({id(s) for s in members.values()}) < len(sectors):
        return None
    inside, along = list[Read | None](), list[Read | None]()
    for sector in sectors:
        at = sector.somewhen
        equations = [c.equation for c in problem.conditions if c.region == sector.domain and c.equation.is_pointwise]
        inside += [_read(problem, e, at, (), {k: (i, False) for k, i in numbers.items()}) for e in equations]
        for side in (sector.first, sector.last):
            ends = {k: (numbers[k], _is_last(members[k], side, sector)) for k in numbers}
            along += [_read(problem, e, _on(side, at, e, sector.domain), side.normal, ends) for e in side.equations]
    if None in inside or None in along:
        return None
    starts = [angle + round((s.first.angle - angle) % (2 * np.pi), 12) for s in members.values()]
    angles = tuple((start, start + s.opening) for start, s in zip(starts, members.values(), strict=True))
    rows_inside, rows_along = (tuple(r.row for r in part if r is not None) for part in (inside, along))
    junction = Junction(angles, rows_inside, rows_along).regular
    if junction is None:
        return None
    known = _solved(junction.turned(-angle))
    if known is None:
        return None
    exponents, degrees, jump, inside_leads, along_leads, itself = known
    # to the last bit: derivatives of powers cancel only then, next to the corner
    roots = junction.roots()
    if not all(roots):
        return None
    constant = all(r.is_constant for r in inside if r is not None)
    evolves = any(r.evolves for r in inside if r is not None)
    sides = [s for sector in sectors for s in (sector.first, sector.last)]
    exact = all(r.is_constant for r in along if r is not None) and all(s.is_straight for s in sides)
    k, shift = numbers[component], degrees[numbers[component]]
    return Leading(
        tuple(z + shift for z in exponents if z.real > jump + CornerPencil.WHOLE),
        roots[k],
        jump + shift,
        problem.is_linear and constant and inside_leads and not evolves,
        not (exact and along_leads),
        problem.is_linear and constant and (itself or (evolves and inside_leads and len(inside) == 1)),
    )


Known = tuple[tuple[complex, ...], tuple[int, ...], int, bool, bool, bool]


@lru_cache(maxsize=64)
def _solved(junction: Junction) -> Known | None:
    """Exponents and degrees, the degree of jumps, whether there are leading terms only, inside and along sides,
    and whether there is inside but one unknown itself beside second derivatives; None if unknown.
    """
    if not junction.is_determined or junction.degrees is None or junction.jump is None:
        return None
    inside, along = junction.leading
    exponents = junction.exponents(CornerPencil.HIGHEST)
    only = inside == junction.inside, along == junction.along
    itself = len(junction.inside) == 1 and {a.order for a in junction.inside[0]} == {0, 2}
    return exponents, junction.degrees, junction.jump, *only, itself


def _coupled(problem: Problem, own: Sector, others: Sequence[Sector]) -> list[Sector]:
    """The sectors that conditions along their sides couple to one, in turn."""
    found, waiting = [own], [own]
    while waiting:
        sector = waiting.pop()
        for other in others:
            if other not in found and (_mentions(problem, sector, other) or _mentions(problem, other, sector)):
                found.append(other)
                waiting.append(other)
    return found


def _mentions(problem: Problem, sector: Sector, other: Sector) -> bool:
    """Whether a condition along a side of a sector has an unknown of another that has this side, too."""
    unknowns = {k for k, c in enumerate(problem.components) if c.domain == other.domain}
    return sector.domain != other.domain and any(
        any(jet.unknown in unknowns for e in side.equations for jet, _ in e.jets)
        and any(_same_angle(side.angle, s.angle) for s in (other.first, other.last))
        for side in (sector.first, sector.last)
    )


def _on(side: Side, place: np.ndarray, equation: Equation, domain: Domain) -> np.ndarray:
    """Where a condition along a side is read: at its end or, if it switches there to another one, a little before."""
    switches = bool(nonsmooth_where_zero(equation.residual))
    step = CornerPencil.ON_SIDE * max(domain.half_widths[:2]) if switches else 0.0
    return place + step * np.array([np.cos(side.angle), np.sin(side.angle), *[0.0] * (len(place) - 2)])


def _same_angle(one: float, other: float) -> bool:
    return bool(abs(np.exp(1j * one) - np.exp(1j * other)) < CornerPencil.SAME)


def _is_last(member: Sector, side: Side, sector: Sector) -> bool:
    """Whether a side of a sector is the last one of a member: itself, or a neighbour."""
    return side is sector.last if member is sector else _same_angle(member.last.angle, side.angle)


def _read(
    problem: Problem, equation: Equation, place: np.ndarray, normal: Sequence[float], ends: dict[int, tuple[int, bool]]
) -> Read | None:
    """The terms of an equation at a place, without those of unknown numbers; None if it has others, or no value."""
    form = newton_form(equation)
    normals = np.array([*normal, *[0.0] * (len(place) - len(normal))])[None] if normal else None
    samples = Samples(place[None], normals)
    values = known_values(equation, samples, problem.coordinates)
    values |= {symbol: np.zeros(1) for _, symbol in equation.jets}
    terms, constant, evolves = list[Term](), True, False
    for jet, formula in form.coefficients:
        if problem.components[jet.unknown].is_constant:
            continue
        c = _value(formula, values)
        if jet.unknown not in ends or jet.opposite or c is None or not 2 <= len(jet.orders) <= 3:
            return None
        number, at_last = ends[jet.unknown]
        constant &= all(isinstance(s, Normal) for s in formula.expression.free_symbols) and c != 0
        if any(jet.orders[2:]):
            constant &= not any(jet.orders[:2])
            evolves = True
        else:
            terms.append(Term(c, number, (jet.orders[0], jet.orders[1]), at_last))
    largest = max((abs(t.c) for t in terms), default=0.0)
    kept = tuple(t for t in terms if abs(t.c) > CornerPencil.VANISHES * largest)
    return Read(kept, constant, evolves) if kept else None


def _value(formula: Formula, values: dict[sp.Symbol, np.ndarray]) -> float | None:
    """A coefficient, if it is a number."""
    try:
        c = float(formula(values, 1)[0])
    except (KeyError, ValueError):
        return None
    return c if np.isfinite(c) else None


def elsewhere(sectors: Iterable[Sector], own: Sector, near: float) -> list[Sector]:
    """Those at the same place as one."""
    return [s for s in sectors if s is not own and np.abs(np.subtract(s.place, own.place)).max() <= near]
