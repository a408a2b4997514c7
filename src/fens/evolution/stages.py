"""The equations of a slab at its instants, linear near a function, and corrections from them.

Unknown are the coefficients X of the functions of space at each instant of the slab. Where the equations depend little
on time, coefficients are averaged over the slab: then one small least squares for each eigenvalue of the matrix of
time serves for all slabs of this length (`Frozen`). Where there are few unknowns all of them are solved for at once
(`Exact`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import sympy as sp
import torch
from torch import Tensor

from .._support.device import to_device, to_host
from .._support.steering import Slabs
from ..errors import EvaluationError
from ..problem import Jet, LinearForm, Normal, Opposite, newton_form
from .collocation import Collocation
from .inverse import inverse_of
from .space import Rows, Space

Array = np.ndarray
Jets = dict[Jet, Array]  # of a condition: instants × places


@dataclass(frozen=True)
class State:
    """Where a slab begins: the coefficients of each component and of those derivatives in time that go on."""

    values: tuple[Array, ...]  # for each component: derivatives × functions

    @cached_property
    def sizes(self) -> Array:
        """The norm of each component, which is its root mean square."""
        return np.array([np.linalg.norm(v[0]) if len(v) else 0.0 for v in self.values])

    def shaken(self, size: float, rng: np.random.Generator) -> State:
        """The same with each coefficient off by such a part of it, up or down: what rounding may make of it."""
        return State(tuple(v * (1 + size * rng.choice([-1.0, 1.0], v.shape)) for v in self.values))


@dataclass(frozen=True)
class Slab:
    """A slab of time: the space, the instants, and where it begins."""

    space: Space
    collocation: Collocation
    start: float
    length: float
    state: State

    @property
    def instants(self) -> Array:
        """When the equations hold."""
        return self.start + self.length * self.collocation.nodes

    @property
    def shape(self) -> tuple[int, int, int]:
        """Instants, components, functions of space."""
        return self.collocation.stages, len(self.space.evolution.orders), len(self.space)

    def in_time(self, X: Array) -> list[list[Array]]:
        """The coefficients of each component and of its derivatives in time, at the instants."""
        D, first = self.collocation.D / self.length, self.collocation.from_start / self.length
        found = []
        for k, order in enumerate(self.space.evolution.orders):
            own = [X[:, k]]
            for q in range(order):
                own.append(np.outer(first, self.state.values[k][q]) + D @ own[q])
            found.append(own)
        return found

    def at_end(self, X: Array) -> State:
        """The state at the end."""
        return State(tuple(v * self.space.filter for v in self.at(X, 1.0).values))

    def at(self, X: Array, share: float) -> State:
        """The state when such a share of the slab has passed."""
        there, parts = self.collocation.at(np.array([share]))[0], []
        if share == 1.0:  # the last of the instants, to the last bit
            there = np.eye(1, len(there), len(there) - 1)[0]
        for own, known in zip(self.in_time(X), self.state.values, strict=True):
            knots = [np.concatenate([first[None], V]) for first, V in zip(known, own, strict=False)]
            parts.append(np.array([there @ k for k in knots]).reshape(known.shape))
        return State(tuple(parts))

    def resting(self) -> Array:
        """The values at the beginning at all instants."""
        s, K, n = self.shape
        X = np.zeros((s, K, n))
        for k, values in enumerate(self.state.values):
            if len(values):
                X[:, k] = values[0]
        return X

    def knots(self, X: Array) -> Array:
        """The coefficients at the beginning, too: of what has no value there, those that go on to it."""
        first = np.stack([
            v[0] if len(v) else self.collocation.to_end @ X[:, k] for k, v in enumerate(self.state.values)
        ])
        return np.concatenate([first[None], X])

    def jets(self, wanted: Sequence[tuple[Rows, Sequence[Jet]]], X: Array) -> list[Jets]:
        """Derivatives at the places of conditions and the instants: one product for all that one matrix gives."""
        axis, own = self.space.evolution.axis, self.in_time(X)
        columns: dict[int, tuple[Tensor, dict[tuple[int, int], Array]]] = {}
        for rows, jets in wanted:
            for jet in jets:
                matrix, k, q = rows.matrix(jet, axis), jet.unknown, jet.orders[axis]
                columns.setdefault(id(matrix), (matrix, {}))[1][k, q] = own[k][q]
        found = {}
        for key, (matrix, parts) in columns.items():
            together = to_host(matrix @ to_device(np.concatenate(list(parts.values())).T, matrix.device)).T
            found[key] = dict(zip(parts, np.split(together, len(parts)), strict=True))
        return [
            {jet: found[id(rows.matrix(jet, axis))][jet.unknown, jet.orders[axis]] for jet in jets}
            for rows, jets in wanted
        ]

    def jets_of_conditions(self, X: Array) -> list[Jets]:
        """Those that each condition needs."""
        return self.jets([(r, [jet for jet, _ in r.running.condition.equation.jets]) for r in self.space.rows], X)


def form_of(rows: Rows) -> LinearForm:
    """The equation of a condition near a function."""
    return newton_form(rows.running.condition.equation)


def known(slab: Slab, rows: Rows, instants: Array) -> dict[sp.Symbol, Array]:
    """What an equation knows besides the unknowns, at its places and at instants, one after another."""
    evolution, (s, m) = slab.space.evolution, (len(instants), len(rows))
    space = [x for x in evolution.problem.coordinates if x != evolution.time]
    values: dict[sp.Symbol, Array] = {x: np.tile(rows.samples.points[:, i], s) for i, x in enumerate(space)}
    values[evolution.time] = np.repeat(instants, m)
    for symbol in rows.running.condition.equation.residual.free_symbols:
        if isinstance(symbol, Normal | Opposite):
            table = rows.samples.normals if isinstance(symbol, Normal) else rows.samples.opposite
            timeless = symbol.coordinate == evolution.time or table is None
            column = np.zeros(m) if timeless else table[:, space.index(symbol.coordinate)]  # type: ignore[index]
            values[symbol] = np.repeat(instants, m) if (
                isinstance(symbol, Opposite) and symbol.coordinate == evolution.time) else np.tile(column, s)
    return values


def evaluated(slab: Slab, rows: Rows, jets: Jets, instants: Array) -> dict[sp.Symbol, Array]:
    """The same with the unknowns."""
    values = known(slab, rows, instants)
    for jet, symbol in rows.running.condition.equation.jets:
        values[symbol] = jets[jet].ravel()
    return values


def residuals(slab: Slab, X: Array) -> list[Array]:
    """F of each condition: instants × places."""
    found = []
    for rows, jets in zip(slab.space.rows, slab.jets_of_conditions(X), strict=True):
        values = evaluated(slab, rows, jets, slab.instants)
        F = -form_of(rows).source(values, slab.collocation.stages * len(rows))
        found.append(F.reshape(slab.collocation.stages, len(rows)))
    return found


@dataclass(frozen=True)
class Linear:
    """The coefficients of an equation near a function: instants × places, or one number."""

    rows: Rows
    operator: tuple[tuple[Jet, Array | float], ...]

    @property
    def is_steady(self) -> bool:
        """Whether they do not depend on time."""
        return all(isinstance(c, float) or np.ptp(c, axis=0).max(initial=0.0) == 0 for _, c in self.operator)


def linearised(slab: Slab, X: Array) -> list[Linear]:
    """The equations near a function."""
    found = []
    for rows, jets in zip(slab.space.rows, slab.jets_of_conditions(X), strict=True):
        values, count = evaluated(slab, rows, jets, slab.instants), slab.collocation.stages * len(rows)
        operator = []
        for jet, formula in form_of(rows).coefficients:
            array = formula(values, count)
            if not np.isfinite(array).all():
                raise EvaluationError(f"A coefficient of {rows.running.condition.label} is not finite.")
            same = formula.is_constant
            operator.append((jet, float(array[0]) if same else array.reshape(slab.collocation.stages, len(rows))))
        found.append(Linear(rows, tuple(operator)))
    return found


@dataclass(frozen=True)
class Frozen:
    """Corrections with coefficients averaged over a slab: for each eigenvalue of time a pseudo-inverse in space."""

    slab: Slab
    equations: tuple[tuple[Rows, tuple[tuple[Jet, Array | float], ...]], ...]  # with averages as coefficients
    inverses: tuple[Tensor, ...]
    steady: bool

    @classmethod
    def of(cls, slab: Slab, equations: Sequence[Linear]) -> Frozen:
        """For slabs of this length."""
        axis, (_, K, n) = slab.space.evolution.axis, slab.shape
        averaged = tuple(
            (e.rows, tuple((jet, c if isinstance(c, float) else c.mean(axis=0)) for jet, c in e.operator))
            for e in equations
        )
        inverses = []
        for rate in slab.collocation.spectrum[0] / slab.length:
            parts = []
            for rows, operator in averaged:
                A = torch.zeros((len(rows), K, n), dtype=torch.complex128)
                for jet, c in operator:
                    mean = c if isinstance(c, float) else to_device(c, A.device)[:, None]
                    A[:, jet.unknown] += mean * complex(rate) ** jet.orders[axis] * rows.matrix(jet, axis)
                parts.append(A.reshape(len(rows), K * n))
            inverses.append(inverse_of(torch.cat([without_rounding(A) for A in slab.space.projected(parts)])))
        return cls(slab, averaged, tuple(inverses), all(e.is_steady for e in equations))

    def correction(self, F: Array) -> Array:
        """What to add to the coefficients, of residuals F: instants × rows."""
        _, vectors, inverse = self.slab.collocation.spectrum
        parts = np.split(F, np.cumsum([len(rows) for rows in self.slab.space.rows])[:-1], axis=1)
        device = self.slab.space.B.device
        projected = torch.cat(self.slab.space.projected([to_device(p.T, device) for p in parts]))
        sides = inverse @ -to_host(projected).T
        found = torch.stack([P @ to_device(b, P.device) for P, b in zip(self.inverses, sides, strict=True)])
        return np.asarray((vectors @ to_host(found)).real).reshape(self.slab.shape)

    def carried(self, values: tuple[Array, ...]) -> tuple[Array, ...]:
        """A state at the end of the slab, without sources and with averages as coefficients."""
        slab = replace(self.slab, state=State(values))
        X, wanted = slab.resting(), [(rows, [jet for jet, _ in operator]) for rows, operator in self.equations]
        for _ in range(2):
            F = [
                sum(c * jets[jet] for jet, c in operator)
                for (_, operator), jets in zip(self.equations, slab.jets(wanted, X), strict=True)
            ]
            X = X + self.correction(np.concatenate(F, axis=1))
        return slab.at_end(X).values


def without_rounding(A: Tensor) -> Tensor:
    """A matrix without the rows in which there is nothing but rounding, as of a mean that an equation leaves open."""
    norms = torch.linalg.vector_norm(A, dim=1)
    return torch.where((norms > Slabs.NOTHING * norms.max())[:, None], A, 0.0)


@dataclass(frozen=True)
class Exact:
    """Corrections of all unknowns of a slab at once, with coefficients as they are at each instant."""

    shape: tuple[int, int, int]
    inverse: Tensor

    steady = False

    @classmethod
    def of(cls, slab: Slab, equations: Sequence[Linear]) -> Exact:
        """For one slab near one function."""
        axis, (s, K, n) = slab.space.evolution.axis, slab.shape
        powers = [np.eye(s)]
        D = slab.collocation.D / slab.length
        for _ in range(max(slab.space.evolution.orders)):
            powers.append(D @ powers[-1])
        parts = []
        for e in equations:
            A = np.zeros((s, len(e.rows), s, K, n))
            for jet, c in e.operator:
                here = np.broadcast_to(c, (s, len(e.rows)))
                matrix = to_host(e.rows.matrix(jet, axis))
                A[:, :, :, jet.unknown] += np.einsum(
                    "li,lk,ij->likj", here, powers[jet.orders[axis]], matrix, optimize=True
                )
            parts.append(A)
        A = np.concatenate(parts, axis=1)
        return cls((s, K, n), inverse_of(to_device(A.reshape(A.shape[0] * A.shape[1], s * K * n), slab.space.B.device)))

    def correction(self, F: Array) -> Array:
        """What to add to the coefficients, of residuals F: instants × rows."""
        s, K, n = self.shape
        return to_host(self.inverse @ to_device(-F.ravel(), self.inverse.device)).reshape(s, K, n)
