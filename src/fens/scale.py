"""Choosing the scale ρ of the frequencies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .domain.rule import gauss
from .errors import SettingError
from .numbers import EPS, real_number
from .progress import time_left

HALF_WIDTH = math.sqrt(3.0)  # of the distribution of the frequencies at scale 1
LEAST = 0.15  # scale on [−1, 1]^d below which features are hard to tell from polynomials of low degree; in more than
# four dimensions a few thousand features do not fill even that band, and smaller scales only lose digits

ROUND_OFF = 5e-14  # residual of an equation beside its terms below which no scale is much better
OCTAVE_PART = 2**0.25
FARTHEST = 20
BY_CHANCE = 0.5  # residual of an equation beside its terms with which nothing is solved
MOST_CANDIDATES = 100_000  # of a grid of scales
FLAT = 0.9  # of a residual, above which another one that is by chance is no better

Scales = tuple[float, ...]  # one for each axis, for one component of the unknowns after another


@dataclass(frozen=True)
class ScaleGrid:
    """Algorithm 1 of the paper: solve at ρ = min + step, min + 2·step, … ≤ max, keep the smallest ‖A w − F‖."""

    minimum: float
    maximum: float
    step: float

    def __post_init__(self) -> None:
        message = "ScaleGrid takes three numbers: minimum, maximum, step."
        numbers = [real_number(v, SettingError, message) for v in (self.minimum, self.maximum, self.step)]
        for name, number in zip(("minimum", "maximum", "step"), numbers, strict=True):
            object.__setattr__(self, name, number)
        if not all(map(math.isfinite, numbers)) or not (0 <= self.minimum < self.maximum and self.step > 0):
            raise SettingError(
                "ScaleGrid needs 0 ≤ minimum < maximum and a positive step; "
                f"got ScaleGrid({self.minimum:g}, {self.maximum:g}, {self.step:g})."
            )
        if (count := (self.maximum - self.minimum) / self.step) > MOST_CANDIDATES:
            shown = f"{count:.0f}" if count < 1e15 else f"{count:.1e}"
            raise SettingError(f"ScaleGrid has {shown} candidates, each a solve of its own; take a larger step.")
        if len(self) == 0:
            raise SettingError(f"ScaleGrid's step {self.step:g} is larger than the range, which leaves no candidate.")

    def __len__(self) -> int:
        return math.floor((self.maximum - self.minimum) / self.step * (1 + 4 * EPS) + 1e-9)

    @property
    def candidates(self) -> tuple[float, ...]:
        """The scales tried, a half-open range, without the minimum and with the maximum."""
        return tuple(self.minimum + k * self.step for k in range(1, len(self) + 1))


@dataclass(frozen=True)
class Search:
    """What a search for the scale tried: the scales, the loss of each, and why it ended.

    The loss of a `ScaleGrid` is the residual ‖A w − F‖; that of the automatic search the largest residual of an
    equation beside its own terms, at points that the trial did not use.
    """

    scales: tuple[tuple[float, ...], ...]
    losses: tuple[float, ...]
    reason: str

    @property
    def best(self) -> int:
        """Which of the scales had the smallest loss."""
        return int(np.nanargmin(self.losses))

    def __repr__(self) -> str:
        return f"Search({len(self.scales)} scales: {self.reason})"


def search(grid: ScaleGrid, dimension: int, losses_of: Callable[[Sequence[Scales]], Iterable[float]]) -> Search:
    """Try every candidate of a grid."""
    scales = tuple((rho,) * dimension for rho in grid.candidates)
    losses = list[float]()
    for loss in losses_of(scales):
        losses.append(loss)
        if len(losses) < len(scales) and np.isfinite(loss) and not time_left():
            return Search(scales[: len(losses)], tuple(losses), f"the time was up after {len(losses)} of {len(scales)}")
    if not np.isfinite(losses).any():
        raise SettingError("No scale of the ScaleGrid led to a solution; choose another range.")
    return Search(scales, tuple(losses), f"all {len(scales)} candidates of {grid} tried")


def descend(loss: Callable[[float], float], first_stride: int, enough: float = ROUND_OFF) -> str:
    """Go down a loss with one minimum, as a function of a factor, from 1 on; tells why it ended.

    In strides, of quarter octaves, that grow as long as they lead down, and then between the last ones.
    """
    tried: dict[int, float] = {}

    def at(k: int) -> float:
        tried[k] = loss(OCTAVE_PART**k)
        return tried[k]

    def lowest() -> int:
        return min(tried, key=lambda k: (tried[k], abs(k)))

    if at(0) <= enough:
        how_well = "to round-off" if tried[0] <= ROUND_OFF else "far better than the tolerance asks"
        return f"the equations hold {how_well} at the first scale"
    if not time_left():
        return "the time was up after the first scale"
    higher = at(first_stride)
    by_chance = higher > max(BY_CHANCE, FLAT * tried[0])  # too high a scale is no better than a higher one
    direction = 1 if higher < tried[0] and not by_chance else -1
    k, stride = max(0, direction) * first_stride, first_stride
    while abs(k + direction * stride) <= FARTHEST and time_left() and at(k + direction * stride) < tried[k]:
        k, stride = k + direction * stride, stride + first_stride if len(tried) > 3 else stride
    if not math.isfinite(tried[k]):
        return "no trial led to a solution; the scale is that of the rank"
    while (middle := _towards_lower_neighbour(tried, lowest())) is not None:
        if not time_left():
            return "the time was up"
        if tried[lowest()] <= enough:
            return "the equations hold as well as they need to"
        at(middle)
    edge = "" if min(tried) < lowest() < max(tried) else ", at the edge of the range searched"
    return f"neighbouring scales are no better{edge}"


def _towards_lower_neighbour(tried: dict[int, float], k: int) -> int | None:
    """The place half way from k to the lower of its tried neighbours; None if that is near enough."""
    below, above = [j for j in tried if j < k], [j for j in tried if j > k]
    lower, *rest = sorted([*sorted(below)[-1:], *sorted(above)[:1]], key=lambda j: tried[j])
    wide = [j for j, near in ((lower, 2), *((j, 3) for j in rest)) if abs(j - k) > near]
    return (wide[0] + k) // 2 if wide else None


def target_rank(features: int, dimension: int) -> float:
    """The numerical rank at which features are most accurate, found on the paper's problems.

    Below it they are too alike to tell details apart, above it too few to fill the band of frequencies. In one
    dimension a band is filled with room to spare.
    """
    return (0.35 if dimension == 1 else 0.8) * features


def by_rank(features: int, half_widths: Sequence[float]) -> float:
    """The scale at which cosines on a box, with frequencies uniform in a box, have the target rank.

    Along each axis, of half-width ℓ, these are the functions exp(i c x y) on [−1, 1]² with c = √3 ρ ℓ, and singular
    values multiply; so the rank is a count of products, and needs no matrix.
    """

    def rank(rho: float) -> float:
        return numerical_rank([HALF_WIDTH * rho * w for w in half_widths])

    middle = 1 / math.prod(half_widths) ** (1 / len(half_widths))
    return _crossing(rank, target_rank(features, len(half_widths)), LEAST * middle, 10 * features * middle, 1.01)


def by_measured_rank(features: int, dimension: int, rank: Callable[[float], float]) -> float:
    """The same for features whose rank has no formula: it is measured on matrices of a few trial scales.

    For inputs in [−1, 1]^d. Sigmoid, tanh and swish need smaller scales than cosines do.
    """
    cosines = by_rank(features, [1.0] * dimension)
    lower = max(cosines / 50, LEAST / 5)
    return _crossing(rank, target_rank(features, dimension), lower, max(2 * cosines, 2 * lower), 1.1)


def _crossing(
    rank: Callable[[float], float], target: float, lower: float, upper: float, tolerance: float
) -> float:
    """Where a growing function reaches the target, to a factor of `tolerance`, by bisection of the logarithm."""
    while upper / lower > tolerance:
        middle = math.sqrt(lower * upper)
        lower, upper = (middle, upper) if rank(middle) < target else (lower, middle)
    return math.sqrt(lower * upper)


def numerical_rank(bandwidths: Sequence[float], cutoff: float = 64 * EPS) -> float:
    """The number of products of singular values, one of exp(i c x y) for each c, above `cutoff` × the largest."""
    resolution = 64  # bins for each factor of e; decays are histogrammed, and a product is a sum of decays
    bins = math.ceil(-math.log(cutoff) * resolution)
    decays = [np.floor(-np.log(_relative_singular_values(c)) * resolution).astype(int) for c in bandwidths]
    *others, last = (decay[decay < bins] for decay in decays)
    counts = np.ones(1)
    for decay in others:
        counts = np.convolve(counts, np.bincount(decay, minlength=bins))[:bins]
    return float(np.cumsum(counts)[np.minimum(bins - 1 - last, len(counts) - 1)].sum())


@lru_cache(maxsize=512)
def _relative_singular_values(c: float) -> np.ndarray:
    """μ_k/μ_0 of the kernel exp(i c x y) on [−1, 1]², which stay near 1 up to k = 2c/π and then plunge."""
    if c > 200:  # Landau and Widom: log(1/λ) grows linearly across the plunge, whose width is log c; λ = μ²
        k = np.arange(int(2 * c / math.pi + 60 * math.log(c)))
        past_edge = math.pi**2 * (k + 0.5 - 2 * c / math.pi)
        return np.asarray(np.exp(-0.5 * np.logaddexp(0, past_edge / math.log(1.2 * c))))
    nodes, weights = gauss(24 + int(c / 2))
    phase = c * np.outer(nodes, nodes)  # the even and the odd part, each on [0, 1]², are symmetric
    root = np.sqrt(np.outer(weights, weights))
    mu = np.sort(np.abs(np.concatenate([np.linalg.eigvalsh(f(phase) * root) for f in (np.cos, np.sin)])))[::-1]
    return np.asarray(np.maximum(mu / mu[0], np.finfo(float).tiny))
