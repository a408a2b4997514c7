"""The automatic choices: the scale, along each axis, and the number of features."""

import math

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

import fens
from fens import zoo
from fens._support.steering import ScaleSearch
from fens.errors import SettingError
from fens.fit.search import descend
from fens.geometry import subsample

x, y, t = sp.symbols("x y t")
v = sp.Function("v")(x, t)


@given(st.floats(-12, 15), st.floats(0.3, 3), st.floats(0.3, 3), st.sampled_from([1, 3]))
def test_descending_finds_the_valley(middle, left, right, stride):
    calls = {}

    def loss(factor):
        k = 4 * math.log2(factor)
        calls[round(k)] = math.exp(left * max(middle - k, 0) + right * max(k - middle, 0))
        return calls[round(k)]

    reason = descend(loss, stride, ScaleSearch.ROUND_OFF)
    best = min(calls, key=calls.get)
    assert abs(best - middle) <= 3
    assert len(calls) <= 14
    assert "neighbouring scales are no better" in reason


@given(st.floats(0.001, 0.1), st.sampled_from([1, 3]))
def test_descending_from_too_high_a_scale_goes_down(noise, stride):
    """Where everything is by chance, a higher scale that is a little better is no reason to go there."""

    def loss(factor):
        k = round(4 * math.log2(factor))
        calls[k] = 0.8 * (1 - noise * k / 20) if k > -stride else 1e-3
        return calls[k]

    calls = {}
    descend(loss, stride, ScaleSearch.ROUND_OFF)
    assert min(calls.values()) == 1e-3


def test_descending_stops_at_round_off():
    calls = []
    reason = descend(lambda factor: calls.append(factor) or 1e-15, 3, ScaleSearch.ROUND_OFF)
    assert "round-off at the first scale" in reason
    assert calls == [1.0]


def test_descending_where_nothing_works():
    assert "no trial led to a solution" in descend(lambda factor: float("inf"), 3, ScaleSearch.ROUND_OFF)


@given(st.integers(1, 300), st.integers(1, 60), st.integers(1, 4))
def test_thinned_points_are_different_ones(total, count, dimension):
    points = np.random.default_rng(total).random((total, dimension))
    chosen = subsample(points, count, np.random.default_rng(0))
    assert len(chosen) == len(set(chosen)) == min(count, total)


def test_thinned_points_leave_no_gap():
    points = np.sort(np.random.default_rng(0).random((1000, 1)), axis=0)
    chosen = np.sort(points[subsample(points, 250, np.random.default_rng(1)), 0])
    assert np.diff(chosen).max() < 0.015


PROBES = fens.Clustered(interior=2000)


def fine_grid(solution, known, **options):
    """The smallest error on a grid of equal scales around the first one tried."""
    first = solution.search.scales[0][0]
    solutions = (
        fens.solve(known.problem, scale=first * 2 ** (k / 3), estimate=False, **options) for k in range(-4, 6)
    )
    return min(s.compare(known.exact, PROBES).linf for s in solutions)


ACTIVATIONS = ("cos", "sin", "cos_sin", "sigmoid", "tanh", "swish")


@pytest.mark.parametrize(
    ("make", "features", "activation"),
    [
        *((zoo.helmholtz, 200, name) for name in ACTIVATIONS),
        *((zoo.oscillating_poisson, 400, name) for name in ("sin", "cos_sin", "tanh")),
        *((zoo.heat, 200, name) for name in ("cos", "sigmoid", "swish")),
    ],
)
def test_the_scale_is_near_the_best_for_every_activation(make, features, activation):
    known, options = make(), {"features": features, "activation": activation}
    solution = fens.solve(known.problem, estimate=False, **options)
    assert solution.compare(known.exact, PROBES).linf <= 5 * fine_grid(solution, known, **options)


def test_the_search_tells_what_it_tried():
    solution = fens.solve(zoo.wave().problem, features=200)
    search = solution.search
    assert 3 <= len(search.scales) == len(search.losses) <= 8
    assert solution.scales == search.scales[search.best]
    assert min(search.losses) == search.losses[search.best]
    assert "neighbouring scales" in search.reason
    assert "neighbouring scales" in repr(search)


def test_a_given_scale_is_not_searched():
    solution = fens.solve(zoo.wave().problem, features=100, scale=1.0)
    assert solution.search is None
    assert solution.scale == 1.0


def test_axes_along_which_a_solution_varies_more_get_larger_scales():
    strip = fens.Box({x: (0, 1)}).during(t, 0, 1)
    exact = sp.sin(x - 40 * t)
    operators = {strip: v.diff(t) + 40 * v.diff(x), strip.face(x, 0): v, strip.initial: v}
    solution = fens.solve(fens.manufacture(operators, v, exact), features=400)
    along_x, along_t = solution.scale
    assert 10 < along_t / along_x < 100
    assert solution.compare(exact).linf < 2e-12


def test_axes_in_other_units_get_inverse_scales():
    strip = fens.Box({x: (0, 1000)}).during(t, 0, sp.Rational(1, 10))
    exact = sp.sin(x / 100) * sp.exp(-10 * t)
    operators = {strip: v.diff(t) - 1000 * v.diff(x, 2), strip.sides: v, strip.initial: v}
    assert fens.solve(fens.manufacture(operators, v, exact), features=400).compare(exact).linf < 1e-13


def test_many_rows_are_thinned_for_the_trials():
    known = zoo.helmholtz()
    solution = fens.solve(known.problem, features=200, points=fens.Grid(60), estimate=False)
    assert solution.stats.rows == 3600
    assert solution.compare(known.exact).linf < 1e-7


def test_growth_to_a_tolerance():
    known = zoo.helmholtz(-1, 1)
    sizes = []
    for tol in (1e-4, 1e-9):
        solution = fens.solve(known.problem, features=60, tol=tol)
        assert solution.compare(known.exact).linf <= tol
        assert solution.error.estimate <= tol
        sizes.append(solution.stats.features)
        assert solution.stats.sizes[-1] == (solution.stats.features, solution.error.estimate)
        assert [m for m, _ in solution.stats.sizes] == sorted(m for m, _ in solution.stats.sizes)
    assert sizes[0] < sizes[1]


def test_a_tolerance_that_is_met_by_far_asks_for_no_other_scale():
    square = fens.Box({x: (0, 1), t: (0, 1)})
    exact = sp.exp(x) * sp.sin(12 * t)
    problem = fens.manufacture({square: v.diff(x, 2) + v.diff(t, 2), square.boundary: v}, v, exact)
    plain, loose = fens.solve(problem, features=400), fens.solve(problem, tol=1e-3)
    assert len(loose.search.scales) == 1 < len(plain.search.scales)
    assert "far better than the tolerance" in loose.search.reason
    assert loose.compare(exact).linf < 1e-3


@pytest.mark.parametrize("seed", range(4))
def test_growth_from_far_too_few_features(seed):
    known = zoo.helmholtz(-1, 1)
    solution = fens.solve(known.problem, features=60, tol=1e-6, seed=seed)
    assert solution.stats.features < 900
    assert solution.compare(known.exact).linf <= 1e-6


def test_growth_without_tolerance_ends_at_round_off():
    known = zoo.helmholtz_tanh()
    solution = fens.solve(known.problem)
    assert solution.error.verdict == "roundoff-limited"
    assert solution.compare(known.exact).linf < 1e-14


def test_growth_of_a_nonlinear_problem():
    known = zoo.bratu()
    solution = fens.solve(known.problem, features=50, tol=1e-9)
    assert solution.stats.features > 50
    assert solution.compare(known.exact).linf < 1e-9


def test_a_tolerance_out_of_reach_is_said():
    known = zoo.helmholtz(-1, 1)
    options = {"features": 250, "tol": 1e-12, "max_features": 350}
    with pytest.raises(fens.ToleranceNotMet, match=r"above the tolerance 1.0e-12: max_features, 350, is") as found:
        fens.solve(known.problem, **options)
    best = found.value.solution
    assert best.stats.features == 350
    assert best.compare(known.exact).linf < 1e-4
    same = fens.solve(known.problem, raise_on_failure=False, **options)
    assert same.stats.status == "tolerance not met"
    assert "TOLERANCE NOT MET: The error estimate is" in repr(same)


def test_a_tolerance_below_round_off_is_said():
    with pytest.raises(fens.ToleranceNotMet, match="more features no longer lower the error"):
        fens.solve(zoo.helmholtz_tanh().problem, tol=1e-20)


def test_no_tolerance_is_met_by_an_ill_posed_problem():
    with pytest.raises(fens.ToleranceNotMet, match="more features would not help"):
        fens.solve(zoo.ill_posed()["pure Neumann"], tol=1e-3)


def test_growth_is_limited_by_given_points():
    known = zoo.helmholtz()
    with pytest.raises(fens.ToleranceNotMet, match="the points, 441 rows, are too few"):
        fens.solve(known.problem, features=200, tol=1e-14, points=fens.Grid(21))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tol": 0}, "tol must be a positive number"),
        ({"tol": -1e-3}, "tol must be a positive number"),
        ({"tol": float("nan")}, "tol must be a positive number"),
        ({"tol": "small"}, "tol must be a positive number"),
        ({"tol": 1e-6, "estimate": False}, "tol needs the error estimate"),
        ({"tol": 1e-6, "features": 900, "max_features": 400}, "larger than max_features, 400"),
        ({"max_features": 0}, "max_features must be a whole positive number"),
        ({"max_features": 2.5}, "max_features must be a whole positive number"),
        ({"estimate": "yes"}, "estimate must be True or False"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(SettingError, match=message):
        fens.solve(zoo.helmholtz().problem, **options)
