"""fens: partial differential equations written in SymPy, solved to round-off by Fourier feature networks.

What happens to a problem, and where:

    problem    what must hold, and where: a map from regions to equations    Problem, Unknown, complex_unknown, wrap,
               laplacian, grad, div, strong, normal_derivative, jump, integral, Data: what equations may contain
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

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .continuation import continuation
    from .domain import Ball, Box, Cloud, Clustered, Grid, Implicit, Points, Polygon, Random, Star, Surface
    from .eigen import eigen
    from .errors import FensError, NotConverged, ToleranceNotMet, UnreliableWarning
    from .features import Isotropic, Mixture, Oriented, Sparse
    from .files import ProblemFile
    from .files.read import read
    from .problem import (
        Data,
        Problem,
        Unknown,
        complex_unknown,
        div,
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
    "UnreliableWarning",
    "complex_unknown",
    "continuation",
    "div",
    "eigen",
    "grad",
    "integral",
    "jump",
    "laplacian",
    "load",
    "manufacture",
    "normal",
    "normal_derivative",
    "read",
    "solve",
    "solve_again",
    "strong",
    "wrap",
]

_HOMES = {
    "continuation": ("continuation",),
    "domain": (
        "Ball", "Box", "Cloud", "Clustered", "Grid", "Implicit", "Points", "Polygon", "Random", "Star", "Surface",
    ),
    "eigen": ("eigen",),
    "errors": ("FensError", "NotConverged", "ToleranceNotMet", "UnreliableWarning"),
    "features": ("Isotropic", "Mixture", "Oriented", "Sparse"),
    "files": ("ProblemFile", "read"),
    "problem": (
        "Data", "Problem", "Unknown", "complex_unknown", "div", "grad", "integral", "jump", "laplacian", "manufacture",
        "normal", "normal_derivative", "strong", "wrap",
    ),
    "scale": ("ScaleGrid",),
    "solution": ("Solution", "load"),
    "solve": ("solve", "solve_again"),
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


class _Facade(ModuleType):
    """The package, in which `solve`, `eigen` and `continuation` are functions and not the modules of the same name."""

    def __setattr__(self, name: str, value: Any) -> None:
        # what imports a submodule sets it as an attribute of its package
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Facade
