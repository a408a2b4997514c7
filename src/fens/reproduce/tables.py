"""The tables of errors."""

from __future__ import annotations

from collections.abc import Sequence

from .comparison import TENFOLD, Pair
from .document import Table, Value
from .experiments import Experiment


def error_table(experiment: Experiment, pairs: Sequence[Pair]) -> Table:
    """L∞ on the paper's points: the paper's, both of our columns, and how many times the paper's they are."""
    rows = []
    for p in pairs:
        columns = [v for c in ("paper", "fens") for v in (_own(p, c), toned(p.ratio(c)))]
        rows.append((Value(p.activation), Value(f"{p.size:g}"), Value(scientific(p.papers("linf"))), *columns))
    header = ("activation", experiment.size_name, "the paper", "`paper`", "÷", "`fens`", "÷")
    return Table(header, tuple(rows), "L∞ errors on the paper's points, and ours divided by the paper's")


def detail_table(experiment: Experiment, pairs: Sequence[Pair]) -> Table:
    """L2, an independent finer set of points, scales, and seconds."""
    rows = []
    for p in pairs:
        l2 = [p.papers("l2"), p.own("paper", "l2"), p.own("fens", "l2")]
        finer = [p.own("paper", "finer_linf"), p.own("fens", "finer_linf")]
        finer_l2 = [p.own("paper", "finer_l2"), p.own("fens", "finer_l2")]
        seconds = [p.own("paper", "seconds"), p.own("fens", "seconds")]
        rows.append(
            (
                Value(p.activation),
                Value(f"{p.size:g}"),
                *(Value(scientific(v)) for v in (*l2, *finer, *finer_l2)),
                *_scales(p),
                *(Value(f"{v:.1f}" if v is not None else "–") for v in seconds),
            )
        )
    header = (
        "activation", experiment.size_name, "L2, the paper", "`paper`", "`fens`", "finer L∞, `paper`", "`fens`",
        "finer L2, `paper`", "`fens`", "ρ, the paper", "`paper`", "tried", "`fens`", "seconds, `paper`", "`fens`",
    )  # fmt: skip
    return Table(header, tuple(rows), "L2 errors, errors on finer points, scales and seconds", folded=True)


def scientific(value: float | None) -> str:
    """Two digits, or a dash."""
    return "–" if value is None else f"{value:.1e}"


def toned(ratio: float | None) -> Value:
    """A ratio, coloured: at or below the paper's, within ten times of it, above."""
    if ratio is None:
        return Value("–")
    text = f"{ratio:.2g}" if ratio >= 1e-3 else f"{ratio:.0e}"
    return Value(text, "good" if ratio <= 1 else "near" if ratio <= TENFOLD else "bad")


def _own(pair: Pair, column: str) -> Value:
    found = pair.ours.get(column)
    if found is None:
        return Value("–")
    if not found.done:
        return Value(str(found.record["outcome"]["status"]))
    return Value(scientific(pair.own(column)) + ("*" if found.thinned else ""))


def _scales(pair: Pair) -> tuple[Value, ...]:
    papers, own = pair.papers("rho_opt"), pair.ours.get("paper")
    tried = len(own.record["outcome"].get("tried", ())) if own and own.done else None
    return (
        Value("–" if papers is None else f"{papers:g}"),
        Value(_scale(pair, "paper")),
        Value("–" if tried is None else f"{tried}"),
        Value(_scale(pair, "fens")),
    )


def _scale(pair: Pair, column: str) -> str:
    found = pair.ours.get(column)
    if found is None or not found.done:
        return "–"
    rho = found.record["outcome"]["rho"]
    return f"{rho[0]:.4g}" if len(set(rho)) == 1 else " ".join(f"{r:.3g}" for r in rho[:3])
