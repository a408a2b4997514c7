"""Places from which on something diffuses whose data do not fit together there, as bases see them.

They are found from formulas: an equation u_t = a u_xx + … tells the derivatives in time of what it starts from, and
where a boundary condition does not hold for these, the solution is singular, as it is where initial values jump or have
a kink, or boundary values do so at some time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import sympy as sp

from .._support.steering import OnsetSites
from ..basis import Onset, Sites
from ..errors import FensError
from ..geometry import Box, Cylinder, Domain, Patch
from ..problem import Condition, Equation, Formula, Jet, Normal, Problem, differentiated, newton_form
from .sites import Place, breaks_along, sites_of


def all_sites(
    domain: Domain, problem: Problem | None = None, given: Sequence[Place] = (), component: int = 0
) -> Sites:
    """The sites of a domain and, with a problem, onsets of diffusion; beside these its corners are no sites."""
    sites = sites_of(domain, problem, given, component)
    onsets = onsets_of(domain, problem) if problem is not None else ()
    return replace(sites, corners=(), onsets=onsets) if onsets else sites


def onsets_of(domain: Domain, problem: Problem) -> tuple[Onset, ...]:
    """Those of all unknowns on a rod in the course of time: a box with two coordinates, or one with time."""
    rod = domain.base if isinstance(domain, Cylinder) else domain
    if not isinstance(rod, Box) or len(domain.coordinates) != 2:
        return ()
    found = (Evolution.of(c, k, problem) for c in problem.conditions if c.region == domain for k in _unknowns(problem))
    return tuple(dict.fromkeys(onset for e in found if e is not None for onset in e.onsets()))


def _unknowns(problem: Problem) -> list[int]:
    return [k for k, c in enumerate(problem.components) if not c.is_constant]


@dataclass(frozen=True)
class Evolution:
    """An equation c_t u_t + c_x u_xx + … = 0 for one unknown, with its axes of space and time."""

    problem: Problem
    domain: Domain
    unknown: int
    equation: Equation
    axes: tuple[int, int]
    rate: sp.Expr
    spread: sp.Expr

    @classmethod
    def of(cls, condition: Condition, unknown: int, problem: Problem) -> Evolution | None:
        """None if an equation is another one: if its highest derivatives are not the second ones along one axis."""
        equation = condition.equation
        if not equation.is_pointwise:
            return None
        try:
            form = newton_form(equation)
        except FensError:
            return None
        highest = [(jet, c) for jet, c in form.coefficients if sum(jet.orders) > 1]
        if len(highest) != 1 or sorted(highest[0][0].orders) != [0, 2] or highest[0][0].unknown != unknown:
            return None
        space = highest[0][0].orders.index(2)
        at_rest = Jet(unknown, (space, 1 - space))  # ∂/∂t
        rate = next((c.expression for jet, c in form.coefficients if jet == at_rest), None)
        spread = highest[0][1].expression
        state = {symbol for _, symbol in equation.jets}
        if rate is None or (rate.free_symbols | spread.free_symbols) & state:
            return None
        return cls(problem, condition.region, unknown, equation, (space, 1 - space), rate, spread)

    def onsets(self) -> Iterator[Onset]:
        """All places at which data do not fit together."""
        space, time = self.axes
        for condition, face in self._faces():
            if face.axes == (space,) and self._starts(face) and self.is_initial(condition):
                for s in breaks_along(condition.equation, face, self.domain):
                    yield from self._onset(face.place(np.array([[s]])).points[0])
            elif face.axes == (time,):
                for s in breaks_along(condition.equation, face, self.domain):
                    yield from self._onset(face.place(np.array([[s]])).points[0])
                if not self.fits(condition, face):
                    yield from self._onset(self._start_of(face))

    def _onset(self, place: np.ndarray) -> Iterator[Onset]:
        """The one at a place, if there is a diffusivity."""
        space, time = self.axes
        (x, t), (low, high) = (float(place[k]) for k in self.axes), self.domain.bounds[space]
        rate, spread = (self._value(e, place) for e in (self.rate, self.spread))
        if not (np.isfinite(rate) and np.isfinite(spread) and rate * spread != 0):
            return
        inward = -1.0 if x == high else 1.0
        sense = -1.0 if rate * spread > 0 else 1.0
        duration = abs(self.domain.bounds[time][sense > 0] - t)
        varies = bool((self.spread / self.rate).free_symbols)
        yield Onset(
            (x, t), self.axes, (inward, sense), abs(spread / rate), (low, high), duration, varies,
            not self.problem.is_linear,
        )  # fmt: skip

    def _faces(self) -> Iterator[tuple[Condition, Patch]]:
        """The faces of the domain, with the conditions on each."""
        for c in self.problem.conditions:
            if c.region.domain == self.domain and c.region != self.domain and c.equation.is_pointwise:
                yield from ((c, p) for p in c.region.patches if isinstance(p, Patch) and not c.equation.uses_pairs)

    def is_initial(self, condition: Condition) -> bool:
        """Whether a condition gives values of the unknown."""
        jets = [jet for jet, _ in condition.equation.jets]
        return jets == [Jet(self.unknown, (0, 0))] and condition.equation.is_linear

    def _starts(self, face: Patch) -> bool:
        """Whether time starts on a face across it."""
        time, middle = self.axes[1], (np.array(face.lower) + np.array(face.upper)) / 2
        sense = self._value(self.rate, middle) * self._value(self.spread, middle)
        return bool(face.lower[time] == self.domain.bounds[time][int(sense > 0)])

    def _start_of(self, face: Patch) -> np.ndarray:
        """Where time starts on a face along it."""
        lower, upper = np.array(face.lower), np.array(face.upper)
        middle = (lower + upper) / 2
        return upper if self._value(self.rate, middle) * self._value(self.spread, middle) > 0 else lower

    def fits(self, condition: Condition, face: Patch) -> bool:
        """Whether a condition on an end of the rod holds where time starts, and its derivatives in time, too, for what
        the equation makes of the initial values. What cannot be told counts as if it did.
        """
        place = self._start_of(face)
        if abs(place[self.axes[1]] - self._first) > 0:
            return True
        own = {jet.unknown for jet, _ in condition.equation.jets}
        if self.course is None or own != {self.unknown} or face.normal is None:
            return True
        normals = {s: sp.Float(face.normal[self.domain.axis(s.coordinate)])
                   for s in condition.equation.residual.free_symbols if isinstance(s, Normal)}  # fmt: skip
        F = condition.equation.residual.xreplace(normals)
        course, terms = self.course
        try:
            jets = {symbol: self._of(course, jet) for jet, symbol in condition.equation.jets}
        except FensError:
            return True
        with_course, without = F.xreplace(jets), F.xreplace(dict.fromkeys(jets, sp.S.Zero))
        t = self.domain.coordinates[self.axes[1]]
        along = self._along(place)
        for k in range(terms + 1):
            try:
                left, known = (self._values(e.diff(t, k) if k else e, along) for e in (with_course, without))
            except FensError:  # a function without a formula can be asked for its values only
                break
            size = np.abs(known[0]) + np.nan_to_num(np.abs(left - known)).max()
            if abs(left[0]) > OnsetSites.DISAGREE * size:
                return False
        return True

    def _along(self, place: np.ndarray) -> np.ndarray:
        """Places along the rod, one in a row, beginning with this one: what a sum is there tells what rounding is."""
        found = np.tile(place, (OnsetSites.PLACES, 1))
        low, high = self.domain.bounds[self.axes[0]]
        found[1:, self.axes[0]] = np.linspace(low, high, OnsetSites.PLACES + 1)[1:-1]
        return found

    @cached_property
    def _first(self) -> float:
        """The time at which it starts."""
        middle = np.array([(a + b) / 2 for a, b in self.domain.bounds])
        backwards = self._value(self.rate, middle) * self._value(self.spread, middle) > 0
        return self.domain.bounds[self.axes[1]][int(backwards)]

    @cached_property
    def course(self) -> tuple[sp.Expr, int] | None:
        """The solution shortly after the start, a polynomial in time, and its degree; None if there is no formula."""
        t = self.domain.coordinates[self.axes[1]]
        initial = [c.equation for c, face in self._faces()
                   if face.axes == self.axes[:1] and self._starts(face) and self.is_initial(c)]  # fmt: skip
        if len(initial) != 1 or {jet.unknown for jet, _ in self.equation.jets} != {self.unknown}:
            return None
        (_, value), = initial[0].jets
        F = initial[0].residual
        start, after = (F.xreplace({value: sp.Integer(k)}) for k in (0, 1))
        found = (-start / (after - start)).xreplace({t: sp.Float(self._first)})
        slope = next(s for jet, s in self.equation.jets if jet.orders[self.axes[1]] == 1 and sum(jet.orders) == 1)
        rest = -self.equation.residual.xreplace({slope: sp.S.Zero}) / self.rate
        start_time = sp.Float(self._first)
        for k in range(OnsetSites.DERIVATIVES):
            try:
                after = rest.xreplace({symbol: self._of(found, jet) for jet, symbol in self.equation.jets})
                after = (after.diff(t, k) if k else after).xreplace({t: start_time})
            except (FensError, ValueError, TypeError, AttributeError):
                return found, k
            found += after * (t - start_time) ** (k + 1) / sp.factorial(k + 1)
        return found, int(OnsetSites.DERIVATIVES)

    def _of(self, function: sp.Expr, jet: Jet) -> sp.Expr:
        return differentiated(function, self.domain.coordinates, jet.orders)

    def _value(self, expression: sp.Expr, place: np.ndarray) -> float:
        """NaN if there is none."""
        return float(self._values(expression, place[None])[0])

    def _values(self, expression: sp.Expr, places: np.ndarray) -> np.ndarray:
        try:
            return Formula(expression)(dict(zip(self.domain.coordinates, places.T, strict=True)), len(places))
        except (FensError, KeyError):
            return np.full(len(places), np.nan)
