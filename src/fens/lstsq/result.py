"""What a solver returns: the weights, and what happened."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

REMEDIES = {
    "solved": "",
    "not finite": "The equations hold values that are not finite; lower the scale, or look at the coefficients.",
    "overflow": "The numbers grew too large; bring the scale, the coefficients and the weights nearer to one.",
    "all zero": "The matrix is zero: the equations do not see the features; check the equations and the points.",
    "singular": "A column is a combination of others, and the solver does not damp; take solver='automatic'.",
}


@dataclass(frozen=True)
class LeastSquares:
    """The minimiser w of ‖A w − b‖.

    `residual` is the true ‖A w − b‖ of these weights; `rank` is the numerical rank that the factorisation saw.
    """

    weights: Tensor
    residual: float
    rank: int
    status: str = "solved"

    @property
    def remedy(self) -> str:
        """What to do about the status; empty when it is solved."""
        return REMEDIES[self.status]


@dataclass(frozen=True)
class Failed:
    """A matrix that cannot be solved with."""

    status: str
    nothing: Tensor
    rank: int = 0

    def solve(self, b: Tensor | None = None) -> LeastSquares:
        """No weights, and why."""
        return LeastSquares(self.nothing, float("nan"), 0, self.status)
