"""Two solitons of Korteweg and de Vries that cross, in closed form (Hirota, 1971)."""

from typing import Any

import numpy as np
import sympy as sp

Array = np.ndarray
SLOW, FAST = 2, 3  # wave numbers k; a soliton is k²/2 high and goes with speed k²
MEETING, END = sp.Rational(7, 10), sp.Rational(7, 5)  # when they are one, in the middle of time


def crossing_formula(x: Any, t: Any) -> sp.Expr:
    """u with u_t + 6 u u_x + u_xxx = 0: 2 (log F)_xx for F = 1 + e^α/r + e^β/r + e^(α + β).

    Here r = (k − l)/(k + l). With e^(−α − β) above and below nothing is very large, and no digits cancel.
    """
    k, m = SLOW, FAST
    r = sp.Rational(m - k, m + k)
    alpha, beta = (q * x - q**3 * (t - MEETING) for q in (k, m))
    F = 2 * sp.cosh((alpha + beta) / 2) + 2 / r * sp.cosh((alpha - beta) / 2)
    return 2 * (2 / r * (k**2 * sp.cosh(beta) + m**2 * sp.cosh(alpha)) + 2 * (k + m) ** 2) / F**2


def crossing(x: Array, t: Array) -> Array:
    """The same of arrays."""
    symbols = sp.symbols("x t", real=True)
    return np.asarray(sp.lambdify(symbols, crossing_formula(*symbols), "numpy")(x, t))
