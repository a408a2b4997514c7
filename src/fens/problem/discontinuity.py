"""Where a formula jumps, along lines through a domain.

A jump is a difference between two sides that stays as these come together; a kink, a steep slope and a pole are none.
Formulas tell where to look: a comparison, a sign, a denominator switch where some expression vanishes, and its zeros
are bracketed on lines and bisected. What has no formula is searched by its values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.logic.boolalg import BooleanAtom, BooleanFunction

from ..errors import FensError
from .formula import Formula
from .operators import Held
from .unknowns import Unknown

CONTINUOUS = (
    sp.Symbol, sp.Number, sp.NumberSymbol, sp.core.numbers.ImaginaryUnit, sp.Add, sp.Mul, sp.exp, sp.log, sp.sin,
    sp.cos, sp.sinh, sp.cosh, sp.tanh, sp.asin, sp.acos, sp.atan, sp.asinh, sp.acosh, sp.atanh, sp.erf, sp.erfc, sp.Abs,
    sp.Max, sp.Min, sp.re, sp.im, sp.conjugate, sp.besselj, sp.besseli, AppliedUndef, sp.Derivative, sp.Tuple,
)  # fmt: skip
SWITCHING = (sp.Piecewise, ExprCondPair, sp.Heaviside, sp.sign, sp.floor, sp.ceiling, sp.frac, sp.Mod, sp.atan2,
             Relational, BooleanFunction, BooleanAtom)  # fmt: skip
LINES, TICKS = 128, 257  # through a domain of more than one dimension, and points on each of them
FEW_LINES, FEW_TICKS = 32, 129  # for functions without a formula, of which each value may take long
TICKS_ALONE = 4097  # on the only line there is in one dimension
MOST_BRACKETS = 2048
MOST_OF = 0.75  # the lines, on which a jump at one value of the coordinate is a plane
STEEPEST = 2  # brackets of each line, where values change most abruptly
STEEPEST_ALONE = 64  # of the only line there is, where all that change abruptly are of interest
BISECTIONS = 60
BISECTIONS_BY_VALUE = 36
NEAR, NEARER = 1e-8, 1e-11  # relative to the length of the line, at which both sides are compared
STAYS = 0.8  # of a difference, as the distance falls by a thousand; a power of it, such as a cube root, would fall
LEAST = 1e-10  # of the values, below which a difference is round-off
LEAST_BY_VALUE = 1e-6  # the same for functions without a formula, which may be in single precision
ROUNDS, AROUND, SHRINK = 40, 64, 0.75  # of the search for a place where an expression changes its sign


@dataclass(frozen=True)
class Jump:
    """Where a formula jumps along an axis: a place, the points on its two sides, and all values of the coordinate.

    `values` are those at which it jumps on every line, so that the jump is a plane; none if it is something else.
    """

    axis: int
    below: np.ndarray
    above: np.ndarray
    values: tuple[float, ...]

    @property
    def place(self) -> np.ndarray:
        """A point at which it jumps."""
        middle: np.ndarray = (self.below + self.above) / 2
        return middle


def may_jump(expression: sp.Basic) -> bool:
    """Whether an expression contains something that can jump; to find out where, and whether, takes numbers."""
    return any(_switches(node) or not _is_continuous(node) for node in sp.preorder_traversal(expression))


def nonsmooth_where_zero(expression: sp.Basic) -> list[sp.Expr]:
    """Expressions that vanish wherever another one jumps or has a kink."""
    found: dict[sp.Expr, None] = {}
    for node in sp.preorder_traversal(expression):
        if isinstance(node, sp.Abs):
            found[node.args[0]] = None
        elif isinstance(node, sp.Max | sp.Min):
            found.update({a - node.args[0]: None for a in node.args[1:]})
        else:
            found.update(dict.fromkeys(_switches(node)))
    return list(found)


def find_jump(
    expression: sp.Expr, coordinates: Sequence[sp.Symbol], axis: int, domain: Any, given: Mapping[sp.Symbol, float]
) -> Jump | None:
    """Where an expression jumps along an axis inside of a domain, with values for the symbols that are no coordinates.

    What cannot be evaluated there does not count: that is told, with the place, when the problem is solved.
    """
    formula = Formula(expression.xreplace({s: sp.Float(v) for s, v in given.items()}))
    if not may_jump(formula.expression):
        return None
    try:
        with np.errstate(all="ignore"):
            has_formula = all(map(_is_continuous, sp.preorder_traversal(formula.expression)))
            return Lines.through(domain, coordinates, axis, has_formula).jump(formula)
    except (FensError, ArithmeticError, TypeError, ValueError):
        return None


def steepest_places(expression: sp.Expr, coordinates: Sequence[sp.Symbol], domain: Any) -> np.ndarray:
    """Where values of an expression change most abruptly, on lines through a domain along each of its axes.

    On a ramp between two levels, however narrow it is, the places are on the ramp.
    """
    formula, found = Formula(expression), [np.empty((0, len(coordinates)))]
    many = all(map(_is_continuous, sp.preorder_traversal(expression)))
    most = STEEPEST_ALONE if len(coordinates) == 1 else STEEPEST
    for axis, x in enumerate(coordinates):
        if x not in expression.free_symbols and many:
            continue
        try:
            with np.errstate(all="ignore"):
                below, above = Lines.through(domain, coordinates, axis, many).steepest(formula, most)
        except (FensError, ArithmeticError, TypeError, ValueError):
            continue
        found.append((below + above) / 2)
    return np.concatenate(found)


def _is_continuous(node: sp.Basic) -> bool:
    return isinstance(node, (*CONTINUOUS, *SWITCHING, sp.Pow, Unknown, Held))


def _switches(node: sp.Basic) -> list[sp.Expr]:
    """Expressions that vanish wherever this node switches from one formula to another."""
    if isinstance(node, Relational):
        return [node.lhs - node.rhs]
    if isinstance(node, sp.Heaviside | sp.sign | sp.atan2):
        return [node.args[0]]
    if isinstance(node, sp.floor | sp.ceiling | sp.frac):
        return [sp.sin(sp.pi * node.args[0])]
    if isinstance(node, sp.Mod):
        return [sp.sin(sp.pi * node.args[0] / node.args[1])]
    if isinstance(node, sp.Pow) and node.base.free_symbols and not node.exp.is_nonnegative:
        return [node.base]  # x/|x| is a sign, too
    return []


def _places(node: sp.Basic) -> list[sp.Expr]:
    """The same, and expressions that vanish where others only touch zero, which is hard to see from values."""
    if isinstance(node, sp.Abs | sp.Pow):
        return [node.args[0]]
    return _switches(node)


@dataclass(frozen=True)
class Lines:
    """Points on lines along an axis of a domain: an array of lines × ticks × coordinates."""

    domain: Any
    coordinates: tuple[sp.Symbol, ...]
    axis: int
    points: np.ndarray

    @classmethod
    def through(cls, domain: Any, coordinates: Sequence[sp.Symbol], axis: int, many: bool = True) -> Lines:
        """Lines through points that are spread over the domain."""
        lower, upper = domain.bounds[axis]
        count, ticks = (LINES, TICKS) if many else (FEW_LINES, FEW_TICKS)
        if len(coordinates) == 1:
            count, ticks = 1, TICKS_ALONE
        unit = (np.arange(ticks) + 0.4637) / ticks  # off round numbers, at which formulas like to switch
        points = np.repeat(points_inside(domain, count)[:, None, :], ticks, axis=1)
        points[:, :, axis] = lower * (1 - unit) + upper * unit
        return cls(domain, tuple(coordinates), axis, points)

    @property
    def length(self) -> float:
        """How far the domain reaches along the axis."""
        lower, upper = self.domain.bounds[self.axis]
        return float(upper - lower)

    def jump(self, formula: Formula) -> Jump | None:
        """The jump of a formula, if it has one."""
        nodes = list(sp.preorder_traversal(formula.expression))
        switches = {s for node in nodes for s in _places(node) if s.free_symbols}
        found = [self._between(formula, *self._brackets(Formula(s)), LEAST) for s in sorted(switches, key=str)]
        if not all(map(_is_continuous, nodes)):
            found.append(self._between(formula, *self.steepest(formula), LEAST_BY_VALUE))
        places = np.concatenate([f for f in found if len(f)] or [np.empty((0, 2, len(self.coordinates)))])
        if not len(places):
            return None
        below, above = places[len(places) // 2]
        return Jump(self.axis, below, above, self._planes(places[:, :, self.axis].mean(axis=1)))

    def values(self, formula: Formula, points: np.ndarray) -> np.ndarray:
        """A formula at points of any shape; NaN outside of the domain, where it is not asked for."""
        flat = points.reshape(-1, points.shape[-1])
        result = np.full(len(flat), np.nan)
        rows = np.flatnonzero(self.domain.signed_distance(flat) < -self.domain.slack)
        if len(rows):
            columns = {x: flat[rows, i] for i, x in enumerate(self.coordinates)}
            result[rows] = formula(columns, len(rows))
        return result.reshape(points.shape[:-1])

    def _brackets(self, switch: Formula) -> tuple[np.ndarray, np.ndarray]:
        """Neighbouring points between which an expression changes its sign, brought together."""
        signs = np.sign(self.values(switch, self.points))
        line, tick = np.nonzero(signs[:, :-1] * signs[:, 1:] <= 0)
        below, above = self.points[line, tick], self.points[line, tick + 1]
        if not len(line):
            below, above = self._hunted(switch)
        chosen = np.unique(np.linspace(0, len(below) - 1, min(len(below), MOST_BRACKETS)).astype(int))
        below, above = below[chosen], above[chosen]
        sign = np.sign(self.values(switch, below))
        for _ in range(BISECTIONS):
            middle = (below + above) / 2
            lower = np.sign(self.values(switch, middle)) == sign
            below, above = np.where(lower[:, None], middle, below), np.where(lower[:, None], above, middle)
        return below, above

    def _hunted(self, switch: Formula) -> tuple[np.ndarray, np.ndarray]:
        """The ends of a short way on which an expression changes its sign, though it does on no line: a small hole."""
        none = np.empty((0, len(self.coordinates)))
        values = self.values(switch, self.points)
        if not np.isfinite(values).any():
            return none, none
        best = self.points.reshape(-1, len(self.coordinates))[np.nanargmin(np.abs(values))]
        sign, reach = np.sign(values[np.isfinite(values)][0]), np.ptp(np.array(self.domain.bounds), axis=1) / 8
        cloud = 2 * _spread(AROUND, len(self.coordinates)) - 1
        for _ in range(ROUNDS):
            tried = np.concatenate([best[None], best + reach * cloud])
            size = sign * self.values(switch, tried)
            best = tried[np.nanargmin(size)] if np.isfinite(size).any() else best
            if np.nanmin(size) <= 0:
                return self._ways_out(switch, best, sign)
            reach = SHRINK * reach
        return none, none

    def _ways_out(self, switch: Formula, start: np.ndarray, sign: float) -> tuple[np.ndarray, np.ndarray]:
        """From a place where an expression has the other sign, along the axis, to where it has the usual one."""
        steps = self.length * np.concatenate([-(2.0 ** -np.arange(40)), 2.0 ** -np.arange(40)])
        ends = np.repeat(start[None], len(steps), axis=0)
        ends[:, self.axis] += steps
        ends = ends[np.sign(self.values(switch, ends)) == sign]
        return np.repeat(start[None], len(ends), axis=0), ends

    def steepest(self, formula: Formula, most: int = STEEPEST) -> tuple[np.ndarray, np.ndarray]:
        """Neighbouring points between which values change most abruptly, brought together to where they do."""
        values = self.values(formula, self.points)
        steps = np.diff(values, axis=1)
        usual = (np.pad(steps, ((0, 0), (1, 0)), "edge")[:, :-1] + np.pad(steps, ((0, 0), (0, 1)), "edge")[:, 1:]) / 2
        abrupt = np.nan_to_num(np.abs(steps - usual), nan=-1.0, posinf=-1.0)
        tick = np.argsort(-abrupt, axis=1)[:, :most].ravel()
        line = np.repeat(np.arange(len(values)), most)
        below, above = self.points[line, tick], self.points[line, tick + 1]
        first, last = values[line, tick], values[line, tick + 1]
        for _ in range(BISECTIONS_BY_VALUE):
            middle = (below + above) / 2
            value = self.values(formula, middle)
            lower = np.abs(last - value) >= np.abs(value - first)
            below, first = np.where(lower[:, None], middle, below), np.where(lower, value, first)
            above, last = np.where(lower[:, None], above, middle), np.where(lower, last, value)
        return below, above

    def _between(self, formula: Formula, below: np.ndarray, above: np.ndarray, least: float) -> np.ndarray:
        """Those of the places at which the values on both sides differ, however near these are, as pairs of points."""
        if not len(below):
            return np.empty((0, 2, len(self.coordinates)))
        middle = (below + above) / 2
        offset = np.zeros(len(self.coordinates))
        offset[self.axis] = self.length
        pairs: list[np.ndarray] = []
        sides: list[np.ndarray] = []
        for distance in (NEAR, NEARER):
            # not below what coordinates so far from zero can tell apart
            least_step = distance / NEARER * 16 * np.spacing(np.abs(middle))
            far = np.maximum(distance * offset, least_step * (offset > 0))
            pairs.append(np.stack([middle - far, middle + far], axis=1))
            sides.append(self.values(formula, pairs[-1]))
        wide, narrow = (np.abs(np.diff(s, axis=1))[:, 0] for s in sides)
        size = np.abs(sides[1]).sum(axis=1)
        stays = (narrow > least * size) & (narrow >= STAYS * wide) & (narrow * STAYS <= wide)
        jumping: np.ndarray = pairs[1][stays]
        return jumping

    def _planes(self, values: np.ndarray) -> tuple[float, ...]:
        """The coordinates of jumps, if each of them is one of a few that occur on all of the lines."""
        rounded = np.sort(values)
        groups = np.split(rounded, np.flatnonzero(np.diff(rounded) > 1e-7 * self.length) + 1)
        if any(len(g) < MOST_OF * len(self.points) for g in groups):
            return ()
        return tuple(self._rounded(float(np.mean(g))) for g in groups)

    def _rounded(self, value: float) -> float:
        """A value of the coordinate, zero if it is as good as that."""
        return value if abs(value) > 1e-12 * self.length else 0.0


@dataclass(frozen=True)
class Span:
    """An interval in the place of a domain, for symbols that are no coordinates."""

    reach: float
    slack: float = 0.0

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        return ((-self.reach, self.reach),)

    def signed_distance(self, points: np.ndarray) -> np.ndarray:
        """Negative inside."""
        result: np.ndarray = np.abs(points[:, 0]) - self.reach
        return result

    @property
    def patches(self) -> tuple[Span, ...]:
        return (self,)

    ends = (True,)

    def place(self, unit: np.ndarray) -> Any:
        """Points of the interval."""
        return SimpleNamespace(points=self.reach * (2 * unit - 1))


ANY_NUMBER = Span(30.0)  # of sinh(τ), which is then any number of either sign, small or large


def find_step(expression: sp.Expr, symbol: sp.Symbol, given: Mapping[sp.Symbol, float]) -> float | None:
    """At which value of a symbol an expression jumps, whatever that value may be, with values for all other symbols."""
    stretched = sp.Dummy("stretched", real=True)
    jump = find_jump(expression.xreplace({symbol: sp.sinh(stretched)}), (stretched,), 0, ANY_NUMBER, given)
    return None if jump is None else float(np.sinh(jump.place[0]))


def points_inside(domain: Any, count: int) -> np.ndarray:
    """Some points in a domain, spread over it."""
    for trials in (2 * count, 64 * count):
        found = np.concatenate([p.place(_spread(trials, len(p.ends))).points for p in domain.patches])
        if len(found) >= count:
            break
    middle: np.ndarray = np.mean(domain.bounds, axis=1)[None]
    return found[:count] if len(found) else middle  # a ball in many dimensions fills little of its box


def _spread(count: int, dimension: int) -> np.ndarray:
    """Points spread over a unit cube, by multiples of the generalised golden ratios (Roberts 2018).

    Sobol's are more even, but SciPy's table of them takes a second to import.
    """
    ratio = 1.5
    for _ in range(50):
        ratio = (1 + ratio) ** (1 / (dimension + 1))
    steps: np.ndarray = ratio ** -np.arange(1.0, dimension + 1)
    points: np.ndarray = (0.5 + np.arange(1, count + 1)[:, None] * steps) % 1.0
    return points
