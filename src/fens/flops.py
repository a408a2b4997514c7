"""Arithmetic of least squares, counted as it is done, and the rate at which the machine could do it.

Each Householder factorisation of an m × n matrix counts 2mn² − 2n³/3 floating-point operations, whoever asks for it.
Nothing else counts: not the rows themselves, nor damping by reflections, refinement, trial evaluations and bookkeeping.
The count is thus below what is done, and the share of the machine's rate that it makes is what the useful part has.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

FACTORISATIONS = ("geqrf", "linalg_qr", "linalg_lstsq")


def of_factorisation(m: int, n: int) -> float:
    """2mn² − 2n³/3, with n the smaller of the two sides.

    >>> of_factorisation(6, 3)
    90.0
    """
    m, n = max(m, n), min(m, n)
    return 2.0 * m * n**2 - 2.0 * n**3 / 3


class Counted(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Within it, the factorisations of PyTorch are counted: their `number` and their `flops`."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.number = 0
        self.flops = 0.0

    def __torch_dispatch__(
        self, func: Any, types: Iterable[Any], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func.overloadpacket.__name__ in FACTORISATIONS:
            self.number += 1
            self.flops += of_factorisation(*args[0].shape[-2:])
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
