r"""
A probability that spreads: the Fokker–Planck equation
======================================================

A particle pulled to the origin and shaken at random has a density that obeys
:math:`\rho_t = (x\rho)_x + D\rho_{xx}`. It stays a Gaussian, whose middle and width are known at all times.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

import fens

D = sp.Rational(1, 2)
begin, width = sp.Rational(3, 2), sp.Rational(3, 5)

x, t = sp.symbols("x t")
rho = sp.Function("rho")(x, t)
space = fens.Box({x: (-5, 5)}).during(t, 0, 2)
variance = D + (width**2 - D) * sp.exp(-2 * t)
known = sp.exp(-((x - begin * sp.exp(-t)) ** 2) / (2 * variance)) / sp.sqrt(2 * sp.pi * variance)

solution = fens.solve(
    fens.Problem(
        {
            space: sp.Eq(rho.diff(t), (x * rho).diff(x) + D * rho.diff(x, 2)),
            space.initial: sp.Eq(rho, known.subs(t, 0)),
            space.sides: sp.Eq(rho, 0),
        }
    ),
    features=700,
)
figure = solution.plot()

# %%
at = np.linspace(-5, 5, 401)
curves, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for when in (0, 0.25, 0.5, 1, 2):
    axes.plot(at, solution(at, when), label=f"t = {when:g}")
axes.set(xlabel="x", ylabel="density")
axes.legend()

# %%
# Nobody told it that probability is conserved.
total = solution.integrate(rho, on=space.final, points=100)
error = solution.compare(known).linf
print(f"total at the end: {total:.10f}")
print(f"true error {error:.1e}, expected {solution.error.estimate:.1e}")
assert abs(total - 1) < 1e-5
assert error < 1e-5
