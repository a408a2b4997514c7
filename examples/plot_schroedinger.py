r"""
Energy levels of a quantum particle
===================================

A particle in the potential :math:`x^4` has the energies :math:`E` for which

.. math:: -\psi'' + x^4 \psi = E\,\psi

has a solution that vanishes far away. `fens.eigen` finds the lowest ones, each with an error estimate from a second
computation.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

import fens

x = sp.Symbol("x")
psi = sp.Function("psi")(x)
energy = fens.Unknown("E")
line = fens.Box({x: (-5, 5)})  # at whose ends the lowest functions are below 1e-16

levels = fens.eigen(
    fens.Problem({line: sp.Eq(-psi.diff(x, 2) + x**4 * psi, energy * psi), line.boundary: sp.Eq(psi, 0)}),
    energy,
    count=6,
    features=200,
)

# %%
# The eigenfunctions at the heights of their energies, in the potential.
at = np.linspace(-2.6, 2.6, 501)
figure, axes = plt.subplots(figsize=(6, 5), layout="constrained")
axes.plot(at, at**4, color="black", lw=1)
for level in levels:
    axes.plot(at, level.eigenvalue + 1.5 * level(at))
    axes.axhline(level.eigenvalue, color="grey", lw=0.4)
axes.set(xlabel="x", ylabel="energy", ylim=(0, 25), xlim=(-2.6, 2.6))

# %%
# The lowest level has been computed to many digits: 1.060362090484182899…
for level in levels:
    print(f"{level.eigenvalue:.13f}   expected error {level.estimate:.0e}")
assert abs(levels[0].eigenvalue - 1.0603620904841829) < 1e-10
