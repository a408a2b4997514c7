"""Integrals among the conditions, functions of unknowns between points, kinks and poles: what verdicts say."""

import math

import numpy as np
import pytest
import sympy as sp

import fens
from fens.discretise.functionals import finer_rules, rows_of
from fens.errors import NotConverged

x, y = sp.symbols("x y")
u, w = sp.Function("u")(x), sp.Function("w")(x, y)
k = fens.Unknown("k", initial=1)
line, square = fens.Box({x: (0, 1)}), fens.Box({x: (0, 1), y: (0, 1)})
from_zero_to_one = {line.face(x, 0): sp.Eq(u, 0), line.face(x, 1): sp.Eq(u, 1)}
pytestmark = pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")


def sloped(weight, whole, features=80):
    """A line through zero whose slope an integral tells."""
    equations = [sp.Eq(u.diff(x, 2), 0), sp.Eq(fens.integral(weight * u), whole)]
    return fens.solve(fens.Problem({line: equations, line.face(x, 0): sp.Eq(u, 0)}), features=features)


def bump(width):
    return 1 + sp.exp(-(((x - 0.4321) / width) ** 2)) / (width * sp.sqrt(sp.pi))


def is_right(solution, exact):
    """Whether the estimate is trusted, and about as large as the error."""
    error = solution.compare(exact).linf
    return solution.error.trusted and error / 3 < solution.error.estimate < 100 * error + 1e-12


@pytest.mark.parametrize("domain", [line, square, square.face(x, 0), fens.Ball({x: 0, y: 0}, radius=1)], ids=str)
def test_finer_rules_integrate_the_same(domain):
    samples, T = rows_of("integral", domain)
    rules = finer_rules(domain)
    assert all(len(finer) > len(samples) for finer, _ in rules)
    assert [float(weights.sum()) for _, weights in rules] == pytest.approx([float(T.sum())] * len(rules), rel=1e-13)


def test_a_rule_of_random_points_is_checked_by_half_of_them():
    box = fens.Box(dict.fromkeys(sp.symbols("a:6"), (0, 2)))
    samples, T = rows_of("integral", box)
    ((finer, weights),) = finer_rules(box)
    assert 2 * len(finer) == len(samples)
    assert float(weights.sum()) == pytest.approx(float(T.sum()))


def test_the_integral_of_many_waves_is_resolved():
    equations = [sp.Eq(u.diff(x, 2) + 10**4 * u, 0), sp.Eq(fens.integral(u), (1 - math.cos(100)) / 100)]
    solution = fens.solve(fens.Problem({line: equations, line.face(x, 0): sp.Eq(u, 0)}), features=200)
    assert solution.compare(sp.sin(100 * x)).linf < 1e-10
    assert solution.error.trusted


@pytest.mark.parametrize(
    ("weight", "whole"),
    [
        (bump(0.01), 0.9321),
        (sp.Heaviside(x - 0.4321, 0), (1 - 0.4321**2) / 2),
        (sp.Piecewise((2, x < 0.3), (1, True)), (1 + 0.3**2) / 2),
        (1 / sp.sqrt(x), 2 / 3),
    ],
    ids=str,
)
def test_estimates_have_the_error_of_an_integral(weight, whole):
    assert is_right(sloped(weight, whole), x)


def test_the_kink_of_an_integrand_in_the_unknown_is_in_the_estimate():
    problem = fens.Problem({
        line: [sp.Eq(u.diff(x, 2), 0), sp.Eq(fens.integral(sp.Abs(u)), 0.29)], fens.Points({x: [0.3]}): sp.Eq(u, 0)
    })
    assert is_right(fens.solve(problem, features=80, initial=1.5 * x - 0.4), x - 0.3)


@pytest.mark.parametrize("width", [1e-4, 1e-5, 3e-6])
def test_an_integral_over_a_bump_that_its_rule_does_not_see_is_named(width):
    error = sloped(bump(width), 0.9321).error
    assert error.verdict == "unreliable"
    assert "integral(" in error.advice


def test_in_the_plane_and_on_faces_integrals_are_checked_too():
    flux = {square.boundary: sp.Eq(fens.normal_derivative(w), fens.normal(x))}
    spot = sp.exp(-((x - 0.31) ** 2 + (y - 0.62) ** 2) / 0.005**2) / (0.005**2 * sp.pi)
    equations = [sp.Eq(fens.laplacian(w), 0), sp.Eq(fens.integral((1 + spot) * w), 1)]
    assert "integral(" in fens.solve(fens.Problem({square: equations, **flux}), features=120).error.advice
    part = sp.Eq(fens.integral(sp.Piecewise((w, y < 0.377), (0, True))), 2 * 0.377)
    problem = fens.Problem({square: fens.laplacian(w), square.face(x, 1): part, **flux})
    assert is_right(fens.solve(problem, features=120), x + 1)


@pytest.mark.parametrize(
    "equation",
    [
        sp.Eq(u.diff(x, 2), 10**4 * sp.exp(-(((u - 0.5) * 10**4) ** 2))),
        sp.Eq(u.diff(x, 2) + 10**4 * sp.exp(-(((u - 0.5) * 10**4) ** 2)) * u.diff(x), 0),
    ],
    ids=["source", "coefficient"],
)
def test_a_bump_in_a_function_of_the_solution_is_seen_between_points(equation):
    error = fens.solve(fens.Problem({line: equation, **from_zero_to_one}), features=100).error
    assert error.verdict == "unreliable"
    assert error.evidence.unseen == pytest.approx((0.5,), abs=0.01)


@pytest.mark.parametrize("source", [sp.exp(u), sp.tanh(20 * (u - 0.5)), sp.exp(-((20 * (u - 0.5)) ** 2))], ids=str)
def test_functions_of_the_solution_that_points_do_see(source):
    error = fens.solve(fens.Problem({line: sp.Eq(u.diff(x, 2), source), **from_zero_to_one}), features=150).error
    assert error.trusted
    assert error.relative < 1e-9


@pytest.mark.parametrize("right", [False, True])
def test_eigenvalues_do_not_miss_a_bump_that_no_point_sees(right):
    narrow = 10**6 * sp.exp(-(((x - 0.5003) * 10**5) ** 2)) * u
    equation = sp.Eq(-u.diff(x, 2), k * (u + narrow)) if right else sp.Eq(-u.diff(x, 2) + narrow, k * u)
    with pytest.raises(NotConverged, match=r"does something at \(0\.50"):
        fens.eigen(fens.Problem({line: equation, line.boundary: sp.Eq(u, 0)}), k, count=1, features=200)


def test_a_kink_in_a_coefficient_is_no_contradiction():
    problem = fens.Problem({line: sp.Eq(u.diff(x) + sp.Min(x, 0.5) * u, 0), line.face(x, 0): sp.Eq(u, 1)})
    solution = fens.solve(problem, features=200)
    assert is_right(solution, lambda s: np.exp(-np.where(s < 0.5, s**2 / 2, 0.125 + 0.5 * (s - 0.5))))


@pytest.mark.parametrize("jump", [1.001, 2])
def test_a_jump_in_a_lower_term_is_no_contradiction(jump):
    equation = sp.Eq(u.diff(x, 2), sp.Piecewise((1, x < 0.5), (jump, True)) * u)
    problem = fens.Problem({line: equation, line.face(x, 0): sp.Eq(u, 1), line.face(x, 1): sp.Eq(u, 0)})
    assert fens.solve(problem, features=200).error.trusted


def test_with_a_kink_a_value_too_many_still_is_one():
    values = {line.boundary: sp.Eq(u, sp.Abs(x - 0.3) ** 3 / 6), fens.Points({x: [0.6]}): sp.Eq(u, 0.0145)}
    problem = fens.Problem({line: sp.Eq(u.diff(x, 2), sp.Abs(x - 0.3)), **values})
    assert fens.solve(problem, features=200).error.verdict == "inconsistent"


@pytest.mark.parametrize("features", [60, 200, 600])
def test_a_pole_of_a_coefficient_at_an_end_is_no_instability(features):
    ball = fens.Box({x: (0, 2)})
    problem = fens.Problem({ball: sp.Eq(u.diff(x, 2) + 2 * u.diff(x) / x, -6), ball.face(x, 2): sp.Eq(u, 0)})
    solution = fens.solve(problem, features=features)
    assert is_right(solution, 4 - x**2)
    assert solution.error.evidence.sensitivity < 10
