"""Whether solutions have the same bits as before: what a change of the code's shape must not change.

    python benchmarks/identical.py --save before.json       # with the code as it was
    python benchmarks/identical.py --against before.json    # with the code as it is, on the same machine

Solves a table of problems, with every kind of option, on one thread, and hashes weights, scales and error estimates.
"""

import argparse
import hashlib
import json
import sys
import warnings
from pathlib import Path

import torch

import fens
from fens import zoo

SMALL = {"features": 120, "max_iterations": 8}
TABLE = {
    "function": (zoo.function_2d, {}),
    "Helmholtz": (zoo.helmholtz, {}),
    "Helmholtz, automatic": (zoo.helmholtz, {"features": None}),
    "Helmholtz, to a tolerance": (zoo.helmholtz, {"features": None, "tol": 1e-6}),
    "Helmholtz, tanh": (zoo.helmholtz, {"activation": "tanh"}),
    "Helmholtz, scale given": (zoo.helmholtz, {"scale": 4.0}),
    "Helmholtz, scales by grid": (zoo.helmholtz, {"scale": fens.ScaleGrid(1, 5, 1)}),
    "Helmholtz, two layers": (zoo.helmholtz, {"layers": 2}),
    "Helmholtz, cells": (zoo.helmholtz, {"partition": 2}),
    "Helmholtz, streamed": (zoo.helmholtz, {"features": 600, "memory": "20 MB"}),
    "Helmholtz, a grid": (zoo.helmholtz, {"points": fens.Grid(20)}),
    "diffusion": (zoo.diffusion, {}),
    "heat": (zoo.heat, {}),
    "heat in blocks": (zoo.heat, {"blocks": 3}),
    "wave": (zoo.wave, {}),
    "Poisson in 5 dimensions": (lambda: zoo.poisson(5), {}),
    "nonlinear Helmholtz": (zoo.nonlinear_helmholtz, {}),
    "nonlinear Helmholtz, Picard": (zoo.nonlinear_helmholtz, {"nonlinear": "picard"}),
    "Burgers": (lambda: zoo.burgers(0.1), {}),
    "Bratu": (zoo.bratu, {}),
    "a square without a disc": (zoo.holed_square, {}),
    "an annulus": (zoo.annulus, {}),
    "a bent polygon": (zoo.bent_polygon, {}),
    "a singular corner": (zoo.corner_singularity, {}),
    "Robin and periodic": (zoo.robin_and_periodic, {}),
    "two materials": (zoo.interface, {}),
    "Neumann on a disc": (zoo.neumann_disc, {}),
}


def digest(solution):
    """A hash of what a solve found."""
    found = hashlib.sha256()
    for part in getattr(solution, "blocks", None) or [solution]:
        found.update(part.weights.cpu().numpy().tobytes())
        found.update(repr((part.scales, part.error.estimate, part.error.verdict)).encode())
    return found.hexdigest()[:16]


def solved(name):
    """The hash of one problem of the table."""
    make, options = TABLE[name]
    given = {k: v for k, v in {**SMALL, **options}.items() if v is not None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return digest(fens.solve(make().problem, raise_on_failure=False, **given))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--save", metavar="FILE")
    parser.add_argument("--against", metavar="FILE")
    options = parser.parse_args()
    torch.set_num_threads(1)
    before = json.loads(Path(options.against).read_text()) if options.against else {}
    found, changed = {}, []
    for name in TABLE:
        found[name] = solved(name)
        same = "" if name not in before else "same" if before[name] == found[name] else "CHANGED"
        changed += [name] if same == "CHANGED" else []
        print(f"{name:30}{found[name]}  {same}", flush=True)
    if options.save:
        Path(options.save).write_text(json.dumps(found, indent=1))
    sys.exit(f"{len(changed)} changed: {', '.join(changed)}" if changed else 0)


if __name__ == "__main__":
    main()
