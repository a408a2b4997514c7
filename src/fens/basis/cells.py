"""Functions in cells: a box is cut into parts that are all alike, each with functions of its own.

The cells are joined by a partition of unity: their windows ψ_k are products of smooth steps along the axes and sum to
one, so that what every cell can represent, all of them together can.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from .._support.stored import stored
from ..errors import SettingError
from .ansatz import Ansatz, Frame, UnionDraw
from .distribution import Distribution
from .windows import Cell, WindowedDraw

OVERLAP = 0.25  # of a cell's width, by which windows reach beyond each of its faces


@stored("InCells")
@dataclass(frozen=True)
class InCells(Ansatz):
    """Functions in cells that are all alike, so many along each axis, joined by a partition of unity."""

    counts: tuple[int, ...]
    inner: Ansatz

    def draw(self, count: int, frame: Frame, seed: np.random.SeedSequence) -> UnionDraw:
        """`count` functions, as many in each cell."""
        if count < prod(self.counts):
            raise SettingError(
                f"partition makes {prod(self.counts)} cells, more than the {count} features; take fewer cells."
            )
        cells = [_cell(frame.bounds, self.counts, index) for index in product(*map(range, self.counts))]
        shares = np.diff(np.round(np.linspace(0, count, len(cells) + 1)).astype(int))
        reach = tuple(1.0 if n == 1 else (1 + 2 * OVERLAP) / n for n in self.counts)
        members = []
        for cell, n, s in zip(cells, shares, seed.spawn(len(cells)), strict=True):
            ends = zip(frame.bounds, cell.lower, cell.upper, cell.overlap, strict=True)
            box = [(max(a, lo - o), min(b, up + o)) for (a, b), lo, up, o in ends]
            members.append(WindowedDraw(self.inner.draw(int(n), frame.within(box), s), cell, reach))
        return UnionDraw(tuple(members))

    def with_frequencies(self, change: Callable[[Distribution], Distribution]) -> InCells:
        """The same with frequencies from other distributions."""
        return InCells(self.counts, self.inner.with_frequencies(change))

    @property
    def parts(self) -> tuple[Ansatz, ...]:
        """Itself, and what is in the cells."""
        return (self, *self.inner.parts)


def _cell(bounds: Sequence[tuple[float, float]], counts: tuple[int, ...], index: tuple[int, ...]) -> Cell:
    lower, upper, overlap = [], [], []
    for (a, b), n, i in zip(bounds, counts, index, strict=True):
        width = (b - a) / n
        lower.append(a + i * width if i > 0 else -float("inf"))
        upper.append(a + (i + 1) * width if i < n - 1 else float("inf"))
        overlap.append(OVERLAP * width)
    return Cell(tuple(lower), tuple(upper), tuple(overlap))
