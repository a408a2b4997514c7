r"""
A kink that travels: the sine-Gordon equation
=============================================

:math:`u_{tt} - u_{xx} + \sin u = 0` is the equation of a row of coupled pendulums. One that is turned over makes a
kink, which here moves at half the speed of light without changing its shape.
"""

import sympy as sp

import fens

# Parameters
speed = sp.Rational(1, 2)
gamma = 1 / sp.sqrt(1 - speed**2)

# Domain: a line through time
x, t = sp.symbols("x t")
line = fens.Box({x: (-4, 4)}).during(t, 0, 1)

# Unknown, and the solution we know
u = sp.Function("u")(x, t)
known = 4 * sp.atan(sp.exp(gamma * (x - speed * t)))

# Equations
problem = fens.Problem(
    {
        line: u.diff(t, 2) - u.diff(x, 2) + sp.sin(u),
        line.sides: sp.Eq(u, known),
        line.initial: [sp.Eq(u, known), sp.Eq(u.diff(t), known.diff(t))],
    }
)

# %%
solution = fens.solve(problem, features=500)
figure = solution.plot()

# %%
# Newton's method, step by step, and the error.
for state in solution.stats.iterations:
    print(state)
error = solution.compare(known)
print(f"true error {error}, expected {solution.error.estimate:.1e}")
assert error.linf < 1e-6
