"""Arcs cut where they cross the boundary of another shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..region import Domain
from .curve import Arc, halved
from .piece import Samples

LOOKS = 32  # places on a panel that are looked at first
FINEST = 1e-5  # relative to the length of the arc: crossings closer together than this may be missed
ROUND_OFF = 1e-2  # relative to the slack of a shape: depths so small that boundaries are the same
LEAST = 1e-10  # relative to the length of the arc: shorter stretches are none


def clip_arc(arc: Arc, other: Domain, keeps: Callable[[Samples], np.ndarray]) -> list[Arc]:
    """The longest stretches of an arc that are kept: a point is kept with its neighbours up to the next crossing."""
    marks = crossings(arc, other)
    keep = keeps(arc.placed((marks[:-1] + marks[1:]) / 2))
    kept: list[list[float]] = []
    for a, b, wanted in zip(marks[:-1], marks[1:], keep, strict=True):
        if wanted and kept and kept[-1][1] == a:
            kept[-1][1] = b
        elif wanted:
            kept.append([a, b])
    if len(kept) > 1 and arc.closed and kept[0][0] == marks[0] and kept[-1][1] == marks[-1]:
        kept[-1][1] += kept.pop(0)[1] - marks[0]  # across the parameter at which the curve closes
    return [replace(arc, start=float(a), end=float(b)) for a, b in kept]


def crossings(arc: Arc, other: Domain) -> np.ndarray:
    """The ends of the arc, and the parameters between at which it enters, leaves or follows the other boundary."""
    places, depths = _looks(arc, other)
    slack = ROUND_OFF * other.slack
    states = np.where(np.abs(depths) <= slack, 0, np.sign(depths))
    change = np.flatnonzero(np.diff(states))
    before, after = states[change], states[change + 1]
    crossing = before * after != 0  # from one side to the other, not onto the boundary

    def like_before(middle: np.ndarray) -> np.ndarray:
        signed_distance = other.signed_distance(arc.at(middle)[0])
        state = np.where(np.abs(signed_distance) <= slack, 0, np.sign(signed_distance))
        like: np.ndarray = np.where(crossing, np.sign(signed_distance), state) == before
        return like

    low, high = halved(places[change], places[change + 1], like_before)
    found = np.concatenate([[arc.start], (low + high) / 2, [arc.end]])
    gap = LEAST * (arc.end - arc.start)
    inner = [m for m in found[1:-1] if gap < m - arc.start and gap < arc.end - m]
    kept = [k for k, m in enumerate(inner) if k == 0 or m - inner[k - 1] > gap]
    return np.array([arc.start, *(inner[k] for k in kept), arc.end])


def _looks(arc: Arc, other: Domain) -> tuple[np.ndarray, np.ndarray]:
    """Places on the arc, closer where the other boundary is near, and how deep they lie in the other shape."""
    places = np.unique(np.concatenate([np.linspace(a, b, LOOKS + 1) for a, b in arc.spans]))
    depths = other.signed_distance(arc.at(places)[0])
    least = FINEST * arc.measure
    while True:
        points = arc.at(places)[0]
        apart = np.linalg.norm(np.diff(points, axis=0), axis=1)
        same = np.sign(depths[:-1]) == np.sign(depths[1:])
        # depth is about a distance: no boundary fits between two points that are deeper than they are apart
        near = same & (np.abs(depths[:-1]) + np.abs(depths[1:]) < 1.5 * apart) & (apart > least)
        near &= ~((np.abs(depths[:-1]) <= other.slack) & (np.abs(depths[1:]) <= other.slack))
        if not near.any():
            return places, depths
        middle = (places[:-1] + places[1:])[near] / 2
        order = np.argsort(np.concatenate([places, middle]), kind="stable")
        depths = np.concatenate([depths, other.signed_distance(arc.at(middle)[0])])[order]
        places = np.concatenate([places, middle])[order]
