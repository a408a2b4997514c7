"""Solutions from files."""

from __future__ import annotations

from pathlib import Path

from ..errors import FileError
from ..storage import KINDS, read
from .check import check_whole
from .solution import Solution


def load(path: str | Path) -> Solution:
    """The solution that `solution.save(path)` wrote: the same bits, wherever it is evaluated.

    Nothing in a file is ever run, and one that was cut off or altered is refused. Python functions in the problem,
    `fens.wrap(f)`, are left behind: the solution can be evaluated without them, but not solved again.
    """
    found = read(path, KINDS)  # with the tags of solutions, which are known once they are imported
    if not isinstance(found, Solution):
        raise FileError("the file holds no solution", name=str(path))
    check_whole(found, str(path))
    return found
