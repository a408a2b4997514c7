"""What is kept of a march: the coefficients of each slab, and the evidence of how far they can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from .._support.device import to_device, to_host
from .._support.numbers import EPS
from .._support.steering import Slabs
from ..basis import Combinations, TimeSlabs, TrialSpace
from .march import Step
from .space import Space
from .stages import Array
from .statement import AtAllTimes, Evolution


@dataclass(frozen=True)
class Piece:
    """A slab that was accepted: coefficients of Chebyshev polynomials × components × functions of space."""

    space: Space
    start: float
    end: float
    coefficients: Array
    nodes: Array

    @property
    def instants(self) -> Array:
        """When the equations hold."""
        return self.start + (self.end - self.start) * self.nodes

    @classmethod
    def of(cls, step: Step) -> Piece:
        """The slab of a step."""
        slab = step.first.slab
        coefficients = np.tensordot(slab.collocation.to_chebyshev, step.first.knots, 1)
        return cls(slab.space, slab.start, step.end, coefficients, slab.collocation.nodes)


@dataclass
class Record:
    """The slabs so far, those that are to be kept, and the largest figures of all."""

    evolution: Evolution
    keep: tuple[float, ...] | None = None
    pieces: list[Piece] = field(default_factory=list)
    differences: Array = field(default_factory=lambda: np.zeros(0))
    sizes: Array = field(default_factory=lambda: np.zeros(0))
    residuals: Array = field(default_factory=lambda: np.zeros(0))
    coordinates: float = 0.0  # what the rounding of times makes of the solution
    between: float = 0.0
    rows: int = 0
    corrections: int = 0
    first: Piece | None = None
    restless: bool = False  # whether there was a slab whose roughest functions had a part
    history: list[tuple[float, float]] = field(default_factory=list)  # the end of each slab, and the largest value

    def add(self, step: Step, goal: float) -> None:
        """One more slab."""
        piece = Piece.of(step)
        self.first = piece if self.first is None else self.first
        last = not self.pieces or self.keep is None
        if not last and not self._is_kept(self.pieces[-1]):
            self.pieces.pop()  # the last one stays until there is another
        self.pieces.append(piece)
        if not len(self.differences):
            self.differences, self.sizes = step.differences.copy(), step.sizes.copy()
            self.residuals = np.array(step.look.residuals)
        self.differences = np.maximum(self.differences, step.differences)
        self.sizes = np.maximum(self.sizes, step.sizes)
        self.residuals = np.maximum(self.residuals, step.look.residuals)
        self.coordinates = max(self.coordinates, EPS * abs(step.end) * float(step.slopes.max()))
        self.between = max(self.between, step.look.between_instants, step.look.between_places)
        self.rows += step.first.slab.collocation.stages * sum(map(len, step.first.slab.space.rows))
        self.corrections += step.first.steps
        self.restless |= step.first.in_space > Slabs.IN_SLABS * goal
        self.history.append((step.end, float(np.abs(step.first.knots).max())))

    @property
    def asked(self) -> tuple[AtAllTimes, ...]:
        """The conditions of which there are residuals."""
        return self.pieces[-1].space.asked

    def _is_kept(self, piece: Piece) -> bool:
        return self.keep is None or any(piece.start <= t <= piece.end for t in self.keep)

    def denied(self) -> str:
        """An initial condition beside those that the march began with, which does not hold; of none, nothing."""
        evolution, piece = self.evolution, self.first
        assert piece is not None
        points = piece.space.inside[0] if evolution.base is not None else np.zeros((1, 0))
        others = [x for x in evolution.problem.coordinates if x != evolution.time]
        known = {x: points[:, i] for i, x in enumerate(others)} | {evolution.time: np.full(len(points), piece.start)}
        matrix = to_host(piece.space.matrix((0,) * points.shape[1], points))
        for (k, q), formula in evolution.initial.items():
            if q < evolution.orders[k]:
                continue
            slopes = np.polynomial.chebyshev.chebder(piece.coefficients[:, k], q, scl=2 / (piece.end - piece.start))
            found = matrix @ np.polynomial.chebyshev.chebval(-1.0, slopes)
            expected = formula(known, len(points))
            size = max(np.abs(found).max(), np.abs(expected).max())
            if not np.abs(found - expected).max() <= Slabs.DENIED * size:
                name = evolution.problem.components[k].name
                return f"the first value of {name}" if q == 0 else f"that of its derivative in time, of {name}"
        return ""

    def until(self, end: float) -> None:
        """Forget what is after some time, in the last slab: polynomials of the part before it."""
        last = self.pieces[-1]
        degree = len(last.coefficients) - 1
        nodes = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
        here = last.start + (end - last.start) * (nodes + 1) / 2
        tau = 2 * (here - last.start) / (last.end - last.start) - 1
        values = np.tensordot(np.polynomial.chebyshev.chebvander(tau, degree), last.coefficients, 1)
        back = np.linalg.inv(np.polynomial.chebyshev.chebvander(nodes, degree))
        self.pieces[-1] = Piece(last.space, last.start, end, np.tensordot(back, values, 1), last.nodes)

    def trial_space(self) -> tuple[TrialSpace, torch.Tensor]:
        """All slabs as functions of space and time, with their weights."""
        return trial_space(self.evolution, self.pieces)


def trial_space(evolution: Evolution, pieces: Sequence[Piece]) -> tuple[TrialSpace, torch.Tensor]:
    """Slabs as functions of space and time, with their weights."""
    spaces = list({id(p.space): p.space for p in pieces}.values())
    numbers = {id(s): k for k, s in enumerate(spaces)}
    device = spaces[0].B.device
    member = TimeSlabs(
        tuple(Combinations(s.features, s.B) for s in spaces),
        tuple(numbers[id(p.space)] for p in pieces),
        to_device(np.array([p.start for p in pieces]), device),
        to_device(np.array([p.end for p in pieces]), device),
        evolution.axis,
        len(pieces[0].coefficients) - 1,
        evolution.start if pieces[0].start > evolution.start else None,
    )
    K = len(evolution.orders)
    weights = [p.coefficients[:, k].ravel() for k in range(K) for p in pieces]
    return TrialSpace((member,) * K), to_device(np.concatenate(weights), device)
