"""min ‖A w − b‖ over blocks of rows; knows nothing of where they come from."""

from .automatic import Automatic, free, least
from .direct import Direct
from .passes import Passes, QRAccumulator, Sequential
from .result import Failed, LeastSquares
from .ridge import Ridged
from .rows import Rows, Scaled, Solvable, Solver
from .sketched import Sketched
from .streamed import Streamed, factorise
from .triangle import numerical_rank

__all__ = [
    "Automatic",
    "Direct",
    "Failed",
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
