"""Bumps on the unit square, in one piece and in 4 × 4, with the same number of features.

    python benchmarks/pieces.py [FEATURES WIDTH [SHAPE ...]]

By default 6400 features and bumps of width 0.03; one solve takes minutes on one core, and 2.5 GB. With 1600 features
and a width of 0.06 the ratios are about the same, in seconds.
"""

import sys
import time

import numpy as np
import sympy as sp

import fens

x, y = sp.symbols("x y")
u, square = sp.Function("u")(x, y), fens.Box({x: (0, 1), y: (0, 1)})

SHAPES = {
    "exp(−r²/w²)": lambda X, Y: sp.exp(-(X**2) - Y**2),
    "exp(−r²/2w²)": lambda X, Y: sp.exp(-(X**2 + Y**2) / 2),
    "sech(x/w) sech(y/w)": lambda X, Y: sp.sech(X) * sp.sech(Y),
    "1/(1 + r²/w²)": lambda X, Y: 1 / (1 + X**2 + Y**2),
}


def bumps(shape, width, seed=5):
    """Eight bumps at random places."""
    centres = np.random.default_rng(seed).uniform(0.1, 0.9, (8, 2)).round(3).tolist()
    return sp.Add(*(SHAPES[shape]((x - a) / width, (y - b) / width) for a, b in centres))


def largest_error(exact, features, partition):
    """Of a function of two variables fitted, and the seconds it took."""
    start = time.perf_counter()
    solution = fens.solve(
        fens.Problem({square: sp.Eq(u, exact)}), features=features, partition=partition, estimate=False
    )
    return solution.compare(exact).linf, time.perf_counter() - start


if __name__ == "__main__":
    features, width = (int(sys.argv[1]), float(sys.argv[2])) if len(sys.argv) > 2 else (6400, 0.03)
    print(f"8 bumps of width {width}, {features} features\n\n| shape | one piece | 4 × 4 | ratio |\n|---|---|---|---|")
    for shape in sys.argv[3:] or list(SHAPES)[:1]:
        exact = bumps(shape, width)
        (one, _), (parts, _) = (largest_error(exact, features, partition) for partition in (None, 4))
        print(f"| {shape} | {one:.1e} | {parts:.1e} | {one / parts:.0f} |", flush=True)
