"""The rules by which slabs of time are chosen, and what they are made of: each by itself, none from a solve."""

import math
from dataclasses import replace
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
import sympy as sp
import torch
from threadpoolctl import threadpool_info

import fens
from fens._support.numbers import EPS
from fens._support.steering import Assessment, Slabs
from fens._support.threads import torch_alone
from fens.basis import Combinations, Frame, Plain, TimeSlabs, activation
from fens.evolution.collocation import radau
from fens.evolution.corrections import Mixture, is_stale, scale_of
from fens.evolution.events import Event
from fens.evolution.galerkin import Free, Galerkin
from fens.evolution.march import falls_no_more, finer, is_noise, second_size, wanted
from fens.evolution.record import Piece, Record, trial_space
from fens.evolution.run import Run, carried_over, first_state, rounding_of
from fens.evolution.solve import first_goal, grows_without_bound
from fens.evolution.space import Space, periodic_axes
from fens.evolution.stages import Exact, Frozen, Slab, State, linearised, residuals
from fens.evolution.statement import Evolution, shortened
from fens.evolution.verdict import error_of, is_contradicted
from fens.evolution.waves import Pairs, Waves, serves
from fens.geometry import Pair

x, y, t = sp.symbols("x y t", real=True)
u, v = (sp.Function(name)(x, t) for name in "uv")
z = sp.Function("z")(x, y, t)
q, p = (sp.Function(name)(t) for name in "qp")
STRIP = fens.Box({x: (0, 1)}).during(t, 0, 2)
TIME = fens.Box({t: (0, 2)})
SEED = np.random.SeedSequence(0)
HEAT, REST, COLD = sp.Eq(u.diff(t), u.diff(x, 2)), sp.Eq(u, sp.sin(sp.pi * x)), sp.Eq(u, 0)


def periodic(unknown, order, coordinate=x):
    return [sp.Eq(fens.jump(unknown.diff(coordinate, k)), 0) for k in range(order)]


def evolution(statements):
    found = Evolution.of(fens.Problem(statements))
    assert found is not None
    return found


# ---- collocation


@pytest.mark.parametrize("stages", [1, 2, 3, 7, 18, 20])
def test_nodes_are_those_of_radau(stages):
    col = radau(stages)
    legendre = np.zeros(stages + 1)
    legendre[[stages, stages - 1]] = 1, -1
    assert col.stages == stages
    assert col.nodes[-1] == 1
    assert (np.diff(col.knots) > 0).all()
    assert np.abs(np.polynomial.legendre.legval(2 * col.nodes - 1, legendre)).max() < 1e-13


@pytest.mark.parametrize("stages", [1, 2, 5, 18])
def test_slopes_of_polynomials_are_exact(stages):
    col = radau(stages)
    for degree in range(stages + 1):
        values = col.knots**degree
        slopes = degree * col.nodes ** max(degree - 1, 0)
        assert np.abs(col.from_start * values[0] + col.D @ values[1:] - slopes).max() < 1e-11


@pytest.mark.parametrize("stages", [1, 2, 5, 18])
def test_values_anywhere_are_those_of_the_polynomial(stages):
    col, rng = radau(stages), np.random.default_rng(0)
    polynomial = np.polynomial.Polynomial(rng.standard_normal(stages + 1))
    instants = np.array([0.0, 0.123, 0.5, 1.0, 1.2])
    assert col.at(instants) @ polynomial(col.knots) == pytest.approx(polynomial(instants), abs=1e-8)
    assert col.at(instants[:4]) @ polynomial(col.knots) == pytest.approx(polynomial(instants[:4]), abs=1e-11)
    tau = 2 * col.knots - 1
    coefficients = col.to_chebyshev @ polynomial(col.knots)
    assert np.polynomial.chebyshev.chebval(tau, coefficients) == pytest.approx(polynomial(col.knots), abs=1e-11)


@pytest.mark.parametrize("stages", [2, 5, 18])
def test_what_has_no_value_at_the_beginning_goes_on_to_it(stages):
    col = radau(stages)
    polynomial = np.polynomial.Polynomial(np.random.default_rng(1).standard_normal(stages))  # one degree less
    assert col.to_end @ polynomial(col.nodes) == pytest.approx(polynomial(0.0), abs=1e-10)


def grown(stages, rate):
    """u(1) of u' = rate u, u(0) = 1, in one slab."""
    col = radau(stages)
    return np.linalg.solve(col.D - rate * np.eye(stages), -col.from_start.astype(complex))[-1]


@pytest.mark.parametrize("stages", [1, 2, 3, 5, 18, 20])
def test_it_forgets_what_it_should(stages):
    assert all(abs(grown(stages, 1j * s)) <= 1 + 1e-12 for s in np.geomspace(1e-2, 1e6, 25))
    fast = [abs(grown(stages, -r)) for r in (1e4, 1e6, 1e8)]
    assert fast[0] > fast[1] > fast[2]
    assert fast[2] < 1e-5


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_the_order_at_the_end_of_a_slab(stages):
    h = {1: 0.01, 2: 0.05, 3: 0.1, 4: 0.2}[stages]
    errors = [abs(grown(stages, step) - math.exp(step)) for step in (h, h / 2)]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2 * stages, abs=0.3)  # 2s − 1, and one of a single slab


@pytest.mark.parametrize("stages", [1, 2, 5, 8])
def test_the_spectrum_makes_the_matrix_again(stages):
    col = radau(stages)
    rates, vectors, inverse = col.spectrum
    assert (rates.real > 0).all()
    assert (rates.imag >= -1e-12 * np.abs(rates)).all()
    assert len(rates) == (stages + 1) // 2
    again = (vectors * rates @ inverse).real
    assert np.abs(again - col.D).max() < 1e-9 * np.abs(col.D).max()
    assert np.abs((vectors @ inverse).real - np.eye(stages)).max() < 1e-9


@pytest.mark.parametrize("stages", [Slabs.STAGES, Slabs.STAGES + Slabs.MORE_STAGES])
@pytest.mark.parametrize("rate", [0.0, -1.0, -1e2, -1e4, 30.0])
def test_the_spectrum_of_many_stages_corrects_though_it_has_few_digits(stages, rate):
    """Eigenvectors are almost parallel there, and what corrections leave is corrected once more."""
    col = radau(stages)
    rates, vectors, inverse = col.spectrum
    corrections = (vectors / (rates - rate) @ inverse).real
    left = np.eye(stages) - corrections @ (col.D - rate * np.eye(stages))
    assert np.abs(np.linalg.eigvals(left)).max() < 1e-5


# ---- functions of slabs


def still_features(count, seed):
    """Random features of (x, t) that do not depend on t."""
    frame = Frame(((0.0, 1.0), (0.0, 3.0)), activation("cos"), "uniform", False)
    features = Plain().draw(count, frame, np.random.SeedSequence(seed)).scaled((3.0, 1.0), torch.device("cpu"))
    W = features.W.clone()
    W[:, 1] = 0
    return replace(features, W=W)


def combinations(count, of, seed):
    features = still_features(of, seed)
    return Combinations(features, torch.tensor(np.random.default_rng(seed).standard_normal((len(features), count))))


SLABS = TimeSlabs(
    (combinations(3, 5, 0), combinations(4, 6, 1)), (0, 1, 0),
    torch.tensor([0.0, 0.5, 2.0], dtype=torch.float64), torch.tensor([0.5, 1.0, 3.0], dtype=torch.float64), 1, 4,
)  # fmt: skip
INSIDE = torch.tensor([[0.1, 0.0], [0.9, 2.7], [0.3, 0.2], [0.5, 0.5], [0.2, 0.8], [0.7, 1.0], [0.4, 2.0], [0.6, 3.0]],
                      dtype=torch.float64)  # fmt: skip


def test_combinations_are_those_of_the_features():
    basis = combinations(3, 5, 0)
    assert len(basis) == 3
    assert (basis.speeds == 0).all()
    assert basis.dimension == 2
    for alpha in ((0, 0), (1, 0), (2, 0), (0, 1)):
        torch.testing.assert_close(
            basis.matrix([(2.0, alpha)], INSIDE), 2 * basis.plain.matrix([(1.0, alpha)], INSIDE) @ basis.B
        )
    w = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    torch.testing.assert_close(basis.matvec([(1.0, (1, 0))], INSIDE, w), basis.matrix([(1.0, (1, 0))], INSIDE) @ w)


def test_how_many_functions_slabs_have():
    assert len(SLABS) == (3 + 4 + 3) * 5
    assert SLABS.dimension == 2
    assert SLABS.matrix([(1.0, (0, 0))], INSIDE).shape == (8, 50)


@pytest.mark.parametrize("columns", [(), (2,)])
def test_sums_over_slabs_are_those_of_the_matrix(columns):
    rng = np.random.default_rng(0)
    w, factor = torch.tensor(rng.standard_normal((len(SLABS), *columns))), torch.tensor(rng.random(len(INSIDE)))
    operator = [(factor, (2, 0)), (-3.0, (0, 1)), (1.0, (0, 0)), (0.5, (1, 2))]
    torch.testing.assert_close(SLABS.matvec(operator, INSIDE, w), SLABS.matrix(operator, INSIDE) @ w)
    alphas = [(1, 0), (0, 3), (0, 0)]
    for alpha, values in zip(alphas, SLABS.derivatives(alphas, INSIDE, w), strict=True):
        torch.testing.assert_close(values, SLABS.matrix([(1.0, alpha)], INSIDE) @ w)


@pytest.mark.parametrize("alpha", [(1, 0), (0, 1), (1, 1), (0, 2)])
def test_derivatives_in_slabs_are_limits_of_differences(alpha):
    w, h = torch.tensor(np.random.default_rng(0).standard_normal(len(SLABS))), 1e-4
    points = torch.tensor([[0.3, 0.2], [0.2, 0.8], [0.9, 2.7]], dtype=torch.float64)
    axis = 1 if alpha[1] else 0
    step = torch.zeros(2, dtype=torch.float64)
    step[axis] = h
    lower = tuple(n - (k == axis) for k, n in enumerate(alpha))
    ahead, behind = (SLABS.matvec([(1.0, lower)], points + s * step, w) for s in (1, -1))
    expected = (ahead - behind) / (2 * h)
    torch.testing.assert_close(SLABS.matvec([(1.0, alpha)], points, w), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("order", [0, 1, 2, 5])
def test_polynomials_of_time_in_slabs(order):
    """A polynomial of degree four in each slab, times one constant function of space."""
    one = still_features(1, 0)
    one = replace(one, W=0 * one.W, b=0 * one.b)
    member = replace(SLABS, spaces=(Combinations(one, torch.ones((len(one), 1), dtype=torch.float64) / len(one)),) * 2)
    polynomials = [np.polynomial.Polynomial(c) for c in np.random.default_rng(2).standard_normal((3, 5))]
    domains = [(float(a), float(b)) for a, b in zip(SLABS.starts, SLABS.ends, strict=True)]
    coefficients = [
        q.convert(kind=np.polynomial.Chebyshev, domain=d).coef for q, d in zip(polynomials, domains, strict=True)
    ]
    times = INSIDE[:, 1].numpy()
    number = SLABS.slab_of(times)
    values = float(one.matrix([(1.0, (0, 0))], INSIDE)[0].mean())
    expected = [values * polynomials[k].deriv(order)(s) if order else values * polynomials[k](s)
                for k, s in zip(number, times, strict=True)]  # fmt: skip
    found = member.matvec([(1.0, (0, order))], INSIDE, torch.tensor(np.concatenate(coefficients)))
    assert found.numpy() == pytest.approx(np.array(expected), abs=1e-10)


def test_there_is_no_value_in_gaps():
    points = torch.tensor([[0.5, 1.0], [0.5, 1.5], [0.5, 1.999], [0.5, 2.0]], dtype=torch.float64)
    w = torch.ones(len(SLABS), dtype=torch.float64)
    for values in (SLABS.matvec([(1.0, (0, 0))], points, w), SLABS.derivatives([(0, 1)], points, w)[0],
                   SLABS.matrix([(1.0, (0, 0))], points)[:, 0]):  # fmt: skip
        assert torch.isnan(values).tolist() == [False, True, True, False]


def test_the_slab_of_a_time():
    times = np.array([-1.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.0 + 1e-12, 1.5, 2.0 - 1e-12, 2.0, 3.0, 4.0])
    assert SLABS.slab_of(times).tolist() == [0, 0, 0, 0, 1, 1, -1, -1, -1, 2, 2, 2]


# ---- what a march goes by


GOAL = 1e-12
INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("roughness", "expected"),
    [
        ([], 0),
        ([(800, 1e-3), (1000, 1e-5)], 0),  # nothing can be told from two
        ([(100, 1e-2), (200, 1e-3), (Slabs.TELLS - 1, 1e-4)], 0),
        ([(600, 1e-2), (800, 1e-4), (1000, 1e-6)], 1600),  # a hundredth for 200 more
        ([(600, 1e-2), (800, 1e-6), (1000, 1e-6)], INF),
        ([(600, 1e-2), (800, 1e-6), (1000, 1e-5)], INF),
        ([(600, 1e-9), (800, 1e-11), (1000, 1e-13)], 900),
    ],
)
def test_how_many_functions_are_wanted(roughness, expected):
    assert wanted(roughness, GOAL) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("roughness", "expected"),
    [
        ([], False),
        ([(100, 1e-11)], False),
        ([(100, 2e-11), (110, 1e-11)], True),
        ([(100, 4e-11), (110, 1e-11)], False),  # it falls
        ([(100, 1e-11), (110, 2e-11)], True),
        ([(100, 1e-9), (110, 9e-10)], False),  # it is not small
        ([(100, 1e-10), (110, 0.99e-10)], True),
        ([(60, 1e-2), (100, 2e-11), (110, 1e-11)], True),
    ],
)
def test_what_of_roughness_is_noise(roughness, expected):
    assert is_noise(roughness, GOAL) == expected


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        (np.geomspace(1, 1e-18, 19), 0),  # they fall
        (np.full(19, 1e-12), 3e-12),
        (np.r_[np.geomspace(1, 1e-11, 9), np.full(10, 1e-11)], 3e-11),
        (np.r_[np.geomspace(1, 1e-6, 9), np.full(10, 1e-6)], 0),  # a kink, not rounding
        (np.r_[np.geomspace(1, 1e-11, 9), np.geomspace(1e-11, 1e-11 / 100, 9), 1e-13], 0),
        (np.r_[np.geomspace(1, 1e-11, 9), np.geomspace(1e-11, 1e-11 / 10, 9), 1e-12], 3e-11),
        (np.zeros(19), 0),
    ],
)
def test_what_of_high_degrees_is_rounding(sizes, expected):
    assert rounding_of(sizes) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("tol", "expected"),
    [
        (None, Slabs.GOAL),
        (1e-6, 1e-6 * Slabs.OF_TOLERANCE),
        (1e3, Slabs.LARGEST_GOAL),
        (1e-30, Slabs.SMALLEST_GOAL),
    ],
)
def test_the_first_goal(tol, expected):
    assert first_goal(None, SimpleNamespace(tol=tol)) == pytest.approx(expected)


def test_the_scale_of_components():
    X = np.zeros((2, 3, 4))
    X[0, 0], X[1, 1] = 1.0, 1e-3
    assert scale_of(X, [0.0, 1.0, 0.0]) == pytest.approx([2.0, 1.0, 2e-10])
    assert (scale_of(0 * X, [0.0, 0.0, 0.0]) > 0).all()


# ---- what an evolution is


def face(coordinate, at):
    return STRIP.face(coordinate, at)


WAVE = sp.Eq(u.diff(t, 2), u.diff(x, 2))
TWO = [sp.Eq(u.diff(t), v), sp.Eq(v.diff(t), -u)]


@pytest.mark.parametrize(
    ("statements", "orders"),
    [
        ({STRIP: HEAT, STRIP.sides: COLD, STRIP.initial: REST}, (1,)),
        ({STRIP: HEAT, STRIP.initial: REST}, (1,)),
        ({STRIP: HEAT, STRIP.pair(x): periodic(u, 2), STRIP.initial: REST}, (1,)),
        ({STRIP: HEAT, face(x, 0): COLD, face(x, 1): sp.Eq(u.diff(x), 0), STRIP.initial: REST}, (1,)),
        ({STRIP: WAVE, STRIP.sides: COLD, STRIP.initial: [REST, sp.Eq(u.diff(t), 0)]}, (2,)),
        ({STRIP: sp.Eq(u.diff(t, 2), u), STRIP.initial: [sp.Eq(u + u.diff(t), 1), sp.Eq(u - u.diff(t), x)]}, (2,)),
        ({STRIP: TWO, STRIP.initial: [sp.Eq(u + v, 1), sp.Eq(u - v, x)]}, (1, 1)),
        ({STRIP: [HEAT, sp.Eq(v, u.diff(x))], STRIP.sides: COLD, STRIP.initial: REST}, (1, 0)),
        ({TIME: sp.Eq(q.diff(t), -q), TIME.face(t, 0): sp.Eq(q, 1)}, (1,)),
        ({TIME: sp.Eq(q.diff(t), -q), fens.Points({t: [0.0]}): sp.Eq(q, 1)}, (1,)),
        ({TIME: sp.Eq(q.diff(t, 3), q**2), TIME.face(t, 0): [sp.Eq(q.diff(t, k), 1) for k in range(3)]}, (3,)),
        ({TIME: [sp.Eq(q.diff(t), p), sp.Eq(p, -q)], TIME.face(t, 0): sp.Eq(q, 1)}, (0, 1)),  # p, and then q
        ({TIME: sp.Eq(sp.exp(t) * q.diff(t), q), TIME.face(t, 0): sp.Eq(3 * q, 1)}, (1,)),
    ],
)
def test_what_is_an_evolution(statements, orders):
    found = evolution(statements)
    assert found.orders == orders
    assert (found.start, found.end, found.length) == (0, 2, 2)
    assert found.time == t
    assert {(k, n) for k, order in enumerate(orders) for n in range(order)} <= set(found.initial)


SQUARE = fens.Box({x: (0, 1), y: (0, 1)})
FLAT = sp.Function("f")(x, y)
UNIT = fens.Unknown("k")


@pytest.mark.parametrize(
    "statements",
    [
        {SQUARE: sp.Eq(fens.laplacian(FLAT), 0), SQUARE.boundary: sp.Eq(FLAT, 1)},
        {STRIP: HEAT, STRIP.sides: COLD},
        {STRIP: HEAT, STRIP.sides: COLD, STRIP.final: REST},
        {STRIP: HEAT, STRIP.sides: COLD, STRIP.initial: REST, STRIP.final: REST},
        {STRIP: WAVE, STRIP.sides: COLD, STRIP.initial: REST},
        {STRIP: HEAT, STRIP.sides: COLD, STRIP.initial: sp.Eq(u.diff(x), 1)},
        {STRIP: HEAT, STRIP.sides: COLD, STRIP.initial: sp.Eq(u**2, 1)},
        {STRIP: HEAT, STRIP.sides: COLD, STRIP.initial: [REST, sp.Eq(2 * u, 1)]},
        {STRIP: [HEAT, sp.Eq(fens.integral(u), 1)], STRIP.sides: COLD, STRIP.initial: REST},
        {STRIP: sp.Eq(u.diff(x, 2), t), STRIP.sides: COLD},
        {STRIP: [*TWO, sp.Eq(u, v)], STRIP.initial: [sp.Eq(u, 1), sp.Eq(v, x)]},
        {STRIP: HEAT, STRIP.pair(t): sp.Eq(fens.jump(u), 0), STRIP.sides: COLD},
        {STRIP: sp.Eq(u.diff(t), UNIT * u.diff(x, 2)), STRIP.sides: COLD, STRIP.initial: REST},
        {STRIP: HEAT, STRIP.sides: COLD, STRIP.initial: REST, fens.Points({x: [0.5], t: [1.0]}): sp.Eq(u, 0)},
        {STRIP: HEAT, STRIP.sides: COLD, STRIP.initial: REST,
         fens.Points({x: [0.5] * 3, t: [0.0, 1.0, 2.0]}): sp.Eq(u, fens.Data([1.0, 2.0, 3.0]))},
        {TIME: sp.Eq(q.diff(t, 2), q), TIME.boundary: sp.Eq(q, 1)},
        {TIME: sp.Eq(q.diff(t), q), TIME.face(t, 2): sp.Eq(q, 1)},
        {TIME: sp.Eq(q.diff(t), q), fens.Points({t: [1.0]}): sp.Eq(q, 1)},
    ],
)  # fmt: skip
def test_what_is_none(statements):
    assert Evolution.of(fens.Problem(statements)) is None


def test_conditions_at_sensors_hold_at_all_times():
    """Places at which something holds at many times, from the first to the last."""
    places, times = np.meshgrid([0.25, 0.75], np.linspace(0, 2, 5))
    points = fens.Points({x: places.ravel(), t: times.ravel()})
    found = evolution({STRIP: HEAT, points: COLD, STRIP.initial: REST})
    assert [None if r.at is None else r.at.ravel().tolist() for r in found.running] == [None, [0.25, 0.75]]


def test_coefficients_that_do_not_depend_on_time():
    sides = {STRIP.sides: COLD, STRIP.initial: REST}
    for equation, steady in [
        (HEAT, True),
        (sp.Eq(u.diff(t), x * u.diff(x, 2) + sp.sin(t)), True),
        (sp.Eq(u.diff(t), sp.cos(t) * u.diff(x, 2)), False),
        (sp.Eq(u.diff(t), u.diff(x, 2) - u**2), False),
    ]:
        assert evolution({STRIP: equation, **sides}).is_steady == steady


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ([sp.Eq(u + v, 3), sp.Eq(u - v, x)], ((3 + x) / 2, (3 - x) / 2)),
        ([sp.Eq(v, 1), sp.Eq(2 * u, x**2)], (x**2 / 2, 1)),
        ([sp.Eq(u, x), sp.Eq(v - x * u, 0)], (x, x**2)),
        ([sp.Eq(u, x), sp.Eq(u, 1)], None),
        ([sp.Eq(u + v, x), sp.Eq(u + v, 1)], None),
        ([sp.Eq(u + v, x), sp.Eq(2 * u + 2 * v, 2 * x)], None),
        ([sp.Eq(u, x)], None),
    ],
)
def test_initial_values_that_are_given_together(first, expected):
    found = Evolution.of(fens.Problem({STRIP: TWO, STRIP.initial: first}))
    if expected is None:
        assert found is None
        return
    points = np.array([0.1, 0.4, 0.9])
    for k, formula in enumerate(expected):
        values = found.initial[k, 0]({x: points, t: 0 * points}, 3)
        assert values == pytest.approx(sp.lambdify(x, formula)(points) + 0 * points, abs=1e-14)


PLATE = fens.Box({x: (0, 1), y: (0, 1)}).during(t, 0, 1)
DIFFUSION = {PLATE: sp.Eq(z.diff(t), z.diff(x, 2) + z.diff(y, 2)), PLATE.initial: sp.Eq(z, 1)}
SCALED = [sp.Eq(2 * fens.jump(u), 0), sp.Eq(-fens.jump(u.diff(x)), 0)]


@pytest.mark.parametrize(
    ("statements", "axes"),
    [
        ({STRIP: HEAT, STRIP.sides: COLD, STRIP.initial: REST}, ()),
        ({STRIP: HEAT, STRIP.pair(x): periodic(u, 2), STRIP.initial: REST}, (0,)),
        ({STRIP: HEAT, STRIP.pair(x): SCALED, STRIP.initial: REST}, (0,)),
        ({STRIP: HEAT, STRIP.pair(x): periodic(u, 1), STRIP.initial: REST}, ()),  # one more is missing
        ({STRIP: HEAT, STRIP.pair(x): periodic(u, 3), STRIP.initial: REST}, ()),  # one too many
        ({STRIP: HEAT, STRIP.pair(x): [sp.Eq(fens.jump(u), 1), *periodic(u, 2)[1:]], STRIP.initial: REST}, ()),
        ({STRIP: sp.Eq(u.diff(t) + u.diff(x), 0), STRIP.pair(x): periodic(u, 1), STRIP.initial: REST}, (0,)),
        ({STRIP: sp.Eq(u.diff(t), u.diff(x, 3)), STRIP.pair(x): periodic(u, 3), STRIP.initial: REST}, (0,)),
        ({**DIFFUSION, PLATE.pair(x): periodic(z, 2), PLATE.pair(y): periodic(z, 2, y)}, (0, 1)),
        ({**DIFFUSION, PLATE.pair(x): periodic(z, 2), **{PLATE.face(y, k): sp.Eq(z, 1) for k in (0, 1)}}, (0,)),
        ({TIME: sp.Eq(q.diff(t), q), TIME.face(t, 0): sp.Eq(q, 1)}, ()),
    ],
)
def test_the_axes_that_are_periodic(statements, axes):
    assert periodic_axes(evolution(statements)) == axes


# ---- shorter problems


def test_a_problem_as_far_as_some_time():
    ball = fens.Ball({x: 0, y: 0}, radius=1).during(t, 0, 2)
    places, times = np.meshgrid([0.1, 0.2], [0.0, 0.5, 2.0])
    points = fens.Points({x: places.ravel(), y: places.ravel(), t: times.ravel()})
    equation = sp.Eq(z.diff(t), fens.laplacian(z))
    whole = fens.Problem({ball: equation, ball.sides: sp.Eq(z, t), ball.initial: sp.Eq(z, 0), points: sp.Eq(z, t)})
    part = shortened(whole, 0.5)
    assert part.domain.bounds[-1] == (0, 0.5)
    assert [c.equation for c in part.conditions] == [c.equation for c in whole.conditions]
    here = part.domain
    assert [c.region for c in part.conditions[:3]] == [here, here.sides, here.initial]
    assert part.conditions[3].region.arrays[t].tolist() == [0.0, 0.0, 0.5, 0.5]
    assert whole.domain.bounds[-1] == (0, 2)


@pytest.mark.parametrize("region", [lambda d: d.face(x, 0), lambda d: d.sides, lambda d: d.pair(x)])
def test_the_faces_of_a_shorter_problem(region):
    condition = sp.Eq(fens.jump(u), 0) if isinstance(region(STRIP), Pair) else COLD
    part = shortened(fens.Problem({STRIP: HEAT, region(STRIP): condition, STRIP.initial: REST}), 0.5)
    assert part.conditions[1].region == region(fens.Box({x: (0, 1)}).during(t, 0, 0.5))


def test_a_shorter_interval_of_time():
    part = shortened(fens.Problem({TIME: sp.Eq(q.diff(t), q), TIME.face(t, 0): sp.Eq(q, 1)}), 0.5)
    shorter = fens.Box({t: (0, 0.5)})
    assert part.domain == shorter
    assert [c.region for c in part.conditions] == [shorter, shorter.face(t, 0)]
    assert Evolution.of(part).end == 0.5


# ---- corrections


def test_anderson_solves_a_linear_fixed_point():
    """Where corrections alone would grow without bound."""
    rng, shape = np.random.default_rng(0), (2, 1, 3)
    G = 2 * rng.standard_normal((6, 6))
    assert np.abs(np.linalg.eigvals(G)).max() > 1.5
    side = rng.standard_normal(6)
    X, mixture = np.zeros(shape), Mixture(np.ones(1))
    for _ in range(8):
        X = mixture.next(X, (G @ X.ravel() + side).reshape(shape) - X)
    assert X.ravel() == pytest.approx(np.linalg.solve(np.eye(6) - G, side), abs=1e-9)
    assert len(mixture.points) <= Slabs.HISTORY


def slab_of(found, size, stages=6, length=0.1):
    space = Space.of(found, size, SEED)
    return Slab(space, radau(stages), 0.0, length, first_state(space))


def mixed(drift):
    """Advection, diffusion and dispersion in a period."""
    around = fens.Box({x: (0, 2 * sp.pi)}).during(t, 0, 1)
    equation = sp.Eq(u.diff(t) + drift * u.diff(x), u.diff(x, 2) / 10 - u.diff(x, 3) / 20)
    return evolution({
        around: equation, around.pair(x): periodic(u, 3), around.initial: sp.Eq(u, sp.exp(sp.sin(x))),
    })  # fmt: skip


def test_waves_one_by_one_are_corrected_as_all_at_once():
    slab = slab_of(mixed(sp.Integer(2)), 21)
    equations = linearised(slab, slab.resting())
    assert serves(slab, equations)
    F = np.concatenate(residuals(slab, slab.resting()), axis=1)
    one, all_ = Waves.of(slab, equations), Frozen.of(slab, equations)
    assert all_.steady
    assert one.correction(F) == pytest.approx(all_.correction(F), abs=1e-11)
    assert np.abs(one.correction(F)).max() > 0.1


@pytest.mark.parametrize("corrector", [Waves, Frozen, Exact])
def test_one_correction_solves_what_is_steady(corrector):
    slab = slab_of(mixed(sp.Integer(2)), 21)
    X = slab.resting() + np.random.default_rng(0).standard_normal(slab.shape)
    F = np.concatenate(residuals(slab, X), axis=1)
    X = X + corrector.of(slab, linearised(slab, X)).correction(F)
    left = np.concatenate(residuals(slab, X), axis=1)
    assert np.abs(slab.space.inside[1].numpy() @ left.T).max() < 1e-9 * np.abs(F).max()


@pytest.mark.parametrize(
    ("equation", "expected"),
    [
        (sp.Eq(u.diff(t), u.diff(x, 2)), True),
        (sp.Eq(u.diff(t), u.diff(x, 2) + sp.sin(x) * u), True),
        (sp.Eq(u.diff(t), (1 + sp.sin(x) / 50) * u.diff(x, 2)), True),
        (sp.Eq(u.diff(t), (2 + sp.sin(x)) * u.diff(x, 2)), False),
        (sp.Eq((2 + sp.sin(x)) * u.diff(t), u.diff(x, 2)), False),
    ],
)
def test_where_waves_serve(equation, expected):
    around = fens.Box({x: (0, 2 * sp.pi)}).during(t, 0, 1)
    slab = slab_of(evolution({around: equation, around.pair(x): periodic(u, 2), around.initial: sp.Eq(u, 1)}), 11)
    assert serves(slab, linearised(slab, slab.resting())) == expected


def test_waves_do_not_serve_between_walls():
    slab = slab_of(evolution({STRIP: HEAT, STRIP.sides: COLD, STRIP.initial: REST}), 20)
    assert not serves(slab, linearised(slab, slab.resting()))


def test_cosines_and_sines_are_counted_in_pairs():
    space = Space.of(mixed(sp.Integer(1)), 21, SEED)
    pairs, values = Pairs.of(space), np.random.default_rng(0).standard_normal((2, len(space)))
    forth, back = pairs.split(values)
    assert (back == forth.conj()).all()
    assert pairs.joined(forth, back, len(space)) == pytest.approx(values, abs=1e-15)
    assert (pairs.sines < 0).sum() == 1  # the constant has none


# ---- space


def test_functions_of_space_are_orthonormal():
    space = Space.of(evolution({STRIP: HEAT, STRIP.sides: COLD, STRIP.initial: REST}), 60, SEED)
    nodes, weights = np.polynomial.legendre.leggauss(200)
    values = space.matrix((0,), (nodes[:, None] + 1) / 2).numpy()
    few = len(space) // 2  # they are so over points that are denser towards the ends
    gram = values.T @ (values * weights[:, None] / 2)
    assert np.linalg.eigvalsh(gram[:few, :few]).min() > 0.05
    assert np.linalg.eigvalsh(gram[:few, :few]).max() < 5


def test_waves_of_a_period_are_orthonormal_and_periodic():
    space = Space.of(mixed(sp.Integer(1)), 21, SEED)
    points = 2 * np.pi * (np.arange(64)[:, None] + 0.5) / 64
    values = space.matrix((0,), points).numpy()
    assert values.T @ values / 64 == pytest.approx(np.eye(len(space)), abs=1e-12)
    ends = [space.matrix((2,), np.array([[end]])).numpy() for end in (0.0, 2 * np.pi)]
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


def test_a_state_is_carried_over_to_finer_functions():
    found = evolution({STRIP: HEAT, STRIP.sides: COLD, STRIP.initial: REST})
    coarse, fine = Space.of(found, 60, SEED), Space.of(found, 90, np.random.SeedSequence(1))
    state = carried_over(first_state(coarse), coarse, fine)
    places = np.linspace(0, 1, 50)[:, None]
    values = fine.matrix((0,), places).numpy() @ state.values[0][0]
    assert values == pytest.approx(np.sin(np.pi * places[:, 0]), abs=1e-11)


def test_the_second_march_has_more_of_everything():
    found = evolution({STRIP: HEAT, STRIP.sides: COLD, STRIP.initial: REST})
    assert second_size(found, 100) == round(100 * Slabs.SECOND) > 100
    alone = evolution({TIME: sp.Eq(q.diff(t), -q), TIME.face(t, 0): sp.Eq(q, 1)})
    assert second_size(alone, 1) == 1
    run = Run.of(alone, 5, SEED, GOAL, 1)
    assert not run.refined(2.0, 100, 0.0)  # a constant is all there is


# ---- events, and what is recorded


ALONE = evolution({TIME: sp.Eq(q.diff(t), 2 * t), TIME.face(t, 0): sp.Eq(q, 0)})
POINT = Space.of(ALONE, 1, SEED)


def piece(polynomial, start, end, degree=6):
    """A slab in which q is a polynomial."""
    known = np.polynomial.Polynomial(polynomial).convert(kind=np.polynomial.Chebyshev, domain=(start, end))
    coefficients = np.zeros((degree + 1, 1, 1))
    coefficients[: len(known.coef), 0, 0] = known.coef
    return Piece(POINT, start, end, coefficients, radau(degree).nodes)


@pytest.mark.parametrize(
    ("until", "expected"),
    [
        (q - sp.Rational(1, 2), math.sqrt(0.5)),
        (q > sp.Rational(1, 2), math.sqrt(0.5)),
        (sp.Rational(1, 2) < q, math.sqrt(0.5)),
        (q < sp.Rational(1, 2), None),
        (q - 2, None),
        (q.diff(t) - 1, 0.5),
        (q * t - sp.Rational(1, 8), 0.5),
        (sp.exp(-q) <= sp.Rational(9, 10), math.sqrt(-math.log(0.9))),
    ],
)
def test_the_root_of_an_event(until, expected):
    event = Event.of(ALONE, until, SEED)
    found = event.within(piece([0, 0, 1], 0.0, 1.0))
    assert found is None if expected is None else found == pytest.approx(expected, abs=1e-12)


def test_an_event_between_two_slabs_is_not_lost():
    event = Event.of(ALONE, q, SEED)
    assert event.within(piece([-1e-14, 0], 0.0, 1.0)) is None
    assert event.within(piece([1e-14, 0], 1.0, 2.0)) == pytest.approx(1.0, abs=0.05)
    assert event.within(piece([1, 0], 2.0, 3.0)) is None


def test_of_two_events_the_first_counts():
    event = Event.of(ALONE, q, SEED)
    polynomial = np.polynomial.Polynomial.fromroots([0.3, 0.6]).coef
    assert event.within(piece(polynomial, 0.0, 1.0)) == pytest.approx(0.3, abs=1e-12)
    event = Event.of(ALONE, q > 0, SEED)
    assert event.within(piece(polynomial, 0.0, 1.0)) == pytest.approx(0.6, abs=1e-12)


def test_largest_values_are_looked_for_between_places():
    found = evolution({STRIP: HEAT, STRIP.sides: COLD, STRIP.initial: REST})
    space = Space.of(found, 60, SEED)
    hill = space.fitted(np.cos(3 * (space.inside[0] - 0.371)))[:, 0]
    coefficients = np.stack([hill / 2, hill / 2])[:, None]  # it grows from nothing
    event = Event.of(found, u - sp.Rational(1, 2), SEED)
    when = event.within(Piece(space, 0.0, 1.0, coefficients, radau(1).nodes))
    assert when == pytest.approx(0.5, abs=1e-12)


def test_largest_values_are_looked_for_between_places_of_a_plane():
    found = evolution({**DIFFUSION, PLATE.sides: sp.Eq(z, 0)})
    space = Space.of(found, 120, SEED)
    hill = space.fitted(np.cos(space.inside[0] - [0.5, 0.5]).prod(axis=1)[:, None])[:, 0]
    piece = Piece(space, 0.0, 1.0, np.stack([hill / 2, hill / 2])[:, None], radau(1).nodes)
    events = [Event.of(found, z - sp.Rational(1, 2), np.random.SeedSequence(seed)) for seed in range(4)]
    assert [event.within(piece) for event in events] == pytest.approx([0.5] * 4, abs=1e-9)


def test_a_record_until_some_time_has_the_same_polynomials():
    record = Record(ALONE, pieces=[piece([0, 1], 0.0, 1.0), piece([3, -1, 2, 0.5], 1.0, 2.0)])
    before = trial_space(ALONE, record.pieces)
    record.until(1.3)
    after = record.trial_space()
    assert [(p.start, p.end) for p in record.pieces] == [(0.0, 1.0), (1.0, 1.3)]
    points = torch.linspace(0, 1.3, 40, dtype=torch.float64)[:, None]
    for order in range(3):
        values = [space.members[0].matvec([(1.0, (order,))], points, w).numpy() for space, w in (before, after)]
        assert values[1] == pytest.approx(values[0], abs=1e-11)


def step(start, end, values=1.0):
    """A slab that was accepted, by hand."""
    slab = Slab(POINT, radau(6), start, end - start, first_state(POINT))
    attempt = SimpleNamespace(slab=slab, knots=np.full((7, 1, 1), values), steps=2, in_space=0.0)
    look = SimpleNamespace(residuals=(1e-12, 1e-13), between_instants=1e-9, between_places=1e-10)
    return SimpleNamespace(
        first=attempt, end=end, differences=np.array([1e-10 * end]), sizes=np.array([values]),
        slopes=np.array([3.0]), look=look,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("keep", "ends"),
    [
        (None, [1.0, 2.0, 3.0, 4.0]),
        ((0.5, 2.5), [1.0, 3.0, 4.0]),
        ((1.0,), [1.0, 2.0, 4.0]),  # it is in two
        ((9.0,), [4.0]),
    ],
)
def test_slabs_that_are_kept(keep, ends):
    record = Record(ALONE, keep)
    for end in (1.0, 2.0, 3.0, 4.0):
        record.add(step(end - 1, end, end), GOAL)
    assert [p.end for p in record.pieces] == ends
    assert record.sizes == pytest.approx([4.0])  # of all slabs, whether they are kept or not
    assert record.differences == pytest.approx([4e-10])
    assert len(record.history) == 4


# ---- verdicts


def recorded(restless=False, residual=1e-12):
    record = Record(ALONE)
    record.add(step(0.0, 1.0), GOAL)
    record.restless, record.residuals = restless, np.array([residual] * len(record.asked))
    return record


@pytest.mark.parametrize(
    ("record", "goal", "verdict", "word"),
    [
        (recorded(), Slabs.GOAL, "roundoff-limited", "rounding"),
        (recorded(), 1e-8, "approximation-limited", "tol="),
        (recorded(restless=True), Slabs.GOAL, "approximation-limited", "max_features="),
    ],
)
def test_the_verdict_of_a_march(record, goal, verdict, word):
    error = error_of(record, goal)
    assert error.verdict == verdict
    assert word in error.advice
    assert error.trusted
    assert error.estimate == pytest.approx(Assessment.SAFETY * 1e-10 + 3 * EPS)
    assert error.of == {"q": error.estimate}


@pytest.mark.parametrize(
    ("residual", "expected"),
    [
        (1e-12, False),
        (1e-7, False),
        (1e-2, True),
        (INF, True),
        (NAN, True),
    ],
)
def test_what_contradicts_the_equations(residual, expected):
    assert is_contradicted(error_of(recorded(residual=residual), GOAL)) == expected


# ---- Galerkin's method


def galerkin_slab(statements, size, length=0.01, stages=6):
    slab = slab_of(evolution(statements), size, stages, length)
    return slab, Galerkin.of(slab, linearised(slab, slab.resting()))


def test_one_correction_solves_what_is_steady_between_walls():
    slab, corrector = galerkin_slab({STRIP: HEAT, STRIP.sides: COLD, STRIP.initial: REST}, 60)
    assert corrector.steady
    X = slab.resting()
    for _ in range(2):
        X = X + corrector.correction(np.concatenate(residuals(slab, X), axis=1))
    again = corrector.correction(np.concatenate(residuals(slab, X), axis=1))
    assert np.abs(again).max() < 1e-11 * np.abs(X).max()


def test_reflections_span_what_conditions_leave_free():
    rng = np.random.default_rng(0)
    V = torch.linalg.qr(torch.as_tensor(rng.standard_normal((9, 3))))[0]
    free, A = Free.of(V), torch.as_tensor(rng.standard_normal((9, 9)))
    Z = free.forth(torch.eye(6, dtype=torch.float64))
    assert (V.T @ Z).abs().max() < 1e-14
    assert pytest.approx(np.eye(6), abs=1e-14) == Z.T @ Z
    assert free.back(A) == pytest.approx((Z.T @ A).numpy(), abs=1e-13)
    assert free.across(A) == pytest.approx((Z.T @ A @ Z).numpy(), abs=1e-13)


W_ = fens.complex_unknown("w")(x, t)
SCHROEDINGER = sp.Eq(sp.I * W_.diff(t) + W_.diff(x, 2) + x * W_, 0)


def complex_problem(sides):
    return {STRIP: SCHROEDINGER, STRIP.sides: sides, STRIP.initial: sp.Eq(W_, sp.sin(sp.pi * x))}


def test_complex_numbers_are_corrected_as_their_parts_are():
    slab, corrector = galerkin_slab(complex_problem(sp.Eq(W_, 0)), 40)
    assert corrector.in_pairs
    assert corrector.steady
    F = np.concatenate(residuals(slab, slab.resting()), axis=1)
    found = corrector.correction(F)
    with mock.patch("fens.evolution.galerkin._in_pairs", return_value=None):
        parts = Galerkin.of(slab, linearised(slab, slab.resting()))
    assert not parts.in_pairs
    assert found == pytest.approx(parts.correction(F), abs=1e-9 * np.abs(found).max())


def test_conditions_on_parts_alone_leave_them_apart():
    parts = [sp.Eq(sp.re(W_), 0), sp.Eq(sp.im(W_.diff(x)), 0)]
    assert not galerkin_slab(complex_problem(parts), 30)[1].in_pairs


FLOW = [sp.Function(name)(x, y, t) for name in "uvp"]


def flow():
    a, b, c = FLOW
    around = [sp.Eq(a.diff(t) + c.diff(x), fens.laplacian(a)), sp.Eq(b.diff(t) + c.diff(y), fens.laplacian(b))]
    held = fens.Points({x: [0.5] * 5, y: [0.5] * 5, t: np.linspace(0, 1, 5)})
    return {
        PLATE: [*around, sp.Eq(a.diff(x) + b.diff(y), 0)], PLATE.sides: [sp.Eq(a, 0), sp.Eq(b, 0)],
        PLATE.initial: [sp.Eq(a, 0), sp.Eq(b, 0)], held: sp.Eq(c, 0),
    }  # fmt: skip


def test_a_pressure_is_a_multiplier_of_continuity():
    found = evolution(flow())
    pressure = [str(c.unknown.func) for c in found.problem.components].index("p")
    assert found.multipliers == (pressure,)
    assert found.constraints[pressure] == 2
    slab, corrector = galerkin_slab(flow(), 80)
    assert len(corrector.kept) == round((2 + Slabs.OF_MULTIPLIERS) * len(slab.space))


def test_what_has_an_equation_of_its_own_is_no_multiplier():
    a, b = FLOW[:2]
    found = evolution({
        PLATE: [sp.Eq(a.diff(t), fens.laplacian(a) + b), sp.Eq(fens.laplacian(b), a)],
        PLATE.sides: [sp.Eq(a, 0), sp.Eq(b, 0)], PLATE.initial: sp.Eq(a, x * (1 - x) * y * (1 - y)),
    })  # fmt: skip
    assert found.multipliers == ()
    assert len(found.constraints) == 1


def test_mixed_derivatives_in_time_are_left_to_least_squares():
    equation = sp.Eq(u.diff(t) - u.diff(x, 2, t), u.diff(x, 2))
    assert evolution({STRIP: equation, STRIP.sides: COLD, STRIP.initial: REST}).constraints is None


# ---- what is decided on the way


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([1.0] * 5, False),  # too few to tell
        ([10.0**-k for k in range(14)], False),
        ([0.9**k for k in range(14)], True),
        ([1.0] * 14, True),
    ],
)
def test_when_factors_are_stale(lengths, expected):
    assert is_stale(lengths, 1e-12) == expected


@pytest.mark.parametrize(("roughness", "expected"), [(1e-6, 2.0), (1e-12, 1.0), (1e-9, 4 / 3), (0.5, INF)])
def test_how_much_finer_space_must_be(roughness, expected):
    assert finer(roughness, 1e-12) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("sizes", "expected"), [([1e-1, 1e-2, 1e-3], False), ([1e-3, 9e-4], False), ([1e-2, 1e-3, 9e-4], True)]
)
def test_roughness_that_falls_no_more(sizes, expected):
    assert falls_no_more([(300 * (k + 1), r) for k, r in enumerate(sizes)]) == expected


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([(0.5, 2.0), (0.9, 10.0), (0.99999, 1e5)], True),
        ([(k, np.exp(k)) for k in range(1, 31)], False),  # as it should
        ([(1.0, 1.0), (2.0, 1.5)], False),
    ],
)
def test_what_grows_without_bound(sizes, expected):
    assert grows_without_bound(sizes, 0.0) == expected


def test_high_degrees_that_are_the_same_are_rounding():
    falling = np.array([10.0 ** (-k) for k in range(19)])
    assert rounding_of(falling) == 0
    assert rounding_of(np.maximum(falling, 2e-12)) >= 2e-12
    assert rounding_of(np.maximum(falling, 1e-7)) == 0  # so much is not


def test_rounding_at_the_beginning_of_a_slab():
    state = State((np.ones((1, 4)), np.zeros((0, 4))))
    shaken = state.shaken(1e-3, np.random.default_rng(0))
    assert np.abs(shaken.values[0] - 1) == pytest.approx(np.full((1, 4), 1e-3))
    assert shaken.values[1].shape == (0, 4)


def test_numpys_threads_are_one_in_a_solve_and_what_they_were_after_it():
    def counts():
        return [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]

    before = counts()
    with torch_alone():
        assert set(counts()) <= {1}
    assert counts() == before
