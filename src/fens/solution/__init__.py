"""What the user keeps: a function to call, differentiate, compare, plot, save and export."""

from ..discretise.field import Field
from .comparison import Comparison
from .evolved import Balance, EvolvedSolution
from .piecewise import PiecewiseSolution
from .solution import Solution
from .store import load

__all__ = ["Balance", "Comparison", "EvolvedSolution", "Field", "PiecewiseSolution", "Solution", "load"]
