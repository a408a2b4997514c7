"""Drawing the frequencies W and the phases b, once, and scaling them as often as needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch

from .._support.device import to_device
from ..errors import SettingError, quoted
from .activation import ACTIVATIONS, Activation
from .distribution import Distribution, Isotropic
from .family import Family
from .random_features import Features, RandomFeatures

ISOTROPIC = Isotropic()
# Half-width of the uniform distribution of W and b, for M features in d dimensions.
INITIALISATIONS = {
    "uniform": lambda M, d: np.sqrt(3.0),  # unit variance
    "xavier": lambda M, d: np.sqrt(6.0 / (M + d)),
    "kaiming": lambda M, d: np.sqrt(6.0 / d),
}


class Unscaled(Protocol):
    """Features at scale 1: `cell_size` of them for each cell, of which there are `counts` along the axes."""

    @property
    def W(self) -> np.ndarray: ...
    @property
    def b(self) -> np.ndarray: ...
    @property
    def activation(self) -> Activation: ...
    @property
    def half_width(self) -> np.ndarray: ...
    @property
    def cell_size(self) -> int: ...
    @property
    def counts(self) -> tuple[int, ...]: ...

    def scaled(self, scale: Sequence[float], device: torch.device) -> Features:
        """The features at a scale for each axis."""
        ...


@dataclass(frozen=True)
class Draw:
    """Frequencies W (M, d) and phases b (M) at scale 1, which act on (x − origin)/half_width.

    The features count coordinates from `center`, the middle of the domain, and the phases of the trigonometric
    ones are taken modulo 2π: the same functions, but smaller arguments, which round less.
    """

    W: np.ndarray
    b: np.ndarray
    activation: Activation
    center: np.ndarray
    origin: np.ndarray
    half_width: np.ndarray
    reach: np.ndarray  # half the width of where the features are to be used

    @property
    def cell_size(self) -> int:
        """All are in one cell."""
        return len(self.b)

    @property
    def counts(self) -> tuple[int, ...]:
        """One cell along each axis."""
        return (1,) * len(self.center)

    def scaled(self, scale: Sequence[float], device: torch.device) -> RandomFeatures:
        """The features σ(ρ(W·x + b)), x after the affine map; one ρ for each axis, their geometric mean for b."""
        rho = np.asarray(scale, dtype=np.float64)
        W = self.W * rho / self.half_width
        b = self.b * np.exp(np.mean(np.log(rho))) + W @ (self.center - self.origin)
        if self.activation.trigonometric:
            b = np.remainder(b + np.pi, 2 * np.pi) - np.pi
        W_, b_, center = (to_device(a, device) for a in (W, b, self.center))
        return RandomFeatures(W_, b_, center, self.activation)


@dataclass(frozen=True)
class Draws:
    """The draws of several unknowns. Their scales, one for each axis, follow one another too."""

    members: tuple[Unscaled, ...]

    def scaled(self, scales: Sequence[float], device: torch.device) -> Family:
        """The features of all the unknowns."""
        d = self.members[0].W.shape[1]
        return Family(tuple(m.scaled(scales[k * d : (k + 1) * d], device) for k, m in enumerate(self.members)))


def constant(bounds: Sequence[tuple[float, float]]) -> Draw:
    """The one feature of an unknown number: a cosine of frequency zero, which is 1."""
    d = len(bounds)
    zero, one = np.zeros(d), np.ones(d)
    return Draw(np.zeros((1, d)), np.zeros(1), ACTIVATIONS["cos"], center=zero, origin=zero, half_width=one, reach=one)


def check_initialisation(name: Any) -> None:
    """Refuse what is not the name of a way to draw frequencies."""
    if not isinstance(name, str) or name not in INITIALISATIONS:
        raise SettingError(f"The initialisation must be one of {', '.join(INITIALISATIONS)}; got {quoted(name)}.")


def draw(
    count: int,
    bounds: Sequence[tuple[float, float]],
    activation: Activation,
    *,
    initialisation: str,
    affine: bool,
    seed: np.random.SeedSequence,
    distribution: Distribution = ISOTROPIC,
) -> Draw:
    """`count` random features for inputs within `bounds`; `affine` maps these to [−1, 1]^d first."""
    check_initialisation(initialisation)
    d = len(bounds)
    half = INITIALISATIONS[initialisation](count, d)
    # independent streams: one stream for both would correlate phases with frequencies and ruin completeness
    for_W, for_b = (np.random.default_rng(s) for s in seed.spawn(2))
    lower, upper = np.array(bounds).T
    center = (lower + upper) / 2
    return Draw(
        distribution.draw(count, d, half, for_W),
        for_b.uniform(-half, half, count),
        activation,
        center=center,
        origin=center if affine else np.zeros(d),
        half_width=(upper - lower) / 2 if affine else np.ones(d),
        reach=(upper - lower) / 2,
    )
