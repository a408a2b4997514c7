"""The solvers that a user can name. A new one is a module of this package, and a line in the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._support.numbers import shown
from .._support.registry import Registry, check_has
from ..errors import SettingError, concerning, quoted
from .automatic import Automatic, held_bytes, least
from .direct import Direct
from .gels import Gels
from .result import Failed
from .rows import Rows, Solvable, Solver
from .sketched import Sketched
from .streamed import Streamed


@dataclass(frozen=True)
class InMemory:
    """A solver that holds the matrix, and is asked only where there is room for it."""

    solver: Solver
    memory: int

    @concerning("solver")
    def factorise(self, rows: Rows) -> Solvable | Failed:
        """The part of the work that does not depend on the right-hand side."""
        if (needed := held_bytes(rows.shape)) > self.memory:
            m, n = rows.shape
            raise SettingError(
                f"The solver '{type(self.solver).__name__.lower()}' holds the matrix, of {m} rows of {n} columns, in "
                f"memory: it needs {shown(needed)}, and {shown(self.memory)} may be used. Raise memory, or take "
                "another solver, such as 'streamed'."
            )
        return self.solver.factorise(rows)


@dataclass(frozen=True)
class BlockByBlock:
    """Streams rows, as many at a time as there is memory for, whatever their length."""

    memory: int

    def factorise(self, rows: Rows) -> Solvable | Failed:
        """The part of the work that does not depend on the right-hand side."""
        m, n = rows.shape
        return Streamed.within(self.memory - least(m, 0), n).factorise(rows)


# by name: from the bytes that may be used, and whether rows have noise of which no part should be lost
Maker = Callable[[int, bool], Solver]


def _checked(name: str, given: Any) -> Maker:
    if not callable(given):
        raise SettingError(
            f"The solver {name} must be a function from the bytes that may be used, and whether rows have noise, to an "
            f"object with factorise(rows); got {quoted(given)}."
        )
    check_has(f"The solver {name}", given(2**30, False), ("factorise",))
    made: Maker = given
    return made


SOLVERS: Registry[Maker] = Registry("solver", _checked)
SOLVERS.own("automatic", Automatic)
SOLVERS.own("direct", lambda memory, exact: InMemory(Direct(), memory))
SOLVERS.own("streamed", lambda memory, exact: BlockByBlock(memory))
SOLVERS.own("sketched", lambda memory, exact: Sketched(Automatic(memory, exact=True)))
SOLVERS.own("gels", lambda memory, exact: InMemory(Gels(), memory))
