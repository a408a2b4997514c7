"""Frequencies that learn: problems in many dimensions, and fronts. Nothing is told of directions, subsets or scales.

    python benchmarks/adaptive.py [NAME ...]
"""

import sys
import time

import sympy as sp

import fens
from fens import zoo

x, t = sp.symbols("x t")


def poisson(dimension, exact):
    """−Δu = f on (−1, 1)^d with a solution given as a function of the coordinates."""
    xs = sp.symbols(f"x1:{dimension + 1}")
    u, box = sp.Function("u")(*xs), fens.Box(dict.fromkeys(xs, (-1, 1)))
    laplacian = sp.Add(*(u.diff(s, 2) for s in xs))
    return zoo.Known("", fens.manufacture({box: -laplacian, box.boundary: u}, u, exact(xs)), exact(xs))


def heat():
    """u_t = Δu + f in five dimensions, pairs of coordinates coupled."""
    xs = sp.symbols("x1:6")
    u, box = sp.Function("u")(*xs, t), fens.Box(dict.fromkeys(xs, (-1, 1))).during(t, 0, 1)
    exact = sp.exp(-t) * (sp.sin(xs[0] + xs[1]) + sp.cos(xs[2] - xs[3])) + sp.sin(xs[4] + t)
    operators = {box: u.diff(t) - sp.Add(*(u.diff(s, 2) for s in xs)), box.sides: u, box.initial: u}
    return zoo.Known("", fens.manufacture(operators, u, exact), exact)


def accelerating_front():
    """Burgers' operator with a front of width 0.02 at x = 0.2 + t²/2: its direction changes."""
    u, strip = sp.Function("u")(x, t), fens.Box({x: (0, 1)}).during(t, 0, 1)
    exact = 1 / (1 + sp.exp((x - sp.Rational(1, 5) - t**2 / 2) * 50))
    operators = {strip: u.diff(t) + u * u.diff(x) - u.diff(x, 2) / 100, strip.sides: u, strip.initial: u}
    return zoo.Known("", fens.manufacture(operators, u, exact), exact)


def sines(xs):
    return sp.Add(*(sp.sin(sp.pi * s / 2) for s in xs))


def pairs(xs):
    return sp.Add(*(sp.sin(a + b) for a, b in zip(xs[::2], xs[1::2], strict=True)))


def bump(xs):
    return sp.exp(-2 * sp.Add(*(s**2 for s in xs)))


CASES = {
    "poisson_5": ("Poisson d = 5, u = m² + sin m, m = mean x", lambda: zoo.poisson(5), 2000, 1e-13),
    "poisson_10": ("Poisson d = 10, the same", lambda: zoo.poisson(10), 2000, 1e-11),
    "poisson_15": ("Poisson d = 15, the same", lambda: zoo.poisson(15), 2000, 1e-10),
    "poisson_50": ("Poisson d = 50, the same", lambda: zoo.poisson(50), 2000, 1e-6),
    "sines": ("Poisson d = 5, u = Σ sin(πx_i/2)", lambda: poisson(5, sines), 2000, 1e-12),
    "pairs": ("Poisson d = 10, u = Σ sin(x_{2i−1} + x_{2i})", lambda: poisson(10, pairs), 4000, 1e-7),
    "heat": ("heat d = 5 and time, pairs coupled", heat, 4000, 1e-7),
    "burgers": ("Burgers, viscosity 0.01", zoo.burgers, 2500, 1e-6),
    "helmholtz": ("Helmholtz, no preferred direction", zoo.helmholtz, 1000, 1e-14),
    "accelerating": ("a front that accelerates", accelerating_front, 2500, None),
    "bump": ("Gaussian bump d = 8", lambda: poisson(8, bump), 2000, None),
}


def farthest(solution, exact):
    """The largest error at the points that are farthest along the frequencies."""
    points = solution.problem.domain.farthest(solution.features.members[0].frequencies.numpy())
    return solution.compare(exact, dict(zip(solution.problem.coordinates, points.T, strict=True))).linf


def main(names):
    """Run the chosen cases, or all, and print a table."""
    titles = "| problem | features | L∞ | where it is farthest | wanted | estimate | verdict | rounds | seconds |"
    print(titles, "|---" * 9 + "|", sep="\n")
    for name in names or CASES:
        title, make, features, bound = CASES[name]
        known = make()
        start = time.perf_counter()
        solution = fens.solve(known.problem, max_features=features)
        seconds = time.perf_counter() - start
        error, far, stats = solution.compare(known.exact).linf, farthest(solution, known.exact), solution.stats
        wanted = "–" if bound is None else f"{bound:.0e}{'' if error <= bound else ' MISSED'}"
        print(
            f"| {title} | {stats.features} | {error:.1e} | {far:.1e} | {wanted} | {solution.error.estimate:.1e} | "
            f"{solution.error.verdict} | {len(stats.rounds)} | {seconds:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
