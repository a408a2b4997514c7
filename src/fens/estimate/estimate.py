"""The error of a solution, from all the evidence there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import torch
from torch import Tensor

from .._support.numbers import EPS, rms
from .._support.steering import Assessment, Discretisation, Estimation, LocalLook, Scanning
from ..basis import Ansatz, Basis, Corner, Scales, TrialSpace
from ..discretise import LinearRows, evaluate, even, linearise
from ..fit.discrete import DiscreteProblem
from ..fit.scale import scale_by_rank
from ..fit.stats import Stats
from ..geometry import Domain, Samples
from ..nonlinear import Iterate
from ..problem import Component
from .along import between_points
from .assess import Error, Evidence, assess
from .closer import closer_points, corners, vanishing
from .conflict import Others, contradiction
from .exponents import undetermined
from .kind import objection
from .local import Look, degenerate_error, fastest_waves, local_error
from .numbers import undetermined_numbers
from .quadrature import checked, errors_of_rules
from .scan import scans, standing_out
from .second import Probes, Second, second_solution, values_at


def estimate_error(
    discrete: DiscreteProblem,
    features: TrialSpace,
    weights: Tensor,
    ansaetze: tuple[Ansatz, ...],
    scales: Scales,
    stats: Stats,
    seed: np.random.SeedSequence,
    seeming: bool = False,
) -> Error:
    """The error of Σ w_j φ_j as a solution of a problem; contradictions are but `seeming` where others do better."""
    problem = discrete.problem
    for_probes, for_points, for_features, for_closer, for_half, for_scan, for_finer, for_ways = seed.spawn(8)
    found = Found(discrete, features, weights, ansaetze, scales, for_half)
    probes = tuple(
        Probes.of(c.domain, discrete.held_out, f.frequencies, for_probes, poles(a))
        for (c, f), a in zip(found.members, ansaetze, strict=True)
    )
    values = values_at(features, weights, probes)
    sizes = [float(np.abs(v).max()) for v in values]
    other = discrete.drawn(ansaetze, for_features).scaled(scales, weights.device)
    second = second_solution(discrete, features, weights, other, for_points)
    recovery = sensitivity = float("inf")
    noise, growth, differences = dict[str, float](), 1.0, [float("inf")] * len(values)
    if second is not None:
        others = second.responses(problem, probes, np.random.default_rng(for_probes))
        differences = [_largest_gap(a, b) for a, b in zip(values, others.solution, strict=True)]
        recovery, sensitivity, noise = others.recovery, others.sensitivity, others.noise(problem)
        if Assessment.SENSITIVE < sensitivity < float("inf"):
            growth = found.growth(sensitivity, probes, for_points, for_probes)
    looks, special = found.looks(for_closer)
    least = Discretisation.NEGLIGIBLE * max(sizes)  # one unknown of several may vanish
    natural = [max(s, least) for s in sizes]
    local = local_error(problem, looks, fastest_waves(features), natural, special)
    slow = degenerate_error(looks, features, weights, natural, special)
    if found.may_err_alike(looks) and (finer := found.finer_values(probes, for_finer)) is not None:
        gaps = [_largest_gap(a, b) for a, b in zip(values, finer, strict=True)]
        way = 1 if problem.is_linear else Estimation.HALF_WAY
        differences = [max(d, way * gap) for d, gap in zip(differences, gaps, strict=True)]
        most = Estimation.MOST_OF_CHANGE * way * max(gap / s for gap, s in zip(gaps, natural, strict=True))
        slow = replace(slow, relative=min(slow.relative, most))
    integrals = checked(discrete.conditions, problem.coordinates, discrete.settings.singular_places)
    by_rules = [] if second is None else errors_of_rules(integrals, second, features, weights, probes)
    differences = [d + sum(errors[i] for _, errors in by_rules) for i, d in enumerate(differences)]
    shares = {k: max(e / s if e else 0.0 for e, s in zip(errors, natural, strict=True)) for k, errors in by_rules}
    coarse = max(shares, key=lambda k: shares[k], default=-1)
    along_edges = bool(discrete.settings.singular_places) and len(problem.coordinates) > 2
    coincide = Scanning.COINCIDE_AT_EDGES if along_edges else Scanning.COINCIDE
    scanned = scans(problem, discrete.conditions, for_scan, integrals, coincide=coincide)
    bumps = standing_out(problem, scanned, partial(Look.of, features=features, weights=weights), natural)
    between = between_points(problem, discrete.conditions, features, weights, natural, for_ways)
    bumps = max(bumps, between, key=lambda e: e.relative)
    local = max(local, slow, key=lambda e: e.relative)
    places = [(k, place) for k, scan in scanned for place in scan.unseen()]
    places.sort(key=lambda found: discrete.conditions[found[0]].is_pointwise)
    unseen = [place for _, place in places]
    stands_out = bumps.relative > Estimation.STANDS_OUT * local.relative
    if Assessment.SAFETY * bumps.relative > Assessment.UNCERTAIN and stands_out:
        unseen.append(bumps.place)
    local = max(local, bumps, key=lambda e: e.relative)
    names = _names([c.condition.region.name for c in discrete.held_out])
    against = dict[int, float]()
    unresolved = max(found.residuals) > Assessment.UNRESOLVED
    # what is left may be what points do not see, or too few special functions follow
    hidden = Assessment.SAFETY * between.relative > Assessment.UNCERTAIN or (seeming and unresolved)
    beside = Others(
        lambda: found.half[1],
        lambda: None if second is None else found.residuals_of(other, second.weights),
        lambda: found.finer_residuals(for_finer),
    )
    # where an equation does not hold and errors are larger than the solution, nothing is resolved
    if not hidden and (local.relative < Estimation.RESOLVED or not unresolved):
        against = contradiction(
            discrete, features, weights, found.here, found.residuals, beside, looks, found.moved, probes, special
        )
    by_name = {c.name: (d, s) for c, d, s in zip(problem.components, differences, sizes, strict=True)}
    evidence = Evidence(
        dict(zip(names, found.residuals, strict=True)), by_name, recovery, sensitivity, found.rounding, noise,
        *found.misfit, growth=growth, local=local.relative, where=local.where, equation=names[local.condition],
        coordinates=found.coordinates(probes),
        conflict={names[k]: r for k, r in against.items()},
        objection=objection(problem, discrete.held_out, looks, found.moved)
        or undetermined(problem, discrete.held_out, looks, found.moved)
        or found.free_numbers,
        unseen=unseen[0] if unseen else (),
        quadrature=shares.get(coarse, 0.0),
        integral=_integral(discrete, places[0][0] if places else coarse),
    )  # fmt: skip
    return assess(evidence, stats, not all(a.is_plain for a in ansaetze))


@dataclass(frozen=True)
class Found:
    """A solution, and what is asked of it more than once."""

    discrete: DiscreteProblem
    features: TrialSpace
    weights: Tensor
    ansaetze: tuple[Ansatz, ...]
    scales: Scales
    seed: np.random.SeedSequence

    @property
    def members(self) -> list[tuple[Component, Basis]]:
        """Each component with its features."""
        return list(zip(self.discrete.problem.components, self.features.members, strict=True))

    @cached_property
    def here(self) -> Iterate:
        """The solution at points that were not used for it."""
        return Iterate.of(self.discrete.problem, self.discrete.held_out, self.features, self.weights)

    @cached_property
    def residuals(self) -> tuple[float, ...]:
        """How far each equation is from holding there, relative to its terms, on the whole or at most points."""
        half_widths = self.discrete.problem.half_widths
        overall = self.here.relative_residuals(self.conditions, half_widths, 0.0)
        return tuple(map(max, overall, self.here.usual_residuals(self.conditions, half_widths)))

    @cached_property
    def conditions(self) -> tuple[LinearRows, ...]:
        """The equations there, linear near the solution."""
        near = None if self.discrete.problem.is_linear else self.here.jets
        return even(linearise(self.discrete.held_out, near), self.features)

    @property
    def free_numbers(self) -> str:
        """Which numbers nothing determines, in a sentence; most problems have none, and need no rows for it."""
        if not any(c.is_constant for c in self.discrete.problem.components):
            return ""
        near = self.discrete.near(self.discrete.conditions, self.features, self.weights)
        rows = self.discrete.linearised(self.discrete.conditions, near, self.features)
        return undetermined_numbers(self.discrete, rows, self.half[1], self.features)

    @property
    def misfit(self) -> tuple[float, int]:
        """What data with noise miss the solution by, in units of their standard deviations, and how many they are."""
        pairs = zip(self.here.residuals, self.conditions, strict=True)
        missed = [residual / c.noise for residual, c in pairs if c.noise is not None]
        return (rms(np.concatenate(missed)), sum(map(len, missed))) if missed else (0.0, 0)

    @cached_property
    def half(self) -> tuple[DiscreteProblem, TrialSpace]:
        """The problem with half as many features, at least as dense among the frequencies, and of the usual rank."""
        discrete, d = self.discrete.resized(0.5), len(self.discrete.problem.coordinates)
        drawn = discrete.drawn(self.ansaetze, self.seed.spawn(1)[0])
        usual = scale_by_rank(discrete, drawn, self.scales)
        lower = tuple(min(s / 2 ** (1 / d), r) for s, r in zip(self.scales, usual, strict=True))
        return discrete, drawn.scaled(lower, self.weights.device)

    @cached_property
    def double(self) -> tuple[DiscreteProblem, TrialSpace]:
        """The problem with twice as many features, as dense among the frequencies, and so faster ones."""
        discrete, faster = self.discrete.resized(2.0), 2 ** (1 / len(self.discrete.problem.coordinates))
        drawn = discrete.drawn(self.ansaetze, self.seed.spawn(1)[0])
        return discrete, drawn.scaled(tuple(faster * s for s in self.scales), self.weights.device)

    def growth(
        self,
        sensitivity: float,
        probes: Sequence[Probes],
        for_points: np.random.SeedSequence,
        for_probes: np.random.SeedSequence,
    ) -> float:
        """The factor by which the sensitivity grows from half as many features, or else to twice as many.

        Half may be too few to show all of it; what nothing bounds grows in both, and however many points there are:
        with few more rows than features, what grows may be what features do between points.
        """

        def of(sized: tuple[DiscreteProblem, TrialSpace], more_points: float = 1.0) -> float:
            discrete, other = sized[0].resized(more_points), sized[1]
            second = second_solution(discrete, self.features, self.weights, other, for_points)
            if second is None:
                return float("inf")
            return second.responses(discrete.problem, probes, np.random.default_rng(for_probes)).sensitivity

        growth = sensitivity / of(self.half)
        if Assessment.GROWS < growth < float("inf") and self.discrete.settings.size <= Estimation.MOST_DOUBLED:
            later = of(self.double) / sensitivity
            growth = later if later < Estimation.GROWTH_ENDS else growth
        if Assessment.GROWS < growth < float("inf"):
            growth = min(growth, of((self.discrete, self.features), 2.0) / of(self.half, 2.0))
        return growth

    def may_err_alike(self, looks: Mapping[int, Look]) -> bool:
        """Whether leading coefficients all but vanish somewhere, and the equations do not hold to rounding.

        There any features of some speed make the same compromise between what they cannot follow and the rest.
        """
        domains = [(look, look.discretised.condition.region) for look in looks.values()]
        return max(self.residuals) > Estimation.COARSE_RESIDUAL and any(
            look.leading(np.array(d.half_widths)).min() < LocalLook.VANISHING
            for look, d in domains
            if isinstance(d, Domain)
        )

    def finer(self, seed: np.random.SeedSequence, weighed_alike: bool = False) -> Second | None:
        """A solution with twice as many features; None if these are too many."""
        if self.discrete.settings.size > Estimation.MOST_DOUBLED:
            return None
        discrete, other = self.double
        return second_solution(discrete, self.features, self.weights, other, seed, weighed_alike=weighed_alike)

    def finer_values(self, probes: Sequence[Probes], seed: np.random.SeedSequence) -> list[np.ndarray] | None:
        """The values of a solution with twice as many features; None if these are too many."""
        finer = self.finer(seed)
        return None if finer is None else values_at(finer.features, finer.weights, probes)

    def finer_residuals(self, seed: np.random.SeedSequence) -> Sequence[np.ndarray] | None:
        """What it leaves of the equations, with the weights that these had; None if there is none."""
        finer = self.finer(seed, weighed_alike=True)
        return None if finer is None else self.residuals_of(finer.features, finer.weights)

    def residuals_of(self, features: TrialSpace, weights: Tensor) -> Sequence[np.ndarray]:
        """What another solution leaves of the equations, where the residuals of this one are known."""
        return Iterate.of(self.discrete.problem, self.discrete.held_out, features, weights).residuals

    def looks(self, seed: np.random.SeedSequence) -> tuple[dict[int, Look], dict[Domain, np.ndarray]]:
        """The equations at points that are looked at more closely, and places where something special may be."""
        problem = self.discrete.problem
        for_places, for_points = seed.spawn(2)
        rng = np.random.default_rng(for_places)
        special = {d: corners(d, rng) for d in problem.domains}
        for p in self.discrete.held_out:
            domain = p.condition.region
            if domain in special and (look := Look.of(p, self.features, self.weights)) is not None:
                more = vanishing(look, domain, partial(self.moved, look), rng)
                special[domain] = np.concatenate([special[domain], more])
        points = closer_points(problem, self.discrete.settings, special, for_points)
        discretised = self.discrete.at(points)
        found = ((k, Look.of(p, self.features, self.weights)) for k, p in enumerate(discretised))
        return {k: look for k, look in found if look is not None}, special

    def moved(self, look: Look, samples: Samples) -> Look:
        """An equation that is looked at, at other points."""
        return look.moved(samples, self.discrete.problem.coordinates, self.features, self.weights)

    @property
    def rounding(self) -> float:
        """What the rounding of weighted features makes."""
        return EPS * float(torch.linalg.vector_norm(self.weights))

    def coordinates(self, probes: Sequence[Probes]) -> float:
        """What the rounding of coordinates makes of the solution far from the origin: slopes times their spacing."""
        found, d = [0.0], self.features.dimension
        for (c, f), columns, where in zip(self.members, self.features.columns, probes, strict=True):
            away = np.abs(np.array(c.domain.bounds)).max(axis=1)
            if not c.is_constant and (away / np.array(c.domain.half_widths)).max() > Estimation.FAR:
                orders = [tuple(int(i == axis) for i in range(d)) for axis in range(d)]
                slopes = evaluate(f, self.weights[columns], where.points, orders)
                found.append(EPS * sum(a * float(np.abs(s).max()) for a, s in zip(away, slopes, strict=True)))
        return max(found)


def poles(ansatz: Ansatz) -> list[Corner]:
    """The corners at which functions have no bound."""
    return [c for c in ansatz.graded if isinstance(c, Corner) and c.pole > 0]


def _largest_gap(values: np.ndarray, others: np.ndarray) -> float:
    return float(np.nan_to_num(np.abs(values - others), nan=np.inf).max())


def _integral(discrete: DiscreteProblem, number: int) -> str:
    """An integral in words, if the condition of this number is one; else nothing."""
    if number < 0 or discrete.conditions[number].is_pointwise:
        return ""
    return discrete.conditions[number].condition.label.replace("Total(", "integral(")


def _names(regions: Sequence[str]) -> list[str]:
    """A name for each equation: that of its region, with a number where that has several."""
    return [
        f"{name}, equation {regions[:k].count(name) + 1}" if regions.count(name) > 1 else name
        for k, name in enumerate(regions)
    ]
