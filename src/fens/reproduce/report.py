"""The page: everything on it is computed from the results file and the paper's tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from .claims import curves, difference_at_1600, other_reading
from .comparison import Found, Pair, found_in, latest, pairs
from .document import Block, Figure, Heading, Items, Table, Text, Value, write
from .experiments import ACTIVATIONS, EXPERIMENTS, MESHES, Experiment
from .figures import curve, errors_by_scale, errors_by_size, frequencies, maps, ranks_by_scale
from .fingerprint import fingerprints
from .paper import number, search
from .results import Results
from .summary import summary
from .tables import detail_table, error_table, independent_table, scientific, toned

TITLE = "The paper's experiments, reproduced with fens"
SPECTRA = (
    "The paper leaves the comparison in the frequency domain for the future. Here 200 features of one coordinate, "
    "drawn as the paper draws them, fit cos kx and sin kx on [−1, 1], for many k and ρ. Features cos(ρ(w x + b)) have"
    " the single frequencies ρw, of which the largest is √3 ρ: below that (the dotted line) all frequencies are "
    "resolved to round-off at once, as long as there are enough features, and above it none. A feature tanh(ρ(w x + "
    "b)) has the spectrum of a step, smoothed over a length 1/(ρw): it falls like 1/k, and then exponentially. Most "
    "of each is low frequencies, in which all are alike; high ones are what is left when these have cancelled, and "
    "rounding is left, too."
)


def write_report(results: Results, folder: Path) -> Path:
    """Write report.html and report.md, and the figures next to them."""
    return write(folder, TITLE, list(blocks(results)))


def blocks(results: Results) -> Iterator[Block]:
    """The page from top to bottom."""
    records = results.records()
    every = found_in(records)
    compared, found = pairs(every), list(latest(every).values())
    yield Heading(TITLE, 1)
    yield from summary(records, compared, found, every, fingerprints(results.path.parent))
    for experiment in EXPERIMENTS:
        own = [p for p in compared if p.experiment is experiment]
        if any(p.ours for p in own):
            yield from section(experiment, own, [f for f in every if f.cell.experiment == experiment.name and f.done])
            if experiment.name == "helmholtz2d_tanh" and (table := difference_at_1600(compared, every)):
                yield table
    yield from frequency_section([f for f in found if f.done])


def section(experiment: Experiment, own: Sequence[Pair], found: Sequence[Found]) -> Iterator[Block]:
    """One experiment: its tables and figures."""
    yield Heading(experiment.title, 2, experiment.name)
    if experiment.remark:
        yield Text(experiment.remark)
    yield (independent_table if experiment.random else error_table)(experiment, own)
    yield Figure(
        f"errors_{experiment.name}",
        errors_by_size(experiment, own),
        f"{experiment.title}: L∞ and L2 errors against {experiment.size_name}, a curve for each activation.",
    )
    yield detail_table(experiment, own)
    yield parameter_table(experiment)
    yield from extras(found)
    if experiment.size_name == "d":
        yield timing_table(own, found)
    if experiment.name == "burgers" and (text := other_reading(found)):
        yield Text(text)


def extras(found: Sequence[Found]) -> Iterator[Block]:
    """Finite elements, errors over the scale, and pictures, where an experiment has them."""
    if fem := {f.cell.size: f for f in found if f.cell.column == "fem"}:
        yield fem_table(fem)
    if swept := curves(found, "function2d"):
        tried = sum(f.exhaustive for f in swept.values())
        caption = f"L∞ against ρ: all of the paper's candidates in {tried} of {len(swept)} curves, some in the others."
        yield Figure("errors_by_scale", errors_by_scale(swept), caption)
    beyond = [f for f in found if f.cell.column == "sweep" and f.cell.experiment == "poisson_oscillating"]
    if beyond:
        caption = "L∞ and the numerical rank of 400 features against ρ; with dots beyond the paper's range."
        yield Figure("ranks_by_scale", ranks_by_scale(beyond), caption)
    for column in ("paper", "fens"):
        pictured = [f for f in found if "differences" in f.record["outcome"] and f.cell.column == column]
        if pictured:
            yield picture(min(pictured, key=lambda f: (-f.cell.size, f.cell.candidates or len(f.tried))))


def picture(found: Found) -> Figure:
    """Exact against computed."""
    cell, values = found.cell, found.record["outcome"]["differences"]
    draw = maps if isinstance(values[0], list) else curve
    used = found.get("used") or cell.features
    scale = f" at ρ = {found.record['outcome']['rho'][0]:g}" if cell.column == "paper" else ""
    caption = (
        f"{cell.about.title}: exact and computed, {cell.activation} with {used:,.0f} features{scale}, column "
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


def timing_table(own: Sequence[Pair], found: Sequence[Found]) -> Table:
    """Seconds of one solve with given ρ: the same features and points in a row, and one thread for all of ours."""
    timed = {(f.cell.activation, f.cell.size): f for f in found if f.cell.column == "times"}
    rows = []
    for p in own:
        small = timed.get((p.activation, p.size))
        whole = p.ours.get("paper")
        full = whole is not None and whole.done and whole.cell.features == p.experiment.full.features
        seconds = (
            p.papers("seconds"), whole.get("cpu_of_one") if full and whole else None,
            small.get("cpu_of_one") if small else None, p.own("fens", "cpu"),
        )  # fmt: skip
        values = [Value(f"{s:.1f}" if s is not None and s >= 10 else f"{s:.2f}" if s else "–") for s in seconds]
        rows.append((Value(p.activation), Value(f"{p.size:g}"), *values))
    features = next(iter(timed.values())).cell.features if timed else 0
    header = (
        "activation", "d", "the paper, an A100, 10,000 features", "`paper`, 10,000 features, one solve",
        f"`paper`, {features:,} features, the median of three", "`fens`, with all its choices",
    )  # fmt: skip
    caption = "Seconds: the paper's on a GPU; ours of one thread of the processor named above, whatever else runs on it"
    return Table(header, tuple(rows), caption)


def frequency_section(found: Sequence[Found]) -> Iterator[Block]:
    """Trigonometric and other features in the frequency domain."""
    own = {f.cell.activation: f for f in found if f.cell.column == "frequency"}
    if set(own) != set(ACTIVATIONS):
        return
    yield Heading("The features in the frequency domain", 2, "frequencies")
    yield Text(SPECTRA)
    yield frequency_table(own)
    yield Figure(
        "frequencies",
        frequencies(own),
        "Above: errors of the fits over ρ and k. Below: the least of these over ρ, and the spectrum of a feature at "
        "the ρ that is best in the mean.",
    )
    yield Items(tuple(frequency_remarks(own)))


LIMITS = (1e-12, 1e-8, 1e-4)


def frequency_table(found: dict[str, Found]) -> Table:
    """How far each activation reaches with one ρ: the highest k up to which all errors are below a limit."""
    rows = [(Value(a), *(Value(_reach(found[a], limit)) for limit in LIMITS)) for a in ACTIVATIONS]
    header = ("activation", *(f"error below {limit:g}" for limit in LIMITS))
    caption = "The highest k up to which all frequencies are fitted at once, by 200 features with one ρ; and that ρ"
    return Table(header, tuple(rows), caption)


def frequency_remarks(found: dict[str, Found]) -> Iterator[str]:
    """What the table comes to, in words."""
    for limit in LIMITS:
        fen, elm = (
            max(_highest(found[a], limit)[0] for a in family) for family in (("cos", "sin", "cos_sin"), ACTIVATIONS[:3])
        )
        if elm:
            yield f"To {limit:g}, trigonometric features reach {fen / elm:.2g} times as high frequencies as the others."
        else:
            yield f"To {limit:g}, trigonometric features reach k = {fen:.3g}, and the others not even the lowest."


def _reach(found: Found, limit: float) -> str:
    k, rho = _highest(found, limit)
    return f"{k:.3g}, ρ = {rho:.3g}" if k else "–"


def _highest(found: Found, limit: float) -> tuple[float, float]:
    """The highest frequency up to which all errors are below a limit at one scale, and that scale."""
    outcome = found.record["outcome"]
    best = (0.0, 0.0)
    for rho, errors in zip(outcome["scales"], outcome["errors"], strict=True):
        below = next((j for j, e in enumerate(errors) if e > limit), len(errors))
        if below:
            best = max(best, (outcome["frequencies"][below - 1], rho))
    return best
