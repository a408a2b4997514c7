"""Newton and Picard as generators: each yields its states one by one, and the caller decides when to look.

With u the current function and F the equations' residual, a step solves Σ c_α(u) ∂^α δ = −F(u) by least squares and
goes to u + sδ. Newton's coefficients are the Gateaux derivative of F, and its s is found by a line search on ‖F‖ with
the rows weighted as in the least squares; Picard's are the lagged ones, and s = 1.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from .._support.device import to_device
from .._support.progress import time_left
from .._support.steering import Nonlinear
from .._support.stored import stored
from ..basis import TrialSpace
from ..discretise import DiscreteCondition, LinearRows, System, WithFixedWeights, WithRhs, linearise, weigh
from ..discretise.iterate import Iterate
from ..errors import EvaluationError
from ..geometry import Region
from ..lstsq import Failed, Solvable, Solver
from ..problem import Problem


@stored("State")
@dataclass(frozen=True)
class State:
    """Where an iteration stands.

    `residual` is the norm of the weighted equations, and `relative` the largest of theirs relative to its terms;
    `step` is the largest change of u relative to the largest |u|, and `damping` the fraction of the full step that was
    taken, 0 if no fraction made the residual fall; `settled` says that further steps would only be rounding. `rank` is
    the numerical rank of the matrix.
    """

    iteration: int
    residual: float
    relative: float
    step: float
    damping: float
    settled: bool
    rank: int
    row_weights: tuple[float, ...] = field(repr=False)
    weights: Tensor = field(repr=False, compare=False)

    def __str__(self) -> str:
        if self.iteration == 0:
            return f"start: residual {self.residual:.2e}"
        shortened = f", damping {self.damping:.2g}" if self.damping != 1 else ""
        return f"iteration {self.iteration}: residual {self.residual:.2e}, step {self.step:.1e}{shortened}"


@dataclass(frozen=True)
class Iteration:
    """A nonlinear problem at its points, for given features.

    `reference` is a size below whose round-off u counts as zero, if one is known; `memory` is how many bytes may be
    used to keep what the features are at the points. Unless `until_settled`, it goes on to the last iteration.
    """

    problem: Problem
    discretised: Sequence[DiscreteCondition]
    features: TrialSpace
    row_weights: str | Mapping[Region, float]
    line_search: bool
    max_iterations: int
    solver: Solver
    reference: float = 0.0
    memory: int = 0
    until_settled: bool = True

    @cached_property
    def remembering(self) -> TrialSpace:
        """The features, which need not be evaluated again in each iteration."""
        return self.features.cached(self.memory)

    def states(self, start: Tensor) -> Iterator[State]:
        """The states from the start on, which is number 0. Ends when no further step helps, or makes sense."""
        here = Iterate.of(self.problem, self.discretised, self.remembering, start)
        conditions = weigh(linearise(self.discretised, here.jets), self.remembering, self.row_weights)
        factorised, fresh = self._factorised(here, conditions), True
        yield self._state(0, here, conditions, float("nan"), 1.0, False, factorised.rank)
        last, course = float("inf"), list[tuple[float, float]]()
        for k in range(1, self.max_iterations + 1):
            if k > 1 and self.matrix_follows_state and not self._still_serves(last):
                try:
                    conditions = self._linearised(here, conditions)
                except EvaluationError:  # the derivative of an equation at a point where only its value is finite
                    return
                factorised, fresh = self._factorised(here, conditions), True
            before = here.norm(conditions)
            full = factorised.solve(None if fresh else self._target(here, conditions))
            fresh = False
            if full.status != "solved":
                return
            there, damping, step = self._advance(here, full.weights, conditions, before)
            after = there.norm(conditions)
            course.append((step, after))
            settled = self._settled(step, damping, last, before, after) or self._stalled(course)
            yield self._state(k, there, conditions, step * (damping or 1.0), damping, settled, factorised.rank)
            if (settled and self.until_settled) or damping == 0 or not np.isfinite(after) or not time_left():
                return
            here, last = there, step

    @property
    def matrix_follows_state(self) -> bool:
        """Whether the matrix changes from one iteration to the next."""
        return any(p.form.follows_state for p in self.discretised)

    def _still_serves(self, step: float) -> bool:
        """Whether a Jacobian serves again: after a step so small it is the same but for that, and need not be made."""
        return self.line_search and step < Nonlinear.SAME_JACOBIAN

    @property
    def _zero(self) -> float:
        return 1e3 * sys.float_info.epsilon * self.reference

    def _target(self, here: Iterate, conditions: Sequence[LinearRows]) -> Tensor:
        return to_device(here.rhs(conditions), here.weights.device)

    def _factorised(self, here: Iterate, conditions: tuple[LinearRows, ...]) -> Solvable | Failed:
        """The equations near a point, ready to be solved for the next one."""
        return self.solver.factorise(WithRhs(System(conditions, self.remembering), self._target(here, conditions)))

    def _linearised(self, here: Iterate, last: Sequence[LinearRows]) -> tuple[LinearRows, ...]:
        """The equations near a function, weighed as before unless that is far from what they would get now.

        With weights that follow u, one iteration's residual could not be compared with the next's; with those of a
        start far from the solution, an equation might not be seen at all.
        """
        fresh = weigh(linearise(self.discretised, here.jets), self.remembering, self.row_weights)
        drift = [new.weight / old.weight for new, old in zip(fresh, last, strict=True)]
        if any(not 1 / Nonlinear.DRIFT < factor < Nonlinear.DRIFT for factor in drift):
            return fresh
        return tuple(
            replace(new, weight=old.weight, scaling=old.scaling) for new, old in zip(fresh, last, strict=True)
        )

    def _advance(
        self, here: Iterate, goal: Tensor, conditions: Sequence[LinearRows], before: float
    ) -> tuple[Iterate, float, float]:
        """The next point, the fraction of the way to the goal at which it lies, and the relative length of the way."""
        full = self._restored(Iterate.of(self.problem, self.discretised, self.remembering, goal), conditions)
        step = here.step_to(full, self._zero)
        # near the least residual the features allow, it no longer tells one step from another; the steps still shrink
        if not self.line_search or full.norm(conditions) < (1 + Nonlinear.FLAT_RESIDUAL) * before:
            return full, 1.0, step
        fraction = 0.5
        while fraction >= Nonlinear.SHORTEST:
            trial = self._restored(here.towards(full, fraction, self.discretised), conditions)
            if trial.norm(conditions) < (1 - 1e-4 * fraction) * before:
                return trial, fraction, step
            fraction /= 2
        return here, 0.0, step

    def _restored(self, point: Iterate, conditions: Sequence[LinearRows]) -> Iterate:
        """The functions that go with the unknown numbers of a point, if there are such numbers.

        A step changes numbers and functions at once, as if their product were linear. What that leaves in the
        equations would drown what the data, which may have noise and little weight, say about the numbers.
        """
        numbers = sum(c.is_constant for c in self.problem.components)
        if not numbers or not self.line_search:
            return point
        fresh = linearise(self.discretised, point.jets)
        weighed = tuple(
            replace(new, weight=old.weight, scaling=old.scaling) for new, old in zip(fresh, conditions, strict=True)
        )
        last, rows = point.weights[-numbers:], WithRhs(System(weighed, self.remembering), self._target(point, weighed))
        found = self.solver.factorise(WithFixedWeights(rows, last)).solve()
        if found.status != "solved":
            return point
        return Iterate.of(self.problem, self.discretised, self.remembering, torch.cat([found.weights, last]))

    def _settled(self, step: float, damping: float, last: float, before: float, after: float) -> bool:
        """Whether a full step of this relative length says that further ones would only be rounding."""
        if damping == 0:
            return step <= Nonlinear.STUCK_STEP
        part = Nonlinear.SHRINKING if self.line_search else Nonlinear.SHRINKING_PICARD
        shrinking = step <= part * last or after <= part * before
        flat = abs(after - before) <= Nonlinear.FLAT_RESIDUAL * before and damping == 1
        small = Nonlinear.SETTLED_STEP if flat else Nonlinear.SMALL_STEP
        return step <= Nonlinear.TINY_STEP or (not shrinking and step <= small)

    def _stalled(self, course: Sequence[tuple[float, float]]) -> bool:
        """Whether small steps and residuals have long been as small as they get: what is left of them is rounding."""
        count = int(Nonlinear.PATIENCE)
        if len(course) <= count or course[-1][0] > Nonlinear.SETTLED_STEP:
            return False
        earlier, lately = (np.min(part, axis=0) for part in (course[:-count], course[-count:]))
        return bool((lately > Nonlinear.SHRINKING_PICARD * earlier).all())

    def _state(
        self,
        iteration: int,
        point: Iterate,
        conditions: Sequence[LinearRows],
        step: float,
        damping: float,
        settled: bool,
        rank: int,
    ) -> State:
        relative = point.relative_residual(conditions, self.problem.half_widths, self._zero)
        row_weights = tuple(c.weight for c in conditions)
        return State(
            iteration, point.norm(conditions), relative, step, damping, settled, rank, row_weights, point.weights
        )
