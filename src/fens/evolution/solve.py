"""From an evolution to a solution: a march to the end or as far as it goes, with a tolerance several of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from .._support.device import to_device, to_host
from .._support.progress import tell
from .._support.steering import Slabs
from ..basis import Combinations, TimeSlabs, TrialSpace
from ..discretise import sample
from ..errors import EvaluationError, NotConverged, ToleranceNotMet
from ..estimate.assess import Error
from ..fit.stats import Stats
from ..geometry import Clustered, Region, Samples
from ..options import Settings
from ..problem import Problem
from ..solution import EvolvedSolution
from ..solution.evolved import Restart as SavedRestart
from .events import Event
from .march import March, Stopped
from .record import Record
from .run import Restart
from .space import Space
from .stages import State
from .statement import Evolution, shortened
from .verdict import error_of, is_contradicted, objection_to, unseen

MOST_SAMPLES = 20_000


@dataclass(frozen=True)
class Outcome:
    """What a march came to: the record, why it stopped before the end, if it did, and in how many seconds."""

    record: Record
    goal: float
    seconds: float
    restart: Restart | None
    stopped: Stopped | None = None
    event: bool = False
    interrupted: bool = False

    @property
    def end(self) -> float:
        """The time that was reached."""
        return self.record.pieces[-1].end

    @property
    def is_whole(self) -> bool:
        """Whether that is where it was to go."""
        return self.event or not (self.stopped or self.interrupted)


class NoMarch(Exception):
    """A march is nothing for a problem: in a sentence without its end, why."""


def evolve(evolution: Evolution, settings: Settings) -> EvolvedSolution:
    """The solution, as far as it can be followed; `NoMarch` where that is not even a first slab, or where equations
    contradict each other.
    """
    goal = first_goal(evolution, settings)
    while True:
        outcome = _march(evolution, settings, goal)
        if not outcome.record.pieces or (outcome.stopped is not None and outcome.stopped.at_first):
            raise NoMarch(outcome.stopped.why if outcome.stopped is not None else "the time was up")
        if evolution.has_more_at_first and (what := outcome.record.denied()):
            raise NoMarch(f"the equations contradict an initial condition, {what}")
        finer = goal * Slabs.BETTER
        rough_on = evolution.problem.domain.name if outcome.record.restless else ""
        if outcome.is_whole and is_contradicted(error_of(outcome.record, goal), rough_on):
            if goal <= Slabs.GOAL:
                raise NoMarch("something that is left of the equations contradicts them")
            goal = max(finer, Slabs.GOAL)  # with a loose one much is left of any
            continue
        found = solution_of(evolution, settings, outcome)
        if settings.tol is None or found.meets(settings.tol) or not outcome.is_whole or finer < Slabs.SMALLEST_GOAL:
            return found
        goal = finer


def first_goal(evolution: Evolution, settings: Settings) -> float:
    """The part that the highest degrees may have in a solution, of which nothing is known but the initial values."""
    if settings.tol is None:
        return Slabs.GOAL
    return float(np.clip(Slabs.OF_TOLERANCE * settings.tol, Slabs.SMALLEST_GOAL, Slabs.LARGEST_GOAL))


def told(found: EvolvedSolution, settings: Settings) -> EvolvedSolution:
    """The solution, or the exception that says why it is not what was asked for."""
    if not settings.raise_on_failure or found.stats.status in ("converged", "out of time", "interrupted"):
        return found
    if found.stats.status == "tolerance not met":
        raise ToleranceNotMet(f"{found.stats.advice} The best solution is the `solution` of this exception.", found)
    message = f"{found.stats.advice} What there is up to then is the `solution` of this exception."
    raise NotConverged(message, solution=found)


def _march(evolution: Evolution, settings: Settings, goal: float) -> Outcome:
    seed, clock = np.random.SeedSequence(settings.seed), time.perf_counter()
    saved = settings.continuing
    rest = evolution if saved is None else replace(evolution, start=saved.end)
    record = Record(evolution, settings.keep)
    for_march, for_event = seed.spawn(2)
    event = None if settings.until is None else Event.of(evolution, settings.until, for_event)
    restart: Restart | None = None
    stopped, happened, interrupted = None, False, False
    try:
        march = March.of(rest, for_march, goal, settings.max_features, None if saved is None else restored(saved))
        for step in march.steps():
            record.add(step, goal)
            restart = step.restart(step.end)
            tell(_progress(evolution, step.end, clock))
            if event is not None and (when := event.within(record.pieces[-1])) is not None:
                record.until(when)
                restart, happened = step.restart(when), True
                break
    except Stopped as reason:
        stopped = reason
    except EvaluationError as reason:
        stopped = Stopped("failed", str(reason), rest.start, not record.pieces)
    except KeyboardInterrupt:
        if not record.pieces:
            raise
        interrupted = True
    return Outcome(record, goal, time.perf_counter() - clock, restart, stopped, happened, interrupted)


def _progress(evolution: Evolution, now: float, clock: float) -> str:
    done = (now - evolution.start) / evolution.length
    left = (time.perf_counter() - clock) * (1 - done) / done
    return f"{evolution.time} = {now:.6g} of {evolution.end:.6g}, about {left:.0f} s left"


def restored(saved: EvolvedSolution) -> Restart:
    """Where a saved march ended."""
    assert saved.restart is not None
    axis = saved.slabs.axis
    states = []
    for space, values in zip(saved.restart.spaces, saved.restart.states, strict=True):
        states.append((StillFunctions(space, axis), State(tuple(map(to_host, values)))))
    return Restart(saved.restart.features, tuple(states), to_host(saved.restart.sizes))


@dataclass(frozen=True)
class StillFunctions:
    """Functions of space from a file."""

    basis: Combinations
    axis: int

    def matrix(self, orders: tuple[int, ...], points: np.ndarray) -> torch.Tensor:
        """∂^α of the functions at points in space."""
        whole = (*orders[: self.axis], 0, *orders[self.axis :])
        lifted = to_device(np.insert(points, self.axis, 0.0, axis=1), self.basis.B.device)
        return self.basis.matrix([(1.0, whole)], lifted)


def solution_of(evolution: Evolution, settings: Settings, outcome: Outcome) -> EvolvedSolution:
    """What the user keeps of a march."""
    record, saved = outcome.record, settings.continuing
    space, weights = record.trial_space()
    error = error_of(record, outcome.goal)
    problem = evolution.problem if outcome.end == evolution.end else shortened(evolution.problem, outcome.end)
    samples = samples_of(problem, record)
    if settings.estimate:
        against = objection_to(problem, space, weights) or unseen(problem, space, weights, samples)
        error = error_of(record, outcome.goal, against) if against else error
    if saved is not None:
        space, weights = joined((saved.features, saved.weights), (space, weights))
        error = with_former(error, saved.error)
    status, advice = status_of(evolution, settings, outcome, error)
    last, K = record.pieces[-1].space, len(evolution.orders)
    stats = Stats(
        rows=record.rows, features=K * max(len(p.space) for p in record.pieces),
        residual=error.evidence.worst, rank=len(last), largest_weight=float(weights.abs().max()),
        row_weights=(1.0,) * len(evolution.problem.conditions), seconds={"slabs of time": outcome.seconds},
        status=status, advice=advice,
    )  # fmt: skip
    what = f"It ends at {evolution.time} = {outcome.end:.12g}, where {settings.until} does what was waited for."
    return EvolvedSolution(
        problem, space, weights, samples, scales_of(last) * K, None, stats,
        replace(settings, cluster=None, continuing=None), error if settings.estimate else None,
        ended=what if outcome.event else "", asked=None if problem is evolution.problem else evolution.problem,
        restart=saved_restart(outcome.restart, evolution.axis),
    )  # fmt: skip


def joined(former: tuple[TrialSpace, Tensor], latter: tuple[TrialSpace, Tensor]) -> tuple[TrialSpace, Tensor]:
    """Slabs and the slabs that follow them, with their weights."""
    (first, v), (second, w) = former, latter
    a, b = first.members[0], second.members[0]
    assert isinstance(a, TimeSlabs)
    assert isinstance(b, TimeSlabs)
    which = (*a.which, *(len(a.spaces) + k for k in b.which))
    member = TimeSlabs(
        (*a.spaces, *b.spaces), which, torch.cat([a.starts, b.starts]), torch.cat([a.ends, b.ends]), a.axis, a.degree,
        a.first,
    )  # fmt: skip
    parts = [part for c, d in zip(first.columns, second.columns, strict=True) for part in (v[c], w[d])]
    return TrialSpace((member,) * len(first.members)), torch.cat(parts)


def with_former(error: Error, former: Error | None) -> Error:
    """The error of slabs and of those before them."""
    if former is None:
        return error
    of = {name: max(e, former.of.get(name, 0.0)) for name, e in error.of.items()}
    return replace(error, of=of, estimate=max(of.values()), relative=max(error.relative, former.relative))


def status_of(evolution: Evolution, settings: Settings, outcome: Outcome, error: Error) -> tuple[str, str]:
    """Whether the solution is what was asked for; if not, why, and what to do."""
    t, end = evolution.time, f"{outcome.end:.12g}"
    if outcome.interrupted:
        return "interrupted", f"The march was interrupted at {t} = {end}; continuing= goes on from there."
    if outcome.stopped is not None and outcome.stopped.kind == "time":
        advice = f"The time was up at {t} = {end}; raise max_seconds, or go on from there with continuing=."
        return "out of time", advice
    if outcome.stopped is not None:
        return "failed", f"The solution can be followed to {t} = {end} and no further: {_why(evolution, outcome)}"
    if settings.tol is not None and not error.estimate <= settings.tol:
        return "tolerance not met", (
            f"The error estimate is {error.estimate:.1e}, above the tolerance {settings.tol:.1e}: it is what rounding "
            "grows to in this time, or max_features= is too small."
        )
    return "converged", ""


def _why(evolution: Evolution, outcome: Outcome) -> str:
    """Why a march stopped."""
    stopped, history = outcome.stopped, outcome.record.history
    assert stopped is not None
    if grows_without_bound(history, evolution.start):
        return f"it grows without bound there, to {history[-1][1]:.1e} so far."
    if stopped.kind == "lost":
        return (
            "all digits are gone after it, since the equations make small differences large; a smaller error to begin "
            "with would move that by little."
        )
    why = stopped.why.rstrip(".")
    return f"{why}. Slabs of time were cut to {stopped.length:.1e} there, with {stopped.features} features."


def grows_without_bound(history: Sequence[tuple[float, float]], start: float) -> bool:
    """Whether a solution has become much larger, and that ever faster; `history` has ends of slabs, and its sizes."""
    (_, first), (end, last) = history[0], history[-1]
    before = max((size for when, size in history if when - start <= Slabs.NEARLY_ALL * (end - start)), default=first)
    return last > Slabs.BLOWS_UP * first > 0 and bool(
        np.log(last / before) > Slabs.EVER_FASTER * np.log(last / first)  # an exponential grows as much at all times
    )


def scales_of(space: Space) -> tuple[float, ...]:
    """A scale for each coordinate: in time there is none, and 1 stands for that."""
    axis = space.evolution.axis
    if space.evolution.base is None:
        return (1.0,)
    widest = np.delete(to_host(space.features.W), axis, axis=1)
    own = space.scale or tuple(float(w) for w in np.abs(widest).max(axis=0).clip(1e-300) / 3**0.5)
    return (*own[:axis], 1.0, *own[axis:])


def samples_of(problem: Problem, record: Record) -> dict[Region, Samples]:
    """The places at which equations were asked to hold, at some of the instants; of what functions obey by themselves
    and at the first instant, usual points.
    """
    evolution, last = record.evolution, record.pieces[-1].space
    found = sample(problem, Clustered(), [len(last)] * len(evolution.orders), np.random.SeedSequence(0))
    places = {r.running.condition.label: r.samples for r in last.rows if r.running.at is None}
    when = np.unique(np.concatenate([p.instants for p in record.pieces]))
    for condition in problem.conditions:
        if (own := places.get(condition.label)) is not None:
            times = when[:: max(1, round(len(when) * len(own) / MOST_SAMPLES))]
            found[condition.region] = lifted(own, times, evolution.axis)
    return found


def lifted(samples: Samples, times: np.ndarray, axis: int) -> Samples:
    """Places in space at times, all at each."""

    def table(array: np.ndarray | None, values: np.ndarray) -> np.ndarray | None:
        if array is None:
            return None
        return np.insert(np.tile(array, (len(times), 1)), axis, np.repeat(values, len(array)), axis=1)

    points = table(samples.points, times)
    assert points is not None
    return Samples(points, table(samples.normals, 0 * times), table(samples.opposite, times))


def saved_restart(restart: Restart | None, axis: int) -> SavedRestart | None:
    """The same, for a file."""
    if restart is None:
        return None
    spaces, states = [], []
    for functions, state in restart.states:
        assert isinstance(functions, Space)
        spaces.append(Combinations(functions.features, functions.B))
        states.append(tuple(to_device(v, functions.B.device) for v in state.values))
    return SavedRestart(restart.features, tuple(spaces), tuple(states), to_device(restart.sizes, spaces[0].B.device))
