"""A function in the course of an iteration, with what the equations need of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from ..assemble import Collocated, Jets, Placed, evaluate_jets
from ..features import RandomFeatures
from ..numbers import rms
from ..problem import Jet


@dataclass(frozen=True)
class Point:
    """A function Σ w_j φ_j, its jets on every condition, and the equations' residuals F there."""

    weights: Tensor
    jets: tuple[Jets, ...]
    residuals: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, placed: Sequence[Placed], features: RandomFeatures, weights: Tensor) -> Point:
        """The function with these weights."""
        value = Jet(0, (0,) * features.W.shape[1])
        jets = tuple(
            evaluate_jets(features, weights, p.points, tuple(dict.fromkeys((value, *p.jets)))) for p in placed
        )
        return cls(weights, jets, _residuals(placed, jets))

    def towards(self, goal: Point, fraction: float, placed: Sequence[Placed]) -> Point:
        """The function at a fraction of the way to another."""
        pairs = zip(self.jets, goal.jets, strict=True)
        with np.errstate(all="ignore"):
            jets = tuple({jet: a[jet] + fraction * (b[jet] - a[jet]) for jet in a} for a, b in pairs)
        return Point(self.weights + fraction * (goal.weights - self.weights), jets, _residuals(placed, jets))

    def stacked(self, conditions: Sequence[Collocated]) -> np.ndarray:
        """The weighted residuals of all the equations."""
        return np.concatenate([c.weight * r for c, r in zip(conditions, self.residuals, strict=True)])

    def norm(self, conditions: Sequence[Collocated]) -> float:
        """‖F‖ with the rows weighted; infinite where F is not finite."""
        with np.errstate(all="ignore"):  # a trial step may well overflow, and then it is not taken
            value = float(np.linalg.norm(self.stacked(conditions)))
        return value if np.isfinite(value) else float("inf")

    def target(self, conditions: Sequence[Collocated]) -> np.ndarray:
        """The right-hand sides Σ c_α ∂^α u − F of the equations for u + δ.

        Solving for u + δ rather than for δ determines all weights anew. Those of an early, rough u may be huge, and
        corrections would never take the rounding of these away.
        """
        parts = zip(conditions, self.jets, self.residuals, strict=True)
        with np.errstate(all="ignore"):
            return np.concatenate([c.weight * (sum(terms(c, jets)) - residual) for c, jets, residual in parts])

    @property
    def size(self) -> float:
        """The largest |u| in the domain."""
        return float(np.abs(self._values).max())

    def distance(self, other: Point) -> float:
        """The largest difference of two functions in the domain."""
        with np.errstate(all="ignore"):
            return float(np.abs(self._values - other._values).max())

    def imbalance(self, conditions: Sequence[Collocated], half_widths: Sequence[float], least: float) -> float:
        """How far the equations are from holding: the largest of their imbalances."""
        return max(self.imbalances(conditions, half_widths, least))

    def imbalances(
        self, conditions: Sequence[Collocated], half_widths: Sequence[float], least: float
    ) -> tuple[float, ...]:
        """The residual of each equation beside its terms.

        A term c ∂^α u counts with at least |c| times what a function of the size of u, or of size `least`, varying
        over the domain, would give it; else the condition u = 0 would never be seen to hold.
        """
        natural = max(rms(self._values), least)
        found = []
        with np.errstate(all="ignore"):
            for condition, jets, residual in zip(conditions, self.jets, self.residuals, strict=True):
                parts = terms(condition, jets)
                sizes = [
                    max(rms(part), rms(c) * natural / float(np.prod(np.power(half_widths, orders))))
                    for part, (c, orders) in zip(parts, numeric(condition), strict=True)
                ]
                whole = sum(sizes) + rms(residual - sum(parts))
                ratio = rms(residual) / whole if whole > 0 else 0.0
                found.append(ratio if np.isfinite(ratio) else float("inf"))
        return tuple(found)

    @property
    def _values(self) -> np.ndarray:
        return next(iter(self.jets[0].values()))


def terms(condition: Collocated, jets: Jets) -> list[np.ndarray]:
    """c_α ∂^α u at the points, for each α."""
    return [np.asarray(c * jets[Jet(0, orders)]) for c, orders in numeric(condition)]


def numeric(condition: Collocated) -> list[tuple[np.ndarray, tuple[int, ...]]]:
    """The coefficients as arrays, with their derivatives."""
    return [(np.asarray(c.cpu() if isinstance(c, Tensor) else c), orders) for c, orders in condition.operator]


def _residuals(placed: Sequence[Placed], jets: Sequence[Jets]) -> tuple[np.ndarray, ...]:
    return tuple(p.residual(j) for p, j in zip(placed, jets, strict=True))

