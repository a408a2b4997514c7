"""Real domains and conditions, with scale and points by default.

    python benchmarks/shapes.py [NAME ...]
"""

import sys
import time

import sympy as sp

import fens
from fens import zoo

SIZES = {
    "holed_square": (900, 2e-14),
    "annulus": (900, 1e-12),
    "bent_polygon": (1600, 1e-13),
    "corner_singularity": (1600, 1e-13),
    "robin_and_periodic": (900, 1e-12),
    "interface": (900, 1e-11),
    "neumann_disc": (900, 1e-12),
    "holed_plate": (2500, 1e-10),
}


def largest(solution, exact):
    """The largest error, of several unknowns that of the worst."""
    found = solution.compare(exact)
    return max(c.linf for c in found.values()) if isinstance(found, dict) else found.linf


def torus(sections):
    """Poisson in a torus of triangles, with the values of the curved one at the nearest place on its surface."""
    import trimesh

    x, y, z = sp.symbols("x y z")
    u = sp.Function("u")(x, y, z)
    mesh = trimesh.creation.torus(1.0, 0.4, major_sections=2 * sections, minor_sections=sections)
    solid = fens.Surface(mesh.vertices, (x, y, z), mesh.faces)
    exact = sp.exp(x / 2) * sp.sin(y) + z**2
    around = sp.sqrt(x**2 + y**2)
    from_tube = sp.sqrt((around - 1) ** 2 + z**2)
    factor = sp.Rational(2, 5) / from_tube  # moves a point of the mesh onto the torus
    radius = 1 + (around - 1) * factor
    there = {x: x / around * radius, y: y / around * radius, z: z * factor}
    laplacian = sum(u.diff(s, 2) for s in (x, y, z))
    problem = fens.Problem({
        solid: sp.Eq(laplacian, laplacian.subs(u, exact).doit()),
        solid.boundary: sp.Eq(u, exact.subs(there, simultaneous=True)),
    })  # fmt: skip
    return problem, exact


def main(names):
    """Run the chosen problems, or all, and print a table."""
    print("| problem | features | L∞ | wanted | estimate | verdict | seconds |", "|---" * 7 + "|", sep="\n")
    for make in zoo.SHAPES:
        known = make()
        if names and known.name not in names:
            continue
        features, bound = SIZES[known.name]
        start = time.perf_counter()
        solution = fens.solve(known.problem, features=features)
        seconds = time.perf_counter() - start
        error = largest(solution, known.exact)
        wanted = "–" if bound is None else f"{bound:.0e}{'' if error <= bound else ' MISSED'}"
        print(f"| {known.name} | {features} | {error:.1e} | {wanted} | {solution.error.estimate:.1e} | "
              f"{solution.error.verdict} | {seconds:.0f} |", flush=True)  # fmt: skip
    for sections in (12, 24, 48) if not names or "torus" in names else ():
        problem, exact = torus(sections)
        error = fens.solve(problem, features=1600, scale=1.5, estimate=False).compare(exact).linf
        print(f"| torus, {sections} triangles around the tube | 1600 | {error:.1e} | the mesh | | | |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
