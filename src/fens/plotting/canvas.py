"""Figures, made without any global state, and the files they go to."""

from __future__ import annotations

import importlib
import os
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CalledProcessError
from typing import TYPE_CHECKING, Any

from .._support.disk import as_path, atomic_write, check_target
from ..errors import FileError, MissingPackage, SettingError, quoted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 160
WARNING = "#c00000"
LETTERS = 11  # of a note, on an inch
NOTE_LINES = 2
PICTURES = (".png", ".pdf", ".svg", ".jpg", ".jpeg", ".webp", ".tif", ".tiff")


def require_matplotlib() -> None:
    """Refuse to go on without it."""
    try:
        importlib.import_module("matplotlib")
    except ImportError as error:
        raise MissingPackage("Pictures need matplotlib; install it by: pip install 'fens[plot]'.") from error


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of so many inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def set_title(figure: Figure, text: str, doubt: str) -> Callable[[str], None]:
    """A title over a figure and, in red below it, why not to trust what it shows; what changes the title later."""
    lines = _note(doubt, figure.get_figwidth())
    colour, size = (WARNING, "medium") if lines else (None, "large")
    shown = figure.suptitle(_stacked(text, lines), fontsize=size, color=colour)
    return lambda changed: shown.set_text(_stacked(changed, lines))


def title_height(width: float, text: str, doubt: str) -> float:
    """How many inches a title takes over a figure of a width."""
    lines = bool(text) + len(_note(doubt, width))
    return 0.2 + 0.2 * lines if lines else 0.0


def _note(doubt: str, width: float) -> list[str]:
    """The beginning of a sentence, in lines for a width in inches."""
    return textwrap.wrap(doubt.replace("$", r"\$"), int(LETTERS * width), max_lines=NOTE_LINES, placeholder=" …")


def _stacked(text: str, lines: list[str]) -> str:
    return "\n".join([text, *lines] if text else lines)


def begun(path: Any) -> Path | None:
    """What is checked before anything is computed: that there is matplotlib, and that a picture can go to a path."""
    require_matplotlib()
    return None if path is None else checked_path(path, PICTURES)


def save(figure: Figure, target: Path | None) -> Figure:
    """Write a figure, if there is a path; the figure."""
    if target is not None:
        kind = target.suffix[1:].lower()
        write(target, lambda path: figure.savefig(path, dpi=DPI, format=kind))
    return figure


def checked_path(path: Any, endings: tuple[str, ...]) -> Path:
    """A path to a file that ends as it should, in a folder that exists."""
    if not isinstance(path, str | os.PathLike):
        raise SettingError(f"The path of a picture is a text or a Path, such as 'u{endings[0]}'; got {quoted(path)}.")
    with _told(path):
        target = as_path(os.fsdecode(path))
    if target.suffix.lower() not in endings:
        raise SettingError(f"The name of this picture must end in {', '.join(endings)}; got {str(target)!r}.")
    if not target.parent.is_dir():
        raise SettingError(f"The picture {str(target)!r} cannot be written: its folder does not exist.")
    with _told(path):
        check_target(target)
    return target


def write(target: Path, writer: Callable[[Path], Any]) -> None:
    """Write a file, as a whole; what the system or a program refuses is told in a sentence."""
    with _told(target), atomic_write(target) as temporary:
        writer(temporary)


@contextmanager
def _told(path: Any) -> Iterator[None]:
    try:
        yield
    except (FileError, CalledProcessError) as error:
        reason = error.reason if isinstance(error, FileError) else error
        raise SettingError(f"The picture {str(path)!r:.200} cannot be written: {reason}.") from error
