"""Solutions in files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..errors import FileError
from ..provenance import Provenance
from ..storage import KINDS, Kind, kinds_of, read, write
from .march import March
from .solution import Solution

ALL: Mapping[str, Kind] = {**KINDS, **kinds_of((Solution, March, Provenance))}


def save(solution: Solution, path: str | Path) -> None:
    """Write a solution to one file."""
    write(path, solution, ALL)


def load(path: str | Path) -> Solution:
    """The solution that `solution.save(path)` wrote: the same bits, wherever it is evaluated.

    Nothing in a file is ever run, and one that was cut off or altered is refused. Python functions in the problem,
    `fens.wrap(f)`, are left behind: the solution can be evaluated without them, but not solved again.
    """
    found = read(path, ALL)
    if not isinstance(found, Solution):
        raise FileError("the file holds no solution", name=str(path))
    _check(found, str(path))
    return found


def _check(solution: Solution, name: str) -> None:
    """Refuse parts that do not belong together, which no file that fens wrote has."""
    problem, features = solution.problem, solution.features
    agree = (
        len(features.members) == len(problem.components)
        and features.dimension == len(problem.coordinates)
        and len(features) == len(solution.weights)
        and all(len(m.W) == len(m) for m in features.members)
    )
    if not agree:
        raise FileError("the features of the solution in the file do not belong to its problem", name=name)
    for block in getattr(solution, "blocks", ()):
        _check(block, name)
