r"""
A barrier option: take the kink out first
=========================================

A down-and-out call is a call that is lost when the price :math:`S` touches a barrier. Its value obeys the Black–Scholes
equation, with :math:`\tau` the time left,

.. math:: V_\tau = \tfrac12 \sigma^2 S^2 V_{SS} + r S V_S - r V,

but it begins with a kink at the strike, which no smooth features resolve. The plain call has the same kink and a
formula. So we solve for what the barrier takes away from it, which is smooth.
"""

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy.special import ndtr

import fens

strike, barrier, rate, volatility = 1.0, 0.8, 0.05, 0.3


def call(price, left):
    """The formula of Black and Scholes."""
    spread = volatility * np.sqrt(np.maximum(left, 1e-12))
    d = (np.log(price / strike) + rate * left) / spread + spread / 2
    return price * ndtr(d) - strike * np.exp(-rate * left) * ndtr(d - spread)


# %%
# A function without a formula in SymPy enters through `fens.wrap`.
S, tau = sp.symbols("S tau")
w = sp.Function("w")(S, tau)
market = fens.Box({S: (barrier, 3)}).during(tau, 0, 1)
growth = sp.nsimplify(volatility) ** 2 * S**2 * w.diff(S, 2) / 2 + rate * S * w.diff(S) - rate * w
solution = fens.solve(
    fens.Problem(
        {
            market: sp.Eq(w.diff(tau), growth),
            market.initial: sp.Eq(w, 0),
            market.face(S, barrier): sp.Eq(w, fens.wrap(lambda s: call(barrier, s), "call")(tau)),
            market.face(S, 3): sp.Eq(w, 0),
        }
    ),
    features=500,
)

# %%
# What the barrier leaves of the call, with a month, a quarter and a year to go.
price = np.linspace(barrier, 2, 121)
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for left, label in {1 / 12: "a month", 1 / 4: "a quarter", 1.0: "a year"}.items():
    (line,) = axes.plot(price, call(price, left) - solution(price, left), label=label)
    axes.plot(price, call(price, left), "--", lw=0.8, color=line.get_color())
axes.set(xlabel="price S", ylabel="value (dashed: without barrier)")
axes.set(xlim=(barrier, 1.4), ylim=(0, 0.5))
axes.legend()

# %%
# Here the answer is known, by reflection at the barrier.
left = 1.0
reflected = (price / barrier) ** (1 - 2 * rate / volatility**2) * call(barrier**2 / price, left)
difference = np.abs(solution(price, left) - reflected).max()
print(f"value at a price of 1: {call(1.0, 1.0) - solution(1.0, 1.0):.8f}")
print(f"largest difference from the formula: {difference:.1e}")
print(f"expected error: {solution.error.estimate:.1e}")
assert difference < 1e-6
