r"""
Ignition: Bratu's equation to its turning point
===============================================

Heat from a reaction that speeds up with temperature, :math:`u'' + \lambda e^u = 0` with :math:`u = 0` at both ends.
Beyond :math:`\lambda = 3.5138` there is no steady state: the slab ignites. `fens.continuation` walks towards that
value, each solution being where Newton's method starts for the next.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy.optimize import brentq

import fens

x = sp.Symbol("x")
u = sp.Function("u")(x)
slab = fens.Box({x: (0, 1)})


def ignition(rate):
    return fens.Problem({slab: sp.Eq(u.diff(x, 2) + rate * sp.exp(u), 0), slab.boundary: sp.Eq(u, 0)})


rates = [0.5, 1, 1.5, 2, 2.5, 3, 3.25, 3.4, 3.5]
solutions = fens.continuation(ignition, rates, features=60)

# %%
# The known solution is :math:`u = 2 \log(\cosh\theta / \cosh(\theta(2x - 1)))` with
# :math:`\sqrt{8/\lambda}\,\theta = \cosh\theta`.


def known(rate):
    theta = brentq(lambda s: np.sqrt(8 / rate) * s - np.cosh(s), 0, 1.1997, xtol=1e-15)
    return lambda at: 2 * np.log(np.cosh(theta) / np.cosh(theta * (2 * at - 1)))


at = np.linspace(0, 1, 201)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for rate, solution in zip(rates, solutions, strict=True):
    left.plot(at, solution(at), label=f"{rate:g}")
left.set(xlabel="x", ylabel="u", ylim=(0, 1.55))
left.legend(title="λ", fontsize="small", ncols=5, loc="upper center")
right.plot(rates, [s(0.5) for s in solutions], "o-", ms=4)
right.axvline(3.513830719, color="grey", lw=0.8)
right.set(xlabel="λ", ylabel="u in the middle")

# %%
for rate, solution in zip(rates, solutions, strict=True):
    error = solution.compare(known(rate)).linf
    print(f"λ = {rate:4g}: true error {error:.1e}, expected {solution.error.estimate:.1e}")
    assert error < 1e-9

# %%
# Beyond the turning point it says that there is no solution, rather than returning something.
try:
    fens.continuation(ignition, [3.5, 3.6], features=60, initial=solutions[-1])
except fens.NotConverged as error:
    print(error)
else:
    raise AssertionError("a steady state that does not exist was found")
