"""Eigenvalue problems."""

import numpy as np
import pytest
import sympy as sp

import fens
from fens.errors import EquationError, SettingError, UnsupportedEquation

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
w = sp.Function("w")(x)
eigenvalue = fens.Unknown("λ")
square = fens.Box({x: (0, 1), y: (0, 1)})
rod = fens.Box({x: (0, 1)})
laplacian = u.diff(x, 2) + u.diff(y, 2)


@pytest.mark.parametrize("seed", range(4))
def test_a_membrane_with_double_eigenvalues(seed):
    problem = fens.Problem({square: sp.Eq(-laplacian, eigenvalue * u), square.boundary: sp.Eq(u, 0)})
    modes = fens.eigen(problem, eigenvalue, count=4, features=300, seed=seed)
    exact = np.pi**2 * np.array([2, 5, 5, 8])
    errors = np.abs([m.eigenvalue for m in modes] - exact)
    assert errors.max() < 1e-8
    assert all(e <= 10 * m.estimate and m.estimate < 1e-7 for e, m in zip(errors, modes, strict=True))
    at = np.random.default_rng(0).random((2, 50))
    first = modes[0](*at)
    assert np.abs(first / (np.sin(np.pi * at[0]) * np.sin(np.pi * at[1])) - first[0] / (
        np.sin(np.pi * at[0, 0]) * np.sin(np.pi * at[1, 0]))).max() < 1e-8  # fmt: skip
    pair = np.stack([modes[1](*at), modes[2](*at)])
    assert np.linalg.svd(pair, compute_uv=False)[1] > 0.1  # two independent functions


def test_an_eigenvalue_zero_is_found():
    problem = fens.Problem(
        {square: sp.Eq(-laplacian, eigenvalue * u), square.boundary: sp.Eq(fens.normal_derivative(u), 0)}
    )
    modes = fens.eigen(problem, eigenvalue, count=3, features=200)
    assert np.abs([m.eigenvalue for m in modes] - np.pi**2 * np.array([0, 1, 1])).max() < 1e-9
    assert modes[0](0.2, 0.3) == pytest.approx(modes[0](0.8, 0.1))


def test_eigenvalues_near_a_number():
    problem = fens.Problem({rod: sp.Eq(-w.diff(x, 2), eigenvalue * w), rod.boundary: sp.Eq(w, 0)})
    modes = fens.eigen(problem, eigenvalue, count=2, near=(5 * np.pi) ** 2, features=80)
    assert modes[0].eigenvalue == pytest.approx((5 * np.pi) ** 2, abs=1e-8)


def test_complex_eigenvalues_of_a_rotation():
    """u' = λ u around a circle: λ = 2πik."""
    problem = fens.Problem({rod: sp.Eq(w.diff(x), eigenvalue * w), rod.pair(x): sp.Eq(fens.jump(w), 0)})
    modes = fens.eigen(problem, eigenvalue, count=3, features=80)
    assert abs(modes[0].eigenvalue) < 1e-9
    assert {round(m.eigenvalue.imag / (2 * np.pi), 9) for m in modes[1:]} == {1.0, -1.0}
    assert abs(abs(modes[1](0.3)) - abs(modes[1](0.7))) < 1e-9


def test_an_eigenvalue_in_a_boundary_condition():
    """Steklov: u'' = 0 on (0, 1), u(0) = 0, u'(1) = λ u(1) has λ = 1."""
    problem = fens.Problem(
        {rod: sp.Eq(w.diff(x, 2), 0), rod.face(x, 0): sp.Eq(w, 0), rod.face(x, 1): sp.Eq(w.diff(x), eigenvalue * w)}
    )
    (mode,) = fens.eigen(problem, eigenvalue, count=1, features=40)
    assert mode.eigenvalue == pytest.approx(1, abs=1e-10)


@pytest.mark.parametrize(
    ("equation", "error", "sentence"),
    [
        (sp.Eq(-w.diff(x, 2), eigenvalue * w + 1), EquationError, "not homogeneous"),
        (sp.Eq(-w.diff(x, 2), eigenvalue**2 * w), UnsupportedEquation, "not linear in the eigenvalue"),
        (sp.Eq(-w.diff(x, 2), eigenvalue * w**2), UnsupportedEquation, "not linear in the unknown"),
    ],
)
def test_sentences(equation, error, sentence):
    problem = fens.Problem({rod: equation, rod.boundary: sp.Eq(w, 0)})
    with pytest.raises(error, match=sentence):
        fens.eigen(problem, eigenvalue)


def test_what_eigen_takes():
    problem = fens.Problem({rod: sp.Eq(-w.diff(x, 2), eigenvalue * w), rod.boundary: sp.Eq(w, 0)})
    with pytest.raises(SettingError, match="whole positive number"):
        fens.eigen(problem, eigenvalue, count=0)
    with pytest.raises(SettingError, match=r"fens\.Unknown"):
        fens.eigen(problem, sp.Symbol("λ"))
