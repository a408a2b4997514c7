"""Figures from the results: the best of each solver, the time it takes to reach an error, who is first.

A solver has untuned runs (its defaults, or its own automatic choices) and tuned ones, chosen by the true error. The
time to reach an error is that of the shortest run that has it. A run of ours that was asked for a tolerance counts only
for that tolerance and larger ones, even if its error happens to be smaller.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from problems import LEVELS, PROBLEMS

OURS = "fens"
MESHLESS = ("fastlsq", "pyrfm", "deepxde")
LEVEL = 1e-9  # of the comparison that is asked for
FASTER = 3.0  # than untuned peers, at least
SLOWER = 2.0  # than tuned peers, at most

Record = Mapping[str, Any]


def power(level: float) -> str:
    """A power of ten as one writes it.

    >>> power(1e-9), power(1e-12)
    ('1e-9', '1e-12')
    """
    return f"{level:.0e}".replace("e-0", "e-")


@dataclass(frozen=True)
class Run:
    """One setting of a solver: the largest of its errors, the medians of its times, and how these came down."""

    solver: str
    problem: str
    mode: str
    settings: Mapping[str, Any]
    error: float
    seconds: float
    first: float
    curve: Sequence[tuple[float, float]]
    record: Record

    @property
    def tuned(self) -> bool:
        """Whether the true error chose it."""
        return self.mode == "tuned"

    def time_to(self, level: float) -> float:
        """Seconds until the error was below a level; infinite if it never was, or was not asked to be."""
        if self.mode.startswith("tol=") and float(self.mode.removeprefix("tol=")) > level:
            return math.inf
        on_the_way = [seconds for seconds, error in self.curve if error <= level]
        return min([*on_the_way, self.seconds if self.error <= level else math.inf])


def runs(records: Sequence[Record]) -> list[Run]:
    """The runs that came to an end; those of the same settings are one."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        if "failure" not in record:
            key = str((record["solver"], record["problem"], record["mode"], sorted(record["settings"].items())))
            groups.setdefault(key, []).append(record)
    return [_run(group) for group in groups.values()]


def _run(group: Sequence[Record]) -> Run:
    one = group[0]
    seconds = statistics.median(r["seconds"] for r in group)
    first = statistics.median(r["calls"][0] for r in group)
    error = max(float(r["error"]) for r in group)
    curve = [(float(t), float(e)) for t, e in one.get("curve", ())]
    return Run(one["solver"], one["problem"], one["mode"], one["settings"], error, seconds, first, curve, one)


@dataclass(frozen=True)
class Entry:
    """What a solver did on a problem, tuned or not."""

    solver: str
    problem: str
    tuned: bool
    runs: Sequence[Run]
    spent: float

    @property
    def best(self) -> Run:
        """The run with the smallest error, of those with defaults if there are any."""
        default = [r for r in self.runs if r.mode == "default"]
        return min(default or self.runs, key=lambda r: r.error)

    def time_to(self, level: float) -> float:
        """Seconds until the error was below a level."""
        return min(run.time_to(level) for run in self.runs)


def entries(records: Sequence[Record]) -> list[Entry]:
    """All solvers on all problems, in the order of the problems, ours first."""
    found = []
    names = sorted(dict.fromkeys(r["solver"] for r in records), key=lambda name: name != OURS)
    everything = runs(records)
    for problem in PROBLEMS:
        for solver in names:
            for tuned in (False, True):
                own = [r for r in everything if (r.solver, r.problem, r.tuned) == (solver, problem, tuned)]
                if own:
                    spent = {r["key"]: r["spent"] for r in records if _is_of(r, solver, problem, tuned)}
                    found.append(Entry(solver, problem, tuned, own, sum(spent.values())))
    return found


def _is_of(record: Record, solver: str, problem: str, tuned: bool) -> bool:
    return (record["solver"], record["problem"], record["mode"] == "tuned") == (solver, problem, tuned)


@dataclass(frozen=True)
class Duel:
    """Ours and another on a problem, at a level: the seconds of each."""

    problem: str
    level: float
    other: Entry
    ours: float
    theirs: float

    @property
    def lost(self) -> bool:
        """Whether the other was first."""
        return self.theirs < self.ours

    @property
    def factor(self) -> float:
        """How many times the time of the other ours is."""
        return self.ours / self.theirs


def duels(found: Sequence[Entry]) -> list[Duel]:
    """Every other solver against ours, where at least one of the two got there."""
    ours = {e.problem: e for e in found if e.solver == OURS}
    result = []
    for other in found:
        if other.solver == OURS or other.problem not in ours:
            continue
        for level in LEVELS:
            seconds = ours[other.problem].time_to(level), other.time_to(level)
            if min(seconds) < math.inf:
                result.append(Duel(other.problem, level, other, *seconds))
    return result


def shortfalls(found: Sequence[Entry]) -> list[str]:
    """Where ours is not first by the factors that are asked for; empty if it is."""
    sentences = []
    for problem in (p for p in PROBLEMS if any(e.problem == p and e.solver == OURS for e in found)):
        mine = min(e.time_to(LEVEL) for e in found if e.problem == problem and e.solver == OURS)
        if mine == math.inf:
            sentences.append(f"{PROBLEMS[problem].title}: fens does not reach {power(LEVEL)}.")
        for e in found:
            if e.problem != problem or e.solver not in MESHLESS or (theirs := e.time_to(LEVEL)) == math.inf:
                continue
            allowed = SLOWER * theirs if e.tuned else theirs / FASTER
            if mine > allowed:
                kind, wanted = ("tuned", f"at most {SLOWER:g}") if e.tuned else ("untuned", f"at most 1/{FASTER:g}")
                sentences.append(
                    f"{PROBLEMS[problem].title}: fens takes {mine:.2f} s to {power(LEVEL)}, {e.solver} {kind} "
                    f"{theirs:.2f} s; {mine / theirs:.2f} times as long, and {wanted} is asked for."
                )
    return sentences
