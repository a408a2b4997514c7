"""What known functions do between the points of a fit.

Sources, coefficients and boundary values are formulas, or functions to call, so that they can be looked at in many
more places than a solution can be asked to hold. A bump that no point of a fit saw is in no residual of it, either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp

from ..discretise import DiscreteCondition
from ..discretise.field import Extrapolated, Field
from ..errors import EvaluationError
from ..geometry import Samples
from ..problem import Formula, Problem, Wrapped

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
    found = []
    for k, (p, stream) in enumerate(zip(discretised, seed.spawn(len(discretised)), strict=True)):
        formulas = [f for f in _known(p) if not is_plain(f.expression, problem)]
        if formulas and not p.is_integral and any(len(q.ends) for q in p.condition.region.patches):
            looks = FEW_LOOKS if all(map(_is_computed, formulas)) else LOOKS
            everywhere = _everywhere(p, looks, np.random.default_rng(stream))
            moved = p.moved(everywhere, problem.coordinates)
            found += [Missed(k, where) for where in _unseen(formulas, p, moved)]
    return tuple(found)


def _known(discretised: DiscreteCondition) -> list[Formula]:
    """The formulas of an equation without the unknown."""
    at_rest = {symbol: sp.S.Zero for _, symbol in discretised.form.equation.jets}
    expressions = [discretised.form.source.expression, *(c.expression for _, c in discretised.form.coefficients)]
    try:
        known = [e.xreplace(at_rest) for e in expressions]
    except (TypeError, ValueError, ZeroDivisionError):
        return []
    varying = [e for e in dict.fromkeys(known) if e.free_symbols or e.has(Wrapped)]
    return [Formula(e) for e in varying if not e.has(sp.zoo, sp.nan, sp.oo, -sp.oo)]


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


def _unseen(
    formulas: Sequence[Formula], discretised: DiscreteCondition, everywhere: DiscreteCondition
) -> list[tuple[float, ...]]:
    """Places where functions are far outside the range of their values at the nearest points of the fit.

    Relative to the coefficients there: an equation may have been divided by what vanishes somewhere.
    """
    found: list[tuple[float, ...]] = []
    with np.errstate(all="ignore"):
        try:
            sizes = [(p, _size(p)) for p in (everywhere, discretised)]
        except EvaluationError:  # a callable that takes the points of a solve and no others
            return []
        for formula in formulas:
            try:
                there, here = (formula(p.values, len(p.samples)) / size for p, size in sizes)
            except EvaluationError:
                continue
            found += _beyond(there, here, everywhere.samples.points, discretised.samples.points)
    return found


def _beyond(
    there: np.ndarray, here: np.ndarray, everywhere: np.ndarray, fitted: np.ndarray
) -> list[tuple[float, ...]]:
    """Places of all at which values are far outside the range of those at the nearest points of the fit."""
    finite = np.isfinite(there)
    points, there = everywhere[finite], there[finite]
    if len(there) < CELLS or not np.isfinite(here).all():
        return []
    rows = _extremes(points, there)
    least, most = _ranges(points[rows], fitted, here)
    overall = max(float(np.ptp(there)), float(np.ptp(here)))
    beyond = np.maximum(there[rows] - most, least - there[rows])
    unseen = rows[beyond > BEYOND * (most - least) + NOTHING * overall]
    return [tuple(p) for p in points[unseen].tolist()]


def _extremes(points: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Where a function is largest and smallest in each of many cells."""
    lower, width = points.min(axis=0), np.ptp(points, axis=0)
    along = max(1, round(CELLS ** (1 / points.shape[1])))
    cells = np.minimum((points - lower) / np.where(width > 0, width, 1.0) * along, along - 1).astype(int)
    number = (cells @ along ** np.arange(points.shape[1])).astype(np.int16)  # which NumPy sorts by its digits
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
    width = np.where((w := np.ptp(points, axis=0)) > 0, w, 1.0)
    count = min(NEIGHBOURS * points.shape[1] + NEIGHBOURS, len(points))
    distance = sum(((places[:, None, i] - points[None, :, i]) / width[i]) ** 2 for i in range(points.shape[1]))
    nearest = np.argpartition(distance, count - 1, axis=1)[:, :count]
    return values[nearest].min(axis=1), values[nearest].max(axis=1)
