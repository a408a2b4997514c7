"""Candidates for the eigenvalues of L u = λ M u, with one draw of features.

With rows A w for L − σM and B w for M the map T: w → A⁺ B w takes a function to the solution of (L − σM) v = M u with
the same conditions: one factorised least squares, and a right-hand side each time. Its largest eigenvalues 1/(λ − σ)
belong to the λ nearest to the shift σ, and come out by subspace iteration. T is the solution operator of a boundary
value problem, smoothing and accurate, and its large eigenvalues are those of the problem; where they are not, the
equation does not hold at other points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .._support.device import device_of, to_device, to_host
from .._support.numbers import rms
from .._support.steering import Assessment, Eigenvalues
from ..basis import Ansatz, Draw, Drawn, TrialSpace
from ..discretise.weights import is_uneven
from ..errors import NotConverged, SettingError
from ..fit.discrete import DiscreteProblem, place_points
from ..fit.scale import axis_ratios, scale_by_rank
from ..lstsq import Direct, Failed, Solvable
from ..options.settings import Settings
from ..problem import Problem
from ..strategy.adapt import with_graded_points
from .pencil import Operators, Pencil

COPIES = 8  # of the matrix that there are at a time
UNSOLVED = "The equations of the eigenvalue problem could not be solved."


@dataclass(frozen=True)
class Candidate:
    """What may be an eigenvalue, with the weights of its function; `error` is what is known of its error so far.

    `condition` is how much larger its error is than that of T; `residual` is that of the equations relative to their
    terms.
    """

    eigenvalue: complex
    weights: np.ndarray
    condition: float
    residual: float
    error: float


@dataclass(frozen=True)
class Computed:
    """A pencil at points, for features: what T needs, and what tells whether an eigenvalue is one."""

    features: TrialSpace
    pencil: Pencil
    settings: Settings
    ansaetze: tuple[Ansatz, ...]
    count: int  # of the eigenvalues wanted
    centre: complex
    shift: complex
    matrix: Matrix
    weights: tuple[Tensor, ...]  # of the rows of each equation
    operators: Operators
    points: tuple[Tensor, ...]
    held_out: Operators
    seed: np.random.SeedSequence

    @classmethod
    def of(
        cls,
        pencil: Pencil,
        settings: Settings,
        ansaetze: tuple[Ansatz, ...],
        count: int,
        centre: complex,
        seed: np.random.SeedSequence,
    ) -> Computed:
        """Features of some form and points for these, and the weighted equations."""
        settings = with_graded_points(settings, ansaetze)
        problem, device = pencil.problem, device_of(settings.device)
        for_features, for_points, elsewhere, for_start = seed.spawn(4)
        samples = place_points(problem, settings, for_points)
        if (place := pencil.unseen(samples, device, seed.spawn(1)[0])) is not None:
            raise NotConverged(
                f"A known function in the equations does something at ({', '.join(f'{v:.6g}' for v in place)}) that no "
                "point is near enough to see, such as a bump or a steep change: the eigenvalues would be those of "
                "equations without it. Take more features, or points of your own, points=.",
                (),
            )
        discrete = DiscreteProblem.of(problem, settings, samples, for_features, elsewhere)
        draw = _shared(problem, discrete.drawn(ansaetze, for_features))
        scales = settings.fixed_scale(problem) or scale_by_rank(discrete, draw, axis_ratios(discrete))
        features = draw.scaled(scales, device)
        operators = pencil.at(samples, device)
        shift = centre - Eigenvalues.OFF_CENTRE * operators.natural
        _check_memory(discrete.rows, len(features), operators.is_complex or isinstance(shift, complex), settings.bytes)
        left = [L - shift * M for L, M in operators.of(features)]
        weights = _balanced(left)
        A = _realified(torch.cat([w * block for w, block in zip(weights, left, strict=True)]))
        points = tuple(to_device(samples[c.domain].points, device) for c in problem.components)
        held_out = pencil.at(place_points(problem, settings, elsewhere), device)
        return cls(
            features, pencil, settings, ansaetze, count, centre, shift, Matrix(A), weights, operators, points, held_out,
            for_start,
        )  # fmt: skip

    def again(self, seed: np.random.SeedSequence) -> Computed:
        """The same with other features, at other points."""
        return Computed.of(self.pencil, self.settings, self.ansaetze, self.count, self.centre, seed)

    @cached_property
    def left(self) -> float:
        """The largest residual of those wanted; infinite if there are fewer."""
        try:
            found = self.candidates()[: self.count]
        except NotConverged:
            return float("inf")
        return max(float(c.residual) for c in found) if len(found) == self.count else float("inf")

    @property
    def is_complex(self) -> bool:
        """Whether T is."""
        return self.operators.is_complex or isinstance(self.shift, complex)

    def candidates(self, others: Sequence[complex] = ()) -> list[Candidate]:
        """Eigenvalues for which the equations hold, or nearly, the nearest first; `others` tell how exact they are."""
        values, weights, conditions = self.iterated
        parted, weights = (values, weights) if self.is_complex else _parted(values, weights, others)
        weights = weights / _largest(to_host(values_at(self.features, self.points)) @ weights.T)[:, None]
        residuals = self._residuals(parted, weights)
        order = np.argsort(np.abs(parted - self.centre), kind="stable")
        errors = np.abs(parted - values)
        return [
            Candidate(parted[k], weights[k], conditions[k], residuals[k], errors[k])
            for k in order
            if residuals[k] <= Eigenvalues.SPURIOUS
        ]

    @cached_property
    def iterated(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Eigenvalues, the weights of their functions, and their condition numbers, by subspace iteration.

        Those wanted have settled then, or nearly; there are others besides them.
        """
        count = self.count
        X = self._start(min(count + Eigenvalues.EXTRA, len(self.features)))
        values = _like(X, values_at(self.features, self.points))
        right = _like(X, self.right(self.features))
        solver = _factorised(self.matrix, Eigenvalues.DAMPING)
        found, changes = np.zeros(count, dtype=complex), [np.inf] * Eigenvalues.PATIENCE
        for _ in range(Eigenvalues.MOST_ITERATIONS):
            X, Q = _orthonormal(X, values)
            Y = self.solved(right @ X, solver, refined=changes[-1] < Eigenvalues.ROUGHLY)
            if not (Y.numel() and torch.isfinite(Y).all()):
                raise NotConverged(UNSOLVED, ())
            ritz, S = np.linalg.eig(to_host(Q.mH @ (values @ Y)))
            order = [k for k in np.argsort(-np.abs(ritz), kind="stable") if ritz[k] != 0]
            before, found = found, self.shift + 1 / ritz[order]
            changes.append(_change(before[:count], found[:count]))
            X = Y
            earlier = changes[-1 - Eigenvalues.PATIENCE]
            no_longer = Eigenvalues.SHRINKING * earlier < changes[-1] < Eigenvalues.NEARLY
            if changes[-1] <= Eigenvalues.SETTLED or no_longer:
                break
        S = S[:, order]
        weights, conditions = (to_host(Y) @ S).T.astype(complex), np.linalg.norm(np.linalg.pinv(S), axis=1)
        found = found.astype(complex)
        if changes[-1] < Eigenvalues.NEARLY:
            found[:count], weights[:count] = self._less_damped(found[:count], weights[:count], values, right)
        return found, weights, conditions

    def _less_damped(
        self, found: np.ndarray, weights: np.ndarray, values: Tensor, right: Tensor
    ) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues and functions that have settled, by one more step among them with the least damping.

        More of it keeps functions small that solve nothing, and moves those that do: their own need none.
        """
        spanned = weights.T if self.is_complex else _spanned(found, weights)
        X, Q = _orthonormal(to_device(spanned, values.device), values)
        Y = self.solved(right @ X, _factorised(self.matrix, 1.0))
        if X.shape[1] < len(found) or not torch.isfinite(Y).all():
            return found, weights
        ritz, S = np.linalg.eig(to_host(Q.mH @ (values @ Y)))
        order = np.argsort(-np.abs(ritz), kind="stable")[: len(found)]
        if not _change(1 / np.abs(found - self.shift), np.abs(ritz[order])) < Eigenvalues.ROUGHLY:
            return found, weights  # others than these
        return self.shift + 1 / ritz[order], (to_host(Y) @ S[:, order]).T

    def _start(self, count: int) -> Tensor:
        """Random functions."""
        rng, shape = np.random.default_rng(self.seed), (len(self.features), count)
        parts = [to_device(rng.standard_normal(shape), self.points[0].device) for _ in range(1 + self.is_complex)]
        return torch.complex(*parts) if self.is_complex else parts[0]

    def right(self, features: TrialSpace) -> Tensor:
        """M u at the points, weighted, for functions of any features."""
        return torch.cat([w * M for w, (_, M) in zip(self.weights, self.operators.of(features), strict=True)])

    def solved(self, sides: Tensor, solver: Solvable, refined: bool = True) -> Tensor:
        """The weights of the functions that solve (L − σM) v = f, for several f at the points."""
        if not sides.is_complex():
            return solver.weights_for(sides, refined)
        parts = torch.cat([sides.real, sides.imag], 0 if self.is_complex else 1)
        return torch.complex(*solver.weights_for(parts, refined).tensor_split(2, 0 if self.is_complex else 1))

    def defects(self, features: TrialSpace, candidates: Sequence[Candidate]) -> np.ndarray:
        """What is left of T u = u/(λ − σ) for functions of other features, as an error of each λ.

        With the least damping, so that what more of it does to all alike is seen, too.
        """
        if not candidates:
            return np.zeros(0)
        weights = to_device(np.stack([c.weights for c in candidates], 1), self.points[0].device)
        away = np.array([c.eigenvalue for c in candidates]) - self.shift
        right, values = self.right(features), values_at(features, self.points)
        found = self.solved(_like(weights, right) @ weights, _factorised(self.matrix, 1.0))
        u = to_host(_like(weights, values) @ weights)
        v = to_host(_like(found, values_at(self.features, self.points)) @ found)
        conditions = np.array([c.condition for c in candidates])
        misses = np.linalg.norm(away * v - u, axis=0) / np.linalg.norm(u, axis=0)
        return np.asarray(conditions * np.abs(away) * misses)

    def _residuals(self, eigenvalues: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """For each the largest residual of an equation relative to its terms, at points that were not used."""
        worst = np.zeros(len(eigenvalues))
        for sides, natural in zip(self.held_out.of(self.features), self.held_out.sizes(), strict=True):
            scaling = _evened(sides[0] - self.shift * sides[1])
            left, right = (to_host(scaling * side) @ weights.T for side in sides)
            sizes = [rms(to_host(scaling)) * size for size in natural]
            for k, value in enumerate(eigenvalues):
                a, b = left[:, k], right[:, k]
                whole = sizes[0] + rms(a) + abs(value) * (sizes[1] + rms(b))
                worst[k] = max(worst[k], rms(a - value * b) / whole)
        return worst


@dataclass(frozen=True)
class Matrix:
    """A matrix as the rows of a least squares, which is solved for many right-hand sides."""

    A: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.A), self.A.shape[1]

    @property
    def rhs(self) -> Tensor:
        """Nothing yet."""
        return self.A.new_zeros(len(self.A))

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        yield self.A, self.rhs

    def blocks(self, height: int | None = None) -> Iterator[Matrix]:
        """Itself."""
        yield self

    def matvec(self, weights: Tensor) -> Tensor:
        """A w."""
        return self.A @ weights


def _balanced(blocks: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Weights, in a column, that give the rows of each block the mean norm of those of the first.

    Rows that differ by orders of magnitude, as next to corners, are each brought to the usual norm first.
    """
    norms = [_row_norms(b) for b in blocks]
    uneven = [is_uneven(n) for n in norms]
    usual = [float(n.median() if own else n.mean()) for n, own in zip(norms, uneven, strict=True)]
    factors = [usual[0] / n if usual[0] > 0 and n > 0 else 1.0 for n in usual]
    parts = zip(norms, uneven, usual, factors, strict=True)
    return tuple(f * (_towards(u, n) if own else torch.ones_like(n))[:, None] for n, own, u, f in parts)


def _evened(block: Tensor) -> Tensor:
    """Factors, in a column, for rows that differ by orders of magnitude; 1 for others."""
    norms = _row_norms(block)
    return (_towards(1.0, norms) if is_uneven(norms) else torch.ones_like(norms))[:, None]


def _towards(norm: float, norms: Tensor) -> Tensor:
    """What brings rows to a norm; rows of zeros stay as they are."""
    return torch.where(norms > 0, norm / norms, 1.0)


def _row_norms(block: Tensor) -> Tensor:
    size = float(block.abs().max()) or 1.0  # squares of very large or small entries over- or underflow
    norms: Tensor = torch.linalg.vector_norm(block / size, dim=1) * size
    return norms


def _check_memory(rows: int, features: int, is_complex: bool, memory: int) -> None:
    """Refuse matrices that are too large to be held."""
    needed = COPIES * 8 * (4 if is_complex else 1) * rows * features
    if needed > memory:
        raise SettingError(
            f"{features} features at points with {rows} rows need {needed / 2**30:.1f} GiB of memory for eigenvalues, "
            f"and {memory / 2**30:.1f} may be used; take fewer features or points."
        )


def _shared(problem: Problem, draw: Draw) -> Draw:
    """The same features for all unknowns of a domain.

    One of them may be a multiple of another, v = λu, and T takes all of what u can be to v: what features of its own
    would not take up, least squares would put somewhere else, and find eigenvalues there.
    """
    first: dict[Any, Drawn] = {}
    pairs = zip(problem.components, draw.members, strict=True)
    return replace(draw, members=tuple(first.setdefault((c.domain, len(m)), m) for c, m in pairs))


def _like(X: Tensor, A: Tensor) -> Tensor:
    """A matrix that can be multiplied with X: complex, if that is."""
    return A.type(X.dtype)


def _realified(A: Tensor) -> Tensor:
    """The same map for real and imaginary parts, if it is complex."""
    if not A.is_complex():
        return A
    return torch.cat([torch.cat([A.real, -A.imag], 1), torch.cat([A.imag, A.real], 1)])


def values_at(features: TrialSpace, points: Sequence[Tensor]) -> Tensor:
    """The values of all the functions in their domains, as a matrix that acts on weights."""
    value = (0,) * features.dimension
    return torch.cat([features.matrix([(1.0, k, value)], where) for k, where in enumerate(points)])


def _orthonormal(X: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """Weights of functions that are orthonormal at the points, and their values; no more than are independent.

    By columns from the first: in the course of an iteration these part by the sizes of their eigenvalues, and none is
    lost next to a larger one.
    """
    V = values @ X
    Q, R = torch.linalg.qr(V)
    kept = R.diagonal().abs() > Eigenvalues.INDEPENDENT * torch.linalg.vector_norm(V, dim=0)
    if not kept.all():
        return _orthonormal(X[:, kept], values)
    return torch.linalg.solve_triangular(R, X, upper=True, left=False), Q


def _factorised(matrix: Matrix, damping: float) -> Solvable:
    solver = Direct(damping).factorise(matrix)
    if isinstance(solver, Failed):
        raise NotConverged(UNSOLVED, ())
    return solver


def _change(before: np.ndarray, found: np.ndarray) -> float:
    """The largest relative change of eigenvalues; infinite if there were none."""
    if len(before) != len(found) or not before.all():
        return float("inf")
    return float(np.abs(found / before - 1).max())


def _spanned(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Real functions that span those of eigenvalues, in columns: two of a pair of conjugate ones."""
    columns = list[np.ndarray]()
    for k, (value, w) in enumerate(zip(values, weights, strict=True)):
        if value.imag == 0:
            columns.append(w.real)
        elif value.conjugate() not in values[:k]:
            columns += [w.real, w.imag]
    return np.stack(columns, axis=1)


def _largest(values: np.ndarray) -> np.ndarray:
    """The value of largest modulus in each column."""
    return np.asarray(values[np.abs(values).argmax(axis=0), np.arange(values.shape[1])])


def _parted(values: np.ndarray, weights: np.ndarray, others: Sequence[complex]) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and weights, those real that are complex by their errors only.

    Errors make of a double eigenvalue a pair of complex ones, of which the functions are conjugate: their real and
    imaginary parts are two functions of the double one.
    """
    values, weights = values.astype(complex), weights.astype(complex)
    for k in np.flatnonzero(values.imag):
        error = Assessment.SAFETY * min((abs(values[k] - other) for other in others), default=0.0)
        if not 0 < abs(values[k].imag) <= max(Eigenvalues.REAL * abs(values[k]), error):
            continue
        for j in np.flatnonzero(values == values[k].conjugate()):
            values[j], weights[j] = values[j].real, weights[k].imag
        values[k], weights[k] = values[k].real, weights[k].real
    return values, weights
