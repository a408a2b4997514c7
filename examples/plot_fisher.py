r"""
A population that invades: Fisher's equation
============================================

:math:`u_t = u_{xx} + u(1 - u)`: individuals multiply up to a capacity of one and wander at random. Ablowitz and
Zeppetella found the wave of invasion that travels at :math:`5/\sqrt 6`.
"""

import sympy as sp

import fens

x, t = sp.symbols("x t")
u = sp.Function("u")(x, t)
speed = 5 / sp.sqrt(6)
known = 1 / (1 + sp.exp((x - speed * t) / sp.sqrt(6))) ** 2

land = fens.Box({x: (-5, 10)}).during(t, 0, 3)
solution = fens.solve(
    fens.Problem(
        {
            land: sp.Eq(u.diff(t), u.diff(x, 2) + u * (1 - u)),
            land.initial: sp.Eq(u, known.subs(t, 0)),
            land.sides: sp.Eq(u, known),
        }
    ),
    features=400,
)
figure = solution.plot()

# %%
# Two figures that say how well: the estimate, made without knowing the wave, and the truth.
error = solution.compare(known)
print(solution.error)
print(f"true error: {error}")
assert error.linf < 1e-8

# %%
# The speed of the front at its middle, from derivatives of the solution: dx/dt = −u_t/u_x.
front = float(sp.sqrt(6) * sp.log(sp.sqrt(2) - 1) + speed * sp.Rational(3, 2))
measured = -solution.diff(t)(front, 1.5) / solution.diff(x)(front, 1.5)
print(f"speed {measured:.10f}, known {float(speed):.10f}")
assert abs(measured - float(speed)) < 1e-7
