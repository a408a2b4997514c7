"""The iteration within a slab: corrections until nothing is left to correct, or it is plain that this leads nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .._support.steering import Slabs
from ..errors import EvaluationError
from .galerkin import Galerkin
from .stages import Array, Exact, Frozen, Slab, linearised, residuals
from .waves import Waves, serves

Corrector = Frozen | Exact | Galerkin | Waves


@dataclass(frozen=True)
class Corrected:
    """What came of it: coefficients, whether they satisfy the equations, and what corrected them last."""

    X: Array
    solved: bool
    corrector: Corrector | None
    steps: int
    why: str = ""


@dataclass
class Mixture:
    """Anderson's acceleration: of the last corrections the combination that leaves least, as GMRES would."""

    scale: Array
    points: list[Array] = field(default_factory=list)
    steps: list[Array] = field(default_factory=list)

    def next(self, X: Array, step: Array) -> Array:
        """Where to go from here."""
        self.points.append(X)
        self.steps.append(step)
        del self.points[:-Slabs.HISTORY], self.steps[:-Slabs.HISTORY]
        if len(self.steps) < 2:
            return np.asarray(X + step)
        weighted = [(s / self.scale[:, None]).ravel() for s in self.steps]
        changes = np.stack([weighted[-1] - w for w in weighted[:-1]], axis=1)
        shares = np.linalg.lstsq(changes, weighted[-1], rcond=1e-12)[0]
        back = sum(
            share * ((X - p) + (step - s)) for share, p, s in zip(shares, self.points, self.steps, strict=False)
        )
        return np.asarray(X + step - back)


def corrected(slab: Slab, X: Array, sizes: Array, corrector: Corrector | None, goal: float) -> Corrected:
    """The solution in a slab, from a first guess; `sizes` are those of the components so far."""
    s, K, n = slab.shape
    few = s * K * n <= Slabs.EXACT and slab.space.quadrature is None
    exact = few and not slab.space.evolution.is_steady
    mixture, last, age = Mixture(scale_of(X, sizes)), float("inf"), 0
    least, since, lengths = float("inf"), 0, list[float]()
    for k in range(1, Slabs.STEPS + 1):
        try:
            F = np.concatenate(residuals(slab, X), axis=1)
            if corrector is None:
                corrector, age = _linearised(slab, X, exact), 0
                mixture = Mixture(scale_of(X, sizes))
        except (EvaluationError, np.linalg.LinAlgError) as error:
            return Corrected(X, False, corrector, k, str(error))
        if not np.isfinite(F).all():
            return Corrected(X, False, corrector, k, "the equations have no value where the iteration went")
        with np.errstate(over="ignore", invalid="ignore"):
            step = corrector.correction(F)
            length = float((np.linalg.norm(step, axis=2).max(axis=0) / scale_of(X + step, sizes)).max())
        if not np.isfinite(length) or length > 1e6:
            return Corrected(X, False, corrector, k, "corrections grow without bound")
        if length <= Slabs.SETTLED * goal:
            return Corrected(X + step, True, corrector, k)
        least, since = (length, 0) if length < 0.5 * least else (least, since + 1)
        if is_rounding(least, since, goal):
            return Corrected(X + step, True, corrector, k)
        lengths.append(length)
        direct = exact or corrector.steady
        X = X + step if direct else mixture.next(X, step)
        age += 1
        if exact and length > 0.02 * last:
            corrector = None
        elif not exact and not corrector.steady and (is_stale(lengths[-1 - age :], goal) or (length > 30 and age > 1)):
            if since > Slabs.STALE:
                return Corrected(X, False, corrector, k, "corrections no longer become smaller")
            corrector = None
        last = length
    return Corrected(X, False, corrector, Slabs.STEPS, "the iteration does not end")


def is_stale(lengths: Sequence[float], goal: float) -> bool:
    """Whether corrections by the same factors, of these sizes, would go on for long."""
    age = len(lengths) - 1
    if age < Slabs.STALE:
        return False
    rate = (lengths[-1] / lengths[0]) ** (1 / age)
    return rate >= 1 or bool(np.log(Slabs.SETTLED * goal / lengths[-1]) / np.log(rate) > Slabs.STALE)


def is_rounding(least: float, since: int, goal: float) -> bool:
    """Whether corrections, of which the least was so many steps ago, have come to where they only are rounding.

    Where space does not resolve a solution, what is left of the equations makes that larger.
    """
    return (since >= Slabs.RESTS and least <= 30 * goal) or (since >= 2 * Slabs.RESTS and least <= Slabs.RESTLESS)


def scale_of(X: Array, sizes: Sequence[float] | Array) -> Array:
    """The size of each component: the largest so far; one that vanishes has that of the rounding of others."""
    here = np.maximum(np.linalg.norm(X, axis=2).max(axis=0), sizes)
    return np.asarray(np.maximum(here, max(1e-10 * float(here.max()), 1e-280)))


def _linearised(slab: Slab, X: Array, exact: bool) -> Corrector:
    equations = linearised(slab, X)
    if exact:
        return Exact.of(slab, equations)
    if slab.space.quadrature is not None and (found := Galerkin.of(slab, equations)) is not None:
        return found
    return Waves.of(slab, equations) if serves(slab, equations) else Frozen.of(slab, equations)
