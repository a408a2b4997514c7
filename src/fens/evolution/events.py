"""The first time at which an expression in the solution changes its sign."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from .._support.steering import Slabs
from ..discretise import RowFunctional, evaluate_jets
from ..errors import SettingError, quoted
from ..geometry import Samples
from ..solution.integral import Parts, parts_of
from .record import Piece, trial_space
from .space import places_inside
from .stages import Array
from .statement import Evolution

RISING, FALLING = (sp.StrictGreaterThan, sp.GreaterThan), (sp.StrictLessThan, sp.LessThan)


@dataclass
class Event:
    """What is waited for: the largest value over space of an expression passes zero, in one direction or in any."""

    evolution: Evolution
    stated: Any
    parts: Parts
    direction: int  # 1 for from below, −1 for from above, 0 for any
    places: Array
    last: float | None = None

    @classmethod
    def of(cls, evolution: Evolution, stated: Any, seed: np.random.SeedSequence) -> Event:
        """An expression, or an inequality that begins to hold."""
        expression, direction = stated, 0
        if isinstance(stated, RISING + FALLING):
            expression, direction = stated.lhs - stated.rhs, 1 if isinstance(stated, RISING) else -1
        parts = parts_of(expression, evolution.problem, "until=")
        if len(parts) > 1 or not parts[0][1] or parts[0][0].expression.has(sp.I):
            raise SettingError(
                f"until= takes a real expression in the unknowns, or an inequality of them; got {quoted(stated)}."
            )
        return cls(evolution, stated, parts, direction, places_inside(evolution, seed))

    def within(self, piece: Piece) -> float | None:
        """When it happens in a slab; None if it does not."""
        value = self._value(piece)
        times = piece.start + (piece.end - piece.start) * np.linspace(0, 1, Slabs.INSTANTS)
        found = [value(t) for t in times]
        if self.last is not None:
            found[0] = self.last
        elif abs(found[0]) <= Slabs.ZERO * max(map(abs, found)):  # what is zero at first does not become so
            found[0] = 0.0
        self.last = found[-1]
        for (s, a), (t, b) in zip(zip(times, found, strict=True), zip(times[1:], found[1:], strict=True), strict=False):
            if a != 0 and a * b <= 0 and self.direction * (b - a) >= 0:
                return self._root(value, s, t, a)
        return None

    def _root(self, value: Callable[[float], float], before: float, after: float, a: float) -> float:
        """Bisection, to the last digit."""
        for _ in range(200):
            middle = (before + after) / 2
            if not before < middle < after:
                break
            b = value(middle)
            before, after = (middle, after) if a * b > 0 else (before, middle)
        return after

    def _value(self, piece: Piece) -> Callable[[float], float]:
        """The largest value over space at a time: among many places, and closer and closer to the best of them."""
        space, weights = trial_space(self.evolution, [piece])
        axis, coordinates = self.evolution.axis, self.evolution.problem.coordinates
        ((formula, jets),) = self.parts
        base = self.evolution.base

        def at(points: Array, t: float) -> Array:
            here = np.insert(points, axis, t, axis=1)
            known = evaluate_jets(space, weights, RowFunctional.of(Samples(here), weights.device), [j for j, _ in jets])
            values = {x: here[:, i] for i, x in enumerate(coordinates)}
            values |= {symbol: known[jet] for jet, symbol in jets}
            return np.asarray(formula(values, len(here)))

        def largest(t: float) -> float:
            values = at(self.places, t)
            if base is None:
                return float(values[0])
            best, value = self.places[int(values.argmax())], float(values.max())
            widths, star = np.array(base.half_widths), self._star(len(best))
            part = Slabs.CLOSER / len(self.places) ** (1 / len(best))
            for _ in range(Slabs.CLOSER_STEPS):
                around = best + part * widths * star
                inside = base.contains(around)
                values = at(around[inside], t) if inside.any() else np.array([-np.inf])
                k = int(values.argmax())
                at_edge = values[k] > value and np.abs(star[inside][k]).max() == 1
                if values[k] > value:
                    best, value = around[inside][k], float(values[k])
                part = part if at_edge else part / 3
                if part < Slabs.CLOSEST:
                    break
            return value

        return largest

    @staticmethod
    def _star(d: int) -> Array:
        """Offsets on a small grid."""
        side = np.linspace(-1, 1, 9 if d == 1 else 5)
        return np.stack(np.meshgrid(*[side] * d, indexing="ij"), axis=-1).reshape(-1, d)
