"""The solver that suits the size of a system and the memory there is."""

from __future__ import annotations

from dataclasses import dataclass

from .._support.numbers import ENTRY, free
from .._support.steering import Sketching, SolverChoice
from .direct import Direct
from .result import Failed
from .rows import Rows, Solvable, Solver
from .sketched import Sketched
from .streamed import TRIANGLES, Streamed

__all__ = ["Automatic", "free", "held_bytes", "least"]

COPIES = 3  # what `Direct` needs at its peak, in matrices
VECTORS = 25  # numbers for each row besides those of the matrix: coordinates, coefficients, right-hand sides, residuals


@dataclass(frozen=True)
class Automatic:
    """In memory if there is enough of it, streamed if not; sketched where there are many more rows than columns.

    `memory` is how many bytes may be used. `exact` forbids sketches, which lose a part of what rows with noise say.
    """

    memory: int
    exact: bool = False

    def factorise(self, rows: Rows) -> Solvable | Failed:
        """The part of the work that does not depend on the right-hand side."""
        return self.choice(rows.shape).factorise(rows)

    def choice(self, shape: tuple[int, int]) -> Solver:
        """The solver for a matrix of this shape."""
        m, n = shape
        room = self.memory - least(m, 0)
        held: Solver = Direct() if held_bytes(shape) <= self.memory else Streamed.within(room, n)
        pays = m >= SolverChoice.TALL * n and 2 * m * n**2 >= SolverChoice.WORTH
        if self.exact or not pays or COPIES * ENTRY * Sketching.RATIO * n**2 > room:
            return held
        return Sketched(held)


def held_bytes(shape: tuple[int, int]) -> int:
    """Bytes with which a matrix can be solved with in memory."""
    rows, columns = shape
    return COPIES * ENTRY * rows * columns + least(rows, 0)


def least(rows: int, columns: int) -> int:
    """Bytes without which no system of so many rows and columns can be solved."""
    return VECTORS * ENTRY * rows + TRIANGLES * ENTRY * columns**2
