"""Long times in a few blocks: each begins where the last one ended.

One set of features for a long time needs ever more of them; a block needs as many as the time it spans. In each block
the equations are those of the problem; where it has initial conditions, the first block keeps them, and in the others
whatever derivatives they contain continue those of the block before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import sympy as sp

from ..discretise.field import ComplexField, Extrapolated, Field
from ..errors import SettingError
from ..estimate.assess import Error
from ..geometry import Cylinder, Extruded, Pair, Part, Patch, Piece, Points, Region
from ..options.settings import Settings
from ..problem import Component, Condition, Data, Equation, Problem, differentiated, read, wrap
from ..solution import PiecewiseSolution, Solution
from .grow import grow
from .pipeline import solve_with


def march(problem: Problem, settings: Settings) -> PiecewiseSolution:
    """Solve a problem in blocks of time, one after another."""
    domain = problem.domain
    if not isinstance(domain, Cylinder) or len(problem.domains) > 1:
        raise SettingError(f"blocks divide the time of one space-time domain, box.during(t, 0, 1); got {domain.name}.")
    assert settings.blocks is not None
    times = np.linspace(domain.start, domain.end, settings.blocks + 1)
    found: list[Solution] = []
    for start, end in pairwise(times):
        last = found[-1] if found else None
        block = block_problem(problem, replace(domain, start=float(start), end=float(end)), last)
        found.append(solve_block(block, replace(settings, blocks=1), last))
    last = found[-1]
    stats = replace(
        last.stats,
        rows=sum(b.stats.rows for b in found),
        residual=float(np.linalg.norm([b.stats.residual for b in found])),
        seconds=_added([b.stats.seconds for b in found]),
    )
    shared = {name: getattr(last, name) for name in ("features", "weights", "samples", "scales", "search")}
    return PiecewiseSolution(
        problem=problem, **shared, stats=stats, settings=settings, error=_together(found),
        ansaetze=last.ansaetze, deviations=last.deviations, blocks=tuple(found),
    )  # fmt: skip


def solve_block(problem: Problem, settings: Settings, last: Solution | None) -> Solution:
    """Solve a problem at once; what came before it in time tells how many features, and where to begin."""
    if last is None:
        return grow(problem, settings) if settings.grows else solve_with(problem, settings)
    size = [len(f) for f, c in zip(last.features.members, problem.components, strict=True) if not c.is_constant]
    given = settings.features if isinstance(settings.features, Mapping) else max(size)
    return solve_with(problem, replace(settings, features=given, tol=None), last)


def block_problem(problem: Problem, block: Cylinder, last: Solution | None) -> Problem:
    """The problem during one block."""
    whole, conditions = problem.domain, []
    components = tuple(Component(c.unknown, block, c.part) for c in problem.components)
    for c in problem.conditions:
        if c.region == whole.initial and last is not None:
            continue
        conditions += _during(c, whole, block)
    if last is not None:
        conditions += _continued(problem, components, block, last)
    return Problem.of_conditions((block,), components, conditions)


def _during(condition: Condition, whole: Cylinder, block: Cylinder) -> list[Condition]:
    """A condition in a block; none if its points are all at other times."""
    region, equation = condition.region, condition.equation
    if not equation.is_pointwise:
        raise SettingError(f"The equation {equation.text} is an integral over all time; it cannot be cut into blocks.")
    if region == whole:
        return [Condition(block, equation)]
    if region == whole.initial:
        return [Condition(block.initial, equation)]
    if isinstance(region, Points):
        return _of_points(region, equation, block)
    pieces = tuple(_clipped(p, whole, block, region) for p in region.pieces)
    if isinstance(region, Pair):
        return [Condition(replace(region, of=block, pieces=pieces), equation)]
    return [Condition(Part(block, region.title, pieces), equation)]


def _clipped(piece: Piece, whole: Cylinder, block: Cylinder, region: Region) -> Piece:
    if isinstance(piece, Patch) and (piece.lower[-1], piece.upper[-1]) == (whole.start, whole.end):
        return replace(piece, lower=(*piece.lower[:-1], block.start), upper=(*piece.upper[:-1], block.end))
    if isinstance(piece, Extruded):
        return replace(piece, start=block.start, end=block.end)
    raise SettingError(
        f"blocks march forward in time, from initial conditions; the condition on {region.name} is at another time."
    )


def _of_points(region: Points, equation: Equation, block: Cylinder) -> list[Condition]:
    """The points of a block, with their data."""
    when = region.arrays[block.time]
    here = (when >= block.start) & ((when < block.end) if block.end < when.max() else (when <= block.end))
    if not here.any():
        return []
    some = Points({x: a[here] for x, a in region.arrays.items()})
    data = {d: Data(d.values[here], None if d.std is None else d.std[here]) for d in equation.data}
    return [Condition(some, replace(equation, residual=equation.residual.xreplace(data)))]


def _continued(
    problem: Problem, components: tuple[Component, ...], block: Cylinder, last: Solution
) -> list[Condition]:
    """That what the initial conditions contain continues from the last block."""
    initial = [c.equation for c in problem.conditions if c.region == problem.domain.initial]
    jets = dict.fromkeys((problem.components[j.unknown].unknown, j.orders) for e in initial for j, _ in e.jets)
    conditions = []
    for unknown, orders in jets:
        before, here = (differentiated(f, problem.coordinates, orders) for f in (last[unknown], unknown))
        statement = sp.Eq(here, _formula(before, unknown))
        conditions += [Condition(block.initial, e) for e in read(statement, components, problem.coordinates)]
    return conditions


def _formula(function: Field | ComplexField, unknown: sp.Expr) -> sp.Expr:
    """A computed function as a known one."""

    if isinstance(function, ComplexField):
        real, imag = (wrap(Extrapolated(f), "the last block")(*unknown.args) for f in (function.real, function.imag))
        return real + sp.I * imag
    return wrap(Extrapolated(function), "the last block")(*unknown.args)


def _added(parts: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: sum(p.get(name, 0.0) for p in parts) for name in parts[0]}


def _together(found: Sequence[Solution]) -> Error | None:
    """The errors of all blocks together, as if each carried over to the end; the verdict is that of the worst."""
    errors = [s.error for s in found if s.error is not None]
    if len(errors) < len(found):
        return None
    worst = max(errors, key=lambda e: (not e.trusted, e.relative))
    of = _added([e.of for e in errors])
    return replace(worst, estimate=sum(e.estimate for e in errors), relative=sum(e.relative for e in errors), of=of)
