"""A second solution, with independent features and points, and what its matrix tells of how far both can be trusted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from .._support.device import to_device, to_host
from .._support.numbers import rms
from .._support.steering import Discretisation, SecondSolve
from ..basis import Corner, TrialSpace
from ..discretise import (
    DiscreteCondition,
    LinearRows,
    evaluate,
    mean_row_norm,
)
from ..errors import EvaluationError
from ..fit.discrete import DiscreteProblem, place_points
from ..geometry import Clustered, Demand, Domain
from ..lstsq import Solvable
from ..nonlinear import natural_size, natural_sizes
from ..problem import Problem


@dataclass(frozen=True)
class Probes:
    """Points at which functions are compared: in a domain, on its faces and, the last of them, `far` from the others.

    These are corners, and points that are farthest along frequencies. In many dimensions errors are largest there,
    where the directions along which the solution varies, which frequencies learn, lead away from all other points.
    """

    points: Tensor
    far: int
    factors: Tensor

    @classmethod
    def of(
        cls,
        domain: Domain,
        held_out: Sequence[DiscreteCondition],
        W: Tensor | None,
        seed: np.random.SeedSequence,
        corners_of_poles: Sequence[Corner] = (),
    ) -> Probes:
        """Those of a domain, for features with these frequencies.

        Functions that have no bound at some corners, as a pressure where a lid meets a wall, are compared after
        multiplication by the power of the distance with which they have one.
        """
        for_inside, for_corners = seed.spawn(2)
        lower, upper = np.array(domain.bounds).T
        drawn = np.random.default_rng(for_corners).random((SecondSolve.FAR_POINTS, len(lower)))
        corners = np.where(drawn < 0.5, lower, upper)
        along = [] if W is None else [domain.farthest(to_host(W[:SecondSolve.FAR_POINTS]))]
        far = np.unique(np.concatenate([corners, *along]), axis=0)
        far = far[domain.contains(far)]
        inside = Clustered(interior=SecondSolve.PROBES).sample(Demand.inside(domain), for_inside)[0].points
        faces = [p.points for p in held_out if p.condition.region.domain == domain and p.condition.region != domain]
        device = held_out[0].points.device
        points = torch.cat([to_device(inside, device), *faces, to_device(far, device)])
        factors = torch.ones_like(points[:, 0])
        for c in corners_of_poles:
            r = torch.linalg.vector_norm(points[:, list(c.axes)] - to_device(np.array(c.place), device), dim=1)
            factors *= torch.clamp(r / c.near, max=1.0) ** c.pole
        return cls(points, len(far), factors)


@dataclass(frozen=True)
class Second:
    """A solution with other features at other points, and the factorised matrix, which tests can use again."""

    conditions: tuple[LinearRows, ...]
    features: TrialSpace
    factorised: Solvable
    weights: Tensor

    def responses(self, problem: Problem, probes: Sequence[Probes], rng: np.random.Generator) -> Responses:
        """What comes out for several right-hand sides, solved for and evaluated all at once."""
        known = self._random_functions(rng)
        sides = [*self.factorised.matvec(known).T, *self._changes(problem, rng), *self._noises(rng)]
        found = self.factorised.weights_for(torch.stack(sides).T, refined=False)
        found[:, : known.shape[1]] -= known  # what their being found again misses
        values = values_at(self.features, torch.cat([self.weights[:, None], known, found], 1), probes)
        return Responses(values, [p.far for p in probes])

    def change(self, number: int, of_rows: np.ndarray) -> Tensor:
        """The weights of what a change of the right-hand side of one condition makes of the solution."""
        parts = [np.zeros(len(c)) if k != number else of_rows for k, c in enumerate(self.conditions)]
        factors = [to_host(torch.as_tensor(c.row_weights)) for c in self.conditions]
        side = np.concatenate([part * factor for part, factor in zip(parts, factors, strict=True)])
        return self.factorised.weights_for(to_device(side, self.weights.device)[:, None], refined=False)[:, 0]

    def _random_functions(self, rng: np.random.Generator) -> Tensor:
        """The weights of two random functions of the features, one of them smooth."""
        smoothest = to_device(torch.cat([_smoothest(m.speeds) for m in self.features.members]), self.weights.device)
        chosen = torch.stack([torch.ones_like(smoothest), smoothest])
        return (to_device(rng.standard_normal(tuple(chosen.shape)), chosen.device) * chosen).T

    def _changes(self, problem: Problem, rng: np.random.Generator) -> list[Tensor]:
        """Random changes of the equations, by as much as functions of size 1.

        These are functions that vary over the domain, or as the features do where these vary more slowly. Where terms
        are large without end, as u′/x is next to zero, each row changes relative to its own.
        """
        sizes = []
        for c in self.conditions:
            weight, own = to_host(torch.as_tensor(c.row_weights)), natural_sizes(c, problem.half_widths)
            natural = np.full(len(c), float(weight.mean()) * natural_size(c, problem.half_widths))
            if len(own) == len(c) and own.max() > Discretisation.UNEVEN * np.median(own):
                natural = np.minimum(natural, weight * own)
            sizes.append(np.minimum(natural, mean_row_norm(c, self.features) / np.sqrt(len(self.features) / 2)))
        drawn = np.concatenate(sizes) * rng.standard_normal((SecondSolve.CHANGES, sum(map(len, self.conditions))))
        return list(to_device(drawn, self.weights.device))

    def _noises(self, rng: np.random.Generator) -> list[Tensor]:
        """A few samples of the noise of the data, if they have any."""
        if all(c.noise is None for c in self.conditions):
            return []
        deviations = torch.cat([c.weighted_noise for c in self.conditions])
        drawn = rng.standard_normal((SecondSolve.NOISES, len(deviations)))
        return list(to_device(drawn, deviations.device) * deviations)


def _smoothest(speeds: Tensor) -> Tensor:
    """1 for the slowest functions, 0 for the others."""
    chosen = torch.zeros_like(speeds)
    chosen[torch.argsort(speeds)[: -(-len(speeds) // SecondSolve.SMOOTH)]] = 1.0
    return chosen


@dataclass(frozen=True)
class Responses:
    """Values at probes, a matrix for each unknown: of the second solution, of two random functions, of what their
    being found again misses, of what random changes of the equations make, and of what each sample of noise makes;
    and how many of the probes of each are far from the others.
    """

    values: Sequence[np.ndarray]
    far: Sequence[int]

    @property
    def solution(self) -> list[np.ndarray]:
        """The second solution."""
        return [v[:, 0] for v in self.values]

    @property
    def recovery(self) -> float:
        """The largest relative error with which random functions are found again."""
        return max(float((sizes[3:5] / sizes[1:3]).max()) for sizes in self._sizes)

    @property
    def sensitivity(self) -> float:
        """The largest change of the solution when the equations change at random.

        Not at corners and the like: in many dimensions these are far from most points at which an equation is asked to
        hold, and what random changes make there says nothing of how the solution depends on the equations.
        """
        changes = (v[: len(v) - far, 5 : 5 + SecondSolve.CHANGES] for v, far in zip(self.values, self.far, strict=True))
        return max(rms(np.nan_to_num(np.abs(change).max(axis=0), nan=np.inf)) for change in changes)

    def noise(self, problem: Problem) -> dict[str, float]:
        """The change of each unknown that noise of the data makes, the largest of the samples."""
        named = zip(problem.components, self._sizes, strict=True)
        first = 5 + SecondSolve.CHANGES
        return {c.name: float(sizes[first:].max()) for c, sizes in named if len(sizes) > first}

    @cached_property
    def _sizes(self) -> list[np.ndarray]:
        """The largest value of each function; infinite if it could not be found."""
        return [np.nan_to_num(np.abs(v).max(axis=0), nan=np.inf) for v in self.values]


def second_solution(
    discrete: DiscreteProblem,
    features: TrialSpace,
    weights: Tensor,
    other: TrialSpace,
    seed: np.random.SeedSequence,
    *,
    weighed_alike: bool = False,
) -> Second | None:
    """The solution with other features at other points; None if there is none.

    For a nonlinear problem it is that of the equations linearised at the first solution. Rows are weighted for the
    other features or, `weighed_alike`, as for the first: of equations that contradict each other, weights decide.
    """
    conditions = discrete.at(place_points(discrete.problem, discrete.settings, seed))
    near = discrete.near(conditions, features, weights)
    try:
        rows = discrete.linearised(conditions, near, features if weighed_alike else other)
    except EvaluationError:
        return None
    if weighed_alike:  # and as if each equation had as many rows
        pairs = zip(rows, discrete.conditions, strict=True)
        rows = tuple(replace(c, weight=c.weight * math.sqrt(p.rows / len(c))) for c, p in pairs)
    found = discrete.factorised(rows, near, other)
    return None if found is None else Second(rows, other, found[0], found[1].weights)


def values_at(features: TrialSpace, weights: Tensor, probes: Sequence[Probes]) -> list[np.ndarray]:
    """Each unknown at its probes."""
    parts = zip(features.members, features.columns, probes, strict=True)
    value = (0,) * features.dimension
    found = []
    for f, columns, where in parts:
        values = evaluate(f, weights[columns], where.points, [value])[0]
        factors = to_host(where.factors)
        found.append(values * (factors if values.ndim == 1 else factors[:, None]))
    return found
