"""The front door: what happens to a problem, in order."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
import torch

from .assemble import Collocated, System, collocate, weigh
from .domain import Clustered, Demand, Region, Sampler, Samples
from .errors import EvaluationError, SettingError
from .features import Draw, activation, draw
from .lstsq import Direct, LeastSquares, numerical_rank
from .problem import Problem
from .scale import Search, by_measured_rank, by_rank, search
from .settings import Scale, Settings
from .solution import Solution, Stats


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
        is chosen so that the features have a numerical rank of about half their number.
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
    """
    if not isinstance(problem, Problem):
        raise SettingError(f"solve() takes a fens.Problem; got {type(problem).__name__}.")
    settings = Settings(features, activation, scale, points, weights, initialisation, affine, seed, device)
    where, clock = torch.device(device), Clock()
    for_features, for_points = np.random.SeedSequence(seed).spawn(2)

    with clock("points"):  # where the equations are asked to hold
        samples = place(problem, settings, for_points)
    with clock("equations"):  # their coefficients and sources there
        conditions = collocate(problem, samples, where)
        require_enough_rows(conditions, settings.features)
    with clock("features"):  # frequencies and phases at scale 1
        unscaled = draw_features(problem, settings, for_features)
    with clock("scale"):  # given, searched, or by the rank rule
        rho, curve = choose_scale(problem, settings, unscaled, conditions)
    with clock("least squares"):  # the weights of the features
        chosen = unscaled.scaled(rho, where)
        weighed = weigh(conditions, chosen, settings.weights)
        result = Direct().solve(System(weighed, chosen))
        require_solved(result)

    stats = Stats(
        rows=sum(map(len, weighed)),
        features=settings.features,
        residual=result.residual,
        promised=result.promised,
        rank=result.rank,
        method=result.method,
        largest_weight=float(result.weights.abs().max()),
        row_weights={c.label: c.weight for c in weighed},
        seconds=clock.seconds,
    )
    shown = rho[0] if len(set(rho)) == 1 else rho
    return Solution(problem, chosen, result.weights, samples, shown, curve, stats, settings)


def place(problem: Problem, settings: Settings, seed: np.random.SeedSequence) -> dict[Region, Samples]:
    """Points on every region of a problem."""
    demand = Demand(problem.domain, problem.regions, problem.equations_per_region, settings.features)
    found = settings.sampler.sample(demand, seed)
    for region, samples in zip(problem.regions, found, strict=True):
        if len(samples) == 0:
            raise SettingError(f"The points leave none on {region.name}; choose more of them.")
    return dict(zip(problem.regions, found, strict=True))


def require_enough_rows(conditions: Sequence[Collocated], features: int) -> None:
    """Refuse a system with fewer rows than unknowns, whose solution would not be determined."""
    rows = sum(map(len, conditions))
    if rows < features:
        raise SettingError(
            f"The points give {rows} rows for {features} features; least squares needs at least as many rows as "
            "features. Take more points or fewer features."
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
    problem: Problem, settings: Settings, unscaled: Draw, conditions: Sequence[Collocated]
) -> tuple[tuple[float, ...], Search | None]:
    """The scale along each axis, and the search that found it if there was one."""
    d, device = len(problem.coordinates), conditions[0].points.device
    if (fixed := settings.fixed_scale(problem.coordinates)) is not None:
        return fixed, None
    if settings.scale is None:
        return (scale_by_rank(problem, settings, unscaled, device),) * d, None

    def loss(rho: tuple[float, ...]) -> float:
        features = unscaled.scaled(rho, device)
        return Direct().solve(System(weigh(conditions, features, settings.weights), features)).residual

    found = search(settings.scale, d, loss)  # type: ignore[arg-type]
    return found.scales[found.best], found


def scale_by_rank(problem: Problem, settings: Settings, unscaled: Draw, device: torch.device) -> float:
    """The scale at which the features have the numerical rank that serves best: by formula, or by measurement."""
    d = len(problem.coordinates)
    half_widths = [1.0] * d if settings.maps_inputs else [(b - a) / 2 for a, b in problem.domain.bounds]
    if unscaled.activation.trigonometric:
        return by_rank(settings.features, half_widths)
    trial = Clustered(interior=int(1.2 * settings.features))
    samples = trial.sample(Demand.inside(problem.domain), np.random.SeedSequence(0))
    points = torch.as_tensor(samples[0].points, device=device)

    def rank(rho: float) -> float:
        return numerical_rank(unscaled.scaled((rho,) * d, device).matrix([(1.0, (0,) * d)], points))

    return by_measured_rank(settings.features, d, rank) / (1.0 if settings.maps_inputs else max(half_widths))


def require_solved(result: LeastSquares) -> None:
    """Refuse to hand out weights that mean nothing."""
    if result.status != "solved" or not np.isfinite(result.residual):
        raise EvaluationError(f"The least squares could not be solved: {result.status}. {result.remedy}".rstrip())


class Clock:
    """Seconds spent in each pass."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
