"""Largest errors on independent test grids of 201 points per axis, with the settings of each row.

    python benchmarks/accuracy.py [NAME ...]
"""

import sys
import time

import fens
from fens import zoo

PICARD = {"nonlinear": "picard", "weights": "unit", "points": fens.Grid(3000)}
CASES = [
    ("helmholtz", zoo.helmholtz, fens.Grid(201), 1e-14, {"features": 900, "scale": 10}),
    (
        "function_2d",
        zoo.function_2d,
        fens.Grid(201),
        2e-14,
        {"features": 1600, "activation": "cos_sin", "scale": 10, "points": fens.Grid(101)},
    ),
    ("heat", zoo.heat, fens.Grid(201), 3e-14, {"features": 2500, "scale": 3}),
    ("wave", zoo.wave, fens.Grid(201), 5e-15, {"features": 2500, "scale": 2.5}),
    ("oscillating_poisson", zoo.oscillating_poisson, fens.Grid(20_001), 1e-12, {"features": 900, "scale": 205}),
    (
        "helmholtz_elm",
        lambda: zoo.helmholtz(-1, 1),
        fens.Grid(201),
        2e-9,
        {
            "features": 2500,
            "activation": "tanh",
            "scale": fens.ScaleGrid(0, 3, 0.1),
            "points": fens.Grid(101),
            "weights": "unit",
        },
    ),
    ("nonlinear_helmholtz", zoo.nonlinear_helmholtz, fens.Grid(20_001), 5e-14, {"features": 400, "scale": 20}),
    ("picard", zoo.nonlinear_helmholtz, fens.Grid(20_001), 3e-12, {"features": 400, "scale": 20, **PICARD}),
    ("burgers", zoo.burgers, fens.Grid(201), 0.3, {"features": 1600, "activation": "sin", "scale": 62}),
    ("bratu", zoo.bratu, fens.Grid(201), 1e-12, {"features": 900}),
    ("sine_gordon", zoo.sine_gordon, fens.Grid(201), 1e-11, {"features": 1600}),
]


def main(names: list[str]) -> None:
    """Run the chosen cases, or all, and print a table."""
    fens.solve(zoo.helmholtz().problem, features=50)  # to load what it takes
    print("| problem | settings | L∞ | bound | iterations | seconds |\n|---|---|---|---|---|---|")
    for name, make, where, bound, options in CASES:
        if names and name not in names:
            continue
        known = make()
        start = time.perf_counter()
        solution = fens.solve(known.problem, estimate=False, **options)
        seconds = time.perf_counter() - start
        error = solution.compare(known.exact, where).linf
        settings = ", ".join(f"{k}={v}" for k, v in options.items())
        verdict = "" if error <= bound else " MISSED"
        iterations = solution.stats.iterations[-1].iteration if solution.stats.iterations else ""
        cells = (name, settings, f"{error:.1e}{verdict}", f"{bound:.0e}", iterations, f"{seconds:.1f}")
        print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
