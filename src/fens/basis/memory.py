"""What bases remember of points."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from torch import Tensor

ENTRY = 8  # bytes

Known = dict[tuple[object, ...], tuple[Tensor, dict[Hashable, Tensor]]]


@dataclass
class MemoryBudget:
    """Bytes that may still be used."""

    bytes: int


@dataclass(frozen=True)
class Memory:
    """Matrices at points, as long as a budget lasts.

    Points are told apart by where they are in memory, and are kept, too, so that nothing else can be there.
    """

    budget: MemoryBudget
    _found: Known = field(default_factory=dict, repr=False)

    def known(self, points: Tensor) -> dict[Hashable, Tensor]:
        """What there is at some points."""
        return self._found[where][1] if (where := _where(points)) in self._found else {}

    def missing(self, points: Tensor, keys: Iterable[Hashable]) -> list[Hashable]:
        """What there is not."""
        known = self.known(points)
        return [key for key in keys if key not in known]

    def allows(self, points: Tensor, columns: int, matrices: int) -> bool:
        """Whether so many further matrices can be kept; if so, they are counted."""
        size = ENTRY * len(points) * columns * matrices
        if size > self.budget.bytes:
            return False
        self.budget.bytes -= size
        return True

    def kept(self, points: Tensor, matrices: Mapping[Hashable, Tensor]) -> dict[Hashable, Tensor]:
        """What there is at the points now, with further matrices."""
        known = self.known(points)
        known.update(matrices)
        self._found[_where(points)] = points, known
        return known


def _where(points: Tensor) -> tuple[object, ...]:
    return points.data_ptr(), tuple(points.shape), points.stride()
