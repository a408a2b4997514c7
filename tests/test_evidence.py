"""The rules behind verdicts, each by itself: residuals near a place, contradictions, types, and what points miss."""

import numpy as np
import pytest
import sympy as sp

import fens
from fens._support.device import device_of
from fens.discretise import discretise, sample
from fens.estimate.closer import closer_points, corners
from fens.estimate.conflict import moved, spread
from fens.estimate.exponents import bounded_are_smooth, exponents
from fens.estimate.local import Look, distances
from fens.estimate.scan import is_plain, scans
from fens.estimate.symbol import Symbol
from fens.options.settings import Settings
from fens.problem import newton_form
from fens.problem.discontinuity import steepest_places

x, y, t = sp.symbols("x y t")
u, w, v = sp.Function("u")(x, y), sp.Function("w")(x), sp.Function("v")(x, t)
line, square = fens.Box({x: (0, 1)}), fens.Box({x: (0, 1), y: (0, 1)})
rod = line.during(t, 0, 1)
bent = fens.Polygon([(-1, -1), (0, -1), (0, 0), (1, 0), (1, 1), (-1, 1)], (x, y))


@pytest.mark.parametrize(
    ("residual", "least", "most"),
    [
        (np.ones(50), 1, 1),
        (np.eye(50)[0], 0.02, 0.02),
        (np.random.default_rng(0).standard_normal(5000), 0.3, 0.37),
        (1 / np.arange(1, 200), 0, 0.02),
        (np.zeros(5), 0, 0),
        (np.array([np.inf, 1.0]), 0, 0),
    ],
)
def test_how_far_a_residual_is_spread(residual, least, most):
    assert least - 1e-12 <= spread(residual) <= most + 1e-12
    assert spread(3e200 * residual) == pytest.approx(spread(residual))


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ([0.5, 0.5], [0.01, 0.99], [0, 1]),  # moves
        ([0.5, 0.5, 1e-9], [0.01, 0.99, 1e-9], [0, 1]),  # and not to those that have nothing to do with it
        ([1.0, 1.0], [0.8, 20.0], [0, 1]),  # noise, which features do not follow
        ([1.0, 1.0], [0.8, 1.3], []),
        ([1.0, 1.0], [1.0, 1.0], []),  # what features cannot represent stays
        ([1.0, 0.0], [0.01, 0.0], []),
    ],
)
def test_whether_a_residual_moves_as_weights_change(before, after, found):
    assert moved(0, before, after) == found


def test_corners_are_where_pieces_of_a_boundary_end():
    found = {tuple(c) for c in corners(bent, np.random.default_rng(0)).tolist()}
    assert found == {(-1, -1), (0, -1), (0, 0), (1, 0), (1, 1), (-1, 1)}
    assert len(corners(fens.Ball({x: 0, y: 0}, radius=1), np.random.default_rng(0))) == 0
    assert {tuple(c) for c in corners(line, np.random.default_rng(0)).tolist()} == {(0,), (1,)}


@pytest.mark.parametrize("domain", [line, square, bent, rod, square - fens.Ball({x: 0.5, y: 0.5}, radius=0.2)], ids=str)
def test_closer_points_are_on_their_regions_and_at_all_distances(domain):
    unknown = sp.Function("f")(*domain.coordinates)
    problem = fens.Problem({domain: unknown.diff(x, 2), domain.boundary: unknown})
    rng, settings = np.random.default_rng(0), Settings(features=40)
    special = {domain: corners(domain, rng)}
    found = closer_points(problem, settings, special, np.random.SeedSequence(0))
    inside = found[domain].points
    assert domain.contains(inside).all()
    assert np.abs(domain.signed_distance(found[domain.boundary].points)).max() < 1e-9
    away = distances(domain, inside, special[domain], on_face=False)
    for distance in 10.0 ** -np.arange(1, 8):
        assert ((away > distance / 30) & (away < 3 * distance)).any(), distance
    assert len(inside) > 10 * 40


@pytest.mark.parametrize(
    ("formula", "plain"),
    [
        (sp.sin(3 * x) * sp.exp(-y) + x**2 * y, True),
        (sp.cos(30 * x + 20 * y), True),
        (sp.cos(300 * x), False),
        (sp.exp(-1000 * x), False),
        (sp.exp(-(x**2)), False),
        (1 / (1 + x), False),
        (sp.tanh(x), False),
        (fens.wrap(lambda a: a)(x), False),
    ],
)
def test_which_formulas_can_hide_nothing(formula, plain):
    assert is_plain(formula, fens.Problem({square: u, square.boundary: u})) == plain


def unseen(problem, features=200):
    settings = Settings(features=features)
    points = sample(problem, settings.sampler, settings.sizes(problem), np.random.SeedSequence(1))
    placed = discretise(problem, points, newton_form, device_of("cpu"))
    return [place for _, scan in scans(problem, placed, np.random.SeedSequence(2)) for place in scan.unseen()]


def bump(centre, width):
    return sp.exp(-(((x - centre) / width) ** 2))


@pytest.mark.parametrize("width", [2e-4, 1e-4, 2e-5])
def test_a_bump_between_points_is_seen(width):
    found = unseen(fens.Problem({line: sp.Eq(w.diff(x, 2), sp.sin(9 * x) + bump(0.4321, width)), line.boundary: w}))
    assert found
    assert all(abs(place[0] - 0.4321) < 5 * width for place in found)


def test_a_bump_in_the_plane_or_on_a_face_or_in_a_callable_is_seen():
    spot = bump(0.3, 0.01) * sp.exp(-(((y - 0.6) / 0.01) ** 2))
    (first, *_) = unseen(fens.Problem({square: sp.Eq(u.diff(x, 2), spot), square.boundary: u}))
    assert np.allclose(first, (0.3, 0.6), atol=0.05)
    (first, *_) = unseen(fens.Problem({square: u.diff(x, 2), square.face(y, 0): sp.Eq(u, bump(0.7, 1e-4))}))
    assert np.allclose(first, (0.7, 0), atol=1e-3)
    narrow = fens.wrap(lambda a: np.exp(-(((a - 0.2) / 1e-4) ** 2)))
    assert unseen(fens.Problem({line: sp.Eq(w, narrow(x))}))


@pytest.mark.parametrize(
    "formula",
    [sp.Heaviside(x - 0.3, 0), sp.Abs(x - 0.4), sp.sqrt(x), bump(0.5, 0.2), sp.log(x + 1e-3), sp.tanh(20 * (x - 0.5))],
    ids=str,
)
def test_what_points_do_see_is_not_missed(formula):
    assert not unseen(fens.Problem({line: sp.Eq(w.diff(x, 2), formula), line.boundary: w}))


STEP = sp.Float(0.3)
LAPLACE = sp.Eq(u.diff(x, 2) + u.diff(y, 2), 0)


def ramp(width):
    return sp.Min(10, sp.Max(1, 1 + 9 * (x - STEP) / width))


@pytest.mark.parametrize(
    ("coefficient", "hidden"),
    [
        (ramp(1e-6), True),
        (ramp(1e-9), True),
        (sp.Float(5.5) + sp.Float(4.5) * sp.erf((x - STEP) * 10**7), True),
        (sp.Piecewise((1, x < STEP), (1 + 9e7 * (x - STEP), x < STEP + 1e-7), (10, True)), True),
        (ramp(0.2), False),
        (sp.Float(5.5) + sp.Float(4.5) * sp.tanh((x - STEP) * 10), False),
        (1 + sp.Abs(x - STEP), False),
        (1 + sp.sqrt(x), False),
    ],
    ids=str,
)
def test_a_ramp_of_a_coefficient_that_no_point_sees(coefficient, hidden):
    found = unseen(fens.Problem({line: sp.Derivative(coefficient * w.diff(x), x), line.boundary: sp.Eq(w, x)}))
    assert bool(found) == hidden
    assert all(abs(place[0] - 0.3) < 1e-5 for place in found)


def test_a_jump_that_is_meant_as_it_stands_is_seen():
    stepped = 1 + sp.Heaviside(x - STEP, 0)
    assert not unseen(fens.Problem({line: sp.Eq(fens.strong(stepped * w.diff(x, 2)), 1), line.boundary: w}))


def test_steepest_places_are_on_the_ramp():
    (*_, first) = sorted(steepest_places(ramp(1e-8), (x,), line)[:, 0], key=lambda v: -abs(v - 0.3))
    assert 0 <= first - 0.3 <= 1e-8
    across = steepest_places(ramp(1e-8), (x, y), square)
    assert len(across) >= 128
    assert np.mean((across[:, 0] >= 0.3) & (across[:, 0] <= 0.3 + 1e-8)) >= 0.5


@pytest.mark.parametrize(
    ("equations", "error"),
    [
        ({line: sp.Eq(w, sp.sin(x) + bump(0.4321, 1e-4) / 50)}, 0.02),
        ({line: sp.Eq(w.diff(x, 2), sp.sin(x) + bump(0.4321, 1e-4) / 50), line.boundary: sp.Eq(w, 0)}, 8.7e-7),
        ({square: LAPLACE, square.boundary: sp.Eq(u, sp.exp(x) * sp.cos(y) + bump(0.4321, 1e-4) * (1 - y) / 50)}, 0.02),
    ],
    ids=["values", "a source", "a face"],
)
def test_a_bump_too_small_to_be_beyond_its_neighbours_is_part_of_the_estimate(equations, error):
    found = verdict(fens.Problem(equations), features=60)
    assert error <= found.estimate <= 10 * error
    assert found.trusted
    assert "0.432" in found.evidence.where


def verdict(problem, **options):
    return fens.solve(problem, **{"features": 150, **options}).error


HEAT = {"forward": sp.Eq(v.diff(t), v.diff(x, 2) / 50), "backward": sp.Eq(v.diff(t), -v.diff(x, 2) / 50)}
HYPERVISCOUS = sp.Eq(v.diff(t), -v.diff(x, 2) / 50 - v.diff(x, 4) / 5000)
SCHROEDINGER = sp.Eq(v.diff(t, 2), -v.diff(x, 4) / 500)
exact = sp.sin(sp.pi * x)


@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")
@pytest.mark.parametrize(
    ("equation", "conditions", "objects"),
    [
        (HEAT["forward"], {rod.initial: sp.Eq(v, exact), rod.sides: sp.Eq(v, 0)}, False),
        (HEAT["forward"], {rod.final: sp.Eq(v, exact), rod.sides: sp.Eq(v, 0)}, True),
        (HEAT["backward"], {rod.initial: sp.Eq(v, exact), rod.sides: sp.Eq(v, 0)}, True),
        (HEAT["backward"], {rod.final: sp.Eq(v, exact), rod.sides: sp.Eq(v, 0)}, False),
        (HEAT["forward"], {rod.sides: sp.Eq(v, sp.sin(t))}, True),
        (HYPERVISCOUS, {rod.initial: sp.Eq(v, exact), rod.sides: [sp.Eq(v, 0), sp.Eq(v.diff(x, 2), 0)]}, False),
        (SCHROEDINGER, {rod.initial: [sp.Eq(v, exact), v.diff(t)], rod.sides: [v, v.diff(x, 2)]}, False),
        (sp.Eq(v.diff(t, 2), -v.diff(x, 2)), {rod.initial: [sp.Eq(v, exact), v.diff(t)], rod.sides: v}, True),
        (sp.Eq(400 * v.diff(t, 2), v.diff(x, 2)), {rod.initial: sp.Eq(v, exact), rod.final: v, rod.sides: v}, True),
        (sp.Eq(v.diff(t, 2), v.diff(x, 2)), {rod.initial: [sp.Eq(v, exact), v.diff(t)], rod.sides: v}, False),
        (
            sp.Eq(v.diff(t, 2) + v.diff(t), v.diff(x, 2) + exact),
            {rod.pair(t): [fens.jump(v), fens.jump(v.diff(t))], rod.sides: v},
            False,
        ),
        (
            sp.Eq(v.diff(t, 2), sp.Rational(49, 121) * v.diff(x, 2) + exact),
            {rod.pair(t): [fens.jump(v), fens.jump(v.diff(t))], rod.sides: v},
            True,
        ),
        (sp.Eq(v.diff(t), -v.diff(x) / 100), {rod.initial: sp.Eq(v, exact)}, True),
        (sp.Eq(v.diff(t), -v.diff(x) / 100), {rod.initial: sp.Eq(v, exact), rod.face(x, 1): v}, True),
        (sp.Eq(v.diff(t), -v.diff(x) / 100), {rod.initial: sp.Eq(v, exact), rod.face(x, 0): v}, False),
        (sp.Eq(v.diff(t), -v.diff(x) / 100), {rod.final: sp.Eq(v, exact), rod.face(x, 1): v}, False),
        (sp.Eq(v.diff(t) + (x - 0.5) * v.diff(x), 0), {rod.initial: sp.Eq(v, exact)}, False),
        (sp.Eq(v.diff(t) - (x - 0.5) * v.diff(x), 0), {rod.initial: sp.Eq(v, exact)}, True),
    ],
)
def test_what_the_type_of_an_equation_says(equation, conditions, objects):
    error = verdict(fens.Problem({rod: equation, **conditions}))
    assert bool(error.evidence.objection) == objects
    assert error.trusted or objects
    if objects:
        assert error.estimate == float("inf")
        assert "determine" in error.advice or "depend continuously" in error.advice


def test_far_from_the_origin_the_rounding_of_coordinates_counts():
    near, far = (
        verdict(fens.manufacture({b: w.diff(x, 2), b.boundary: w}, w, sp.sin(1000 * (x - b.bounds[0][0]))))
        for b in (fens.Box({x: (0, 1e-3)}), fens.Box({x: (1e6, 1e6 + 1e-3)}))
    )
    assert near.evidence.coordinates == 0
    assert far.estimate > far.evidence.coordinates > 1e-8


RING, DISC = fens.Ball({x: 0, y: 0}, radius=1) - fens.Ball({x: 0, y: 0}, radius=0.5), fens.Ball({x: 0, y: 0}, radius=1)
TRIANGLE = fens.Polygon([(0, 0), (1, 0), (0.3, 0.9)], (x, y))
BOTH = [sp.Eq(u, x), sp.Eq(fens.normal_derivative(u), fens.normal(x))]


@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")
@pytest.mark.parametrize(
    ("equations", "objects"),
    [
        ({RING: LAPLACE, RING.part(DISC.boundary): BOTH}, True),  # Cauchy's problem
        ({RING: LAPLACE, RING.boundary: sp.Eq(u, x)}, False),
        ({TRIANGLE: LAPLACE, TRIANGLE.edge(0): BOTH, TRIANGLE.edge(1): sp.Eq(u, x)}, True),
        ({TRIANGLE: sp.Eq(u.diff(x) + 5 * u.diff(y), 1), TRIANGLE.edge(0): sp.Eq(u, x)}, False),  # needs no more
        ({DISC: sp.Eq(fens.div((1 - x**2 - y**2) * fens.grad(u)) - u, -5 * x)}, False),  # degenerates on the circle
    ],
)
def test_a_part_of_a_boundary_without_its_condition_is_named(equations, objects):
    error = verdict(fens.Problem(equations))
    assert ("There is no condition on" in error.evidence.objection) == objects
    assert error.trusted != objects


@pytest.mark.parametrize(
    ("quotients", "found"),
    [
        ([0, 1, 1], [0, 0]),  # (r u′)′: 1 and log r
        ([0, 2, 1], [-1, 0]),  # in space
        ([-1 / 4, 1, 1], [-1 / 2, 1 / 2]),  # Bessel's of order ½
        ([0, 0, 1], [0, 1]),  # no singular point
        ([3, 1], [-3]),
    ],
)
def test_exponents_of_an_equation_that_degenerates(quotients, found):
    assert np.sort(exponents(np.array(quotients, dtype=float)).real) == pytest.approx(found, abs=1e-6)


@pytest.mark.parametrize(
    ("found", "smooth"),
    [
        ([0, 0], True),  # the other is log r, which is unbounded
        ([-1, 0], True),
        ([-2], True),
        ([-0.5, 0.5], False),
        ([0, 1], False),  # r log r is bounded, and not smooth
        ([1, 1], False),
        ([0.3 + 1j, 0.3 - 1j], False),
        ([-1, 2], True),
    ],
)
def test_whether_bounded_solutions_are_smooth(found, smooth):
    assert bounded_are_smooth(np.array(found, dtype=complex)) == smooth


@pytest.mark.parametrize(
    ("equation", "direction", "found"),
    [
        (v.diff(t, 2) + v.diff(x, 2), (1, 0), (1, 1, 2, 0)),
        (v.diff(t, 2) + v.diff(x, 2), (0.6, 0.8), (1, 1, 2, 0)),
        (v.diff(t) - v.diff(x, 2), (0, 1), (1, 0, 1, 0)),
        (v.diff(t) - v.diff(x, 2), (0, -1), (0, 1, 1, 0)),
        (v.diff(t) - v.diff(x, 2), (1, 0), (1, 1, 2, 0)),
        (v.diff(t, 2) - v.diff(x, 2), (0, 1), (0, 0, 2, 2)),
    ],
)
def test_roots_of_symbols(equation, direction, found):
    problem = fens.Problem({rod: sp.Eq(equation, 1), rod.boundary: sp.Eq(v, 0)})
    points = sample(problem, fens.Clustered(interior=4), (10,), np.random.SeedSequence(0))
    placed = discretise(problem, points, newton_form, device_of("cpu"))[0]
    look = Look(placed, [(jet, c(placed.values, 4)) for jet, c in placed.form.coefficients], np.zeros(4))
    roots = Symbol([look], [0], np.array([0.5, 0.5])).roots(0, np.array(direction), np.random.default_rng(0))
    assert (roots.decaying, roots.growing, roots.count, roots.undamped) == found


def test_a_solution_that_features_of_one_speed_miss_alike_is_compared_with_a_finer_one():
    problem = fens.Problem({line: sp.Eq(w * w.diff(x), 0.5), line.face(x, 1): sp.Eq(w, 1)})
    solution = fens.solve(problem, features=300)
    true = np.abs(solution(10.0 ** -np.arange(1, 16)) - 10.0 ** (-0.5 * np.arange(1, 16))).max()
    assert 1 <= solution.error.estimate / true < 5


SINE = {line: sp.Eq(w.diff(x, 2), -w), line.face(x, 0): sp.Eq(w, 0), line.face(x, 1): sp.Eq(w, sp.sin(1))}


@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")
@pytest.mark.parametrize("features", [60, 400])
@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({fens.Points({x: [0.3]}): sp.Eq(w, float(np.sin(0.3)) + 1e-6)}, "inconsistent"),
        ({fens.Points({x: [0.3]}): sp.Eq(w, float(np.sin(0.3)))}, "roundoff-limited"),
        ({line: [SINE[line], sp.Eq(fens.integral(w), 1 - sp.cos(1) + 1e-4)]}, "inconsistent"),
        ({line.face(x, 0): [sp.Eq(w, 0), sp.Eq(w.diff(x), 1.001)]}, "inconsistent"),
        ({line.face(x, 0): [sp.Eq(w, 0), sp.Eq(w.diff(x), 1)]}, "roundoff-limited"),
    ],
)
def test_one_row_more_than_needed_contradicts_the_others_or_does_not(more, found, features):
    assert verdict(fens.Problem({**SINE, **more}), features=features).verdict == found


@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")
def test_a_point_that_is_needed_or_has_noise_contradicts_nothing():
    singular = fens.Problem({line: sp.Eq(x * w.diff(x), w / 2), fens.Points({x: [0.5]}): sp.Eq(w, 1)})
    assert not verdict(singular).evidence.conflict
    measured = fens.Data([float(np.sin(0.3)) + 1e-6], std=1e-6)
    assert verdict(fens.Problem({**SINE, fens.Points({x: [0.3]}): sp.Eq(w, measured)})).trusted
    amplitude = {line: sp.Eq(w.diff(x, 2) + sp.pi**2 * w, 0), line.boundary: sp.Eq(w, 0)}
    given = fens.Problem({**amplitude, fens.Points({x: [0.5]}): sp.Eq(w, 1)})
    assert verdict(given).verdict == "roundoff-limited"


@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")
@pytest.mark.parametrize("features", [100, 400])
def test_a_layer_that_is_not_resolved_is_no_contradiction(features):
    narrow = fens.Problem({line: sp.Eq(-1e-4 * w.diff(x, 2) + w.diff(x), 1), line.boundary: sp.Eq(w, 0)})
    error = verdict(narrow, features=features)
    assert error.verdict == "unreliable"
    assert "not resolved" in error.advice
