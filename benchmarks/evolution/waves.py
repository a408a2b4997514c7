"""Waves, solitons and patterns in one and two dimensions, as a user states them."""

from typing import Any

import numpy as np
import sympy as sp

import fens

from .cases import Stated, against_values, case, in_closed_form, periodic, plate, rod, t, x, y
from .solitons import END, crossing_formula

u, v = (sp.Function(name)(x, t) for name in "uv")
w = fens.complex_unknown("w")(x, t)
FOURIER = "Fourier series and ETDRK4 at two resolutions, which agree to {}"


def repeated(start: Any, stop: Any, end: Any, equation: Any, initial: Any, order: int) -> fens.Problem:
    """A periodic problem for u."""
    domain = rod(start, stop, end)
    return fens.Problem({
        domain: equation, domain.pair(x): periodic(u, x, order), domain.initial: sp.Eq(u, initial),
    })  # fmt: skip


@case("u_tt = u_xx, two modes, t ≤ 50", 10, "closed form")
def wave() -> Stated:
    exact = sp.sin(sp.pi * x) * sp.cos(sp.pi * t) + sp.sin(4 * sp.pi * x) * sp.cos(4 * sp.pi * t) / 2
    domain = rod(0, 1, 50)
    problem = fens.Problem({
        domain: sp.Eq(u.diff(t, 2), u.diff(x, 2)), domain.sides: sp.Eq(u, 0),
        domain.initial: [sp.Eq(u, exact.subs(t, 0)), sp.Eq(u.diff(t), 0)],
    })  # fmt: skip
    return in_closed_form(problem, {u: exact}, 1e-11)


@case("u_tt = u_xx + 2u_yy on the unit square, t ≤ 100", 180, "closed form")
def wave_2d() -> Stated:
    z, domain = sp.Function("u")(x, y, t), plate(0, 1, 100)
    exact = sp.sin(sp.pi * x) * sp.sin(sp.pi * y) * sp.cos(sp.sqrt(3) * sp.pi * t)
    problem = fens.Problem({
        domain: sp.Eq(z.diff(t, 2), z.diff(x, 2) + 2 * z.diff(y, 2)), domain.sides: sp.Eq(z, 0),
        domain.initial: [sp.Eq(z, exact.subs(t, 0)), sp.Eq(z.diff(t), 0)],
    })  # fmt: skip
    return in_closed_form(problem, {z: exact}, 1e-8)


@case("u_t + 40u_x = 0, periodic, e^(sin x) at first, t ≤ 2π", 15, "closed form")
def advection() -> Stated:
    equation = sp.Eq(u.diff(t) + 40 * u.diff(x), 0)
    problem = repeated(0, 2 * sp.pi, 2 * sp.pi, equation, sp.exp(sp.sin(x)), 1)
    return in_closed_form(problem, {u: sp.exp(sp.sin(x - 40 * t))}, 1e-10)


@case("Kuramoto's and Sivashinsky's equation, period 32, t ≤ 40", 120, FOURIER.format("2e-10"))
def kuramoto() -> Stated:
    equation = sp.Eq(u.diff(t) + u * u.diff(x) + u.diff(x, 2) + u.diff(x, 4), 0)
    initial = sp.cos(sp.pi * x / 16) * (1 + sp.sin(sp.pi * x / 16))
    return against_values(repeated(0, 32, 40, equation, initial, 4), [u], "kuramoto", 1e-7)


@case("Zabusky's and Kruskal's solitons out of a cosine, t ≤ 3.6/π", 180, FOURIER.format("3e-10"))
def zabusky() -> Stated:
    equation = sp.Eq(u.diff(t) + u * u.diff(x) + sp.Rational(22, 1000) ** 2 * u.diff(x, 3), 0)
    problem = repeated(0, 2, 3.6 / np.pi, equation, sp.cos(sp.pi * x), 3)
    return against_values(problem, [u], "zabusky", 1e-7)


@case("two solitons of Korteweg and de Vries that cross", 180, "closed form (Hirota)")
def solitons() -> Stated:
    """At a distance of 22 the solitons are below 1e-14, so that the line may as well be periodic."""
    exact = crossing_formula(x, t)
    equation = sp.Eq(u.diff(t) + 6 * u * u.diff(x) + u.diff(x, 3), 0)
    return in_closed_form(repeated(-22, 22, END, equation, exact.subs(t, 0), 3), {u: exact}, 1e-7)


def schroedinger(start: Any, stop: Any, end: Any, exact: sp.Expr) -> Stated:
    """i w_t + w_xx/2 + |w|² w = 0 between ends where the solution is below 1e-13."""
    domain = rod(start, stop, end)
    problem = fens.Problem({
        domain: sp.Eq(sp.I * w.diff(t) + w.diff(x, 2) / 2 + sp.Abs(w) ** 2 * w, 0), domain.sides: sp.Eq(w, 0),
        domain.initial: sp.Eq(w, exact.subs(t, 0)),
    })  # fmt: skip
    return in_closed_form(problem, {w: exact}, 1e-9)


@case("i w_t + w_xx/2 + |w|² w = 0, a soliton that moves", 60, "closed form")
def soliton_nls() -> Stated:
    return schroedinger(-32, 38, 3, sp.sech(x - 2 * t) * sp.exp(sp.I * (2 * x - 3 * t / 2)))


@case("the same equation, a breather out of 2 sech x, t ≤ π/2", 60, "closed form (Satsuma and Yajima)")
def breather_nls() -> Stated:
    above = sp.cosh(3 * x) + 3 * sp.exp(4 * sp.I * t) * sp.cosh(x)
    below = sp.cosh(4 * x) + 4 * sp.cosh(2 * x) + 3 * sp.cos(4 * t)
    return schroedinger(-32, 32, sp.pi / 2, 4 * above * sp.exp(sp.I * t / 2) / below)


@case("Gray's and Scott's reactions, a pulse that splits in two, t ≤ 200", 180, FOURIER.format("1e-10"))
def gray_scott() -> Stated:
    domain, bump = rod(-50, 50, 200), sp.exp(-(x**2) / 20)
    feed, loss = sp.Rational(2, 100), sp.Rational(862, 10000)
    problem = fens.Problem({
        domain: [
            sp.Eq(u.diff(t), u.diff(x, 2) + feed * (1 - u) - u * v**2),
            sp.Eq(v.diff(t), v.diff(x, 2) / 100 - loss * v + u * v**2),
        ],
        domain.pair(x): periodic(u, x, 2) + periodic(v, x, 2),
        domain.initial: [sp.Eq(u, 1 - bump / 2), sp.Eq(v, bump / 4)],
    })  # fmt: skip
    return against_values(problem, (u, v), "gray_scott", 1e-7)


@case("u_t = u_xx + sin πx sin 2πt, t ≤ 1000", 60, "closed form")
def heat_1000() -> Stated:
    domain, source = rod(0, 1, 1000), sp.sin(sp.pi * x) * sp.sin(2 * sp.pi * t)
    settled = sp.pi**2 * sp.sin(2 * sp.pi * t) - 2 * sp.pi * sp.cos(2 * sp.pi * t)
    swing = (settled + 2 * sp.pi * sp.exp(-(sp.pi**2) * t)) / (sp.pi**4 + 4 * sp.pi**2)
    problem = fens.Problem({
        domain: sp.Eq(u.diff(t), u.diff(x, 2) + source), domain.sides: sp.Eq(u, 0), domain.initial: sp.Eq(u, 0),
    })  # fmt: skip
    return in_closed_form(problem, {u: sp.sin(sp.pi * x) * swing}, 1e-10)
