"""What is measured on the way to a verdict: residuals beside their terms, losses of trials, and where Newton starts.

Residuals are those of jets made by hand, trials those of a single cosine.
"""

import itertools
from dataclasses import fields
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
import sympy as sp
import torch

import fens
from fens._support.numbers import rms
from fens._support.steering import ScaleSearch, ScaleTrials
from fens.basis import Number, Plain, RandomFeatures, TrialSpace, activation
from fens.discretise import homes, linearise
from fens.discretise.field import Fields
from fens.discretise.iterate import Iterate
from fens.errors import EvaluationError, SettingError
from fens.fit.discrete import DiscreteProblem, place_points
from fens.fit.scale import Trials
from fens.fit.stats import Stats
from fens.nonlinear import starts
from fens.options import Settings
from fens.problem import Jet

CPU, INF, NAN = torch.device("cpu"), float("inf"), float("nan")
x, y = sp.symbols("x y")
u, v = sp.Function("u")(x), sp.Function("v")(x)
line = fens.Box({x: (0, 4)})  # of half-width 2


def at_points(problem, cls=DiscreteProblem, **options):
    """A problem at its points."""
    settings = Settings(**{"features": 10, **options})
    points = place_points(problem, settings, np.random.SeedSequence(0))
    found = DiscreteProblem.of(problem, settings, points, np.random.SeedSequence(1), np.random.SeedSequence(2))
    return cls(*(getattr(found, f.name) for f in fields(found)))


def iterate(conditions, *values):
    """A state of an iteration, and the linear equations there, from the values of jets on each condition.

    A value is the same at all points; its key is the order of a derivative of u, with the number of the unknown before
    it for others, and "opposite" behind it for the other side of a pair.
    """
    problem = fens.Problem(conditions)
    discretised = at_points(problem).conditions
    jets = tuple(
        {jet(key): np.full(len(p.samples), float(value)) for key, value in given.items()}
        for p, given in zip(discretised, values, strict=True)
    )
    residuals = tuple(p.residual(j) for p, j in zip(discretised, jets, strict=True))
    here = Iterate(torch.zeros(0), jets, residuals, homes(problem, discretised))
    return here, linearise(discretised, None if problem.is_linear else jets), problem.half_widths


def jet(key):
    unknown, order, *opposite = key if isinstance(key, tuple) else (0, key)
    return Jet(unknown, (order,), bool(opposite))


# residuals beside their terms

MEASURED = fens.Points({x: [1.0, 2.0]})


@pytest.mark.parametrize(
    ("conditions", "values", "least", "expected"),
    [
        # u = 3 where u is 2: residual 1, of terms 2 and 3
        ({line: sp.Eq(u, 3)}, [{0: 2}], 0, [1 / 5]),
        ({line: sp.Eq(u, 3)}, [{0: 3}], 0, [0]),
        ({line: sp.Eq(1e9 * u, 3e9)}, [{0: 2}], 0, [1 / 5]),
        # u = 0 at the ends: beside u inside, or it would never be seen to hold
        ({line: u.diff(x, 2) + u, line.boundary: u}, [{2: -5, 0: 5}, {0: 1e-3}], 0, [0, 2e-4]),
        ({line: u.diff(x, 2) + u, line.boundary: u}, [{2: -5, 0: 5}, {0: 10}], 0, [0, 1]),
        # derivatives, beside those of a function that varies over the domain: u/2 and u/4
        ({line: u.diff(x, 2), line.boundary: u.diff(x)}, [{2: 1e-3, 0: 8}, {1: 1e-3}], 0, [5e-4, 2.5e-4]),
        ({line: 5 * u.diff(x, 2)}, [{2: 1e-3, 0: 8}], 0, [5e-4]),
        ({line: u.diff(x) - u.diff(x, 2)}, [{1: 3, 2: 2, 0: 8}], 0, [1 / 6]),
        # a size that is known from elsewhere, below which nothing counts
        ({line: u.diff(x, 2), line.boundary: u}, [{2: 0, 0: 0}, {0: 1e-20}], 0, [0, 1]),
        ({line: u.diff(x, 2), line.boundary: u}, [{2: 0, 0: 0}, {0: 1e-20}], 1e-10, [0, 1e-10]),
        ({line: u.diff(x, 2), line.boundary: u}, [{2: 0, 0: 1}, {0: 1e-3}], 1e-10, [0, 1e-3]),
        # nothing at all holds
        ({line: u.diff(x, 2), line.boundary: u}, [{2: 0, 0: 0}, {0: 0}], 0, [0, 0]),
        # an unknown that vanishes counts with a millionth of the others
        ({line: [u - 1, v]}, [{0: 1, (1, 0): 0}, {(1, 0): 0}], 0, [0, 0]),
        ({line: [u - 8, v], line.boundary: v}, [{0: 8, (1, 0): 0}, {(1, 0): 0}, {(1, 0): 8e-12}], 0, [0, 0, 1e-6]),
        # integrals, beside what a function of the size of u would give: 4 is the length of the line
        ({line: [u.diff(x, 2), fens.integral(u)]}, [{2: 0, 0: 1}, {0: 0.25}], 0, [0, 1 / 4]),
        ({line: [u.diff(x, 2), sp.Eq(fens.integral(u), 2)]}, [{2: 0, 0: 1}, {0: 0.25}], 0, [0, 1 / 6]),
        # data with noise are taken to hold, those without are not
        ({line: u.diff(x), MEASURED: sp.Eq(u, fens.Data([3, 3], std=0.1))}, [{1: 0, 0: 2}, {0: 2}], 0, [0, 0]),
        ({line: u.diff(x), MEASURED: sp.Eq(u, fens.Data([3, 3]))}, [{1: 0, 0: 2}, {0: 2}], 0, [0, 1 / 5]),
        # both sides of a pair are terms
        ({line: u.diff(x), line.pair(x): fens.jump(u)}, [{1: 0, 0: 2}, {0: 2, (0, 0, "opposite"): 3}], 0, [0, 1 / 5]),
        # u² = 4 at 3 is 5 off, of 2·3·δ and what is left, 13
        ({line: u**2 - 4}, [{0: 3}], 0, [5 / 31]),
        ({line: sp.Eq(u, 3)}, [{0: 1e300}], 0, [1]),
    ],
)
def test_residuals_beside_their_terms(conditions, values, least, expected):
    here, rows, half_widths = iterate(conditions, *values)
    found = here.relative_residuals(rows, half_widths, least)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-300)
    assert here.relative_residual(rows, half_widths, least) == max(found)


@pytest.mark.parametrize("value", [INF, NAN])
def test_equations_without_a_value_do_not_hold(value):
    here, rows, half_widths = iterate({line: sp.Eq(u, 3)}, {0: value})
    assert here.relative_residuals(rows, half_widths, 0.0) == (INF,)


def test_coefficients_that_vary_count_with_their_root_mean_square():
    conditions = {line: u.diff(x, 2), line.boundary: u.diff(x) * (3 + x) - 7}
    here, rows, half_widths = iterate(conditions, {2: 0, 0: 2}, {1: 0})
    ends = rms(3 + np.array([0.0, 4.0]))  # as many points at one end as at the other
    assert here.relative_residuals(rows, half_widths, 0.0) == pytest.approx((0, 7 / (ends * 2 / 2 + 7)), rel=1e-9)


@pytest.mark.parametrize(
    ("before", "after", "zero", "step"),
    [
        ((1.0, 5.0), (2.0, 5.0), 0.0, 0.5),
        ((1.0, 5.0), (1.0, 4.0), 0.0, 0.25),
        ((1.0, 0.0), (1.0, 1e-9), 0.0, 1e-3),  # an unknown that vanishes: beside a millionth of the other
        ((1e-9, 0.0), (0.0, 0.0), 1e-6, 1e-3),
        ((0.0, 0.0), (0.0, 0.0), 0.0, 0.0),
        ((1.0, 1.0), (INF, 1.0), 0.0, NAN),
    ],
)
def test_the_length_of_a_step(before, after, zero, step):
    states = [iterate({line: [u, v]}, {0: a, (1, 0): b}, {(1, 0): b})[0] for a, b in (before, after)]
    assert states[0].step_to(states[1], zero) == pytest.approx(step, nan_ok=True)
    assert states[1].sizes == tuple(map(abs, after))


# losses of trials


class Cosine:
    """One feature, cos(ρx), in the place of features that are yet to be scaled."""

    def scaled(self, scales, device):
        one = torch.ones((1, 1), dtype=torch.float64)
        return TrialSpace((RandomFeatures(scales[0] * one, 0 * one[0], 0 * one[0], activation("cos")),))


class Recorded(DiscreteProblem):
    """A problem that remembers with which options it was solved, and does with the fit what it is told to."""

    calls: ClassVar = []
    outcome = staticmethod(lambda fit: fit)

    def solve(self, space):
        self.calls.append(self.settings)
        return self.outcome(super().solve(space))


def failed(fit):
    return Stats(1, 1, 0.0, 1, 1.0, (), {}, "failed"), fit[1]


@pytest.fixture
def recorded(monkeypatch):
    monkeypatch.setattr(Recorded, "calls", [])
    return Recorded


LINEAR, NONLINEAR = fens.Problem({line: sp.Eq(u, sp.cos(2 * x))}), fens.Problem({line: sp.Eq(u**3, sp.cos(2 * x) ** 3)})


def test_the_loss_of_a_trial_is_that_at_points_it_did_not_use(recorded):
    discrete = at_points(LINEAR, recorded)
    trials = Trials.of(discrete, Cosine())
    used, other = discrete.conditions[0].samples.points[:, 0], discrete.held_out[0].samples.points[:, 0]
    assert not set(used) & set(other)
    for rho in (1.0, 1.7):
        weight = np.linalg.lstsq(np.cos(rho * used)[:, None], np.cos(2 * used))[0]
        found, wanted = weight * np.cos(rho * other), np.cos(2 * other)
        assert trials.loss((rho,)) == pytest.approx(rms(found - wanted) / (rms(found) + rms(wanted)))
        assert trials.sizes[rho,] == pytest.approx(np.abs(found).max())
        assert trials.function((rho,)).functions[u](1.5) == pytest.approx(float(weight[0] * np.cos(rho * 1.5)))
    assert trials.loss((2.0,)) < 1e-15
    assert trials.function((3.0,)) is None


def test_a_trial_is_made_once(recorded):
    trials = Trials.of(at_points(LINEAR, recorded), Cosine())
    assert trials.loss((1.0,)) == trials.loss((1.0,)) == trials.losses[1.0,]
    assert len(recorded.calls) == 1


def test_trials_that_fail_have_an_infinite_loss(recorded, monkeypatch):
    def overflows(fit):
        raise EvaluationError("Too large.")

    for outcome in (overflows, failed):
        monkeypatch.setattr(recorded, "outcome", staticmethod(outcome))
        trials = Trials.of(at_points(LINEAR, recorded), Cosine())
        assert trials.loss((1.0,)) == INF
        assert trials.function((1.0,)) is None


def test_later_trials_of_a_nonlinear_problem_are_a_few_steps_from_the_best(recorded):
    trials = Trials.of(at_points(NONLINEAR, recorded, initial=1), Cosine())
    losses = {rho: trials.loss((rho,)) for rho in (1.98, 1.99, 1.97, 2.0)}
    assert losses[2.0] < losses[1.99] < losses[1.98] < losses[1.97] < INF
    first, *later = recorded.calls
    assert (first.initial, first.max_iterations) == (1, 100)
    assert [s.max_iterations for s in later] == [ScaleTrials.STEPS] * 3
    began = [float(s.initial.features.members[0].W[0, 0]) for s in later]
    assert began == [1.98, 1.99, 1.99]


def test_a_later_trial_that_a_few_steps_do_not_end_has_a_loss(recorded, monkeypatch):
    trials = Trials.of(at_points(NONLINEAR, recorded, initial=1), Cosine())
    trials.loss((1.98,))
    monkeypatch.setattr(recorded, "outcome", staticmethod(failed))
    assert trials.loss((1.99,)) < trials.loss((1.98,)) < INF


@pytest.mark.parametrize(
    ("tol", "size", "expected"),
    [
        (None, 2.0, ScaleSearch.ROUND_OFF),
        (1e-6, 2.0, 0.5e-8),
        (1e-6, 0.0, ScaleSearch.ROUND_OFF),
        (1e-6, None, ScaleSearch.ROUND_OFF),  # the trial failed
        (1e-15, 2.0, ScaleSearch.ROUND_OFF),
        (10.0, 2.0, 1e-2),  # a tolerance above the size of u asks for no more than any solution has
    ],
)
def test_a_loss_that_is_enough(tol, size, expected):
    discrete = SimpleNamespace(settings=SimpleNamespace(tol=tol))
    sizes = {} if size is None else {(1.0,): size}
    trials = Trials(discrete, Cosine(), (), True, {(1.0,): 0.1}, {}, sizes)
    assert trials.enough((1.0,)) == pytest.approx(expected)


@pytest.mark.parametrize(("inside", "use_all"), [(25, True), (49, True), (50, False), (500, False)])
def test_trials_fit_some_of_many_rows(inside, use_all):
    sampler = fens.Random(interior=inside, boundary=1)
    discrete = at_points(fens.Problem({line: u.diff(x) - 1, line.face(x, 0): u}), features=10, points=sampler)
    trials = Trials.of(discrete, Cosine())
    assert trials.use_all is use_all
    assert trials.held_out is discrete.held_out
    if use_all:
        assert trials.discrete is discrete
    else:  # 2.5 for each feature, rounded up on each region
        assert trials.discrete.rows == pytest.approx(26, abs=1)
        some, whole = (set(d.conditions[0].samples.points[:, 0]) for d in (trials.discrete, discrete))
        assert some < whole


class Sloped(Trials):
    """Trials that found a plane with given slopes."""

    gradient = (0.0, 0.0)

    def function(self, scales):
        domain = fens.Box({x: (-1, 1), y: (-1, 1)})
        plane = SimpleNamespace(domain=domain, gradient=lambda p: [np.full(len(p), s) for s in self.gradient])
        return SimpleNamespace(components=(plane,))


@pytest.mark.parametrize(
    ("gradient", "scales", "unit", "expected"),
    [
        ((1.0, 3.0), (2.0, 2.0), (1.0, 1.0), None),
        ((1.0, 4.0), (2.0, 2.0), (1.0, 1.0), (1.0, 4.0)),
        ((4.0, 1.0), (2.0, 2.0), (1.0, 1.0), (4.0, 1.0)),
        ((1.0, 4.0), (2.0, 8.0), (1.0, 1.0), None),  # the scales are in that ratio already
        ((1.0, 1.0), (2.0, 8.0), (1.0, 1.0), (1.0, 1.0)),
        ((1.0, 1.0), (2.0, 2.0), (1.0, 4.0), (1.0, 4.0)),  # slopes over the half-widths
        ((1.0, 1e5), (2.0, 2.0), (1.0, 1.0), (1e3, 1e5)),  # no more than a factor of a hundred
        ((0.0, 1.0), (2.0, 2.0), (1.0, 1.0), (1e-2, 1.0)),
        ((0.0, 0.0), (2.0, 2.0), (1.0, 1.0), None),
        ((INF, 1.0), (2.0, 2.0), (1.0, 1.0), None),
        ((NAN, 1.0), (2.0, 2.0), (1.0, 1.0), None),
    ],
)
def test_scales_in_the_ratio_of_slopes(gradient, scales, unit, expected, monkeypatch):
    monkeypatch.setattr(Sloped, "gradient", gradient)
    discrete = SimpleNamespace(problem=SimpleNamespace(coordinates=(x, y)))
    leading = SimpleNamespace(half_width=np.array(unit))
    draw = SimpleNamespace(members=(SimpleNamespace(leading=leading),), dimension=2)
    found = Sloped(discrete, draw, (), True).slopes(scales)
    assert found == (expected if expected is None else pytest.approx(expected))


# where Newton starts

k = fens.Unknown("k", initial=3.0)
unit = fens.Box({x: (0, 1)})
BENT = fens.Problem({unit: sp.Eq(u.diff(x, 2) - u**2, -2), unit.boundary: sp.Eq(u, 1)})
NUMBER = fens.Problem({unit: [sp.Eq(u.diff(x, 2) - u**2, -k), sp.Eq(k**2, 9)], unit.boundary: sp.Eq(u, 1)})
EIKONAL = fens.Problem({unit: sp.Eq(u.diff(x) ** 2, 4), unit.boundary: sp.Eq(u, 2 * x)})
X = np.linspace(0, 1, 11)


def discrete_and_space(problem, seed=0, scale=3.0, features=20):
    """A problem at its points, and features for it."""
    discrete = at_points(problem, features=features)
    ansaetze = [Number() if c.is_constant else Plain() for c in problem.components]
    drawn = discrete.drawn(ansaetze, np.random.SeedSequence(seed))
    return discrete, drawn.scaled((scale,) * len(problem.components), CPU)


def started(problem, initial, seed=0):
    """The starts of an iteration, as functions and numbers."""
    discrete, features = discrete_and_space(problem)
    solver = discrete.settings.solver_for(problem)
    weights = starts(
        problem, initial, discrete.conditions, features, "balanced", np.random.SeedSequence(seed), solver
    )
    return [Fields(problem, features, w).functions for w in weights]


@pytest.mark.parametrize(
    ("problem", "linear"),
    [
        (BENT, 1 + X * (1 - X)),  # of u″ = −2
        (EIKONAL, 2 * X),  # no linear part: the harmonic extension of the ends
    ],
    ids=["a linear part", "none"],
)
def test_starts_are_the_linear_part_and_then_one_and_zero(problem, linear):
    first, one, zero = started(problem, None)
    assert first[u](X) == pytest.approx(linear, abs=1e-3)
    assert one[u](X) == pytest.approx(np.ones(11), abs=1e-6)
    assert zero[u](X) == pytest.approx(np.zeros(11), abs=1e-6)


def test_the_linear_part_takes_numbers_as_given():
    first, *_ = started(NUMBER, None)
    assert float(first[k]) == 3.0
    assert first[u](X) == pytest.approx(1 + 1.5 * X * (1 - X), abs=1e-3)  # of u″ = −3


def test_numbers_start_from_their_own_values_where_functions_are_one_and_zero():
    assert [float(start[k]) for start in started(NUMBER, None)] == [3.0] * 3


@pytest.mark.parametrize(
    ("initial", "expected"),
    [
        (2, 2 + 0 * X),
        (sp.sin(x), np.sin(X)),
        (np.cos, np.cos(X)),
        ({u: x**2}, X**2),
        (lambda a: a, X),
    ],
    ids=["a number", "an expression", "a function", "a mapping", "a lambda"],
)
def test_a_start_that_is_given_is_the_only_one(initial, expected):
    (only,) = started(BENT, initial)
    assert only[u](X) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("initial", "number"), [({u: 1.0}, 3.0), ({u: 1.0, k: 5.0}, 5.0), (1.0, 3.0)])
def test_numbers_start_from_what_is_given_or_their_own(initial, number):
    (only,) = started(NUMBER, initial)
    assert float(only[k]) == number
    assert only[u](0.5) == pytest.approx(1.0, abs=1e-6)


def test_a_random_start_is_of_size_one_and_repeats():
    found = [started(BENT, "random", seed)[0][u](X) for seed in (0, 0, 1)]
    assert np.array_equal(found[0], found[1])
    assert not np.allclose(found[0], found[2])
    sizes = [rms(started(BENT, "random", seed)[0][u](X)) for seed in range(20)]
    assert 0.3 < np.mean(sizes) < 1.5


def test_no_other_word_is_a_start():
    with pytest.raises(SettingError, match="a Solution or 'random'; got 'zeros'"):
        next(iter(started(BENT, "zeros")))


def test_a_solution_with_the_same_features_is_taken_as_it_is_and_others_are_fitted():
    discrete, features = discrete_and_space(BENT)
    solver = discrete.settings.solver_for(BENT)
    weights = torch.linspace(-1, 1, 20, dtype=torch.float64)
    for seed, scale in itertools.product((0, 1), (3.0, 2.0)):
        _, own = discrete_and_space(BENT, seed, scale)
        given = Fields(BENT, own, weights)
        (found,) = starts(BENT, given, discrete.conditions, features, "balanced", np.random.SeedSequence(0), solver)
        same = (seed, scale) == (0, 3.0)
        assert (found is weights) == same
        there = Fields(BENT, features, found).functions[u](X)
        assert there == pytest.approx(given.functions[u](X), abs=1e-4)
