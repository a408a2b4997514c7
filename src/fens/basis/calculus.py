"""Derivatives of products and of compositions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import comb, prod

import torch
from torch import Tensor

Orders = tuple[int, ...]


def leibniz(alpha: Orders) -> Iterator[tuple[int, Orders, Orders]]:
    """∂^α(fg) = Σ times · ∂^β f · ∂^(α−β) g, as triples (times, β, α−β)."""
    for beta in product(*(range(n + 1) for n in alpha)):
        times = prod(comb(n, k) for n, k in zip(alpha, beta, strict=True))
        yield times, beta, tuple(n - k for n, k in zip(alpha, beta, strict=True))


def composition(alpha: Orders, outer: Callable[[int], Tensor], inner: Callable[[Orders], Tensor | None]) -> Tensor:
    """∂^α σ(s(x)) by Faà di Bruno, a sum over the partitions of the differentiations.

    `outer(n)` is σ⁽ⁿ⁾(s), and `inner(β)` is ∂^β s, or None where that vanishes everywhere.
    """
    variables = [axis for axis, n in enumerate(alpha) for _ in range(n)]
    total: Tensor | None = None
    for partition in partitions(list(range(len(variables)))):
        blocks = [[variables[i] for i in block] for block in partition]
        slopes = [inner(tuple(block.count(axis) for axis in range(len(alpha)))) for block in blocks]
        if all(s is not None for s in slopes):
            term = outer(len(partition)) * prod(slopes)  # type: ignore[arg-type]
            total = term if total is None else total + term
    return torch.zeros_like(outer(0)) if total is None else total


def partitions(items: Sequence[int]) -> Iterator[list[list[int]]]:
    """All ways to part a list into blocks."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for smaller in partitions(rest):
        yield [[first], *smaller]
        for k, block in enumerate(smaller):
            yield [*smaller[:k], [first, *block], *smaller[k + 1 :]]
