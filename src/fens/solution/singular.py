"""The leading singular terms of a solution at a corner: c r^λ cos(λθ − φ), with θ from the first side.

The functions of a solution are redundant, and their weights mean nothing by themselves. So the solution is projected
on functions of the angle, on circles about the corner, and what is left, a function of the distance, is fitted by the
power that is sought and those that may accompany it: whole ones for what is smooth.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import sympy as sp

from .._support.steering import CornerTerms
from ..basis import Corner, place_of
from ..errors import SettingError
from ..geometry import Domain, Piece, parameter
from ..geometry.quadrature.rule import gauss
from ..problem import Equation, Normal, Problem, newton_form, nonsmooth_where_zero

WHOLE = 1e-9  # how far exponents are from whole numbers, if they are none
ALONG = 1e-4  # of a side: how far to go along it to see where it leads
ALIKE = 1e-2  # radians: directions that are the same, for sides that may be curved
STRAIGHT = 1e-9  # radians by which the normals of a straight side differ


@dataclass(frozen=True)
class SingularTerm:
    """coefficient · r^exponent · cos(exponent · θ − phase), and the error of the coefficient."""

    exponent: float
    coefficient: Any
    error: float
    phase: float

    @property
    def angular(self) -> str:
        """How it depends on the angle."""
        return f"{'sin' if self.phase else 'cos'} {self.exponent:.6g}θ"


@dataclass(frozen=True, repr=False)
class SingularTerms(Sequence[SingularTerm]):
    """The leading terms at a corner, by exponent. θ is counted from the first side, counter-clockwise.

    Exponents that are whole numbers are left out: such terms are no singularities.
    """

    corner: Corner
    terms: tuple[SingularTerm, ...]
    mark: str = ""

    def __len__(self) -> int:
        return len(self.terms)

    def __getitem__(self, which: Any) -> Any:
        """One of the terms, or several."""
        return self.terms[which]

    def __iter__(self) -> Iterator[SingularTerm]:
        return iter(self.terms)

    @property
    def _title(self) -> str:
        c = self.corner
        where, doubt = ", ".join(f"{v:g}" for v in c.place), f" — {self.mark.upper()}" if self.mark else ""
        first, opening = math.degrees(c.first_side) % 360, math.degrees(c.opening)
        return f"Singular terms at ({where}), opening {opening:.6g}°, θ from the side at {first:.6g}°{doubt}"

    @property
    def _rows(self) -> list[tuple[str, str, str]]:
        return [(f"r^{t.exponent:.6g} {t.angular}", f"{t.coefficient:.12g}", f"{t.error:.1e}") for t in self.terms]

    def __repr__(self) -> str:
        rows = [f"{function:<28} {value:>20} ± {error}" for function, value, error in self._rows]
        return "\n  ".join([self._title, *(rows or ["none: all exponents are whole numbers"])])

    def _repr_html_(self) -> str:
        head = "<tr><th>function</th><th>coefficient</th><th>error</th></tr>"
        rows = "".join(f"<tr>{''.join(f'<td>{escape(v)}</td>' for v in row)}</tr>" for row in self._rows)
        return f"<p>{escape(self._title)}</p><table>{head}{rows}</table>"


@dataclass(frozen=True)
class Setting:
    """What is known of the terms at a corner: the exponents of its sides' conditions, the phase of the functions of the
    angle, and whether there are other terms besides.

    `coupled` says that lower terms, variable coefficients or curved sides make further terms of each, and `driven` that
    there are sources or data, which make terms with whole exponents.
    """

    corner: Corner
    alike: bool
    phase: float
    coupled: bool
    driven: bool

    def own(self, below: float) -> list[float]:
        """Exponents of the corner: multiples of π/ω if both sides have conditions of the same kind, odd multiples of
        half of that if not.
        """
        step = np.pi / self.corner.opening
        return [e for k in range(int(below / step) + 1) if (e := step * (k + (1.0 if self.alike else 0.5))) < below]

    def wanted(self, count: int) -> list[float]:
        """The first exponents that are not whole."""
        return [e for e in self.own(CornerTerms.HIGHEST) if not _is_whole(e)][:count]

    def others(self, exponent: float, count: int) -> list[float]:
        """The lowest exponents that may accompany one of the corner's, where the angle does not tell them apart."""
        found = set(map(float, range(count))) if self.driven else set[float]()
        if self.coupled:
            found |= {round(e + m, 9) for e in self.own(CornerTerms.HIGHEST) for m in range(1, count + 1)}
        return [e for e in sorted(found) if abs(e - exponent) > WHOLE][:count]

    def has_logarithm(self, exponent: float) -> bool:
        """Whether another term of the corner makes one with this exponent."""
        return self.coupled and any(e < exponent - WHOLE and _is_whole(exponent - e) for e in self.own(exponent))


def singular_terms(
    problem: Problem, unknown: sp.Expr, function: Any, corner: Corner, estimate: float, mark: str, count: int
) -> SingularTerms:
    """The first terms of a computed function at a corner; `estimate` is how wrong that may be."""
    if len(problem.coordinates) != 2:
        raise _refused(corner, "they change with time, and only those of problems in the plane are computed")
    setting = _setting(problem, problem.of(unknown), function.domain, corner)
    wanted, near = setting.wanted(count), function.near(corner)
    found: list[list[tuple[Any, float]]] = [[] for _ in wanted]
    for k in range(CornerTerms.FITS):
        radius = CornerTerms.LARGEST * CornerTerms.SMALLER**k * corner.near
        if (r := _radii(corner, radius, function.domain)) is not None:
            projected = _projected(near, setting, r, wanted)
            for fits, exponent, values in zip(found, wanted, projected, strict=True):
                fits += _fits(setting, exponent, r, values, estimate)
    if wanted and not found[0]:
        raise _refused(corner, "there is no sector of a circle around it inside the domain")
    best = (min(fits, key=lambda pair: pair[1]) for fits in found)
    pairs = zip(wanted, best, strict=True)
    terms = tuple(SingularTerm(e, float(value), float(error), setting.phase) for e, (value, error) in pairs)
    return SingularTerms(corner, terms, mark)


def _setting(problem: Problem, components: Sequence[int], domain: Domain, corner: Corner) -> Setting:
    kinds = {tuple(_kind(problem, k, corner, side) for side in (1.0, -1.0)) for k in components}
    if len(kinds) > 1:
        raise _refused(corner, "its real and imaginary part have conditions of different kinds")
    (first, last), = kinds
    for k in components:
        _check_principal(problem, k, domain, corner)
    around = [e for side in (1.0, -1.0) for e, _, _ in _conditions_at(problem, corner, side)]
    inside = [c.equation for c in problem.conditions if c.region == domain]
    mixed = any(len({sum(jet.orders) for jet, _ in e.jets}) > 1 for e in around)  # Robin's conditions
    coupled = not corner.alone or mixed or not _is_straight(problem, corner)
    driven = not all(map(_has_no_source, (*inside, *around)))
    return Setting(corner, first == last, 0.0 if first == 1 else np.pi / 2, coupled, driven)


def _radii(corner: Corner, radius: float, domain: Domain) -> np.ndarray | None:
    """Distances up to a radius, ever denser towards the corner; None if there the domain is no sector."""
    r: np.ndarray = radius * ((np.arange(CornerTerms.CIRCLES) + 1) / CornerTerms.CIRCLES) ** CornerTerms.DENSER
    theta = corner.first_side + corner.opening * np.linspace(0.02, 0.98, CornerTerms.ANGLES)
    rim = np.array(corner.place) + radius * np.stack([np.cos(theta), np.sin(theta)], axis=1)
    return r if domain.contains(rim).all() else None


def _projected(near: Any, setting: Setting, r: np.ndarray, wanted: list[float]) -> list[np.ndarray]:
    """(2/ω) ∫ u cos(λθ − φ) dθ on circles, for each λ: of all functions of the angle, these are orthogonal."""
    corner = setting.corner
    nodes, weights = gauss(CornerTerms.ANGLES)
    theta = corner.opening * nodes
    angle = np.tile(corner.first_side + theta, len(r))
    offsets = np.repeat(r, len(theta))[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    values = near.at(offsets).reshape(len(r), len(theta))
    return [values @ (2 * weights * np.cos(e * theta - setting.phase)) for e in wanted]


def _fits(
    setting: Setting, exponent: float, r: np.ndarray, values: np.ndarray, estimate: float
) -> list[tuple[Any, float]]:
    """The coefficient of r^λ among more and more others, each with its error, of which a part is what the next fits
    differ by.
    """
    counts = range(1, CornerTerms.OTHERS + 1) if setting.driven or setting.coupled else (0,)
    found = [_fit(setting, exponent, count, r, values, estimate) for count in counts]
    if len(found) == 1:
        return found
    # without a higher power than the one that is sought, this would stand for all that are higher
    enough = [max(setting.others(exponent, count)) > exponent for count in counts]
    return [
        (value, error + max(abs(value - other) for other, _ in found[k + 1 : k + 3]) if enough[k] else math.inf)
        for k, (value, error) in enumerate(found[:-2])
    ]


def _fit(
    setting: Setting, exponent: float, count: int, r: np.ndarray, values: np.ndarray, estimate: float
) -> tuple[Any, float]:
    """The coefficient of r^λ among others and its error: that of the solution, as the fit amplifies it, what the fit
    leaves, and what it cannot tell apart.
    """
    scaled = r / r[-1]
    A = scaled[:, None] ** np.array([exponent, *setting.others(exponent, count)])
    if setting.has_logarithm(exponent):
        A = np.column_stack([A, scaled**exponent * np.log(r)])
    inverse = np.linalg.pinv(A, rcond=CornerTerms.RCOND)
    weights = inverse @ values
    left = float(np.abs(values - A @ weights).max())
    rounding = np.finfo(float).eps * float(np.abs(values).max())
    noise = float(np.abs(inverse[0]).sum()) * (4 / np.pi * estimate + CornerTerms.LEFT * left + rounding)
    mixed = inverse[0] @ A - np.eye(A.shape[1])[0]  # of other terms, if the fit is of lower rank than it has terms
    error = noise + float(np.abs(mixed).sum() * np.abs(weights).max())
    return weights[0].item() * r[-1] ** -exponent, error * r[-1] ** -exponent


def _is_whole(number: float) -> bool:
    return abs(number - round(number)) < WHOLE


def _refused(corner: Corner, why: str) -> SettingError:
    where = ", ".join(f"{v:g}" for v in corner.place)
    return SettingError(f"The singular terms at ({where}) are not known: {why}.")


def _check_principal(problem: Problem, k: int, domain: Domain, corner: Corner) -> None:
    """Refuse equations whose terms of highest order are not a multiple of the Laplacian of one unknown each."""
    at = dict(zip(domain.coordinates, corner.place, strict=True))
    inside = [newton_form(c.equation) for c in problem.conditions if c.region == domain and c.equation.is_pointwise]
    for form in inside:
        order = max(sum(jet.orders) for jet, _ in form.coefficients)
        highest = {jet: f.expression.subs(at) for jet, f in form.coefficients if sum(jet.orders) == order}
        by_orders = {jet.orders: c for jet, c in highest.items()}
        laplacian = set(by_orders) == {(2, 0), (0, 2)} and sp.simplify(by_orders[2, 0] - by_orders[0, 2]) == 0
        if len({jet.unknown for jet in highest}) > 1 or not laplacian:
            raise _refused(corner, "its equations must begin with a multiple of the Laplacian, of one unknown each")
    if sum(any(jet.unknown == k and sum(jet.orders) == 2 for jet, _ in f.coefficients) for f in inside) != 1:
        raise _refused(corner, "there must be one equation for the unknown in the domain")


def _has_no_source(equation: Equation) -> bool:
    return bool(equation.residual.xreplace({symbol: sp.S.Zero for _, symbol in equation.jets}) == 0)


def _kind(problem: Problem, k: int, corner: Corner, side: float) -> int:
    """The order of the condition on an unknown on the first side of a corner, 1, or on its last one, −1: 0 if values
    are given, and 1 for fluxes.
    """
    for equation, _, normal in _conditions_at(problem, corner, side):
        order = max(sum(jet.orders) for jet, _ in equation.jets)
        about = {jet.unknown for jet, _ in equation.jets if sum(jet.orders) == order}
        if k in about:
            if any(nonsmooth_where_zero(f.expression) for _, f in newton_form(equation).coefficients):
                raise _refused(corner, f"the condition {equation.text} switches; give each on a part of its own")
            if order > 1 or about != {k} or (order and not _is_flux(equation, normal, problem, corner)):
                raise _refused(corner, f"the condition {equation.text} gives neither values nor a flux")
            return order
    raise _refused(corner, "one of its sides has no condition on the unknown by itself")


def _is_flux(equation: Equation, normal: np.ndarray, problem: Problem, corner: Corner) -> bool:
    """Whether the derivative in a condition is along the normal."""
    at: dict[Any, float] = dict(zip(problem.coordinates, corner.place, strict=True))
    for symbol in equation.residual.free_symbols:
        if isinstance(symbol, Normal):
            at[symbol] = float(normal[problem.coordinates.index(symbol.coordinate)])
    slope = [sp.S.Zero, sp.S.Zero]
    for jet, f in newton_form(equation).coefficients:
        if sum(jet.orders) == 1:
            slope[jet.orders.index(1)] = f.expression.subs(at)
    across = sp.simplify(slope[0] * float(normal[1]) - slope[1] * float(normal[0]))
    return bool(across.is_number and abs(across) <= WHOLE)


def _conditions_at(problem: Problem, corner: Corner, side: float) -> Iterator[tuple[Equation, Piece, np.ndarray]]:
    """The equations on a side of a corner, each with its curve and the outward normal."""
    expected = corner.direction - side * corner.opening / 2
    for c in problem.conditions:
        if c.region.domain is None or c.region == c.region.domain or not c.equation.is_pointwise:
            continue
        for piece in c.region.patches:
            for along, normal in _directions(piece, corner):
                turn = 1.0 if along[1] * normal[0] - along[0] * normal[1] > 0 else -1.0
                off = (math.atan2(along[1], along[0]) - expected + np.pi) % (2 * np.pi) - np.pi
                if turn == side and abs(off) < ALIKE:
                    yield c.equation, piece, normal


def _directions(piece: Piece, corner: Corner) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Where a curve leads from a corner, and its outward normal there; nothing if it does not touch the corner."""
    at = parameter(piece, np.array(corner.place), WHOLE * corner.reach) if len(piece.ends) == 1 else None
    if at is None:
        return
    for step in (ALONG, -ALONG):
        if 0 <= at + step <= 1:
            here = piece.place(np.array([[at], [at + step]]))
            if here.normals is not None and len(here) == 2:
                yield here.points[1] - here.points[0], here.normals[0]


def _is_straight(problem: Problem, corner: Corner) -> bool:
    """Whether both sides of a corner are."""
    pieces = [piece for side in (1.0, -1.0) for _, piece, _ in _conditions_at(problem, corner, side)]
    normals = [piece.place(np.array([[0.1], [0.5], [0.9]])).normals for piece in pieces]
    return all(n is not None and bool(np.abs(n - n[0]).max() < STRAIGHT) for n in normals)


def corner_at(corners: Sequence[Corner], given: Any) -> Corner:
    """The one of some corners that is at a place; of those of a crack, which has two where it starts, the one given."""
    if given in corners:
        return given  # type: ignore[no-any-return]
    place = place_of(given)
    here = [c for c in corners if len(place) == 2 and math.dist(c.place, place) <= WHOLE * c.reach]
    where = ", ".join(f"{v:g}" for v in place)
    if not here:
        known = "; ".join(dict.fromkeys(", ".join(f"{v:g}" for v in c.place) for c in corners)) or "none"
        raise SettingError(
            f"The solution has no functions of a corner at ({where}), which are made where it is not smooth and points "
            f"are not given; it has them at: {known}."
        )
    if len(here) > 1:
        raise SettingError(f"There are {len(here)} corners at ({where}); take one of those in solution.corners.")
    return here[0]
