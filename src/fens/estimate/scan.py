"""What known functions do between the points of a fit.

Sources, coefficients and boundary values are formulas, or functions to call, so that they can be looked at in many
more places than a solution can be asked to hold. A bump that no point of a fit saw is in no residual of it, either.
Bumps stand out from what is smooth in a small cell. Where a condition gives values, what is left of it at
such a place is the error there; elsewhere it counts with the part of the region that it fills. Coefficients are also
looked at where they change most abruptly: a ramp between two levels may be narrower than any distance of places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp

from .._support.steering import Scanning
from ..discretise import DiscreteCondition
from ..discretise.field import Extrapolated, Field
from ..errors import EvaluationError
from ..geometry import Domain, Samples
from ..problem import Formula, Problem, Wrapped
from ..problem.discontinuity import steepest_places
from .cells import cells_of, extremes_in_cells, part_of_bump, ranges_nearby, smooth_in_cells
from .local import NOWHERE, LocalError, Look
from .quadrature import Checked


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
        if (bumps := scan.bumps(look)) is not None:
            here, share = bumps
            slowest = np.broadcast_to(1 / np.array(domain.half_widths), here.points.shape)
            relative = share * here.relative(sizes, slowest)
            at = int(np.argmax(relative))
            place = tuple(here.points[at].tolist())
            errors.append(LocalError(float(relative[at]), k, f"({', '.join(f'{v:.6g}' for v in place)})", place))
    return max(errors, key=lambda e: e.relative)


def scans(
    problem: Problem,
    discretised: Sequence[DiscreteCondition],
    seed: np.random.SeedSequence,
    integrals: Sequence[Checked] = (),
    is_relative: bool = True,
    coincide: float = Scanning.COINCIDE,
) -> list[tuple[int, Scan]]:
    """A look at all equations whose known functions might do something between the points, with their numbers.

    An integral is held against the points of the finest rule that it was checked by. Functions are relative to the
    coefficients of their equation, unless these mean something by themselves: so do integrands. Points of a fit that
    are closer to each other than a part of the usual distance `coincide`.
    """
    found, finest = [], {i.number: i.finer[-1] for i in integrals}
    for k, (own, stream) in enumerate(zip(discretised, seed.spawn(len(discretised)), strict=True)):
        p = finest.get(k, own)
        formulas = [f for f in _known(p) if not is_plain(f.expression, problem)]
        sampled = p.is_pointwise or k in finest
        if formulas and sampled and any(len(q.ends) for q in p.condition.region.patches):
            looks = Scanning.FEW_LOOKS if all(map(_is_computed, formulas)) else Scanning.LOOKS
            everywhere = p.moved(_everywhere(p, looks, np.random.default_rng(stream)), problem.coordinates)
            abrupt = None if k in finest else _abrupt(formulas, p, problem)
            found.append((k, Scan.of(formulas, p, everywhere, abrupt, is_relative and k not in finest, coincide)))
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


def _coefficients(discretised: DiscreteCondition) -> set[sp.Expr]:
    """The coefficients of an equation without the unknown."""
    at_rest = {symbol: sp.S.Zero for _, symbol in discretised.form.equation.jets}
    return {c.expression.xreplace(at_rest) for _, c in discretised.form.coefficients}


def _abrupt(formulas: Sequence[Formula], discretised: DiscreteCondition, problem: Problem) -> DiscreteCondition | None:
    """An equation on a domain at the places where its coefficients change most abruptly; None without any."""
    region, coefficients = discretised.condition.region, _coefficients(discretised)
    if not isinstance(region, Domain):
        return None
    known = [f.expression for f in formulas if f.expression in coefficients and not _is_computed(f)]
    known = [e for e in known if e.free_symbols <= set(problem.coordinates)]
    places = [steepest_places(e, problem.coordinates, region) for e in known]
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
    waves = waves_of(expression, half_widths)
    return waves is not None and waves <= Scanning.PLAIN_WAVES


def waves_of(e: sp.Expr, half_widths: dict[sp.Symbol, float]) -> float | None:
    """How many radians a formula may turn by across half the domain; None if that does not show in it."""
    if not e.free_symbols & set(half_widths):
        return None if e.has(Wrapped) else 0.0
    if e in half_widths:
        return 1.0
    if isinstance(e, sp.Add | sp.Mul):
        parts = [waves_of(a, half_widths) for a in e.args]
        known = [p for p in parts if p is not None]
        return None if len(known) < len(parts) else (max if isinstance(e, sp.Add) else sum)(known)
    if isinstance(e, sp.Pow) and e.exp.is_Integer and e.exp > 0:
        base = waves_of(e.base, half_widths)
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

    `steep` are the values of coefficients where these change most abruptly, if they do. All values are relative to the
    coefficients: an equation may have been divided by what vanishes somewhere.
    """

    fitted: DiscreteCondition
    everywhere: DiscreteCondition
    abrupt: DiscreteCondition | None
    here: Sequence[np.ndarray]
    there: Sequence[np.ndarray]
    steep: Sequence[np.ndarray | None]
    coincide: float = Scanning.COINCIDE

    @classmethod
    def of(
        cls,
        formulas: Sequence[Formula],
        fitted: DiscreteCondition,
        everywhere: DiscreteCondition,
        abrupt: DiscreteCondition | None,
        is_relative: bool,
        coincide: float = Scanning.COINCIDE,
    ) -> Scan:
        """That of functions which have values there: a callable may take the points of a solve and no others."""
        at_fit, beyond = _values(formulas, fitted, is_relative), _values(formulas, everywhere, is_relative)
        abruptly = [None] * len(formulas) if abrupt is None else _values(formulas, abrupt, is_relative)
        varying = [f.expression in _coefficients(fitted) for f in formulas]
        known = [
            (a, b, c if v else None)
            for a, b, c, v in zip(at_fit, beyond, abruptly, varying, strict=True)
            if a is not None and b is not None
        ]
        here, there, steep = [a for a, *_ in known], [b for _, b, _ in known], [c for *_, c in known]
        return cls(fitted, everywhere, abrupt, here, there, steep, coincide)

    @property
    def gives_values(self) -> bool:
        """Whether the equation gives values of unknowns, so that what is left of it is the error."""
        return not any(any(jet.orders) for jet in self.fitted.jets)

    def unseen(self) -> list[tuple[float, ...]]:
        """Places where functions are far outside the range of their values at the nearest points of the fit."""
        points = self.everywhere.samples.points
        found: list[tuple[float, ...]] = []
        for here, there, steep in zip(self.here, self.there, self.steep, strict=True):
            rows = np.flatnonzero(np.isfinite(there))
            if len(rows) < Scanning.CELLS or not np.isfinite(here).all():
                continue
            overall = max(float(np.ptp(there[rows])), float(np.ptp(here)))
            rows = rows[extremes_in_cells(points[rows], there[rows])]
            found += self._beyond(points[rows], there[rows], here, overall)
            if self.abrupt is not None and steep is not None:
                found += self._beyond(self.abrupt.samples.points, steep, here, overall)
        return found

    def _beyond(
        self, places: np.ndarray, values: np.ndarray, here: np.ndarray, overall: float
    ) -> list[tuple[float, ...]]:
        """Places at which values are far outside the range of those at the nearest points of the fit."""
        least, most = ranges_nearby(places, self.fitted.samples.points, here, self.coincide)
        with np.errstate(all="ignore"):
            beyond = np.maximum(values - most, least - values)
            far = np.isfinite(values) & (beyond > Scanning.BEYOND * (most - least) + Scanning.NOTHING * overall)
        return [tuple(p) for p in places[far].tolist()]

    def bumps(self, look: Callable[[DiscreteCondition], Look | None]) -> tuple[Look, np.ndarray] | None:
        """The equation where its functions stand out most from their cells, and the share of what is left in the error.

        Where the equation gives values that is all of it. Else it is the part of the region that the bump fills, and
        nothing where points see it, next to which as much is left: that is in other residuals.
        """
        if not self.fitted.is_pointwise:  # of an integrand nothing is to vanish; finer rules tell what is left
            return None
        points, rows, shares = self.everywhere.samples.points, [np.zeros(0, dtype=int)], [np.zeros(0)]
        cells = cells_of(points)
        for here, there in zip(self.here, self.there, strict=True):
            if np.isfinite(there).all() and np.isfinite(here).all() and len(there) >= Scanning.CELLS:
                beside = there - smooth_in_cells(points, there, cells)
                rows.append(extremes_in_cells(points, beside))
                shares.append(part_of_bump(cells, np.abs(beside), rows[-1]))
        chosen, share = np.concatenate(rows), np.concatenate(shares)
        found = look(self.everywhere.only(chosen)) if len(chosen) else None
        if found is None or self.gives_values:
            return None if found is None else (found, np.ones(len(chosen)))
        fitted = look(self.fitted)
        if fitted is None or not np.isfinite(fitted.residual).all():
            return None
        least, most = ranges_nearby(found.points, fitted.points, fitted.residual, self.coincide)
        with np.errstate(all="ignore"):
            beyond = np.maximum(found.residual - most, least - found.residual)
        return found, np.where(beyond > Scanning.BEYOND * (most - least), share, 0.0)


def _values(
    formulas: Sequence[Formula], discretised: DiscreteCondition, is_relative: bool
) -> list[np.ndarray | None]:
    """Known functions relative to the coefficients, or as they are; None for those that cannot be evaluated."""
    found: list[np.ndarray | None] = []
    with np.errstate(all="ignore"):
        try:
            size = _size(discretised) if is_relative else np.ones(len(discretised.samples))
        except EvaluationError:
            return [None] * len(formulas)
        for formula in formulas:
            try:
                found.append(formula(discretised.values, len(discretised.samples)) / size)
            except EvaluationError:
                found.append(None)
    return found
