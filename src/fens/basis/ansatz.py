"""The form that an unknown is given, before anything is drawn: random features, and what they are composed to.

An ansatz can be drawn at any size and from any seed; what is drawn becomes a basis at any scale. Ansätze compose: each
may stand inside others, and a `Sum` has several of them side by side.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from .._support.device import to_device
from .._support.stored import stored
from .activation import ACTIVATIONS, Activation
from .basis import Basis
from .distribution import Distribution, Isotropic
from .initialisation import INITIALISATIONS, check_initialisation
from .random_features import RandomFeatures
from .sites import Corner, Onset, Spot
from .union import Union

ISOTROPIC = Isotropic()
Bounds = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Frame:
    """What all parts of an ansatz share: where it is to be used, and how its features are made."""

    bounds: Bounds
    activation: Activation
    initialisation: str = "uniform"
    affine: bool = False  # whether inputs are mapped to [−1, 1]^d first

    def within(self, bounds: Bounds) -> Frame:
        """The same for another box."""
        return replace(self, bounds=bounds)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return len(self.bounds)


class Drawn(ABC):
    """Functions at scale 1, which become a basis at any scale."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def scaled(self, scale: Sequence[float], device: torch.device) -> Basis:
        """The basis at a scale for each axis."""

    @property
    def leading(self) -> RandomDraw:
        """The random features whose numerical rank tells which scale is right, the others following."""
        raise NotImplementedError(f"{type(self).__name__} has no frequencies; it follows others in a Sum.")

    @property
    def reach(self) -> tuple[float, ...]:
        """The part of each axis of the domain on which the leading ones are used."""
        return (1.0,) * len(self.leading.center)

    @property
    def frequencies(self) -> np.ndarray | None:
        """Frequencies at scale 1, of what has some."""
        return None


@dataclass(frozen=True)
class RandomDraw(Drawn):
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
    width: np.ndarray  # half of that of the box in which the features are to be used

    def __len__(self) -> int:
        return len(self.b)

    @property
    def leading(self) -> RandomDraw:
        """Itself."""
        return self

    @property
    def frequencies(self) -> np.ndarray:
        """W."""
        return self.W

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
class UnionDraw(Drawn):
    """Several draws side by side, all at one scale; the first leads."""

    members: tuple[Drawn, ...]

    def __len__(self) -> int:
        return sum(map(len, self.members))

    @property
    def leading(self) -> RandomDraw:
        """That of the first."""
        return self.members[0].leading

    @property
    def reach(self) -> tuple[float, ...]:
        """That of the first."""
        return self.members[0].reach

    @property
    def frequencies(self) -> np.ndarray | None:
        """Frequencies at scale 1, of the members that have some."""
        found = [W for m in self.members if (W := m.frequencies) is not None]
        return np.concatenate(found) if found else None

    def scaled(self, scale: Sequence[float], device: torch.device) -> Basis:
        """The basis at a scale for each axis."""
        return Union(tuple(m.scaled(scale, device) for m in self.members))


class Ansatz(ABC):
    """A form of trial functions, of which any number can be drawn."""

    @abstractmethod
    def draw(self, count: int, frame: Frame, seed: np.random.SeedSequence) -> Drawn:
        """`count` functions at scale 1."""

    def with_frequencies(self, change: Callable[[Distribution], Distribution]) -> Ansatz:
        """The same with frequencies drawn from other distributions; itself, if it has none."""
        return self

    @property
    def parts(self) -> tuple[Ansatz, ...]:
        """The ansätze that it is composed of, itself included."""
        return (self,)

    @property
    def is_plain(self) -> bool:
        """Whether nothing is known of the solution: frequencies alike along all directions, and no special place."""
        inner = [p for p in self.parts if p is not self]
        return bool(inner) and all(p.is_plain for p in inner)

    @property
    def spots(self) -> tuple[Spot, ...]:
        """The places at which there are functions of their own, which want points there, too."""
        return tuple(s for p in self.parts if p is not self for s in p.spots)

    @property
    def graded(self) -> tuple[Corner | Onset, ...]:
        """The corners and onsets with functions of their own, towards which points are graded."""
        return tuple(c for p in self.parts if p is not self for c in p.graded)


@stored("Plain")
@dataclass(frozen=True)
class Plain(Ansatz):
    """Random features σ(W·x + b) everywhere."""

    distribution: Distribution = ISOTROPIC

    def draw(self, count: int, frame: Frame, seed: np.random.SeedSequence) -> RandomDraw:
        """`count` random features, with W and b from independent streams: one for both would correlate phases with
        frequencies and ruin completeness.
        """
        check_initialisation(frame.initialisation)
        d = frame.dimension
        half = INITIALISATIONS[frame.initialisation](count, d)
        for_W, for_b = (np.random.default_rng(s) for s in seed.spawn(2))
        lower, upper = np.array(frame.bounds).T
        center = (lower + upper) / 2
        return RandomDraw(
            self.distribution.draw(count, d, half, for_W),
            for_b.uniform(-half, half, count),
            frame.activation,
            center=center,
            origin=center if frame.affine else np.zeros(d),
            half_width=(upper - lower) / 2 if frame.affine else np.ones(d),
            width=(upper - lower) / 2,
        )

    def with_frequencies(self, change: Callable[[Distribution], Distribution]) -> Plain:
        """The same with frequencies from another distribution."""
        return Plain(change(self.distribution))

    @property
    def is_plain(self) -> bool:
        """Whether frequencies are drawn alike along all directions."""
        return isinstance(self.distribution, Isotropic)


@stored("Number")
@dataclass(frozen=True)
class Number(Ansatz):
    """An unknown number: one function, a cosine of frequency zero, which is 1."""

    def draw(self, count: int, frame: Frame, seed: np.random.SeedSequence) -> RandomDraw:
        """The one function."""
        d = frame.dimension
        zero, one = np.zeros(d), np.ones(d)
        cosine = ACTIVATIONS["cos"]
        return RandomDraw(np.zeros((1, d)), np.zeros(1), cosine, center=zero, origin=zero, half_width=one, width=one)

    @property
    def is_plain(self) -> bool:
        """Nothing is learnt of where a number varies."""
        return True


@stored("Sum")
@dataclass(frozen=True)
class Sum(Ansatz):
    """Several ansätze side by side, each with its share of the functions; the scale is that of the first."""

    terms: tuple[tuple[float, Ansatz], ...]

    def draw(self, count: int, frame: Frame, seed: np.random.SeedSequence) -> UnionDraw:
        """`count` functions: the shares of all but the first rounded down, so that none is left without."""
        whole = sum(share for share, _ in self.terms)
        counts = [int(share / whole * count) for share, _ in self.terms[1:]]
        seeds = seed.spawn(len(self.terms))
        drawn = zip((count - sum(counts), *counts), self.terms, seeds, strict=True)
        return UnionDraw(tuple(ansatz.draw(n, frame, s) for n, (_, ansatz), s in drawn if n))

    def with_frequencies(self, change: Callable[[Distribution], Distribution]) -> Sum:
        """The same with frequencies from other distributions."""
        return Sum(tuple((share, ansatz.with_frequencies(change)) for share, ansatz in self.terms))

    @property
    def parts(self) -> tuple[Ansatz, ...]:
        """Itself, and those of all terms."""
        return (self, *(p for _, ansatz in self.terms for p in ansatz.parts))
