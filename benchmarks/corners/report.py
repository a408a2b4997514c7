"""Runs cases and prints what came of them; writes docs/corners.md and docs/corners.csv."""

import csv
import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import fens

from .cases import Case, Figure, NotStated, Stated

DOCS = Path(__file__).parents[2] / "docs"
PAGE, TABLE, PICTURES = DOCS / "corners.md", DOCS / "corners.csv", DOCS / "corners"
COLUMNS = (
    "problem", "seed", "figure", "error", "asked", "estimate", "ratio", "verdict", "features", "seconds",
    "asked_seconds",
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """A case solved with a seed; `failure` says what went wrong."""

    case: Case
    seed: int
    figures: tuple[Figure, ...] = ()
    estimate: float = float("nan")
    verdict: str = ""
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

    def rows(self) -> list[list[Any]]:
        """One for each figure."""
        figures = self.figures or (Figure(self.failure, float("nan"), float("nan")),)
        return [
            [self.case.name, self.seed, f.name, f"{f.error:.2e}", f.wanted, f"{self.estimate:.2e}",
             f"{self.ratio:.2g}", self.verdict, self.features, f"{self.seconds:.1f}", self.case.seconds]
            for f in figures
        ]  # fmt: skip


def run(case: Case, seed: int, pictures: Path | None = None) -> Outcome:
    """One case with one seed; its picture goes to a folder, if there is one."""
    try:
        stated = case.state()
    except NotStated as why:
        return Outcome(case, seed, failure=f"not stated yet: {why}")
    start = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solution = solved(stated, seed)
    except fens.FensError as error:
        return Outcome(case, seed, seconds=time.perf_counter() - start, failure=f"{type(error).__name__}: {error}")
    seconds = time.perf_counter() - start
    if pictures is not None and stated.eigenvalue is None:
        pictures.mkdir(exist_ok=True)
        solution.plot(pictures / f"{case.name}.png")
    return Outcome(case, seed, tuple(stated.figures(solution)), *said(stated, solution), seconds)


def solved(stated: Stated, seed: int) -> Any:
    """Without options, but for the seed and the number of eigenvalues."""
    if stated.eigenvalue is not None:
        return fens.eigen(stated.problem, stated.eigenvalue, count=stated.count, seed=seed)
    return fens.solve(stated.problem, seed=seed)


def said(stated: Stated, solution: Any) -> tuple[float, str, int]:
    """Estimate, verdict and number of features; eigenvalues have no verdict, but are confirmed or missing."""
    if stated.eigenvalue is not None:
        estimate = max((mode.estimate for mode in solution), default=float("nan"))
        return estimate / stated.unit, f"{len(solution)} confirmed", 0
    return solution.error.estimate / stated.unit, solution.error.verdict, int(np.sum(solution.stats.features))


def shown(outcome: Outcome) -> str:
    """Lines for the screen."""
    head = f"{outcome.case.name} {outcome.seed}"
    if outcome.failure:
        return f"{head}: {outcome.failure}"
    figures = "; ".join(f"{f.name} {f.value or f'{f.error:.1e}'} (asked {f.wanted})" for f in outcome.figures)
    missed = f" MISSED {', '.join(outcome.missed)}" if outcome.missed else " met"
    return (
        f"{head}: {figures}; estimate {outcome.estimate:.1e}, ratio {outcome.ratio:.2g}, {outcome.verdict}, "
        f"{outcome.features} features, {outcome.seconds:.1f} s (asked {outcome.case.seconds:g}){missed}"
    )


def write(outcomes: Iterable[Outcome]) -> None:
    """The page and its table."""
    done = list(outcomes)
    with TABLE.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(row for o in done for row in o.rows())
    PAGE.write_text("\n".join(page(done)) + "\n")


def page(outcomes: list[Outcome]) -> list[str]:
    """The worst of the seeds for each case and figure."""
    lines = [
        "# Corners, cracks and jumps",
        "",
        "Written by `python benchmarks/corners.py --page`; each seed stands in `docs/corners.csv`. No options are",
        "given. Errors are the largest at points everywhere and at distances of 1e-1, …, 1e-8 of each corner, at",
        "several angles, against references that were made without fens. The worst of the seeds is shown.",
        "",
        "| problem | figure | error | asked | estimate / error | verdict | features | seconds | asked | reference |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for case in dict.fromkeys(o.case for o in outcomes):
        lines += rows_of(case, [o for o in outcomes if o.case == case])
    drawn = [o.case for o in outcomes if o.seed == 0 and (PICTURES / f"{o.case.name}.png").is_file()]
    for case in drawn:
        lines += ["", f"![{case.title}](corners/{case.name}.png)"]
    return lines


def rows_of(case: Case, outcomes: list[Outcome]) -> list[str]:
    if failed := [o.failure for o in outcomes if o.failure]:
        why = failed[0].splitlines()[0]
        return [f"| {case.title} | {why} {'| – ' * 6}| {case.seconds:g} | {case.reference} |"]
    ratios = [o.ratio for o in outcomes]
    verdicts = ", ".join(sorted({o.verdict for o in outcomes}))
    said = f"{min(ratios):.2g} … {max(ratios):.2g} | {verdicts} | {max(o.features for o in outcomes)}"
    said += f" | {max(o.seconds for o in outcomes):.1f} | {case.seconds:g} | {case.reference} |"
    lines = []
    for k, figure in enumerate(outcomes[0].figures):
        worst = max(o.figures[k].error for o in outcomes)
        first = f"| {case.title if k == 0 else ''} | {figure.name} | {worst:.1e} | {figure.wanted} | "
        lines.append(first + (said if k == 0 else "| " * 5 + "|"))
    return lines
