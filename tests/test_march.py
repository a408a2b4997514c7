"""Long times in blocks."""

import numpy as np
import pytest
import sympy as sp

import fens
from fens.errors import SettingError

pytestmark = pytest.mark.xdist_group("march")  # what tests share is made once
x, y, t = sp.symbols("x y t")
u = sp.Function("u")(x, t)
strip = fens.Box({x: (0, 1)}).during(t, 0, 6)
exact = sp.sin(sp.pi * x) * sp.cos(sp.pi * t)
wave = {
    strip: sp.Eq(u.diff(t, 2), u.diff(x, 2)),
    strip.sides: sp.Eq(u, 0),
    strip.initial: [sp.Eq(u, sp.sin(sp.pi * x)), sp.Eq(u.diff(t), 0)],
}


@pytest.fixture(scope="module")
def marched():
    return fens.solve(fens.Problem(wave), features=200, blocks=4)


def test_a_wave_through_many_periods(marched):
    assert len(marched.blocks) == 4
    found = marched.compare(exact).linf
    assert found < 1e-9
    assert found <= 10 * marched.error.estimate
    assert fens.solve(fens.Problem(wave), features=200, estimate=False).compare(exact).linf > 100 * found


def test_it_is_one_function_across_the_blocks(marched):
    times = np.linspace(0, 6, 49)
    assert np.abs(marched(0.3, times) - np.sin(0.3 * np.pi) * np.cos(np.pi * times)).max() < 1e-9
    assert np.abs(marched.diff(t)(0.3, times) + np.pi * np.sin(0.3 * np.pi) * np.sin(np.pi * times)).max() < 1e-7
    assert isinstance(marched(0.5, 2.0), float)
    assert np.isnan(marched(0.5, 7.0))
    assert np.isnan(marched(1.5, 1.0))
    assert "Solution u(x, t)" in repr(marched)


def test_complex_values_and_a_first_derivative_only():
    w = fens.complex_unknown("w")(x, t)
    plane = sp.exp(2 * sp.I * (x - 2 * t))
    longer = fens.Box({x: (0, 1)}).during(t, 0, 2)
    problem = fens.manufacture({longer: sp.I * w.diff(t) + w.diff(x, 2), longer.sides: w, longer.initial: w}, w, plane)
    solution = fens.solve(problem, features=150, blocks=2, estimate=False)
    assert solution.compare(plane).linf < 1e-8
    assert isinstance(solution(0.5, 1.5), complex)


def test_on_a_shape():
    disc = fens.Ball({x: 0, y: 0}, radius=1).during(t, 0, 1)
    v = sp.Function("v")(x, y, t)
    smooth = sp.exp(-t) * (x + y**2)
    problem = fens.manufacture(
        {disc: v.diff(t) - v.diff(x, 2) - v.diff(y, 2), disc.sides: v, disc.initial: v}, v, smooth
    )
    assert fens.solve(problem, features=300, blocks=2, estimate=False).compare(smooth).linf < 1e-6


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (lambda: fens.Problem({fens.Box({x: (0, 1)}): sp.Eq(sp.Function("w")(x), 0)}), "space-time domain"),
        (lambda: fens.Problem({strip: sp.Eq(u, 0), strip.final: sp.Eq(u, 0)}), "march forward"),
        (lambda: fens.Problem({strip: [sp.Eq(u, 0), sp.Eq(fens.integral(u), 0)]}), "cut into blocks"),
    ],
)
def test_sentences(problem, sentence):
    with pytest.raises(SettingError, match=sentence):
        fens.solve(problem(), features=50, blocks=3, estimate=False)
    with pytest.raises(SettingError, match="blocks"):
        fens.solve(problem(), features=50, blocks=0)


def test_blocks_have_their_own_residuals(marched):
    with pytest.raises(SettingError, match=r"solution\.blocks"):
        marched.residual(strip)
    assert np.abs(marched.blocks[2].residual(marched.blocks[2].problem.domain)).max() < 1e-6
