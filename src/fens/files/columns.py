"""Tables of numbers in CSV files, with the names of the columns in the first row."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from ..errors import FileError

MOST_BYTES = 10**8


def read_columns(path: Path) -> dict[str, np.ndarray]:
    """The columns by their names."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise FileError(f"the file {path.name} has more than {MOST_BYTES:,} bytes")
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
    except OSError as error:
        raise FileError(f"the file {path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"the file {path} is not a table with commas: {error}") from error
    if len(rows) < 2:
        raise FileError(f"the file {path} needs a row of names and at least one row of numbers")
    names = [name.strip() for name in rows[0]]
    if len(set(names)) < len(names):
        raise FileError(f"two columns of {path} have the same name: {', '.join(names)}")
    return dict(zip(names, _numbers(rows, path).T, strict=True))


def _numbers(rows: list[list[str]], path: Path) -> np.ndarray:
    numbers = []
    for k, row in enumerate(rows[1:], 2):
        if len(row) != len(rows[0]):
            raise FileError(f"row {k} of {path} has {len(row)} cells, and the first one {len(rows[0])}")
        try:
            numbers.append([float(cell) for cell in row])
        except ValueError as error:
            raise FileError(f"row {k} of {path} has a cell that is not a number: {', '.join(row)[:60]}") from error
    array = np.array(numbers)
    if not np.isfinite(array).all():
        bad = int(np.argwhere(~np.isfinite(array))[0][0]) + 2
        raise FileError(f"row {bad} of {path} has a number that is not finite")
    return array
