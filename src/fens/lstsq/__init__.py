"""min ‖A w − b‖ over blocks of rows; knows nothing of where they come from."""

from .automatic import Automatic, free, least
from .direct import Direct
from .gels import Gels
from .passes import Passes, QRAccumulator, Sequential
from .result import Failed, LeastSquares
from .ridge import Ridged
from .rows import Rows, Scaled, Solvable, Solver
from .sketched import Sketched
from .solvers import SOLVERS
from .streamed import Streamed, factorise
from .triangle import numerical_rank

__all__ = [
    "SOLVERS",
    "Automatic",
    "Direct",
    "Failed",
    "Gels",
    "LeastSquares",
    "Passes",
    "QRAccumulator",
    "Ridged",
    "Rows",
    "Scaled",
    "Sequential",
    "Sketched",
    "Solvable",
    "Solver",
    "Streamed",
    "factorise",
    "free",
    "least",
    "numerical_rank",
]
