"""Corners in the course of time, and corners of holes: their functions, where they are used, and solutions."""

import numpy as np
import pytest
import sympy as sp
import torch
from scipy.special import ellipk

import fens
from fens.basis import Chebyshev, Corner, CornerFunctions, CutCornerFunctions, EdgeFunctions
from fens.errors import RegionError, SettingError
from fens.geometry import Demand, Graded, Sector
from fens.strategy.onsets import all_sites

x, y, t = sp.symbols("x y t", real=True)
u, v = sp.Function("u")(x, y, t), sp.Function("v")(x, y)
ELL = fens.Polygon([(-1, -1), (1, -1), (1, 0), (0, 0), (0, 1), (-1, 1)], (x, y))
R = sp.sqrt(x**2 + y**2)
# counted from the side along y: the function atan2 jumps in the quadrant that is missing
THETA = sp.atan2((x - y) / sp.sqrt(2), -(x + y) / sp.sqrt(2)) + 3 * sp.pi / 4
SINGULAR = R ** sp.Rational(2, 3) * sp.sin(2 * THETA / 3)
SQUARE = fens.Box({x: (-1, 1), y: (-1, 1)}, name="out")
HOLED = SQUARE - fens.Box({x: (-0.5, 0.5), y: (-0.5, 0.5)}, name="in")


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


def differences(basis, alpha, points, h=1e-5):
    """A derivative by a difference of those of one order less, along the first axis along which there is one."""
    axis = next(k for k, n in enumerate(alpha) if n)
    lower = tuple(n - (k == axis) for k, n in enumerate(alpha))
    step = h * np.eye(points.shape[1])[axis]
    ahead, behind = (basis.matrix([(1.0, lower)], tensor(points + s * step)) for s in (1, -1))
    return (ahead - behind) / (2 * h)


def along_edges():
    powers = [0.7, 1.3, 2.0, 0.0]
    parts = [0.0, 0.0], [[-1.0, 0.0], [0.0, -1.0]], powers, [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 2.0]
    across = CornerFunctions(*map(tensor, parts), (0, 1), 3)
    return EdgeFunctions(across, Chebyshev(tensor(0.5), tensor(0.5), 5, 2, 3))


def with_cut():
    powers = [0.7, 1.3, 2.0, 0.0, 1.0, 1.6]
    parts = [0.0, 0.0], [[1.0, 0.3], [0.0, 1.2]], powers, [0.0, 2.0, 1.0, 0.0, 2.0, 1.0], [0.0, 0.0, 1.0, 2.0, 2.0, 3.0]
    return CutCornerFunctions(*map(tensor, parts), (0, 1), 2, tensor([0.4, 0.3]))


@pytest.mark.parametrize(
    "alpha", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (0, 2, 0), (0, 0, 2), (1, 1, 1), (0, 0, 3)]
)
def test_derivatives_along_edges(alpha):
    points = np.array([[-0.3, -0.4, 0.2], [0.4, -0.7, 0.9], [-0.5, 0.6, 0.5]])
    found = along_edges().matrix([(1.0, alpha)], tensor(points))
    assert found.numpy() == pytest.approx(differences(along_edges(), alpha, points).numpy(), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("alpha", [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (1, 2), (0, 3), (2, 2)])
def test_derivatives_of_functions_whose_cut_ends(alpha):
    points = np.array([[-0.3, -0.4], [0.4, -0.7], [-0.5, 0.6], [0.7, 0.6]])
    found = with_cut().matrix([(1.0, alpha)], tensor(points))
    assert found.numpy() == pytest.approx(differences(with_cut(), alpha, points).numpy(), rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("basis", [along_edges(), with_cut()], ids=["along edges", "with a cut"])
def test_a_sum_is_the_matrix_times_weights(basis):
    points = tensor(np.random.default_rng(0).uniform(0.5, 1, (7, basis.dimension)))
    weights = tensor(np.random.default_rng(1).standard_normal((len(basis), 2)))
    operator = [(2.0, (2, 0, 0)[: basis.dimension]), (points[:, 0], (0, 1, 0)[: basis.dimension])]
    whole = basis.matrix(operator, points)
    assert whole.shape == (7, len(basis))
    assert basis.matvec(operator, points, weights).numpy() == pytest.approx((whole @ weights).numpy(), rel=1e-12)
    offset = tensor([0.1, 0.2, 0.3][: basis.dimension])
    moved = basis.counted_from(offset).matrix(operator, points - offset)
    assert moved[:, :4].numpy() == pytest.approx(whole[:, :4].numpy(), rel=1e-10)


def test_functions_whose_cut_ends_jump_on_it_alone():
    value = with_cut().matrix([(1.0, (0, 0))], tensor([[0.2, 0.1501], [0.2, 0.1499], [0.6, 0.4501], [0.6, 0.4499]]))
    assert float((value[0] - value[1]).abs().max()) > 0.1
    assert float((value[2] - value[3]).abs().max()) < 1e-2


def test_corners_of_holes_have_a_way_within():
    corners = all_sites(HOLED, fens.Problem({HOLED: fens.laplacian(v), HOLED.boundary: v})).corners
    inner = [c for c in corners if c.opening > 4]
    assert len(inner) == 4
    assert all(c.end and np.abs(c.end).max() < 0.1 and c.shifted for c in inner)
    assert not [c for c in corners if c.opening < 4 and c.end]


def test_a_square_hole():
    problem = fens.Problem({HOLED: fens.laplacian(v), HOLED.part("out"): v, HOLED.part("in"): sp.Eq(v, 1)})
    solution = fens.solve(problem, features=1350)
    assert solution.error.trusted
    assert solution.error.estimate < 1e-5
    charge = solution.integrate(fens.normal_derivative(v), on=HOLED.part("in"))
    assert abs(charge - 8 * ellipk(3 / 4) / ellipk(1 / 4)) < 1e-6  # an eighth is a trapezium, mapped conformally


def warm(exact, equation):
    domain = ELL.during(t, 0, 0.5)
    return fens.Problem({domain: equation, domain.sides: sp.Eq(u, exact), domain.initial: sp.Eq(u, exact)})


def test_corners_of_a_domain_in_time_have_its_exponents():
    problem = warm(SINGULAR, sp.Eq(u.diff(t), fens.laplacian(u)))
    (corner,) = [c for c in all_sites(problem.domain, problem).corners if c.opening > 4]
    assert corner.exponents[:2] == pytest.approx([2 / 3, 4 / 3])
    assert corner.radial
    assert not corner.alone
    string = warm(SINGULAR, sp.Eq(u.diff(t, 2), fens.laplacian(u)))
    assert not any(c.alone for c in all_sites(string.domain, string).corners)


def test_heat_on_an_ell():
    source = -sp.exp(-t) * SINGULAR  # of which the Laplacian vanishes
    solution = fens.solve(warm(sp.exp(-t) * SINGULAR, sp.Eq(u.diff(t), fens.laplacian(u) + source)), features=700)
    assert [r.kind for r in solution.stats.rounds if r.kept] == ["edges"]
    angle = np.linspace(0.1, 4.6, 9)
    r = 10.0 ** -np.arange(8)[:, None] * 0.9
    X, Y = r * np.cos(angle + np.pi / 2), r * np.sin(angle + np.pi / 2)
    error = np.abs(solution(X, Y, 0.3) - np.exp(-0.3) * r ** (2 / 3) * np.sin(2 * angle / 3))
    assert solution.error.trusted
    assert np.nanmax(error) < 2e-7
    assert np.nanmax(error) < 3 * solution.error.estimate


def test_a_smooth_solution_in_time_needs_no_edges():
    exact = sp.exp(-2 * t) * sp.sin(x + y)
    solution = fens.solve(warm(exact, sp.Eq(u.diff(t), fens.laplacian(u))), features=400)
    assert "edges" not in [r.kind for r in solution.stats.rounds if r.kept]
    assert solution.compare(exact).linf < 1e-8


def test_singular_terms_in_time_are_refused():
    source = -sp.exp(-t) * SINGULAR
    problem = warm(sp.exp(-t) * SINGULAR, sp.Eq(u.diff(t), fens.laplacian(u) + source))
    solution = fens.solve(problem, features=200, estimate=False)
    with pytest.raises(SettingError, match="change with time"):
        solution.singular((0, 0))


@pytest.mark.parametrize("name", ["initial", "final", "sides", None])
def test_points_are_graded_towards_edges(name):
    domain = ELL.during(t, 0, 2)
    region = domain if name is None else getattr(domain, name)
    sampler = Graded((Sector((0.0, 0.0), -3 * np.pi / 4, 3 * np.pi / 2, 1.0),), 0.6, 8.0)
    (samples,) = sampler.sample(Demand(domain, (region,), (1,), 400), np.random.SeedSequence(0))
    distance = np.linalg.norm(samples.points[:, :2], axis=1)
    assert domain.contains(samples.points).all()
    assert distance.min() < 1e-6
    near = samples.points[distance < 1e-2, 2]
    assert len(near) > 50
    if name in ("initial", "final"):
        assert set(near) == {0.0 if name == "initial" else 2.0}
        assert (np.abs(samples.normals[:, 2]) == 1).all()
    else:
        assert np.ptp(near) > 1.5


def test_corners_are_numbers():
    with pytest.raises(RegionError, match="opening of a corner must be a number"):
        Corner((0, 1), opening="wide")


def test_an_insulated_square_hole_contradicts_nothing():
    hole = HOLED.part("in")
    problem = fens.Problem({HOLED: fens.laplacian(v), HOLED.part("out"): sp.Eq(v, x), hole: fens.normal_derivative(v)})
    with pytest.warns(fens.UnreliableWarning):  # with so few functions at each of eight corners
        assert fens.solve(problem, features=400).error.verdict == "unreliable"
