"""Eigenvalues of polygons by the method of particular solutions (Betcke and Trefethen, 2005).

Sums of J_λ(√μ r) sin λθ at the singular corners satisfy −Δu = μu, and vanish on the two sides of their own corner. At
an eigenvalue some sum vanishes on all sides without vanishing inside: the smallest singular value of the boundary part
of an orthonormal basis goes to zero, and as many do as there are independent eigenfunctions.
"""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import jv

from .points import corners_of, inside

Array = np.ndarray


class Particular:
    """Particular solutions at some corners of a polygon."""

    def __init__(self, vertices: Sequence[tuple[float, float]], singular: Sequence[int], terms: int) -> None:
        corners = corners_of(vertices)
        z = np.array(vertices, dtype=float) @ np.array([1, 1j])
        s = (1 - np.cos(np.pi * (np.arange(60) + 0.5) / 60)) / 2
        boundary = (z[:, None] + (np.roll(z, -1) - z)[:, None] * s).ravel()
        places = np.concatenate([boundary, inside(vertices, 120) @ np.array([1, 1j])])
        self.on_boundary = len(boundary)
        self.distances, self.sines, self.orders = [], [], []
        for k in singular:
            x, y, first, last = corners[k]
            offset = (places - complex(x, y)) * np.exp(-0.5j * (first + last))
            orders = np.pi / (last - first) * np.arange(1, terms + 1)
            self.distances.append(np.abs(offset))
            self.sines.append(np.sin((np.angle(offset) + (last - first) / 2)[:, None] * orders))
            self.orders.append(orders)

    def singular_values(self, eigenvalue: float) -> Array:
        """The two smallest of the boundary part."""
        parts = [
            jv(o, np.sqrt(eigenvalue) * r[:, None]) * s
            for o, r, s in zip(self.orders, self.distances, self.sines, strict=True)
        ]
        A = np.concatenate(parts, axis=1)
        norms = np.linalg.norm(A, axis=0)
        U, kept, _ = np.linalg.svd(A[:, norms > 0] / norms[norms > 0], full_matrices=False)
        Q = U[:, kept > 1e-14 * kept[0]]
        return np.linalg.svd(Q[: self.on_boundary], compute_uv=False)[-2:]

    def near(self, guess: float, width: float) -> tuple[float, int]:
        """The eigenvalue near a guess, and whether one or two functions belong to it."""
        least = minimize_scalar(
            lambda m: self.singular_values(m)[-1], bounds=(guess - width, guess + width), method="bounded",
            options={"xatol": 1e-9 * guess},
        )  # fmt: skip
        centre, step = float(least.x), 1e-5 * guess
        for _ in range(2):  # the middle of a parabola is off by the square of its width, which two widths tell
            centre = (4 * self._middle(centre, step) - self._middle(centre, 2 * step)) / 3
        return centre, int(np.sum(self.singular_values(centre) < 1e-4))

    def _middle(self, centre: float, step: float) -> float:
        """Of the parabola through squares of the smallest singular value, which goes down to zero like a V."""
        low, middle, high = (float(self.singular_values(centre + d)[-1]) ** 2 for d in (-step, 0, step))
        return centre - step / 2 * (high - low) / (high + low - 2 * middle)
