"""Flow in the unit square under a lid that starts to move: Galerkin's method for the stream function.

u = ψ_y and v = −ψ_x with ψ = s(t) Λ + φ; Λ = 16 x²(1 − x)²(y³ − y²) has the velocity of the lid, and φ is a sum of
products of Shen's (1994) combinations of Legendre polynomials, which are zero with their slopes on all walls. The
equation (Δψ)_t + u Δψ_x + v Δψ_y = ν Δ²ψ is tested with these products and integrated exactly by Gauss' rule; the
matrix of φ_t is inverted in the eigenvectors of one dimension, and DOP853 goes on in time.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

Array = np.ndarray


class Lid:
    """Polynomials up to a degree in each direction."""

    def __init__(self, degree: int, reynolds: float = 100.0) -> None:
        self.degree, self.viscosity = degree, 1 / reynolds
        s, w = legendre.leggauss(3 * degree // 2 + 4)
        self.nodes, self.weights = (1 + s) / 2, w / 2
        self.P = [self.basis(self.nodes, k) for k in range(3)]
        self.lift = [[self._lift(a, b) for b in range(3)] for a in range(3)]

    def basis(self, x: Array, order: int) -> Array:
        """Shen's functions, or a derivative, at places: a column for each."""
        k = np.arange(self.degree - 3)
        C = np.zeros((self.degree + 1, len(k)))
        C[k, k] = 1
        C[k + 2, k] = -2 * (2 * k + 5) / (2 * k + 7)
        C[k + 4, k] = (2 * k + 3) / (2 * k + 7)
        C = C / np.sqrt((4 * k + 6) * (2 * k + 3.0) ** 2)  # of size one in their second derivatives
        D = legendre.legder(C, order) * 2**order
        return np.asarray(legendre.legvander(2 * x - 1, len(D) - 1) @ D)

    def _lift(self, a: int, b: int) -> Array:
        """∂_x^a ∂_y^b Λ at the nodes."""
        return np.multiply.outer(*lift_factors(self.nodes, self.nodes, a, b))

    @cached_property
    def modes(self) -> tuple[Array, Array]:
        """Eigenvectors E and eigenvalues of ∫φ'χ' relative to ∫φχ."""
        w = self.weights[:, None]
        values, E = eigh(self.P[1].T @ (w * self.P[1]), self.P[0].T @ (w * self.P[0]))
        return E, values

    def inverse(self, R: Array) -> Array:
        """Coefficients of which ∫∇φ·∇χ are given."""
        E, values = self.modes
        return np.asarray(E @ ((E.T @ R @ E) / (values[:, None] + values)) @ E.T)

    def tested(self, F: Array, a: int, b: int) -> Array:
        """∫ F ∂_x^a ∂_y^b χ for all χ."""
        return np.asarray(self.P[a].T @ (self.weights[:, None] * F * self.weights) @ self.P[b])

    def stream(self, C: Array, s: float, a: int, b: int) -> Array:
        """∂_x^a ∂_y^b ψ at the nodes."""
        return np.asarray(self.P[a] @ C @ self.P[b].T + s * self.lift[a][b])

    def slope(self, time: float, state: Array) -> Array:
        C, (s, change) = state.reshape(self.degree - 3, -1), speed(time)
        vorticity = self.stream(C, s, 2, 0) + self.stream(C, s, 0, 2)
        u, v = self.stream(C, s, 0, 1), -self.stream(C, s, 1, 0)
        R = -self.viscosity * (self.tested(vorticity, 2, 0) + self.tested(vorticity, 0, 2))
        R -= self.tested(vorticity * u, 1, 0) + self.tested(vorticity * v, 0, 1)
        R -= change * (self.tested(self.lift[1][0], 1, 0) + self.tested(self.lift[0][1], 0, 1))
        return self.inverse(R).ravel()

    def solved(self, times: Array, tolerance: float) -> Array:
        """Coefficients at times, from rest at 0."""
        n = self.degree - 3
        found = solve_ivp(
            self.slope, (0, times[-1]), np.zeros(n * n), "DOP853", times, rtol=tolerance, atol=tolerance, max_step=0.01
        )
        return np.asarray(found.y.T.reshape(len(times), n, n))

    def velocity(self, C: Array, time: float, x: Array, y: Array) -> tuple[Array, Array]:
        """u and v at places."""

        def of(a: int, b: int) -> Any:
            lifted = np.prod(lift_factors(x, y, a, b), axis=0)
            return np.einsum("pi,ij,pj->p", self.basis(x, a), C, self.basis(y, b)) + speed(time)[0] * lifted

        return of(0, 1), -of(1, 0)


def speed(time: float) -> tuple[float, float]:
    """s = tanh²(4t), and its derivative."""
    s = np.tanh(4 * time)
    return float(s**2), float(8 * s * (1 - s**2))


def lift_factors(x: Array, y: Array, a: int, b: int) -> tuple[Array, Array]:
    """Those of ∂_x^a ∂_y^b Λ."""
    across, up = np.poly1d([16, -32, 16, 0, 0]), np.poly1d([1, -1, 0, 0])
    return np.polyval(np.polyder(across, a), x), np.polyval(np.polyder(up, b), y)
