"""Functions with the singularities of a corner whose branch cut ends: for corners of holes, which no ray leaves.

In place of z^μ there is z^μ w^ν, with w the coordinate from where the cut ends, at a place outside of the domain, and ν
a number of which μ + ν is whole. Next to the corner w is smooth, so that the singularity is the same; and z/w, of which
there are logarithms, has an argument that jumps on the straight way between the two places alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

import torch
from torch import Tensor

from ..._support.stored import stored
from .powers import CornerFunctions, Pair, falling


@stored("CutCornerFunctions")
@dataclass(frozen=True)
class CutCornerFunctions(CornerFunctions):
    """Real and imaginary parts of z^μ w^ν z̄^m, times log z/w or its argument for some; μ + ν is μ, rounded."""

    end: Tensor  # of the cut, in the two axes, counted from the corner

    def _logarithm(self, z: Tensor) -> Tensor:
        return torch.log(z / self._from_end(z))

    def _powers(self, z: Tensor, log: Tensor) -> Tensor:
        """z^μ w^ν z̄^m, which is (z/w)^μ w^(μ + ν) z̄^m."""
        from_end, conjugate = torch.log(self._from_end(z))[:, None], torch.log(z.conj())[:, None]
        return torch.exp(log[:, None] * self.powers + from_end * self._whole + conjugate * self.conjugate_powers)

    @property
    def _whole(self) -> Tensor:
        """μ + ν."""
        return torch.round(self.powers.real if self.powers.is_complex() else self.powers)

    def _from_end(self, z: Tensor) -> Tensor:
        """The coordinate from where the cut ends."""
        return z - torch.complex(*(self.map @ self.end))

    def _terms(
        self, order: tuple[int, int], c: complex | Tensor, z: Tensor, log: Tensor
    ) -> Iterator[tuple[Tensor, Tensor]]:
        """c ∂^n/∂z^n ∂^k/∂z̄^k of the functions, relative to z^μ w^ν z̄^m, by Leibniz' rule."""
        n, k = order
        w, zero = self._from_end(z), torch.zeros_like(self.conjugate_powers)
        for i in range(n + 1):
            here = c * z**-i * w ** (i - n) * z.conj() ** -k
            plain, with_log, with_angle = self._split(self._product(n, i), falling(self.conjugate_powers, k))
            yield here, plain
            if with_log is not None:
                yield here * log, with_log
            if with_angle is not None:
                yield here * log.imag, with_angle
                for m in range(k):  # of the conjugate of log z/w, what is differentiated in w̄ at least once
                    column = comb(k, m) * falling(self.conjugate_powers, m)[0] * falling(zero, k - m)[1]
                    beside = here * z.conj() ** (k - m) * w.conj() ** (m - k)
                    yield beside, torch.where(self.logarithms == 2, self._product(n, i)[0] * column / 2j, 0.0)

    def _product(self, n: int, i: int) -> Pair:
        """The factor of z^−i w^(i−n) in ∂^n/∂z^n z^μ w^ν relative to that, and its slope as μ grows and ν falls."""
        (one, slope), (other, other_slope) = falling(self.powers, i), falling(self._whole - self.powers, n - i)
        return comb(n, i) * one * other, comb(n, i) * (slope * other - one * other_slope)
