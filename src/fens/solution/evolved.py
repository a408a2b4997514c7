"""A solution that was marched through time, as one function."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from torch import Tensor

from .._support.device import to_host
from .._support.numbers import real_array
from .._support.stored import stored
from ..basis import Combinations, TimeSlabs
from ..discretise import RowFunctional, evaluate_jets
from ..discretise.field import Fields
from ..errors import SettingError, Unconverged, quoted
from ..geometry import Cylinder, Samples
from ..problem import Problem
from .integral import parts_of
from .solution import Solution

MOST_TIMES = 100_000
RULE = 24  # points along each axis, at first
SAME = 1e-11  # change of integrals relative to those of absolute values, with which they are found
MOST_POINTS = 200_000


@stored("Restart")
@dataclass(frozen=True)
class Restart:
    """Where a march may go on: of both, how many features of space were asked for, their functions, and coefficients of
    each unknown and its derivatives in time; and the sizes of the unknowns so far.
    """

    features: tuple[int, ...]
    spaces: tuple[Combinations, ...]
    states: tuple[tuple[Tensor, ...], ...]
    sizes: Tensor


@dataclass(frozen=True, eq=False)
class Balance:
    """What an expression adds up to over space, at some times: a mass, an energy."""

    times: np.ndarray
    values: np.ndarray

    @property
    def change(self) -> float:
        """The largest difference from the first value, relative to the largest one."""
        size = float(np.abs(self.values).max())
        return float(np.abs(self.values - self.values[0]).max()) / size if size else 0.0

    def __repr__(self) -> str:
        ends = f"t = {self.times[0]:.6g} to {self.times[-1]:.6g}"
        return f"{self.values[0]:.10g} at first, from {ends} it changes by {self.change:.1e} of its size"


@stored("EvolvedSolution")
@dataclass(frozen=True, repr=False, eq=False)
class EvolvedSolution(Solution):
    """A solution in slabs of time whose lengths suit it.

    Where it ends before the problem that was asked for, `ended` says why, and `problem` is that up to there.
    """

    ended: str = ""
    asked: Problem | None = None
    restart: Restart | None = None

    @property
    def slabs(self) -> TimeSlabs:
        """The functions of the first unknown, which has what all have in common."""
        member = self.features.members[0]
        assert isinstance(member, TimeSlabs)
        return member

    @cached_property
    def times(self) -> np.ndarray:
        """Where slabs begin, and the end of the last one."""
        return np.concatenate([to_host(self.slabs.starts), to_host(self.slabs.ends)[-1:]])

    @property
    def end(self) -> float:
        """The time up to which it is known."""
        return float(self.times[-1])

    def balance(self, expression: Any, times: Iterable[float] | None = None, points: int | None = None) -> Balance:
        """∫ of an expression over space at some times, by default those of the slabs: is what should be conserved so?

        `expression` may have the unknowns, their derivatives and the coordinates. `points` is how many there are along
        each direction of space; by default ever more, until the integrals no longer change.
        """
        when = self.times if times is None else self._checked(times)
        parts = parts_of(expression, self.problem, "balance()")
        if len(parts) > 1:
            raise SettingError(f"balance() takes an expression with real values; got {quoted(expression)}.")
        domain = self.problem.domain
        if not isinstance(domain, Cylinder):
            return Balance(when, self._integrals(parts[0], when, np.zeros((1, 0)), np.ones(1))[0])
        count, former = RULE if points is None else points, np.full(len(when), np.inf)
        while True:
            samples, factors = domain.base.rule(count)
            found, size = self._integrals(parts[0], when, samples.points, factors)
            same = np.abs(found - former).max() <= SAME * size.max()
            if points is not None or same or len(factors) > MOST_POINTS:
                break
            count, former = 2 * count, found
        if points is None and not same:
            change = np.abs(found - former).max()
            message = f"The integrals of {expression} still change with the points by {change:.1e}."
            warnings.warn(message, Unconverged, stacklevel=2)
        return Balance(when, found)

    def _integrals(self, part: Any, when: np.ndarray, space: np.ndarray, factors: np.ndarray) -> tuple[Any, Any]:
        """Those of an expression at times, and of its absolute value."""
        formula, jets = part
        axis, fields = self.slabs.axis, Fields(self.problem, self.features, self.weights)
        found = []
        for t in when:
            here = np.insert(space, axis, t, axis=1)
            rows = RowFunctional.of(Samples(here), self.weights.device)
            values = {x: here[:, i] for i, x in enumerate(self.problem.coordinates)}
            known = evaluate_jets(fields.features, fields.weights, rows, [jet for jet, _ in jets])
            values |= {symbol: known[jet] for jet, symbol in jets}
            integrand = formula(values, len(here))
            found.append((float(factors @ integrand), float(np.abs(factors) @ np.abs(integrand))))
        sums = np.array(found)
        return sums[:, 0], sums[:, 1]

    def _checked(self, times: Iterable[float]) -> np.ndarray:
        given = times if isinstance(times, np.ndarray) else list(times)
        message = f"balance() takes times from {self.times[0]:g} to {self.end:g}; got {quoted(times)}."
        when = np.atleast_1d(real_array(given, SettingError, message))
        inside = (when >= self.times[0]) & (when <= self.end)
        if when.ndim != 1 or not 0 < len(when) <= MOST_TIMES or not inside.all():
            raise SettingError(message)
        return when

    def __repr__(self) -> str:
        lines = super().__repr__().split("\n  ")
        time = self.problem.coordinates[self.slabs.axis]
        lines[1] = (
            f"{self.stats.features} functions of space times polynomials of degree {self.slabs.degree} in "
            f"{len(self.slabs.which)} slabs of time, to {time} = {self.end:.10g}"
        )
        lines[2] = f"residual {self.stats.residual:.1e} of the terms, {sum(self.stats.seconds.values()):.2f} s"
        return "\n  ".join([*lines, self.ended] if self.ended else lines)
