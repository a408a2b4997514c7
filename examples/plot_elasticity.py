"""
A hole in a plate under tension
===============================

Linear elasticity in plane stress. A large plate is pulled along x, and a round hole of radius 1 in it is free of
forces. Kirsch found in 1898 that the stress at the sides of the hole is three times that far away. We solve for the
displacements on a square around the hole, on whose outside they are those of Kirsch's solution.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

import fens

# %%
# Young's modulus 1, Poisson's ratio 0.3, tension 1. Kirsch's displacements in polar coordinates, turned into x and y.
nu = sp.Rational(3, 10)
shear, kappa = 1 / (2 * (1 + nu)), (3 - nu) / (1 + nu)
x, y = sp.symbols("x y", real=True)
u, v = sp.Function("u")(x, y), sp.Function("v")(x, y)
r2 = x**2 + y**2
cos, sin = (x**2 - y**2) / r2, 2 * x * y / r2  # of twice the angle
outwards = ((kappa - 1) / 2 + 1 / r2 + (1 + (1 + kappa) / r2 - 1 / r2**2) * cos) / (4 * shear)
around = -(1 + (kappa - 1) / r2 + 1 / r2**2) * sin / (4 * shear)
known = {u: outwards * x - around * y, v: outwards * y + around * x}

# %%
# Hooke's law, equilibrium inside, no traction on the rim of the hole.
factor = 1 / (1 - nu**2)
xx, yy = factor * (u.diff(x) + nu * v.diff(y)), factor * (v.diff(y) + nu * u.diff(x))
xy = shear * (u.diff(y) + v.diff(x))
n, m = fens.normal(x), fens.normal(y)

hole = fens.Ball({x: 0, y: 0}, radius=1, name="hole")
plate = fens.Box({x: (-2, 2), y: (-2, 2)}, name="outside") - hole
solution = fens.solve(
    fens.Problem(
        {
            plate: [sp.Eq(xx.diff(x) + xy.diff(y), 0), sp.Eq(xy.diff(x) + yy.diff(y), 0)],
            plate.part("hole"): [sp.Eq(xx * n + xy * m, 0), sp.Eq(xy * n + yy * m, 0)],
            plate.part("outside"): [sp.Eq(u, known[u]), sp.Eq(v, known[v])],
        }
    ),
    features=350,
)


def stress(a, b):
    """Along x, from exact derivatives of the computed displacements."""
    return float(factor) * (solution[u].diff(x)(a, b) + float(nu) * solution[v].diff(y)(a, b))


# %%
xs, ys = np.meshgrid(np.linspace(-2, 2, 301), np.linspace(-2, 2, 301))
figure, axes = plt.subplots(figsize=(6, 5), layout="constrained")
image = axes.pcolormesh(xs, ys, stress(xs, ys), shading="gouraud", cmap="viridis")
axes.set(xlabel="x", ylabel="y", aspect="equal")
figure.colorbar(image, label="stress along x, relative to the tension")

# %%
# The derivatives of a solution are as good as it is.
print(f"stress at the side of the hole: {stress(0.0, 1.0):.9f}")
print(f"expected error of the displacements: {solution.error.estimate:.0e}")
assert abs(stress(0.0, 1.0) - 3) < 1e-4
