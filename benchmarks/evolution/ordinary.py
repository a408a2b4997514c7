"""Ordinary differential equations, as a user states them: time is all there is."""

from typing import Any

import numpy as np
import sympy as sp
from scipy.optimize import brentq

import fens

from .cases import Figure, Stated, against_table, case, first, interval, t
from .store import kept

TAYLOR = "Taylor series with 30 and with 40 digits, which agree to 1e-28"
RADAU = "Radau's method with 9 and with 13 stages, which agree to {}"


@case("Lorenz' equations from (1, 1, 1), t ≤ 10", 20, TAYLOR)
def lorenz() -> Stated:
    time = interval(10)
    (x, y, z), start = first(x=1, y=1, z=1)
    problem = fens.Problem({
        time: [
            sp.Eq(x.diff(t), 10 * (y - x)), sp.Eq(y.diff(t), 28 * x - x * z - y),
            sp.Eq(z.diff(t), x * y - sp.Rational(8, 3) * z),
        ],
        time.face(t, 0): start,
    })  # fmt: skip
    return against_table(problem, (x, y, z), "lorenz", 1e-8)


def vanderpol(stiffness: int, end: int) -> tuple[fens.Problem, Any]:
    """The oscillator from rest at 2."""
    time = interval(end)
    (u,), start = first(u=2)
    problem = fens.Problem({
        time: sp.Eq(u.diff(t, 2), stiffness * (1 - u**2) * u.diff(t) - u),
        time.face(t, 0): [*start, sp.Eq(u.diff(t), 0)],
    })  # fmt: skip
    return problem, u


@case("van der Pol's oscillator, μ = 10, t ≤ 20", 20, TAYLOR)
def vanderpol_10() -> Stated:
    problem, u = vanderpol(10, 20)
    return against_table(problem, [u], "vanderpol_10", 1e-8)


@case("van der Pol's oscillator, μ = 1000, t ≤ 2000", 20, RADAU.format("5e-12 also in its jumps"))
def vanderpol_1000() -> Stated:
    """Its values in the jumps change by thousands in a unit of time, so that nothing is asked of them."""
    problem, u = vanderpol(1000, 2000)
    values = against_table(problem, [u], "vanderpol_1000", np.inf)

    def figures(solution: Any) -> list[Figure]:
        return [*values.figures(solution), period_of(solution[u], 2000)]

    return Stated(problem, figures)


def period_of(u: Any, end: float) -> Figure:
    """Twice the time between two zeros."""
    known, zeros = kept("vanderpol_1000")["period"], zeros_of(u, np.linspace(0, end, 20001))
    if len(zeros) != 2:
        return Figure("period", np.inf, 1e-7, f"{len(zeros)} zeros where there are 2")
    found = 2 * (zeros[1] - zeros[0])
    relative = abs(found - known) / known
    return Figure("period", relative, 1e-7, f"{found:.10g}, off by {relative:.1e}")


def zeros_of(u: Any, times: Any) -> list[float]:
    """Where a function changes its sign, from times between which it does so once at most."""
    changes = np.flatnonzero(np.diff(u(times) > 0))
    return [brentq(lambda time: float(u(time)), *times[k : k + 2], xtol=1e-12) for k in changes]


@case("Robertson's reactions, t ≤ 10⁴", 20, RADAU.format("1e-18"))
def robertson() -> Stated:
    """Each species relative to the most that there ever is of it."""
    time = interval(10**4)
    (u, v, w), start = first(u=1, v=0, w=0)
    slow, back, fast = u / 25, 10**4 * v * w, 3 * 10**7 * v**2
    problem = fens.Problem({
        time: [sp.Eq(u.diff(t), back - slow), sp.Eq(v.diff(t), slow - back - fast), sp.Eq(w.diff(t), fast)],
        time.face(t, 0): start,
    })  # fmt: skip
    sizes = dict(zip("uvw", kept("robertson")["largest values"], strict=True))
    return against_table(problem, (u, v, w), "robertson", 1e-7, **sizes)
