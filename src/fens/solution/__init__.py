"""What the user keeps: a function to call, differentiate, compare and plot."""

from ..field import Field
from .solution import Comparison, Solution

__all__ = ["Comparison", "Field", "Solution"]
