"""Moving pictures: one coordinate is time, and what remains is a curve or a map."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from ..errors import MissingPackage, SettingError
from ..numbers import is_whole, real_number
from ..problem import Problem
from ..progress import track
from .canvas import checked_path, new_figure, require_matplotlib, write
from .draw import add_bar, draw_curve, draw_map, finish_curves, shown
from .labels import symbol
from .quantity import Quantity, values
from .raster import curve, raster, resolution
from .section import Section
from .shade import shade

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".gif", ".mp4")
FRAMES, FPS = 60, 15.0
MOST_FRAMES = 2000
MOST_NODES = 161
PIXELS = 110  # for each inch
PANELS = 3  # in a row

Update = Callable[[int], None]  # shows one of the frames


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
    problem: Problem, functions: Mapping[sp.Expr, Any], features: int, coordinate: Any, path: Any, frames: Any, fps: Any
) -> Path:
    """The unknown functions along one coordinate, as a GIF or, with ffmpeg, an MP4; where it was written."""
    film, target, writer = prepared(problem, coordinate, path, frames, fps)
    quantities = values(problem, functions, features)
    figure, updates = _first_frame(quantities, film)
    with_caption = figure.suptitle(film.caption(0), fontsize="large")
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # nothing moves but the function

    def record() -> None:
        with writer.saving(figure, str(target), PIXELS):
            for k in track(range(len(film.values)), "drawing frames"):
                with_caption.set_text(film.caption(k))
                for update in updates:
                    update(k)
                writer.grab_frame()

    write(target, record)
    return target


def prepared(
    problem: Problem, coordinate: Any, path: Any, frames: Any = FRAMES, fps: Any = FPS
) -> tuple[Film, Path, Any]:
    """What can be checked before anything is solved or drawn: the film, its file, and matplotlib's writer of it."""
    require_matplotlib()
    target = checked_path(path, ENDINGS)
    film = _film(problem, coordinate, frames, fps)
    return film, target, _writer(target, film.fps)


def _first_frame(quantities: Sequence[Quantity], film: Film) -> tuple[Figure, list[Update]]:
    columns = min(PANELS, len(quantities))
    rows = math.ceil(len(quantities) / columns)
    figure = new_figure(5.4 * columns, 4.2 * rows + 0.4)
    panels = [figure.add_subplot(rows, columns, k + 1) for k in range(len(quantities))]
    draw = _curves if len(quantities[0].domain.coordinates) == 2 else _maps
    return figure, [draw(q, axes, film) for q, axes in zip(quantities, panels, strict=True)]


def _curves(quantity: Quantity, axes: Any, film: Film) -> Update:
    """A curve that moves between limits that hold for all frames."""
    sections = film.sections(quantity)
    curves = [curve(quantity, s, 401) for s in sections]
    limits = shade(np.concatenate([c.values for c in curves]), quantity.floor)
    line = draw_curve(axes, curves[0], limits)
    finish_curves(axes, sections[0].names[0], sections[0].bounds[0], quantity.label, limits)
    return lambda k: line.set_ydata(shown(curves[k].values, limits))


def _maps(quantity: Quantity, axes: Any, film: Film) -> Update:
    """A map that changes, with colours that hold for all frames."""
    sections = film.sections(quantity)
    count = resolution(quantity.cost, len(sections), MOST_NODES)
    rasters = [raster(quantity, s, count) for s in sections]
    colours = shade(np.concatenate([r.known for r in rasters]), quantity.floor)
    drawn = draw_map(axes, rasters[0], colours, quantity.around)
    add_bar(drawn, quantity.label)
    return lambda k: drawn.show(rasters[k])


def _film(problem: Problem, coordinate: Any, frames: Any, fps: Any) -> Film:
    coordinates = problem.coordinates
    known = ", ".join(map(str, coordinates))
    if coordinate not in coordinates:
        raise SettingError(f"animate() takes one of the coordinates, {known}; got {coordinate!r}.")
    if not 2 <= len(coordinates) <= 3:
        raise SettingError(
            f"animate() draws what remains beside {coordinate} if that is one or two coordinates; there are "
            f"{len(coordinates)} in all, {known}."
        )
    if not is_whole(frames, 2) or frames > MOST_FRAMES:
        raise SettingError(f"frames must be a whole number from 2 to {MOST_FRAMES}; got {frames!r}.")
    message = f"fps, the pictures in a second, must be a number from 1 to 100; got {fps!r}."
    speed = real_number(fps, SettingError, message)
    if not 1 <= speed <= 100:
        raise SettingError(message)
    intervals = [d.bounds[d.axis(coordinate)] for d in problem.domains]
    start, end = min(a for a, _ in intervals), max(b for _, b in intervals)
    return Film(coordinate, np.linspace(start, end, int(frames)), speed)


def _writer(target: Path, fps: float) -> Any:
    from matplotlib.animation import FFMpegWriter, PillowWriter

    if target.suffix.lower() == ".gif":
        return PillowWriter(fps=fps)  # type: ignore[arg-type]
    if not FFMpegWriter.isAvailable():
        raise MissingPackage(
            "An MP4 needs the program ffmpeg, which was not found; install it, or take a name that ends in .gif."
        )
    return FFMpegWriter(fps=fps)  # type: ignore[arg-type]
