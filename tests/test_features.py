"""Features and operators applied to them."""

import numpy as np
import pytest
import sympy as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from fens.basis import ACTIVATIONS, Frame, Plain, RandomFeatures, activation
from fens.errors import SettingError

CPU = torch.device("cpu")


def make(name="cos", count=7, bounds=((0.0, 1.0), (-2.0, 3.0)), scale=1.5, affine=False, seed=3, **options):
    frame = Frame(bounds, activation(name), options.get("initialisation", "uniform"), affine)
    unscaled = Plain().draw(count, frame, np.random.SeedSequence(seed))
    return unscaled, unscaled.scaled((scale,) * len(bounds), CPU)


FORMULAS = {
    "cos": [sp.cos] * 2,
    "sin": [sp.sin] * 2,
    "cos_sin": [sp.cos, sp.sin],
    "sigmoid": [lambda z: 1 / (1 + sp.exp(-z))] * 2,
    "tanh": [sp.tanh] * 2,
    "swish": [lambda z: z / (1 + sp.exp(-z))] * 2,
}


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_operator_on_features_is_sympys_derivative_of_the_papers_formula(name, affine):
    """σ(ρ(W·x + b)), x after the affine map if there is one, differentiated by SymPy feature by feature."""
    rho, bounds = 0.7, ((0.0, 1.0), (-2.0, 3.0))
    unscaled, features = make(name, count=4, bounds=bounds, scale=rho, affine=affine)
    x, y = sp.symbols("x y")
    inputs = (2 * x - 1, sp.Rational(2, 5) * (y + 2) - 1) if affine else (x, y)
    points = np.array([[0.1, -1.2], [0.9, 2.2], [0.4, 0.3]])
    varying = torch.as_tensor(points[:, 0] * 2)
    operator = [(3.0, (2, 1)), (varying, (0, 2)), (-1.0, (0, 0)), (0.5, (0, 1))]
    A = features.matrix(operator, torch.as_tensor(points))
    for j in range(4):
        z = rho * (sum(w * s for w, s in zip(unscaled.W[j], inputs, strict=True)) + unscaled.b[j])
        phi = FORMULAS[name][j // 2](z)
        expected = 3 * phi.diff(x, 2, y) + 2 * x * phi.diff(y, 2) - phi + phi.diff(y) / 2
        values = [float(expected.subs({x: p, y: q})) for p, q in points]
        np.testing.assert_allclose(A[:, j].numpy(), values, rtol=1e-12, atol=1e-13)


def count_trigonometry(monkeypatch, operator, name):
    _, features = make(name, count=10)
    points = torch.rand((6, 2), dtype=torch.float64)
    evaluated = {"cos": 0, "sin": 0}
    for f in evaluated:
        original = getattr(torch, f)

        def counted(z, f=f, original=original):
            evaluated[f] += z.numel()
            return original(z)

        monkeypatch.setattr(torch, f, counted)
    features.matrix(operator, points)
    return evaluated["cos"], evaluated["sin"]


@pytest.mark.parametrize("name", ["cos", "sin", "cos_sin"])
def test_an_operator_costs_at_most_one_cosine_and_one_sine(monkeypatch, name):
    constant = [(1.0, (2, 0)), (1.0, (0, 2)), (3.0, (1, 0)), (2.0, (4, 0)), (1.0, (0, 0)), (5.0, (1, 2))]
    varying = [(torch.rand(6, dtype=torch.float64), alpha) for _, alpha in constant]
    for operator in (constant, varying):
        cos, sin = count_trigonometry(monkeypatch, operator, name)
        assert cos <= 60
        assert sin <= 60


def test_the_laplacian_of_cosines_costs_one_cosine(monkeypatch):
    assert count_trigonometry(monkeypatch, [(1.0, (2, 0)), (1.0, (0, 2)), (1.0, (0, 0))], "cos") == (60, 0)


def test_the_zero_operator_gives_zeros():
    _, features = make()
    assert features.matrix([], torch.rand((3, 2), dtype=torch.float64)).abs().sum() == 0


def test_the_matrix_is_column_major():
    _, features = make()
    assert features.matrix([(1.0, (0, 0))], torch.rand((3, 2), dtype=torch.float64)).T.is_contiguous()


def test_frequencies_and_phases_have_unit_variance_and_are_independent():
    unscaled, _ = make(count=20_000)
    assert unscaled.W.std() == pytest.approx(1, abs=0.02)
    assert unscaled.b.std() == pytest.approx(1, abs=0.02)
    assert abs(np.corrcoef(unscaled.W[:, 0], unscaled.b)[0, 1]) < 0.03


@pytest.mark.parametrize(("name", "bound"), [("xavier", (6 / 1002) ** 0.5), ("kaiming", 3**0.5)])
def test_the_other_initialisations_have_their_widths(name, bound):
    unscaled, _ = make(count=1000, initialisation=name)
    assert bound * 0.99 < np.abs(unscaled.W).max() <= bound


def test_unknown_initialisation_lists_the_choices():
    with pytest.raises(SettingError, match="one of uniform, xavier, kaiming; got 'he'"):
        make(initialisation="he")


@given(shift=st.floats(-50, 50), rho=st.floats(0.1, 30))
@settings(max_examples=30, deadline=None)
def test_counting_from_the_middle_changes_no_feature(shift, rho):
    """Centring and phases modulo 2π are for rounding only: the functions are those of the formula."""
    bounds = ((shift, shift + 2.0),)
    unscaled, features = make(bounds=bounds, scale=rho)
    x = np.linspace(*bounds[0], 5)
    direct = np.cos(rho * (np.outer(x, unscaled.W[:, 0]) + unscaled.b))
    computed = features.matrix([(1.0, (0,))], torch.as_tensor(x[:, None])).numpy()
    np.testing.assert_allclose(computed, direct, atol=1e-15 * (10 + rho * (abs(shift) + 5) * 4))


def test_scales_per_axis_scale_each_frequency():
    unscaled, _ = make()
    features = unscaled.scaled((2.0, 8.0), CPU)
    assert isinstance(features, RandomFeatures)
    np.testing.assert_allclose(features.W.numpy(), unscaled.W * [2.0, 8.0])
