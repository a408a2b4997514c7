"""Expressions as functions of arrays: in steps of our own, or by SymPy."""

from __future__ import annotations

import weakref

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fens._support.compile import FUNCTIONS, NotElementary, Steps, lambdified
from fens.errors import EvaluationError

x, y = sp.symbols("x y")
AT = {x: np.array([0.3, 0.55, 0.9]), y: np.array([0.2, 0.7, 0.45])}


def exact(expression):
    """By SymPy, in thirty digits."""
    points = [dict(zip(AT, values, strict=True)) for values in zip(*AT.values(), strict=True)]
    return np.array([complex(expression.evalf(30, subs=p)) for p in points])


def in_steps(expression):
    (values,) = Steps.of(tuple(AT), [expression])(*AT.values())
    return np.broadcast_to(values, (3,))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_functions(function):
    expression = function(x, y) if function is sp.atan2 else function(x + 1) if function is sp.acosh else function(x)
    np.testing.assert_allclose(in_steps(expression), exact(expression), rtol=4e-16)


POWERS = [x**2, x**-1, x**-3, x**7, sp.sqrt(x), 1 / sp.sqrt(x), sp.cbrt(x), x**y, 2**x, x ** sp.Float(1.3), sp.pi**x]


@pytest.mark.parametrize("power", POWERS, ids=str)
def test_powers(power):
    np.testing.assert_allclose(in_steps(power), exact(power), rtol=1e-15)


leaves = st.sampled_from([x, y, sp.Integer(2), sp.Rational(-1, 3), sp.pi, sp.Float(0.7), sp.EulerGamma])
nodes = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(sp.Add, inner, inner),
        st.builds(sp.Mul, inner, inner),
        st.builds(lambda e, n: sp.Pow(e**2 + 1, n), inner, st.sampled_from([2, -1, sp.Rational(1, 2), -2])),
        st.builds(lambda f, e: f(e), st.sampled_from([sp.sin, sp.cos, sp.tanh, sp.atan, sp.Abs]), inner),
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(nodes, nodes)
def test_steps_and_sympy_agree(one, two):
    expressions = [one, one * two, two]
    expected = sp.lambdify(list(AT), expressions)(*AT.values())
    for found, value in zip(lambdified(list(AT), expressions)(*AT.values()), expected, strict=True):
        np.testing.assert_allclose(np.broadcast_to(found, (3,)), np.broadcast_to(value, (3,)), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(
    "expression",
    [sp.erf(x), sp.Piecewise((x, x < 0.5), (y, True)), sp.I * x, (-1) ** sp.Rational(1, 3) * x, sp.Max(x, y), sp.re(x)],
    ids=str,
)
def test_what_is_not_elementary_is_left_to_sympy(expression):
    with pytest.raises(NotElementary):
        Steps.of(tuple(AT), [expression])
    np.testing.assert_allclose(lambdified(tuple(AT), expression)(*AT.values()), exact(expression), rtol=1e-14)


@pytest.mark.parametrize("wrapper", [sp.exp, sp.erf])
def test_names_mean_nothing(wrapper):
    """Nor does it matter that NumPy has a constant or a function of that name."""
    e, sin = sp.symbols("e sin")
    value = lambdified((e, sin), wrapper(e) + sin)(1.0, 2.0)
    assert value == pytest.approx(float(wrapper(1)) + 2.0, rel=1e-15)


@pytest.mark.parametrize("expression", [x + sp.Symbol("z"), sp.erf(sp.Symbol("z"))])
def test_symbols_that_are_no_arguments_are_refused(expression):
    with pytest.raises(EvaluationError, match="contains z, which has no value"):
        lambdified((x,), expression)


def test_common_parts_are_found_once():
    repeated = sp.sin(x) ** 2 + sp.exp(sp.sin(x))
    assert len(Steps.of((x,), [repeated, sp.sin(x)]).steps) == 4


def test_values_are_kept_no_longer_than_needed():
    """Of a chain of fifty functions there are never more than a few arrays at a time."""
    made, most = [], 0

    class Counted(np.ndarray):
        def __array_finalize__(self, _):
            nonlocal most
            made.append(weakref.ref(self))
            most = max(most, sum(r() is not None for r in made))

    expression = x
    for _ in range(50):
        expression = sp.sin(expression)
    Steps.of((x,), [expression])(np.ones(10).view(Counted))
    assert most <= 4
