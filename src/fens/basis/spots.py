"""Functions at spots: some of them under Gaussian windows where a solution varies, the others everywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._support.steering import Features
from .._support.stored import stored
from .ansatz import Ansatz, Drawn, Frame, RandomDraw, UnionDraw
from .distribution import Distribution
from .rank import by_rank
from .sites import Spot
from .windows import Gaussian, WindowedDraw


@stored("AtSpots")
@dataclass(frozen=True)
class AtSpots(Ansatz):
    """A share of the functions at spots, as many at each, under a Gaussian window; the others everywhere."""

    places: tuple[Spot, ...]
    share: float
    inner: Ansatz

    def draw(self, count: int, frame: Frame, seed: np.random.SeedSequence) -> UnionDraw:
        """`count` functions; those at a spot are faster by what their number and its width ask for."""
        own = int(self.share * count / len(self.places))
        first, *streams = seed.spawn(1 + len(self.places))
        rest = count - own * len(self.places)
        members: list[Drawn] = [self.inner.draw(rest, frame, first)]
        for spot, s in zip(self.places, streams, strict=True):
            reach = [Features.REACH * w for w in spot.width]
            box = [(c - r, c + r) for c, r in zip(spot.centre, reach, strict=True)]
            drawn = self.inner.draw(own, frame.within(box), s)
            members.append(_under(Gaussian(spot), drawn, _ratios(own, rest, reach, frame)))
        return UnionDraw(tuple(members))

    def with_frequencies(self, change: Callable[[Distribution], Distribution]) -> AtSpots:
        """The same with frequencies from other distributions."""
        return replace(self, inner=self.inner.with_frequencies(change))

    @property
    def parts(self) -> tuple[Ansatz, ...]:
        """Itself, and what is at the spots and everywhere."""
        return (self, *self.inner.parts)

    @property
    def is_plain(self) -> bool:
        """It knows where the solution varies."""
        return False

    @property
    def spots(self) -> tuple[Spot, ...]:
        """The spots."""
        return self.places


def _under(window: Gaussian, drawn: Drawn, factors: np.ndarray) -> WindowedDraw:
    """What is drawn for a spot, at scales that are as much larger."""
    everywhere = (1.0,) * len(factors)
    if isinstance(drawn, RandomDraw):  # whose frequencies and phases can be larger by themselves
        faster = replace(drawn, W=drawn.W * factors, b=drawn.b * np.exp(np.mean(np.log(factors))))
        return WindowedDraw(faster, window, everywhere)
    return WindowedDraw(drawn, window, everywhere, factors)


def _ratios(at_spot: int, everywhere: int, reach: Sequence[float], frame: Frame) -> np.ndarray:
    """How much larger frequencies are at a spot than everywhere, if both have the rank for their number."""
    d = frame.dimension
    whole = [1.0 if frame.affine else (b - a) / 2 for a, b in frame.bounds]
    own = np.ones(d) if frame.affine else np.array(reach)
    return np.asarray(by_rank(at_spot, [1.0] * d) / own / by_rank(everywhere, whole))
