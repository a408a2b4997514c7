"""The references of the corner benchmark satisfy their equations and conditions, and agree with published figures."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def corners():
    """Imports a module of the benchmark by name."""
    sys.path.insert(0, str(FOLDER))
    try:
        yield lambda name: importlib.import_module(f"corners.{name}")
    finally:
        sys.path.remove(str(FOLDER))


def laplacian(u, x, y, h=2e-3):
    """By central differences of eighth order."""
    weights = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]) / h**2
    steps = h * np.arange(-4, 5)
    return sum(w * (u(x + s, y) + u(x, y + s)) for w, s in zip(weights, steps, strict=True))


def spread(low, high, count=40):
    return np.random.default_rng(0).uniform(low, high, (2, count))


def test_points_lie_inside_and_go_down_to_each_corner(corners):
    points, shape = corners("points"), corners("plane").L_SHAPE
    found = points.of_polygon(shape)
    assert (points.winding(found, np.array(shape, dtype=float)) == 1).all()
    for corner in shape:
        distances = np.hypot(*(found - corner).T)
        assert distances.min() == pytest.approx(1e-8, rel=1e-6)
    opening = [b - a for *_, a, b in points.corners_of(shape)]
    assert np.allclose(opening, np.pi * np.array([0.5, 0.5, 0.5, 1.5, 0.5, 0.5]))


def test_source_on_the_square(corners):
    u = corners("series").square_with_source
    x, y = spread(0.1, 0.9)
    assert np.abs(laplacian(u, x, y) + 1).max() < 1e-8
    s = np.concatenate([np.linspace(0, 1, 50), 10.0 ** -np.arange(2, 9), 1 - 10.0 ** -np.arange(2, 9)])
    for side in (u(s, 0 * s), u(s, 0 * s + 1), u(0 * s, s), u(0 * s + 1, s)):
        assert np.abs(side).max() < 1e-15
    assert u(np.array(0.5), np.array(0.5)) == pytest.approx(0.0736713532815138, abs=1e-15)  # known from torsion of bars
    near, far = 2.4 / np.pi * np.array([1 - 1e-12, 1 + 1e-12])  # where one way to sum ends and the other begins
    assert abs(np.diff(u(np.full(2, 0.3), np.sqrt(np.array([near, far]) ** 2 - 0.09)))[0]) < 1e-12


def test_source_on_the_square_near_a_corner(corners):
    """u = −(r²/π)(log r sin 2θ + (θ − π/4) cos 2θ) − r²/4 + c r² sin 2θ + …, of which ratios do not depend on c."""
    u, theta = corners("series").square_with_source, np.array([0.3, 0.7, 1.1])

    def leading(r):
        bracket = np.log(r) * np.sin(2 * theta) + (theta - np.pi / 4) * np.cos(2 * theta)
        return -(r**2) * (bracket / np.pi + 1 / 4)

    rest = [(u(r * np.cos(theta), r * np.sin(theta)) - leading(r)) / r**2 / np.sin(2 * theta) for r in (1e-3, 1e-4)]
    assert np.ptp(rest) < 1e-4


def test_jump_on_the_square(corners):
    u = corners("series").square_with_jump
    x, y = spread(0.1, 0.9)
    assert np.abs(laplacian(u, x, y)).max() < 1e-8
    assert np.abs(u(x, y) + u(x, 1 - y) + u(y, x) + u(y, 1 - x) - 1).max() < 1e-14  # 1 on all sides
    assert np.abs(u(x, 0 * x)).max() < 1e-15
    assert np.abs(u(x, 0 * x + 1) - 1).max() < 1e-15
    theta = np.linspace(0.1, 1.4, 8)  # near the jump it is an angle
    assert np.abs(u(1e-6 * np.sin(theta), 1 - 1e-6 * np.cos(theta)) - 2 / np.pi * theta).max() < 1e-10


def test_rod(corners):
    series = corners("series")
    x, t = spread(0.05, 0.95)[0], spread(0.03, 0.3)[1]
    images, sines = (f(x[:, None], t[:, None]) for f in (series.rod_by_images, series.rod_by_sines))
    assert np.abs(images - sines).max() < 1e-14
    assert np.abs(series.rod(np.array([0.0, 1.0, 0.5]), 1e-6) - [0, 0, 1]).max() < 1e-15


def test_expansions_on_polygons_fit_the_boundary_and_published_figures(corners):
    plane = corners("plane")
    misfits = plane.misfits()
    assert misfits["L with u = x²"] < 1e-13
    assert misfits["−Δu = 1 on the L"] < 1e-13
    assert misfits["Motz"] < 500 * 1e-13
    assert plane.l_squared()(0.99, 0.99) == pytest.approx(plane.PUBLISHED_L, abs=1e-13)
    assert plane.motz_coefficients()[:5] == pytest.approx(plane.PUBLISHED_MOTZ, abs=3e-12)
    x, y = spread(0.1, 0.9)
    for harmonic in (plane.l_squared(), plane.l_remainder(), plane.motz()):
        assert np.abs(laplacian(harmonic, x, y)).max() < 1e-7 * (1 + np.abs(harmonic(x, y)).max())


def test_two_orders_of_expansions_agree(corners):
    plane, points = corners("plane"), corners("points").of_polygon(corners("plane").L_SHAPE)
    for solution in (plane.l_squared, plane.l_remainder):
        assert np.abs(solution()(*points.T) - solution(44)(*points.T)).max() < 1e-13


def test_slit_solutions(corners):
    """Their equations hold, on both sides, and they have on the slit what is given there."""
    scalar = corners("scalar")
    exact, smooth, wave = (sp.lambdify((scalar.x, scalar.y), f) for f in (*scalar.slit_solution(), scalar.slit_wave()))
    x, y = np.array([(0.3, 0.4), (-0.5, 0.2), (-0.4, -0.3), (0.6, -0.1), (-0.7, 0)]).T
    assert np.abs(laplacian(lambda a, b: exact(a, b) - smooth(a, b), x, y)).max() < 1e-8
    assert np.abs(laplacian(wave, x, y) + 25 * wave(x, y)).max() < 1e-8
    for side in (0.0, 1e-20, -1e-20):
        assert abs(exact(0.5, side) - smooth(0.5, side)) < 1e-15
        assert abs(wave(0.5, side)) < 1e-15
