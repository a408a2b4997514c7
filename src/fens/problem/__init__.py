"""What must hold, and where: equations in SymPy, read into linear forms."""

from .expression import Equation, Jet
from .formula import Formula, function_values
from .linearize import LINEARISATIONS, LinearForm, linear_part, newton_form, picard_form
from .manufacture import manufacture
from .problem import Condition, Problem
from .symbols import Data, Normal, Wrapped, normal, normal_derivative, wrap

__all__ = [
    "LINEARISATIONS",
    "Condition",
    "Data",
    "Equation",
    "Formula",
    "Jet",
    "LinearForm",
    "Normal",
    "Problem",
    "Wrapped",
    "function_values",
    "linear_part",
    "manufacture",
    "newton_form",
    "normal",
    "normal_derivative",
    "picard_form",
    "wrap",
]
