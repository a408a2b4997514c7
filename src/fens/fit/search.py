"""Searches for the scale ρ of the frequencies: down a loss, or over a grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from .._support.progress import time_left
from .._support.steering import ScaleSearch
from .._support.stored import stored
from ..basis import Scales
from ..errors import SettingError
from ..options import ScaleGrid


@stored("Search")
@dataclass(frozen=True)
class Search:
    """What a search for the scale tried: the scales, the loss of each, and why it ended.

    The loss of a `ScaleGrid` is the residual ‖A w − F‖; that of the automatic search the largest residual of an
    equation relative to its own terms, at points that the trial did not use.
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


def descend(loss: Callable[[float], float], first_stride: int, enough: float, pays: float = 1.0) -> str:
    """Go down a loss with one minimum, as a function of a factor, from 1 on; tells why it ended.

    In strides, of quarter octaves, that grow as long as they lead down, and then between the last ones. What a stride
    must leave of the loss, `pays`, is less than 1 where trials are dear, and near enough is enough.
    """
    tried: dict[int, float] = {}

    def at(k: int) -> float:
        tried[k] = loss(ScaleSearch.OCTAVE_PART**k)
        return tried[k]

    def lowest() -> int:
        return min(tried, key=lambda k: (tried[k], abs(k)))

    if at(0) <= enough:
        how_well = "to round-off" if tried[0] <= ScaleSearch.ROUND_OFF else "far better than the tolerance asks"
        return f"the equations hold {how_well} at the first scale"
    if not time_left():
        return "the time was up after the first scale"
    higher = at(first_stride)
    if pays * tried[0] < higher < tried[0]:
        return "another scale is hardly better"
    # too high a scale is no better than a higher one
    by_chance = higher > max(ScaleSearch.BY_CHANCE, ScaleSearch.FLAT * tried[0])
    direction = 1 if higher < tried[0] and not by_chance else -1
    k, stride = max(0, direction) * first_stride, first_stride
    while abs(k + direction * stride) <= ScaleSearch.FARTHEST and time_left():
        if not at(k + direction * stride) < pays * tried[k]:
            break
        k, stride = k + direction * stride, stride + first_stride if len(tried) > 3 else stride
    if not math.isfinite(tried[k]):
        return "no trial led to a solution; the scale is that of the rank"
    while pays == 1 and (middle := _towards_lower_neighbour(tried, lowest())) is not None:
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
