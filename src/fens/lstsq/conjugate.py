"""Conjugate gradients: from weights that nearly minimise ‖A w − b‖, as those of a sketch do, to ones that do.

What is minimised is ‖A P⁻¹y − r‖ with the triangle P of the sketch, for which A P⁻¹ has singular values near one, but
for those that P damps: each step leaves about a sixth of what the last one left above the least ‖A w − b‖². Directions
in which P is as small as rounding would be nothing but noise, so that P must be damped by far more than that.
"""

from __future__ import annotations

import torch
from torch import Tensor

from .._support.steering import Refinement
from .rows import Rows
from .triangle import Damped


def descended(rows: Rows, P: Damped, weights: Tensor, rhs: Tensor) -> Tensor:
    """Weights with a smaller residual; each step is one pass over the rows."""
    r, rmatvec = _residual(rows, weights, rhs)
    s = P.solve_Rt(rmatvec[:, None])[:, 0]
    p, left, nothing = s, s.square().sum(), torch.zeros_like(rhs)
    for _ in range(Refinement.MOST_STEPS):
        if not left > Refinement.LEFT * r.square().sum():  # nor if they are not finite
            break
        direction = P.solve_R(p[:, None].clone())[:, 0]
        q, change = _residual(rows, direction, nothing)  # of the other sign
        step = left / q.square().sum()
        weights, r = weights + step * direction, r + step * q
        s = s + step * P.solve_Rt(change[:, None])[:, 0]
        last, left = left, s.square().sum()
        p = s + left / last * p
    return weights


def _residual(rows: Rows, weights: Tensor, rhs: Tensor) -> tuple[Tensor, Tensor]:
    """r = b − A w and Aᵀr, in one pass."""
    residual, rmatvec, start = rhs.clone(), torch.zeros_like(weights), 0
    for A, b in rows:
        part = residual[start : start + len(b)]
        rmatvec += A.T @ part.sub_(A @ weights)
        start += len(b)
    return residual, rmatvec
