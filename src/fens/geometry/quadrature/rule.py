"""Quadrature on the unit interval and its products."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache

import numpy as np

Rule = tuple[np.ndarray, np.ndarray]  # nodes and weights
Vertices = frozenset[tuple[int, int]]  # some of those of the unit square
TIP = 2  # in place of the second coordinate of a vertex: all of an end of the square, which is one point elsewhere
DENSER = 8  # power with which points get denser towards a vertex
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


@cache
def cell_rule(n: int, singular: Vertices) -> Rule:
    """A rule on the unit square for functions that are powers of the distance near some vertices, besides roots along
    the first coordinate.
    """
    if not singular:
        return tensor([gauss_with_roots(n), gauss(n)])
    rules = []
    for i, j in itertools.product((0, 1), repeat=2):
        if (i, TIP) in singular:
            unit, weights = tensor([towards(n), gauss(n)])
        else:
            unit, weights = _from_vertex(n) if (i, j) in singular else tensor([gauss_with_roots(n), gauss(n)])
        rules.append((np.array([i, j]) + (1 - 2 * np.array([i, j])) * unit / 2, weights / 4))
    return np.concatenate([u for u, _ in rules]), np.concatenate([w for _, w in rules])


def towards(n: int) -> Rule:
    """A rule on (0, 1) that is denser towards 0."""
    nodes, weights = gauss(n)
    return nodes**DENSER, DENSER * nodes ** (DENSER - 1) * weights


def _from_vertex(n: int) -> Rule:
    """A rule on the unit square in two triangles, each in coordinates in which the origin is an edge (Duffy's)."""
    unit, weights = tensor([towards(n), gauss(n)])
    far, across = unit[:, 0], unit[:, 0] * unit[:, 1]
    both = np.concatenate([np.stack([far, across], axis=1), np.stack([across, far], axis=1)])
    return both, np.tile(weights * far, 2)


def tensor(rules: Sequence[Rule]) -> Rule:
    """The product of rules, with one column of nodes for each."""
    nodes = np.meshgrid(*(nodes for nodes, _ in rules), indexing="ij")
    weights = np.ones(1)
    for _, w in rules:
        weights = np.outer(weights, w).ravel()
    return np.stack([m.ravel() for m in nodes], axis=1), weights
