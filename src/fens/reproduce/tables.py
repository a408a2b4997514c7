"""The tables of errors."""

from __future__ import annotations

from collections.abc import Sequence

from .comparison import TENFOLD, Pair
from .document import Table, Value
from .experiments import Experiment


def error_table(experiment: Experiment, pairs: Sequence[Pair]) -> Table:
    """L∞ on the paper's points: the paper's, both of our columns, how many times the paper's they are, and seeds."""
    rows = []
    for p in pairs:
        columns = [v for c in ("paper", "fens") for v in (_own(p, c), toned(p.ratio(c)), Value(spread(p, c)))]
        rows.append((Value(p.activation), Value(f"{p.size:g}"), Value(scientific(p.papers("linf"))), *columns))
    header = (
        "activation", experiment.size_name, "the paper", "`paper`", "÷", "seeds", "`fens`", "÷", "seeds",
    )  # fmt: skip
    return Table(header, tuple(rows), "L∞ errors on the paper's points, and ours divided by the paper's")


def independent_table(experiment: Experiment, pairs: Sequence[Pair]) -> Table:
    """In many dimensions: L∞ at points that no solve has seen first, and then at those that it has."""
    rows = []
    for p in pairs:
        independent = [
            v
            for c in ("paper", "fens")
            for v in (_own(p, c, "finer_linf"), toned(p.ratio(c, "finer_linf")), Value(spread(p, c, "finer_linf")))
        ]
        own = (_own(p, "paper"), toned(p.ratio("paper")), _own(p, "fens", "own_linf"), Value(_used(p)))
        rows.append(
            (Value(p.activation), Value(f"{p.size:g}"), Value(scientific(p.papers("linf"))), *independent, *own)
        )
    header = (
        "activation", experiment.size_name, "the paper, at its own points", "`paper`, independent points", "÷", "seeds",
        "`fens`, independent points", "÷", "seeds", "`paper`, own points", "÷", "`fens`, own points", "features",
    )  # fmt: skip
    caption = (
        "L∞ errors at 50,000 points inside and 1000·d on the boundary, drawn anew, and at the points of each solve, "
        "which is where the paper measures; how many of the features that it may have column `fens` takes"
    )
    return Table(header, tuple(rows), caption)


def detail_table(experiment: Experiment, pairs: Sequence[Pair]) -> Table:
    """L2, an independent finer set of points, scales, ranks and seconds."""
    rows = []
    for p in pairs:
        l2 = [p.papers("l2"), p.own("paper", "l2"), p.own("fens", "l2")]
        finer = [p.own("paper", "finer_linf"), p.own("fens", "finer_linf")]
        finer_l2 = [p.own("paper", "finer_l2"), p.own("fens", "finer_l2")]
        ranks = [p.own("paper", "rank"), p.own("fens", "rank")]
        seconds = [p.own("paper", "cpu"), p.own("fens", "cpu")]
        rows.append(
            (
                Value(p.activation),
                Value(f"{p.size:g}"),
                *(Value(scientific(v)) for v in (*l2, *finer, *finer_l2)),
                *_scales(p),
                Value(_used(p)),
                *(Value(f"{v:g}" if v is not None else "–") for v in ranks),
                *(Value(f"{v:.1f}" if v is not None else "–") for v in seconds),
            )
        )
    header = (
        "activation", experiment.size_name, "L2, the paper", "`paper`", "`fens`", "finer L∞, `paper`", "`fens`",
        "finer L2, `paper`", "`fens`", "ρ, the paper", "`paper`", "tried", "`fens`", "features, `fens`",
        "rank, `paper`", "`fens`", "seconds, `paper`", "`fens`",
    )  # fmt: skip
    caption = "L2 errors, errors on finer points, scales, numerical ranks, and seconds of one thread with the search"
    return Table(header, tuple(rows), caption, folded=True)


def scientific(value: float | None) -> str:
    """Two digits, or a dash."""
    return "–" if value is None else f"{value:.1e}"


def toned(ratio: float | None) -> Value:
    """A ratio, coloured: at or below the paper's, within ten times of it, above."""
    if ratio is None:
        return Value("–")
    text = f"{ratio:.2g}" if ratio >= 1e-3 else f"{ratio:.0e}"
    return Value(text, "good" if ratio <= 1 else "near" if ratio <= TENFOLD else "bad")


def spread(pair: Pair, column: str, quantity: str = "linf") -> str:
    """The median over seeds, and the range."""
    found = pair.spread(column, quantity)
    if found is None:
        return "–"
    median, least, largest, count = found
    return f"{count}: {scientific(median)} ({scientific(least)}–{scientific(largest)})"


def _own(pair: Pair, column: str, quantity: str = "linf") -> Value:
    found = pair.ours.get(column)
    if found is None:
        return Value("–")
    if not found.done:
        return Value(str(found.record["outcome"]["status"]))
    return Value(scientific(pair.own(column, quantity)) + marks(pair, column))


def marks(pair: Pair, column: str) -> str:
    """What is not as the paper has it, as signs: thinned, searched from coarse to fine, or only at the paper's ρ."""
    found = pair.ours[column]
    thinned = ("†" if found.stale else "") + ("*" if found.thinned else "")
    if column != "paper" or found.exhaustive:
        return thinned
    return thinned + ("ρ" if found.cell.candidates == 1 else "~")


def _used(pair: Pair) -> str:
    used = pair.own("fens", "used")
    if used is None and "fens" in pair.ours:
        used = pair.ours["fens"].cell.features
    return "–" if used is None else f"{used:,.0f}"


def _scales(pair: Pair) -> tuple[Value, ...]:
    papers, own = pair.papers("rho_opt"), pair.ours.get("paper")
    tried = len(own.tried) if own and own.done else None
    return (
        Value("–" if papers is None else f"{papers:g}"),
        Value(_scale(pair, "paper")),
        Value("–" if tried is None else f"{tried:,}"),
        Value(_scale(pair, "fens")),
    )


def _scale(pair: Pair, column: str) -> str:
    found = pair.ours.get(column)
    if found is None or not found.done:
        return "–"
    rho = found.record["outcome"]["rho"]
    return f"{rho[0]:.4g}" if len(set(rho)) == 1 else " ".join(f"{r:.3g}" for r in rho[:3])
