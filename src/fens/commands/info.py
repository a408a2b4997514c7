"""`fens info`: versions, machine and threads, as a report of a problem with fens should have them."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from .shared import OK, add_examples, write_json

DESCRIPTION = "Versions of fens and of what it uses, the machine, and the threads it computes with."
NEEDED = ("fens", "numpy", "scipy", "sympy", "mpmath", "torch", "rich")
OPTIONAL = {"matplotlib": "plot", "shapely": "geometry", "trimesh": "geometry", "scikit-fem": "reproduce"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = DESCRIPTION
    parser.add_argument("--json", action="store_true", help="as JSON, for machines")
    add_examples(parser, ("fens info", "fens info --json"))


def run(args: argparse.Namespace) -> int:
    """Look, and tell."""
    found = facts()
    if args.json:
        write_json(found)
        return OK
    for section, rows in found.items():
        sys.stdout.write(f"{section}\n")
        for name, value in rows.items():
            sys.stdout.write(f"  {name:<12} {value if value is not None else _missing(name)}\n")
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


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _missing(name: str) -> str:
    return f"not installed; pip install 'fens[{OPTIONAL[name]}]'" if name in OPTIONAL else "not known"
