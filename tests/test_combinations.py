"""Options together: every two values of any two options, each in a problem with a known solution."""

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import pytest
import sympy as sp
import torch

import fens
from fens._support.steering import Localisation
from fens.basis import AroundHoles, AtSpots, InCells, Number, RandomFeatures, TwoLayers
from fens.errors import SettingError
from fens.geometry import Demand

x, y, t = sp.symbols("x y t", real=True)
CENTRE, RADIUS = (0.4, 0.5), 0.2
SQUARE = fens.Box({x: (0, 1), y: (0, 1)})
HOLED = SQUARE - fens.Ball(dict(zip((x, y), CENTRE, strict=True)), RADIUS, name="hole")
NUMBER = 1.5

VALUES = {
    "layers": (1, 2),
    "hole": (False, True),
    "partition": (None, 2, "x"),  # the last is {x: 2}
    "blocks": (1, 2),
    "unknowns": ("one", "two", "complex", "number"),
    "activation": ("cos", "tanh"),
    "nonlinear": (False, True),
    "adapt": (None, False),
}


@dataclass(frozen=True)
class Row:
    """A value of every option, features, and a bound of the error."""

    layers: int
    hole: bool
    partition: int | str | None
    blocks: int
    unknowns: str
    activation: str
    nonlinear: bool
    adapt: bool | None
    features: int
    bound: float

    def __str__(self):
        return "-".join(str(getattr(self, name)) for name in VALUES)


_, o = False, True
N, D = None, False
ROWS = [
    # layers, hole, partition, blocks, unknowns, activation, nonlinear, adapt, features, bound
    Row(1, _, N, 1, "one", "cos", _, D, 120, 1e-10),
    Row(2, o, N, 1, "one", "tanh", _, D, 120, 1e-9),
    Row(2, _, 2, 2, "two", "tanh", _, D, 150, 1e-5),
    Row(1, _, "x", 1, "complex", "cos", o, D, 120, 1e-7),
    Row(1, o, 2, 1, "number", "cos", o, D, 120, 1e-3),
    Row(2, _, N, 2, "number", "cos", _, N, 120, 1e-9),
    Row(1, o, "x", 2, "complex", "tanh", _, D, 150, 1e-2),
    Row(1, _, N, 1, "two", "tanh", o, N, 120, 1e-9),
    Row(2, o, "x", 1, "two", "cos", _, D, 120, 1e-7),
    Row(2, _, 2, 1, "one", "tanh", o, D, 150, 1e-5),
    Row(2, o, 2, 1, "complex", "cos", _, D, 120, 2e-4),
    Row(1, _, "x", 2, "one", "cos", o, D, 120, 1e-7),
    Row(2, _, "x", 1, "number", "tanh", _, D, 120, 1e-5),
    Row(1, o, N, 1, "complex", "cos", _, N, 120, 2e-7),
    Row(2, _, "x", 1, "one", "tanh", _, N, 120, 2e-7),
    Row(1, _, 2, 1, "one", "cos", _, N, 120, 1e-4),
    # and more of them at once, where the hole asks for functions of its own
    Row(2, o, N, 2, "one", "cos", _, N, 200, 1e-2),
]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """One thread; and a short look at where solutions vary."""
    monkeypatch.setattr(Localisation, "SLOPE_POINTS", 2000)
    monkeypatch.setattr(Localisation, "ROUNDS", 2)
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def problem_of(row):
    """The problem of a row, and its solution."""
    space = (x, y) if row.hole or row.blocks == 1 else (x,)
    arguments = space if row.blocks == 1 else (*space, t)
    base = HOLED if row.hole else SQUARE if len(space) == 2 else fens.Box({x: (0, 1)})
    domain = base if row.blocks == 1 else base.during(t, 0, 1)
    p, q = (f if y in space else f.subs(y, 0) for f in (sp.cos(2 * x) * sp.exp(y / 2), sp.sin(x + y) + 1))
    if row.hole and row.adapt is None:  # singular inside of the hole: features that are smooth there do badly
        p += sp.log((x - CENTRE[0]) ** 2 + (y - CENTRE[1]) ** 2) / 4
    p, q = (f * sp.exp(-t) if t in arguments else f for f in (p, q))

    def heat(w):
        return (w.diff(t) if t in arguments else 0) - sum(w.diff(s, 2) for s in space)

    u, v = (sp.Function(name)(*arguments) for name in "uv")
    more, n = {}, int(row.nonlinear)
    if row.unknowns == "one":
        exact, inside = {u: p}, [heat(u) + u + n * u**2]
    elif row.unknowns == "two":
        exact, inside = {u: p, v: q}, [heat(u) + v + n * u * v, heat(v) - u + n * v**2]
    elif row.unknowns == "complex":
        u = fens.complex_unknown("u")(*arguments)
        exact, inside = {u: p + sp.I * q}, [heat(u) + sp.I * u + n * u**2]
    else:
        k = fens.Unknown("k", initial=1)
        exact, inside = {u: p, k: sp.Float(NUMBER)}, [heat(u) + k * (u if row.nonlinear else 1 + x)]
        along = np.linspace(0.05, 0.95, 8)
        more = {fens.Points({s: 0.1 * along if s == y else along for s in arguments}): u}
    functions = [w for w in exact if w.args]
    around = {domain.boundary: functions} if row.blocks == 1 else {domain.sides: functions, domain.initial: functions}
    return fens.manufacture({domain: inside, **around, **more}, exact), exact


def solved(row, **options):
    problem, exact = problem_of(row)
    partition = {x: 2} if row.partition == "x" else row.partition
    given = {"layers": row.layers, "activation": row.activation, "adapt": row.adapt, "blocks": row.blocks}
    given |= {"features": row.features, "partition": partition, "estimate": False}
    return fens.solve(problem, **{**given, **options}), exact


def error_of(solution, exact):
    """The largest error of any unknown, at random points."""
    domain = solution.problem.domain
    points = fens.Random(interior=500).sample(Demand.inside(domain), np.random.SeedSequence(1))[0].points
    found = []
    for unknown, known in exact.items():
        if unknown.args:
            values = sp.lambdify(domain.coordinates, known, "numpy")(*points.T)
            found.append(np.abs(solution[unknown].at(points) - values).max())
        else:
            found.append(abs(float(solution[unknown]) - NUMBER))
    return max(found)


def test_the_table_has_every_two_values_of_any_two_options():
    for (one, some), (other, others) in combinations(VALUES.items(), 2):
        found = {(getattr(r, one), getattr(r, other)) for r in ROWS}
        assert found == set(product(some, others)), (one, other)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_options_together(row):
    solution, exact = solved(row)
    assert error_of(solution, exact) < row.bound
    blocks = getattr(solution, "blocks", (solution,))
    assert len(blocks) == row.blocks
    for block in blocks:
        check_parts(row, block)


def check_parts(row, solution):
    """That the trial functions are of the form asked for, as many as asked for."""
    unknowns = solution.problem.components
    assert len(unknowns) == (1 if row.unknowns == "one" else 2)
    assert (solution.stats.iterations != ()) == row.nonlinear
    assert row.adapt is None or solution.stats.rounds == ()
    for component, ansatz, basis in zip(unknowns, solution.ansaetze, solution.features.members, strict=True):
        kinds = {type(part) for part in ansatz.parts}
        if component.is_constant:
            assert (kinds, len(basis)) == ({Number}, 1)
            continue
        assert len(basis) == row.features
        assert (TwoLayers in kinds) == (row.layers == 2)
        assert (AroundHoles in kinds) == (row.hole and row.adapt is None)
        cells = [part.counts for part in ansatz.parts if isinstance(part, InCells)]
        d = len(component.domain.coordinates)
        if row.partition is None:
            assert not kinds & {InCells, AtSpots}
        elif not ansatz.spots:
            assert cells == [(2,) * d if row.partition == 2 else (2,) + (1,) * (d - 1)]
        assert {leaf.activation.name for leaf in leaves(basis)} == {row.activation}


def leaves(basis):
    """The random features that a basis is made of."""
    if isinstance(basis, RandomFeatures):
        return [basis]
    inner = basis.members if hasattr(basis, "members") else [
        getattr(basis, name) for name in ("plain", "first", "inner") if hasattr(basis, name)
    ]  # fmt: skip
    return [leaf for part in inner for leaf in leaves(part)]


@pytest.mark.parametrize("row", [ROWS[1], ROWS[5]], ids=str)
def test_the_estimate_is_that_of_the_same_form(row):
    solution, exact = solved(row, estimate=True)
    assert solution.error.trusted
    assert error_of(solution, exact) / 10 < solution.error.estimate < row.bound
    for block in getattr(solution, "blocks", (solution,)):
        check_parts(row, block)


u = sp.Function("u")(x, y)
v, w = sp.Function("v")(x, t), sp.Function("w")(x, t)
STRIP = fens.Box({x: (0, 1)}).during(t, 0, 1)
HALVES = [fens.Box({x: (a, a + 1)}).during(t, 0, 1) for a in (0, 1)]
PLANE = {HOLED: sp.Eq(u, x)}
REFUSED = [
    ({"blocks": 2}, PLANE, "blocks divide the time of one space-time domain, .*; got the box 0 < x < 1, 0 < y < 1 wi"),
    ({"blocks": 2}, {HALVES[0]: sp.Eq(v, x), HALVES[1]: sp.Eq(w, x)}, "blocks divide the time of one space-time"),
    ({"blocks": 2}, {STRIP: sp.Eq(w, 0), STRIP.final: sp.Eq(w, 0)}, "blocks march forward in time, from initial"),
    ({"blocks": 2, "layers": 2}, {STRIP: [sp.Eq(w, 0), sp.Eq(fens.integral(w), 0)]}, "an integral over all time"),
    ({"partition": 8, "layers": 2}, PLANE, "partition makes 64 cells, more than the 50 features; take fewer cells"),
    ({"partition": {t: 2}}, PLANE, "partition has a number of cells for t; the coordinates are x, y"),
    ({"partition": {x: 2, y: 0}}, PLANE, "partition must be a whole positive number; got 0"),
    ({"partition": 2, "layers": 3}, PLANE, "layers, the number of hidden layers, must be 1 or 2; got 3"),
    ({"layers": 2, "adapt": True, "scale": 2.0}, PLANE, "adapt=True chooses frequencies and scale; leave out scale"),
    ({"partition": 2, "tol": 1e-3}, PLANE, "tol needs the error estimate that estimate=False leaves out"),
]


@pytest.mark.parametrize(("options", "equations", "sentence"), REFUSED, ids=[str(k) for k in range(len(REFUSED))])
def test_what_is_refused_is_refused_with_a_sentence(options, equations, sentence):
    with pytest.raises(SettingError, match=sentence):
        fens.solve(fens.Problem(equations), features=50, estimate=False, **options)
