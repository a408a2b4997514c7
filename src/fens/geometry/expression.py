"""Formulas of shapes as functions of arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import sympy as sp

from .._support.compile import lambdified


@lru_cache(maxsize=1024)
def compiled(
    expressions: tuple[sp.Expr, ...], symbols: tuple[sp.Symbol, ...]
) -> Callable[..., list[np.ndarray]]:
    """A function of as many arrays as there are symbols, that gives the values of each expression at each point."""
    raw = lambdified(symbols, list(expressions))

    def evaluate(*arrays: np.ndarray) -> list[np.ndarray]:
        with np.errstate(all="ignore"):  # what is not finite is refused where it matters
            try:
                return [_real(np.asarray(v), arrays[0].shape) for v in raw(*arrays)]
            except OverflowError:  # of Python's whole numbers, which know no infinity
                return [np.full(arrays[0].shape, np.nan) for _ in expressions]

    return evaluate


@lru_cache(maxsize=1024)
def with_gradient(level: sp.Expr, symbols: tuple[sp.Symbol, ...]) -> Callable[..., list[np.ndarray]]:
    """A function that gives the values of an expression and of its derivatives along each axis."""
    return compiled((level, *(level.diff(x) for x in symbols)), symbols)


def _real(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    real = np.where(values.imag == 0, values.real, np.nan) if np.iscomplexobj(values) else values
    own = real.astype(np.float64)
    return own if own.shape == shape else np.array(np.broadcast_to(own, shape))
