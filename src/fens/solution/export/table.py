"""Values at points as a table."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from ..._support.disk import atomic_write
from .places import rows_in, values_at


def to_csv(solution: Any, path: str | Path, points: Any) -> None:
    """A header with the names of coordinates and unknowns, and a row for each point in a domain.

    Numbers are written with as many digits as it takes to get the same numbers back; what is not defined is empty.
    Columns of a solution that is not to be trusted say so in their names, so that the table stays one.
    """
    problem = solution.problem
    parts = [(rows, values_at(solution, rows, d)) for d in problem.domains for rows in [rows_in(d, problem, points)]]
    with atomic_write(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        mark = f" ({solution.mark})" if solution.mark else ""
        writer.writerow([*map(str, problem.coordinates), *(f"{name}{mark}" for name in parts[0][1])])
        for rows, columns in parts:
            writer.writerows(map(_texts, np.column_stack([rows, *columns.values()]).tolist()))


def _texts(row: list[float]) -> list[str]:
    return ["" if v != v else repr(v).removesuffix(".0") for v in row]
