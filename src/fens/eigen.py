"""Eigenvalue problems L u = λ M u with homogeneous conditions.

Both sides are linear in u, so that with rows A w for L − σM and B w for M the map T: w → A⁺ B w takes a function to the
solution of (L − σM) v = M u with the same conditions: one factorised least squares, and a right-hand side each time.
Its largest eigenvalues 1/(λ − σ) belong to the λ nearest to the shift σ, and come out by subspace iteration.

No spurious eigenvalues: T is the solution operator of a boundary value problem, smoothing and accurate, and its large
eigenvalues are those of the problem. What is not is seen twice: the equation does not hold at other points, or a second
computation with other features does not find it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp
import torch
from torch import Tensor

from .assemble import Collocated, Placed, System, homes, linearise, place, weigh
from .choose import first_shape, scale_by_rank
from .device import device_of, to_device, to_host
from .errors import EquationError, NotConverged, SettingError, UnsupportedEquation, quoted
from .features import Family, Isotropic
from .field import ComplexField, Fields
from .fit import Case, check_size, draw_features, place_points
from .lstsq import Failed, Solvable
from .nonlinear import natural_size
from .numbers import is_whole, real_number, rms
from .problem import Condition, Equation, Problem, Unknown, newton_form
from .settings import Settings

EPS = float(np.finfo(np.float64).eps)
EXTRA = 10  # functions iterated on beyond those wanted, so that the last of these converge too
MOST_ITERATIONS = 60
SETTLED = 1e-14  # relative change of the eigenvalues
NEARLY = 1e-8  # and below which it is enough that they no longer settle
SHRINKING = 0.7  # of the change so many iterations ago, above which it is settling no more
PATIENCE = 3
REAL = 1e-9  # imaginary part beside the value, below which it is rounding
HOLDS = 1e-3  # residual of the equation beside its terms, above which an eigenvalue is spurious
CONFIRMED = 1e-3  # relative difference up to which two computations found the same eigenvalue
SAFETY = 2.0
OFF_CENTRE = 0.137  # of the natural size of an eigenvalue, by which the shift avoids round numbers


@dataclass(frozen=True)
class Mode:
    """An eigenvalue, its error estimate, and the eigenfunction of each unknown."""

    eigenvalue: Any
    estimate: float
    residual: float
    functions: dict[sp.Expr, Any]

    def __call__(self, *coordinates: Any, outside: str = "nan") -> Any:
        """The eigenfunction at the given coordinates, for a problem with one unknown."""
        if len(self.functions) > 1:
            raise SettingError("The mode has several unknowns; take one of them, as mode[u].")
        return next(iter(self.functions.values()))(*coordinates, outside=outside)

    def __getitem__(self, unknown: sp.Expr) -> Any:
        return self.functions[unknown]

    def __repr__(self) -> str:
        return f"Mode(eigenvalue {self.eigenvalue:.12g}, error about {self.estimate:.1e})"


def eigen(
    problem: Problem,
    eigenvalue: Unknown,
    *,
    count: int = 6,
    near: float = 0.0,
    features: int = 600,
    activation: str = "cos",
    scale: Any = None,
    points: Any = None,
    seed: int = 0,
    device: str = "cpu",
) -> list[Mode]:
    """The eigenvalues nearest to a number, with their functions: `λ = Unknown("λ")`, `{disc: Eq(-Δu, λ*u), …}`.

    All equations must be linear and homogeneous in the unknowns, and at most linear in the eigenvalue, which may also
    stand in boundary conditions. Multiple eigenvalues are listed as often as they have independent functions; these
    have a largest value of 1.
    """
    if not is_whole(count, 1):
        raise SettingError(f"count must be a whole positive number; got {quoted(count)}.")
    centre = real_number(near, SettingError, f"near must be a number; got {quoted(near)}.")
    if not np.isfinite(centre):
        raise SettingError(f"near must be finite; got {quoted(near)}.")
    if is_whole(features, 1) and count + EXTRA > features:
        raise SettingError(
            f"{quoted(count)} eigenvalues are found among functions of at least {EXTRA} features more; got "
            f"features={features}. Take more features, or fewer eigenvalues."
        )
    settings = Settings(features, activation, scale, points, "balanced", "uniform", None, seed, device, estimate=False)
    pencil = Pencil.of(problem, eigenvalue)
    for_first, for_second = np.random.SeedSequence(seed).spawn(2)
    second = pencil.modes(settings, int(count), centre, for_second)
    first = pencil.modes(settings, int(count), centre, for_first, second)
    least = EPS * max(1 / w**2 for w in problem.domain.half_widths)
    found = [m for mode in first if (m := _confirmed(mode, second, least)) is not None]
    if len(found) < count:
        raise NotConverged(
            f"Only {len(found)} of {count} eigenvalues near {centre:g} were confirmed by a second computation; take "
            f"more features than {features}, or fewer eigenvalues.",
            (),
        )
    return found[: int(count)]


@dataclass(frozen=True)
class Pencil:
    """The equations of an eigenvalue problem, and which of its components is the eigenvalue."""

    problem: Problem
    number: int

    @classmethod
    def of(cls, problem: Problem, eigenvalue: Unknown) -> Pencil:
        """Checks that the problem is one."""
        if not isinstance(problem, Problem):
            raise SettingError(f"eigen() takes a fens.Problem; got {type(problem).__name__}.")
        if not isinstance(eigenvalue, Unknown):
            raise SettingError(f"The eigenvalue is a fens.Unknown in the equations; got {quoted(eigenvalue)}.")
        (number,) = problem.of(eigenvalue)
        if sum(c.is_constant for c in problem.components) > 1:
            raise UnsupportedEquation("An eigenvalue problem has one unknown number, its eigenvalue.")
        pencil = cls(problem, number)
        for condition in problem.conditions:
            pencil._check(condition)
        return pencil

    def modes(
        self, settings: Settings, count: int, centre: float, seed: np.random.SeedSequence, others: Sequence[Mode] = ()
    ) -> list[Mode]:
        """Eigenvalues and functions with one draw of features, the nearest first; `others` tell how exact they are."""
        computed = Computed.of(self, settings, centre, seed)
        values, weights = computed.iterated(count, np.random.default_rng(seed.spawn(1)[0]))
        parted, weights = _parted(values, weights, [m.eigenvalue for m in others])
        order = np.argsort(np.abs(parted - centre), kind="stable")
        found = [computed.mode(parted[k], weights[k], abs(parted[k] - values[k])) for k in order]
        return [m for m in found if m.residual <= HOLDS]

    def left(self, placed: Sequence[Placed], shift: float) -> tuple[Collocated, ...]:
        """L − σM at the points."""
        return linearise([_with(p, p.condition.equation.with_numbers({self.number: shift})) for p in placed])

    def right(self, placed: Sequence[Placed]) -> tuple[Collocated, ...]:
        """M at the points."""
        return linearise([_with(p, self._by_eigenvalue(p.condition.equation)) for p in placed])

    def _by_eigenvalue(self, equation: Equation) -> Equation:
        """−∂F/∂λ, which is M u."""
        numbers = [symbol for jet, symbol in equation.jets if jet.unknown == self.number]
        derivative = -sp.Add(*(equation.residual.diff(s) for s in numbers))
        jets = tuple((jet, s) for jet, s in equation.jets if jet.unknown != self.number)
        return replace(equation, residual=derivative, jets=jets)

    def _check(self, condition: Condition) -> None:
        equation = condition.equation
        by_number = [symbol for jet, symbol in equation.jets if jet.unknown == self.number]
        functions = {symbol: 0 for jet, symbol in equation.jets if jet.unknown != self.number}
        if any(equation.residual.diff(s).has(s) for s in by_number):
            raise UnsupportedEquation(f"The equation {condition.label} is not linear in the eigenvalue.")
        if sp.simplify(equation.residual.xreplace(functions)) != 0:
            raise EquationError(
                f"The equation {condition.label} is not homogeneous: without the unknown it does not vanish. The "
                "equations of an eigenvalue problem have no sources."
            )
        if not equation.with_numbers({self.number: 1.0}).is_linear:
            raise UnsupportedEquation(f"The equation {condition.label} is not linear in the unknown.")


@dataclass(frozen=True)
class Computed:
    """A pencil at points, for features: what T needs, and what tells whether an eigenvalue is one."""

    pencil: Pencil
    features: Family
    shift: float
    solver: Solvable
    right: Tensor
    values: Tensor
    held_out: tuple[Placed, ...]

    @classmethod
    def of(cls, pencil: Pencil, settings: Settings, centre: float, seed: np.random.SeedSequence) -> Computed:
        """Features and points, and the factorised equations."""
        problem, device = pencil.problem, device_of(settings.device)
        for_features, for_points, elsewhere = seed.spawn(3)
        placed = place(problem, place_points(problem, settings, for_points), newton_form, device)
        held_out = place(problem, place_points(problem, settings, elsewhere), newton_form, device)
        check_size(placed, sum(settings.sizes(problem)), settings.bytes)
        unscaled = draw_features(problem, settings, for_features, (Isotropic(),) * len(problem.components))
        case = Case(problem, settings, placed, for_features, elsewhere)
        scales = settings.fixed_scale(problem) or scale_by_rank(case, unscaled, first_shape(case))
        features = unscaled.scaled(scales, device)
        shift = centre - OFF_CENTRE * max(1 / w**2 for w in problem.domain.half_widths)
        left = weigh(pencil.left(placed, shift), features, "balanced")
        solver = settings.solver(problem).factorise(System(left, features))
        if isinstance(solver, Failed):
            raise NotConverged("The equations of the eigenvalue problem could not be solved.", ())
        weighted = [replace(c, weight=a.weight) for c, a in zip(pencil.right(placed), left, strict=True)]
        right = torch.cat([c.block(features).matrix() for c in weighted])
        return cls(pencil, features, shift, solver, right, _values(problem, placed, features), held_out)

    def iterated(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues and the weights of their functions, by subspace iteration with Rayleigh and Ritz."""
        X = to_device(rng.standard_normal((len(self.features), count + EXTRA)), self.right.device)
        found, changes = np.zeros(count), [np.inf] * PATIENCE
        for _ in range(MOST_ITERATIONS):
            Q, R = torch.linalg.qr(self.values @ X)
            X = torch.linalg.solve_triangular(R, X, upper=True, left=False)
            Y = self.solver.weights_for(self.right @ X)
            if not torch.isfinite(Y).all():
                raise NotConverged("The equations of the eigenvalue problem could not be solved.", ())
            ritz, S = np.linalg.eig(to_host(Q.T @ (self.values @ Y)))
            order = np.argsort(-np.abs(ritz), kind="stable")[:count]
            before, found = found, self.shift + 1 / ritz[order]
            changes.append(float(np.abs(found / before - 1).max()) if before.all() else np.inf)
            X = Y
            if changes[-1] <= SETTLED or SHRINKING * changes[-1 - PATIENCE] < changes[-1] < NEARLY:
                break
        return found, (to_host(Y) @ S[:, order]).T

    def mode(self, eigenvalue: complex, weights: np.ndarray, error: float) -> Mode:
        """An eigenvalue with its function, scaled to a largest value of 1, and what is known of its error so far."""
        problem, device = self.pencil.problem, self.right.device
        values = to_host(self.values) @ weights
        weights = weights / values[np.argmax(np.abs(values))]
        if eigenvalue.imag == 0:
            eigenvalue, weights = float(eigenvalue.real), weights.real
        parts = [to_device(part, device) for part in (weights.real.copy(), weights.imag.copy())]
        real, imag = (Fields(problem, self.features, w).functions for w in parts)
        functions: dict[sp.Expr, Any] = {u: f for u, f in real.items() if not isinstance(u, Unknown)}
        if isinstance(eigenvalue, complex):
            functions = {u: ComplexField(f, imag[u]) for u, f in functions.items()}  # type: ignore[arg-type]
        return Mode(eigenvalue, error, self._residual(eigenvalue, weights), functions)

    def _residual(self, eigenvalue: complex, weights: np.ndarray) -> float:
        """The largest residual of an equation beside its terms, at points that were not used."""
        worst, half_widths = 0.0, self.pencil.problem.half_widths
        left, right = self.pencil.left(self.held_out, 0.0), self.pencil.right(self.held_out)
        for a, b in zip(left, right, strict=True):
            parts = [to_host(c.block(self.features).matrix()) @ weights for c in (a, b)]
            natural = natural_size(a, half_widths) + abs(eigenvalue) * natural_size(b, half_widths)
            whole = natural + rms(parts[0]) + abs(eigenvalue) * rms(parts[1])
            worst = max(worst, rms(parts[0] - eigenvalue * parts[1]) / whole)
        return worst


def _with(placed: Placed, equation: Equation) -> Placed:
    """Another equation at the same points."""
    return replace(placed, condition=replace(placed.condition, equation=equation), form=newton_form(equation))


def _values(problem: Problem, placed: Sequence[Placed], features: Family) -> Tensor:
    """The values of all the functions in their domains, as a matrix that acts on weights."""
    blocks = []
    for k, home in enumerate(homes(problem, placed)):
        if not problem.components[k].is_constant:
            blocks.append(features.matrix([(1.0, k, (0,) * features.dimension)], placed[home].points))
    return torch.cat(blocks)


def _parted(values: np.ndarray, weights: np.ndarray, others: Sequence[complex]) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and weights, those real that are complex by their errors only.

    Errors make of a double eigenvalue a pair of complex ones, of which the functions are conjugate: their real and
    imaginary parts are two functions of the double one.
    """
    values, weights = values.astype(complex), weights.astype(complex)
    for k in np.flatnonzero(values.imag):
        error = SAFETY * _nearest(values[k], others) if others else 0.0
        if not 0 < abs(values[k].imag) <= max(REAL * abs(values[k]), error):
            continue
        for j in np.flatnonzero(values == values[k].conjugate()):
            values[j], weights[j] = values[j].real, weights[k].imag
        values[k], weights[k] = values[k].real, weights[k].real
    return values, weights


def _nearest(value: complex, others: Sequence[complex]) -> float:
    """How far it is to the nearest of others."""
    return min((abs(value - other) for other in others), default=float("inf"))


def _confirmed(mode: Mode, others: Sequence[Mode], least: float) -> Mode | None:
    """The mode with an error estimate, if another computation finds it too."""
    nearest = _nearest(mode.eigenvalue, [o.eigenvalue for o in others])
    if nearest > CONFIRMED * abs(mode.eigenvalue) and nearest > CONFIRMED:
        return None
    return replace(mode, estimate=SAFETY * (nearest + mode.estimate + EPS * abs(mode.eigenvalue) + least))
