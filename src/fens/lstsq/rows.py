"""What a solver sees of a least-squares problem: blocks of rows, which can be gone through again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from torch import Tensor


class Rows(Protocol):
    """The rows of min ‖A w − b‖, in blocks (A_k, b_k)."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of A."""
        ...

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]: ...
