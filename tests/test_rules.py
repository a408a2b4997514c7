"""The rules that a solve is steered by, and its verdict: each from evidence made by hand, none from a solve."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp

import fens
from fens._support.numbers import EPS
from fens._support.progress import within
from fens._support.steering import Assessment, ScaleSearch
from fens.basis import PROPOSALS, AroundHoles, AtSpots, Draw, Mixture, Oriented, Plain, Sites, Sparse, Spot, Sum
from fens.estimate.assess import Error, Evidence, after_growth, assess, understated
from fens.fit.scale import ScaleChoice
from fens.fit.search import Search, descend
from fens.fit.stats import Round, Stats
from fens.nonlinear import State, best, status_of
from fens.strategy.adapt import Candidate, has_promising, rough_from, should_adapt
from fens.strategy.grow import out_of_time, rate, stuck, why_stop

INF, NAN = float("inf"), float("nan")


# what the rules look at, made by hand


def evidence(**changes):
    """Evidence of a solution with an error of 1e-8, but for what is given."""
    usual = {"residuals": {"square": 1e-9}, "differences": {"u": (1e-8, 1.0)}, "recovery": 1e-14}
    return Evidence(**{**usual, "sensitivity": 3.0, "rounding": 0.0, **changes})


def stats(status="converged", advice="", rows=1000, rounds=(), seconds=1.0):
    return replace(Stats(rows, 4, 0.0, 4, 1.0, (), {}, status, advice), rounds=rounds, seconds={"all": seconds})


def solved(error=1e-4, size=400, verdict="approximation-limited", rows=None, seen=None, corners=False, **of_stats):
    """What growth looks at in a solution of size 1, with so many features and such an error; none if that is None."""
    trusted = verdict not in ("unreliable", "inconsistent")
    if error is not None:
        error = Error(error, error, verdict, "", seen or evidence(), {"u": error})
    expected = error.estimate if error is not None and trusted else INF
    return SimpleNamespace(
        settings=SimpleNamespace(size=size),
        stats=stats(rows=round(2.5 * size) if rows is None else rows, **of_stats),
        error=error,
        expected_error=expected,
        has_corners=corners,
        meets=lambda tol: expected <= tol,
    )


def tried(loss, kept=False, kind="corners"):
    return Round(kind, (), loss, kept)


@pytest.mark.parametrize(
    ("rounds", "promising"),
    [
        ([tried(0.1)], True),
        ([tried(0.3)], False),
        ([tried(0.1, kept=True)], False),
        ([tried(0.1, kind="directions")], False),  # these are not special
        ([], False),
    ],
)
def test_special_functions_that_were_not_taken_may_promise_more(rounds, promising):
    assert has_promising(rounds, 0.35) == promising


def grown(*errors, first=100, factor=1.5, **others):
    """Solutions with more and more features."""
    return [solved(e, round(first * factor**k), **others) for k, e in enumerate(errors)]


def doubtful(*residuals):
    """Solutions that are not to be trusted, with these residuals."""
    found = enumerate(residuals)
    return [solved(INF, 100 + k, "unreliable", seen=evidence(residuals={"square": r})) for k, r in found]


# why growth stops


@pytest.mark.parametrize(
    ("found", "options", "reason"),
    [
        (grown(1e-4), {}, ""),
        (grown(1e-4), {"tol": 1e-3}, "the tolerance is met"),
        (grown(1e-4), {"tol": 1e-3, "max_features": 100}, "the tolerance is met"),
        (grown(1e-4), {"tol": 1e-5}, ""),
        (grown(1e-4), {"max_features": 100}, "max_features, 100, is reached"),
        (grown(1e-4), {"max_features": 101}, ""),
        (grown(1e-4, rows=179), {}, "the points, 179 rows, are too few for more features"),
        (grown(1e-4, rows=180), {}, ""),
        (grown(None), {}, "more features would not help"),
        (grown(1e-4, 1e-4, status="failed"), {}, "the iteration failed with more features, too"),
        (grown(1e-4, status="failed"), {}, ""),
        ([solved(1e-4, 100, status="failed"), solved(1e-4, 150)], {}, ""),
        (grown(Assessment.FLOOR), {}, "round-off is reached"),
        (grown(1.01 * Assessment.FLOOR), {}, ""),
        (grown(Assessment.FLOOR), {"tol": 1e-15}, ""),
        (grown(1e-4, verdict="noise-limited"), {}, "the noise of the data limits the solution"),
        (doubtful(0.1, 0.1, 0.1, 0.1), {}, "the equations hold no better with more features"),
        (grown(4e-4, 2e-4, 1e-4), {}, "the error falls only as the power 1.7 of the number of features"),
        (grown(4e-4, 2e-4, 1e-4), {"tol": 2e-6}, ""),  # which 3000 features will meet at that rate
        (grown(4e-4, 2e-4, 1e-4), {"tol": 1e-6}, "the error falls only as the power 1.7"),
        (grown(9e-4, 2e-4, 1e-4), {}, ""),
        (grown(1e-7, 1e-7), {}, ""),  # at first, errors fall by chance as much as by rule
        (grown(1e-7, 1e-7, 1e-7, rounds=("one",)), {}, "more features no longer lower the error"),
        (grown(1e-7, 1e-7, 4.9e-8, rounds=("one",)), {}, ""),
        (grown(1e-5, 1e-5, 1e-5, rounds=("one",)), {}, ""),  # convergence may not have begun
        (grown(1e-11, 6e-12), {}, "more features no longer lower the error"),  # there one step tells
        (grown(1e-11, 4e-12), {}, ""),
        (grown(1e-9, 1e-11, corners=True), {}, "more digits at the corners would take long"),
        (grown(1e-9, 1e-11, corners=True), {"tol": 1e-12}, ""),
        (grown(1e-9, 1.1e-11, corners=True), {}, ""),
    ],
)
def test_why_growth_stops(found, options, reason):
    settings = SimpleNamespace(**{"tol": None, "max_features": 3000, **options})
    stopped = why_stop(found, settings)
    assert stopped.startswith(reason)
    assert bool(stopped) == bool(reason)


@pytest.mark.parametrize(
    ("changes", "with_one", "with_two"),
    [
        ({}, False, False),
        ({"objection": "The wrong end."}, True, True),
        ({"objection": "The wrong end.", "residuals": {"square": 0.5}}, True, True),
        ({"misfit": 3.0, "measured": 40}, False, True),
        ({"misfit": 3.0, "measured": 40, "residuals": {"square": 0.5}}, False, False),
        ({"misfit": 1.0, "measured": 40}, False, False),
        ({"conflict": {"square": 0.1}}, True, True),
        ({"conflict": {"square": 0.1}, "residuals": {"square": 0.5}}, False, True),
        ({"recovery": 1e-3}, True, True),
        ({"recovery": 1e-3, "residuals": {"square": 0.5}}, False, True),
        ({"sensitivity": 1e5, "growth": 10.0}, True, True),
    ],
)
def test_growth_is_given_up_where_there_is_nothing_to_find(changes, with_one, with_two):
    settings = SimpleNamespace(tol=None, max_features=3000)
    for count, hopeless in ((1, with_one), (2, with_two)):
        reason = why_stop(grown(*[1e-4] * count, seen=evidence(**changes)), settings)
        assert reason == ("more features would not help" if hopeless else "")


@pytest.mark.parametrize(
    ("found", "power"),
    [
        (grown(1e-3, 5e-4, 1e-3 / 2.25**3), 3.0),
        (grown(1.0, 1e-3, 5e-4, 1e-3 / 2.25), 1.0),  # the last three
        (grown(1e-4, 1e-4, 2.25e-4), -1.0),
        (grown(1e-3, 1e-4), INF),
        (grown(1.1e-3, 1e-4, 1e-5), INF),  # not resolved at first
        (grown(1e-3, NAN, 1e-5), INF),
        (grown(1e-4, None, 1e-5), INF),
        (grown(1e-4, 1e-5, 1e-6, rounds=("one",)), INF),  # frequencies have learnt
        (grown(1e-4, 1e-5, 1e-6, verdict="unreliable"), INF),
    ],
)
def test_the_rate_at_which_errors_fall(found, power):
    assert rate(found) == pytest.approx(power, rel=0.01)  # sizes are whole numbers


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (doubtful(0.1, 0.1, 0.1), False),
        (doubtful(0.1, 0.1, 0.1, 0.1), True),
        (doubtful(0.1, 1e-9, 1e-9, 0.081), True),
        (doubtful(0.1, 0.1, 0.1, 0.079), False),
        (doubtful(1.0, 0.1, 0.1, 0.1, 0.1), True),
        ([solved(), *doubtful(0.1, 0.1, 0.1, 0.1)], False),
        ([solved(None), *doubtful(0.1, 0.1, 0.1, 0.1)], False),
    ],
)
def test_whether_growth_is_stuck(found, expected):
    assert stuck(found) is expected


@pytest.mark.parametrize(("seconds", "reason"), [(None, ""), (46.0, ""), (44.0, "the time is up, max_seconds")])
def test_a_larger_solve_must_fit_into_the_time(seconds, reason):
    with within(seconds):
        assert out_of_time([solved(seconds=1.0), solved(seconds=20.0)]) == reason


# whether frequencies learn, and what


PLAIN = Plain()
LEARNT = (PLAIN, Plain(Oriented(((1.0, 0.0), (0.0, 0.1)))))
AT_A_SPOT = (PLAIN, AtSpots((Spot((0.0, 0.0), (0.1, 0.1)),), 0.5, PLAIN))


def drawn(*ansaetze, dimension=2):
    """What was drawn of some ansätze, as far as proposals look at it."""
    leading = SimpleNamespace(half_width=np.ones(dimension), center=np.zeros(dimension))
    return Draw(ansaetze, (SimpleNamespace(leading=leading),) * len(ansaetze))


class Perforated:
    """A domain of which nothing is known but its holes."""

    coordinates, half_widths, edges, inside_cracks = sp.symbols("x y"), (1.0, 1.0), (), ()

    def __init__(self, hole_sites):
        self.hole_sites = hole_sites


def pilot(loss, ansaetze=(PLAIN,), searched=True, hole_sites=()):
    """Trial functions with such a loss, of a solution on a domain that may have holes."""
    domain = Perforated(hole_sites)
    unknowns = (SimpleNamespace(is_constant=False),) * len(ansaetze)
    problem = SimpleNamespace(components=unknowns, conditions=(), is_linear=False)
    function = SimpleNamespace(problem=problem, components=(SimpleNamespace(domain=domain),) * len(ansaetze))
    found = Search(((1.0,), (2.0,)), (2 * loss, loss), "") if searched else None
    return Candidate(None, drawn(*ansaetze), ScaleChoice((1.0,), found, None, function))


def on_domain(dimension=2, adapts=None):
    """What a problem at its points says of its coordinates and its options."""
    problem = SimpleNamespace(coordinates=sp.symbols(f"x1:{dimension + 1}"))
    return SimpleNamespace(problem=problem, settings=SimpleNamespace(corners=None, adapts=adapts))


HOLE = [((0.0, 0.0), 1.0)]


@pytest.mark.parametrize(
    ("discrete", "candidate", "smaller", "expected"),
    [
        (on_domain(), pilot(1e-3), None, False),
        (on_domain(), pilot(2e-3), None, True),
        (on_domain(adapts=False), pilot(2e-3), None, False),
        (on_domain(adapts=True), pilot(1e-12), None, True),
        (on_domain(3), pilot(1e-12), None, False),
        (on_domain(4), pilot(1e-12), None, True),
        (on_domain(), pilot(1e-9, hole_sites=HOLE), None, True),
        (on_domain(), pilot(1e-10, hole_sites=HOLE), None, False),  # which serves as it is
        (on_domain(adapts=True), pilot(1.0, searched=False), None, False),
        (on_domain(adapts=True), pilot(1.0, AT_A_SPOT), None, False),
        # with fewer features the residual was …
        (on_domain(), pilot(2e-3), 1.0, True),
        (on_domain(4), pilot(0.9e-4), 1e-3, False),  # and what was learnt serves
        (on_domain(4), pilot(1.1e-4), 1e-3, True),
        (on_domain(4), pilot(1.1e-4), 2e-3, True),  # not resolved: little to learn from
        (on_domain(4), pilot(0.9e-10), 2e-3, False),  # small enough in any case
        (on_domain(adapts=True), pilot(0.9e-10), 2e-3, False),
        (on_domain(), pilot(1e-6, LEARNT), 1e-6, True),
        (on_domain(), pilot(1e-6), 1e-6, False),
    ],
)
def test_whether_to_adapt(discrete, candidate, smaller, expected):
    before = None if smaller is None else Search(((1.0,), (2.0,)), (smaller, 2 * smaller), "")
    assert should_adapt(replace(candidate, discrete=discrete), before) is expected


class Known:
    """A field with a formula, on a box or where it is told to be."""

    def __init__(self, formula, bounds, domain=None):
        self.x = tuple(bounds)
        self.domain, self.formula = domain or fens.Box(bounds), sp.sympify(formula)

    def derivatives(self, points, alphas):
        taken = (self.formula.diff(*zip(self.x, alpha, strict=True)) for alpha in alphas)
        return [np.broadcast_to(sp.lambdify(self.x, f)(*points.T), len(points)).astype(float) for f in taken]

    def gradient(self, points):
        return self.derivatives(points, np.eye(len(self.x), dtype=int).tolist())


def on_box(make, dimension):
    x = sp.symbols(f"x1:{dimension + 1}")
    return Known(make(*x), dict.fromkeys(x, (-1, 1)))


def proposal(kind, field, unit, residual, ansatz=PLAIN):
    """What one kind of basis proposes, from a rough solution with such a residual."""
    return PROPOSALS[kind].propose(ansatz, rough_from(field, np.array(unit), residual))


def parts(ansatz):
    """The distributions that frequencies are to be drawn from, with their shares."""
    assert isinstance(ansatz, Plain)
    assert isinstance(ansatz.distribution, Mixture)
    return ansatz.distribution.parts


def orientation(distribution):
    assert isinstance(distribution, Oriented)
    return np.array(distribution.matrix)


@pytest.mark.parametrize(
    ("make", "unit", "residual", "steep"),
    [
        (lambda x, y: sp.sin(3 * x + 4 * y), (1.0, 1.0), 1e-3, (0.6, 0.8)),
        (lambda x, y: 3 * x + 4 * y, (1.0, 1.0), 0.1, (0.6, 0.8)),
        (lambda x, y: x + 2 * y, (2.0, 1.0), 0.1, (0.5**0.5, 0.5**0.5)),  # slopes over the half-widths
        (lambda x, y: 1e200 * x, (1.0, 1.0), 0.1, (1.0, 0.0)),
        (lambda x, y: 1e-200 * y, (1.0, 1.0), 0.1, (0.0, 1.0)),
    ],
)
def test_directions_follow_the_slope_and_flat_ones_the_residual(make, unit, residual, steep):
    (much, learnt), (little, spared) = parts(proposal("directions", on_box(make, 2), unit, residual))
    assert (much, little) == (pytest.approx(0.9), pytest.approx(0.1))
    along = np.outer(steep, steep)
    assert orientation(learnt) == pytest.approx(along + residual * (np.eye(2) - along), abs=1e-9)
    assert orientation(spared) == pytest.approx(np.eye(2) * math.sqrt((1 + residual**2) / 2))


def test_directions_of_a_function_that_varies_along_both_axes():
    field = on_box(lambda x, y: 2 * x * y, 2)  # its slopes are uncorrelated and equal: nothing to prefer
    (_, learnt), _ = parts(proposal("directions", field, (1, 1), 1e-9))
    assert orientation(learnt) == pytest.approx(np.eye(2), abs=0.05)


@pytest.mark.parametrize(
    ("make", "dimension"),
    [(lambda x: x, 1), (lambda x, y: 0, 2), (lambda x, y: sp.oo * x, 2), (lambda x, y: sp.nan, 2)],
)
def test_no_directions_where_there_is_no_slope(make, dimension):
    assert proposal("directions", on_box(make, dimension), [1.0] * dimension, 1e-3) is None


@pytest.mark.parametrize(
    ("make", "unit", "subsets"),
    [
        (lambda a, b, c, d: sp.sin(a + b) + c + d**2 / 2, (1, 1, 1, 1), {(0, 1): 9, (2,): 3, (3,): 3}),
        (lambda a, b, c, d: sp.sin(a + b + c) + d, (1, 1, 1, 1), {(0, 1, 2): 27, (3,): 3}),
        (lambda a, b, c, d: a * b + b * c + c * d, (1, 1, 1, 1), {(0, 1): 9, (1, 2): 9, (2, 3): 9}),
        (lambda a, b, c, d: 0.09 * a * b + c**2 / 2, (1, 1, 1, 1), {(0,): 3, (1,): 3, (2,): 3, (3,): 3}),
        (lambda a, b, c, d: 0.09 * a * b + c**2 / 2, (2, 1, 1, 1), {(0, 1): 9, (2,): 3, (3,): 3}),
        (lambda a, b, c, d: a + b + c + d, (1, 1, 1, 1), {(0,): 3, (1,): 3, (2,): 3, (3,): 3}),
    ],
)
def test_couplings_are_those_of_mixed_derivatives(make, unit, subsets):
    (much, learnt), (little, spared) = parts(proposal("couplings", on_box(make, 4), unit, 1e-3))
    assert (much, little) == (pytest.approx(0.9), pytest.approx(0.1))
    assert isinstance(learnt, Sparse)
    assert dict(zip(learnt.subsets, learnt.shares, strict=True)) == subsets
    assert spared == Sparse.of_few(4)


def test_nothing_is_computed_that_no_proposal_asks_for(monkeypatch):
    asked = []
    monkeypatch.setattr("fens.strategy.adapt.all_sites", lambda *given: asked.append("sites") or Sites())
    monkeypatch.setattr(Known, "gradient", lambda self, points: asked.append("slopes") or [points[:, 0]] * 2)
    rough = rough_from(on_box(lambda x, y: x + y, 2), np.ones(2), 0.1)
    assert not asked
    for _ in range(2):  # and what is asked for only once
        PROPOSALS["directions"].propose(PLAIN, rough)
    assert asked == ["slopes"]
    for _ in range(2):
        PROPOSALS["holes"].propose(PLAIN, rough)
    assert asked == ["slopes", "sites"]


@pytest.mark.parametrize(
    ("make", "dimension"),
    [(lambda *x: sp.sin(sum(x)), 3), (lambda *x: sum(x) ** 2, 10)],
    ids=["few coordinates", "too many subsets"],
)
def test_no_couplings(make, dimension):
    assert proposal("couplings", on_box(make, dimension), [1.0] * dimension, 1e-3) is None


@pytest.mark.parametrize(
    ("sites", "proposes"),
    [
        ([], False),
        ([((0.5,), 0.1)], False),
        ([((0.5, 0.0), 0.1), ((-0.5, 0.0), 0.2)], True),
        ([((0.0, 0.0, 0.0), 0.1)], True),
        ([((0.1 * k, 0.0), 0.01) for k in range(10)], True),
        ([((0.1 * k, 0.0), 0.01) for k in range(11)], False),
    ],
)
def test_functions_around_holes_are_proposed_once_where_there_are_a_few(sites, proposes):
    field = Known(0, {sp.Symbol("x"): (0, 1)}, Perforated(sites))
    found = proposal("holes", field, (1, 1), 1e-3)
    assert PROPOSALS["holes"].special
    assert (found is not None) == proposes
    if proposes:
        assert isinstance(found, Sum)
        (half, plain), (other_half, around) = found.terms
        assert (half, other_half, plain) == (0.5, 0.5, PLAIN)
        assert isinstance(around, AroundHoles)
        assert [(h.centre, h.radius) for h in around.holes] == sites
        assert all(h.axes == tuple(range(len(h.centre))) for h in around.holes)
        assert proposal("holes", field, (1, 1), 1e-3, found) is None


# where the search for a scale goes


NO_BETTER = "neighbouring scales are no better"
AT_THE_EDGE = f"{NO_BETTER}, at the edge of the range searched"


def searched(loss, stride, enough=ScaleSearch.ROUND_OFF, pays=1.0):
    """Which quarter octaves a search tries, one after another, and why it ends."""
    tried = []

    def at(factor):
        tried.append(round(4 * math.log2(factor)))
        return loss(tried[-1])

    return tried, descend(at, stride, enough, pays)


@pytest.mark.parametrize(
    ("loss", "stride", "enough", "tried", "reason"),
    [
        (lambda k: 5e-14, 3, ScaleSearch.ROUND_OFF, [0], "the equations hold to round-off at the first scale"),
        (lambda k: 1e-6, 3, 1e-6, [0], "the equations hold far better than the tolerance asks at the first scale"),
        (lambda k: 1e-3 * 2.0 ** abs(k), 1, 0, [0, 1, -1], NO_BETTER),
        (lambda k: 1e-3 * 2.0 ** abs(k), 3, 0, [0, 3, -3, -2], NO_BETTER),
        (lambda k: 1e-6 * 2.0 ** abs(k - 6), 3, 0, [0, 3, 6, 9, 4], NO_BETTER),
        (lambda k: 1e-6 * 2.0 ** abs(k + 6), 3, 0, [0, 3, -3, -6, -12, -5, -9], NO_BETTER),
        (lambda k: 1e-6 * 2.0 ** abs(k - 6), 3, 1e-6, [0, 3, 6, 9], "the equations hold as well as they need to"),
        (lambda k: INF, 3, 0, [0, 3, -3], "no trial led to a solution; the scale is that of the rank"),
        (lambda k: INF if k < 3 else 2.0**-k, 3, 0, [0, 3, 6, 9, 15, 12, 13], AT_THE_EDGE),
        (lambda k: 0.6 - 0.001 * k if k > -3 else 1e-3, 3, 0, [0, 3, -3, -6, -5], NO_BETTER),
        (lambda k: 0.6 if k < 3 else 1e-3, 3, 0, [0, 3, 6, 4], NO_BETTER),
    ],
    ids=[
        "round-off", "tolerance", "here", "here, strides", "above", "below", "enough on the way", "nothing works",
        "the first fails", "by chance", "much better above",
    ],
)  # fmt: skip
def test_where_the_search_for_a_scale_goes(loss, stride, enough, tried, reason):
    assert searched(loss, stride, enough) == (tried, reason)


@pytest.mark.parametrize(
    ("loss", "tried"),
    [
        (lambda k: 1e-6 * 0.9**k, [0, 2]),
        (lambda k: 1e-6 * 0.9 ** abs(k - 2), [0, 2, -2]),
        (lambda k: 1e-6 * 0.5 ** min(k, 3), [0, 2, 4]),
        (lambda k: 1e-6 * 0.5 ** min(-k, 3), [0, 2, -2, -4]),
    ],
    ids=["flat", "worse on both sides", "above", "below"],
)
def test_where_trials_are_dear_a_search_ends_early(loss, tried):
    assert searched(loss, 2, 0.0, 0.5)[0] == tried


@pytest.mark.parametrize("direction", [1, -1])
def test_the_search_for_a_scale_has_an_end(direction):
    tried, why = searched(lambda k: 2.0 ** (-direction * k), 1)
    assert max(map(abs, tried)) <= ScaleSearch.FARTHEST
    assert why == AT_THE_EDGE


@pytest.mark.parametrize(
    ("after", "tried", "reason"),
    [
        (1, [0], "the time was up after the first scale"),
        (3, [0, 3, 6], "the time was up"),
        (99, [0, 3, 6, 9, 4], NO_BETTER),
    ],
)
def test_the_search_for_a_scale_ends_with_the_time(after, tried, reason):
    with within(None) as deadline:

        def loss(k):
            calls.append(k)
            if len(calls) == after:
                deadline.end = -INF
            return 1e-6 * 2.0 ** abs(k - 6)

        calls = []
        assert searched(loss, 3) == (tried, reason)


# what came of an iteration


def state(iteration=5, residual=1e-9, relative=1e-9, step=1e-14, damping=1.0, settled=True):
    return State(iteration, residual, relative, step, damping, settled, 4, (1.0,), None)


@pytest.mark.parametrize(
    ("last", "status", "words"),
    [
        (state(), "converged", ""),
        (state(relative=1e-3), "converged", ""),
        (state(relative=2e-3), "settled", "an equation holds only to 0.2% of its terms"),
        (state(relative=0.1), "settled", "an equation holds only to 10.0% of its terms"),
        (state(relative=0.11), "failed", "the residual of one is 11% of its terms"),
        (state(relative=INF), "failed", "the iteration ended where the equations do not hold"),
        (state(relative=NAN), "failed", "the iteration ended where the equations do not hold"),
        (state(residual=INF), "failed", "the residual became infinite or undefined"),
        (state(residual=NAN), "failed", "the residual became infinite or undefined"),
        (state(settled=False, damping=0.0, residual=0.5), "failed", "no step makes the residual fall below 5.00e-01"),
        (state(settled=False, iteration=9), "failed", "no step makes the residual fall"),  # nor could one be computed
        (state(settled=False, iteration=10, step=0.5), "failed", "after 10 iterations the step is still 5.0e-01"),
    ],
)
def test_the_status_of_an_iteration(last, status, words):
    found, advice = status_of([state(0, settled=False), last], 10)
    assert found == status
    assert words in advice
    assert bool(advice) == (status != "converged")


def test_an_iteration_that_took_no_step_failed():
    assert status_of([state(0)], 10)[0] == "failed"
    assert "no step could be computed from the initial function" in status_of([state(0)], 10)[1]


@pytest.mark.parametrize(
    ("settled", "status", "words"), [(False, "failed", "the time was up"), (True, "converged", "")]
)
def test_an_iteration_that_the_time_ended(settled, status, words):
    with within(0.0):
        found, advice = status_of([state(0), state(2, step=0.1, settled=settled)], 10)
    assert found == status
    assert advice.startswith(words)


@pytest.mark.parametrize(
    ("residuals", "settled", "kept"),
    [
        ([1.0, 0.1, 0.01], True, 2),
        ([1.0, 0.1, 0.2], True, 1),
        ([0.01, 0.1, 0.2], True, 1),  # settled: the start was somewhere else
        ([0.01, 0.1, 0.2], False, 0),
        ([1.0, 0.1, 0.1], True, 2),
        ([1.0, INF], False, 0),
    ],
)
def test_which_state_is_kept(residuals, settled, kept):
    states = [state(k, r, settled=settled and k == len(residuals) - 1) for k, r in enumerate(residuals)]
    assert best(states).iteration == kept


# the verdict


HOLDS = {"residuals": {"a": 1e-16}}
RESIDUAL_TOO_LARGE = {"residuals": {"square": 0.5}}
GROWN = {"differences": {"u": (1.0, 1e11)}}


@pytest.mark.parametrize(
    ("changes", "status", "verdict", "words"),
    [
        ({}, "converged", "approximation-limited", "More features would lower the error"),
        ({"residuals": {"square": Assessment.ROUNDED}}, "converged", "roundoff-limited", "equations hold to rounding"),
        ({"residuals": {"square": 1.1 * Assessment.ROUNDED}}, "converged", "approximation-limited", "More features"),
        ({"differences": {"u": (Assessment.FLOOR / 2, 1.0)}}, "converged", "roundoff-limited", "hold to rounding"),
        ({"differences": {"u": (Assessment.FLOOR, 1.0)}}, "converged", "approximation-limited", "More features"),
        ({"residuals": {"a": 1e-15, "b": 1e-9}}, "converged", "approximation-limited", "More features"),
        ({"residuals": {"square": 1e-15}, "local": 1e-13}, "converged", "approximation-limited", "More features"),
        ({"residuals": {"square": Assessment.UNRESOLVED}}, "converged", "approximation-limited", "More features"),
        ({"residuals": {"square": 0.011}}, "converged", "unreliable", "an equation holds only to 1.1% of its terms"),
        ({"local": 0.03}, "converged", "unreliable", "an equation holds only to 1.0e-09 of its terms"),
        (RESIDUAL_TOO_LARGE, "converged", "unreliable", "The solution is not resolved"),
        ({"differences": {"u": (0.024, 1.0)}}, "converged", "approximation-limited", "More features"),
        ({"differences": {"u": (0.026, 1.0)}}, "converged", "unreliable", "other features differ by 2.6e-02"),
        ({"differences": {"u": (INF, 1.0)}}, "converged", "unreliable", "not resolved"),
        ({"differences": {"u": (NAN, 1.0)}}, "converged", "unreliable", "not resolved"),
        ({"differences": {"u": (1e-8, 1.0), "v": (0.3, 1.0)}}, "converged", "unreliable", "not resolved"),
        ({"differences": {"u": (1e-8, 0.0)}}, "converged", "unreliable", "not resolved"),
        ({"differences": {"u": (0.0, 0.0)}}, "converged", "roundoff-limited", "hold to rounding"),
        ({"local": 0.03}, "converged", "unreliable", "errors of 3.0e-02 of the solution. Take more features"),
        ({"local": 0.03, "where": "(0, 1)", "equation": "x = 0"}, "converged", "unreliable", "on x = 0 near (0, 1)"),
        ({"local": 1e-3}, "converged", "approximation-limited", "More features"),
        ({"recovery": 1e-7}, "converged", "unreliable", "The equations do not determine the solution"),
        ({"recovery": NAN}, "converged", "unreliable", "do not determine the solution"),
        ({"recovery": 1e-7, "sensitivity": 1e9}, "converged", "approximation-limited", ""),  # lost to rounding
        ({"recovery": 2e-4, "sensitivity": 1e9}, "converged", "unreliable", "do not determine the solution"),
        ({"recovery": 2e-4, "sensitivity": 1e11}, "converged", "unreliable", "do not determine the solution"),
        ({"recovery": 2e-4, "sensitivity": 1e11, **GROWN}, "converged", "unreliable", "becomes 1e+11 times as large"),
        ({"sensitivity": 30.0, "growth": 10.0}, "converged", "approximation-limited", ""),
        ({"sensitivity": 50.0, "growth": 10.0}, "converged", "unreliable", "one of it 5e+01 times as large"),
        ({"sensitivity": 1e5, "growth": 4.0}, "converged", "approximation-limited", ""),
        ({"sensitivity": 1e5, "growth": 4.1}, "converged", "unreliable", "does not depend continuously"),
        ({"sensitivity": 1e12}, "converged", "unreliable", "does not depend continuously"),
        ({"sensitivity": INF}, "converged", "unreliable", "does not depend continuously"),
        ({"conflict": {"a": 0.1, "b": 0.2}}, "converged", "inconsistent", "(on a: 1.0e-01 of its terms; on b: 2.0e-01"),
        ({"objection": "The wrong end."}, "converged", "unreliable", "The wrong end."),
        ({"unseen": (0.5, 0.25)}, "converged", "unreliable", "does something at (0.5, 0.25) that no point"),
        ({"misfit": 3.0, "measured": 40}, "converged", "unreliable", "miss the solution by 3 of their standard"),
        ({"misfit": 3.0, "measured": 40, **RESIDUAL_TOO_LARGE}, "converged", "unreliable", "not resolved"),
        ({"noise": {"u": 1.1e-8}}, "converged", "noise-limited", "The noise of the data limits the solution"),
        ({"noise": {"u": 0.9e-8}}, "converged", "approximation-limited", "More features"),
        ({"noise": {"u": 2.0}}, "converged", "unreliable", "noise of the data leaves little"),
        ({"noise": {"u": 0.2}}, "converged", "noise-limited", "The noise of the data limits the solution"),
        ({"noise": {"u": 0.2}, "local": 0.03}, "converged", "unreliable", "not resolved"),
        ({}, "settled", "unreliable", "The nonlinear iteration settled: why"),
        ({}, "failed", "unreliable", "The nonlinear iteration failed: why"),
        # the first reason is the one to tell
        ({"objection": "The wrong end.", "recovery": 1.0}, "failed", "unreliable", "The wrong end."),
        ({"recovery": 1.0, "sensitivity": 1e12}, "failed", "unreliable", "do not determine the solution"),
        ({"recovery": 1e-3, "sensitivity": 1e11, **GROWN}, "failed", "unreliable", "leaves no digits"),
        ({"sensitivity": INF}, "failed", "unreliable", "does not depend continuously"),
        ({"conflict": {"a": 0.1}}, "failed", "unreliable", "The nonlinear iteration failed"),
        ({"conflict": {"a": 0.1}}, "settled", "inconsistent", "contradict each other"),
        ({"conflict": {"a": 0.1}, "unseen": (0.5,)}, "converged", "unreliable", "no point of the solve is near enough"),
        ({"unseen": (0.5,)}, "failed", "unreliable", "The nonlinear iteration failed"),
        ({"unseen": (0.5,), **RESIDUAL_TOO_LARGE}, "converged", "unreliable", "no point of the solve is near enough"),
    ],
)
def test_the_verdict(changes, status, verdict, words):
    error = assess(evidence(**changes), stats(status, "why"))
    assert error.verdict == verdict
    assert words in error.advice
    assert verdict in repr(error)
    assert error.trusted == (verdict not in ("unreliable", "inconsistent"))
    assert error.trusted == np.isfinite(error.estimate) == np.isfinite(error.relative)
    assert error.trusted == all(map(np.isfinite, error.of.values()))
    assert not error.trusted or error.relative <= (0.5 if verdict == "noise-limited" else 0.05)


@pytest.mark.parametrize(
    ("changes", "alike", "errors", "relative"),
    [
        ({"differences": {"u": (1e-8, 4.0)}}, False, {"u": 2e-8}, 0.5e-8),
        ({"differences": {"u": (1e-8, 4.0)}, "local": 1e-3}, False, {"u": 8e-3}, 2e-3),
        ({"noise": {"u": 3e-8}}, False, {"u": 8e-8}, 8e-8),
        ({"noise": {"u": 3e-8}, "misfit": 0.5, "measured": 9}, False, {"u": 8e-8}, 8e-8),
        ({"noise": {"u": 3e-8}, "misfit": 2.0, "measured": 0}, False, {"u": 14e-8}, 14e-8),
        ({"differences": {"u": (0, 4.0)}, "sensitivity": 1e6, **HOLDS}, False, {"u": 4e6 * EPS}, 1e6 * EPS),
        ({"differences": {"u": (0, 4.0)}, "sensitivity": 1e6, "residuals": {"a": 1e-14}}, False, {"u": 1.2e-8}, 3e-9),
        ({"differences": {"u": (0, 4.0)}, "sensitivity": 1e6, "residuals": {"a": 1e-9}}, False, {"u": 3.6e-8}, 9e-9),
        ({"differences": {"u": (0, 4.0)}, "sensitivity": 30.0}, False, {"u": 0.0}, 0.0),
        ({"coordinates": 1e-6}, False, {"u": 2e-8 + 1e-6}, 2e-8 + 1e-6),
        ({"residuals": {"a": 1e-6, "b": 1e-5}}, False, {"u": 2e-8}, 2e-8),
        ({"residuals": {"a": 1e-6, "b": 1e-5}}, True, {"u": 2e-5}, 2e-5),
        ({"differences": {"u": (1e-8, 1.0), "v": (1e-8, 10.0)}}, False, {"u": 2e-8, "v": 2e-8}, 2e-8),
        # one that vanishes counts with the rounding of the other
        ({"differences": {"u": (1e-16, 1e-16), "v": (0.0, 1.0)}}, False, {"u": 2e-16, "v": 0.0}, 2e-10),
    ],
)
def test_the_estimate(changes, alike, errors, relative):
    error = assess(evidence(**changes), stats(), alike)
    assert error.trusted
    assert error.of == pytest.approx(errors)
    assert error.estimate == pytest.approx(max(errors.values()))
    assert error.relative == pytest.approx(relative)


@pytest.mark.parametrize(
    ("misfit", "count", "expected"),
    [(1.0, 1, False), (3.0, 1, False), (6.0, 1, True), (1.0, 10**6, False), (1.01, 10**6, True), (1.5, 40, False),
     (1.7, 40, True), (99.0, 0, False), (NAN, 5, True), (INF, 5, True)],
)  # fmt: skip
def test_what_data_miss_a_solution_by(misfit, count, expected):
    assert understated(misfit, count) is expected


PLACE = {"where": "(0, 0)", "equation": "the rim"}


@pytest.mark.parametrize(
    ("changes", "sizes", "words"),
    [
        ({}, [], None),
        ({}, [(400, 1e-8)], None),
        ({}, [(400, 1e-8), (600, 0.4e-8)], None),
        ({}, [(400, 1e-8), (600, 0.6e-8)], ["600 features did not lower the error below that of 400. What", "blocks="]),
        ({}, [(300, 1.0), (400, 1e-8), (600, 1e-8)], ["600 features", "of 400."]),
        (PLACE, [(400, 1e-8), (600, 1e-8)], ["of 400. Its largest part is on the rim near (0, 0). What"]),
        ({**PLACE, **RESIDUAL_TOO_LARGE}, [(400, INF), (600, INF)], ["is not resolved", "near (0, 0). 600"]),
        ({"recovery": 1.0}, [(400, INF), (600, INF)], None),  # which had no advice to take more
        ({"residuals": {"square": 1e-15}}, [(400, 1e-15), (600, 1e-15)], None),
    ],
)
def test_advice_after_growth_knows_what_did_not_help(changes, sizes, words):
    error = assess(evidence(**changes), stats())
    known = after_growth(error, sizes)
    assert replace(known, advice="") == replace(error, advice="")
    assert (known.advice == error.advice) == (words is None)
    assert all(w in known.advice for w in words or ())
    assert words is None or "ore features" not in known.advice


@pytest.mark.parametrize(
    ("changes", "estimates", "factor"),
    [
        ({}, [1e-6, 2e-8], 1),  # nothing came after the smallest
        ({}, [2e-8, 6e-8], 3),
        ({}, [1e-6, 2e-8, 6e-8, 4e-8], 3),
        ({}, [2e-8, 1e-3], 10),  # at most
        ({}, [2e-8, INF], 10),
        ({}, [2e-8, 2e-8], 1),  # the last of those that are the smallest
        ({}, [2e-8, 2e-8, 6e-8], 3),
        ({"differences": {"u": (0.004, 1.0)}}, [8e-3, 4e-2], 5),
        ({"differences": {"u": (0.004, 1.0)}}, [8e-3, 6e-2], INF),  # above which a solution is not one
        ({"differences": {"u": (Assessment.FLOOR / 4, 1.0)}}, [Assessment.FLOOR / 2, 1e-3], 1),  # rounding is no luck
    ],
)
def test_the_smallest_estimate_of_several_is_not_taken_at_its_word(changes, estimates, factor):
    error = assess(evidence(**changes), stats())
    known = after_growth(error, [(400 + k, e) for k, e in enumerate(estimates)])
    assert known.estimate == pytest.approx(factor * error.estimate)
    assert known.relative == pytest.approx(factor * error.relative)
    assert known.of == pytest.approx({name: factor * e for name, e in error.of.items()})
    assert known.trusted == (factor < INF)
