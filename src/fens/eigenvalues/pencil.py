"""The equations L w = λ M w of an eigenvalue problem, as matrices.

An equation between complex values is computed as two real ones, for the real and the imaginary part of the unknown. As
an eigenvalue problem these two have each eigenvalue and its conjugate, whatever the equation has: they cannot tell i
from −i. So the two are put together again. An equation that is linear over the complex numbers has at the imaginary
part of an unknown i times the coefficients at the real part; the latter are all there is to know, and one complex
weight for each feature takes the place of two real ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

import numpy as np
import sympy as sp
import torch
from torch import Tensor

from .._support.numbers import rms
from .._support.steering import Eigenvalues
from ..basis import TrialSpace
from ..discretise import DiscreteCondition, LinearRows, discretise, linearise
from ..errors import EquationError, SettingError, UnsupportedEquation, quoted
from ..estimate.quadrature import checked
from ..estimate.scan import scans
from ..geometry import Region, Samples
from ..nonlinear import natural_size
from ..problem import Component, Condition, Equation, Jet, LinearForm, Problem, Unknown, newton_form

UNITS = (1.0, 1j)  # of the parts of an equation


@dataclass(frozen=True)
class Pencil:
    """L w = λ M w: `equations` has the conditions of each equation, one or, if it is complex, two.

    `problem` is the same with one function for each unknown, complex or not, and the first part of each equation.
    """

    equations: tuple[tuple[Condition, ...], ...]
    whole: Problem
    number: int

    @classmethod
    def of(cls, problem: Problem, eigenvalue: Unknown) -> Pencil:
        """Checks that the problem is one."""
        if not isinstance(problem, Problem):
            raise SettingError(f"eigen() takes a fens.Problem; got {type(problem).__name__}.")
        if not isinstance(eigenvalue, Unknown):
            given = quoted(eigenvalue)
            raise SettingError(f"The eigenvalue is a fens.Unknown that stands in the equations; got {given}.")
        (number,) = problem.of(eigenvalue)
        if sum(c.is_constant for c in problem.components) > 1:
            raise UnsupportedEquation("An eigenvalue problem has one unknown number, its eigenvalue.")
        for condition in problem.conditions:
            _check(condition, number)
        _check_derivatives(problem)
        parts = 2 if any(c.part for c in problem.components) else 1
        return cls(tuple(_equations(problem.conditions, parts)), problem, number)

    @property
    def is_complex(self) -> bool:
        """Whether its functions are complex whatever the eigenvalue."""
        return any(c.part for c in self.whole.components)

    @cached_property
    def problem(self) -> Problem:
        """One component for each function, which stands for the whole of it."""
        kept = [replace(c, part="") for c in self.whole.components if self._is_kept(c)]
        firsts = (replace(parts[0], equation=self._left(parts[0].equation)) for parts in self.equations)
        return Problem.of_conditions(self.whole.domains, tuple(kept), firsts)

    def at(self, samples: Mapping[Region, Samples], device: torch.device) -> Operators:
        """L and M at points; refused where an equation is not linear over the complex numbers."""
        self._check_linear_in_complex(samples, device)
        return Operators(
            tuple(map(len, self.equations)),
            self._placed(self._left, samples, device),
            self._placed(self._right, samples, device),
            self.problem.half_widths,
        )

    def sides(self, equation: Equation) -> tuple[LinearForm, LinearForm]:
        """L and M of an equation, as linear forms."""
        return newton_form(self._left(equation)), newton_form(self._right(equation))

    def _placed(
        self, side: Callable[[Equation], Equation], samples: Mapping[Region, Samples], device: torch.device
    ) -> tuple[LinearRows, ...]:
        return linearise(discretise(self._side(side), samples, newton_form, device))

    def _side(self, side: Callable[[Equation], Equation]) -> Problem:
        parts = [replace(c, equation=side(c.equation)) for equation in self.equations for c in equation]
        return Problem.of_conditions(self.problem.domains, self.problem.components, parts)

    def unseen(
        self, samples: Mapping[Region, Samples], device: torch.device, seed: np.random.SeedSequence
    ) -> tuple[float, ...] | None:
        """A place at which a coefficient does something that no point is near enough to see; None without any."""
        for side, is_relative in ((self._left, True), (self._right, False)):
            problem = self._side(side)
            placed = discretise(problem, samples, newton_form, device)
            integrals = checked(placed, problem.coordinates)
            for _, scan in scans(problem, placed, seed, integrals, is_relative):
                if places := scan.unseen():
                    return places[0]
        return None

    def _left(self, equation: Equation) -> Equation:
        """L u: the equation for the eigenvalue zero."""
        return self._reduced(equation, equation.residual.xreplace(dict.fromkeys(self._numbers(equation), sp.S.Zero)))

    def _right(self, equation: Equation) -> Equation:
        """M u = −∂F/∂λ."""
        return self._reduced(equation, -sp.Add(*(equation.residual.diff(s) for s in self._numbers(equation))))

    def _reduced(self, equation: Equation, residual: sp.Expr) -> Equation:
        """Another left-hand side, of the functions for which one component each stands."""
        numbers = dict(zip(self._kept, range(len(self._kept)), strict=True))
        jets = tuple((replace(j, unknown=numbers[j.unknown]), s) for j, s in equation.jets if j.unknown in numbers)
        others = {s: sp.S.Zero for j, s in equation.jets if j.unknown not in numbers}
        return replace(equation, residual=residual.xreplace(others), jets=jets)

    @property
    def _kept(self) -> list[int]:
        return [k for k, c in enumerate(self.whole.components) if self._is_kept(c)]

    @staticmethod
    def _is_kept(component: Component) -> bool:
        return component.part != "im" and not component.is_constant

    def _numbers(self, equation: Equation) -> list[sp.Dummy]:
        return [symbol for jet, symbol in equation.jets if jet.unknown == self.number]

    def _check_linear_in_complex(self, samples: Mapping[Region, Samples], device: torch.device) -> None:
        """That each equation at i times a function is i times that at the function."""
        if not self.is_complex:
            return
        rng = np.random.default_rng(0)
        for parts in self.equations:
            conditions = Problem.of_conditions(self.whole.domains, self.whole.components, parts)
            discretised = discretise(conditions, samples, newton_form, device)
            one, other = self._at_random(discretised, rng)
            if rms(other - 1j * one) > Eigenvalues.SAME_VALUE * rms(one):
                raise UnsupportedEquation(
                    f"The equation {parts[0].label} has a conjugate, or a real or imaginary part, of a complex "
                    "unknown: it is not linear over the complex numbers and has no eigenvalues as it stands. Write it "
                    "with two real unknowns, the real and the imaginary part."
                )

    def _at_random(
        self, discretised: Sequence[DiscreteCondition], rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """The values of an equation at random functions, and at i times these; at real functions, which vanish."""
        components, count = self.whole.components, len(discretised[0].samples)
        jets = dict.fromkeys(jet for p in discretised for jet in p.jets)
        drawn: dict[Jet, np.ndarray] = {}
        turned: dict[Jet, np.ndarray] = {}
        for jet in jets:
            component = components[jet.unknown]
            if component.is_constant:
                drawn[jet] = turned[jet] = np.full(count, 0.7)
            elif not component.part:
                drawn[jet] = turned[jet] = np.zeros(count)
            elif jet not in drawn:
                first = jet.unknown - (component.part == "im")
                re, im = (replace(jet, unknown=first + k) for k in range(2))
                drawn[re], drawn[im] = rng.standard_normal((2, count))
                turned[re], turned[im] = -drawn[im], drawn[re]
        one, other = (sum(u * p.residual(j) for u, p in zip(UNITS, discretised, strict=False)) for j in (drawn, turned))
        return np.asarray(one), np.asarray(other)


@dataclass(frozen=True)
class Operators:
    """L and M at points: the parts of each equation, of which there are one or two, follow one another."""

    parts: tuple[int, ...]
    left: tuple[LinearRows, ...]
    right: tuple[LinearRows, ...]
    half_widths: tuple[tuple[float, ...], ...]

    @property
    def is_complex(self) -> bool:
        """Whether a coefficient is."""
        return max(self.parts) > 1

    def of(self, features: TrialSpace) -> Iterator[tuple[Tensor, Tensor]]:
        """The matrices of L and M, one equation after the other."""
        for left, right in zip(self._grouped(self.left), self._grouped(self.right), strict=True):
            yield _matrix(left, features), _matrix(right, features)

    def sizes(self) -> Iterator[tuple[float, float]]:
        """The sizes of the terms of L u and M u, for functions of size 1 that vary over the domain."""
        for left, right in zip(self._grouped(self.left), self._grouped(self.right), strict=True):
            yield self._size(left), self._size(right)

    @cached_property
    def natural(self) -> float:
        """The size of an eigenvalue whose function varies over the domain: of the highest derivatives relative to M."""
        sides = zip(self._grouped(self.left), self._grouped(self.right), strict=True)
        found = [self._size(_principal(left)) / m for left, right in sides if (m := self._size(right)) > 0]
        return min((size for size in found if size > 0), default=1.0)

    def _size(self, side: Sequence[LinearRows]) -> float:
        return sum(natural_size(c, self.half_widths) for c in side)

    def _grouped(self, side: tuple[LinearRows, ...]) -> Iterator[tuple[LinearRows, ...]]:
        start = 0
        for n in self.parts:
            yield side[start : start + n]
            start += n


def _principal(side: Sequence[LinearRows]) -> list[LinearRows]:
    """An operator without the terms below its highest order."""
    highest = max((sum(jet.orders) for c in side for _, jet in c.operator), default=0)
    return [replace(c, operator=tuple(t for t in c.operator if sum(t[1].orders) == highest)) for c in side]


def _matrix(parts: Sequence[LinearRows], features: TrialSpace) -> Tensor:
    """The rows of an equation, real or complex."""
    first, *others = (c.block(features).matrix() for c in parts)
    return torch.complex(first, others[0]) if others else first


def _equations(conditions: Sequence[Condition], most: int) -> Iterator[tuple[Condition, ...]]:
    """The conditions of each equation: those of its real and of its imaginary part follow one another."""
    for _, group in groupby(conditions, key=lambda c: (c.region, c.equation.text, c.equation.functional)):
        parts = tuple(group)
        for start in range(0, len(parts), most):
            yield parts[start : start + most]


def _check_derivatives(problem: Problem) -> None:
    """Refuse equations that hold point by point, without derivatives: they have no functions but narrow peaks."""
    for domain in problem.domains:
        inside = [c.equation for c in problem.conditions if c.region == domain]
        if inside and not any(sum(jet.orders) or not e.is_pointwise for e in inside for jet, _ in e.jets):
            raise UnsupportedEquation(
                f"The equations on {domain.name} have no derivatives, and the numbers with which they hold somewhere "
                "are a continuous spectrum, without eigenfunctions; eigen() needs a differential equation."
            )


def _check(condition: Condition, number: int) -> None:
    """That an equation is linear in the eigenvalue and in the functions, and has no source."""
    equation = condition.equation
    by_number = [symbol for jet, symbol in equation.jets if jet.unknown == number]
    functions = {symbol: 0 for jet, symbol in equation.jets if jet.unknown != number}
    if any(equation.residual.diff(s).has(s) for s in by_number):
        raise UnsupportedEquation(f"The equation {condition.label} is not linear in the eigenvalue.")
    if sp.simplify(equation.residual.xreplace(functions)) != 0:
        raise EquationError(
            f"The equation {condition.label} is not homogeneous: without the unknown it does not vanish. The "
            "equations of an eigenvalue problem have no sources."
        )
    if not equation.with_numbers({number: 1.0}).is_linear:
        raise UnsupportedEquation(f"The equation {condition.label} is not linear in the unknown.")
