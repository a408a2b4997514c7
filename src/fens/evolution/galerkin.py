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
from ..problem import Problem
from .stages import Array, Linear, Slab
from .statement import Evolution


@dataclass(frozen=True)
class Galerkin:
    """For each rate of time the factors among functions that obey homogeneous conditions, `free`, and what those that
    obey others, `lift`, leave of the equations.

    Real and imaginary parts are one complex number where conditions allow that: then it is a quarter of the work. What
    equations make of conjugates is left to the iteration.
    """

    slab: Slab
    steady: bool
    home: tuple[int, ...]  # which rows are equations in the domain
    test: Tensor  # from values at places to integrals with each function
    mass: Array | None  # at places, from equations to derivatives in time: components × equations
    kept: Array  # which coefficients there are
    units: Array  # of these
    scaling: Array  # of rows on the boundary
    lift: Tensor
    free: Free
    factors: tuple[tuple[Tensor, Tensor], ...]
    couplings: tuple[Tensor, ...]
    in_pairs: bool

    @classmethod
    def of(cls, slab: Slab, equations: Sequence[Linear]) -> Galerkin | None:
        """For slabs of this length; None if the equations do not give the highest derivatives in time."""
        space, axis, (_, K, n) = slab.space, slab.space.evolution.axis, slab.shape
        domain = space.evolution.problem.domain
        home = tuple(k for k, r in enumerate(space.rows) if r.running.condition.region == domain)
        inside = [equations[k] for k in home]
        mass = _mass(inside, space.evolution, axis)
        if mass is None:
            return None
        test, kept = space.test, _kept(space.evolution, n)
        units = _units(slab)[kept]
        G = [g[kept][:, kept] * units for g in _in_order(slab, inside, mass, test)]
        B = [A[:, kept] * units for A in _boundary(slab, [e for k, e in enumerate(equations) if k not in home])]
        steady = all(e.is_steady for e in equations)
        # complex multipliers have fewer functions than what they act on, and are taken by their parts
        whole = None if space.evolution.multipliers else _in_pairs(space.evolution.problem, B)
        if in_pairs := whole is not None:
            found = [_complex(g, n) for g in G]
            most = max(float(g.abs().max()) for g, _ in found)
            steady &= all(float(other.abs().max()) <= Slabs.NOTHING * most for _, other in found)
            G = [g for g, _ in found]
        lift, free, scaling = _constrained(torch.cat(B) if whole is None else whole, len(G[0]))
        reduced = [free.across(g) + 0j for g in G]
        coupled = [free.back(g @ lift) + 0j for g in G]
        factors, couplings = [], []
        for rate in (cls._spectrum(slab, in_pairs)[0] / slab.length).tolist():
            factors.append(torch.linalg.lu_factor(_at_rate(reduced, rate)))
            pivots = factors[-1][0].diagonal().abs()
            if not float(pivots.min()) > Slabs.SINGULAR * float(pivots.max()):
                return None
            couplings.append(_at_rate(coupled, rate))
        plain = None if np.array_equal(mass, np.broadcast_to(np.eye(K), mass.shape)) else mass
        return cls(
            slab, steady, home, test, plain, to_host(kept), to_host(units), scaling, lift + 0j,
            free.complex, tuple(factors), tuple(couplings), in_pairs,
        )  # fmt: skip

    @staticmethod
    def _spectrum(slab: Slab, in_pairs: bool) -> tuple[Array, Array, Array]:
        """Of complex functions, what belongs to conjugate rates is not conjugate."""
        return slab.collocation.whole_spectrum if in_pairs else slab.collocation.spectrum

    def correction(self, F: Array) -> Array:
        """What to add to the coefficients, of residuals F: instants × rows."""
        s, K, n = self.slab.shape
        parts = np.split(F, np.cumsum([len(rows) for rows in self.slab.space.rows])[:-1], axis=1)
        inside = np.stack([parts[k] for k in self.home], axis=1)
        if self.mass is not None:
            inside = np.einsum("mke,sem->skm", self.mass, inside)
        flat = to_device(inside.reshape(s * K, -1), self.test.device)
        whole = to_host(flat @ self.test.T).reshape(s, K, n)
        tested = whole.reshape(s, -1)[:, self.kept]
        asked = [p for k, p in enumerate(parts) if k not in self.home]
        if self.in_pairs:
            tested = (whole[:, ::2] + 1j * whole[:, 1::2]).reshape(s, -1)
            asked = [p + 1j * q for p, q in zip(asked[::2], asked[1::2], strict=True)]
        _, vectors, inverse = self._spectrum(self.slab, self.in_pairs)
        sides = self.free.back(to_device((inverse @ -tested).T, self.test.device))
        asked_of_all = np.concatenate([np.zeros((s, 0)), *asked], axis=1) * self.scaling
        given = to_device((inverse @ -asked_of_all).T, self.test.device)
        own = [
            torch.linalg.lu_solve(*LU, (sides[:, k] - H @ given[:, k])[:, None])
            for k, (LU, H) in enumerate(zip(self.factors, self.couplings, strict=True))
        ]
        X = vectors @ to_host(self.lift @ given + self.free.forth(torch.cat(own, dim=1))).T
        if self.in_pairs:
            X = X.reshape(s, -1, n)
            return np.stack([X.real, X.imag], axis=2).reshape(s, K, n)
        whole = np.zeros((s, K * n))
        whole[:, self.kept] = X.real * self.units
        return whole.reshape(s, K, n)


@dataclass(frozen=True)
class Free:
    """An orthonormal basis of those coefficients for which conditions ask nothing, as reflections."""

    reflections: Tensor
    factors: Tensor

    @classmethod
    def of(cls, V: Tensor) -> Free:
        """Those orthogonal to orthonormal columns."""
        return cls(*torch.geqrf(V))

    @property
    def lost(self) -> int:
        """How many directions are not free."""
        return int(self.reflections.shape[1])

    @property
    def complex(self) -> Free:
        """The same for complex numbers."""
        return Free(self.reflections + 0j, self.factors + 0j)

    def back(self, A: Tensor) -> Tensor:
        """Z* A."""
        return torch.ormqr(self.reflections, self.factors, A, transpose=True)[self.lost :] if self.lost else A

    def forth(self, A: Tensor) -> Tensor:
        """Z A."""
        if not self.lost:
            return A
        return torch.ormqr(self.reflections, self.factors, torch.cat([A.new_zeros(self.lost, A.shape[1]), A]))

    def across(self, A: Tensor) -> Tensor:
        """Z* A Z."""
        return self.back(self.back(A).mH).mH


def _in_pairs(problem: Problem, B: Sequence[Tensor]) -> Tensor | None:
    """What conditions say of complex numbers; None if unknowns are not complex, or conditions say it of parts alone."""
    components = problem.components
    pairs = list(zip(components[::2], components[1::2], strict=False))
    if len(components) % 2 or any(a.unknown != b.unknown or not a.part for a, b in pairs) or len(B) % 2 == 0:
        return None
    found, n = [B[0][:, : B[0].shape[1] // 2] + 0j], B[0].shape[1] // len(components)
    for one, other in zip(B[1::2], B[2::2], strict=True):
        if len(one) != len(other):
            return None
        (a, minus_b), (b, d) = (A.reshape(len(A), -1, 2, n).unbind(2) for A in (one, other))
        most = Slabs.NOTHING * float(one.abs().max())
        if float((a - d).abs().max()) > most or float((minus_b + b).abs().max()) > most:
            return None
        found.append(torch.complex(a, b).reshape(len(a), -1))
    return torch.cat(found)


def _complex(g: Tensor, n: int) -> tuple[Tensor, Tensor]:
    """What a matrix between real and imaginary parts does to complex numbers, and what to conjugates."""
    pairs = g.shape[0] // (2 * n)
    (a, b), (c, d) = (row.unbind(3) for row in g.reshape(pairs, 2, n, pairs, 2, n).unbind(1))
    whole = 2 * (pairs * n,)
    return (
        torch.complex(a + d, c - b).reshape(whole) / 2,
        torch.complex(a - d, c + b).reshape(whole) / 2,
    )


def _at_rate(parts: Sequence[Tensor], rate: complex) -> Tensor:
    """Σ rate^q A_q."""
    found = parts[0].clone()
    for q, A in enumerate(parts[1:], 1):
        found.add_(A, alpha=rate**q)
    return found


def _mean(c: Array | float) -> Array | float:
    return c if isinstance(c, float) else np.asarray(c.mean(axis=0))


def _kept(evolution: Evolution, n: int) -> Tensor:
    """The numbers of the coefficients: multipliers have fewer functions than what they act on, and not the rough ones.

    With as many, some of them would act on nothing.
    """
    own = np.arange(len(evolution.orders) * n).reshape(-1, n)
    share = round(Slabs.OF_MULTIPLIERS * n)
    parts = [row[:share] if k in evolution.multipliers else row for k, row in enumerate(own)]
    return torch.as_tensor(np.concatenate(parts))


def _units(slab: Slab) -> Tensor:
    """Units of coefficients: multipliers are as large as rates of what they act on."""
    evolution, (_, K, n) = slab.space.evolution, slab.shape
    fastest = float(np.abs(slab.collocation.spectrum[0]).max()) / slab.length
    found = torch.ones((K, n), dtype=torch.float64)
    found[list(evolution.multipliers)] = fastest
    return found.ravel()


def _mass(inside: Sequence[Linear], evolution: Evolution, axis: int) -> Array | None:
    """At each place the matrix from equations to highest derivatives in time, and to what they determine without;
    None if there is none.
    """
    orders = evolution.orders
    K, m = len(orders), len(inside[0].rows)
    C = np.zeros((m, K, K))
    for k, e in (evolution.constraints or {}).items():
        C[:, e, k] = 1.0
    for e, equation in enumerate(inside):
        for jet, c in equation.operator:
            if jet.orders[axis] == orders[jet.unknown] > 0 and sum(jet.orders) == jet.orders[axis]:
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
                if np.ptp(weights):
                    tested = test @ (to_device(weights, test.device)[:, None] * matrix)
                elif weights[0]:
                    tested = weights[0] * slab.space.tested(matrix)
                else:
                    continue
                G[jet.orders[axis]][k, :, jet.unknown] += tested
    return [g.reshape(K * n, K * n) for g in G]


def _boundary(slab: Slab, equations: Sequence[Linear]) -> list[Tensor]:
    """What conditions on the boundary say of the coefficients, each; of none, a matrix without rows."""
    axis, (_, K, n) = slab.space.evolution.axis, slab.shape
    parts = [torch.zeros((0, K * n), dtype=torch.float64)]
    for equation in equations:
        A = torch.zeros((len(equation.rows), K, n), dtype=torch.float64)
        for jet, c in equation.operator:
            mean = _mean(c)
            factor = mean if isinstance(mean, float) else to_device(mean, A.device)[:, None]
            A[:, jet.unknown] += factor * equation.rows.matrix(jet, axis)
        parts.append(A.reshape(len(A), K * n))
    return parts


def _constrained(B: Tensor, columns: int) -> tuple[Tensor, Free, Array]:
    """The least coefficients for what conditions ask, a basis of those for which they ask nothing, and row factors."""
    if not len(B):
        nothing = torch.zeros((columns, 0), dtype=B.dtype)
        return nothing, Free(nothing, nothing[0]), np.zeros(0)
    norms = torch.linalg.vector_norm(B, dim=1)
    scaling = torch.where(norms > 0, 1 / norms.clamp_min(1e-300), 0.0)
    U, sizes, Vh = torch.linalg.svd(scaling[:, None] * B, full_matrices=False)
    rank = int((sizes > Slabs.TRACE * sizes[0]).sum())
    # without the damping, rounding of what is asked would be large in functions that have little on the boundary
    gains = sizes / (sizes**2 + (Slabs.LIFTED * sizes[0]) ** 2)
    lift = (Vh[:rank].mH * gains[:rank]) @ U[:, :rank].mH
    return lift, Free.of(Vh[:rank].mH.contiguous()), to_host(scaling)

