"""Errors where a domain is farthest along what a solution varies with, with and without points on the way there.

    python benchmarks/far.py [SEEDS]

−Δu = f, u = m² + sin m with m the mean of the coordinates, in cubes and balls of many dimensions, with 400 features.
`anywhere` is the L∞ error at 20,000 points independent of the solve, `farthest` at ± the corner, or the point of the
sphere, at which all coordinates are equal; the estimate is set beside the larger of the two.
"""

import statistics
import sys

import numpy as np
import sympy as sp

import fens
from fens._support import steering

FEATURES = 400
SHARES = (0.0, 0.05, 0.1, 0.2, 0.3)


def known(shape, dimension):
    """The problem, and its solution."""
    xs = sp.symbols(f"x1:{dimension + 1}")
    u, mean = sp.Function("u")(*xs), sp.Add(*xs) / dimension
    cube, ball = fens.Box(dict.fromkeys(xs, (-1, 1))), fens.Ball(dict.fromkeys(xs, 0), dimension**0.5)
    domain, exact = cube if shape == "cube" else ball, mean**2 + sp.sin(mean)
    laplacian = sp.Add(*(u.diff(s, 2) for s in xs))
    return fens.manufacture({domain: -laplacian, domain.boundary: u}, u, exact), exact


def errors(problem, exact, seed):
    """The error anywhere and at the farthest points, and the estimate beside the larger."""
    solution = fens.solve(problem, features=FEATURES, seed=seed)
    ends = problem.domain.farthest(np.array([[-1.0], [1.0]]) * np.ones(len(problem.coordinates)))
    anywhere = solution.compare(exact).linf
    farthest = solution.compare(exact, dict(zip(problem.coordinates, ends.T, strict=True))).linf
    return anywhere, farthest, solution.error.estimate / max(anywhere, farthest)


def middle(found):
    """The median, and the largest."""
    return f"{statistics.median(found):.0e} (≤ {max(found):.0e})"


def main(seeds=6):
    """A row for each domain and share of points."""
    print("| domain | share of points | anywhere | farthest | estimate / error |", "|---" * 5 + "|", sep="\n")
    for shape, dimension in [("cube", 5), ("cube", 10), ("cube", 15), ("cube", 50), ("ball", 8)]:
        problem, exact = known(shape, dimension)
        for share in SHARES:
            steering.Adaptation.REACHING = share
            found = [errors(problem, exact, seed) for seed in range(seeds)]
            anywhere, farthest, ratios = zip(*found, strict=True)
            print(
                f"| {shape}, {dimension} dimensions | {share:g} | {middle(anywhere)} | {middle(farthest)} | "
                f"{min(ratios):.2g} to {max(ratios):.2g} |",
                flush=True,
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
