"""Tables of numbers in CSV files, with the names of the columns in the first row. Errors quote nothing of a file."""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .._support.disk import contents
from ..errors import FileError

MOST_BYTES = 2 * 10**7  # larger tables are for Python, where they are arrays
MOST_NUMBERS = 2 * 10**6
LONGEST_LINE = 100_000  # bytes


def read_columns(path: Path) -> dict[str, np.ndarray]:
    """The columns by their names."""
    rows = _rows(contents(path, MOST_BYTES), path)
    _, first = next(rows, (0, []))
    names, numbers = [name.strip() for name in first], array("d")
    if len(set(names)) < len(names):
        raise FileError(f"two columns of {path} have the same name")
    for k, row in rows:
        if len(row) != len(names):
            raise FileError(f"line {k} of {path} has {len(row)} cells, and the first one {len(names)}")
        numbers.extend(_numbers(row, k, path))
        if len(numbers) > MOST_NUMBERS:
            raise FileError(f"the file {path} has more than {MOST_NUMBERS:,} numbers")
    if not numbers:
        raise FileError(f"the file {path} needs a row of names and at least one row of numbers")
    table = np.frombuffer(numbers).reshape(-1, len(names))
    if not np.isfinite(table).all():
        bad = int(np.argwhere(~np.isfinite(table))[0][0]) + 2
        raise FileError(f"row {bad} of {path} has a number that is not finite")
    return dict(zip(names, table.T.copy(), strict=True))


def _rows(content: bytes, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not empty, with the lines they end on; one at a time, since as texts they are large."""
    reader = csv.reader(_lines(content, path))
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, row
    except UnicodeDecodeError as error:
        raise FileError(f"line {reader.line_num + 1} of {path} is not UTF-8 text") from error
    except csv.Error as error:
        raise FileError(f"the file {path} is not a table with commas: line {reader.line_num}") from error


def _lines(content: bytes, path: Path) -> Iterator[str]:
    for k, line in enumerate(io.BytesIO(content), 1):
        if len(line) > LONGEST_LINE:
            raise FileError(f"line {k} of {path} has more than {LONGEST_LINE:,} bytes")
        yield line.decode("utf-8-sig" if k == 1 else "utf-8")


def _numbers(row: list[str], k: int, path: Path) -> list[float]:
    try:
        return [float(cell) for cell in row]
    except ValueError as error:
        raise FileError(f"line {k} of {path} has a cell that is not a number") from error
