r"""
A front that is found: Burgers' equation
========================================

:math:`u_t + u u_x = \varepsilon u_{xx}` has fronts of width :math:`\varepsilon` that travel. Random frequencies that
point in all directions waste most of themselves on such a function, which varies across the front only. `adapt` lets
them learn the directions from rough solutions. Nothing is told of where the front is, nor how steep.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

import fens

viscosity = sp.Rational(1, 50)
x, t = sp.symbols("x t")
u = sp.Function("u")(x, t)
known = 1 / (1 + sp.exp((x - t / 2) / (2 * viscosity)))

strip = fens.Box({x: (0, 1)}).during(t, 0, 1)
problem = fens.Problem(
    {
        strip: sp.Eq(u.diff(t) + u * u.diff(x), viscosity * u.diff(x, 2)),
        strip.sides: sp.Eq(u, known),
        strip.initial: sp.Eq(u, known),
    }
)

# %%
# With frequencies alike in all directions, which do not resolve the front, and with frequencies that learn.
warnings.simplefilter("ignore", fens.UnreliableWarning)
alike = fens.solve(problem, features=300, adapt=False)
learnt = fens.solve(problem, features=300, adapt=True)
figure = learnt.plot()

# %%
for name, solution in {"alike": alike, "learnt": learnt}.items():
    error = solution.compare(known).linf
    found = solution.error
    print(f"{name}: true error {error:.1e}, expected {found.estimate:.1e}, {found.verdict}")
assert error < 1e-6

# %%
# The frequencies themselves: those that were learnt lie along one line, that of :math:`x - t/2`.
comparison, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
for panel, (name, solution) in zip(axes, {"alike": alike, "learnt": learnt}.items(), strict=True):
    W = np.asarray(solution.features.members[0].W)
    panel.plot(*W.T, ".", ms=3)
    panel.set(title=name, xlabel="frequency along x", ylabel="frequency along t")
