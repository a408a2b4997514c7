"""Residuals of a slab where it was not asked to satisfy anything: at other places, between its instants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from .._support.device import to_device, to_host
from .._support.numbers import rms
from .._support.steering import Slabs
from ..problem import Jet
from .space import Rows, Space, in_space, streams
from .stages import Array, Jets, Slab, evaluated, form_of


@dataclass(frozen=True)
class Look:
    """What is left of each condition, relative to its terms: usually, and at most between instants or places.

    `terms` are the largest so far: of a solution that has decayed to nothing there is only rounding.
    """

    residuals: tuple[float, ...]
    between_instants: float
    between_places: float
    terms: tuple[float, ...]


@dataclass(frozen=True)
class Lookout:
    """Places for looking at one space: as many as its functions, a few for many instants, and many for one."""

    space: Space
    seed: np.random.SeedSequence

    @property
    def _d(self) -> int:
        return max(1, len(self.space.evolution.problem.coordinates) - 1)

    @cached_property
    def usual(self) -> tuple[Rows, ...]:
        """Other places."""
        return self.space.asking(1.37 if self.space.is_periodic else 1.0, streams(self.seed, 1)[0]).rows

    @cached_property
    def dense(self) -> tuple[Rows, ...]:
        """Many places."""
        n = len(self.space)
        rows = 2.0 + (Slabs.DENSE / n) ** (1 / self._d) if self.space.is_periodic else max(3.0, Slabs.DENSE / n)
        return self.space.asking(rows, streams(self.seed, 2)[1]).rows

    @cached_property
    def few(self) -> tuple[Rows, ...]:
        """Few places."""
        rng = np.random.default_rng(self.seed)
        found = []
        for rows in self.usual:
            some = np.sort(rng.choice(len(rows), min(2, len(rows)), replace=False))
            matrices = {key: m[some] for key, m in rows.matrices.items()}
            found.append(Rows(rows.running, rows.samples.only(some), matrices))
        return tuple(found)

    def _inside(self, slab: Slab, X: Array) -> Callable[[Left], float]:
        """The size that the terms of a condition on the boundary have inside, where they need not vanish."""
        axis, points = slab.space.evolution.axis, self.space.inside[0]
        some = points[:: max(1, len(points) // Slabs.DENSE)]
        own, device = slab.in_time(X), slab.space.B.device

        @lru_cache
        def size(component: int, orders: tuple[int, ...]) -> float:
            if self.space.evolution.base is None:
                return rms(own[component][orders[axis]])
            matrix = slab.space.matrix(in_space(orders, axis), some)
            return rms(to_host(matrix @ to_device(own[component][orders[axis]].T, device)))

        return lambda left: sum(c * size(jet.unknown, jet.orders) for jet, c in left.coefficients)

    def at(self, slab: Slab, X: Array, number: int, former: tuple[float, ...] = ()) -> Look:
        """What a slab leaves of the conditions."""
        rng = np.random.default_rng([number, *self.seed.generate_state(2).tolist()])
        usual = rng.random(Slabs.CHECKED)
        ratios, scales, largest = [], [], []
        inside = self._inside(slab, X)
        for k, rows in enumerate(self.usual):
            left = Left.of(slab, X, rows, usual)
            whole = max(sum(map(rms, left.terms)), inside(left))
            largest.append(max(whole, former[k] if former else 0.0))
            scales.append(max(whole, Slabs.DECAYED * largest[-1]))
            whole = max(whole, Slabs.FADED * largest[-1])
            ratios.append(rms(left.F) / whole if whole > 0 else 0.0)
        dense, one = (np.arange(Slabs.DENSE) + rng.random()) / Slabs.DENSE, rng.random(1)
        return Look(
            tuple(ratios), _worst(slab, X, self.few, dense, scales), _worst(slab, X, self.dense, one, scales),
            tuple(largest),
        )


def _worst(slab: Slab, X: Array, places: tuple[Rows, ...], instants: Array, scales: list[float]) -> float:
    found = [0.0]
    for rows, scale in zip(places, scales, strict=True):
        left = Left.of(slab, X, rows, instants)
        whole = max([scale, *(float(np.abs(t).max()) for t in left.terms)])
        found.append(float(np.abs(left.F).max()) / whole if whole > 0 else 0.0)
    return max(found)


@dataclass(frozen=True)
class Left:
    """What is left of a condition, F, its terms, and the sizes of its coefficients."""

    F: Array
    terms: list[Array]
    coefficients: list[tuple[Jet, float]]

    @classmethod
    def of(cls, slab: Slab, X: Array, rows: Rows, within: Array) -> Left:
        """At places and instants, given as shares of the slab."""
        instants = slab.start + slab.length * within
        jets = _jets_at(slab, X, rows, within)
        values, count = evaluated(slab, rows, jets, instants), len(instants) * len(rows)
        form = form_of(rows)
        F = -form.source(values, count)
        symbols = dict(rows.running.condition.equation.jets)
        coefficients = [(jet, c(values, count)) for jet, c in form.coefficients]
        terms = [c * values[symbols[jet]] for jet, c in coefficients]
        return cls(F, [*terms, F - sum(terms)], [(jet, rms(c)) for jet, c in coefficients])


def _jets_at(slab: Slab, X: Array, rows: Rows, within: Array) -> Jets:
    axis, device, col = slab.space.evolution.axis, slab.space.B.device, slab.collocation
    own, there = slab.in_time(X), col.at(within)
    found: Jets = {}
    for jet, _ in rows.running.condition.equation.jets:
        V, q = own[jet.unknown][jet.orders[axis]], jet.orders[axis]
        known = slab.state.values[jet.unknown]
        first = known[q] if q < len(known) else col.to_end @ V
        coefficients = there @ np.concatenate([first[None], V])
        found[jet] = to_host(rows.matrix(jet, axis) @ to_device(coefficients.T, device)).T
    return found
