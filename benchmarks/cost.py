"""What a solve costs beside the least squares it cannot do without: time as a ratio within one run, and memory.

    python benchmarks/cost.py

Time: `fens.solve` at 2500 features with the scale given and no estimate, against one bare
`torch.linalg.lstsq(driver="gels")` on a random matrix of the same shape; the two alternate, and the median ratio
counts. Memory: the peak of the process above what it held before, in a fresh process, as a multiple of the matrix.
Choices: `fens.solve` at 1600 features with the scale chosen and the error estimated, against the same solve with
both left out.
"""

import statistics
import subprocess
import sys
import time

import torch

import fens
from fens import zoo

FEATURES = 2500


def time_ratio(repeats: int = 5) -> float:
    """Median of time(fens.solve)/time(gels)."""
    known = zoo.wave()
    rows = fens.solve(known.problem, features=FEATURES, scale=2.5, estimate=False).stats.rows
    ratios = []
    for _ in range(repeats):
        A, b = torch.randn(rows, FEATURES, dtype=torch.float64), torch.randn(rows, 1, dtype=torch.float64)
        start = time.perf_counter()
        torch.linalg.lstsq(A, b, driver="gels")
        bare = time.perf_counter() - start
        del A, b
        start = time.perf_counter()
        solution = fens.solve(known.problem, features=FEATURES, scale=2.5, estimate=False)
        ours = time.perf_counter() - start
        ratios.append(ours / bare)
        passes = ", ".join(f"{name} {seconds:.2f}" for name, seconds in solution.stats.seconds.items())
        print(f"  gels {bare:.2f} s, fens.solve {ours:.2f} s ({passes}), ratio {ours / bare:.2f}")
    return statistics.median(ratios)


def choice_ratios(features: int = 1600) -> dict[str, float]:
    """time(solve with nothing chosen but the size)/time(the same with the scale it chose), for each linear problem."""
    ratios = {}
    for make in zoo.LINEAR:
        known = make()
        fens.solve(known.problem, features=50)
        start = time.perf_counter()
        solution = fens.solve(known.problem, features=features)
        automatic = time.perf_counter() - start
        start = time.perf_counter()
        fens.solve(known.problem, features=features, scale=solution.scale, estimate=False)
        ratios[known.name] = automatic / (time.perf_counter() - start)
    return ratios


def memory_ratio() -> float:
    """Peak memory of a solve as a multiple of its matrix, measured in a process of its own."""
    program = (
        "import re, fens\n"
        "from fens import zoo\n"
        "known = zoo.wave()\n"
        "fens.solve(known.problem, features=50)\n"
        "def peak():  # the high-water mark of this process alone; getrusage inherits its parent's\n"
        "    return 1024 * int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])\n"
        "before = peak()\n"
        f"stats = fens.solve(known.problem, features={FEATURES}, scale=2.5, estimate=False).stats\n"
        "print((peak() - before) / (8 * stats.rows * stats.features))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    return float(done.stdout)


if __name__ == "__main__":
    print(f"time: {time_ratio():.2f} times a bare least squares (bound 2.5)")
    choices = choice_ratios()
    print(f"choice and estimate: {max(choices.values()):.1f} times the solve at most (bound 6)")
    print("  " + ", ".join(f"{name} {ratio:.1f}" for name, ratio in choices.items()))
    print(f"peak memory: {memory_ratio():.2f} times the matrix (bound 3)")
