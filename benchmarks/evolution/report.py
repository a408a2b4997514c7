"""Runs cases and prints what came of them; writes docs/evolution.md and docs/evolution.csv."""

import csv
import time
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import fens

from .cases import CASES, Case, Figure, Stated

DOCS = Path(__file__).parents[2] / "docs"
PAGE, TABLE = DOCS / "evolution.md", DOCS / "evolution.csv"
COLUMNS = (
    "problem", "seed", "figure", "error", "asked", "estimate", "ratio", "verdict", "slabs", "features", "seconds",
    "asked_seconds", "failure",
)  # fmt: skip
HEAD = [
    "| problem | figure | error | asked | estimate / error | verdict | slabs | features | seconds | asked | reference"
    " |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
]
Row = dict[str, str]


@dataclass(frozen=True)
class Outcome:
    """A case solved with a seed; `failure` says what went wrong."""

    case: Case
    seed: int
    figures: tuple[Figure, ...] = ()
    estimate: float = float("nan")
    verdict: str = ""
    slabs: int = 0  # none if time was not divided
    features: int = 0
    seconds: float = float("nan")
    failure: str = ""

    @property
    def ratio(self) -> float:
        """The estimate relative to the error."""
        error = self.figures[0].error if self.figures else float("nan")
        return self.estimate / error if error else float("inf")

    @property
    def missed(self) -> list[str]:
        """What was asked for and is not so."""
        if self.failure:
            return [self.failure]
        missed = [f.name for f in self.figures if not f.met]
        late = ["seconds"] if self.seconds > self.case.seconds else []
        doubted = ["verdict"] if self.verdict in ("unreliable", "inconsistent") else []
        return missed + late + doubted

    def rows(self) -> list[Row]:
        """One for each figure."""
        figures = self.figures or (Figure("", float("nan"), float("nan")),)
        found = [
            (self.case.name, self.seed, f.name, f"{f.error:.2e}", f.wanted, f"{self.estimate:.2e}", f"{self.ratio:.2g}",
             self.verdict, self.slabs, self.features, f"{self.seconds:.1f}", f"{self.case.seconds:g}", self.failure)
            for f in figures
        ]  # fmt: skip
        return [dict(zip(COLUMNS, map(str, values), strict=True)) for values in found]


def run(case: Case, seed: int) -> Outcome:
    """One case with one seed, without options but for the seed."""
    stated = case.state()
    start = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solution = fens.solve(stated.problem, seed=seed)
    except fens.FensError as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        return Outcome(case, seed, seconds=time.perf_counter() - start, failure=why)
    seconds = time.perf_counter() - start
    return Outcome(case, seed, tuple(stated.figures(solution)), *said(stated, solution), seconds)


def said(stated: Stated, solution: Any) -> tuple[float, str, int, int]:
    """Estimate, verdict, and the numbers of slabs and of features."""
    estimate = solution.error.estimate
    if stated.sizes:
        estimate = max(e / stated.sizes.get(name, 1.0) for name, e in solution.error.of.items())
    slabs = max(0, len(getattr(solution, "times", ())) - 1)
    return float(estimate), solution.error.verdict, slabs, int(np.sum(solution.stats.features))


def shown(outcome: Outcome) -> str:
    """A line for the screen."""
    head = f"{outcome.case.name} {outcome.seed}"
    if outcome.failure:
        return f"{head}: {outcome.failure} ({outcome.seconds:.1f} s)"
    figures = "; ".join(f"{f.name} {f.value or f'{f.error:.1e}'} (asked {f.wanted})" for f in outcome.figures)
    missed = f" MISSED {', '.join(outcome.missed)}" if outcome.missed else " met"
    return (
        f"{head}: {figures}; estimate {outcome.estimate:.1e}, ratio {outcome.ratio:.2g}, {outcome.verdict}, "
        f"{outcome.slabs or 'no'} slabs, {outcome.features} features, {outcome.seconds:.1f} s "
        f"(asked {outcome.case.seconds:g}){missed}"
    )


def write(outcomes: Iterable[Outcome]) -> None:
    """The table with these results in place of former ones, and the page of all that it has then."""
    new = [row for o in outcomes for row in o.rows()]
    done = {row["problem"] for row in new}
    rows = [row for row in written() if row["problem"] not in done] + new
    rows = [row for name in CASES for row in rows if row["problem"] == name]
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    PAGE.write_text("\n".join(page(rows)) + "\n")


def written() -> list[Row]:
    """Former results."""
    if not TABLE.is_file():
        return []
    with TABLE.open(newline="") as file:
        return list(csv.DictReader(file))


def page(rows: Sequence[Row]) -> list[str]:
    """The worst of the seeds for each case and figure, the table's own cases first."""
    lines = [
        "# Evolution in time",
        "",
        "Written by `python benchmarks/evolution.py --page`; each seed stands in `docs/evolution.csv`. No options are",
        "given. Errors are the largest at points everywhere and at many times from the first instant to the last,",
        "against references that were made without fens. The worst of the seeds is shown.",
        "",
        *HEAD,
    ]
    named = list(dict.fromkeys(row["problem"] for row in rows))
    for name in (n for n in named if not CASES[n].variant):
        lines += lines_of(CASES[name], [row for row in rows if row["problem"] == name])
    others = [n for n in named if CASES[n].variant]
    if others:
        lines += ["", "## Like these, and not the same", "", *HEAD]
    for name in others:
        lines += lines_of(CASES[name], [row for row in rows if row["problem"] == name])
    return lines


def lines_of(case: Case, rows: Sequence[Row]) -> list[str]:
    title = case.title.replace("|", "\\|")
    if failed := [row["failure"] for row in rows if row["failure"]]:
        return [f"| {title} | {failed[0]} {'| – ' * 7}| {case.seconds:g} | {case.reference} |"]
    ratios = numbers(rows, "ratio")
    verdicts = ", ".join(sorted({row["verdict"] for row in rows}))
    said = f"{min(ratios):.2g} … {max(ratios):.2g} | {verdicts} | {max(numbers(rows, 'slabs')):.0f}"
    said += f" | {max(numbers(rows, 'features')):.0f} | {max(numbers(rows, 'seconds')):.1f}"
    said += f" | {case.seconds:g} | {case.reference} |"
    lines = []
    for k, figure in enumerate(dict.fromkeys(row["figure"] for row in rows)):
        these = [row for row in rows if row["figure"] == figure]
        worst, asked = max(numbers(these, "error")), these[0]["asked"]
        lines.append(f"| {title if k == 0 else ''} | {figure} | {worst:.1e} | {asked} | ")
        lines[-1] += said if k == 0 else "| " * 6 + "|"
    return lines


def numbers(rows: Sequence[Row], column: str) -> list[float]:
    return [float(row[column]) for row in rows]
