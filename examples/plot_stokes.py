r"""
Stokes flow in a bearing
========================

A shaft turns inside a ring, off its centre, with oil between them so viscous that inertia does not matter:

.. math:: -\Delta \mathbf u + \nabla p = 0, \qquad \nabla\cdot\mathbf u = 0.

Three unknowns, each with features of its own. The pressure has no boundary condition; it is determined up to a
constant, which an integral fixes.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

import fens

x, y = sp.symbols("x y")
u, v, p = (sp.Function(name)(x, y) for name in "uvp")
centre = sp.Rational(1, 4)
ring = fens.Ball({x: 0, y: 0}, radius=1, name="ring")
shaft = fens.Ball({x: centre, y: 0}, radius=0.4, name="shaft")
oil = ring - shaft


def laplacian(f):
    return f.diff(x, 2) + f.diff(y, 2)


solution = fens.solve(
    fens.Problem(
        {
            oil: [
                sp.Eq(p.diff(x), laplacian(u)),
                sp.Eq(p.diff(y), laplacian(v)),
                sp.Eq(u.diff(x) + v.diff(y), 0),
                sp.Eq(fens.integral(p), 0),
            ],
            oil.part("ring"): [sp.Eq(u, 0), sp.Eq(v, 0)],
            oil.part("shaft"): [sp.Eq(u, -y), sp.Eq(v, x - centre)],
        }
    ),
    features=220,
)

# %%
# Speed and direction: on the wide side there is an eddy in which the oil turns back.
xs, ys = np.meshgrid(np.linspace(-1, 1, 161), np.linspace(-1, 1, 161))
along, up = solution[u](xs, ys), solution[v](xs, ys)
figure, axes = plt.subplots(figsize=(6, 5), layout="constrained")
image = axes.pcolormesh(xs, ys, np.hypot(along, up), shading="gouraud")
axes.streamplot(xs, ys, along, up, color="white", linewidth=0.6, arrowsize=0.7)
axes.set(xlabel="x", ylabel="y", aspect="equal")
figure.colorbar(image, label="speed")

# %%
# The forces of the oil on shaft and ring, :math:`\oint (\nabla \mathbf u + \nabla \mathbf u^T - p)\,\mathbf n`,
# must be opposite: the oil has no weight.
n, m = fens.normal(x), fens.normal(y)
upwards = (v.diff(x) + u.diff(y)) * n + (2 * v.diff(y) - p) * m
on_shaft = -solution.integrate(upwards, on=oil.part("shaft"), points=100)
on_ring = -solution.integrate(upwards, on=oil.part("ring"), points=100)
print(f"lift on the shaft {on_shaft:+.8f}, on the ring {on_ring:+.8f}")
print(f"expected error: {solution.error.estimate:.0e}")
assert abs(on_shaft + on_ring) < 1e-4 * abs(on_shaft)
