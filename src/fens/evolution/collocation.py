"""Collocation in time at Radau's points: an implicit Runge–Kutta method of high order that forgets what it should.

In a slab of time a function is a polynomial that goes on from where the last slab ended and obeys the equations at s
instants, the last of them the end of the slab. Its slopes there are D times its values, with one small matrix D. In
the basis of the eigenvectors of D, equations whose coefficients do not depend on time fall apart: one for each
eigenvalue, as if ∂/∂t were a number.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np


@dataclass(frozen=True, eq=False)
class Collocation:
    """The points and matrices of s stages, on the slab 0 < τ < 1."""

    nodes: np.ndarray

    @property
    def stages(self) -> int:
        """How many instants there are at which the equations hold."""
        return len(self.nodes)

    @cached_property
    def knots(self) -> np.ndarray:
        """The beginning of the slab and the nodes: what a polynomial is known by."""
        return np.concatenate([[0.0], self.nodes])

    @cached_property
    def _slopes(self) -> np.ndarray:
        """The matrix from values at the knots to slopes at the nodes."""
        x = self.knots
        gaps = x[:, None] - x
        np.fill_diagonal(gaps, 1.0)
        weights = 1 / gaps.prod(axis=1)
        D = weights / weights[:, None] / gaps
        np.fill_diagonal(D, 0.0)
        np.fill_diagonal(D, -D.sum(axis=1))
        return np.asarray(D[1:])

    @property
    def from_start(self) -> np.ndarray:
        """The part of the value at the beginning in the slopes at the nodes."""
        return self._slopes[:, 0]

    @property
    def D(self) -> np.ndarray:
        """The part of the values at the nodes in the slopes there."""
        return self._slopes[:, 1:]

    @cached_property
    def spectrum(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Eigenvalues λ of D in the upper half-plane or real, the eigenvectors V of all, with V⁻¹ before them.

        Of conjugate pairs one is kept: D = 2 Re Σ v λ v⁻ over these, with half of that for a real one.
        """
        values, vectors = np.linalg.eig(self.D)
        inverse = np.linalg.inv(vectors)
        kept = values.imag > -1e-12 * np.abs(values)
        real = np.abs(values.imag[kept]) <= 1e-12 * np.abs(values[kept])
        share = np.where(real, 1.0, 2.0)
        return values[kept].astype(complex), (vectors[:, kept] * share).astype(complex), inverse[kept].astype(complex)

    @cached_property
    def whole_spectrum(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All eigenvalues of D, the eigenvectors V, and V⁻¹."""
        values, vectors = np.linalg.eig(self.D)
        return values.astype(complex), vectors.astype(complex), np.linalg.inv(vectors).astype(complex)

    @cached_property
    def to_chebyshev(self) -> np.ndarray:
        """The matrix from values at the knots to coefficients of Chebyshev polynomials on the slab."""
        s = 2 * self.knots - 1
        return np.linalg.inv(np.polynomial.chebyshev.chebvander(s, len(s) - 1))

    @cached_property
    def to_end(self) -> np.ndarray:
        """Which combination of the values at the nodes alone goes on to the beginning of the slab."""
        x = self.nodes
        gaps = x[:, None] - x
        np.fill_diagonal(gaps, 1.0)
        weights = 1 / gaps.prod(axis=1) / (0.0 - x)
        return np.asarray(weights / weights.sum())

    def at(self, instants: np.ndarray) -> np.ndarray:
        """The matrix from values at the knots to values at instants, on the slab or beyond it."""
        return np.asarray(np.polynomial.chebyshev.chebvander(2 * instants - 1, self.stages) @ self.to_chebyshev)


@lru_cache(maxsize=32)
def radau(stages: int) -> Collocation:
    """Radau's points that include the end of the slab: zeros of P_s − P_(s−1), by Newton's method from Chebyshev's."""
    from scipy.special import roots_jacobi

    inner = roots_jacobi(stages - 1, 1.0, 0.0)[0] if stages > 1 else np.zeros(0)
    return Collocation(np.concatenate([(1 + np.sort(inner)) / 2, [1.0]]))
