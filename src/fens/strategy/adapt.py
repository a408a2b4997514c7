"""Trial spaces that learn from rough solutions.

A rough solution tells along which directions it varies and which coordinates it couples, and its domain where it may be
singular. Each kind of basis proposes what follows from that; trial functions are drawn accordingly, and kept if the
equations then hold better at points that no fit used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial

import numpy as np

from .._support.numbers import rms
from .._support.progress import time_left
from .._support.steering import Adaptation, CornerFeatures, CrackFeatures, Features, OnsetFeatures, ScaleSearch
from ..basis import (
    PROPOSALS,
    Ansatz,
    AtCracks,
    Corner,
    Draw,
    InCells,
    Isotropic,
    Mixture,
    Number,
    Onset,
    Plain,
    Rough,
    Scales,
    Sparse,
    TwoLayers,
    of_each,
)
from ..discretise.field import Field
from ..fit.discrete import DiscreteProblem
from ..fit.scale import ScaleChoice, ScaleHint, Trials, choose_scale, first_choice
from ..fit.search import Search
from ..fit.stats import Round
from ..geometry import Clustered, Demand, ExtremePoints, Fan, Graded, Sector
from ..options import Settings
from ..problem import Component, Problem
from .onsets import all_sites
from .sites import Place


@dataclass(frozen=True)
class Candidate:
    """A problem at its points, trial functions for it, and the scale chosen for them."""

    discrete: DiscreteProblem
    draw: Draw
    choice: ScaleChoice

    @property
    def loss(self) -> float:
        """The held-out residual."""
        return min(self.choice.search.losses) if self.choice.search else float("inf")

    @cached_property
    def known(self) -> tuple[Rough | None, ...]:
        """What its function tells of each unknown; nothing of numbers."""
        function, given = self.choice.function, self.discrete.settings.corners or ()
        if function is None:  # of a fit that failed, there are only sites
            problem = self.discrete.problem
            return tuple(
                None if c.is_constant else _only_sites(problem, given, k) for k, c in enumerate(problem.components)
            )
        problem, units = function.problem, [m.leading.half_width for m in self.draw.members]
        members = zip(problem.components, function.components, units, strict=True)
        return tuple(
            None if c.is_constant else rough_from(f, unit, self.loss, problem, given, k)
            for k, (c, f, unit) in enumerate(members)
        )


def _only_sites(problem: Problem, given: Sequence[Place], component: int) -> Rough:
    """What the domain of an unknown tells, without a rough solution."""
    domain = problem.components[component].domain
    d, find = len(domain.coordinates), partial(all_sites, domain, problem, given, component)
    return Rough(d, find, lambda: np.zeros((1, d)), lambda: np.zeros((d, d)), float("inf"))


def first_ansaetze(problem: Problem, settings: Settings) -> tuple[Ansatz, ...]:
    """The form of the trial functions of each unknown, before anything is known of it."""
    return tuple(_first(c, settings) for c in problem.components)


def _first(component: Component, settings: Settings) -> Ansatz:
    if component.is_constant:
        return Number()
    d = len(component.domain.coordinates)
    if settings.frequencies is not None:
        plain = Plain(settings.frequencies)
    elif settings.adapts is False or d <= Features.MANY:
        plain = Plain()
    else:
        plain = Plain(Mixture(((0.5, Isotropic()), (0.5, Sparse.of_few(d)))))
    everywhere: Ansatz = TwoLayers(plain) if settings.layers == 2 else plain
    cells = settings.cells(component.domain.coordinates)
    return everywhere if cells is None else InCells(cells, everywhere)


def adapt(
    pilot: Candidate, for_rounds: np.random.SeedSequence
) -> tuple[Candidate, tuple[Round, ...]]:
    """The best candidate after as many rounds as pay, and what was tried."""
    best, rounds = pilot, list[Round]()
    kinds = set(PROPOSALS)
    for seed in for_rounds.spawn(Adaptation.ROUNDS):
        before, function = best, best.choice.function
        if before.loss <= ScaleSearch.ROUND_OFF or function is None or not time_left():
            break
        larger = ScaleHint(_common(before.choice.scales, before.draw.dimension))
        for kind in sorted(kinds):
            ansaetze = proposed(kind, before)
            if ansaetze is None:
                continue
            hint = None if PROPOSALS[kind].special else larger  # what others needed says nothing of special functions
            for_draw, for_points = seed.spawn(2)
            choose = partial(choose_scale, hint=hint)
            other = candidate(before.discrete.starting_from(function), ansaetze, choose, for_draw, for_points)
            # corners are where equations are easiest to break: functions for them must leave far less than others do
            least = Adaptation.SETTLES * before.loss if other.draw.grades else best.loss
            rounds.append(Round(kind, ansaetze, other.loss, other.loss < least))
            best = other if other.loss < min(best.loss, least) else best
            if PROPOSALS[kind].special and other.loss < Adaptation.SETTLES * before.loss:
                break  # it has what was missing
        if best.loss > Adaptation.ROUND_LEAVES * before.loss:
            break
        won = next(r.kind for r in rounds if r.ansaetze is best.draw.ansaetze)
        kinds -= {r.kind for r in rounds if r.kind != won}  # what was tried and lost is not tried again
        if PROPOSALS[won].special and best.loss < Adaptation.SETTLES * before.loss:
            break
    return best, tuple(rounds)


def has_promising(rounds: Sequence[Round], left: float) -> bool:
    """Whether special functions that were tried, and not taken, leave less than those that were: there are too few of
    them for what they stand for, as at many corners, and what is left says nothing yet.
    """
    tried = (r.loss for r in rounds if not r.kept and PROPOSALS[r.kind].special)
    return any(loss < Adaptation.PROMISING * left for loss in tried)


def may_be_special(settings: Settings) -> bool:
    """Whether functions, their scale and the points are all ours to choose."""
    return settings.adapts is not False and settings.scale is None and settings.places_points


def with_special(
    discrete: DiscreteProblem, trials: Trials, seed: np.random.SeedSequence
) -> tuple[DiscreteProblem, Draw, Round] | None:
    """A problem and functions for it, some of which have what was missing: special ones that leave a tenth of the
    residual of the others, or less, in a first trial of both. None if there are none.
    """
    pilot = Candidate(discrete, trials.draw, first_choice(trials))
    if pilot.loss <= Adaptation.SERVES:
        return None
    for kind in sorted(k for k, proposal in PROPOSALS.items() if proposal.special):
        if (ansaetze := proposed(kind, pilot)) is not None:
            other = candidate(discrete, ansaetze, lambda d, draw: first_choice(Trials.of(d, draw)), *seed.spawn(2))
            if other.loss < Adaptation.SETTLES * pilot.loss:
                return other.discrete, other.draw, Round(kind, ansaetze, other.loss, True)
    return None


def candidate(
    discrete: DiscreteProblem,
    ansaetze: tuple[Ansatz, ...],
    choose: Callable[[DiscreteProblem, Draw], ScaleChoice],
    for_draw: np.random.SeedSequence,
    for_points: np.random.SeedSequence,
) -> Candidate:
    """Trial functions of some form with the scale chosen for them, at points for them."""
    settings = with_graded_points(discrete.settings, ansaetze)
    if settings is not discrete.settings:
        discrete = discrete.moved(settings, for_points)
    draw = discrete.drawn(ansaetze, for_draw)
    return Candidate(discrete, draw, choose(discrete, draw))


def with_graded_points(settings: Settings, ansaetze: Sequence[Ansatz]) -> Settings:
    """The options with points graded towards corners at which there are functions, if the points are ours to choose."""
    corners = dict.fromkeys(c for a in ansaetze for c in a.graded)
    if not corners or not settings.places_points:
        return settings
    inside = [part for a in ansaetze for part in a.parts if isinstance(part, AtCracks)]
    tips = dict.fromkeys(tip for part in inside for tip in part.graded)
    along = CrackFeatures.ALONG * CornerFeatures.SHARE * settings.size / (2 * max(len(tips), 1))
    around = {c: _surroundings(c) for c in corners}
    around |= {c: replace(around[c], along=along, decades=CrackFeatures.DECADES) for c in tips}
    sectors = tuple(dict.fromkeys(around.values()))  # several unknowns have the same corners
    return replace(settings, points=Graded(sectors, CornerFeatures.SHARE, CornerFeatures.DECADES))


def _surroundings(site: Corner | Onset) -> Sector | Fan:
    """Where points are graded towards a site."""
    if isinstance(site, Corner):
        return Sector(site.place, site.direction, site.opening, site.near)
    return Fan(
        site.place, site.axes, site.directions, site.diffusivity, site.reach, site.duration, site.inside,
        OnsetFeatures.FARTHEST,
    )  # fmt: skip


def proposed(kind: str, last: Candidate) -> tuple[Ansatz, ...] | None:
    """What the functions of the last round suggest for each unknown; None if nothing new for any."""
    before = last.draw.ansaetze
    propose = PROPOSALS[kind].propose
    pairs = zip(before, last.known, strict=True)
    found = tuple(a if rough is None else propose(a, rough) or a for a, rough in pairs)
    grades = any(a.graded for a in found) and not any(a.graded for a in before)
    if found == before or (grades and not last.discrete.settings.places_points):
        return None  # nothing new, or functions for which the points that were given will not do
    return found


def rough_from(
    field: Field,
    unit: np.ndarray,
    residual: float,
    problem: Problem | None = None,
    given: Sequence[Place] = (),
    component: int = 0,
) -> Rough:
    """What a rough solution tells of an unknown, in units of the features' coordinates."""
    d = len(field.domain.coordinates)

    @cache
    def slopes() -> np.ndarray:
        return np.asarray(np.stack(field.gradient(_points(field, Adaptation.SLOPE_POINTS)), axis=1) * unit)

    @cache
    def bends() -> np.ndarray:
        axis, both = np.eye(d, dtype=int), [(i, j) for i in range(d) for j in range(i, d)]
        points = _points(field, Adaptation.COUPLING_POINTS)
        across = field.derivatives(points, [(axis[i] + axis[j]).tolist() for i, j in both])
        found = np.zeros((d, d))
        for (i, j), values in zip(both, across, strict=True):
            found[i, j] = found[j, i] = rms(values) * float(unit[i] * unit[j])
        return found

    return Rough(d, partial(all_sites, field.domain, problem, given, component), slopes, bends, residual)


def _common(scales: Scales, d: int) -> Scales:
    """Larger scales, one for all axes of each unknown, whose frequencies now carry the ratios."""
    return tuple(Adaptation.LARGER * own[0] for own in of_each(scales, d) for _ in own)


def should_adapt(pilot: Candidate, smaller: Search | None) -> bool:
    """Whether to adapt: if asked to, or by default where isotropic frequencies are likely to fail, or have failed.

    Not if the search with fewer features shows that what they learnt still serves; from a solution that they did not
    resolve there was little to learn.
    """
    problem, adapts = pilot.discrete.problem, pilot.discrete.settings.adapts
    localised = any(a.spots for a in pilot.draw.ansaetze)  # these have learnt already
    if adapts is False or pilot.choice.search is None or localised or (pilot.choice.serves and not adapts):
        return False
    learnt = False
    if smaller is not None:
        before = min(smaller.losses)
        learnt_well = Adaptation.LEARNT * before if before <= Adaptation.WORTH_TRYING else 0.0
        if pilot.loss < max(Adaptation.SERVES, learnt_well):
            return False
        learnt = not pilot.draw.is_plain
    many = len(problem.coordinates) > Features.MANY
    unresolved = pilot.loss > Adaptation.WORTH_TRYING
    return bool(adapts) or learnt or many or unresolved or (pilot.loss > Adaptation.SERVES and has_special(pilot))


def has_special(pilot: Candidate) -> bool:
    """Whether some kind of functions of their own proposes itself for the sites of a domain."""
    special = (kind for kind, proposal in PROPOSALS.items() if proposal.special)
    return pilot.choice.function is not None and any(proposed(kind, pilot) is not None for kind in special)


def with_extreme_points(settings: Settings, best: Candidate) -> Settings:
    """The options with points that get as far along the frequencies as the domain does, if they are ours to choose.

    In few dimensions all points do.
    """
    along = best.draw.frequencies(Adaptation.REACHED)
    if best.draw.is_plain or along.shape[1] <= Features.MANY or not settings.places_points:
        return settings
    return replace(settings, points=ExtremePoints(tuple(map(tuple, along.tolist())), Adaptation.REACHING))


def _points(function: Field, count: int) -> np.ndarray:
    samples = Clustered(interior=count).sample(Demand.inside(function.domain), np.random.SeedSequence(0))
    return np.asarray(samples[0].points)
