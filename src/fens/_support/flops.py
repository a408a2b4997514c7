"""Arithmetic of least squares, counted as it is done, and the rate at which the machine could do it.

Each Householder factorisation of an m × n matrix counts 2mn² − 2n³/3 floating-point operations, and each product of an
m × k matrix with a k × n one 2mkn, whoever asks for it: least squares are factorisations of panels of columns, and
products with what is right of them. Nothing else counts: not cosines, triangular solves and bookkeeping.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

FACTORISATIONS = ("geqrf", "linalg_qr", "linalg_lstsq")
PRODUCTS = {"mm": 0, "bmm": 0, "addmm": 1, "addmm_": 1}  # with the place of the first factor among the arguments


def of_factorisation(m: int, n: int) -> float:
    """2mn² − 2n³/3, with n the smaller of the two sides.

    >>> of_factorisation(6, 3)
    90.0
    """
    m, n = max(m, n), min(m, n)
    return 2.0 * m * n**2 - 2.0 * n**3 / 3


class Counted(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Within it, the `flops` of PyTorch's factorisations and products are counted."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.flops = 0.0

    def __torch_dispatch__(
        self, func: Any, types: Iterable[Any], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = func.overloadpacket.__name__
        if name in FACTORISATIONS:
            self.flops += of_factorisation(*args[0].shape[-2:])
        if name in PRODUCTS:
            left, right = args[PRODUCTS[name] :][:2]
            self.flops += 2.0 * left.numel() * right.shape[-1]
        return func(*args, **(kwargs or {}))


def multiply_rate(size: int = 2000, repeats: int = 5) -> float:
    """Flops per second of products of square matrices in float64: the best of several, after one to warm up."""
    A = torch.ones((size, size), dtype=torch.float64)
    best = float("inf")
    for k in range(repeats + 1):
        start = time.perf_counter()
        float((A @ A)[0, 0])  # a number: waits for a device that computes on its own
        best = min(best, time.perf_counter() - start) if k else best
    return 2.0 * size**3 / best
