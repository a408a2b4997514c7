"""Newton and Picard: where they start, how they go on, and what came of them."""

from .initial import starts
from .iteration import Iteration, State
from .point import NEGLIGIBLE, Point, natural_size
from .verdict import best, verdict

__all__ = ["NEGLIGIBLE", "Iteration", "Point", "State", "best", "natural_size", "starts", "verdict"]
