"""Frequencies that learn where a solution varies, and the distributions they are drawn from."""

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

import fens
from fens import zoo
from fens.basis import Isotropic, Mixture, Oriented, Sparse
from fens.errors import SettingError

HALF = np.sqrt(3)
DISTRIBUTIONS = {
    "isotropic": Isotropic(),
    "oriented": Oriented(((2.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.1))),
    "sparse": Sparse.up_to(2, 3),
    "mixture": Mixture(((0.3, Isotropic()), (0.7, Sparse.up_to(1, 3)))),
}


def laplacian(u, xs):
    return sp.Add(*(u.diff(s, 2) for s in xs))


def in_box(dimension, exact):
    """−Δu = f on (−1, 1)^d with a solution given as a function of the coordinates."""
    xs = sp.symbols(f"x1:{dimension + 1}")
    u, box = sp.Function("u")(*xs), fens.Box(dict.fromkeys(xs, (-1, 1)))
    return fens.manufacture({box: -laplacian(u, xs), box.boundary: u}, u, exact(xs)), exact(xs)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@given(count=st.integers(1, 200), seed=st.integers(0, 5))
def test_distributions_draw_what_is_asked_for(name, count, seed):
    drawn, again = (DISTRIBUTIONS[name].draw(count, 3, HALF, np.random.default_rng(seed)) for _ in range(2))
    assert drawn.shape == (count, 3)
    assert np.isfinite(drawn).all()
    assert np.array_equal(drawn, again)


def test_oriented_frequencies_have_the_covariance_of_their_matrix():
    L = np.array(DISTRIBUTIONS["oriented"].matrix)
    drawn = DISTRIBUTIONS["oriented"].draw(200_000, 3, HALF, np.random.default_rng(0))
    assert np.allclose(np.cov(drawn.T), L @ L.T, atol=0.03)


def test_sparse_frequencies_touch_their_subsets_in_proportion():
    drawn = Sparse(((0,), (1, 2)), (1.0, 3.0)).draw(1000, 4, HALF, np.random.default_rng(0))
    touched = drawn != 0
    assert (touched[:, 0].sum(), touched[:, 1].sum(), touched[:, 3].sum()) == pytest.approx((250, 750, 0), abs=1)
    assert not (touched[:, 0] & touched[:, 1]).any()


def test_mixtures_keep_their_shares():
    drawn = DISTRIBUTIONS["mixture"].draw(1000, 3, HALF, np.random.default_rng(0))
    assert ((drawn != 0).sum(axis=1) == 3).sum() == 300


def test_a_matrix_of_another_dimension():
    with pytest.raises(SettingError, match=r"Oriented has a matrix of shape \(3, 3\) for 2 coordinates"):
        DISTRIBUTIONS["oriented"].draw(10, 2, HALF, np.random.default_rng(0))


def test_one_direction_in_ten_dimensions():
    known = zoo.poisson(10)
    solution = fens.solve(known.problem, features=500)
    error = solution.compare(known.exact).linf
    assert error < 1e-11
    assert solution.error.estimate >= error / 3
    assert solution.stats.rounds[0].kept or solution.stats.rounds[1].kept
    without = fens.solve(known.problem, features=500, adapt=False, estimate=False)
    assert without.compare(known.exact).linf > 1e-4
    assert without.stats.rounds == ()


def test_single_coordinates_in_five_dimensions():
    problem, exact = in_box(5, lambda xs: sp.Add(*(sp.sin(sp.pi * s / 2) for s in xs)))
    assert fens.solve(problem, features=400).compare(exact).linf < 1e-13


def test_five_pairs_of_ten_coordinates_are_found():
    problem, exact = in_box(10, lambda xs: sp.Add(*(sp.sin(xs[2 * i] + xs[2 * i + 1]) for i in range(5))))
    solution = fens.solve(problem, features=600)
    assert solution.compare(exact).linf < 1e-8
    learnt = solution.ansaetze[0].distribution.parts[0][1]
    assert set(learnt.subsets) == {(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)}


def test_the_front_of_burgers():
    known = zoo.burgers(0.02)
    solution = fens.solve(known.problem, features=300)
    error = solution.compare(known.exact).linf
    assert error < 1e-7
    assert error / 3 < solution.error.estimate < 1e-5
    losses = [r.loss for r in solution.stats.rounds if r.kept]
    assert losses == sorted(losses, reverse=True)


def test_no_preferred_direction_is_not_made_worse():
    known = zoo.helmholtz()
    plain, adapted = (fens.solve(known.problem, features=300, adapt=flag) for flag in (False, True))
    assert adapted.compare(known.exact).linf <= 2 * plain.compare(known.exact).linf
    assert len(adapted.stats.rounds) <= 3


@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")
def test_a_bump_in_eight_dimensions_gets_no_number():
    problem, exact = in_box(8, lambda xs: sp.exp(-2 * sp.Add(*(s**2 for s in xs))))
    solution = fens.solve(problem, features=400)
    assert solution.error.verdict == "unreliable"
    assert solution.error.estimate >= solution.compare(exact).linf


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"adapt": "yes"}, "adapt must be True, False or None"),
        ({"adapt": True, "scale": 3.0}, "leave out scale and initialisation"),
        ({"adapt": True, "initialisation": "xavier"}, "leave out scale and initialisation"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(SettingError, match=message):
        fens.solve(zoo.helmholtz().problem, features=50, **options)


def test_a_front_that_the_first_features_do_not_resolve_is_learnt_with_more():
    """100 features learn next to nothing here; what they learnt must not be all that more of them ever know."""
    solution = fens.solve(zoo.burgers(0.02).problem, features=100, tol=1e-4)
    assert solution.meets(1e-4)
    assert solution.stats.sizes[0] == (100, np.inf)
    assert solution.stats.features <= 337


def diagonal(domain, points=201):
    """Points from one end of a domain through its middle to the other, along which all coordinates grow alike."""
    (low, high) = domain.farthest(np.array([[-1.0], [1.0]]) * np.ones(len(domain.coordinates)))
    return low + np.linspace(0, 1, points)[:, None] * (high - low)


@pytest.mark.parametrize(
    ("shape", "dimension", "seed"), [("cube", 10, 0), ("cube", 10, 1), ("cube", 30, 0), ("ball", 7, 0)]
)
def test_a_solution_is_as_accurate_where_the_domain_is_farthest(shape, dimension, seed):
    """A function of the mean of the coordinates: along it, points at random are all near the middle."""
    xs = sp.symbols(f"x1:{dimension + 1}")
    u, mean = sp.Function("u")(*xs), sp.Add(*xs) / dimension
    cube, ball = fens.Box(dict.fromkeys(xs, (-1, 1))), fens.Ball(dict.fromkeys(xs, 0), dimension**0.5)
    domain = cube if shape == "cube" else ball
    exact = mean**2 + sp.sin(mean)
    problem = fens.manufacture({domain: -laplacian(u, xs), domain.boundary: u}, u, exact)
    solution = fens.solve(problem, seed=seed)
    where = diagonal(domain)
    error = solution.compare(exact, dict(zip(xs, where.T, strict=True))).linf
    assert error <= 2 * solution.error.estimate <= 2e-13


def test_points_reach_far_only_where_features_have_learnt_and_points_are_ours():
    known, plain = zoo.poisson(5), zoo.helmholtz()
    learnt = fens.solve(known.problem, features=100)
    assert learnt.stats.rows == pytest.approx(1.2 * 250, abs=20)
    for problem, options in [
        (plain.problem, {}),
        (known.problem, {"adapt": False}),
        (known.problem, {"points": fens.Clustered(rows=2.5000001)}),
    ]:
        assert fens.solve(problem, features=100, **options).stats.rows == pytest.approx(250, abs=6)


def test_what_few_features_cannot_resolve_is_not_called_ill_posed():
    """In a ball in ten dimensions, 400 features may not find along which direction the solution varies; 600 do."""
    xs = sp.symbols("x1:11")
    u, mean = sp.Function("u")(*xs), sp.Add(*xs) / sp.sqrt(10)
    ball = fens.Ball(dict.fromkeys(xs, 0), 1)
    exact = mean**2 + sp.sin(mean)
    problem = fens.manufacture({ball: -laplacian(u, xs), ball.boundary: u}, u, exact)
    solution = fens.solve(problem, seed=2)
    assert len(solution.stats.sizes) > 1
    assert solution.compare(exact).linf <= solution.error.estimate <= 1e-12
