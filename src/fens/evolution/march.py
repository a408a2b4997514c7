"""Two marches side by side through slabs of lengths that suit the solution.

Slabs are halves of halves of the whole time, so that lengths recur and what was factorised for one serves others. A
slab is cut where its equations cannot be solved or its highest degrees have a part in the solution, and the next is
twice as long where half of the degrees are enough; space is refined where its roughest functions have a part. The
second march has other functions of space, other places and more instants, and begins each slab off by rounding: by what
the two differ, whatever became of earlier errors on the way, the first may be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from .._support.device import to_host
from .._support.numbers import EPS
from .._support.progress import time_left
from .._support.steering import Slabs
from .look import Look, Lookout
from .run import Attempt, Restart, Run
from .space import places_inside, streams
from .stages import Array
from .statement import Evolution

UNIT = 2**Slabs.FINEST


@dataclass(frozen=True)
class Step:
    """A slab that was accepted in both marches, by how much each component differs, and a look at it."""

    first: Attempt
    second: Attempt
    end: float
    differences: Array
    sizes: Array
    slopes: Array  # in time, at most
    look: Look

    def restart(self, when: float) -> Restart:
        """What another march needs to go on from some time in the slab."""
        slabs = [(a.slab, a.X) for a in (self.first, self.second)]
        share = 1.0 if when == self.end else (when - slabs[0][0].start) / slabs[0][0].length
        states = tuple((s.space, s.at_end(X) if share == 1.0 else s.at(X, share)) for s, X in slabs)
        return Restart(tuple(s.space.size for s, _ in slabs), states, self.sizes)


class Stopped(Exception):
    """A march that cannot go on: why, and whether it is the beginning that fails.

    The kind is "time" if that was up, "lost" if all digits are gone, or "failed".
    """

    def __init__(
        self, kind: str, why: str, when: float, at_first: bool, length: float = 0.0, features: int = 0
    ) -> None:
        super().__init__(why)
        self.kind, self.why, self.when, self.at_first = kind, why, when, at_first
        self.length, self.features = length, features


@dataclass
class March:
    """Where both marches are: so many units of the whole, in slabs of its half to the power of `level`."""

    evolution: Evolution
    first: Run
    second: Run
    most: int
    position: int = 0
    level: int = Slabs.FIRST
    number: int = 0
    tries: int = 0
    wait: int = 0
    sizes: Array = field(default_factory=lambda: np.zeros(0))
    roughness: list[tuple[int, float]] = field(default_factory=list)  # of the slab that is tried: sizes, and of each
    bearable: float = 0.0  # roughness that more functions did not lower
    terms: tuple[float, ...] = ()  # of each condition, the largest so far
    lookout: Lookout | None = None
    _probes: tuple[Array, dict[int, Array]] | None = None

    @classmethod
    def of(
        cls, evolution: Evolution, seed: np.random.SeedSequence, goal: float, most: int, restart: Restart | None = None
    ) -> March:
        """At the first instant or where another march ended, with at most so many features of space."""
        one, two = streams(seed, 2)
        size = min(first_size(evolution), most) if restart is None else restart.features[0]
        more = second_size(evolution, size)
        starts = (None, None) if restart is None else restart.states
        first = Run.of(evolution, Slabs.STAGES, one, goal, size, start=starts[0])
        second = Run.of(evolution, Slabs.STAGES + Slabs.MORE_STAGES, two, goal, more, EPS, starts[1])
        sizes = np.zeros(len(evolution.orders)) if restart is None else restart.sizes
        march = cls(evolution, first, second, most, sizes=sizes)
        while march.first.roughness > goal and march._refined(march.first.roughness):
            pass
        march.roughness.clear()
        march.bearable = 0.0
        return march

    @property
    def now(self) -> float:
        """How far it has come."""
        return float(self.evolution.start + self.evolution.length * self.position / UNIT)

    def steps(self) -> Iterator[Step]:
        """The slabs one by one."""
        while self.position < UNIT:
            if (self.number or self.tries >= Slabs.TRIES) and not time_left():
                raise Stopped("time", "the time was up", self.now, self.number == 0)
            self.tries += 1
            step = self._step()
            if step is not None:
                self.number += 1
                yield step

    def _step(self) -> Step | None:
        """The next slab; None if it has to be cut, or space refined."""
        size = UNIT >> self.level
        start, length = self.now, self.evolution.length * size / UNIT
        a = self.first.attempt(start, length)
        roughest = Slabs.IN_SLABS * self.first.goal
        if a.solved and a.in_space > max(roughest, a.in_time) and self._refined(a.in_space):
            return None
        # where space does not resolve the solution, time need not do so much better
        least = Slabs.OF_ROUGHNESS * a.in_space if a.solved and a.in_space <= self.bearable else 0.0
        if not a.solved or a.in_time > max(self.first.goal, least):
            self._cut(a, length)
            return None
        if a.in_space > roughest and self._refined(a.in_space):
            return None
        if self.first.grows_by_itself(length) and self._refined():
            return None
        b = self.second.attempt(start, length)
        if not b.solved:
            self._cut(b, length)
            return None
        if self.second.grows_by_itself(length) and self._refined():
            return None
        look = self._lookout.at(a.slab, a.X, self.number, self.terms)
        if look.between_instants > Slabs.STANDS_OUT and self.level < Slabs.FINEST - 20:
            self._cut(a, length)
            return None
        if look.between_places > Slabs.STANDS_OUT and a.in_space <= roughest and self._refined():
            return None
        end = self.evolution.start + self.evolution.length * (self.position + size) / UNIT
        step = self._compared(a, b, end, look)
        if (step.differences > Slabs.LOST * step.sizes).any():
            raise Stopped("lost", "all digits are gone", start, self.number == 0)
        self.first.accept(a)
        self.second.accept(b)
        self.sizes, self.position = step.sizes, self.position + size
        self.terms = look.terms
        self.roughness.clear()
        self._lengthen(a)
        return step

    def _cut(self, attempt: Attempt, length: float) -> None:
        """Try half of a slab, or less where little of it can be right."""
        deep = 1 if attempt.solved and attempt.in_time < 1e-4 else 2
        begins = self.position == 0 and self.evolution.base is not None
        most = Slabs.CUTS_AT_FIRST if begins else Slabs.FINEST
        self.level, self.wait = self.level + deep, 4
        self.roughness.clear()
        if self.level > most:
            why = attempt.why or "the solution is not smooth there"
            raise Stopped("failed", why, self.now, self.position == 0, length, self.first.space.size)

    def _lengthen(self, a: Attempt) -> None:
        self.wait = max(0, self.wait - 1)
        size = UNIT >> self.level
        if a.degrees <= Slabs.EASY and self.level > 0 and self.position % (2 * size) == 0 and not self.wait:
            self.level -= 1

    def _refined(self, roughness: float | None = None) -> bool:
        """Take more functions of space, unless there may be no more, or the last ones did not make it less rough."""
        factor, affordable = Slabs.GROWTH, Slabs.MOST_FLOPS
        if roughness is None:
            self.roughness.clear()
        elif roughness <= self.bearable:
            return False
        else:
            self.roughness.append((self.first.space.size, roughness))
            more = wanted(self.roughness, self.first.goal)
            if is_noise(self.roughness, self.first.goal) or falls_no_more(self.roughness):
                self.bearable = Slabs.ROUGHER * roughness
                return False
            if more > self.most:
                affordable = Slabs.FLOPS_IN_VAIN
            more = Slabs.AMPLY * more / self.first.space.size if more else finer(roughness, self.first.goal)
            factor = float(np.clip(more, Slabs.LEAST_GROWTH, Slabs.GROWTH))
        if self.cost(factor) > affordable or not self.first.refined(factor, self.most, self.now):
            self.bearable = Slabs.ROUGHER * (roughness or 0.0)
            return False
        self.bearable = 0.0
        self.second.refined_to(second_size(self.evolution, self.first.space.size), self.now)
        self.lookout, self._probes = None, None
        return True

    def cost(self, factor: float) -> float:
        """Operations that a linearisation takes with so many times as many functions of space."""
        space, rates = self.first.space, self.first.collocation.stages / 2
        rows, columns = sum(map(len, space.rows)), len(space) * len(self.evolution.orders)
        if space.quadrature is not None:
            return rates * 8 / 3 * (factor * columns) ** 3
        return 8.0 * rates * (columns if space.is_periodic else rows) * columns**2 * factor**3

    @property
    def _lookout(self) -> Lookout:
        if self.lookout is None:
            self.lookout = Lookout(self.first.space, self.first.seed)
        return self.lookout

    def _compared(self, a: Attempt, b: Attempt, end: float, look: Look) -> Step:
        within = np.linspace(0, 1, Slabs.INSTANTS)
        values = [self._values(k, x, within) for k, x in enumerate((a, b))]
        differences = np.abs(values[0] - values[1]).max(axis=(0, 2))
        here = np.abs(values[0]).max(axis=(0, 2))
        sizes = np.maximum(self.sizes, here)
        sizes = np.maximum(sizes, 1e-10 * float(sizes.max()))
        slopes = np.abs(np.diff(values[0], axis=0)).max(axis=(0, 2)) * (Slabs.INSTANTS - 1) / a.slab.length
        return Step(a, b, end, differences, sizes, slopes, look)

    def _values(self, which: int, attempt: Attempt, within: Array) -> Array:
        """Instants × components × places."""
        coefficients = np.tensordot(attempt.slab.collocation.at(within), attempt.knots, 1)
        matrix = self._at_probes[which]
        return np.asarray(coefficients @ matrix.T)

    @property
    def _at_probes(self) -> dict[int, Array]:
        if self._probes is None:
            points = places_inside(self.evolution, self.first.seed)
            none = (0,) * points.shape[1]
            matrices = {k: to_host(r.space.matrix(none, points)) for k, r in enumerate((self.first, self.second))}
            self._probes = points, matrices
        return self._probes[1]


def finer(roughness: float, goal: float) -> float:
    """The factor of functions with which roughness comes to the goal, if it falls on as it did from one."""
    if roughness >= Slabs.RESOLVES:
        return float("inf")
    return float(1 + np.log(roughness / goal) / np.log(1 / roughness))


def wanted(roughness: Sequence[tuple[int, float]], goal: float) -> float:
    """How many functions it would take until the roughest ones have no part, if that goes on to fall as it did.

    It falls exponentially where solutions are smooth, once they are resolved: before that nothing can be told.
    """
    if len(roughness) < 3 or roughness[-1][0] < Slabs.TELLS:
        return 0.0
    (fewer, before), (more, after) = roughness[-2:]
    if after >= before:
        return float("inf")
    return float(more + (more - fewer) * np.log(after / goal) / np.log(before / after))


def falls_no_more(roughness: Sequence[tuple[int, float]]) -> bool:
    """Whether more functions did not make the solution less rough, where there were many already."""
    enough = len(roughness) > 2 and roughness[-1][0] >= Slabs.TELLS
    return enough and roughness[-1][1] > Slabs.HARDLY * roughness[-2][1]


def is_noise(roughness: Sequence[tuple[int, float]], goal: float) -> bool:
    """Whether what is left in the roughest functions is small, and does no longer fall as it did: it is rounding."""
    return len(roughness) > 1 and roughness[-2][1] < Slabs.FALLS * roughness[-1][1] <= Slabs.FALLS * Slabs.NOISE * goal


def first_size(evolution: Evolution) -> int:
    """How many features space has at first."""
    d = 0 if evolution.base is None else len(evolution.base.coordinates)
    return {0: 1, 1: 30, 2: 200, 3: 400}.get(d, 600)


def second_size(evolution: Evolution, size: int) -> int:
    """How many features the second march has."""
    return size if evolution.base is None else round(Slabs.SECOND * size)
