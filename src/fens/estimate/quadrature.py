"""Integrals among the conditions, by finer rules than the solve's.

Two solutions share a rule, and with it what the rule makes of a wave, a kink or a bump in an integrand. Other rules put
to the solution tell by how much the condition is missed, and the matrix of the second solution what that changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp
from torch import Tensor

from ..basis import TrialSpace
from ..discretise import DiscreteCondition, evaluate_jets
from ..discretise.functionals import finer_rules
from ..errors import EvaluationError
from .second import Probes, Second, values_at


@dataclass(frozen=True)
class Checked:
    """An integral, the number of its condition, and the same condition by finer rules, the finest last."""

    number: int
    own: DiscreteCondition
    finer: Sequence[DiscreteCondition]

    def missed(self, features: TrialSpace, weights: Tensor) -> np.ndarray:
        """What finer rules make of the condition, less what its own does: the largest difference of each row."""
        own = _residual(self.own, features, weights)
        gaps = [np.abs(_residual(p, features, weights) - own) for p in self.finer]
        return np.asarray(np.max([np.nan_to_num(gap, nan=np.inf) for gap in gaps], axis=0))


def checked(
    discretised: Sequence[DiscreteCondition],
    coordinates: Sequence[sp.Symbol],
    singular: Sequence[tuple[float, ...]] = (),
) -> list[Checked]:
    """The integrals among conditions that can be evaluated at the points of finer rules."""
    found = []
    for k, p in enumerate(discretised):
        if p.condition.equation.functional == "integral":
            rules = finer_rules(p.condition.region, singular)
            finer = [p.moved(samples, coordinates, weights[None, :]) for samples, weights in rules]
            if finer:
                found.append(Checked(k, p, finer))
    return found


def errors_of_rules(
    found: Sequence[Checked], second: Second, features: TrialSpace, weights: Tensor, probes: Sequence[Probes]
) -> list[tuple[int, list[float]]]:
    """For each integral its number, and how much its rule may change each unknown."""
    errors = []
    for integral in found:
        try:
            missed = integral.missed(features, weights)
        except EvaluationError:  # a callable may take the points of a solve and no others
            continue
        if not np.isfinite(missed).all():
            errors.append((integral.number, [float("inf")] * len(probes)))
            continue
        change = second.change(integral.number, missed)
        values = values_at(second.features, change, probes)
        errors.append((integral.number, [float(np.nan_to_num(np.abs(v), nan=np.inf).max()) for v in values]))
    return errors


def _residual(discretised: DiscreteCondition, features: TrialSpace, weights: Tensor) -> np.ndarray:
    with np.errstate(all="ignore"):
        return discretised.residual(evaluate_jets(features, weights, discretised.functional, discretised.jets))
