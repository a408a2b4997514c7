"""min ‖A w − b‖ over blocks of rows; knows nothing of where they come from."""

from .direct import Direct, Factorised, Failed, numerical_rank
from .product import product
from .result import LeastSquares
from .rows import Rows

__all__ = ["Direct", "Factorised", "Failed", "LeastSquares", "Rows", "numerical_rank", "product"]
