"""How solutions behave next to a face at which an equation degenerates.

Near a regular singular point, the solutions of Σ c_k(d) ∂ᵏu are dˢ, where the exponents s solve
Σ γ_k s(s−1)…(s−k+1) = 0, and γ_k is the limit of d^(m−k) c_k/c_m as the distance d from the face vanishes (Frobenius).
If all but the smooth ones of them are unbounded, boundedness is a condition, and one that is given besides it may
contradict it: of (r u′)′ = f, whose solutions are 1 and log r, nobody may ask for a value at r = 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._support.steering import Exponents
from ..geometry import Samples
from .local import Look


def only_smooth(look: Look, face: Samples, half_widths: np.ndarray, find: Callable[[Samples], Look]) -> bool:
    """Whether an equation degenerates on a face, and all its bounded solutions are smooth there."""
    if face.normals is None or len({jet.unknown for jet, _ in look.coefficients}) != 1:
        return False
    near, nearer = (_quotients(look, face, half_widths, d, find) for d in (Exponents.NEAR, Exponents.NEARER))
    if near is None or nearer is None or not np.abs(near - nearer).max() < Exponents.ALIKE:
        return False
    if np.abs(nearer[:-1]).max() < Exponents.ALIKE:
        return False
    return bounded_are_smooth(exponents(nearer))


def exponents(quotients: np.ndarray) -> np.ndarray:
    """The roots of Σ γ_k s(s−1)…(s−k+1)."""
    falling, total = np.poly1d([1.0]), np.poly1d([0.0])
    for k, gamma in enumerate(quotients):
        total = total + gamma * falling
        falling = falling * np.poly1d([1.0, -k])
    return np.asarray(total.roots)


def bounded_are_smooth(found: np.ndarray) -> bool:
    """Whether no solution with these exponents is bounded and not smooth.

    Of two exponents that are whole numbers, the larger may come with a logarithm; that is unbounded if it is zero.
    """
    bounded = found[found.real > -Exponents.SAME]
    whole = np.abs(bounded - np.round(bounded.real)) < Exponents.SAME
    return bool(whole.all()) and (len(bounded) <= 1 or bool((np.abs(bounded) < 2 * Exponents.SAME).all()))


def _quotients(
    look: Look, face: Samples, half_widths: np.ndarray, distance: float, find: Callable[[Samples], Look]
) -> np.ndarray | None:
    """γ_k for each order k along the normal, the median of those at points of a face; None without a leading one."""
    assert face.normals is not None
    away = distance * float(np.abs(face.normals * half_widths).max())
    there = find(Samples(face.points - away * face.normals))
    order = max(sum(jet.orders) for jet, _ in look.coefficients)
    along = np.zeros((order + 1, len(face)))
    for jet, c in there.coefficients:
        along[sum(jet.orders)] += c * np.prod(face.normals ** np.array(jet.orders), axis=1)
    with np.errstate(all="ignore"):
        quotients = along * (-away) ** (order - np.arange(order + 1))[:, None] / along[-1]
    return np.median(quotients, axis=1) if order and np.isfinite(quotients).all() else None
