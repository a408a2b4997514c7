"""Problem files: the parser, what a file becomes, and what is wrong with one."""

import os
import pickle
import re
import tomllib
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fens
from fens.errors import FileError
from fens.files import bounds, columns, read
from fens.files.builtins import CONSTANTS, WORDS, Names
from fens.files.parse import equation, expression, inequality, number
from fens.files.positions import places

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))
x, y, t = sp.symbols("x y t", real=True)
u = sp.Function("u", real=True)(x, y, t)
NAMES = Names({"x": x, "y": y, "t": t, "u": u, "k": sp.Float(0.1)}, (x, y, t), t)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2*3", 7),
        ("-x^2", -(x**2)),
        ("2**3**2", 512),
        ("2^-1", sp.Rational(1, 2)),
        ("-2**-x*3", -(2**-x) * 3),
        ("x - y - t", x - y - t),
        ("x/y/t", x / (y * t)),
        ("--x", x),
        ("1e-3*x", 0.001 * x),
        (".5", 0.5),
        ("e*pi*I", sp.E * sp.pi * sp.I),
        ("diff(u, x, 2, t)", u.diff(x, 2, t)),
        ("diff(x^2*u, x)", (x**2 * u).diff(x)),
        ("laplacian(u)", u.diff(x, 2) + u.diff(y, 2)),
        ("laplacian(sign(x)*u)", fens.laplacian(sp.sign(x) * u)),
        ("laplacian(x^3*y)", 6 * x * y),
        ("div(x*grad(u))", fens.div(x * fens.grad(u))),
        ("div(u, x*u)", fens.div((u, x * u))),
        ("div(x*grad(x*y))", y),
        ("strong(x*diff(u, x, 2))", fens.strong(x * u.diff(x, 2))),
        ("diff(sign(x)*diff(u, x), x)", sp.Derivative(sp.sign(x) * u.diff(x), x)),
        ("diff(x*diff(u, x), x)", x * u.diff(x, 2) + u.diff(x)),
        ("u(x, y, t) + u", 2 * u),
        ("normal(x)*k", fens.normal(x) * 0.1),
        ("normal_derivative(u)", fens.normal_derivative(u)),
        ("jump(diff(u, x))", fens.jump(u.diff(x))),
        ("integral(u^2)", fens.integral(u**2)),
        ("besselj(0, x) + erf(y)", sp.besselj(0, x) + sp.erf(y)),
        ("max(x, 0) - abs(y)", sp.Max(x, 0) - sp.Abs(y)),
        ("where(x < 1/2, 1, 2)", sp.Piecewise((1, x < sp.Rational(1, 2)), (2, True))),
        ("heaviside(x)", sp.Heaviside(x, sp.Rational(1, 2))),
        ("sin(x)\n  + cos(y)", sp.sin(x) + sp.cos(y)),
    ],
)
def test_expressions(text, expected):
    assert expression(text, NAMES) == expected


def test_equations_and_comparisons():
    assert equation("diff(u, t) = k*u", NAMES) == sp.Eq(u.diff(t), 0.1 * u)
    assert equation("diff(u, t) - u", NAMES) == u.diff(t) - u
    assert equation("0 = 0", NAMES) == sp.Eq(0, 0, evaluate=False)
    assert inequality("x^2 <= 1 - y", NAMES) == sp.LessThan(x**2, 1 - y)
    assert number("2*pi", NAMES) == pytest.approx(2 * np.pi, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "words", "column"),
    [
        ("u.diff(x)", "no attributes", 2),
        ("().__class__", "no attributes", 3),
        ("__import__('os')", "underscore", 1),
        ("x + _y", "underscore", 5),
        ("eval(x)", "no function eval", 1),
        ("lambda", "not known", 1),
        ("x[0]", "indices", 2),
        ("9**9**9", "beyond ±1000", 2),
        ("10**10**10", "beyond ±1000", 3),
        ("123456789**900", "too large", 10),
        ("exp(exp(exp(9)))", "larger than 1e+300", 5),
        ("1e999", "larger than", 1),
        ("9" * 41, "more than 40 digits", 1),
        ("(x + y + t + 1)^300", "multiplied out", 1),
        ("*".join(f"(x + {k}*y + t)" for k in range(1, 11)), "multiplied out", 1),
        ("(" * 40 + "x" + ")" * 40, "nested more than", 31),
        ("2^" * 40 + "x", "nested more than", 62),
        ("x" * 41, "longer than", 1),
        ("1/0", "divides by zero", 2),
        ("x/(1 - 1)", "divides by zero", 2),
        ("log(0)", "infinite", 1),
        ("2x", "2*x", 2),
        ("sin x", "write sin(", 1),
        ("(x)(y)", "sign is missing", 4),
        ("kk", "did you mean k?", 1),
        ("sinn(x)", "did you mean sin?", 1),
        ("k(x)", "is not a function", 1),
        ("u(y, x, t)", "function of x, y, t", 1),
        ("sin(x, y)", "takes 1 argument; got 2", 1),
        ("diff(u, k)", "diff() takes coordinates", 1),
        ("diff(u, x, 99)", "1 to 12", 1),
        ("normal(k)", "takes a coordinate", 1),
        ("x == 1", "one =", 3),
        ("x = y = t", "one, outside", 7),
        ("sin(x = 1)", "outside of brackets", 7),
        ("x < y", "comparison where", 1),
        ("sin(x < y)", "belongs into where", 1),
        ("max(I, x)", "cannot be taken", 1),
        ("data(x)", "column", 1),
        ("(x", "ends, where ')'", 3),
        ("x +", "ends too early", 4),
        ("", "ends too early", 1),
        ("x − 1", "typographic minus", 3),
        ("x +\n y y", "sign is missing", 4),
    ],
)
def test_what_is_refused_in_an_expression(text, words, column):
    with pytest.raises(FileError) as caught:
        equation(text, NAMES)
    assert words in str(caught.value)
    assert caught.value.column == column
    assert "^" in str(caught.value).split("\n")[-1] or not text


def test_names_of_names_of_names_stay_bearable():
    def pile(names, last, k):
        return pile(names.with_meanings({f"a{k}": expression(f"{last}*sin({last}) + {last}", names)}), f"a{k}", k + 1)

    with pytest.raises(FileError, match=r"parts|levels"):
        pile(NAMES, "x", 1)
    with pytest.raises(FileError, match="5000 are the most"):
        expression("x+" * 3000 + "x", NAMES)


WORD = st.sampled_from([*WORDS, *CONSTANTS, *NAMES.meanings, "__class__", "eval", "a.b"])
SIGN = st.sampled_from([*"+-*/^(),=<>. [", "**", "<=", "=="])
FIGURE = st.sampled_from(["0", "1", "2.5", "1e9", "1e-300", "1000", ".5", "7"])


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(st.one_of(WORD, SIGN, FIGURE), max_size=25).map("".join)))
def test_any_text_is_read_or_refused(text):
    with suppress(FileError):
        assert isinstance(equation(text, NAMES), sp.Basic)


TREES = st.recursive(
    st.one_of(st.sampled_from(list(NAMES.meanings)), FIGURE),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "**"]), inner).map(lambda p: f"({''.join(p)})"),
        st.tuples(st.sampled_from(list(WORDS)), st.lists(inner, min_size=1, max_size=3)).map(
            lambda p: f"{p[0]}({','.join(p[1])})"
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(TREES)
def test_any_formula_is_read_or_refused(text):
    try:
        result = expression(text, NAMES)
    except FileError:
        result = None
    if result is not None:
        assert not result.has(sp.nan, sp.zoo, sp.oo)


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(1, 50), st.integers(0, 4))
@settings(max_examples=60, deadline=None)
def test_arithmetic_is_that_of_python(a, b, c, n):
    for text in (f"{a} - {b}*{c}", f"({a} + {b})**{n} - {a}*-{c}", f"-{c}**{n} + {b}"):
        assert expression(text, NAMES) == eval(text)
    assert expression(f"{a}/{c}/{c} - {b}", NAMES) == sp.Rational(a, c * c) - b


# What a file becomes: the same problem as in Python

BOX = 'unknowns = ["u"]\n[domain]\nbox = { x = [0, 1], y = [0, 1] }\n'
square = fens.Box({x: (0, 1), y: (0, 1)})
v, w = sp.Function("u", real=True)(x, y), sp.Function("w", real=True)(x, y)
POISSON = '[equations]\ninside = "laplacian(u) = 1"\nboundary = "u = 0"\n'


def laplacian(f):
    return f.diff(x, 2) + f.diff(y, 2)


def poisson(domain):
    return fens.Problem({domain: sp.Eq(laplacian(v), 1), domain.boundary: sp.Eq(v, 0)})


def shape(text):
    return f'unknowns = "u"\n[domain]\n{text}\n{POISSON}'


def strip():
    rod = fens.Box({x: (0, 1)}).during(t, 0, 2)
    f = sp.Function("u", real=True)(x, t)
    k = fens.Unknown("k", 2.0)
    return fens.Problem({
        rod: sp.Eq(f.diff(t), k * f.diff(x, 2)),
        rod.face(x, 0): sp.Eq(f, 0),
        rod.sides: sp.Eq(f, 0),
        rod.initial: [sp.Eq(f, sp.sin(sp.pi * x)), sp.Eq(f.diff(t), 0)],
        rod.final: sp.Eq(f, x),
    })  # fmt: skip


def two_domains():
    left, right = fens.Box({x: (0, 0.5), y: (0, 1)}), fens.Box({x: (0.5, 1), y: (0, 1)})
    return fens.Problem({
        left: sp.Eq(laplacian(v), 0),
        right: sp.Eq(laplacian(w), 0),
        left.face(x, 0.5): [sp.Eq(v, w), sp.Eq(v.diff(x), 10 * w.diff(x))],
        left.face(x, 0): sp.Eq(v, 1),
        right.face(x, 1): sp.Eq(w, 0),
    })  # fmt: skip


def waves():
    psi = fens.complex_unknown("u")(x, y)
    return fens.Problem({
        square: sp.Eq(laplacian(psi) + 4 * psi, 0),
        square.boundary: sp.Eq(fens.normal_derivative(psi) - 2 * sp.I * psi, x),
    })  # fmt: skip


def periodic():
    return fens.Problem({
        square: [sp.Eq(laplacian(v), sp.sin(2 * sp.pi * x)), sp.Eq(fens.integral(v), 0)],
        square.pair(x): [sp.Eq(fens.jump(v), 0), sp.Eq(fens.jump(v.diff(x)), 0)],
        square.face(y, 0): sp.Eq(fens.normal_derivative(v), 0),
    })  # fmt: skip


theta = sp.Symbol("theta", real=True)
PLATE = fens.Box({x: (0, 2), y: (0, 1)}, name="plate")
HOLES = [fens.Ball({x: c, y: 0.5}, 0.2, name=n) for c, n in ((0.5, "left"), (1.5, "right"))]
SHAPES = """[shapes]
plate.box = { x = [0, 2], y = [0, 1] }
left = { ball = { x = 0.5, y = 0.5 }, radius = 0.2 }
right = { ball = { x = 1.5, y = 0.5 }, radius = 0.2 }
"""
FILES = {
    "box": (BOX + POISSON, lambda: poisson(square)),
    "ball": (shape("ball = { x = 0, y = 0 }\nradius = 2"), lambda: poisson(fens.Ball({x: 0, y: 0}, 2))),
    "ellipse": (
        shape('ball = { x = 0, y = 0 }\nradius = { x = 1, y = "pi/2" }'),
        lambda: poisson(fens.Ball({x: 0, y: 0}, {x: 1, y: np.pi / 2})),
    ),
    "polygon": (
        shape('polygon = [[0, 0], [2, 0], [1, 1]]\ncoordinates = ["x", "y"]'),
        lambda: poisson(fens.Polygon([(0, 0), (2, 0), (1, 1)], (x, y))),
    ),
    "star": (
        shape('star = { x = 0, y = 0 }\nradius = "1 + cos(5*theta)/4"'),
        lambda: poisson(fens.Star({x: 0, y: 0}, 1 + sp.cos(5 * theta) / 4, theta)),
    ),
    "implicit": (
        shape('implicit = "x^2 + y^4 < 1"\nwithin = { x = [-2, 2], y = [-2, 2] }'),
        lambda: poisson(fens.Implicit(x**2 + y**4 < 1, fens.Box({x: (-2, 2), y: (-2, 2)}))),
    ),
    "combined": (
        f'unknowns = "u"\n{SHAPES}[domain]\nshape = "plate - (left + right)"\n{POISSON}"part left" = "u = 1"',
        lambda: fens.Problem({
            (d := PLATE - (HOLES[0] + HOLES[1])): sp.Eq(laplacian(v), 1),
            d.boundary: sp.Eq(v, 0),
            d.part("left"): sp.Eq(v, 1),
        }),
    ),
    "crack": (
        'unknowns = "u"\n[shapes]\nplate.box = { x = [0, 2], y = [0, 1] }\n'
        'slit = { segment = [[0, 0.5], ["1/2", 0.5]], coordinates = ["x", "y"] }\n[domain]\nshape = "plate - slit"\n'
        '[equations]\ninside = "laplacian(u) = 1"\n"part plate" = "u = 0"\n"part slit, left" = "u = 1"\n'
        '"part slit, right" = "normal_derivative(u) = 0"',
        lambda: fens.Problem({
            (d := PLATE - fens.Segment((0, 0.5), (0.5, 0.5), (x, y), name="slit")): sp.Eq(laplacian(v), 1),
            d.part("plate"): sp.Eq(v, 0),
            d.part("slit, left"): sp.Eq(v, 1),
            d.part("slit, right"): sp.Eq(fens.normal_derivative(v), 0),
        }),
    ),
    "time": (
        '[unknowns]\nu = "real"\nk = { initial = 2 }\n[parameters]\nlength = 1\n[domain]\nbox = { x = [0, "length"] }\n'
        'during = { t = [0, 2] }\n[equations]\ninside = "diff(u, t) = k*diff(u, x, 2)"\n"face x = 0" = "u = 0"\n'
        'sides = "u = 0"\ninitial = ["u = sin(pi*x)", "diff(u, t) = 0"]\nfinal = "u = x"',
        strip,
    ),
    "two domains": (
        'unknowns = ["u", "w"]\n[domains]\nleft.box = { x = [0, 0.5], y = [0, 1] }\nright.box = { x = [0.5, 1], '
        'y = [0, 1] }\n[equations]\n"inside of left" = "laplacian(u) = 0"\n"inside of right" = "laplacian(w) = 0"\n'
        '"face x = 0.5 of left" = ["u = w", "diff(u, x) = 10*diff(w, x)"]\n"face x = 0 of left" = "u = 1"\n'
        '"face x = 1 of right" = "w = 0"',
        two_domains,
    ),
    "complex": (
        'unknowns = { u = "complex" }\n[domain]\nbox = { x = [0, 1], y = [0, 1] }\n[[equations]]\non = "inside"\n'
        'equation = "laplacian(u) + 4*u = 0"\n[[equations]]\non = "boundary"\n'
        'equation = "normal_derivative(u) - 2*I*u = x"',
        waves,
    ),
    "periodic": (
        BOX + '[expressions]\nwave = "2*pi*x"\n[equations]\ninside = ["laplacian(u) = sin(wave)", "integral(u) = 0"]\n'
        '"pair x" = ["jump(u) = 0", "jump(diff(u, x)) = 0"]\n"face y = 0" = "normal_derivative(u) = 0"',
        periodic,
    ),
}  # fmt: skip


def write(tmp_path, text, name="problem.toml"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_the_problem_in_python(name, tmp_path):
    text, problem = FILES[name]
    found, expected = read(write(tmp_path, text)).problem, problem()
    assert repr(found) == repr(expected)
    assert found.domains == expected.domains
    assert set(found.regions) == set(expected.regions)


def test_a_solid_and_a_cloud(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "cube.stl")
    text = shape('surface = "cube.stl"\ncoordinates = ["x", "y", "z"]').replace("laplacian(u)", "diff(u, z)")
    assert read(write(tmp_path, text)).problem.domain.volume() == pytest.approx(1)
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    rows = [f"{np.cos(a)},{np.sin(a)},{np.cos(a)},{np.sin(a)}" for a in angle]
    write(tmp_path, "x,y,n_x,n_y\n" + "\n".join(rows), "rim.csv")
    write(tmp_path, "x,y\n0,0\n0.5,0.1\n-0.3,0.2\n", "inside.csv")
    text = shape('cloud = { inside = "inside.csv", boundary = "rim.csv" }\ncoordinates = ["x", "y"]')
    assert len(read(write(tmp_path, text)).problem.domain.rim.array) == 60


def test_a_solid_with_odd_normals_prints_nothing(tmp_path, caplog):
    pytest.importorskip("trimesh")
    corners = ("0 0 0", "1 0 0", "0 1 0", "0 0 1")
    facets = (
        "facet normal 0 0 9**9\nouter loop\n" + "".join(f"vertex {corners[k]}\n" for k in face) + "endloop\nendfacet\n"
        for face in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
    )
    write(tmp_path, f"solid a\n{''.join(facets)}endsolid a\n", "a.stl")
    text = shape('surface = "a.stl"\ncoordinates = ["x", "y", "z"]').replace("laplacian(u)", "diff(u, z)")
    assert read(write(tmp_path, text)).problem.domain.volume() == pytest.approx(1 / 6)
    assert not caplog.records


def test_measured_points(tmp_path):
    write(tmp_path, "y, x, u, T, noise\n0.5,0.25,1,2,0.1\n0.75,0.5,3,4,0.2\n", "sensors.csv")
    text = BOX + POISSON + '"points sensors.csv" = ["u = data(u)", "2*u = data(T, noise)", "u = T", "u = data(T, 0.3)"]'
    conditions = [c for c in read(write(tmp_path, text)).problem.conditions if c.region.domain is None]
    assert conditions[0].region.arrays[x].tolist() == [0.25, 0.5]
    data = [c.equation.data[0] for c in conditions]
    assert [d.values.tolist() for d in data] == [[1, 3], [2, 4], [2, 4], [2, 4]]
    assert data[0].std is None
    assert data[1].std.tolist() == [0.1, 0.2]
    assert data[3].std.tolist() == [0.3, 0.3]


OPTIONS = """[solve]
features = { u = 300 }
activation = "tanh"
scale = { x = 3, y = "2*pi" }
points = { grid = { x = 11, y = 21 } }
weights = { inside = 1, boundary = 10 }
affine = true
seed = 3
nonlinear = "picard"
initial = { u = "x*y" }
max_iterations = 7
estimate = false
partition = { x = 2 }
"""


def test_options(tmp_path):
    file = read(write(tmp_path, BOX + POISSON + OPTIONS))
    assert file.options == {
        "features": {v: 300}, "activation": "tanh", "scale": {x: 3.0, y: 2 * np.pi}, "seed": 3, "affine": True,
        "points": fens.Grid({x: 11, y: 21}), "weights": {square: 1.0, square.boundary: 10.0}, "nonlinear": "picard",
        "initial": {v: x * y}, "max_iterations": 7, "estimate": False, "partition": {x: 2},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("scale = { grid = [0, 20, 5] }", "scale", fens.ScaleGrid(0, 20, 5)),
        ("scale = [1, 2]", "scale", [1.0, 2.0]),
        ("points = { random = 500, boundary = 100 }", "points", fens.Random(500, 100)),
        ("points = { rows = 3 }", "points", fens.Clustered(rows=3.0)),
        ("points = { grid = [5, 6] }", "points", fens.Grid(5, 6)),
        ('initial = "random"', "initial", "random"),
        ("initial = 1", "initial", 1.0),
        ('frequencies = "sobol"', "frequencies", fens.Isotropic(sobol=True)),
        ("frequencies = { sparse = 1 }", "frequencies", fens.Sparse.up_to(1, 2)),
        ("frequencies = { oriented = [[1, 0], [0, 2]] }", "frequencies", fens.Oriented(((1.0, 0.0), (0.0, 2.0)))),
        (
            'frequencies = { mixture = [{ share = 1, frequencies = "isotropic" }] }',
            "frequencies",
            fens.Mixture(((1.0, fens.Isotropic()),)),
        ),
        ("tol = 1e-6", "tol", 1e-6),
        ("partition = [2, 3]", "partition", [2, 3]),
    ],
)
def test_options_of_many_kinds(line, key, value, tmp_path):
    assert read(write(tmp_path, f"{BOX}{POISSON}[solve]\n{line}")).options == {key: value}


def test_every_option_of_solve_can_be_given():
    from inspect import signature

    from fens.files.options import OPTIONS as KNOWN

    # a file reports failure by its exit code, so that there is nothing to raise, and holds no connection or solution
    assert {*KNOWN, "problem", "raise_on_failure", "cluster", "continuing"} == set(signature(fens.solve).parameters)


BAD = [
    ("", "needs a section [domain]", 0, 0),
    ("a = = 1", "not TOML", 1, 5),
    ('a = """x', "not TOML", 1, 0),
    ("[domian]\nx = 1", "did you mean domain?", 1, 1),
    (BOX, "no section [equations]", 0, 0),
    (BOX.replace("[domain]", "[domain]\nradius = 1"), "'radius' is not known in domain", 3, 1),
    (BOX.replace("[0, 1] }", "[0, 1, 2] }"), "two ends", 3, 7),
    (BOX.replace("[0, 1] }", "[1, 0] }"), "lower end first", 3, 7),
    (BOX.replace("{ x =", "{ sin ="), "sin is a function already", 3, 1),
    (BOX.replace('["u"]', '["x"]') + POISSON, "two things with the name x", 1, 1),
    (BOX.replace('["u"]', '{ u = "odd" }') + POISSON, '"real", "complex"', 1, 12),
    (BOX + POISSON.replace("laplacian(u)", "laplacain(u)"), "did you mean laplacian?", 5, 11),
    (BOX + POISSON.replace("= 1", "= q"), "the name q is not known", 5, 26),
    (BOX + POISSON.replace("= 1", "= u.x"), "attributes", 5, 27),
    (BOX + POISSON.replace("boundary", "bondary"), "the region 'bondary' is not known", 6, 1),
    (BOX + POISSON.replace("boundary", "initial"), "without time", 6, 1),
    (BOX + POISSON.replace("boundary", '"face x = 2"'), "there is none at x = 2", 6, 1),
    (BOX + POISSON.replace("boundary", '"points no.csv"'), "cannot be read", 6, 1),
    (BOX + POISSON.replace('"u = 0"', '"x = 0"'), "does not contain the unknown", 6, 12),
    (BOX + POISSON.replace('"laplacian(u) = 1"', '"normal_derivative(u) = 1"'), "outward normal", 5, 10),
    (BOX + POISSON.replace("inside", '"face x = 0"'), "No equation holds on the domain", 4, 1),
    (BOX + POISSON.replace('"u = 0"', '["u = 0", "u = "]'), "ends too early", 6, 27),
    (BOX + POISSON.replace('"u = 0"', '"""\nu =\n  0 0"""'), "sign is missing", 8, 5),
    (BOX + POISSON.replace('"u = 0"', "0"), "must be a text", 6, 12),
    (BOX + POISSON + "[solve]\nfeatrues = 3", "did you mean features?", 8, 1),
    (BOX + POISSON + "[solve]\nfeatures = 0", "features must be a whole positive", 8, 12),
    (BOX + POISSON + "[solve]\nfeatures = 'a'", "must be a whole number", 8, 12),
    (BOX + POISSON + "[solve]\nactivation = 'relu'", "relu", 8, 14),
    (BOX + POISSON + "[solve]\ntol = -1", "tol must be", 8, 7),
    (BOX + POISSON + "[solve]\nraise_on_failure = true", "not known in solve", 8, 1),
    (BOX + POISSON + "[solve]\nseed = 1979-05-27", "must be a whole number; got a date", 8, 8),
    (BOX + POISSON + "[output]\ntable = '../u.csv'", "plain name", 8, 9),
    (BOX + POISSON + "[output]\ntable = 'u.txt'", "must end in .csv", 8, 9),
    (BOX + POISSON + "[output]\npicture = '/etc/u.png'", "plain name", 8, 11),
    (BOX + POISSON + "[output]\ntable = 'u.csv'\ngrid = 100000", "1e+07 are the most", 9, 8),
    (BOX + POISSON + "[exact]\nu = 'exp('", "ends too early", 8, 10),
    (BOX + POISSON + "[eigen]\ncount = 3", "eigen needs eigenvalue", 7, 1),
    (BOX + POISSON + "[continuation]\nparameter = 'k'\nvalues = [1]", "not one of the parameters", 8, 13),
    (BOX + POISSON + "[parameters]\nk = nan", "finite number", 8, 5),
    (BOX + POISSON + "[parameters]\nk = 'x'", "the name x is not known", 8, 6),
    (shape("box = 3\nball = 4"), "it has box and ball", 2, 1),
    (shape("ball = { x = 0, y = 0 }"), "needs radius", 3, 8),
    (shape("ball = { x = 0, y = 0 }\nradius = -1"), "must be positive", 3, 8),
    (shape('implicit = "x^2 + y^2"\nwithin = { x = [-2, 2], y = [-2, 2] }'), "a comparison is expected", 3, 22),
    (shape('polygon = [[0, 0], [1, 0], [0, 1]]\ncoordinates = []'), "coordinates lists names", 4, 15),
    (shape('surface = "a.py"\ncoordinates = ["x", "y", "z"]'), "ends in .stl", 3, 11),
    (shape('shape = "plate - hole"') + SHAPES, "there is no shape 'hole'", 3, 18),
    (shape('shape = "plate - left & right"') + SHAPES, "needs brackets", 3, 23),
    (shape('shape = "plate - (left"') + SHAPES, "')' is expected", 3, 22),
    (shape('segment = [[0, 0], [1, 0]]\ncoordinates = ["x", "y"]'), "A segment has no inside", 2, 1),
    (shape('segment = [[0, 0]]\ncoordinates = ["x", "y"]'), "A segment has two ends", 3, 11),
    (BOX.replace("[0, 1] }", "[0, nan] }"), "element 2 of y must be a finite number", 3, 7),
    (BOX.replace("[0, 1] }", "[0, nan] }"), "got nan, which is no number", 3, 7),
    (BOX.replace("[0, 1] }", "[0, 'q'] }"), "the name q is not known; known are: pi, e, I", 3, 0),
    (BOX.replace("[0, 1] }", "[0, 1e60] }"), "too small or too large along y", 3, 7),
    (BOX.replace('["u"]', f"1{'0' * 400}"), "must be a text in quotes; got a very large number", 1, 12),
    (BOX.replace('["u"]', "[1, 2]"), "element 1 of unknowns must be a text in quotes; got the number 1", 1, 12),
    (shape('polygon = [[0, 0], [1, true], [0, 1]]\ncoordinates = ["x"]'), "element 2 of element 2 of polygon", 3, 11),
    ("a = " + "[" * 5000, "", 0, 0),
    ("a = " + "9" * 5000, "", 0, 0),
]


@pytest.mark.parametrize(("text", "words", "line", "column"), BAD, ids=range(len(BAD)))
def test_what_is_refused_in_a_file_and_where(text, words, line, column, tmp_path):
    with pytest.raises(FileError) as caught:
        read(write(tmp_path, text))
    error = caught.value
    assert words in error.reason
    if line:
        assert (error.line, error.column or column) == (line, column or error.column)
        assert str(error).startswith(f"{tmp_path / 'problem.toml'}, line {line}, column ")
        pointed = str(error).split("\n")
        assert pointed[1].strip() in text
        assert pointed[2].index("^") - 4 == error.column - 1


def test_a_file_of_windows_begins_with_a_mark(tmp_path):
    text = BOX + POISSON
    (tmp_path / "marked.toml").write_bytes(text.replace("\n", "\r\n").encode("utf-8-sig"))
    assert str(read(tmp_path / "marked.toml").problem) == str(read(write(tmp_path, text)).problem)
    (tmp_path / "marked.toml").write_bytes("a = = 1".encode("utf-8-sig"))
    with pytest.raises(FileError, match="line 1, column 5"):
        read(tmp_path / "marked.toml")


def test_files_that_are_no_text(tmp_path):
    (tmp_path / "bytes.toml").write_bytes(b"a = '\xff'")
    wrong = {"bytes.toml": "not UTF-8", "none.toml": "no such file", ".": "a folder", "\0": "given by its name"}
    for name, words in wrong.items():
        with pytest.raises(FileError, match=words):
            read(tmp_path / name)
    (tmp_path / "large.toml").write_text("#" * 2_000_000)
    with pytest.raises(FileError, match="more than"):
        read(tmp_path / "large.toml")


def test_errors_can_be_pickled():
    error = FileError("bad", name="a.toml", line=3, column=2, quoted="x y")
    assert str(pickle.loads(pickle.dumps(error))) == str(error) == "a.toml, line 3, column 2: bad\n    x y\n     ^"
    assert len(str(FileError("bad", line=1, column=900, quoted="x" * 2000)).split("\n")[1]) < 120


def test_changes(tmp_path):
    path = write(tmp_path, BOX.replace("y = [0, 1]", 'y = [0, "k"]') + POISSON + "[parameters]\nk = 2")
    assert read(path).problem.domain.bounds[1] == (0, 2)
    assert read(path, {"k": 3, "features": 9, "solve.seed": 1}).problem.domain.bounds[1] == (0, 3)
    assert read(path, {"k": 3, "features": 9, "solve.seed": 1}).options == {"features": 9, "seed": 1}
    with pytest.raises(FileError, match="lower end first"):
        read(path, {"k": -3})
    with pytest.raises(FileError, match=r"--set title\.a"):
        read(write(tmp_path, "title = 'a'", "title.toml"), {"title.a": 1})
    assert read(path)["u"] == v
    with pytest.raises(fens.FensError, match="no name 'q'"):
        read(path)["q"]


def test_the_file_in_the_readme_is_the_example(tmp_path):
    text = re.search(r"```toml\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)[1]
    example = read(ROOT / "examples" / "heat_plate.toml")
    file = read(write(tmp_path, text))
    assert repr(file.problem) == repr(example.problem)
    assert (file.options, file.exact) == (example.options, example.exact)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_every_key_has_its_place(path):
    text = path.read_text()
    found = places(text)

    def walk(value, at):
        for key, inner in value.items():
            if (*at, key) in found:
                line = text[found[(*at, key)].key :].split("\n")[0]
                assert re.match(rf"\[.*\b{key}\]|\"?{re.escape(key)}\"? =", line)
            if isinstance(inner, dict):
                walk(inner, (*at, key))
            else:
                assert any((*at, key)[:n] in found for n in range(1, len(at) + 2))

    walk(tomllib.loads(text), ())


SMALL = BOX + '[parameters]\nk = 2\n[expressions]\nf = "k*sin(pi*x)"\n' + POISSON.replace("= 1", "= f")


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(SMALL)), st.integers(0, 6), st.text(max_size=4))
def test_any_damaged_file_is_read_or_refused(tmp_path, at, drop, put):
    path = tmp_path / "damaged.toml"
    path.write_bytes((SMALL[:at] + put + SMALL[at + drop :]).encode("utf-8", "surrogatepass"))
    with suppress(FileError):
        assert read(path).problem


def test_an_eigenvalue_problem_and_a_continuation(tmp_path):
    text = '[unknowns]\nu = "real"\nm = "number"\n[domain]\nbox = { x = [0, 1] }\n[equations]\n'
    text += 'inside = "-diff(u, x, 2) = m*u"\nboundary = "u = 0"\n[eigen]\neigenvalue = "m"\ncount = 2\n'
    file = read(write(tmp_path, text + "[solve]\nfeatures = 60"))
    assert [m.eigenvalue for m in file.modes()] == pytest.approx([np.pi**2, 4 * np.pi**2], rel=1e-9)
    with pytest.raises(fens.FensError, match="modes"):
        file.solve()
    with pytest.raises(FileError, match="no option tol"):
        read(write(tmp_path, text + "[solve]\ntol = 1e-3"))
    text = 'unknowns = "u"\n[parameters]\nk = 1\n[domain]\nbox = { x = [0, 1] }\n[equations]\nboundary = "u = 0"\n'
    text += 'inside = "diff(u, x, 2) + k*exp(u) = 0"\n[continuation]\nparameter = "k"\nvalues = [1, 2, 3]\n'
    file = read(write(tmp_path, text + "[solve]\nfeatures = 60\nestimate = false"))
    c = sp.Symbol("c")
    slope = float(sp.nsolve(c - sp.sqrt(6) * sp.cosh(c / 4), c, 2))  # the lower branch: θ = √(2k) cosh(θ/4)
    assert file.solve()(0.5) == pytest.approx(2 * np.log(np.cosh(slope / 4)), rel=1e-9)
    with pytest.raises(fens.FensError, match="not an eigenvalue problem"):
        file.modes()


LINE = 'unknowns = "u"\n[domain]\nbox = { x = [0, 1] }\n[equations]\ninside = "diff(u, x, 2) = 1"\nboundary = "u = 0"\n'
TABLE = "x,T\n0.25,1\n0.5,2\n"


@pytest.fixture
def nest(tmp_path):
    """A folder with a table in it, and ways out of it."""
    inner = tmp_path / "inner"
    (inner / "sub").mkdir(parents=True)
    for folder in (tmp_path, inner, inner / "sub"):
        write(folder, TABLE, "data.csv")
    (inner / "out.csv").symlink_to("../data.csv")
    (inner / "up").symlink_to("..")
    (inner / "round.csv").symlink_to("round.csv")
    (inner / "in.csv").symlink_to("sub/data.csv")
    os.mkfifo(inner / "pipe.csv")
    (inner / "null.csv").symlink_to("/dev/null")
    return inner


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("{nest}/data.csv", "leads out"),  # even if that is the same place
        ("../data.csv", "leads out"),
        ("sub/../../data.csv", "leads out"),
        ("C:\\\\data.csv", "leads out"),
        ("out.csv", "is a link out"),
        ("up/data.csv", "is a link out"),
        ("null.csv", "is a link out"),
        ("round.csv", "is a link out"),
        ("pipe.csv", "it is a pipe"),
        ("a\\u0000b.csv", "cannot be the name of a file"),
        ("none.csv", "no such file"),
        ("x" * 400 + ".csv", "cannot be read"),
    ],
)
def test_a_file_stays_in_its_folder(nest, name, words):
    name = name.format(nest=nest)
    texts = [
        LINE + f'"points {name}" = "u = data(T)"\n',
        shape(f'cloud = {{ inside = "{name}", boundary = "{name}" }}\ncoordinates = ["x", "T"]'),
        shape(f'surface = "{name.replace(".csv", ".stl")}"\ncoordinates = ["x", "y", "z"]'),
    ]
    for link in nest.glob("*.csv"):
        if link.is_symlink():
            link.with_suffix(".stl").symlink_to(link.readlink().with_suffix(".stl"))
    os.mkfifo(nest / "pipe.stl")
    for text in texts:
        with pytest.raises(FileError, match=words if "link" not in words else f"{words}|no such file|leads out"):
            read(write(nest, text))


def test_a_file_may_reach_out_if_that_is_allowed(nest):
    for name in ("../data.csv", "out.csv", "up/data.csv", f"{nest}/data.csv"):
        file = write(nest, LINE + f'"points {name}" = "u = data(T)"\n')
        assert len(read(file, allow_outside=True).statements) == 3
    for name in ("data.csv", "sub/data.csv", "in.csv"):
        assert len(read(write(nest, LINE + f'"points {name}" = "u = data(T)"\n')).statements) == 3
    for name in ("pipe.csv", "null.csv"):
        with pytest.raises(FileError, match=r"it is a (pipe|device)"):
            read(write(nest, LINE + f'"points {name}" = "u = data(T)"\n'), allow_outside=True)
    with pytest.raises(fens.FensError, match="allow_outside must be True or False"):
        read(write(nest, LINE), allow_outside="yes")
    text = LINE.replace("= 1", "= k") + '"points ../data.csv" = "u = data(T)"\n[parameters]\nk = 1\n'
    text += '[continuation]\nparameter = "k"\nvalues = [1, 2]\n[solve]\nfeatures = 20\nestimate = false\n'
    assert read(write(nest, text), allow_outside=True).solve(points=fens.Clustered(interior=40)).stats.features == 20


SECRET = "hunter2"


@pytest.mark.parametrize(
    "table",
    [
        f"{SECRET},{SECRET}\n1,2\n", f"x,T\n{SECRET},1\n", f"x,T\n1,{SECRET},2\n", f"{SECRET},y\n1,2\n",
        f"x,{SECRET}\n1,2\n", f'"{SECRET}', f"x,T\n1,{SECRET}\0\n", f"x,T\n1,{SECRET}\xff\n", f"x,{SECRET}9\n1,nan\n",
    ],
)  # fmt: skip
def test_errors_quote_no_other_file(tmp_path, table):
    (tmp_path / "data.csv").write_bytes(table.encode("latin-1"))
    for text in ("u = data(T)", f"u = {SECRET}1", "u = q"):
        with pytest.raises(FileError) as caught:
            read(write(tmp_path, LINE + f'"points data.csv" = "{text}"\n'))
        assert SECRET not in str(caught.value).replace(f"{SECRET}1", "")
    (tmp_path / "data.obj").write_text(f"v {SECRET} 0 0\nmtllib ../{SECRET}.mtl\n")
    with pytest.raises(FileError) as caught:
        read(write(tmp_path, shape('surface = "data.obj"\ncoordinates = ["x", "y", "z"]')))
    assert SECRET not in str(caught.value)


LONG = "+".join(f"x**{k}" for k in range(2, 700))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a." * 40_000 + "b = 1", "more than 20 parts"),
        ("[" + "'a' . " * 10_000 + "b]", "more than 20 parts"),
        (LINE.replace('"u = 0"', "[" + '"u = 0", ' * 5000 + "]"), "more than 500 equations"),
        (LINE + "[parameters]\n" + "".join(f"a{k} = 1\n" for k in range(5000)), "5000 names, and 1000"),
        (LINE + "[continuation]\nparameter = 'k'\nvalues = [" + "1, " * 20_000 + "]\n[parameters]\nk = 1", "20000 el"),
        (f'unknowns = "u"\n{SHAPES}[domain]\nshape = "{" + ".join(["plate"] * 100)}"\n{POISSON}', "at most 50 shapes"),
        (LINE + "[expressions]\nf = 'besselk(1000, 1000)'", "numbers up to 100"),
        (LINE + "[expressions]\nf = '" + "*".join(["10**300"] * 20) + "'", "more than 1100 bits"),
        (LINE + "[expressions]\nf = '9**9**9**9'", "beyond ±1000"),
        (LINE + "[expressions]\nf = '10**400'", "too large a number"),
        (LINE + "[expressions]\n" + "".join(f"e{k} = '{LONG}'\n" for k in range(60)), "more than 10000 parts"),
        (LINE + "[expressions]\nf = '" + "+".join(["max(x, 1)"] * 200) + "'", "more than 10000 parts"),
        (LINE.replace('"u"', str([f"u{k}" for k in range(60)])), "60 unknowns, and 50"),
        ("z = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        (f"{'q' * 5000} = 1", "is not known"),
    ],
    ids=lambda v: v[:20] if len(v) < 60 else str(len(v)),
)
def test_sizes_are_bounded(tmp_path, monkeypatch, text, words):
    monkeypatch.setattr(bounds, "MOST_WORK", 10_000)
    with pytest.raises(FileError, match=words) as caught:
        read(write(tmp_path, text))
    assert len(str(caught.value)) < 1000


def test_shapes_of_shapes_are_counted(tmp_path):
    doubled = "".join(f's{k}.shape = "s{k - 1} + s{k - 1}"\n' for k in range(1, 30))
    shapes = f"[shapes]\ns0.box = {{ x = [0, 1], y = [0, 1] }}\n{doubled}"
    text = f'unknowns = "u"\n{shapes}[domain]\nshape = "s29"\n{POISSON}'
    with pytest.raises(FileError, match="at most 50 shapes"):
        read(write(tmp_path, text))


def test_tables_have_a_bound(tmp_path, monkeypatch):
    write(tmp_path, "x,T\n" + "0.5,1\n" * 2000, "data.csv")
    file = write(tmp_path, LINE + '"points data.csv" = "u = data(T)"\n')
    assert len(read(file).statements) == 3
    monkeypatch.setattr(columns, "MOST_NUMBERS", 1000)
    with pytest.raises(FileError, match="more than 1,000 numbers"):
        read(file)
    write(tmp_path, "x,T\n" + "1," * 60_000 + "\n", "data.csv")
    with pytest.raises(FileError, match=r"line 2 .* more than 100,000 bytes"):
        read(file)
    with (tmp_path / "data.csv").open("wb") as table:
        table.truncate(10**9)
    with pytest.raises(FileError, match="more than 20,000,000 bytes"):
        read(file)


@pytest.mark.parametrize("path", [None, 3, b"a.toml", "", "a\0b", [], object()])
def test_the_name_of_a_problem_file_is_checked(path):
    with pytest.raises(FileError, match="given by its name"):
        fens.read(path)


@pytest.mark.parametrize("given", [3, ["k"], {1: 2}, {"": 1}, {"k": None}, {"k": object()}])
def test_changes_are_checked(tmp_path, given):
    with pytest.raises(FileError, match=r"changes are a mapping|--set k: a file has"):
        fens.read(write(tmp_path, LINE), given)
