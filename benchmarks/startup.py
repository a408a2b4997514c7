"""How long fens takes until it can solve, beside the packages it cannot do without. Run it on an idle machine.

    python benchmarks/startup.py [RUNS]
"""

import subprocess
import sys

NEEDED = "numpy, sympy, torch"


def seconds(modules: str) -> float:
    """From the start of the first import to the end of the last, in a process of its own."""
    program = f"import time; begin = time.perf_counter(); import {modules}; print(time.perf_counter() - begin)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main(runs: int) -> None:
    """Print the shortest time of each, and their ratio."""
    needed, all_of_it = (min(seconds(modules) for _ in range(runs)) for modules in (NEEDED, "fens; fens.solve"))
    facade = min(seconds("fens") for _ in range(runs))
    print(f"import {NEEDED}: {needed:.2f} s\nimport fens: {facade:.2f} s")
    print(f"with all that it takes to solve: {all_of_it:.2f} s, {all_of_it / needed:.2f} times as long")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
