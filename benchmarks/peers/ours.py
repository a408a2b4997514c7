"""fens: automatic only, plain and with a tolerance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy as sp

import fens

NAME = "fens"
DISTRIBUTIONS = ("fens", "torch", "sympy", "numpy", "scipy")
DEFAULTS = "`fens.solve(problem)` and, for the time to reach an error, `fens.solve(problem, tol=…)`; nothing else given"
UNAVAILABLE: dict[str, str] = {}


def helmholtz(**options):
    x, y = sp.symbols("x y")
    u = sp.Function("u")(x, y)
    exact = sp.sin(sp.pi * x) * sp.sin(4 * sp.pi * y)
    square = fens.Box({x: (0, 1), y: (0, 1)})
    problem = fens.Problem({
        square: sp.Eq(u.diff(x, 2) + u.diff(y, 2) + u, (1 - 17 * sp.pi**2) * exact),
        square.boundary: sp.Eq(u, exact),
    })
    return fens.solve(problem, **options)


def heat(**options):
    x, y, t = sp.symbols("x y t")
    u = sp.Function("u")(x, y, t)
    exact = 2 * sp.exp(-t) * sp.sin(sp.pi * x / 2) * sp.sin(sp.pi * y / 2)
    plate = fens.Box({x: (0, 1), y: (0, 1)}).during(t, 0, 1)
    problem = fens.Problem({
        plate: sp.Eq(u.diff(t), u.diff(x, 2) + u.diff(y, 2) + (sp.pi**2 / 2 - 1) * exact),
        plate.sides: sp.Eq(u, exact),
        plate.initial: sp.Eq(u, exact),
    })
    return fens.solve(problem, **options)


def burgers(**options):
    x, t = sp.symbols("x t")
    u = sp.Function("u")(x, t)
    exact = 1 / (1 + sp.exp(50 * (x - t)))
    strip = fens.Box({x: (0, 1)}).during(t, 0, 1)
    problem = fens.Problem({
        strip: sp.Eq(u.diff(t) + u * u.diff(x), u.diff(x, 2) / 100 + 25 * exact * (1 - exact)),
        strip.sides: sp.Eq(u, exact),
        strip.initial: sp.Eq(u, exact),
    })
    return fens.solve(problem, **options)


def poisson(dimension, **options):
    xs = sp.symbols(f"x1:{dimension + 1}")
    u = sp.Function("u")(*xs)
    mean = sp.Add(*xs) / dimension
    cube = fens.Box(dict.fromkeys(xs, (-1, 1)))
    problem = fens.Problem({
        cube: sp.Eq(-sum(u.diff(s, 2) for s in xs), (sp.sin(mean) - 2) / dimension),
        cube.boundary: sp.Eq(u, mean**2 + sp.sin(mean)),
    })
    return fens.solve(problem, **options)


def poisson_5d(**options):
    return poisson(5, **options)


def poisson_10d(**options):
    return poisson(10, **options)


def holed_square(**options):
    x, y = sp.symbols("x y")
    u = sp.Function("u")(x, y)
    exact = sp.exp(x) * sp.sin(3 * y)
    holed = fens.Box({x: (0, 1), y: (0, 1)}) - fens.Ball({x: 0.5, y: 0.5}, radius=0.25)
    problem = fens.Problem({
        holed: sp.Eq(u.diff(x, 2) + u.diff(y, 2), -8 * exact),
        holed.boundary: sp.Eq(u, exact),
    })
    return fens.solve(problem, **options)


def settings(problem: str) -> Iterator[dict]:
    """Nothing is tuned."""
    yield from ()


def predictor(solution):
    """A solution as a function of points."""
    return lambda points: solution(*np.asarray(points).T)


def facts(solution) -> dict:
    """What a solution says of itself: its estimate, its sizes, and where the time went."""
    stats, error = solution.stats, solution.error
    return {
        "estimate": error and error.estimate,
        "verdict": error and error.verdict,
        "features": stats.features,
        "rows": stats.rows,
        "sizes": list(stats.sizes),
        "rounds": len(stats.rounds),
        "passes": dict(stats.seconds),
        "status": stats.status,
    }
