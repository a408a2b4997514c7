"""Features on grids, and features that remember: the same numbers as anywhere else."""

import numpy as np
import pytest
import sympy as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import fens
from fens.basis import RandomFeatures, TrialSpace, activation
from fens.basis.grid import Runs
from fens.discretise import System, discretise, linearise, weigh
from fens.problem import newton_form


def features(d, n=30, name="cos", seed=0):
    rng = np.random.default_rng(seed)
    W, b, center = (torch.as_tensor(a) for a in (rng.normal(0, 5, (n, d)), rng.uniform(0, 6, n), rng.random(d)))
    return RandomFeatures(W, b, center, activation(name))


def grid(*sizes, seed=0):
    rng = np.random.default_rng(seed)
    axes = np.meshgrid(*(np.sort(rng.uniform(-1, 1, n)) for n in sizes), indexing="ij")
    return torch.as_tensor(np.stack([a.ravel() for a in axes], axis=1))


@settings(max_examples=40, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 14), min_size=2, max_size=3),
    cut=st.tuples(st.integers(0, 300), st.integers(0, 300)),
    name=st.sampled_from(["cos", "sin", "cos_sin", "tanh"]),
    orders=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=3),
)
def test_a_grid_is_no_different_from_its_points_in_any_order(sizes, cut, name, orders):
    points = grid(*sizes)
    points = points[cut[0] % len(points) :][: 1 + cut[1] % len(points)]
    phi = features(len(sizes), name=name)
    operator = [(1.5 - k, (*alpha, *[0] * (len(sizes) - 2))) for k, alpha in enumerate(orders)]
    order = torch.as_tensor(np.random.default_rng(1).permutation(len(points)))
    expected = phi.matrix(operator, points[order])
    size = float(expected.abs().max()) or 1.0
    assert float((phi.matrix(operator, points)[order] - expected).abs().max()) < 2e-13 * size
    w = torch.linspace(-1, 1, len(phi), dtype=torch.float64)
    assert float((phi.matvec(operator, points, w)[order] - expected @ w).abs().max()) < 1e-12 * size


@pytest.mark.parametrize(("sizes", "found"), [((20, 30), True), ((8, 9, 10), True), ((100, 2), False)])
def test_what_counts_as_a_grid(sizes, found):
    assert (Runs.of(grid(*sizes)) is not None) == found


def test_a_face_of_a_grid_and_a_slow_axis_in_the_middle():
    face = torch.cat([grid(20, 30), torch.full((600, 1), 0.3, dtype=torch.float64)], dim=1)
    assert Runs.of(face).axis == 1
    assert Runs.of(grid(20, 30)[:, [1, 0]]).axis == 0


def test_points_that_are_nearly_a_grid_are_none():
    points = grid(20, 30)
    points[317, 1] += 1e-9
    assert Runs.of(points) is None


def test_coefficients_that_vary_are_taken_as_they_are():
    points, phi = grid(15, 15), features(2)
    c = torch.exp(points[:, 0])
    torch.testing.assert_close(phi.matrix([(c, (1, 0))], points), c[:, None] * phi.matrix([(1.0, (1, 0))], points))


def test_few_cosines_are_taken_on_a_grid(monkeypatch):
    taken, original = [], torch.cos
    monkeypatch.setattr(torch, "cos", lambda z: taken.append(z.numel()) or original(z))
    features(2).matrix([(1.0, (2, 0)), (1.0, (0, 2))], grid(50, 40))
    assert sum(taken) < 30 * 100


def test_remembered_features_are_the_same_and_not_computed_twice(monkeypatch):
    plain = features(2)
    points = torch.as_tensor(np.random.default_rng(0).random((200, 2)))
    family = TrialSpace((plain,)).cached(10**6)
    taken, original = [], torch.cos
    monkeypatch.setattr(torch, "cos", lambda z: taken.append(z.numel()) or original(z))
    for coefficient in (1.0, 2.5, points[:, 0]):
        operator = [(coefficient, 0, (2, 0)), (1.0, 0, (0, 0)), (0.5, 0, (0, 1))]
        found = family.matrix(operator, points)
        assert torch.equal(found, family.matrix(operator, points))
        expected = plain.matrix([(c, a) for c, _, a in operator], points.clone())
        torch.testing.assert_close(found, expected, rtol=1e-14, atol=1e-13)
    assert sum(taken) == 200 * 30 * 4  # once for the family, three times for what it is compared with


ALPHAS = [(0, 0), (1, 0), (0, 2), (2, 1), (0, 0)]


@pytest.mark.parametrize("name", ["cos", "sin", "cos_sin", "sigmoid", "tanh", "swish"])
@pytest.mark.parametrize("arrangement", ["scattered", "grid"])
@pytest.mark.parametrize("allowance", [None, 10**7, 1000])
def test_several_derivatives_are_those_of_the_matrices(name, arrangement, allowance):
    plain, w = features(2, name=name), torch.linspace(-1, 1, 30, dtype=torch.float64)
    points = grid(20, 30) if arrangement == "grid" else torch.as_tensor(np.random.default_rng(0).random((600, 2)))
    phi = plain if allowance is None else TrialSpace((plain,)).cached(allowance).members[0]
    found = phi.derivatives(ALPHAS, points, w)
    for alpha, values in zip(ALPHAS, found, strict=True):
        A = plain.matrix([(1.0, alpha)], points)
        assert float((values - A @ w).abs().max()) < 1e-13 * float(A.abs().sum(1).max())


def test_several_derivatives_share_their_cosines(monkeypatch):
    taken, original = [], torch.cos
    monkeypatch.setattr(torch, "cos", lambda z: taken.append(z.numel()) or original(z))
    points = torch.as_tensor(np.random.default_rng(0).random((50, 2)))
    features(2).derivatives([(0, 0), (2, 0), (0, 2)], points, torch.ones(30, dtype=torch.float64))
    assert sum(taken) == 50 * 30


def test_remembered_features_tell_slices_apart():
    plain, points = features(2), torch.as_tensor(np.random.default_rng(0).random((200, 2)))
    family = TrialSpace((plain,)).cached(10**6)
    for part in (slice(None), slice(0, 100), slice(0, 200, 2), slice(100, 200)):
        torch.testing.assert_close(
            family.matrix([(1.0, 0, (0, 0))], points[part]), plain.matrix([(1.0, (0, 0))], points[part].clone())
        )


def test_an_allowance_that_is_used_up_costs_time_only():
    plain, points = features(2), torch.as_tensor(np.random.default_rng(0).random((200, 2)))
    family = TrialSpace((plain,)).cached(1000)
    torch.testing.assert_close(family.matrix([(1.0, 0, (1, 0))], points), plain.matrix([(1.0, (1, 0))], points))


def test_a_solution_on_a_grid_of_many_points():
    from fens import zoo

    known = zoo.helmholtz()
    solution = fens.solve(known.problem, features=300, estimate=False)
    x, y = np.linspace(0, 1, 700)[:, None], np.linspace(0, 1, 900)[None, :]
    whole = solution(x, y)
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, 700, 1000), rng.integers(0, 900, 1000)
    assert np.abs(whole[i, j] - solution(x[i, 0], y[0, j])).max() < 1e-12


@pytest.mark.parametrize("arranged", [True, False])
def test_several_weights_are_a_column_each(arranged):
    points = grid(20, 20)
    points = points if arranged else points[torch.randperm(len(points), generator=torch.Generator().manual_seed(0))]
    phi, W = features(2), torch.as_tensor(np.random.default_rng(2).standard_normal((30, 3)))
    operator = [(2.0, (2, 0)), (1.0, (0, 0))]
    together = phi.matvec(operator, points, W)
    assert together.shape == (400, 3)
    for k in range(3):
        torch.testing.assert_close(together[:, k], phi.matvec(operator, points, W[:, k]), rtol=1e-12, atol=1e-10)
    for each, alpha in zip(phi.derivatives([(0, 0), (1, 1)], points, W), [(0, 0), (1, 1)], strict=True):
        torch.testing.assert_close(each, phi.matrix([(1.0, alpha)], points) @ W, rtol=1e-12, atol=1e-10)


def test_rows_times_several_weights():
    x, y = sp.symbols("x y")
    u = sp.Function("u")(x, y)
    box = fens.Box({x: (0, 1), y: (0, 1)})
    data = fens.Points({x: [0.2, 0.7], y: [0.4, 0.6]})
    values = fens.Data([0.1, 0.2], std=[0.1, 0.3])
    problem = fens.Problem({box: sp.Eq(u.diff(x, 2) + x * u, y), box.boundary: sp.Eq(u, 0), data: sp.Eq(u, values)})
    solution = fens.solve(problem, features=30, scale=3, estimate=False)
    placed = discretise(problem, solution.samples, newton_form, torch.device("cpu"))
    system = System(weigh(linearise(placed), solution.features, "balanced"), solution.features)
    W = torch.as_tensor(np.random.default_rng(2).standard_normal((30, 2)))
    columns = torch.stack([system.matvec(w) for w in W.T], dim=1)
    torch.testing.assert_close(system.matvec(W), columns, rtol=1e-12, atol=1e-12)
