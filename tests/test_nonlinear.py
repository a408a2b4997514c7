"""Nonlinear equations: what is solved, how the iterations behave, and what is said when they fail."""

import io
import sys
from itertools import pairwise

import numpy as np
import pytest
import sympy as sp
import torch

import fens
from fens import zoo
from fens._support.steering import Nonlinear
from fens.basis import Frame, Plain, TrialSpace, activation
from fens.discretise import discretise, evaluate_jets
from fens.errors import EvaluationError, SettingError, UnsupportedEquation
from fens.lstsq import Direct
from fens.nonlinear import Iteration
from fens.problem import newton_form, picard_form

pytestmark = pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")  # some have nothing to trust
x, y, t = sp.symbols("x y t")
u = sp.Function("u")(x, y)
w = sp.Function("w")(x)
square = fens.Box({x: (0, 1), y: (0, 1)})
rod = fens.Box({x: (0, 1)})


def bratu(coefficient):
    """w'' + λe^w = 0 with w = 0 at the ends: two solutions below λ = 3.5138, none above."""
    return fens.Problem({rod: w.diff(x, 2) + coefficient * sp.exp(w), rod.boundary: w})


def minimal_surface():
    """Scherk's surface, log cos x − log cos y."""
    a, b = u.diff(x), u.diff(y)
    operator = (1 + b**2) * u.diff(x, 2) - 2 * a * b * u.diff(x, y) + (1 + a**2) * u.diff(y, 2)
    exact = sp.log(sp.cos(x)) - sp.log(sp.cos(y))
    return zoo.Known("minimal_surface", fens.Problem({square: operator, square.boundary: sp.Eq(u, exact)}), exact)


def radiation():
    """A rod that radiates from one end: ∂w/∂n + w⁴ = g."""
    exact = 1 + x**2 / 4
    operators = {rod: w.diff(x, 2), rod.face(x, 0): w, rod.face(x, 1): fens.normal_derivative(w) + w**4}
    return zoo.Known("radiation", fens.manufacture(operators, w, exact), exact)


PROBLEMS = [*(make() for make in zoo.NONLINEAR), minimal_surface(), radiation()]


# ---- round-off


@pytest.mark.parametrize(
    ("make", "bound", "options"),
    [
        (zoo.nonlinear_helmholtz, 5e-14, {"features": 400, "scale": 20}),
        (
            zoo.nonlinear_helmholtz,
            3e-12,
            {"features": 400, "scale": 20, "nonlinear": "picard", "weights": "unit", "points": fens.Grid(3000)},
        ),
        (zoo.bratu, 1e-12, {"features": 600}),
        (zoo.sine_gordon, 1e-9, {"features": 900, "scale": 8.2}),
        (minimal_surface, 1e-12, {"features": 450}),
        (minimal_surface, 1e-12, {"features": 450, "nonlinear": "picard"}),
        (radiation, 1e-13, {"features": 60}),
    ],
    ids=lambda v: getattr(v, "__name__", None),
)
def test_solved(make, bound, options):
    known = make()
    solution = fens.solve(known.problem, estimate=False, **options)
    where = fens.Grid(20_001) if len(known.problem.coordinates) == 1 else fens.Grid(201)
    assert solution.compare(known.exact, where).linf <= bound


def test_newton_takes_few_iterations():
    solution = fens.solve(zoo.nonlinear_helmholtz().problem, features=400, scale=20)
    assert solution.stats.iterations[-1].iteration <= 8


def test_newton_is_quadratic_at_the_end():
    steps = [s.step for s in fens.solve(zoo.bratu().problem, features=400).stats.iterations[1:4]]
    assert steps[1] < 10 * steps[0] ** 2
    assert steps[2] < 10 * steps[1] ** 2


def test_newton_and_picard_agree_where_the_front_is_resolved():
    known = zoo.burgers(0.2)
    newton, picard = (
        fens.solve(known.problem, features=300, estimate=False, nonlinear=kind) for kind in ("newton", "picard")
    )
    assert newton.compare(known.exact).linf < 1e-11
    a, b = np.linspace(0, 1, 41)[:, None], np.linspace(0, 1, 41)
    assert np.abs(newton(a, b) - picard(a, b)).max() < 1e-12


def test_the_papers_iteration_makes_all_steps_and_keeps_the_last():
    known = zoo.nonlinear_helmholtz()
    options = {"features": 150, "scale": 16, "nonlinear": "picard", "initial": "random", "max_iterations": 25}
    settled, whole = (
        fens.solve(known.problem, estimate=False, raise_on_failure=False, until_settled=until, **options)
        for until in (True, False)
    )
    assert len(settled.stats.iterations) < len(whole.stats.iterations) == 26
    assert whole.weights.equal(whole.stats.iterations[-1].weights)
    residuals = [s.residual for s in settled.stats.iterations]
    assert residuals == [s.residual for s in whole.stats.iterations[: len(residuals)]]


def test_explicit_terms_leave_the_matrix_as_it_is():
    known = zoo.bratu()  # its nonlinear term has no derivative, so that Picard keeps nothing of it either
    picard, explicit = (
        fens.solve(known.problem, features=100, scale=4, estimate=False, nonlinear=kind, raise_on_failure=False)
        for kind in ("picard", "explicit")
    )
    assert picard.weights.equal(explicit.weights)
    states = fens.solve(
        zoo.burgers(0.1).problem, features=100, scale=4, nonlinear="explicit", max_iterations=30, estimate=False,
        raise_on_failure=False,
    ).stats.iterations  # fmt: skip
    assert len({s.rank for s in states}) == 1


def test_an_unresolved_front_still_converges():
    known = zoo.burgers()
    solution = fens.solve(known.problem, features=500, activation="sin", scale=27, estimate=False)
    assert solution.compare(known.exact).linf < 0.3
    assert solution.stats.status == "settled"
    assert "an equation holds only to" in repr(solution)


def test_the_residual_never_rises_under_newton():
    states = fens.solve(bratu(3.4), features=100).stats.iterations
    residuals = [s.residual for s in states]
    assert all(after < before * (1 + 1e-5) for before, after in pairwise(residuals))


def test_a_solution_known_from_elsewhere():
    """Troesch's problem at 5: the slope at 0 is 0.0457504614, by several methods in the literature."""
    problem = fens.Problem({rod: sp.Eq(w.diff(x, 2), 5 * sp.sinh(5 * w)), rod.boundary: sp.Eq(w, x)})
    assert fens.solve(problem, features=300).diff(x)(0.0) == pytest.approx(0.0457504614, abs=1e-9)


def test_equations_without_any_linear_part():
    exact = sp.exp(x / 2) + y
    problem = fens.manufacture({square: u.diff(x) ** 2 + u.diff(y) ** 2, square.boundary: u}, u, exact)
    assert fens.solve(problem, features=300).compare(exact).linf < 1e-12


def test_terms_that_are_infinite_at_zero_do_not_spoil_the_start():
    exact = 2 + sp.sin(x)
    problem = fens.manufacture({rod: w.diff(x, 2) + 1 / w, rod.boundary: w}, w, exact)
    assert fens.solve(problem, features=60).compare(exact).linf < 1e-12


E1 = 1 + x**2 / 4


@pytest.mark.parametrize(
    "operators",
    [
        {rod: w.diff(x, 2), rod.boundary: fens.normal_derivative(w) + w**4},
        {rod: w.diff(x, 2), rod.boundary: fens.normal_derivative(w) + sp.exp(w)},
        {rod: w.diff(x, 2) - w**3, rod.boundary: w.diff(x)},
        {rod: w.diff(x, 2) - w, rod.boundary: w**3},
        {rod: w**2},
        {rod: w.diff(x, 2) - sp.Derivative(sp.Max(w, 0) ** 2, x), rod.boundary: w},
        {rod: w.diff(x, 2) - sp.sign(w), rod.boundary: w},
        {rod: w.diff(x, 2) - sp.real_root(w, 3), rod.boundary: w},
        {rod: w.diff(x, 2) - sp.Piecewise((w, w > 1), (w**2, True)), rod.boundary: w},
    ],
    ids=lambda operators: str(list(operators.values())),
)
def test_linear_parts_that_are_singular_and_functions_that_are_not_smooth(operators):
    """An equation must not be lost because its rows got a weight of next to nothing at a start far away."""
    solution = fens.solve(fens.manufacture(operators, w, E1), features=60)
    assert solution.compare(E1).linf < 1e-12


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_linear_part_that_contradicts_itself_is_no_wild_start(seed):
    """Without e^w nothing fixes a constant, and the slopes at the ends do not go with w″."""
    operators = {rod: w.diff(x, 2), rod.boundary: fens.normal_derivative(w) + sp.exp(w)}
    solution = fens.solve(fens.manufacture(operators, w, E1), features=60, seed=seed)
    assert solution.compare(E1).linf < 1e-12


@pytest.mark.parametrize("nonlinear", ["newton", "picard"])
def test_zero_is_a_solution(nonlinear):
    problem = fens.Problem({rod: w.diff(x, 2) - sp.sin(w), rod.boundary: w})
    solution = fens.solve(problem, features=60, nonlinear=nonlinear, initial=sp.sin(sp.pi * x))
    assert solution.compare(0).linf < 1e-12


def test_slow_convergence_is_not_taken_for_round_off():
    exact = sp.sin(sp.pi * x) / 100
    problem = fens.manufacture({rod: w.diff(x, 2) + 8 * sp.tanh(w), rod.boundary: w}, w, exact)
    solution = fens.solve(problem, features=60, nonlinear="picard", max_iterations=1000)
    assert solution.compare(exact).linf < 1e-13


def test_complex_values_on_the_way_are_not_taken():
    problem = fens.manufacture({rod: w.diff(x, 2) / 100 - sp.LambertW(w), rod.boundary: w}, w, E1)
    assert fens.solve(problem, features=40, initial=30).compare(E1).linf < 1e-12


def test_huge_starts_do_not_warn():
    for initial in (-1e5, 709):
        fens.solve(bratu(1.0), features=60, initial=initial, raise_on_failure=False)


def test_a_start_at_which_the_equations_have_no_value():
    problem = fens.Problem({rod: w.diff(x, 2) - sp.log(w), rod.boundary: sp.Eq(w, 1)})
    with pytest.raises(fens.NotConverged, match=r"no value at the initial function.* Or try another initial function"):
        fens.solve(problem, features=60, initial=-1)


def test_derivatives_are_not_mistaken_for_their_solution():
    first = fens.solve(bratu(1.0), features=80, scale=8.0)
    slope = fens.solve(bratu(1.0), features=80, scale=8.0, initial=first.diff(x))
    assert slope.stats.iterations[0].residual > 1


def test_a_nonlinear_scale_search():
    known = zoo.bratu()
    solution = fens.solve(known.problem, features=200, scale=fens.ScaleGrid(0, 9, 3))
    assert len(solution.search.losses) == 3
    assert solution.stats.residual == pytest.approx(min(solution.search.losses), rel=1e-6)


# ---- the linearisations


def random_functions(known, count=2):
    """The problem at its points, and functions of size one made of random features."""
    d = len(known.problem.coordinates)
    bounds = known.problem.domain.bounds
    seed = np.random.SeedSequence(1)
    unscaled = Plain().draw(60, Frame(bounds, activation("cos"), affine=True), seed)
    features = TrialSpace((unscaled.scaled((1.0,) * d, torch.device("cpu")),))
    samples = fens.solve(known.problem, features=60, max_iterations=1, raise_on_failure=False).samples
    placed = discretise(known.problem, samples, newton_form, torch.device("cpu"))
    rng = np.random.default_rng(2)
    weights = [torch.as_tensor(0.05 * rng.standard_normal(60)) for _ in range(count)]
    return placed, [[evaluate_jets(features, v, p.functional, p.jets) for p in placed] for v in weights]


@pytest.mark.parametrize("known", PROBLEMS, ids=lambda known: known.name)
def test_taylor_remainders_have_slope_two(known):
    """‖F(u + hv) − F(u) − h F'(u)v‖ = O(h²), for the operators as they are assembled."""
    placed, (state, direction) = random_functions(known)
    steps = np.array([1e-1, 1e-2, 1e-3])
    curved = 0
    for p, jets, change in zip(placed, state, direction, strict=True):
        operator = {jet: np.asarray(c) for c, jet in p.at(jets).operator}
        slope = sum(c * change[jet] for jet in p.jets if (c := operator.get(jet)) is not None)
        base = p.residual(jets)
        remainders = [
            np.linalg.norm(p.residual({j: jets[j] + h * change[j] for j in p.jets}) - base - h * slope) for h in steps
        ]
        if p.condition.equation.is_linear:
            assert max(remainders) < 1e-12 * (1 + np.linalg.norm(base))
            continue
        curved += 1
        rates = np.diff(np.log10(remainders)) / np.diff(np.log10(steps))
        assert np.all(np.abs(rates - 2) < 0.1), rates
    assert curved > 0


def coefficients(equation, form):
    names = {symbol: sp.Symbol(symbol.name) for _, symbol in equation.jets}
    return {jet.orders: str(c.expression.xreplace(names)) for jet, c in form(equation).coefficients}


def test_picard_keeps_the_derivative_and_lags_the_rest():
    burgers = zoo.burgers().problem.conditions[0].equation
    assert coefficients(burgers, picard_form) == {(0, 1): "1", (1, 0): "u(x, t)", (2, 0): "-1/100"}
    assert coefficients(burgers, newton_form)[0, 0] == "Derivative(u(x, t), x)"
    helmholtz = zoo.nonlinear_helmholtz().problem.conditions[0].equation
    assert coefficients(helmholtz, picard_form) == {(2,): "1", (0,): "-50"}


@pytest.mark.parametrize(("make", "changes"), [(zoo.nonlinear_helmholtz, False), (zoo.burgers, True)])
def test_a_matrix_that_does_not_change_is_factorised_once(monkeypatch, make, changes):
    factorised = []
    original = Direct.factorise
    monkeypatch.setattr(Direct, "factorise", lambda self, rows: factorised.append(1) or original(self, rows))
    options = {"scale": 10, "estimate": False, "max_iterations": 5, "initial": 1, "raise_on_failure": False}
    solution = fens.solve(make().problem, features=200, nonlinear="picard", **options)
    iterations = solution.stats.iterations[-1].iteration
    assert iterations == 5
    assert len(factorised) == 1 + (iterations if changes else 1)  # one more for fitting the initial function


# ---- where it starts


def test_a_jacobian_serves_again_after_a_tiny_step(monkeypatch):
    made, original = [], Iteration._linearised
    monkeypatch.setattr(Iteration, "_linearised", lambda self, *a: made.append(1) or original(self, *a))
    known = zoo.bratu()
    solution = fens.solve(known.problem, features=250, scale=4.0)
    steps = [s.step for s in solution.stats.iterations[1:]]
    again = sum(step < Nonlinear.SAME_JACOBIAN for step in steps[:-1])
    assert again > 0
    assert len(made) == len(steps) - 1 - again
    assert solution.compare(known.exact).linf < 1e-9


@pytest.mark.parametrize("initial", [0, sp.sin(sp.pi * x), np.cos, "random", None, fens.wrap(np.sin)(x)], ids=str)
def test_starts(initial):
    solution = fens.solve(bratu(1.0), features=80, initial=initial)
    assert solution(0.5) == pytest.approx(0.1405392, abs=1e-7)


def test_starting_from_a_solution():
    first = fens.solve(bratu(1.0), features=80)
    again = fens.solve(bratu(1.0), features=80, initial=first)
    assert again.stats.iterations[0].residual == pytest.approx(first.stats.residual, rel=1e-3)
    other = fens.solve(bratu(1.0), features=90, seed=5, initial=first)
    assert other.stats.iterations[0].residual < 1e-6


def test_the_start_decides_between_two_solutions():
    low, high = (fens.solve(bratu(1.0), features=120, initial=c * sp.sin(sp.pi * x)) for c in (0, 5))
    assert low(0.5) == pytest.approx(0.1405392, abs=1e-6)
    assert high(0.5) == pytest.approx(4.0914672, abs=1e-5)


def test_same_seed_same_bits():
    a, b = (fens.solve(bratu(1.0), features=80, initial="random", seed=3).weights for _ in range(2))
    assert torch.equal(a, b)


def test_continuation_starts_each_from_the_last():
    """A front that sharpens: εw'' + ww' = w."""

    def front(epsilon):
        equation = sp.Eq(epsilon * w.diff(x, 2) + w * w.diff(x), w)
        return fens.Problem({rod: equation, rod.face(x, 0): sp.Eq(w, -1), rod.face(x, 1): sp.Eq(w, 1.5)})

    direct = fens.solve(front(0.03), features=400)
    *_, last = fens.continuation(front, (0.1, 0.05, 0.03), features=400)
    assert len(last.stats.iterations) < len(direct.stats.iterations)
    assert last(0.3) == pytest.approx(direct(0.3), abs=1e-8)


def test_continuation_says_where_it_failed():
    with pytest.raises(fens.NotConverged, match=r"At the value 20\.0 of the parameter, number 2: .* smaller steps"):
        fens.continuation(bratu, (1.0, 20.0), features=60)
    with pytest.raises(SettingError, match="at least one value"):
        fens.continuation(bratu, ())
    with pytest.raises(SettingError, match="takes a function from a parameter to a problem"):
        fens.continuation(bratu(1.0), [1.0])


# ---- the iteration as a generator


def test_states_come_one_by_one():
    problem = bratu(1.0)
    solution = fens.solve(problem, features=60)
    placed = discretise(problem, solution.samples, newton_form, torch.device("cpu"))
    iteration = Iteration(problem, placed, solution.features, "balanced", True, 100, Direct())
    states = iteration.states(torch.zeros(60, dtype=torch.float64))
    first, second = next(states), next(states)
    assert (first.iteration, second.iteration) == (0, 1)
    assert second.residual < first.residual
    assert str(first).startswith("start: residual ")
    assert str(second).startswith("iteration 1: residual ")


def test_a_live_line_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    fens.solve(bratu(1.0), features=60)
    shown = sys.stderr.getvalue()
    assert "iteration 2: residual" in shown
    assert shown.endswith("\r\x1b[K")


def test_repr_counts_the_iterations():
    assert "iterations of newton" in repr(fens.solve(bratu(1.0), features=60))


# ---- failure


@pytest.mark.parametrize("coefficient", [3.6, 5.0, 20.0, 1e4])
def test_no_solution_is_not_a_number(coefficient):
    with pytest.raises(fens.NotConverged, match=r"did not converge: .* Try") as caught:
        fens.solve(bratu(coefficient), features=100, scale=None if coefficient == 5 else 3.0)
    assert len(caught.value.states) >= 2


@pytest.mark.parametrize("coefficient", [8.0, 100.0])
def test_no_solution_in_two_dimensions(coefficient):
    problem = fens.Problem({square: u.diff(x, 2) + u.diff(y, 2) + coefficient * sp.exp(u), square.boundary: u})
    with pytest.raises(fens.NotConverged):
        fens.solve(problem, features=150, scale=3.0)


@pytest.mark.parametrize(
    ("domain", "equation", "value"),
    [(rod, sp.Eq(w.diff(x), w**2), 2), (fens.Box({x: (0, 2)}), sp.Eq(w.diff(x), 1 + w**2), 0)],
    ids=["1/(1/2 - x)", "tan"],
)
def test_solutions_that_blow_up_inside(domain, equation, value):
    with pytest.raises(fens.NotConverged):
        fens.solve(fens.Problem({domain: equation, domain.face(x, 0): sp.Eq(w, value)}), features=60, scale=8.0)


def test_picard_that_diverges():
    with pytest.raises(fens.NotConverged):
        fens.solve(bratu(20.0), features=60, nonlinear="picard")


def test_failure_without_raising_says_so():
    solution = fens.solve(bratu(20.0), features=60, raise_on_failure=False)
    assert solution.stats.status == "failed"
    assert "Try another initial function" in solution.stats.advice
    assert "FAILED: " in repr(solution)
    assert np.isfinite(solution(np.linspace(0, 1, 11))).all()


def test_too_few_iterations():
    with pytest.raises(fens.NotConverged, match=r"after 1 iterations the step is still .*Try a larger max_iterations"):
        fens.solve(zoo.bratu().problem, features=100, max_iterations=1)


def test_a_wrapped_function_of_the_unknown_needs_picard():
    problem = fens.Problem({rod: w.diff(x, 2) + fens.wrap(np.exp)(w), rod.boundary: w})
    with pytest.raises(UnsupportedEquation, match="has no formula; use nonlinear='picard'"):
        fens.solve(problem, features=60)
    solution = fens.solve(problem, features=60, nonlinear="picard")
    assert solution(0.5) == pytest.approx(0.1405392, abs=1e-6)
    assert np.abs(solution.residual(rod)).max() < 1e-9


@pytest.mark.parametrize(
    ("initial", "error", "words"),
    [
        ("zero", SettingError, "a number, a callable, a Solution or 'random'; got 'zero'"),
        (y, SettingError, "initial function contains y; the coordinates are x"),
        (1 / x, EvaluationError, r"initial function is .* at the point"),
        (lambda a: None, EvaluationError, "initial function must return real numbers"),
        (10**400, EvaluationError, "too large"),
        (torch.zeros(60), SettingError, "must be an expression or a callable"),
    ],
)
def test_bad_starts(initial, error, words):
    with pytest.raises(error, match=words):
        fens.solve(bratu(1.0), features=60, initial=initial)
