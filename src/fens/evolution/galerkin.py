"""Corrections by Galerkin's method: equations tested with functions that obey the conditions on the boundary.

Least squares at points, good as they are for one slab, let the roughest functions of waves grow from slab to slab.
With the residual orthogonal to those functions that the solution is sought among, energy stays energy: what is
symmetric is so to rounding. What the conditions ask is solved first; then a small square system for each rate of time,
of the functions that are left, is all that remains, so that this is faster, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .._support.device import to_device, to_host
from .._support.steering import Slabs
from .stages import Array, Linear, Slab


@dataclass(frozen=True)
class Galerkin:
    """For each rate of time the inverse among functions `Z` that obey homogeneous conditions, and what those that obey
    others, `lift`, leave of the equations.
    """

    slab: Slab
    steady: bool
    home: tuple[int, ...]  # which rows are equations in the domain
    test: Tensor  # from values at places to integrals with each function
    mass: Array | None  # at places, from equations to derivatives in time: components × equations
    scaling: Array  # of rows on the boundary
    lift: Tensor
    Z: Tensor
    inverses: tuple[Tensor, ...]
    couplings: tuple[Tensor, ...]

    @classmethod
    def of(cls, slab: Slab, equations: Sequence[Linear]) -> Galerkin | None:
        """For slabs of this length; None if the equations do not give the highest derivatives in time."""
        space, axis, (_, K, n) = slab.space, slab.space.evolution.axis, slab.shape
        domain = space.evolution.problem.domain
        home = tuple(k for k, r in enumerate(space.rows) if r.running.condition.region == domain)
        inside = [equations[k] for k in home]
        mass = _mass(inside, space.evolution.orders, axis)
        if mass is None:
            return None
        test = space.test
        G = _in_order(slab, inside, mass, test)
        B = _boundary(slab, [e for k, e in enumerate(equations) if k not in home])
        lift, Z, scaling = _constrained(B, K * n)
        reduced = [Z.T @ g @ Z for g in G]
        coupled = [Z.T @ (g @ lift) for g in G]
        inverses, couplings = [], []
        for rate in (slab.collocation.spectrum[0] / slab.length).tolist():
            inverses.append(torch.linalg.inv(sum(rate**q * g for q, g in enumerate(reduced))))
            couplings.append(sum(rate**q * c for q, c in enumerate(coupled)))
        plain = None if np.array_equal(mass, np.broadcast_to(np.eye(K), mass.shape)) else mass
        steady = all(e.is_steady for e in equations)
        return cls(slab, steady, home, test, plain, scaling, lift, Z, tuple(inverses), tuple(couplings))

    def correction(self, F: Array) -> Array:
        """What to add to the coefficients, of residuals F: instants × rows."""
        s = self.slab.shape[0]
        parts = np.split(F, np.cumsum([len(rows) for rows in self.slab.space.rows])[:-1], axis=1)
        inside = np.stack([parts[k] for k in self.home], axis=1)
        if self.mass is not None:
            inside = np.einsum("mke,sem->skm", self.mass, inside)
        device, (_, vectors, inverse) = self.test.device, self.slab.collocation.spectrum
        tested = (to_device(inside, device) @ self.test.T).reshape(s, -1) @ self.Z
        at_boundary = [p for k, p in enumerate(parts) if k not in self.home]
        asked = np.concatenate([np.zeros((s, 0)), *at_boundary], axis=1) * self.scaling
        sides, bounds = inverse @ -to_host(tested), inverse @ -asked
        found = []
        for P, H, y, b in zip(self.inverses, self.couplings, sides, bounds, strict=True):
            given = to_device(b, device)
            own = P @ (to_device(y, device) - H @ given)
            found.append(_product(self.lift, given) + _product(self.Z, own))
        return np.asarray((vectors @ to_host(torch.stack(found))).real).reshape(self.slab.shape)


def _product(A: Tensor, x: Tensor) -> Tensor:
    return torch.complex(A @ x.real, A @ x.imag)


def _mean(c: Array | float) -> Array | float:
    return c if isinstance(c, float) else np.asarray(c.mean(axis=0))


def _mass(inside: Sequence[Linear], orders: Sequence[int], axis: int) -> Array | None:
    """At each place the matrix from equations to highest derivatives in time; None if there is none."""
    K, m = len(orders), len(inside[0].rows)
    C = np.zeros((m, K, K))
    for e, equation in enumerate(inside):
        for jet, c in equation.operator:
            if jet.orders[axis] == orders[jet.unknown] and sum(jet.orders) == jet.orders[axis]:
                C[:, e, jet.unknown] += _mean(c)
    sizes = np.abs(C).max(axis=(1, 2))
    if not sizes.min() > Slabs.DEGENERATES * sizes.max() or np.linalg.cond(C).max() > 1 / Slabs.DEGENERATES:
        return None
    return np.linalg.inv(C)


def _in_order(slab: Slab, inside: Sequence[Linear], mass: Array, test: Tensor) -> list[Tensor]:
    """The tested equations, a matrix for each order of derivatives in time: highest ones given by each."""
    axis, (_, K, n) = slab.space.evolution.axis, slab.shape
    G = [torch.zeros((K, n, K, n), dtype=torch.float64) for _ in range(1 + max(slab.space.evolution.orders))]
    for e, equation in enumerate(inside):
        for jet, c in equation.operator:
            matrix, mean = equation.rows.matrix(jet, axis), _mean(c)
            for k in range(K):
                weights = mass[:, k, e] * mean
                if np.any(weights):
                    G[jet.orders[axis]][k, :, jet.unknown] += test @ (to_device(weights, test.device)[:, None] * matrix)
    return [g.reshape(K * n, K * n) for g in G]


def _boundary(slab: Slab, equations: Sequence[Linear]) -> Tensor:
    """What conditions on the boundary say of the coefficients."""
    axis, (_, K, n) = slab.space.evolution.axis, slab.shape
    parts = [torch.zeros((0, K * n), dtype=torch.float64)]
    for equation in equations:
        A = torch.zeros((len(equation.rows), K, n), dtype=torch.float64)
        for jet, c in equation.operator:
            mean = _mean(c)
            factor = mean if isinstance(mean, float) else to_device(mean, A.device)[:, None]
            A[:, jet.unknown] += factor * equation.rows.matrix(jet, axis)
        parts.append(A.reshape(len(A), K * n))
    return torch.cat(parts)


def _constrained(B: Tensor, columns: int) -> tuple[Tensor, Tensor, Array]:
    """The least coefficients for what conditions ask, a basis of those for which they ask nothing, and row factors."""
    if not len(B):
        return torch.zeros((columns, 0), dtype=torch.float64), torch.eye(columns, dtype=torch.float64), np.zeros(0)
    norms = torch.linalg.vector_norm(B, dim=1)
    scaling = torch.where(norms > 0, 1 / norms.clamp_min(1e-300), 0.0)
    U, sizes, Vh = torch.linalg.svd(scaling[:, None] * B, full_matrices=True)
    rank = int((sizes > Slabs.TRACE * sizes[0]).sum())
    # without the damping, rounding of what is asked would be large in functions that have little on the boundary
    gains = sizes / (sizes**2 + (Slabs.LIFTED * sizes[0]) ** 2)
    lift = Vh[:rank].T * gains[:rank] @ U[:, :rank].T
    return lift, Vh[rank:].T.contiguous(), to_host(scaling)

