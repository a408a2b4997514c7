"""Problems with a first instant: solved in slabs of time that are chosen by themselves."""

import warnings

import numpy as np
import pytest
import sympy as sp
from scipy.special import ellipj, ellipk, i0

import fens
from fens.errors import NotConverged, SettingError, ToleranceNotMet, UnreliableWarning
from fens.evolution.record import Record
from fens.evolution.statement import Evolution
from fens.solution import EvolvedSolution

pytestmark = pytest.mark.xdist_group("evolution")  # what tests share is made once
x, y, t = sp.symbols("x y t", real=True)
u, v = (sp.Function(name)(x, t) for name in "uv")
w = fens.complex_unknown("w")(x, t)
z = sp.Function("z")(x, y, t)
q, a, b, c = (sp.Function(name)(t) for name in "qabc")
PI = sp.pi
HALF, TENTH = sp.Rational(1, 2), sp.Rational(1, 10)


def ordinary(end, equations, first):
    """Equations in time alone, from 0 on."""
    time = fens.Box({t: (0, end)})
    return fens.Problem({time: equations, time.face(t, 0): first})


def rod(start, stop, end):
    return fens.Box({x: (start, stop)}).during(t, 0, end)


def periodic(unknown, order):
    return [sp.Eq(fens.jump(unknown.diff(x, k)), 0) for k in range(order)]


def at_first(exact, unknown=u, second=False):
    """Initial values, and derivatives in time where there are some."""
    values = [sp.Eq(unknown, exact.subs(t, 0))]
    return [*values, sp.Eq(unknown.diff(t), exact.diff(t).subs(t, 0))] if second else values


def source_of(operator, known):
    """An equation that known functions solve."""
    return sp.Eq(operator, operator.subs(known).doit(), evaluate=False)


# ---- problems, each with what solves it


def oscillator(end=40 * PI):
    first = [sp.Eq(q, 1), sp.Eq(q.diff(t), 0)]
    return ordinary(end, sp.Eq(q.diff(t, 2), -q), first), {q: sp.cos(t)}


def logistic():
    return ordinary(10, sp.Eq(q.diff(t), q * (1 - q)), sp.Eq(q, TENTH)), {q: 1 / (1 + 9 * sp.exp(-t))}


def pendulum(end=20, swing=1):
    """From rest at an angle."""
    return ordinary(end, sp.Eq(q.diff(t, 2), -sp.sin(q)), [sp.Eq(q, swing), sp.Eq(q.diff(t), 0)])


def pendulum_from_below():
    first = [sp.Eq(q, 0), sp.Eq(q.diff(t), sp.Rational(9, 5))]
    known = {q: lambda time: 2 * np.arcsin(0.9 * ellipj(time, 0.81)[0])}
    return ordinary(10, sp.Eq(q.diff(t, 2), -sp.sin(q)), first), known


def stiff():
    """Prothero and Robinson's equation with a layer at first."""
    equation = sp.Eq(q.diff(t), -(10**6) * (q - sp.cos(t)) - sp.sin(t))
    return ordinary(10, equation, sp.Eq(q, 2)), {q: sp.cos(t) + sp.exp(-(10**6) * t)}


def robertson():
    slow, back, fast = a / 25, 10**4 * b * c, 3 * 10**7 * b**2
    equations = [sp.Eq(a.diff(t), back - slow), sp.Eq(b.diff(t), slow - back - fast), sp.Eq(c.diff(t), fast)]
    return ordinary(100, equations, [sp.Eq(a, 1), sp.Eq(b, 0), sp.Eq(c, 0)])


def lorenz(end):
    equations = [
        sp.Eq(a.diff(t), 10 * (b - a)), sp.Eq(b.diff(t), 28 * a - a * c - b),
        sp.Eq(c.diff(t), a * b - sp.Rational(8, 3) * c),
    ]  # fmt: skip
    return ordinary(end, equations, [sp.Eq(f, 1) for f in (a, b, c)])


def blow_up():
    return ordinary(2, sp.Eq(q.diff(t), q**2), sp.Eq(q, 1))


def heat(end=1):
    domain = rod(0, 1, end)
    exact = sp.sin(PI * x) * sp.exp(-(PI**2) * t)
    conditions = {domain.sides: sp.Eq(u, 0), domain.initial: at_first(exact)}
    return fens.Problem({domain: sp.Eq(u.diff(t), u.diff(x, 2)), **conditions}), {u: exact}


def heat_with_loss():
    domain, exact = rod(0, 1, 1), sp.sin(PI * x) * sp.exp(-t)
    equation = source_of(u.diff(t) - u.diff(x, 2) + u**2, {u: exact})
    return fens.Problem({domain: equation, domain.sides: sp.Eq(u, 0), domain.initial: at_first(exact)}), {u: exact}


def wave():
    domain = rod(0, 1, 10)
    exact = sp.sin(PI * x) * sp.cos(PI * t) + sp.sin(3 * PI * x) * sp.cos(3 * PI * t) / 2
    conditions = {domain.sides: sp.Eq(u, 0), domain.initial: at_first(exact, second=True)}
    return fens.Problem({domain: sp.Eq(u.diff(t, 2), u.diff(x, 2)), **conditions}), {u: exact}


def advection():
    domain, exact = rod(0, 2 * PI, 2 * PI), sp.exp(sp.sin(x - 5 * t))
    conditions = {domain.pair(x): periodic(u, 1), domain.initial: at_first(exact)}
    return fens.Problem({domain: sp.Eq(u.diff(t) + 5 * u.diff(x), 0), **conditions}), {u: exact}


def burgers(end=1):
    domain, exact = rod(-1, 2, end), (1 - sp.tanh(5 * (x - t / 2) / 2)) / 2
    equation = sp.Eq(u.diff(t) + u * u.diff(x), u.diff(x, 2) / 10)
    return fens.Problem({domain: equation, domain.sides: sp.Eq(u, exact), domain.initial: at_first(exact)}), {u: exact}


def soliton():
    """That of Korteweg and de Vries, below rounding at the ends."""
    domain, exact = rod(-20, 20, HALF), 2 * sp.sech(x - 4 * t) ** 2
    equation = sp.Eq(u.diff(t) + 6 * u * u.diff(x) + u.diff(x, 3), 0)
    return fens.Problem({domain: equation, domain.pair(x): periodic(u, 3), domain.initial: at_first(exact)}), {u: exact}


def plane_wave():
    domain, exact = rod(-PI, PI, 1), sp.exp(sp.I * (2 * x - t))
    equation = sp.Eq(sp.I * w.diff(t) + w.diff(x, 2) / 2 + sp.Abs(w) ** 2 * w, 0)
    conditions = {domain.pair(x): periodic(w, 2), domain.initial: at_first(exact, w)}
    return fens.Problem({domain: equation, **conditions}), {w: exact}


def coupled():
    domain = rod(0, 1, 2)
    exact = {u: sp.cos(PI * x) * sp.exp(-t), v: sp.sin(t) * sp.cos(2 * PI * x)}
    operators = [u.diff(t) - u.diff(x, 2) / 10 + u * v, v.diff(t) - v.diff(x, 2) / 10 - u**2]
    problem = fens.Problem({
        domain: [source_of(operator, exact) for operator in operators],
        domain.sides: [sp.Eq(fens.normal_derivative(f), 0) for f in (u, v)],
        domain.initial: [e for f in (u, v) for e in at_first(exact[f], f)],
    })  # fmt: skip
    return problem, exact


def around_a_hole():
    domain = (fens.Box({x: (-1, 1), y: (-1, 1)}) - fens.Ball({x: 0, y: 0}, radius=sp.Rational(2, 5))).during(t, 0, 1)
    exact = sp.exp(-t) * (x + y**2) / 2
    operators = {domain: z.diff(t) - fens.laplacian(z) + z**3, domain.sides: z, domain.initial: z}
    return fens.manufacture(operators, z, exact), exact


def is_honest(found, estimate):
    """Whether an estimate is above an error, and not far from it, where that is not rounding."""
    return found <= estimate and (estimate <= 100 * found or estimate < 1e-12)


# ---- closed forms


@pytest.mark.parametrize(
    ("stated", "asked"),
    [
        (oscillator, 1e-12),
        (logistic, 1e-13),
        (pendulum_from_below, 1e-11),
        (stiff, 1e-13),
        (heat_with_loss, 1e-12),
        (wave, 1e-10),
        (advection, 1e-12),
        (burgers, 1e-11),
        (soliton, 1e-11),
        (plane_wave, 1e-12),
        (coupled, 1e-11),
    ],
)
def test_closed_forms_and_estimates_that_are_honest(stated, asked):
    problem, exact = stated()
    solution = fens.solve(problem)
    assert isinstance(solution, EvolvedSolution)
    assert solution.stats.status == "converged"
    assert solution.end == problem.domain.bounds[-1][1]
    errors = {k: e.linf for k, e in solution.compare(exact).items()}
    assert max(errors.values()) < asked
    assert is_honest(max(errors.values()), solution.error.estimate)
    assert solution.error.trusted


def test_a_hole_and_a_tolerance():
    problem, exact = around_a_hole()
    solution = fens.solve(problem, tol=1e-6)
    assert isinstance(solution, EvolvedSolution)
    found = solution.compare(exact).linf
    assert found <= solution.error.estimate <= 1e-6
    assert np.isnan(solution(0.0, 0.0, 0.5))


def test_what_is_linear_and_short_may_be_solved_at_once():
    problem, exact = oscillator(5)
    solution = fens.solve(problem)
    assert not isinstance(solution, EvolvedSolution)
    assert solution.compare(exact)[q].linf <= solution.error.estimate < 1e-13


def test_lorenz_equations_against_taylor_series():
    """With 50 digits and with 40, which agree to the last digit here."""
    solution = fens.solve(lorenz(2))
    known = {a: -8.1734999322422496, b: -9.5620236867987995, c: 24.620702049679666}
    found = max(abs(solution[f](2.0) - value) for f, value in known.items())
    assert found <= solution.error.estimate < 1e-10


@pytest.mark.parametrize(("speed", "end"), [("0.9", 20), ("0.99", 20)])
def test_long_swings_of_the_pendulum(speed, end):
    k = float(speed)
    first = [sp.Eq(q, 0), sp.Eq(q.diff(t), 2 * sp.Rational(speed))]
    solution = fens.solve(ordinary(end, sp.Eq(q.diff(t, 2), -sp.sin(q)), first))
    times = np.linspace(0, end, 401)
    found = np.abs(solution(times) - 2 * np.arcsin(k * ellipj(times, k**2)[0])).max()
    assert found <= solution.error.estimate


# ---- what is conserved


def test_the_energy_of_a_pendulum():
    balance = fens.solve(pendulum()).balance(q.diff(t) ** 2 / 2 - sp.cos(q))
    assert balance.change < 1e-11
    assert balance.values[0] == pytest.approx(-np.cos(1), abs=1e-13)


def test_the_matter_in_robertsons_reactions():
    solution = fens.solve(robertson())
    assert solution.balance(a + b + c).change < 1e-12
    assert solution[b](np.geomspace(1e-3, 100, 40)).min() > 0
    assert solution.error.estimate < 1e-11


def test_the_energy_of_what_is_carried_along():
    problem, _ = advection()
    solution, times = fens.solve(problem), np.linspace(0, 2 * np.pi, 5)
    assert solution.balance(u**2, times, points=60).values == pytest.approx(np.full(5, 2 * np.pi * i0(2)), rel=1e-12)
    with pytest.raises(SettingError, match="from 0 to 6"):
        solution.balance(u, [7.0])


# ---- tolerances


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("stated", [oscillator, burgers, heat_with_loss])
def test_errors_are_below_the_tolerance(stated, tol):
    problem, exact = stated()
    solution = fens.solve(problem, tol=tol)
    assert max(e.linf for e in solution.compare(exact).values()) <= solution.error.estimate <= tol


def test_a_loose_tolerance_takes_no_other_path():
    assert isinstance(fens.solve(burgers()[0], tol=1e-4, max_features=300), EvolvedSolution)


def test_less_is_asked_of_time_for_a_larger_tolerance():
    counts = [len(fens.solve(pendulum(), tol=tol).slabs.which) for tol in (1e-4, 1e-11)]
    assert counts[0] < counts[1]


def test_tolerances_that_cannot_be_met():
    with pytest.raises(ToleranceNotMet, match=r"above the tolerance 1\.0e-17") as caught:
        fens.solve(pendulum(), tol=1e-17)
    solution = caught.value.solution
    assert isinstance(solution, EvolvedSolution)
    assert solution.stats.status == "tolerance not met"
    assert solution.error.estimate < 1e-11
    kept = fens.solve(pendulum(), tol=1e-17, raise_on_failure=False)
    assert kept.stats.status == "tolerance not met"


def test_tolerances_that_too_few_features_cannot_meet():
    problem, exact = burgers()
    with pytest.raises(ToleranceNotMet) as caught:
        fens.solve(problem, tol=1e-8, max_features=20)
    assert caught.value.solution.compare(exact)[u].linf < 1
    assert not caught.value.solution.meets(1e-8)


# ---- until=

QUARTER = float(ellipk(np.sin(0.5) ** 2))  # of the period of a pendulum that is let go at an angle of 1


@pytest.mark.parametrize(
    ("until", "quarters"),
    [(q < 0, 1), (q <= 0, 1), (q, 1), (q > 0, 3), (q.diff(t) > 0, 2), (q.diff(t, 2) > 0, 1), (q * q.diff(t) > 0, 1)],
)
def test_the_time_of_an_event(until, quarters):
    solution = fens.solve(pendulum(), until=until)
    assert solution.end == pytest.approx(quarters * QUARTER, abs=1e-12)
    assert solution.problem.domain.bounds == ((0, solution.end),)
    assert solution.asked.domain.bounds == ((0, 20),)
    assert solution.ended.startswith(f"It ends at t = {solution.end:.12g}, where {until} ")
    assert solution.ended in repr(solution)
    assert solution.stats.status == "converged"
    assert np.isnan(solution(solution.end + 1e-9))


def test_what_is_solved_until_an_event_is_the_same_before_it():
    whole, part = fens.solve(pendulum()), fens.solve(pendulum(), until=q > 0)
    times = np.linspace(0, part.end, 300)
    assert np.abs(whole(times) - part(times)).max() < 1e-13


@pytest.mark.parametrize("until", [u < HALF, u**2 - sp.Rational(1, 4)])
def test_when_the_largest_value_over_space_is_below_another(until):
    problem, exact = heat()
    solution = fens.solve(problem, until=until)
    assert solution.end == pytest.approx(np.log(2) / np.pi**2, abs=1e-12)
    assert solution.compare(exact)[u].linf <= solution.error.estimate < 1e-11


def test_what_is_known_at_sensors_is_so_until_an_event():
    domain, times = rod(0, 1, 1), np.linspace(0, 1, 11)
    held = fens.Points({x: 0 * times, t: times})
    solution = fens.solve(fens.Problem({
        domain: sp.Eq(u.diff(t), u.diff(x, 2) + sp.sin(u)), held: sp.Eq(u, 0), domain.face(x, 1): sp.Eq(u, 0),
        domain.initial: sp.Eq(u, sp.sin(PI * x)),
    }), until=u < HALF)  # fmt: skip
    former, shorter = Evolution.of(solution.asked), Evolution.of(solution.problem)
    assert shorter is not None
    assert len(shorter.running) == len(former.running)


def test_what_never_happens_ends_at_the_end():
    solution = fens.solve(pendulum(), until=q > 2)
    assert (solution.end, solution.ended, solution.asked) == (20.0, "", None)
    assert solution.problem.domain.bounds == ((0, 20),)


def test_an_event_before_a_blow_up():
    solution = fens.solve(blow_up(), until=q > 100)
    assert solution.end == pytest.approx(0.99, abs=1e-13)
    assert solution.stats.status == "converged"


def test_a_first_value_of_zero_is_no_event():
    assert fens.solve(pendulum(), until=q.diff(t)).end == pytest.approx(2 * QUARTER, abs=1e-11)


def test_until_is_not_forgotten_by_other_ways_to_solve():
    domain = rod(0, 1, 1)
    jump = fens.Problem({
        domain: sp.Eq(u.diff(t), u.diff(x, 2)), domain.sides: sp.Eq(u, 1), domain.initial: sp.Eq(u, sp.sin(PI * x)),
    })  # fmt: skip
    try:
        solution = fens.solve(jump, until=u.diff(t) > 0, max_features=60, estimate=False)
    except fens.errors.FensError:  # to say that there is no such time, or that it is not found, will do
        return
    assert isinstance(solution, EvolvedSolution)


@pytest.mark.parametrize(
    ("until", "sentence"),
    [
        ("q", "expression"),
        (sp.Eq(q, 0), "inequality"),
        (sp.true, "inequality"),
        ((q < 0) & (q.diff(t) < 0), "inequality"),
        (t > 3, "in the unknowns"),
        (sp.I * q, "real"),
    ],
)
def test_events_that_are_refused(until, sentence):
    with pytest.raises(SettingError, match=sentence):
        fens.solve(pendulum(), until=until)


# ---- where there is no further


def test_a_solution_that_grows_without_bound():
    with pytest.raises(NotConverged, match=r"to t = 1 and no further: it grows without bound") as caught:
        fens.solve(blow_up())
    solution, times = caught.value.solution, np.linspace(0, 0.99, 100)
    assert solution.end == pytest.approx(1, abs=1e-9)
    assert np.abs(solution(times) * (1 - times) - 1).max() < 1e-12
    late = 1 - np.geomspace(1e-2, 1e-10, 9)
    assert np.abs(solution(late) - 1 / (1 - late)).max() <= solution.error.estimate
    assert np.isnan(solution(1.5))


def test_a_failure_that_is_not_raised():
    with pytest.warns(UnreliableWarning, match="no further"):
        solution = fens.solve(blow_up(), raise_on_failure=False)
    assert solution.stats.status == "failed"
    assert solution.mark == "not converged"
    assert "NOT CONVERGED" in repr(solution)


def test_chaos_takes_all_digits():
    """Against Taylor series with 50 digits."""
    with pytest.raises(NotConverged, match="all digits are gone") as caught:
        fens.solve(lorenz(60))
    solution = caught.value.solution
    assert 30 < solution.end < 45
    known = {
        20: (13.793199595128619, 12.951803936189899, 34.901608681135143),
        30: (7.3949855239490713, 2.0516425629287701, 31.761075064966385),
        35: (-6.2305433010364994, -10.690433185745552, 14.136257636248456),
    }
    errors = [max(abs(solution[f](time) - k) for f, k in zip((a, b, c), values, strict=True))
              for time, values in known.items() if time <= solution.end]  # fmt: skip
    assert errors[0] < 1e-4
    assert max(errors) <= solution.error.estimate


def test_no_more_time():
    solution = fens.solve(pendulum(2000), max_seconds=1e-9)
    assert solution.stats.status == "out of time"
    assert 0 < solution.end < 2000
    assert solution.problem.domain.bounds == ((0, solution.end),)
    assert "continuing=" in solution.stats.advice
    longer = fens.solve(pendulum(5), continuing=solution)
    assert longer(4.0) == pytest.approx(fens.solve(pendulum(5))(4.0), abs=1e-11)


@pytest.fixture
def interrupted(monkeypatch):
    """A solution that someone interrupted after four slabs."""
    calls, add = [], Record.add

    def fifth(self, step, goal):
        calls.append(step)
        if len(calls) == 5:
            raise KeyboardInterrupt
        add(self, step, goal)

    monkeypatch.setattr(Record, "add", fifth)
    solution = fens.solve(pendulum())
    monkeypatch.undo()
    return solution


def test_an_interruption_leaves_what_there_is(interrupted):
    assert interrupted.stats.status == "interrupted"
    assert len(interrupted.slabs.which) == 4
    assert f"t = {interrupted.end:.12g}" in interrupted.stats.advice
    whole, times = fens.solve(pendulum()), np.linspace(0, interrupted.end, 100)
    assert (interrupted(times) == whole(times)).all()


def test_what_was_interrupted_goes_on(interrupted):
    assert fens.solve(pendulum(), continuing=interrupted).end == 20


def test_an_interruption_before_the_first_slab_is_one(monkeypatch):
    def at_once(self, step, goal):
        raise KeyboardInterrupt

    monkeypatch.setattr(Record, "add", at_once)
    with pytest.raises(KeyboardInterrupt):
        fens.solve(pendulum())


# ---- continuing=


@pytest.mark.parametrize(("stated", "half", "whole"), [(pendulum, 5, 10), (lambda e: burgers(e)[0], HALF, 1)])
def test_a_solution_is_continued(stated, half, whole, tmp_path):
    fens.solve(stated(half)).save(tmp_path / "half.fens")
    saved = fens.load(tmp_path / "half.fens")
    further, direct = fens.solve(stated(whole), continuing=saved), fens.solve(stated(whole))
    assert further.end == whole
    assert further.times[0] == 0
    rng = np.random.default_rng(0)
    places = [rng.uniform(*bounds, 400) for bounds in direct.problem.domain.bounds]
    assert np.abs(further(*places) - direct(*places)).max() < 1e-9
    assert further.error.estimate >= saved.error.estimate
    early = [*places[:-1], places[-1] * float(half) / float(whole)]
    assert (further(*early) == saved(*early)).all()


@pytest.fixture(scope="module")
def swinging():
    return fens.solve(pendulum(5))


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (lambda: pendulum(3), "later end"),
        (lambda: pendulum(5), "later end"),
        (lambda: heat_with_loss()[0], "the same unknowns"),
        (lambda: lorenz(10), "the same unknowns"),
        (lambda: ordinary(9, sp.Eq(q.diff(t), -q), sp.Eq(q, 1)), "the same"),
        (lambda: ordinary(9, sp.Eq(q.diff(t, 2), -2 * q), [sp.Eq(q, 1), sp.Eq(q.diff(t), 0)]), "the same equations"),
        (lambda: pendulum(9, 2), "the same equations and initial values"),
    ],
)  # fmt: skip
def test_other_problems_are_not_continued(problem, sentence, swinging):
    with pytest.raises(SettingError, match=sentence) as caught:
        fens.solve(problem(), continuing=swinging)
    assert caught.value.option == "continuing"


@pytest.mark.parametrize("options", [{"blocks": 2}, {"features": 60}, {"blocks": 1, "max_features": 60}])
def test_other_solutions_are_not_continued(options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreliableWarning)
        other = fens.solve(wave()[0], estimate=False, **{"features": 60} | options)
    with pytest.raises(SettingError, match="in slabs of time"):
        fens.solve(wave()[0], continuing=other)


def test_what_ended_at_an_event_goes_on_from_it():
    further, direct = fens.solve(pendulum(), continuing=fens.solve(pendulum(), until=q < 0)), fens.solve(pendulum())
    times = np.linspace(0, 20, 200)
    assert np.abs(further(times) - direct(times)).max() <= further.error.estimate + direct.error.estimate


def test_until_in_what_is_continued(swinging):
    assert fens.solve(pendulum(), continuing=swinging, until=q < 0).end == pytest.approx(5 * QUARTER, abs=1e-11)


# ---- keep=


@pytest.fixture(scope="module")
def long_and_kept():
    return fens.solve(pendulum(50)), fens.solve(pendulum(50), keep=[0, 10, 20.5])


def test_only_what_is_kept_has_values(long_and_kept):
    whole, kept = long_and_kept
    assert np.isnan(kept([5.0, 15.0, 30.0, 45.0])).all()
    times = np.array([0.0, 10.0, 20.5, 50.0])
    assert (kept(times) == whole(times)).all()
    assert (kept.diff(t)(times) == whole.diff(t)(times)).all()
    assert kept.end == whole.end == 50
    assert kept.error.estimate == whole.error.estimate


def test_a_beginning_that_is_forgotten_has_no_values():
    kept = fens.solve(pendulum(50), keep=[20])
    assert np.isnan(kept([0.0, 1.0, 10.0])).all()


def test_what_forgot_its_beginning_goes_on():
    assert fens.solve(pendulum(60), continuing=fens.solve(pendulum(50), keep=[20])).end == 60


def test_the_file_of_what_is_kept_is_smaller(long_and_kept, tmp_path):
    sizes = []
    for solution in long_and_kept:
        solution.save(tmp_path / "a.fens")
        sizes.append((tmp_path / "a.fens").stat().st_size)
    assert sizes[1] < sizes[0]
    again, times = fens.load(tmp_path / "a.fens"), np.linspace(0, 50, 101)
    np.testing.assert_array_equal(again(times), long_and_kept[1](times))


def test_what_is_kept_goes_on(long_and_kept):
    _, kept = long_and_kept
    further, direct = fens.solve(pendulum(60), continuing=kept), fens.solve(pendulum(60))
    assert np.isnan(further(5.0))
    assert further(57.0) == pytest.approx(direct(57.0), abs=1e-10)


# ---- other options


@pytest.mark.parametrize("options", [{"features": 60}, {"blocks": 1}, {"affine": True}])
def test_what_is_said_of_features_takes_those_of_all_times(options):
    solution = fens.solve(oscillator(40)[0], max_features=100, **options)
    assert not hasattr(solution, "slabs")


@pytest.mark.parametrize("name", ["until", "keep", "continuing"])
@pytest.mark.parametrize("options", [{"features": 60}, {"blocks": 2}, {"scale": 3.0}])
def test_what_is_said_of_an_evolution_is_not_said_beside_features(name, options, swinging):
    given = {"until": q < 0, "keep": [1.0], "continuing": swinging}[name]
    with pytest.raises(SettingError, match=next(iter(options))) as caught:
        fens.solve(pendulum(), **{name: given}, **options)
    assert caught.value.option == name


@pytest.mark.parametrize("name", ["until", "keep", "continuing"])
def test_what_has_no_first_instant_does_not_end_before_its_end(name, swinging):
    rod_at_rest, f = fens.Box({x: (0, 1)}), sp.Function("f")(x)
    problem = fens.Problem({rod_at_rest: sp.Eq(f.diff(x, 2), 0), rod_at_rest.boundary: sp.Eq(f, x)})
    with pytest.raises(SettingError, match="first instant") as caught:
        fens.solve(problem, **{name: {"until": f > 2, "keep": [0.5], "continuing": swinging}[name]})
    assert caught.value.option == name


@pytest.mark.parametrize(
    "keep",
    [[], "1", [1, "a"], 3, [float("nan")]],
)
def test_what_is_kept_is_a_list_of_times(keep):
    with pytest.raises(SettingError) as caught:
        fens.solve(pendulum(), keep=keep)
    assert caught.value.option == "keep"


def test_without_an_estimate_there_is_none():
    solution = fens.solve(pendulum(), estimate=False)
    assert isinstance(solution, EvolvedSolution)
    assert solution.error is None


# ---- one function


@pytest.fixture(scope="module")
def front():
    return fens.solve(burgers()[0])


def test_it_is_one_function_across_the_slabs(front):
    places = np.linspace(-1, 2, 40)
    for order, most in ((0, 1e-11), (1, 1e-8), (2, 1e-4)):
        f = front.diff(t, order) if order else front
        for time in front.times[1:-1]:
            assert np.abs(f(places, time) - f(places, np.nextafter(time, 2))).max() < most


def test_derivatives_are_those_of_the_solution(front):
    exact = (1 - sp.tanh(5 * (x - t / 2) / 2)) / 2
    places = np.random.default_rng(1).uniform([-0.9, 0.05], [1.9, 0.95], (100, 2)).T
    for variables, most in (((t,), 1e-8), ((t, 2), 1e-5), ((x,), 1e-8), ((x, 2), 1e-6), ((x, t), 1e-6)):
        known = sp.lambdify((x, t), exact.diff(*variables))(*places)
        assert np.abs(front.diff(*variables)(*places) - known).max() < most


def test_numbers_and_arrays_and_what_is_outside(front):
    assert isinstance(front(0.5, 0.5), float)
    assert front([0.1, 0.2, 0.3], 0.5).shape == (3,)
    assert front(np.zeros((4, 1)), np.linspace(0, 1, 5)).shape == (4, 5)
    assert np.isnan(front([5.0, 0.5, 0.5], [0.5, 1.5, -0.5])).all()
    assert np.isfinite(front([-1.0, 2.0, 0.5, 0.5], [0.5, 0.5, 0.0, 1.0])).all()
    assert np.isfinite(front(0.5, 1.01, outside="extrapolate"))


def test_residuals_of_all_conditions_are_small(front):
    for region in {condition.region for condition in front.problem.conditions}:
        assert np.abs(front.residual(region)).max() < 1e-6


def test_the_same_seed_gives_the_same_bits(front):
    places = np.random.default_rng(2).uniform([-1, 0], [2, 1], (200, 2)).T
    again = fens.solve_again(front)
    assert (again(*places) == front(*places)).all()
    other = fens.solve(burgers()[0], seed=1)
    difference = np.abs(other(*places) - front(*places)).max()
    assert 0 < difference <= front.error.estimate + other.error.estimate


def test_until_is_solved_again_from_the_problem_that_was_asked_for():
    solution = fens.solve(pendulum(), until=q < 0)
    again = fens.solve_again(solution)
    assert again.end == solution.end
    assert (again(np.linspace(0, 1.6, 50)) == solution(np.linspace(0, 1.6, 50))).all()


def test_files_hold_all_of_it(front, tmp_path):
    ended = fens.solve(pendulum(), until=q < 0)
    ended.save(tmp_path / "ended.fens")
    again = fens.load(tmp_path / "ended.fens")
    assert (again.end, again.ended, again.asked.domain) == (ended.end, ended.ended, ended.asked.domain)
    front.save(tmp_path / "front.fens")
    places = np.random.default_rng(3).uniform([-1, 0], [2, 1], (100, 2)).T
    again = fens.load(tmp_path / "front.fens")
    assert (again(*places) == front(*places)).all()
    assert (again.diff(x, t)(*places) == front.diff(x, t)(*places)).all()
    assert repr(again) == repr(front)


def test_tables_datasets_pictures_and_films(front, tmp_path):
    front.to_csv(tmp_path / "table.csv", 5)
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 26
    values = front.to_xarray({x: [0.0, 0.5], t: [0.0, 0.5, 1.0]})["u"]
    assert values.shape == (2, 3)
    assert float(values[1, 2]) == front(0.5, 1.0)
    front.plot(tmp_path / "picture.png")
    front.plot_points(tmp_path / "points.png")
    front.animate(t, tmp_path / "film.gif", frames=3)
    assert all((tmp_path / name).stat().st_size > 1000 for name in ("picture.png", "points.png", "film.gif"))
    assert "5 slabs" in repr(front) or f"{len(front.slabs.which)} slabs" in repr(front)


# ---- what is contradictory or ill posed is not to be trusted


def ends(end, equation, conditions):
    """From a sine, with conditions of the user's at the ends."""
    domain = rod(0, 1, end)
    return fens.Problem({domain: equation, **conditions(domain), domain.initial: sp.Eq(u, sp.sin(PI * x))})


FORWARD, BACKWARD = sp.Eq(u.diff(t), u.diff(x, 2)), sp.Eq(u.diff(t), -u.diff(x, 2))


@pytest.mark.parametrize(
    ("end", "equation", "conditions"),
    [
        (1, BACKWARD, lambda d: {d.sides: sp.Eq(u, 0)}),
        (1, FORWARD, lambda d: {d.sides: [sp.Eq(u, 0), sp.Eq(u.diff(x), 0)]}),
        (1, FORWARD, lambda d: {d.sides: sp.Eq(u, 0), d.face(x, 0): sp.Eq(u.diff(x), 1)}),
        (1, FORWARD, lambda d: {d.face(x, 0): sp.Eq(u, 0)}),
        (1, FORWARD, lambda d: {}),
        *(
            (end, FORWARD, conditions)
            for end in (0.005, 0.02)
            for conditions in (lambda d: {d.face(x, 0): sp.Eq(u, 0)}, lambda d: {})
        ),
    ],
)
def test_what_has_no_solution_or_many_is_not_trusted(end, equation, conditions):
    problem = ends(end, equation, conditions)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreliableWarning)
        try:
            solution = fens.solve(problem, max_features=100)
        except NotConverged:
            return
    assert not solution.error.trusted


# ---- what fresh eyes found


@pytest.mark.parametrize(("slope", "trusted"), [(-1, True), (0, False)])
def test_first_values_beyond_those_that_are_needed_must_hold(slope, trusted):
    first = [sp.Eq(q, 1), sp.Eq(q.diff(t), slope)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreliableWarning)
        solution = fens.solve(ordinary(1, sp.Eq(q.diff(t), -q), first))
    assert solution.error.trusted == trusted
    if not trusted:
        assert solution.error.verdict == "inconsistent"


PULSE = 1000 * sp.exp(-((t - sp.Rational(613, 10)) ** 2) * 10**6)


@pytest.mark.parametrize(("right", "first"), [(q * PULSE - q / 10, 1), ((1 + q**2) * PULSE / 2, 0)])
def test_pulses_that_no_instant_sees_are_not_trusted_away(right, first):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreliableWarning)
        try:
            solution = fens.solve(ordinary(100, sp.Eq(q.diff(t), right), sp.Eq(q, first)), max_seconds=20)
        except NotConverged:
            return
    assert not solution.error.trusted


def test_integrals_over_space_are_resolved():
    problem, _ = advection()
    solution = fens.solve(problem)
    assert solution.balance(u).change < 1e-12
    assert solution.balance(u**2).values == pytest.approx(np.full(len(solution.times), 2 * np.pi * i0(2)), rel=1e-11)


@pytest.mark.parametrize("insulated", [False, True])
def test_what_has_decayed_to_nothing_is_easy(insulated):
    domain = rod(0, 1, 100)
    sides = sp.Eq(fens.normal_derivative(u), 0) if insulated else sp.Eq(u, 0)
    first = 1 + sp.cos(PI * x) if insulated else sp.sin(PI * x)
    problem = fens.Problem({
        domain: sp.Eq(u.diff(t), u.diff(x, 2)), domain.sides: sides, domain.initial: sp.Eq(u, first),
    })  # fmt: skip
    evolution = Evolution.of(problem)
    assert evolution.constraints == {}  # normals of the sides do not bring in derivatives in time
    solution = fens.solve(problem, until=u > 100)  # which never happens, so that it stays in slabs
    assert len(solution.times) < 40
    assert abs(solution(0.3, 100.0) - float(insulated)) <= solution.error.estimate < 1e-11


def test_reactions_and_diffusion_between_insulated_walls():
    domain = fens.Box({x: (0, 1), y: (0, 1)}).during(t, 0, HALF)
    exact = sp.cos(PI * x) * sp.cos(PI * y) * sp.exp(-t)
    equation = source_of(z.diff(t) - fens.laplacian(z) / 20 - z + z**3, {z: exact})
    problem = fens.Problem({
        domain: equation, domain.sides: sp.Eq(fens.normal_derivative(z), 0),
        domain.initial: sp.Eq(z, exact.subs(t, 0)),
    })  # fmt: skip
    solution = fens.solve(problem)
    assert solution.compare(exact).linf <= solution.error.estimate < 1e-11


def test_the_flow_of_a_viscous_fluid_between_walls():
    """With a pressure that is given at a point at all times."""
    domain = fens.Box({x: (0, 1), y: (0, 1)}).during(t, 0, TENTH)
    names = [sp.Function(name)(x, y, t) for name in "uvp"]
    stream = sp.sin(PI * x) ** 2 * sp.sin(PI * y) ** 2 * sp.exp(-t)
    exact = dict(zip(names, (stream.diff(y), -stream.diff(x), sp.cos(PI * x) * sp.exp(-t)), strict=True))
    a, b, c = names
    momentum = [f.diff(t) + a * f.diff(x) + b * f.diff(y) + c.diff(s) - fens.laplacian(f) / 10
                for f, s in ((a, x), (b, y))]  # fmt: skip
    held, times = (np.full(5, 0.5), np.linspace(0, 0.1, 5))
    problem = fens.Problem({
        domain: [*(source_of(m, exact) for m in momentum), sp.Eq(a.diff(x) + b.diff(y), 0)],
        domain.sides: [sp.Eq(f, 0) for f in (a, b)],
        domain.initial: [sp.Eq(f, exact[f].subs(t, 0)) for f in (a, b)],
        fens.Points({x: held, y: held, t: times}): sp.Eq(c, 0),
    })  # fmt: skip
    solution = fens.solve(problem, tol=1e-6)
    errors = solution.compare(exact)
    assert all(errors[f].linf <= solution.error.of[f.func.__name__] for f in names)
    assert max(errors[f].linf for f in (a, b)) < 1e-6
