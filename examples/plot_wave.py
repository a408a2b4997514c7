"""
A string for a long time
========================

A plucked string, :math:`u_{tt} = u_{xx}`, over five of its periods. In one piece so many oscillations would take very
many features; `blocks=` marches through time, each block beginning where the one before it ends.
"""

import numpy as np
import sympy as sp

import fens

x, t = sp.symbols("x t")
u = sp.Function("u")(x, t)
periods = 5

# %%
# Sides that are held fast, and an initial shape made of two tones.
string = fens.Box({x: (0, 1)}).during(t, 0, 2 * periods)
shape = sp.sin(sp.pi * x) + sp.sin(3 * sp.pi * x) / 4
solution = fens.solve(
    fens.Problem(
        {
            string: sp.Eq(u.diff(t, 2), u.diff(x, 2)),
            string.sides: sp.Eq(u, 0),
            string.initial: [sp.Eq(u, shape), sp.Eq(u.diff(t), 0)],
        }
    ),
    features=300,
    blocks=10,
)
figure = solution.plot()

# %%
# After whole periods the string must be where it began.
at = np.linspace(0, 1, 201)
begun = sp.lambdify(x, shape)(at)
for period in (1, 3, 5):
    error = np.abs(solution(at, 2.0 * period) - begun).max()
    print(f"after {period:2d} periods: {error:.1e}")
print(f"expected error: {solution.error.estimate:.1e}")
assert error < 1e-8
