"""A function in the course of an iteration, with what the equations need of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from .._support.device import to_host
from .._support.numbers import rms
from .._support.steering import Discretisation
from ..basis import TrialSpace
from ..problem import Jet, Problem
from . import DiscreteCondition, Jets, LinearRows, evaluate_jets, homes

HalfWidths = Sequence[Sequence[float]]  # of the domain of each unknown, along each axis


@dataclass(frozen=True)
class Iterate:
    """Functions Σ w_j φ_j, their jets on every condition, and the equations' residuals F there.

    `homes` has, for each unknown, the first condition on its domain: there its values are known, too.
    """

    weights: Tensor
    jets: tuple[Jets, ...]
    residuals: tuple[np.ndarray, ...]
    homes: tuple[int, ...]

    @classmethod
    def of(
        cls, problem: Problem, discretised: Sequence[DiscreteCondition], features: TrialSpace, weights: Tensor
    ) -> Iterate:
        """The functions with these weights."""
        at_home = homes(problem, discretised)
        wanted: list[dict[Jet, None]] = [dict.fromkeys(p.jets) for p in discretised]
        for k, home in enumerate(at_home):
            wanted[home][_value(k, features.dimension)] = None
        jets = tuple(
            evaluate_jets(features, weights, p.functional, tuple(w)) for p, w in zip(discretised, wanted, strict=True)
        )
        return cls(weights, jets, _residuals(discretised, jets), at_home)

    def towards(self, goal: Iterate, fraction: float, discretised: Sequence[DiscreteCondition]) -> Iterate:
        """The function at a fraction of the way to another."""
        pairs = zip(self.jets, goal.jets, strict=True)
        with np.errstate(all="ignore"):
            jets = tuple({jet: a[jet] + fraction * (b[jet] - a[jet]) for jet in a} for a, b in pairs)
        weights = self.weights + fraction * (goal.weights - self.weights)
        return Iterate(weights, jets, _residuals(discretised, jets), self.homes)

    def stacked(self, conditions: Sequence[LinearRows]) -> np.ndarray:
        """The weighted residuals of all the equations."""
        return np.concatenate([_weighted(c, r) for c, r in zip(conditions, self.residuals, strict=True)])

    def norm(self, conditions: Sequence[LinearRows]) -> float:
        """‖F‖ with the rows weighted; infinite where F is not finite."""
        with np.errstate(all="ignore"):  # a trial step may well overflow, and then it is not taken
            value = float(np.linalg.norm(self.stacked(conditions)))
        return value if np.isfinite(value) else float("inf")

    def rhs(self, conditions: Sequence[LinearRows]) -> np.ndarray:
        """The right-hand sides Σ c_α ∂^α u − F of the equations for u + δ.

        Solving for u + δ rather than for δ determines all weights anew. Those of an early, rough u may be huge, and
        corrections would never take the rounding of these away.
        """
        parts = zip(conditions, self.jets, self.residuals, strict=True)
        with np.errstate(all="ignore"):
            return np.concatenate(
                [_weighted(c, _summed(c, terms(c, jets)) - residual) for c, jets, residual in parts]
            )

    @property
    def sizes(self) -> tuple[float, ...]:
        """The largest |u| of each unknown in its domain."""
        return tuple(float(np.abs(v).max()) for v in self._values)

    def step_to(self, other: Iterate, zero: float) -> float:
        """The largest difference of two functions relative to their size, which counts as at least `zero`.

        One of several unknowns may vanish; then its size is that of the rounding of the others.
        """
        sizes = other.sizes
        least = max(zero, self._negligible, other._negligible, sys.float_info.min)
        with np.errstate(all="ignore"):
            changes = [float(np.abs(a - b).max()) for a, b in zip(self._values, other._values, strict=True)]
            return max(c / max(s, least) for c, s in zip(changes, sizes, strict=True))

    def relative_residual(self, conditions: Sequence[LinearRows], half_widths: HalfWidths, least: float) -> float:
        """How far the equations are from holding: the largest of their imbalances."""
        return max(self.relative_residuals(conditions, half_widths, least))

    def relative_residuals(
        self, conditions: Sequence[LinearRows], half_widths: HalfWidths, least: float
    ) -> tuple[float, ...]:
        """The residual of each equation relative to its terms; of data with noise, as if they held.

        A term c ∂^α u counts with at least |c| times what a function of the size of u, or of size `least`, varying
        over the domain, would give it; else the condition u = 0 would never be seen to hold. Rows that were evened
        count as they are then: next to corners, terms that grow without end would hide all others.
        """
        sizes_of = [rms(v) for v in self._values]
        natural = [max(size, least, self._negligible) for size in sizes_of]
        found = []
        with np.errstate(all="ignore"):
            for condition, jets, whole_residual in zip(conditions, self.jets, self.residuals, strict=True):
                scaling = 1.0 if condition.scaling is None else to_host(condition.scaling)
                residual, parts = scaling * whole_residual, [scaling * t for t in terms(condition, jets)]
                sizes = [
                    max(rms(part), rms(scaling * c) * natural[jet.unknown] / _length(half_widths, jet))
                    for part, (c, jet) in zip(parts, numeric(condition), strict=True)
                ]
                source = residual - _summed(condition, parts)
                whole = _measure(condition) * sum(sizes) + rms(source)
                ratio = 0.0 if whole == 0 or condition.noise is not None else rms(residual) / whole
                found.append(ratio if np.isfinite(ratio) else float("inf"))
        return tuple(found)

    def usual_residuals(self, conditions: Sequence[LinearRows], half_widths: HalfWidths) -> tuple[float, ...]:
        """The same where rows are uneven, at the median of the points: each relative to its own terms there.

        Where some terms are large without end next to a face, an equation may seem to hold and do so nowhere else.
        """
        natural = [rms(v) for v in self._values]
        found = zip(conditions, self.jets, self.residuals, strict=True)
        return tuple(0.0 if c.scaling is None else _median_ratio(c, j, r, natural, half_widths) for c, j, r in found)

    @property
    def _negligible(self) -> float:
        """The size below which an unknown may be rounding of others; few large values, next to a pole, do not count."""
        factor = Discretisation.USUAL
        with np.errstate(over="ignore"):  # the median of two numbers is half their sum, which may be infinite
            sizes = [(rms(v), float(np.median(np.abs(v)))) for v in self._values]
        usual = [max(min(size, factor * median), size / factor) for size, median in sizes]
        return float(Discretisation.NEGLIGIBLE * max(usual))

    @property
    def _values(self) -> list[np.ndarray]:
        d = len(next(iter(self.jets[0])).orders)
        return [self.jets[home][_value(k, d)] for k, home in enumerate(self.homes)]


def terms(condition: LinearRows, jets: Jets) -> list[np.ndarray]:
    """c_α ∂^α u at the points, for each α."""
    return [np.asarray(c * jets[jet]) for c, jet in numeric(condition)]


def _median_ratio(
    condition: LinearRows, jets: Jets, residual: np.ndarray, natural: Sequence[float], half_widths: HalfWidths
) -> float:
    """The median of residuals, each relative to its terms, or to those of functions of natural size."""
    if not condition.functional.is_pointwise:
        return 0.0
    with np.errstate(all="ignore"):
        whole = np.zeros(len(residual))
        for part, (c, jet) in zip(terms(condition, jets), numeric(condition), strict=True):
            whole += np.maximum(np.abs(part), np.abs(c) * natural[jet.unknown] / _length(half_widths, jet))
        ratio = float(np.nanmedian(np.abs(residual) / whole)) if len(residual) else 0.0
    return ratio if np.isfinite(ratio) else 0.0


def numeric(condition: LinearRows) -> list[tuple[np.ndarray, Jet]]:
    """The coefficients as arrays, with their derivatives."""
    return [(to_host(c) if isinstance(c, Tensor) else np.asarray(c), jet) for c, jet in condition.operator]


def natural_size(condition: LinearRows, half_widths: HalfWidths) -> float:
    """The size of an equation's terms for functions of size 1 that vary over the domain."""
    return sum(float(np.abs(c).max()) / _length(half_widths, jet) for c, jet in numeric(condition))


def natural_sizes(condition: LinearRows, half_widths: HalfWidths) -> np.ndarray:
    """The same at each point."""
    terms = [np.abs(c) / _length(half_widths, jet) for c, jet in numeric(condition)]
    return np.asarray(np.sum([np.broadcast_to(t, len(condition.functional.points)) for t in terms], axis=0))


def _length(half_widths: HalfWidths, jet: Jet) -> float:
    return float(np.prod(np.power(half_widths[jet.unknown], jet.orders)))


def _value(unknown: int, dimension: int) -> Jet:
    return Jet(unknown, (0,) * dimension)


def _summed(condition: LinearRows, parts: Sequence[np.ndarray]) -> np.ndarray:
    """The sum of terms, at the points or integrated over them."""
    values, T = np.sum(parts, axis=0), condition.functional.T
    return np.asarray(values if T is None else to_host(T) @ values)


def _measure(condition: LinearRows) -> float:
    T = condition.functional.T
    return 1.0 if T is None else float(T.sum())


def _weighted(condition: LinearRows, rows: np.ndarray) -> np.ndarray:
    w = condition.row_weights
    return rows * (to_host(w) if isinstance(w, Tensor) else w)


def _residuals(discretised: Sequence[DiscreteCondition], jets: Sequence[Jets]) -> tuple[np.ndarray, ...]:
    return tuple(p.residual(j) for p, j in zip(discretised, jets, strict=True))

