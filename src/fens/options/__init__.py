"""The options of a solve, and the values that some of them take."""

from .scale_grid import ScaleGrid
from .settings import Scale, Settings, check_sampler

__all__ = ["Scale", "ScaleGrid", "Settings", "check_sampler"]
