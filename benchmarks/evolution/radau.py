"""Stiff equations by collocation at Radau's points, of high order and with 19 digits.

Stages are found by Newton's method with residuals in extended precision and matrices in double, which corrects itself.
A step is as long as leaves the last Legendre coefficients of its polynomial below the tolerance, and the polynomial
gives the values within. Made with two numbers of stages and two tolerances, which must agree.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from mpmath import mp

Array = np.ndarray
Long = np.longdouble
Slopes = Callable[[Array], Array]  # of states, a row for each
Matrices = Callable[[Array], Array]  # their derivatives by the state, a matrix for each
EPS = np.finfo(Long).eps


def long(values: Any) -> Array:
    """Numbers of mpmath, with the digits that fit."""
    return np.array([Long(mp.nstr(v, 25)) for v in values])


@cache
def method(stages: int) -> tuple[Array, Array, Array]:
    """Points, Runge–Kutta's matrix, and that which takes values at 0 and the points to Legendre coefficients."""
    with mp.workdps(60):
        shifted = mp.taylor(lambda s: mp.legendre(stages, s) - mp.legendre(stages - 1, s), 0, stages)
        roots = sorted(mp.re(r) for r in mp.polyroots(shifted[::-1], maxsteps=500, extraprec=500))
        c = [(1 + r) / 2 for r in roots]
        powers = mp.matrix([[p**k for k in range(stages)] for p in c])
        integrals = mp.matrix([[p ** (k + 1) / (k + 1) for k in range(stages)] for p in c])
        A = integrals * mp.inverse(powers)
        values = mp.matrix([[mp.legendre(k, 2 * p - 1) for k in range(stages + 1)] for p in [mp.mpf(0), *c]])
        coefficients = mp.inverse(values)
        return long(c), long(A).reshape(stages, stages), long(coefficients).reshape(stages + 1, stages + 1)


@dataclass
class Path:
    """A solution: where steps begin, how long they are, and their Legendre coefficients."""

    starts: list[Any] = field(default_factory=list)
    steps: list[Any] = field(default_factory=list)
    pieces: list[Array] = field(default_factory=list)

    def __call__(self, times: Array) -> Array:
        """Values at times, a row for each."""
        times = np.asarray(times, dtype=Long)
        which = np.clip(np.searchsorted(np.array(self.starts), times, side="right") - 1, 0, None)
        found = []
        for time, k in zip(times, which, strict=True):
            s = 2 * (time - self.starts[k]) / self.steps[k] - 1
            found.append(legendre(s, len(self.pieces[k])) @ self.pieces[k])
        return np.array(found)

    def crossings(self, component: int = 0) -> list[Any]:
        """Times at which a component changes its sign, by bisection within steps."""
        within = np.linspace(0, 1, 9, dtype=Long)[:-1]
        some = np.concatenate([h * within + a for a, h in zip(self.starts, self.steps, strict=True)])
        values, found = self(some)[:, component], []
        for (a, b), (left, right) in zip(pairwise(some), pairwise(values), strict=True):
            if left * right < 0:
                found.append(self._root(a, b, left, component))
        return found

    def _root(self, a: Any, b: Any, left: Any, component: int) -> Any:
        for _ in range(80):
            middle = (a + b) / 2
            if self(np.array([middle]))[0, component] * left > 0:
                a = middle
            else:
                b = middle
        return (a + b) / 2


def legendre(s: Any, count: int) -> Array:
    """P_0, …, P_(count − 1) at s."""
    found = [Long(1), s]
    for k in range(1, count - 1):
        found.append(((2 * k + 1) * s * found[k] - k * found[k - 1]) / Long(k + 1))
    return np.array(found[:count])


def solved(
    slopes: Slopes, matrices: Matrices, state: Any, end: float, stages: int, tolerance: float, sizes: Any, step: float
) -> Path:
    """From a state to an end; `sizes` are those below which a component is not resolved, `step` is the first one."""
    here, now, h = np.array(state, dtype=Long), Long(0), Long(step)
    path, (_, _, coefficients) = Path(), method(stages)
    while now < end:
        h = min(h, Long(end) - now)
        values = stage_values(slopes, matrices, here, h, stages, sizes)
        rest = np.inf
        if values is not None:
            whole = np.vstack([here, values])
            piece = coefficients @ whole
            size = np.maximum(np.abs(whole).max(axis=0), sizes)
            rest = float((np.abs(piece[-2:]).max(axis=0) / size).max())
        if rest <= tolerance:
            path.starts.append(now)
            path.steps.append(h)
            path.pieces.append(piece)
            here, now = values[-1], now + h
        h = h * Long(min(2.0, max(0.25, 0.9 * (tolerance / max(rest, 1e-30)) ** (1 / stages))))
    return path


def stage_values(slopes: Slopes, matrices: Matrices, here: Array, h: Any, stages: int, sizes: Any) -> Array | None:
    """Newton's method; None if it does not converge."""
    _, A, _ = method(stages)
    Y, n, last = np.tile(here, (stages, 1)), len(here), np.inf
    for _ in range(25):
        residual = Y - here - h * (A @ slopes(Y))
        J = np.array(matrices(Y.astype(float)), dtype=float)
        slopes_of_stages = float(h) * A.astype(float)[:, None, :, None] * J.transpose(1, 0, 2)[None]
        system = np.eye(stages * n) - slopes_of_stages.reshape(stages * n, stages * n)
        change = np.linalg.solve(system, residual.ravel().astype(float)).reshape(stages, n)
        Y = Y - change
        moved = float((np.abs(change) / np.maximum(np.abs(Y).max(axis=0), sizes)).max())
        if not np.isfinite(moved):
            return None
        if moved < 20 * EPS or (moved < 1e-16 and moved >= last):
            return Y
        last = moved
    return None
