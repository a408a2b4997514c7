"""The scale ρ at which random features have the numerical rank that serves best."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from .._support.numbers import EPS, geometric_mean
from .._support.steering import Features

HALF_WIDTH = math.sqrt(3.0)  # of the distribution of the frequencies at scale 1


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

    middle = 1 / geometric_mean(half_widths)
    lower = Features.LEAST_SCALE * middle
    return _crossing(rank, target_rank(features, len(half_widths)), lower, 10 * features * middle, 1.01)


def by_measured_rank(features: int, dimension: int, rank: Callable[[float], float]) -> float:
    """The same for features whose rank has no formula: it is measured on matrices of a few trial scales.

    For inputs in [−1, 1]^d. Sigmoid, tanh and swish need smaller scales than cosines do.
    """
    cosines = by_rank(features, [1.0] * dimension)
    lower = max(cosines / 50, Features.LEAST_SCALE / 5)
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
    nodes, weights = np.polynomial.legendre.leggauss(24 + int(c / 2))
    nodes, weights = (1 + nodes) / 2, weights / 2
    phase = c * np.outer(nodes, nodes)  # the even and the odd part, each on [0, 1]², are symmetric
    root = np.sqrt(np.outer(weights, weights))
    mu = np.sort(np.abs(np.concatenate([np.linalg.eigvalsh(f(phase) * root) for f in (np.cos, np.sin)])))[::-1]
    return np.asarray(np.maximum(mu / mu[0], np.finfo(float).tiny))
