"""The places of a domain at which solutions are seldom smooth, as bases see them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._support.steering import CornerSites
from ..basis import Corner, Hole, Sites
from ..geometry import Cylinder, Domain, Piece


def sites_of(domain: Domain) -> Sites:
    """The holes of a domain and, in the plane, its corners; of one in space-time those of its base."""
    holes = tuple(Hole(centre, radius, tuple(range(len(centre)))) for centre, radius in domain.hole_sites)
    base = domain.base if isinstance(domain, Cylinder) else domain
    return Sites(holes, corners_of(base) if len(base.coordinates) == 2 else ())


def corners_of(domain: Domain) -> tuple[Corner, ...]:
    """Where two sides of a domain in the plane meet at an angle."""
    ends = [end for facet in domain.edges for end in _ends(facet.piece)]
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
            found.append(Corner(tuple(place.tolist()), first + turn * opening / 2, opening))
    return tuple(found)


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
