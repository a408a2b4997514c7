"""Features in pieces, in two layers and around holes pass the contract of random features."""

import numpy as np
import pytest
import sympy as sp
import torch

import fens
from fens.errors import SettingError
from fens.features import Hole, activation, draw, draw_around, draw_layers, draw_pieces

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
square = fens.Box({x: (0, 1), y: (0, 1)})
BOUNDS = [(0.0, 1.0), (-1.0, 2.0)]


def one(count, bounds, seed):
    return draw(count, bounds, activation("cos"), initialisation="uniform", affine=False, seed=seed)


def pieces(seed):
    return draw_pieces(24, BOUNDS, (3, 2), one, seed)


def layers(seed):
    return draw_layers(24, lambda n, s: one(n, BOUNDS, s), seed)


def around(seed):
    return draw_around(24, 0.5, [Hole((1.5, 0.0), 0.4, (0, 1))], lambda n, s: one(n, BOUNDS, s), seed)


@pytest.fixture(params=[pieces, layers, around], ids=["pieces", "layers", "around holes"])
def features(request):
    return request.param(np.random.SeedSequence(1)).scaled((2.0, 1.5), torch.device("cpu"))


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


def test_windows_sum_to_one(points):
    cells = pieces(np.random.SeedSequence(0)).cells
    assert len(cells) == 6
    for orders in ((0, 0), (1, 0), (0, 2), (1, 1)):
        total = sum(cell.window(points, orders) for cell in cells)
        assert torch.allclose(total, torch.full_like(total, float(orders == (0, 0))), atol=1e-9)


def test_columns_of_far_cells_are_zero(points):
    A = pieces(np.random.SeedSequence(0)).scaled((1.0, 1.0), torch.device("cpu")).matrix([(1.0, (0, 0))], points)
    assert ((A == 0).double().mean() > 0.3).item()


@pytest.mark.parametrize("options", [{"partition": 2}, {"partition": {x: 2}}, {"layers": 2}])
def test_problems_are_solved_with_them(options):
    exact = sp.sin(3 * x) * sp.exp(y)
    problem = fens.manufacture({square: u.diff(x, 2) + u.diff(y, 2), square.boundary: u}, u, exact)
    solution = fens.solve(problem, features=400, **options)
    assert solution.compare(exact).linf < 1e-6
    assert solution.error.estimate >= solution.compare(exact).linf / 10


def test_pieces_find_what_is_narrow():
    """Four bumps of width 0.05, 1600 features: in pieces a tenth of the error."""
    exact = sp.Add(*(sp.exp(-((x - a) ** 2 + (y - b) ** 2) / 0.05**2) for a, b in [(0.2, 0.3), (0.7, 0.6), (0.4, 0.8)]))
    problem = fens.Problem({square: sp.Eq(u, exact)})
    whole, parts = (
        fens.solve(problem, features=900, estimate=False, **options).compare(exact).linf
        for options in ({"adapt": False}, {"adapt": False, "partition": 3})
    )
    assert parts < whole


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"partition": 0}, "partition"),
        ({"partition": (2, 2, 2)}, "partition has 3 values"),
        ({"partition": {sp.Symbol("z"): 2}}, "the coordinates are"),
        ({"layers": 3}, "must be 1 or 2"),
        ({"layers": 2, "partition": 2}, "cannot be combined"),
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
        drawn = draw_around(30, 0.5, [hole], lambda n, s: one(n, three, s), np.random.SeedSequence(3))
        features = drawn.scaled((1.0,) * 3, torch.device("cpu"))
        points = torch.rand((20, 3), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        step = torch.tensor([0.0, 0.0, 1e-5], dtype=torch.float64)
        there, here = (features.matrix([(1.0, (1, 0, 0))], points + s) for s in (step, -step))
        exact = features.matrix([(1.0, (1, 0, 1))], points)
        assert ((there - here) / 2e-5 - exact).abs().max() < 1e-6 * (1 + exact.abs().max())
