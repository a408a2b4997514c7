"""Frames of a figure, written to a file as they are drawn: GIF by Pillow, MP4 by the program ffmpeg."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MissingPackage
from .canvas import WARNING
from .shade import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".gif", ".mp4")
PIXELS = 110  # for each inch
GREYS, TINTS = 48, 24  # of the 256 colours of a GIF: for text and frames, and for curves on white

Recorder = Callable[["Figure", Iterable[Any], Path, set[str]], None]


def recorder(target: Path, fps: float) -> Recorder:
    """What writes a figure each time it has changed, knowing its colour maps; refused where a program is missing."""
    from matplotlib.animation import FFMpegWriter

    if target.suffix.lower() == ".gif":
        return lambda figure, frames, path, colours: _write_gif(figure, frames, path, colours, fps)
    if not FFMpegWriter.isAvailable():
        raise MissingPackage(
            "An MP4 needs the program ffmpeg, which was not found; install it, or take a name that ends in .gif."
        )
    return lambda figure, frames, path, _: _write_mp4(figure, frames, path, fps)


def _write_gif(figure: Figure, frames: Iterable[Any], path: Path, colours: set[str], fps: float) -> None:
    """One palette for all frames: with one of its own for each, a colour would not mean the same value throughout."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(figure)
    palette, found = _palette(colours), []
    for _ in frames:
        canvas.draw()
        found.append(_reduced(np.asarray(canvas.buffer_rgba())[..., :3], palette))
    found[0].save(path, format="GIF", save_all=True, append_images=found[1:], duration=1000 / fps, loop=0)


def _reduced(picture: np.ndarray, palette: np.ndarray) -> Any:
    """A picture of red, green and blue with the nearest colours of a palette; Pillow's own search only comes near."""
    from PIL import Image
    from scipy.spatial import cKDTree

    packed = picture.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], dtype=np.uint32)
    colours, where = np.unique(packed, return_inverse=True)
    apart = np.column_stack([colours >> 16, colours >> 8 & 255, colours & 255])
    nearest = cKDTree(palette).query(apart)[1].astype(np.uint8)
    image = Image.fromarray(nearest[where].reshape(packed.shape))
    image.putpalette(palette.astype(np.uint8).tobytes())
    return image


def _write_mp4(figure: Figure, frames: Iterable[Any], path: Path, fps: float) -> None:
    from matplotlib.animation import FFMpegWriter

    writer = FFMpegWriter(fps=fps)  # type: ignore[arg-type]
    with writer.saving(figure, str(path), PIXELS):
        for _ in frames:
            writer.grab_frame()


def _palette(colours: set[str]) -> np.ndarray:
    """256 colours: greys, tints of the colours of curves and of warnings, and those of the colour maps."""
    from matplotlib import colormaps
    from matplotlib.colors import to_rgb

    grey = np.repeat(np.linspace(0, 1, GREYS)[:, None], 3, axis=1)
    share = (256 - GREYS - 2 * TINTS) // max(1, len(colours))
    maps = [colormaps[name](np.linspace(0, 1, share))[:, :3] for name in sorted(colours)]
    strength = np.linspace(1, 0, TINTS)[:, None]
    tints = [strength * np.array(to_rgb(colour)) + (1 - strength) for colour in (COLOURS[0], WARNING)]
    return np.asarray(np.round(255 * np.concatenate([grey, *tints, *maps])))
