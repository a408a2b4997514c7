"""Cosines on grids: where one coordinate runs through the same values again and again, few cosines serve many points.

By the addition formulas cos(s + t) = cos s cos t − sin s sin t, with s from the coordinate that runs and t from the
others. For J runs of p points that is J + p cosines and sines in the place of J·p, and a sum over the features at all
points is a product of two matrices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from .._support.steering import Features
from .activation import Activation

RUNS = 128  # summed over at a time, for less memory
COLUMNS = 64  # features summed first, for less rounding


@dataclass(frozen=True)
class Runs:
    """Points in runs along one axis; of the first run the first `skipped` are missing, of the last perhaps some."""

    axis: int
    along: Tensor
    starts: Tensor
    skipped: int
    count: int

    @classmethod
    def of(cls, points: Tensor) -> Runs | None:
        """The runs of points, if these are so arranged and few enough of them are different."""
        if min(points.shape) < 2:
            return None
        changing = [k for k, (a, b) in enumerate(zip(*points[:2].tolist(), strict=True)) if a != b]
        if len(changing) != 1:
            return None
        axis = changing[0]
        others = [k for k in range(points.shape[1]) if k != axis]
        breaks = (points[1:, others] != points[:-1, others]).any(1).nonzero().flatten() + 1
        if len(breaks) < 2 or Features.SHARED * len(breaks) > len(points):  # one run, or too many
            return None
        first, length = int(breaks[0]), int(breaks[1] - breaks[0])
        along, starts = points[first : first + length, axis], points[[0, *breaks.tolist()]]
        found = cls(axis, along, starts, length - first, len(points))
        return found if found._pays() and torch.equal(found.points(), points) else None

    def points(self) -> Tensor:
        """All points."""
        everywhere = self.starts[:, None].repeat(1, len(self.along), 1)
        everywhere[:, :, self.axis] = self.along
        return self._cut(everywhere.flatten(0, 1))

    def matrix(self, waves: Waves) -> Tensor:
        """The value of each wave at each point."""
        (cos, sin), (P, Q) = waves.along(self), waves.across(self, self.starts)
        return self._cut((cos * P[:, None]).addcmul_(sin, Q[:, None]).flatten(0, 1))

    def matvec(self, waves: Waves, weights: Tensor) -> Tensor:
        """Sums of waves at each point; a column for each of several weights."""
        if weights.ndim == 1:
            return self._matvec(waves, weights)
        return torch.stack([self._matvec(waves, w) for w in weights.T]).T

    def _matvec(self, waves: Waves, weights: Tensor) -> Tensor:
        """Sums of waves at each point."""
        cos, sin = waves.along(self)
        groups = [slice(k, k + COLUMNS) for k in range(0, len(weights), COLUMNS)]
        values = []
        for starts in torch.split(self.starts, RUNS):
            P, Q = (part.mul_(weights) for part in waves.across(self, starts))
            values.append(torch.stack([P[:, g] @ cos[:, g].T + Q[:, g] @ sin[:, g].T for g in groups]).sum(0))
        return self._cut(torch.cat(values).flatten())

    def _cut(self, values: Tensor) -> Tensor:
        return values[self.skipped : self.skipped + self.count]

    def _pays(self) -> bool:
        wanted = self.skipped >= 0 and self.skipped + self.count <= len(self.starts) * len(self.along)
        return wanted and Features.SHARED * (len(self.starts) + len(self.along)) <= self.count


@dataclass(frozen=True)
class Waves:
    """Functions α_j cos z_j + β_j sin z_j with z = W·(x − center) + b."""

    W: Tensor
    b: Tensor
    center: Tensor
    alpha: Tensor
    beta: Tensor

    def along(self, runs: Runs) -> tuple[Tensor, Tensor]:
        """cos and sin such that, with P and Q below, the wave at point i of run r is cos_i P_r + sin_i Q_r."""
        z = torch.outer(runs.along - self.center[runs.axis], self.W[:, runs.axis])
        return torch.cos(z), torch.sin(z)

    def across(self, runs: Runs, starts: Tensor) -> tuple[Tensor, Tensor]:
        """P and Q of runs that start so."""
        from_center = starts - self.center
        from_center[:, runs.axis] = 0.0
        across = torch.addmm(self.b, from_center, self.W.T)
        cos, sin = torch.cos(across), torch.sin(across)
        return self.alpha * cos + self.beta * sin, self.beta * cos - self.alpha * sin


def quadrature(activation: Activation, order: int, features: int, like: Tensor) -> tuple[Tensor, Tensor]:
    """α and β such that σ⁽ⁿ⁾(z) = α cos z + β sin z: its values at 0 and π/2."""
    at = like.new_tensor([0.0, math.pi / 2])[:, None].repeat(1, features)
    alpha, beta = torch.round(activation.derivatives(at, [order])[0])
    return alpha, beta
