"""Problems with known solutions, shared by tests, examples and benchmarks: those of the paper first.

Sources and boundary values are derived from the exact solution by SymPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from .geometry import Ball, Box, Polygon
from .problem import Problem, integral, jump, manufacture, normal, normal_derivative

x, y, t = sp.symbols("x y t")


@dataclass(frozen=True)
class Known:
    """A problem and its solution; of several unknowns a mapping from them to theirs."""

    name: str
    problem: Problem
    exact: Any


def function_2d() -> Known:
    """sin πx sin 4πy on [−1, 1]², to be approximated."""
    u = sp.Function("u")(x, y)
    exact = sp.sin(sp.pi * x) * sp.sin(4 * sp.pi * y)
    return Known("function_2d", manufacture({Box({x: (-1, 1), y: (-1, 1)}): u}, u, exact), exact)


def helmholtz(lower: float = 0, upper: float = 1) -> Known:
    """Δu + u = q with u = sin πx sin 4πy; on (0, 1)² as the paper prints it, or on (−1, 1)² as it computes it."""
    return _helmholtz("helmholtz", sp.sin(sp.pi * x) * sp.sin(4 * sp.pi * y), lower, upper)


def helmholtz_tanh(lower: float = 0, upper: float = 1) -> Known:
    """Δu + u = q with u = tanh(xy)."""
    return _helmholtz("helmholtz_tanh", sp.tanh(x * y), lower, upper)


def diffusion() -> Known:
    """u_t = 0.01 u_xx + f on (0, 5) × (0, 1]."""
    u = sp.Function("u")(x, t)
    rod = Box({x: (0, 5)}).during(t, 0, 1)

    def wave(s: sp.Symbol) -> sp.Expr:
        return 2 * sp.cos(sp.pi * s + sp.pi / 5) + sp.Rational(3, 2) * sp.cos(2 * sp.pi * s - 3 * sp.pi / 5)

    exact = wave(x) * wave(t)
    operators = {rod: u.diff(t) - u.diff(x, 2) / 100, rod.sides: u, rod.initial: u}
    return Known("diffusion", manufacture(operators, u, exact), exact)


def heat() -> Known:
    """u_t = Δu + f on (0, 1)² × (0, 1], u = 2e^(−t) sin(πx/2) sin(πy/2)."""
    u, plate = _plate()
    exact = 2 * sp.exp(-t) * sp.sin(sp.pi * x / 2) * sp.sin(sp.pi * y / 2)
    operators = {plate: u.diff(t) - u.diff(x, 2) - u.diff(y, 2), plate.sides: u, plate.initial: u}
    return Known("heat", manufacture(operators, u, exact), exact)


def wave() -> Known:
    """u_tt = Δu + f on (0, 1)² × (0, 1], u = sin(πx/2) sin(πy/2) sin(πt/2)."""
    u, plate = _plate()
    exact = sp.sin(sp.pi * x / 2) * sp.sin(sp.pi * y / 2) * sp.sin(sp.pi * t / 2)
    wave_operator = u.diff(t, 2) - u.diff(x, 2) - u.diff(y, 2)
    operators = {plate: wave_operator, plate.sides: u, plate.initial: [u, u.diff(t)]}
    return Known("wave", manufacture(operators, u, exact), exact)


def oscillating_poisson() -> Known:
    """−u'' = f on (0, 1), u = (1/6) Σ sin(2^i πx) for i = 1 … 6."""
    u = sp.Function("u")(x)
    exact = sp.Add(*(sp.sin(2**i * sp.pi * x) for i in range(1, 7))) / 6
    rod = Box({x: (0, 1)})
    return Known("oscillating_poisson", manufacture({rod: -u.diff(x, 2), rod.boundary: u}, u, exact), exact)


def poisson(dimension: int) -> Known:
    """−Δu = f on (−1, 1)^d, u = m² + sin m, where m is the mean of the coordinates."""
    xs = sp.symbols(f"x1:{dimension + 1}")
    u = sp.Function("u")(*xs)
    mean = sp.Add(*xs) / dimension
    exact = mean**2 + sp.sin(mean)
    box = Box(dict.fromkeys(xs, (-1, 1)))
    operators = {box: -sp.Add(*(u.diff(s, 2) for s in xs)), box.boundary: u}
    return Known(f"poisson_{dimension}d", manufacture(operators, u, exact), exact)


def nonlinear_helmholtz() -> Known:
    """u'' − 50u + 10 sin u = f on (0, 8)."""
    u = sp.Function("u")(x)
    exact = (
        sp.sin(3 * sp.pi * x + 3 * sp.pi / 20) * sp.cos(4 * sp.pi * x - 2 * sp.pi / 5) + sp.Rational(3, 2) + x / 10
    )
    rod = Box({x: (0, 8)})
    operators = {rod: u.diff(x, 2) - 50 * u + 10 * sp.sin(u), rod.boundary: u}
    return Known("nonlinear_helmholtz", manufacture(operators, u, exact), exact)


def burgers(viscosity: float | sp.Expr = 0.01) -> Known:
    """u_t + u u_x = ε u_xx on (0, 1) × (0, 1], a front that moves to the right: u = 1/(1 + e^((x − t)/2ε))."""
    u = sp.Function("u")(x, t)
    viscosity = sp.nsimplify(viscosity)
    strip = Box({x: (0, 1)}).during(t, 0, 1)
    exact = 1 / (1 + sp.exp((x - t) / (2 * viscosity)))
    operators = {strip: u.diff(t) + u * u.diff(x) - viscosity * u.diff(x, 2), strip.sides: u, strip.initial: u}
    return Known("burgers", manufacture(operators, u, exact), exact)


def bratu() -> Known:
    """Δu + e^u = f on (0, 1)², u = sin πx sin πy."""
    u = sp.Function("u")(x, y)
    square = Box({x: (0, 1), y: (0, 1)})
    exact = sp.sin(sp.pi * x) * sp.sin(sp.pi * y)
    operators = {square: u.diff(x, 2) + u.diff(y, 2) + sp.exp(u), square.boundary: u}
    return Known("bratu", manufacture(operators, u, exact), exact)


def sine_gordon() -> Known:
    """u_tt − u_xx + sin u = 0 on (−4, 4) × (0, 1]: a kink that moves at half the speed of light."""
    u = sp.Function("u")(x, t)
    strip = Box({x: (-4, 4)}).during(t, 0, 1)
    exact = 4 * sp.atan(sp.exp((x - t / 2) / sp.sqrt(sp.Rational(3, 4))))
    operators = {strip: u.diff(t, 2) - u.diff(x, 2) + sp.sin(u), strip.sides: u, strip.initial: [u, u.diff(t)]}
    return Known("sine_gordon", manufacture(operators, u, exact), exact)


def holed_square() -> Known:
    """Poisson on a square without a disc, u = e^x sin 3y."""
    u = sp.Function("u")(x, y)
    holed = Box({x: (0, 1), y: (0, 1)}) - Ball({x: 0.5, y: 0.5}, 0.25, name="hole")
    exact = sp.exp(x) * sp.sin(3 * y)
    return Known("holed_square", manufacture({holed: _laplacian(u), holed.boundary: u}, u, exact), exact)


def annulus(inner: float = 0.5) -> Known:
    """Laplace between two circles, Neumann on the inner one, u = log r + r cos θ, which is singular at the centre."""
    u = sp.Function("u")(x, y)
    ring = Ball({x: 0, y: 0}, 1, name="outer") - Ball({x: 0, y: 0}, inner, name="inner")
    exact = sp.log(x**2 + y**2) / 2 + x
    operators = {ring: _laplacian(u), ring.part("inner"): normal_derivative(u), ring.part("outer"): u}
    return Known("annulus", manufacture(operators, u, exact), exact)


def bent_polygon() -> Known:
    """Poisson on an L, u = e^x cos y."""
    u, bent = sp.Function("u")(x, y), _bent()
    exact = sp.exp(x) * sp.cos(y)
    return Known("bent_polygon", manufacture({bent: _laplacian(u), bent.boundary: u}, u, exact), exact)


def corner_singularity() -> Known:
    """Laplace on an L, u = r^(2/3) sin(2θ/3), whose derivatives are infinite at the corner."""
    u, bent = sp.Function("u")(x, y), _bent()
    angle = sp.Piecewise((sp.atan2(y, x), y >= 0), (sp.atan2(y, x) + 2 * sp.pi, True))
    exact = (x**2 + y**2) ** sp.Rational(1, 3) * sp.sin(2 * angle / 3)
    return Known("corner_singularity", Problem({bent: sp.Eq(_laplacian(u), 0), bent.boundary: sp.Eq(u, exact)}), exact)


def holed_plate() -> Known:
    """Heat on a plate with two holes, in space-time, insulated at the rims.

    u = e^(−t)(1 + cos x (r₁² − R²)²(r₂² − R²)²), where r₁ and r₂ are the distances from the middles of the holes,
    and R is the radius of both.
    """
    u, radius = sp.Function("u")(x, y, t), sp.Rational(1, 5)
    middles = [(sp.Rational(1, 2), sp.Rational(1, 2)), (sp.Rational(3, 2), sp.Rational(1, 2))]
    names = ("left", "right")
    left, right = (Ball({x: a, y: b}, radius, name=n) for (a, b), n in zip(middles, names, strict=True))
    plate = (Box({x: (0, 2), y: (0, 1)}, name="outside") - (left + right)).during(t, 0, 1)
    at_rims = sp.Mul(*(((x - a) ** 2 + (y - b) ** 2 - radius**2) ** 2 for a, b in middles))
    exact = sp.exp(-t) * (1 + sp.cos(x) * at_rims)
    heat_operator = u.diff(t) - _laplacian(u)
    problem = Problem(
        {
            plate: sp.Eq(heat_operator, heat_operator.subs(u, exact).doit()),
            plate.part("outside"): sp.Eq(u, exact),
            plate.part("left"): sp.Eq(normal_derivative(u), 0),
            plate.part("right"): sp.Eq(normal_derivative(u), 0),
            plate.initial: sp.Eq(u, exact),
        }
    )
    return Known("holed_plate", problem, exact)


def robin_and_periodic() -> Known:
    """−Δu + u = f on a square, Robin on two sides and periodic in the other direction: u = sin 2πx e^y + y²."""
    u, square = sp.Function("u")(x, y), Box({x: (0, 1), y: (0, 1)})
    exact = sp.sin(2 * sp.pi * x) * sp.exp(y) + y**2
    flux = normal_derivative(u)
    problem = Problem(
        {
            square: sp.Eq(u - _laplacian(u), exact - _laplacian(exact)),
            square.face(y, 0): sp.Eq(flux + 2 * u, 2 * exact - exact.diff(y)),
            square.face(y, 1): sp.Eq(flux + u, exact + exact.diff(y)),
            square.pair(x): [sp.Eq(jump(u), 0), sp.Eq(jump(u.diff(x)), 0)],
        }
    )
    return Known("robin_and_periodic", problem, exact)


def interface() -> Known:
    """Diffusion across a circle, coefficient 1 inside and 10 outside: the value and the flux are continuous."""
    u, v = sp.Function("u")(x, y), sp.Function("v")(x, y)
    disc = Ball({x: 0.5, y: 0.5}, 0.25, name="disc")
    around = Box({x: (0, 1), y: (0, 1)}, name="outside") - disc
    at_rim = 16 * ((x - sp.Rational(1, 2)) ** 2 + (y - sp.Rational(1, 2)) ** 2) - 1  # vanishes on the circle
    exact = {u: 10 * at_rim * sp.cos(x) + 5, v: at_rim * sp.cos(x) + 5}
    problem = Problem(
        {
            disc: sp.Eq(_laplacian(u), _laplacian(exact[u])),
            around: sp.Eq(10 * _laplacian(v), 10 * _laplacian(exact[v])),
            around.part("outside"): sp.Eq(v, exact[v]),
            disc.boundary: [sp.Eq(u, v), sp.Eq(normal_derivative(u), 10 * normal_derivative(v))],
        }
    )
    return Known("interface", problem, exact)


def neumann_disc() -> Known:
    """Poisson on a disc with the flux given and a mean of zero: u = e^x cos y − 1 + xy."""
    u, disc = sp.Function("u")(x, y), Ball({x: 0, y: 0}, 1)
    exact = sp.exp(x) * sp.cos(y) - 1 + x * y
    flux = normal(x) * exact.diff(x) + normal(y) * exact.diff(y)
    problem = Problem(
        {
            disc: [sp.Eq(_laplacian(u), _laplacian(exact)), sp.Eq(integral(u), 0)],
            disc.boundary: sp.Eq(normal_derivative(u), flux),
        }
    )
    return Known("neumann_disc", problem, exact)


SHAPES = (
    holed_square, annulus, bent_polygon, corner_singularity, robin_and_periodic, interface, neumann_disc, holed_plate,
)  # fmt: skip
NONLINEAR = (nonlinear_helmholtz, burgers, bratu, sine_gordon)
LINEAR = (function_2d, helmholtz, helmholtz_tanh, diffusion, heat, wave, oscillating_poisson)


def ill_posed() -> dict[str, Problem]:
    """Problems whose equations do not determine a solution, or not one that depends on them continuously."""
    u, v = sp.Function("u")(x, y), sp.Function("v")(x, t)
    square, strip = Box({x: (0, 1), y: (0, 1)}), Box({x: (0, 1)}).during(t, 0, 1)
    laplacian, growing = u.diff(x, 2) + u.diff(y, 2), sp.exp(x) * sp.sin(y)
    faces = (square.face(x, 0), square.face(x, 1), square.face(y, 0))
    heat_equation, parabola = sp.Eq(v.diff(t), v.diff(x, 2) / 10), x * (1 - x)
    return {
        "a face without condition": Problem(
            {square: sp.Eq(laplacian, 0), **{face: sp.Eq(u, growing) for face in faces}}
        ),
        "pure Neumann": Problem(
            {square: sp.Eq(laplacian, 0), square.boundary: sp.Eq(normal_derivative(u), normal(x))}
        ),
        "Helmholtz at a resonance": Problem(
            {square: sp.Eq(laplacian + 2 * sp.pi**2 * u, 1), square.boundary: sp.Eq(u, 0)}
        ),
        "heat without initial values": Problem({strip: heat_equation, strip.sides: sp.Eq(v, 0)}),
        "backward heat": Problem({strip: heat_equation, strip.sides: sp.Eq(v, 0), strip.final: sp.Eq(v, parabola)}),
        "Cauchy problem of Laplace": Problem(
            {
                square: sp.Eq(laplacian, 0),
                square.face(y, 0): [sp.Eq(u, sp.sin(sp.pi * x)), sp.Eq(u.diff(y), 0)],
            }
        ),
        "wave with one initial condition": Problem(
            {
                strip: sp.Eq(v.diff(t, 2), v.diff(x, 2)),
                strip.sides: sp.Eq(v, 0),
                strip.initial: sp.Eq(v, sp.sin(sp.pi * x)),
            }
        ),
    }


def unresolvable() -> dict[str, Problem]:
    """Well-posed problems whose solutions a few thousand features cannot represent."""
    u, w = sp.Function("u")(x, y), sp.Function("w")(x)
    square, rod = Box({x: (0, 1), y: (0, 1)}), Box({x: (0, 1)})
    laplacian = u.diff(x, 2) + u.diff(y, 2)
    waves = sp.sin(200 * x) * sp.sin(170 * y)
    front = sp.tanh(1000 * (x - y))
    return {
        "a front 1/1000 wide": manufacture({square: u.diff(x) - laplacian / 2000, square.boundary: u}, u, front),
        "a boundary layer 1e-5 wide": Problem(
            {rod: sp.Eq(w.diff(x) - w.diff(x, 2) / 10**5, 1), rod.boundary: sp.Eq(w, 0)}
        ),
        "sixty waves across": manufacture({square: laplacian, square.boundary: u}, u, waves),
        "a jump": Problem({square: sp.Eq(u, sp.Heaviside(x - sp.Rational(1, 3)))}),
    }


def inconsistent() -> dict[str, Problem]:
    """Problems whose equations contradict each other."""
    u, w = sp.Function("u")(x, y), sp.Function("w")(x)
    square, rod = Box({x: (0, 1), y: (0, 1)}), Box({x: (0, 1)})
    disc = Ball({x: 0, y: 0}, 1)
    laplacian = u.diff(x, 2) + u.diff(y, 2)
    return {
        "a constant with two values": Problem({rod: sp.Eq(w.diff(x), 0), rod.boundary: sp.Eq(w, x)}),
        "two values at one end": Problem(
            {rod: sp.Eq(w.diff(x, 2), 0), rod.face(x, 0): [sp.Eq(w, 1), sp.Eq(w, 1.01)], rod.face(x, 1): sp.Eq(w, 2)}
        ),
        "two sources": Problem(
            {rod: [sp.Eq(w.diff(x, 2), 0), sp.Eq(w.diff(x, 2), 0.01)], rod.boundary: sp.Eq(w, x)}
        ),
        "a flux out of nothing": Problem(
            {square: [sp.Eq(laplacian, 0), sp.Eq(integral(u), 0)],
             square.boundary: sp.Eq(normal_derivative(u), normal(x) + sp.Float(1e-3))}
        ),
        "values and fluxes": Problem(
            {disc: sp.Eq(laplacian, 0), disc.boundary: [sp.Eq(u, x), sp.Eq(normal_derivative(u), 0)]}
        ),
    }


def _bent() -> Polygon:
    return Polygon([(-1, -1), (0, -1), (0, 0), (1, 0), (1, 1), (-1, 1)], (x, y))


def _laplacian(u: Any) -> sp.Expr:
    return u.diff(x, 2) + u.diff(y, 2)


def _helmholtz(name: str, exact: sp.Expr, lower: float, upper: float) -> Known:
    u = sp.Function("u")(x, y)
    square = Box({x: (lower, upper), y: (lower, upper)})
    operators = {square: u.diff(x, 2) + u.diff(y, 2) + u, square.boundary: u}
    return Known(name, manufacture(operators, u, exact), exact)


def _plate() -> tuple[Any, Any]:
    return sp.Function("u")(x, y, t), Box({x: (0, 1), y: (0, 1)}).during(t, 0, 1)
