"""The rules behind verdicts, each by itself: residuals near a place, contradictions, types, and what points miss."""

import numpy as np
import pytest
import sympy as sp

import fens
from fens._support.device import device_of
from fens.discretise import discretise, sample
from fens.estimate.closer import closer_points, corners
from fens.estimate.conflict import given_values_jump, moved, recurs, spread
from fens.estimate.exponents import bounded_are_smooth, exponents, unbounded
from fens.estimate.local import Look, distances
from fens.estimate.scan import is_plain, scans
from fens.estimate.symbol import Symbol, sides
from fens.fit.discrete import DiscreteProblem, place_points
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


@pytest.mark.parametrize(
    ("order", "power", "ends"),
    [
        (2, 1.0, (1, 1)),  # heat
        (2, -1.0, None),  # backward
        (3, -1.0, (1, 2)),  # u_t = −u_xxx
        (3, 4.0, (2, 1)),
        (4, -1.0, (2, 2)),  # u_t = −u_xxxx
        (4, 1.0, None),
        (5, 1.0, (2, 3)),  # u_t = u_xxxxx
        (5, -0.1, (3, 2)),
    ],
)
def test_how_many_conditions_an_equation_of_evolution_wants_at_each_end(order, power, ends):
    assert sides(order, power) == ends


wave_along = sp.sin(x + t)
FIRST, LAST = rod.face(x, 0), rod.face(x, 1)


def given(count, kind=0):
    """The first so many of the value and its derivatives, or with Robin's in place of the value."""
    jets = [lambda f: f + kind * f.diff(x), lambda f: f.diff(x), lambda f: f.diff(x, 2), lambda f: f.diff(x, 3)]
    return [sp.Eq(jet(v), jet(wave_along)) for jet in jets[:count]]


def evolving(operator, lower, upper, when=rod.initial, kind=0):
    """Equations for sin(x + t), with so many conditions at each end of x."""
    ends = {face: given(n, kind) for face, n in ((FIRST, lower), (LAST, upper)) if n}
    equation = sp.Eq(operator(v), operator(wave_along))
    return {rod: equation, when: sp.Eq(v, wave_along), **ends}


def third(f):
    return f.diff(t) + f.diff(x, 3)


def fifth(f):
    return f.diff(t) - f.diff(x, 5)


def fourth(f):
    return f.diff(t) + f.diff(x, 4) / 100


def korteweg_de_vries(f):
    return third(f) + 6 * f * f.diff(x)


def varying(f):
    return (2 + sp.sin(3 * x)) * f.diff(t) - (1 + x * t) * f.diff(x, 3) + f.diff(x, 2) / 9


ILL = {
    "third: 3 and 0": evolving(third, 3, 0),
    "third: 2 and 1": evolving(third, 2, 1),
    "third: 0 and 3": evolving(third, 0, 3),
    "third: backward": evolving(third, 1, 2, rod.final),
    "fourth: 3 and 1": evolving(fourth, 3, 1),
    "fifth: 3 and 2": evolving(fifth, 3, 2),
    "fifth: 1 and 4": evolving(fifth, 1, 4),
    "Korteweg and de Vries": evolving(korteweg_de_vries, 2, 1),
    "varying": evolving(varying, 2, 1, rod.final),
    "Robin": evolving(third, 2, 1, kind=-2),
}
WELL = {
    "third: 1 and 2": evolving(third, 1, 2),
    "third: backward": evolving(third, 2, 1, rod.final),
    "fourth: 2 and 2": evolving(fourth, 2, 2),
    "fifth: 2 and 3": evolving(fifth, 2, 3),
    "Korteweg and de Vries": evolving(korteweg_de_vries, 1, 2),
    "varying": evolving(varying, 1, 2, rod.final),
    "Robin": evolving(lambda f: f.diff(t) - f.diff(x, 2), 1, 1, kind=-0.5),
    "more than it wants": evolving(third, 2, 2),
}


@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")
@pytest.mark.parametrize("equations", ILL.values(), ids=ILL)
def test_a_condition_at_the_wrong_end_of_odd_or_high_order(equations):
    error = verdict(fens.Problem(equations))
    assert "condition" in error.evidence.objection
    assert "wants" in error.evidence.objection
    assert not error.trusted


@pytest.mark.parametrize("equations", WELL.values(), ids=WELL)
def test_conditions_at_the_right_ends_of_odd_or_high_order(equations):
    error = verdict(fens.Problem(equations))
    assert not error.evidence.objection
    assert error.trusted


def test_the_numbers_of_conditions_at_the_ends_of_odd_order_are_told():
    with pytest.warns(fens.UnreliableWarning):
        error = verdict(fens.Problem(ILL["third: 3 and 0"]))
    assert "wants one condition at x = 0 and two at x = 1, and has three and none" in error.advice


PERIOD = fens.Box({x: (0, float(2 * sp.pi))}).during(t, 0, 1)
JOINED = [fens.jump(v), fens.jump(v.diff(x)), fens.jump(v.diff(x, 2))]
RATE = fens.Unknown("c")


@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")
@pytest.mark.parametrize(
    "equations",
    [
        {PERIOD: sp.Eq(third(v), 0), PERIOD.initial: sp.Eq(v, sp.sin(x)), PERIOD.pair(x): JOINED},
        {**evolving(third, 3, 0), fens.Points({x: [0.5], t: [0.5]}): sp.Eq(v, sp.sin(1))},
        {**evolving(third, 3, 0), rod.final: sp.Eq(v, wave_along)},
        {**evolving(lambda f: f.diff(t) + RATE * f.diff(x, 3), 2, 1), rod.final: sp.Eq(v, wave_along)},
        evolving(lambda f: f.diff(t) + (x - 0.5) * f.diff(x, 3), 2, 1),  # turns, and so may what it wants
        evolving(lambda f: f.diff(t) + x * f.diff(x, 3), 2, 1),
        evolving(lambda f: third(f) - f.diff(x, 2, t), 2, 1),  # of another type
    ],
    ids=["periodic", "measured", "at both times", "a number", "turning", "degenerate", "mixed derivatives"],
)
def test_what_is_not_known_of_odd_order_is_not_said(equations):
    assert "and has" not in verdict(fens.Problem(equations)).evidence.objection


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
    ("more", "contradicts"),
    [
        ({fens.Points({x: [0.3]}): sp.Eq(w, float(np.sin(0.3)) + 1e-6)}, True),
        ({fens.Points({x: [0.3]}): sp.Eq(w, float(np.sin(0.3)))}, False),
        ({line: [SINE[line], sp.Eq(fens.integral(w), 1 - sp.cos(1) + 1e-4)]}, True),
        ({line.face(x, 0): [sp.Eq(w, 0), sp.Eq(w.diff(x), 1.001)]}, True),
        ({line.face(x, 0): [sp.Eq(w, 0), sp.Eq(w.diff(x), 1)]}, False),
    ],
)
def test_one_row_more_than_needed_contradicts_the_others_or_does_not(more, contradicts, features):
    error = verdict(fens.Problem({**SINE, **more}), features=features)
    assert error.verdict == "inconsistent" if contradicts else error.relative < 1e-12


@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")
@pytest.mark.parametrize(("rate", "trusted"), [(t, True), (1, False)])
def test_an_instant_at_which_the_rate_vanishes_wants_no_condition(rate, trusted):
    v, heated = sp.Function("v")(x, t), fens.Box({x: (0, 1)}).during(t, 0, 1)
    exact = sp.sin(sp.pi * x) * sp.cos(t) + x * t
    problem = fens.manufacture({heated: rate * v.diff(t) - v.diff(x, 2), heated.sides: v}, v, exact)
    error = fens.solve(problem, features=200).error
    assert error.trusted == trusted
    assert ("no condition at t" in error.evidence.objection) != trusted


def test_a_number_is_determined_up_to_the_noise_of_its_data():
    w, k, rod = sp.Function("w")(x), fens.Unknown("k", initial=1), fens.Box({x: (0, 1)})
    measured = {fens.Points({x: [0.02]}): sp.Eq(w, fens.Data([1.7 * 0.02 * 0.98 / 2], std=1e-5))}
    problem = fens.Problem({rod: sp.Eq(w.diff(x, 2), -k), rod.boundary: w, **measured})
    found = [fens.solve(problem, features=60, seed=seed) for seed in range(3)]
    assert {s.error.verdict for s in found} == {"noise-limited"}
    assert all(abs(float(s[k]) - 1.7) < 2e-3 for s in found)


@pytest.mark.parametrize("features", [40, 60, 80])
def test_a_value_that_a_singular_end_needs_contradicts_nothing(features):
    w, interval = sp.Function("w")(x), fens.Box({x: (-0.9, 1)})
    legendre = (1 - x**2) * w.diff(x, 2) - 2 * x * w.diff(x) + 15.75 * w
    solution = fens.solve(fens.Problem({interval: legendre, interval.face(x, 1): sp.Eq(w, 1)}), features=features)
    assert solution.error.trusted


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


def test_what_is_left_of_a_contradiction_recurs():
    rng = np.random.default_rng(0)
    left, noise = np.sin(np.linspace(0, 3, 50)), rng.standard_normal(50)
    assert recurs([left], [left + 0.2 * noise], [0])
    assert not recurs([left], [noise], [0])
    assert not recurs([left], None, [0])
    assert not recurs([left], [np.zeros(50)], [0])
    assert recurs([np.ones(1)], [np.ones(1)], [0])  # of one row there is nothing to compare


@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")
@pytest.mark.parametrize("ends", [1, 2, 3])
def test_conditions_on_an_interval_are_counted(ends):
    solution = sp.sin(x)
    given = [sp.Eq(w, solution), sp.Eq(w.diff(x), solution.diff(x))]
    at = {line.face(x, 0): given[: min(ends, 2)], **({line.face(x, 1): given[0]} if ends == 3 else {})}
    equation = sp.Eq(1e-5 * w.diff(x, 2) + w.diff(x), 1e-5 * solution.diff(x, 2) + solution.diff(x))
    error = verdict(fens.Problem({line: equation, **at}), features=60)
    assert ("too few conditions" in error.evidence.objection) == (ends < 2)


@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")
def test_an_equation_that_holds_next_to_a_pole_only_is_not_resolved():
    solution = sp.sin(2 * x) / sp.sqrt(x)
    bessel = sp.Eq(w.diff(x, 2) + w.diff(x) / x + (4 - 1 / (4 * x**2)) * w, 0)
    ends = {line.face(x, 0): sp.Eq(w, 0), line.face(x, 1): sp.Eq(w, float(solution.subs(x, 1)))}
    error = verdict(fens.Problem({line: bessel, **ends}), features=60)
    assert not error.trusted
    assert error.evidence.worst > 0.05


@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")
def test_a_contradiction_behind_a_kink_is_named():
    solution = sp.sin(x) + 0.3 * sp.Abs(x - 0.45) ** 3 / 6
    equations = {line: sp.Eq(w.diff(x, 2), 0.3 * sp.Abs(x - 0.45) - sp.sin(x)), line.boundary: sp.Eq(w, solution)}
    slope = 1 - 0.3 * 0.45**2 / 2
    slopes = [{line.face(x, 0): sp.Eq(w.diff(x), slope + gap)} for gap in (0, 2e-4)]
    errors = [verdict(fens.Problem({**equations, **one}), features=100) for one in slopes]
    assert [e.verdict for e in errors] == ["approximation-limited", "inconsistent"]


@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")
def test_a_contradiction_that_half_of_the_features_do_not_resolve_is_named():
    solution = sp.cos(4 * x - 3 * y)
    gradient = [sp.Eq(u.diff(x), solution.diff(x) + 1e-4 * y), sp.Eq(u.diff(y), solution.diff(y))]
    point = {fens.Points({x: [0.5], y: [0.5]}): sp.Eq(u, solution.subs({x: 0.5, y: 0.5}))}
    assert verdict(fens.Problem({square: gradient, **point}), features=60).verdict == "inconsistent"


X, Y = sp.symbols("x y")
W, V = sp.Function("w")(X), sp.Function("v")(X, Y)
ROD, DISC = fens.Box({X: (0, 1)}), fens.Ball({X: 0, Y: 0}, radius=1)


@pytest.mark.parametrize(
    ("found", "count"),
    [((0.0, 0.5), 0), ((0.0, 0.0), 1), ((0.5, -0.5), 1), ((0.0, -2.0), 1), ((1.0, 1.0), 0), ((-1.0,), 1), ((0.0,), 0),
     ((0.0, 0.0, 0.0), 2)],
)  # fmt: skip
def test_solutions_without_a_bound(found, count):
    assert unbounded(np.array(found, dtype=complex)) == count


@pytest.mark.parametrize(
    ("equation", "conditions", "free"),
    [
        (2 * X * W.diff(X, 2) + W.diff(X), {ROD.face(X, 1): W - 1}, True),
        (2 * X * W.diff(X, 2) + W.diff(X), {ROD.face(X, 1): [W - 1, W.diff(X)]}, False),
        (2 * X * W.diff(X, 2) + W.diff(X), {ROD.boundary: W - 1}, False),
        (3 * X * W.diff(X) - W - 5 * X, {}, True),
        (X * W.diff(X) + W - 2 * X, {}, False),
        (X * W.diff(X, 2) + W.diff(X) - 4 * X, {ROD.face(X, 1): W - 1}, False),
    ],
)
@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")
def test_what_degenerates_and_stays_free(equation, conditions, free):
    error = fens.solve(fens.Problem({ROD: equation, **conditions}), features=60).error
    assert ("degenerates on the boundary" in error.advice) == free
    assert error.trusted != free


@pytest.mark.parametrize(("more", "free"), [({}, True), ({DISC.boundary: [V, fens.normal_derivative(V) - 1]}, False)])
@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")
def test_a_number_that_nothing_determines(more, free):
    k = fens.Unknown("k", initial=1)
    error = fens.solve(fens.Problem({DISC: fens.laplacian(V) - k, DISC.boundary: V, **more}), features=120).error
    assert ("Nothing determines the number k" in error.advice) == free
    assert error.trusted != free


def discrete_of(problem):
    """A problem at points."""
    own, streams = Settings(features=200), np.random.SeedSequence(0).spawn(3)
    return DiscreteProblem.of(problem, own, place_points(problem, own, streams[0]), *streams[1:])


@pytest.mark.parametrize(("lower", "upper", "jump"), [(0, 1, True), (0, 0, False), (Y, Y, False), (0, X - X**2, False)])
def test_given_values_that_jump_where_parts_of_a_boundary_meet(lower, upper, jump):
    box = fens.Box({X: (0, 1), Y: (0, 1)})
    faces = {box.face(Y, 1): V - upper, box.face(X, 0): V - lower, box.face(X, 1): fens.normal_derivative(V)}
    discrete = discrete_of(fens.Problem({box: fens.laplacian(V), **faces}))
    assert given_values_jump(discrete) == jump


def test_an_integral_is_no_value_on_a_boundary():
    rod = fens.Problem({ROD: [W.diff(X, 2), fens.integral(W) - 5], ROD.boundary: W - 1})
    assert not given_values_jump(discrete_of(rod))


def test_two_values_on_one_part_are_no_jump():
    discrete = discrete_of(fens.Problem({DISC: fens.laplacian(V), DISC.boundary: [V, V - 1]}))
    assert not given_values_jump(discrete)
