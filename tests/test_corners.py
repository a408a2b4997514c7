"""Solutions with corners: the functions at them, where they are, points that are graded towards them, and solutions."""

import numpy as np
import pytest
import sympy as sp
import torch

import fens
from fens import zoo
from fens.basis import Corner, CornerFunctions
from fens.basis.singular.corners import exponents, suggested
from fens.geometry import Clustered, Demand, Graded, Sector
from fens.strategy.sites import sites_of

x, y = sp.symbols("x y", real=True)
u = sp.Function("u")(x, y)
L_SHAPE = fens.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], (x, y))
SQUARE = fens.Box({x: (0, 1), y: (0, 1)})
STRIP = fens.Box({x: (-1, 1), y: (0, 1)})
POINTS = torch.tensor([[0.3, 0.4], [1.2, -0.7], [-0.5, 0.2]], dtype=torch.float64)


def functions(powers, conjugate, logarithms, turned=0.4, size=2.0):
    c, s = np.cos(turned) / size, np.sin(turned) / size
    given = [0.1, -0.2], [[c, s], [-s, c]], powers, conjugate, logarithms
    types = [torch.complex128 if np.iscomplexobj(np.array(v)) else torch.float64 for v in given]
    return CornerFunctions(*(torch.tensor(v, dtype=t) for v, t in zip(given, types, strict=True)), (0, 1), 2)


# ---- functions


@pytest.mark.parametrize("alpha", [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 3), (2, 2)])
@pytest.mark.parametrize("log", [0, 1, 2, 3])
@pytest.mark.parametrize("power", [0.6, 0.6 + 0.3j])
def test_derivatives_are_those_of_the_formula(alpha, log, power):
    terms = [(power, 0), (1.5, 2), (0.0, 1), (2.0, 3), (-0.4, 1)]
    basis = functions(*map(list, zip(*terms, strict=True)), [log] * len(terms))
    z = (x - 0.1 + sp.I * (y + 0.2)) * sp.exp(-0.4 * sp.I) / 2
    # the conjugate by hand: SymPy does not differentiate it
    bar = (x - 0.1 - sp.I * (y + 0.2)) * sp.exp(0.4 * sp.I) / 2
    factor = [1, sp.log(z), (sp.log(z) - sp.log(bar)) / (2 * sp.I), sp.log(z)][log]
    formulas = [(z**mu * bar**m * factor).diff(*zip((x, y), alpha, strict=True)) for mu, m in terms]
    expected = np.array([[complex(f.subs({x: a, y: b}).evalf()) for f in formulas] for a, b in POINTS.tolist()])
    found = basis.matrix([(1.0, alpha)], POINTS).numpy()
    assert found[:, 0::2] == pytest.approx(expected.real, rel=1e-12, abs=1e-12)
    assert found[:, 1::2] == pytest.approx(expected.imag, rel=1e-12, abs=1e-12)


def test_sums_are_those_of_the_matrix():
    basis, rng = functions([0.5, 2.0, 1.3], [0, 0, 2], [0, 1, 0]), np.random.default_rng(0)
    c, w = torch.tensor(rng.random(3)), torch.tensor(rng.standard_normal((len(basis), 2)))
    operator = [(c, (2, 0)), (-3.0, (0, 1)), (1.0, (0, 0))]
    torch.testing.assert_close(basis.matvec(operator, POINTS, w), basis.matrix(operator, POINTS) @ w)
    for alpha, values in zip([(1, 0), (0, 2)], basis.derivatives([(1, 0), (0, 2)], POINTS, w), strict=True):
        torch.testing.assert_close(values, basis.matrix([(1.0, alpha)], POINTS) @ w)


def test_powers_of_z_are_harmonic_to_the_last_bit():
    basis = functions([0.5, 2.0, 1.3], [0, 0, 0], [0, 1, 0])
    assert (basis.matrix([(1.0, (2, 0)), (1.0, (0, 2))], POINTS) == 0).all()


def test_no_function_is_infinite_at_the_corner():
    basis = functions([0.0, 0.1, 1.0], [0, 0, 0], [1, 0, 1])
    assert len(basis) == 5  # log |z| is missing
    assert torch.isfinite(basis.matrix([(1.0, (0, 0))], torch.tensor([[0.1, -0.2]], dtype=torch.float64))).all()


def test_exponents_are_those_of_the_opening():
    corner = Corner((0.0, 0.0), 0.0, 3 * np.pi / 2, alone=True)
    found = {round(mu.real, 6) for mu, m, log in suggested(corner, 1, 8, 50.0) if not log}
    assert {round(k / 3, 6) for k in (1, 2, 4, 5)} <= found
    drawn = exponents(corner, 1, 40, 50.0, np.random.default_rng(0))
    assert drawn.shape == (40, 3)
    assert (drawn[:, 1] == 0).all()
    general = exponents(Corner((0.0, 0.0), 0.0, 3 * np.pi / 2), 1, 40, 50.0, np.random.default_rng(0))
    assert general[:, 1].max() >= 2


# ---- places


def places(domain, conditions):
    inside = {domain: sp.Eq(fens.laplacian(u), 0)}
    found = sites_of(domain, fens.Problem({**inside, **conditions})).corners
    return {tuple(np.round(c.place, 9).tolist()): round(np.degrees(c.opening)) for c in found}


@pytest.mark.parametrize(
    ("data", "more"),
    [
        (x**2, {}),
        (sp.Abs(x), {(0.0, 0.0): 180}),
        (sp.Piecewise((1, x > sp.Rational(1, 3)), (0, True)), {(round(1 / 3, 9), 0.0): 180}),
        (sp.Max(x, x**2), {(0.0, 0.0): 180}),
    ],
)
def test_data_that_are_not_smooth_make_a_corner_of_a_side(data, more):
    box = dict.fromkeys([(-1.0, 0.0), (1.0, 0.0), (1.0, 1.0), (-1.0, 1.0)], 90)
    faces = {STRIP.face(y, 0): sp.Eq(u, data)}
    faces |= {STRIP.face(a, b): sp.Eq(u, 0) for a, b in ((x, -1), (x, 1), (y, 1))}
    assert places(STRIP, faces) == box | more


def test_where_the_kind_of_condition_changes_there_is_a_corner():
    rim = fens.Polygon([(-1, 0), (0, 0), (1, 0), (1, 1), (-1, 1)], (x, y))
    fixed, free = sp.Eq(u, 0), sp.Eq(fens.normal_derivative(u), 0)
    other = {rim.edge(k): fixed for k in range(1, 5)}
    assert (0.0, 0.0) not in places(rim, {rim.edge(0): fixed, **other})
    assert places(rim, {rim.edge(0): free, **other})[0.0, 0.0] == 180


def test_branch_cuts_leave_the_domain_for_good():
    slot = fens.Polygon([(0, 0), (3, 0), (3, 3), (1.6, 3), (1.6, 1), (1.4, 1), (1.4, 3), (0, 3)], (x, y))
    found = sites_of(slot).corners
    assert len(found) == 8
    for c in found:
        ray = np.array(c.place) + np.linspace(1e-3, 5, 3000)[:, None] * [np.cos(c.cut), np.sin(c.cut)]
        assert not slot.contains(ray).any()


# ---- points


def test_points_are_graded_towards_corners():
    sector = Sector((1.0, 1.0), 5 * np.pi / 4, 3 * np.pi / 2, 1.0)
    regions = (L_SHAPE, L_SHAPE.boundary)
    graded = Graded((sector,), 0.5, 10.0)
    found = graded.sample(Demand(L_SHAPE, regions, (1, 1), 400), np.random.SeedSequence(0))
    plain = Clustered().sample(Demand(L_SHAPE, regions, (1, 1), 400), np.random.SeedSequence(0))
    for samples, before in zip(found, plain, strict=True):
        assert len(samples) == pytest.approx(len(before), rel=0.05)
        r = np.linalg.norm(samples.points - [1, 1], axis=1)
        decades, _ = np.histogram(np.log10(r), bins=np.arange(-10, -1))
        assert decades.min() > 0.5 * decades.mean()
    assert L_SHAPE.contains(found[0].points).all()
    assert np.abs(L_SHAPE.signed_distance(found[1].points)).max() < 1e-15
    assert found[1].normals is not None


# ---- solutions


@pytest.fixture(scope="module")
def motz():
    """Motz' problem, with a part of the features that it takes to round-off."""
    rim = fens.Polygon([(-1, 0), (0, 0), (1, 0), (1, 1), (-1, 1)], (x, y))
    free = sp.Eq(fens.normal_derivative(u), 0)
    equations = {rim: sp.Eq(fens.laplacian(u), 0), rim.edge(0): sp.Eq(u, 0), rim.edge(2): sp.Eq(u, 500)}
    return fens.solve(fens.Problem({**equations, **{rim.edge(k): free for k in (1, 3, 4)}}), features=600)


@pytest.mark.xdist_group("motz")
def test_the_first_coefficient_of_motz_problem(motz):
    """u ≈ 401.1624537452 r^(1/2) cos θ/2 next to the origin (Lu, Hu and Li, 2004)."""
    assert motz.error.trusted
    r = 1e-8
    next_term = 87.6559201951 * r**1.5
    assert float(motz(r, 0.0)) == pytest.approx(401.1624537452 * r**0.5 + next_term, rel=1e-7)
    assert motz.error.relative < 1e-8


@pytest.mark.xdist_group("motz")
def test_solutions_with_corners_are_saved_and_loaded(motz, tmp_path):
    motz.save(tmp_path / "motz.fens")
    again = fens.load(tmp_path / "motz.fens")
    places = np.random.default_rng(0).random((2, 50))
    assert (again(*places) == motz(*places)).all()


def test_the_l_with_a_parabola_at_its_boundary():
    """Against the published u(0.99, 0.99) (Trefethen, 2018)."""
    problem = fens.Problem({L_SHAPE: sp.Eq(fens.laplacian(u), 0), L_SHAPE.boundary: sp.Eq(u, x**2)})
    solution = fens.solve(problem, features=600)
    error = abs(float(solution(0.99, 0.99)) - 1.0267919261073)
    assert error < 1e-8
    assert error <= solution.error.estimate < 1e-5
    assert [r.kind for r in solution.stats.rounds] == ["corners"]


def test_smooth_solutions_on_domains_with_corners_need_none_of_it():
    exact = sp.exp(x) * sp.sin(y)
    problem = fens.Problem({SQUARE: sp.Eq(fens.laplacian(u), 0), SQUARE.boundary: sp.Eq(u, exact)})
    solution = fens.solve(problem, features=200)
    assert not solution.has_corners
    assert solution.compare(exact).linf < 1e-12


def test_points_of_the_users_are_left_alone():
    problem = fens.Problem({SQUARE: sp.Eq(-fens.laplacian(u), 1), SQUARE.boundary: sp.Eq(u, 0)})
    solution = fens.solve(problem, features=150, points=fens.Grid(25), estimate=False)
    assert not solution.has_corners


def test_what_switches_along_a_whole_side_does_not_break_on_it():
    known = zoo.corner_singularity()  # whose angle switches where y = 0, which two sides of the domain lie on
    corners = sites_of(known.problem.domain, known.problem).corners
    assert sorted(c.place for c in corners if c.opening != pytest.approx(np.pi)) == sorted(
        [(-1, -1), (0, -1), (0, 0), (1, 0), (1, 1), (-1, 1)]
    )
    assert len(corners) <= 7  # it crosses another side
    solution = fens.solve(known.problem, features=400)
    assert solution.compare(known.exact).linf <= 3 * solution.error.estimate < 1e-9
