"""One solver on one problem, in a process of its own: each finished run is a line of JSON.

    python child.py SOLVER PROBLEM MODE SECONDS OUTPUT

MODE is `default`, `tuned`, or `tol=1e-9`. A run is timed from the statement of the problem to the solution. It is done
once as it comes, since a first call in a process also loads what it needs, and where that was cheap twice again (once
again in a search) or, of runs that take no time, as often as there is half a second for; of these calls the median
counts. The true error is taken afterwards and is not timed.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

CHEAP = 8.0  # seconds up to which a run is repeated
AGAIN = 0.5  # seconds for more calls of a run
MOST = 9  # calls
MODULES = {
    "fens": "ours",
    "fastlsq": "fastlsq_solver",
    "pyrfm": "pyrfm_solver",
    "deepxde": "deepxde_solver",
    "scikit-fem": "finite_elements",
    "chebyshev": "chebyshev",
}


def settings_of(module: Any, problem: str, mode: str) -> Iterator[dict[str, Any]]:
    """The settings of the runs of a mode."""
    if mode == "default":
        yield from module.defaults(problem) if hasattr(module, "defaults") else [{}]
    elif mode.startswith("tol="):
        yield {"tol": float(mode.removeprefix("tol="))}
    else:
        yield from module.settings(problem)


def timed(run: Callable[..., Any], settings: dict[str, Any], calls: int, deadline: float) -> tuple[Any, list[float]]:
    """What a run returned, and the seconds of each of its calls."""
    seconds: list[float] = []
    while True:
        start = time.perf_counter()
        try:
            result = run(**settings)
        except RuntimeError as error:  # a tolerance not met comes with the best there is
            if (result := getattr(error, "solution", None)) is None:
                raise
        seconds.append(time.perf_counter() - start)
        enough = len(seconds) >= calls and (sum(seconds[1:]) > AGAIN or len(seconds) == MOST)
        if enough or seconds[0] > CHEAP or time.perf_counter() + 2 * seconds[0] > deadline:
            return result, seconds


def measured(module: Any, problem: Any, settings: dict[str, Any], calls: int, deadline: float) -> dict[str, Any]:
    """One run: its error, its times, and what the solver says of it; or why there is none."""
    try:
        result, seconds = timed(getattr(module, problem.name), settings, calls, deadline)
        facts = module.facts(result) if hasattr(module, "facts") else {}
        error = problem.error(module.predictor(result))
    except Exception as error:
        return {"settings": settings, "failure": f"{type(error).__name__}: {error}"[:300]}
    again = sorted(seconds[1:]) or seconds
    return {"settings": settings, "error": error, "seconds": again[len(again) // 2], "calls": seconds, **facts}


def plain(value: Any) -> Any:
    """What JSON can hold: numbers that are not finite become words, which float() reads."""
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def versions(names: tuple[str, ...]) -> dict[str, str]:
    """Of the packages that a solver uses."""
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def main(solver: str, problem_name: str, mode: str, budget: str, output: str) -> None:
    """Run, and write each result as it comes; settings are tried as long as there is time for the next."""
    sys.path.insert(0, str(Path(__file__).parent))
    from problems import PROBLEMS

    problem = PROBLEMS[problem_name]
    start = time.perf_counter()
    os.environ.setdefault("DDE_BACKEND", "pytorch")
    module = importlib.import_module(MODULES[solver])
    imported = time.perf_counter() - start
    deadline = time.perf_counter() + float(budget)
    last = 0.0
    for settings in settings_of(module, problem_name, mode):
        began = time.perf_counter()
        if began + last > deadline:
            break
        record = measured(module, problem, settings, 2 if mode == "tuned" else 3, deadline)
        last = time.perf_counter() - began
        record = {"import_seconds": imported, "versions": versions(module.DISTRIBUTIONS), **record}
        with Path(output).open("a") as file:
            file.write(json.dumps(plain(record), allow_nan=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
