"""Newton and Picard as generators: each yields its states one by one, and the caller decides when to look.

With u the current function and F the equations' residual, a step solves Σ c_α(u) ∂^α δ = −F(u) by least squares and
goes to u + sδ. Newton's coefficients are the Gateaux derivative of F, and its s is found by a line search on ‖F‖ with
the rows weighted as in the least squares; Picard's are the lagged ones, and s = 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor

from .assemble import Collocated, Jets, Placed, System, evaluate_jets, linearise, weigh
from .domain import Region
from .errors import EvaluationError
from .features import RandomFeatures
from .lstsq import Direct, Factorised, Failed
from .problem import Jet

TINY_STEP = 1e-13  # relative to u: round-off
SMALL_STEP = 1e-8  # with steps below this that no longer shrink, round-off is reached too
SETTLED = 1e-3  # with steps below this that no longer shrink and a residual that is flat, the features' best is reached
NO_SOLUTION = 0.1  # residual beside the terms of the equations, above which these cannot be said to hold
FLAT = 1e-5  # relative change of the residual that counts as none
SHORTEST = 2.0**-12  # of the fractions of a step that the line search tries


@dataclass(frozen=True)
class State:
    """Where an iteration stands.

    `residual` is the norm of the weighted equations, and `relative` that norm beside the size of the equations' terms;
    `step` is the largest change of u beside the largest |u|, and `damping` the fraction of the full step that was
    taken, 0 if no fraction made the residual fall; `rank` is the numerical rank of the matrix.
    """

    iteration: int
    residual: float
    relative: float
    step: float
    damping: float
    rank: int
    row_weights: tuple[float, ...] = field(repr=False)
    weights: Tensor = field(repr=False, compare=False)

    def __str__(self) -> str:
        shortened = f", damping {self.damping:.2g}" if self.damping != 1 else ""
        return f"iteration {self.iteration}: residual {self.residual:.2e}, step {self.step:.1e}{shortened}"


@dataclass(frozen=True)
class Point:
    """A function Σ w_j φ_j, its jets on every condition, and the equations' residuals there."""

    weights: Tensor
    jets: tuple[Jets, ...]
    residuals: tuple[np.ndarray, ...]

    def stacked(self, conditions: Sequence[Collocated]) -> np.ndarray:
        """The weighted residuals of all the equations."""
        return np.concatenate([c.weight * r for c, r in zip(conditions, self.residuals, strict=True)])

    def target(self, conditions: Sequence[Collocated]) -> np.ndarray:
        """The right-hand sides Σ c_α ∂^α u − F of the equations for u + δ.

        Solving for u + δ rather than for δ determines all weights anew. Those of an early, rough u may be huge, and
        corrections would never take the rounding of these away.
        """
        parts = zip(conditions, self.jets, self.residuals, strict=True)
        return np.concatenate([c.weight * (sum(_terms(c, jets)) - residual) for c, jets, residual in parts])

    def norm(self, conditions: Sequence[Collocated]) -> float:
        """‖F‖, infinite where F is not finite."""
        with np.errstate(all="ignore"):  # a trial step may well overflow, and then it is not taken
            value = float(np.linalg.norm(self.stacked(conditions)))
        return value if np.isfinite(value) else float("inf")


@dataclass(frozen=True)
class Iteration:
    """A nonlinear problem at its points, for given features."""

    placed: Sequence[Placed]
    features: RandomFeatures
    row_weights: str | Mapping[Region, float]
    line_search: bool
    max_iterations: int

    def states(self, start: Tensor) -> Iterator[State]:
        """The states from the start on, which is number 0. Ends when no further step helps, or makes sense."""
        here = self.point(start)
        # weighed once: with weights that followed u, one iteration's residual could not be compared with the next's
        conditions = weigh(linearise(self.placed, here.jets), self.features, self.row_weights)
        factorised = _factorise(conditions, self.features)
        yield _state(0, here, conditions, float("nan"), 1.0, factorised.rank)
        last = float("inf")
        for k in range(1, self.max_iterations + 1):
            if k > 1 and self.matrix_follows_state:
                try:
                    linearised = linearise(self.placed, here.jets)
                except EvaluationError:  # the derivative of an equation at a point where only its value is finite
                    return
                pairs = zip(linearised, conditions, strict=True)
                conditions = tuple(replace(new, weight=old.weight) for new, old in pairs)
                factorised = _factorise(conditions, self.features)
            before = here.norm(conditions)
            full = factorised.solve(torch.as_tensor(here.target(conditions), device=start.device))
            if full.status != "solved":
                return
            there, damping, step = self._advance(here, full.weights, conditions, before)
            yield _state(k, there, conditions, step, damping, factorised.rank)
            after = there.norm(conditions)
            shrinking = step <= 0.7 * last or after <= 0.5 * before
            if step <= TINY_STEP or damping == 0 or not np.isfinite(after):
                return
            if not shrinking and step <= (SETTLED if _flat(before, after) else SMALL_STEP):
                return
            here, last = there, step

    @property
    def matrix_follows_state(self) -> bool:
        """Whether the matrix changes from one iteration to the next."""
        return any(p.form.follows_state for p in self.placed)

    def point(self, weights: Tensor) -> Point:
        """A function given by its weights."""
        value = Jet(0, (0,) * self.features.W.shape[1])
        jets = tuple(
            evaluate_jets(self.features, weights, p.points, tuple(dict.fromkeys((value, *p.jets)))) for p in self.placed
        )
        return self._with_residuals(weights, jets)

    def _with_residuals(self, weights: Tensor, jets: tuple[Jets, ...]) -> Point:
        return Point(weights, jets, tuple(p.residual(j) for p, j in zip(self.placed, jets, strict=True)))

    def _advance(
        self, here: Point, goal: Tensor, conditions: Sequence[Collocated], before: float
    ) -> tuple[Point, float, float]:
        """The next point, the fraction of the way to the goal where it lies, and the relative length of the step."""
        full = self.point(goal)
        step = _relative_step(here, full)
        # near the least residual the features allow, it no longer tells one step from another; the steps still shrink
        if not self.line_search or full.norm(conditions) < (1 + FLAT) * before:
            return full, 1.0, step
        fraction = 0.5
        while fraction >= SHORTEST:
            weights, jets = torch.lerp(here.weights, goal, fraction), _between(here.jets, full.jets, fraction)
            trial = self._with_residuals(weights, jets)
            if trial.norm(conditions) < (1 - 1e-4 * fraction) * before:
                return trial, fraction, fraction * step
            fraction /= 2
        return here, 0.0, step


def verdict(states: Sequence[State], max_iterations: int) -> str:
    """What came of an iteration: "converged", or what went wrong and what to try."""
    last = states[-1]
    if not np.isfinite(last.residual):
        return "the residual became infinite or undefined. Try another initial function, or nonlinear='newton'."
    if len(states) == 1:
        return "the first step could not be computed. Try another initial function."
    settled = last.step <= SETTLED and _flat(states[-2].residual, last.residual)
    if not (last.step <= SMALL_STEP or settled):
        if last.damping == 0:
            return (
                f"no step makes the residual fall below {last.residual:.2e}. Try another initial function, "
                "fens.continuation from an easier problem, or more features."
            )
        return (
            f"after {max_iterations} iterations the step is still {last.step:.1e} of the solution. Try a larger "
            "max_iterations, another initial function, or fens.continuation from an easier problem."
        )
    if last.relative > NO_SOLUTION:
        return (
            f"the iteration ended where the equations do not hold: their residual is {last.relative:.0%} of their "
            "terms. Either there is no solution nearby, or the features cannot represent it; try another initial "
            "function, fens.continuation from an easier problem, or more features."
        )
    return "converged"


def best(states: Sequence[State]) -> State:
    """The state to keep: the one with the smallest residual, and the last of those that are as good."""
    return min(reversed(states), key=lambda s: s.residual if np.isfinite(s.residual) else float("inf"))


def _flat(before: float, after: float) -> bool:
    return abs(after - before) <= FLAT * before


def _factorise(conditions: tuple[Collocated, ...], features: RandomFeatures) -> Factorised | Failed:
    return Direct().factorise(System(conditions, features))


def _state(
    iteration: int, point: Point, conditions: Sequence[Collocated], step: float, damping: float, rank: int
) -> State:
    residual = point.norm(conditions)
    relative = residual / _size(point, conditions)
    return State(
        iteration, residual, relative, step, damping, rank, tuple(c.weight for c in conditions), point.weights
    )


def _size(point: Point, conditions: Sequence[Collocated]) -> float:
    """The norm that the residual would have if the terms of the equations did not cancel."""
    sizes = []
    with np.errstate(all="ignore"):
        for condition, jets, residual in zip(conditions, point.jets, point.residuals, strict=True):
            terms = _terms(condition, jets)
            sizes.append(condition.weight * (sum(map(np.abs, terms)) + np.abs(residual - sum(terms))))
        return float(np.linalg.norm(np.concatenate(sizes))) or 1.0


def _terms(condition: Collocated, jets: Jets) -> list[np.ndarray]:
    """c_α ∂^α u at the points, for each α."""
    pairs = ((c.cpu().numpy() if isinstance(c, Tensor) else c, orders) for c, orders in condition.operator)
    return [np.asarray(c * jets[Jet(0, orders)]) for c, orders in pairs]


def _between(here: Sequence[Jets], full: Sequence[Jets], fraction: float) -> tuple[Jets, ...]:
    return tuple({jet: a[jet] + fraction * (b[jet] - a[jet]) for jet in a} for a, b in zip(here, full, strict=True))


def _relative_step(here: Point, there: Point) -> float:
    value = next(iter(here.jets[0]))
    change = np.abs(there.jets[0][value] - here.jets[0][value]).max()
    return float(change / max(np.abs(there.jets[0][value]).max(), np.finfo(float).tiny))
