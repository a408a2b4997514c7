"""What a case of the benchmark is: a problem as a user states it, and the figures by which its solution is judged."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy as sp

import fens

from .places import spread
from .store import kept_table, kept_values

Array = np.ndarray
x, y, t = sp.symbols("x y t", real=True)


@dataclass(frozen=True)
class Figure:
    """One figure of a solution: its error, and what is asked for."""

    name: str
    error: float
    asked: float  # infinite if nothing is
    value: str = ""  # what was found, where that says more than its error

    @property
    def met(self) -> bool:
        return self.error <= self.asked

    @property
    def wanted(self) -> str:
        return f"{self.asked:.0e}" if np.isfinite(self.asked) else "–"


@dataclass(frozen=True)
class Stated:
    """A problem, and the figures of its solution; the first is compared with the estimate.

    `sizes` has the units in which errors of unknowns are counted, by name, where these are not 1.
    """

    problem: fens.Problem
    figures: Callable[[Any], Sequence[Figure]]
    sizes: Mapping[str, float] = field(default_factory=dict)


State = Callable[[], Stated]


@dataclass(frozen=True)
class Case:
    """A row of the table: its names, how it is stated, the seconds asked for, and where its reference is from."""

    name: str
    title: str
    state: State
    seconds: float
    reference: str
    variant: bool = False  # one that the table does not have


CASES: dict[str, Case] = {}


def case(title: str, seconds: float, reference: str, variant: bool = False) -> Callable[[State], State]:
    """Puts a function that states a problem in the table, under its own name."""

    def entered(state: State) -> State:
        name = state.__name__
        CASES[name] = Case(name, title, state, seconds, reference, variant)
        return state

    return entered


def variant(title: str, seconds: float = 60, reference: str = "closed form") -> Callable[[State], State]:
    """The same for a problem that is like those of the table, and not the same."""
    return case(title, seconds, reference, variant=True)


def largest(found: Array, expected: Array) -> float:
    """The largest difference; infinite if anything is no number."""
    error = np.abs(np.asarray(found) - expected)
    return float(error.max()) if np.isfinite(error).all() else float("inf")


def judged(problem: fens.Problem, points: Array, expected: Mapping[Any, Array], asked: float, **sizes: float) -> Stated:
    """The largest error of any unknown at points, in units of `sizes` where there are some."""

    def figures(solution: Any) -> list[Figure]:
        errors = [
            largest(solution[u](*points.T), known) / sizes.get(u.func.__name__, 1.0) for u, known in expected.items()
        ]
        return [Figure(", ".join(u.func.__name__ for u in expected), max(errors), asked)]

    return Stated(problem, figures, sizes)


def in_closed_form(
    problem: fens.Problem, exact: Mapping[Any, Any], asked: float, points: Array | None = None
) -> Stated:
    """Against formulas, or functions of arrays, at points everywhere in the domain and at all times."""
    (*_, (_, end)) = bounds = problem.domain.bounds
    some = spread(bounds) if points is None else points
    expected = {u: evaluated(f, u.args, some) for u, f in exact.items()}
    assert some[:, -1].max() == end, "errors are looked for up to the last instant"
    return judged(problem, some, expected, asked)


def evaluated(exact: Any, coordinates: Sequence[sp.Symbol], points: Array) -> Array:
    compiled = sp.lambdify(coordinates, exact, "numpy") if isinstance(exact, sp.Basic) else exact
    return np.asarray(compiled(*points.T)) + np.zeros(len(points))


def against_table(problem: fens.Problem, unknowns: Sequence[Any], name: str, asked: float, **sizes: float) -> Stated:
    """Of ordinary differential equations, against values kept at many times."""
    table = kept_table(name)
    expected = {u: table[u.func.__name__] for u in unknowns}
    return judged(problem, table["t"][:, None], expected, asked, **sizes)


def against_values(problem: fens.Problem, unknowns: Sequence[Any], name: str, asked: float) -> Stated:
    """Of partial ones, against values kept at places in space and at times."""
    values = kept_values(name)
    expected = {u: values[u.func.__name__].ravel() for u in unknowns}
    return judged(problem, kept_points(values), expected, asked)


def kept_points(values: Mapping[str, Array]) -> Array:
    """All places at the first time, then at the next, …"""
    places, times = values["places"], values["times"]
    return np.concatenate([np.column_stack([places, np.full(len(places), time)]) for time in times])


def periodic(u: Any, coordinate: sp.Symbol, order: int) -> list[sp.Eq]:
    """u and its derivatives below an order go on across the ends."""
    return [sp.Eq(fens.jump(u.diff(coordinate, k)), 0) for k in range(order)]


def first(**values: float) -> tuple[list[Any], list[sp.Eq]]:
    """Unknowns of t alone, by name, and the equations of their first values."""
    unknowns = [sp.Function(name)(t) for name in values]
    return unknowns, [sp.Eq(u, value) for u, value in zip(unknowns, values.values(), strict=True)]


def interval(end: Any) -> fens.Box:
    """Time alone, for ordinary differential equations."""
    return fens.Box({t: (0, end)})


def rod(start: Any, stop: Any, end: Any) -> Any:
    """One dimension of space, and time from 0 to an end."""
    return fens.Box({x: (start, stop)}).during(t, 0, end)


def plate(start: Any, stop: Any, end: Any) -> Any:
    """A square, and time from 0 to an end."""
    return fens.Box({x: (start, stop), y: (start, stop)}).during(t, 0, end)
