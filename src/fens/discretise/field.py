"""A function Σ w_j ∂^α φ_j(x) that can be called and differentiated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import sympy as sp
from torch import Tensor

from .._support.device import to_device
from .._support.numbers import is_whole, real_array
from .._support.stored import stored
from ..basis import Basis, TrialSpace, place_of
from ..errors import RegionError, SettingError, quoted
from ..geometry import Domain, points_of
from ..problem import HIGHEST, Problem, Unknown
from . import evaluate

TELLS = 1e-6  # of the size of a domain: an offset of this length tells where shorter ones of its direction lead

@stored("Field")
@dataclass(frozen=True)
class Field:
    """∂^orders of an unknown, as computed. Callable with numbers or arrays, in the order of `arguments`."""

    features: Basis
    weights: Tensor
    domain: Domain
    arguments: tuple[sp.Symbol, ...]
    orders: tuple[int, ...]

    def __call__(self, *coordinates: Any, outside: str = "nan") -> Any:
        """The value at the given coordinates, which broadcast; a float if all are numbers.

        Outside the domain the value is NaN, or that of the formula if `outside` is `"extrapolate"`.
        """
        if len(coordinates) != len(self.arguments):
            names = ", ".join(map(str, self.arguments))
            raise SettingError(
                f"The solution takes {len(self.arguments)} coordinates, ({names}); got {len(coordinates)}."
            )
        if not isinstance(outside, str) or outside not in ("nan", "extrapolate"):
            raise SettingError(f"outside must be 'nan' or 'extrapolate'; got {quoted(outside)}.")
        arrays = broadcast(coordinates, self.arguments)
        shape = arrays[0].shape
        by_name = dict(zip(self.arguments, arrays, strict=True))
        points = np.stack([by_name[x].ravel() for x in self.domain.coordinates], axis=1)
        values = self.inside(points) if outside == "nan" else self.at(points)
        return values.reshape(shape) if shape else float(values[0])

    def at(self, points: np.ndarray) -> np.ndarray:
        """The values at points given as rows, in the order of the domain's coordinates, wherever they lie."""
        points = points_of(self.domain, points)
        return self.derivatives(points, [(0,) * len(self.orders)])[0]

    def derivatives(self, points: np.ndarray, alphas: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """∂^α for each α at points given as rows, for little more than one of them."""
        where = to_device(points, self.weights.device)
        orders = [tuple(n + k for n, k in zip(self.orders, alpha, strict=True)) for alpha in alphas]
        return evaluate(self.features, self.weights, where, orders)

    def gradient(self, points: np.ndarray) -> list[np.ndarray]:
        """The derivatives along the axes at points given as rows."""
        return self.derivatives(points, np.eye(len(self.orders), dtype=int).tolist())

    def inside(self, points: np.ndarray) -> np.ndarray:
        """The values at points given as rows, NaN outside the domain, where features may be singular."""
        within = self.domain.contains(points)
        values = np.full(len(points), np.nan)
        values[within] = self.at(points[within])
        return values

    def diff(self, *variables: Any) -> Field:
        """A derivative, in SymPy's notation: `diff(x)`, `diff(x, 2)`, `diff(x, 2, y)`, `diff((x, 2), y)`."""
        orders = list(self.orders)
        for x, n in _variables_and_orders(variables):
            orders[self.domain.axis(x)] += n
        return replace(self, orders=tuple(orders))

    def near(self, place: Any) -> Near:
        """The same function of the offset from a place, `near((0, 1))(dx, dy)`: next to a corner it has all digits.

        The place is a `fens.Corner` or a point, with its coordinates in the order of the domain's.
        """
        return Near(self, place_of(place))

    def _repr_html_(self) -> str:
        return f"<code>{escape(repr(self))}</code> on {escape(self.domain.name)}"

    def __repr__(self) -> str:
        pairs = zip(self.domain.coordinates, self.orders, strict=True)
        taken = ", ".join(f"{x}" if n == 1 else f"{x}, {n}" for x, n in pairs if n)
        return f"<derivative ({taken}) of the solution>" if taken else "<value of the solution>"


@dataclass(frozen=True)
class Near:
    """A field as a function of the offset from a place, where coordinates are too coarse for what lies next to it."""

    field: Field
    place: tuple[float, ...]

    def __post_init__(self) -> None:
        domain, where = self.field.domain, ", ".join(f"{v:g}" for v in self.place)
        if len(self.place) != len(domain.coordinates):
            names = ", ".join(map(str, domain.coordinates))
            raise RegionError(f"A place in {domain.name} has the coordinates {names}; got ({where}).")
        if not domain.contains(np.array([self.place]))[0]:
            raise RegionError(f"The place ({where}) lies outside {domain.name}; take one inside, or a corner.")

    def __call__(self, *offsets: Any) -> Any:
        """The value at the given offsets, which broadcast, in the order of the unknown's arguments; NaN outside."""
        arguments = self.field.arguments
        if len(offsets) != len(arguments):
            names = ", ".join(f"d{x}" for x in arguments)
            raise SettingError(f"There are {len(arguments)} offsets from a place, ({names}); got {len(offsets)}.")
        arrays = dict(zip(arguments, broadcast(offsets, arguments), strict=True))
        shape = arrays[arguments[0]].shape
        rows = np.stack([arrays[x].ravel() for x in self.field.domain.coordinates], axis=1)
        values = np.full(len(rows), np.nan)
        within = self._within(rows)
        values[within] = self.at(rows[within])
        return values.reshape(shape) if shape else float(values[0])

    def at(self, offsets: np.ndarray) -> np.ndarray:
        """The values at offsets given as rows, wherever they lead."""
        weights = self.field.weights
        origin = to_device(np.array(self.place), weights.device)
        basis = self.field.features.counted_from(origin)
        return evaluate(basis, weights, to_device(offsets, weights.device), [self.field.orders])[0]

    def diff(self, *variables: Any) -> Near:
        """A derivative, in SymPy's notation."""
        return replace(self, field=self.field.diff(*variables))

    def _within(self, offsets: np.ndarray) -> np.ndarray:
        """Which offsets lead into the domain: of those that rounding would swallow, their direction tells."""
        domain = self.field.domain
        length = np.linalg.norm(offsets, axis=1)[:, None]
        least = TELLS * max(domain.half_widths)
        longer = offsets * np.where(length < least, least / np.maximum(length, np.finfo(float).tiny), 1.0)
        return domain.contains(np.array(self.place) + np.where(length > 0, longer, 0.0))

    def __repr__(self) -> str:
        return f"{repr(self.field)[:-1]} near ({', '.join(f'{v:g}' for v in self.place)})>"


@stored("ComplexField")
@dataclass(frozen=True)
class ComplexField:
    """∂^orders of a complex unknown, as computed: two fields."""

    real: Field
    imag: Field

    def __call__(self, *coordinates: Any, outside: str = "nan") -> Any:
        """The complex value at the given coordinates, as that of a `Field`."""
        return self.real(*coordinates, outside=outside) + 1j * self.imag(*coordinates, outside=outside)

    def at(self, points: np.ndarray) -> np.ndarray:
        """The values at points given as rows."""
        return np.asarray(self.real.at(points) + 1j * self.imag.at(points))

    def diff(self, *variables: Any) -> ComplexField:
        """A derivative, in SymPy's notation."""
        return ComplexField(self.real.diff(*variables), self.imag.diff(*variables))

    def near(self, place: Any) -> ComplexNear:
        """The same function of the offset from a place."""
        return ComplexNear(self.real.near(place), self.imag.near(place))

    @property
    def domain(self) -> Domain:
        """Where it is defined."""
        return self.real.domain

    def __repr__(self) -> str:
        return f"<complex {quoted(self.real)}"[:-1] + ">"


@dataclass(frozen=True)
class ComplexNear:
    """A complex field as a function of the offset from a place."""

    real: Near
    imag: Near

    def __call__(self, *offsets: Any) -> Any:
        """The complex value at the given offsets."""
        return self.real(*offsets) + 1j * self.imag(*offsets)

    def at(self, offsets: np.ndarray) -> np.ndarray:
        """The values at offsets given as rows, wherever they lead."""
        return np.asarray(self.real.at(offsets) + 1j * self.imag.at(offsets))

    def diff(self, *variables: Any) -> ComplexNear:
        """A derivative, in SymPy's notation."""
        return ComplexNear(self.real.diff(*variables), self.imag.diff(*variables))


@stored("Extrapolated")
@dataclass(frozen=True)
class Extrapolated:
    """A computed function that has values outside its domain too; a known function for other equations."""

    field: Field

    def __call__(self, *coordinates: Any) -> np.ndarray:
        """The values of the formula, wherever the coordinates are."""
        return np.asarray(self.field(*coordinates, outside="extrapolate"))


class Number(float):
    """An unknown number as found, with its standard deviation; `mark` is "unreliable" or the like, or empty."""

    std: float
    mark: str

    def __new__(cls, value: float, std: float = float("nan"), mark: str = "") -> Number:
        self = super().__new__(cls, value)
        self.std, self.mark = std, mark
        return self

    def marked(self, mark: str) -> Number:
        """The same number, which shows that it is not to be trusted."""
        return Number(float(self), self.std, mark)

    def __repr__(self) -> str:
        deviation = "" if self.std != self.std else f" ± {self.std:.1g}"
        return f"{float(self):.6g}{deviation}{f' ({self.mark})' if self.mark else ''}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Number, (float(self), self.std, self.mark)


@dataclass(frozen=True)
class Fields:
    """All unknowns of a problem, as computed."""

    problem: Problem
    features: TrialSpace
    weights: Tensor
    deviations: Mapping[sp.Expr, float] = field(default_factory=dict)

    @cached_property
    def components(self) -> tuple[Field, ...]:
        """Each of the real functions and numbers that were computed."""
        problem, family = self.problem, self.features
        none = (0,) * family.dimension
        parts = zip(family.members, family.columns, problem.components, strict=True)
        return tuple(
            Field(f, self.weights[columns], c.domain, c.unknown.args or problem.coordinates, none)
            for f, columns, c in parts
        )

    @cached_property
    def functions(self) -> dict[sp.Expr, Field | ComplexField | Number]:
        """Each unknown: a function to call, complex or not, or a number."""
        return {u: self._function(u) for u in self.problem.unknowns}

    def _function(self, unknown: sp.Expr) -> Field | ComplexField | Number:
        parts = [self.components[k] for k in self.problem.of(unknown)]
        if isinstance(unknown, Unknown):
            return Number(float(parts[0].weights[0]), self.deviations.get(unknown, float("nan")))
        return parts[0] if len(parts) == 1 else ComplexField(*parts)


def broadcast(coordinates: Sequence[Any], names: Sequence[sp.Symbol]) -> list[np.ndarray]:
    """Arrays of one shape, refused where the values are not real numbers."""
    given = ", ".join(type(c).__name__ for c in coordinates)
    message = f"The coordinates must be real numbers or arrays of them; got {given}."
    arrays = [real_array(c, SettingError, message) for c in coordinates]
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError as error:
        shapes = ", ".join(f"{x}: {a.shape}" for x, a in zip(names, arrays, strict=True))
        raise SettingError(f"The arrays of coordinates must broadcast together; got {shapes}.") from error


def _variables_and_orders(variables: tuple[Any, ...]) -> list[tuple[Any, int]]:
    pairs: list[tuple[Any, int]] = []
    for k, v in enumerate(variables):
        if isinstance(v, sp.Symbol):
            pairs.append((v, 1))
        elif isinstance(v, tuple | list) and len(v) == 2:
            pairs.append((v[0], _order(v[1])))
        elif k > 0 and isinstance(variables[k - 1], sp.Symbol):
            pairs[-1] = (pairs[-1][0], _order(v))
        else:
            what = "coordinates, each with its order behind it if it is not 1"
            raise SettingError(f"diff() takes {what}; got {quoted(v)}.")
    if not pairs:
        raise SettingError("diff() takes at least one coordinate, such as diff(x) or diff(x, 2).")
    return pairs


def _order(n: Any) -> int:
    if not (is_whole(n, 0) or (isinstance(n, sp.Integer) and n >= 0)):
        raise SettingError(f"The order of a derivative must be a whole number, not negative; got {quoted(n)}.")
    if n > HIGHEST:
        raise SettingError(f"The order of a derivative is at most {HIGHEST}; got {n if n < 10**9 else 'far more'}.")
    return int(n)
