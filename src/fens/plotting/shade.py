"""From values to colours and limits of axes: sequential, diverging where the sign matters, or logarithmic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import EvaluationError

SIGNED = 0.05  # of the largest value, beyond which both signs count
CONSTANT = 1e-12  # of the largest value: a spread below it is round-off
LARGEST = 1e300  # of which sums and differences are numbers too
POLE = 1e6  # times the largest of other values: values at a pole, if they are few
TAIL = 0.01  # part of the values next to it, at each end, for which there are no colours
FEW = 9  # at all corners of a box in space, and one more
LEAST = 0.01  # part of the values that may lie below the end of a logarithmic scale, with an arrow to tell

# of Okabe and Ito, told apart by the colour-blind
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


@dataclass(frozen=True)
class Shade:
    """The colours of a range of values. `extend` tells on which side values lie beyond it."""

    colours: str
    low: float
    high: float
    logarithmic: bool = False
    extend: str = "neither"

    @property
    def norm(self) -> Any:
        """As matplotlib has it."""
        from matplotlib.colors import LogNorm, Normalize

        return (LogNorm if self.logarithmic else Normalize)(self.low, self.high)


def shade(values: np.ndarray, floor: float | None) -> Shade:
    """The colours of values; with a floor, on a logarithmic scale that does not go below it."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        raise EvaluationError("There is nothing to draw: no value is a finite number.")
    if (size := float(np.abs(finite).max())) > LARGEST:
        raise EvaluationError(f"Values up to {size:.1e} are too large for a picture, whose axes go to {LARGEST:.0e}.")
    return _linear(finite) if floor is None else _logarithmic(finite, floor)


def _linear(values: np.ndarray) -> Shade:
    low, high = float(values.min()), float(values.max())
    sizes = np.abs(values)
    most = float(np.partition(sizes, -FEW)[-FEW]) if len(values) > FEW else 0.0
    if 0 < POLE * most < float(sizes.max()):  # at a pole, as pressures have at a lid's ends, colours do not follow
        usual = np.quantile(values, [TAIL, 1 - TAIL])
        return replace(_linear(np.clip(values, *usual)), extend="both")
    size = max(-low, high)
    if high - low <= CONSTANT * abs(size):  # noise must not look like a function
        half = abs(size) / 2 or 1.0
        return Shade("viridis", low - half, high + half)
    if low < -SIGNED * size and high > SIGNED * size:
        return Shade("RdBu_r", -size, size)
    return Shade("viridis", low, high)


def _logarithmic(values: np.ndarray, floor: float) -> Shade:
    high = max(float(values.max()), 10 * floor)
    low = max(floor, float(np.quantile(values, LEAST)))
    low = low if low < high / 10 else high / 10
    return Shade("viridis", low, high, True, "min" if float(values.min()) < low else "neither")
