"""What a file asks to be written: the solution itself, values on a grid in several formats, a picture, a page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._support.numbers import about
from ..errors import FileError
from ..geometry import Grid
from ..options.readers import grid
from ..solution.export import EXPORTS, options_of, sections
from ..solution.export import write as export
from .builtins import Names
from .document import Node

PICTURES = EXPORTS["picture"].endings
POINTS = {1: 201, 2: 51, 3: 21}  # along each axis of a table, by the number of axes
MOST_POINTS = 10**7


@dataclass(frozen=True)
class Output:
    """The files to write, by what they hold, in a folder that the user chooses; and where they have values."""

    names: Mapping[str, str]
    grid: Grid | None = None
    title: str = ""


def output(node: Node, names: Names, title: str) -> Output:
    """table = "u.csv", grid = 41, picture = "u.png", …; the keys are those of a table of formats."""
    formats = sections()
    parts = node.table((*formats, "grid"))
    files = {key: _file_name(parts[key], EXPORTS[name].endings) for key, name in formats.items() if key in parts}
    _check_distinct(files, parts)
    if "grid" not in parts:
        return Output(files, title=title)
    if not any(_takes_points(key) for key in files):
        known = [key for key in formats if _takes_points(key)]
        listed = f"{', '.join(known[:-1])} or {known[-1]}"
        raise parts["grid"].error(f"grid says where the table has values, and there is no {listed}")
    return Output(files, _grid(parts["grid"], names), title)


def _takes_points(key: str) -> bool:
    return "points" in options_of(EXPORTS[sections()[key]])


def _grid(node: Node, names: Names) -> Grid:
    d, points = len(names.coordinates), grid(node, {x.name: x for x in names.coordinates})
    if len(points.counts) not in (1, d):
        raise node.error(f"grid has numbers for {len(points.counts)} axes; the domain has {d}")
    counts = points.counts * d if len(points.counts) == 1 else points.counts
    if (total := math.prod(counts)) > MOST_POINTS:
        raise node.error(f"the table would have {about(total)} points; {MOST_POINTS:.0e} are the most")
    return points


def write(solution: Any, wanted: Output, folder: Path) -> list[Path]:
    """Write what was asked for, in a folder; the files written."""
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for key, name in wanted.names.items():
            format = sections()[key]
            told = {"points": _points(key, solution, wanted), "title": wanted.title}
            taken = {option: value for option, value in told.items() if option in options_of(EXPORTS[format])}
            written += export(format, solution, folder / name, taken)
    except OSError as error:
        raise FileError(f"{error.filename or folder} cannot be written: {error.strerror}") from error
    return written


def _points(key: str, solution: Any, wanted: Output) -> Grid | None:
    """Where values are wanted; a table that is to be looked at has fewer of them by default than one that is not."""
    if key != "table" or wanted.grid is not None:
        return wanted.grid
    d = len(solution.problem.coordinates)
    return Grid(POINTS.get(d, max(2, int(20_000 ** (1 / d)))))


def _check_distinct(files: Mapping[str, str], parts: Mapping[str, Node]) -> None:
    for key, name in files.items():
        if list(files.values()).count(name) > 1:
            raise parts[key].error(f"two files have the name {name!r}")


def _file_name(node: Node, endings: tuple[str, ...]) -> str:
    """A plain name: a problem file must not be able to overwrite what it likes."""
    name = node.text()
    if name != Path(name).name or "\\" in name or ":" in name or not name.isprintable() or name.startswith("."):
        raise node.error(f"{node.key} must be the plain name of a file, without folders; --output says where it goes")
    if Path(name).suffix.lower() not in endings:
        raise node.error(f"{node.key} must end in {' or '.join(endings)}; got {name!r}")
    return name
