"""What equations do with values of a solution that it has between the points of a fit.

A solution may be resolved, and a function of it or of its derivatives not be: exp(−(10⁴(u − ½))²) is zero at all points
if none of them is near u = ½. So on short ways between neighbouring points the derivatives that an equation contains
are interpolated, and the terms that are made of them looked at there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp
from torch import Tensor

from .._support.steering import Scanning
from ..basis import TrialSpace
from ..discretise import DiscreteCondition, evaluate_jets
from ..errors import EvaluationError
from ..problem import Formula, Problem
from .local import NOWHERE, LocalError, Look
from .scan import waves_of

Values = Mapping[sp.Symbol, np.ndarray]


def between_points(
    problem: Problem,
    discretised: Sequence[DiscreteCondition],
    features: TrialSpace,
    weights: Tensor,
    sizes: Sequence[float],
    seed: np.random.SeedSequence,
) -> LocalError:
    """The largest error that terms make which stand out between points, as if all of it were left over."""
    found = [NOWHERE]
    for k, (p, stream) in enumerate(zip(discretised, seed.spawn(len(discretised)), strict=True)):
        pointwise = p.is_pointwise and not p.condition.region.has_pairs
        if problem.is_linear or not pointwise or len(p.samples) < Scanning.NEIGHBOURS:
            continue
        jets = evaluate_jets(features, weights, p.functional, p.jets)
        state = {symbol: jets[jet] for jet, symbol in p.form.equation.jets}
        terms = _hiding_terms(p, state)
        look = Look.of(p, features, weights) if terms else None
        if look is not None:
            domain = p.condition.region.domain or problem.domain
            slowest = np.broadcast_to(1 / np.array(domain.half_widths), look.points.shape)
            ways = Ways.between(p.samples.points, np.random.default_rng(stream))
            found += [_error(k, t, {**p.values, **state}, ways, look.whole(sizes, slowest)) for t in terms]
    return max(found, key=lambda e: e.relative)


def _hiding_terms(p: DiscreteCondition, state: Values) -> list[Formula]:
    """Terms of an equation in which functions of the unknowns are more than polynomials and slow waves."""
    reach = {symbol: float(np.ptp(values)) / 2 or 1.0 for symbol, values in state.items()}
    terms = sp.Add.make_args(p.form.source.expression)
    waves = [(t, waves_of(t, reach)) for t in terms if t.free_symbols & set(reach)]
    return [Formula(t) for t, w in waves if w is None or w > Scanning.PLAIN_WAVES]


@dataclass(frozen=True)
class Ways:
    """Places on ways from points to their neighbours: from which to which, how far, and what part of a domain it is."""

    points: np.ndarray
    neighbours: np.ndarray
    start: np.ndarray
    end: np.ndarray
    share: np.ndarray
    part: np.ndarray

    @classmethod
    def between(cls, points: np.ndarray, rng: np.random.Generator) -> Ways:
        """Random ones."""
        from scipy.spatial import cKDTree

        n, d = points.shape
        width = np.where((w := np.ptp(points, axis=0)) > 0, w, 1.0)
        count = min(Scanning.NEIGHBOURS * (d + 1) + 1, n)
        neighbours = np.asarray(cKDTree(points / width).query(points / width, k=count)[1])
        start = np.arange(Scanning.LOOKS) % n
        end = neighbours[start, rng.integers(1, 1 + min(2 * d + 2, count - 1), len(start))]
        away = np.sqrt((((points[start] - points[end]) / width) ** 2).sum(axis=1)) ** d
        total = float(away.sum())
        part = away / total if total > 0 else away
        return cls(points, neighbours, start, end, rng.random(len(start)), part)

    def at(self, values: np.ndarray) -> np.ndarray:
        """Values at points, interpolated."""
        return np.asarray((1 - self.share) * values[self.start] + self.share * values[self.end])

    def beyond(self, here: np.ndarray, there: np.ndarray) -> np.ndarray:
        """By how much values on the ways leave those at neighbouring points, where that is by far."""
        least, most = here[self.neighbours].min(axis=1)[self.start], here[self.neighbours].max(axis=1)[self.start]
        beyond = np.maximum(there - most, least - there)
        return np.asarray(np.where(beyond > Scanning.BEYOND * (most - least), beyond, 0.0))


def _error(number: int, term: Formula, values: Values, ways: Ways, whole: np.ndarray) -> LocalError:
    """What is left of an equation between points by a term of it, as a part of all that it has, and where most is."""
    try:
        with np.errstate(all="ignore"):
            here = term(values, len(ways.points))
            there = term({s: ways.at(v) for s, v in values.items()}, len(ways.start))
            beyond = ways.beyond(here, there) / whole[ways.start]
    except EvaluationError:
        return NOWHERE
    beyond = np.where(np.isfinite(beyond), beyond, 0.0)
    at = int(np.argmax(beyond))
    place = tuple(float(ways.at(column)[at]) for column in ways.points.T)
    where = f"({', '.join(f'{v:.6g}' for v in place)})"
    return LocalError(float(beyond @ ways.part), number, where, place)
