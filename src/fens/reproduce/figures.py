"""The paper's figures, with our curves next to its own. matplotlib is imported when one is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from fens.errors import MissingPackage

from .comparison import Found, Pair
from .experiments import ACTIVATIONS, Experiment
from .paper import search

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# of Okabe and Ito, told apart by the colour-blind
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
LIGHT = 200  # points of a curve that are drawn as such, and not as a picture of them
COLOURS = dict(zip(ACTIVATIONS, ("#E69F00", ORANGE, "#A0522D", BLUE, "#56B4E9", GREEN), strict=True))
MARKERS = dict(zip(ACTIVATIONS, "sD^ovP", strict=True))
SOURCES: dict[str, Callable[[Pair, str], float | None]] = {
    "the paper": lambda p, quantity: p.papers(quantity),
    "column paper": lambda p, quantity: p.own("paper", quantity),
    "column fens": lambda p, quantity: p.own("fens", quantity),
}


def errors_by_size(experiment: Experiment, pairs: Sequence[Pair]) -> bytes:
    """L∞ and L2 against the size, a curve for each activation: the paper's and ours."""
    figure = _figure(7.6, 4.6, left=0.09, right=0.99, top=0.94, bottom=0.15, wspace=0.06, hspace=0.08)
    panels = figure.subplots(2, 3, sharex=True, sharey=True)
    for row, (quantity, label) in zip(panels, {"linf": "L∞ error", "l2": "relative L2 error"}.items(), strict=True):
        for axes, (source, error) in zip(row, SOURCES.items(), strict=True):
            for a in ACTIVATIONS:
                own = [(p.size, v) for p in pairs if p.activation == a and (v := error(p, quantity)) is not None]
                if own:
                    style: dict[str, Any] = {"color": COLOURS[a], "marker": MARKERS[a], "lw": 1, "ms": 3.5}
                    axes.plot(*zip(*own, strict=True), label=a, **style)
            axes.grid(alpha=0.3)
            axes.tick_params(labelsize=7)
            axes.set_title(source if quantity == "linf" else "", fontsize=9)
        row[0].set_ylabel(label, fontsize=8)
    panels[0][0].set(yscale="log", xticks=experiment.full.sizes)
    _light(panels[0][0].yaxis)
    for axes in panels[1]:
        axes.set_xlabel(experiment.size_name, fontsize=8)
    handles = {name: line for axes in panels.flat for line, name in zip(*axes.get_legend_handles_labels(), strict=True)}
    names = [a for a in ACTIVATIONS if a in handles]
    legend: dict[str, Any] = {"loc": "lower center", "ncols": 6, "fontsize": 8, "frameon": False}
    figure.legend([handles[a] for a in names], names, **legend)
    return _svg(figure)


def errors_by_scale(curves: Mapping[tuple[str, float], Found]) -> bytes:
    """L∞ against ρ, a panel for each activation and a curve for each number of features."""
    figure = _figure(7.6, 4.4, left=0.1, right=0.99, top=0.94, bottom=0.11, wspace=0.06, hspace=0.3)
    sizes = sorted({size for _, size in curves})
    colours = dict(zip(sizes, (BLUE, ORANGE, GREEN, PURPLE), strict=False))
    for axes, a in zip(figure.subplots(2, 3, sharey=True).flat, ACTIVATIONS, strict=True):
        for size in (s for s in sizes if (a, s) in curves):
            tried = sorted(curves[a, size].tried)
            axes.plot(
                [t[0] for t in tried], [t[2] for t in tried], color=colours[size], lw=0.8, label=f"M = {size:g}",
                rasterized=len(tried) > LIGHT,
            )  # fmt: skip
        axes.set(xscale="log", yscale="log")
        _light(axes.xaxis)
        _light(axes.yaxis)
        axes.set_title(a, fontsize=9)
        axes.grid(alpha=0.3)
        axes.tick_params(labelsize=7)
        if (a, sizes[0]) in curves:
            axes.legend(fontsize=7)
    figure.supxlabel("ρ", fontsize=8)
    figure.supylabel("L∞ error", fontsize=8)
    return _svg(figure)


def ranks_by_scale(swept: Sequence[Found]) -> bytes:
    """Errors and numerical ranks against ρ; dots beyond the paper's range."""
    figure = _figure(7.2, 3.2, left=0.1, right=0.99, top=0.97, bottom=0.15, wspace=0.2)
    errors, ranks = figure.subplots(1, 2, sharex=True)
    for f in sorted(swept, key=lambda f: ACTIVATIONS.index(f.cell.activation)):
        tried, a = sorted(f.tried), f.cell.activation
        most = search(f.cell.about.table, a).maximum
        for axes, k in ((errors, 2), (ranks, 3)):
            axes.plot([t[0] for t in tried], [t[k] for t in tried], color=COLOURS[a], lw=1, label=a)
            beyond = [t for t in tried if t[0] > most]
            axes.plot([t[0] for t in beyond], [t[k] for t in beyond], ".", color=COLOURS[a], ms=3)
    errors.set(xscale="log", yscale="log", xlabel="ρ", ylabel="L∞ error")
    ranks.set(xlabel="ρ", ylabel="numerical rank")
    for axes in (errors, ranks):
        _light(axes.xaxis)
        axes.grid(alpha=0.3)
    _light(errors.yaxis)
    ranks.legend(fontsize=7)
    return _svg(figure)


def frequencies(found: Mapping[str, Found]) -> bytes:
    """Errors over ρ and the frequency k; the least over ρ at each k; and spectra of the features."""
    figure = _figure(7.6, 6.0, left=0.11, right=0.92, top=0.95, bottom=0.09, wspace=0.3, hspace=0.35)
    shown = ("cos", "tanh", "sigmoid", "swish")
    maps = [figure.add_subplot(2, 4, k) for k in range(1, 5)]
    for axes, a in zip(maps, shown, strict=True):
        outcome = found[a].record["outcome"]
        scales, ks = outcome["scales"], outcome["frequencies"]
        errors = np.log10(np.array(outcome["errors"]))
        image = axes.pcolormesh(scales, ks, errors.T, cmap="cividis", vmin=-14, vmax=0, rasterized=True)
        axes.plot(scales, np.sqrt(3) * np.array(scales), "w:", lw=1)
        axes.set(xscale="log", yscale="log", xlabel="ρ", ylim=(ks[0], ks[-1]))
        _light(axes.xaxis)
        _light(axes.yaxis)
        axes.set_title(a, fontsize=9)
        axes.tick_params(labelsize=7)
    maps[0].set_ylabel("k")
    bar = figure.colorbar(image, cax=figure.add_axes((0.935, 0.56, 0.012, 0.39)))
    bar.set_label("log₁₀ error", fontsize=8)
    bar.ax.tick_params(labelsize=7)
    left, right = (figure.add_subplot(2, 2, k) for k in (3, 4))
    for a in ACTIVATIONS:
        outcome = found[a].record["outcome"]
        style: dict[str, Any] = {"color": COLOURS[a], "lw": 1.2, "label": a, "ls": "--" if a == "cos_sin" else "-"}
        left.loglog(outcome["frequencies"], np.array(outcome["errors"]).min(0), **style)
        right.loglog(np.pi * np.arange(1, len(outcome["spectrum"]) + 1), outcome["spectrum"], **style)
    left.set(xlabel="k", ylabel="least error over ρ")
    right.set(xlabel="frequency", ylabel="spectrum of a feature", ylim=(1e-9, 1), xlim=(3, 800))
    for axes in (left, right):
        _light(axes.xaxis)
        _light(axes.yaxis)
        axes.grid(alpha=0.3)
    right.legend(fontsize=7)
    return _svg(figure)


def curve(found: Found) -> bytes:
    """Exact and computed function of one coordinate, and their difference."""
    (x,), exact, difference = _values(found)
    figure = _figure(5.6, 4.4, left=0.14, right=0.97, top=0.97, bottom=0.11, hspace=0.1)
    above, below = figure.subplots(2, sharex=True, height_ratios=(2, 1))
    above.plot(x, exact, color="#444", lw=2.4, alpha=0.45, label="exact")
    above.plot(x, exact + difference, color=BLUE, lw=1, ls="--", label="computed")
    above.legend(fontsize=8)
    below.semilogy(x, np.maximum(np.abs(difference), 1e-18), color=ORANGE, lw=0.7)
    above.set(ylabel="u")
    _light(below.yaxis)
    below.set(xlabel="x", ylabel="error", xlim=(x[0], x[-1]))
    return _svg(figure)


def maps(found: Found) -> bytes:
    """Heat maps of the exact and the computed function and of their difference."""
    (x, t), exact, difference = _values(found)
    figure = _figure(7.6, 2.6, left=0.07, right=0.95, top=0.88, bottom=0.17, wspace=0.35)
    panels = {"exact": exact, "computed": exact + difference, "|error|": np.abs(difference)}
    for axes, (title, values) in zip(figure.subplots(1, 3, sharey=True), panels.items(), strict=True):
        image = axes.pcolormesh(t, x, values, cmap="cividis", rasterized=True, shading="nearest")
        bar = figure.colorbar(image, ax=axes, format="%.1e" if title == "|error|" else None)
        bar.ax.tick_params(labelsize=7)
        axes.set(title=title, xlabel="t")
        axes.tick_params(labelsize=7)
    figure.axes[0].set_ylabel("x")
    return _svg(figure)


def _values(found: Found) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    known = found.cell.about.known(int(found.cell.size))
    difference = np.array(found.record["outcome"]["differences"])
    ticks = [np.linspace(a, b, difference.shape[0]) for a, b in known.problem.domain.bounds]
    exact = sp.lambdify(known.problem.coordinates, known.exact)(*np.meshgrid(*ticks, indexing="ij"))
    return ticks, exact, difference


def _light(axis: Any) -> None:
    """A logarithmic axis with few ticks in plain text, which is drawn many times as fast."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis.set_major_locator(LogLocator(numticks=7))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _figure(width: float, height: float, **margins: float) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingPackage("The figures need matplotlib; install it with pip install 'fens[reproduce]'.") from error
    figure = Figure(figsize=(width, height))
    figure.subplots_adjust(**margins)
    return figure


def _svg(figure: Figure) -> bytes:
    from matplotlib import rc_context

    file = BytesIO()
    with rc_context({"svg.hashsalt": "fens", "svg.fonttype": "none"}):  # the same figure is the same file
        figure.savefig(file, format="svg", dpi=160, metadata={"Date": None})
    return file.getvalue()
