"""Features in pieces, in two layers and around holes pass the contract of random features."""

import numpy as np
import pytest
import sympy as sp
import torch

import fens
from fens.basis import (
    AroundHoles,
    AtSpots,
    Frame,
    Hole,
    InCells,
    Isotropic,
    Mixture,
    Oriented,
    Plain,
    Sparse,
    Spot,
    Sum,
    TwoLayers,
    activation,
)
from fens.basis.basis import same
from fens.basis.memory import MemoryBudget
from fens.errors import SettingError
from fens.geometry import Clustered, Concentrated, Demand
from fens.strategy.gaussian_mixture import find_spots

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
square = fens.Box({x: (0, 1), y: (0, 1)})
BOUNDS = [(0.0, 1.0), (-1.0, 2.0)]


FRAME = Frame(BOUNDS, activation("cos"))
HOLES = AroundHoles((Hole((1.5, 0.0), 0.4, (0, 1)),))
SPOTS = (Spot((0.3, 0.1), (0.2, 0.4)), Spot((0.9, 1.5), (0.3, 0.3)))
ANSAETZE = {
    "plain": Plain(),
    "cells": InCells((3, 2), Plain()),
    "layers": TwoLayers(Plain()),
    "around holes": Sum(((0.5, Plain()), (0.5, HOLES))),
    "spots": AtSpots(SPOTS, 0.75, Plain()),
    "layers in cells": InCells((2, 1), TwoLayers(Plain())),
    "layers at spots": AtSpots(SPOTS, 0.75, TwoLayers(Plain())),
    "cells and holes": Sum(((0.5, InCells((2, 1), Plain())), (0.5, HOLES))),
    "layers, holes and directions": Sum(((0.6, TwoLayers(Plain(Oriented(((2.0, 0.0), (0.5, 1.0)))))), (0.4, HOLES))),
}


def drawn(ansatz, seed=1, count=24):
    return ansatz.draw(count, FRAME, np.random.SeedSequence(seed))


@pytest.fixture(params=ANSAETZE.values(), ids=ANSAETZE)
def features(request):
    return drawn(request.param).scaled((2.0, 1.5), torch.device("cpu"))


@pytest.fixture
def points():
    rng = np.random.default_rng(0)
    return torch.as_tensor(np.stack([rng.uniform(a, b, 40) for a, b in BOUNDS], axis=1))


def test_shape(features, points):
    A = features.matrix([(1.0, (0, 0))], points)
    assert A.shape == (40, 24)
    assert len(features) == 24
    assert A.dtype == torch.float64


@pytest.mark.parametrize("axis", [0, 1])
def test_derivatives_are_those_of_the_values(features, points, axis):
    h = 1e-5
    step = torch.zeros(2, dtype=torch.float64)
    step[axis] = h
    for order in (0, 1):
        alpha, higher = [0, 1], [0, 1]
        alpha[axis], higher[axis] = order, order + 1
        there, here = (features.matrix([(1.0, tuple(alpha))], points + s) for s in (step, -step))
        difference = (there - here) / (2 * h)
        exact = features.matrix([(1.0, tuple(higher))], points)
        assert (difference - exact).abs().max() < 1e-6 * (1 + exact.abs().max())


def test_operators_are_sums_of_their_terms(features, points):
    c = torch.linspace(1, 2, len(points), dtype=torch.float64)
    whole = features.matrix([(c, (1, 0)), (3.0, (0, 2))], points)
    parts = c[:, None] * features.matrix([(1.0, (1, 0))], points) + 3 * features.matrix([(1.0, (0, 2))], points)
    assert torch.allclose(whole, parts, rtol=1e-12, atol=1e-12)
    assert not features.matrix([], points).any()


def test_products_with_weights_are_those_of_the_matrix(features, points):
    operator, w = [(points[:, 0], (1, 0)), (3.0, (0, 2))], torch.linspace(-1, 1, 24, dtype=torch.float64)
    A = features.matrix(operator, points)
    assert torch.allclose(features.matvec(operator, points, w), A @ w, rtol=1e-12, atol=1e-12 * A.abs().max())
    for alpha, values in zip([(0, 0), (1, 1)], features.derivatives([(0, 0), (1, 1)], points, w), strict=True):
        own = features.matrix([(1.0, alpha)], points)
        assert torch.allclose(values, own @ w, rtol=1e-12, atol=1e-12 * own.abs().max())


@pytest.mark.parametrize("bytes_", [10**7, 10_000, 0])
def test_remembered_functions_are_the_same(features, points, bytes_):
    budget = MemoryBudget(bytes_)
    remembered, w = features.cached(budget), torch.linspace(-1, 1, 24, dtype=torch.float64)
    for c in (1.0, points[:, 1], 2.0):
        operator = [(c, (1, 0)), (0.5, (0, 2)), (c, (0, 0))]
        A = features.matrix(operator, points)
        assert torch.allclose(remembered.matrix(operator, points), A, rtol=1e-12, atol=1e-12 * A.abs().max())
        (found,), (plain,) = (f.derivatives([(1, 1)], points, w) for f in (remembered, features))
        assert torch.allclose(found, plain, rtol=1e-12, atol=1e-10)
    assert 0 <= budget.bytes <= bytes_
    assert (budget.bytes < bytes_) == (bytes_ > 10_000 or any(40 * 8 * len(m) <= bytes_ for m in leaves(features)))
    assert len(remembered) == len(features)


def leaves(basis):
    return [leaf for m in basis.members for leaf in leaves(m)] if hasattr(basis, "members") else [basis]


def test_what_is_asked_of_a_basis_besides_its_matrix(features):
    assert features.dimension == 2
    assert features.speeds.shape == (24,)
    assert features.frequencies.shape[1] == 2


@pytest.mark.parametrize("ansatz", ANSAETZE.values(), ids=ANSAETZE)
def test_an_ansatz_is_drawn_as_often_as_one_likes(ansatz):
    again, other = (drawn(ansatz, seed).scaled((1.0, 1.0), torch.device("cpu")) for seed in (1, 2))
    assert same(drawn(ansatz).scaled((1.0, 1.0), torch.device("cpu")), again)
    assert not same(again, other)
    assert len(drawn(ansatz, count=57)) == 57
    assert drawn(ansatz).frequencies.shape[1] == 2


@pytest.mark.parametrize("ansatz", ANSAETZE.values(), ids=ANSAETZE)
def test_directions_are_learnt_wherever_features_stand(ansatz):
    learnt = Mixture(((0.5, Isotropic()), (0.5, Sparse(((0,), (1,)), (1.0, 1.0)))))
    changed = ansatz.with_frequencies(lambda _: learnt)
    own = [p.distribution for p in changed.parts if isinstance(p, Plain)]
    assert own == [learnt] * len(own) != []
    assert not changed.is_plain
    assert changed.spots == ansatz.spots
    assert (HOLES in changed.parts) == (HOLES in ansatz.parts)


@pytest.mark.parametrize(
    ("ansatz", "plain"),
    [("plain", True), ("cells", True), ("layers", True), ("layers in cells", True), ("around holes", False),
     ("spots", False), ("layers at spots", False), ("cells and holes", False)],
)  # fmt: skip
def test_what_is_known_of_the_solution(ansatz, plain):
    assert ANSAETZE[ansatz].is_plain is plain


def test_windows_sum_to_one(points):
    cells = [m.window for m in drawn(ANSAETZE["cells"]).members]
    assert len(cells) == 6
    for orders in ((0, 0), (1, 0), (0, 2), (1, 1)):
        total = sum(cell.window(points, orders) for cell in cells)
        assert torch.allclose(total, torch.full_like(total, float(orders == (0, 0))), atol=1e-9)


def test_columns_of_far_cells_are_zero(points):
    A = drawn(ANSAETZE["cells"]).scaled((1.0, 1.0), torch.device("cpu")).matrix([(1.0, (0, 0))], points)
    assert ((A == 0).double().mean() > 0.3).item()


@pytest.mark.parametrize(
    "options",
    [
        {"partition": 2},
        {"partition": {x: 2}, "adapt": False},  # without spots, of which the first one has the search
        {"layers": 2},
        {"layers": 2, "partition": {y: 2}, "adapt": False},
    ],
)
def test_problems_are_solved_with_them(options):
    exact = sp.sin(3 * x) * sp.exp(y)
    problem = fens.manufacture({square: u.diff(x, 2) + u.diff(y, 2), square.boundary: u}, u, exact)
    solution = fens.solve(problem, features=250, **options)
    assert solution.compare(exact).linf < 1e-6
    assert solution.error.estimate >= solution.compare(exact).linf / 10


def test_pieces_find_what_is_narrow():
    """Bumps of width 0.05, 500 features: where pieces go to them, they do better than one piece by far."""
    centres = [(0.2, 0.3), (0.7, 0.6), (0.4, 0.8)]
    exact = sp.Add(*(sp.exp(-((x - a) ** 2 + (y - b) ** 2) / 0.05**2) for a, b in centres))
    problem = fens.Problem({square: sp.Eq(u, exact)})
    whole, parts = (
        fens.solve(problem, features=500, estimate=False, **options) for options in ({"adapt": False}, {"partition": 3})
    )
    spots = np.array([s.centre for s in parts.ansaetze[0].spots])
    for centre in centres:
        assert np.linalg.norm(spots - centre, axis=1).min() < 0.02
    assert parts.compare(exact).linf < whole.compare(exact).linf / 100


def test_spots_are_found_in_weighted_points():
    rng = np.random.default_rng(0)
    points, centres, widths = rng.random((10000, 2)), [(0.2, 0.7), (0.8, 0.4)], [(0.03, 0.05), (0.04, 0.02)]
    places = list(zip(centres, np.array(widths), strict=True))
    weights = sum(np.exp(-(((points - centre) / width) ** 2).sum(axis=1) / 2) for centre, width in places)
    weights[weights < 1e-3] = 0
    start = np.array([(a, b) for a in (0.125, 0.375, 0.625, 0.875) for b in (0.125, 0.375, 0.625, 0.875)])
    found = sorted(find_spots(points, weights, start, np.array([0.1, 0.1])), key=lambda s: s.centre)
    assert len(found) == 2
    for spot, centre, width in zip(found, centres, widths, strict=True):
        assert np.allclose(spot.centre, centre, atol=0.005)
        assert np.allclose(spot.width, width, rtol=0.1)


def test_points_go_where_features_are():
    place = Concentrated(((0.25, 0.05),), ((0.05, 0.05),), 0.75)
    demand = Demand(square, (square, square.boundary), (1, 1), 400)
    inside, around = place.sample(demand, np.random.SeedSequence(0))
    usual = Clustered().sample(demand, np.random.SeedSequence(0))
    assert abs(len(inside) - len(usual[0])) <= 2
    near = np.abs(inside.points - (0.25, 0.05)).max(axis=1) < 0.15
    assert near.mean() > 0.7
    assert square.contains(inside.points).all()
    bottom = around.points[around.points[:, 1] == 0.0]
    assert (np.abs(bottom[:, 0] - 0.25) < 0.1).mean() > 0.4
    assert len({tuple(p) for p in around.points}) == len(around)


@pytest.mark.parametrize("exact", [sp.Integer(0), sp.Integer(2), x - y])
def test_pieces_of_what_does_not_vary(exact):
    solution = fens.solve(fens.Problem({square: sp.Eq(u, exact)}), features=60, partition=2, estimate=False)
    assert solution.compare(exact).linf < 1e-4


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"partition": 0}, "partition"),
        ({"partition": 8}, "more than the 50 features"),
        ({"partition": (2, 2, 2)}, "partition has 3 values"),
        ({"partition": {sp.Symbol("z"): 2}}, "the coordinates are"),
        ({"layers": 3}, "must be 1 or 2"),
        ({"frequencies": "cos"}, "must be a distribution"),
    ],
)
def test_sentences(options, sentence):
    problem = fens.Problem({square: sp.Eq(u, x)})
    with pytest.raises(SettingError, match=sentence):
        fens.solve(problem, features=50, **options)


def test_features_around_a_hole_in_space_and_time():
    """1/r in three dimensions, and a hole in two of the coordinates of a space-time domain."""
    three = [(0.0, 1.0)] * 3
    for hole in (Hole((-0.5, 0.5, 0.5), 0.3, (0, 1, 2)), Hole((-0.5, 0.5), 0.3, (0, 1))):
        drawn = AroundHoles((hole,)).draw(30, Frame(three, activation("cos")), np.random.SeedSequence(3))
        features = drawn.scaled((1.0,) * 3, torch.device("cpu"))
        points = torch.rand((20, 3), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        step = torch.tensor([0.0, 0.0, 1e-5], dtype=torch.float64)
        there, here = (features.matrix([(1.0, (1, 0, 0))], points + s) for s in (step, -step))
        exact = features.matrix([(1.0, (1, 0, 1))], points)
        assert ((there - here) / 2e-5 - exact).abs().max() < 1e-6 * (1 + exact.abs().max())
