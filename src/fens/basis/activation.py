"""Activations σ and all their derivatives, in closed form.

A feature's derivatives need only the scalar σ⁽ⁿ⁾, because ∂^α σ(w·x + b) = w^α σ⁽|α|⁾(w·x + b).

- cos and sin: the derivatives cycle, so any order is ± one of two functions.
- sigmoid: with p = σ(1−σ) and τ = 1−2σ(−|z|) = tanh(|z|/2), the n-th derivative is p·Q(p) for odd n and
  −sign(z)·p·τ·Q(p) for even n, where Q is a polynomial with integer coefficients and real simple roots. It is
  evaluated as a product over its roots: the sum of powers loses digits to cancellation from n = 8 on.
- tanh(z) = 2σ(2z) − 1, so tanh⁽ⁿ⁾(z) = 2ⁿ⁺¹ σ⁽ⁿ⁾(2z).
- swish(z) = z σ(z), so by Leibniz swish⁽ⁿ⁾ = z σ⁽ⁿ⁾ + n σ⁽ⁿ⁻¹⁾.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol

import mpmath
import torch
from torch import Tensor

from .._support.registry import Registry, check_has
from ..errors import SettingError, quoted


class Activation(Protocol):
    """σ, by its derivatives. The last dimension of `z` counts the features."""

    name: str
    trigonometric: bool

    def derivatives(self, z: Tensor, orders: Sequence[int]) -> list[Tensor]:
        """σ⁽ⁿ⁾(z) for each n in orders, sharing what they have in common."""
        ...


class Cos:
    """cos z."""

    name = "cos"
    trigonometric = True

    def derivatives(self, z: Tensor, orders: Sequence[int]) -> list[Tensor]:
        return _cycle(z, orders, ("cos", "-sin", "-cos", "sin"))


class Sin:
    """sin z."""

    name = "sin"
    trigonometric = True

    def derivatives(self, z: Tensor, orders: Sequence[int]) -> list[Tensor]:
        return _cycle(z, orders, ("sin", "cos", "-sin", "-cos"))


class CosSin:
    """cos z for the first half of the features, sin z for the second."""

    name = "cos_sin"
    trigonometric = True

    def derivatives(self, z: Tensor, orders: Sequence[int]) -> list[Tensor]:
        half = (z.shape[-1] + 1) // 2
        results = [torch.empty_like(z) for _ in orders]
        for part, columns in ((Cos(), slice(None, half)), (Sin(), slice(half, None))):
            for result, values in zip(results, part.derivatives(z[..., columns], orders), strict=True):
                result[..., columns] = values
        return results


class Sigmoid:
    """1/(1 + e^(−z))."""

    name = "sigmoid"
    trigonometric = False

    def derivatives(self, z: Tensor, orders: Sequence[int]) -> list[Tensor]:
        return _logistic(z, orders)


class Tanh:
    """tanh z."""

    name = "tanh"
    trigonometric = False

    def derivatives(self, z: Tensor, orders: Sequence[int]) -> list[Tensor]:
        inner = iter(_logistic(2 * z, [n for n in orders if n > 0]))
        return [torch.tanh(z) if n == 0 else next(inner).mul_(2.0 ** (n + 1)) for n in orders]


class Swish:
    """z/(1 + e^(−z))."""

    name = "swish"
    trigonometric = False

    def derivatives(self, z: Tensor, orders: Sequence[int]) -> list[Tensor]:
        needed = sorted({m for n in orders for m in (n, n - 1) if m >= 0})
        inner = dict(zip(needed, _logistic(z, needed), strict=True))
        return [z * inner[n] + n * inner[n - 1] if n > 0 else z * inner[0] for n in orders]


def _checked(name: str, given: Any) -> Activation:
    """An activation from outside, refused unless each derivative is that of the one before."""
    if isinstance(given, type):
        raise SettingError(f"An activation is an object, {given.__name__}(); got the class {given.__name__}.")
    check_has("An activation", given, ("derivatives",))
    if getattr(given, "name", None) != name:
        raise SettingError(
            f"An activation has its name as an attribute, name = {name!r}; that of {type(given).__name__} is "
            f"{quoted(getattr(given, 'name', None))}."
        )
    if not isinstance(getattr(given, "trigonometric", None), bool):
        raise SettingError(f"The activation {name} needs trigonometric = True or False: whether it is a cosine.")
    sigma: Activation = given
    _check_derivatives(sigma)
    return sigma


def _check_derivatives(sigma: Activation) -> None:
    """Compare each derivative with a difference quotient of the one before."""
    z = torch.linspace(-2.9, 3.1, 24, dtype=torch.float64).reshape(6, 4)
    try:
        low, here, high = (sigma.derivatives(z + h, TRIED) for h in (-STEP, 0.0, STEP))
    except Exception as error:  # code from outside may raise anything
        raise SettingError(
            f"derivatives(z, orders) of the activation {sigma.name} fails for the orders {list(TRIED)}: "
            f"{type(error).__name__}: {error}."
        ) from error
    if len(here) != len(TRIED) or any(getattr(v, "shape", None) != z.shape for v in here):
        raise SettingError(f"derivatives(z, orders) of {sigma.name} must give arrays like z, one for each order.")
    for n in TRIED[1:]:
        slope, size = (high[n - 1] - low[n - 1]) / (2 * STEP), float(here[n].abs().max()) + 1
        if not float((slope - here[n]).abs().max()) <= CLOSE * size:
            raise SettingError(f"Order {n} of the activation {sigma.name} is not the derivative of order {n - 1}.")
    if sigma.trigonometric and not torch.allclose(here[2], -here[0], rtol=CLOSE, atol=CLOSE):
        raise SettingError(f"The activation {sigma.name} is not trigonometric: its second derivative is not −σ.")


TRIED = (0, 1, 2)  # orders of derivatives of an activation from outside
STEP, CLOSE = 1e-4, 1e-5  # of difference quotients of these; their error is about STEP²
ACTIVATIONS: Registry[Activation] = Registry("activation", _checked)
for _sigma in (Cos(), Sin(), CosSin(), Sigmoid(), Tanh(), Swish()):
    ACTIVATIONS.own(_sigma.name, _sigma)


def fold(sigma: Activation, order: int) -> tuple[int, int]:
    """(sign, order₀) such that σ⁽ᵒʳᵈᵉʳ⁾ = sign · σ⁽ᵒʳᵈᵉʳ⁰⁾: for cosines and sines two functions serve all orders."""
    return ((1, 1, -1, -1)[order % 4], order % 2) if sigma.trigonometric else (1, order)


def activation(name: str) -> Activation:
    """The activation of a name."""
    if not isinstance(name, str) or name not in ACTIVATIONS:
        raise SettingError(f"The activation must be one of {', '.join(ACTIVATIONS)}; got {quoted(name)}.")
    return ACTIVATIONS[name]


def _cycle(z: Tensor, orders: Sequence[int], cycle: Sequence[str]) -> list[Tensor]:
    wanted = [cycle[n % 4] for n in orders]
    values = {f: getattr(torch, f)(z) for f in {w.removeprefix("-") for w in wanted}}
    return [-values[w[1:]] if w.startswith("-") else values[w] for w in wanted]


def _logistic(z: Tensor, orders: Sequence[int]) -> list[Tensor]:
    """σ⁽ⁿ⁾(z) of the logistic function for each n."""
    e = torch.exp(-z.abs())  # of the negative side, so that nothing overflows and the tails keep their digits
    p = e / (1 + e).square()
    return [_logistic_value(z, e) if n == 0 else _logistic_derivative(z, e, p, n) for n in orders]


def _logistic_value(z: Tensor, e: Tensor) -> Tensor:
    return torch.where(z >= 0, 1.0, e) / (1 + e)


def _logistic_derivative(z: Tensor, e: Tensor, p: Tensor, order: int) -> Tensor:
    leading, roots = _logistic_roots(order)
    value = leading * p
    for root in roots:
        value *= p - root
    return value if order % 2 else -torch.sign(z) * value * ((1 - e) / (1 + e))


@cache
def _logistic_roots(order: int) -> tuple[float, tuple[float, ...]]:
    """Leading coefficient and roots of Q, where σ⁽ⁿ⁾ = p·Q(p), times τ for even n.

    With ' = d/dσ·p and τ² = 1 − 4p: (pQ)' = τ·(pQ)_p·p, and (pτQ)' = τ²·(pQ)_p·p − 2p·pQ.
    """
    q = [1]  # σ' = p
    for n in range(1, order):
        slope = [(k + 1) * c for k, c in enumerate(q)]  # (pQ)_p
        if n % 2:
            q = slope
        else:
            padded = [*slope, 0]
            shifted = [0, *(-4 * s - 2 * c for s, c in zip(slope, q, strict=True))]
            q = [a + b for a, b in zip(padded, shifted, strict=True)]
    with mpmath.workdps(30 + 2 * order):
        roots = mpmath.polyroots(q[::-1], maxsteps=500, extraprec=200) if len(q) > 1 else []
        return float(q[-1]), tuple(sorted(float(mpmath.re(r)) for r in roots))
