"""The places of a domain at which solutions are seldom smooth, as bases see them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from .._support.steering import CornerSites
from ..basis import Corner, Hole, Sites
from ..geometry import Cylinder, Domain, Piece
from ..problem import Equation, Formula, Problem, newton_form, nonsmooth_where_zero


def sites_of(domain: Domain, problem: Problem | None = None) -> Sites:
    """The holes of a domain and, in the plane, its corners; of one in space-time those of its base.

    With a problem, places on a side at which its conditions change, jump or have a kink are corners, too.
    """
    holes = tuple(Hole(centre, radius, tuple(range(len(centre)))) for centre, radius in domain.hole_sites)
    base = domain.base if isinstance(domain, Cylinder) else domain
    return Sites(holes, corners_of(base, problem) if len(base.coordinates) == 2 else ())


@dataclass(frozen=True)
class End:
    """One of the two sides that meet at a place: the direction along it from there, the one into the domain, its
    length, the equations that hold on it, and whether one of them gives values.
    """

    place: np.ndarray
    along: np.ndarray
    inward: np.ndarray
    length: float
    equations: frozenset[str]
    has_values: bool

    @property
    def turn(self) -> float:
        """1 if the domain lies on its left, as seen along it, or −1."""
        return 1.0 if self.along[0] * self.inward[1] - self.along[1] * self.inward[0] > 0 else -1.0

    @property
    def angle(self) -> float:
        """Of the direction along it."""
        return float(np.arctan2(self.along[1], self.along[0]))


def corners_of(domain: Domain, problem: Problem | None = None) -> tuple[Corner, ...]:
    """Where two sides of a domain in the plane meet at an angle, or with conditions that do not continue each other."""
    ends = [end for piece, equations in _sides(domain, problem).items() for end in _ends(piece, equations, domain)]
    places, near = np.array([end.place for end in ends]), CornerSites.SAME_PLACE * max(domain.half_widths)
    alone = problem is not None and is_alone(problem)
    found, seen = list[Corner](), np.zeros(len(ends), dtype=bool)
    for k, end in enumerate(ends):
        here = np.flatnonzero(np.abs(places - end.place).max(axis=1) <= near)
        if not seen[k]:
            corners = (_between(*pair, domain, alone) for pair in _pairs([ends[int(i)] for i in here], domain))
            found += [corner for corner in corners if corner is not None]
        seen[here] = True
    return tuple(found)


def _pairs(ends: list[End], domain: Domain) -> list[tuple[End, End]]:
    """Neighbouring sides at a place between which the domain lies, each with the next one counter-clockwise: one pair
    at most places, and two where a crack starts. None if a side would belong to several.
    """
    firsts, lasts = ([e for e in ends if e.turn == turn] for turn in (1.0, -1.0))
    if len(firsts) != len(lasts):
        return []
    pairs = [(one, min(lasts, key=lambda other: _opening(one, other, domain))) for one in firsts]
    return pairs if len({id(other) for _, other in pairs}) == len(pairs) else []


def _opening(one: End, other: End, domain: Domain) -> float:
    """The angle from one side counter-clockwise to another; sides that lie on each other are a crack or a cusp."""
    opening = (other.angle - one.angle) % (2 * np.pi)
    if min(opening, 2 * np.pi - opening) > CornerSites.STRAIGHT:
        return opening
    beside = one.along + CornerSites.BESIDE * one.inward  # beyond the other side, if the domain is what lies between
    step = CornerSites.ALONG * min(one.length, other.length)
    return 2 * np.pi if domain.contains((one.place + step * beside)[None]).any() else 0.0


def _between(one: End, other: End, domain: Domain, alone: bool) -> Corner | None:
    """The corner from one side counter-clockwise to another; None if there is none, or no way out of the domain."""
    opening = _opening(one, other, domain)
    if abs(opening - np.pi) <= CornerSites.STRAIGHT and one.equations == other.equations:
        return None
    middle = one.angle + opening / 2
    reach = max(math.dist(one.place, far) for far in itertools.product(*domain.bounds))
    cut = way_out(domain, one.place, middle + np.pi, 2 * np.pi - opening, reach)
    if cut is None:
        return None
    shorter, (x, y) = min(one.length, other.length), one.place.tolist()
    return Corner((x, y), middle, opening, (0, 1), cut, shorter, reach, alone, one.has_values and other.has_values)


def way_out(domain: Domain, place: np.ndarray, middle: float, opening: float, reach: float) -> float | None:
    """The direction of a ray from a corner, between its sides on the outside, that stays clear of a domain; None if
    there is none. The one in the middle, if that does; of a slit it is the slit itself.
    """
    if opening <= CornerSites.STRAIGHT:
        return middle
    r = reach * np.linspace(0, 1, CornerSites.ALONG_RAY + 1)[1:]
    shares = np.linspace(-1, 1, CornerSites.RAYS + 2)[1:-1]
    for share in sorted(shares, key=abs):
        angle = middle + share * opening / 2
        if not domain.contains(place + r[:, None] * np.array([np.cos(angle), np.sin(angle)])).any():
            return float(angle)
    return None


def is_alone(problem: Problem) -> bool:
    """Whether all there is in a domain are second derivatives of one function, with constant coefficients."""
    if len(problem.components) > 1 or not problem.is_linear:
        return False
    inside = [newton_form(c.equation) for c in problem.conditions if c.region == problem.components[0].domain]
    return all(sum(jet.orders) == 2 and f.is_constant for form in inside for jet, f in form.coefficients)


def _sides(domain: Domain, problem: Problem | None) -> dict[Piece, frozenset[Equation]]:
    """The curves that bound a domain, as the conditions on them divide it, each with the equations that hold there."""
    found: dict[Piece, frozenset[Equation]] = {}
    for c in problem.conditions if problem is not None else ():
        if c.region.domain == domain and c.region != domain and c.equation.is_pointwise:
            for piece in c.region.patches:
                found[piece] = found.get(piece, frozenset()) | {c.equation}
    for edge in domain.edges:
        if not _is_covered(edge.piece, list(found)):
            found[edge.piece] = frozenset()
    return found


def _gives_values(equation: Equation) -> bool:
    """Whether an equation has no derivatives."""
    return not any(sum(jet.orders) for jet, _ in equation.jets)


def _is_covered(edge: Piece, pieces: list[Piece]) -> bool:
    """Whether pieces are parts of an edge."""
    if edge in pieces:
        return True
    middles = [p.place(np.array([[0.5]])).points for p in pieces if len(p.ends) == 1]
    return any(len(m) > 0 and bool(edge.contains(m).any()) for m in middles)


def _ends(piece: Piece, equations: frozenset[Equation], domain: Domain) -> Iterator[End]:
    """Those of a side, and of the parts into which places divide it at which its equations are not smooth."""
    if len(piece.ends) != 1:
        return
    breaks = sorted({s for e in equations for s in _breaks(e, piece, domain)})
    if not piece.ends[0] and not breaks:
        return
    stops = [*([0.0, 1.0] if piece.ends[0] else []), *breaks]
    for at in sorted(stops):
        for step in (CornerSites.ALONG, -CornerSites.ALONG):
            if 0 <= at + step <= 1:
                here = piece.place(np.array([[at], [at + step]]))
                if here.normals is None or len(here) < 2:
                    continue
                length = piece.measure * min((abs(at - s) for s in stops if (s - at) * step > 0), default=1.0)
                (place, next_place), inward = here.points, -here.normals[0]
                tangent = np.array([-inward[1], inward[0]])  # exact, where the difference of two points is not
                along = tangent * np.sign(tangent @ (next_place - place))
                # at a break the same equations hold on both sides, and are not the same
                own = frozenset(e.text for e in equations) if at in (0.0, 1.0) or step < 0 else frozenset()
                yield End(place, along, inward, length, own, any(map(_gives_values, equations)))


def _breaks(equation: Equation, piece: Piece, domain: Domain) -> list[float]:
    """Where along a side an equation is not smooth: the parameters, strictly between the ends."""
    found = []
    for switch in nonsmooth_where_zero(equation.residual):
        if switch.free_symbols and switch.free_symbols <= set(domain.coordinates):
            formula = Formula(switch)

            def value(s: np.ndarray, formula: Formula = formula) -> np.ndarray:
                points = piece.place(s[:, None]).points
                return formula(dict(zip(domain.coordinates, points.T, strict=True)), len(points))

            found += _zeros(value)
    return [s for s in found if CornerSites.ALONG < s < 1 - CornerSites.ALONG]


def _zeros(value: Callable[[np.ndarray], np.ndarray]) -> list[float]:
    """The zeros of a function on [0, 1] at which it changes its sign."""
    ticks = np.linspace(0, 1, CornerSites.TICKS)
    values = value(ticks)
    found = [float(s) for s, v in zip(ticks, values, strict=True) if v == 0]
    for k in np.flatnonzero(values[:-1] * values[1:] < 0):
        low, high, sign = ticks[k], ticks[k + 1], np.sign(values[k])
        for _ in range(60):
            middle = (low + high) / 2
            same = np.sign(value(np.array([middle]))[0]) == sign
            low, high = (middle, high) if same else (low, middle)
        found.append(float((low + high) / 2))
    return found
