"""Where a function varies: points with weights gathered into a few spots, Gaussians that cover them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._support.steering import SpotFit
from ..basis import Spot


@dataclass(frozen=True)
class Mixture:
    """Gaussians along the axes: parts of the whole, centres and variances, one in a row."""

    parts: np.ndarray
    centres: np.ndarray
    variances: np.ndarray

    def fitted(self, points: np.ndarray, weights: np.ndarray, floor: np.ndarray) -> Mixture:
        """After one step of expectation and maximisation."""
        z2 = (points[:, None, :] - self.centres) ** 2 / self.variances
        log = np.log(self.parts) - 0.5 * (z2 + np.log(self.variances)).sum(axis=2)
        share = np.exp(log - log.max(axis=1, keepdims=True))
        share *= (weights / share.sum(axis=1))[:, None]
        mass = share.sum(axis=0)
        share, mass = share[:, mass > SpotFit.LEAST_WEIGHT], mass[mass > SpotFit.LEAST_WEIGHT]
        centres = share.T @ points / mass[:, None]
        squares = share.T @ points**2 / mass[:, None]
        return Mixture(mass, centres, np.maximum(squares - centres**2, floor))

    def joined(self) -> Mixture | None:
        """The two that are closest to each other made one; None if none are close."""
        gaps = (self.centres[:, None] - self.centres) ** 2 / (self.variances[:, None] + self.variances)
        distance = gaps.sum(axis=2) + np.diag(np.full(len(self.parts), np.inf))
        if not distance.min() < SpotFit.APART:
            return None
        pair = np.array(np.unravel_index(distance.argmin(), distance.shape))
        p = self.parts[pair] / self.parts[pair].sum()
        centre = p @ self.centres[pair]
        variance = p @ (self.variances[pair] + self.centres[pair] ** 2) - centre**2
        return Mixture(
            np.append(np.delete(self.parts, pair), self.parts[pair].sum()),
            np.vstack([np.delete(self.centres, pair, axis=0), centre]),
            np.vstack([np.delete(self.variances, pair, axis=0), variance]),
        )


def find_spots(points: np.ndarray, weights: np.ndarray, start: np.ndarray, width: np.ndarray) -> tuple[Spot, ...]:
    """Spots that cover the weight at points, at most as many as there are centres to start from."""
    weights = weights / weights.sum()
    unit = np.ptp(points, axis=0)
    floor = (2 * unit / len(points) ** (1 / len(unit))) ** 2  # nothing narrower can be seen between the points
    seen = weights > 0
    points, weights = points[seen], weights[seen]
    found = Mixture(np.full(len(start), 1 / len(start)), start, np.tile(width**2, (len(start), 1)))
    while True:
        for _ in range(SpotFit.STEPS):
            found = found.fitted(points, weights, floor)
        if (fewer := found.joined()) is None:
            pairs = zip(found.centres.tolist(), np.sqrt(found.variances).tolist(), strict=True)
            return tuple(Spot(tuple(centre), tuple(width)) for centre, width in pairs)
        found = fewer
