"""Whether equations determine the numbers that are sought beside functions.

A number that nothing determines can have any value, and each goes with a function. Least squares takes the one whose
function features have; of others they leave something, and the less, the more of them there are.
"""

from __future__ import annotations

import numpy as np
import torch

from .._support.steering import Numbers
from ..basis import TrialSpace
from ..discretise import LinearRows, System, WithFixedWeights, WithRhs
from ..fit.discrete import DiscreteProblem
from ..geometry import Points
from ..lstsq import Failed


def undetermined_numbers(discrete: DiscreteProblem, rows: tuple[LinearRows, ...], *spaces: TrialSpace) -> str:
    """The numbers that nothing determines, in a sentence, from what half of the features and all of them leave of a
    change; empty if there are none. At given points, and for integrals, spikes of functions might take up a change.
    """
    problem = discrete.problem
    names = [c.name for c in problem.components if c.is_constant]
    known = any(isinstance(c.region, Points) or not c.equation.is_pointwise for c in problem.conditions)
    if known:
        return ""
    half, all_of_them = (_left(discrete, rows, space, len(names)) for space in spaces)
    if half is None or all_of_them is None or not all_of_them < Numbers.FALLS * half:
        return ""
    which = f"the number {names[0]}" if len(names) == 1 else f"the numbers {', '.join(names)}"
    return (
        f"Nothing determines {which}: with others the equations hold as well, for other functions. Look for a missing "
        "condition, such as a measured value or an integral."
    )


def _left(discrete: DiscreteProblem, rows: tuple[LinearRows, ...], space: TrialSpace, count: int) -> float | None:
    """The least that functions leave of a change of the numbers, relative to what it makes of the equations."""
    system = System(rows, space)
    columns = system.rhs.new_zeros((system.shape[1], count))
    columns[-count:].fill_diagonal_(1.0)
    sides = system.matvec(columns)
    sizes = torch.linalg.vector_norm(sides, dim=0)
    fixed = WithFixedWeights(WithRhs(system, torch.zeros_like(system.rhs)), columns.new_zeros(count))
    solvable = discrete.settings.solver_for(discrete.problem).factorise(fixed)
    if isinstance(solvable, Failed) or not bool((sizes > 0).all()):
        return None
    left = (sides - fixed.matvec(solvable.weights_for(sides, refined=False))) / sizes
    found = float(torch.linalg.svdvals(left)[-1])
    return found if np.isfinite(found) else None
