"""What a solve did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .._support.stored import stored
from ..basis import Ansatz
from ..nonlinear import State


@stored("Stats")
@dataclass(frozen=True)
class Stats:
    """What a solve did.

    `residual` is ‖A w − F‖ of the weighted rows, and `rank` the numerical rank of the matrix; `row_weights` are those
    of the conditions, in the order of the problem's; `seconds` is the time of each pass. `status` is "converged", or
    for a nonlinear iteration also "settled" or "failed", and `advice` then says why and what to do; its states are
    in `iterations`. `sizes` has the numbers of features tried and the error estimate of each, where that was left to
    `solve`; `rounds` what was tried to adapt the frequencies.
    """

    rows: int
    features: int
    residual: float
    rank: int
    largest_weight: float
    row_weights: tuple[float, ...]
    seconds: Mapping[str, float]
    status: str = "converged"
    advice: str = ""
    iterations: tuple[State, ...] = ()
    sizes: tuple[tuple[int, float], ...] = ()
    rounds: tuple[object, ...] = ()


@stored("Round")
@dataclass(frozen=True)
class Round:
    """A trial of another ansatz: what proposed it, what it was, the held-out residual, and whether that fell."""

    kind: str
    ansaetze: tuple[Ansatz, ...]
    loss: float
    kept: bool
