"""min ‖A w − b‖ over blocks of rows; knows nothing of where they come from."""

from .direct import Direct, numerical_rank
from .product import product
from .result import LeastSquares
from .rows import Rows

__all__ = ["Direct", "LeastSquares", "Rows", "numerical_rank", "product"]
