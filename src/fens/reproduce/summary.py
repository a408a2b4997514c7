"""What the comparison comes to: shown first, computed from the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .cells import Cell
from .claims import claims_table
from .comparison import (
    Found,
    Ordering,
    Pair,
    Share,
    best_of_tables,
    coverage,
    fens_at_or_below,
    orderings,
    paper_within_tenfold,
    unfinished,
)
from .document import Block, Heading, Items, Table, Text, Value
from .fingerprint import Canaries
from .paper import search
from .results import Record
from .tables import scientific

AT_OR_BELOW, WITHIN = 95.0, 90.0  # of a hundred cells
HOW = (
    "Column `paper` is the paper's method and nothing else: its points, plain least squares (LAPACK's QR, "
    "`solver=\"gels\"`) with unit weights, 100 Picard iterations from random weights of which the last is kept, "
    "features uniform with unit variance, and ρ by its Algorithm 1, that is the candidate with the smallest ‖A w − "
    "F‖. Column `fens` is `fens.solve(problem, features=M, activation=…)`, where scale, points, row weights, damping "
    "and Newton are chosen for the user; for Burgers' equation and in high dimension, `max_features=M`, with as many "
    "features as pay. Neither sees the exact solution, which serves to measure errors only. For cos_sin, M counts all"
    " features, half of them cosines."
)
READ = (
    "L∞ is the largest absolute error and L2 the relative one, on the points that the paper collocates and measures "
    "on; finer points, independent of it, are in the folded tables, and in high dimension come first. ÷ is ours "
    "divided by the paper's: ● at or below it (blue), ○ up to ten times (grey), ▲ more (orange). In column `paper` ~ "
    "marks cells whose ρ was searched from coarse to fine, and ρ those at the paper's own ρ; the others tried every "
    "candidate. * marks cells that were thinned, † those of a code with other numbers. Seeds: how many, the median, "
    "and the range."
)
MISPRINTS = (
    "Algorithm 1 as printed does not end: its last line sets ρ = ρ_min + ρ_s in each round, where ρ + ρ_s must be "
    "meant. Its loop runs while ρ < ρ_max and would leave out ρ_max, which the tables include, (ρ_min, ρ_max], and "
    "which is the optimum in one place (nonlinear Helmholtz, swish, M = 400). The step of the wave equation's table, "
    "0.1, does not lead to optima such as 1.28. The range of swish, (0, 50] in steps of 0.01, has optima in steps of "
    "0.1 only. Here ρ = ρ_min + k ρ_s for k = 1, 2, … up to ρ_max."
)


def summary(
    records: Sequence[Record],
    pairs: Sequence[Pair],
    found: Sequence[Found],
    every: Sequence[Found],
    words: Mapping[str, Canaries],
) -> Iterator[Block]:
    """How to read the page, the claims, what disagrees, what is thinned or missing, and circumstances."""
    yield Text(HOW)
    yield Text(READ)
    yield Heading("What it shows", 2, "summary")
    yield coverage_table(pairs)
    yield shares_table(pairs)
    yield claims_table(pairs, found)
    yield best_table(pairs)
    yield ordering_table(orderings(pairs))
    yield Heading("Where ours disagrees", 2, "disagreements")
    yield Items(tuple(disagreements(pairs)) or ("Nowhere, in the cells that were run.",))
    yield Heading("What was thinned, and what is missing", 2, "thinned")
    yield Text(MISPRINTS)
    yield Items((*thinned(found), *unconverged(found), *missing(pairs, found, every)))
    yield Heading("Circumstances", 2, "circumstances")
    yield Items(tuple(circumstances(records, every, words)))


def coverage_table(pairs: Sequence[Pair]) -> Table:
    """How many of the paper's cells there are."""
    rows = []
    for c in coverage(pairs):
        tone = "good" if c.whole == c.of else "near"
        hours = f"{c.hours:.1f}" if c.missing else "–"
        counts = (Value(f"{c.whole} of {c.of}", tone), Value(f"{c.thinned}"), Value(f"{len(c.missing)}"))
        rows.append((Value(f"`{c.column}`"), *counts, Value(hours)))
    header = ("column", "cells at the paper's size", "thinned", "missing", "core-hours of these")
    return Table(header, tuple(rows), "The paper's 236 errors, and how many of them each column has")


def shares_table(pairs: Sequence[Pair]) -> Table:
    """The fractions, on the paper's points and on finer ones."""
    rows = []
    for where, quantity in (("", "linf"), (", on finer points", "finer_linf")):
        for text, share, least in (
            ("`fens`: FEN cells at or below the paper's", fens_at_or_below(pairs, quantity), AT_OR_BELOW),
            ("`paper`: FEN cells within ten times the paper's", paper_within_tenfold(pairs, quantity), WITHIN),
        ):
            rows.append((Value(text + where, prose=True), _percent(share, least), Value(f"{least:.0f} %")))
    best, shown = [b.below for b in best_of_tables(pairs)], [o.holds for o in orderings(pairs)]
    rows.append((Value("`fens`: tables whose best is below the paper's", prose=True), _all(best), Value("all")))
    rows.append((Value("`paper`: tables with FEN far below ELM as there", prose=True), _all(shown), Value("all")))
    return Table(("claim", "found", "wanted"), tuple(rows), _counted(pairs))


def best_table(pairs: Sequence[Pair]) -> Table:
    """The best of each table; no verdict where ours is above and the paper's best size was not run."""
    rows = []
    for b in best_of_tables(pairs):
        ratio = None if b.ours is None else b.ours / b.papers
        tone = "" if b.below is None else "good" if b.below else "bad"
        text = "–" if ratio is None else f"{ratio:.2g}"
        errors = (Value(scientific(v)) for v in (b.papers, b.ours))
        rows.append((Value(b.experiment.title), *errors, Value(text, tone), Value(_sizes(b.run))))
    header = ("table", "the paper's best L∞", "`fens`", "÷", "sizes run")
    return Table(header, tuple(rows), "The smallest L∞ error of each table, over FEN activations and sizes")


def ordering_table(found: Sequence[Ordering]) -> Table:
    """Where the best FEN is ten times or more below the best ELM."""
    rows = tuple(
        (
            Value(o.experiment.title),
            Value(_factors(o, 0)),
            Value(_factors(o, 1), "" if o.holds is None else "good" if o.holds else "bad"),
        )
        for o in found
    )
    run, of = sum(len(o.run) for o in found), sum(len(o.papers) for o in found)
    caption = f"How many times the best FEN is below the best ELM, where the paper has ten or more: {run} of {of} run"
    return Table(("table", "the paper", "`paper`"), rows, caption)


def _factors(ordering: Ordering, which: int) -> str:
    name = ordering.experiment.size_name
    found = ((size, both[which]) for size, both in ordering.factors.items())
    return ", ".join(f"{name} = {size:g}: {'–' if f is None else f'{f:.2g}'}" for size, f in found)


def disagreements(pairs: Sequence[Pair]) -> Iterator[str]:
    """A sentence for each cell and table that does not do what it should."""
    for p in fens_at_or_below(pairs).misses:
        yield f"{_name(p)}: `fens` has {_against(p, 'fens')}."
    for p in paper_within_tenfold(pairs).misses:
        yield f"{_name(p)}: `paper` has {_against(p, 'paper')}."
    for b in best_of_tables(pairs):
        if b.below is False:
            ours, papers = scientific(b.ours), scientific(b.papers)
            yield f"{b.experiment.title}: the best of `fens` is {ours}, the paper's {papers}."
    for o in orderings(pairs):
        if o.holds is False:
            for size in (s for s in o.run if s not in o.ours):
                theirs, found = o.factors[size]
                yield (
                    f"{o.experiment.title}, {o.experiment.size_name} = {size:g}: the best FEN is {found:.2g} times "
                    f"below the best ELM in column `paper`, {theirs:.2g} times in the paper."
                )


def thinned(found: Sequence[Found]) -> Iterator[str]:
    """What of the paper's experiments was left out, for each kind of leaving out."""
    kinds: dict[tuple[str, str, str], list[Found]] = {}
    for f in found:
        for what in f.thinned if _of_tables(f) else ():
            kinds.setdefault((f.cell.about.title, f.cell.column, what), []).append(f)
    for (title, column, what), cells in kinds.items():
        sizes = _sizes(sorted({f.cell.size for f in cells}))
        yield f"{title}, column `{column}`, {cells[0].cell.about.size_name} = {sizes}: {what}."
    searched = [f for f in found if _of_tables(f) and f.cell.column == "paper"]
    whole = [f for f in searched if f.exhaustive]
    fixed = [f for f in searched if f.cell.candidates == 1]
    rest = [f for f in searched if f not in whole and f not in fixed]
    tried, of = sum(len(f.tried) for f in rest), sum(map(_all_of, rest))
    yield (
        f"Algorithm 1 tried all candidates in {len(whole)} cells of column `paper`, {sum(map(_all_of, whole)):,} in "
        f"all; from coarse to fine, {tried:,} of {of:,}, in {len(rest)} cells: the paper's own ρ, and then the "
        f"candidates next to the best so far, an octave away at first; and the paper's own ρ alone in {len(fixed)}."
    )


def unconverged(found: Sequence[Found]) -> Iterator[str]:
    """Cells whose nonlinear iteration failed by its own verdict; they are shown and counted like the others."""
    kinds: dict[tuple[str, str], list[Found]] = {}
    for f in found:
        if f.record["outcome"].get("verdict") == "failed" and not f.cell.variant:
            kinds.setdefault((f.cell.about.title, f.cell.column), []).append(f)
    for (title, column), cells in kinds.items():
        listed = ", ".join(f"{f.cell.activation} {f.cell.size:g}" for f in cells)
        yield (
            f"{title}, column `{column}`: the iteration did not settle in {len(cells)} cells ({listed}). Their errors "
            "are those of where it ended, and count above like any other."
        )


def missing(pairs: Sequence[Pair], found: Sequence[Found], every: Sequence[Found]) -> Iterator[str]:
    """Cells that were not run, with their hours, or that came to nothing."""
    for c in coverage(pairs):
        lacking: dict[str, list[Cell]] = {}
        for cell in c.missing:
            lacking.setdefault(cell.about.title, []).append(cell)
        for title, own in lacking.items():
            sizes, hours = _sizes(sorted({cell.size for cell in own})), sum(cell.seconds for cell in own) / 3600
            what = f"{title}, {len(own)} cells at {own[0].about.size_name} = {sizes}"
            yield f"Missing in column `{c.column}`: {what}, {hours:.1f} core-hours."
    if rest := unfinished(every):
        groups: dict[str, list[Cell]] = {}
        for cell in rest:
            groups.setdefault(cell.group, []).append(cell)
        listed = "; ".join(f"{g}: {len(c)} cells, {sum(x.seconds for x in c) / 3600:.1f} h" for g, c in groups.items())
        yield f"Of a full run, with all candidates and seeds, {len(rest)} cells are to come, in core-hours: {listed}."
    for f in found:
        if not f.done:
            yield f"{f.cell.about.title}, {f.cell.name}: {f.record['outcome']['status']}, {f.record['outcome']['why']}"


def circumstances(records: Sequence[Record], every: Sequence[Found], words: Mapping[str, Canaries]) -> Iterator[str]:
    """When, on what, with which versions and seeds, and the fingerprint of the code."""
    dates = sorted(r["date"] for r in records)
    hours = sum(r["outcome"].get("cpu", 0.0) for r in records) / 3600
    yield f"{len(every)} cells, run from {dates[0]} to {dates[-1]}, {hours:.1f} hours of work on one core."
    yield f"Seeds: {', '.join(map(str, sorted({f.cell.seed for f in every})))}."
    newest = records[-1].get("fingerprint", "none")
    stale = sum(f.stale for f in every)
    others = f"; {stale} cells, marked †, are of a code with other numbers" if stale else ", the same for all cells"
    numbers = "; ".join(f"{name} {value:.3g}" for name, value in words.get(newest, {}).items())
    yield (
        f"Fingerprint {newest}{others}. It stands for the errors and scales of small solves: {numbers}. A code with "
        "the same fingerprint has the same to four digits, and need not run these cells again."
    )
    threads = sorted({f"{r['outcome']['threads']}" for r in records if "threads" in r["outcome"]})
    yield f"Threads of each cell: {', '.join(threads) or 'not told'}."
    for machine in {tuple((k, v) for k, v in r["machine"].items() if k != "cores"): None for r in records}:
        yield "; ".join(f"{name} {value}" for name, value in machine) + "."


def _of_tables(found: Found) -> bool:
    return found.done and found.cell.column in ("paper", "fens") and not found.cell.variant


def _percent(share: Share, least: float) -> Value:
    return Value(str(share), "" if not share.of else "good" if share.percent >= least else "bad")


def _counted(pairs: Sequence[Pair]) -> str:
    """What the fractions are of."""
    counts = []
    for column, share in (("fens", fens_at_or_below(pairs)), ("paper", paper_within_tenfold(pairs))):
        marked = sum(bool(p.ours[column].thinned) for p in share.of)
        counts.append(f"{len(share.of)} in column `{column}`, {marked} of them thinned")
    return (
        f"FEN cells compared: {'; '.join(counts)}. Column `paper` counts where it has the paper's number of features."
    )


def _all(verdicts: Sequence[bool | None]) -> Value:
    decided = [v for v in verdicts if v is not None]
    rest = f", {len(verdicts) - len(decided)} undecided" if len(decided) < len(verdicts) else ""
    tone = "" if not decided else "bad" if not all(decided) else "near" if rest else "good"
    return Value(f"{sum(decided)} of {len(decided)}{rest}", tone)


def _all_of(found: Found) -> int:
    return len(search(found.cell.about.table, found.cell.activation))


def _name(pair: Pair) -> str:
    return f"{pair.experiment.title}, {pair.activation}, {pair.experiment.size_name} = {pair.size:g}"


def _against(pair: Pair, column: str) -> str:
    ratio = pair.ratio(column) or 0.0
    marks = f", thinned: {'; '.join(pair.ours[column].thinned)}" if pair.ours[column].thinned else ""
    seeds = pair.spread(column)
    spread = f"; over {seeds[3]} seeds {scientific(seeds[1])} to {scientific(seeds[2])}" if seeds else ""
    own, papers = scientific(pair.own(column)), scientific(pair.papers("linf"))
    return f"{own}, the paper {papers}, {ratio:.2g} times as much{marks}{spread}"


def _sizes(sizes: Sequence[float]) -> str:
    return ", ".join(f"{s:g}" for s in sizes) or "–"
