"""Numbers so large or small that their squares are not numbers any more."""

from __future__ import annotations

from torch import Tensor

MODEST = 1e-100  # numbers between this and its inverse can be squared


def largest(values: Tensor) -> float:
    """The largest absolute value; NaN if there is one."""
    # PyTorch's max and min are twenty times as fast as its aminmax; both are NaN if there is one
    # and neither is fast where rows are not next to each other
    values = values.T if values.ndim == 2 and values.stride(0) == 1 else values
    lowest, highest = float(values.min()), float(values.max())
    return max(-lowest, highest) if lowest == lowest else float("nan")


def factor_of(size: float) -> float:
    """What to divide numbers of a size by before they are squared: 1, unless the squares would over- or underflow."""
    return size if 0 < size < MODEST or 1 / MODEST < size < float("inf") else 1.0
