r"""
A coaxial cable whose core is off centre
========================================

Electrostatics between two conductors: the potential is harmonic, 1 on the core and 0 on the shield. The capacitance
for each metre is the charge on the core, :math:`-\oint \partial u/\partial n`, in units of the permittivity. For
circles of radii :math:`a < b` with centres :math:`d` apart it is known:

.. math:: C = 2\pi \Big/ \operatorname{arcosh} \frac{a^2 + b^2 - d^2}{2ab}.
"""

import math

import sympy as sp

import fens

core_radius, shield_radius, offset = 0.3, 1.0, 0.4
x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)

shield = fens.Ball({x: 0, y: 0}, radius=shield_radius, name="shield")
core = fens.Ball({x: offset, y: 0}, radius=core_radius, name="core")
cable = shield - core

# %%
# The solution is smooth in the cable, but only just: continued into the core it is singular there. Features with
# singularities in the hole are tried by themselves where plain ones do not suffice.
solution = fens.solve(
    fens.Problem(
        {
            cable: sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0),
            cable.part("core"): sp.Eq(u, 1),
            cable.part("shield"): sp.Eq(u, 0),
        }
    ),
    features=450,
)
figure = solution.plot()
print(solution)

# %%
# The capacitance, beside the formula.
capacitance = solution.integrate(fens.normal_derivative(u), on=cable.part("core"), points=100)
ratio = (core_radius**2 + shield_radius**2 - offset**2) / (2 * core_radius * shield_radius)
known = 2 * math.pi / math.acosh(ratio)
print(f"computed {capacitance:.13f}")
print(f"formula  {known:.13f}")
assert abs(capacitance - known) < 1e-8
