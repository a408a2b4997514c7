"""Values that no argument should have, by name; each is made when it is asked for, since some can be used only once."""

import datetime
import decimal
import fractions
from functools import reduce
from pathlib import Path

import numpy as np
import sympy as sp
import torch

import fens

x, y, t = sp.symbols("x y t")
n = sp.Symbol("n", integer=True, positive=True)
u = sp.Function("u")(x, y)
v = sp.Function("v")(x)
k = fens.Unknown("k")
rod = fens.Box({x: (0, 1)})
square = fens.Box({x: (0, 1), y: (0, 1)})
tube = rod.during(t, 0, 1)


class Refuses:
    """Raises whatever it is asked for."""

    def __array__(self, *args, **kwargs):
        raise ZeroDivisionError("no array")

    def __float__(self):
        raise ZeroDivisionError("no float")

    def __len__(self):
        raise ZeroDivisionError("no length")

    def __iter__(self):
        raise ZeroDivisionError("no items")

    def __call__(self, *args, **kwargs):
        raise ZeroDivisionError("no value")


class Text(str):
    """A text that is not quite one."""


def raises(*args):
    raise LookupError("not here")


def ring():
    """A list that contains itself."""
    found = [1.0]
    found.append(found)
    return found


def nested(depth):
    """sin(sin(… x)), unevaluated, since SymPy would not get so deep by itself."""
    return reduce(lambda e, _: sp.sin(e, evaluate=False), range(depth), x)


NUMBERS = {
    name: (lambda name=name: eval(name))
    for name in (
        "None", "True", "False", "-1", "0", "1", "2", "3", "0.5", "-0.0", "1e308", "-1e308", "1e-320", "1e16", "2**31",
        "2**63", "10**9", "10**18", "10**30", "10**400", "-10**400", "float('nan')", "float('inf')", "-float('inf')",
        "1j", "complex('nan')", "sp.oo", "-sp.oo", "sp.nan", "sp.zoo", "sp.I", "sp.pi", "sp.Rational(1, 3)",
        "sp.Integer(10)**400", "sp.Float('1e400')", "sp.true", "np.float32(0.5)", "np.float64('nan')", "np.int8(3)",
        "np.uint64(2**63)", "np.bool_(True)", "np.complex128(1j)", "np.str_('x')", "np.datetime64('2020-01-01')",
        "np.timedelta64(3, 'D')", "datetime.date(2020, 1, 1)", "datetime.timedelta(1)", "decimal.Decimal('0.5')",
        "decimal.Decimal('NaN')", "decimal.Decimal('1e999')", "fractions.Fraction(1, 3)",
    )
}  # fmt: skip
TEXTS = {
    name: (lambda name=name: eval(name))
    for name in (
        "''", "' '", "'x'", "'u'", "'a\\0b'", "'\\ud800'", "'é\\n<b>'", "'x' * 10**5", "'nan'", "'1e400'", "'cos'",
        "'1'", "b'x'", "bytearray(3)", "Text('x')", "'/'", "'.'", "'/nowhere/at/all.png'", "'x.png'", "Path('.')",
        "'__import__(\"os\")'", "'4 GB'", "'9' * 400 + ' GB'", "'extrapolate'", "'collocation'",
    )
}  # fmt: skip
CONTAINERS = {
    name: (lambda name=name: eval(name))
    for name in (
        "()", "[]", "{}", "set()", "frozenset({1})", "[None]", "[1, 'a']", "[[1], [2, 3]]", "[1.0]", "[0.0, 1.0]",
        "(1, 0)", "(0, float('nan'))", "[[0.0, 1.0], [2.0, 3.0]]", "[10**400]", "range(3)", "range(10**12)",
        "(i for i in range(3))", "iter([])", "ring()", "np.zeros(0)", "np.zeros((0, 2))", "np.zeros((3, 3))",
        "np.zeros((2, 2, 2))", "np.zeros(10**6)", "np.broadcast_to(0.5, (10**12,))", "np.array(0.5)",
        "np.array([0.5, np.nan])", "np.array([1e308, -1e308])", "np.array([1, None], dtype=object)",
        "np.array([x, y], dtype=object)", "np.array(['a', 'b'])", "np.array([1 + 2j])", "np.array([True, False])",
        "np.array(['2020-01-01'], dtype='datetime64[D]')", "np.ma.masked_array([0.5, 0.6], [True, False])",
        "np.zeros(2, dtype=[('a', float)])", "np.array([0.25, 0.5], dtype=np.float16)", "memoryview(b'ab')",
        "torch.ones(3)", "torch.tensor(0.5)", "torch.ones(3, requires_grad=True)",
        "torch.tensor(0.5, requires_grad=True)", "torch.ones(2, dtype=torch.complex128)", "torch.zeros(0)",
        "torch.ones(2, 2).to_sparse()", "torch.ones(2, dtype=torch.bfloat16)", "torch.empty(2, device='meta')",
        "{x: 1}", "{x: None}", "{'x': 1}", "{1: 2}", "{x: (0, 1)}", "{x: (0, 10**400)}", "{x: [0.5], y: [0.5]}",
        "{u: 30}", "{v: 20}", "{v: None}", "{v: -1}", "{square: 1}", "{rod: 0}", "{rod.boundary: float('nan')}",
        "{None: None}", "dict.fromkeys(range(1000))", "{x: torch.ones(2, requires_grad=True)}",
    )
}  # fmt: skip
EXPRESSIONS = {
    name: (lambda name=name: eval(name))
    for name in (
        "x", "y", "t", "n", "sp.Symbol('x', positive=True)", "sp.Symbol('x', integer=True)", "sp.Symbol('')",
        "sp.Symbol('a\\0b')", "sp.Dummy('x')", "sp.Symbol('A', commutative=False)", "u", "v", "k", "sp.Function('u')",
        "sp.Function('u')(y, x)", "sp.Function('u')(x, x)", "sp.Function('u')(0, y)", "sp.Function('v')(2*x)",
        "sp.Function('v')()", "v.diff(x, 2)", "sp.Derivative(v, (x, n))", "v.diff(x, 50)",
        "sp.Derivative(v, (x, 10**6))",
        "v.diff(t)", "v**2", "sp.exp(v)", "1/v", "sp.log(v)", "sp.exp(sp.exp(sp.exp(v)))", "10**400*v", "1/x",
        "sp.log(x - 1)", "sp.sqrt(-x)", "sp.exp(10**5*x)", "sp.gamma(-x)", "sp.zeta(x)", "sp.Integer(10)**400*x",
        "sp.Eq(v, 0)", "sp.Eq(v, v)", "sp.Eq(1, 2)", "sp.Eq(v, sp.I)", "sp.Ne(v, 0)", "x < y", "x**2 + y**2 < 1",
        "(x < 1) & (y > 0)", "sp.Matrix([x, y])", "sp.Matrix(2, 2, [v, 0, 0, v])", "sp.eye(2)",
        "sp.MatrixSymbol('M', 2, 2)", "sp.ImmutableDenseNDimArray([x, y])", "sp.Tuple(x, y)", "sp.FiniteSet(1, 2)",
        "sp.Interval(0, 1)", "sp.S.Reals", "sp.EmptySet", "sp.Lambda(x, x**2)", "sp.Poly(x**2 + 1)", "sp.O(x)",
        "sp.Integral(sp.sin(x)/x, (x, 0, 1))", "sp.Integral(v, x)", "sp.Sum(x**n, (n, 1, sp.oo))",
        "sp.Sum(1/n, (n, 1, 10**6))", "sp.Subs(v, x, 0)", "sp.Piecewise((1, x < 0.5), (0, True))",
        "sp.Piecewise((1, x < 0.5))", "sp.DiracDelta(x)", "sp.Heaviside(x - 0.5)", "sp.Max(x, v)", "sp.Abs(v)",
        "sp.floor(x)", "sp.Mod(x, 0.1)", "sp.Mul(x, y, evaluate=False)", "sp.Pow(0, -1, evaluate=False)",
        "sp.Pow(10, sp.Pow(10, 10, evaluate=False), evaluate=False)", "sp.factorial(10**6*x)", "sp.Symbol('x')*sp.I",
        "nested(30)", "nested(100)*v", "nested(200)", "nested(3000)", "sp.Add(*(sp.sin(i*x) for i in range(500)))",
        "fens.normal(x)", "fens.jump(v)",
        "fens.jump(fens.jump(v))", "fens.integral(v)", "fens.integral(fens.integral(v))", "fens.integral(v)**2",
        "fens.normal_derivative(v)", "fens.Data([1.0])", "fens.Data([0.5, 0.6], std=1e-300)", "fens.wrap(abs)(x)",
        "fens.wrap(raises)(x)", "fens.wrap(lambda a: None)(x)", "fens.wrap(lambda a: a[:1, None])(x)",
        "fens.wrap(lambda a: torch.as_tensor(a).requires_grad_())(x)", "fens.wrap(abs)(v)",
        "fens.complex_unknown('v')(x)", "fens.Unknown('v')", "[sp.Eq(v, 0), sp.Eq(v, 1)]",
    )
}  # fmt: skip
OBJECTS = {
    name: (lambda name=name: eval(name))
    for name in (
        "object()", "int", "fens.Box", "fens.Problem", "Refuses()", "Refuses", "raises", "lambda: 0", "lambda a: a",
        "lambda a: None", "lambda a: 'x'", "lambda a: a[:1, None]", "lambda a: [1, [2]]", "lambda *a: float('nan')",
        "lambda *a: 1j", "lambda *a: torch.ones(3, requires_grad=True)", "lambda *a: np.zeros(7)", "print.__class__",
        "rod", "square", "tube", "square.boundary", "rod.face(x, 0)", "square.pair(x)", "tube.initial",
        "fens.Points({x: [0.5]})", "fens.Points({x: [7.0]})", "fens.Ball({x: 0, y: 0}, radius=1)", "square - square",
        "fens.Grid(3)", "fens.Grid(10**7)", "fens.Random(5)", "fens.Random(10**12, 5)", "fens.Clustered(rows=1e12)",
        "fens.Clustered(interior=10**12)", "fens.Clustered(interior=1, boundary=1)", "fens.ScaleGrid(0, 9, 3)",
        "fens.Isotropic()", "fens.Isotropic", "fens.Sparse.up_to(1, 1)", "fens.Sparse.up_to(2, 2)",
        "fens.Sparse(((0,), (1,)), (1, 2))", "fens.Oriented(((1.0, 0.0), (0.0, 1.0)))", "fens.Mixture(((1, 2),))",
        "fens.Mixture(((1.0, fens.Isotropic()),))", "np.random.default_rng(0)", "torch.nn.Linear(1, 1)",
        "Exception('x')", "NotImplemented", "...", "slice(3)", "fens",
    )
}  # fmt: skip
VALUES = {**NUMBERS, **TEXTS, **CONTAINERS, **EXPRESSIONS, **OBJECTS}
USED = (datetime, decimal, fractions, Path, np, torch)  # by the names
