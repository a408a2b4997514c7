"""Star-shaped regions of the plane, by a polar formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from ..._support.compile import sympified
from ..._support.stored import stored
from ...errors import RegionError, quoted
from ..boundary.curve import Arc, Curve
from ..boundary.piece import Samples
from ..checks import check_size, checked_centre, checked_label
from ..expression import with_gradient
from ..quadrature.rule import gauss
from ..region import Facet
from .registry import Description, shape
from .shape import Shape


@stored("Polar")
@dataclass(frozen=True)
class Polar(Curve):
    """The curve r = R(θ) around a point."""

    centre: tuple[float, float]
    radius: sp.Expr
    angle: sp.Symbol
    panels = 32
    closed = True

    def radii(self, angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """R and R' at angles."""
        radius, slope = with_gradient(self.radius, (self.angle,))(angle)
        return radius, slope

    def at(self, parameter: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        turn = 2 * np.pi / self.panels
        angle = parameter * turn
        radius, slope = self.radii(angle)
        cos, sin = np.cos(angle), np.sin(angle)
        points = np.array(self.centre) + np.column_stack([radius * cos, radius * sin])
        return points, turn * np.column_stack([slope * cos - radius * sin, slope * sin + radius * cos])


@shape("star", "Star")
@dataclass(frozen=True, repr=False, init=False)
class Star(Shape):
    """All points nearer to the centre than R(θ): `Star({x: 0, y: 0}, radius=1 + cos(5*theta)/4, angle=theta)`."""

    coordinates: tuple[sp.Symbol, ...]
    centre: tuple[float, ...]
    radius: sp.Expr
    angle: sp.Symbol
    label: str

    def __init__(self, centre: Mapping[sp.Symbol, Any], radius: Any, angle: Any = None, *, name: str = "") -> None:
        coordinates, place = checked_centre("a star", centre)
        formula, theta = _formula(radius, angle)
        if len(coordinates) != 2:
            raise RegionError(f"A star has two coordinates; got {', '.join(map(str, coordinates))}.")
        for key, value in zip(
            ("coordinates", "centre", "radius", "angle", "label"),
            (coordinates, place, formula, theta, checked_label(name)),
            strict=True,
        ):
            object.__setattr__(self, key, value)
        self._check()

    file_keys = ("radius", "angle")

    @classmethod
    def from_file(cls, table: Description) -> Star:
        angle = table.symbol("angle", "theta")
        radius = table.expression("radius", [angle]) if table.is_text("radius") else table.number("radius")
        return cls(table.values("star"), radius, angle, name=table.label)

    @property
    def name(self) -> str:
        place = ", ".join(f"{c:g}" for c in self.centre)
        return self.label or f"the star r < {self.radius} around ({place})"

    @property
    def curve(self) -> Polar:
        """Its boundary."""
        return Polar(self.centre, self.radius, self.angle)  # type: ignore[arg-type]

    @cached_property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        lower, upper = Arc.whole(self.curve).bounds
        return tuple(zip(lower.tolist(), upper.tolist(), strict=True))

    @property
    def edges(self) -> tuple[Facet, ...]:
        return (Facet(Arc.whole(self.curve), self.label or "star", "", bool(self.label)),)

    def signed_distance(self, points: np.ndarray) -> np.ndarray:
        away = points - np.array(self.centre)
        radius, slope = self.curve.radii(np.mod(np.arctan2(away[:, 1], away[:, 0]), 2 * np.pi))
        signed_distance: np.ndarray = (np.hypot(away[:, 0], away[:, 1]) - radius) / np.hypot(1, slope / radius)
        return signed_distance

    def rule(self, n: int) -> tuple[Samples, np.ndarray]:
        """Gauss's rule along rays, equal steps around; the radius may need more of these than a circle would."""
        around = 8 * n
        nodes, weights = gauss(n)
        angle = 2 * np.pi * np.arange(around) / around
        radius = self.curve.radii(angle)[0]
        points = [np.outer(radius * direction(angle), nodes).ravel() for direction in (np.cos, np.sin)]
        factors = np.outer(radius**2 * 2 * np.pi / around, nodes * weights).ravel()
        return Samples(np.array(self.centre) + np.column_stack(points)), factors

    def _check(self) -> None:
        angle = np.linspace(0, 2 * np.pi, 4097)
        radius, slope = self.curve.radii(angle)
        if not (np.isfinite(radius).all() and np.isfinite(slope).all() and radius.min() > 0):
            where = angle[np.argmax(~(radius > 0) | ~np.isfinite(slope))]
            raise RegionError(f"The radius of a star must be positive, finite and smooth; {quoted(self.radius)} is not "
                              f"at {self.angle} = {where:.4g}.")
        farthest = float(radius.max())
        check_size(self.coordinates, [(c - farthest, c + farthest) for c in self.centre])
        if abs(radius[0] - radius[-1]) > 1e-9 * radius.max() or abs(slope[0] - slope[-1]) > 1e-6 * radius.max():
            raise RegionError(
                f"The radius of a star must have the period 2π; {self.radius} goes from {radius[0]:.6g} to "
                f"{radius[-1]:.6g}."
            )


def _formula(radius: Any, angle: Any) -> tuple[sp.Expr, sp.Symbol]:
    message = f"The radius of a star is a formula in its angle only; got {quoted(radius)}"
    formula = sympified(radius, RegionError, f"{message}.")
    free = sorted(formula.free_symbols, key=str) if isinstance(formula, sp.Expr) else []
    theta = angle if angle is not None else (free[0] if free else sp.Symbol("theta"))
    if not isinstance(formula, sp.Expr) or not isinstance(theta, sp.Symbol) or set(free) - {theta}:
        raise RegionError(f"{message} with angle {quoted(theta)}.")
    return formula, theta
