"""Where a solution is written out, and its values there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from ..._support.numbers import about, is_whole, real_array
from ...errors import SettingError, listed, quoted
from ...geometry import Demand, Domain, Grid
from ...options.settings import check_sampler
from ...problem import Problem, Unknown
from ...problem.typeset import sought

POINTS = {1: 1001, 2: 101, 3: 41}  # along each axis, by the number of axes
IN_ALL = 50_000  # in more dimensions
MOST = 10**8  # numbers in an export: points times coordinates and unknowns

Axes = dict[sp.Symbol, np.ndarray]


def grid_of(points: Any, d: int) -> Any:
    """A grid by a number, by default a number for the dimension; what else may be given stays as it is."""
    if points is None:
        return Grid(POINTS.get(d, max(2, int(IN_ALL ** (1 / d)))))
    return Grid(int(points)) if is_whole(points, 2) else points


def axes_of(problem: Problem, points: Any) -> Axes:
    """The values along each coordinate: those given, or evenly over the domains; one number makes a section."""
    given = grid_of(points, len(problem.coordinates))
    if isinstance(given, Grid):
        bounds = np.array([d.bounds for d in problem.domains])
        lower, upper = bounds[:, :, 0].min(axis=0), bounds[:, :, 1].max(axis=0)
        counts = given.per_axis(problem.domain)
        check_size(problem, math.prod(counts))
        ends = zip(problem.coordinates, lower, upper, counts, strict=True)
        return {x: np.linspace(a, b, n) for x, a, b, n in ends}
    if not isinstance(given, Mapping):
        raise SettingError(
            "points must be a number along each axis, a fens.Grid, or a mapping from coordinates to values along their "
            f"axes; got {quoted(points)}."
        )
    if set(given) != set(problem.coordinates):
        known = ", ".join(map(str, problem.coordinates))
        raise SettingError(f"points needs values for each of {known}; it has some for {listed(given)}.")
    axes = {x: _axis(x, given[x]) for x in problem.coordinates}
    check_size(problem, math.prod(a.size for a in axes.values()))
    return axes


def _axis(x: sp.Symbol, given: Any) -> np.ndarray:
    array = real_array(given, SettingError, f"points must be real numbers; got {quoted(given)} for {x}.")
    if array.ndim > 1 or not array.size or not np.isfinite(array).all():
        raise SettingError(f"points takes a finite number or a list of them for {x}; got shape {array.shape}.")
    if array.ndim and (np.diff(array) <= 0).any():
        raise SettingError(f"points along {x} must increase.")
    return array


def check_size(problem: Problem, count: int) -> None:
    """Refuse what would fill a disk by mistake."""
    if (total := count * (len(problem.coordinates) + len(problem.components))) > MOST:
        raise SettingError(f"The export would have {about(total)} numbers; {MOST:.0e} are the most. Take fewer points.")


def rows_of(axes: Axes) -> np.ndarray:
    """The points of a grid, one in a row, the last coordinate changing fastest."""
    mesh = np.meshgrid(*(np.atleast_1d(a) for a in axes.values()), indexing="ij")
    return np.stack([m.ravel() for m in mesh], axis=1)


def rows_in(domain: Domain, problem: Problem, points: Any) -> np.ndarray:
    """Points of a domain: those of a sampler, or of axes that lie inside."""
    given = grid_of(points, len(problem.coordinates))
    if isinstance(given, Mapping):
        rows = rows_of(axes_of(problem, given))
        return np.asarray(rows[domain.contains(rows)])
    check_sampler(given)
    if isinstance(given, Grid):
        check_size(problem, math.prod(given.per_axis(domain)))
    return np.asarray(given.sample(Demand.inside(domain), np.random.SeedSequence(0))[0].points)


def values_at(solution: Any, rows: np.ndarray, home: Domain | None = None) -> dict[str, np.ndarray]:
    """Each unknown function at points, of a complex one both parts; NaN outside its domain.

    Points of a `home` are those of a domain, to which unknowns of others do not extend.
    """
    found: dict[str, np.ndarray] = {}
    for unknown, function in functions_of(solution).items():
        components = [solution.problem.components[k] for k in solution.problem.of(unknown)]
        values = np.full(len(rows), np.nan if len(components) == 1 else complex(np.nan, np.nan))
        domain = components[0].domain
        inside = domain.contains(rows) if home is None else np.full(len(rows), domain == home)
        if inside.any():
            values[inside] = function.at(rows[inside])
        name = unknown.func.__name__
        new = {f"{name}_re": values.real, f"{name}_im": values.imag} if np.iscomplexobj(values) else {name: values}
        if twice := set(new) & {*found, *map(str, solution.problem.coordinates)}:
            raise SettingError(f"Two columns would have the name {min(twice)}; give the unknowns other names.")
        found |= new
    return found


def functions_of(solution: Any) -> dict[sp.Expr, Any]:
    """The unknowns that are functions."""
    return {u: f for u, f in solution.functions.items() if not isinstance(u, Unknown)}


def numbers_of(solution: Any) -> dict[sp.Expr, Any]:
    """The unknowns that are numbers."""
    return {u: f for u, f in solution.functions.items() if isinstance(u, Unknown)}


def checked_units(problem: Problem, units: Mapping[Any, str] | None) -> dict[str, str]:
    """Units by the names of coordinates and unknowns."""
    known = {str(x): str(x) for x in problem.coordinates}
    known |= {str(u): u.name if isinstance(u, Unknown) else u.func.__name__ for u in problem.unknowns}
    known |= {name: name for name in known.values()}
    found = {}
    if units is not None and not isinstance(units, Mapping):
        raise SettingError(f"units is a mapping from coordinates and unknowns to texts; got {quoted(units)}.")
    for key, unit in dict(units or {}).items():
        if str(key) not in known or not isinstance(unit, str):
            names = ", ".join(map(str, (*problem.coordinates, *problem.unknowns)))
            raise SettingError(f"units is a mapping from {names} to texts; got {key}: {quoted(unit)}.")
        found[known[str(key)]] = unit
    return found


def facts_of(solution: Any) -> dict[str, str]:
    """What a file should tell of where its numbers come from."""
    error, facts = solution.error, solution.provenance.facts
    source, when = f"fens {facts.pop('fens')}", facts.pop("time")
    found = {
        "title": sought(solution.problem),
        "source": source,  # this and the next are names that the conventions for netCDF know
        "history": f"{when} computed by {source}",
        "problem": repr(solution.problem),
        "seed": str(solution.settings.seed),
        "computed_with": ", ".join(f"{name} {text}" for name, text in facts.items()),
    }
    if error is not None:
        found |= {"error_estimate": repr(error.estimate), "verdict": error.verdict}
    if solution.doubt:
        found["warning"] = f"The solution is {solution.doubt}"
    return found
