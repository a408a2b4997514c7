"""
Approximating a function on a flower
====================================

With no derivative in it an equation says what a function is, and solving it is approximation: `{flower: Eq(u, f)}`.
The domain may have any shape, here a star given by its radius as a function of the angle.
"""

import sympy as sp

import fens

x, y, theta = sp.symbols("x y theta")
u = sp.Function("u")(x, y)
flower = fens.Star({x: 0, y: 0}, radius=1 + sp.cos(5 * theta) / 4, angle=theta)

f = sp.sin(3 * x * y) + sp.exp(-((x - 0.3) ** 2) - y**2)
solution = fens.solve(fens.Problem({flower: sp.Eq(u, f)}))
figure = solution.plot()

# %%
# How many features it took, and what it says of its error:
print(solution)

# %%
# What is left is a function: its mean over the flower, its slope and its Laplacian, none of which was asked for.
points, weights = flower.quadrature(60)
mean = solution.integrate(u, points=60) / weights.sum()
known_mean = weights @ sp.lambdify((x, y), f)(*points.T) / weights.sum()
print(f"mean {mean:.13f}, known {known_mean:.13f}")
slope = solution.diff(x)(0.2, 0.1)
known_slope = float(f.diff(x).subs({x: 0.2, y: 0.1}))
print(f"slope {slope:.13f}, known {known_slope:.13f}")
error = solution.compare(f)
print(f"true error: {error}")
assert abs(mean - known_mean) < 1e-12
assert abs(slope - known_slope) < 1e-9
assert error.linf < 1e-11
