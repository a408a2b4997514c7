"""Limits that hold: of sizes, of time, of what may be given; each is told in a sentence."""

import contextlib
import inspect
import math
import subprocess
import sys
import warnings
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp
import torch

import fens
from fens._support import progress
from fens._support.compile import check_bounds
from fens._support.numbers import geometric_mean, items, real_array, real_number
from fens._support.sums import written_out
from fens.basis.rank import by_rank
from fens.errors import (
    EquationError,
    EvaluationError,
    FensError,
    RegionError,
    SettingError,
    Unconverged,
    UnsupportedEquation,
    quoted,
)
from fens.estimate.assess import understated
from fens.fit.search import descend, search
from fens.lstsq import Automatic, least
from fens.lstsq.sketched import Sketched
from fens.lstsq.streamed import Streamed
from fens.options.settings import Settings
from fens.problem import Unknown
from fens.strategy.grow import rate, stuck, why_stop
from fuzz.calls import NEVER, callables, make

pytestmark = [
    pytest.mark.xdist_group("limits"),  # each solution is made once
    pytest.mark.filterwarnings("ignore::fens.UnreliableWarning"),  # some have nothing to trust
]

x, y, t = sp.symbols("x y t")
n = sp.Symbol("n", integer=True, positive=True)
u, v = sp.Function("u")(x, y), sp.Function("v")(x)
rod, square = fens.Box({x: (0, 1)}), fens.Box({x: (0, 1), y: (0, 1)})
LINE = {rod: sp.Eq(v.diff(x, 2), -1), rod.boundary: sp.Eq(v, 0)}


@pytest.fixture(scope="module")
def line():
    return fens.solve(fens.Problem(LINE), features=40)


def solved(**options):
    return fens.solve(fens.Problem(LINE), **{"features": 40, "estimate": False, **options})


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"features": 10**9}, "1000000000 features need .* of memory"),
        ({"features": 10**40}, "features need .* of memory"),
        ({"features": {}}, "The mapping of features is empty"),
        ({"points": fens.Grid(10**9)}, r"The grid has 1\.0e\+09 points"),
        ({"points": fens.Grid(10**400)}, r"The grid has 1\.0e\+300 points"),
        ({"points": fens.Random(10**15, 2)}, "So many points need .* of memory"),
        ({"points": fens.Clustered(rows=1e15)}, "So many points need .* of memory"),
        ({"memory": "2 MB", "points": fens.Clustered(interior=10**5)}, "rows of 40 features need 19.1 MiB"),
        ({"blocks": 10**9}, "blocks is at most 10000"),
        ({"blocks": 10**5}, "blocks is at most 10000, each a solve of its own that takes a second or more; got 100000"),
        ({"max_seconds": 0}, "max_seconds must be a positive number; got 0"),
        ({"max_seconds": "1"}, "max_seconds must be a positive number"),
        ({"scale": torch.ones(1, requires_grad=True)}, "detach the tensor first"),
    ],
)
def test_sizes_are_bounded_before_anything_is_allocated(options, told):
    with pytest.raises(SettingError, match=told):
        solved(**options)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: fens.ScaleGrid(0, 1e300, 1e-300), "ScaleGrid has inf candidates"),
        (lambda: fens.Sparse.up_to(10**9, 500), "more than 200000 subsets"),
        (lambda: fens.Sparse((), ()), "Sparse takes subsets of the coordinates"),
        (lambda: fens.Sparse(((0,),), (-1.0,)), "positive shares"),
        (lambda: fens.Mixture(" "), "Mixture takes pairs"),
        (lambda: fens.Oriented([[1, 2, 3]]), "Oriented takes a square matrix"),
        (lambda: square.quadrature(10**6), "at most 2000 on the box"),
        (lambda: rod.contains(torch.ones((1, 1), requires_grad=True)), "detach the tensor first"),
        (lambda: rod.part(np.zeros(3)), "has a name"),
    ],
)
def test_so_are_those_of_other_things(make, told):
    with pytest.raises((SettingError, RegionError), match=told):
        make()


def test_a_subset_of_more_coordinates_than_there_are_is_all_of_them():
    assert fens.Sparse.up_to(10**9, 2) == fens.Sparse.up_to(2, 2)


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        (sp.Eq(sp.Derivative(v, (x, n)), 1), "whose order is not a number"),
        (sp.Eq(sp.Derivative(v, (x, 10**6)), 1), "the highest order is 100"),
        (sp.Eq(sp.sin(v), v.diff(x, 101)), "the highest order is 100"),
        (sp.Eq(fens.integral(v), 1), "there are integrals only"),
    ],
)
def test_equations_that_cannot_be_solved(statement, told):
    with pytest.raises((EquationError, UnsupportedEquation), match=told):
        fens.Problem({rod: statement})


@pytest.mark.parametrize("factor", [sp.Integer(10) ** 400, -(sp.Integer(10) ** 400), sp.Rational(10**400, 3)])
def test_a_coefficient_beyond_floating_point(factor):
    with pytest.raises(EvaluationError, match=r"too large for floating point|it must be finite"):
        fens.solve(fens.Problem({**LINE, rod: sp.Eq(factor * v.diff(x, 2), -1)}), features=40)


def test_depth():
    deep = nested()
    with pytest.raises(EquationError, match="nested more than 100 deep"):
        check_bounds(deep, EquationError)
    assert quoted(deep) == "an object of the kind sin"
    check_bounds(sp.Add(*(sp.sin(k * x) for k in range(500))), EquationError)


@pytest.mark.parametrize(
    "huge",
    [
        sp.Pow(10, sp.Pow(10, 10, evaluate=False), evaluate=False), sp.Pow(sp.Rational(1, 7), 10**6, evaluate=False),
        sp.factorial(10**9, evaluate=False), sp.gamma(10**9, evaluate=False), sp.harmonic(10**6, evaluate=False),
    ],
)  # fmt: skip
def test_numbers_that_would_keep_sympy_busy_for_ever(huge):
    with pytest.raises(EquationError, match="more than 4000 digits"):
        fens.Problem({**LINE, rod: sp.Eq(v.diff(x, 2), huge * x)})
    check_bounds(sp.Pow(2, 1000, evaluate=False) * sp.sqrt(2) * x**10**6, EquationError)


@pytest.mark.parametrize(
    "long",
    [
        sp.Sum(1 / n, (n, 1, 10**6)), sp.Sum(x**n, (n, 1, sp.oo)), sp.Product(1 + x / n, (n, 1, 500)),
        sp.Sum(x * n, (n, 1, x)), sp.Sum(sp.Sum(n * x**y, (n, 1, 100)) ** 2, (y, 1, 100)),
    ],
)  # fmt: skip
def test_sums_that_would_keep_sympy_busy(long):
    for statement in (sp.Eq(v.diff(x, 2), long), long):
        with pytest.raises(EquationError, match=r"contains .*; sums and products have limits that are whole numbers"):
            fens.Problem({**LINE, rod: statement})
    with pytest.raises(EquationError, match="at most 1000 terms or 31 factors in all"):
        fens.manufacture({rod: v.diff(x, 2), rod.boundary: v}, v, long)


@pytest.mark.parametrize(
    "short",
    [
        sp.Sum(x**n / n, (n, 1, 20)), sp.Sum(y * x, (y, 1, n), (n, 2, 5)), sp.Product(x + n, (n, 1, 4)) * 2,
        sp.Sum(sp.Product(n + y, (n, 1, 3)) * x, (y, 2, 4)), sp.Sum(n * x, (n, 5, 1)), sp.Product(x + n, (n, 5, 1)),
        sp.Sum(n, (n, 3, 2)), x**2,
    ],
)  # fmt: skip
def test_short_sums_are_their_terms(short):
    found = written_out(short)
    assert not found.has(sp.Sum, sp.Product)
    assert sp.simplify(found - short.doit()) == 0


def test_a_sum_in_an_equation():
    (condition,) = fens.Problem({rod: sp.Eq(v.diff(x, 2), sp.Sum(x**n, (n, 1, 3)))}).conditions
    assert condition.equation.residual.coeff(x, 3) == -1
    assert "Sum(x**n" in condition.equation.text


def nested():
    deep = x
    for _ in range(3000):
        deep = sp.sin(deep, evaluate=False)
    return deep


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda given: fens.div(given), "nested more than 100 deep"),
        (lambda given: fens.div((given, given)), "nested more than 100 deep"),
        (lambda given: fens.grad(given), "nested more than 100 deep"),
        (lambda given: fens.laplacian(given), "nested more than 100 deep"),
        (lambda given: fens.strong(given), "nested more than 100 deep"),
        (lambda given: fens.grad(u, given), "takes coordinates"),
        (lambda given: fens.eigen(fens.Problem(LINE), given), "The eigenvalue is a fens.Unknown"),
        (lambda given: fens.eigen(fens.Problem(LINE), Unknown("k"), near=given), "nested more than 100 deep"),
        (lambda given: fens.Implicit(sp.Lt(given, 1, evaluate=False), rod), "nested more than 100 deep"),
        (lambda given: rod.during(given, 0, 1), "Coordinates are SymPy symbols"),
        (lambda given: fens.load(given), "a file is given by its name"),
        (lambda given: fens.read(given), "a file is given by its name"),
        (lambda given: fens.Ball({x: 0}, {given: 1}), "got some for an object of the kind sin"),
        (lambda given: solved(initialisation=given), "initialisation must be one of"),
        (lambda given: solved(scale={given: 1}), "scale has values for an object of the kind sin"),
        (lambda given: solved(partition={given: 1}), "a number of cells for an object of the kind sin"),
    ],
)
def test_what_sympy_cannot_print_is_refused_all_the_same(call, told):
    with pytest.raises(fens.FensError, match=told):
        call(nested())


@pytest.mark.parametrize("write", ["save", "to_csv", "to_vtk", "report"])
def test_so_it_is_as_a_path(line, write):
    with pytest.raises(fens.FensError, match=r"a file is given by its name; got an object of the kind sin"):
        getattr(line, write)(nested())


@pytest.mark.parametrize(
    "given", [np.zeros(0), np.zeros(3), np.array([x, y], dtype=object), np.array(0.5), torch.tensor(0.5)]
)
def test_arrays_where_a_name_or_a_list_is_expected(line, given):
    corners = [[0, 0], [1, 0], [0, 1]]
    for refused in (
        lambda: line.animate(given, "u.gif"),
        lambda: rod.during(t, 0, 1).face(given, 0),
        lambda: solved(initialisation=given, adapt=True),
        lambda: fens.Polygon(corners, given[..., None]),
        lambda: fens.Polygon(corners, (x, y), holes=given if given.ndim == 0 or len(given) else corners),
        lambda: fens.Cloud(corners, corners, corners, given[..., None]),
        lambda: fens.Surface(np.eye(4, 3), given[..., None], [[0, 1, 2]]),
        lambda: fens.Box({x: given[..., None]}),
        lambda: fens.continuation(lambda value: 0, given if given.ndim == 0 else []),
    ):
        with pytest.raises((SettingError, RegionError)):
            refused()


def test_lists_that_are_none():
    ring = [1.0]
    ring.append(ring)
    for option in ("scale", "partition"):
        with pytest.raises(SettingError, match=option):
            solved(**{option: ring})
    with pytest.raises(SettingError, match="at most 10000, each a solve of its own"):
        fens.continuation(lambda value: fens.Problem(LINE), range(10**12))
    with pytest.raises(RegionError, match="needs 2 radii"):
        fens.Ball({x: 0, y: 0}, np.broadcast_to(0.5, (10**12,)))
    with pytest.raises(RegionError, match="one for each axis"):
        fens.Ball({x: 0, y: 0}, ring)
    assert fens.Ball({x: 0, y: 0}, np.array(0.5)).radii == (0.5, 0.5)
    assert items("abc") is None
    assert items(iter([1, 2]), 2) == (1, 2)
    assert items(iter([1, 2]), 1) is None


@pytest.mark.parametrize("number", [Decimal("1e999"), Decimal("0.5"), Fraction(1, 2), sp.Rational(1, 2), 10**400])
def test_numbers_of_any_kind_are_floats(number):
    settings = Settings(max_seconds=number, tol=number) if number < 1 else Settings(max_seconds=number)
    assert settings.max_seconds == (0.5 if number < 1 else math.inf)
    assert settings.tol == (0.5 if number < 1 else None)


def test_a_count_beyond_floating_point(line):
    with pytest.raises(SettingError, match=r"1\.0e\+300 numbers"):
        line.to_csv("u.csv", points=10**400)
    with pytest.raises(SettingError, match=r"1\.0e\+300 numbers"):
        line.to_vtk("u.vtu", points=10**400)


def test_clouds_whose_squares_are_beyond_floating_point():
    angle = np.arange(24) * np.pi / 12
    rim, lengths = np.column_stack([np.cos(angle), np.sin(angle)]), 10.0 ** np.linspace(-307, 307, 24)
    cloud = fens.Cloud([[0, 0]], rim, rim * lengths[:, None], (x, y))
    assert cloud.normals.array == pytest.approx(rim, abs=1e-12)
    for size in (1e200, 1e-200):
        with pytest.raises(RegionError, match="too small or too large along x"):
            fens.Cloud([[0, 0]], size * rim, rim, (x, y))


@pytest.mark.parametrize("size", [1e300, 1e60, 1e-60, 1e-160])
@pytest.mark.parametrize(
    "shape",
    [
        lambda size: fens.Box({x: (0, size)}),
        lambda size: rod.during(t, 0, size),
        lambda size: fens.Ball({x: 0, y: 0}, radius=size),
        lambda size: fens.Star({x: 0, y: 0}, radius=size),
        lambda size: fens.Polygon([[0, 0], [size, 0], [size, size]], (x, y)),
    ],
)
def test_shapes_of_absurd_sizes(shape, size):
    with pytest.raises(RegionError, match=r"too small or too large along .*, and lengths from 1e-50 to 1e\+50"):
        shape(size)


def test_places_that_are_absurdly_far_away():
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1e60]])
    with pytest.raises(RegionError, match=r"The vertices of a surface have coordinates up to 1e\+50; got 1e\+60"):
        fens.Surface(corners, sp.symbols("x y z"), [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    with pytest.raises(RegionError, match="The ends of a segment have coordinates up to"):
        fens.Segment((0, 0), (1e60, 0), (x, y))


def test_a_shape_of_another_package_of_absurd_size(monkeypatch):
    ball = fens.Ball({x: 0, y: 0}, radius=1)
    monkeypatch.setattr(fens.Ball, "bounds", ((0, 1e200), (0, 1e200)))
    with pytest.raises(RegionError, match="too small or too large along x"):
        fens.Problem({ball: sp.Eq(fens.laplacian(u), 0), ball.boundary: sp.Eq(u, 0)})


def test_shapes_as_large_and_as_small_as_can_be_are_solved_on_and_saved(tmp_path):
    for size in (1e50, 1e-50):
        long = fens.Box({x: (0, size)})
        found = fens.solve(fens.Problem({long: sp.Eq(v.diff(x, 2), 0), long.boundary: sp.Eq(v, 1)}), features=30)
        found.save(tmp_path / "v.fens")
        assert fens.load(tmp_path / "v.fens")(size / 2) == pytest.approx(1, abs=1e-12)


def test_lengths_whose_product_is_out_of_range():
    assert by_rank(30, [0.001] * 150) == pytest.approx(by_rank(30, [1.0] * 150) * 1000, rel=0.02)
    assert by_rank(30, [1000.0] * 150) == pytest.approx(by_rank(30, [1.0] * 150) / 1000, rel=0.02)
    assert geometric_mean([2.0, 8.0]) == 4
    assert geometric_mean([1e-200] * 4) == pytest.approx(1e-200)


def test_a_volume_that_is_no_number():
    axes = sp.symbols("x:9")
    w, cube = sp.Function("w")(*axes), fens.Box(dict.fromkeys(axes, (0, 1e-40)))
    problem = fens.Problem({cube: sp.Eq(sum(w.diff(a, 2) for a in axes), 0), cube.boundary: sp.Eq(w, 1)})
    found = fens.solve(problem, features=30, estimate=False, adapt=False)
    assert found(*[5e-41] * 9) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(
    "radius",
    [-(10**400), 10**400, 10**400 * (2 + sp.cos(x)), sp.Rational(10**400, 3), sp.cos(x) - 10**400, sp.exp(1000)],
)
def test_stars_whose_radius_is_beyond_floating_point(radius):
    with pytest.raises(RegionError, match="The radius of a star must be positive, finite and smooth"):
        fens.Star({x: 0, y: 0}, radius=radius, angle=x)


@pytest.mark.parametrize(
    "taken",
    [
        lambda given, line: fens.strong(given),
        lambda given, line: fens.laplacian(given),
        lambda given, line: line.integrate(given),
        lambda given, line: line.compare(given),
        lambda given, line: fens.wrap(abs)(given),
        lambda given, line: fens.Star({x: 0, y: 0}, radius=given),
    ],
)
def test_tensors_of_gradients_are_no_expressions(taken, line):
    alone = torch.tensor(0.5, requires_grad=True)
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            with pytest.raises(FensError, match="detach the tensor first"):
                taken(alone, line)
            with pytest.raises(FensError, match=r"expression|formula|not an unknown"):
                taken({x: torch.ones(2, requires_grad=True)}, line)
    finally:
        torch.set_warn_always(False)
    assert [str(w.message) for w in warned] == []


def test_data_whose_squares_are_no_numbers():
    for values in ([1e308], [0.0, -1e80], [1e100j]):
        with pytest.raises(EquationError, match=r"Data are at most 1e\+75 in size"):
            fens.Data(values)
    for std in (1e-300, 1e80, [1.0, 1e-80]):
        with pytest.raises(EquationError, match="deviations of Data are from 1e-75 to"):
            fens.Data([1.0, 2.0], std=std)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("std", [None, 1.0, 1e-75, 1e75])
def test_the_largest_data_and_values_solve_without_warnings_of_numpy(std):
    data = sp.Eq(v, fens.Data([1e75], std=std))
    ends = {rod: sp.Eq(v.diff(x, 2), 0), rod.boundary: sp.Eq(v, 1)}
    solved_or_refused({**ends, fens.Points({x: [0.5]}): data})
    solved_or_refused({**ends, rod.boundary: sp.Eq(v, 1e308)})


def solved_or_refused(equations):
    with contextlib.suppress(FensError):
        fens.solve(fens.Problem(equations), features=30)


@pytest.mark.parametrize("name", ["", "\ud800", "a\0b", 3])
def test_names_that_no_function_can_have(name):
    with pytest.raises(EquationError, match=r"complex_unknown\(\) takes a name"):
        fens.complex_unknown(name)


def test_two_symbols_of_one_name():
    real = sp.Symbol("x", real=True)
    told = r"There are two symbols x: symbols of one name differ if their assumptions do"
    w = sp.Function("v")(real)
    for made in (
        lambda: fens.Problem({rod: sp.Eq(w.diff(real, 2), 0), rod.boundary: sp.Eq(w, 0)}),
        lambda: fens.Problem({**LINE, rod: sp.Eq(v.diff(x, 2), real)}),
        lambda: fens.Problem({**LINE, fens.Points({real: [0.5]}): sp.Eq(v, 0)}),
        lambda: rod.face(real, 0),
    ):
        with pytest.raises(FensError, match=told):
            made()


def test_a_shape_too_thin_to_have_an_inside():
    needle = fens.Polygon([[0, 0], [2, 0], [1e30, 1]], (x, y))
    with pytest.raises(RegionError, match=r"No point was found inside .* from \(0, 0\) to \(1e\+30, 1\)"):
        needle.patches[0].sample(10, lambda count, ends, rng: rng.random((count, len(ends))), np.random.default_rng(0))


def test_few_features_for_eigenvalues():
    k = Unknown("k")
    problem = fens.Problem({rod: sp.Eq(-v.diff(x, 2), k * v), rod.boundary: sp.Eq(v, 0)})
    with pytest.raises(fens.NotConverged, match="take more features than 12"):
        fens.eigen(problem, k, count=3, features=12)
    with pytest.raises(SettingError, match="have at most 12 eigenvalues"):
        fens.eigen(problem, k, count=13, features=12)
    with pytest.raises(SettingError, match="near must be a finite number"):
        fens.eigen(problem, k, near=-(10**400))


class Refuses:
    def __array__(self, *args, **kwargs):
        raise ZeroDivisionError


@pytest.mark.parametrize(
    "value",
    [
        Refuses(), torch.ones(2, requires_grad=True), np.ma.masked_array([1.0, 2.0], [True, False]), range(10**15),
        np.broadcast_to(0.0, (10**15,)), [1, [2]], np.array([1 + 2j]), np.datetime64("2020-01-01"), None, True, "1",
    ],
)  # fmt: skip
def test_what_is_not_an_array_of_numbers(value):
    with pytest.raises(SettingError, match="Numbers, please"):
        real_array(value, SettingError, "Numbers, please.")


def test_one_number():
    assert real_number(sp.Rational(1, 4), SettingError, "") == real_number(torch.tensor(0.25), SettingError, "") == 0.25
    assert real_number(-(10**400), SettingError, "") == -np.inf
    for value in (np.ones(1), np.complex128(1), 1j, [1.0], [10**400]):
        with pytest.raises(SettingError, match="A number"):
            real_number(value, SettingError, "A number.")


# integrals


@pytest.mark.parametrize("integrand", [1 / x, 1 / (x - sp.Rational(1, 2)), x**-1.5, v + 1 / x**2])
def test_an_integral_that_does_not_converge_is_refused(line, integrand):
    with pytest.raises(EvaluationError, match="does not converge"):
        line.integrate(integrand)


def test_an_integral_of_few_digits_says_so(line):
    with pytest.warns(Unconverged, match="only about [34] digits are certain"):
        assert line.integrate(sp.log(x)) == pytest.approx(-1, abs=2e-3)
    assert line.integrate(sp.exp(x)) == pytest.approx(np.e - 1, rel=1e-14)
    assert line.integrate(v) == pytest.approx(1 / 12, rel=1e-12)


# memory


def test_memory_is_that_of_vectors_too():
    solver = Automatic(64_000_000)
    assert isinstance(solver.choice((150_000, 300)), Sketched)
    assert isinstance(solver.choice((50_000, 1100)), Streamed)  # the mixture would not fit
    assert least(10, 0) == 2000
    assert least(0, 10) == 4000


def test_parts_of_an_image_leave_no_holes_in_memory(line):
    """What is kept is one array, and not as many as there are parts."""
    code = (
        "import resource, torch, numpy as np\n"
        "from fens.basis import Frame, Plain, activation\n"
        "frame = Frame([(0, 1), (0, 1)], activation('cos'))\n"
        "f = Plain().draw(1000, frame, np.random.SeedSequence(0)).scaled([3.0, 3.0], torch.device('cpu'))\n"
        "p, w = torch.rand(100_000, 2, dtype=torch.float64), torch.ones(1000, 4, dtype=torch.float64)\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "f.matvec([(1.0, (0, 0))], p[:2000], w)\n"
        "before = peak()\n"
        "f.matvec([(1.0, (2, 0)), (1.0, (0, 2))], p, w)\n"
        "print((peak() - before) // 1024)\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(told.stdout) < 60  # megabytes, where it had been hundreds


# time


@pytest.fixture
def no_time(monkeypatch):
    """A clock by which every minute is over at once."""
    ticks = iter(range(0, 10**9, 60))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(ticks))


def test_the_best_so_far_comes_back_when_the_time_is_up(no_time):
    solution = fens.solve(fens.Problem({square: sp.Eq(u, sp.sin(40 * x * y))}), max_seconds=1)
    assert [size for size, _ in solution.stats.sizes] == [400]
    assert solution.stats.status == "out of time"
    assert "raise max_seconds" in solution.stats.advice
    assert len(solution.search.scales) == 1
    assert "OUT OF TIME" in repr(solution)
    assert solution.settings.options["max_seconds"] == 1


def test_a_tolerance_does_not_matter_then(no_time):
    solution = fens.solve(fens.Problem(LINE), tol=1e-300, max_seconds=1)
    assert solution.stats.status == "out of time"


def test_time_enough_changes_nothing(line):
    again = fens.solve(fens.Problem(LINE), features=40, max_seconds=1e6)
    assert again.stats.status == "converged"
    assert torch.equal(again.weights, line.weights)


def test_an_iteration_that_the_time_is_up_for_says_so(no_time):
    problem = fens.Problem({rod: sp.Eq(v.diff(x, 2) + sp.exp(v), 0), rod.boundary: sp.Eq(v, 0)})
    solution = fens.solve(problem, features=30, max_seconds=1, scale=3.0)
    assert solution.stats.status == "failed"
    assert "the time was up" in solution.stats.advice
    assert solution.error.verdict == "unreliable"


def test_a_search_ends_with_the_time(no_time):
    with progress.within(1) as deadline:
        assert descend(lambda factor: factor, 3, 0.0) == "the time was up after the first scale"
        found = search(fens.ScaleGrid(0, 9, 3), 1, lambda scales: (rho[0] for rho in scales))
    assert found.scales == ((3.0,),)
    assert deadline.passed


def test_a_deadline_within_another_has_its_end():
    with progress.within(100.0) as outer, progress.within(None) as inner:
        assert inner.end == outer.end
        assert progress.time_left()
        assert not progress.time_left(1000.0)


def test_a_file_may_bound_its_time(tmp_path):
    path = tmp_path / "rod.toml"
    path.write_text('unknowns = "v"\ndomain.box = { x = [0, 1] }\nequations.inside = "diff(v, x, 2) = -2"\n'
                    'equations.boundary = "v = 0"\nsolve.max_seconds = 30\n')  # fmt: skip
    assert fens.read(path).options == {"max_seconds": 30.0}


# growth


def sizes(*pairs, verdict="approximation-limited", rounds=()):
    """Solutions as growth sees them, of which the largest value is 1."""
    evidence = SimpleNamespace(determined=True, resolved=True, objection="", conflict={}, misfit=0.0, measured=0)
    return [
        SimpleNamespace(
            settings=SimpleNamespace(size=size),
            has_corners=False,
            expected_error=error,
            meets=lambda tol, error=error: error <= tol,
            error=SimpleNamespace(relative=error, verdict=verdict, evidence=evidence, trusted=True),
            stats=SimpleNamespace(rows=10**6, status="converged", rounds=rounds),
        )
        for size, error in pairs
    ]


def test_growth_ends_where_the_error_falls_by_a_small_power():
    corner = sizes((400, 9.1e-5), (600, 5.5e-5), (900, 3.1e-5))
    assert rate(corner) == pytest.approx(1.33, abs=0.01)
    assert "only as the power 1.3" in why_stop(corner, Settings())
    assert rate(corner[:2]) == np.inf
    assert why_stop(corner[:2], Settings()) == ""


@pytest.mark.parametrize(
    "found",
    [
        sizes((400, 9e-4), (600, 3e-4), (900, 3e-5)),  # spectral
        sizes((400, 9e-3), (600, 5e-3), (900, 3e-3)),  # not resolved yet: convergence may be late
        sizes((400, 9e-5), (600, 5e-5), (900, 3e-5), rounds=("oriented",)),  # frequencies learn
    ],
)
def test_growth_goes_on_where_convergence_has_begun_or_may_yet(found):
    assert why_stop(found, Settings()) == ""


def test_a_tolerance_within_reach_is_grown_to():
    corner = sizes((400, 9e-5), (600, 5.5e-5), (900, 3e-5))
    assert why_stop(corner, Settings(tol=1e-5)) == ""
    assert "only as the power" in why_stop(corner, Settings(tol=1e-6))


def in_doubt(*worst):
    """Solutions that are not to be trusted, by their largest residuals."""
    found = sizes(*((400 * 1.5**k, float("inf")) for k in range(len(worst))), verdict="unreliable")
    for solution, residual in zip(found, worst, strict=True):
        solution.error.trusted, solution.error.evidence = False, SimpleNamespace(worst=residual)
    return found


@pytest.mark.parametrize(
    ("found", "ends"),
    [
        (in_doubt(0.3, 0.31, 0.3, 0.29), True),
        (in_doubt(0.3, 0.31, 0.3), False),  # too early to tell
        (in_doubt(0.3, 0.3, 0.25, 0.1), False),  # a front that comes into reach
        (in_doubt(0.3, 0.3, 0.3)[:2] + sizes((900, 1e-3), (1350, 1e-3)), False),
    ],
)
def test_growth_ends_where_residuals_of_solutions_in_doubt_stay(found, ends):
    assert stuck(found) == ends


@pytest.mark.parametrize(("worst", "ends"), [((0.11, 0.10), True), ((0.15, 0.08), False), ((0.1,), False)])
def test_growth_goes_on_while_residuals_of_a_seeming_contradiction_fall(worst, ends):
    found = in_doubt(*worst)
    for solution in found:
        told = {"determined": True, "resolved": False, "objection": "", "misfit": 0.0, "measured": 0}
        told |= {"conflict": {"the boundary": 0.1}, "worst": solution.error.evidence.worst}
        solution.error.evidence = SimpleNamespace(**told)
    assert bool(why_stop(found, Settings())) == ends


def test_growth_ends_where_data_are_not_those_of_the_equations():
    xs = np.linspace(0.02, 0.98, 40)
    values = np.sin(3 * xs) + 0.01 * np.random.default_rng(1).standard_normal(40)
    u, line = sp.Function("u")(x), fens.Box({x: (0, 1)})
    told = fens.Points({x: xs}), sp.Eq(u, fens.Data(values, std=0.001))
    with pytest.warns(fens.UnreliableWarning, match="std is understated"):
        solution = fens.solve(fens.Problem({line: sp.Eq(u.diff(x, 2) + 9 * u, 0), told[0]: told[1]}))
    assert len(solution.stats.sizes) <= 2


def test_growth_ends_where_noise_does_not_let_it_pay():
    assert "noise" in why_stop(sizes((400, 1e-2), verdict="noise-limited"), Settings())


# data


@pytest.mark.parametrize("count", [1, 3, 20, 400, 10**5])
def test_what_chance_allows(count):
    rng = np.random.default_rng(count)
    for _ in range(100):
        misfit = np.sqrt(np.mean(rng.standard_normal(count) ** 2))
        assert not understated(misfit, count)
        assert not understated(0.1 * misfit, count)
    assert understated(10.0, count)
    assert understated(float("nan"), count)
    assert not understated(10.0, 0)


def measured(std, count=150):
    rng = np.random.default_rng(0)
    xs = rng.random(count)
    values = xs * (1 - xs) / 2 + 0.01 * rng.standard_normal(count)
    source = Unknown("source")
    problem = {rod: sp.Eq(v.diff(x, 2), -source), rod.boundary: sp.Eq(v, 0)}
    return fens.solve(
        fens.Problem({**problem, fens.Points({x: xs}): sp.Eq(v, fens.Data(values, std=std))}), features=30
    )


def test_understated_noise_is_told():
    right, wrong = measured(0.01), measured(0.001)
    assert right.error.verdict == "noise-limited"
    assert 0.8 < right.error.evidence.misfit < 1.2
    assert right.error.evidence.measured == 150
    assert wrong.error.evidence.misfit == pytest.approx(10 * right.error.evidence.misfit, rel=0.1)
    assert wrong.error.verdict == "unreliable"
    assert "std is understated" in wrong.error.advice
    assert wrong.error.estimate > right.error.estimate / 2


def test_many_noisy_samples_of_a_nonlinear_problem():
    """Trials take some of the points, and of their deviations as many."""
    rng = np.random.default_rng(0)
    xs = rng.random(400)
    k = Unknown("k", initial=1.0)
    problem = {rod: sp.Eq(k * v.diff(x, 2), -1), rod.boundary: sp.Eq(v, 0)}
    data = fens.Data(xs * (1 - xs) / 4 + 0.001 * rng.standard_normal(400), std=np.full(400, 0.001))
    found = fens.solve(fens.Problem({**problem, fens.Points({x: xs}): sp.Eq(v, data)}), features=30, estimate=False)
    assert abs(found[k] - 2) < 5 * found[k].std < 0.1


# calls


def test_everything_public_is_called_with_bad_values():
    assert {*fens.__all__} - {*callables()} == NEVER
    drawn = {make(seed).name for seed in range(3000)}
    assert drawn == {*callables()}
    assert {p for seed in range(3000) if (call := make(seed)).name == "solve" for p, _ in call.replaced} >= {
        name for name in inspect.signature(fens.solve).parameters if name != "cluster"
    }


# processes


@pytest.mark.skipif(not hasattr(sys.modules["os"], "fork"), reason="there are no forks here")
def test_a_solve_in_a_forked_process_after_one_with_threads():
    code = (
        "import multiprocessing, sympy as sp, fens, torch\n"
        "x, y = sp.symbols('x y'); u = sp.Function('u')(x, y)\n"
        "square = fens.Box({x: (0, 1), y: (0, 1)})\n"
        "problem = fens.Problem({square: u.diff(x, 2) + u.diff(y, 2) - x, square.boundary: u})\n"
        "torch.set_num_threads(2)\n"
        "def work(): fens.solve(problem, features=200, scale=4.0)(0.5, 0.5)\n"
        "work()\n"
        "child = multiprocessing.get_context('fork').Process(target=work)\n"
        "child.start(); child.join(); print(child.exitcode, torch.get_num_threads())\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert told.stdout.split() == ["0", "2"]
