"""The options of a solve, from one table, and the values that some of them take."""

from .checks import check_sampler
from .option import Option, describe
from .scale_grid import ScaleGrid
from .settings import Settings
from .table import OPTIONS, Scale

__all__ = ["OPTIONS", "Option", "Scale", "ScaleGrid", "Settings", "check_sampler", "describe"]
