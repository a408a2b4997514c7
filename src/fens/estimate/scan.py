"""What known functions do between the points of a fit.

Sources, coefficients and boundary values are formulas, or functions to call, so that they can be looked at in many
more places than a solution can be asked to hold. A bump that no point of a fit saw is in no residual of it, either.
Bumps stand out from a plane through the values in a small cell. Where a condition gives values, what is left of it at
such a place is the error there; elsewhere it counts with the part of the region that it fills. Coefficients are also
looked at where they change most abruptly: a ramp between two levels may be narrower than any distance of places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp

from ..discretise import DiscreteCondition
from ..discretise.field import Extrapolated, Field
from ..errors import EvaluationError
from ..geometry import Domain, Samples
from ..problem import Formula, Problem, Wrapped
from ..problem.discontinuity import steepest_places
from .local import NOWHERE, LocalError, Look

LOOKS = 2**17  # places in each region
FEW_LOOKS = 2**12  # if all functions were computed: none of them varies faster than its features
CELLS = 256  # in each of which the largest and the smallest value are held against those at points nearby
NEIGHBOURS = 4  # for each dimension, and as many more
BEYOND = 2.0  # ranges of the values at neighbours
NOTHING = 1e-9  # of the range of all values
PLAIN_WAVES = 40.0  # radians across half the domain, up to which points of any fit see what a formula does


@dataclass(frozen=True)
class Missed:
    """What a known function does at a place that no point was near enough to see."""

    condition: int
    place: tuple[float, ...]


def missed(
    problem: Problem, discretised: Sequence[DiscreteCondition], seed: np.random.SeedSequence
) -> tuple[Missed, ...]:
    """Places at which known functions in the equations do something that the points do not see."""
    return tuple(Missed(k, place) for k, scan in scans(problem, discretised, seed) for place in scan.unseen())


def standing_out(
    problem: Problem,
    found: Sequence[tuple[int, Scan]],
    look: Callable[[DiscreteCondition], Look | None],
    sizes: Sequence[float],
) -> LocalError:
    """The largest error that bumps of known functions make, where they stand out from what is around them."""
    errors = [NOWHERE]
    for k, scan in found:
        domain = scan.fitted.condition.region.domain or problem.domain
        rows, share = scan.bumps()
        here = look(scan.everywhere.only(rows)) if len(rows) else None
        if here is not None:
            slowest = np.broadcast_to(1 / np.array(domain.half_widths), here.points.shape)
            relative = share * here.relative(sizes, slowest)
            at = int(np.argmax(relative))
            place = tuple(here.points[at].tolist())
            errors.append(LocalError(float(relative[at]), k, f"({', '.join(f'{v:.6g}' for v in place)})", place))
    return max(errors, key=lambda e: e.relative)


def scans(
    problem: Problem, discretised: Sequence[DiscreteCondition], seed: np.random.SeedSequence
) -> list[tuple[int, Scan]]:
    """A look at all equations whose known functions might do something between the points, with their numbers."""
    found = []
    for k, (p, stream) in enumerate(zip(discretised, seed.spawn(len(discretised)), strict=True)):
        formulas = [f for f in _known(p) if not is_plain(f.expression, problem)]
        if formulas and not p.is_integral and any(len(q.ends) for q in p.condition.region.patches):
            looks = FEW_LOOKS if all(map(_is_computed, formulas)) else LOOKS
            everywhere = p.moved(_everywhere(p, looks, np.random.default_rng(stream)), problem.coordinates)
            found.append((k, Scan.of(formulas, p, everywhere, _abrupt(formulas, p, problem))))
    return found


def _known(discretised: DiscreteCondition) -> list[Formula]:
    """The formulas of an equation without the unknown: its source, and its coefficients."""
    at_rest = {symbol: sp.S.Zero for _, symbol in discretised.form.equation.jets}
    expressions = [discretised.form.source.expression, *(c.expression for _, c in discretised.form.coefficients)]
    try:
        known = [e.xreplace(at_rest) for e in expressions]
    except (TypeError, ValueError, ZeroDivisionError):
        return []
    varying = [e for e in dict.fromkeys(known) if e.free_symbols or e.has(Wrapped)]
    return [Formula(e) for e in varying if not e.has(sp.zoo, sp.nan, sp.oo, -sp.oo)]


def _abrupt(formulas: Sequence[Formula], discretised: DiscreteCondition, problem: Problem) -> DiscreteCondition | None:
    """An equation on a domain at the places where its coefficients change most abruptly; None without any."""
    region, at_rest = discretised.condition.region, {s: sp.S.Zero for _, s in discretised.form.equation.jets}
    if not isinstance(region, Domain):
        return None
    coefficients = {c.expression.xreplace(at_rest) for _, c in discretised.form.coefficients}
    steep = [f.expression for f in formulas if f.expression in coefficients and not _is_computed(f)]
    steep = [e for e in steep if e.free_symbols <= set(problem.coordinates)]
    places = [steepest_places(e, problem.coordinates, region) for e in steep]
    inside = [p[region.contains(p)] for p in places if len(p)]
    return discretised.moved(Samples(np.concatenate(inside)), problem.coordinates) if sum(map(len, inside)) else None


def _size(discretised: DiscreteCondition) -> np.ndarray:
    """The size of the coefficients that no unknown is in; 1 without any."""
    symbols, n = {symbol for _, symbol in discretised.form.equation.jets}, len(discretised.samples)
    known = [c for _, c in discretised.form.coefficients if not c.expression.free_symbols & symbols]
    size = sum((np.abs(c(discretised.values, n)) for c in known), np.zeros(n))
    return np.where(size > 0, size, 1.0)


def is_plain(expression: sp.Expr, problem: Problem) -> bool:
    """Whether a formula can hide nothing: sums and products of sines and exponentials of few waves, and polynomials."""
    half_widths = dict(zip(problem.coordinates, problem.domain.half_widths, strict=True))
    waves = _waves(expression, half_widths)
    return waves is not None and waves <= PLAIN_WAVES


def _waves(e: sp.Expr, half_widths: dict[sp.Symbol, float]) -> float | None:
    """How many radians a formula may turn by across half the domain; None if that does not show in it."""
    if not e.free_symbols & set(half_widths):
        return None if e.has(Wrapped) else 0.0
    if e in half_widths:
        return 1.0
    if isinstance(e, sp.Add | sp.Mul):
        parts = [_waves(a, half_widths) for a in e.args]
        known = [p for p in parts if p is not None]
        return None if len(known) < len(parts) else (max if isinstance(e, sp.Add) else sum)(known)
    if isinstance(e, sp.Pow) and e.exp.is_Integer and e.exp > 0:
        base = _waves(e.base, half_widths)
        return None if base is None else int(e.exp) * base
    if isinstance(e, sp.sin | sp.cos | sp.exp | sp.sinh | sp.cosh):
        slopes = {x: sp.diff(e.args[0], x) for x in half_widths}
        if any(s.free_symbols or not s.is_number for s in slopes.values()):
            return None
        return float(sum(abs(complex(s)) * half_widths[x] for x, s in slopes.items()))
    return None


def _is_computed(formula: Formula) -> bool:
    """Whether all that a formula may hide is a computed function."""
    wrapped = formula.expression.atoms(Wrapped)
    plain = formula.expression.xreplace(dict.fromkeys(wrapped, sp.S.One))
    return plain.is_number and all(isinstance(w.args[0].function, Extrapolated | Field) for w in wrapped)


def _everywhere(discretised: DiscreteCondition, looks: int, rng: np.random.Generator) -> Samples:
    pieces = discretised.condition.region.patches
    counts = [max(1, int(looks / len(pieces))) if len(p.ends) else 1 for p in pieces]
    samples = Samples.joined([p.place(rng.random((n, len(p.ends)))) for p, n in zip(pieces, counts, strict=True)])
    region = discretised.condition.region
    return region.paired(samples) if region.has_pairs else samples


@dataclass(frozen=True)
class Scan:
    """The known functions of an equation at the points of its fit, `here`, and in many more places, `there`.

    `steep` are their values where its coefficients change most abruptly, if they do. All values are relative to the
    coefficients: an equation may have been divided by what vanishes somewhere.
    """

    fitted: DiscreteCondition
    everywhere: DiscreteCondition
    abrupt: DiscreteCondition | None
    here: Sequence[np.ndarray]
    there: Sequence[np.ndarray]
    steep: Sequence[np.ndarray | None]

    @classmethod
    def of(
        cls,
        formulas: Sequence[Formula],
        fitted: DiscreteCondition,
        everywhere: DiscreteCondition,
        abrupt: DiscreteCondition | None,
    ) -> Scan:
        """That of functions which have values there: a callable may take the points of a solve and no others."""
        here, there = _values(formulas, fitted), _values(formulas, everywhere)
        steep = [None] * len(formulas) if abrupt is None else _values(formulas, abrupt)
        known = [(a, b, c) for a, b, c in zip(here, there, steep, strict=True) if a is not None and b is not None]
        return cls(fitted, everywhere, abrupt, [a for a, *_ in known], [b for _, b, _ in known], [c for *_, c in known])

    @property
    def gives_values(self) -> bool:
        """Whether the equation gives values of unknowns, so that what is left of it is the error."""
        return not any(any(jet.orders) for jet in self.fitted.jets)

    def unseen(self) -> list[tuple[float, ...]]:
        """Places where functions are far outside the range of their values at the nearest points of the fit."""
        points, fitted = self.everywhere.samples.points, self.fitted.samples.points
        found: list[tuple[float, ...]] = []
        for here, there, steep in zip(self.here, self.there, self.steep, strict=True):
            rows = np.flatnonzero(np.isfinite(there))
            if len(rows) < CELLS or not np.isfinite(here).all():
                continue
            overall = max(float(np.ptp(there[rows])), float(np.ptp(here)))
            rows = rows[_extremes(points[rows], there[rows])]
            found += _beyond(points[rows], there[rows], fitted, here, overall)
            if self.abrupt is not None and steep is not None:
                found += _beyond(self.abrupt.samples.points, steep, fitted, here, overall)
        return found

    def bumps(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows of all places at which functions stand out most from their cell, and the share of the error in each.

        Where the equation gives values it is all of the error. Else it is the part of the region that the bump fills,
        and only those count that no point sees: all else is in residuals.
        """
        points, fitted = self.everywhere.samples.points, self.fitted.samples.points
        rows, shares = [np.zeros(0, dtype=int)], [np.zeros(0)]
        for here, there in zip(self.here, self.there, strict=True):
            if np.isfinite(there).all() and np.isfinite(here).all() and len(there) >= CELLS:
                plane = Planes.through(points, there)
                beside = there - plane(points, plane.cells)
                own = _extremes(points, beside)
                if not self.gives_values:
                    own = own[plane.hidden(points[own], beside[own], plane.cells[own], fitted, here)]
                rows.append(own)
                shares.append(np.ones(len(own)) if self.gives_values else plane.shares(beside, own))
        return np.concatenate(rows), np.concatenate(shares)


def _values(formulas: Sequence[Formula], discretised: DiscreteCondition) -> list[np.ndarray | None]:
    """Known functions relative to the coefficients; None for those that cannot be evaluated."""
    found: list[np.ndarray | None] = []
    with np.errstate(all="ignore"):
        try:
            size = _size(discretised)
        except EvaluationError:
            return [None] * len(formulas)
        for formula in formulas:
            try:
                found.append(formula(discretised.values, len(discretised.samples)) / size)
            except EvaluationError:
                found.append(None)
    return found


def _beyond(
    places: np.ndarray, values: np.ndarray, fitted: np.ndarray, here: np.ndarray, overall: float
) -> list[tuple[float, ...]]:
    """Places at which values are far outside the range of those at the nearest points of the fit."""
    least, most = _ranges(places, fitted, here)
    with np.errstate(all="ignore"):
        beyond = np.maximum(values - most, least - values)
        far = np.isfinite(values) & (beyond > BEYOND * (most - least) + NOTHING * overall)
    return [tuple(p) for p in places[far].tolist()]


@dataclass(frozen=True)
class Planes:
    """A plane through the values of a function in each of many cells."""

    cells: np.ndarray
    middles: np.ndarray
    means: np.ndarray
    slopes: np.ndarray

    @classmethod
    def through(cls, points: np.ndarray, values: np.ndarray) -> Planes:
        """The least squares of each cell."""
        _, cells = np.unique(_cells(points), return_inverse=True)
        count, d = np.bincount(cells), points.shape[1]
        middles = np.stack([np.bincount(cells, points[:, i]) / count for i in range(d)], axis=1)
        means = np.bincount(cells, values) / count
        away, rest = points - middles[cells], values - means[cells]
        moments = np.array([[np.bincount(cells, away[:, i] * away[:, j]) for j in range(d)] for i in range(d)])
        right = np.stack([np.bincount(cells, away[:, i] * rest) for i in range(d)], axis=1)
        slopes = (np.linalg.pinv(moments.transpose(2, 0, 1), rcond=1e-10, hermitian=True) @ right[:, :, None])[:, :, 0]
        return cls(cells, middles, means, slopes)

    def __call__(self, points: np.ndarray, cells: np.ndarray) -> np.ndarray:
        """The planes of cells at points, one for each or rows of them."""
        away = points - self.middles[cells].reshape(len(cells), *[1] * (points.ndim - 2), -1)
        slopes, means = self.slopes[cells], self.means[cells]
        return np.asarray(np.einsum("i...k,ik->i...", away, slopes) + means.reshape(-1, *[1] * (points.ndim - 2)))

    def hidden(
        self, places: np.ndarray, beside: np.ndarray, cells: np.ndarray, fitted: np.ndarray, here: np.ndarray
    ) -> np.ndarray:
        """Whether values stand out from the plane of their cell far more than those at the nearest points of a fit."""
        nearest = _nearest(places, fitted)
        theirs = here[nearest] - self(fitted[nearest], cells)
        least, most = theirs.min(axis=1), theirs.max(axis=1)
        beyond = np.maximum(beside - most, least - beside)
        return np.asarray(beyond > BEYOND * (most - least) + NOTHING * np.ptp(here))

    def shares(self, beside: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The share of all places at which a function stands out at least half as much as at each of some."""
        sizes = np.abs(beside)
        return np.array([np.mean((self.cells == self.cells[r]) & (sizes > sizes[r] / 2)) for r in rows])


def _cells(points: np.ndarray) -> np.ndarray:
    """The number of the cell that each point is in, of many."""
    lower, width = points.min(axis=0), np.ptp(points, axis=0)
    along = max(1, round(CELLS ** (1 / points.shape[1])))
    cells = np.minimum((points - lower) / np.where(width > 0, width, 1.0) * along, along - 1).astype(int)
    return np.asarray((cells @ along ** np.arange(points.shape[1])).astype(np.int16))  # NumPy sorts these by digits


def _extremes(points: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Where a function is largest and smallest in each of many cells."""
    number = _cells(points)
    order = np.argsort(number, kind="stable")
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(order)))
    rows = []
    for best in (np.maximum, np.minimum):
        extreme = np.repeat(best.reduceat(values[order], starts), sizes)
        rows.append(order[np.flatnonzero(values[order] == extreme)])
    return np.unique(np.concatenate([r[np.unique(number[r], return_index=True)[1]] for r in rows]))


def _ranges(places: np.ndarray, points: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest value at the nearest points of each place."""
    nearest = _nearest(places, points)
    return values[nearest].min(axis=1), values[nearest].max(axis=1)


def _nearest(places: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The numbers of the nearest points of each place."""
    width = np.where((w := np.ptp(points, axis=0)) > 0, w, 1.0)
    count = min(NEIGHBOURS * points.shape[1] + NEIGHBOURS, len(points))
    distance = sum(((places[:, None, i] - points[None, :, i]) / width[i]) ** 2 for i in range(points.shape[1]))
    return np.asarray(np.argpartition(distance, count - 1, axis=1)[:, :count])
