"""Computed references, as they are kept beside the code that makes them: `python benchmarks/evolution.py --make`."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray
FOLDER = Path(__file__).parent / "data"


def keep(name: str, figures: Mapping[str, Any]) -> None:
    (FOLDER / f"{name}.json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")


def kept(name: str) -> dict[str, Any]:
    return dict(json.loads((FOLDER / f"{name}.json").read_text()))


def keep_table(name: str, columns: Mapping[str, Array]) -> None:
    """Numbers with all their digits."""
    with (FOLDER / f"{name}.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(map(repr, map(float, c)) for c in columns.values()), strict=True))


def kept_table(name: str) -> dict[str, Array]:
    with (FOLDER / f"{name}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}


def keep_values(name: str, values: Mapping[str, Array]) -> None:
    """Places, times, and values of unknowns, a row for each time."""
    np.savez_compressed(FOLDER / f"{name}.npz", **values)


def kept_values(name: str) -> dict[str, Array]:
    with np.load(FOLDER / f"{name}.npz") as file:
        return dict(file)
