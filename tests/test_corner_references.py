"""The references of the corner benchmark satisfy their equations and conditions, and agree with published figures."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fens

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


def test_finite_elements_of_low_order_agree_with_the_expansion_and_with_what_is_kept(corners):
    computed, meshes, store, plane = map(corners, ("computed", "meshes", "store", "plane"))
    table, mesh = store.kept_table("l_values"), meshes.l_mesh(7)
    points = corners("points").of_polygon(plane.L_SHAPE)
    assert np.abs(points.T - [table["x"], table["y"]]).max() < 1e-15  # cosines of other machines differ in the last bit
    x, y = points.T - 1
    assert np.abs(mesh.evaluate(computed.source(mesh), x, y) - plane.l_with_source(*points.T)).max() < 1e-7
    assert np.abs(mesh.evaluate(computed.cubic(mesh, 3), x, y) - table["cubic"]).max() < 1e-7
    assert np.abs(mesh.evaluate(computed.variable(mesh), x, y) - table["variable"]).max() < 1e-7
    assert max(store.kept("l_accuracy")["largest difference between orders 16 and 18"].values()) < 1e-12


def test_torsion_of_the_beam(corners):
    computed, meshes, store = map(corners, ("computed", "meshes", "store"))
    kept, mesh = store.kept("beam"), meshes.beam_mesh(7)
    stiffness = 16 * mesh.integral(computed.source(mesh), lambda x, y, u: u)
    assert stiffness == pytest.approx(kept["stiffness"], rel=1e-9)
    assert kept["largest difference between orders 16 and 18"]["stiffness"] < 1e-12 * stiffness
    table = store.kept_table("beam_values")
    points = np.stack([table["x"], table["y"]], axis=1)
    assert np.array_equal(points, corners("points").of_polygon(meshes.I_BEAM))
    thin = (2 * 1.2 * 0.3**3 + 1.4 * 0.2**3) / 3  # thin walls, of which the ends take some away
    assert 0.9 * thin < stiffness < thin


def test_eigenvalues_agree_with_published_and_exact_ones(corners):
    kept = corners("store").kept("eigenvalues")
    assert all(len(v["values"]) == 10 for v in kept.values())
    L, pentagon, hexagon = (np.array(kept[name]["values"]) for name in ("L", "pentagon", "hexagon"))
    published = [9.6397238440219, 15.1972519264516, 19.7392088021787, 29.5214811141506]
    assert L[[0, 2]] == pytest.approx(np.array(published)[[0, 2]], abs=1e-13)
    assert L[[1, 3]] == pytest.approx(np.array(published)[[1, 3]], abs=1e-11)  # whose last digits are not theirs
    assert L[[2, 7, 8]] == pytest.approx(np.pi**2 * np.array([2, 5, 5]), rel=1e-14)
    first = {5: 6.022137932042633878, 6: 5.917417831613661216}  # of polygons with area π (Jones)
    for sides, values in ((5, pentagon), (6, hexagon)):
        area = sides / 2 * np.sin(2 * np.pi / sides)
        assert values[0] == pytest.approx(first[sides] * np.pi / area, rel=1e-13)
    assert hexagon[7] == pytest.approx(16 * np.pi**2 / 3, rel=2e-14)  # that of its triangles
    for name in kept:
        assert kept[name]["largest relative difference between both methods"] < 1e-11


def test_particular_solutions_of_the_l(corners):
    particular = corners("particular").Particular(corners("plane").L_SHAPE, [3], 50)
    assert particular.near(9.6397, 0.001) == (pytest.approx(9.6397238440219, abs=1e-9), 1)
    assert particular.singular_values(12.0)[-1] > 1e-2


def test_exponents_of_clamped_and_free_corners(corners):
    exponents = corners("goursat").exponents
    free = exponents(1.5 * np.pi, (-1.0, -1.0), 1.2)
    assert np.allclose(free, [0.544483736782464, 0.908529189846099], atol=1e-12)  # known of the L
    kappa = 1.8
    for s in exponents(1.5 * np.pi, (-1.0, kappa), 1.3):
        assert abs(np.sin(1.5 * np.pi * s) ** 2 - (kappa + 1) ** 2 / (4 * kappa) + s**2 / kappa) < 1e-13


def test_elasticity(corners):
    """Equilibrium, Hooke's law, a clamped and a free side, all distances from the corner."""
    williams = corners("williams")
    x, y = sp.symbols("x y", real=True)
    exact, stress = williams.displacement(x, y), williams.exact_stresses(x, y)
    values = sp.lambdify((x, y), [*exact, *stress, *williams.stresses(*exact, x, y)], cse=True)
    places = np.concatenate([spread(-0.9, -0.1, 10), spread(0.1, 0.9, 10) * [[1], [-1]]], axis=1)
    _, _, xx, yy, xy, *hooke = values(*places)
    assert max(np.abs(a - b).max() for a, b in zip((xx, yy, xy), hooke, strict=True)) < 1e-13
    slope = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / 1e-3
    steps = 1e-3 * np.arange(-4, 5)

    def derivative(a, b):
        moved = (np.array(values(places[0] + s * a, places[1] + s * b)[2:5]) for s in steps)
        return sum(w * stress for w, stress in zip(slope, moved, strict=True))

    by_x, by_y = derivative(1, 0), derivative(0, 1)
    assert np.abs([by_x[0] + by_y[2], by_x[2] + by_y[1]]).max() < 1e-9
    r = 10.0 ** np.arange(-8, 1)
    assert np.abs(values(r, 0 * r)[:2]).max() < 3e-14
    assert (np.abs([values(0 * r, r)[k] for k in (2, 4)]) * r ** (2 / 3)).max() < 1e-14
    assert np.abs(values(0 * r, r)[0]).min() > 1e-3  # and it moves there


def test_flow_in_the_cavity(corners):
    cavity = corners("cavity")
    assert cavity.fitted(cavity.Terms(16, 32))[1] < 5e-13
    z = spread(0.2, 0.8)[0] + 1j * spread(0.2, 0.8)[1]
    other = cavity.Terms(20, 40)
    U = other.columns(z) @ cavity.fitted(other)[0] + cavity.scrapers(z)[0]
    assert np.abs(cavity.whole(z) - U).max() < 1e-12
    slope = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / 1e-2
    steps = 1e-2 * np.arange(-4, 5)
    by_x, by_y = (sum(w * cavity.stream(z + s * d) for w, s in zip(slope, steps, strict=True)) for d in (1, 1j))
    assert np.abs(by_y - 1j * by_x - cavity.whole(z)).max() < 1e-9

    def vorticity(x, y):
        return -laplacian(lambda a, b: cavity.stream(a + 1j * b), x, y, 0.02)

    z = z[:4]
    assert np.abs(laplacian(vorticity, z.real, z.imag, 0.02)).max() < 1e-5 * np.abs(vorticity(z.real, z.imag)).max()


def test_eddies_of_the_cavity(corners):
    """Figures of finite elements with a million unknowns (cats2d.com), and Moffatt's ratio of sizes."""
    cavity = corners("cavity")
    (first, one), (second, two) = cavity.eddies()
    assert one == pytest.approx(2.227e-6, rel=5e-4)
    assert two == pytest.approx(-6.14e-11, rel=5e-4)
    ratio = np.exp(np.pi / cavity.exponents(1)[0].imag)
    assert abs(first / second) == pytest.approx(ratio, rel=0.02)
    main = cavity.still(cavity.whole, 0.5 + 0.76j)
    assert cavity.stream(np.array([main]))[0] == pytest.approx(-0.1000763, abs=1e-7)
    z = 0.3 * np.exp(1j * np.linspace(0.1, 1.4, 9))
    assert np.abs(cavity.in_corner(z)[0] - cavity.whole(z)).max() < 2e-11
    assert np.abs(cavity.in_corner(z)[1] - cavity.stream(z)).max() < 2e-11


def test_checkerboard(corners):
    systems = corners("systems")
    parts = [sp.lambdify((systems.x, systems.y), systems.checkerboard_exact(k)) for k in range(4)]
    assert systems.checkerboard_exponent() == pytest.approx(0.1269020697, abs=1e-9)
    r, h = 10.0 ** np.linspace(-8, 0, 9), 1e-6
    for k, part in enumerate(parts):
        after, way, across = parts[(k + 1) % 4], 1j ** (k + 1), 1j ** (k + 2)
        coefficients = (100, 1) if k % 2 == 0 else (1, 100)
        z, step = r * way, r * h * across
        assert np.abs(part(z.real, z.imag) - after(z.real, z.imag)).max() < 1e-14
        before, behind = z - step, z + step
        one = coefficients[0] * (part(z.real, z.imag) - part(before.real, before.imag)) / h
        two = coefficients[1] * (after(behind.real, behind.imag) - after(z.real, z.imag)) / h
        assert np.abs(one - two).max() < 1e-5 * np.abs(one).max()
        place = 0.5 * np.exp(1j * (np.linspace(0.2, 1.3, 7) + k * np.pi / 2))
        assert np.abs(laplacian(part, place.real, place.imag)).max() < 1e-8


class Known:
    """Stands for a solution: what is known, as a function or by unknown."""

    def __init__(self, functions):
        self.functions = functions

    def __getitem__(self, unknown):
        return self.functions[unknown.func.__name__]

    def __call__(self, *coordinates):
        (function,) = self.functions.values()
        return function(*coordinates)


def test_every_figure_of_what_is_known_is_met(corners):
    scalar, systems, plane, series, cavity = map(corners, ("scalar", "systems", "plane", "series", "cavity"))
    cases = corners("cases")
    boards = {f"u{k + 1}": sp.lambdify((cases.x, cases.y), systems.checkerboard_exact(k)) for k in range(4)}
    flow = {"u": lambda x, y: cavity.velocity(x, y)[0], "v": lambda x, y: cavity.velocity(x, y)[1]}
    known = {
        scalar.l_squared: {"u": plane.l_squared()},
        scalar.l_with_source: {"u": plane.l_with_source},
        scalar.square_with_source: {"u": series.square_with_source},
        scalar.square_with_jump: {"u": series.square_with_jump},
        scalar.heat: {"v": series.rod},
        systems.checkerboard: boards,
        systems.lid_driven_cavity: flow,
    }
    for state, functions in known.items():
        figures = state().figures(Known(functions))
        assert all(f.met for f in figures), (state.__name__, figures)
        worse = {name: lambda *c, f=f: f(*c) + 1e-7 for name, f in functions.items()}
        assert not any(f.met for f in state().figures(Known(worse)) if not f.name.endswith("centre")), state.__name__


def test_every_case_says_where_its_reference_is_from(corners):
    corners("__main__")
    table = corners("cases").CASES
    assert sum(not case.variant for case in table.values()) == 17
    assert all(case.reference and case.title and case.seconds > 0 for case in table.values())


def test_a_case_is_solved_and_drawn(corners, tmp_path):
    report, cases = corners("report"), corners("cases")
    x, w = cases.x, sp.Function("w")(cases.x)
    line = fens.Box({x: (0, 1)})
    problem = fens.Problem({line: sp.Eq(w.diff(x, 2), -2), line.boundary: sp.Eq(w, 0)})
    stated = cases.Stated(problem, cases.field(np.array([[0.1], [0.5]]), lambda a: a * (1 - a), 1e-12))
    outcome = report.run(cases.Case("toy", "a toy", lambda: stated, 1e9, "by hand"), 0, tmp_path)
    assert not outcome.missed
    assert outcome.features > 0
    assert outcome.estimate < 1e-10
    assert (tmp_path / "toy.png").stat().st_size > 1000


def test_outcomes_are_shown_and_written(corners, tmp_path, monkeypatch):
    report, cases = corners("report"), corners("cases")
    case = cases.Case("toy", "a toy", lambda: None, 5, "by hand")
    figures = (cases.Figure("u", 1e-9, 1e-8), cases.Figure("coefficients", 1e-3, 1e-4))
    outcomes = [report.Outcome(case, s, figures, 2e-9 * (s + 1), "roundoff-limited", 400, 3.0 + s) for s in range(2)]
    slit = cases.Case("slit", "a slit", lambda: None, 5, "by hand")
    outcomes.append(report.Outcome(slit, 0, failure="not stated yet"))
    assert "MISSED coefficients" in report.shown(outcomes[0])
    assert "ratio 2" in report.shown(outcomes[0])
    monkeypatch.setattr(report, "PAGE", tmp_path / "corners.md")
    monkeypatch.setattr(report, "TABLE", tmp_path / "corners.csv")
    report.write(outcomes)
    page = (tmp_path / "corners.md").read_text()
    assert "| a toy | u | 1.0e-09 | 1e-08 | 2 … 4 | roundoff-limited | 400 | 4.0 | 5 | by hand |" in page
    assert "not stated yet" in page
    assert len({line.count("|") for line in page.splitlines() if line.startswith("|")}) == 1
    assert len((tmp_path / "corners.csv").read_text().splitlines()) == 6


def test_variants_satisfy_their_equations(corners):
    variants = corners("variants")
    x, y = np.array([(0.2, 0.5), (-0.5, 0.4), (0.6, 0.3), (0.1, 0.2)]).T
    smooth = variants.compiled(variants.smooth())
    for exact in (variants.notch_exact(sp.sin), variants.notch_exact(sp.cos), variants.wedge_exact()):
        function = variants.compiled(exact)
        assert np.abs(laplacian(lambda a, b, f=function: f(a, b) - smooth(a, b), x, y)).max() < 1e-8
    for exact in (variants.step_exact(), variants.kink_exact()):
        assert np.abs(laplacian(variants.compiled(exact), x, y)).max() < 1e-8
    r = 10.0 ** np.arange(-8, 0)
    step, kink = variants.compiled(variants.step_exact()), variants.compiled(variants.kink_exact())
    assert np.abs(step(r, 0 * r) - 1).max() + np.abs(step(-r, 0 * r)).max() < 1e-15
    assert np.abs(kink(r, 0 * r) - r).max() + np.abs(kink(-r, 0 * r) - r).max() < 1e-15
    edge, notch = np.exp(1j * np.pi / 6) * r, variants.compiled(variants.notch_exact(sp.sin))
    assert np.abs(notch(edge.real, edge.imag) - smooth(edge.real, edge.imag)).max() < 1e-15


def test_the_flow_around_a_reentrant_corner_satisfies_stokes(corners):
    variants = corners("variants")
    u, v, p = variants.stokes_exact()
    x, y = variants.x, variants.y
    residuals = [variants.laplacian_of(u) - p.diff(x), variants.laplacian_of(v) - p.diff(y), u.diff(x) + v.diff(y)]
    function = sp.lambdify((x, y), [*residuals, u, v], cse=True)
    assert np.abs(function(*spread(-0.9, -0.1, 10))[:3]).max() < 1e-12
    r = 10.0 ** np.arange(-8, 1)
    assert np.abs([function(r, 0 * r)[3:], function(0 * r, r)[3:]]).max() < 1e-14
    assert np.abs(function(-r, -r)[3:]).min() > 1e-6
