"""What a file asks to be written: a table of values on a grid, a picture."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..domain import Demand, Grid
from ..errors import FileError
from ..problem import Unknown
from .document import Node
from .options import grid
from .words import Names

TABLES = (".csv",)
PICTURES = (".png", ".pdf", ".svg")
POINTS = {1: 201, 2: 51, 3: 21}  # along each axis of a table, by the number of axes
MOST_POINTS = 10**7


@dataclass(frozen=True)
class Output:
    """The names of files to write, in a folder that the user chooses; empty ones are not written."""

    table: str = ""
    grid: Grid | None = None
    picture: str = ""


def output(node: Node, names: Names) -> Output:
    """table = "u.csv", grid = 41, picture = "u.png"."""
    parts = node.table(("table", "grid", "picture"))
    table = _file_name(parts["table"], TABLES) if "table" in parts else ""
    picture = _file_name(parts["picture"], PICTURES) if "picture" in parts else ""
    if "grid" in parts and not table:
        raise parts["grid"].error("grid says where the table has values, and there is no table")
    d = len(names.coordinates)
    points = grid(parts["grid"], names) if "grid" in parts else Grid(POINTS.get(d, max(2, int(20_000 ** (1 / d)))))
    if len(points.counts) not in (1, d):
        raise parts["grid"].error(f"grid has numbers for {len(points.counts)} axes; the domain has {d}")
    counts = points.counts * d if len(points.counts) == 1 else points.counts
    if (total := np.prod(counts, dtype=float)) > MOST_POINTS:
        raise parts["grid"].error(f"the table would have {total:.1e} points; {MOST_POINTS:.0e} are the most")
    return Output(table, points, picture)


def write(solution: Any, wanted: Output, folder: Path) -> list[Path]:
    """Write what was asked for; the files written."""
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if wanted.table and wanted.grid is not None:
            written.append(folder / wanted.table)
            write_table(solution, wanted.grid, written[-1])
        if wanted.picture:
            solution.plot(str(folder / wanted.picture))
            written.append(folder / wanted.picture)
    except OSError as error:
        raise FileError(f"{error.filename or folder} cannot be written: {error.strerror}") from error
    return written


def write_table(solution: Any, points: Grid, path: Path) -> None:
    """A row for each point of a grid that lies in a domain; unknowns of other domains are empty there."""
    problem = solution.problem
    functions = {u: f for u, f in solution.functions.items() if not isinstance(u, Unknown)}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*map(str, problem.coordinates), *(c for u in functions for c in _columns(problem, u))])
        for domain in problem.domains:
            where = points.sample(Demand.inside(domain), np.random.SeedSequence(0))[0].points
            values = [v for u, f in functions.items() for v in _values(problem, u, f, domain, where)]
            for place, row in zip(where, zip(*values, strict=True), strict=True):
                writer.writerow([*(f"{x:.12g}" for x in place), *("" if np.isnan(v) else repr(float(v)) for v in row)])


def _columns(problem: Any, unknown: Any) -> list[str]:
    parts = [problem.components[k].part for k in problem.of(unknown)]
    return [f"{unknown.func.__name__}{'_' if part else ''}{part}" for part in parts]


def _values(problem: Any, unknown: Any, function: Any, domain: Any, where: np.ndarray) -> list[np.ndarray]:
    components = [problem.components[k] for k in problem.of(unknown)]
    if components[0].domain != domain:
        return [np.full(len(where), np.nan) for _ in components]
    values = function.at(where)
    return [values.real, values.imag] if len(components) == 2 else [values]


def _file_name(node: Node, endings: tuple[str, ...]) -> str:
    """A plain name: a problem file must not be able to overwrite what it likes."""
    name = node.text()
    if name != Path(name).name or "\\" in name or ":" in name or not name.isprintable() or name.startswith("."):
        raise node.error(f"{node.key} must be the plain name of a file, without folders; --output says where it goes")
    if Path(name).suffix.lower() not in endings:
        raise node.error(f"{node.key} must end in {' or '.join(endings)}; got {name!r}")
    return name
