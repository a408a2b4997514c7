"""Every number of the paper's tables."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

Address = tuple[str, str, float | None, str]  # problem, activation, size, quantity


@dataclass(frozen=True)
class Search:
    """Algorithm 1's candidates: from `minimum`, exclusive, to `maximum` in steps."""

    minimum: float
    maximum: float
    step: float

    def __len__(self) -> int:
        return round((self.maximum - self.minimum) / self.step)

    def nearest(self, rho: float) -> float:
        """The candidate nearest to a scale."""
        k = min(max(1, round((rho - self.minimum) / self.step)), len(self))
        return round(self.minimum + k * self.step, 10)


@lru_cache
def numbers() -> MappingProxyType[Address, float]:
    """All of them, by problem, activation, size and quantity."""
    text = files(__package__).joinpath("data/tables.csv").read_text(encoding="utf-8")
    return MappingProxyType(
        {
            (row["problem"], row["activation"], float(row["size"]) if row["size"] else None, row["quantity"]): float(
                row["value"]
            )
            for row in csv.DictReader(text.splitlines())
        }
    )


def number(problem: str, activation: str, size: float | None, quantity: str) -> float | None:
    """One number, if the paper has it."""
    return numbers().get((problem, activation, size, quantity))


def search(problem: str, activation: str) -> Search:
    """The candidates for the scale in the paper's parameter table.

    >>> search("wave", "cos")
    Search(minimum=0.0, maximum=10.0, step=0.1)
    """
    minimum, maximum, step = (numbers()[problem, activation, None, f"rho_{q}"] for q in ("min", "max", "step"))
    return Search(minimum, maximum, step)
