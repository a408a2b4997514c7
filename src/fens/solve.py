"""The front door: what happens to a problem, in order."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from .assemble import Placed, System, check_weights, linearise, place, sample, weigh
from .domain import Clustered, Demand, Region, Sampler, Samples
from .errors import EvaluationError, NotConverged, SettingError
from .features import Draw, RandomFeatures, activation, draw
from .lstsq import Direct, LeastSquares, numerical_rank
from .nonlinear import Iteration, Point, best, starts, verdict
from .problem import LINEARISATIONS, Problem
from .progress import watch
from .scale import Search, by_measured_rank, by_rank, search
from .settings import Scale, Settings
from .solution import Solution, Stats

COMPARABLE = 8.0  # ratio of lengths up to which axes share one scale


def solve(
    problem: Problem,
    *,
    features: int = 1000,
    activation: str = "cos",
    scale: Scale = None,
    points: Sampler | None = None,
    weights: str | Mapping[Region, float] = "balanced",
    initialisation: str = "uniform",
    affine: bool | None = None,
    seed: int = 0,
    device: str = "cpu",
    nonlinear: str = "newton",
    initial: Any = None,
    max_iterations: int = 100,
    raise_on_failure: bool = True,
) -> Solution:
    """Solve a problem: u(x) = Σ w_j σ(ρ(W_j·x + b_j)), with the weights w by linear least squares.

    Parameters
    ----------
    problem
        what must hold, and where.
    features
        how many features, M.
    activation
        σ: `"cos"`, `"sin"`, `"cos_sin"`, `"sigmoid"`, `"tanh"` or `"swish"`.
    scale
        ρ: a number, one for each coordinate (a sequence or a mapping), or a `ScaleGrid` to search; by default it
        is chosen by the numerical rank of the features.
    points
        where the equations are asked to hold: `Grid`, `Random` or, by default, `Clustered`.
    weights
        of the rows: `"balanced"`, `"unit"`, or a mapping from regions to numbers.
    initialisation
        distribution of W and b: `"uniform"` (unit variance), `"xavier"` or `"kaiming"`.
    affine
        whether to map the domain to [−1, 1]^d first; by default only for sigmoid, tanh and swish.
    seed
        of the random draws. The same seed gives the same bits on the same machine.
    device
        `"cpu"` or `"cuda"`.
    nonlinear
        for equations that are not linear: `"newton"`, damped by a line search, or `"picard"`, as in the paper.
    initial
        where a nonlinear iteration starts: an expression, a number, a callable of the unknown's arguments, a
        `Solution`, `"random"`, or by default the solution of the linear part of the equations.
    max_iterations
        of a nonlinear iteration.
    raise_on_failure
        whether an iteration that fails raises `NotConverged`, or returns a solution whose `stats` say so.
    """
    if not isinstance(problem, Problem):
        raise SettingError(f"solve() takes a fens.Problem; got {type(problem).__name__}.")
    check_weights(weights, problem)
    settings = Settings(
        features, activation, scale, points, weights, initialisation, affine, seed, device,
        nonlinear, initial, max_iterations, raise_on_failure,
    )  # fmt: skip
    where, clock = torch.device(device), Clock()
    for_features, for_points, for_start = np.random.SeedSequence(seed).spawn(3)

    with clock("points"):  # where the equations are asked to hold
        samples = place_points(problem, settings, for_points)
    with clock("equations"):  # linear forms of them, at the points
        placed = place(problem, samples, LINEARISATIONS[settings.nonlinear], where)
        check_size(placed, settings.features)
    with clock("features"):  # frequencies and phases at scale 1
        unscaled = draw_features(problem, settings, for_features)
    with clock("scale"):  # given, searched, or by the rank rule
        rho, curve = choose_scale(problem, settings, unscaled, placed, for_start)
    with clock("least squares"):  # the weights of the features, in one solve or, if nonlinear, in several
        chosen = unscaled.scaled(rho, where)
        stats, w = find_weights(problem, settings, placed, chosen, for_start)

    if stats.status == "failed" and settings.raise_on_failure:
        raise NotConverged(f"The nonlinear iteration did not converge: {stats.advice}", stats.iterations)
    stats = replace(stats, seconds=clock.seconds)
    return Solution(problem, chosen, w, samples, rho[0] if len(set(rho)) == 1 else rho, curve, stats, settings)


def place_points(problem: Problem, settings: Settings, seed: np.random.SeedSequence) -> dict[Region, Samples]:
    """Points on every region of a problem, and none without."""
    found = sample(problem, settings.sampler, settings.features, seed)
    for region, samples in found.items():
        if len(samples) == 0:
            raise SettingError(f"The points leave none on {region.name}; choose more of them.")
    return found


def check_size(placed: Sequence[Placed], features: int) -> None:
    """Refuse a system with fewer rows than unknowns, which would not be determined, or one too large to be held."""
    rows = sum(len(p.samples) for p in placed)
    if rows < features:
        raise SettingError(
            f"The points give {rows} rows for {features} features; least squares needs at least as many rows as "
            "features. Take more points or fewer features."
        )
    needed, there = 3 * 8 * rows * features, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > there:
        raise SettingError(
            f"{rows} rows and {features} features need {needed / 2**30:.0f} GiB of memory, and there are "
            f"{there / 2**30:.0f}; take fewer features or points."
        )


def draw_features(problem: Problem, settings: Settings, seed: np.random.SeedSequence) -> Draw:
    """The random features of a solve, at scale 1."""
    return draw(
        settings.features,
        problem.domain.bounds,
        activation(settings.activation),
        initialisation=settings.initialisation,
        affine=settings.maps_inputs,
        seed=seed,
    )


def choose_scale(
    problem: Problem,
    settings: Settings,
    unscaled: Draw,
    placed: Sequence[Placed],
    for_start: np.random.SeedSequence,
) -> tuple[tuple[float, ...], Search | None]:
    """The scale along each axis, and the search that found it if there was one."""
    d, device = len(problem.coordinates), placed[0].points.device
    if (fixed := settings.fixed_scale(problem.coordinates)) is not None:
        return fixed, None
    if settings.scale is None:
        return scale_by_rank(problem, settings, unscaled, device), None

    def loss(rho: tuple[float, ...]) -> float:
        stats, _ = find_weights(problem, settings, placed, unscaled.scaled(rho, device), for_start)
        return float("inf") if stats.status == "failed" else stats.residual

    found = search(settings.scale, d, loss)  # type: ignore[arg-type]
    return found.scales[found.best], found


def scale_by_rank(
    problem: Problem, settings: Settings, unscaled: Draw, device: torch.device
) -> tuple[float, ...]:
    """The scales at which the features have the numerical rank that serves best: by formula, or by measurement.

    One scale serves all axes of comparable length. Where lengths differ by more, they are likely in different units,
    and the scales go inversely with them.
    """
    d = len(problem.coordinates)
    half_widths = (1.0,) * d if settings.maps_inputs else problem.domain.half_widths
    units = (1.0,) * d if max(half_widths) <= COMPARABLE * min(half_widths) else half_widths
    if unscaled.activation.trigonometric:
        rho = by_rank(settings.features, [w / unit for w, unit in zip(half_widths, units, strict=True)])
        return tuple(rho / unit for unit in units)
    trial = Clustered(interior=int(1.2 * settings.features) + 1)
    samples = trial.sample(Demand.inside(problem.domain), np.random.SeedSequence(0))
    points = torch.as_tensor(samples[0].points, device=device)

    def rank(rho: float) -> float:
        features = unscaled.scaled([rho / w for w in half_widths], device)
        return numerical_rank(features.matrix([(1.0, (0,) * d)], points))

    rho = by_measured_rank(settings.features, d, rank)
    return tuple(rho / w for w in half_widths)


def find_weights(
    problem: Problem,
    settings: Settings,
    placed: Sequence[Placed],
    features: RandomFeatures,
    for_start: np.random.SeedSequence,
) -> tuple[Stats, torch.Tensor]:
    """The weights of given features: by one least squares, or by a nonlinear iteration of them."""
    rows = sum(len(p.samples) for p in placed)
    if problem.is_linear:
        conditions = weigh(linearise(placed), features, settings.weights)
        result = Direct().solve(System(conditions, features))
        require_solved(result)
        largest, row_weights = float(result.weights.abs().max()), tuple(c.weight for c in conditions)
        return Stats(rows, len(features), result.residual, result.rank, largest, row_weights, {}), result.weights
    newton, most = settings.nonlinear == "newton", settings.max_iterations
    failures = []
    for start in starts(problem, settings.initial, placed, features, settings.weights, for_start):
        # a function that the user gave tells how large u is; a start of our own may be anything
        size = 0.0 if settings.initial is None else Point.of(placed, features, start).size
        iteration = Iteration(placed, features, problem.domain.half_widths, settings.weights, newton, most, size)
        stats, weights = run(iteration, start, rows)
        if stats.status != "failed":
            return stats, weights
        failures.append((stats, weights))
    return min(failures, key=lambda failure: failure[0].residual)


def run(iteration: Iteration, start: torch.Tensor, rows: int) -> tuple[Stats, torch.Tensor]:
    """An iteration from start to end: what came of it, and the weights to keep."""
    features = len(iteration.features)
    try:
        states = tuple(watch(iteration.states(start)))
    except EvaluationError as error:
        advice = f"the equations have no value at the initial function. {error} Or try another initial function."
        return Stats(rows, features, float("inf"), 0, 0.0, (), {}, "failed", advice), start
    kept = best(states)
    largest = float(kept.weights.abs().max())
    status = verdict(states, iteration.max_iterations)
    stats = Stats(rows, features, kept.residual, kept.rank, largest, kept.row_weights, {}, *status, states)
    return stats, kept.weights


def require_solved(result: LeastSquares) -> None:
    """Refuse to hand out weights that mean nothing."""
    if result.status != "solved":
        raise EvaluationError(f"The least squares could not be solved: {result.status}. {result.remedy}")


class Clock:
    """Seconds spent in each pass."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
