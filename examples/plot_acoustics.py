r"""
Sound in a room with absorbing walls
====================================

Pressure :math:`p` of one frequency satisfies the Helmholtz equation :math:`\Delta p + k^2 p = -s`. A wall with the
impedance of air takes sound in as open space would: :math:`\partial p/\partial n = i k p`. The unknown is complex.
"""

import numpy as np
import sympy as sp

import fens

# %%
# An oval room, five wavelengths long, and a source off its middle.
k = 10
x, y = sp.symbols("x y")
p = fens.complex_unknown("p")(x, y)
source = 10 * sp.exp(-10 * ((x + sp.Rational(3, 5)) ** 2 + y**2))

room = fens.Ball({x: 0, y: 0}, radius=(1.5, 1), name="room")
solution = fens.solve(
    fens.Problem(
        {
            room: sp.Eq(p.diff(x, 2) + p.diff(y, 2) + k**2 * p, -source),
            room.boundary: sp.Eq(fens.normal_derivative(p), sp.I * k * p),
        }
    ),
    features=450,
)
figure = solution.plot()

# %%
# Power is conserved. Multiplying the equation by the conjugate of :math:`p` and integrating by parts leaves
# :math:`k \oint |p|^2 = -\operatorname{Im} \int s \bar p`: what the walls absorb is what the source gives.
inside, weights = room.quadrature(40)
rim, lengths = room.boundary.quadrature(200)
strength = sp.lambdify((x, y), source)(*inside.T)
given = weights @ (strength * np.imag(solution.function.at(inside)))
absorbed = k * lengths @ np.abs(solution.function.at(rim)) ** 2
print(f"given by the source:   {given:.12f}")
print(f"absorbed by the walls: {absorbed:.12f}")
print(f"expected error:        {solution.error.estimate:.1e}")
assert abs(given - absorbed) < 1e-4 * absorbed
