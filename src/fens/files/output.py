"""What a file asks to be written: the solution itself, values on a grid in several formats, a picture, a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._support.numbers import about
from ..errors import FileError
from ..geometry import Grid
from ..options.readers import grid
from .builtins import Names
from .document import Node

PICTURES = (".png", ".pdf", ".svg")
# what a file may ask for, and how the names of such files end
ENDINGS: Mapping[str, tuple[str, ...]] = {
    "save": (".fens",),
    "table": (".csv",),
    "netcdf": (".nc",),
    "vtk": (".vtu", ".pvd"),
    "picture": PICTURES,
    "report": (".html",),
}
ON_GRID = ("table", "netcdf", "vtk")
POINTS = {1: 201, 2: 51, 3: 21}  # along each axis of a table, by the number of axes
MOST_POINTS = 10**7


@dataclass(frozen=True)
class Output:
    """The files to write, by what they hold, in a folder that the user chooses; and where they have values."""

    names: Mapping[str, str]
    grid: Grid | None = None
    title: str = ""


def output(node: Node, names: Names, title: str) -> Output:
    """table = "u.csv", grid = 41, picture = "u.png", …"""
    parts = node.table((*ENDINGS, "grid"))
    files = {key: _file_name(parts[key], endings) for key, endings in ENDINGS.items() if key in parts}
    _check_distinct(files, parts)
    if "grid" not in parts:
        return Output(files, title=title)
    if not set(files) & set(ON_GRID):
        raise parts["grid"].error("grid says where the table has values, and there is no table, netcdf or vtk")
    return Output(files, _grid(parts["grid"], names), title)


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
        for kind, name in wanted.names.items():
            written += WRITERS[kind](solution, folder / name, wanted)
    except OSError as error:
        raise FileError(f"{error.filename or folder} cannot be written: {error.strerror}") from error
    return written


def _table(solution: Any, path: Path, wanted: Output) -> list[Path]:
    d = len(solution.problem.coordinates)
    solution.to_csv(path, wanted.grid or Grid(POINTS.get(d, max(2, int(20_000 ** (1 / d))))))
    return [path]


def _netcdf(solution: Any, path: Path, wanted: Output) -> list[Path]:
    solution.to_netcdf(path, wanted.grid)
    return [path]


def _vtk(solution: Any, path: Path, wanted: Output) -> list[Path]:
    return list(solution.to_vtk(path, wanted.grid))


def _picture(solution: Any, path: Path, wanted: Output) -> list[Path]:
    solution.plot(str(path))
    return [path]


def _save(solution: Any, path: Path, wanted: Output) -> list[Path]:
    solution.save(path)
    return [path]


def _report(solution: Any, path: Path, wanted: Output) -> list[Path]:
    solution.report(path, wanted.title)
    return [path]


WRITERS: Mapping[str, Callable[[Any, Path, Output], list[Path]]] = {
    "save": _save, "table": _table, "netcdf": _netcdf, "vtk": _vtk, "picture": _picture, "report": _report,
}  # fmt: skip


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
