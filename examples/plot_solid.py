"""
A solid from an STL file
========================

Parts drawn on a computer come as triangles. `fens.Surface` takes the inside of a closed surface as a domain; here we
write a torus to an STL file, read it again, and find a steady temperature in it.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
import trimesh

import fens

path = Path(tempfile.mkdtemp()) / "torus.stl"
shape = trimesh.creation.torus(1.0, 0.4, major_sections=48, minor_sections=24)
shape.export(path)

# %%
x, y, z = sp.symbols("x y z")
u = sp.Function("u")(x, y, z)
torus = fens.Surface(path, (x, y, z))
print(torus, "of volume", round(torus.volume(), 4))

# %%
# On the surface the temperature is given, by a harmonic function, so that we know it inside as well.
known = sp.exp(x) * sp.sin(sp.Rational(3, 5) * y + sp.Rational(4, 5) * z) + x * y
solution = fens.solve(
    fens.Problem(
        {
            torus: sp.Eq(u.diff(x, 2) + u.diff(y, 2) + u.diff(z, 2), 0),
            torus.boundary: sp.Eq(u, known),
        }
    ),
    features=500,
)

# %%
# A cut through the middle; outside of the solid the solution is NaN, and nothing is drawn.
xs, ys = np.meshgrid(np.linspace(-1.45, 1.45, 201), np.linspace(-1.45, 1.45, 201))
figure, axes = plt.subplots(figsize=(6, 5), layout="constrained")
image = axes.pcolormesh(xs, ys, np.ma.masked_invalid(solution(xs, ys, 0.0)), cmap="RdBu_r")
axes.set(xlabel="x", ylabel="y", aspect="equal", title="z = 0")
figure.colorbar(image, label="temperature")

# %%
error = solution.compare(known, fens.Clustered(interior=2000))
print(f"true error: {error}")
print(solution.error)
assert error.linf < 1e-6
