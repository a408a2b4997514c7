"""A w with less rounding."""

from __future__ import annotations

from torch import Tensor

COLUMNS = 64


def matmul(A: Tensor, w: Tensor) -> Tensor:
    """A w, for one w or for each column of several, summed over groups of columns first.

    BLAS adds the columns of a column-major matrix one after another; with thousands of them that rounding is
    what limits a solution evaluated at round-off. Two levels of √n terms each halve it, at no cost.
    """
    if w.ndim == 1:
        return matmul(A, w[:, None])[:, 0]
    m, n, k = *A.shape, w.shape[1]
    groups = n // COLUMNS
    whole = groups * COLUMNS
    # as (columns, rows), so that the result is column-major, too: with few columns PyTorch is ten times as slow else
    total = w.T[:, whole:] @ A.T[whole:]
    if groups:
        parts = w[:whole].reshape(groups, COLUMNS, k).transpose(1, 2) @ A.T[:whole].reshape(groups, COLUMNS, m)
        total += parts.sum(0)
    return total.T
