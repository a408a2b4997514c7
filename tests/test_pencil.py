"""The exponents of solutions next to corners, from equations and conditions, and solutions that have them."""

import numpy as np
import pytest
import sympy as sp

import fens
from fens.strategy.pencil import Junction, Term
from fens.strategy.sites import sites_of

x, y = sp.symbols("x y", real=True)
u, v, p = (sp.Function(name)(x, y) for name in "uvp")
PI = np.pi
L_SHAPE = fens.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], (x, y))
SQUARE = fens.Box({x: (0, 1), y: (0, 1)})


def laplacian(k, first=1.0, second=1.0):
    return (Term(first, k, (2, 0)), Term(second, k, (0, 2)))


def value(k, at_last=False):
    return (Term(1.0, k, (0, 0), at_last),)


def flux(k, angle, at_last=False):
    """Across a side at an angle."""
    return (Term(-np.sin(angle), k, (1, 0), at_last), Term(np.cos(angle), k, (0, 1), at_last))


def stokes(opening):
    inside = (
        (*laplacian(0), Term(-1.0, 2, (1, 0))),
        (*laplacian(1), Term(-1.0, 2, (0, 1))),
        (Term(1.0, 0, (1, 0)), Term(1.0, 1, (0, 1))),
    )
    return Junction(((0.0, opening),) * 3, inside, tuple(value(k, last) for k in (0, 1) for last in (False, True)))


# ---- exponents


@pytest.mark.parametrize("opening", [PI / 3, PI / 2, 2.0, PI, 1.5 * PI, 2 * PI])
@pytest.mark.parametrize("kinds", ["values", "fluxes", "both"])
def test_those_of_laplace_are_multiples_of_pi_over_the_opening(opening, kinds):
    first = flux(0, 0.0) if kinds == "fluxes" else value(0)
    last = value(0, True) if kinds == "values" else flux(0, opening, True)
    found = Junction(((0.0, opening),), (laplacian(0),), (first, last)).exponents(6.0)
    start = {"values": 1.0, "fluxes": 0.0, "both": 0.5}[kinds]
    expected = PI / opening * np.arange(start, 5.9 * opening / PI)
    assert [power for power in found if power.real < 5.9] == pytest.approx(expected, abs=1e-9)


def test_degrees_are_raised_where_equations_leave_them_open():
    plate = (*laplacian(0), Term(-1.0, 1, (0, 0))), laplacian(1)
    sides = [c for last, angle in ((False, 0.0), (True, PI / 2)) for c in (value(0, last), flux(0, angle, last))]
    clamped = Junction(((0.0, PI / 2),) * 2, plate, tuple(sides))
    assert clamped.is_singular
    raised = clamped.regular
    assert raised.degrees == (0, -2)  # the moment is a second derivative
    first = next(power for power in raised.exponents(6.0) if power.imag)
    assert first == pytest.approx(3.7395935 + 1.1190250j, abs=1e-6)  # Moffatt's: a stream function is clamped, too
    supported = Junction(((0.0, PI / 2),) * 2, plate, tuple(value(k, last) for k in (0, 1) for last in (False, True)))
    assert supported.regular is supported
    free = Junction(((0.0, PI / 2),), (laplacian(0),), (value(0), value(0)))
    assert free.regular is None


def test_a_clamped_plate():
    w, m, S = sp.Function("w")(x, y), sp.Function("m")(x, y), SQUARE
    inside = [sp.Eq(fens.laplacian(w), m), sp.Eq(fens.laplacian(m), 1)]
    solution = fens.solve(fens.Problem({S: inside, S.boundary: [w, fens.normal_derivative(w)]}), features=500)
    assert solution.error.trusted
    assert solution[w](0.5, 0.5) == pytest.approx(0.00126531909, abs=1e-9)


@pytest.mark.parametrize("switch", [x, y, x - y, x - sp.Rational(3, 10)])
def test_jumps_on_a_circle_are_found_to_the_last_bit(switch):
    disc = fens.Ball({x: 0, y: 0}, radius=1)
    data = sp.Piecewise((1, switch > 0), (0, True))
    found = sites_of(disc, fens.Problem({disc: fens.laplacian(u), disc.boundary: sp.Eq(u, data)})).corners
    assert len(found) == 2
    assert all(c.jumps and abs(switch.subs({x: c.place[0], y: c.place[1]})) < 1e-15 for c in found)


@pytest.mark.parametrize("opening", [PI / 2, 2.2, 1.5 * PI])
def test_those_of_stokes_are_moffatts(opening):
    junction = stokes(opening)
    assert junction.degrees == (0, 0, -1)  # a pressure has one less
    found = junction.exponents(6.0)
    assert len(found) >= 3
    for power in found:
        sine = np.sin(power * opening) ** 2
        assert abs(sine - (power * np.sin(opening)) ** 2) < 1e-9 * (1 + abs(sine))


def test_corners_of_the_square_have_eddies():
    assert stokes(PI / 2).exponents(4.0)[1] == pytest.approx(2.73959335630 + 1.11902453440j, abs=1e-9)


def test_those_of_a_checkerboard():
    sectors = tuple((k * PI / 2, (k + 1) * PI / 2) for k in range(4))
    a, along = (100.0, 1.0, 100.0, 1.0), []
    for k in range(4):
        after, orders = (k + 1) % 4, (1, 0) if k % 2 == 0 else (0, 1)
        along.append((Term(1.0, k, (0, 0), True), Term(-1.0, after, (0, 0))))
        along.append((Term(a[k], k, orders, True), Term(-a[after], after, orders)))
    found = Junction(sectors, tuple(map(laplacian, range(4))), tuple(along)).exponents(3.0)
    assert [z for z in found if 0.01 < z.real < 1.99] == pytest.approx(
        [s := 4 / PI * np.arctan(0.1), 2 - s], abs=1e-10
    )


def test_those_of_other_leading_terms_are_laplaces_in_other_coordinates():
    # u_xx + u_xy + 4 u_yy is a Laplacian in coordinates in which x + p y is complex
    row = (*laplacian(0, 1.0, 4.0), Term(1.0, 0, (1, 1)))
    junction = Junction(((0.0, 1.5 * PI),), (row,), (value(0), value(0, True)))
    (((root, times),),) = junction.roots()
    assert 1 + root + 4 * root**2 == pytest.approx(0, abs=1e-12)
    assert times == 1
    z = np.cos(theta := np.linspace(0, 1.5 * PI, 1000)) + root * np.sin(theta)
    opening = np.unwrap(np.angle(z))[-1]
    assert junction.exponents(4.0) == pytest.approx(PI / opening * np.arange(1, 4 * opening / PI), abs=1e-9)


def test_biharmonic_functions_of_finite_energy():
    row = (Term(1.0, 0, (4, 0)), Term(2.0, 0, (2, 2)), Term(1.0, 0, (0, 4)))
    slopes = (Term(1.0, 0, (0, 1)),), (Term(1.0, 0, (1, 0), True),)
    junction = Junction(((0.0, 1.5 * PI),), (row,), (value(0), value(0, True), *slopes))
    assert junction.jump == 1  # below, bending has no finite energy
    assert junction.roots() == (((1j, 2),),)
    known = [power for power in junction.exponents(3.0) if power.real > 1]
    assert known[:2] == pytest.approx([1.5444837367825, 1.9085291898461], abs=1e-9)


def test_turned_corners_are_the_same():
    one = Junction(((0.0, 2.0),), (laplacian(0),), (value(0), flux(0, 2.0, True)))
    other = Junction(((0.7, 2.7),), (laplacian(0, 3.0, 3.0),), (value(0), flux(0, 2.7, True)))
    assert one.turned(0.0) == other.turned(-0.7)


def test_what_is_not_determined_has_none():
    assert Junction(((0.0, 2.0),), (laplacian(0),), (value(0),)).exponents(4.0) == ()
    hyperbolic = Junction(((0.0, 2.0),), (laplacian(0, 1.0, -1.0),), (value(0), value(0, True)))
    assert hyperbolic.roots() == ((),)


# ---- of problems


def elastic(shape, clamped, free):
    e, shear = u.diff(x) + v.diff(y), u.diff(y) + v.diff(x)
    xx, yy = e + 2 * u.diff(x), e + 2 * v.diff(y)
    inside = [sp.Eq(xx.diff(x) + shear.diff(y), 0), sp.Eq(shear.diff(x) + yy.diff(y), 0)]
    normals = fens.normal(x), fens.normal(y)
    loads = [sp.Eq(xx * normals[0] + shear * normals[1], 0), sp.Eq(shear * normals[0] + yy * normals[1], 0)]
    return fens.Problem({shape: inside, clamped: [sp.Eq(u, 0), sp.Eq(v, 0)]} | dict.fromkeys(free, loads))


def corner_at(found, place):
    return next(c for c in found if np.allclose(c.place, place))


def test_a_clamped_side_beside_a_free_one():
    problem = elastic(L_SHAPE, L_SHAPE.edge(3), [L_SHAPE.edge(k) for k in (0, 1, 2, 4, 5)])
    for component in (0, 1):
        corner = corner_at(sites_of(L_SHAPE, problem, component=component).corners, (1, 1))
        assert corner.roots == ((1j, 2),)
        assert corner.alone
        kappa, opening = 2.0, 1.5 * PI  # both of Lamé's numbers are 1
        for power in corner.exponents[:4]:  # Williams 1952
            left = 4 * kappa * np.sin(power * opening) ** 2
            assert left == pytest.approx((kappa + 1) ** 2 - 4 * power**2 * np.sin(opening) ** 2, abs=1e-6)


def test_a_pressure_has_a_pole_where_a_lid_meets_a_wall():
    forces = [sp.Eq(fens.laplacian(u), p.diff(x)), sp.Eq(fens.laplacian(v), p.diff(y))]
    equations = [*forces, sp.Eq(u.diff(x) + v.diff(y), 0)]
    lid, walls = SQUARE.face(y, 1), (SQUARE.face(x, 0), SQUARE.face(x, 1), SQUARE.face(y, 0))
    still = {wall: [sp.Eq(u, 0), sp.Eq(v, 0)] for wall in walls}
    problem = fens.Problem({SQUARE: equations, lid: [sp.Eq(u, 1), sp.Eq(v, 0)]} | still)
    of = {c.name: corner_at(sites_of(SQUARE, problem, component=k).corners, (0, 1))
          for k, c in enumerate(problem.components)}  # fmt: skip
    assert (of["p"].lowest, of["p"].pole) == (-1, 1.0)
    assert (of["u"].lowest, of["u"].pole) == (0, 0.0)


def test_lower_terms_and_curved_sides_are_known():
    lower = fens.Problem({L_SHAPE: sp.Eq(fens.laplacian(u) + u, 0), L_SHAPE.boundary: sp.Eq(u, 1)})
    corner = corner_at(sites_of(L_SHAPE, lower).corners, (1, 1))
    assert not corner.alone
    assert corner.exponents[:3] == pytest.approx([2 / 3, 4 / 3, 2])
    cooled = sp.Eq(fens.normal_derivative(u) + u, 1)
    robin = fens.Problem({SQUARE: sp.Eq(fens.laplacian(u), 0), SQUARE.boundary: cooled})
    assert all(c.alone and c.shifted for c in sites_of(SQUARE, robin).corners)
    lens = fens.Ball({x: 0, y: 0}, radius=1) & fens.Ball({x: 1, y: 0}, radius=1)
    curved = fens.Problem({lens: sp.Eq(fens.laplacian(u), 0), lens.boundary: sp.Eq(u, x)})
    assert all(c.shifted and c.exponents for c in sites_of(lens, curved).corners)


def test_a_condition_that_switches_is_another_one_on_each_side():
    box = fens.Box({x: (-1, 1), y: (0, 1)})
    switched = sp.Eq(sp.Piecewise((u, x < 0), (u.diff(y), True)), 0)  # of Motz
    problem = fens.Problem({box: sp.Eq(fens.laplacian(u), 0), box.face(y, 0): switched, box.face(y, 1): sp.Eq(u, 1)})
    assert corner_at(sites_of(box, problem).corners, (0, 0)).exponents[:3] == pytest.approx([0.5, 1.5, 2.5], abs=1e-9)


# ---- solutions


def _exactly(z):
    return sp.Float(z.real, 17) + sp.I * sp.Float(z.imag, 17)


@pytest.mark.parametrize("seed", [0, 1])
def test_other_leading_terms_on_the_l(seed):
    root = complex(-1, np.sqrt(15)) / 8
    # a power of x + p y, counted from the corner and turned: its argument jumps along (1, 1), on the way out
    turn = -np.conj(1 + root)
    coordinate = ((x - 1) + (y - 1) * _exactly(root)) * _exactly(turn)
    re, im = coordinate.expand().as_real_imag()
    first, last = np.angle(root * turn), np.angle(turn)  # along the two sides, on which the solution vanishes
    power = np.pi / (last - first)
    exact = (re**2 + im**2) ** (power / 2) * sp.sin(power * (sp.atan2(im, re) - first)) + x
    problem = fens.Problem({
        L_SHAPE: sp.Eq(u.diff(x, 2) + u.diff(x, y) + 4 * u.diff(y, 2), 0), L_SHAPE.boundary: sp.Eq(u, exact)
    })  # fmt: skip
    solution = fens.solve(problem, features=300, seed=seed)
    points = np.random.default_rng(0).uniform(0, 2, (400, 2))
    points = points[L_SHAPE.contains(points)]
    error = np.abs(solution(*points.T) - sp.lambdify((x, y), exact)(*points.T)).max()
    assert solution.error.trusted
    assert error < min(1e-6, 3 * solution.error.estimate)
