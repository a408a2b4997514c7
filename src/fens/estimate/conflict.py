"""Whether equations contradict each other.

Least squares makes a compromise of equations that cannot hold together, on which any two solutions agree. It shows in
residuals that stay when there are more features, that are the same for others, that are not concentrated somewhere, as
those of a singular solution are, and that move from one equation to the others as its weight grows. A condition of one
row or a few is met however the weights are, and the others give way; it contradicts them if these determine a solution
without it, and hold.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import torch
from torch import Tensor

from .._support.device import to_host
from .._support.numbers import rms
from .._support.steering import Assessment, Contradiction
from ..basis import TrialSpace
from ..discretise import LinearRows, linearise
from ..discretise.iterate import numeric
from ..errors import EvaluationError
from ..fit.discrete import DiscreteProblem
from ..geometry import Domain, Region, Samples
from ..nonlinear import Iterate
from ..problem import Formula, Wrapped, nonsmooth_where_zero
from .assess import is_unique
from .exponents import only_smooth
from .kind import conditions_to_spare
from .local import Look, fastest_waves
from .second import Probes, Responses, Second

Find = Callable[[Look, Samples], Look]


@dataclass(frozen=True)
class Others:
    """Half as many features; the residuals, where the first ones are known, of a solution with others and of one with
    twice as many; none where there is no such solution.
    """

    half: Callable[[], TrialSpace]
    again: Callable[[], Sequence[np.ndarray] | None]
    double: Callable[[], Sequence[np.ndarray] | None]


def contradiction(
    discrete: DiscreteProblem,
    features: TrialSpace,
    weights: Tensor,
    here: Iterate,
    relative: Sequence[float],
    others: Others,
    looks: Mapping[int, Look],
    find: Find,
    probes: Sequence[Probes],
    special: Mapping[Domain, np.ndarray],
) -> dict[int, float]:
    """The numbers of the equations that contradict each other, with their relative residuals; empty if none do.

    `here` are the functions at points that were not used, `find` looks at an equation elsewhere, `probes` are where
    functions are compared, and `special` places corners and the like.
    """
    worst = max(relative)
    if not Contradiction.TRACE < worst < float("inf") or len(relative) < 2:
        return {}
    if worst > Contradiction.JUMPS_LEAVE and given_values_jump(discrete):
        return {}
    large = [k for k, r in enumerate(relative) if r > Contradiction.LARGE * worst]
    regions = [p.condition.region for p in discrete.held_out]
    unknowns = [c.domain for c in discrete.problem.components]
    more = [regions.count(r) > unknowns.count(r) > 0 for r in regions]
    concentrated = all(is_concentrated(regions[k], here.residuals[k], more[k]) for k in large)
    hidden = Contradiction.HIDDEN if worst <= Assessment.UNRESOLVED else Contradiction.HALF_HIDDEN
    layers = any(has_layers(look, features, hidden) for look in looks.values())
    smaller = None
    if few := of_few_rows(discrete, looks, layers, concentrated):
        smaller = Reweighted.of(discrete, others.half(), features, weights)
        whole = Reweighted.of(discrete, features, features, weights)
        sizes = [rms(a) / r if r > 0 else float("inf") for a, r in zip(here.residuals, relative, strict=True)]
        kinks = any(map(has_kinks, looks.values()))
        found = superfluous(smaller, whole, few, relative, sizes, probes, kinks)
        if not found and not kinks:  # half of the features may leave too much of all else
            found = superfluous(whole, whole, few, relative, sizes, probes, kinks)
        if found:
            return {k: relative[k] for k in found}
    if layers:
        return {}
    faces = degenerate_faces(discrete, looks, find)
    concentrated = concentrated or worst < Contradiction.SUSPICIOUS
    if worst > Assessment.UNRESOLVED:  # it is not to be trusted anyway
        concentrated = concentrated or grows_towards_corners(discrete, here, special)
    if concentrated and not faces:
        return {}
    smaller = smaller or Reweighted.of(discrete, others.half(), features, weights)
    if (before := smaller.usual) is None:
        return {}
    now, regular = smaller.norm([rms(r) for r in here.residuals]), all(look.is_regular for look in looks.values())
    stays = smaller.norm(before) < Contradiction.STAYS * now
    # of homogeneous equations nothing is left without a condition that they need: what is left with it falls then
    falls_little = smaller.norm(before) < Contradiction.STAYS_ON_FACE * now
    if falls_little and (found := overdetermined(smaller, before, faces)):
        return {k: relative[k] for k in found}
    if concentrated or (not regular and (worst > Assessment.UNRESOLVED or not stays)):
        return {}
    candidates = sorted(large, key=lambda k: -relative[k])[:Contradiction.TRIED]
    if stays:
        again = (others.again(), smaller.left({}))
        found = moving(smaller, candidates) if any(recurs(here.residuals, a, large) for a in again) else []
        return {k: relative[k] for k in found}
    # half as many may be too few for all else, so that only twice as many tell
    found = moving(Reweighted.of(discrete, features, features, weights), candidates)
    if not found or (later := others.double()) is None or not recurs(here.residuals, later, large):
        return {}
    then = smaller.norm([rms(r) for r in later])
    # more than now, if features hide some of it between their points; or there is something that only more points see
    seen = all(is_concentrated(regions[k], later[k], more[k]) for k in large)
    most = Contradiction.STAYS if seen else Contradiction.HIDDEN_BETWEEN
    return {k: relative[k] for k in found} if now / then < Contradiction.STAYS and then / now < most else {}


def given_values_jump(discrete: DiscreteProblem) -> bool:
    """Whether values that are given on two parts of a boundary differ by far between points that are close.

    They jump where the parts meet, so that the solution is singular there, and what features leave of it stays large.
    """
    from scipy.spatial import cKDTree

    try:
        rows = [c for c in linearise(discrete.held_out) if c.functional.is_pointwise and _is_on_boundary(c)]
    except EvaluationError:
        return False
    given = [(c, _value_of(c)) for c in rows if len(c.operator) == 1 and not any(c.operator[0][1].orders)]
    for (one, v), (other, w) in itertools.combinations(given, 2):
        regions = one.condition.region, other.condition.region
        apart = not set(regions[0].patches) & set(regions[1].patches)
        if apart and one.operator[0][1] == other.operator[0][1] and regions[0].domain == regions[1].domain:
            size = max(np.abs(v).max(), np.abs(w).max()) / max(regions[0].domain.half_widths)
            gaps, nearest = cKDTree(to_host(other.functional.points)).query(to_host(one.functional.points))
            if (np.abs(v - w[nearest]) > Contradiction.STEEP * size * gaps).any():
                return True
    return False


def _is_on_boundary(c: LinearRows) -> bool:
    region = c.condition.region
    return isinstance(region.domain, Domain) and region != region.domain


def _value_of(c: LinearRows) -> np.ndarray:
    """The values that a condition gives."""
    with np.errstate(all="ignore"):
        return np.asarray(np.nan_to_num(to_host(c.source) / numeric(c)[0][0]))


def recurs(residuals: Sequence[np.ndarray], again: Sequence[np.ndarray] | None, large: Sequence[int]) -> bool:
    """Whether another solution leaves much the same of an equation of which much is left, or all have few rows.

    Of equations that can hold together, what is left depends on the features.
    """
    if again is None:
        return False
    parts = [(residuals[k], again[k]) for k in large if len(residuals[k]) > 1]
    return not parts or any(_correlation(a, b) > Contradiction.RECURS for a, b in parts)


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    norms = float(np.linalg.norm(a)), float(np.linalg.norm(b))
    return float((a / norms[0]) @ (b / norms[1])) if min(norms) > 0 and max(norms) < float("inf") else 0.0


def moving(tried: Reweighted, candidates: Sequence[int]) -> list[int]:
    """The equations between which a residual moves as one of the candidates gets a larger weight; none if it stays."""
    if (before := tried.usual) is None:
        return []
    for one in candidates:
        after = tried.residuals({one: Contradiction.HEAVIER})
        if after is not None and (found := moved(one, before, after)):
            return found
    return []


def of_few_rows(discrete: DiscreteProblem, looks: Mapping[int, Look], layers: bool, concentrated: bool) -> list[int]:
    """The conditions that one row or a few stand for, and that others may hold without: integrals, given points, ends.

    Not where they may ask for what is true and the features do not have: a solution that is singular where leading
    coefficients vanish, or has narrow layers at an end.
    """
    regular = all(look.is_regular for look in looks.values())
    if concentrated and not regular:
        return []
    few = [k for k, p in enumerate(discrete.held_out) if not p.is_pointwise or p.condition.region.domain is None]
    spare = conditions_to_spare(discrete.problem, discrete.held_out, looks)
    if len(discrete.problem.coordinates) == 1 and regular and not layers:
        few += [k for k, p in enumerate(discrete.held_out) if p.rows == 1 and k not in few]
    few = [k for k in few if spare is None or discrete.held_out[k].rows <= spare]
    return [k for k in few if discrete.held_out[k].noise is None]


def has_kinks(look: Look) -> bool:
    """Whether functions in an equation jump or have a kink where it holds, as far as their formulas tell."""
    form, n = look.discretised.form, len(look.residual)
    expressions = [form.source.expression, *(c.expression for _, c in form.coefficients)]
    unknowns = {symbol for _, symbol in form.equation.jets}
    for switch in {s for e in expressions for s in nonsmooth_where_zero(e)}:
        if switch.free_symbols & unknowns:
            return True
        values = Formula(switch)(look.discretised.values, n)
        if np.nanmin(values) < 0 < np.nanmax(values):
            return True
    return any(e.has(Wrapped) for e in expressions)


def superfluous(
    smaller: Reweighted,
    whole: Reweighted,
    few: Sequence[int],
    relative: Sequence[float],
    sizes: Sequence[float],
    probes: Sequence[Probes],
    kinks: bool,
) -> list[int]:
    """A condition without which all others determine a solution and hold, and the one that gives way most to it.

    Where others do not hold for another reason, such as a kink, it is one that solutions of two sizes miss by the same.
    """
    if (before := smaller.usual) is None:
        return []
    for k in few:
        after = smaller.left({k: 0.0})
        if after is None:
            continue
        falls = _norm_without(k, [rms(r) for r in after]) < Contradiction.WITHOUT * _norm_without(k, before)
        far = kinks and rms(after[k]) > Contradiction.SUSPICIOUS * sizes[k]
        if (falls or far) and smaller.is_determined_without(k, probes, kinks) and (falls or _alike(k, after, whole)):
            return sorted([k, max((j for j in range(len(relative)) if j != k), key=lambda j: relative[j])])
    return []


def _alike(k: int, after: Sequence[np.ndarray], whole: Reweighted) -> bool:
    """Whether a condition is missed by as much by a solution without it that has more features."""
    finer = whole.left({k: 0.0})
    return finer is not None and rms(finer[k] - after[k]) < Contradiction.MISSED_ALIKE * rms(finer[k])


def degenerate_faces(discrete: DiscreteProblem, looks: Mapping[int, Look], find: Find) -> dict[int, int]:
    """The conditions on faces where bounded solutions are smooth by themselves, with the equations that degenerate."""
    found = {}
    for k, p in enumerate(discrete.held_out):
        domain = p.condition.region.domain
        own = [j for j, look in looks.items() if look.discretised.condition.region is domain]
        if len(own) == 1 and k != own[0] and p.samples.normals is not None:
            few = p.samples.only(np.linspace(0, len(p.samples) - 1, Contradiction.PLACES_ON_FACE).astype(int))
            look = looks[own[0]]
            if only_smooth(look, few, np.array(domain.half_widths), partial(find, look)):
                found[k] = own[0]
    return found


def overdetermined(smaller: Reweighted, before: Sequence[float], faces: Mapping[int, int]) -> list[int]:
    """A condition and the equation that it contradicts: without it, all others hold."""
    for k, equation in faces.items():
        after = smaller.residuals({k: 0.0})
        if after is not None and _norm_without(k, after) < Contradiction.WITHOUT * _norm_without(k, before):
            return [k, equation]
    return []


def _norm_without(one: int, residuals: Sequence[float]) -> float:
    return float(np.linalg.norm([r for k, r in enumerate(residuals) if k != one]))


def is_concentrated(region: Region, residual: np.ndarray, more_than_unknowns: bool = False) -> bool:
    """Whether a residual is large at few points.

    At very few, of given ones, none of which may be at a corner; and of equations of which a domain has more than
    unknowns, since they need no singular solution to be large next to corners.
    """
    usual = Contradiction.SPREAD if region.domain is not None else Contradiction.SPREAD_OF_DATA
    return spread(residual) < (Contradiction.SPREAD_OF_MORE if more_than_unknowns else usual)


def grows_towards_corners(discrete: DiscreteProblem, here: Iterate, special: Mapping[Domain, np.ndarray]) -> bool:
    """Whether what is left of an equation in the plane or in space is by far larger next to a corner than elsewhere, as
    it is of solutions that are singular there and perhaps at others.
    """
    for p, residual in zip(discrete.held_out, here.residuals, strict=True):
        domain, points = p.condition.region, p.samples.points
        places = special.get(domain) if isinstance(domain, Domain) else None
        if places is None or not len(places) or points.shape[1] < 2 or len(points) != len(residual):
            continue
        unit = np.array(domain.half_widths)
        away = np.sqrt((((points[:, None] - places) / unit) ** 2).sum(axis=2))
        far = away.min(axis=1) > np.quantile(away.min(axis=1), Contradiction.FARTHEST)
        near = away < np.quantile(away, Contradiction.NEAREST, axis=0)
        most = max(rms(residual[column]) for column in near.T if column.any())
        if most > Contradiction.TOWARDS_CORNERS * rms(residual[far]):
            return True
    return False


def moved(one: int, before: Sequence[float], after: Sequence[float]) -> list[int]:
    """The equations between which a residual moves as one of them gets a larger weight; none if it does not.

    That of one falls; or it falls a little, as noise can, which features do not follow, and others grow by far.
    """
    with np.errstate(all="ignore"):
        factors = np.nan_to_num(np.array(after) / np.array(before), nan=1.0)
    others = [k for k in range(len(factors)) if k != one and factors[k] > Contradiction.GROWN]
    falls = 1 / max(factors[one], 1e-300)
    by_far = max((factors[k] for k in others), default=0.0) > Contradiction.GROWN_BY_FAR
    if others and (falls > Contradiction.FALLS or (falls > Contradiction.FALLS_A_LITTLE and by_far)):
        return [one, *others]
    return []


def spread(residual: np.ndarray) -> float:
    """The share of the points that have most of a residual: 1 if it is the same at all of them."""
    size = float(np.abs(residual).max()) if len(residual) else 0.0
    if not 0 < size < float("inf"):
        return 0.0
    squares = (residual / size) ** 2
    return float(squares.sum() ** 2 / (squares**2).sum() / len(squares))


def has_layers(look: Look, features: TrialSpace, hidden: float) -> bool:
    """Whether the highest derivatives of an equation on a domain matter only for waves shorter than all features.

    That is, whether they have less than a `hidden` share in it for the shortest waves that there are.
    """
    if look.discretised.condition.region.domain is not look.discretised.condition.region or not look.coefficients:
        return False
    fastest = fastest_waves(features)
    order = max(sum(jet.orders) for jet, _ in look.coefficients)
    sizes = [(sum(jet.orders), np.abs(c) * np.prod(fastest ** np.array(jet.orders))) for jet, c in look.coefficients]
    with np.errstate(all="ignore"):
        share = sum(s for k, s in sizes if k == order) / sum(s for _, s in sizes)
    return bool(np.nanmedian(share) < hidden)  # at most points: next to a pole of a coefficient it always is


@dataclass(frozen=True)
class Reweighted:
    """A problem at points, for features; near a function, if it is not linear."""

    discrete: DiscreteProblem
    conditions: tuple[LinearRows, ...]
    features: TrialSpace
    near: Iterate | None

    @classmethod
    def of(cls, discrete: DiscreteProblem, other: TrialSpace, features: TrialSpace, weights: Tensor) -> Reweighted:
        """The problem for other features, near the solution Σ w_j φ_j, with the weights of its equations."""
        near = discrete.near(discrete.conditions, features, weights)
        return cls(discrete, discrete.linearised(discrete.conditions, near, features), other, near)

    def norm(self, residuals: Sequence[float]) -> float:
        """The weighted norm of residuals that have these root mean squares."""
        weights = [float(torch.as_tensor(c.row_weights).mean()) for c in self.conditions]
        parts = [w * r * math.sqrt(len(c)) for w, r, c in zip(weights, residuals, self.conditions, strict=True)]
        return float(np.linalg.norm(parts))

    @cached_property
    def usual(self) -> list[float] | None:
        """The residuals with the weights as they are."""
        return self.residuals({})

    def residuals(self, heavier: Mapping[int, float]) -> list[float] | None:
        """Those of all equations at other points, some of their weights multiplied; None if there is no solution."""
        left = self.left(heavier)
        return None if left is None else [rms(r) for r in left]

    def left(self, heavier: Mapping[int, float]) -> Sequence[np.ndarray] | None:
        """The same point by point."""
        solved = self._solved(heavier)
        if solved is None:
            return None
        return Iterate.of(self.discrete.problem, self.discrete.held_out, self.features, solved.weights).residuals

    def is_determined_without(self, one: int, probes: Sequence[Probes], kinks: bool) -> bool:
        """Whether the equations determine a solution without one of them; with kinks in them, as firmly as with it.

        At a kink or a jump a little is left of every function, so that none but zero seems to satisfy them.
        """
        without, whole = self._responses({one: 0.0}, probes), self._responses({}, probes)
        if without is None or whole is None or not is_unique(without.recovery, without.sensitivity):
            return False
        return not kinks or without.sensitivity <= Contradiction.AS_FIRM * whole.sensitivity

    def _responses(self, heavier: Mapping[int, float], probes: Sequence[Probes]) -> Responses | None:
        solved = self._solved(heavier)
        return None if solved is None else solved.responses(self.discrete.problem, probes, np.random.default_rng(0))

    def _solved(self, heavier: Mapping[int, float]) -> Second | None:
        rows = tuple(replace(c, weight=c.weight * heavier.get(k, 1.0)) for k, c in enumerate(self.conditions))
        found = self.discrete.factorised(rows, self.near, self.features)
        return None if found is None else Second(rows, self.features, found[0], found[1].weights)
