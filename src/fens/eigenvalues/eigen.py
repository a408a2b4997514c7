"""Eigenvalue problems L u = λ M u with homogeneous conditions.

No spurious eigenvalues: what is not one is seen twice. The equation does not hold at other points, or a second
computation with other features does not find it, as often as the first.

The error of an eigenvalue is how far the two are apart, or what is left of the equation T u = u/(λ − σ) when a
function of the first is put into the T of the second. Two numbers may agree by chance; two functions do not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

from .._support.compile import check_bounds
from .._support.device import to_device
from .._support.numbers import EPS, is_whole, real_number
from .._support.steering import Adaptation, Assessment, Eigenvalues, Nonlinear
from ..basis import Ansatz, Plain
from ..discretise.field import ComplexField, Fields
from ..errors import NotConverged, SettingError, quoted
from ..options import OPTIONS, Settings, describe
from ..problem import Problem, Unknown
from .corners import at_corners
from .pencil import Pencil
from .spectrum import Candidate, Computed


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


@describe(
    OPTIONS,
    problem="the equations, all homogeneous, and where they hold.",
    eigenvalue="the unknown number in them that is sought.",
    count="how many eigenvalues.",
    near="the number, real or complex, that they are nearest to.",
    features="how many features, M, for each unknown, or a mapping from unknowns to numbers; by default 600, and more "
    "where functions at corners need them.",
    scale="ρ: a number, one for each coordinate, or a mapping; by default it is chosen by the rank of the features.",
)
def eigen(
    problem: Problem,
    eigenvalue: Unknown,
    *,
    count: int = 6,
    near: complex = 0.0,
    features: Any = None,
    activation: str = "cos",
    scale: Any = None,
    points: Any = None,
    seed: int = 0,
    device: str = "cpu",
) -> list[Mode]:
    """The eigenvalues nearest to a number, with their functions: `λ = Unknown("λ")`, `{disc: Eq(-Δu, λ*u), …}`.

    All equations must be linear and homogeneous in the unknowns, and at most linear in the eigenvalue, which may also
    stand in boundary conditions. Multiple eigenvalues are listed as often as they have independent functions; these
    have a largest value of 1. With a complex unknown, and near a complex number, functions and eigenvalues are complex.
    At corners where functions are not smooth there are functions of their own, and points graded towards them, unless
    `points` or `scale` are given.
    """
    if not is_whole(count, 1):
        raise SettingError(f"count must be a whole positive number; got {quoted(count)}.")
    centre = _centre(near)
    size = Eigenvalues.FEATURES if features is None else features
    settings = Settings.among({**locals(), "features": size}, estimate=False)
    pencil = Pencil.of(problem, eigenvalue)
    if count > (most := sum(settings.sizes(pencil.problem))):
        raise SettingError(f"{most} features have at most {most} eigenvalues; got count {count}. Take more features.")
    for_first, for_second = np.random.SeedSequence(seed).spawn(2)
    first = _first(pencil, settings, int(count), centre, for_first, grows=features is None)
    second = first.again(for_second)
    confirming = second.candidates()
    candidates = first.candidates([c.eigenvalue for c in confirming])
    found = list(_confirmed(candidates, confirming, first, second))[: int(count)]
    if len(found) < count:
        raise NotConverged(
            f"Only {len(found)} of {count} eigenvalues near {centre:g} were confirmed by a second computation; "
            f"take more features than {first.settings.size}, or fewer eigenvalues.",
            (),
        )
    return [_mode(first, c) for c in found]


def _first(
    pencil: Pencil, settings: Settings, count: int, centre: complex, seed: np.random.SeedSequence, grows: bool
) -> Computed:
    """A computation with plain features or, if these leave much more of the equations, with functions at corners."""

    def computed(ansaetze: tuple[Ansatz, ...], settings: Settings = settings) -> Computed:
        return Computed.of(pencil, settings, ansaetze, count, centre, seed)

    plain = computed((Plain(),) * len(pencil.problem.components))
    ours = settings.places_points and settings.scale is None
    special = at_corners(pencil) if ours else None
    if special is None or plain.left <= Adaptation.SERVES:
        return plain
    first = computed(special)
    if first.left > Adaptation.SETTLES * plain.left:
        return plain
    if grows and first.left > Adaptation.SERVES:
        try:
            more = computed(special, replace(settings, features=int(Eigenvalues.LARGER * settings.size)))
        except SettingError:  # there is no room for them
            return first
        return min(first, more, key=lambda c: c.left)
    return first


def _centre(near: Any) -> complex:
    """The number to look near to, a float if it is real."""
    message = f"near must be a finite number, real or complex; got {quoted(near)}."
    if isinstance(near, complex | np.complexfloating | sp.Expr):
        check_bounds(near, SettingError)
        try:
            number = complex(near)
        except (TypeError, ValueError, OverflowError) as cause:
            raise SettingError(message) from cause
    else:
        number = complex(real_number(near, SettingError, message))
    if not (math.isfinite(number.real) and math.isfinite(number.imag)):
        raise SettingError(message)
    return number if number.imag else number.real


def _mode(computed: Computed, found: Candidate) -> Mode:
    """An eigenvalue with its function, complex or not."""
    problem, device = computed.pencil.problem, computed.points[0].device
    real, imag = (
        Fields(problem, computed.features, to_device(part.copy(), device)).functions
        for part in (found.weights.real, found.weights.imag)
    )
    if not computed.is_complex and found.eigenvalue.imag == 0:
        return Mode(float(found.eigenvalue.real), found.error, float(found.residual), dict(real))
    functions = {u: ComplexField(f, imag[u]) for u, f in real.items()}  # type: ignore[arg-type]
    return Mode(complex(found.eigenvalue), found.error, float(found.residual), functions)


def _confirmed(
    found: Sequence[Candidate], others: Sequence[Candidate], first: Computed, second: Computed
) -> Iterator[Candidate]:
    """Those that a second computation finds as well, and as often, with their errors.

    None beyond the nearest that either of them finds alone, or not well: it may be an eigenvalue.
    """
    pairs, defects = _matched(found, others), second.defects(first.features, found)
    alone = [o for j, o in enumerate(others) if j not in pairs.values()]
    reach = min((abs(o.eigenvalue - first.centre) for o in alone), default=np.inf)
    for k, candidate in enumerate(found):
        value = candidate.eigenvalue
        apart = abs(value - others[pairs[k]].eigenvalue) if k in pairs else np.inf
        agree = apart <= Eigenvalues.CONFIRMED * max(abs(value), abs(value - first.shift))
        if not agree or candidate.residual > Nonlinear.HOLDS or abs(value - first.centre) > reach:
            return
        rounding = EPS * (abs(value) + first.operators.natural)
        error = Assessment.SAFETY * (max(apart, Eigenvalues.DEFECT * defects[k]) + candidate.error + rounding)
        yield replace(candidate, error=float(error))


def _matched(found: Sequence[Candidate], others: Sequence[Candidate]) -> dict[int, int]:
    """For each its own one of the others, those nearest to each other first."""
    apart = np.abs(np.subtract.outer([c.eigenvalue for c in found], [c.eigenvalue for c in others]))
    pairs: dict[int, int] = {}
    for k, j in zip(*np.unravel_index(np.argsort(apart, axis=None, kind="stable"), apart.shape), strict=True):
        if k not in pairs and j not in pairs.values():
            pairs[int(k)] = int(j)
    return pairs
