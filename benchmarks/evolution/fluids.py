"""Flows of an incompressible fluid, as a user states them."""

from typing import Any

import numpy as np
import sympy as sp

import fens

from .cases import Stated, against_values, case, in_closed_form, periodic, plate, t, x, y

u, v, p = (sp.Function(name)(x, y, t) for name in "uvp")
GALERKIN = "Galerkin's method with polynomials of degrees 32 and 40, which agree to 1e-8"
TIMES = np.linspace(0, 1, 61)  # at which the pressure is given


def navier_stokes(viscosity: Any) -> list[sp.Eq]:
    """Momentum and continuity."""
    momentum = [
        sp.Eq(f.diff(t) + u * f.diff(x) + v * f.diff(y) + p.diff(c), viscosity * fens.laplacian(f))
        for f, c in ((u, x), (v, y))
    ]
    return [*momentum, sp.Eq(u.diff(x) + v.diff(y), 0)]


def at_all_times(place: float) -> fens.Points:
    """A point of the diagonal, where the pressure is given, which would be determined up to a function of time."""
    there = np.full(len(TIMES), place)
    return fens.Points({x: there, y: there, t: TIMES})


@case("Taylor's and Green's vortices, periodic, ν = 0.1, t ≤ 1", 60, "closed form")
def taylor_green() -> Stated:
    domain, viscosity = plate(0, 2 * sp.pi, 1), sp.Rational(1, 10)
    decay = sp.exp(-2 * viscosity * t)
    exact = {
        u: sp.sin(x) * sp.cos(y) * decay, v: -sp.cos(x) * sp.sin(y) * decay,
        p: (sp.cos(2 * x) + sp.cos(2 * y)) / 4 * decay**2,
    }  # fmt: skip
    around = {domain.pair(c): [*periodic(u, c, 2), *periodic(v, c, 2), *periodic(p, c, 1)] for c in (x, y)}
    problem = fens.Problem({
        domain: navier_stokes(viscosity), **around,
        domain.initial: [sp.Eq(f, exact[f].subs(t, 0)) for f in (u, v)],
        at_all_times(2): sp.Eq(p, exact[p].subs({x: 2, y: 2})),
    })  # fmt: skip
    return in_closed_form(problem, exact, 1e-11)


@case("flow in a cavity under a lid that starts to move, Re = 100, t ≤ 1", 300, GALERKIN)
def cavity() -> Stated:
    """The velocities are compared; the pressure is zero in the middle."""
    domain, lid = plate(0, 1, 1), 16 * x**2 * (1 - x) ** 2 * sp.tanh(4 * t) ** 2
    walls = {domain.face(c, end): 0 for c, end in ((x, 0), (x, 1), (y, 0))} | {domain.face(y, 1): lid}
    problem = fens.Problem({
        domain: navier_stokes(sp.Rational(1, 100)),
        **{wall: [sp.Eq(u, speed), sp.Eq(v, 0)] for wall, speed in walls.items()},
        domain.initial: [sp.Eq(u, 0), sp.Eq(v, 0)],
        at_all_times(0.5): sp.Eq(p, 0),
    })  # fmt: skip
    return against_values(problem, (u, v), "cavity", 1e-6)
