"""min ‖A w − b‖ over blocks of rows; knows nothing of where they come from."""

from .automatic import Automatic, free, least
from .direct import Direct
from .result import Failed, LeastSquares
from .rows import Rows, Solvable, Solver
from .sketched import Sketched
from .streamed import Streamed
from .triangle import numerical_rank

__all__ = [
    "Automatic",
    "Direct",
    "Failed",
    "LeastSquares",
    "Rows",
    "Sketched",
    "Solvable",
    "Solver",
    "Streamed",
    "free",
    "least",
    "numerical_rank",
]
