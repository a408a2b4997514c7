"""Problems like those of the table, and not the same: `--variants`."""

from typing import Any

import numpy as np
import sympy as sp
from scipy.special import ellipj, j0, jn_zeros

import fens

from .cases import (
    Array,
    Stated,
    against_table,
    against_values,
    first,
    in_closed_form,
    interval,
    judged,
    kept_points,
    periodic,
    plate,
    rod,
    t,
    variant,
    x,
    y,
)
from .ordinary import TAYLOR
from .places import spread
from .store import kept_values
from .waves import FOURIER

CHEBYSHEV = "48 and 64 of Chebyshev's points, and Radau's method, which agree to 1e-9"
u, v = (sp.Function(name)(x, t) for name in "uv")


def source_of(operator: sp.Expr, unknown: Any, exact: sp.Expr) -> sp.Eq:
    """An equation that a function solves."""
    return sp.Eq(operator, operator.subs(unknown, exact).doit(), evaluate=False)


def on_rod(
    domain: Any, equation: sp.Eq, exact: sp.Expr, asked: float, sides: Any = None, second: bool = False
) -> Stated:
    """A problem for u with its own conditions at the ends, or the exact values, and those of the first instant."""
    initial = [sp.Eq(u, exact.subs(t, 0))] + ([sp.Eq(u.diff(t), exact.diff(t).subs(t, 0))] if second else [])
    region = domain.pair(x) if isinstance(sides, list) else domain.sides
    problem = fens.Problem({
        domain: equation, region: sp.Eq(u, exact) if sides is None else sides, domain.initial: initial,
    })  # fmt: skip
    return in_closed_form(problem, {u: exact}, asked)


@variant("Hénon's and Heiles' stars, t ≤ 50", 20, TAYLOR)
def henon_heiles() -> Stated:
    time = interval(50)
    (x, y), start = first(x=0, y=0.1)
    problem = fens.Problem({
        time: [sp.Eq(x.diff(t, 2), -x - 2 * x * y), sp.Eq(y.diff(t, 2), y**2 - y - x**2)],
        time.face(t, 0): [*start, sp.Eq(x.diff(t), 0.5), sp.Eq(y.diff(t), 0)],
    })  # fmt: skip
    return against_table(problem, (x, y), "henon_heiles", 1e-8)


@variant("Lotka's and Volterra's fish, t ≤ 20", 20, TAYLOR)
def lotka_volterra() -> Stated:
    time = interval(20)
    (u, v), start = first(u=2, v=0.5)
    problem = fens.Problem({
        time: [sp.Eq(u.diff(t), u - u * v), sp.Eq(v.diff(t), 2 * (u * v - v))], time.face(t, 0): start,
    })  # fmt: skip
    return against_table(problem, (u, v), "lotka_volterra", 1e-8)


@variant("a pendulum that swings by 128°, t ≤ 50", 20, "closed form, Jacobi's sn")
def pendulum() -> Stated:
    """θ = 2 arcsin(k sn(t, k)) for k = 9/10."""
    time, k = interval(50), 0.9
    (u,), start = first(u=0)
    problem = fens.Problem({
        time: sp.Eq(u.diff(t, 2), -sp.sin(u)), time.face(t, 0): [*start, sp.Eq(u.diff(t), 2 * k)],
    })  # fmt: skip
    return in_closed_form(problem, {u: lambda time: 2 * np.arcsin(k * ellipj(time, k**2)[0])}, 1e-9)


@variant("Prothero's and Robinson's equation, λ = −10⁶, with a layer at first, t ≤ 10", 20)
def prothero_robinson() -> Stated:
    time = interval(10)
    (u,), start = first(u=2)
    problem = fens.Problem({
        time: sp.Eq(u.diff(t), -(10**6) * (u - sp.cos(t)) - sp.sin(t)), time.face(t, 0): start,
    })  # fmt: skip
    return in_closed_form(problem, {u: sp.cos(t) + sp.exp(-(10**6) * t)}, 1e-9)


@variant("Allen's and Cahn's equation, periodic, t ≤ 5", 60, FOURIER.format("3e-12"))
def allen_cahn() -> Stated:
    domain = rod(-1, 1, 5)
    problem = fens.Problem({
        domain: sp.Eq(u.diff(t), u + u.diff(x, 2) / 400 - u**3), domain.pair(x): periodic(u, x, 2),
        domain.initial: sp.Eq(u, sp.sin(sp.pi * x) / 2 + sp.cos(2 * sp.pi * x) / 2),
    })  # fmt: skip
    return against_values(problem, [u], "allen_cahn", 1e-9)


@variant("Ginzburg's and Landau's equation, periodic, t ≤ 10", 60, FOURIER.format("3e-13"))
def ginzburg_landau() -> Stated:
    """w_t = w + (1 + i/2) w_xx − (1 − i) |w|² w; what is kept are its real and its imaginary part."""
    w, domain = fens.complex_unknown("w")(x, t), rod(0, 20, 10)
    bent, lost = (1 + sp.I / 2) * w.diff(x, 2), (1 - sp.I) * sp.Abs(w) ** 2 * w
    initial = 1 + sp.cos(sp.pi * x / 10) / 5 + sp.I * sp.sin(sp.pi * x / 5) / 5
    problem = fens.Problem({
        domain: sp.Eq(w.diff(t), w + bent - lost), domain.pair(x): periodic(w, x, 2), domain.initial: sp.Eq(w, initial),
    })  # fmt: skip
    values = kept_values("ginzburg_landau")
    return judged(problem, kept_points(values), {w: (values["u"] + 1j * values["w"]).ravel()}, 1e-9)


@variant("the Brusselator between ends that are held, t ≤ 10", 60, CHEBYSHEV)
def brusselator() -> Stated:
    domain = rod(0, 1, 10)
    problem = fens.Problem({
        domain: [
            sp.Eq(u.diff(t), 1 + u**2 * v - 4 * u + u.diff(x, 2) / 50),
            sp.Eq(v.diff(t), 3 * u - u**2 * v + v.diff(x, 2) / 50),
        ],
        domain.sides: [sp.Eq(u, 1), sp.Eq(v, 3)],
        domain.initial: [sp.Eq(u, 1 + sp.sin(2 * sp.pi * x)), sp.Eq(v, 3)],
    })  # fmt: skip
    return against_values(problem, (u, v), "brusselator", 1e-7)


@variant("a damped wave that is driven, with free ends, t ≤ 20")
def damped_wave() -> Stated:
    exact = sp.cos(sp.pi * x) * sp.sin(2 * t) + sp.cos(2 * sp.pi * x) * sp.cos(3 * t) * sp.exp(-t / 4)
    equation = source_of(u.diff(t, 2) + u.diff(t) / 2 - u.diff(x, 2), u, exact)
    return on_rod(rod(0, 1, 20), equation, exact, 1e-9, sp.Eq(fens.normal_derivative(u), 0), second=True)


@variant("heat that is lost at the ends (Robin), with a source that alternates, t ≤ 200")
def heat_robin() -> Stated:
    exact = sp.cos(x - sp.Rational(1, 2)) * (sp.exp(-t) + sp.sin(t))
    lost = sp.Eq(fens.normal_derivative(u) + sp.tan(sp.Rational(1, 2)) * u, 0)
    return on_rod(rod(0, 1, 200), source_of(u.diff(t) - u.diff(x, 2), u, exact), exact, 1e-10, lost)


@variant("Burgers' equation, ν = 0.05, t ≤ 2", reference="closed form (Cole and Hopf)")
def burgers() -> Stated:
    nu = sp.Rational(1, 20)
    fading = sp.exp(-nu * sp.pi**2 * t)
    exact = 2 * nu * sp.pi * fading * sp.sin(sp.pi * x) / (sp.Rational(21, 20) + fading * sp.cos(sp.pi * x))
    return on_rod(rod(0, 1, 2), sp.Eq(u.diff(t) + u * u.diff(x), nu * u.diff(x, 2)), exact, 1e-9, sp.Eq(u, 0))


@variant("the telegraph equation, two modes, t ≤ 20")
def telegraph() -> Stated:
    """u_tt + u_t/5 + u = u_xx."""
    modes = [sp.sin(k * sp.pi * x) * sp.cos(sp.sqrt((k * sp.pi) ** 2 + 1 - sp.Rational(1, 100)) * t) for k in (1, 3)]
    exact = (modes[0] + modes[1] / 2) * sp.exp(-t / 10)
    equation = sp.Eq(u.diff(t, 2) + u.diff(t) / 5 + u, u.diff(x, 2))
    return on_rod(rod(0, 1, 20), equation, exact, 1e-10, sp.Eq(u, 0), second=True)


@variant("Fisher's equation, a wave that travels, t ≤ 5")
def fisher() -> Stated:
    exact = (1 + sp.exp((x - 5 * t / sp.sqrt(6)) / sp.sqrt(6))) ** -2
    return on_rod(rod(-20, 20, 5), sp.Eq(u.diff(t), u.diff(x, 2) + u * (1 - u)), exact, 1e-9)


@variant("the sine-Gordon equation, a breather, t ≤ 20")
def sine_gordon() -> Stated:
    exact = 4 * sp.atan(sp.Rational(4, 3) * sp.sin(3 * t / 5) / sp.cosh(4 * x / 5))
    return on_rod(rod(-10, 10, 20), sp.Eq(u.diff(t, 2) + sp.sin(u), u.diff(x, 2)), exact, 1e-9, second=True)


@variant("Schrödinger's equation in a box, two levels, 20 periods")
def schroedinger_in_box() -> Stated:
    w, domain = fens.complex_unknown("w")(x, t), rod(0, sp.pi, 40 * sp.pi)
    exact = sp.sin(x) * sp.exp(-sp.I * t) + sp.sin(2 * x) * sp.exp(-4 * sp.I * t) / 2
    problem = fens.Problem({
        domain: sp.Eq(sp.I * w.diff(t), -w.diff(x, 2)), domain.sides: sp.Eq(w, 0),
        domain.initial: sp.Eq(w, exact.subs(t, 0)),
    })  # fmt: skip
    return in_closed_form(problem, {w: exact}, 1e-10)


@variant("advection and diffusion in a flow that varies, periodic, t ≤ 10")
def advection_diffusion() -> Stated:
    exact = sp.exp(sp.sin(x - t)) + sp.cos(2 * x + 3 * t) / 2
    equation = source_of(u.diff(t) + (2 + sp.sin(x)) * u.diff(x) - u.diff(x, 2) / 10, u, exact)
    return on_rod(rod(0, 2 * sp.pi, 10), equation, exact, 1e-9, periodic(u, x, 2))


@variant("a beam that vibrates, u_tt + u_xxxx = 0, simply supported, t ≤ 5", 120)
def beam() -> Stated:
    modes = [sp.sin(k * sp.pi * x) * sp.cos((k * sp.pi) ** 2 * t) for k in (1, 2)]
    domain, exact = rod(0, 1, 5), modes[0] + modes[1] / 2
    problem = fens.Problem({
        domain: sp.Eq(u.diff(t, 2) + u.diff(x, 4), 0), domain.sides: [sp.Eq(u, 0), sp.Eq(u.diff(x, 2), 0)],
        domain.initial: [sp.Eq(u, exact.subs(t, 0)), sp.Eq(u.diff(t), 0)],
    })  # fmt: skip
    return in_closed_form(problem, {u: exact}, 1e-9)


@variant("heat on a square from a source that goes around, t ≤ 2π", 120)
def moving_source() -> Stated:
    z, domain, half = sp.Function("u")(x, y, t), plate(0, 1, 2 * sp.pi), sp.Rational(1, 2)
    exact = sp.exp(-20 * ((x - half - sp.cos(t) / 4) ** 2 + (y - half - sp.sin(t) / 4) ** 2))
    equation = source_of(z.diff(t) - z.diff(x, 2) - z.diff(y, 2), z, exact)
    problem = fens.Problem({
        domain: equation, domain.sides: sp.Eq(z, exact), domain.initial: sp.Eq(z, exact.subs(t, 0)),
    })  # fmt: skip
    return in_closed_form(problem, {z: exact}, 1e-8)


@variant("a drum, u_tt = Δu on a disc, t ≤ 20", 180, "closed form, Bessel's J₀")
def drum() -> Stated:
    """J₀(kr) cos kt with the second zero k of J₀."""
    z, k = sp.Function("u")(x, y, t), float(jn_zeros(0, 2)[1])
    domain = fens.Ball({x: 0, y: 0}, radius=1).during(t, 0, 20)
    problem = fens.Problem({
        domain: sp.Eq(z.diff(t, 2), fens.laplacian(z)), domain.sides: sp.Eq(z, 0),
        domain.initial: [sp.Eq(z, sp.besselj(0, k * sp.sqrt(x**2 + y**2))), sp.Eq(z.diff(t), 0)],
    })  # fmt: skip

    def exact(x: Array, y: Array, time: Array) -> Array:
        return np.asarray(j0(k * np.hypot(x, y)) * np.cos(k * time))

    some = spread(domain.bounds)
    return in_closed_form(problem, {z: exact}, 1e-8, some[np.hypot(some[:, 0], some[:, 1]) <= 1])
