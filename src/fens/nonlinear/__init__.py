"""Newton and Picard: where they start, how they go on, and what came of them."""

from ..discretise.iterate import Iterate, natural_size, natural_sizes
from .newton import Iteration, State
from .start import starts
from .status import best, status_of

__all__ = ["Iterate", "Iteration", "State", "best", "natural_size", "natural_sizes", "starts", "status_of"]
