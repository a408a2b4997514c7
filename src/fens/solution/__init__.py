"""What the user keeps: a function to call, differentiate, compare, plot, save and export."""

from ..discretise.field import Field
from .march import March
from .solution import Comparison, Solution
from .store import load

__all__ = ["Comparison", "Field", "March", "Solution", "load"]
