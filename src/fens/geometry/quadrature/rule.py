"""Quadrature on the unit interval and its products."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

Rule = tuple[np.ndarray, np.ndarray]  # nodes and weights
MOST_AT_ONCE = 128  # nodes of one rule, which take long to find; more are those of several side by side


@cache
def gauss(n: int) -> Rule:
    """Gauss's rule on (0, 1), or for many points several of them side by side."""
    if n > MOST_AT_ONCE:
        parts = -(-2 * n // MOST_AT_ONCE)
        rules = [gauss(n // parts + (k < n % parts)) for k in range(parts)]
        nodes = np.concatenate([(k + own) / parts for k, (own, _) in enumerate(rules)])
        return nodes, np.concatenate([own / parts for _, own in rules])
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (1 + nodes) / 2, weights / 2


@cache
def gauss_with_roots(n: int, times: int = 2) -> Rule:
    """A rule on (0, 1) for functions that at the ends behave as smooth functions of the square root, or its root.

    Gauss's rule in φ, with x = s(s(φ)) and s(φ) = sin²(πφ/2), near zero a multiple of φ⁴; s is applied so many times.
    """
    nodes, weights = gauss(n)
    for _ in range(times):
        weights = weights * np.pi / 2 * np.sin(np.pi * nodes)
        nodes = np.sin(np.pi / 2 * nodes) ** 2
    return nodes, weights


def tensor(rules: Sequence[Rule]) -> Rule:
    """The product of rules, with one column of nodes for each."""
    nodes = np.meshgrid(*(nodes for nodes, _ in rules), indexing="ij")
    weights = np.ones(1)
    for _, w in rules:
        weights = np.outer(weights, w).ravel()
    return np.stack([m.ravel() for m in nodes], axis=1), weights
