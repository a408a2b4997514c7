"""What the user keeps."""

import numpy as np
import pytest
import sympy as sp

import fens
from fens import zoo
from fens.errors import EvaluationError, RegionError, SettingError

pytestmark = [
    pytest.mark.xdist_group("solution"),  # each solution is made once
    pytest.mark.filterwarnings("ignore::fens.UnreliableWarning"),  # some have nothing to trust
]
x, y, z = sp.symbols("x y z")
EXACT = sp.sin(sp.pi * x) * sp.sin(4 * sp.pi * y)


@pytest.fixture(scope="module")
def solution():
    return fens.solve(zoo.helmholtz().problem, features=500)


def test_numbers_give_a_float(solution):
    value = solution(0.3, 0.7)
    assert type(value) is float
    assert value == pytest.approx(float(EXACT.subs({x: 0.3, y: 0.7})), abs=1e-12)
    assert type(solution(np.float64(0.3), np.array(0.7))) is float


def test_arrays_broadcast(solution):
    a, b = np.linspace(0, 1, 5)[:, None], np.linspace(0, 1, 3)
    values = solution(a, b)
    assert values.shape == (5, 3)
    np.testing.assert_allclose(values, np.sin(np.pi * a) * np.sin(4 * np.pi * b), atol=1e-12)
    assert solution([0.1, 0.2], 0.5).shape == (2,)
    assert solution(np.empty((0, 2)), 0.5).shape == (0, 2)


@pytest.mark.parametrize(
    ("variables", "derivative"),
    [
        ((x,), (x,)),
        ((x, 2), (x, 2)),
        ((x, y), (x, y)),
        ((x, 2, y), (x, 2, y)),
        (((x, 2), (y, 3)), (x, 2, y, 3)),
        ((y, sp.Integer(4)), (y, 4)),
        ((x, 0), None),
    ],
)
def test_derivatives_of_any_order(solution, variables, derivative):
    expected = EXACT if derivative is None else sp.diff(EXACT, *derivative)
    order = 0 if derivative is None else sum(v for v in derivative if isinstance(v, int)) + len(derivative)
    reference = sp.lambdify((x, y), expected)
    a, b = np.random.default_rng(0).uniform(0.1, 0.9, (2, 30))
    np.testing.assert_allclose(solution.diff(*variables)(a, b), reference(a, b), atol=1e-12 * 40**order)


def test_derivatives_of_derivatives(solution):
    twice = solution.diff(x).diff(x, y)
    assert twice(0.2, 0.3) == solution.diff(x, 2, y)(0.2, 0.3)
    assert repr(twice) == "<derivative (x, 2, y) of the solution>"


def test_outside_the_domain(solution):
    values = solution([0.5, 1.5], 0.1)
    assert np.isfinite(values[0])
    assert np.isnan(values[1])
    assert np.isfinite(solution(1.0 + 1e-14, 0.1))
    assert np.isfinite(solution(1.01, 0.1, outside="extrapolate"))
    assert np.isnan(solution(float("nan"), 0.1))


def test_residuals(solution):
    problem = solution.problem
    for region in problem.regions:
        collocated, fresh = solution.residual(region), solution.residual(region, points=fens.Grid(30))
        scale = 1 if region == problem.domain.boundary else 170
        assert collocated.shape == (len(solution.samples[region]),)
        assert np.abs(collocated).max() < 1e-10 * scale
        assert np.abs(fresh).max() < 1e-9 * scale
    norm = np.sqrt(
        sum(
            (weight * solution.residual(region) ** 2 * weight).sum()
            for weight, region in zip(solution.stats.row_weights, problem.regions, strict=True)
        )
    )
    assert norm == pytest.approx(solution.stats.residual, rel=0.2)


def test_residuals_at_no_points(solution):
    with pytest.raises(SettingError, match="points must be a"):
        solution.residual(solution.problem.domain, points=3)
    assert solution.residual(solution.problem.domain, points=fens.Grid(2)).shape == (0,)


def test_residuals_of_several_equations_on_one_region():
    known = zoo.wave()
    solution = fens.solve(known.problem, features=100)
    assert solution.residual(known.problem.domain.initial).shape[0] == 2


def test_residual_on_a_region_without_equations(solution):
    with pytest.raises(RegionError, match=r"no equation on the face x = 0; it has some on: the box .*, the boundary"):
        solution.residual(solution.problem.domain.face(x, 0))


def test_comparisons(solution):
    on_grid = solution.compare(EXACT, fens.Grid(50))
    assert on_grid.points == 2500
    assert solution.compare(EXACT).points == 201**2
    assert solution.compare(EXACT, "collocation").points == solution.stats.rows
    assert solution.compare(EXACT, {x: [0.1, 0.2], y: 0.3}).points == 2
    shifted = solution.compare(EXACT + 1)
    assert shifted.linf == pytest.approx(1)
    norm = np.sqrt(np.mean((1 + sp.lambdify((x, y), EXACT)(*np.meshgrid(*[np.linspace(0, 1, 201)] * 2))) ** 2))
    assert shifted.l2 == pytest.approx(1 / norm)
    assert repr(shifted).startswith("L∞ 1.00e+00, relative L2")


def test_comparisons_that_make_no_sense(solution):
    with pytest.raises(SettingError, match="exact solution contains z; the coordinates are x, y"):
        solution.compare(z)
    with pytest.raises(EvaluationError, match=r"exact solution is inf at the point \(0, 0\)"):
        solution.compare(1 / x)
    for points in (3, fens.Grid, "nowhere"):
        with pytest.raises(SettingError, match="points must be a"):
            solution.compare(EXACT, points)
    with pytest.raises(SettingError, match="need arrays for x, y; got x"):
        solution.compare(EXACT, {x: [0.1]})
    for nonsense in (None, "__import__('os')", [1, 2], sp.Matrix([x])):
        with pytest.raises(SettingError, match="exact solution must be an expression"):
            solution.compare(nonsense)
    for broken in (lambda a, b: a + 1j, lambda a: a, lambda a, b: a[:3]):
        with pytest.raises(EvaluationError, match="The exact solution"):
            solution.compare(broken)


def test_stats_say_what_happened(solution):
    stats = solution.stats
    assert stats.features == 500
    assert stats.rows == sum(len(s) for s in solution.samples.values())
    assert 0 < stats.rank <= 500
    passes = {"points", "equations", "features", "scale", "adaptation", "least squares", "estimate"}
    assert set(stats.seconds) == passes
    assert stats.status == "converged"
    assert stats.iterations == ()


def test_repr_fits_on_a_few_lines(solution):
    lines = repr(solution).splitlines()
    assert len(lines) <= 4
    assert "error about" in lines[3]
    assert lines[0] == "Solution u(x, y) on the box 0 < x < 1, 0 < y < 1"
    assert all(len(line) <= 120 for line in lines)
    assert "500 cos features at scale" in lines[1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: s(0.1), r"takes 2 coordinates, \(x, y\); got 1"),
        (lambda s: s(0.1, 0.2, 0.3), "got 3"),
        (lambda s: s("a", 0.2), "real numbers or arrays of them; got str, float"),
        (lambda s: s([1, 2, 3], [1, 2]), r"must broadcast together; got x: \(3,\), y: \(2,\)"),
        (lambda s: s(0.1, 0.2, outside="zero"), "'nan' or 'extrapolate'; got 'zero'"),
        (lambda s: s.diff(), "at least one coordinate"),
        (lambda s: s.diff(x, -1), "not negative; got -1"),
        (lambda s: s.diff(x, 1.5), r"not negative; got 1\.5"),
        (lambda s: s.diff(x, 2, 3), "takes coordinates, each with its order behind it .*; got 3"),
        (lambda s: s("0.5", 0.2), "real numbers"),
        (lambda s: s(0.5 + 1j, 0.2), "real numbers"),
        (lambda s: s(None, 0.2), "real numbers"),
    ],
)
def test_bad_calls(solution, call, words):
    with pytest.raises(SettingError, match=words):
        call(solution)


def test_differentiating_by_a_stranger(solution):
    with pytest.raises(RegionError, match="z is not a coordinate"):
        solution.diff(z)


@pytest.mark.parametrize("make", [zoo.helmholtz, zoo.oscillating_poisson, zoo.diffusion])
def test_pictures(tmp_path, make):
    known = make()
    figure = fens.solve(known.problem, features=100).plot(str(tmp_path / "u.png"))
    axes = figure.axes[0]
    assert (tmp_path / "u.png").stat().st_size > 5000
    assert axes.get_xlabel() == "$x$"
    assert axes.get_ylabel()
