"""What must hold, and where: equations in SymPy, read into linear forms."""

from .expression import Equation, Jet
from .formula import Formula
from .linearize import LinearForm, linear_form
from .problem import Condition, Problem
from .symbols import Data, Normal, Wrapped, normal, normal_derivative, wrap

__all__ = [
    "Condition", "Data", "Equation", "Formula", "Jet", "LinearForm", "Normal", "Problem", "Wrapped",
    "linear_form", "normal", "normal_derivative", "wrap",
]
