"""The matrix that solves a least squares for any right-hand side."""

from __future__ import annotations

import torch
from torch import Tensor

from .._support.numbers import EPS
from .._support.steering import Slabs


def inverse_of(A: Tensor) -> Tensor:
    """The matrix of a least squares in which each row has the same norm, damped by rounding."""
    norms = torch.linalg.vector_norm(A, dim=1)
    scaling = torch.where(norms > 0, 1 / norms.clamp_min(1e-300), 0.0)
    A = A * scaling[:, None]
    m, n = A.shape
    damping = Slabs.ROUNDING * EPS * (m / n) ** 0.5
    Q, R = torch.linalg.qr(torch.cat([A, damping * torch.eye(n, dtype=A.dtype)]))
    found: Tensor = torch.linalg.solve_triangular(R, Q[:m].mH, upper=True)
    return found * scaling
