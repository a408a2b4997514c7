"""Curves and maps, put on axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .labels import symbol
from .outline import outline
from .raster import Curve, Raster
from .section import Section
from .shade import COLOURS, Shade

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import PathPatch

RIM_COLOUR, NEIGHBOUR_COLOUR = "0.15", "0.7"
TICKS = 5  # at most, along an axis of a map
BAR = 0.045  # width of a colour bar, relative to the side of a square map
MARGIN = 0.03  # around a domain that does not fill its bounds


@dataclass(frozen=True)
class Drawn:
    """A map on axes: the image, and the outline by which it is clipped."""

    image: Any
    rim: Any

    shade: Shade

    def show(self, raster: Raster) -> None:
        """Another raster of the same size in its place."""
        self.image.set_data(np.ma.masked_invalid(shown(raster.filled, self.shade)))
        self.rim.set_path(_path(raster.section))


def draw_map(axes: Axes, raster: Raster, shade: Shade, around: Sequence[Any] = ()) -> Drawn:
    """A filled map, clipped by the outline of its domain; outlines of neighbouring domains are grey."""
    section, (across, up) = raster.section, (raster.across, raster.up)
    dx, dy = (across[1] - across[0]) / 2, (up[1] - up[0]) / 2
    image = axes.imshow(
        np.ma.masked_invalid(shown(raster.filled, shade)),
        origin="lower",
        extent=(across[0] - dx, across[-1] + dx, up[0] - dy, up[-1] + dy),
        interpolation="bilinear",
        cmap=shade.colours,
        norm=shade.norm,
        aspect="equal" if section.to_scale else "auto",
    )
    for domain in around:
        axes.add_artist(rim(section.of_another(domain), NEIGHBOUR_COLOUR))
        draw_cracks(axes, section.of_another(domain), NEIGHBOUR_COLOUR)
    edge = rim(section, RIM_COLOUR)
    axes.add_artist(edge)
    image.set_clip_path(edge)
    draw_cracks(axes, section, RIM_COLOUR)
    axes.set(xlabel=symbol(section.names[0]), ylabel=symbol(section.names[1]))
    axes.locator_params(nbins=TICKS)
    set_limits(axes, [section.domain, *around], section.free, full=raster.is_full and not around)
    return Drawn(image, edge, shade)


def set_limits(axes: Axes, domains: Sequence[Any], free: Sequence[int], full: bool) -> None:
    """Axes that hold all of the domains, with a margin if they do not fill it."""
    limits = []
    for i in free:
        a, b = min(d.bounds[i][0] for d in domains), max(d.bounds[i][1] for d in domains)
        margin = 0.0 if full else MARGIN * (b - a)
        limits.append((a - margin, b + margin))
    axes.set(xlim=limits[0], ylim=limits[1])


def add_bar(drawn: Drawn, label: str) -> None:
    """A colour bar as high as the map next to it, with an arrow where values lie beyond it."""
    axes = drawn.image.axes
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    slimness = np.sqrt((high - low) / (right - left)) if axes.get_aspect() != "auto" else 1.0
    beside = axes.inset_axes((1 + 0.8 * BAR * slimness, 0, BAR * slimness, 1), label="<colorbar>")
    axes.figure.colorbar(drawn.image, cax=beside, label=label, extend=drawn.shade.extend)


def draw_curve(axes: Axes, curve: Curve, shade: Shade, label: str = "", colour: str = COLOURS[0]) -> Any:
    """A curve; its values are not below the end of a logarithmic scale."""
    (line,) = axes.plot(curve.x, shown(curve.values, shade), lw=1.4, color=colour, label=label or None)
    return line


def shown(values: np.ndarray, shade: Shade) -> np.ndarray:
    """Values as they are drawn."""
    return np.maximum(values, shade.low) if shade.logarithmic else values


def finish_curves(axes: Axes, x: Any, bounds: tuple[float, float], label: str, shade: Shade) -> None:
    """Labels, limits and a grid."""
    axes.set(xlabel=symbol(x), ylabel=label, xlim=bounds)
    if shade.logarithmic:
        axes.set(yscale="log", ylim=(shade.low, shade.high * 1.5))
    elif shade.colours != "RdBu_r":
        margin = 0.05 * (shade.high - shade.low)
        axes.set(ylim=(shade.low - margin, shade.high + margin))
    axes.grid(alpha=0.3)


def rim(section: Section, colour: str) -> PathPatch:
    """The outline of a section, as a line."""
    from matplotlib.patches import PathPatch

    return PathPatch(_path(section), facecolor="none", edgecolor=colour, lw=0.9, clip_on=False, joinstyle="miter")


def draw_cracks(axes: Axes, section: Section, colour: str) -> None:
    """Cracks as lines on top, where a map of the plane shows them."""
    if section.free == (0, 1) and section.holds_time:
        for start, tip in section.domain.cracks:
            axes.plot(*zip(start, tip, strict=True), color=colour, lw=0.9, solid_capstyle="butt")


def _path(section: Section) -> Any:
    from matplotlib.path import Path

    found = outline(section)
    return Path(found.vertices, found.codes)
