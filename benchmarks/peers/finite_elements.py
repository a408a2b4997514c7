"""scikit-fem, as its examples do it: triangles or quadrilaterals in the plane, Crank–Nicolson steps in time.

The defaults are those of the examples: `MeshTri().refined(4)` with `ElementTriP1` for a Poisson problem in the README
(a unit square there, too), and time steps of 0.01 with the same mesh for the heat equation.
"""

from __future__ import annotations

import numpy as np
import skfem
from scipy.sparse.linalg import splu
from skfem.helpers import dot, grad

NAME = "scikit-fem"
DISTRIBUTIONS = ("scikit-fem", "numpy", "scipy")
DEFAULTS = (
    "README: `MeshTri().refined(4)`, `ElementTriP1`; time steps of 0.01, Crank–Nicolson, as in its example 19; "
    "`MeshLine().refined(7)` for Burgers, which is like none of its examples"
)
UNAVAILABLE = {
    "poisson_5d": "meshes have at most three dimensions",
    "poisson_10d": "meshes have at most three dimensions",
}
HARNESS = ("sampled", "within")  # evaluation, which is not timed


def settings(problem):
    """Degrees and refinements, from coarse to fine."""
    if problem in ("helmholtz", "holed_square"):
        plane = [(2, 4), (4, 4), (4, 5), (8, 2), (8, 3), (12, 2)]
        return [{"degree": p, "refine": r} for p, r in plane if problem == "helmholtz" or p <= 4]
    if problem == "heat":
        return [
            {"degree": p, "refine": r, "steps": s} for p, r, s in ((2, 3, 50), (2, 4, 200), (4, 3, 400), (4, 4, 2000))
        ]
    return [{"degree": p, "refine": r, "steps": s} for p, r, s in ((2, 7, 400), (4, 6, 1500), (4, 6, 6000))]


def element(degree):
    """Triangles up to degree four, quadrilaterals above."""
    triangles = {1: skfem.ElementTriP1(), 2: skfem.ElementTriP2(), 4: skfem.ElementTriP4()}
    return triangles.get(degree) or skfem.ElementQuadP(degree)


def dirichlet(basis, g):
    """The values on the boundary of a function, and zero inside."""
    x = basis.zeros()
    on_boundary = basis.get_dofs()
    x[on_boundary] = basis.boundary().project(g)[on_boundary]
    return x, on_boundary


def helmholtz(degree=1, refine=4):
    def exact(x):
        return np.sin(np.pi * x[0]) * np.sin(4 * np.pi * x[1])

    @skfem.BilinearForm
    def operator(u, v, w):
        return u * v - dot(grad(u), grad(v))

    @skfem.LinearForm
    def load(v, w):
        return (1 - 17 * np.pi**2) * exact(w.x) * v

    mesh = (skfem.MeshTri if degree <= 4 else skfem.MeshQuad)().refined(refine)
    basis = skfem.Basis(mesh, element(degree), intorder=2 * degree + 2)
    x, D = dirichlet(basis, exact)
    return basis, skfem.solve(*skfem.condense(operator.assemble(basis), load.assemble(basis), x=x, D=D))


def holed_square(degree=1, refine=4):
    def exact(x):
        return np.exp(x[0]) * np.sin(3 * x[1])

    @skfem.BilinearForm
    def operator(u, v, w):
        return -dot(grad(u), grad(v))

    @skfem.LinearForm
    def load(v, w):
        return -8 * exact(w.x) * v

    around, out = 4 * 2**refine, 2 ** (refine - 1)
    angle = 2 * np.pi * np.arange(around + 1) / around
    circle = 0.25 * np.array([np.cos(angle), np.sin(angle)])
    square = 0.5 * circle / np.abs(circle).max(axis=0)
    share = np.linspace(0, 1, out + 1)
    grid = skfem.MeshTri.init_tensor(np.arange(around + 1.0), share)
    k = grid.p[0].astype(int) % around
    points = 0.5 + (1 - grid.p[1]) * circle[:, k] + grid.p[1] * square[:, k]
    mesh = skfem.MeshTri(points, grid.t).remove_duplicate_nodes()
    basis = skfem.Basis(mesh, element(degree), intorder=2 * degree + 2)
    x, D = dirichlet(basis, exact)
    return basis, skfem.solve(*skfem.condense(operator.assemble(basis), load.assemble(basis), x=x, D=D))


def heat(degree=1, refine=4, steps=100):
    def exact(x, t):
        return 2 * np.exp(-t) * np.sin(np.pi * x[0] / 2) * np.sin(np.pi * x[1] / 2)

    @skfem.BilinearForm
    def mass(u, v, w):
        return u * v

    @skfem.BilinearForm
    def stiffness(u, v, w):
        return dot(grad(u), grad(v))

    @skfem.LinearForm
    def load(v, w):
        return (np.pi**2 / 2 - 1) * exact(w.x, 0) * v

    basis = skfem.Basis(skfem.MeshTri().refined(refine), element(degree), intorder=2 * degree + 2)
    M, K, b = mass.assemble(basis), stiffness.assemble(basis), load.assemble(basis)
    g, D = dirichlet(basis, lambda x: exact(x, 0))
    inside = np.setdiff1d(np.arange(basis.N), D.flatten())
    u, h = basis.project(lambda x: exact(x, 0)), 1 / steps
    left, right, found = M / h + K / 2, M / h - K / 2, [u]
    factorised = splu(left[inside][:, inside].tocsc())
    for t in h * np.arange(steps):
        new = np.exp(-t - h) * g
        forcing = right @ u + b * (np.exp(-t) + np.exp(-t - h)) / 2 - left @ new
        new[inside] = factorised.solve(forcing[inside])
        found.append(u := new)
    return basis, np.array(found)


def burgers(degree=1, refine=7, steps=100):
    def exact(x, t):
        return 1 / (1 + np.exp(50 * (x[0] - t)))

    @skfem.BilinearForm
    def mass(u, v, w):
        return u * v

    @skfem.BilinearForm
    def jacobian(u, v, w):
        return (w["u"] * u.grad[0] + u * w["u"].grad[0]) * v + u.grad[0] * v.grad[0] / 100

    @skfem.LinearForm
    def flux(v, w):
        front = exact(w.x, w["t"])
        return (w["u"] * w["u"].grad[0] - 25 * front * (1 - front)) * v + w["u"].grad[0] * v.grad[0] / 100

    line = {1: skfem.ElementLineP1(), 2: skfem.ElementLineP2()}.get(degree) or skfem.ElementLinePp(degree)
    basis = skfem.Basis(skfem.MeshLine().refined(refine), line, intorder=3 * degree)
    M, D, h = mass.assemble(basis), basis.get_dofs(), 1 / steps
    u = basis.project(lambda x: exact(x, 0))
    found = [u]
    for t in h * np.arange(1, steps + 1):
        before, old = u, flux.assemble(basis, u=basis.interpolate(u), t=t - h)
        u = u.copy()
        u[basis.get_dofs({"left": lambda x: x[0] == 0, "right": lambda x: x[0] == 1})["left"]] = exact([0.0], t)
        u[basis.get_dofs({"left": lambda x: x[0] == 0, "right": lambda x: x[0] == 1})["right"]] = exact([1.0], t)
        for _ in range(10):
            now = basis.interpolate(u)
            residual = M @ (u - before) / h + (flux.assemble(basis, u=now, t=t) + old) / 2
            J = M / h + jacobian.assemble(basis, u=now) / 2
            step = skfem.solve(*skfem.condense(J, -residual, D=D))
            u = u + step
            if np.abs(step).max() < 1e-12:
                break
        found.append(u)
    return basis, np.array(found)


def sampled(basis, found, points):
    """Values at points in space and time, by cubic interpolation between four steps."""
    at_steps = (basis.probes(within(points[:, :-1].T)) @ found.T).reshape(len(points), -1)
    steps = at_steps.shape[1] - 1
    s = points[:, -1] * steps
    first = np.clip(np.floor(s).astype(int) - 1, 0, steps - 3)
    local, k = s - first, np.arange(4)
    weights = [np.prod([(local - j) / (i - j) for j in k if j != i], axis=0) for i in k]
    return sum(w * at_steps[np.arange(len(points)), first + i] for i, w in enumerate(weights))


def within(x):
    """Points of the unit square, those on its sides a trifle inside: there the finder may miss them."""
    return 0.5 + (1 - 1e-13) * (x - 0.5)


def predictor(result):
    """What a run returned, as a function of points."""
    basis, found = result
    if found.ndim == 2:
        return lambda points: sampled(basis, found, points)
    return lambda points: np.asarray(basis.probes(within(points.T)) @ found).ravel()
