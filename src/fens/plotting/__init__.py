"""Pictures of solutions, by matplotlib, which is imported when one is asked for."""

from .animation import FPS, FRAMES, animate, prepared
from .picture import plot, plot_errors
from .points import plot_points
from .search import plot_searches

__all__ = ["FPS", "FRAMES", "animate", "plot", "plot_errors", "plot_points", "plot_searches", "prepared"]
