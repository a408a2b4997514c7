"""
A material's diffusivity from noisy measurements
================================================

An inverse problem: temperatures in a rod, measured at fifty places and times with an error of 0.01, tell how well it
conducts. The diffusivity :math:`k` is an unknown number beside the unknown function.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

import fens

# %%
# Measurements, made up here with a diffusivity of 0.3.
true_value, noise = 0.3, 0.01
rng = np.random.default_rng(7)
places, times = rng.uniform(0, 1, (2, 50))
measured = np.exp(-true_value * np.pi**2 * times) * np.sin(np.pi * places)
measured += noise * rng.standard_normal(50)

# %%
# The equation, the conditions and the data are equations alike; `std` says how far to trust the data.
x, t = sp.symbols("x t")
u = sp.Function("u")(x, t)
k = fens.Unknown("k", initial=1)
rod = fens.Box({x: (0, 1)}).during(t, 0, 1)
solution = fens.solve(
    fens.Problem(
        {
            rod: sp.Eq(u.diff(t), k * u.diff(x, 2)),
            rod.sides: sp.Eq(u, 0),
            rod.initial: sp.Eq(u, sp.sin(sp.pi * x)),
            fens.Points({x: places, t: times}): sp.Eq(u, fens.Data(measured, std=noise)),
        }
    ),
    features=200,
)

# %%
# The result comes with a standard deviation, and the verdict says what limits it.
print(f"k = {solution[k]}")
print(solution.error.verdict)
assert abs(solution[k] - true_value) < 3 * solution[k].std
assert solution.error.verdict == "noise-limited"

# %%
# What the model leaves of the data must look like noise: spread evenly around zero, two thirds within one deviation.
left = measured - solution[u](places, times)
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.axhspan(-noise, noise, color="0.9")
axes.plot(times, left, "o", ms=4)
axes.set(xlabel="t", ylabel="measured − computed")
print(f"within one deviation: {np.mean(np.abs(left) < noise):.0%}")
