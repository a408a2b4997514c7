"""Figures, made without any global state, and the files they go to."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CalledProcessError
from typing import TYPE_CHECKING, Any

from ..disk import as_path, check_target, whole
from ..errors import FileError, MissingPackage, SettingError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 160
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
        raise SettingError(f"The path of a picture is a text or a Path, such as 'u{endings[0]}'; got {path!r}.")
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
    with _told(target), whole(target) as temporary:
        writer(temporary)


@contextmanager
def _told(path: Any) -> Iterator[None]:
    try:
        yield
    except (FileError, CalledProcessError) as error:
        reason = error.reason if isinstance(error, FileError) else error
        raise SettingError(f"The picture {str(path)!r:.200} cannot be written: {reason}.") from error
