"""Problems with several unknowns, as a user states them: elasticity, Stokes flow, materials that meet at a point."""

from typing import Any

import numpy as np
import sympy as sp

import fens

from . import cavity, williams
from .cases import Figure, Stated, case, fields, largest, x, y
from .points import Array, corners_of, inside, near, of_polygon

u, v, p = (sp.Function(name)(x, y) for name in "uvp")
SQUARE = ((0, 0), (1, 0), (1, 1), (0, 1))


@case("elasticity on the L, one side clamped, the others pulled", 60, "closed form, λ = 0.342 + 0.034i, …")
def elasticity() -> Stated:
    L = fens.Polygon(williams.SHAPE, (x, y))
    exact = williams.displacement(x, y)
    xx, yy, xy = williams.stresses(u, v, x, y)
    sxx, syy, sxy = williams.exact_stresses(x, y)
    upright, level = [sp.Eq(xx, sxx), sp.Eq(xy, sxy)], [sp.Eq(yy, syy), sp.Eq(xy, sxy)]
    sides = {L.edge(0): level, L.edge(1): upright, L.edge(4): level, L.edge(5): upright}
    sides |= {L.edge(2): [sp.Eq(u, 0), sp.Eq(v, 0)], L.edge(3): [sp.Eq(xx, 0), sp.Eq(xy, 0)]}
    problem = fens.Problem({L: [sp.Eq(xx.diff(x) + xy.diff(y), 0), sp.Eq(xy.diff(x) + yy.diff(y), 0)], **sides})
    points = of_polygon(williams.SHAPE)
    known = sp.lambdify((x, y), exact, "numpy", cse=True)(*points.T)
    return Stated(problem, fields(points, dict(zip((u, v), known, strict=True)), 1e-8))


@case("Stokes flow in a lid-driven cavity", 60, "corner functions, misfit on the walls below 1e-12")
def lid_driven_cavity() -> Stated:
    square = fens.Box({x: (0, 1), y: (0, 1)})
    walls = {square.face(x, 0): 0, square.face(x, 1): 0, square.face(y, 0): 0, square.face(y, 1): 1}
    problem = fens.Problem({
        square: [
            sp.Eq(fens.laplacian(u), p.diff(x)), sp.Eq(fens.laplacian(v), p.diff(y)),
            sp.Eq(u.diff(x) + v.diff(y), 0), sp.Eq(fens.integral(p), 0),
        ],
        **{wall: [sp.Eq(u, speed), sp.Eq(v, 0)] for wall, speed in walls.items()},
    })  # fmt: skip
    points = points_of_cavity()
    velocity = fields(points, dict(zip((u, v), cavity.velocity(*points.T), strict=True)), 1e-8)
    return Stated(problem, lambda solution: [*velocity(solution), *eddies(solution)])


def points_of_cavity() -> Array:
    """Down to 1e-8 of the bottom corners, and to 1e-5 of the lid's."""
    corners = corners_of(SQUARE)
    found = np.concatenate([inside(SQUARE), near(corners[:2]), near(corners[2:], 10.0 ** -np.arange(1, 6))])
    return found[np.hypot(np.minimum(found[:, 0], 1 - found[:, 0]), 1 - found[:, 1]) > 0.999e-5]


def eddies(solution: Any) -> list[Figure]:
    """Centres and ψ of the first two eddies of each bottom corner, relative to their distances and sizes."""
    found = []
    for k, (centre, size) in enumerate(cavity.eddies(), 1):
        places, sizes = [], []
        for side in ("left", "right"):
            motion = in_corner(solution, side)
            try:
                place = cavity.still(motion, centre)
            except np.linalg.LinAlgError:
                place = complex("nan")
            places.append(abs(place - centre) / abs(centre))
            sizes.append(abs(stream_at(motion, place) - size) / abs(size))
        found += [Figure(f"eddy {k}: centre", worst(places), 1e-4), Figure(f"eddy {k}: ψ", worst(sizes), 1e-4)]
    return found


def worst(errors: list[float]) -> float:
    return max(errors) if np.isfinite(errors).all() else float("inf")


def in_corner(solution: Any, side: str) -> Any:
    """u + iv as a function of the offset from a bottom corner, the right one seen in a mirror."""

    def motion(z: Array) -> Array:
        at = z.real if side == "left" else 1 - z.real
        across = solution[v](at, z.imag) if side == "left" else -solution[v](at, z.imag)
        return np.asarray(solution[u](at, z.imag) + 1j * across)

    return motion


def stream_at(motion: Any, place: complex) -> float:
    """ψ, by integrating u from the wall below."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    height = place.imag
    return float(np.sum(weights * motion(place.real + 0.5j * height * (1 + nodes)).real) * height / 2)


def checkerboard_exponent() -> float:
    """λ with tan(λπ/4)² = 1/100."""
    return 4 / np.pi * float(np.arctan(0.1))


def checkerboard_angular(theta: Any, quadrant: int) -> Any:
    """The function of the angle in a quadrant, 0 being the first, where the coefficient is 100.

    cos λ(θ − π/4) and −cot(λπ/4) sin λ(θ − 3π/4), then the same with the opposite sign: continuous, with a continuous
    flux, as tan(λπ/4)² = 1/100.
    """
    s, sign = sp.Float(checkerboard_exponent(), 17), 1 if quadrant < 2 else -1
    middle = sp.pi / 4 + quadrant * sp.pi / 2
    return sign * (sp.cos(s * (theta - middle)) if quadrant % 2 == 0 else -10 * sp.sin(s * (theta - middle)))


def checkerboard_exact(quadrant: int) -> sp.Expr:
    """r^λ times the angular function, with an angle that does not jump within the quadrant."""
    towards = sp.pi / 4 + quadrant * sp.pi / 2
    c, s = sp.cos(towards), sp.sin(towards)
    theta = towards + sp.atan2(c * y - s * x, c * x + s * y)
    return (x**2 + y**2) ** (sp.Float(checkerboard_exponent(), 17) / 2) * checkerboard_angular(theta, quadrant)


@case("checkerboard of coefficients 1 and 100, r^0.127", 60, "closed form")
def checkerboard() -> Stated:
    sides = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    boxes = [fens.Box({x: (min(0, a), max(0, a)), y: (min(0, b), max(0, b))}) for a, b in sides]
    parts = [sp.Function(f"u{k + 1}")(x, y) for k in range(4)]
    exact = [checkerboard_exact(k) for k in range(4)]
    equations: dict[Any, Any] = {box: sp.Eq(fens.laplacian(w), 0) for box, w in zip(boxes, parts, strict=True)}
    for box, w, known, (a, b) in zip(boxes, parts, exact, sides, strict=True):
        equations |= {box.face(x, a): sp.Eq(w, known), box.face(y, b): sp.Eq(w, known)}
    for k, coordinate in enumerate((x, y, x, y)):  # between quadrant k and the next
        first, second = parts[k], parts[(k + 1) % 4]
        fluxes = (100, 1) if k % 2 == 0 else (1, 100)
        shared = sp.Eq(fluxes[0] * first.diff(coordinate), fluxes[1] * second.diff(coordinate))
        equations[boxes[k].face(coordinate, 0)] = [sp.Eq(first, second), shared]
    points = [of_quadrant(k) for k in range(4)]
    known = [sp.lambdify((x, y), e, "numpy")(*q.T) for e, q in zip(exact, points, strict=True)]

    def figures(solution: Any) -> list[Figure]:
        errors = [largest(solution[w](*q.T), e) for w, q, e in zip(parts, points, known, strict=True)]
        return [Figure("u", worst(errors), 1e-8)]

    return Stated(fens.Problem(equations), figures)


def of_quadrant(k: int) -> Array:
    """Points of one of the four squares, at all distances of its corners."""
    square = np.array(SQUARE) @ np.array([1, 1j]) * 1j**k
    return of_polygon([(round(z.real), round(z.imag)) for z in square], 200)
