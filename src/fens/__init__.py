"""fens: partial differential equations written in SymPy, solved to round-off by Fourier feature networks.

What happens to a problem, and where:

    problem      what must hold, and where: a map from regions to equations   Problem, Unknown, complex_unknown, wrap,
                 laplacian, grad, div, strong, normal_derivative, jump, integral, Data: what equations may contain
    geometry     regions, and the points on them                              Box, Ball, Polygon, …, Points, Grid
    basis        random cosines and all their derivatives                     Isotropic, …, Mixture, Corner
    discretise   problem × points × basis → blocks of rows
    lstsq        min ‖A w − b‖ by Householder QR
    nonlinear    Newton and Picard, where an equation is not linear
    options      what a user may choose                                       ScaleGrid
    fit          a problem at its points, solved with given features; their scale
    estimate     how wrong the solution is, and how far that can be trusted
    strategy     what is chosen: frequencies, their number, places, slabs of time
    api          the front door                                               solve, solve_again, continuation, eigen
    solution     a function to call, differentiate, compare, plot and save    Solution, load
    files        problems in text files                                       read

New activations, shapes and exports are added from outside by `register`.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._support.registry import register
    from .api import continuation, eigen, solve, solve_again
    from .basis import Corner, Isotropic, Mixture, Oriented, Sparse
    from .errors import FensError, NotConverged, ToleranceNotMet, UnreliableWarning
    from .files import ProblemFile
    from .files.read import read
    from .geometry import Ball, Box, Cloud, Clustered, Grid, Implicit, Points, Polygon, Random, Segment, Star, Surface
    from .options import ScaleGrid
    from .problem import (
        Data,
        Problem,
        Unknown,
        complex_unknown,
        div,
        functional,
        grad,
        integral,
        jump,
        laplacian,
        manufacture,
        normal,
        normal_derivative,
        strong,
        wrap,
    )
    from .solution import Solution, load

__version__ = "0.1.0"

__all__ = [
    "Ball",
    "Box",
    "Cloud",
    "Clustered",
    "Corner",
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
    "Segment",
    "Solution",
    "Sparse",
    "Star",
    "Surface",
    "ToleranceNotMet",
    "Unknown",
    "UnreliableWarning",
    "complex_unknown",
    "continuation",
    "div",
    "eigen",
    "functional",
    "grad",
    "integral",
    "jump",
    "laplacian",
    "load",
    "manufacture",
    "normal",
    "normal_derivative",
    "read",
    "register",
    "solve",
    "solve_again",
    "strong",
    "wrap",
]

_HOMES = {
    "_support.registry": ("register",),
    "api": ("continuation", "eigen", "solve", "solve_again"),
    "basis": ("Corner", "Isotropic", "Mixture", "Oriented", "Sparse"),
    "geometry": (
        "Ball", "Box", "Cloud", "Clustered", "Grid", "Implicit", "Points", "Polygon", "Random", "Segment", "Star",
        "Surface",
    ),
    "errors": ("FensError", "NotConverged", "ToleranceNotMet", "UnreliableWarning"),
    "files": ("ProblemFile", "read"),
    "problem": (
        "Data", "Problem", "Unknown", "complex_unknown", "div", "functional", "grad", "integral", "jump", "laplacian",
        "manufacture", "normal", "normal_derivative", "strong", "wrap",
    ),
    "options": ("ScaleGrid",),
    "solution": ("Solution", "load"),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first asked for: PyTorch and SymPy take seconds to import."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    setattr(sys.modules[__name__], name, value)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
