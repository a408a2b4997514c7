"""Frequencies that learn where a solution varies: along which directions, and in which coordinates together."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from .._support.steering import Features
from .ansatz import Ansatz
from .distribution import Distribution, Mixture, Oriented, Sparse
from .proposals import PROPOSALS, Proposal, Rough


def directions(ansatz: Ansatz, rough: Rough) -> Ansatz | None:
    """Directions in proportion to how steep the function is along them: L = C^½ with C the mean of ∇u ∇uᵀ.

    What a rough solution says of flat directions is noise of the size of its residual, which is the floor.
    """
    slopes = rough.slopes()
    steepest, d = float(np.abs(slopes).max()), slopes.shape[1]
    if d == 1 or not 0 < steepest < float("inf"):
        return None
    slopes = slopes / steepest  # so that no square over- or underflows
    values, vectors = np.linalg.eigh(slopes.T @ slopes / len(slopes))
    relative = np.maximum(values / values.max(), rough.residual**2)
    L = vectors @ np.diag(np.sqrt(relative)) @ vectors.T
    isotropic = Oriented(_rows(np.eye(d) * np.sqrt(relative.mean())))
    return _drawn_from(ansatz, Mixture(((1 - Features.SPARED, Oriented(_rows(L))), (Features.SPARED, isotropic))))


def couplings(ansatz: Ansatz, rough: Rough) -> Ansatz | None:
    """Coordinates that the function couples: pairs by mixed derivatives, and triples of such pairs.

    Of these only the largest, each with a share that grows with the number of its coordinates.
    """
    if rough.dimension <= Features.MANY:
        return None
    bends = rough.bends()
    d, largest = len(bends), bends.max()
    pairs = [p for p in combinations(range(d), 2) if bends[p] > Features.COUPLED * largest]
    triples = [t for t in combinations(range(d), 3) if all(p in pairs for p in combinations(t, 2))] if pairs else []
    subsets: list[tuple[int, ...]] = [*triples]
    for smaller in (*pairs, *((i,) for i in range(d))):
        if not any(set(smaller) <= set(s) for s in subsets):
            subsets.append(smaller)
    if len(subsets) > Features.MOST_SUBSETS:
        return None
    learnt = Sparse(tuple(subsets), tuple(3.0 ** len(s) for s in subsets))
    return _drawn_from(ansatz, Mixture(((1 - Features.SPARED, learnt), (Features.SPARED, Sparse.of_few(d)))))


def _drawn_from(ansatz: Ansatz, distribution: Distribution) -> Ansatz:
    return ansatz.with_frequencies(lambda _: distribution)


def _rows(matrix: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())


PROPOSALS.own("couplings", Proposal(couplings))
PROPOSALS.own("directions", Proposal(directions))
