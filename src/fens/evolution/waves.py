"""Corrections for waves in a period: with coefficients averaged over the slab and space, one wave after another.

What derivatives do to cos kx and sin kx they do to each wave number alone, so that nothing has to be factorised: a few
numbers for each wave serve where linear terms of high order have constant coefficients, as those of dispersion and
diffusion usually have, and the rest comes by iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from .._support.device import to_device, to_host
from .._support.steering import Slabs
from .space import Space, in_space
from .stages import Array, Linear, Slab


@dataclass(frozen=True)
class Waves:
    """Corrections of each wave by itself: `inverses` has a small matrix for each rate of time and each wave, ±k."""

    slab: Slab
    inverses: tuple[Array, Array]
    steady: ClassVar[bool] = False

    @classmethod
    def of(cls, slab: Slab, equations: Sequence[Linear]) -> Waves:
        """For slabs of this length."""
        axis, K = slab.space.evolution.axis, len(slab.space.evolution.orders)
        pairs = Pairs.of(slab.space)
        rates = slab.collocation.spectrum[0] / slab.length
        inverses = []
        for sign in (1j, -1j):
            A = np.zeros((len(rates), len(pairs.W), len(equations), K), dtype=complex)
            for e, equation in enumerate(equations):
                for jet, c in equation.operator:
                    power = np.prod((sign * pairs.W) ** np.array(in_space(jet.orders, axis)), axis=1)
                    A[:, :, e, jet.unknown] += float(np.mean(c)) * np.outer(rates ** jet.orders[axis], power)
            inverses.append(np.linalg.pinv(A, rcond=1e-14))
        return cls(slab, (inverses[0], inverses[1]))

    def correction(self, F: Array) -> Array:
        """What to add to the coefficients, of residuals F: instants × rows."""
        s, _, n = self.slab.shape
        space, (_, vectors, inverse) = self.slab.space, self.slab.collocation.spectrum
        values = F.reshape(s, len(space.rows), -1)
        back = space.inside[1]
        R = to_host(to_device(values.reshape(s * len(space.rows), -1), back.device) @ back.T).reshape(s, -1, n)
        sides = np.tensordot(inverse, -R, 1)  # rates × equations × functions
        forth, backward = self.pairs.split(sides)
        found = [np.einsum("rwke,rew->rkw", P, x) for P, x in zip(self.inverses, (forth, backward), strict=True)]
        return np.asarray(np.tensordot(vectors, self.pairs.joined(found[0], found[1], n), 1).real)

    @cached_property
    def pairs(self) -> Pairs:
        """How waves are counted."""
        return Pairs.of(self.slab.space)


@dataclass(frozen=True)
class Pairs:
    """The wave numbers, and where the cosine and the sine of each stand among the functions; −1 for the sine of 0."""

    W: Array
    cosines: Array
    sines: Array

    @classmethod
    def of(cls, space: Space) -> Pairs:
        """Those of a space of waves."""
        W = np.delete(to_host(space.features.W), space.evolution.axis, axis=1)
        is_sine = to_host(space.features.b) != 0
        where = {tuple(w): k for k, w in enumerate(W) if is_sine[k]}
        cosines = np.flatnonzero(~is_sine)
        return cls(W[cosines], cosines, np.array([where.get(tuple(W[k]), -1) for k in cosines]))

    def split(self, values: Array) -> tuple[Array, Array]:
        """The parts of e^ikx and e^−ikx in a cos kx + b sin kx."""
        a = values[..., self.cosines]
        b = np.where(self.sines < 0, 0.0, values[..., self.sines])
        return (a - 1j * b) / 2, (a + 1j * b) / 2

    def joined(self, forth: Array, backward: Array, n: int) -> Array:
        """The way back."""
        found = np.zeros((*forth.shape[:-1], n), dtype=complex)
        found[..., self.cosines] = forth + backward
        has = self.sines >= 0
        found[..., self.sines[has]] = 1j * (forth - backward)[..., has]
        return found


def serves(slab: Slab, equations: Sequence[Linear]) -> bool:
    """Whether waves can be corrected one by one: equations hold everywhere, and their highest terms vary little."""
    space = slab.space
    homes = all(r.running.condition.region == space.evolution.problem.domain for r in space.rows)
    if not space.is_periodic or not homes or len(equations) != len(space.evolution.orders):
        return False
    axis = space.evolution.axis
    for equation in equations:
        highest = max((sum(in_space(j.orders, axis)) for j, _ in equation.operator), default=0)
        for jet, c in equation.operator:
            leads = sum(in_space(jet.orders, axis)) == highest > 0 or jet.orders[axis]
            if leads and np.ptp(c) > Slabs.EVEN * np.abs(c).max():
                return False
    return True
