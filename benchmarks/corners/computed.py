"""Makes the references that take longer than a second, each in two ways or at two resolutions, and keeps them."""

import numpy as np

from . import meshes, plane
from .elements import Array, Mesh, none, one
from .particular import Particular
from .points import of_polygon
from .store import keep, keep_table

ORDERS = (16, 18)  # of the finite elements; the difference between them is kept as the accuracy
L_GUESSES = (9.64, 15.2, 19.74, 29.52, 31.91, 41.47, 44.95, 49.35, 56.71)
REGULAR_GUESSES = {  # the distinct ones among the first ten, counted with quadratic elements of scikit-fem
    5: (7.957, 20.106, 35.655, 41.314, 55.701, 64.522),
    6: (7.155, 18.132, 32.452, 37.491, 47.629, 52.638, 60.105),
}


def cubic(mesh: Mesh, steps: int = 6) -> Array:
    """−Δu + u³ = 1 by Newton's method, which needs few steps: u is small."""
    u = mesh.nothing()
    for _ in range(steps):
        u = mesh.solve(u, one, lambda x, y, v: 3 * v**2, lambda x, y, v: 1 + 2 * v**3)
    return u


def variable(mesh: Mesh) -> Array:
    """∇·((1 + x²)∇u) = 1; the mesh has its origin at (1, 1)."""
    return mesh.solve(mesh.nothing(), lambda x, y, v: 1 + (x + 1) ** 2, none, lambda x, y, v: -np.ones_like(x))


def source(mesh: Mesh) -> Array:
    return mesh.solve(mesh.nothing(), one, none, one)


def make_l() -> None:
    """Values on the L, of which −Δu = 1 is known otherwise."""
    points = of_polygon(plane.L_SHAPE)
    x, y = points.T - 1.0
    coarse, fine = (meshes.l_mesh(order) for order in ORDERS)
    found, accuracy = {"x": points[:, 0], "y": points[:, 1]}, {}
    for solve in (cubic, variable, source):
        values = [mesh.evaluate(solve(mesh), x, y) for mesh in (coarse, fine)]
        found[solve.__name__], accuracy[solve.__name__] = values[1], float(np.abs(values[1] - values[0]).max())
    known = float(np.abs(found.pop("source") - plane.l_with_source(*points.T)).max())
    keep_table("l_values", found)
    accuracy["source, relative to its expansion"] = known
    keep("l_accuracy", {"largest difference between orders 16 and 18": accuracy})


def make_beam() -> None:
    """Torsion of the I-beam: −Δφ = 2; the stiffness is twice the integral of φ."""
    points = of_polygon(meshes.I_BEAM)
    x, y = np.abs(points[:, 0]) - 0.1, np.abs(points[:, 1]) - 0.7
    found = []
    for order in ORDERS:
        mesh = meshes.beam_mesh(order)
        u = source(mesh)
        found.append((16 * mesh.integral(u, lambda x, y, v: v), 2 * mesh.evaluate(u, x, y)))
    keep_table("beam_values", {"x": points[:, 0], "y": points[:, 1], "u": found[1][1]})
    stiffness, values = (abs(b - a) for a, b in zip(*found, strict=True))
    accuracy = {"stiffness": stiffness, "values": float(values.max())}
    keep("beam", {"stiffness": found[1][0], "largest difference between orders 16 and 18": accuracy})


def make_eigenvalues() -> None:
    """The first ten of the L and of regular polygons in the unit circle, by particular solutions and finite elements.

    The former have 15 digits where one corner is singular. Where all are, too many particular solutions are worse than
    enough of them, as rounding then decides which are kept, and the latter are more accurate.
    """
    l_meshes = [meshes.l_mesh(p) for p in (12, 14)]
    found = {"L": eigenvalues(Particular(plane.L_SHAPE, [3], 72), l_meshes, L_GUESSES, "particular")}
    for sides, name, terms in ((5, "pentagon", 12), (6, "hexagon", 9)):
        vertices = [(c.real, c.imag) for c in meshes.regular(sides)]
        pair = [meshes.regular_mesh(sides, p) for p in (12, 14)]
        found[name] = eigenvalues(Particular(vertices, range(sides), terms), pair, REGULAR_GUESSES[sides], "elements")
    keep("eigenvalues", found)


def eigenvalues(particular: Particular, pair: list[Mesh], guesses: tuple[float, ...], best: str) -> dict[str, object]:
    """Ten of them, double ones twice, with the largest relative differences between meshes and between methods."""
    several, orders, methods = [], [], []
    for guess in guesses:
        other, multiplicity = particular.near(guess, 0.02)
        coarse, fine = (by_elements(mesh, other * (1 + 1e-4)) for mesh in pair)
        several += [other if best == "particular" else (coarse + fine) / 2] * multiplicity
        orders.append(abs(fine - coarse) / fine)
        methods.append(abs(fine - other) / fine)
    return {
        "values": several[:10],
        "largest relative difference between orders 12 and 14": max(orders),
        "largest relative difference between both methods": max(methods),
    }


def by_elements(mesh: Mesh, shift: float) -> float:
    """The eigenvalue of a mesh next to a shift: inverse iteration, then Rayleigh's quotient."""
    u = np.random.default_rng(0).normal(size=mesh.nothing().shape)
    for _ in range(3):
        u = mesh.solve(u, one, lambda x, y, v: np.full_like(x, -shift), lambda x, y, v: v)
        u = u / np.sqrt(mesh.integral(u, lambda x, y, v: v**2))
    return sum(float(u[e] @ mesh.matrices(e, u[e], one, none, none)[0] @ u[e]) for e in range(len(u)))


MAKERS = {"l": make_l, "beam": make_beam, "eigenvalues": make_eigenvalues}
