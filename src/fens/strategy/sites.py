"""The places of a domain at which solutions are seldom smooth, as bases see them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from .._support.steering import CornerSites
from ..basis import Corner, Hole, Sites
from ..geometry import Cylinder, Domain, Piece
from ..problem import Problem, newton_form


def sites_of(problem: Problem, domain: Domain) -> Sites:
    """The holes of a domain of a problem and, in the plane, its corners; of one in space-time those of its base."""
    holes = tuple(Hole(centre, radius, tuple(range(len(centre)))) for centre, radius in domain.hole_sites)
    base = domain.base if isinstance(domain, Cylinder) else domain
    if len(base.coordinates) != 2:
        return Sites(holes)
    alone = is_alone(problem)
    return Sites(holes, tuple(replace(c, alone=alone) for c in corners_of(base)))


def is_alone(problem: Problem) -> bool:
    """Whether all there is in a domain are second derivatives of one function, with constant coefficients."""
    if len(problem.components) > 1 or not problem.is_linear:
        return False
    inside = [newton_form(c.equation) for c in problem.conditions if c.region is problem.components[0].domain]
    return all(sum(jet.orders) == 2 and f.is_constant for form in inside for jet, f in form.coefficients)


def corners_of(domain: Domain) -> tuple[Corner, ...]:
    """Where two sides of a domain in the plane meet at an angle."""
    pieces = [facet.piece for facet in domain.edges]
    ends = [end for piece in pieces for end in _ends(piece)]
    lengths = np.array([piece.measure for piece in pieces for _ in _ends(piece)])
    places, near = np.array([place for place, _, _ in ends]), CornerSites.SAME_PLACE * max(domain.half_widths)
    found, seen = list[Corner](), np.zeros(len(ends), dtype=bool)
    for k, (place, along, inward) in enumerate(ends):
        here = np.flatnonzero(np.abs(places - place).max(axis=1) <= near)
        if seen[k] or len(here) != 2:
            continue
        seen[here] = True
        other = ends[int(here[here != k][0])]
        turn = 1.0 if along[0] * inward[1] - along[1] * inward[0] > 0 else -1.0  # on which side of it the domain lies
        first, last = (float(np.arctan2(t[1], t[0])) for t in (along, other[1]))
        opening = (turn * (last - first)) % (2 * np.pi) or 2 * np.pi  # sides that lie on each other are a slit
        if abs(opening - np.pi) > CornerSites.STRAIGHT:
            middle = first + turn * opening / 2
            reach = max(math.dist(place, far) for far in itertools.product(*domain.bounds))
            cut = way_out(domain, place, middle + np.pi, 2 * np.pi - opening, reach)
            if cut is not None:
                shorter = float(min(lengths[here]))
                found.append(Corner(tuple(place.tolist()), middle, opening, (0, 1), cut, shorter, reach))
    return tuple(found)


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


def _ends(piece: Piece) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The two ends of a side: its place, the direction along the side from there, and the one into the domain."""
    if len(piece.ends) != 1 or not piece.ends[0]:
        return
    for end, further in ((0.0, CornerSites.ALONG), (1.0, 1 - CornerSites.ALONG)):
        here = piece.place(np.array([[end], [further]]))
        if here.normals is None:
            continue
        (place, next_place), inward = here.points, -here.normals[0]
        tangent = np.array([-inward[1], inward[0]])  # exact, where the difference of two points is not
        yield place, tangent * np.sign(tangent @ (next_place - place)), inward
