"""Many more rows than fit, or than are needed: least squares held in memory, streamed and sketched.

    python benchmarks/large.py

The heat equation on a grid of 51³ points with 2500 features, 140,000 rows: each solver in a process of its own, one
after another, and `torch.linalg.lstsq(driver="gels")` of the same matrix. Seconds are those of the least squares with
the making of its rows (without it for gels), memory is the peak of the process above what it held before.
"""

import json
import re
import subprocess
import sys
import time

import numpy as np
import torch

from fens import Grid, zoo
from fens.basis import Isotropic
from fens.discretise import System, discretise, linearise, weigh
from fens.fit.discrete import draw_features, place_points
from fens.lstsq import Automatic, Direct, Sketched, Streamed
from fens.options.settings import Settings
from fens.problem import LINEARISATIONS

FEATURES, SCALE, SIDE = 2500, 3.0, 51
SOLVERS = {
    "Direct": Direct(),
    "Streamed": Streamed.within(10**9, FEATURES),
    "Sketched": Sketched(Direct()),
    "Automatic(1 GB)": Automatic(10**9),
}


def system(features: int, side: int) -> System:
    """The rows of the heat equation on a grid."""
    problem, cpu = zoo.heat().problem, torch.device("cpu")
    settings = Settings(features=features, scale=SCALE, points=Grid(side))
    for_features, for_points = np.random.SeedSequence(0).spawn(2)
    placed = discretise(problem, place_points(problem, settings, for_points), LINEARISATIONS["newton"], cpu)
    family = draw_features(problem, settings, for_features, (Isotropic(),)).scaled((SCALE,) * 3, cpu)
    return System(weigh(linearise(placed), family, "balanced"), family)


def peak() -> int:
    """The high-water mark of this process alone, in bytes; getrusage inherits its parent's."""
    return 1024 * int(re.search(r"VmHWM:\s+(\d+)", open("/proc/self/status").read())[1])


def error(rows: System, weights: torch.Tensor) -> float:
    """The largest error of the function with these weights."""
    points = np.random.default_rng(1).random((20_000, 3))
    u = rows.features.matvec([(1.0, 0, (0, 0, 0))], torch.as_tensor(points), weights).numpy()
    x, y, t = points.T
    return float(np.abs(u - 2 * np.exp(-t) * np.sin(np.pi * x / 2) * np.sin(np.pi * y / 2)).max())


def measure(name: str) -> dict[str, float]:
    """Seconds, bytes, residual and error of one solver, after a small solve to load what it needs."""
    if name == "gels":
        rows = system(FEATURES, SIDE)
        blocks = list(rows)
        A, b = torch.cat([A for A, _ in blocks]), torch.cat([b for _, b in blocks])
        del blocks
        start = time.perf_counter()
        weights = torch.linalg.lstsq(A, b[:, None], driver="gels").solution[:, 0]
        seconds = time.perf_counter() - start
        return {"seconds": seconds, "residual": float((b - A @ weights).norm()), "error": error(rows, weights)}
    SOLVERS[name].factorise(system(60, 9)).solve()
    rows, before = system(FEATURES, SIDE), peak()
    start = time.perf_counter()
    found = SOLVERS[name].factorise(rows).solve()
    seconds = time.perf_counter() - start
    memory = peak() - before
    shape = rows.shape
    return {
        "rows": shape[0], "seconds": seconds, "memory": memory,
        "residual": found.residual, "error": error(rows, found.weights),
    }  # fmt: skip


def main() -> None:
    """One line for each solver."""
    bare = 0.0
    for name in ["gels", *SOLVERS]:
        done = subprocess.run([sys.executable, __file__, name], check=True, capture_output=True, text=True)
        found = json.loads(done.stdout)
        bare = bare or found["seconds"]
        memory = f"{found['memory'] / 1e9:5.2f} GB" if "memory" in found else ""
        print(
            f"{name:16} {found['seconds']:6.1f} s, {found['seconds'] / bare:5.2f} × gels, {memory:8} "
            f"residual {found['residual']:.1e}, error {found['error']:.1e}",
            flush=True,
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(sys.argv[1])))
    else:
        main()
