"""The paper's figures, with our curves next to its own. matplotlib is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from fens.errors import MissingPackage

from .comparison import Found, Pair
from .experiments import ELM, FEN, Experiment

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# of Okabe and Ito, told apart by the colour-blind
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
SOURCES: dict[str, dict[str, Any]] = {
    "the paper": {"ls": ":", "marker": "x"},
    "column paper": {"ls": "--", "marker": "s", "mfc": "none"},
    "column fens": {"ls": "-", "marker": "o"},
}


def errors_by_size(experiment: Experiment, pairs: Sequence[Pair]) -> bytes:
    """L∞ against the size: the best of the three FENs and of the three ELMs, the paper's and ours."""
    figure = _figure(5.6, 3.6)
    axes = figure.subplots()
    for family, colour, label in ((FEN, BLUE, "FEN"), (ELM, ORANGE, "ELM")):
        for source, style in SOURCES.items():
            curve = _best_by_size([p for p in pairs if p.activation in family], source)
            if curve:
                axes.plot(*zip(*curve, strict=True), color=colour, label=f"{label}, {source}", lw=1.4, ms=5, **style)
    axes.set(yscale="log", xlabel=experiment.size_name, ylabel="L∞ error", xticks=experiment.full.sizes)
    axes.grid(alpha=0.3)
    figure.legend(loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    return _svg(figure)


def errors_by_scale(sweeps: Sequence[Found]) -> bytes:
    """L∞ against ρ, a curve for each number of features."""
    figure = _figure(5.6, 3.4)
    axes = figure.subplots()
    for found, colour in zip(sorted(sweeps, key=lambda f: f.cell.size), (BLUE, ORANGE, GREEN, PURPLE), strict=False):
        rho, error, _ = zip(*found.record["outcome"]["swept"], strict=True)
        axes.plot(rho, error, ".-", color=colour, lw=1.2, ms=4, label=f"M = {found.cell.size:g}")
    axes.set(xscale="log", yscale="log", xlabel="ρ", ylabel="L∞ error")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    return _svg(figure)


def curve(found: Found) -> bytes:
    """Exact and computed function of one coordinate, and their difference."""
    (x,), exact, computed = _values(found)
    figure = _figure(5.6, 4.4)
    above, below = figure.subplots(2, sharex=True, height_ratios=(2, 1))
    above.plot(x, exact, color="#444", lw=2.4, alpha=0.45, label="exact")
    above.plot(x, computed, color=BLUE, lw=1, ls="--", label="computed")
    above.legend(fontsize=8)
    below.semilogy(x, np.maximum(np.abs(computed - exact), 1e-18), color=ORANGE, lw=0.7)
    above.set(ylabel="u")
    below.set(xlabel="x", ylabel="error", xlim=(x[0], x[-1]))
    return _svg(figure)


def maps(found: Found) -> bytes:
    """Heat maps of the exact and the computed function and of their difference."""
    (x, t), exact, computed = _values(found)
    figure = _figure(7.2, 2.6)
    panels = {"exact": exact, "computed": computed, "|error|": np.abs(computed - exact)}
    for axes, (title, values) in zip(figure.subplots(1, 3, sharey=True), panels.items(), strict=True):
        image = axes.pcolormesh(t, x, values, cmap="cividis", rasterized=True, shading="nearest")
        bar = figure.colorbar(image, ax=axes, format="%.1e" if title == "|error|" else None)
        bar.ax.tick_params(labelsize=7)
        axes.set(title=title, xlabel="t")
        axes.tick_params(labelsize=7)
    figure.axes[0].set_ylabel("x")
    return _svg(figure)


def _best_by_size(pairs: Sequence[Pair], source: str) -> list[tuple[float, float]]:
    error: Callable[[Pair], float | None] = {
        "the paper": lambda p: p.papers("linf"),
        "column paper": lambda p: p.own("paper"),
        "column fens": lambda p: p.own("fens"),
    }[source]
    found = []
    for size in sorted({p.size for p in pairs}):
        values = [v for p in pairs if p.size == size and (v := error(p)) is not None]
        if values:
            found.append((size, min(values)))
    return found


def _values(found: Found) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    known = found.cell.about.known(int(found.cell.size))
    computed = np.array(found.record["outcome"]["values"])
    ticks = [np.linspace(a, b, computed.shape[0]) for a, b in known.problem.domain.bounds]
    exact = sp.lambdify(known.problem.coordinates, known.exact)(*np.meshgrid(*ticks, indexing="ij"))
    return ticks, exact, computed


def _figure(width: float, height: float) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingPackage("The figures need matplotlib; install it with pip install 'fens[reproduce]'.") from error
    return Figure(figsize=(width, height), layout="constrained")


def _svg(figure: Figure) -> bytes:
    from matplotlib import rc_context

    file = BytesIO()
    with rc_context({"svg.hashsalt": "fens"}):  # the same figure is the same file
        figure.savefig(file, format="svg", dpi=160, metadata={"Date": None})
    return file.getvalue()
