"""A cell carried out with `fens.solve`, and what came of it as plain numbers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import fens
from fens.errors import FensError, MissingPackage
from fens.zoo import Known

from . import paper
from .cells import ALL, Cell
from .fem import run_fem

Outcome = dict[str, Any]
LARGEST = 16.0  # GiB
SHORTEST = 0.06  # stride of the search, in octaves
SHARES = {1: 801, 2: 81}  # values kept along each axis, where a picture is made of them


def run_cell(cell: Cell, memory: float = LARGEST) -> Outcome:
    """Errors, scales and seconds of a cell; or why there are none."""
    if cell.gibibytes > memory:
        return {"status": "skipped", "why": f"needs {cell.gibibytes:.1f} GiB of memory, {memory:g} are allowed"}
    start = time.perf_counter()
    try:
        outcome = COLUMNS[cell.column](cell)
    except MissingPackage as error:
        return {"status": "skipped", "why": f"{error}"}
    except (FensError, MemoryError, RuntimeError) as error:
        return {"status": "failed", "why": f"{error}", "seconds": time.perf_counter() - start}
    return {"status": "done", **outcome, "seconds": time.perf_counter() - start}


def run_fens(cell: Cell) -> Outcome:
    """Column `fens`: everything but the number of features and the activation is left to `fens.solve`."""
    known = cell.about.known(int(cell.size))
    return _outcome(cell, known, _solve(cell, known))


def run_paper(cell: Cell) -> Outcome:
    """Column `paper`: the paper's points, unit weights and Picard; ρ by Algorithm 1, the smallest ‖A w − F‖."""
    known = cell.about.known(int(cell.size))
    if cell.candidates == ALL:
        found = paper.search(cell.about.table, cell.activation)
        grid = fens.ScaleGrid(found.minimum, found.maximum, found.step)
        best = _solve(cell, known, scale=grid, **_papers_options(cell))
        tried = [[s[0], r] for s, r in zip(best.search.scales, best.search.losses, strict=True)] if best.search else []
    else:
        tried, best = _least_residual(cell, known)
    return {**_outcome(cell, known, best), "tried": tried}


def run_sweep(cell: Cell) -> Outcome:
    """Errors at scales across the whole range of Algorithm 1, for a figure."""
    known, found = cell.about.known(int(cell.size)), paper.search(cell.about.table, cell.activation)
    wanted = np.geomspace(0.02 * found.maximum, found.maximum, cell.candidate_count)
    scales = sorted({found.nearest(rho) for rho in wanted})
    if cell.candidates == ALL:
        scales = [found.nearest(found.minimum + k * found.step) for k in range(1, len(found) + 1)]
    swept = []
    for rho in scales:
        solution = _solve(cell, known, scale=rho, **_papers_options(cell))
        swept.append([rho, solution.compare(known.exact, "collocation").linf, solution.stats.residual])
    return {"swept": swept}


def thinned_search(cell: Cell, loss: Callable[[float], float], centre: Callable[[], float]) -> list[list[float]]:
    """Algorithm 1 on some of its candidates: scales tried, and the loss of each.

    These are the paper's own ρ, the one nearest to ours, and then, in strides of half an octave that shrink, those
    next to the best so far, as many as the cell allows.
    """
    found, tried = paper.search(cell.about.table, cell.activation), dict[float, float]()
    own = paper.number(cell.about.table, cell.activation, cell.size, "rho_opt")
    first = found.nearest(own if own is not None else centre())
    tried[first] = loss(first)
    proposals = [centre()] if cell.candidates > 1 else []
    stride = 0.5
    while len(tried) < cell.candidates and stride >= SHORTEST:
        new = [rho for p in proposals if not _near(rho := found.nearest(p), tried, stride)]
        if new:
            tried[new[0]] = loss(new[0])
        elif len(proposals) == 2:
            stride /= 2
        best = min(tried, key=lambda rho: tried[rho])
        proposals = [best * 2**stride, best / 2**stride]
    return [[rho, value] for rho, value in tried.items()]


def _near(rho: float, tried: Iterable[float], stride: float) -> bool:
    return any(abs(math.log2(rho / other)) < stride / 2 for other in tried)


def _least_residual(cell: Cell, known: Known) -> tuple[list[list[float]], fens.Solution]:
    solutions: dict[float, fens.Solution] = {}

    def centre() -> float:
        found = _solve(cell, known, weights="unit", adapt=False)
        return math.prod(found.scales) ** (1 / len(found.scales))

    def loss(rho: float) -> float:
        solutions[rho] = _solve(cell, known, scale=rho, **_papers_options(cell))
        residual = solutions[rho].stats.residual
        return residual if math.isfinite(residual) else math.inf

    tried = thinned_search(cell, loss, centre)
    best, _ = min(tried, key=lambda pair: pair[1])
    return tried, solutions[best]


def _papers_options(cell: Cell) -> dict[str, Any]:
    options: dict[str, Any] = {"points": _papers_points(cell), "weights": "unit"}
    if cell.iterations:
        options |= {"nonlinear": "picard", "initial": "random", "max_iterations": cell.iterations}
    return options


def _papers_points(cell: Cell) -> fens.Grid | fens.Random:
    if cell.about.random:
        inside, for_each_dimension = cell.points
        return fens.Random(inside, for_each_dimension * int(cell.size))
    return fens.Grid(*cell.points)


def _solve(cell: Cell, known: Known, **options: Any) -> fens.Solution:
    common: dict[str, Any] = {"features": cell.features, "activation": cell.activation, "seed": cell.seed}
    return fens.solve(known.problem, **common, estimate=False, raise_on_failure=False, **options)


def _outcome(cell: Cell, known: Known, solution: fens.Solution) -> Outcome:
    there, elsewhere = _errors(cell, known, solution)
    stats = solution.stats
    return {
        "linf": there.linf,
        "l2": there.l2,
        "finer_linf": elsewhere.linf,
        "finer_l2": elsewhere.l2,
        "rho": list(solution.scales),
        "rows": stats.rows,
        "residual": stats.residual,
        "rank": stats.rank,
        "verdict": stats.status,
        "steps": len(stats.iterations),
        "seconds_of_one": sum(stats.seconds.values()),
        **({"values": _values(solution)} if (cell.activation, cell.size) in cell.about.pictured else {}),
    }


def _errors(cell: Cell, known: Known, solution: fens.Solution) -> tuple[Any, Any]:
    """On the paper's points, which are its collocation points, and on an independent finer set."""
    if cell.about.finer is None:
        return solution.compare(known.exact, "collocation"), solution.compare(known.exact)
    there = solution.compare(known.exact, fens.Grid(*cell.about.full.points))
    return there, solution.compare(known.exact, fens.Grid(cell.about.finer))


def _values(solution: fens.Solution) -> list[Any]:
    bounds = solution.problem.domain.bounds
    axes = [np.linspace(a, b, SHARES[len(bounds)]) for a, b in bounds]
    values: list[Any] = np.asarray(solution(*np.meshgrid(*axes, indexing="ij"))).tolist()
    return values


COLUMNS: dict[str, Callable[[Cell], Outcome]] = {
    "paper": run_paper,
    "fens": run_fens,
    "sweep": run_sweep,
    "fem": run_fem,
}
