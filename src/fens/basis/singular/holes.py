"""Functions with singularities inside the holes of a domain.

Solutions on a domain with holes are seldom smooth inside the holes: there they have logarithms and poles, which
features of x alone resolve slowly. Around a hole with centre c, with r = |x − c|, two kinds of features have the same
singularities: g(r) σ(W·x + b) with the fundamental solution g of Laplace's equation, and σ(W·q + b) of the inverted
coordinates q = (x − c)/r² (in more than two dimensions times g, Kelvin's transform).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import sympy as sp
import torch

from ..._support.steering import Features
from ..._support.stored import stored
from ..ansatz import Ansatz, Drawn, Frame, Plain, RandomDraw, Sum
from ..composed import Composed
from ..proposals import PROPOSALS, Proposal, Rough
from ..sites import Hole
from ..union import Union


@dataclass(frozen=True)
class HolesDraw(Drawn):
    """For each hole features with its singularities, at scale 1, of both kinds."""

    around: tuple[tuple[RandomDraw, Hole, bool], ...]

    def __len__(self) -> int:
        return sum(len(d) for d, _, _ in self.around)

    @property
    def leading(self) -> RandomDraw:
        """Those around the first hole."""
        return self.around[0][0]

    @property
    def frequencies(self) -> np.ndarray:
        """Frequencies at scale 1."""
        return np.concatenate([d.W for d, _, _ in self.around])

    def scaled(self, scale: Sequence[float], device: torch.device) -> Union:
        """The features at a scale for each axis, all alike."""
        return Union(tuple(_composed(d, hole, inverted, scale, device) for d, hole, inverted in self.around))


@stored("HoleFunctions")
@dataclass(frozen=True)
class AroundHoles(Ansatz):
    """Features with singularities inside holes, of each kind as many around each.

    They learn no directions: those along which a solution varies are directions of x, not of inverted coordinates.
    """

    holes: tuple[Hole, ...]
    inner: Plain = Plain()  # noqa: RUF009 - frozen

    def draw(self, count: int, frame: Frame, seed: np.random.SeedSequence) -> HolesDraw:
        """`count` features."""
        kinds = [(hole, inverted) for hole in self.holes for inverted in (False, True)]
        counts = np.diff(np.round(np.linspace(0, count, len(kinds) + 1)).astype(int))
        drawn = zip(counts, seed.spawn(len(kinds)), kinds, strict=True)
        return HolesDraw(tuple((self.inner.draw(int(n), frame, s), *kind) for n, s, kind in drawn if n))


def _composed(draw: RandomDraw, hole: Hole, inverted: bool, scale: Sequence[float], device: torch.device) -> Composed:
    d = len(draw.center)
    symbols = sp.symbols(f"x0:{d}", real=True)
    offsets = {i: symbols[i] - sp.Float(hole.centre[k]) for k, i in enumerate(hole.axes)}
    square = sp.Add(*(o**2 for o in offsets.values())) / sp.Float(hole.radius) ** 2
    green = sp.log(square) / 2 if len(hole.axes) == 2 else square ** sp.Rational(2 - len(hole.axes), 2)
    if not inverted:
        return Composed(draw.scaled(scale, device), symbols, green, symbols)
    # the outside of the hole becomes the inside of a ball of its radius, in which features vary on that scale
    inner = tuple(offsets[i] / square if i in offsets else symbols[i] for i in range(d))
    centre = draw.center.copy()
    rho = np.asarray(scale, dtype=np.float64).copy()
    for i in hole.axes:
        rho[i] *= draw.width[i] / hole.radius
        centre[i] = 0.0
    origin = np.where(np.isin(np.arange(d), hole.axes), 0.0, draw.origin)
    moved = replace(draw, center=centre, origin=origin)
    amplitude = sp.S.One if len(hole.axes) == 2 else green
    return Composed(moved.scaled(rho.tolist(), device), symbols, amplitude, inner)


def around_holes(ansatz: Ansatz, rough: Rough) -> Ansatz | None:
    """Half of the functions around the holes, if there are some and not too many."""
    holes = rough.sites.holes
    known = any(isinstance(part, AroundHoles) for part in ansatz.parts)
    if known or not holes or len(holes) > Features.MOST_HOLES or len(holes[0].centre) < 2:
        return None
    return Sum(((1 - Features.AT_HOLES, ansatz), (Features.AT_HOLES, AroundHoles(holes))))


PROPOSALS.own("holes", Proposal(around_holes, special=True))
