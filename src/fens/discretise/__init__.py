"""Problem × points × features → blocks of rows.

First the equations meet the points of their regions (`discretise`). Near a function u they are linear in a correction
(`linearise`), with coefficients and right-hand sides that are now numbers; a linear problem is linearised at zero.
Then these meet the features, as often as a search needs, and each block of rows is made when it is asked for.
"""

from .condition import DiscreteCondition, Jets, discretise, homes, linearise, sample
from .functional import RowFunctional, evaluate, evaluate_jets
from .rows import LinearRows, System, WithFixedWeights, WithRhs
from .weights import check_weights, even, mean_row_norm, weigh

__all__ = [
    "DiscreteCondition",
    "Jets",
    "LinearRows",
    "RowFunctional",
    "System",
    "WithFixedWeights",
    "WithRhs",
    "check_weights",
    "discretise",
    "evaluate",
    "evaluate_jets",
    "even",
    "homes",
    "linearise",
    "mean_row_norm",
    "sample",
    "weigh",
]
