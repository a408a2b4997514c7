"""What `fens.solve` chooses by itself, and what its error estimates are worth.

    python benchmarks/automatic.py [cells] [defaults] [verdicts] [tolerances] [--quick] [--filed]

Writes `docs/automatic.md`, and for each cell a line of `docs/automatic.csv`; cells that are there already are not
computed again. `--quick` computes few cells, and writes nothing; `--filed` reports those on file, and computes none.
"""

import csv
import sys
import time
from pathlib import Path

import fens
from fens import zoo

DOCS = Path(__file__).parents[1] / "docs"
CELLS = DOCS / "automatic.csv"
FIELDS = ["problem", "activation", "features", "seed", "scale", "error", "best", "best_scale", "estimate", "verdict"]
PROBLEMS = {  # and the paper's best L∞ for each
    "function_2d": (zoo.function_2d, 6.4756e-15),
    "helmholtz": (lambda: zoo.helmholtz(-1, 1), 5.33e-14),
    "helmholtz_tanh": (zoo.helmholtz_tanh, 3.2613e-15),
    "diffusion": (zoo.diffusion, 9.2371e-14),
    "heat": (zoo.heat, 2.609e-14),
    "wave": (zoo.wave, 2.4425e-15),
    "nonlinear_helmholtz": (zoo.nonlinear_helmholtz, 2.2427e-13),
    "oscillating_poisson": (zoo.oscillating_poisson, 1.3878e-11),
    "poisson_5d": (lambda: zoo.poisson(5), 1.2396e-13),
}
ACTIVATIONS = ("cos", "sin", "cos_sin", "tanh")
SIZES = (400, 900, 1600)
SEEDS = (0, 1, 2)
FACTORS = tuple(2 ** (k / 4) for k in range(-6, 9))  # of the fine grid, relative to the scale by rank
TEST_POINTS = {1: fens.Grid(2001), 2: fens.Grid(101), 3: fens.Grid(31), 5: fens.Clustered(interior=5000)}
TOLERANCES = (1e-4, 1e-8, 1e-12)


def error_of(solution, known):
    """The largest error on the test points."""
    return solution.compare(known.exact, TEST_POINTS[len(known.problem.coordinates)]).linf


def cell(name, activation, features, seed):
    """One automatic solve, and the best error on a fine grid of scales around the scale by rank."""
    known = PROBLEMS[name][0]()
    options = {"features": features, "activation": activation, "seed": seed, "raise_on_failure": False}
    solution = fens.solve(known.problem, **options)
    errors = {}
    for factor in FACTORS:
        scale = factor * solution.search.scales[0][0]
        try:
            other = fens.solve(known.problem, scale=scale, estimate=False, **options)
        except fens.FensError:
            continue
        if other.stats.status != "failed":
            errors[scale] = error_of(other, known)
    best = min(errors, key=errors.get)
    scale = " ".join(f"{s:.4g}" for s in sorted(set(solution.scales), reverse=True))
    return {
        "problem": name,
        "activation": activation,
        "features": features,
        "seed": seed,
        "scale": scale,
        "error": f"{error_of(solution, known):.3e}",
        "best": f"{errors[best]:.3e}",
        "best_scale": f"{best:.4g}",
        "estimate": f"{solution.error.estimate:.3e}",
        "verdict": solution.error.verdict,
    }


def cells(quick, filed=False):
    """All cells, of which those on file are read."""
    if quick:
        return [cell(name, "cos", 400, 0) for name in PROBLEMS]
    done = list(csv.DictReader(CELLS.open())) if CELLS.exists() else []
    if filed:
        return done
    keys = {(r["problem"], r["activation"], int(r["features"]), int(r["seed"])) for r in done}
    wanted = [(n, a, m, s) for m in SIZES for s in SEEDS for n in PROBLEMS for a in ACTIVATIONS]
    with CELLS.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not done:
            writer.writeheader()
        for key in wanted:
            if key in keys:
                continue
            done.append(cell(*key))
            writer.writerow(done[-1])
            file.flush()
            print(*done[-1].values(), flush=True)
    return done


def cells_report(rows):
    """How far the chosen scale is from the best, and the estimate from the error."""
    ratios = [float(r["error"]) / float(r["best"]) for r in rows]
    estimates = [float(r["estimate"]) / float(r["error"]) for r in rows]

    def share(values, lower, upper):
        return f"{sum(lower <= v <= upper for v in values) / len(values):.1%}"

    lines = [
        f"{len(rows)} cells so far, of {len(PROBLEMS) * len(ACTIVATIONS) * len(SIZES) * len(SEEDS)}: "
        f"{len(PROBLEMS)} problems × {', '.join(ACTIVATIONS)} × {', '.join(map(str, SIZES))} "
        f"features × {len(SEEDS)} seeds. The fine grid has {len(FACTORS)} scales, equal along all axes, each 19 % "
        "from the next.",
        "",
        "| | share of cells | extreme |",
        "|---|---|---|",
        f"| error ≤ 5 × the best on the fine grid | {share(ratios, 0, 5)} | largest ratio {max(ratios):.1f} |",
        f"| error ≤ 30 × the best on the fine grid | {share(ratios, 0, 30)} | smallest ratio {min(ratios):.1e} |",
        f"| estimate between 1/3 and 30 of the error | {share(estimates, 1 / 3, 30)} | smallest {min(estimates):.2f}, "
        f"largest {max(estimates):.1f} |",
        f"| estimate below 1/10 of the error | {share(estimates, 0, 0.1)} | |",
        "",
        "Medians over seeds; a ratio below 1 says that one scale for each axis, or a scale between those of the grid, "
        "was better than all of them.",
        "",
        "| problem | activation | features | error | error / best on grid | estimate / error |",
        "|---|---|---|---|---|---|",
    ]
    for name in PROBLEMS:
        for activation in ACTIVATIONS:
            for size in SIZES:
                mine = [k for k, r in enumerate(rows) if _key(r) == (name, activation, size)]
                if mine:
                    error, ratio, estimate = (
                        sorted(values[k] for k in mine)[len(mine) // 2]
                        for values in ([float(r["error"]) for r in rows], ratios, estimates)
                    )
                    lines.append(f"| {name} | {activation} | {size} | {error:.1e} | {ratio:.2g} | {estimate:.2g} |")
    return lines


def defaults_report():
    """Every problem with no options at all."""
    lines = [
        "| problem | features | error | paper's best | ratio | estimate | verdict | seconds | relative to one solve |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    fens.solve(zoo.helmholtz().problem, features=100)  # the first solve in a process also loads what it needs
    for name, (make, paper) in PROBLEMS.items():
        known = make()
        start = time.perf_counter()
        solution = fens.solve(known.problem)
        seconds = time.perf_counter() - start
        start = time.perf_counter()
        options = {"features": solution.stats.features, "scale": solution.scale, "estimate": False}
        fens.solve(known.problem, **options)
        once = time.perf_counter() - start
        error, estimate = solution.compare(known.exact).linf, solution.error
        lines.append(
            f"| {name} | {solution.stats.features} | {error:.1e} | {paper:.1e} | {error / paper:.2g} | "
            f"{estimate.estimate:.1e} | {estimate.verdict} | {seconds:.1f} | {seconds / once:.1f} × |"
        )
        print(lines[-1], flush=True)
    return lines


def verdicts_report():
    """Problems that must not get a confident number."""
    lines = ["| problem | verdict | estimate | why |", "|---|---|---|---|"]
    for name, problem in {**zoo.ill_posed(), **zoo.unresolvable()}.items():
        try:
            error = fens.solve(problem).error
            lines.append(f"| {name} | {error.verdict} | {error.estimate:.1e} | {error.advice} |")
        except fens.FensError as refusal:
            lines.append(f"| {name} | {type(refusal).__name__} | | {refusal} |")
        print(lines[-1], flush=True)
    return lines


def tolerances_report():
    """Every problem to three tolerances."""
    lines = [
        "| problem | tolerance | features | error | error / tolerance | seconds |",
        "|---|---|---|---|---|---|",
    ]
    for name, (make, _) in PROBLEMS.items():
        for tol in TOLERANCES:
            known = make()
            start = time.perf_counter()
            said = ""
            try:
                solution = fens.solve(known.problem, tol=tol)
            except fens.ToleranceNotMet as refusal:
                solution, said = refusal.solution, ", not met: said"
            seconds = time.perf_counter() - start
            error = error_of(solution, known)
            lines.append(
                f"| {name} | {tol:.0e}{said} | {solution.stats.features} | {error:.1e} | {error / tol:.2g} | "
                f"{seconds:.1f} |"
            )
            print(lines[-1], flush=True)
    return lines


SECTIONS = {
    "cells": "The scale it chooses, and the error it estimates",
    "defaults": "With no options at all",
    "verdicts": "Ill-posed and unresolvable problems",
    "tolerances": "To a tolerance",
}


def main(names, quick, filed):
    """Run the chosen sections, and put them into the document in the place of what stood there."""
    page = DOCS / "automatic.md"
    head = "# What solve chooses by itself\n\nWritten by `python benchmarks/automatic.py`; two cores."
    found = dict(part.split("\n", 1) for part in page.read_text().split("\n## ")[1:]) if page.exists() else {}
    reports = {
        "cells": lambda: cells_report(cells(quick, filed)),
        "defaults": defaults_report,
        "verdicts": verdicts_report,
        "tolerances": tolerances_report,
    }
    for name in names or SECTIONS:
        found[SECTIONS[name]] = "\n" + "\n".join(reports[name]()) + "\n"
    text = "\n\n## ".join([head, *(f"{t}\n\n{found[t].strip()}" for t in SECTIONS.values() if t in found)]) + "\n"
    if quick:
        print(text)
    else:
        page.write_text(text)


def _key(row):
    return row["problem"], row["activation"], int(row["features"])


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a not in ("--quick", "--filed")]
    unknown = [a for a in arguments if a not in SECTIONS]
    if unknown:
        sys.exit(f"unknown sections: {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    main(arguments, "--quick" in sys.argv, "--filed" in sys.argv)
