"""Whether the parts of a solution belong together, before it is written and after it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..errors import FileError
from ..geometry import Cylinder
from ..problem import Problem
from .trial import try_out

if TYPE_CHECKING:
    from .evolved import Restart
    from .solution import Solution


def check_whole(solution: Solution, name: str) -> None:
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
        and _goes_on(getattr(solution, "restart", None))
        and (_belong(blocks, problem) if blocks is not None else _sampled(solution))
    )
    if not agree:
        raise FileError("the features of the solution in the file do not belong to its problem", name=name)
    for block in blocks or ():
        check_whole(block, name)
    try_out(solution, name)


def _goes_on(restart: Restart | None) -> bool:
    """Whether states of a march are of its functions."""
    if restart is None:
        return True
    states = [v for own in restart.states for v in own]
    return (
        len(restart.features) == len(restart.spaces) == len(restart.states) == 2
        and all(n > 0 for n in restart.features)
        and all(v.dtype == torch.float64 for v in (*states, restart.sizes))
        and all(
            v.ndim == 2 and v.shape[1] == len(space)
            for space, own in zip(restart.spaces, restart.states, strict=True)
            for v in own
        )
        and restart.sizes.shape == (len(restart.states[0]),) == (len(restart.states[1]),)
    )


def _sampled(solution: Solution) -> bool:
    """Whether there are points for each equation."""
    return all(not c.equation.is_pointwise or c.region in solution.samples for c in solution.problem.conditions)


def _belong(blocks: tuple[Solution, ...], problem: Problem) -> bool:
    """Whether blocks of time are of one problem."""
    unknowns = [set(b.problem.unknowns) for b in blocks]
    cylinders = all(isinstance(p.domain, Cylinder) for p in (problem, *(b.problem for b in blocks)))
    return cylinders and len(blocks) > 0 and all(u == set(problem.unknowns) for u in unknowns)
