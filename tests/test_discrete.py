"""The pieces of a discrete problem, each by itself: trial spaces, rows, their weights, points, and sites."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import fens
from fens._support.steering import Discretisation
from fens.basis import (
    AroundHoles,
    Draw,
    Frame,
    Hole,
    Number,
    Oriented,
    Plain,
    Sites,
    Sum,
    TrialSpace,
    TwoLayers,
    activation,
    of_each,
)
from fens.discretise import LinearRows, RowFunctional, System, linearise, weigh
from fens.discretise.weights import evened, is_uneven
from fens.errors import EvaluationError, SettingError
from fens.fit.discrete import DiscreteProblem, place_points
from fens.geometry import Samples
from fens.options import Settings
from fens.problem import Jet
from fens.strategy.sites import sites_of

CPU = torch.device("cpu")
x, y, t = sp.symbols("x y t")
u, v = sp.Function("u")(x), sp.Function("v")(x)
ROD = fens.Box({x: (0, 1)})
SQUARE = fens.Box({x: (0, 1), y: (0, 1)})
FRAME = Frame(((0.0, 1.0),), activation("cos"))
PLANE = Frame(((0.0, 1.0), (0.0, 2.0)), activation("cos"))


def seed(number):
    return np.random.SeedSequence(number)


def draw_of(*sizes, frame=FRAME, ansaetze=None, first=0):
    ansaetze = ansaetze or (Plain(),) * len(sizes)
    members = (a.draw(n, frame, seed(first + k)) for k, (a, n) in enumerate(zip(ansaetze, sizes, strict=True)))
    return Draw(tuple(ansaetze), tuple(members))


def space_of(*sizes, scale=3.0, **options):
    draw = draw_of(*sizes, **options)
    return draw.scaled((scale,) * draw.dimension * len(sizes), CPU)


def discrete_of(problem, **options):
    """A problem at its points."""
    own = Settings(**{"features": 20, **options})
    return DiscreteProblem.of(problem, own, place_points(problem, own, seed(0)), seed(1), seed(2))


# ---- trial spaces


def test_scales_of_each_unknown():
    assert of_each((1.0, 2.0, 3.0, 4.0), 2) == [(1.0, 2.0), (3.0, 4.0)]
    assert of_each((1.0, 2.0), 1) == [(1.0,), (2.0,)]
    assert of_each((), 3) == []


def test_a_draw_has_its_own_scales_for_each_unknown():
    draw = draw_of(5, 7, frame=PLANE)
    one = draw.scaled((1.0,) * 4, CPU)
    other = draw.scaled((2.0, 3.0, 5.0, 7.0), CPU)
    assert draw.dimension == one.dimension == 2
    assert [len(m) for m in one.members] == [5, 7]
    for k, factors in enumerate(([2.0, 3.0], [5.0, 7.0])):
        torch.testing.assert_close(other.members[k].W, one.members[k].W * torch.tensor(factors, dtype=torch.float64))


def test_frequencies_of_a_draw_are_at_most_so_many_of_each_unknown():
    draw = draw_of(5, 7, 1, frame=PLANE, ansaetze=(Plain(), TwoLayers(Plain()), Number()))
    assert draw.frequencies(3).shape == (3 + 3 + 1, 2)
    assert draw.frequencies(100).shape == (5 + 4 + 1, 2)  # of layers those of the first


@pytest.mark.parametrize(
    ("ansatz", "plain"),
    [
        (Plain(), True),
        (Number(), True),
        (Plain(Oriented(((1.0, 0.0), (0.0, 2.0)))), False),
        (Sum(((0.5, Plain()), (0.5, AroundHoles((Hole((0.5, 3.0), 0.1, (0, 1)),))))), False),
    ],
)
def test_a_draw_is_plain_if_every_ansatz_is(ansatz, plain):
    assert draw_of(6, 6, frame=PLANE, ansaetze=(Plain(), ansatz)).is_plain == plain


def test_the_columns_of_unknowns_follow_one_another_and_do_not_mix():
    space, points = space_of(3, 4, 2), torch.rand((10, 1), dtype=torch.float64)
    assert space.columns == (slice(0, 3), slice(3, 7), slice(7, 9))
    A = space.matrix([(2.0, 0, (1,)), (points[:, 0], 2, (0,))], points)
    torch.testing.assert_close(A[:, :3], 2 * space.members[0].matrix([(1.0, (1,))], points))
    assert not A[:, 3:7].any()
    torch.testing.assert_close(A[:, 7:], points * space.members[2].matrix([(1.0, (0,))], points))
    w = torch.rand((9, 2), dtype=torch.float64)
    torch.testing.assert_close(space.matvec([(2.0, 0, (1,)), (points[:, 0], 2, (0,))], points, w), A @ w)
    assert len(space.speeds) == len(space) == 9


def test_which_spaces_are_the_same():
    space = space_of(6, 4)
    assert space.is_same(space_of(6, 4))
    assert not space.is_same(space_of(6, 4, scale=3.1))
    assert not space.is_same(space_of(6, 4, first=1))
    assert not space.is_same(space_of(6, 5))
    assert not space.is_same(space_of(6))
    assert not space.is_same(TrialSpace(space.members[::-1]))
    assert not space.is_same(space_of(6, 4, ansaetze=(Plain(), TwoLayers(Plain()))))
    assert not space.is_same(space_of(6, 4, frame=replace(FRAME, activation=activation("sin"))))


def test_spaces_that_remember_are_the_same_as_those_that_do_not():
    points = torch.rand((10, 1), dtype=torch.float64)
    layered = {"ansaetze": (Plain(), Sum(((0.5, Plain()), (0.5, TwoLayers(Plain())))))}
    space, one, two = space_of(6, 8, **layered), *(space_of(6, 8, **layered).cached(10**6) for _ in range(2))
    for cached in (one, two):
        cached.matrix([(1.0, 0, (0,)), (1.0, 1, (2,))], points)
    assert one.is_same(two)
    assert one.is_same(space)
    assert space.is_same(one)
    assert not one.is_same(space_of(6, 8, scale=2.0, **layered).cached(10**6))


SHARES = st.floats(1e-3, 1e3)
TERMS = st.recursive(
    st.sampled_from([Plain(), TwoLayers(Plain()), AroundHoles((Hole((0.5, 3.0), 0.1, (0, 1)),))]),
    lambda inner: st.lists(st.tuples(SHARES, inner), min_size=1, max_size=4).map(lambda terms: Sum(tuple(terms))),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(SHARES, TERMS), min_size=1, max_size=5), st.integers(1, 200))
def test_the_shares_of_a_sum_add_up(terms, count):
    drawn = Sum(tuple(terms)).draw(count, PLANE, seed(0))
    assert len(drawn) == sum(map(len, drawn.members)) == count
    assert all(len(m) > 0 for m in drawn.members)
    assert len(drawn.scaled((1.0, 1.0), CPU)) == count
    if len(drawn.members) == len(terms):
        whole = sum(share for share, _ in terms)
        for (share, _), member in zip(terms[1:], drawn.members[1:], strict=True):
            assert share / whole * count - 1 < len(member) <= share / whole * count
        assert len(drawn.members[0]) > terms[0][0] / whole * count - 1e-6


# ---- rows

GAUSS = np.polynomial.legendre.leggauss(12)
NODES, WEIGHTS = torch.as_tensor((GAUSS[0] + 1) / 2), torch.as_tensor(GAUSS[1] / 2)
TESTS = torch.stack([torch.sin(k * torch.pi * NODES) for k in (1, 2, 3)])  # test functions at the nodes
VARYING = ((1.0 + NODES, Jet(0, (2,))), (3.0, Jet(0, (0,))))


def by_hand(space):
    """(1 + x) φ_j″ + 3 φ_j at the nodes."""
    bent, values = (space.matrix([(1.0, 0, alpha)], NODES[:, None]) for alpha in ((2,), (0,)))
    return (1 + NODES)[:, None] * bent + 3 * values


@pytest.mark.parametrize("T", [None, WEIGHTS[None], TESTS * WEIGHTS], ids=["points", "integral", "test functions"])
def test_rows_are_a_small_matrix_times_those_at_points(T):
    space, functional = space_of(8), RowFunctional(NODES[:, None], T=T)
    expected = by_hand(space) if T is None else T @ by_hand(space)
    A = functional.matrix(space, VARYING)
    assert functional.rows == len(expected) == (12 if T is None else len(T))
    torch.testing.assert_close(A, expected, rtol=1e-12, atol=1e-12)
    w = torch.linspace(-1, 1, 16, dtype=torch.float64).reshape(8, 2)
    torch.testing.assert_close(functional.matvec(space, VARYING, w), A @ w, rtol=1e-11, atol=1e-11)
    torch.testing.assert_close(functional.matvec(space, VARYING, w[:, 0]), A @ w[:, 0], rtol=1e-11, atol=1e-11)
    torch.testing.assert_close(functional.mapped(NODES), NODES if T is None else T @ NODES)


@pytest.mark.parametrize("part", [slice(None), slice(1, 3), slice(0, 1), slice(None, None, 2)])
@pytest.mark.parametrize("T", [None, TESTS * WEIGHTS], ids=["points", "test functions"])
def test_some_of_the_rows(T, part):
    space, functional = space_of(8), RowFunctional(NODES[:, None], T=T)
    source = functional.mapped(torch.exp(NODES))
    condition = fens.Problem({ROD: sp.Eq(u, 1)}).conditions[0]
    rows = LinearRows(condition, functional, VARYING, source, weight=2.0)
    whole, some = rows.block(space), rows.block(space, part)
    assert some.functional.rows == len(some.rhs) == len(source[part])
    torch.testing.assert_close(some.matrix(), whole.matrix()[part])
    torch.testing.assert_close(some.rhs, 2 * source[part])
    w = torch.ones(8, dtype=torch.float64)
    torch.testing.assert_close(some.matvec(w), whole.matvec(w)[part])


def test_test_functions_solve_a_differential_equation():
    """−u″ = π² sin πx tested with sines, and u = 0 at the ends: Petrov–Galerkin, with what there is."""
    count = 12
    nodes, weights = (torch.as_tensor(a) / 2 for a in np.polynomial.legendre.leggauss(40))
    nodes = nodes + 0.5
    T = torch.stack([torch.sin(k * torch.pi * nodes) for k in range(1, 2 * count)]) * weights
    inside, ends = RowFunctional(nodes[:, None], T=T), RowFunctional(torch.tensor([[0.0], [1.0]], dtype=torch.float64))
    condition = fens.Problem({ROD: sp.Eq(u, 1)}).conditions[0]
    f = inside.mapped(torch.pi**2 * torch.sin(torch.pi * nodes))
    rows = (
        LinearRows(condition, inside, ((-1.0, Jet(0, (2,))),), f),
        LinearRows(condition, ends, ((1.0, Jet(0, (0,))),), torch.zeros(2, dtype=torch.float64)),
    )
    space = space_of(count)
    system = System(rows, space)
    A = torch.cat([block for block, _ in system])
    w = torch.linalg.lstsq(A, system.rhs[:, None], driver="gelsd").solution[:, 0]
    found = space.matvec([(1.0, 0, (0,))], nodes[:, None], w)
    assert (found - torch.sin(torch.pi * nodes)).abs().max() < 1e-6


def test_rows_across_pairs_take_both_sides():
    space = space_of(5)
    here, there = torch.zeros((3, 1), dtype=torch.float64), torch.ones((3, 1), dtype=torch.float64)
    functional = RowFunctional(here, there)
    jump = ((1.0, Jet(0, (1,))), (-1.0, Jet(0, (1,), True)))
    expected = space.matrix([(1.0, 0, (1,))], here) - space.matrix([(1.0, 0, (1,))], there)
    torch.testing.assert_close(functional.matrix(space, jump), expected)
    torch.testing.assert_close(functional.only(slice(1, 2)).matrix(space, jump), expected[1:2])
    w = torch.arange(5, dtype=torch.float64)
    torch.testing.assert_close(functional.matvec(space, jump, w), expected @ w)


def test_samples_are_rows_each_or_summed():
    points = np.linspace(0, 1, 4)[:, None]
    plain = RowFunctional.of(Samples(points), CPU)
    summed = RowFunctional.of(Samples(points), CPU, np.full((1, 4), 0.25))
    assert (plain.rows, plain.T) == (4, None)
    assert (summed.rows, tuple(summed.T.shape)) == (1, (1, 4))


# ---- weights of rows


@pytest.mark.parametrize(
    ("norms", "uneven"),
    [
        ([1, 1, 1], False),
        ([1, 1, Discretisation.UNEVEN], False),
        ([1, 1, 1.01 * Discretisation.UNEVEN], True),
        ([0, 0, 0, 1, 1, 1.01 * Discretisation.UNEVEN], True),  # rows of zeros say nothing
        ([0, 0, 0, 5], False),
        ([0, 0], False),
        ([1e-9, 1, 1], False),  # it is the large ones that decide alone
        ([7], False),
    ],
)
def test_what_counts_as_uneven(norms, uneven):
    assert is_uneven(torch.tensor(norms, dtype=torch.float64)) == uneven


DATA = fens.Points({x: [0.2, 0.7]})
STEEP = {
    ROD: sp.Eq(sp.exp(20 * x) * u.diff(x, 2), 1),
    ROD.boundary: sp.Eq(1000 * u, 1),
    DATA: sp.Eq(u, fens.Data([1.0, 2.0], std=[0.1, 0.4])),
}


def norms_of(rows, space):
    return torch.linalg.vector_norm(rows.block(space).matrix(), dim=1)


@pytest.mark.parametrize("weights", ["balanced", "rows"])
def test_uneven_rows_are_divided_by_their_norms_and_data_keep_their_noise(weights):
    discrete, space = discrete_of(fens.Problem(STEEP)), space_of(20)
    before = linearise(discrete.conditions)
    assert is_uneven(norms_of(before[0], space))
    inside, ends, data = weigh(before, space, weights)
    alike = norms_of(inside, space)
    assert float(alike.max() / alike.min()) == pytest.approx(1)
    assert (ends.scaling is not None) == (weights == "rows")
    assert data.scaling is None
    found = norms_of(data, space) / norms_of(replace(before[2], noise=None), space)
    assert float(found[0] / found[1]) == pytest.approx(4)  # the inverse of the standard deviations
    assert np.array_equal(data.noise, [0.1, 0.4])


def test_one_row_next_to_a_pole_makes_rows_uneven():
    (rows, *_), space = linearise(discrete_of(fens.Problem(STEEP)).conditions), space_of(20)
    for k in range(len(rows)):  # whichever rows are looked at
        coefficient = torch.ones(len(rows), dtype=torch.float64)
        coefficient[k] = 1e9
        only = replace(rows, operator=((coefficient, rows.operator[0][1]),))
        assert weigh([only], space, "balanced")[0].scaling is not None


def test_balanced_rows_are_alike_in_the_mean():
    problem = fens.Problem({ROD: sp.Eq(u.diff(x, 2), 1), ROD.boundary: sp.Eq(1000 * u, 1)})
    space = space_of(20)
    before = linearise(discrete_of(problem).conditions)
    rows = weigh(before, space, "balanced")
    assert [c.scaling for c in rows] == [None, None]
    assert rows[0].weight == 1
    means = [float(norms_of(c, space).mean()) for c in rows]
    assert means[1] == pytest.approx(means[0], rel=0.2)  # of some of the rows
    assert [c.weight for c in weigh(before, space, "unit")] == [1, 1]
    assert [c.weight for c in weigh(before, space, {ROD.boundary: 7})] == [1, 7]


def test_rows_of_zeros_stay_as_they_are():
    problem = fens.Problem({ROD: sp.Eq(sp.Heaviside(x - 0.5, 0) * u, 0), ROD.boundary: sp.Eq(u, 1)})
    space = space_of(20)
    rows = linearise(discrete_of(problem).conditions)[0]
    before, after = norms_of(rows, space), evened(rows, space, 2.0)
    zero = before == 0
    assert zero.any()
    assert not zero.all()
    assert (after.scaling[zero] == 1).all()
    assert norms_of(after, space)[~zero].numpy() == pytest.approx(2.0)
    nothing = replace(rows, operator=((0.0, Jet(0, (0,))),))
    assert (evened(nothing, space, 2.0).scaling == 1).all()
    assert evened(nothing, space, 0.0) is nothing


# ---- a problem at its points

LINEAR = fens.Problem({ROD: sp.Eq(u.diff(x, 2), -sp.sin(x)), ROD.boundary: sp.Eq(u, sp.sin(x))})
CURVED = fens.Problem({ROD: sp.Eq(u.diff(x, 2) + u**2, 1), ROD.boundary: sp.Eq(u, 0)})


def points_of(conditions):
    return [c.points.numpy() for c in conditions]


def test_points_held_out_do_not_depend_on_those_that_are_not():
    discrete = discrete_of(LINEAR)
    on_grid = discrete_of(LINEAR, points=fens.Grid(50))
    assert len(points_of(discrete.conditions)[0]) != len(points_of(on_grid.conditions)[0])
    for one, other in zip(points_of(discrete.held_out), points_of(on_grid.held_out), strict=True):
        assert np.array_equal(one, other)
    inside = set(points_of(discrete.conditions)[0].ravel())
    assert not inside & set(points_of(discrete.held_out)[0].ravel())
    assert discrete.held_out is discrete.held_out
    elsewhere = replace(discrete, for_trials=seed(3))
    assert not np.array_equal(points_of(discrete.held_out)[0], points_of(elsewhere.held_out)[0])


def test_where_equations_have_no_value_the_points_of_the_user_are_held_out():
    nodes = np.linspace(0, 1, 41)
    known = fens.wrap(lambda a: np.where(np.isclose(np.asarray(a)[..., None], nodes).any(-1), 1.0, np.nan))
    discrete = discrete_of(fens.Problem({ROD: sp.Eq(u, known(x))}), points=fens.Grid(41))
    assert np.isin(points_of(discrete.held_out)[0].ravel().round(12), nodes.round(12)).all()


def test_a_problem_moved_to_other_points():
    discrete = discrete_of(LINEAR)
    other = discrete.moved(replace(discrete.settings, points=fens.Grid(31)), seed(0))
    assert np.isin(points_of(other.conditions)[0].ravel().round(12), np.linspace(0, 1, 31).round(12)).all()
    assert other.rows == sum(len(s) for s in other.samples.values())
    assert (other.problem, other.for_start, other.for_trials) == (LINEAR, discrete.for_start, discrete.for_trials)
    assert discrete.settings.points is None


@pytest.mark.parametrize(
    ("features", "factor", "expected"),
    [(20, 1.5, 30), (20, 0.5, 10), (1, 0.1, 1), ({u: 20, v: 7}, 0.5, {u: 10, v: 3}), ({u: 1, v: 7}, 0.1, {u: 1, v: 1})],
)
def test_a_problem_with_more_or_fewer_features(features, factor, expected):
    problem = fens.Problem({ROD: [sp.Eq(u, x), sp.Eq(v, x)]}) if isinstance(features, dict) else LINEAR
    discrete = discrete_of(problem, features=features)
    assert discrete.resized(factor).settings.features == expected
    assert discrete.settings.features == features


def test_a_size_without_a_tolerance():
    assert discrete_of(LINEAR, features=20, tol=1e-6).resized(2.0).settings.tol is None


def test_near_is_where_equations_are_linearised():
    linear, curved, space = discrete_of(LINEAR), discrete_of(CURVED), space_of(20)
    w = torch.linspace(-1, 1, 20, dtype=torch.float64)
    assert linear.near(linear.conditions, space, w) is None
    near = curved.near(curved.conditions, space, w)
    assert torch.equal(near.weights, w)
    values = space.matvec([(1.0, 0, (0,))], curved.conditions[0].points, w).numpy()
    assert np.allclose(near.jets[0][Jet(0, (0,))], values)
    rows = curved.linearised(curved.conditions, near, space)
    assert np.allclose({j: c for c, j in rows[0].operator}[Jet(0, (0,))].numpy(), 2 * values)


def test_a_matrix_and_its_solution():
    discrete, space = discrete_of(LINEAR), space_of(20)
    rows = discrete.linearised(discrete.conditions, None, space)
    found, result = discrete.factorised(rows, None, space)
    assert result.status == "solved"
    assert torch.equal(result.weights, found.solve().weights)
    stats, w = discrete.solve(space)
    assert torch.equal(w, result.weights)
    assert (stats.rows, stats.features) == (discrete.rows, 20)
    values = space.matvec([(1.0, 0, (0,))], discrete.held_out[0].points, w).numpy()
    assert np.abs(values - np.sin(points_of(discrete.held_out)[0].ravel())).max() < 1e-9


def test_there_is_no_solution_where_the_least_squares_fail():
    discrete, space = discrete_of(LINEAR), space_of(20)
    rows = discrete.linearised(discrete.conditions, None, space)
    broken = tuple(replace(r, operator=((float("nan"), Jet(0, (0,))),)) for r in rows)
    assert discrete.factorised(broken, None, space) is None
    infinite = tuple(replace(r, source=r.source * float("inf")) for r in rows)
    assert discrete.factorised(infinite, None, space) is None


def test_a_start_is_for_what_is_not_linear():
    linear, curved = discrete_of(LINEAR), discrete_of(CURVED)
    start = object()
    assert linear.starting_from(start) is linear
    assert curved.starting_from(None) is curved


def test_what_is_drawn_has_the_size_of_each_unknown():
    k = fens.Unknown("k")
    problem = fens.Problem({ROD: [sp.Eq(u, k), sp.Eq(v, x)], DATA: sp.Eq(u, 1)})
    discrete = discrete_of(problem, features={u: 9, v: 5})
    sizes = {c.unknown: n for c, n in zip(problem.components, discrete.settings.sizes(problem), strict=True)}
    assert sizes == {u: 9, v: 5, k: 1}
    ansaetze = tuple(Number() if c.is_constant else Plain() for c in problem.components)
    drawn = discrete.drawn(ansaetze, seed(5))
    assert [len(m) for m in drawn.members] == [sizes[c.unknown] for c in problem.components]
    again = discrete.drawn(ansaetze, seed(5))
    assert drawn.scaled((2.0,) * 3, CPU).is_same(again.scaled((2.0,) * 3, CPU))


def test_points_that_are_too_few_are_refused():
    with pytest.raises(SettingError, match="The points give 10 rows for 20 features; least squares needs at least"):
        discrete_of(LINEAR, points=fens.Grid(10))


def test_rows_that_are_not_finite_are_refused_with_a_sentence():
    discrete, space = discrete_of(LINEAR), space_of(20)
    member = replace(space.members[0], W=space.members[0].W * float("nan"))
    with pytest.raises(EvaluationError, match="The least squares could not be solved"):
        discrete.solve(TrialSpace((member,)))


# ---- sites

HOLED = SQUARE - fens.Ball({x: 0.4, y: 0.5}, 0.2, name="hole")
SITES = {
    "none": (SQUARE, []),
    "a hole": (HOLED, [Hole((0.4, 0.5), 0.2, (0, 1))]),
    "a hole at all times": (HOLED.during(t, 0, 1), [Hole((0.4, 0.5), 0.2, (0, 1))]),
    "two": (HOLED - fens.Ball({x: 0.8, y: 0.8}, 0.1), [Hole((0.4, 0.5), 0.2, (0, 1)), Hole((0.8, 0.8), 0.1, (0, 1))]),
    # what is cut from the edge counts as one: solutions may be singular there, too
    "a dent": (SQUARE - fens.Ball({x: 0.0, y: 0.5}, 0.2), [Hole((0.0, 0.5), 0.2, (0, 1))]),
    "nothing taken away": (SQUARE - fens.Ball({x: 5.0, y: 5.0}, 1.0), []),
    "filled": (HOLED + fens.Ball({x: 0.4, y: 0.5}, 0.3), []),
}


@pytest.mark.parametrize("name", SITES)
def test_the_holes_of_a_domain(name):
    domain, holes = SITES[name]
    found = sites_of(domain)
    assert isinstance(found, Sites)
    assert list(found.holes) == holes


square, disc = fens.Box({x: (0, 1), y: (0, 1)}), fens.Ball({x: 0, y: 0}, 1)
CORNERS = {
    "a square": (square, {(0, 0): (45, 90), (1, 0): (135, 90), (1, 1): (225, 90), (0, 1): (315, 90)}),
    "an L": (
        fens.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], (x, y)),
        {(0, 0): (45, 90), (2, 0): (135, 90), (2, 1): (225, 90), (1, 1): (225, 270), (1, 2): (225, 90),
         (0, 2): (315, 90)},
    ),
    "a disc": (disc, {}),
    "half a disc": (disc & fens.Box({x: (-2, 2), y: (0, 2)}), {(-1, 0): (45, 90), (1, 0): (135, 90)}),
    "a lens": (
        disc & fens.Ball({x: 1, y: 0}, 1), {(0.5, -(0.75**0.5)): (90, 120), (0.5, 0.75**0.5): (270, 120)}
    ),
    "a bitten square": (
        square - fens.Ball({x: 1, y: 1}, 0.5),
        {(0, 0): (45, 90), (1, 0): (135, 90), (0, 1): (315, 90), (1, 0.5): (225, 90), (0.5, 1): (225, 90)},
    ),
    "at all times": (
        square.during(sp.Symbol("t"), 0, 1), {(0, 0): (45, 90), (1, 0): (135, 90), (1, 1): (225, 90), (0, 1): (315, 90)}
    ),
    "a segment": (fens.Box({x: (0, 1)}), {}),
    "a cube": (fens.Box(dict.fromkeys(sp.symbols("x y z"), (0, 1))), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", CORNERS)
def test_the_corners_of_a_domain(name):
    domain, known = CORNERS[name]
    found = {c.place: (np.degrees(c.direction) % 360, np.degrees(c.opening)) for c in sites_of(domain).corners}
    assert len(found) == len(known)
    for place, angles in known.items():
        (near,) = (p for p in found if np.allclose(p, place, atol=1e-9))
        assert found[near] == pytest.approx(angles, abs=1e-6)


def test_the_hole_of_a_polygon():
    ring = [(0.2, 0.2), (0.6, 0.2), (0.6, 0.6), (0.2, 0.6)]
    (hole,) = sites_of(fens.Polygon([(0, 0), (1, 0), (1, 1), (0, 1)], (x, y), holes=[ring])).holes
    assert hole.centre == pytest.approx((0.4, 0.4), abs=1e-2)
    assert hole.radius == pytest.approx(0.2, abs=1e-2)
