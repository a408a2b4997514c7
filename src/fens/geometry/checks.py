"""What users give to shapes, checked."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from .._support.numbers import items, real_number
from ..errors import RegionError, quoted

LARGEST = 1e50  # of a coordinate or a length; areas and volumes are numbers too, and so are those of
SMALLEST = 1e-50  # lengths
THINNEST = 1e-12  # of a shape, relative to its coordinates


def check_names(coordinates: Iterable[Any]) -> None:
    """Refuse coordinates that are not symbols, or of which two have one name."""
    names: set[str] = set()
    for x in coordinates:
        if not isinstance(x, sp.Symbol):
            raise RegionError(f"Coordinates are SymPy symbols; got {quoted(x)}.")
        if x.name in names:
            raise RegionError(f"Two coordinates have the name {x}; each needs its own.")
        names.add(x.name)


def check_size(coordinates: Sequence[sp.Symbol], bounds: Sequence[tuple[float, float]]) -> None:
    """Refuse a shape so large or so small that areas, volumes or derivatives are not numbers."""
    for x, (a, b) in zip(coordinates, bounds, strict=True):
        if not (max(abs(a), abs(b)) <= LARGEST and SMALLEST <= b - a <= LARGEST):
            raise RegionError(
                f"The shape is too small or too large along {x}: from {a:g} to {b:g}. Coordinates go to {LARGEST:g}, "
                f"and lengths from {SMALLEST:g} to {LARGEST:g}; measure {x} in another unit."
            )


def check_places(coordinates: np.ndarray, what: str) -> None:
    """Refuse points so far away that squares of their coordinates may not be numbers."""
    if len(coordinates) and (farthest := float(np.abs(coordinates).max())) > LARGEST:
        raise RegionError(f"{what} have coordinates up to {LARGEST:g}; got {farthest:g}. Take another unit.")


def check_extent(coordinates: Sequence[sp.Symbol], bounds: Sequence[tuple[float, float]]) -> None:
    """Refuse the same, and a shape in which no points can be told apart."""
    check_size(coordinates, bounds)
    for x, (a, b) in zip(coordinates, bounds, strict=True):
        if b - a < THINNEST * max(abs(a), abs(b)):
            raise RegionError(f"The shape is too thin along {x}, at its distance from 0: from {a:g} to {b:g}.")


def which_end(coordinate: sp.Symbol, ends: tuple[float, float], value: Any) -> int:
    """0 for the lower end of an interval, 1 for the upper one, whichever the value is."""
    a, b = ends
    at = real_number(value, RegionError, f"A face is at a number; got {coordinate} = {quoted(value)}.")
    for end, bound in enumerate(ends):
        if math.isclose(at, bound, rel_tol=0, abs_tol=1e-12 * (b - a)):
            return end
    x = coordinate
    raise RegionError(f"The faces across {x} are at {x} = {a:g} and {x} = {b:g}; there is none at {x} = {value}.")


def interval(coordinate: Any, ends: Any) -> tuple[float, float]:
    """The ends of an interval as numbers, refused unless finite, in order and allowed by the symbol's assumptions."""
    check_names([coordinate])
    message = f"The interval of {coordinate} must be two numbers, (lower, upper); got {quoted(ends)}."
    both = items(ends, 2) if isinstance(ends, Sequence | np.ndarray) else None
    if both is None or len(both) != 2:
        raise RegionError(message)
    a, b = (real_number(e, RegionError, message) for e in both)
    if not (math.isfinite(a) and math.isfinite(b)):
        raise RegionError(f"The interval of {coordinate} must be finite; got ({a:g}, {b:g}).")
    if not a < b:
        raise RegionError(f"The interval of {coordinate} must have its lower end first; got ({a:g}, {b:g}).")
    x = coordinate
    if isinstance(x, sp.Symbol) and (
        x.is_extended_real is False or x.is_integer or (x.is_nonnegative and a < 0) or (x.is_nonpositive and b > 0)
    ):
        raise RegionError(f"The assumptions of the symbol {x} exclude numbers between {a:g} and {b:g}.")
    check_size([x], [(a, b)])
    return a, b


def checked_label(name: Any) -> str:
    """The name a user gives to a shape; none is empty."""
    if not isinstance(name, str):
        raise RegionError(f"The name of a shape is a text; got {quoted(name)}.")
    return name


def checked_centre(what: str, centre: Any) -> tuple[tuple[sp.Symbol, ...], tuple[float, ...]]:
    """The coordinates and the place that a mapping {x: 0.5, y: 0.5} gives."""
    if not isinstance(centre, Mapping) or not centre:
        raise RegionError(f"{what} takes its centre as a mapping, {{x: 0.5, y: 0.5}}; got {quoted(centre)}.")
    check_names(centre)
    values = []
    for x, value in centre.items():
        number = real_number(value, RegionError, f"The centre of {what} must be numbers; got {x} = {quoted(value)}.")
        if not math.isfinite(number):
            raise RegionError(f"The centre of {what} must be finite; got {x} = {number:g}.")
        values.append(number)
    return tuple(centre), tuple(values)


def checked_plane(what: str, coordinates: Any, count: int) -> tuple[sp.Symbol, ...]:
    """As many coordinates as a shape has dimensions."""
    given = items(coordinates, count)
    if given is None or len(given) != count:
        raise RegionError(f"{what} has {count} coordinates; got {quoted(coordinates)}.")
    check_names(given)
    return given


def optional(module: str, what: str) -> Any:
    """A library that only some shapes need."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise RegionError(f"{what} need the library {module}; install it by: pip install 'fens[geometry]'.") from error
