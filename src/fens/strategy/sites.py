"""The places of a domain at which solutions are seldom smooth, as bases see them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np

from .._support.steering import CornerSites
from ..basis import Corner, Crack, Hole, Sites
from ..geometry import Cylinder, Domain, Piece, stops
from ..problem import Equation, Formula, Problem, newton_form, nonsmooth_where_zero
from .junction import Sector, Side, elsewhere, leading_terms

Place = tuple[float, ...]


def sites_of(
    domain: Domain, problem: Problem | None = None, given: Sequence[Place] = (), component: int = 0
) -> Sites:
    """The holes of a domain and, in the plane, its corners and cracks; of one in space-time those of its base.

    With a problem, places on a side at which its conditions change, jump or have a kink are corners, too, as are places
    on the boundary that a user gives, and they know what is known there of one of its components.
    """
    holes = tuple(Hole(centre, radius, tuple(range(len(centre)))) for centre, radius in domain.hole_sites)
    base = in_space(domain)
    if len(base.coordinates) != 2:
        return Sites(holes)
    return Sites(holes, corners_of(domain, problem, given, component), cracks=cracks_of(base, problem))


def in_space(domain: Domain) -> Domain:
    """What a domain is at any time."""
    return domain.base if isinstance(domain, Cylinder) else domain


@dataclass(frozen=True)
class End:
    """One of the two sides that meet at a place: the direction along it from there, the one into the domain, its
    length, the equations that hold on it, those of them that go on beyond the place, and whether it is straight.
    """

    place: np.ndarray
    along: np.ndarray
    inward: np.ndarray
    length: float
    equations: tuple[Equation, ...]
    continued: frozenset[str]
    is_straight: bool

    @property
    def has_values(self) -> bool:
        """Whether one of its equations gives values."""
        return any(map(_gives_values, self.equations))

    @property
    def turn(self) -> float:
        """1 if the domain lies on its left, as seen along it, or −1."""
        return 1.0 if self.along[0] * self.inward[1] - self.along[1] * self.inward[0] > 0 else -1.0

    @property
    def angle(self) -> float:
        """Of the direction along it."""
        return float(np.arctan2(self.along[1], self.along[0]))


def corners_of(
    domain: Domain, problem: Problem | None = None, given: Sequence[Place] = (), component: int = 0
) -> tuple[Corner, ...]:
    """Where two sides of a domain in the plane meet at an angle, or with conditions that do not continue each other, or
    where a user says so; of a domain in the course of time, where they do so at all times.
    """
    base = in_space(domain)
    near = CornerSites.SAME_PLACE * max(base.half_widths)
    found = [
        (corner, (one, other))
        for one, other in _meetings(domain, problem, given)
        if (corner := _between(one, other, base, any(math.dist(one.place, p) <= near for p in given))) is not None
    ]
    if not found or problem is None or len(domain.coordinates) != len(problem.coordinates):
        return tuple(corner for corner, _ in found)
    others = [_sector(*pair, d) for d in problem.domains if d != domain for pair in _meetings(d, problem)]
    known = list[Corner]()
    for corner, pair in found:
        own = _sector(*pair, domain)
        leading = leading_terms(problem, component, own, elsewhere(others, own, near))
        alone = {"alone": is_alone(problem)} if leading is None else asdict(leading)
        known.append(replace(corner, **alone | {"shifted": corner.shifted or alone.get("shifted", False)}))
    return tuple(known)


def cracks_of(domain: Domain, problem: Problem | None = None) -> tuple[Crack, ...]:
    """The cracks inside a domain in the plane, which have two tips."""
    alone, near = problem is not None and is_alone(problem), CornerSites.SAME_PLACE * max(domain.half_widths)
    meetings = _meetings(domain, problem) if domain.inside_cracks else []
    found = []
    for ends in domain.inside_cracks:
        at = [next((m for m in meetings if math.dist(m[0].place, place) <= near), None) for place in ends]
        if at[0] is not None and at[1] is not None:
            first, last = (replace(_corner(*pair, domain), alone=alone) for pair in (at[0], at[1]))
            mixed = any(one.has_values != other.has_values for one, other in (at[0], at[1]))
            found.append(Crack((first, last), mixed))
    return tuple(found)


def _meetings(domain: Domain, problem: Problem | None, given: Sequence[Place] = ()) -> list[tuple[End, End]]:
    """All pairs of sides of a domain that meet, with some of the domain between them."""
    base = in_space(domain)
    near = CornerSites.SAME_PLACE * max(base.half_widths)
    sides = _sides(domain, problem).items()
    ends = [end for piece, equations in sides for end in _ends(piece, equations, base, stops(piece, given, near))]
    places = np.array([end.place for end in ends])
    found, seen = list[tuple[End, End]](), np.zeros(len(ends), dtype=bool)
    for k, end in enumerate(ends):
        here = np.flatnonzero(np.abs(places - end.place).max(axis=1) <= near)
        if not seen[k]:
            found += _pairs([ends[int(i)] for i in here], base)
        seen[here] = True
    return found


def _sector(one: End, other: End, domain: Domain) -> Sector:
    """What lies between two sides, for those who ask what equations say of it."""
    first, last = (Side(e.angle, tuple((-e.inward).tolist()), e.equations, e.is_straight) for e in (one, other))
    return Sector(domain, tuple(one.place.tolist()), first, last, _opening(one, other, in_space(domain)))


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


def _between(one: End, other: End, domain: Domain, known: bool) -> Corner | None:
    """The corner from one side counter-clockwise to another; None if there is none, unless it is known that there is
    one, or no way out of the domain.
    """
    opening = _opening(one, other, domain)
    if not known and abs(opening - np.pi) <= CornerSites.STRAIGHT and one.continued == other.continued:
        return None
    corner = _corner(one, other, domain)
    cut = way_out(domain, one.place, corner.cut, 2 * np.pi - opening, corner.reach)
    if cut is not None:
        return replace(corner, cut=cut)
    end = way_within(domain, one.place, corner.cut, 2 * np.pi - opening, corner.reach)
    return None if end is None else replace(corner, cut=end[0], end=end[1], shifted=True)


def _corner(one: End, other: End, domain: Domain) -> Corner:
    """The corner from one side counter-clockwise to another, whether there is a way out of the domain or not."""
    opening = _opening(one, other, domain)
    reach = max(math.dist(one.place, far) for far in itertools.product(*domain.bounds))
    shorter, (x, y) = min(one.length, other.length), one.place.tolist()
    middle, jumps = one.angle + opening / 2, one.has_values and other.has_values
    return Corner((x, y), middle, opening, (0, 1), middle + np.pi, shorter, reach, jumps=jumps)


def way_out(domain: Domain, place: np.ndarray, middle: float, opening: float, reach: float) -> float | None:
    """The direction of a ray from a corner, between its sides on the outside, that stays clear of a domain; None if
    there is none. The one in the middle, if that does; of a slit it is the slit itself.
    """
    r = reach * np.linspace(0, 1, CornerSites.ALONG_RAY + 1)[1:]
    if opening <= CornerSites.STRAIGHT:
        here = tuple(place.tolist())
        if any(here in crack for crack in domain.inside_cracks):
            return None
        past = max((math.dist(*crack) for crack in domain.cracks if here in crack), default=reach)
        r = r[r > past * (1 + CornerSites.ALONG)]
        along = np.array([np.cos(middle), np.sin(middle)])
        return None if domain.contains(place + r[:, None] * along).any() else middle
    shares = np.linspace(-1, 1, CornerSites.RAYS + 2)[1:-1]
    for share in sorted(shares, key=abs):
        angle = middle + share * opening / 2
        if not domain.contains(place + r[:, None] * np.array([np.cos(angle), np.sin(angle)])).any():
            return float(angle)
    return None


def way_within(
    domain: Domain, place: np.ndarray, middle: float, opening: float, reach: float
) -> tuple[float, Place] | None:
    """The direction of a way from a corner, between its sides on the outside, and the place on it that is farthest from
    a domain, before which it does not meet the domain again; None if there is none.
    """
    if opening <= CornerSites.STRAIGHT:
        return None
    r = reach * np.geomspace(CornerSites.ALONG, 1, CornerSites.ALONG_RAY)
    found = list[tuple[float, float, Place]]()
    for share in np.linspace(-1, 1, CornerSites.RAYS + 2)[1:-1]:
        angle = float(middle + share * opening / 2)
        points = place + r[:, None] * np.array([np.cos(angle), np.sin(angle)])
        meets = domain.contains(points)
        before = points[: int(meets.argmax()) if meets.any() else len(points)]
        if len(before):
            away = domain.signed_distance(before)
            found.append((float(away.max()), angle, tuple(before[int(away.argmax())].tolist())))
    return max(found)[1:] if found else None


def is_alone(problem: Problem) -> bool:
    """Whether all there is in a domain are second derivatives of one function, with constant coefficients."""
    if len(problem.components) > 1 or not problem.is_linear:
        return False
    inside = [newton_form(c.equation) for c in problem.conditions if c.region == problem.components[0].domain]
    return all(sum(jet.orders[:2]) == 2 and f.is_constant for form in inside for jet, f in form.coefficients)


def _sides(domain: Domain, problem: Problem | None) -> dict[Piece, frozenset[Equation]]:
    """The curves that bound a domain, as the conditions on them divide it, each with the equations that hold there."""
    found: dict[Piece, frozenset[Equation]] = {}
    for c in problem.conditions if problem is not None else ():
        if c.region.domain == domain and c.region != domain and c.equation.is_pointwise:
            pieces = (p.at_any_time for p in c.region.patches) if isinstance(domain, Cylinder) else c.region.patches
            for piece in (p for p in pieces if p is not None):
                found[piece] = found.get(piece, frozenset()) | {c.equation}
    for edge in in_space(domain).edges:
        if not _is_covered(edge.piece, list(found)):
            found[edge.piece] = frozenset()
    return found


def _gives_values(equation: Equation) -> bool:
    """Whether an equation gives the values of an unknown."""
    return not any(sum(jet.orders) for jet, _ in equation.jets) and len(equation.jets) == 1


def _is_covered(edge: Piece, pieces: list[Piece]) -> bool:
    """Whether pieces are parts of an edge."""
    if edge in pieces:
        return True
    middles = [p.place(np.array([[0.5]])).points for p in pieces if len(p.ends) == 1]
    return any(len(m) > 0 and bool(edge.contains(m).any()) for m in middles)


def _ends(
    piece: Piece, equations: frozenset[Equation], domain: Domain, further: Sequence[float] = ()
) -> Iterator[End]:
    """Those of a side, and of the parts into which places divide it at which its equations are not smooth, or at which
    it is to be divided.
    """
    if len(piece.ends) != 1:
        return
    breaks = {s for e in equations for s in breaks_along(e, piece, domain)}
    breaks |= {s for s in further if not any(abs(s - b) <= CornerSites.SAME_PLACE for b in breaks)}
    if not piece.ends[0] and not breaks:
        return
    marks = sorted({*([0.0, 1.0] if piece.ends[0] else []), *breaks})
    middle = piece.place(np.linspace(0, 1, 5)[1:-1, None]).normals
    for at in marks:
        for step in (CornerSites.ALONG, -CornerSites.ALONG):
            if 0 <= at + step <= 1:
                here = piece.place(np.array([[at], [at + step]]))
                if here.normals is None or len(here) < 2:
                    continue
                length = piece.measure * min((abs(at - s) for s in marks if (s - at) * step > 0), default=1.0)
                (place, next_place), inward = here.points, -here.normals[0]
                tangent = np.array([-inward[1], inward[0]])  # exact, where the difference of two points is not
                along = tangent * np.sign(tangent @ (next_place - place))
                # at a break the same equations hold on both sides, and are not the same
                is_end = at in (0.0, 1.0) and piece.ends[0]
                own = frozenset(e.text for e in equations) if is_end or step < 0 else frozenset()
                straight = middle is not None and bool(np.abs(middle + inward).max() < CornerSites.STRAIGHT)
                yield End(place, along, inward, length, tuple(equations), own, straight)


def breaks_along(equation: Equation, piece: Piece, domain: Domain) -> list[float]:
    """Where along a side an equation is not smooth: the parameters, strictly between the ends."""
    found, around = list[float](), np.array(list(itertools.product(*domain.bounds)))
    for switch in nonsmooth_where_zero(equation.residual):
        if switch.free_symbols and switch.free_symbols <= set(domain.coordinates):
            at = partial(_values, Formula(switch), domain)
            least = CornerSites.VANISHES * float(np.abs(at(around)).max())
            found += _zeros(partial(_along, at, piece), least)
    if piece.ends[0]:
        return [s for s in found if CornerSites.ALONG < s < 1 - CornerSites.ALONG]
    within = [s for s in found if min(s, 1 - s) > CornerSites.SAME_PLACE]
    return within if len(within) == len(found) else [0.0, *within, 1.0]  # where a closed curve begins and ends


def _values(formula: Formula, domain: Domain, points: np.ndarray) -> np.ndarray:
    return formula(dict(zip(domain.coordinates, points.T, strict=True)), len(points))


def _along(value: Callable[[np.ndarray], np.ndarray], piece: Piece, s: np.ndarray) -> np.ndarray:
    """Values along a side, of its parameter."""
    return value(piece.place(s[:, None]).points)


def _zeros(value: Callable[[np.ndarray], np.ndarray], least: float) -> list[float]:
    """The zeros of a function on [0, 1] at which it changes its sign, or touches; along a stretch it may vanish."""
    ticks = np.linspace(0, 1, CornerSites.TICKS)
    values = value(ticks)
    values = np.where(np.abs(values) <= least, 0.0, values)
    before, after = np.append(1, values[:-1]), np.append(values[1:], 1)
    at_tick = np.flatnonzero((values == 0) & (before != 0) & (after != 0))
    inside = [k for k in at_tick if 0 < k < len(ticks) - 1 and before[k] * after[k] < 0]
    found = [float(ticks[k]) for k in at_tick if k not in inside]
    between = [(ticks[k], ticks[k + 1]) for k in np.flatnonzero(values[:-1] * values[1:] < 0)]
    between += [(ticks[k - 1], ticks[k + 1]) for k in inside]
    for low, high in between:
        sign = np.sign(value(np.array([low]))[0])
        for _ in range(60):
            middle = (low + high) / 2
            same = np.sign(value(np.array([middle]))[0]) == sign
            low, high = (middle, high) if same else (low, middle)
        found.append(float(min((low, high), key=lambda s: abs(value(np.array([s]))[0]))))  # to the last bit
    return found
