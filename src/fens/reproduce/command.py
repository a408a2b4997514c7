"""`fens reproduce`: run the cells that have not been run, and write the page."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Container, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

import torch

from fens.errors import MissingPackage, SettingError

from .cells import Cell, cells
from .experiments import EXPERIMENTS
from .fingerprint import fingerprint
from .report import write_report
from .results import Results
from .run import LARGEST, Outcome, run_cell

DESCRIPTION = (
    "Run the paper's experiments and set every figure next to the paper's. The quick run takes every\n"
    "problem at one or two sizes, in ten minutes; each finished cell is kept at once, and a run that was\n"
    "stopped goes on where it was."
)

CONNECTING = "10s"  # how long to wait for a scheduler


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = DESCRIPTION
    parser.epilog = "examples:\n  fens reproduce\n  fens reproduce wave burgers --full\n  fens reproduce --full --plan"
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    names = ", ".join(e.name for e in EXPERIMENTS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"experiments to run, all by default: {names}")
    parser.add_argument("--full", action="store_true", help="all of the paper, and several seeds; takes days")
    parser.add_argument("--plan", action="store_true", help="run nothing, tell what is missing and how long it takes")
    parser.add_argument("--report", action="store_true", help="run nothing, write the page from the results so far")
    parser.add_argument("--folder", type=Path, default=Path("results"), help="of results and page; default ./results")
    parser.add_argument("--seed", type=int, default=0, help="of the random features; 0 by default")
    parser.add_argument("--workers", type=int, default=cores(), help="processes side by side; one for each core")
    parser.add_argument("--cluster", metavar="ADDRESS", help="of a Dask scheduler whose workers run the cells")
    parser.add_argument("--memory", type=float, default=LARGEST, help="GiB a cell may take; 16 by default")


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(args: argparse.Namespace) -> int:
    """Run what is missing, and write the page; also if the run is interrupted."""
    if args.seed < 0:
        raise SettingError(f"--seed must be a whole number, not negative; got {args.seed}.")
    if args.workers < 1:
        raise SettingError(f"--workers must be a whole positive number; got {args.workers}.")
    wanted = cells(args.names, args.full, args.seed)
    results = Results(args.folder / "results.jsonl").prepared()
    if args.plan:
        sys.stdout.write(plan(wanted, results))
        return 0
    stopped = False
    if not args.report:
        try:
            run_missing(wanted, results, args.memory, args.workers, args.cluster)
        except KeyboardInterrupt:
            stopped = True
    if not results.records():
        sys.stderr.write("There are no results yet, and so there is no report.\n")
        return 1
    page = write_report(results, args.folder)
    sys.stderr.write(f"{'Stopped; the next run goes on from here. ' if stopped else ''}The report is {page}.\n")
    return 130 if stopped else 0


def run_missing(
    wanted: Sequence[Cell], results: Results, memory: float, workers: int, cluster: str | None = None
) -> None:
    """Run the cells that the file has no outcome of, each written down at once."""
    word = fingerprint(results.path.parent)
    recorded = {record["key"] for record in results.records() if record.get("fingerprint") == word}
    missing = without(wanted, results.finished(word))
    folder = results.path.parent
    found = on_cluster(missing, memory, cluster) if cluster else outcomes(missing, memory, workers, folder)
    for cell, outcome in with_progress(found, missing):
        if outcome["status"] != "skipped" or cell.key not in recorded:
            results.append(cell, outcome, word)


def without(wanted: Sequence[Cell], finished: Container[str]) -> list[Cell]:
    """The cells that are not finished."""
    return [cell for cell in wanted if cell.key not in finished]


def plan(wanted: Sequence[Cell], results: Results) -> str:
    """What is missing, in groups as they are run, with the hours that they take on one core."""
    word = fingerprint(results.path.parent)
    missing = without(wanted, results.finished(word))
    stale = sum(r.get("fingerprint") != word for r in results.records())
    groups: dict[str, list[Cell]] = {}
    for cell in missing:
        groups.setdefault(cell.group, []).append(cell)
    lines = [f"{sum(c.seconds for c in own) / 3600:7.1f} h  {len(own):5} cells  {g}" for g, own in groups.items()]
    total = sum(c.seconds for c in missing) / 3600
    old = f"; {stale} results are of a code with other numbers" if stale else ""
    head = f"{len(missing)} of {len(wanted)} cells are missing, about {total:.1f} hours on one core"
    return "\n".join([f"Fingerprint {word}: {head}{old}.", *lines]) + "\n"


def outcomes(
    missing: Sequence[Cell], memory: float, workers: int, folder: Path | None = None
) -> Iterator[tuple[Cell, Outcome]]:
    """Cells with their outcomes as they come: small ones side by side, on one thread each, then large ones one by one.

    Two least squares of several threads each would slow each other down threefold.
    """
    small = [c for c in missing if c.gibibytes <= memory / (2 * workers)] if workers > 1 else []
    if small:
        with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_use_one_thread) as pool:
            running = {pool.submit(run_cell, cell, memory, folder): cell for cell in small}
            try:
                for future in as_completed(running):
                    yield running[future], future.result()
            except BrokenProcessPool as error:
                raise SettingError(
                    "A worker was ended from outside, most likely for want of memory; run with --workers 1."
                ) from error
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
    for cell in missing:
        if cell not in small:
            yield cell, run_cell(cell, memory, folder)


def on_cluster(missing: Sequence[Cell], memory: float, address: str) -> Iterator[tuple[Cell, Outcome]]:
    """Cells with their outcomes as they come, each a task on one of the workers of a cluster."""
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise MissingPackage("--cluster needs the package distributed; install fens[cluster].") from error
    try:
        client = Client(address, timeout=CONNECTING)
    except (OSError, ValueError) as error:
        raise SettingError(f"There is no Dask scheduler at {address}: {error}") from error
    with client:
        running = {client.submit(run_cell, cell, memory, pure=False): cell for cell in missing}
        for future in as_completed(list(running)):
            yield running[future], future.result()


def _use_one_thread() -> None:
    torch.set_num_threads(1)


def with_progress(
    found: Iterator[tuple[Cell, Outcome]], missing: Sequence[Cell]
) -> Iterator[tuple[Cell, Outcome]]:
    """Cells as they are finished, with a bar on standard error: their share of the expected time, and the time left."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    total, done, start = sum(c.seconds for c in missing), 0.0, time.perf_counter()
    text = TextColumn("{task.fields[count]} {task.description}"), BarColumn(), TextColumn("{task.fields[left]}")
    with Progress(*text, console=Console(stderr=True)) as progress:
        bar = progress.add_task("", total=total, count=f"0/{len(missing)}", left="")
        for number, (cell, outcome) in enumerate(found, 1):
            yield cell, outcome
            done += cell.seconds
            left = time_left((time.perf_counter() - start) * (total - done) / done)
            count = f"{number}/{len(missing)}"
            progress.update(bar, description=cell.name, count=count, left=left, completed=done)
            if not progress.console.is_terminal:
                took = f"{outcome.get('cpu', 0.0):.1f} s of {cell.seconds:.1f}"
                sys.stderr.write(f"{count} {cell.name}: {outcome['status']}, {took}, {left}\n")


def time_left(seconds: float) -> str:
    """In words.

    >>> time_left(40), time_left(400), time_left(40_000)
    ('40 s left', '7 min left', '11.1 h left')
    """
    if seconds < 90:
        return f"{seconds:.0f} s left"
    return f"{seconds / 60:.0f} min left" if seconds < 5400 else f"{seconds / 3600:.1f} h left"
