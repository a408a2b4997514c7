"""Diffusion from data that do not fit together: similarity functions, where they are needed, and solutions."""

import numpy as np
import pytest
import sympy as sp
import torch
from scipy.special import erfc

import fens
from fens.basis import AtOnsets, Onset, SimilarityFunctions
from fens.basis.singular.onsets import images
from fens.geometry import Clustered, Demand, Fan, Graded
from fens.strategy.onsets import all_sites

x, t = sp.symbols("x t", real=True)
u = sp.Function("u")(x, t)
ROD = fens.Box({x: (0, 1)}).during(t, 0, 1)
HEAT = sp.Eq(u.diff(t), u.diff(x, 2))


def rod(initial, sides, equation=HEAT, domain=ROD):
    return fens.Problem({domain: equation, domain.initial: sp.Eq(u, initial), domain.sides: sides})


def places(problem):
    return [o.place for o in all_sites(problem.domain, problem).onsets]


# ---- functions


@pytest.mark.parametrize("alpha", [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 1)])
def test_derivatives_are_those_of_the_formula(alpha):
    terms = [(0, 0, 1, 1), (2, 2, 1, 1), (3, -1, 1.7, 0), (0, 1, 1, 0)]
    given = [0.1, 0.2], [-1.5, 0.8], *map(list, zip(*terms, strict=True))
    basis = SimilarityFunctions(*(torch.tensor(v, dtype=torch.float64) for v in given), (0, 1), 2)
    y, theta = (x - 0.1) / -1.5, (t - 0.2) / 0.8
    xi = y / sp.sqrt(theta)
    formulas = [y**m * theta ** sp.Rational(n, 2) * (sp.erfc(xi) if e else sp.exp(-g * xi**2)) for m, n, g, e in terms]
    points = np.array([[0.3, 0.4], [-0.7, 0.25], [0.15, 1.3]])
    expected = [sp.lambdify((x, t), f.diff(*zip((x, t), alpha, strict=True)), ["scipy", "numpy"])(*points.T)
                for f in formulas]  # fmt: skip
    found = basis.matrix([(1.0, alpha)], torch.tensor(points)).numpy()
    np.testing.assert_allclose(found, np.array(expected).T, rtol=1e-11, atol=1e-12)


def test_functions_have_values_at_their_place_and_before():
    onset = Onset((0.0, 0.5), (0, 1), (1.0, 1.0), 1.0, (0.0, 1.0), 0.5, varies=True, nonlinear=True)
    drawn = AtOnsets((onset,)).draw(300, type("Plane", (), {"dimension": 2}), np.random.SeedSequence(0))
    values = drawn.scaled([1.0], torch.device("cpu")).matrix([(1.0, (0, 0))], torch.tensor([[0, 0.5], [0.3, 0.1]]))
    assert len(drawn) == 300
    assert torch.isfinite(values).all()
    assert (values[1] == 0).all()


def test_images_are_reflections_that_are_felt():
    onset = Onset((0.0, 0.0), (0, 1), (1.0, 1.0), 1.0, (0.0, 1.0), 1.0)
    assert [image.place[0] for image in images(onset)] == [2.0, -2.0, 4.0, -4.0]
    assert not images(Onset((0.0, 0.0), (0, 1), (1.0, 1.0), 1.0, (0.0, 1.0), 1e-3))


# ---- places


@pytest.mark.parametrize(
    ("initial", "sides", "expected"),
    [
        (1, sp.Eq(u, 0), [0, 1]),
        (x, sp.Eq(u, 0), [1]),
        (x * (1 - x), sp.Eq(u, 0), [0, 1]),
        (sp.sin(sp.pi * x), sp.Eq(u, 0), []),
        (sp.exp(x), sp.Eq(u, sp.exp(x + t)), []),
        (sp.cos(sp.pi * x), sp.Eq(u.diff(x), 0), []),
        (x, sp.Eq(fens.normal_derivative(u), 0), [0, 1]),
        (sp.Max(x - 0.25, 0), sp.Eq(u.diff(x) + u, x * (1 + (x - 0.25))), [0.25]),
    ],
)
def test_places_are_where_data_disagree(initial, sides, expected):
    assert sorted(places(rod(initial, sides))) == [pytest.approx((p, 0.0)) for p in expected]


def test_places_of_final_values_lie_at_the_end_of_time():
    problem = fens.Problem(
        {ROD: sp.Eq(u.diff(t) + 2 * u.diff(x, 2), 0), ROD.final: sp.Eq(u, 1), ROD.sides: sp.Eq(u, 0)}
    )
    onsets = all_sites(ROD, problem).onsets
    assert [o.place for o in onsets] == [(0.0, 1.0), (1.0, 1.0)]
    assert onsets[0].directions == (1.0, -1.0)
    assert onsets[0].diffusivity == 2.0


def test_places_of_boundary_values_that_jump_in_time():
    assert places(rod(0, sp.Eq(u, sp.Heaviside(t - sp.Rational(1, 4))))) == [(0.0, 0.25), (1.0, 0.25)]


def test_other_equations_have_no_such_places():
    wave = fens.Problem({ROD: sp.Eq(u.diff(t, 2), u.diff(x, 2)), ROD.initial: sp.Eq(u, 1), ROD.sides: sp.Eq(u, 0)})
    assert not places(wave)


def test_points_get_denser_towards_a_place_as_diffusion_does():
    fan = Fan((0.0, 0.0), (0, 1), (1.0, 1.0), 1.0, 1.0, 1.0, False, 6.0)
    points = Graded((fan,), 0.6, 10.0).sample(Demand.inside(ROD, 100), np.random.SeedSequence(0))[0].points
    plain = Clustered().sample(Demand.inside(ROD, 100), np.random.SeedSequence(0))[0].points
    early = points[points[:, 1] < 1e-6]
    assert len(points) == pytest.approx(len(plain), abs=40)
    assert len(early) > 20
    assert (early[:, 0] <= 12 * np.sqrt(early[:, 1])).mean() > 0.9


# ---- solutions


def points_after(start, count=1000):
    rng = np.random.default_rng(0)
    later = 10 ** rng.uniform(-6, 0, count)
    near = np.minimum(12 * rng.random(count) * np.sqrt(later), 1)
    return np.concatenate([near, rng.random(count)]), start + np.tile(later, 2)


def test_a_rod_that_is_warm_at_first_and_cold_at_its_ends():
    solution = fens.solve(rod(1, sp.Eq(u, 0)))
    X, T = points_after(0.0)
    images_of_ends = [(-1) ** n * (erfc((n + X) / (2 * T**0.5)) + erfc((n + 1 - X) / (2 * T**0.5))) for n in range(16)]
    error = np.abs(solution(X, T) - (1 - sum(images_of_ends))).max()
    assert error < 1e-10
    assert error <= solution.error.estimate < 1e-9
    assert [r.kind for r in solution.stats.rounds] == ["onsets"]


def test_an_end_that_radiates_with_options_and_as_a_box():
    box, v = fens.Box({t: (0, 0.5), x: (0, 1)}), sp.Function("v")(t, x)
    exact = sp.erfc(x / (2 * sp.sqrt(t))) - sp.exp(x + t) * sp.erfc(x / (2 * sp.sqrt(t)) + sp.sqrt(t))
    problem = fens.Problem({
        box: sp.Eq(v.diff(t), v.diff(x, 2)), box.face(t, 0): sp.Eq(v, 0), box.face(x, 0): sp.Eq(v.diff(x), v - 1),
        box.face(x, 1): sp.Eq(v, exact),
    })  # fmt: skip
    solution = fens.solve(problem, features=300)
    X, T = points_after(0.0)
    here = T <= 0.5
    error = np.abs(solution(T[here], X[here]) - sp.lambdify((x, t), exact, ["scipy", "numpy"])(X[here], T[here])).max()
    assert error < 1e-9
    assert error <= solution.error.estimate
    assert solution.error.trusted
