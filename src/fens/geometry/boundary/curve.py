"""Curves in the plane, and arcs of them.

A curve is smooth on each of its panels [k, k + 1] and runs with the inside on its left, so that its right is outward.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..._support.stored import stored
from ..quadrature.rule import gauss
from .piece import Definition, Piece, Samples

FINE = 32  # places on a panel between which lengths are interpolated
NODES = 6  # of Gauss's rule between these
HALVINGS = 60
OFF = 8 * float(np.finfo(float).eps)  # of coordinates: how far the sides of a crack are off it


def halved(
    low: np.ndarray, high: np.ndarray, like_low: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Intervals cut in halves until no number lies between their ends; one end is like the lower one, one is not."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not np.any((low < middle) & (middle < high)):
            break
        same = like_low(middle)
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return low, high


class Curve(Definition, ABC):
    """A curve in the plane, open or closed."""

    @property
    @abstractmethod
    def panels(self) -> int:
        """The parameter runs from 0 to this."""

    @property
    @abstractmethod
    def closed(self) -> bool:
        """Whether it ends where it begins, smoothly."""

    @abstractmethod
    def at(self, parameter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points and velocities."""

    def beside(self, points: np.ndarray) -> np.ndarray:
        """Which of some points next to it are on the side it stands for; all, if it has no other side."""
        return np.ones(len(points), dtype=bool)

    def turns(self, axis: int) -> Sequence[float] | None:
        """The parameters at which a coordinate stops rising or falling, if that is known."""
        return None


@stored("Segment")
@dataclass(frozen=True)
class Line(Curve):
    """A straight line between two points."""

    start: tuple[float, float]
    end: tuple[float, float]
    panels = 1
    closed = False

    def at(self, parameter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        s, (a, b) = parameter[:, None], (np.array(self.start), np.array(self.end))
        return a * (1 - s) + b * s, np.tile(b - a, (len(parameter), 1))

    def turns(self, axis: int) -> Sequence[float]:
        return ()


@stored("Lip")
@dataclass(frozen=True)
class Lip(Curve):
    """One side of a straight crack, with the inside on its left, a few units of rounding off towards there.

    Which side of the crack a point is on can so be seen from its coordinates. The two sides meet at the tip.
    """

    start: tuple[float, float]
    end: tuple[float, float]
    ends_at_tip: bool
    panels = 1
    closed = False

    def at(self, parameter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        start, end = np.array(self.start), np.array(self.end)
        tip, mouth = (end, start) if self.ends_at_tip else (start, end)
        from_tip = (1 - parameter if self.ends_at_tip else parameter)[:, None] * (mouth - tip)
        points, v = tip + from_tip, end - start
        left = np.array([-v[1], v[0]]) / np.linalg.norm(v)
        off = OFF * np.maximum(np.abs(points), np.abs(from_tip)).max(axis=1) * from_tip.any(axis=1)
        return points + off[:, None] * left, np.tile(v, (len(parameter), 1))

    def beside(self, points: np.ndarray) -> np.ndarray:
        """Those on its own side, and those on the crack itself."""
        start, end = np.array(self.start), np.array(self.end)
        from_tip, v = points - (end if self.ends_at_tip else start), (end - start) / np.linalg.norm(end - start)
        size = np.maximum(np.abs(points), np.abs(from_tip)).max(axis=1, initial=0.0)
        own: np.ndarray = v[0] * from_tip[:, 1] - v[1] * from_tip[:, 0] >= -OFF / 2 * size
        return own

    def turns(self, axis: int) -> Sequence[float]:
        return ()


@stored("Oval")
@dataclass(frozen=True)
class Oval(Curve):
    """An ellipse with axes parallel to the coordinates."""

    centre: tuple[float, float]
    radii: tuple[float, float]
    panels = 8
    closed = True

    def at(self, parameter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        angle = parameter * (2 * np.pi / self.panels)
        around = np.column_stack([np.cos(angle), np.sin(angle)])
        ahead = np.column_stack([-around[:, 1], around[:, 0]])
        return np.array(self.centre) + around * self.radii, ahead * self.radii * (2 * np.pi / self.panels)

    def turns(self, axis: int) -> Sequence[float]:
        return ((0.0, 4.0), (2.0, 6.0))[axis]


@stored("Arc")
@dataclass(frozen=True)
class Arc(Piece):
    """The stretch of a curve between two parameters, of which the first may be any and the second is larger."""

    curve: Curve
    start: float
    end: float
    turned: bool = False

    @classmethod
    def whole(cls, curve: Curve) -> Arc:
        """All of a curve."""
        return cls(curve, 0.0, float(curve.panels))

    @property
    def closed(self) -> bool:
        """Whether it is all of a closed curve."""
        return self.curve.closed and self.end - self.start >= self.curve.panels

    @property
    def ends(self) -> tuple[bool, ...]:
        return (not self.closed,)

    @property
    def has_normals(self) -> bool:
        return True

    @property
    def measure(self) -> float:
        return float(self._lengths[1][-1])

    @cached_property
    def knots(self) -> np.ndarray:
        """The parameters between which it is smooth."""
        inner = np.arange(np.floor(self.start) + 1, np.ceil(self.end))
        return np.concatenate([[self.start], inner, [self.end]])

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The corners of the smallest box around it."""
        points = self.at(np.concatenate([[self.start, self.end], self.turns(0), self.turns(1)]))[0]
        return points.min(axis=0), points.max(axis=0)

    def turns(self, axis: int) -> np.ndarray:
        """The parameters at which a coordinate stops rising or falling."""
        if (known := self.curve.turns(axis)) is not None:
            first = np.ceil((self.start - np.array(known)) / self.curve.panels)
            here = known + first * self.curve.panels  # the first of each: the parameter goes on where a curve closes
            return here[(self.start < here) & (here < self.end)]
        fine = self.fine
        shift = 1e-9 * np.diff(fine)  # a place may be an extremum, or belong to two panels
        places = np.column_stack([fine[:-1] + shift, fine[1:] - shift]).ravel()
        signs = np.sign(self.at(places)[1][:, axis])
        last = np.maximum.accumulate(np.where(signs != 0, np.arange(len(signs)), 0))
        signs = signs[last]  # where it stands still, to round-off, it goes on as before
        change = np.flatnonzero(signs[:-1] * signs[1:] < 0)
        sign = signs[change]
        return halved(places[change], places[change + 1], lambda s: np.sign(self.at(s)[1][:, axis]) == sign)[0]

    @property
    def fine(self) -> np.ndarray:
        """Parameters, finely spaced, from its start to its end."""
        fine: np.ndarray = self._lengths[0]
        return fine

    def at(self, parameter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points and velocities of the curve, whose parameter goes on where it closes."""
        return self.curve.at(np.mod(parameter, self.curve.panels) if self.curve.closed else parameter)

    def placed(self, parameter: np.ndarray) -> Samples:
        """Points with their outward normals."""
        points, v = self.at(parameter)
        normals = np.column_stack([v[:, 1], -v[:, 0]]) / np.linalg.norm(v, axis=1)[:, None]
        return Samples(points, -normals if self.turned else normals)

    def attempt(self, unit: np.ndarray) -> tuple[Samples, np.ndarray]:
        parameters, lengths = self._lengths
        found = np.interp(unit[:, 0] * lengths[-1], lengths, parameters)
        return self.placed(found), np.arange(len(unit))

    def contains(self, points: np.ndarray) -> np.ndarray:
        size = np.abs(self.at(self.knots)[0]).max() + self.measure
        if not len(points):
            return np.zeros(0, bool)
        nearest = self.nearest(points)
        there: np.ndarray = np.linalg.norm(self.at(nearest)[0] - points, axis=1) <= 1e-12 * size
        there &= self.curve.beside(points)
        return there

    def rule(self, n: int) -> tuple[Samples, np.ndarray]:
        nodes, weights = gauss(n)
        widths = np.diff(self.knots)
        parameter = (self.knots[:-1, None] + widths[:, None] * nodes).ravel()
        speed = np.linalg.norm(self.at(parameter)[1], axis=1)
        return self.placed(parameter), np.outer(widths, weights).ravel() * speed

    @cached_property
    def _lengths(self) -> tuple[np.ndarray, np.ndarray]:
        """Parameters, finely spaced, and the lengths up to there."""
        fine = np.concatenate([np.linspace(a, b, FINE, endpoint=False) for a, b in self.spans] + [[self.end]])
        nodes, weights = gauss(NODES)
        widths = np.diff(fine)
        speed = np.linalg.norm(self.at((fine[:-1, None] + widths[:, None] * nodes).ravel())[1], axis=1)
        steps = widths * (speed.reshape(len(widths), -1) @ weights)
        return fine, np.concatenate([[0.0], np.cumsum(steps)])

    @property
    def spans(self) -> list[tuple[float, float]]:
        """The panels it runs through, or what it has of them."""
        return list(zip(self.knots[:-1], self.knots[1:], strict=True))

    def nearest(self, points: np.ndarray) -> np.ndarray:
        """The parameters of the nearest points, found by Newton's method from the nearest of many."""
        from scipy.spatial import cKDTree

        fine = self.fine
        nearest = fine[cKDTree(self.at(fine)[0]).query(points)[1]]
        for _ in range(8):
            where, v = self.at(nearest)
            step = np.sum((points - where) * v, axis=1) / np.sum(v * v, axis=1)
            nearest = np.clip(nearest + step, self.start, self.end)
        found: np.ndarray = nearest
        return found
