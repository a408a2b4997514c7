"""Scales to try one by one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .._support.numbers import EPS, real_number
from .._support.stored import stored
from ..errors import SettingError

MOST_CANDIDATES = 100_000


@stored("ScaleGrid")
@dataclass(frozen=True)
class ScaleGrid:
    """Algorithm 1 of the paper: solve at ρ = min + step, min + 2·step, … ≤ max, keep the smallest ‖A w − F‖."""

    minimum: float
    maximum: float
    step: float

    def __post_init__(self) -> None:
        message = "ScaleGrid takes three numbers: minimum, maximum, step."
        numbers = [real_number(v, SettingError, message) for v in (self.minimum, self.maximum, self.step)]
        for name, number in zip(("minimum", "maximum", "step"), numbers, strict=True):
            object.__setattr__(self, name, number)
        if not all(map(math.isfinite, numbers)) or not (0 <= self.minimum < self.maximum and self.step > 0):
            raise SettingError(
                "ScaleGrid needs 0 ≤ minimum < maximum and a positive step; "
                f"got ScaleGrid({self.minimum:g}, {self.maximum:g}, {self.step:g})."
            )
        if (count := (self.maximum - self.minimum) / self.step) > MOST_CANDIDATES:
            shown = f"{count:.0f}" if count < 1e15 else f"{count:.1e}"
            raise SettingError(f"ScaleGrid has {shown} candidates, each a solve of its own; take a larger step.")
        if len(self) == 0:
            raise SettingError(f"ScaleGrid's step {self.step:g} is larger than the range, which leaves no candidate.")

    def __len__(self) -> int:
        return math.floor((self.maximum - self.minimum) / self.step * (1 + 4 * EPS) + 1e-9)

    @property
    def candidates(self) -> tuple[float, ...]:
        """The scales tried, a half-open range, without the minimum and with the maximum."""
        return tuple(self.minimum + k * self.step for k in range(1, len(self) + 1))
