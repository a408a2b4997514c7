"""What the comparison comes to: shown first, computed from the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .comparison import (
    Found,
    Ordering,
    Pair,
    Share,
    best_of_tables,
    fens_at_or_below,
    orderings,
    paper_within_tenfold,
)
from .document import Block, Heading, Items, Table, Text, Value
from .experiments import EXPERIMENTS
from .paper import search
from .results import Record
from .tables import scientific

AT_OR_BELOW, WITHIN = 95.0, 90.0  # of a hundred cells
HOW = (
    "Column `paper` has the paper's settings: its points, unit weights, Picard from random weights, the features "
    "uniform with unit variance, and ρ by its Algorithm 1, that is the candidate with the smallest ‖A w − F‖. Column "
    "`fens` is `fens.solve(problem, features=M, activation=…)`, where scale, points, row weights and Newton are "
    "chosen for the user. Neither sees the exact solution, which serves to measure errors only. For cos_sin, M counts "
    "all features, half of them cosines."
)
READ = (
    "L∞ is the largest absolute error and L2 the relative one, on the points that the paper collocates and measures "
    "on; finer points, independent of it, are in the folded tables. ÷ is ours divided by the paper's: ● at or below "
    "it (blue), ○ up to ten times (grey), ▲ more (orange). * marks cells that were thinned, as listed below."
)


def summary(records: Sequence[Record], pairs: Sequence[Pair], found: Sequence[Found]) -> Iterator[Block]:
    """How to read the page, the claims, what disagrees, what is thinned or missing, and circumstances."""
    yield Text(HOW)
    yield Text(READ)
    yield Heading("What it shows", 2, "summary")
    yield claims(pairs)
    yield best_table(pairs)
    yield ordering_table(orderings(pairs))
    yield Heading("Where ours disagrees", 2, "disagreements")
    yield Items(tuple(disagreements(pairs)) or ("Nowhere, in the cells that were run.",))
    yield Heading("What was thinned, and what is missing", 2, "thinned")
    yield Items((*thinned(found), *unconverged(found), *missing(pairs, found)))
    yield Heading("Circumstances", 2, "circumstances")
    yield Items(tuple(circumstances(records)))


def claims(pairs: Sequence[Pair]) -> Table:
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
            Value(_sizes(o.papers)),
            Value(_sizes(o.run)),
            Value(_sizes(o.ours), "" if o.holds is None else "good" if o.holds else "bad"),
        )
        for o in found
    )
    header = ("table", "the paper shows it at", "of these run", "`paper` shows it at")
    return Table(header, rows, "The best FEN ten times or more below the best ELM")


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
        for what in f.thinned if f.done and f.cell.column in ("paper", "fens") else ():
            kinds.setdefault((f.cell.about.title, f.cell.column, what), []).append(f)
    for (title, column, what), cells in kinds.items():
        sizes = _sizes(sorted({f.cell.size for f in cells}))
        yield f"{title}, column `{column}`, {cells[0].cell.about.size_name} = {sizes}: {what}."
    searched = [f for f in found if f.done and f.cell.column == "paper" and f.cell.candidates]
    tried = sum(len(f.record["outcome"]["tried"]) for f in searched)
    yield (
        f"Algorithm 1 tried {tried:,} of {sum(map(_all_of, searched)):,} candidates in {len(searched)} cells of column "
        "`paper`: the paper's own ρ and, where more than one was tried, the one nearest to our automatic choice and "
        "neighbours of the best so far."
    )


def unconverged(found: Sequence[Found]) -> Iterator[str]:
    """Cells whose nonlinear iteration failed by its own verdict; they are shown and counted like the others."""
    kinds: dict[tuple[str, str], list[Found]] = {}
    for f in found:
        if f.record["outcome"].get("verdict") == "failed":
            kinds.setdefault((f.cell.about.title, f.cell.column), []).append(f)
    for (title, column), cells in kinds.items():
        listed = ", ".join(f"{f.cell.activation} {f.cell.size:g}" for f in cells)
        yield (
            f"{title}, column `{column}`: the iteration failed in {len(cells)} cells ({listed}). Their errors "
            "are those of where it ended, and count above like any other."
        )


def missing(pairs: Sequence[Pair], found: Sequence[Found]) -> Iterator[str]:
    """Cells that were not run, or came to nothing."""
    for column in ("paper", "fens"):
        lacking: dict[str, list[str]] = {}
        for e in EXPERIMENTS:
            if sizes := sorted({p.size for p in pairs if p.experiment is e and column not in p.ours}):
                lacking.setdefault(f"{e.size_name} = {_sizes(sizes)}", []).append(e.title)
        for sizes_of_them, titles in lacking.items():
            yield f"Not run, or not with all activations, in column `{column}`, {sizes_of_them}: {'; '.join(titles)}."
    for f in found:
        if not f.done:
            c, outcome = f.cell, f.record["outcome"]
            yield f"{c.about.title}, {c.column}, {c.activation}, {c.size:g}: {outcome['status']}, {outcome['why']}"


def circumstances(records: Sequence[Record]) -> Iterator[str]:
    """When, on what, with which versions and seeds."""
    dates = sorted(r["date"] for r in records)
    seconds = sum(r["outcome"].get("seconds", 0.0) for r in records)
    yield f"{len(records)} cells, run from {dates[0]} to {dates[-1]}, {seconds / 60:.0f} minutes of work."
    yield f"Seeds: {', '.join(sorted({str(r['cell']['seed']) for r in records}))}."
    yield f"Code: {', '.join(sorted({r['code'] for r in records}))}."
    for machine in {tuple(r["machine"].items()): None for r in records}:
        yield "; ".join(f"{name} {value}" for name, value in machine) + "."


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
    return (
        f"{scientific(pair.own(column))}, the paper {scientific(pair.papers('linf'))}, {ratio:.2g} times as much{marks}"
    )


def _sizes(sizes: Sequence[float]) -> str:
    return ", ".join(f"{s:g}" for s in sizes) or "–"
