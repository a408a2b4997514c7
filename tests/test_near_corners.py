"""Near corners: values by offset, coefficients of singular terms, integrals, and corners that users know of."""

import math

import numpy as np
import pytest
import sympy as sp

import fens
from fens.errors import FensError, RegionError, SettingError
from fens.geometry import graded_rule
from fens.options import Settings
from fens.solution.singular import Setting, _fits
from fens.strategy.sites import sites_of

x, y = sp.symbols("x y", real=True)
u = sp.Function("u")(x, y)
SQUARE = fens.Box({x: (0, 1), y: (0, 1)})
L_SHAPE = fens.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], (x, y))
DISC = fens.Ball({x: 0, y: 0}, radius=1)
MOTZ = (401.162453745234, 87.655920195088, 17.237915079447, -8.071215259698, 1.440272717023)  # Lu, Hu and Li, 2004


@pytest.fixture(scope="module")
def motz():
    """Motz' problem, moved to (1, 1), where coordinates have no digits left at small distances."""
    rim = fens.Polygon([(0, 1), (1, 1), (2, 1), (2, 2), (0, 2)], (x, y))
    free = sp.Eq(fens.normal_derivative(u), 0)
    equations = {rim: sp.Eq(fens.laplacian(u), 0), rim.edge(0): sp.Eq(u, 0), rim.edge(2): sp.Eq(u, 500)}
    return fens.solve(fens.Problem({**equations, **{rim.edge(k): free for k in (1, 3, 4)}}), features=600)


def test_values_by_offset_have_all_digits(motz):
    r = np.array([1e-6, 1e-12, 1e-20, 1e-30])
    expected = MOTZ[0] * np.sqrt(r) + MOTZ[1] * r**1.5
    near = motz.near((1, 1))
    assert near(r, 0.0) == pytest.approx(expected, abs=1e-8)
    assert near(-r, 0 * r) == pytest.approx(0 * r, abs=1e-8)
    assert near.diff(x)(r, 0.0) == pytest.approx(MOTZ[0] / 2 / np.sqrt(r), rel=1e-4)
    assert motz.diff(x).near(fens.Corner((1, 1)))(1e-20, 0.0) == near.diff(x)(1e-20, 0.0)
    assert abs(motz(1.3, 1.4) - near(0.3, 0.4)) < 1e-9
    assert np.isnan(near(np.array([0.0, 5.0]), np.array([-1e-20, 0.0]))).all()


def test_places_and_offsets_that_are_none(motz):
    with pytest.raises(RegionError, match=r"The place \(9, 9\) lies outside"):
        motz.near((9, 9))
    with pytest.raises(RegionError, match="has the coordinates x, y"):
        motz.near((1, 1, 1))
    with pytest.raises(RegionError, match="A corner is at a place"):
        motz.near("here")
    with pytest.raises(SettingError, match="2 offsets from a place"):
        motz.near((1, 1))(0.1)


def test_arrays_have_no_nan_at_the_corner_itself(motz):
    values = motz(np.array([1.0, 1.5]), np.array([1.0, 1.5]))
    assert np.isfinite(values).all()
    assert abs(values[0]) < 1e-6
    for orders in ((x,), (x, 2), (x, 3), (x, 6)):
        assert abs(motz.diff(*orders)(1.0, 1.0)) > 1e6  # which NaN is not


def test_the_coefficients_of_motz_problem(motz):
    found = motz.singular((1, 1))
    assert [t.exponent for t in found] == pytest.approx([0.5, 1.5, 2.5, 3.5, 4.5])
    for term, expected in zip(found, MOTZ, strict=True):
        assert abs(term.coefficient - expected) <= min(term.error, 1e-9 * MOTZ[0])
        assert term.angular == f"cos {term.exponent:g}θ"
    assert "r^0.5 cos 0.5θ" in repr(found)
    assert "<table>" in found._repr_html_()
    assert len(motz.singular(fens.Corner((1, 1)), terms=2)) == 2
    with pytest.raises(SettingError, match=r"no functions of a corner at \(1.5, 1.5\).*1, 1"):
        motz.singular((1.5, 1.5))
    with pytest.raises(SettingError, match="terms must be a whole positive number"):
        motz.singular((1, 1), terms=0)


@pytest.mark.parametrize("coupled", [False, True])
def test_errors_of_coefficients_hold_next_to_smooth_functions(coupled):
    """The coefficient of r^(2/3) next to an exponential, whose powers are whole, and to r^(5/3)."""
    setting = Setting(fens.Corner((0, 0), 0.0, 1.5 * np.pi), True, np.pi / 2, coupled, True)
    r = 0.5 * (np.arange(1, 41) / 40) ** 4
    for noise in (0.0, 1e-9):
        for exponent in setting.wanted(4):
            values = 2 * r**exponent + np.exp(r) + coupled * r ** (5 / 3) * np.cos(r) + noise * np.cos(1e4 * r)
            value, error = min(_fits(setting, exponent, r, values, noise), key=lambda pair: pair[1])
            assert abs(value - 2) <= error
            assert exponent > 1 or error < 1e-3


def test_integrals_resolve_corners(motz):
    """∫|∇u|² = ∫ u ∂u/∂n, with r^(−1) inside and r^(−1/2) on the boundary."""
    energy = motz.integrate(u.diff(x) ** 2 + u.diff(y) ** 2)
    flux = motz.integrate(fens.normal_derivative(u), on=motz.problem.domain.edge(2))
    assert energy == pytest.approx(500 * flux, rel=1e-10)


@pytest.mark.parametrize("power", [-1.2, -1.0, -2 / 3, 0.5])
def test_rules_are_exact_next_to_corners(power):
    nodes, weights = np.polynomial.legendre.leggauss(40)
    square = np.pi / 4 * weights @ np.cos(np.pi / 8 * (1 + nodes)) ** -(power + 2) / (power + 2)  # at a vertex
    for domain, places, place, count in (
        (SQUARE, [(0, 0), (1, 0), (0, 1), (1, 1)], (0, 0), 1), (L_SHAPE, [(1, 1), (0, 0)], (1, 1), 3),
    ):  # fmt: skip
        samples, factors = graded_rule(domain, 24, [tuple(map(float, p)) for p in places])
        assert domain.contains(samples.points).all()
        found = factors @ np.linalg.norm(samples.points - np.array(place), axis=1) ** power
        assert found == pytest.approx(count * square, rel=1e-9)


def test_rules_are_exact_at_the_tip_of_a_crack_and_along_a_circle():
    slit = DISC - fens.Segment((0, 0), (1, 0), (x, y))
    samples, factors = graded_rule(slit, 24, [(0.0, 0.0), (1.0, 0.0)])
    assert factors @ (1 / np.linalg.norm(samples.points, axis=1)) == pytest.approx(2 * np.pi, rel=1e-10)
    for angle in (0.0, 1.0):
        place = float(np.cos(angle)), float(np.sin(angle))
        samples, factors = graded_rule(DISC.boundary, 24, [place])
        chord = np.linalg.norm(samples.points - np.array(place), axis=1)
        exact = 2 * np.pi * math.gamma(0.75) / math.gamma(0.875) ** 2
        assert factors @ chord**-0.25 == pytest.approx(exact, rel=1e-8)
        assert factors.sum() == pytest.approx(2 * np.pi, rel=1e-10)


@pytest.mark.parametrize(("domain", "place"), [
    (SQUARE, (0.25, 0.0)), (SQUARE, (0.0, 1.0)), (DISC, (1.0, 0.0)), (DISC, (float(np.cos(1)), float(np.sin(1)))),
])  # fmt: skip
def test_places_of_the_users_are_corners(domain, place):
    here = [c for c in sites_of(domain, None, [place]).corners if np.allclose(c.place, place, atol=1e-9)]
    assert len(here) == 1
    assert here[0].opening == pytest.approx(np.pi / 2 if place == (0.0, 1.0) else np.pi)
    assert domain.contains(np.array([place]) + 1e-3 * np.array([np.cos(here[0].direction), np.sin(here[0].direction)]))


def test_a_jump_that_only_the_user_knows_of():
    step = fens.wrap(lambda a, b: np.where(b > 0, 1.0, 0.0))(x, y)
    problem = fens.Problem({DISC: sp.Eq(fens.laplacian(u), 0), DISC.boundary: sp.Eq(u, step)})
    solution = fens.solve(problem, features=400, corners=[fens.Corner((1, 0)), (-1, 0)])
    assert solution.settings.options["corners"] == ((1.0, 0.0), (-1.0, 0.0))
    r, angle = np.meshgrid([0.1, 0.5, 0.9, 0.99], np.linspace(0.1, 6.2, 20))
    places = r * np.cos(angle), r * np.sin(angle)
    exact = 0.5 + np.arctan2(2 * places[1], 1 - r**2) / np.pi
    assert np.abs(solution(*places) - exact).max() < 1e-6


def test_files_have_corners(tmp_path):
    path = tmp_path / "square.toml"
    path.write_text('unknowns = ["u"]\ndomain.box = { x = [0, 1], y = [0, 1] }\nequations.inside = "laplacian(u) = 0"\n'
                    'equations.boundary = "u = x"\nsolve.corners = [["1/4", 0], [1, 0]]\n')  # fmt: skip
    assert Settings(**fens.read(path).options).corners == ((0.25, 0.0), (1.0, 0.0))


@pytest.mark.parametrize(("given", "sentence"), [
    ([(0.5, 0.5)], r"\(0.5, 0.5\) is none of"), ([(1, 0, 0)], r"\(1, 0, 0\) is none"), (3, "corners must be a list of"),
    (fens.Corner((0, 0)), "corners must be a list"), ([("a", 0)], "A corner is at a place"),
    ([(float("nan"), 0)], "A corner is at a place"),
])  # fmt: skip
def test_corners_that_are_none_are_refused(given, sentence):
    problem = fens.Problem({SQUARE: sp.Eq(fens.laplacian(u), 0), SQUARE.boundary: sp.Eq(u, x)})
    with pytest.raises(FensError, match=sentence):
        fens.solve(problem, corners=given)


@pytest.mark.parametrize("other", [{"points": fens.Grid(20)}, {"adapt": False}, {"scale": 2.0}])
def test_corners_need_functions_and_points_of_their_own(other):
    problem = fens.Problem({SQUARE: sp.Eq(fens.laplacian(u), 0), SQUARE.boundary: sp.Eq(u, x)})
    with pytest.raises(SettingError, match="corners need functions and points of their own"):
        Settings(corners=[(0, 0)], **other).check_for(problem)
