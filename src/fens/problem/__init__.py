"""What must hold, and where: equations in SymPy, read into linear forms."""

from .discontinuity import nonsmooth_where_zero
from .equation import Equation, Jet, differentiated
from .expression import HIGHEST, read
from .formula import Formula, component_values, function_values
from .linearize import LINEARISATIONS, LinearForm, linear_part, newton_form, picard_form
from .manufacture import manufacture
from .operators import div, grad, laplacian, strong, unfolded
from .problem import MOST_EQUATIONS, Condition, Problem
from .symbols import ONE_OVER_MEASURE, Data, Normal, Opposite, functional, integral, jump, normal, normal_derivative
from .unknowns import Component, Unknown, complex_unknown
from .wrapped import Absent, Wrapped, wrap

__all__ = [
    "HIGHEST", "LINEARISATIONS", "MOST_EQUATIONS", "ONE_OVER_MEASURE", "Absent", "Component", "Condition", "Data",
    "Equation", "Formula", "Jet", "LinearForm", "Normal", "Opposite", "Problem", "Unknown", "Wrapped",
    "complex_unknown", "component_values", "differentiated", "div", "function_values", "functional", "grad", "integral",
    "jump", "laplacian", "linear_part", "manufacture", "newton_form", "nonsmooth_where_zero", "normal",
    "normal_derivative", "picard_form", "read", "strong", "unfolded", "wrap",
]  # fmt: skip
