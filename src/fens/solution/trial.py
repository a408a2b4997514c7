"""A solution that was read is used once, before a user does: what no check has found is found here.

A file with a good checksum is one that somebody sealed, and not more: its entries may be anything that the checks of
single kinds let pass. So its functions are evaluated and its equations asked for their residuals, at few points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..discretise import discretise, evaluate_jets
from ..errors import FensError, FileError, NotInFile
from ..geometry import Points
from ..problem import LINEARISATIONS, Unknown

if TYPE_CHECKING:
    from .solution import Solution

POINTS = 2  # of each region


def try_out(solution: Solution, name: str) -> None:
    """Refuse a solution that cannot be used."""
    whole = (_told, _evaluated)  # one in blocks has its equations in these
    for use in whole if hasattr(solution, "blocks") else (*whole, _residuals):
        try:
            with np.errstate(all="ignore"):
                use(solution)
        except NotInFile:  # a function of Python's, which a file cannot hold
            continue
        except FensError as error:
            reason = str(error).rstrip(".")
            raise FileError(f"the solution in the file cannot be used: {reason}", name=name) from error
        except Exception as error:  # whatever NumPy, PyTorch and SymPy say of parts that do not fit
            raise FileError("the parts of the solution in the file do not belong together", name=name) from error


def _told(solution: Solution) -> None:
    """What it says of itself."""
    for told in (solution, solution.problem, solution.settings, solution.error, solution.stats):
        repr(told)
    _ = solution.scale, solution.expected_error
    for told in (solution.error, solution.stats, getattr(solution.error, "evidence", None)):
        for key in vars(type(told)):
            if isinstance(vars(type(told))[key], property):
                getattr(told, key)


def _evaluated(solution: Solution) -> None:
    for unknown, function in solution.functions.items():
        if isinstance(unknown, Unknown):
            repr(function)
            continue
        coordinates = function.domain.coordinates
        points = np.concatenate([s.points for samples in solution._samples for s in samples.values()])[:POINTS]
        function(*(points[:, coordinates.index(x)] for x in unknown.args))
        function.diff(coordinates[0], 2).at(points)


def _residuals(solution: Solution) -> None:
    problem, samples = solution.problem, solution.samples
    few = {r: s if isinstance(r, Points) else s.only(np.arange(min(len(s), POINTS))) for r, s in samples.items()}
    for p in discretise(problem, few, LINEARISATIONS[solution.settings.nonlinear], solution.weights.device):
        p.residual(evaluate_jets(solution.features, solution.weights, p.functional, p.jets))
