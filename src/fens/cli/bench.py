"""`fens bench`: how fast problems with known solutions are solved on this machine, and how right."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import zoo
from .._support.flops import Counted, multiply_rate
from ..api import solve
from ..errors import SettingError
from .shared import OK, add_examples, told, write_json

DESCRIPTION = """Measure this machine: how fast it multiplies matrices, and how long problems with known solutions take
with everything chosen automatically. "of peak" is the share of the multiplication's rate that the factorisations
(2mn² - 2n³/3 operations for an m × n matrix) and products of the whole solve reach. Ctrl-C keeps what is finished."""

EXAMPLES = (
    "fens bench                         a handful of problems, about a minute",
    "fens bench helmholtz burgers       some of them",
    "fens bench --json | jq .problems",
)
PROBLEMS: dict[str, Callable[[], zoo.Known]] = {
    "helmholtz": zoo.helmholtz,
    "oscillating_poisson": zoo.oscillating_poisson,
    "bratu": zoo.bratu,
    "holed_square": zoo.holed_square,
    "heat": zoo.heat,
    "poisson_5d": lambda: zoo.poisson(5),
    "poisson_10d": lambda: zoo.poisson(10),
    "wave": zoo.wave,
    "annulus": zoo.annulus,
    "burgers": zoo.burgers,
    "sine_gordon": zoo.sine_gordon,
}
HANDFUL = ("helmholtz", "oscillating_poisson", "bratu", "holed_square", "heat", "poisson_5d")
STOPPED = 130
SMALL = 50  # features of a solve that warms up
COLUMNS = ("problem", "features", "rows", "error", "estimate", "seconds", "of peak")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = DESCRIPTION
    known = ", ".join(PROBLEMS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"problems: {known}; default: the first six")
    parser.add_argument("--json", action="store_true", help="the figures as JSON, for machines")
    add_examples(parser, EXAMPLES)


def run(args: argparse.Namespace) -> int:
    """Measure, and tell each figure as it comes; also if the rest is not wanted any more."""
    if unknown := [name for name in args.names if name not in PROBLEMS]:
        raise SettingError(f"fens bench knows no problem {unknown[0]!r}; it knows {', '.join(PROBLEMS)}.")
    found: list[dict[str, Any]] = []
    rate, stopped = float("nan"), False
    try:
        rate = _rate(args.json)
        for measured in measurements(args.names or HANDFUL, rate):
            found.append(measured)
            if not args.json:
                _write(_row(measured))
    except KeyboardInterrupt:
        stopped = True
        sys.stderr.write("fens bench: stopped; what was finished is told.\n")
    if args.json:
        write_json({"multiplication": rate, "problems": found})
    return STOPPED if stopped else OK


def _rate(quiet: bool) -> float:
    import torch

    with told("multiplying matrices"):
        rate = multiply_rate()
    if not quiet:
        threads = torch.get_num_threads()
        _write(f"Products of matrices, float64, {threads} threads: {rate / 1e9:.1f} GFLOP/s\n")
        _write(_line(COLUMNS))
    return rate


def measurements(names: Sequence[str], rate: float) -> Iterator[dict[str, Any]]:
    """Each problem solved: how large, how right, how fast."""
    if names:  # what is loaded once is not the first problem's
        solve(PROBLEMS[names[0]]().problem, features=SMALL, estimate=False, raise_on_failure=False)
    for name in names:
        known = PROBLEMS[name]()
        with told(f"solving {name}"), Counted() as counted:
            start = time.perf_counter()
            solution = solve(known.problem, raise_on_failure=False)
            seconds = time.perf_counter() - start
        yield {
            "problem": name,
            "features": solution.stats.features,
            "rows": solution.stats.rows,
            "error": float(solution.compare(known.exact).linf),
            "estimate": solution.error.estimate if solution.error else None,
            "seconds": seconds,
            "flops": counted.flops,
            "fraction": counted.flops / seconds / rate,
        }


def _row(measured: dict[str, Any]) -> str:
    m = measured
    estimate = "-" if m["estimate"] is None else f"{m['estimate']:.1e}"
    figures = (f"{m['error']:.1e}", estimate, f"{m['seconds']:.2f}", f"{100 * m['fraction']:.0f} %")
    return _line((m["problem"], m["features"], m["rows"], *figures))


def _line(cells: Sequence[Any]) -> str:
    first, *rest = map(str, cells)
    return f"{first:<20}" + "".join(f"{cell:>11}" for cell in rest)


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
