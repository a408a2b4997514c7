"""`fens info`: versions, machine and threads, as a report of a problem should have them; or what a file holds."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ..solution import Solution, load
from .shared import OK, add_examples, write_json

DESCRIPTION = """Versions of fens and of what it uses, the machine, and the threads it computes with. With the name
of a saved solution: what it is a solution of, how well, and where it comes from."""
NEEDED = ("fens", "numpy", "scipy", "sympy", "mpmath", "torch", "rich")
OPTIONAL = {
    "matplotlib": "plot", "shapely": "geometry", "trimesh": "geometry", "scikit-fem": "reproduce", "xarray": "export",
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = DESCRIPTION
    parser.add_argument("file", metavar="SOLUTION", nargs="?", help="a saved solution, .fens")
    parser.add_argument("--json", action="store_true", help="as JSON, for machines")
    add_examples(parser, ("fens info", "fens info --json", "fens info u.fens"))


def run(args: argparse.Namespace) -> int:
    """Look, and tell."""
    found = facts() if args.file is None else facts_of(load(args.file))
    if args.json:
        write_json(found)
        return OK
    for section, rows in found.items():
        sys.stdout.write(f"{section}\n")
        width = max(12, *map(len, rows))
        for name, value in rows.items():
            sys.stdout.write(f"  {name:<{width}} {value if value is not None else _missing(name)}\n")
    return OK


def facts() -> dict[str, dict[str, Any]]:
    """Everything that is told."""
    import torch

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in NEEDED}},
        "optional": {name: _version(name) for name in OPTIONAL},
        "machine": {
            "system": platform.platform(),
            "processor": platform.machine(),
            "cores": cores,
            "threads": torch.get_num_threads(),
            "cuda": torch.cuda.get_device_name(0) if torch.cuda.is_available() else "none",
        },
    }


def facts_of(solution: Solution) -> dict[str, dict[str, Any]]:
    """What is told of a saved solution."""
    problem, stats, error = solution.problem, solution.stats, solution.error
    equations = {f"equation {k}": c.label for k, c in enumerate(problem.conditions, 1)}
    named = ("estimate", "relative", "verdict", "advice")
    told = {k: getattr(error, k) for k in named} if error else {"estimate": "none"}
    solved = {k: getattr(stats, k) for k in ("features", "rows", "rank", "residual", "status")}
    return {
        "problem": {"sought": ", ".join(map(str, problem.unknowns)), "domain": problem.domain.name, **equations},
        "solution": solved,
        "error": told,
        "options": {"seed": solution.settings.seed, **{k: repr(v) for k, v in solution.settings.options.items()}},
        "computed with": solution.provenance.facts,
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _missing(name: str) -> str:
    return f"not installed; pip install 'fens[{OPTIONAL[name]}]'" if name in OPTIONAL else "not known"
