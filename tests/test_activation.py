"""Every activation, every derivative: one contract over the table of implementations."""

import mpmath
import numpy as np
import pytest
import torch

from fens.basis import ACTIVATIONS, activation
from fens.basis.activation import fold
from fens.errors import SettingError

EPS = np.finfo(float).eps
ORDERS = range(9)
FORMULAS = {
    "cos": mpmath.cos,
    "sin": mpmath.sin,
    "sigmoid": lambda z: 1 / (1 + mpmath.exp(-z)),
    "tanh": mpmath.tanh,
    "swish": lambda z: z / (1 + mpmath.exp(-z)),
}
POINTS = np.concatenate([np.linspace(-9, 9, 61), [0.0, 1e-9, -1e-9, 1e-3, 17.3, -17.3]])
TAILS = np.array([-300.0, -40.0, -30.0, 30.0, 40.0, 300.0])


def exact(name, points, orders, digits=60):
    """σ⁽ⁿ⁾ by Taylor expansion with many digits."""
    with mpmath.workdps(digits):
        rows = [mpmath.taylor(FORMULAS[name], mpmath.mpf(float(z)), max(orders)) for z in points]
        return {n: np.array([float(r[n] * mpmath.factorial(n)) for r in rows]) for n in orders}


SLOPES = {"sigmoid": [0, 1, -1], "tanh": [1, 0, -1]}  # σ′ as a polynomial in σ


def by_recursion(name, points, order, digits=60):
    """The same from σ⁽ⁿ⁺¹⁾ = (dσ⁽ⁿ⁾/dσ) σ′ with whole numbers: Taylor expansions of high order take seconds."""
    powers = np.array([0, 1], dtype=object)
    for _ in range(order):
        powers = np.convolve(powers[1:] * np.arange(1, len(powers)), np.array(SLOPES[name], dtype=object))
    with mpmath.workdps(digits):
        values = [FORMULAS[name](mpmath.mpf(float(z))) for z in points]
        return np.array([float(mpmath.polyval([int(c) for c in powers[::-1]], v)) for v in values])


@pytest.mark.parametrize("name", SLOPES)
def test_the_recursion_is_the_taylor_expansion(name):
    points = np.array([-2.5, 0.1, 7.0])
    for order in (3, 9, 14):
        np.testing.assert_allclose(by_recursion(name, points, order), exact(name, points, [order])[order], rtol=EPS)


def computed(name, points, orders):
    values = activation(name).derivatives(torch.as_tensor(points)[:, None], list(orders))
    return {n: v[:, 0].numpy() for n, v in zip(orders, values, strict=True)}


@pytest.mark.parametrize("name", FORMULAS)
def test_derivatives_are_those_of_the_formula(name):
    reference, values = exact(name, POINTS, ORDERS), computed(name, POINTS, ORDERS)
    for n in ORDERS:
        assert np.abs(values[n] - reference[n]).max() <= 50 * EPS * np.abs(reference[n]).max(), n


@pytest.mark.parametrize("name", ["sigmoid", "tanh"])
@pytest.mark.parametrize("order", [1, 2, 3, 5, 8, 12])
def test_tails_keep_their_relative_accuracy(name, order):
    reference, values = by_recursion(name, TAILS, order, 500), computed(name, TAILS, [order])[order]
    np.testing.assert_allclose(values, reference, rtol=200 * EPS, atol=0)


def test_sigmoid_itself_keeps_its_left_tail():
    np.testing.assert_allclose(computed("sigmoid", TAILS, [0])[0], exact("sigmoid", TAILS, [0], 500)[0], rtol=200 * EPS)


@pytest.mark.parametrize("order", [14, 20])
def test_high_orders_are_still_accurate(order):
    """Sums of powers would have lost every digit here; the product over the roots has not."""
    for name in ("sigmoid", "tanh"):
        reference, values = by_recursion(name, POINTS, order), computed(name, POINTS, [order])[order]
        assert np.abs(values - reference).max() <= 200 * EPS * np.abs(reference).max()


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("order", [0, 1, 2, 5])
def test_large_arguments_stay_finite(name, order):
    z = torch.tensor([[-1e4, 1e4, -800.0, 800.0]], dtype=torch.float64)
    (values,) = activation(name).derivatives(z, [order])
    assert torch.isfinite(values).all()


def test_limits_at_large_arguments():
    z = torch.tensor([[-1e4, 1e4]], dtype=torch.float64)
    assert activation("sigmoid").derivatives(z, [0])[0].tolist() == [[0.0, 1.0]]
    assert activation("swish").derivatives(z, [0])[0].tolist() == [[0.0, 1e4]]
    assert activation("swish").derivatives(z, [1])[0].tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_fold_names_an_equal_derivative(name):
    z = torch.linspace(-5, 5, 40, dtype=torch.float64).reshape(10, 4)
    sigma = activation(name)
    for n in range(7):
        sign, base = fold(sigma, n)
        direct, folded = sigma.derivatives(z, [n])[0], sign * sigma.derivatives(z, [base])[0]
        torch.testing.assert_close(direct, folded, rtol=0, atol=1e-15)


def test_cos_sin_is_cos_for_the_first_half_and_sin_for_the_second():
    z = torch.linspace(-3, 3, 15, dtype=torch.float64).reshape(3, 5)
    (values,) = activation("cos_sin").derivatives(z, [1])
    torch.testing.assert_close(values, torch.cat([-torch.sin(z[:, :3]), torch.cos(z[:, 3:])], dim=1))


def test_unknown_name_lists_the_choices():
    with pytest.raises(SettingError, match="one of cos, sin, cos_sin, sigmoid, tanh, swish; got 'relu'"):
        activation("relu")
