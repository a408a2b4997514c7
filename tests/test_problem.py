"""Reading problems: what an equation means, and the sentence a bad one gets."""

import os
import subprocess
import sys

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import fens
from fens.errors import EquationError, EvaluationError, RegionError, UnsupportedEquation
from fens.problem import Component, Formula, Jet, manufacture, newton_form
from fens.problem.equation import multipliers
from fens.problem.expression import read

x, y, t, k = sp.symbols("x y t k")
u = sp.Function("u")(x, y)
square = fens.Box({x: (0, 1), y: (0, 1)})
UNKNOWN = (Component(u, square),)
a, b = sp.Dummy("a"), sp.Dummy("b")


def form(statement):
    """{orders: coefficient} and source of a linear equation in u(x, y)."""
    (equation,) = read(statement, UNKNOWN, (x, y))
    assert equation.is_linear
    linear = newton_form(equation)
    source = linear.source.expression.subs({symbol: 0 for _, symbol in equation.jets})
    return {jet.orders: c.expression for jet, c in linear.coefficients}, source


def test_an_equation_is_taken_apart():
    coefficients, source = form(sp.Eq(u.diff(x, 2) + x * y * u.diff(x, y) - 3, sp.sin(x) * u + y))
    assert coefficients == {(2, 0): 1, (1, 1): x * y, (0, 0): -sp.sin(x)}
    assert sp.simplify(source - (y + 3)) == 0


def test_an_expression_must_vanish():
    assert form(u.diff(x) - 2) == ({(1, 0): 1}, 2)


def test_derivatives_of_products_are_worked_out():
    coefficients, _ = form(sp.Derivative((1 + x**2) * sp.Derivative(u, x), x))
    assert {a: sp.expand(c) for a, c in coefficients.items()} == {(2, 0): 1 + x**2, (1, 0): 2 * x}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (sp.Add(u, x, -x, evaluate=False), ({(0, 0): 1}, 0)),
        (u - sp.re(sp.exp(sp.I * x)), ({(0, 0): 1}, sp.cos(x))),
        (u - sp.Integral(2 * x, x), ({(0, 0): 1}, x**2)),
        (u.diff(x) - sp.Derivative(sp.sin(x) * y, y), ({(1, 0): 1}, sp.sin(x))),
        (sp.Derivative(x * u, x), ({(1, 0): x, (0, 0): 1}, 0)),
    ],
    ids=str,
)
def test_what_is_left_open_is_worked_out(statement, expected):
    assert form(statement) == expected


def test_terms_that_cancel_when_expanded_are_linear():
    assert form((u + 1) ** 2 - u**2) == ({(0, 0): 2}, -1)


@given(
    terms=st.dictionaries(
        st.tuples(st.integers(0, 4), st.integers(0, 4)),
        st.sampled_from([sp.Integer(2), -x, y**2, sp.sin(x * y), sp.exp(-x), sp.Rational(1, 3)]),
        min_size=1,
        max_size=4,
    ),
    source=st.sampled_from([sp.S.Zero, x + y, sp.cos(x), sp.Integer(7)]),
)
@settings(max_examples=60, deadline=None)
def test_any_linear_operator_is_read_back(terms, source):
    left = sp.Add(*(c * (sp.Derivative(u, (x, a), (y, b)) if a or b else u) for (a, b), c in terms.items()))
    coefficients, right = form(sp.Eq(left, source, evaluate=False))
    assert {a: sp.simplify(c) for a, c in coefficients.items()} == {a: sp.simplify(c) for a, c in terms.items()}
    assert sp.simplify(right - source) == 0


def test_normal_derivative_is_the_normal_times_the_gradient():
    coefficients, _ = form(fens.normal_derivative(u) + 2 * u)
    assert coefficients == {(1, 0): fens.normal(x), (0, 1): fens.normal(y), (0, 0): 2}


def test_jets_of_one_derivative_written_two_ways_are_one():
    (equation,) = read(u.diff(x, y) + 3 * u.diff(y, x), UNKNOWN, (x, y))
    assert [jet for jet, _ in equation.jets] == [Jet(0, (1, 1))]


def test_the_unknown_may_order_its_arguments_differently_from_the_domain():
    v = sp.Function("v")(t, x)
    rod = fens.Box({x: (0, 1)}).during(t, 0, 2)
    problem = fens.Problem({rod: sp.Eq(v.diff(t, 2), v.diff(x)), rod.initial: sp.Eq(v, 0)})
    assert problem.coordinates == (x, t)
    jets = [jet.orders for jet, _ in problem.conditions[0].equation.jets]
    assert sorted(jets) == [(0, 2), (1, 0)]


def test_repr_lists_regions_and_equations():
    text = repr(fens.Problem({square: sp.Eq(u, x), square.face(x, 0): sp.Eq(u, 0)}))
    assert text == (
        "Problem for u(x, y) on the box 0 < x < 1, 0 < y < 1:\n"
        "  Eq(u(x, y), x) on the box 0 < x < 1, 0 < y < 1\n"
        "  Eq(u(x, y), 0) on the face x = 0"
    )


def test_equal_descriptions_of_a_region_are_one_region():
    other = fens.Box({x: (0, 1), y: (0, 1)})
    problem = fens.Problem({square: sp.Eq(u, 1), other.boundary: sp.Eq(u, 0)})
    assert problem.equations_on(square.boundary)


def test_manufactured_sources_follow_from_the_operator():
    exact = sp.exp(x) * y**2
    problem = manufacture({square: u.diff(x, 2) + u, square.boundary: fens.normal_derivative(u)}, u, exact)
    assert str(problem.conditions[0].equation.text) == str(sp.Eq(u + u.diff(x, 2), 2 * exact))


# ---- formulas


def test_a_formula_is_evaluated_at_all_points():
    values = Formula(sp.sin(x) + y)({x: np.array([0.0, 1.0]), y: np.array([1.0, 1.0])}, 2)
    np.testing.assert_allclose(values, [1.0, 1.0 + np.sin(1.0)])


def test_constants_fill_all_points():
    assert Formula(sp.pi)({}, 3).tolist() == [np.pi] * 3


def test_special_functions_come_from_scipy():
    from scipy.special import jv

    assert Formula(sp.besselj(2, x))({x: np.array([1.5])}, 1)[0] == pytest.approx(jv(2, 1.5), rel=1e-14)


def test_wrapped_functions_nest_and_combine():
    f, g = fens.wrap(lambda a: a**2), fens.wrap(np.exp)
    values = Formula(3 * f(g(x)) + g(x + y))({x: np.array([0.5]), y: np.array([0.25])}, 1)
    assert values[0] == pytest.approx(3 * np.exp(1.0) + np.exp(0.75), rel=1e-15)


def test_two_wrapped_functions_of_one_name_stay_apart():
    f, g = fens.wrap(lambda a: a), fens.wrap(lambda a: 2 * a)
    assert Formula(f(x) + g(x))({x: np.array([1.0])}, 1)[0] == 3


def test_wrapped_functions_of_plain_numbers_work():
    import math

    f = fens.wrap(lambda a, b: math.sin(a) if a > b else 0.0)
    values = Formula(f(x, y))({x: np.array([1.0, 0.0]), y: np.array([0.5, 0.5])}, 2)
    assert values.tolist() == [math.sin(1.0), 0.0]


# ---- the sentences


def bad(equations, error=EquationError):
    with pytest.raises(error) as caught:
        fens.Problem(equations)
    return str(caught.value)


def test_equation_without_the_unknown():
    message = bad({square: sp.Eq(u, 1), square.boundary: sp.Eq(x, y)})
    assert message == "The equation Eq(x, y) does not contain the unknown u(x, y); every equation must."


def test_no_unknown_at_all():
    assert "No equation contains an unknown" in bad({square: sp.Eq(x, y)})


def test_symbol_that_is_no_coordinate():
    message = bad({square: sp.Eq(u.diff(x, 2) + k**2 * u, 0)})
    assert "The symbol k in Eq(k**2*u(x, y) + Derivative(u(x, y), (x, 2)), 0) is not a coordinate" in message
    assert "substitute its value first" in message


def test_no_equation_on_the_domain():
    message = bad({square.boundary: sp.Eq(u, 0)})
    assert message == (
        "No equation holds on the domain itself, only on the boundary; add one, {domain: Eq(...)}."
    )


def test_region_of_another_domain():
    other = fens.Box({x: (0, 2), y: (0, 1)})
    message = bad({square: sp.Eq(u, 0), other.boundary: sp.Eq(u, 0)}, RegionError)
    assert "'the boundary' belongs to the box 0 < x < 2, 0 < y < 1, which is not a domain of this problem" in message


def test_two_domains():
    other = fens.Box({x: (0, 2), y: (0, 1)})
    assert "each unknown has one domain" in bad({square: sp.Eq(u, 0), other: sp.Eq(u, 0)}, UnsupportedEquation)


def test_the_unknown_at_a_fixed_point():
    v = sp.Function("u")
    message = bad({square: sp.Eq(u, 0), square.boundary: sp.Eq(v(0, y), 1)}, UnsupportedEquation)
    assert "takes the unknown at u(0, y)" in message
    assert "box.face(x, 0)" in message


def test_a_function_of_too_few_coordinates():
    f = sp.Function("f")(x)
    assert "The function f(x) is not an unknown of this domain" in bad({square: sp.Eq(u, f)})


def test_arguments_in_two_orders():
    v = sp.Function("u")(y, x)
    assert "use one order of the coordinates" in bad({square: [sp.Eq(u, 0), sp.Eq(v, 0)]})


@pytest.mark.parametrize("statement", [sp.Eq(u, u), sp.true, False])
def test_equations_that_are_true_or_false(statement):
    assert "by itself" in bad({square: statement})


@pytest.mark.parametrize("statement", [u < 1, "u = 1", None, 3])
def test_things_that_are_no_equation(statement):
    assert "quation" in bad({square: statement})


def test_complex_and_infinite_equations():
    assert "complex" in bad({square: sp.Eq(u, sp.I)}, UnsupportedEquation)
    assert "infinite or undefined" in bad({square: sp.Eq(u, sp.zoo * x)})


def test_normals_where_there_are_none():
    message = bad({square: sp.Eq(fens.normal_derivative(u), 0)})
    assert "uses the outward normal" in message
    assert "put it on a boundary region" in message


def test_keys_that_are_no_regions():
    assert "keys of a problem are regions" in bad({"square": sp.Eq(u, 0)}, RegionError)


def test_not_a_mapping():
    assert "a mapping from regions to equations" in bad([sp.Eq(u, 0)])


def test_an_empty_list_of_equations():
    assert "is empty" in bad({square: []})


def test_data_of_the_wrong_length():
    points = fens.Points({x: [0.1, 0.2], y: [0.3, 0.4]})
    message = bad({square: sp.Eq(u, 0), points: sp.Eq(u, fens.Data([1.0, 2.0, 3.0]))})
    assert message == "Data has 3 values for 2 points; give one value for each point."


def test_data_away_from_points():
    assert "Data belongs on a fens.Points region" in bad({square: sp.Eq(u, fens.Data([1.0]))})


def test_data_that_is_not_finite():
    with pytest.raises(EquationError, match="value number 1 is nan"):
        fens.Data([1.0, float("nan")])


def test_points_outside_the_domain():
    points = fens.Points({x: [0.1, 1.2], y: [0.3, 0.4]})
    message = bad({square: sp.Eq(u, 0), points: sp.Eq(u, 0)}, RegionError)
    assert "Point number 1 of Points, (1.2, 0.4), lies outside the box" in message


def test_wrapped_functions_cannot_be_differentiated():
    f = fens.wrap(np.exp, name="f")
    with pytest.raises(EquationError, match=r"f\(x\) has no formula, so it cannot be differentiated"):
        sp.diff(f(x), x)


def test_coefficients_are_evaluated_as_written():
    """Expanded, 1 + (x − 3/2)³⁰ loses all digits to cancellation."""
    power = 1 + (x - sp.Rational(3, 2)) ** 30
    assert form(power * u.diff(x))[0] == {(1, 0): power}


@pytest.mark.parametrize("name", ["e", "pi", "sin", "numpy", "euler_gamma", "lambda", "x y"])
def test_coordinates_may_have_any_name(name):
    s = sp.Symbol(name)
    expression = sp.sin(sp.pi * s) + sp.E * s + sp.EulerGamma
    assert Formula(expression)({s: np.array([0.3])}, 1)[0] == pytest.approx(float(expression.subs(s, 0.3)), rel=1e-14)


def test_real_values_of_complex_type_are_real():
    assert Formula(sp.LambertW(x))({x: np.array([1.0])}, 1)[0] == pytest.approx(float(sp.LambertW(1)))


def test_derivatives_of_absolute_values_are_formulas():
    assert form(sp.Eq(u, sp.Abs(x - 2).diff(x))) == ({(0, 0): 1}, sp.sign(x - 2))


def test_normals_of_symbols_of_one_name_stay_apart():
    one, other = fens.normal(x), fens.normal(sp.Symbol("x", real=True))
    assert one != other
    assert (one.coordinate, other.coordinate) == (x, sp.Symbol("x", real=True))


def test_problems_survive_pickling():
    import pickle

    problem = fens.Problem(
        {
            square: sp.Eq(u, fens.wrap(np.sin)(x)),
            square.boundary: fens.normal_derivative(u),
            fens.Points({x: [0.1], y: [0.2]}): sp.Eq(u, fens.Data([1.0])),
        }
    )
    assert repr(pickle.loads(pickle.dumps(problem))) == repr(problem)


def test_the_domain_comes_first_whatever_the_order():
    problem = fens.Problem({square.boundary: sp.Eq(u, 0), square: sp.Eq(u, 1)})
    assert [c.region for c in problem.conditions] == [square, square.boundary]


@pytest.mark.parametrize("term", [u**2, u * u.diff(x), sp.exp(u), sp.Piecewise((1, u > 0), (0, True)), sp.Abs(u)])
def test_nonlinear_terms_are_found(term):
    assert not read(u.diff(x, 2) + term, UNKNOWN, (x, y))[0].is_linear


def test_a_wrapped_function_of_the_unknown_is_not_linear():
    assert not read(u.diff(x, 2) + fens.wrap(np.sin)(u), UNKNOWN, (x, y))[0].is_linear


def test_derivatives_by_a_stranger():
    message = bad({square: sp.Eq(u + sp.Derivative(u, t), 0)})
    assert "differentiates by something else than the coordinates, x, y" in message


def test_symbols_of_one_name():
    other = sp.Symbol("x", positive=True)
    assert "is no coordinate, but has the name of one. There are two symbols x" in bad({square: sp.Eq(u, other)})


def test_equations_between_matrices():
    assert "not an equation between expressions" in bad({square: sp.Eq(sp.Matrix([u]), sp.Matrix([0]), evaluate=False)})


@pytest.mark.parametrize("values", ["abc", [[1.0]], [None]])
def test_data_that_is_no_array_of_numbers(values):
    with pytest.raises(EquationError, match="Data takes"):
        fens.Data(values)


@pytest.mark.parametrize("arguments", [(), ("x",), (None,), ([x],)])
def test_wrapped_functions_of_no_expression(arguments):
    with pytest.raises(EquationError, match=r"arguments of sin must be|needs at least one argument"):
        fens.wrap(np.sin)(*arguments)


def test_text_is_never_run():
    with pytest.raises(EquationError):
        fens.wrap(np.sin)("__import__('os').getpid()")


def test_complex_values_of_a_callable():
    with pytest.raises(EvaluationError, match="must return real numbers"):
        Formula(fens.wrap(lambda a: a + 1j)(x))({x: np.array([1.0])}, 1)


def test_wrapped_functions_that_fail():
    def broken(a):
        raise KeyError("no table")

    with pytest.raises(EvaluationError, match="broken raised KeyError"):
        Formula(fens.wrap(broken)(x))({x: np.array([1.0])}, 1)
    with pytest.raises(EvaluationError, match="one value for each point"):
        Formula(fens.wrap(lambda a: np.ones(3))(x))({x: np.zeros(5)}, 5)


def test_terms_come_in_the_same_order_in_every_process():
    program = (  # no more of the package than what reads equations: each process imports it anew
        "import sympy as sp; from fens.problem.expression import read; from fens.problem.unknowns import Component\n"
        "x, y = sp.symbols('x y'); u = sp.Function('u')(x, y)\n"
        "(equation,) = read(sp.Eq(u.diff(x, 2) + u.diff(y, 2) + u, x), [Component(u, None)], (x, y))\n"
        "print([jet.orders for jet, _ in equation.jets])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in (0, 1)  # with these, SymPy's sets have the second derivatives in two orders
    }
    assert outputs == {"[(0, 0), (0, 2), (2, 0)]\n"}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (2 * a + x * b + y, {a: 2, b: x}),
        (a / 2 + x * a - sp.exp(x), {a: x + sp.Rational(1, 2), b: 0}),
        (2 * (a + b), {a: 2, b: 2}),
        (x + y, {a: 0, b: 0}),
        (a * b, None),
        (x * a**2, None),
        (x * (a + sp.sin(x)), None),  # linear, but not written as a sum
        (sp.Abs(a), None),
    ],
)
def test_multipliers_of_what_is_written_as_a_sum_of_multiples(expression, expected):
    assert multipliers(expression, {a, b}) == expected
    if expected is not None:
        assert {s: sp.simplify(expression.diff(s)) for s in (a, b)} == {s: sp.simplify(c) for s, c in expected.items()}


def test_there_are_not_too_many_equations():
    line = fens.Box({x: (0, 1)})
    with pytest.raises(fens.FensError, match="at most 2000 equations; got 3000"):
        fens.Problem({line: [sp.Eq(sp.Function("w")(x), x)] * 3000})
