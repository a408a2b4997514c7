"""The page of the comparison: docs/benchmarks/peers.md, with a picture and the results themselves.

python benchmarks/peers/report.py [--results FILE] [--folder docs/benchmarks]
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from child import MODULES
from problems import LEVELS, PROBLEMS
from run import GRACE, PATIENCE, RESULTS, ROOT, read
from sources import constant, lines
from summary import FASTER, LEVEL, OURS, SLOWER, Duel, Entry, Record, duels, entries, power, shortfalls

COLOURS = {
    "fens": "#0b6e4f",
    "fastlsq": "#d1495b",
    "pyrfm": "#edae49",
    "deepxde": "#7d5ba6",
    "scikit-fem": "#30638e",
    "chebyshev": "#6b6b6b",
}
FLOOR, LIMITS = 1e-16, (5e-4, 200)  # of errors and seconds in the picture


def main() -> None:
    """Read the results and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--folder", type=Path, default=ROOT / "docs" / "benchmarks")
    args = parser.parse_args()
    print(write(read(args.results), args.folder))


def write(records: Sequence[Record], folder: Path) -> Path:
    """The page, the picture and the results in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    latest = without_stale(records)
    found = entries(latest)
    (folder / "peers.jsonl").write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in latest), "utf-8")
    draw(found, folder / "peers.svg")
    page = folder / "peers.md"
    page.write_text("\n".join(document(latest, found)) + "\n", "utf-8")
    return page


def without_stale(records: Sequence[Record]) -> list[Record]:
    """Of each job the results with the latest key; what was measured with other sources is left out."""
    last = {(r["solver"], r["problem"], r["mode"], r["repeat"]): r["key"] for r in records}
    return [r for r in records if last[r["solver"], r["problem"], r["mode"], r["repeat"]] == r["key"]]


def document(records: Sequence[Record], found: Sequence[Entry]) -> Iterator[str]:
    """The page, line by line."""
    yield "# fens and what one would pick instead"
    yield ""
    yield from circumstances(records)
    yield ""
    yield "![Error against time](peers.svg)"
    yield ""
    yield from what_was_asked(found)
    yield ""
    yield from losses(found)
    run = {r["problem"] for r in records}
    for problem in (p for p in PROBLEMS if p in run):
        yield ""
        yield from table(problem, [e for e in found if e.problem == problem], records)
    yield ""
    yield from where_time_goes(found)
    yield ""
    yield from how()


def circumstances(records: Sequence[Record]) -> Iterator[str]:
    """When, where, and with what."""
    last = records[-1]
    versions = {name: v for r in records for name, v in r.get("versions", {}).items()}
    minutes = sum({(r["key"]): r["spent"] for r in records}.values()) / 60
    yield (
        f"Measured on {last['date']}: {last['cores']} cores ({last['processor']}), threads: {last['threads']}, "
        f"Python {last['python']}; {minutes:.0f} minutes in all. "
        f"Versions: {', '.join(f'{name} {v}' for name, v in sorted(versions.items()))}."
    )
    yield ""
    yield (
        "Errors are the largest at independent points, half of them on the boundary. Times are those of a solve, from "
        "the statement of the problem to the solution, imports excluded; each solver runs in processes of its own, one "
        "after another, taking turns. The first call in a process, which also loads what it needs, has a column of its "
        "own; of the others, up to eight of them in half a second, the median counts. `make bench` makes this page."
    )


def what_was_asked(found: Sequence[Entry]) -> Iterator[str]:
    """Whether ours is first by the factors that are asked for."""
    yield f"## The time to {power(LEVEL)}"
    yield ""
    yield (
        f"Among meshless solvers, fens should be first by a factor of {FASTER:g} where the others run untuned, and "
        f"take at most {SLOWER:g} times as long where they are tuned by the true error."
    )
    yield ""
    yield from overview(found)
    yield ""
    missed = shortfalls(found)
    if missed:
        yield "It is not so here:"
        yield ""
        yield from (f"- {sentence}" for sentence in missed)
    else:
        yield "It is so on every problem."


def overview(found: Sequence[Entry]) -> Iterator[str]:
    """The time to the level that counts, of all: a row for each problem, a column for each solver."""
    columns = list(dict.fromkeys((e.solver, e.tuned) for e in sorted(found, key=lambda e: e.tuned)))
    times = {(e.problem, e.solver, e.tuned): e.time_to(LEVEL) for e in found}
    titles = [s if s == OURS else f"{s}, {'tuned' if tuned else 'default'}" for s, tuned in columns]
    yield f"| seconds to {power(LEVEL)} | " + " | ".join(titles) + " |"
    yield "|---|" + "---|" * len(columns)
    for problem in dict.fromkeys(e.problem for e in found):
        cells = [seconds(times.get((problem, *column), math.inf)) for column in columns]
        yield f"| {PROBLEMS[problem].title} | " + " | ".join(cells) + " |"


def losses(found: Sequence[Entry]) -> Iterator[str]:
    """Every case in which another solver was first."""
    yield "## Where fens loses"
    yield ""
    lost = [d for d in duels(found) if d.lost]
    if not lost:
        yield "Nowhere in these results."
        return
    yield "How many times as long fens takes to an error, where another solver is first:"
    yield ""
    yield "| problem | first | " + " | ".join(f"to {power(v)}" for v in LEVELS) + " |"
    yield "|---|---|" + "---|" * len(LEVELS)
    for problem, solver, tuned in dict.fromkeys((d.problem, d.other.solver, d.other.tuned) for d in lost):
        own = [d for d in lost if (d.problem, d.other.solver, d.other.tuned) == (problem, solver, tuned)]
        cells = [next((_factor(d) for d in own if d.level == v), "") for v in LEVELS]
        kind = "tuned" if tuned else "default"
        yield f"| {PROBLEMS[problem].title} | {solver}, {kind} | " + " | ".join(cells) + " |"


def _factor(duel: Duel) -> str:
    return f"{duel.factor:.1f}" if duel.factor < math.inf else f"not reached (in {seconds(duel.theirs)} s)"


def table(problem: str, found: Sequence[Entry], records: Sequence[Record]) -> Iterator[str]:
    """One problem, all solvers."""
    about = PROBLEMS[problem]
    yield f"## {about.title}"
    yield ""
    yield f"{about.statement}."
    yield ""
    yield (
        "| solver | L∞ error | seconds | first call | "
        + " | ".join(f"to {power(v)}" for v in LEVELS)
        + " | lines | settings |"
    )
    yield "|" + "---|" * (6 + len(LEVELS))
    for e in found:
        best, reached = e.best, " | ".join(seconds(e.time_to(v)) for v in LEVELS)
        written = lines(MODULES[e.solver], problem)
        yield (
            f"| {e.solver}, {kind(e)} | {best.error:.1e} | {seconds(best.seconds)} | {seconds(best.first)} | "
            f"{reached} | {written} | {described(e)} |"
        )
    failed = [r for r in records if r["problem"] == problem and "failure" in r]
    for solver in MODULES:
        if reason := constant(MODULES[solver], "UNAVAILABLE", {}).get(problem):
            yield f"| {solver} | not available: {reason} |" + " |" * (4 + len(LEVELS))
    for r in failed:
        given = ", ".join(f"{k} {v}" for k, v in r["settings"].items())
        yield f"\n{r['solver']}, {r['mode']}{', ' + given if given else ''}: {r['failure']}."


def where_time_goes(found: Sequence[Entry]) -> Iterator[str]:
    """The passes of ours, for the runs that were asked for the level that counts."""
    asked = [r for e in found if e.solver == OURS for r in e.runs if r.mode == f"tol={power(LEVEL)}"]
    if not asked:
        return
    yield "## Where the time of fens goes"
    yield ""
    call = f"`fens.solve(problem, tol={power(LEVEL)})`"
    yield f"{call}, seconds of the last call; what is missing is the statement in SymPy."
    yield ""
    yield "| problem | sizes tried | rounds | in all | passes |"
    yield "|---|---|---|---|---|"
    for run in asked:
        record = run.record
        sizes = ", ".join(str(size) for size, _ in record.get("sizes", ()))
        passes = ", ".join(f"{name} {spent:.2f}" for name, spent in record.get("passes", {}).items() if spent >= 0.005)
        cells = (PROBLEMS[run.problem].title, sizes, record.get("rounds", ""), seconds(record["calls"][-1]), passes)
        yield "| " + " | ".join(map(str, cells)) + " |"


def kind(entry: Entry) -> str:
    """How the settings were chosen."""
    if entry.solver == OURS:
        return "automatic"
    return "tuned" if entry.tuned else "default"


def described(entry: Entry) -> str:
    """The settings of the best run, and what the search for them took."""
    given, record = ", ".join(f"{k} {v}" for k, v in entry.best.settings.items()), entry.best.record
    if entry.tuned:
        return f"{given}; {len(entry.runs)} tried in {entry.spent:.0f} s"
    if entry.solver == OURS:
        return f"{record['features']} features, {record['rows']} rows, estimate {float(record['estimate']):.0e}"
    return given or record.get("chosen", "") or "as they are"


def how() -> Iterator[str]:
    """What defaults are, and the rules."""
    yield "## How they were run"
    yield ""
    for solver, module in MODULES.items():
        yield f"- **{solver}**: {constant(module, 'DEFAULTS')}."
    yield ""
    yield (
        "Tuned runs were chosen among the settings of a small search by the true error, which a user does not have; "
        f"the time of the search is not counted. The time to reach an error is that of the shortest run which has it. "
        "A run of fens with a tolerance counts for that tolerance and larger ones only. A run may take "
        f"{PATIENCE['default'] + GRACE:.0f} s ({PATIENCE['fens'] + GRACE:.0f} s with fens), a search "
        f"{PATIENCE['tuned'] + GRACE:.0f} s. Lines are those a user writes for the "
        "problem, without blank lines, comments, docstrings and imports."
    )


def seconds(value: float) -> str:
    """A time, or a dash where there is none."""
    if value == math.inf:
        return "–"
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def draw(found: Sequence[Entry], path: Path) -> None:
    """Error against time, a panel for each problem."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    present = [p for p in PROBLEMS if any(e.problem == p for e in found)]
    columns = min(3, len(present))
    rows = math.ceil(len(present) / columns)
    figure, axes = plt.subplots(rows, columns, figsize=(4.2 * columns, 3.4 * rows + 0.6), squeeze=False, sharey=True)
    for axis in axes.ravel()[len(present) :]:
        axis.set_axis_off()
    for axis, problem in zip(axes.ravel(), present, strict=False):
        for e in (e for e in found if e.problem == problem):
            _draw_entry(axis, e)
        axis.set(xscale="log", yscale="log", title=PROBLEMS[problem].title, xlim=LIMITS, ylim=(FLOOR, 10))
        axis.set_xlabel("seconds")
        axis.grid(alpha=0.25, linewidth=0.5)
    for axis in axes[:, 0]:
        axis.set_ylabel("largest error")
    handles = {label: h for axis in axes.ravel() for h, label in zip(*axis.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles.keys(), ncols=min(6, len(handles)), loc="lower center", frameon=False)
    figure.tight_layout(rect=(0, 0.09, 1, 1))
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _draw_entry(axis, entry: Entry) -> None:
    colour, label = COLOURS[entry.solver], f"{entry.solver}, {kind(entry)}"
    curve = sorted(p for run in entry.runs for p in (run.curve or [(run.seconds, run.error)]))
    x, y = [p[0] for p in curve], [min(max(p[1], FLOOR), 10) for p in curve]
    if entry.tuned:
        axis.plot(x, y, "o", color=colour, markerfacecolor="none", markersize=4, label=label)
    elif any(run.curve for run in entry.runs):
        axis.plot(x, y, "-", color=colour, label=label)
    else:
        axis.plot(x, y, "D" if entry.solver == OURS else "s", color=colour, markersize=6, label=label, zorder=3)


if __name__ == "__main__":
    main()
