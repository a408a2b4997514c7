"""Problems like those of the table, and not the same, all with solutions in closed form: `--variants`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp
from scipy.special import ellipk, erf, erfc

import fens

from . import goursat, williams
from .cases import Figure, Stated, case, field, fields, t, variant, x, y
from .points import Array, near, of_polygon

u, v, p = (sp.Function(name)(x, y) for name in "uvp")
NOTCH = ((0, 0), (0.8, 0.8 / 3**0.5), (-0.5, 1.1), (-1.2, 0), (-0.4, -1), (0.9, -0.9 / 3**0.5))  # 300° at the origin
WEDGE = ((0, 0), (1, 0), (1.2, 0.8), (-0.7, 0.7))  # 135° at the origin
SQUARE_LINE = 8 * ellipk(3 / 4) / ellipk(1 / 4)  # an eighth of it is a trapezium, mapped by Schwarz and Christoffel
STRIP = ((-1, 0), (0, 0), (1, 0), (1, 1), (-1, 1))  # the origin is a point of a side


def polar(bisector: sp.Expr, opening: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """r, and the angle from the first side of a corner at the origin, without a jump in the domain."""
    c, s = sp.cos(bisector), sp.sin(bisector)
    return sp.sqrt(x**2 + y**2), opening / 2 + sp.atan2(c * y - s * x, c * x + s * y)


def smooth() -> sp.Expr:
    return sp.exp(x / 2) * sp.cos(y) + x * y


def compiled(exact: sp.Expr) -> Any:
    return sp.lambdify((x, y), exact, ["scipy", "numpy"])


def given_around(corners: Sequence[Any], equation: Any, exact: sp.Expr, edges: Any = None) -> Stated:
    """A problem on a polygon with the exact values on its sides, but for edges with conditions of their own."""
    domain = fens.Polygon(corners, (x, y))
    sides = {domain.edge(k): sp.Eq(u, exact) for k in range(len(corners))}
    sides |= {domain.edge(k): condition for k, condition in (edges or {}).items()}
    problem = fens.Problem({domain: equation, **sides})
    return Stated(problem, field(of_polygon(corners), compiled(exact), 1e-9))


def notch_exact(part: Any) -> sp.Expr:
    r, theta = polar(sp.pi, 5 * sp.pi / 3)
    return r ** sp.Rational(3, 5) * part(3 * theta / 5) + smooth()


def laplacian_of(f: sp.Expr) -> sp.Expr:
    return f.diff(x, 2) + f.diff(y, 2)


def flux(f: sp.Expr) -> sp.Expr:
    return fens.normal(x) * f.diff(x) + fens.normal(y) * f.diff(y)


@variant("a notch of 60°, r^(3/5) sin plus smooth")
def notch() -> Stated:
    equation = sp.Eq(fens.laplacian(u), laplacian_of(smooth()))
    return given_around(NOTCH, equation, notch_exact(sp.sin), {k: sp.Eq(u, smooth()) for k in (0, 5)})


@variant("the same with fluxes on the notch, r^(3/5) cos plus smooth")
def notch_with_flux() -> Stated:
    equation, flow = sp.Eq(fens.laplacian(u), laplacian_of(smooth())), sp.Eq(fens.normal_derivative(u), flux(smooth()))
    return given_around(NOTCH, equation, notch_exact(sp.cos), {0: flow, 5: flow})


def wedge_exact() -> sp.Expr:
    r, theta = polar(3 * sp.pi / 8, 3 * sp.pi / 4)
    return r ** sp.Rational(2, 3) * sp.sin(2 * theta / 3) + smooth()


@variant("Dirichlet meets Robin at 135°, r^(2/3) plus smooth")
def wedge() -> Stated:
    """The singular term has no flux on the Robin side, where its value is given instead."""
    exact = wedge_exact()
    r = sp.sqrt(x**2 + y**2)
    robin = sp.Eq(fens.normal_derivative(u) + 2 * u, flux(smooth()) + 2 * (r ** sp.Rational(2, 3) + smooth()))
    equation = sp.Eq(fens.laplacian(u), laplacian_of(smooth()))
    return given_around(WEDGE, equation, exact, {0: sp.Eq(u, smooth()), 3: robin})


def l_moved() -> tuple[Sequence[Any], sp.Expr, sp.Expr]:
    """The L with its reentrant corner at the origin, r and the angle there."""
    return williams.SHAPE, *polar(5 * sp.pi / 4, 3 * sp.pi / 2)


@variant("Helmholtz' equation on the L, J_(2/3)(5r) sin(2θ/3)")
def l_helmholtz() -> Stated:
    corners, r, theta = l_moved()
    exact = sp.besselj(sp.Rational(2, 3), 5 * r) * sp.sin(2 * theta / 3)
    return given_around(corners, sp.Eq(fens.laplacian(u) + 25 * u, 0), exact, {k: sp.Eq(u, 0) for k in (2, 3)})


@variant("−Δu + u³ = f on the L, r^(2/3) sin(2θ/3) plus smooth")
def l_cubic_made() -> Stated:
    corners, r, theta = l_moved()
    exact = r ** sp.Rational(2, 3) * sp.sin(2 * theta / 3) + smooth()
    return given_around(corners, sp.Eq(-fens.laplacian(u) + u**3, exact**3 - laplacian_of(smooth())), exact)


def step_exact() -> sp.Expr:
    return 1 - polar(sp.pi / 2, sp.pi)[1] / sp.pi


@variant("a step in the data within a side, away from it by 1e-3")
def step() -> Stated:
    domain = fens.Box({x: (-1, 1), y: (0, 1)})
    exact, data = step_exact(), sp.Piecewise((1, x > 0), (0, True))
    sides = {domain.face(c, a): sp.Eq(u, exact) for c, a in ((x, -1), (x, 1), (y, 1))}
    problem = fens.Problem({domain: sp.Eq(fens.laplacian(u), 0), domain.face(y, 0): sp.Eq(u, data), **sides})
    spots = np.concatenate([of_polygon(STRIP), near([(0, 0, 0, np.pi)], 10.0 ** -np.arange(1, 3.5, 0.5))])
    spots = spots[np.hypot(*spots.T) > 0.999e-3]
    return Stated(problem, field(spots, compiled(exact), 1e-9))


def kink_exact() -> sp.Expr:
    """|x| on y = 0: x − (2/π) Im z log z."""
    r, theta = polar(sp.pi / 2, sp.pi)
    return x - 2 / sp.pi * (y * sp.log(r) + x * theta)


@variant("a kink in the data, |x| within a side")
def kink() -> Stated:
    domain = fens.Box({x: (-1, 1), y: (0, 1)})
    sides = {domain.face(c, a): sp.Eq(u, kink_exact()) for c, a in ((x, -1), (x, 1), (y, 1))}
    problem = fens.Problem({domain: sp.Eq(fens.laplacian(u), 0), domain.face(y, 0): sp.Eq(u, sp.Abs(x)), **sides})
    return Stated(problem, field(of_polygon(STRIP), compiled(kink_exact()), 1e-9))


def points_in_time(place: float) -> Array:
    """Times from 1e-6 on, everywhere and around a place at the layer's width."""
    found = []
    for time in 10.0 ** np.linspace(-6, 0, 25):
        layer = np.sqrt(time) * np.array([0.1, 0.5, 1, 2, 4, 6])
        some = np.concatenate([np.linspace(0.01, 0.99, 12), place + layer, place - layer])
        some = some[(some > 0) & (some < 1)]
        found.append(np.stack([some, np.full(len(some), time)], axis=1))
    return np.concatenate(found)


def rod(initial: sp.Expr, exact: sp.Expr, known: Any, place: float) -> Stated:
    w = sp.Function("w")(x, t)
    domain = fens.Box({x: (0, 1)}).during(t, 0, 1)
    problem = fens.Problem({
        domain: sp.Eq(w.diff(t), w.diff(x, 2)), domain.initial: sp.Eq(w, initial),
        **{domain.face(x, a): sp.Eq(w, exact.subs(x, a)) for a in (0, 1)},
    })  # fmt: skip
    return Stated(problem, field(points_in_time(place), known, 1e-9, "w"))


@variant("heat from a step inside the rod, t ≥ 1e-6")
def heat_from_step() -> Stated:
    exact = sp.erfc((x - sp.Rational(2, 5)) / (2 * sp.sqrt(t))) / 2
    initial = sp.Piecewise((1, x < sp.Rational(2, 5)), (0, True))
    return rod(initial, exact, lambda a, b: erfc((a - 0.4) / (2 * np.sqrt(b))) / 2, 0.4)


def spread_kink(a: Array, b: Array) -> Array:
    """|x − 1/2| after a time."""
    s = a - 0.5
    return np.asarray(s * erf(s / (2 * np.sqrt(b))) + 2 * np.sqrt(b / np.pi) * np.exp(-(s**2) / (4 * b)))


@variant("heat on an L in the course of time, e^(−9t) J_(2/3)(3r) sin(2θ/3)")
def heat_on_l() -> Stated:
    w, third = sp.Function("w")(x, y, t), sp.Rational(2, 3)
    corners = [(-1, -1), (1, -1), (1, 0), (0, 0), (0, 1), (-1, 1)]
    r, theta = polar(5 * sp.pi / 4, 3 * sp.pi / 2)
    exact = sp.exp(-9 * t) * sp.besselj(third, 3 * r) * sp.sin(third * theta)
    heated = fens.Polygon(corners, (x, y)).during(t, 0, 0.5)
    equation = sp.Eq(w.diff(t), fens.laplacian(w))
    problem = fens.Problem({heated: equation, heated.sides: sp.Eq(w, exact), heated.initial: sp.Eq(w, exact)})
    places = of_polygon(corners)
    points = np.column_stack([places, np.random.default_rng(0).uniform(0, 0.5, len(places))])
    return Stated(problem, field(points, sp.lambdify((x, y, t), exact, ["scipy", "numpy"]), 1e-6, "w"))


@case("capacity of a square in a square, twice as large", 60, "conformal map, 8 K(3/4)/K(1/4)", variant=True)
def square_in_square() -> Stated:
    outer = fens.Box({x: (-1, 1), y: (-1, 1)}, name="outer")
    between = outer - fens.Box({x: (-0.5, 0.5), y: (-0.5, 0.5)}, name="inner")
    problem = fens.Problem({
        between: fens.laplacian(u), between.part("outer"): sp.Eq(u, 0), between.part("inner"): sp.Eq(u, 1),
    })  # fmt: skip

    def figures(solution: Any) -> list[Figure]:
        found = solution.integrate(fens.normal_derivative(u), on=between.part("inner"))
        return [Figure("capacity", abs(found - SQUARE_LINE), 1e-6, f"{found:.10f}")]

    return Stated(problem, figures)


@variant("heat from a kink inside the rod, t ≥ 1e-6")
def heat_from_kink() -> Stated:
    s = x - sp.Rational(1, 2)
    exact = s * sp.erf(s / (2 * sp.sqrt(t))) + 2 * sp.sqrt(t / sp.pi) * sp.exp(-(s**2) / (4 * t))
    return rod(sp.Abs(s), exact, spread_kink, 0.5)


def stokes_exact() -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """Between walls at rest at 270°, r^0.544 and r^0.909: u, v and p = −4 Re φ′."""
    corner, kappas = williams.CORNER, (1.0, 1.0)
    found = [goursat.Field.of(corner, s, kappas, 1.0) for s in goursat.exponents(corner.opening, kappas, 0.95)]
    terms, pressure = [], []
    for flow in found:
        a, b, *_ = flow.coefficients
        multiple = 1.0 if abs(a + np.conj(b)) > 1e-6 else 1j
        terms += [(c * (np.conj(multiple) if flip else multiple), s, q) for c, s, q, flip in flow.terms()]
        s = flow.exponent
        pressure.append((-4 * s * (a * multiple + np.conj(b * multiple)), s - 1, s - 1))
    velocity = williams.summed(terms, complex(np.exp(1j * corner.bisector)), x, y)
    return *velocity, williams.summed(pressure, 1.0, x, y)[0]


@variant("Stokes flow around the reentrant corner of an L, r^0.544 and r^0.909")
def l_stokes() -> Stated:
    L, exact = fens.Polygon(williams.SHAPE, (x, y)), stokes_exact()
    given = [sp.Eq(u, exact[0]), sp.Eq(v, exact[1])]
    sides = {L.edge(k): [sp.Eq(u, 0), sp.Eq(v, 0)] if k in (2, 3) else given for k in range(6)}
    momentum = [sp.Eq(fens.laplacian(u), p.diff(x)), sp.Eq(fens.laplacian(v), p.diff(y))]
    still = fens.Points({x: [-1.0], y: [-1.0]})
    pressure = sp.Eq(p, float(exact[2].subs({x: -1, y: -1})))
    problem = fens.Problem({L: [*momentum, sp.Eq(u.diff(x) + v.diff(y), 0)], **sides, still: pressure})
    spots = of_polygon(williams.SHAPE)
    known = sp.lambdify((x, y), exact[:2], "numpy", cse=True)(*spots.T)
    return Stated(problem, fields(spots, dict(zip((u, v), known, strict=True)), 1e-8))


