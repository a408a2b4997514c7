"""One march: a space, the instants of a slab, the state that goes on, and a slab that is tried."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from torch import Tensor

from .._support.device import to_device, to_host
from .._support.steering import Slabs
from .collocation import Collocation, radau
from .corrections import Corrector, corrected, scale_of
from .galerkin import Galerkin
from .space import Space
from .stages import Array, Frozen, Slab, State, linearised, residuals
from .statement import Evolution


class Functions(Protocol):
    """Functions of space: as much of a `Space` as a state needs that is made of them."""

    def matrix(self, orders: tuple[int, ...], points: Array, /) -> Tensor:
        """∂^α of the functions at points in space."""
        ...


@dataclass(frozen=True)
class Restart:
    """Where a march may go on: of both, how many functions there are and the state; sizes of the unknowns so far."""

    features: tuple[int, ...]
    states: tuple[tuple[Functions, State], ...]
    sizes: Array


@dataclass(frozen=True)
class Attempt:
    """A slab that was tried: coefficients at the beginning and the instants, and how much of them is at the end of
    what can be told: the highest degrees in time, the roughest functions in space. `degrees` is the share of degrees
    in use.
    """

    slab: Slab
    X: Array
    solved: bool
    steps: int
    in_time: float = float("inf")
    in_space: float = float("inf")
    degrees: float = 1.0
    why: str = ""

    @property
    def knots(self) -> Array:
        """With the beginning."""
        return self.slab.knots(self.X)


@dataclass
class Run:
    """One of the two marches: its space, its instants, and where it is."""

    evolution: Evolution
    collocation: Collocation
    seed: np.random.SeedSequence
    goal: float
    noise: float  # part of its coefficients by which a state is changed at the beginning of each slab
    space: Space
    state: State
    sizes: Array
    correctors: dict[float, Corrector] = field(default_factory=dict)
    watched: set[float] = field(default_factory=set)
    origin: tuple[Functions, State] | None = None  # where it began, if not with the initial values
    last: Attempt | None = None
    accepted: int = 0

    @classmethod
    def of(
        cls, evolution: Evolution, stages: int, seed: np.random.SeedSequence, goal: float, size: int,
        noise: float = 0.0, start: tuple[Functions, State] | None = None,
    ) -> Run:  # fmt: skip
        """At the first instant, or at a state in terms of other functions."""
        space = Space.of(evolution, size, seed)
        state = begun(space) if start is None else carried_over(start[1], start[0], space)
        made = cls(evolution, radau(stages), seed, goal, noise, space, state, state.sizes, origin=start)
        made.state = made._shaken(state, 0)
        return made

    def attempt(self, start: float, length: float) -> Attempt:
        """Try a slab."""
        slab = Slab(self.space, self.collocation, start, length, self.state)
        corrector = self.correctors.get(length)
        found = corrected(slab, self._guess(slab), self.sizes, corrector, self.goal)
        if not found.solved and corrector is not None and not corrector.steady:
            found = corrected(slab, self._guess(slab), self.sizes, None, self.goal)
        if isinstance(found.corrector, Frozen | Galerkin):  # those that follow the solution serve at this length only
            self.correctors = {k: c for k, c in self.correctors.items() if c.steady}
            self.correctors[length] = found.corrector
        if not found.solved:
            return Attempt(slab, found.X, False, found.steps, why=found.why)
        return replace(self._measured(slab, found.X), steps=found.steps)

    def accept(self, attempt: Attempt) -> None:
        """Go on to the end of a slab."""
        self.sizes = np.maximum(self.sizes, np.linalg.norm(attempt.X, axis=2).max(axis=0))
        self.accepted += 1
        self.state, self.last = self._shaken(attempt.slab.at_end(attempt.X), self.accepted), attempt

    def _shaken(self, state: State, number: int) -> State:
        if not self.noise:
            return state
        return state.shaken(self.noise, np.random.default_rng([number, *self.seed.generate_state(2).tolist()]))

    def refined(self, factor: float, most: int, now: float) -> bool:
        """Take more functions of space, if there may be more."""
        size = min(most, round(factor * self.space.size))
        if self.evolution.base is None or size <= self.space.size:
            return False
        self.refined_to(size, now)
        return True

    def refined_to(self, size: int, now: float) -> None:
        """Take so many features of space."""
        finer = Space.of(self.evolution, size, self.seed)
        if self.last is not None:
            self.state = settled(finer, carried_over(self.state, self.space, finer), now)
        else:
            origin = self.origin
            found = begun(finer) if origin is None else carried_over(origin[1], origin[0], finer)
            self.state = self._shaken(found, 0)
        self.space, self.correctors, self.watched = finer, {}, set()

    @property
    def roughness(self) -> float:
        """The part of the roughest functions in the state, relative to each component."""
        scale = np.maximum(self.state.sizes, 1e-10 * self.state.sizes.max(initial=0.0))
        parts = [
            np.linalg.norm(v[0, self.space.rough]) / s
            for v, s in zip(self.state.values, scale, strict=True) if len(v) and s > 0
        ]
        return float(max(parts, default=0.0))

    def grows_by_itself(self, length: float) -> bool:
        """Whether rough functions would grow from slab to slab, as an artefact of too little space for short slabs."""
        corrector = self.correctors.get(length)
        if not isinstance(corrector, Frozen) or length in self.watched:
            return False
        self.watched.add(length)
        growth, rough = growing(corrector, self.state, np.random.default_rng(self.seed))
        return growth > Slabs.STEADY and rough > Slabs.ROUGH

    def _measured(self, slab: Slab, X: Array) -> Attempt:
        knots, scale = slab.knots(X), scale_of(X, self.sizes)
        sizes = np.linalg.norm(np.tensordot(self.collocation.to_chebyshev, knots, 1), axis=2) / scale
        high = np.maximum.accumulate(sizes[::-1].max(axis=1))[::-1]
        floor = rounding_of(high)
        used = int((high > max(self.goal, floor)).sum())
        in_space = float((np.linalg.norm(knots[:, :, self.space.rough], axis=2) / scale).max())
        in_time = 0.0 if high[-2] <= floor else float(high[-2])
        return Attempt(slab, X, True, 0, in_time, in_space, used / len(high))

    def _guess(self, slab: Slab) -> Array:
        """The last slab's polynomials beyond its end, if they lead anywhere."""
        last = self.last
        if last is None or last.slab.space is not self.space:
            return slab.resting()
        instants = (slab.instants - last.slab.start) / last.slab.length
        low = self.collocation.to_chebyshev[: 1 + self.collocation.stages // 2]
        guess = np.tensordot(
            np.polynomial.chebyshev.chebvander(2 * instants - 1, len(low) - 1) @ low, last.knots, 1
        )
        sizes = np.linalg.norm(guess, axis=2).max(axis=0)
        return np.asarray(guess) if (sizes <= 3 * scale_of(last.X, self.sizes)).all() else slab.resting()


def rounding_of(high: Array) -> float:
    """What of the coefficients of high degrees is rounding: those that are small and do not fall; else nothing."""
    upper, last = high[len(high) // 2 : -1], high[-1 - Slabs.LAST : -1]
    if upper[0] <= Slabs.FLOOR and upper[0] <= Slabs.LEVEL * upper[-1]:
        return float(3 * upper[0])
    if last[0] <= Slabs.NOISE * Slabs.GOAL and last[0] <= Slabs.FALLS * last[-1]:
        return float(3 * last[0])
    return 0.0


def growing(corrector: Frozen, state: State, rng: np.random.Generator) -> tuple[float, float]:
    """The factor by which the fastest functions grow in a slab without sources, and which share of them is rough."""
    values = tuple(rng.standard_normal(v.shape) for v in state.values)
    logs = []
    for _ in range(Slabs.TRIED):
        values = corrector.carried(values)
        size = float(np.sqrt(sum((v**2).sum() for v in values)))
        if not 0 < size < float("inf"):
            return (0.0 if size == 0 else float("inf")), 1.0
        logs.append(np.log(size))
        values = tuple(v / size for v in values)
    growth = float(np.exp(np.mean(logs[Slabs.TRIED // 3 :])))
    n = values[0].shape[-1] if len(values[0]) else max(v.shape[-1] for v in values)
    whole = sum((v**2).sum() for v in values)
    return growth, float(sum((v[..., n // 2 :] ** 2).sum() for v in values) / whole)


def first_state(space: Space) -> State:
    """What the initial conditions say."""
    evolution = space.evolution
    d = len(evolution.problem.coordinates) - 1
    points = space.inside[0] if evolution.base is not None else np.zeros((1, 0))
    others = [x for x in evolution.problem.coordinates if x != evolution.time]
    values = {x: points[:, i] for i, x in enumerate(others)}
    values[evolution.time] = np.full(len(points), evolution.start)
    parts = []
    for k, order in enumerate(evolution.orders):
        given = [evolution.initial[k, q](values, len(points)) for q in range(order)]
        sides = np.stack(given, axis=1) if given else np.zeros((len(points), 0))
        own = space.fitted(sides).T if d else sides.T
        parts.append(own.reshape(order, len(space)))
    return State(tuple(parts))


def begun(space: Space) -> State:
    """What the initial conditions say; next to that, where multipliers would have to see to all that is left."""
    state = first_state(space)
    return settled(space, state, space.evolution.start) if state.sizes.any() else state  # what rests is what it is


def settled(space: Space, state: State, now: float) -> State:
    """The state next to another that obeys the conditions as functions of this space can, and so goes on smoothly.

    That is where a step of hardly any length leads to, and of two such steps what is left without one.
    """
    if space.quadrature is None or max(space.evolution.orders) > 1 or not space.evolution.multipliers:
        return state
    found = []
    for times in (1, 2):
        slab = Slab(space, radau(1), now, times * Slabs.NO_LENGTH * space.evolution.length, state)
        X = slab.resting()
        corrector = Galerkin.of(slab, linearised(slab, X))
        if corrector is None:
            return state
        for _ in range(2):
            X = X + corrector.correction(np.concatenate(residuals(slab, X), axis=1))
        if not np.isfinite(X).all():
            return state
        found.append(slab.at_end(X).values)
    return State(tuple(2 * one - other for one, other in zip(*found, strict=True)))


def carried_over(state: State, old: Functions, new: Space) -> State:
    """A state of one space as that of another."""
    if new.evolution.base is None:
        return state
    points, _ = new.inside
    values = old.matrix((0,) * points.shape[1], points)
    parts = []
    for own in state.values:
        at_points = to_host(values @ to_device(own.T, values.device))
        parts.append(new.fitted(at_points).T.reshape(len(own), len(new)))
    return State(tuple(parts))
