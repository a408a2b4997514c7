"""Threads that do not get in each other's way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def torch_alone() -> Iterator[None]:
    """Large products are torch's: those of NumPy run on one thread meanwhile.

    The threads of NumPy's BLAS go on spinning for a while after each product, and torch's would wait for them: of many
    small products in turn each would take several times as long.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        yield
