"""Problems with one unknown, as a user states them."""

from typing import Any

import numpy as np
import sympy as sp

import fens

from . import meshes, plane, series
from .cases import Figure, Stated, case, field, largest, t, x, y
from .points import Array, corners_of, inside, near, of_polygon
from .store import kept, kept_table

u = sp.Function("u")(x, y)
SQUARE = ((0, 0), (1, 0), (1, 1), (0, 1))
RECTANGLE = ((-1, 0), (1, 0), (1, 1), (-1, 1))
ELEMENTS = "hp finite elements of orders 16 and 18, which agree to 1e-13"
EXPANSION = "corner expansion, boundary misfit below 1e-13"


def square() -> fens.Box:
    return fens.Box({x: (0, 1), y: (0, 1)})


def l_shape() -> fens.Polygon:
    return fens.Polygon(plane.L_SHAPE, (x, y))


@case("Δu = 0 on the L, u = x²", 5, EXPANSION)
def l_squared() -> Stated:
    L = l_shape()
    problem = fens.Problem({L: sp.Eq(fens.laplacian(u), 0), L.boundary: sp.Eq(u, x**2)})
    return Stated(problem, field(of_polygon(plane.L_SHAPE), plane.l_squared(), 1e-10))


@case("−Δu = 1 on the unit square", 5, "Fourier series, summed by polylogarithms")
def square_with_source() -> Stated:
    domain = square()
    problem = fens.Problem({domain: sp.Eq(-fens.laplacian(u), 1), domain.boundary: sp.Eq(u, 0)})
    return Stated(problem, field(of_polygon(SQUARE), series.square_with_source, 1e-12))


@case("−Δu = 1 on the L", 10, EXPANSION)
def l_with_source() -> Stated:
    L = l_shape()
    problem = fens.Problem({L: sp.Eq(-fens.laplacian(u), 1), L.boundary: sp.Eq(u, 0)})
    return Stated(problem, field(of_polygon(plane.L_SHAPE), plane.l_with_source, 1e-10))


@case("Motz' problem", 10, "corner expansion, as published to 12 digits")
def motz() -> Stated:
    domain = fens.Polygon([(-1, 0), (0, 0), (1, 0), (1, 1), (-1, 1)], (x, y))
    insulated = sp.Eq(fens.normal_derivative(u), 0)
    conditions = [sp.Eq(u, 0), insulated, sp.Eq(u, 500), insulated, insulated]
    problem = fens.Problem({
        domain: sp.Eq(fens.laplacian(u), 0), **{domain.edge(k): c for k, c in enumerate(conditions)},
    })  # fmt: skip
    points = np.concatenate([of_polygon(RECTANGLE), near([(0, 0, 0, np.pi)])])
    expected = plane.motz()(*points.T)

    def figures(solution: Any) -> list[Figure]:
        error = largest(solution(*points.T), expected) / 500
        return [Figure("u / 500", error, 1e-10), *singular_coefficients(solution, plane.motz_coefficients()[:5], 1e-9)]

    return Stated(problem, figures, unit=500.0)


def singular_coefficients(solution: Any, expected: Array, asked: float) -> list[Figure]:
    """Coefficients of the leading terms at the origin, relative to the first one.

    As a user I would expect `solution.singular((0, 0))` to be a sequence of terms, leading ones first, each with an
    `exponent`, a `coefficient`, and an `error` of the coefficient, for functions r^λ cos λθ or r^λ sin λθ, θ from the
    first side of the corner counterclockwise, whichever the conditions of that side have.
    """
    if not hasattr(solution, "singular"):
        return [Figure("coefficients: no solution.singular yet", float("nan"), asked)]
    found = np.array([term.coefficient for term in solution.singular((0, 0))[: len(expected)]])
    return [Figure("coefficients / first", largest(found, expected) / abs(expected[0]), asked)]


@case("jump in the data: 1 on one side of a square, 0 on the others", 10, "series with its leading part in closed form")
def square_with_jump() -> Stated:
    domain = square()
    conditions = {domain.face(x, 0): 0, domain.face(x, 1): 0, domain.face(y, 0): 0, domain.face(y, 1): 1}
    problem = fens.Problem({
        domain: sp.Eq(fens.laplacian(u), 0), **{face: sp.Eq(u, value) for face, value in conditions.items()},
    })  # fmt: skip
    corners = corners_of(SQUARE)
    away = near(corners[2:], distances=np.array([1e-3, 3e-3, 1e-2, 3e-2, 1e-1]))
    points = np.concatenate([inside(SQUARE), near(corners[:2]), away])
    points = points[np.hypot(np.minimum(points[:, 0], 1 - points[:, 0]), 1 - points[:, 1]) > 0.999e-3]
    return Stated(problem, field(points, series.square_with_jump, 1e-10))


@case("torsion of an I-beam: stiffness", 60, ELEMENTS)
def beam() -> Stated:
    domain = fens.Polygon(meshes.I_BEAM, (x, y))
    problem = fens.Problem({domain: sp.Eq(-fens.laplacian(u), 2), domain.boundary: sp.Eq(u, 0)})
    table, stiffness = kept_table("beam_values"), kept("beam")["stiffness"]
    values = field(np.stack([table["x"], table["y"]], axis=1), table["u"], np.inf)

    def figures(solution: Any) -> list[Figure]:
        found = 2 * float(solution.integrate(u))
        relative = abs(found - stiffness) / stiffness
        return [*values(solution), Figure("stiffness", relative, 1e-9, f"{found:.12g}, off by {relative:.1e}")]

    return Stated(problem, figures)


def against_elements(column: str, equation: Any) -> Stated:
    """A problem on the L with u = 0 around it, against kept values."""
    L, table = l_shape(), kept_table("l_values")
    problem = fens.Problem({L: equation, L.boundary: sp.Eq(u, 0)})
    return Stated(problem, field(np.stack([table["x"], table["y"]], axis=1), table[column], 1e-9))


@case("−Δu + u³ = 1 on the L", 30, ELEMENTS)
def l_cubic() -> Stated:
    return against_elements("cubic", sp.Eq(-fens.laplacian(u) + u**3, 1))


@case("∇·((1 + x²)∇u) = 1 on the L", 30, ELEMENTS)
def l_variable() -> Stated:
    return against_elements("variable", sp.Eq(fens.div((1 + x**2) * fens.grad(u)), 1))


def slit_disc() -> Any:
    """The unit disc without the positive x axis."""
    return fens.Ball({x: 0, y: 0}, radius=1, name="disc") - fens.Segment((0, 0), (1, 0), (x, y), name="slit")


def half_angle() -> sp.Expr:
    """sin(θ/2) with 0 < θ < 2π, without cancellation and without a jump but at the slit."""
    return sp.cos(sp.atan2(y, -x) / 2)


def points_of_slit_disc() -> Array:
    """Everywhere, near the tip, and where the slit meets the circle, on both sides."""
    spread = inside(((-1, -1), (1, -1), (1, 1), (-1, 1)), 800)
    spread = spread[(np.hypot(*spread.T) < 1) & ((np.abs(spread[:, 1]) > 1e-6) | (spread[:, 0] < 0))]
    ends = [(1.0, 0.0, np.pi / 2 + 0.06, np.pi), (1.0, 0.0, np.pi, 1.5 * np.pi - 0.06)]
    return np.concatenate([spread, near([(0, 0, 0, 2 * np.pi)], angles=16), near(ends)])


def in_slit_disc(equation: Any, exact: sp.Expr, on_slit: sp.Expr) -> Stated:
    domain = slit_disc()
    problem = fens.Problem({
        domain: equation, domain.part("disc"): sp.Eq(u, exact), domain.part("slit"): sp.Eq(u, on_slit),
    })  # fmt: skip
    return Stated(problem, field(points_of_slit_disc(), sp.lambdify((x, y), exact, "numpy"), 1e-10))


def slit_solution() -> tuple[sp.Expr, sp.Expr]:
    """r^(1/2) sin(θ/2) plus a smooth function, and the smooth function."""
    smooth = sp.exp(x / 2) * sp.cos(y) + x * y**2
    return sp.sqrt(sp.sqrt(x**2 + y**2)) * half_angle() + smooth, smooth


@case("slit disc, r^(1/2) sin(θ/2) plus smooth", 10, "closed form")
def slit_with_source() -> Stated:
    exact, smooth = slit_solution()
    return in_slit_disc(sp.Eq(fens.laplacian(u), sp.diff(smooth, x, 2) + sp.diff(smooth, y, 2)), exact, smooth)


def slit_wave(k: int = 5) -> sp.Expr:
    """J_(1/2)(kr) sin(θ/2), which is elementary."""
    r = sp.sqrt(x**2 + y**2)
    return sp.sqrt(2 / (sp.pi * k * r)) * sp.sin(k * r) * half_angle()


@case("Helmholtz' equation with a slit, k = 5", 10, "closed form")
def slit_helmholtz() -> Stated:
    return in_slit_disc(sp.Eq(fens.laplacian(u) + 25 * u, 0), slit_wave(), sp.S.Zero)


@case("heat on a rod, 1 at first and 0 at the ends, t ≥ 1e-6", 10, "images of erfc, and sines")
def heat() -> Stated:
    v = sp.Function("v")(x, t)
    rod = fens.Box({x: (0, 1)}).during(t, 0, 1)
    problem = fens.Problem({
        rod: sp.Eq(v.diff(t), v.diff(x, 2)), rod.sides: sp.Eq(v, 0), rod.initial: sp.Eq(v, 1),
    })  # fmt: skip
    return Stated(problem, field(points_of_rod(), series.rod, 1e-9, "v"))


def points_of_rod() -> Array:
    """All times from 1e-6 on, at all distances of the ends, also those of the layer's width."""
    times = np.concatenate([10.0 ** np.linspace(-6, 0, 37), np.linspace(0.05, 1, 12)])
    close = 10.0 ** -np.arange(1, 9)
    found = []
    for time in times:
        layer = np.sqrt(time) * np.array([0.01, 0.1, 0.3, 1, 2, 4, 6])
        some = np.concatenate([np.linspace(0.05, 0.5, 8), close, layer[layer < 0.5]])
        both = np.concatenate([some, 1 - some])
        found.append(np.stack([both, np.full(len(both), time)], axis=1))
    return np.concatenate(found)
