"""`fens reproduce`: run the cells that have not been run, and write the page."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from fens.errors import SettingError

from .cells import Cell, cells
from .experiments import EXPERIMENTS
from .report import write_report
from .results import Results
from .run import LARGEST, run_cell

DESCRIPTION = (
    "Run the paper's experiments and set every figure beside the paper's. The quick run takes every problem at two "
    "sizes; each finished cell is kept at once, and a run that was stopped goes on where it was."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = DESCRIPTION
    names = ", ".join(e.name for e in EXPERIMENTS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"experiments to run, all by default: {names}")
    parser.add_argument("--full", action="store_true", help="all sizes on the paper's points; takes many hours")
    parser.add_argument("--exhaustive", action="store_true", help="every candidate of Algorithm 1; takes days")
    parser.add_argument("--report", action="store_true", help="run nothing, write the page from the results so far")
    parser.add_argument("--folder", type=Path, default=Path("results"), help="of results and page; default ./results")
    parser.add_argument("--seed", type=int, default=0, help="of the random features; 0 by default")
    parser.add_argument("--memory", type=float, default=LARGEST, help="GiB a cell may take; 16 by default")


def run(args: argparse.Namespace) -> int:
    """Run what is missing, and write the page; also if the run is interrupted."""
    if args.seed < 0:
        raise SettingError(f"--seed must be a whole number, not negative; got {args.seed}.")
    wanted = cells(args.names, args.full, args.exhaustive, args.seed)
    results = Results(args.folder / "results.jsonl").prepared()
    stopped = False
    if not args.report:
        try:
            run_missing(wanted, results, args.memory)
        except KeyboardInterrupt:
            stopped = True
    if not results.records():
        sys.stderr.write("There are no results yet, and so there is no report.\n")
        return 1
    page = write_report(results, args.folder)
    sys.stderr.write(f"{'Stopped; the next run goes on from here. ' if stopped else ''}The report is {page}.\n")
    return 130 if stopped else 0


def run_missing(wanted: Sequence[Cell], results: Results, memory: float) -> None:
    """Run the cells that the file has no outcome of, one after another, each written down at once."""
    recorded = {record["key"] for record in results.records()}
    finished = results.finished()
    missing = [cell for cell in wanted if cell.key not in finished]
    for cell in with_progress(missing):
        outcome = run_cell(cell, memory)
        if outcome["status"] != "skipped" or cell.key not in recorded:
            results.append(cell, outcome)


def with_progress(missing: Sequence[Cell]) -> Iterator[Cell]:
    """The cells one by one, with a bar on standard error: their share of the expected time, and the time left."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    total, done, start = sum(c.seconds for c in missing), 0.0, time.perf_counter()
    text = TextColumn("{task.fields[count]} {task.description}"), BarColumn(), TextColumn("{task.fields[left]}")
    with Progress(*text, console=Console(stderr=True)) as progress:
        bar = progress.add_task("", total=total, count="", left="")
        for number, cell in enumerate(missing, 1):
            left = "" if not done else time_left((time.perf_counter() - start) * (total - done) / done)
            name = f"{cell.experiment} {cell.column} {cell.activation} {cell.size:g}"
            progress.update(bar, description=name, count=f"{number}/{len(missing)}", left=left)
            if not progress.console.is_terminal:
                sys.stderr.write(f"{number}/{len(missing)} {name} {left}\n")
            yield cell
            done += cell.seconds
            progress.update(bar, completed=done)


def time_left(seconds: float) -> str:
    """In words.

    >>> time_left(40), time_left(400), time_left(40_000)
    ('40 s left', '7 min left', '11.1 h left')
    """
    if seconds < 90:
        return f"{seconds:.0f} s left"
    return f"{seconds / 60:.0f} min left" if seconds < 5400 else f"{seconds / 3600:.1f} h left"
