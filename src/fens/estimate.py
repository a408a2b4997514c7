"""How wrong a solution is, and how far that number can be trusted; without knowing the exact one.

The problem is solved once more, with independent features and points. Two such solutions err independently of each
other, so that their difference is of the size of the error. What they may have in common, an equation that does not
determine its solution, is found by a test of the same matrix: random functions, put through the equations, must be
found again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .assemble import Collocated, Placed, System, evaluate_jets, linearise, mean_row_norm, place, weigh
from .domain import Clustered, Demand
from .errors import EvaluationError
from .features import Distribution, Isotropic, RandomFeatures
from .fit import Stats, draw_features, place_elsewhere, place_points
from .lstsq import Direct, Factorised
from .nonlinear import Point, numeric
from .problem import LINEARISATIONS, Jet, Problem
from .settings import Settings

EPS = float(np.finfo(np.float64).eps)
SAFETY = 2.0  # the difference of two solutions can be smaller than the error of either
PROBES = 1000  # points in the domain at which functions are compared
CORNERS = 200  # and at its corners
UNRESOLVED = 0.01  # residual of an equation beside its terms, above which two solutions may err alike
VIOLATED = 0.1  # and above which the equations do not hold, and the solution may be anything
UNCERTAIN = 0.05  # relative error above which a solution is not one
DETERMINED = 1e-8  # relative error to which a random function must be found again
STABLE = 300.0  # largest change of a solution beside that of its data
ROUNDED = 3e-14  # residual of an equation beside its terms, up to which it is rounding
SMOOTH = 20  # one in so many features makes the smooth one of the random functions


@dataclass(frozen=True)
class Evidence:
    """What an error estimate rests on.

    `residuals` has, for each region, the residual of its equation beside the terms, at points the solve did not use;
    `disagreement` is the largest difference from a solution with independent features and points; `recovery` the
    relative error with which random functions are found again from what the equations tell of them; `sensitivity`
    how much random changes of the equations change the solution, beside their sizes; `rounding` the size of the
    weighted features times the unit of round-off.
    """

    residuals: Mapping[str, float]
    disagreement: float
    recovery: float
    sensitivity: float
    rounding: float

    @property
    def determined(self) -> bool:
        """Whether the equations determine a solution, and one that depends continuously on them."""
        return self.recovery <= DETERMINED and self.sensitivity <= STABLE


@dataclass(frozen=True)
class Error:
    """The error of a solution: `estimate` is the largest absolute one to be expected, `relative` beside the solution.

    The verdict is "roundoff-limited" (no choice of features would help much), "approximation-limited" (more features
    would), or "unreliable" (the estimate itself is not to be trusted).
    """

    estimate: float
    relative: float
    verdict: str
    advice: str
    evidence: Evidence

    def __repr__(self) -> str:
        return f"Error({self.estimate:.1e}, relative {self.relative:.1e}, {self.verdict}: {self.advice})"


def estimate_error(
    problem: Problem,
    settings: Settings,
    features: RandomFeatures,
    weights: Tensor,
    distribution: Distribution,
    scales: Sequence[float],
    stats: Stats,
    seed: np.random.SeedSequence,
) -> Error:
    """The error of Σ w_j φ_j as a solution of a problem."""
    for_held_out, for_points, for_features, for_probes = seed.spawn(4)
    held_out = place_elsewhere(problem, settings, for_held_out)
    here = Point.of(held_out, features, weights)
    conditions = linearise(held_out, None if problem.is_linear else here.jets)
    residuals = here.imbalances(conditions, problem.domain.half_widths, 0.0)

    probes = _probes(problem, held_out, for_probes)
    value = _values(features, weights, probes)
    other = draw_features(problem, settings, for_features, distribution).scaled(scales, weights.device)
    second = _second(problem, settings, features, weights, other, for_points)
    disagreement = recovery = sensitivity = float("inf")
    if second is not None:
        rng = np.random.default_rng(for_probes)
        disagreement = float(np.abs(value - _values(other, second.weights, probes)).max())
        recovery, sensitivity = second.recovery(probes, rng), second.sensitivity(problem, probes, rng)
    names = _names([c.condition.region.name for c in conditions])
    rounding = EPS * float(torch.linalg.vector_norm(weights))
    evidence = Evidence(dict(zip(names, residuals, strict=True)), disagreement, recovery, sensitivity, rounding)
    return judged(evidence, float(np.abs(value).max()), stats, not isinstance(distribution, Isotropic))


def judged(evidence: Evidence, size: float, stats: Stats, alike: bool = False) -> Error:
    """The estimate and the verdict that follow from the evidence.

    Solutions `alike` have frequencies from one learnt distribution, and may lack the same.
    """
    worst = max(evidence.residuals.values())
    error = SAFETY * evidence.disagreement
    if alike or worst > UNRESOLVED:
        error = max(error, SAFETY * worst * size)
    if not evidence.determined or worst > VIOLATED:  # what the equations do not tell may be of any size
        error = float("inf")
    relative = error / size if size > 0 else (0.0 if error == 0 else float("inf"))

    def verdict(name: str, advice: str) -> Error:
        return Error(error, relative, name, advice, evidence)

    if not evidence.recovery <= DETERMINED:
        return verdict(
            "unreliable",
            "The equations do not determine the solution: other functions satisfy them as well. Look for a missing "
            "condition, a resonance, or too few points.",
        )
    if not evidence.sensitivity <= STABLE:
        return verdict(
            "unreliable",
            "The solution does not depend continuously on the equations: a small change of them makes one of it "
            f"{evidence.sensitivity:.0e} times as large. Look for a resonance, an equation solved against its "
            "direction of time, or conditions of the wrong kind.",
        )
    if stats.status != "converged":
        return verdict("unreliable", f"The nonlinear iteration {stats.status}: {stats.advice}")
    if not relative <= UNCERTAIN or worst > UNRESOLVED:
        return verdict(
            "unreliable",
            f"An equation holds only to {worst:.1%} of its terms, and solutions with other features differ by "
            f"{evidence.disagreement:.1e}: the solution is not resolved, or there is none. Take more features.",
        )
    if worst <= ROUNDED:
        return verdict("roundoff-limited", "The equations hold to rounding; more features would not help much.")
    return verdict("approximation-limited", "More features would lower the error; tol= asks for as many as needed.")


def _names(regions: Sequence[str]) -> list[str]:
    """A name for each equation: that of its region, with a number where that has several."""
    return [
        f"{name}, equation {regions[:k].count(name) + 1}" if regions.count(name) > 1 else name
        for k, name in enumerate(regions)
    ]


def _probes(problem: Problem, held_out: Sequence[Placed], seed: np.random.SeedSequence) -> Tensor:
    """Points of the domain, its faces and corners at which functions are compared."""
    domain, device = problem.domain, held_out[0].points.device
    inside, corners = seed.spawn(2)
    lower, upper = np.array(domain.bounds).T
    at_corners = np.where(np.random.default_rng(corners).random((CORNERS, len(lower))) < 0.5, lower, upper)
    points = [
        Clustered(interior=PROBES).sample(Demand.inside(domain), inside)[0].points,
        at_corners[domain.contains(at_corners)],  # of which a box in many dimensions has more than points inside
    ]
    on_faces = [p.points for p in held_out if p.condition.region is not domain]
    return torch.cat([torch.as_tensor(np.concatenate(points), device=device), *on_faces])


@dataclass(frozen=True)
class Second:
    """A solution with other features at other points, and the factorised matrix, which tests can use again."""

    conditions: tuple[Collocated, ...]
    features: RandomFeatures
    factorised: Factorised
    weights: Tensor

    def recovery(self, probes: Tensor, rng: np.random.Generator) -> float:
        """The relative error with which two random functions of the features, one of them smooth, are found again."""
        W = self.features.W
        smoothest = torch.argsort(torch.linalg.vector_norm(W, dim=1))[: -(-len(W) // SMOOTH)]
        worst = 0.0
        for chosen in (slice(None), smoothest):
            weights = torch.zeros_like(self.weights)
            weights[chosen] = torch.as_tensor(rng.standard_normal(len(W)), device=W.device)[chosen]
            found = self.factorised.solve(self.factorised.image(weights))
            change, size = (self._largest(w, probes) for w in (found.weights - weights, weights))
            worst = max(worst, change / size if found.status == "solved" else float("inf"))
        return worst

    def sensitivity(self, problem: Problem, probes: Tensor, rng: np.random.Generator) -> float:
        """The largest change of the solution when the equations change at random, by as much as functions of size 1.

        These are functions that vary over the domain, or as the features do where these vary more slowly.
        """
        noise = []
        for c in self.conditions:
            natural = sum(
                float(np.abs(coefficient).max() / np.prod(np.power(problem.domain.half_widths, orders)))
                for coefficient, orders in numeric(c)
            )
            size = min(c.weight * natural, mean_row_norm(c, self.features) / np.sqrt(len(self.features) / 2))
            noise.append(torch.as_tensor(size * rng.standard_normal(len(c)), device=probes.device))
        found = self.factorised.solve(torch.cat(noise))
        return self._largest(found.weights, probes) if found.status == "solved" else float("inf")

    def _largest(self, weights: Tensor, probes: Tensor) -> float:
        return float(np.abs(_values(self.features, weights, probes)).max())


def _second(
    problem: Problem,
    settings: Settings,
    features: RandomFeatures,
    weights: Tensor,
    other: RandomFeatures,
    seed: np.random.SeedSequence,
) -> Second | None:
    """The solution with other features at other points; None if there is none.

    For a nonlinear problem it is that of the equations linearised at the first solution.
    """
    samples = place_points(problem, settings, seed)
    placed = place(problem, samples, LINEARISATIONS[settings.nonlinear], weights.device)
    first = None if problem.is_linear else Point.of(placed, features, weights)
    try:
        conditions = weigh(linearise(placed, None if first is None else first.jets), other, settings.weights)
    except EvaluationError:
        return None
    if first is None:
        target = torch.cat([c.source * c.weight for c in conditions])
    else:
        target = torch.as_tensor(first.target(conditions), device=weights.device)
    factorised = Direct().factorise(System(conditions, other))
    result = factorised.solve(target)
    if not isinstance(factorised, Factorised) or result.status != "solved":
        return None
    return Second(conditions, other, factorised, result.weights)


def _values(features: RandomFeatures, weights: Tensor, points: Tensor) -> np.ndarray:
    value = Jet(0, (0,) * features.W.shape[1])
    return evaluate_jets(features, weights, points, (value,))[value]
