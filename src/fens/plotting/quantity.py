"""What is drawn: real functions on domains, with their labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from .._support.numbers import EPS, real_number
from ..errors import SettingError, quoted
from ..geometry import Clustered, Demand, Domain
from ..problem import Problem, Unknown, component_values
from .labels import number, symbol

SIZE_POINTS = 500

Compare = Callable[[sp.Expr, Any], Any]  # of an unknown and a known function
Values = Callable[[np.ndarray], np.ndarray]  # of points, one in a row, of the domain


@dataclass(frozen=True)
class Quantity:
    """A real function to draw, on its domain; `around` are other domains of its problem.

    `floor` is where a logarithmic scale ends; None asks for a linear one. `cost` is the number of features.
    """

    label: str
    domain: Domain
    at: Values
    cost: int
    floor: float | None = None
    title: str = ""
    around: tuple[Domain, ...] = ()


def values(problem: Problem, functions: Mapping[sp.Expr, Any], cost: int) -> list[Quantity]:
    """The unknown functions; of complex ones both parts."""
    found = []
    for unknown, function in drawable(functions).items():
        name, domain = symbol(unknown.func.__name__), function.domain
        parts = {name: function.at}
        if len(problem.of(unknown)) == 2:
            parts = {f"Re {name}": _part(function.at, np.real), f"Im {name}": _part(function.at, np.imag)}
        found += [Quantity(label, domain, at, cost, around=_around(problem, domain)) for label, at in parts.items()]
    titled = len(found) > 1
    return [Quantity(q.label, q.domain, q.at, q.cost, None, q.label if titled else "", q.around) for q in found]


def errors(
    problem: Problem, functions: Mapping[sp.Expr, Any], cost: int, exact: Mapping[sp.Expr, Any], compare: Compare
) -> list[Quantity]:
    """The absolute errors against known functions, with how each compares in its title."""
    found = []
    for unknown, known in drawable(exact).items():
        function, name = functions[unknown], symbol(unknown.func.__name__)
        at = _difference(function.at, problem, unknown, known)
        floor = EPS * (_size(function) or 1.0)
        around = _around(problem, function.domain)
        label, title = f"|error of {name}|", f"{name}: {compare(unknown, known)!r}"
        found.append(Quantity(label, function.domain, at, cost, floor, title, around))
    return found


def drawable(functions: Mapping[sp.Expr, Any]) -> dict[sp.Expr, Any]:
    """Those of the unknowns that are functions."""
    return {u: f for u, f in functions.items() if not isinstance(u, Unknown)}


def numbers(functions: Mapping[sp.Expr, Any]) -> str:
    """The unknown numbers, for a title."""
    return ", ".join(f"{symbol(u)} = {v!r}" for u, v in functions.items() if isinstance(u, Unknown))


def number_errors(functions: Mapping[sp.Expr, Any], exact: Mapping[sp.Expr, Any]) -> str:
    """How far the unknown numbers are off, for a title."""
    known = {u: _number(u, v) for u, v in exact.items() if isinstance(u, Unknown)}
    off = {u: abs(float(functions[u]) - v) for u, v in known.items()}
    return ", ".join(f"error of {symbol(u)}: {number(e)}" for u, e in off.items())


def _number(unknown: Unknown, exact: Any) -> float:
    message = f"The exact value of the unknown {unknown} must be a number; got {quoted(exact)}."
    return real_number(exact, SettingError, message)


def _around(problem: Problem, domain: Domain) -> tuple[Domain, ...]:
    return tuple(d for d in problem.domains if len(problem.domains) > 1 and d != domain)


def _part(at: Values, take: Callable[[np.ndarray], np.ndarray]) -> Values:
    return lambda points: np.asarray(take(at(points)))


def _difference(at: Values, problem: Problem, unknown: sp.Expr, known: Any) -> Values:
    components = [problem.components[k] for k in problem.of(unknown)]

    def difference(points: np.ndarray) -> np.ndarray:
        parts = [component_values(known, c, problem.coordinates, points, "exact solution") for c in components]
        expected = parts[0] if len(parts) == 1 else parts[0] + 1j * parts[1]
        return np.asarray(np.abs(at(points) - expected))

    return difference


def _size(function: Any) -> float:
    """About the largest value of a function."""
    samples = Clustered(interior=SIZE_POINTS).sample(Demand.inside(function.domain), np.random.SeedSequence(0))
    return float(np.abs(function.at(samples[0].points)).max())
