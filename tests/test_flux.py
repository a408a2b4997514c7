"""Divergence, gradient and Laplacian, and coefficients that jump under a derivative."""

import pickle

import numpy as np
import pytest
import sympy as sp

import fens
from fens.errors import EquationError, FileError, UnsupportedEquation
from fens.problem.discontinuity import find_jump, find_step, may_jump
from fens.problem.operators import unfolded
from fens.problem.typeset import latex, mathml

x, y, t = sp.symbols("x y t")
u, w, v = sp.Function("u")(x), sp.Function("w")(x, y), sp.Function("v")(x, t)
half = sp.Rational(1, 2)
rod, square = fens.Box({x: (0, 1)}), fens.Box({x: (0, 1), y: (0, 1)})
through_time = rod.during(t, 0, 1)
disc = fens.Ball({x: 0, y: 0}, radius=1)
step = sp.Piecewise((1, x < half), (10, True))
layer = sp.Piecewise((1, y < half), (10, True))
inclusion = sp.Piecewise((10, (x - half) ** 2 + (y - half) ** 2 < sp.Rational(1, 10)), (1, True))


def jump(coefficient, domain=rod, axis=0):
    return find_jump(sp.sympify(coefficient), domain.coordinates, axis, domain, {})


JUMPS = [  # with the places
    (step, [0.5]),
    (1 / step, [0.5]),
    (sp.Heaviside(x - 0.3), [0.3]),
    (2 + sp.sign(x - 0.3), [0.3]),
    (1 + sp.floor(3 * x), [1 / 3, 2 / 3]),
    (2 - sp.ceiling(2 * x), [0.5]),
    (1 + sp.Mod(x, half), [0.5]),
    (2 + (x - half) / sp.Abs(x - half), [0.5]),
    (2 + sp.atan(1 / (x - half)), [0.5]),
    (sp.Piecewise((1, x < half), (1 + sp.Rational(1, 10**8), True)), [0.5]),
    (sp.Piecewise((1, x < 0.2), (2, x < 0.7), (3, True)), [0.2, 0.7]),
    (sp.Piecewise((10, (x > 0.31) & (x < 0.31001)), (1, True)), [0.31, 0.31001]),
    (sp.Piecewise((10, sp.Abs(x - 0.31) < 1e-5), (1, True)), [0.30999, 0.31001]),
    (sp.Piecewise((x, x < half), (1 - x + sp.Rational(1, 10), True)), [0.5]),
    (fens.wrap(lambda s: np.where(s < 0.4, 1, 2))(x), [0.4]),
    (fens.wrap(lambda s: 1 if s < 0.4 else 2)(x), [0.4]),
    (fens.wrap(lambda s: np.sin(50 * s) + 0.01 * (s > 0.77))(x), [0.77]),
]
NONE = [
    1 + x**2,
    sp.exp(x) / (1 + x**2),
    sp.Abs(x - half),
    sp.Max(x, half),
    1 + sp.cbrt(x - half),
    sp.tanh(10**6 * (x - half)),
    1 / (x - half),  # a pole, which is no jump
    sp.exp(-1 / (x - half) ** 2),
    sp.Piecewise((x, x < half), (half, True)),
    sp.Piecewise((1 + x, x < half), (2 - x, True)),
    sp.Piecewise((sp.sin(x - half) / (x - half), sp.Ne(x, half)), (1, True)),
    sp.Piecewise((1, x < 2), (10, True)),
    sp.Piecewise((1, x < 1), (10, True)),
    sp.Piecewise((1, x <= 0), (10, True)),
    sp.Heaviside(x),
    sp.floor(x),
    fens.wrap(lambda s: 1 / (1 + s**2))(x),
    fens.wrap(lambda s: np.abs(s - 0.3))(x),
    fens.wrap(lambda s: np.interp(s, [0, 0.3, 1], [1, 5, 2]))(x),
    fens.wrap(lambda s: np.tanh(1e4 * (s - 0.3)))(x),
    fens.wrap(lambda s: np.sin(s).astype(np.float32))(x),  # rounding is no jump
]


@pytest.mark.parametrize(("coefficient", "places"), JUMPS, ids=str)
def test_jumps_are_found_where_they_are(coefficient, places):
    found = jump(coefficient)
    np.testing.assert_allclose(found.values, places, rtol=0, atol=1e-9)
    assert any(abs(found.place[0] - p) < 1e-9 for p in places)


@pytest.mark.parametrize("coefficient", NONE, ids=str)
def test_kinks_slopes_and_poles_are_no_jumps_nor_is_what_lies_outside(coefficient):
    assert jump(coefficient) is None


@pytest.mark.parametrize(
    ("coefficient", "domain", "axis", "values"),
    [
        (step, square, 0, (0.5,)),
        (step, square, 1, None),  # along y there is none
        (layer, square, 1, (0.5,)),
        (inclusion, square, 0, ()),
        (sp.Piecewise((1, x + y < 1), (10, True)), square, 1, ()),
        (sp.Piecewise((10, (x - 0.3) ** 2 + (y - 0.4) ** 2 < 1e-6), (1, True)), square, 0, ()),  # between all lines
        (sp.Piecewise((1, x**2 + y**2 < 1), (10, True)), disc, 0, None),
        (sp.Piecewise((1, x**2 + y**2 < sp.Rational(1, 2)), (10, True)), disc, 0, ()),
        (inclusion, square - fens.Ball({x: 0.5, y: 0.5}, radius=0.32), 0, None),  # in the hole
        (fens.wrap(lambda a, b: np.where(a + b < 1, 1, 3))(x, y), square, 0, ()),
    ],
    ids=str,
)
def test_jumps_in_the_plane(coefficient, domain, axis, values):
    found = jump(coefficient, domain, axis)
    if values is None:
        assert found is None
    else:
        np.testing.assert_allclose(found.values, values, rtol=0, atol=1e-9)
        assert domain.contains(found.place[None])[0]


@pytest.mark.parametrize(("lower", "upper"), [(0, 1e-9), (10**6, 10**6 + 1), (10**9, 10**9 + 1), (-(10**12), 10**12)])
def test_jumps_on_small_large_and_far_domains(lower, upper):
    middle = (lower + upper) / 2
    domain = fens.Box({x: (lower, upper)})
    size = sp.Float(upper - lower)
    found = jump(sp.Piecewise((1, x < middle), (1.01, True)), domain)
    assert abs(found.place[0] - middle) < 1e-5 * float(size)
    assert jump(sp.Piecewise((1 + x / size, x < middle), (1 + (2 * middle - x) / size, True)), domain) is None


def test_a_step_of_an_unknown_is_found_however_large_its_value():
    assert find_step(sp.Piecewise((1, x < 273), (2, True)) * y, x, {y: 0.3}) == pytest.approx(273)
    assert find_step(sp.Abs(x) * y, x, {y: 0.3}) is None


def test_what_can_jump_is_seen_without_numbers():
    assert not may_jump(fens.laplacian(w) + sp.Abs(w) ** 2 * sp.sin(x) + sp.sqrt(1 + x**2))
    assert all(may_jump(e) for e in (step * u, sp.sign(x), x / sp.Abs(x), fens.wrap(np.sin)(x)))


ALLOWED = {
    "jump in a source": (rod, sp.Eq(u.diff(x, 2), step)),
    "jump in lower terms": (rod, sp.Eq(u.diff(x, 2) + step * u.diff(x) + step * u, 0)),
    "not smooth in the unknown": (rod, sp.Eq(u.diff(x, 2) + sp.Abs(u) ** 2 * u + sp.sign(u), 0)),
    "strong": (rod, sp.Eq(fens.strong(step * u.diff(x, 2)) + u, 0)),
    "strong laplacian": (square, sp.Eq(fens.strong(inclusion * fens.laplacian(w)), 1)),
    "kink under a derivative": (rod, sp.Eq(sp.Derivative((1 + sp.Abs(x - half)) * u.diff(x), x), 0)),
    "kink of the unknown": (rod, sp.Eq(fens.div((1 + sp.Abs(u)) * fens.grad(u)), 1)),
    "outside of the domain": (rod, sp.Eq(fens.div(sp.Piecewise((1, x < 2), (10, True)) * fens.grad(u)), 1)),
    "on its end": (rod, sp.Eq(sp.Piecewise((1, x < 1), (10, True)) * u.diff(x, 2), 1)),
    "continuous": (rod, sp.Eq(fens.div(sp.Piecewise((1 + x, x < half), (2 - x, True)) * fens.grad(u)), 1)),
    "across the derivative": (square, sp.Eq(layer * w.diff(x, 2) + w.diff(y, 2), 0)),
    "density in a wave": (through_time, sp.Eq(step * v.diff(t, 2), v.diff(x, 2))),
    "heat capacity": (through_time, sp.Eq(step * v.diff(t), v.diff(x, 2))),
    "weight of an integral": (rod, [sp.Eq(u.diff(x, 2), 0), sp.Eq(fens.integral(step * u.diff(x)), 1)]),
}
AMBIGUOUS = {
    "evaluated by SymPy": (rod, sp.Eq((step * u.diff(x)).diff(x), 0)),
    "evaluated, with a delta": (rod, sp.Eq(((1 + sp.Heaviside(x - half)) * u.diff(x)).diff(x), 0)),
    "as it stands": (rod, sp.Eq(step * u.diff(x, 2), 1)),
    "on the right": (rod, sp.Eq(u, step * u.diff(x, 2))),
    "divided": (rod, sp.Eq(u.diff(x, 2) / step + u, 1)),
    "of a sum": (rod, step * (u.diff(x, 2) + u)),
    "inside of a Piecewise": (rod, sp.Piecewise((u.diff(x, 2), x < half), (10 * u.diff(x, 2), True)) - 1),
    "first order": (rod, sp.Eq(step * u.diff(x), 1)),
    "nonlinear": (rod, sp.Eq(step * u.diff(x, 2) ** 3 + u, 0)),
    "times an unknown": (rod, sp.Eq(step * (1 + u**2) * u.diff(x, 2), 1)),
    "around a divergence": (rod, sp.Eq(step * fens.div((1 + x) * fens.grad(u)), 1)),
    "laplacian": (square, sp.Eq(inclusion * fens.laplacian(w), 1)),
    "mixed derivative": (square, sp.Eq(fens.laplacian(w) + layer * w.diff(x, y), 1)),
    "heat": (through_time, sp.Eq(v.diff(t), step * v.diff(x, 2))),
    "wrapped": (rod, sp.Eq(fens.wrap(lambda s: np.where(s < half, 1, 10))(x) * u.diff(x, 2), 1)),
}
FLUXES = {
    "divergence": (rod, sp.Eq(fens.div(step * fens.grad(u)), 0)),
    "minus": (rod, sp.Eq(-fens.div(step * fens.grad(u)), 1)),
    "components": (square, sp.Eq(fens.div((step * w.diff(x), w.diff(y))), 0)),
    "matrix": (square, sp.Eq(fens.div(sp.diag(step, 1) * fens.grad(w)), 0)),
    "derivative": (rod, sp.Eq(sp.Derivative(step * u.diff(x), x), 0)),
    "within strong": (rod, sp.Eq(fens.strong(fens.div(step * fens.grad(u))), 0)),
    "lower order": (rod, sp.Eq(u.diff(x, 2) + sp.Derivative(step * u, x), 0)),
    "beam": (rod, sp.Eq(sp.Derivative(step * u.diff(x, 2), x, x), 0)),
    "inside of a laplacian": (rod, sp.Eq(fens.laplacian(step * u), 0)),
    "curve": (square, sp.Eq(fens.div(inclusion * fens.grad(w)), 0)),
    "heat": (through_time, sp.Eq(v.diff(t), fens.div(step * fens.grad(v)))),
    "times an unknown": (rod, sp.Eq(fens.div(step * (1 + u**2) * fens.grad(u)), 0)),
    "floor": (rod, sp.Eq(fens.div((1 + sp.floor(2 * x)) * fens.grad(u)), 0)),
    "many steps": (rod, sp.Eq(fens.div((1 + sp.floor(100 * x)) * fens.grad(u)), 0)),
    "wrapped": (rod, sp.Eq(fens.div(fens.wrap(lambda s: np.where(s < half, 1, 10))(x) * fens.grad(u)), 0)),
    "with a source": (rod, sp.Eq(fens.div(fens.grad(u)) + sp.Derivative(step, x), 0)),
}


def problem(domain, equations):
    unknown = {rod: u, square: w, through_time: v}[domain]
    return fens.Problem({domain: equations, domain.boundary: unknown})


@pytest.mark.parametrize("name", ALLOWED)
def test_what_stays_allowed(name):
    assert problem(*ALLOWED[name]).conditions


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_a_jump_in_front_of_a_highest_derivative_is_refused_with_both_spellings(name):
    with pytest.raises(EquationError, match=r"coefficient a of .* jumps .*sp\.Derivative\(a\*\w.*fens\.strong\("):
        problem(*AMBIGUOUS[name])


@pytest.mark.parametrize("name", FLUXES)
def test_a_flux_that_jumps_is_refused_with_two_domains(name):
    with pytest.raises(UnsupportedEquation, match=r"what is differentiated by x, .* jumps .*a domain for each side"):
        problem(*FLUXES[name])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("divergence", "left = fens.Box({x: (0, 0.5)}), right = fens.Box({x: (0.5, 1)})"),
        ("divergence", "left: Eq(div(grad(u_left(x))), 0), right: Eq(div(10*grad(u_right(x))), 0)"),
        ("divergence", "left.face(x, 0.5): [sp.Eq(u_left(x), u_right(x)), "
         "sp.Eq(Derivative(u_left(x), x), 10*Derivative(u_right(x), x))]"),
        ("components", "right = fens.Box({x: (0.5, 1), y: (0, 1)})"),
        ("heat", "left = fens.Box({x: (0, 0.5)}).during(t, 0, 1)"),
        ("lower order", "[sp.Eq(u_left(x), u_right(x)), sp.Eq(u_left(x) + Derivative(u_left(x), x), "
         "10*u_right(x) + Derivative(u_right(x), x))]"),
        ("beam", "sp.Eq(Derivative(u_left(x), x), Derivative(u_right(x), x)), "
         "sp.Eq(Derivative(u_left(x), (x, 2)), 10*Derivative(u_right(x), (x, 2))), "
         "sp.Eq(Derivative(u_left(x), (x, 3)), 10*Derivative(u_right(x), (x, 3)))]"),
        ("curve", "disc.boundary: [sp.Eq(u1, u2)"),
    ],
)  # fmt: skip
def test_the_two_domains_are_those_of_the_problem(name, words):
    with pytest.raises(UnsupportedEquation) as error:
        problem(*FLUXES[name])
    assert words in str(error.value)


def test_what_the_sentence_says_solves_the_problem():
    left, right = fens.Box({x: (0, 0.5)}), fens.Box({x: (0.5, 1)})
    a, b = sp.Function("a")(x), sp.Function("b")(x)
    # the step itself may stand in both: on each of them it does not jump
    solution = fens.solve(
        fens.Problem({
            left: sp.Eq(fens.div(step * fens.grad(a)), 0), right: sp.Eq(fens.div(step * fens.grad(b)), 0),
            left.face(x, 0.5): [sp.Eq(a, b), sp.Eq(a.diff(x), 10 * b.diff(x))],
            left.face(x, 0): sp.Eq(a, 0), right.face(x, 1): sp.Eq(b, 1),
        }),
        features=60, estimate=False,
    )  # fmt: skip
    assert solution[a](0.5) == pytest.approx(10 / 11, abs=1e-12)


def test_a_flux_that_jumps_with_the_unknown_is_refused():
    melting = sp.Piecewise((1, u < 273), (2, True))
    with pytest.raises(UnsupportedEquation, match=r"jumps where u\(x\) is 273"):
        problem(rod, sp.Eq(fens.div(melting * fens.grad(u)), 0))


def test_an_unknown_number_counts_with_its_initial_value():
    place = fens.Unknown("place", initial=0.25)
    with pytest.raises(EquationError, match=r"jumps at x = 0\.25"):
        problem(rod, sp.Eq(sp.Piecewise((1, x < place), (2, True)) * u.diff(x, 2), 1))


def test_jumps_of_complex_coefficients():
    z = fens.complex_unknown("z")(x, y)
    with pytest.raises(EquationError, match=r"jumps at x = 0\.5"):
        fens.Problem({square: (1 + sp.I * step) * z.diff(x, 2) + z.diff(y, 2), square.boundary: z})


@pytest.mark.parametrize(
    "equation", [sp.Eq(u.diff(x, 2), sp.DiracDelta(x - half)), sp.Eq(fens.laplacian((1 + sp.Abs(x - half)) * u), 0)]
)
def test_point_sources_are_refused(equation):
    with pytest.raises(UnsupportedEquation, match="point source"):
        problem(rod, equation)
    with pytest.raises(UnsupportedEquation, match="point source"):
        fens.Problem({square: fens.laplacian(w), square.face(x, 0): sp.Eq(w, sp.DiracDelta(y - half))})


def test_a_wrapped_function_that_fails_is_told_of_when_it_is_solved():
    def broken(s):
        raise RuntimeError("no")

    with pytest.raises(fens.FensError, match="raised RuntimeError: no"):
        fens.solve(problem(rod, sp.Eq(fens.wrap(broken)(x) * u.diff(x, 2), 1)), features=20)


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        (fens.laplacian(w), w.diff(x, 2) + w.diff(y, 2)),
        (fens.laplacian(w, y), w.diff(y, 2)),
        (fens.laplacian(fens.laplacian(w)), w.diff(x, 4) + 2 * w.diff(x, 2, y, 2) + w.diff(y, 4)),
        (fens.laplacian(w).diff(x), w.diff(x, 3) + w.diff(x, y, 2)),
        (fens.div(fens.grad(w)), w.diff(x, 2) + w.diff(y, 2)),
        (fens.div(x * fens.grad(w) - fens.grad(y * w) / 2), (x - y / 2) * (w.diff(x, 2) + w.diff(y, 2)) + w.diff(x)
         - w.diff(y)),
        (fens.div((1 + w**2) * fens.grad(w)), ((1 + w**2) * w.diff(x)).diff(x) + ((1 + w**2) * w.diff(y)).diff(y)),
        (fens.div((x * w, y)), x * w.diff(x) + w + 1),
        (fens.div(sp.Matrix([x * w, y])), x * w.diff(x) + w + 1),
        (fens.div(sp.Matrix([[1, x], [0, 2]]) * fens.grad(w)), w.diff(x, 2) + w.diff(y) + x * w.diff(x, y)
         + 2 * w.diff(y, 2)),
        (fens.div(x * fens.grad(w, x)), (x * w.diff(x)).diff(x)),
        (fens.div(sp.Matrix([[x]]) * fens.grad(w, x)), (x * w.diff(x)).diff(x)),
        (fens.div(np.float64(2.0) * fens.grad(w)), 2.0 * (w.diff(x, 2) + w.diff(y, 2))),
        (fens.div(fens.grad(w).diff(y)), w.diff(x, 2, y) + w.diff(y, 3)),
        (fens.strong(x * w.diff(x, 2)) + w, x * w.diff(x, 2) + w),
        (w.diff(y) * fens.laplacian(w) ** 2, w.diff(y) * (w.diff(x, 2) + w.diff(y, 2)) ** 2),
    ],
)  # fmt: skip
def test_operators_are_derivatives(operator, expected):
    assert sp.expand(unfolded(operator, (x, y)).doit() - expected) == 0
    assert pickle.loads(pickle.dumps(operator)) == operator


def test_time_is_no_coordinate_of_space():
    heat = problem(through_time, sp.Eq(v.diff(t), fens.laplacian(v) + fens.div((x * v,))))
    assert {jet.orders for jet, _ in heat.conditions[0].equation.jets} == {(0, 1), (2, 0), (1, 0), (0, 0)}
    both = problem(through_time, sp.Eq(v, fens.laplacian(v, x, t)))
    assert {jet.orders for jet, _ in both.conditions[0].equation.jets} == {(0, 0), (2, 0), (0, 2)}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fens.laplacian("u"), "takes an expression"),
        (lambda: fens.laplacian(sp.eye(2)), "takes an expression"),
        (lambda: fens.laplacian(w, 2), "takes coordinates"),
        (lambda: fens.grad(w, x, x), "each coordinate once"),
        (lambda: fens.div(()), "at least one component"),
        (lambda: fens.div((fens.grad(w), 1)), "is a vector itself"),
        (lambda: fens.div(fens.grad(w) * fens.grad(w)), "sum of gradients"),
        (lambda: fens.div(fens.grad(w) + x), "sum of gradients"),
        (lambda: fens.div(sp.sin(fens.grad(w))), "sum of gradients"),
        (lambda: fens.div(sp.eye(2)), "matrix times a gradient"),
        (lambda: problem(square, sp.Eq(fens.grad(w), 0)), "is a vector, and stands where a number is expected"),
        (lambda: problem(square, fens.div((w, w, w))), "which are 2; got 3"),
        (lambda: problem(square, fens.div(w)), "which are 2; got 1"),
        (lambda: problem(square, fens.div(fens.grad(w, x), x, y)), "name the same ones in both"),
        (lambda: problem(square, fens.laplacian(w, t)), "coordinates"),
        (lambda: problem(rod, fens.div(fens.wrap(np.sin)(x) * fens.grad(u))), r"f?sin\(x\) has no formula"),
    ],
)
def test_what_operators_refuse(make, words):
    with pytest.raises(EquationError, match=words):
        make()


@pytest.mark.parametrize(
    ("expression", "in_latex", "signs"),
    [
        (2 * fens.laplacian(w), r"2 \Delta w", "2⁢Δw"),
        (fens.laplacian(w, x) ** 2, r"\left(\Delta_{x} w\right)^{2}", "(Δxw)2"),
        (fens.div((1 + x) * fens.grad(w)), r"\nabla \cdot \left(\left(x + 1\right) \nabla w\right)", "∇·((1+x)⁢∇w)"),
        (fens.div((w, x)), r"\nabla \cdot \left( w, \  x\right)", "∇·(w,x)"),
        (fens.strong(x * w), r"\left(x w\right)", "(x⁢w)"),
    ],
)
def test_operators_as_mathematics(expression, in_latex, signs):
    import re

    assert latex(expression) == in_latex
    assert re.sub("<[^>]*>", "", mathml(expression)).replace("x+1", "1+x") == signs


def test_a_problem_with_operators_is_solved_saved_and_integrated(tmp_path):
    exact = sp.sin(x) * y
    solution = fens.solve(
        fens.manufacture({square: fens.div((1 + w**2 + x) * fens.grad(w)), square.boundary: w}, w, exact),
        features=120, estimate=False,
    )  # fmt: skip
    assert solution.compare(exact).linf < 1e-9
    assert solution.integrate(fens.laplacian(w)) == pytest.approx(float(sp.integrate(-exact, (x, 0, 1), (y, 0, 1))))
    solution.save(tmp_path / "w.fens")
    loaded = fens.load(tmp_path / "w.fens")
    assert loaded.problem.conditions[0].equation.statement == solution.problem.conditions[0].equation.statement
    assert "div((x + w(x, y)**2 + 1)*grad(w(x, y)))" in repr(loaded.problem)
    assert loaded(0.3, 0.4) == solution(0.3, 0.4)


def test_operators_in_an_eigenvalue_problem():
    number = fens.Unknown("number")
    modes = fens.eigen(problem(rod, sp.Eq(-fens.laplacian(u), number * u)), number, count=1, features=40)
    assert modes[0].eigenvalue == pytest.approx(float(sp.pi**2), rel=1e-9)


FILE = """
unknowns = "u"
domain.box = { x = [0, 1] }
expressions.a = "where(x < 1/2, 1, 10)"
expressions.flux = "a*diff(u, x)"
equations.inside = "EQUATION"
equations.boundary = "u = x"
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("div(a*grad(u)) = 0", "a domain for each side"),
        ("diff(a*diff(u, x), x) = 0", "a domain for each side"),
        ("diff(flux, x) = 0", "a domain for each side"),
        ("laplacian(u) + diff(a*u, x) = 0", "a domain for each side"),
        ("a*laplacian(u) = 0", r"fens\.strong"),
        ("a*diff(u, x, 2) = 0", r"fens\.strong"),
        ("grad(u) = 0", "is a vector"),
        ("div(u, u) = 0", "which are 1; got 2"),
        ("diff(a*sign(u), x) + diff(u, x, 2) = 0", "a domain for each side"),
        ("diff(u, x, 2) = diff(heaviside(x - 1/2), x)", "point source"),
    ],
)
def test_jumps_in_files_are_refused_with_their_line(text, words, tmp_path):
    (tmp_path / "rod.toml").write_text(FILE.replace("EQUATION", text))
    with pytest.raises(FileError, match=words) as error:
        fens.read(tmp_path / "rod.toml")
    assert error.value.line == 6


@pytest.mark.parametrize("text", ["strong(a*laplacian(u)) = a", "div((1 + x^2 + u^2)*grad(u)) + a*diff(u, x) = a*u"])
def test_operators_in_files(text, tmp_path):
    (tmp_path / "rod.toml").write_text(FILE.replace("EQUATION", text))
    assert fens.read(tmp_path / "rod.toml").problem.conditions


def test_operators_of_long_expressions_in_files_stay_bounded(tmp_path):
    (tmp_path / "rod.toml").write_text(FILE.replace("EQUATION", "laplacian(" * 8 + "u*sin(x)^3*exp(x^2)" + ")" * 8))
    with pytest.raises(FileError, match="parts"):
        fens.read(tmp_path / "rod.toml")
