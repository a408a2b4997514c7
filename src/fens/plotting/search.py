"""What a search for the scale tried: the loss of each scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import SettingError
from ..fit.search import Search
from .canvas import begun, new_figure, save
from .shade import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EQUAL = 1e-9  # relative difference up to which ratios of scales are the same


def plot_searches(searches: Sequence[Search | None], loss: str, drawn_scales: Sequence[int], path: Any) -> Figure:
    """Loss against scale for each of several searches, one for each block of time, on logarithmic axes.

    `loss` is what the loss was, and `drawn_scales` are the numbers of the scales that belong to functions.
    """
    found = [s for s in searches if s is not None]
    if not found:
        raise SettingError(
            "No scale was searched for, because it was given; leave scale= out, or give a fens.ScaleGrid to try."
        )
    target = begun(path)
    figure = new_figure(6.4, 4.2)
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log", ylabel=loss)
    many = len(found) > 1
    for k, search in enumerate(found):
        _draw(axes, search, drawn_scales, COLOURS[k % len(COLOURS)], f"block {k + 1}: " if many else "")
    several = any(len({s[i] for i in drawn_scales}) > 1 for search in found for s in search.scales)
    axes.set_xlabel("scale ρ" + (", geometric mean over axes and unknowns" if several else ""))
    _set_ticks(axes, np.concatenate([_means(s, drawn_scales) for s in found]))
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize="small")
    if not many:
        axes.set_title(found[0].reason, fontsize="medium", wrap=True)
    return save(figure, target)


def _draw(axes: Any, search: Search, drawn: Sequence[int], colour: str, prefix: str) -> None:
    """The trials of one search; those of one ratio between axes are joined."""
    scales = np.array(search.scales)[:, list(drawn)]
    rho, losses = _means(search, drawn), np.array(search.losses)
    finite = np.isfinite(losses) & (losses > 0)
    for number, rows in enumerate(_alike(scales)):
        rows = rows[finite[rows]]
        rows = rows[np.argsort(rho[rows])]
        style = ("o-", "s--", "^:", "D-.")[number % 4]
        label = f"{prefix}tried" + (f", ratios {_ratios(scales[rows[0]])}" if number and len(rows) else "")
        axes.plot(rho[rows], losses[rows], style, color=colour, ms=5, lw=1.2, label=label if len(rows) else None)
    edge = axes.get_xaxis_transform()  # off the scale: at the edge of the axes, whatever their limits are
    infinite, zero = ~np.isfinite(losses), losses == 0
    beyond = ((infinite, 0.97, "x", "no solution, loss infinite"), (zero, 0.03, "v", "loss 0"))
    for off, height, marker, words in beyond:
        if off.any():
            heights = np.full(np.count_nonzero(off), height)
            axes.plot(rho[off], heights, marker, color=colour, ms=8, mew=2, transform=edge, label=f"{prefix}{words}")
    best = search.best
    axes.axvline(rho[best], color=colour, lw=0.8, ls="--", label=f"{prefix}chosen, ρ = {rho[best]:.4g}")
    if finite[best]:
        axes.plot(rho[best], losses[best], "o", mfc="none", mec="black", ms=11, mew=1.4)


def _means(search: Search, drawn: Sequence[int]) -> np.ndarray:
    """The geometric mean of each of the scales tried."""
    return np.asarray(np.exp(np.log(np.array(search.scales)[:, list(drawn)]).mean(axis=1)))


def _set_ticks(axes: Any, rho: np.ndarray) -> None:
    """Plain numbers along an axis of scales, which seldom spans a power of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = float(rho.min()), float(rho.max())
    room = 1.25 if high > 1.5 * low else 3.0
    axes.set_xlim(low / room, high * room)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high > 20 * low else (1, 1.5, 2, 3, 4, 5, 7)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())


def _alike(scales: np.ndarray) -> list[np.ndarray]:
    """The numbers of the scales in the same ratios, the ones tried first first."""
    groups: dict[tuple[float, ...], list[int]] = {}
    for k, s in enumerate(scales):
        shape = s / s[0]
        same = next((g for g in groups if np.allclose(g, shape, rtol=EQUAL, atol=0)), tuple(shape))
        groups.setdefault(same, []).append(k)
    return [np.array(rows) for rows in groups.values()]


def _ratios(scales: np.ndarray) -> str:
    return " : ".join(f"{v:.3g}" for v in scales / scales.min())
