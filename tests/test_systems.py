"""Several unknowns, complex values, unknown numbers, conditions across pairs and interfaces, integrals."""

import pickle

import numpy as np
import pytest
import sympy as sp
import torch

import fens
from fens.basis import Frame, Plain, TrialSpace, activation
from fens.errors import EquationError, RegionError, SettingError, UnsupportedEquation

x, y, t = sp.symbols("x y t")
u, v, p = (sp.Function(name)(x, y) for name in "uvp")
square = fens.Box({x: (0, 1), y: (0, 1)})


def laplacian(f):
    return f.diff(x, 2) + f.diff(y, 2)


def largest(solution, exact):
    return max(c.linf for c in solution.compare(exact).values())


def stokes():
    stream = sp.sin(2 * x + 1) * sp.cos(3 * y)
    exact = {u: stream.diff(y), v: -stream.diff(x), p: sp.exp(x) * sp.sin(2 * y)}
    operators = {
        square: [-laplacian(u) + p.diff(x), -laplacian(v) + p.diff(y), u.diff(x) + v.diff(y)],
        square.boundary: [u, v],
        fens.Points({x: [0.5], y: [0.5]}): p,
    }
    return fens.manufacture(operators, exact), exact


def test_stokes():
    problem, exact = stokes()
    solution = fens.solve(problem, features=300)
    assert largest(solution, exact) < 1e-9
    assert set(solution.error.of) == {"p", "u", "v"}
    assert solution.error.estimate >= largest(solution, exact) / 3
    assert solution[u](0.5, 0.5) == pytest.approx(float(exact[u].subs({x: 0.5, y: 0.5})), abs=1e-9)
    assert solution[p].diff(x)(0.3, 0.2) == pytest.approx(float(exact[p].diff(x).subs({x: 0.3, y: 0.2})), abs=1e-7)


def test_pictures_have_a_panel_for_each_unknown(tmp_path):
    problem, _ = stokes()
    figure = fens.solve(problem, features=60, estimate=False).plot(str(tmp_path / "flow.png"))
    maps = [a for a in figure.axes if a.get_xlabel()]
    assert len(maps) == 3
    assert (tmp_path / "flow.png").stat().st_size > 1000
    w = fens.complex_unknown("w")(x)
    rod = fens.Box({x: (0, 1)})
    curves = fens.solve(fens.Problem({rod: sp.Eq(w, sp.exp(sp.I * x))}), features=30, estimate=False).plot().axes
    assert [a.get_ylabel() for a in curves] == ["Re $w$", "Im $w$"]


@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")
def test_pressure_without_a_level_is_not_determined():
    problem, _ = stokes()
    free = fens.Problem({
        r: [e.residual.xreplace({s: named(problem, jet) for jet, s in e.jets}) for e in problem.equations_on(r)]
        for r in problem.regions
        if r.domain is not None
    })  # fmt: skip
    assert fens.solve(free, features=200).error.verdict == "unreliable"


def named(problem, jet):
    """The derivative that a jet stands for."""
    variables = [(s, n) for s, n in zip(problem.coordinates, jet.orders, strict=True) if n]
    unknown = problem.components[jet.unknown].unknown
    return unknown.diff(*variables) if variables else unknown


def test_each_unknown_may_have_its_own_number_of_features_and_scale():
    problem, exact = stokes()
    solution = fens.solve(problem, features={u: 300, v: 310, p: 200}, scale={u: 8, v: (8, 9), p: 6}, estimate=False)
    assert [len(f) for f in solution.features.members] == [200, 300, 310]
    assert solution.scale == {"p": 6.0, "u": 8.0, "v": (8.0, 9.0)}
    assert largest(solution, exact) < 1e-6


def test_a_nonlinear_system_by_newton():
    exact = {u: sp.sin(x + y), v: sp.cos(x - y)}
    operators = {square: [laplacian(u) + u * v, laplacian(v) - u**2], square.boundary: [u, v]}
    problem = fens.manufacture(operators, exact)
    assert not problem.is_linear
    solution = fens.solve(problem, features=300)
    assert largest(solution, exact) < 1e-10
    again = fens.solve(problem, features=300, initial={u: 0, v: sp.cos(x)}, estimate=False)
    assert largest(again, exact) < 1e-10


def test_a_component_that_vanishes_does_not_spoil_the_iteration():
    problem = fens.manufacture({square: [laplacian(u) + u * v, laplacian(v) - v * u], square.boundary: [u, v]},
                               {u: sp.exp(x), v: sp.S.Zero})  # fmt: skip
    solution = fens.solve(problem, features=200)
    assert solution.stats.status == "converged"
    assert largest(solution, {u: sp.exp(x), v: sp.S.Zero}) < 1e-9


def test_complex_values():
    w = fens.complex_unknown("w")(x, y)
    k = 6
    exact = sp.exp(sp.I * k * (sp.cos(0.3) * x + sp.sin(0.3) * y))
    problem = fens.manufacture(
        {square: laplacian(w) + k**2 * w, square.boundary: fens.normal_derivative(w) - sp.I * k * w}, w, exact
    )
    solution = fens.solve(problem, features=300)
    assert solution.compare(exact).linf < 1e-9
    value = solution(0.2, 0.4)
    assert isinstance(value, complex)
    assert value == pytest.approx(complex(exact.subs({x: 0.2, y: 0.4})), abs=1e-9)
    assert np.iscomplexobj(solution.diff(x)(np.zeros(3) + 0.1, 0.2))


def test_a_nonlinear_complex_equation():
    w = fens.complex_unknown("w")(x)
    rod = fens.Box({x: (0, 1)})
    exact = sp.exp(2 * sp.I * x) * (1 + x)
    problem = fens.manufacture({rod: w.diff(x, 2) + sp.Abs(w) ** 2 * w, rod.boundary: w}, w, exact)
    solution = fens.solve(problem, features=60, initial=1 + x)
    assert solution.compare(exact).linf < 1e-10


def test_complex_equations_need_complex_unknowns():
    with pytest.raises(UnsupportedEquation, match="complex_unknown"):
        fens.Problem({square: sp.Eq(laplacian(u) + sp.I * u, 0)})


def test_an_unknown_number_is_found_from_exact_data():
    w, k = sp.Function("w")(x), fens.Unknown("k", initial=1)
    rod = fens.Box({x: (0, 1)})
    at = np.linspace(0.1, 0.9, 5)
    problem = fens.Problem({
        rod: sp.Eq(w.diff(x, 2), -k * w),
        rod.face(x, 0): sp.Eq(w, 1),
        fens.Points({x: at}): sp.Eq(w, fens.Data(np.cos(1.5 * at))),
    })  # fmt: skip
    solution = fens.solve(problem, features=60)
    assert float(solution[k]) == pytest.approx(2.25, abs=1e-9)
    assert solution.compare({w: sp.cos(1.5 * x)})[w].linf < 1e-9


def heat_from_samples(seed, noise=0.01, count=50):
    w, k = sp.Function("w")(x, t), fens.Unknown("k", initial=1)
    strip = fens.Box({x: (0, 1)}).during(t, 0, 1)
    rng = np.random.default_rng(seed)
    xs, ts = rng.uniform(0, 1, (2, count))
    values = np.exp(-0.3 * np.pi**2 * ts) * np.sin(np.pi * xs) + noise * rng.standard_normal(count)
    problem = fens.Problem({
        strip: sp.Eq(w.diff(t), k * w.diff(x, 2)),
        strip.sides: sp.Eq(w, 0),
        strip.initial: sp.Eq(w, sp.sin(sp.pi * x)),
        fens.Points({x: xs, t: ts}): sp.Eq(w, fens.Data(values, std=noise)),
    })  # fmt: skip
    return problem, w, k


def test_a_diffusivity_from_noisy_samples_lies_within_its_deviations():
    misses = 0
    for seed in range(10):
        problem, _, k = heat_from_samples(seed)
        found = fens.solve(problem, features=150, scale=5, estimate=False)[k]
        assert 1e-4 < found.std < 0.1
        misses += abs(found - 0.3) > 3 * found.std
    assert misses <= 1
    assert "±" in repr(found)
    assert pickle.loads(pickle.dumps(found)).std == found.std


def test_noise_makes_the_estimate_honest():
    problem, w, _ = heat_from_samples(3)
    solution = fens.solve(problem, features=200)
    exact = sp.exp(-0.3 * sp.pi**2 * t) * sp.sin(sp.pi * x)
    assert solution.error.verdict == "noise-limited"
    assert solution.error.of["w"] > solution.compare({w: exact})[w].linf / 10


def test_periodic_in_one_direction_and_robin_in_the_other():
    exact = sp.sin(2 * sp.pi * x) * sp.exp(y) + y**2
    flux = fens.normal_derivative(u)
    problem = fens.Problem({
        square: sp.Eq(-laplacian(u) + u, -laplacian(exact) + exact),
        square.face(y, 0): sp.Eq(flux + 2 * u, -exact.diff(y) + 2 * exact),
        square.face(y, 1): sp.Eq(flux + u, exact.diff(y) + exact),
        square.pair(x): [sp.Eq(fens.jump(u), 0), sp.Eq(fens.jump(u.diff(x)), 0)],
    })  # fmt: skip
    assert fens.solve(problem, features=400).compare(exact).linf < 1e-11


def test_a_jump_sees_coordinates_on_both_sides():
    """With (1 + x) u across x the condition is 2u(1) − u(0)."""
    w = sp.Function("w")(x)
    rod = fens.Box({x: (0, 1)})
    problem = fens.Problem({rod: sp.Eq(w.diff(x), 0), rod.pair(x): sp.Eq(fens.jump((1 + x) * w), 3)})
    assert fens.solve(problem, features=40)(0.4) == pytest.approx(3, abs=1e-12)


def test_periodic_in_time():
    w = sp.Function("w")(x, t)
    strip = fens.Box({x: (0, 1)}).during(t, 0, 1)
    exact = sp.cos(2 * sp.pi * t) * sp.sin(x)
    equations = {
        strip: sp.Eq(w.diff(t) - w.diff(x, 2), exact.diff(t) - exact.diff(x, 2)),
        strip.sides: sp.Eq(w, exact),
        strip.pair(t): sp.Eq(fens.jump(w), 0),
    }
    assert fens.solve(fens.Problem(equations), features=400).compare(exact).linf < 1e-10


def test_an_interface_between_two_domains():
    left, right = fens.Box({x: (0, 0.5), y: (0, 1)}), fens.Box({x: (0.5, 1), y: (0, 1)})
    exact = {u: sp.exp(y) * (10 * x - 4), v: sp.exp(y) * (x + sp.Rational(1, 2))}
    equations = {left: sp.Eq(laplacian(u), laplacian(exact[u])), right: sp.Eq(laplacian(v), laplacian(exact[v]))}
    equations |= {face: sp.Eq(u, exact[u]) for face in (left.face(x, 0), left.face(y, 0), left.face(y, 1))}
    equations |= {face: sp.Eq(v, exact[v]) for face in (right.face(x, 1), right.face(y, 0), right.face(y, 1))}
    equations[left.face(x, 0.5)] = [sp.Eq(u, v), sp.Eq(u.diff(x), 10 * v.diff(x))]
    solution = fens.solve(fens.Problem(equations), features=300)
    assert largest(solution, exact) < 1e-10
    assert np.isnan(solution[u](0.75, 0.5))
    assert solution[v](0.75, 0.5) == pytest.approx(float(exact[v].subs({x: 0.75, y: 0.5})))


@pytest.mark.parametrize(
    ("equations", "error", "sentence"),
    [
        (lambda: {square: sp.Eq(u, v)}, None, ""),
        (lambda: {square: laplacian(u), square.boundary: sp.Eq(fens.jump(u), 0)}, EquationError, "not a pair of faces"),
        (lambda: {square: [laplacian(u), sp.Eq(u + fens.integral(u), 0)]}, UnsupportedEquation, "sum of integrals"),
        (lambda: {square: [laplacian(u), sp.Eq(fens.integral(u) ** 2, 1)]}, UnsupportedEquation, "sum of integrals"),
        (lambda: {square: laplacian(u), square.pair(x): fens.jump(fens.jump(u))}, UnsupportedEquation, "a jump"),
        (lambda: {square: laplacian(u), fens.Box({x: (1, 2), y: (0, 1)}): u}, UnsupportedEquation, "one domain"),
        (lambda: {square: u, fens.Box({y: (0, 1), x: (0, 1)}): v}, RegionError, "same coordinates in the same order"),
        (lambda: {square: fens.Unknown("k") - 1}, EquationError, "No equation contains an unknown"),
    ],
)  # fmt: skip
def test_sentences(equations, error, sentence):
    if error is None:
        fens.Problem(equations())
        return
    with pytest.raises(error, match=sentence):
        fens.Problem(equations())


@pytest.mark.parametrize("bad", ["", 3])
def test_names_of_unknowns(bad):
    with pytest.raises(EquationError):
        fens.Unknown(bad)
    with pytest.raises(EquationError):
        fens.complex_unknown(bad)


def test_an_unknown_number_starts_somewhere_finite():
    with pytest.raises(EquationError, match="finite number"):
        fens.Unknown("k", initial=float("inf"))


def test_several_unknowns_are_taken_one_by_one():
    problem, _ = stokes()
    solution = fens.solve(problem, features=60, estimate=False)
    for use in (lambda: solution(0.1, 0.2), lambda: solution.diff(x), lambda: solution.compare(x)):
        with pytest.raises(SettingError, match="several unknowns"):
            use()
    with pytest.raises(EquationError, match="not an unknown of this problem"):
        solution[sp.Function("q")(x, y)]
    with pytest.raises(SettingError, match="no number for"):
        fens.solve(problem, features={u: 100})
    with pytest.raises(SettingError, match="mapping from"):
        fens.solve(fens.manufacture({square: [u * v, v]}, {u: x, v: y}), features=50, initial=1.0)


@pytest.mark.parametrize("std", [0.0, -1.0, float("nan"), [0.1, 0.2, 0.3]])
def test_deviations_that_are_none(std):
    with pytest.raises(EquationError):
        fens.Data([1.0, 2.0], std=std)


def test_data_of_two_kinds_are_weighed_by_their_noise():
    """Two constants are measured, once well and once badly: the answer is their weighted mean."""
    w = sp.Function("w")(x)
    rod = fens.Box({x: (0, 1)})
    problem = fens.Problem({
        rod: sp.Eq(w.diff(x), 0),
        fens.Points({x: [0.2]}): sp.Eq(w, fens.Data([1.0], std=0.1)),
        fens.Points({x: [0.7]}): sp.Eq(w, fens.Data([2.0], std=0.2)),
    })  # fmt: skip
    assert fens.solve(problem, features=30, estimate=False)(0.5) == pytest.approx(1.2, abs=1e-6)


def test_a_trial_space_puts_columns_side_by_side():
    draws = [Plain().draw(n, Frame([(0, 1)] * 2, activation("cos")), np.random.SeedSequence(n)) for n in (3, 5)]
    family = TrialSpace(tuple(d.scaled((1.0, 1.0), torch.device("cpu")) for d in draws))
    points = torch.rand((7, 2), dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    A = family.matrix([(2.0, 1, (1, 0))], points)
    assert A.shape == (7, 8)
    assert not A[:, :3].any()
    assert torch.equal(A[:, 3:], family.members[1].matrix([(2.0, (1, 0))], points))
