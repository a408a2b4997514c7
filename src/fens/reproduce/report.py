"""The page: everything on it is computed from the results file and the paper's tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from .comparison import Found, Pair, latest, pairs
from .document import Block, Figure, Heading, Table, Text, Value, write
from .experiments import ACTIVATIONS, EXPERIMENTS, MESHES, Experiment
from .figures import curve, errors_by_scale, errors_by_size, maps
from .paper import number, search
from .results import Record, Results
from .summary import summary
from .tables import detail_table, error_table, scientific, toned

TITLE = "The paper's experiments, reproduced with fens"


def write_report(results: Results, folder: Path) -> Path:
    """Write report.html and report.md, and the figures next to them."""
    records = results.records()
    return write(folder, TITLE, list(blocks(records)))


def blocks(records: Sequence[Record]) -> Iterator[Block]:
    """The page from top to bottom."""
    compared, found = pairs(records), latest(records)
    yield Heading(TITLE, 1)
    yield from summary(records, compared, list(found.values()))
    for experiment in EXPERIMENTS:
        own = [p for p in compared if p.experiment is experiment]
        if any(p.ours for p in own):
            yield from section(experiment, own, [f for f in found.values() if f.cell.experiment == experiment.name])


def section(experiment: Experiment, own: Sequence[Pair], found: Sequence[Found]) -> Iterator[Block]:
    """One experiment: its tables and figures."""
    yield Heading(experiment.title, 2, experiment.name)
    if experiment.remark:
        yield Text(experiment.remark)
    yield error_table(experiment, own)
    yield Figure(
        f"errors_{experiment.name}",
        errors_by_size(experiment, own),
        f"{experiment.title}: L∞ against {experiment.size_name}, the best of three activations of each family.",
    )
    yield detail_table(experiment, own)
    yield parameter_table(experiment)
    yield from extras([f for f in found if f.done])
    if experiment.size_name == "d":
        yield timing_table(own)


def extras(found: Sequence[Found]) -> Iterator[Block]:
    """Finite elements, the sweep over the scale, and pictures, where an experiment has them."""
    if fem := {f.cell.size: f for f in found if f.cell.column == "fem"}:
        yield fem_table(fem)
    if sweeps := [f for f in found if f.cell.column == "sweep"]:
        tried = max(len(f.record["outcome"]["swept"]) for f in sweeps)
        of = len(search(sweeps[0].cell.about.table, sweeps[0].cell.activation))
        caption = f"L∞ against ρ with tanh, at {tried} of the paper's {of} candidates."
        yield Figure("errors_by_scale", errors_by_scale(sweeps), caption)
    for column in ("paper", "fens"):
        pictured = [f for f in found if "values" in f.record["outcome"] and f.cell.column == column]
        if pictured:
            yield picture(max(pictured, key=lambda f: f.cell.size))


def picture(found: Found) -> Figure:
    """Exact against computed."""
    cell, values = found.cell, found.record["outcome"]["values"]
    draw = maps if isinstance(values[0], list) else curve
    caption = (
        f"{cell.about.title}: exact and computed, {cell.activation} with {cell.features:,} features, column "
        f"`{cell.column}`, L∞ error {scientific(found.get('linf'))}."
    )
    return Figure(f"picture_{cell.experiment}_{cell.column}", draw(found), caption)


def parameter_table(experiment: Experiment) -> Table:
    """The ranges that Algorithm 1 searches."""
    rows = []
    for a in ACTIVATIONS:
        s = search(experiment.table, a)
        rows.append((Value(a), Value(f"({s.minimum:g}, {s.maximum:g}]"), Value(f"{s.step:g}"), Value(f"{len(s):,}")))
    header = ("activation", "range of ρ", "step", "candidates")
    return Table(header, tuple(rows), "The paper's search for ρ", folded=True)


def fem_table(found: dict[float, Found]) -> Table:
    """Finite elements at the paper's mesh sizes."""
    rows = []
    for h in MESHES:
        papers = [number("helmholtz2d", "fem", h, q) for q in ("dof", "linf", "l2")]
        ours = [found[h].get(q) if h in found else None for q in ("dof", "linf", "finer_linf", "finer_l2")]
        ratio = None if ours[2] is None or papers[1] is None else ours[2] / papers[1]
        degrees = [Value(f"{v:,.0f}" if v else "–") for v in (papers[0], ours[0])]
        errors = [Value(scientific(v)) for v in (papers[1], ours[2])]
        rest = [Value(scientific(v)) for v in (ours[1], papers[2], ours[3])]
        rows.append((Value(f"{h:g}"), *degrees, *errors, toned(ratio), *rest))
    header = ("h", "DoF, the paper", "ours", "L∞, the paper", "ours", "÷", "at nodes", "L2, the paper", "ours")
    caption = "Finite elements: quadratic triangles with the paper's degrees of freedom; errors between the nodes"
    return Table(header, tuple(rows), caption)


def timing_table(own: Sequence[Pair]) -> Table:
    """Seconds of one solve with given ρ, and of column `fens` with all its choices."""
    rows = []
    for p in own:
        seconds = [p.papers("seconds"), p.own("paper", "seconds_of_one"), p.own("fens", "seconds")]
        features = [f"{p.ours[c].cell.features:,}" if c in p.ours else "–" for c in ("paper", "fens")]
        values = [Value(f"{s:.1f}" if s is not None else "–") for s in seconds]
        rows.append((Value(p.activation), Value(f"{p.size:g}"), *values, *map(Value, features)))
    header = ("activation", "d", "the paper", "`paper`", "`fens`", "features, `paper`", "features, `fens`")
    caption = "Seconds: the paper's on an A100, ours on the machine named below; `fens` with its search and adaptation"
    return Table(header, tuple(rows), caption)
