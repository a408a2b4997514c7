"""A cell carried out with `fens.solve`, and what came of it as plain numbers."""

from __future__ import annotations

import json
import math
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp
import torch

import fens
from fens.errors import FensError, MissingPackage
from fens.zoo import Known

from . import paper
from .cells import ALL, DAMPED, EXPLICIT, KAIMING, MAPPED, TIMED, UNMAPPED, XAVIER, Cell
from .fem import run_fem
from .frequency import run_frequency

Outcome = dict[str, Any]
LARGEST = 16.0  # GiB
LAP = 10  # iterations
FIRST_STRIDE, SHORTEST = 1.0, 0.06  # of the search, in octaves
SHARES = {1: 801, 2: 81}  # values kept along each axis, where a picture is made of them
BEYOND = 4.0  # times the paper's range of ρ that a sweep goes to
INDEPENDENT = 20_261  # seed of the points at which errors are measured in many dimensions


def run_cell(cell: Cell, memory: float = LARGEST, folder: Path | None = None) -> Outcome:
    """Errors, scales and seconds of a cell; or why there are none. A long one keeps in a folder how far it is."""
    if cell.gibibytes > memory:
        return {"status": "skipped", "why": f"needs {cell.gibibytes:.1f} GiB of memory, {memory:g} are allowed"}
    start, work = time.perf_counter(), time.process_time()
    try:
        outcome = _carried_out(cell, folder)
    except MissingPackage as error:
        return {"status": "skipped", "why": f"{error}"}
    except (FensError, MemoryError, RuntimeError) as error:
        return {"status": "failed", "why": f"{error}", "seconds": time.perf_counter() - start}
    seconds, cpu = time.perf_counter() - start, time.process_time() - work
    return {"status": "done", **outcome, "seconds": seconds, "cpu": cpu, "threads": torch.get_num_threads()}


def _carried_out(cell: Cell, folder: Path | None) -> Outcome:
    if folder and cell.has_laps:
        return run_laps(cell, folder)
    if folder and cell.candidates == ALL:
        return run_paper(cell, folder / f"{cell.key}.tried")
    return COLUMNS[cell.column](cell)


def run_fens(cell: Cell) -> Outcome:
    """Column `fens`: everything but the number of features and the activation is left to `fens.solve`.

    Where the paper's number of features would take hours, it is the most that there may be, and as many are taken as
    pay; the solution itself is as good, or better.
    """
    known = cell.about.known(int(cell.size))
    if not cell.grows:
        return _outcome(cell, known, _solve(cell, known, features=cell.features, estimate=False))
    solution = _solve(cell, known, max_features=cell.features)
    error = solution.error
    told = {"estimate": error.estimate, "trust": error.verdict} if error else {}
    return {**_outcome(cell, known, solution), "used": solution.stats.features, **told}


def run_paper(cell: Cell, keep: Path | None = None) -> Outcome:
    """Column `paper`: the paper's points, plain least squares with unit weights, and Picard; ρ by Algorithm 1.

    What was tried is kept in a file, if one is given, so that being killed costs one candidate.
    """
    known = cell.about.known(int(cell.size))
    trials = Trials(cell, known, keep)
    found = paper.search(cell.about.table, cell.activation)
    if cell.candidates == ALL:
        for k in range(1, len(found) + 1):
            trials.loss(found.nearest(found.minimum + k * found.step))
    elif cell.variant in (XAVIER, KAIMING):
        trials.loss(1.0)
    else:
        own = paper.number(cell.about.table, cell.activation, cell.size, "rho_opt")
        assert own is not None  # every place of the tables has one
        walk(found, own, cell.candidates, trials.loss)
    outcome = {**_outcome(cell, known, trials.best), "tried": trials.shown, "cpu_of_one": trials.cpu}
    if keep:
        keep.unlink()
    return outcome


def run_laps(cell: Cell, folder: Path) -> Outcome:
    """The same for one scale and a long iteration, in laps that each go on from the weights of the last.

    What is reached is kept after each lap, so that being killed costs one of them, and changes nothing.
    """
    known = cell.about.known(int(cell.size))
    rho = paper.number(cell.about.table, cell.activation, cell.size, "rho_opt")
    options: dict[str, Any] = {"features": cell.features, "scale": rho, **_papers_options(cell)}
    saved = sorted(folder.glob(f"{cell.key}-*.fens"))
    done = int(saved[-1].stem.rpartition("-")[2]) if saved else 0
    here = fens.load(saved[-1]) if saved else None
    while done < cell.iterations:
        steps = min(LAP, cell.iterations - done)
        start = "random" if here is None else here
        here = _solve(cell, known, **(options | {"initial": start, "max_iterations": steps}))
        if len(here.stats.iterations) <= steps:  # it has come to an end of its own
            break
        done += steps
        here.save(folder / f"{cell.key}-{done:03}.fens")
    assert here is not None
    outcome = {**_outcome(cell, known, here), "steps": cell.iterations + 1}
    del outcome["seconds_of_one"]  # of the last lap
    error = here.compare(known.exact, "collocation").linf
    outcome["tried"] = [[rho, _digits(here.stats.residual, 6), _digits(error, 4), here.stats.rank]]
    for path in folder.glob(f"{cell.key}-*.fens"):
        path.unlink()
    return outcome


def run_sweep(cell: Cell) -> Outcome:
    """Errors and ranks at scales across the whole range of Algorithm 1, and beyond it, for a figure."""
    found = paper.search(cell.about.table, cell.activation)
    trials = Trials(cell, cell.about.known(int(cell.size)))
    most = BEYOND * found.maximum if cell.experiment == "poisson_oscillating" else found.maximum
    for rho in dict.fromkeys(float(f"{r:.4g}") for r in np.geomspace(0.02 * found.maximum, most, cell.candidates)):
        trials.loss(rho)
    return {"tried": trials.shown}


def run_times(cell: Cell) -> Outcome:
    """Seconds of one solve at the paper's own ρ, the median of some: those of the processor, on one thread."""
    known = cell.about.known(int(cell.size))
    rho = paper.number(cell.about.table, cell.activation, cell.size, "rho_opt")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    found = []
    try:
        for _ in range(TIMED + 1):  # the first also reads the problem
            start = time.process_time()
            _solve(cell, known, features=cell.features, scale=rho, **_papers_options(cell))
            found.append(time.process_time() - start)
    finally:
        torch.set_num_threads(threads)
    return {"cpu_of_one": statistics.median(found[1:]), "cpu_of_each": found[1:]}


class Trials:
    """Solves at one scale after another: what came of each, and the one with the smallest ‖A w − F‖."""

    def __init__(self, cell: Cell, known: Known, keep: Path | None = None) -> None:
        self.cell, self.known, self.keep = cell, known, keep
        self.tried: dict[float, list[float]] = {}  # ρ → ‖A w − F‖, L∞ error at the points, numerical rank
        self.cpu = math.nan  # seconds of the last solve
        self._best: tuple[float, fens.Solution] | None = None
        if keep and keep.exists():
            *lines, _ = keep.read_text().split("\n")  # what follows the last end of a line was cut off
            keep.write_text("".join(f"{line}\n" for line in lines))
            self.tried = {rho: found for rho, *found in map(json.loads, lines)}

    def loss(self, rho: float) -> float:
        """‖A w − F‖ of a scale; infinite where there is no solution."""
        if rho not in self.tried:
            self.tried[rho] = self._try(rho)
            if self.keep:
                with self.keep.open("a") as file:
                    file.write(json.dumps([rho, *self.tried[rho]]) + "\n")
        return self.tried[rho][0]

    @property
    def best(self) -> fens.Solution:
        """The solution with the smallest one, made again if it is not of this run."""
        rho = min(self.tried, key=lambda rho: self.tried[rho][0])
        if self._best is None or self._best[0] != rho:
            return self._solution(rho)
        return self._best[1]

    @property
    def shown(self) -> list[list[float]]:
        """What was tried, in a few digits."""
        return [[rho, _digits(r, 6), _digits(e, 4), rank] for rho, (r, e, rank) in self.tried.items()]

    def _try(self, rho: float) -> list[float]:
        try:
            solution = self._solution(rho)
        except FensError:
            return [math.inf, math.inf, 0]
        residual = solution.stats.residual if math.isfinite(solution.stats.residual) else math.inf
        if self._best is None or all(residual < found[0] for found in self.tried.values()):
            self._best = rho, solution
        return [residual, solution.compare(self.known.exact, "collocation").linf, solution.stats.rank]

    def _solution(self, rho: float) -> fens.Solution:
        options = {"features": self.cell.features, "scale": rho, **_papers_options(self.cell)}
        start = time.process_time()
        solution = _solve(self.cell, self.known, **options)
        self.cpu = time.process_time() - start
        return solution


def walk(found: paper.Search, first: float, most: int, loss: Callable[[float], float]) -> None:
    """Algorithm 1 from coarse to fine: from a first scale to the least loss, in strides of an octave that shrink.

    The next candidates are always those a stride above and below the best so far.
    """
    tried = {(rho := found.nearest(first)): loss(rho)}
    stride = FIRST_STRIDE
    while len(tried) < most and stride >= SHORTEST:
        best = min(tried, key=lambda rho: tried[rho])
        proposals = (found.nearest(best * 2**stride), found.nearest(best / 2**stride))
        new = [rho for rho in proposals if not _near(rho, tried, stride)]
        if new:
            tried[new[0]] = loss(new[0])
        else:
            stride /= 2


def _near(rho: float, tried: Iterable[float], stride: float) -> bool:
    return any(abs(math.log2(rho / other)) < stride / 2 for other in tried)


VARIANTS: Mapping[str, dict[str, Any]] = {
    "": {},
    EXPLICIT: {"nonlinear": "explicit"},
    DAMPED: {"solver": "direct"},
    MAPPED: {"affine": True},
    UNMAPPED: {"affine": False},
    XAVIER: {"initialisation": "xavier"},
    KAIMING: {"initialisation": "kaiming"},
}


def _papers_options(cell: Cell) -> dict[str, Any]:
    options: dict[str, Any] = {"points": _papers_points(cell), "weights": "unit", "solver": "gels", "estimate": False}
    options["memory"] = int(LARGEST * 2**30)
    if cell.iterations:
        options |= {"nonlinear": "picard", "initial": "random", "max_iterations": cell.iterations}
        options["until_settled"] = False
    return options | VARIANTS[cell.variant]


def _papers_points(cell: Cell) -> fens.Grid | fens.Random:
    if cell.about.random:
        inside, for_each_dimension = cell.points
        return fens.Random(inside, for_each_dimension * int(cell.size))
    return fens.Grid(*cell.points)


def _solve(cell: Cell, known: Known, **options: Any) -> fens.Solution:
    common: dict[str, Any] = {"activation": cell.activation, "seed": cell.seed, "raise_on_failure": False}
    return fens.solve(known.problem, **common, **options)


def _outcome(cell: Cell, known: Known, solution: fens.Solution) -> Outcome:
    there, elsewhere = _errors(cell, known, solution)
    stats = solution.stats
    own = solution.compare(known.exact, "collocation").linf if cell.about.random and cell.column == "fens" else None
    return {
        "linf": there.linf,
        "l2": there.l2,
        "finer_linf": elsewhere.linf,
        "finer_l2": elsewhere.l2,
        **({"own_linf": own} if own is not None else {}),
        "rho": list(solution.scales),
        "rows": stats.rows,
        "residual": stats.residual,
        "rank": stats.rank,
        "verdict": stats.status,
        "steps": len(stats.iterations),
        "seconds_of_one": sum(stats.seconds.values()),
        **({"differences": _differences(known, solution)} if _pictured(cell) else {}),
    }


def _pictured(cell: Cell) -> bool:
    return (cell.activation, cell.size) in cell.about.pictured and not cell.seed and not cell.variant


def _errors(cell: Cell, known: Known, solution: fens.Solution) -> tuple[Any, Any]:
    """On the paper's points, which are its collocation points, and on an independent finer set.

    In many dimensions there is no finer set, but points of the paper's kind that no solve has seen. Column `fens`,
    which has points of its own, has no others to be measured at.
    """
    if cell.about.finer is not None:
        there = solution.compare(known.exact, fens.Grid(*cell.about.full.points))
        return there, solution.compare(known.exact, fens.Grid(cell.about.finer))
    elsewhere = solution.compare(known.exact, _independent(known, cell.about.full.points))
    there = solution.compare(known.exact, "collocation") if cell.column == "paper" else elsewhere
    return there, elsewhere


def _independent(known: Known, points: Sequence[int]) -> dict[sp.Symbol, np.ndarray]:
    """Uniform points in a box and on its faces, drawn from a seed of their own."""
    bounds = np.array(known.problem.domain.bounds)
    inside, for_each_dimension = points
    dimension = len(bounds)
    rng = np.random.default_rng(INDEPENDENT)
    drawn = rng.uniform(bounds[:, 0], bounds[:, 1], (inside + for_each_dimension * dimension, dimension))
    outside = np.arange(inside, len(drawn))
    axes = rng.integers(dimension, size=len(outside))
    drawn[outside, axes] = bounds[axes, rng.integers(2, size=len(outside))]
    return dict(zip(known.problem.coordinates, drawn.T, strict=True))


def _differences(known: Known, solution: fens.Solution) -> Any:
    """Computed minus exact values on a grid, as a picture needs them."""
    bounds = solution.problem.domain.bounds
    ticks = [np.linspace(a, b, SHARES[len(bounds)]) for a, b in bounds]
    grid = np.meshgrid(*ticks, indexing="ij")
    exact = sp.lambdify(known.problem.coordinates, known.exact)(*grid)
    return np.vectorize(lambda v: _digits(v, 3))(np.asarray(solution(*grid)) - exact).tolist()


def _digits(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")


COLUMNS: dict[str, Callable[[Cell], Outcome]] = {
    "paper": run_paper,
    "fens": run_fens,
    "sweep": run_sweep,
    "times": run_times,
    "frequency": run_frequency,
    "fem": run_fem,
}
