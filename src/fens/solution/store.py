"""Solutions in files."""

from __future__ import annotations

from pathlib import Path

import torch

from ..errors import FileError
from ..geometry import Cylinder
from ..problem import Problem
from ..storage import KINDS, read, write
from .solution import Solution
from .trial import try_out

ALL = KINDS  # with the tags of solutions, which are known once they are imported


def save(solution: Solution, path: str | Path) -> None:
    """Write a solution to one file."""
    write(path, solution, ALL, _check)


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
    problem, features, d = solution.problem, solution.features, len(solution.problem.coordinates)
    blocks = getattr(solution, "blocks", None)
    agree = (
        len(features.members) == len(problem.components)
        and features.dimension == d
        and solution.weights.dtype == torch.float64
        and solution.weights.shape == (len(features),)
        and len(solution.scales) == d * len(problem.components)
        and all(s.points.shape[1] == d for s in solution.samples.values())
        and (_belong(blocks, problem) if blocks is not None else _sampled(solution))
    )
    if not agree:
        raise FileError("the features of the solution in the file do not belong to its problem", name=name)
    for block in blocks or ():
        _check(block, name)
    try_out(solution, name)


def _sampled(solution: Solution) -> bool:
    """Whether there are points for each equation."""
    return all(not c.equation.is_pointwise or c.region in solution.samples for c in solution.problem.conditions)


def _belong(blocks: tuple[Solution, ...], problem: Problem) -> bool:
    """Whether blocks of time are of one problem."""
    unknowns = [set(b.problem.unknowns) for b in blocks]
    cylinders = all(isinstance(p.domain, Cylinder) for p in (problem, *(b.problem for b in blocks)))
    return cylinders and len(blocks) > 0 and all(u == set(problem.unknowns) for u in unknowns)
