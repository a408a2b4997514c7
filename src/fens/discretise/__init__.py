"""Problem × points × features → blocks of rows.

First the equations meet the points of their regions (`place`). Near a function u they are linear in a correction
(`linearise`), with coefficients and right-hand sides that are now numbers; a linear problem is linearised at zero.
Then these meet the features, as often as a search needs, and each block of rows is made when it is asked for.
"""

from .collocated import Aimed, Collocated, Pinned, System
from .placed import Jets, Placed, homes, linearise, place, sample
from .places import Places, evaluate, evaluate_jets
from .weigh import check_weights, mean_row_norm, weigh

__all__ = [
    "Aimed",
    "Collocated",
    "Jets",
    "Pinned",
    "Placed",
    "Places",
    "System",
    "check_weights",
    "evaluate",
    "evaluate_jets",
    "homes",
    "linearise",
    "mean_row_norm",
    "place",
    "sample",
    "weigh",
]
