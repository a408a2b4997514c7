"""
A disc of one material in another
=================================

A disc that conducts ten times worse than what surrounds it, in a uniform flow of heat. Across the rim the temperature
and the flux are continuous, but the slope jumps. So each material has a function of its own, joined by two equations
on the boundary they share.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

import fens

conductivity, radius = 10, sp.Rational(3, 5)
x, y = sp.symbols("x y")
inner, outer = sp.Function("inner")(x, y), sp.Function("outer")(x, y)

disc = fens.Ball({x: 0, y: 0}, radius=radius, name="disc")
around = fens.Box({x: (-1, 1), y: (-1, 1)}, name="outside") - disc

# %%
# In an unbounded plane the solution is known; its values on the outside make this one the same.
step = sp.Rational(1 - conductivity, 1 + conductivity)
known = {outer: x - step * x * radius**2 / (x**2 + y**2), inner: x * (1 - step)}

solution = fens.solve(
    fens.Problem(
        {
            disc: sp.Eq(fens.div(fens.grad(inner)), 0),
            around: sp.Eq(fens.div(conductivity * fens.grad(outer)), 0),
            around.part("outside"): sp.Eq(outer, known[outer]),
            disc.boundary: [
                sp.Eq(inner, outer),
                sp.Eq(fens.normal_derivative(inner), conductivity * fens.normal_derivative(outer)),
            ],
        }
    ),
    features=200,
)

# %%
# Each function is NaN outside of its own domain, so that both can be put into one picture.
xs, ys = np.meshgrid(np.linspace(-1, 1, 301), np.linspace(-1, 1, 301))
inside, outside = solution[inner](xs, ys), solution[outer](xs, ys)
values = np.where(np.isnan(inside), outside, inside)
figure, axes = plt.subplots(figsize=(6, 5), layout="constrained")
image = axes.pcolormesh(xs, ys, values, shading="gouraud", cmap="RdBu_r")
axes.contour(xs, ys, values, 21, colors="black", linewidths=0.5)
axes.set(xlabel="x", ylabel="y", aspect="equal")
figure.colorbar(image, label="temperature")

# %%
errors = solution.compare(known)
for unknown, error in errors.items():
    print(f"{unknown}: {error}")
print(solution.error)
assert max(e.linf for e in errors.values()) < 1e-9
