"""fens: partial differential equations written in SymPy, solved to round-off by Fourier feature networks.

What happens to a problem, and where:

    problem    what must hold, and where: a map from regions to equations    Problem, Unknown, complex_unknown, wrap,
               normal_derivative, jump, integral, Data: what equations may contain
    domain     regions, and the points on them                               Box, Ball, Polygon, …, Points, Grid
    features   random cosines and all their derivatives                      Isotropic, Oriented, Sparse, Mixture
    assemble   problem × points × features → blocks of rows
    lstsq      min ‖A w − b‖ by Householder QR
    scale      the scale of the frequencies                                  ScaleGrid
    nonlinear  Newton and Picard, where an equation is not linear
    solve      all of the above, in order                                    solve, continuation, eigen
    solution   a function to call, differentiate, compare, plot and save     Solution, load, solve_again
    files      problems in text files                                        read
"""

from .continuation import continuation
from .domain import Ball, Box, Cloud, Clustered, Grid, Implicit, Points, Polygon, Random, Star, Surface
from .eigen import eigen
from .errors import FensError, NotConverged, ToleranceNotMet
from .features import Isotropic, Mixture, Oriented, Sparse
from .files import ProblemFile, read
from .problem import (
    Data,
    Problem,
    Unknown,
    complex_unknown,
    integral,
    jump,
    manufacture,
    normal,
    normal_derivative,
    wrap,
)
from .scale import ScaleGrid
from .solution import Solution, load
from .solve import solve, solve_again

__version__ = "0.1.0"

__all__ = [
    "Ball",
    "Box",
    "Cloud",
    "Clustered",
    "Data",
    "FensError",
    "Grid",
    "Implicit",
    "Isotropic",
    "Mixture",
    "NotConverged",
    "Oriented",
    "Points",
    "Polygon",
    "Problem",
    "ProblemFile",
    "Random",
    "ScaleGrid",
    "Solution",
    "Sparse",
    "Star",
    "Surface",
    "ToleranceNotMet",
    "Unknown",
    "complex_unknown",
    "continuation",
    "eigen",
    "integral",
    "jump",
    "load",
    "manufacture",
    "normal",
    "normal_derivative",
    "read",
    "solve",
    "solve_again",
    "wrap",
]
