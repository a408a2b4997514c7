"""Frequencies that learn where a solution varies.

A rough solution tells along which directions it varies, and which coordinates it couples; the next frequencies are
drawn accordingly, and kept if the equations then hold better at points that no fit used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from .._support.numbers import rms
from .._support.progress import time_left
from .._support.stored import stored
from ..basis import (
    AroundHoles,
    Distribution,
    Draws,
    Hole,
    Isotropic,
    Localised,
    Mixture,
    Oriented,
    Sparse,
    all_isotropic,
)
from ..discretise.field import Field
from ..fit.discrete import DiscreteProblem, draw_features
from ..fit.scale import ScaleChoice, ScaleHint, choose_scale
from ..fit.search import ROUND_OFF, Search
from ..geometry import Clustered, Demand, Reaching
from ..options.settings import Settings
from ..problem import Problem

ROUNDS = 12
PAYS = 0.7  # of the held-out residual that a round must leave at most
SPARED = 0.1  # of the frequencies follow nothing learnt, so that nothing is lost
COUPLED = 0.1  # second derivative across two coordinates, beside the largest, from which on they are coupled
MOST_HOLES = 10
AT_HOLES = 0.5  # of the features have singularities in the holes
MOST_SUBSETS = 100
LARGER = 2.0  # factor from the scale of one round to the first that the next tries
MANY = 3  # coordinates, above which pilots have sparse frequencies and rounds are worth trying at once
UNRESOLVED = 1e-3  # residual of an equation beside its terms, above which they are worth trying in any dimension
LEARNT = 0.1  # of the held-out residual that more features must leave for a distribution to serve again
SERVES = 1e-10  # or the residual below which it does in any case
REACHING = 0.2  # of the points, as many more on the way to where the domain is farthest along frequencies
REACHED = 100  # frequencies of each unknown that are followed
SLOPE_POINTS = 1000
COUPLING_POINTS = 200


Distributions = tuple[Distribution, ...]  # one for each component of the unknowns


@dataclass(frozen=True)
class Candidate:
    """Frequencies drawn from distributions, and the scale chosen for them."""

    distributions: Distributions
    unscaled: Draws
    choice: ScaleChoice

    @property
    def loss(self) -> float:
        """The held-out residual."""
        return min(self.choice.search.losses) if self.choice.search else float("inf")


@stored("Round")
@dataclass(frozen=True)
class Round:
    """A trial of adapted frequencies: what was learnt, how they were drawn, the held-out residual, and if it fell."""

    kind: str
    distributions: Distributions
    loss: float
    kept: bool


def first_distributions(problem: Problem, settings: Settings) -> Distributions:
    """What the frequencies of a pilot are drawn from."""
    d = len(problem.coordinates)
    if settings.frequencies is not None:
        first: Distribution = settings.frequencies
    elif settings.adapts is False or d <= MANY:
        first = Isotropic()
    else:
        first = Mixture(((0.5, Isotropic()), (0.5, Sparse.of_few(d))))
    return (first,) * len(problem.components)


def adapt(
    discrete: DiscreteProblem, pilot: Candidate, for_rounds: np.random.SeedSequence
) -> tuple[Candidate, tuple[Round, ...]]:
    """The best candidate after as many rounds as pay, and what was tried."""
    best, rounds = pilot, list[Round]()
    kinds = set(PROPOSALS)
    for seed in for_rounds.spawn(ROUNDS):
        before, function = best, best.choice.function
        if before.loss <= ROUND_OFF or function is None or not time_left():
            break
        larger = ScaleHint(tuple(LARGER * s for s in _common(before.choice.scales, len(discrete.problem.coordinates))))
        for kind in sorted(kinds):
            distributions = proposed(kind, before)
            if distributions is None:
                continue
            hint = None if kind == "holes" else larger  # what plain features needed says nothing of these
            unscaled = draw_features(discrete.problem, discrete.settings, seed.spawn(1)[0], distributions)
            other = Candidate(distributions, unscaled, choose_scale(discrete.starting_from(function), unscaled, hint))
            rounds.append(Round(kind, distributions, other.loss, other.loss < best.loss))
            best = min(best, other, key=lambda c: c.loss)
        if best.loss > PAYS * before.loss:
            break
        won = next(r.kind for r in rounds if r.distributions is best.distributions)
        kinds -= {r.kind for r in rounds if r.kind != won}  # what was tried and lost is not tried again
    return best, tuple(rounds)


def proposed(kind: str, last: Candidate) -> Distributions | None:
    """What the functions of the last round suggest for each component; None if nothing new for any."""
    assert last.choice.function is not None
    found = []
    for k, field in enumerate(last.choice.function.components):
        new = None
        if not last.choice.function.problem.components[k].is_constant:
            new = PROPOSALS[kind](field, last.unscaled.members[k].half_width, last.loss)
        found.append(None if new == last.distributions[k] else new)
    if all(new is None for new in found):
        return None
    return tuple(old if new is None else new for old, new in zip(last.distributions, found, strict=True))


def _common(scales: Sequence[float], d: int) -> list[float]:
    """One scale for all axes of each component, whose distribution now carries the ratios."""
    return [scales[k - k % d] for k in range(len(scales))]


def should_adapt(discrete: DiscreteProblem, pilot: Candidate, smaller: Search | None) -> bool:
    """Whether to adapt: if asked to, or by default where isotropic frequencies are likely to fail, or have failed.

    Not if the search with fewer features shows that what they learnt still serves; from a solution that they did not
    resolve there was little to learn.
    """
    adapts = discrete.settings.adapts
    located = any(isinstance(d, Localised) for d in pilot.distributions)  # these have learnt already
    if adapts is False or pilot.choice.search is None or located:
        return False
    learnt = False
    if smaller is not None:
        before = min(smaller.losses)
        if pilot.loss < max(SERVES, LEARNT * before if before <= UNRESOLVED else 0.0):
            return False
        learnt = not all_isotropic(pilot.distributions)
    perforated = any(d.hole_sites for d in discrete.problem.domains) and pilot.loss > SERVES
    many = len(discrete.problem.coordinates) > MANY
    return bool(adapts) or learnt or perforated or many or pilot.loss > UNRESOLVED


def with_extreme_points(settings: Settings, best: Candidate) -> Settings:
    """The options with points that get as far along the frequencies as the domain does, if they are ours to choose.

    In few dimensions all points do.
    """
    along = np.concatenate([f.W[:REACHED] for f in best.unscaled.members])
    if all_isotropic(best.distributions) or along.shape[1] <= MANY or not settings.places_points:
        return settings
    return replace(settings, points=Reaching(_rows(along), REACHING))


def directions(function: Field, unit: np.ndarray, residual: float) -> Distribution | None:
    """Directions in proportion to how steep the function is along them: L = C^½ with C the mean of ∇u ∇uᵀ.

    What a rough solution says of flat directions is noise of the size of its residual, which is the floor.
    """
    x, points = function.domain.coordinates, _points(function, SLOPE_POINTS)
    slopes = np.stack(function.gradient(points), axis=1) * unit
    steepest = float(np.abs(slopes).max())
    if len(x) == 1 or not 0 < steepest < float("inf"):
        return None
    slopes = slopes / steepest  # so that no square over- or underflows
    values, vectors = np.linalg.eigh(slopes.T @ slopes / len(slopes))
    relative = np.maximum(values / values.max(), residual**2)
    L = vectors @ np.diag(np.sqrt(relative)) @ vectors.T
    isotropic = Oriented(_rows(np.eye(len(x)) * np.sqrt(relative.mean())))
    return Mixture(((1 - SPARED, Oriented(_rows(L))), (SPARED, isotropic)))


def couplings(function: Field, unit: np.ndarray, residual: float) -> Distribution | None:
    """Coordinates that the function couples: pairs by mixed derivatives, and triples of such pairs.

    Of these only the largest, each with a share that grows with the number of its coordinates.
    """
    x = function.domain.coordinates
    d = len(x)
    if d <= MANY:
        return None
    axis, both = np.eye(d, dtype=int), [(i, j) for i in range(d) for j in range(i, d)]
    across = function.derivatives(_points(function, COUPLING_POINTS), [(axis[i] + axis[j]).tolist() for i, j in both])
    strength = {(i, j): rms(a) * float(unit[i] * unit[j]) for (i, j), a in zip(both, across, strict=True)}
    largest = max(strength.values())
    pairs = [p for p in combinations(range(d), 2) if strength[p] > COUPLED * largest]
    triples = [t for t in combinations(range(d), 3) if all(p in pairs for p in combinations(t, 2))] if pairs else []
    subsets: list[tuple[int, ...]] = [*triples]
    for smaller in (*pairs, *((i,) for i in range(d))):
        if not any(set(smaller) <= set(s) for s in subsets):
            subsets.append(smaller)
    if len(subsets) > MOST_SUBSETS:
        return None
    learnt = Sparse(tuple(subsets), tuple(3.0 ** len(s) for s in subsets))
    return Mixture(((1 - SPARED, learnt), (SPARED, Sparse.of_few(d))))


def holes(function: Field, unit: np.ndarray, residual: float) -> Distribution | None:
    """Features with singularities inside the holes of the domain."""
    found = function.domain.hole_sites
    if not found or len(found) > MOST_HOLES or len(found[0][0]) < 2:
        return None
    around = tuple(Hole(centre, radius, tuple(range(len(centre)))) for centre, radius in found)
    return AroundHoles(around, AT_HOLES, Isotropic())


PROPOSALS: dict[str, Callable[[Field, np.ndarray, float], Distribution | None]] = {
    "couplings": couplings,
    "directions": directions,
    "holes": holes,
}


def _points(function: Field, count: int) -> np.ndarray:
    samples = Clustered(interior=count).sample(Demand.inside(function.domain), np.random.SeedSequence(0))
    return np.asarray(samples[0].points)


def _rows(matrix: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())
