"""Householder QR of [A | b], held in memory, without regularisation.

Only R is needed. Its leading block and last column give w by back substitution; its last diagonal entry is the
residual that the exact minimiser would have. The feature matrix is numerically rank-deficient on purpose, so a
truncated solve by the singular values of R is tried too where back substitution stays far above that promise.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from .result import LeastSquares
from .rows import Rows

EPS = torch.finfo(torch.float64).eps


@dataclass(frozen=True)
class Direct:
    """The solver for matrices that fit in memory: peak use is twice the matrix, and R.

    `cutoff` (relative to the largest) is where the truncated solve drops singular values; `slack` is how many
    times the promised residual back substitution may leave before the truncated solve is tried at all. No
    solve can beat the promise, so with a small slack there is nothing to win.
    """

    cutoff: float = EPS
    slack: float = 10.0

    def solve(self, rows: Rows) -> LeastSquares:
        """The minimiser for a system of at least as many rows as columns."""
        table = _table(rows)
        n = rows.shape[1]
        if not torch.isfinite(table).all():
            return _failed(table.new_zeros(n), "not finite")
        R = torch.geqrf(table)[0][: n + 1].triu()
        diagonal = R.diagonal()[:n].abs()
        if diagonal.max() == 0:
            return _failed(table.new_zeros(n), "all zero")
        promised = float(R[n, n].abs()) if len(R) > n else 0.0
        rank = int((diagonal > EPS * diagonal.max()).sum())
        weights, residual = _measured(table, _back_substitution(R, n))
        method = "triangular"
        if not residual <= self.slack * promised:  # not >, or a solution that is not finite would pass
            other, smaller = _measured(table, self._truncated(R, n))
            if not residual <= smaller:
                weights, residual, method = other, smaller, "truncated"
        return LeastSquares(weights, residual, promised, rank, method)

    def _truncated(self, R: Tensor, n: int) -> Tensor:
        U, s, Vh = torch.linalg.svd(R[:n, :n])
        keep = s > self.cutoff * s[0]
        return Vh[keep].T @ ((U.T @ R[:n, n])[keep] / s[keep])


def _table(rows: Rows) -> Tensor:
    """[A | b], column-major, filled block by block so that A exists once."""
    m, n = rows.shape
    table, start = None, 0
    for A, b in rows:
        if table is None:
            table = A.new_empty((n + 1, m)).T
        table[start : start + len(b), :n] = A
        table[start : start + len(b), n] = b
        start += len(b)
    assert table is not None and start == m
    return table


def _back_substitution(R: Tensor, n: int) -> Tensor:
    return torch.linalg.solve_triangular(R[:n, :n], R[:n, n:], upper=True)[:, 0]


def _measured(table: Tensor, weights: Tensor) -> tuple[Tensor, float]:
    residual = torch.addmv(table[:, -1], table[:, :-1], weights, beta=-1)
    return weights, float(residual.norm()) if torch.isfinite(weights).all() else float("inf")


def _failed(zeros: Tensor, status: str) -> LeastSquares:
    return LeastSquares(zeros, float("nan"), float("nan"), 0, "none", status)
