r"""
Ten dimensions
==============

:math:`-\Delta u = f` in :math:`(-1, 1)^{10}`. A grid with ten points along each axis would have ten thousand million.
Features do not need a grid, and learn along which directions the solution varies.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

import fens

d = 10
xs = sp.symbols(f"x1:{d + 1}")
u = sp.Function("u")(*xs)
mean = sp.Add(*xs) / d
known = mean**2 + sp.sin(mean)

cube = fens.Box(dict.fromkeys(xs, (-1, 1)))
minus_laplacian = -sp.Add(*(u.diff(s, 2) for s in xs))
# the source follows from the solution we know
problem = fens.manufacture({cube: minus_laplacian, cube.boundary: u}, u, known)
solution = fens.solve(problem, features=600)
print(solution)

# %%
# The true error at twenty thousand points.
error = solution.compare(known)
print(error)
assert error.linf < 1e-10

# %%
# Along the diagonal, and along a line on which the solution does not change at all.
at = np.linspace(-1, 1, 201)
along, across = [at] * d, [at, -at] * (d // 2)
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.plot(at, solution(*along), label="along the diagonal")
axes.plot(at, solution(*across), label="across it")
axes.set(xlabel="each coordinate, up to its sign", ylabel="u")
axes.legend()
