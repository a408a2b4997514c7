"""Moving pictures: one coordinate is time, and what remains is a curve or a map."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from .._support.numbers import is_whole, real_number
from .._support.progress import track
from ..errors import SettingError, quoted
from ..problem import Problem
from .canvas import checked_path, new_figure, require_matplotlib, set_title, title_height, write
from .draw import add_bar, draw_curve, draw_map, finish_curves, set_limits, shown
from .film import ENDINGS, PIXELS, Recorder, recorder
from .labels import symbol
from .quantity import Quantity, values
from .raster import curve, raster, resolution
from .section import Section
from .shade import shade

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FRAMES, FPS = 60, 15.0
MOST_FRAMES = 2000
MOST_NODES, NODES_OF_CURVE = 161, 401
WIDTH = 3.6  # of a map, in inches
PANELS = 3  # in a row


@dataclass(frozen=True)
class Panel:
    """What shows one of the frames, and the colour map that it uses."""

    show: Callable[[int], None]
    colours: str = ""


@dataclass(frozen=True)
class Film:
    """Which coordinate runs, at which values, and how many pictures there are in a second."""

    coordinate: sp.Symbol
    values: np.ndarray
    fps: float

    def sections(self, quantity: Quantity) -> list[Section]:
        """The section of a quantity's domain in each frame."""
        axis, d = quantity.domain.axis(self.coordinate), len(quantity.domain.coordinates)
        free = tuple(i for i in range(d) if i != axis)
        return [Section(quantity.domain, free, tuple(v if i == axis else 0.0 for i in range(d))) for v in self.values]

    def caption(self, frame: int) -> str:
        """The coordinate in one of the frames, always with as many decimals."""
        digits = 2 - math.floor(math.log10(np.ptp(self.values)))
        value = f"{self.values[frame]:.{digits}f}" if 0 <= digits <= 6 else f"{self.values[frame]:.4g}"
        return f"{symbol(self.coordinate)} = {value}".replace("-", "−")


def animate(
    problem: Problem,
    functions: Mapping[sp.Expr, Any],
    features: int,
    coordinate: Any,
    path: Any,
    frames: Any,
    fps: Any,
    doubt: str = "",
) -> Path:
    """The unknown functions along one coordinate, as a GIF or, with ffmpeg, an MP4; where it was written."""
    film, target, record = prepared(problem, coordinate, path, frames, fps)
    quantities = values(problem, functions, features)
    figure, panels = _first_frame(quantities, film, doubt)
    change_title = set_title(figure, film.caption(0), doubt)
    for _ in range(2):  # the first time, the sizes of maps are not known yet
        figure.draw_without_rendering()
    figure.set_layout_engine("none")  # nothing moves but the function

    def changing() -> Iterator[int]:
        for k in track(range(len(film.values)), "drawing frames"):
            change_title(film.caption(k))
            for panel in panels:
                panel.show(k)
            yield k

    write(target, lambda path: record(figure, changing(), path, {p.colours for p in panels if p.colours}))
    return target


def prepared(
    problem: Problem, coordinate: Any, path: Any, frames: Any = FRAMES, fps: Any = FPS
) -> tuple[Film, Path, Recorder]:
    """What can be checked before anything is solved or drawn: the film, its file, and what writes it."""
    require_matplotlib()
    target = checked_path(path, ENDINGS)
    film = _film(problem, coordinate, frames, fps)
    return film, target, recorder(target, film.fps)


def _first_frame(quantities: Sequence[Quantity], film: Film, doubt: str) -> tuple[Figure, list[Panel]]:
    columns = min(PANELS, len(quantities))
    rows = math.ceil(len(quantities) / columns)
    height = WIDTH * max(_aspect(film.sections(q)[0]) for q in quantities) + 0.55
    width = columns * (WIDTH + 1.6)
    figure = new_figure(width, rows * height + title_height(width, film.caption(0), doubt) - 0.1)
    figure.set_dpi(PIXELS)
    axes = [figure.add_subplot(rows, columns, k + 1) for k in range(len(quantities))]
    draw = _curves if len(quantities[0].domain.coordinates) == 2 else _maps
    return figure, [draw(q, one, film) for q, one in zip(quantities, axes, strict=True)]


def _curves(quantity: Quantity, axes: Any, film: Film) -> Panel:
    """A curve that moves between limits that hold for all frames."""
    sections = film.sections(quantity)
    curves = [curve(quantity, s, NODES_OF_CURVE) for s in sections]
    limits = shade(np.concatenate([c.values for c in curves]), quantity.floor)
    line = draw_curve(axes, curves[0], limits)
    finish_curves(axes, sections[0].names[0], sections[0].bounds[0], quantity.label, limits)
    for c in curves if not limits.logarithmic else ():
        axes.update_datalim(np.column_stack([c.x, c.values])[np.isfinite(c.values)])
    axes.autoscale_view(scalex=False)
    return Panel(lambda k: line.set_ydata(shown(curves[k].values, limits)))


def _maps(quantity: Quantity, axes: Any, film: Film) -> Panel:
    """A map that changes, with colours that hold for all frames."""
    sections = film.sections(quantity)
    count = resolution(quantity.cost, len(sections), MOST_NODES)
    rasters = [raster(quantity, s, count) for s in sections]
    colours = shade(np.concatenate([r.known for r in rasters]), quantity.floor)
    drawn = draw_map(axes, rasters[0], colours, quantity.around)
    set_limits(axes, [quantity.domain, *quantity.around], sections[0].free, all(r.is_full for r in rasters))
    add_bar(drawn, quantity.label)
    return Panel(lambda k: drawn.show(rasters[k]), colours.colours)


def _aspect(section: Section) -> float:
    """Of the panel of a section: that of the section itself, if it is drawn to scale."""
    if len(section.free) == 1 or not section.to_scale:
        return 0.75
    (a, b), (c, d) = section.bounds
    return (d - c) / (b - a)


def _film(problem: Problem, coordinate: Any, frames: Any, fps: Any) -> Film:
    coordinates = problem.coordinates
    known = ", ".join(map(str, coordinates))
    if not isinstance(coordinate, sp.Symbol) or coordinate not in coordinates:
        raise SettingError(f"animate() takes one of the coordinates, {known}; got {quoted(coordinate)}.")
    if not 2 <= len(coordinates) <= 3:
        raise SettingError(
            f"animate() draws what remains besides {coordinate} if that is one or two coordinates; there are "
            f"{len(coordinates)} in all, {known}."
        )
    if not is_whole(frames, 2) or frames > MOST_FRAMES:
        raise SettingError(f"frames must be a whole number from 2 to {MOST_FRAMES}; got {quoted(frames)}.")
    message = f"fps, the pictures in a second, must be a number from 1 to 100; got {quoted(fps)}."
    speed = real_number(fps, SettingError, message)
    if not 1 <= speed <= 100:
        raise SettingError(message)
    intervals = [d.bounds[d.axis(coordinate)] for d in problem.domains]
    start, end = min(a for a, _ in intervals), max(b for _, b in intervals)
    return Film(coordinate, np.linspace(start, end, int(frames)), speed)
