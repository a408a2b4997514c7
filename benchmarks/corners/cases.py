"""What a case of the benchmark is: a problem as a user states it, and the figures by which its solution is judged."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

import fens

Array = np.ndarray
x, y, t = sp.symbols("x y t", real=True)


class NotStated(Exception):
    """The library has no way to state this problem yet, and the interface that one would expect."""


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
    """A problem, and the figures of its solution; the first is compared with the estimate, in units of `unit`."""

    problem: fens.Problem
    figures: Callable[[Any], Sequence[Figure]]
    eigenvalue: Any = None  # the number that is sought, of which `count` are
    count: int = 0
    unit: float = 1.0


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


def variant(title: str) -> Callable[[State], State]:
    """The same for a problem in closed form that is like those of the table, and not the same."""
    return case(title, 30, "closed form", variant=True)


def largest(found: Array, expected: Array) -> float:
    """The largest difference; infinite if anything is no number."""
    error = np.abs(np.asarray(found) - expected)
    return float(error.max()) if np.isfinite(error).all() else float("inf")


def field(points: Array, expected: Any, asked: float, name: str = "u") -> Callable[[Any], list[Figure]]:
    """The figure of a problem with one unknown: its largest error at points."""
    known = expected(*points.T) if callable(expected) else expected

    def figures(solution: Any) -> list[Figure]:
        return [Figure(name, largest(solution(*points.T), known), asked)]

    return figures


def fields(points: Array, expected: Mapping[Any, Array], asked: float) -> Callable[[Any], list[Figure]]:
    """The same of several unknowns: the largest error of any."""

    def figures(solution: Any) -> list[Figure]:
        error = max(largest(solution[u](*points.T), known) for u, known in expected.items())
        return [Figure(", ".join(u.func.__name__ for u in expected), error, asked)]

    return figures
