"""The scale of the frequencies: by rank, by grid."""

import io
import sys

import numpy as np
import pytest
import sympy as sp
import torch

import fens
from fens import zoo
from fens.basis import Frame, Plain, activation
from fens.basis.rank import by_rank, numerical_rank, target_rank
from fens.errors import SettingError

pytestmark = pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")  # some have nothing to trust
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [((0, 1, 0.25), [0.25, 0.5, 0.75, 1.0]), ((0, 1, 0.3), [0.3, 0.6, 0.9]), ((2, 3, 1), [3.0]), ((0, 0.3, 0.1), 3)],
)
def test_the_grid_is_half_open(arguments, expected):
    candidates = fens.ScaleGrid(*arguments).candidates
    if isinstance(expected, int):  # 0.1 + 0.1 + 0.1 is above 0.3 by rounding, and still the last candidate
        assert len(candidates) == expected
    else:
        assert candidates == pytest.approx(expected)


def test_the_papers_grid_has_a_thousand_candidates():
    assert len(fens.ScaleGrid(0, 100, 0.1).candidates) == 1000


@pytest.mark.parametrize("arguments", [(1, 1, 0.1), (2, 1, 0.1), (-1, 1, 0.1), (0, 1, 0), (0, float("nan"), 1)])
def test_bad_grids(arguments):
    with pytest.raises(SettingError, match="0 ≤ minimum < maximum and a positive step"):
        fens.ScaleGrid(*arguments)


@pytest.mark.parametrize("arguments", [("a", 1, 1), (None, 1, 0.1), (0, 1, 1j)])
def test_grids_that_are_not_numbers(arguments):
    with pytest.raises(SettingError, match="ScaleGrid takes three numbers"):
        fens.ScaleGrid(*arguments)


def test_grids_of_too_many_candidates():
    with pytest.raises(SettingError, match="100000000000 candidates, each a solve of its own"):
        fens.ScaleGrid(0, 100, 1e-9)


def test_a_step_larger_than_the_range():
    with pytest.raises(SettingError, match="leaves no candidate"):
        fens.ScaleGrid(0, 1, 2)


def test_the_search_keeps_the_smallest_residual_and_the_whole_curve():
    known = zoo.helmholtz()
    grid = fens.ScaleGrid(0, 12, 3)
    solution = fens.solve(known.problem, features=200, scale=grid, estimate=False)
    search = solution.search
    assert [s[0] for s in search.scales] == list(grid.candidates)
    assert solution.scale == search.scales[int(np.argmin(search.losses))][0]
    assert solution.stats.residual == pytest.approx(min(search.losses), rel=1e-6)
    alone = [
        fens.solve(known.problem, features=200, scale=s, estimate=False).stats.residual for s in grid.candidates
    ]
    assert list(search.losses) == pytest.approx(alone, rel=1e-6)


def test_no_bar_unless_on_a_terminal(capsys):
    fens.solve(zoo.helmholtz().problem, features=60, scale=fens.ScaleGrid(0, 3, 1))
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_a_bar_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    fens.solve(zoo.helmholtz().problem, features=60, scale=fens.ScaleGrid(0, 3, 1))
    assert "searching the scale" in sys.stderr.getvalue()


@pytest.mark.parametrize(
    ("half_widths", "rho", "features"), [((0.5, 0.5), 10.0, 900), ((4.0,), 20.0, 400), ((0.5, 0.5, 0.5), 2.0, 1500)]
)
def test_the_rank_formula_counts_the_singular_values_of_features(half_widths, rho, features):
    bounds = [(-w, w) for w in half_widths]
    unscaled = Plain().draw(features, Frame(bounds, activation("cos")), np.random.SeedSequence(0))
    d = len(bounds)
    points = np.random.default_rng(0).uniform(-1, 1, (2 * features, d)) * half_widths
    A = unscaled.scaled((rho,) * d, torch.device("cpu")).matrix([(1.0, (0,) * d)], torch.as_tensor(points))
    s = torch.linalg.svdvals(A)
    measured = int((s > 64 * np.finfo(float).eps * s[0]).sum())
    assert numerical_rank([3**0.5 * rho * w for w in half_widths]) == pytest.approx(measured, rel=0.15)


def test_the_rank_formula_is_continuous_where_the_asymptotics_take_over():
    assert numerical_rank([201.0]) == pytest.approx(numerical_rank([199.0]), rel=0.03)


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("features", [200, 1000, 5000])
def test_the_chosen_scale_has_the_target_rank(dimension, features):
    rank = numerical_rank([3**0.5 * by_rank(features, [1.0] * dimension)] * dimension)
    # ranks of small bases jump by whole degrees
    assert rank == pytest.approx(target_rank(features, dimension), rel=0.1 if dimension < 3 else 0.5)


@pytest.mark.parametrize(("dimension", "bound"), [(5, 1e-5), (7, 2e-3), (10, 5e-2)])
def test_in_many_dimensions_the_scale_stays_away_from_zero(dimension, bound):
    known = zoo.poisson(dimension)
    assert fens.solve(known.problem, features=500, estimate=False).compare(known.exact).linf < bound


@pytest.mark.parametrize("activation", ["cos", "tanh"])
@pytest.mark.parametrize("affine", [False, True])
def test_the_choice_does_not_depend_on_the_units(activation, affine):
    """The same problem in metres and in millimetres, in seconds and in hours."""
    x, t = sp.symbols("x t")
    u = sp.Function("u")(x, t)
    for length, duration in ((1.0, 1.0), (1000.0, 1 / 3600)):
        domain = fens.Box({x: (0, length)}).during(t, 0, duration)
        exact = sp.sin(5 * x / length) * sp.exp(-t / duration)
        heat = u.diff(t) * duration - u.diff(x, 2) * length**2 / 10
        problem = fens.manufacture({domain: heat, domain.sides: u, domain.initial: u}, u, exact)
        solution = fens.solve(problem, features=300, activation=activation, affine=affine, estimate=False)
        assert solution.compare(exact).linf < (1e-11 if activation == "cos" else 1e-5)
