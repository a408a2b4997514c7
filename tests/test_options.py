"""The table of options: signature, checks, documentation and problem files follow from it."""

import inspect
import pickle
import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fens
from fens import zoo
from fens.errors import EquationError, FileError, SettingError, concerning
from fens.lstsq import SOLVERS
from fens.options import OPTIONS, ScaleGrid, Settings, describe, readers
from fens.options.option import option, options_of
from fens.options.table import RULES

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
square = fens.Box({x: (0, 1), y: (0, 1)})
POISSON = fens.Problem({square: sp.Eq(fens.laplacian(u), 1), square.boundary: sp.Eq(u, 0)})


# the table and what follows from it


def test_the_signature_of_solve_is_the_table():
    problem, *options = inspect.signature(fens.solve).parameters.values()
    assert problem.name == "problem"
    assert [p.name for p in options] == list(OPTIONS)
    assert {p.name: p.default for p in options} == {name: known.default for name, known in OPTIONS.items()}
    assert all(p.kind is p.KEYWORD_ONLY for p in options)


def test_settings_have_the_fields_of_the_table():
    assert {f.name: f.default for f in fields(Settings)} == {name: known.default for name, known in OPTIONS.items()}
    assert Settings().options == {}
    assert Settings(solver="gels", seed=3, tol=1e-3).options == {"solver": "gels", "seed": 3, "tol": 1e-3}
    with pytest.raises(TypeError, match="positional"):
        Settings(100)


def test_settings_take_the_options_among_arguments():
    def function(problem, *, seed=0, scale=None, **other):
        count = 3
        return Settings.among(locals(), estimate=count == 4)

    assert function(POISSON, scale=2.0) == Settings(scale=2.0, estimate=False)


@pytest.mark.parametrize("function", [fens.solve, fens.eigen])
def test_the_documentation_describes_every_parameter_in_its_order(function):
    section = function.__doc__.partition("\nParameters\n----------\n")[2]
    names = [line for line in section.split("\n") if line and not line.startswith(" ")]
    assert names == list(inspect.signature(function).parameters)
    assert max(map(len, section.split("\n"))) <= 120
    text = " ".join(section.split())
    for name in ("activation", "points", "seed", "device"):
        assert OPTIONS[name].text in text


def test_texts_are_sentences_that_end():
    for name, known in OPTIONS.items():
        assert known.text.endswith("."), name
        assert "\n" not in known.text


def test_a_function_can_have_words_of_its_own():
    @describe(OPTIONS, what="something.", seed="where chance begins.")
    def function(what, *, seed=0, device="cpu"):
        """Do something."""

    assert function.__doc__ == (
        "Do something.\n\nParameters\n----------\nwhat\n    something.\nseed\n    where chance begins.\n"
        'device\n    `"cpu"` or `"cuda"`.\n'
    )


def test_a_parameter_that_nobody_describes_is_noticed():
    with pytest.raises(KeyError, match="colour"):

        @describe(OPTIONS)
        def function(*, seed=0, colour="red"):
            """Do something."""


def test_a_new_option_is_one_field():
    """What the table's machinery makes of a field that it has never seen."""
    from dataclasses import dataclass

    def even(name, value):
        if value % 2:
            raise SettingError(f"{name} must be even; got {value}.")
        return value

    @dataclass(frozen=True)
    class More:
        pairs: int = option(2, "how many shoes.", check=even, read=readers.whole)

    known = options_of(More)["pairs"]
    assert (More().pairs, known.default, known.text, known.read) == (2, 2, "how many shoes.", readers.whole)
    assert known.checked("pairs", 4) == 4
    with pytest.raises(SettingError, match="pairs must be even; got 3"):
        known.checked("pairs", 3)


def test_what_a_file_cannot_have():
    # it reports failure by its exit code, so that there is nothing to raise, and cannot hold a connection or a solution
    assert {name for name, known in OPTIONS.items() if known.read is None} == {
        "raise_on_failure", "cluster", "continuing",
    }  # fmt: skip


# checks

BAD = {
    "features": [0, 2.5, "many", {}, {u: 0}, True],
    "activation": ["relu", None, ["cos"]],
    "points": [101, fens.Grid],
    "initialisation": ["he", None],
    "affine": ["no", 1],
    "seed": [-1, 0.5, None],
    "device": ["tpu", "mps"],
    "nonlinear": ["gradient", None, ["newton"]],
    "max_iterations": [0, 1.5],
    "until_settled": ["no", None],
    "raise_on_failure": ["no", None],
    "tol": [0, -1, "small", float("nan"), float("inf")],
    "max_features": [0, 2.5],
    "estimate": ["yes", None],
    "adapt": ["yes", 0],
    "frequencies": ["cos", 3],
    "layers": [0, 3, 1.0],
    "blocks": [0, 10**6],
    "memory": ["much", 1000, True],
    "cluster": ["here"],
    "max_seconds": [0, -1, "long", float("nan")],
    "corners": [3, "here", [1], [(float("nan"), 0)]],
    "until": ["u > 1", True, 3],
    "keep": [3, [], ["soon"], [None]],
    "solver": ["lu", None, ["direct"]],
}
# what these may be depends on the problem
OF_PROBLEM = {
    "features": [{u: 10, sp.Function("v")(x, y): 5}],
    "scale": [0, -3, "big", True, (1, 2, 3), {x: 1}, float("nan")],
    "weights": ["heavy", None, {square.boundary: -1}],
    "partition": [0, (2, 2, 2), {sp.Symbol("z"): 2}],
    "until": [u - 1],
    "keep": [[0.5]],
    "continuing": [POISSON],
}


def test_every_option_with_a_check_is_tried():
    from fens.options.checks import anything

    assert set(BAD) == {name for name, known in OPTIONS.items() if known.check is not anything}
    assert set(OF_PROBLEM) >= set(OPTIONS) - set(BAD) - {"initial"}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_an_error_carries_the_option_it_is_about(name, value):
    with pytest.raises(fens.FensError) as told:
        Settings(**{name: value})
    assert told.value.option == name


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in OF_PROBLEM.items() for value in values])
def test_so_does_one_that_depends_on_the_problem(name, value):
    with pytest.raises(fens.FensError) as told:
        fens.solve(POISSON, **{name: value})
    assert told.value.option == name


def test_numbers_are_kept_as_floats():
    settings = Settings(tol=sp.Rational(1, 8), max_seconds=np.int64(3))
    assert (settings.tol, settings.max_seconds) == (0.125, 3.0)
    assert type(settings.tol) is type(settings.max_seconds) is float
    assert Settings(max_seconds=float("inf")).max_seconds == float("inf")
    assert replace(settings, seed=1) == Settings(tol=0.125, max_seconds=3.0, seed=1)


BROKEN = [
    ({"adapt": True, "scale": 3.0}, "adapt", "leave out scale and initialisation"),
    ({"adapt": True, "initialisation": "xavier"}, "adapt", "leave out scale and initialisation"),
    ({"tol": 1e-6, "estimate": False}, "tol", "give one of the two"),
    ({"tol": 1e-6, "features": {u: 100}}, "features", "one number of features to begin with"),
    ({"tol": 1e-6, "features": 9, "max_features": 4}, "features", "features, 9, is .* max_features, 4; raise"),
    ({"tol": 1e-6, "features": np.int64(9), "max_features": 4}, "features", "features, 9, is where"),
]


@pytest.mark.parametrize(("options", "name", "sentence"), BROKEN)
def test_options_that_cannot_be_combined(options, name, sentence):
    with pytest.raises(SettingError, match=sentence) as told:
        Settings(**options)
    assert told.value.option == name


@pytest.fixture
def any_cluster(monkeypatch):
    """Anything passes as a connection to a cluster."""
    monkeypatch.setattr("fens.lstsq.cluster.Cluster.of", lambda client: client)
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)


def test_a_cluster_has_its_own_solver(any_cluster):
    with pytest.raises(SettingError, match="cannot be combined with solver='gels'; leave out one") as told:
        Settings(cluster="client", solver="gels")
    assert told.value.option == "solver"
    assert Settings(cluster="client", solver="automatic").cluster == "client"
    with pytest.raises(SettingError, match="the workers compute on their CPUs") as told:
        Settings(cluster="client", device="cuda")
    assert told.value.option == "cluster"


def test_every_rule_is_tried():
    broken = {rule.sentence for options, _, _ in BROKEN for rule in RULES if rule.broken(unchecked(options))}
    assert broken == {rule.sentence for rule in RULES if "cluster" not in rule.sentence}


def unchecked(options):
    made = object.__new__(Settings)
    for name, known in OPTIONS.items():
        object.__setattr__(made, name, options.get(name, known.default))
    return made


# errors


def test_the_innermost_option_is_kept():
    with pytest.raises(EquationError) as told, concerning("seed"), concerning("scale"):
        raise EquationError("No.")
    assert told.value.option == "scale"
    assert fens.FensError("No.").option == ""


@pytest.mark.parametrize("error", [SettingError("No."), FileError("no", name="a.toml", line=3)])
def test_the_option_survives_other_processes(error):
    error.option = "scale"
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.option) == (type(error), str(error), "scale")


# problem files

HEAD = """unknowns = ["u"]
domain.box = { x = [0, 1], y = [0, 1] }
equations.inside = "laplacian(u) = 1"
equations.boundary = "u = 0"
[solve]
"""


def written(tmp_path, lines):
    path = tmp_path / "problem.toml"
    path.write_text(HEAD + lines)
    return path


@pytest.mark.parametrize(
    ("lines", "name", "line"),
    [
        # the sentence names the first option, too, and is about the second
        ("features = 50\nmax_features = 0", "max_features", 7),
        ("estimate = false\ntol = 1e-3", "tol", 7),
        ("scale = 3\nadapt = true", "adapt", 7),
        ("points = { rows = 3 }\nfrequencies = { mixture = [] }", "frequencies", 7),
        ("seed = 1\nweights = { boundary = -1 }", "weights", 7),
        ("solver = 'direct'\nactivation = 'relu'", "activation", 7),
        ("estimate = false\nsolver = 'lu'", "solver", 7),
    ],
)
def test_errors_point_at_the_option_they_are_about(tmp_path, lines, name, line):
    with pytest.raises(FileError) as told:
        fens.read(written(tmp_path, lines))
    assert (told.value.option, told.value.line) == (name, line)


def test_errors_in_what_is_set_name_it(tmp_path):
    with pytest.raises(FileError, match=r"--set solver=lu: solver must be one of automatic, direct") as told:
        fens.read(written(tmp_path, "features = 50\n"), {"solver": "lu"})
    assert told.value.option == "solver"


class Value:
    """A value that is no part of a file: all that readers ask of one."""

    def __init__(self, value):
        self.value = value

    def text(self):
        assert isinstance(self.value, str)
        return self.value

    def whole(self):
        assert isinstance(self.value, int)
        return self.value

    def switch(self):
        assert isinstance(self.value, bool)
        return self.value

    def number(self, names):
        return float(self.value)

    def items(self):
        return [Value(v) for v in self.value]

    def table(self, allowed=None):
        assert set(self.value) <= set(allowed)
        return {k: Value(v) for k, v in self.value.items()}

    def reading(self):
        from contextlib import nullcontext

        return nullcontext()


class Names:
    """What names mean where there is no file."""

    names, unknowns, axes = None, {"u": u}, {"x": x, "y": y}
    regions = {"inside": square, "boundary": square.boundary}  # noqa: RUF012

    def expression(self, text):
        return sp.sympify(text)


WRITTEN = {
    "features": [(900, 900), ({"u": 300}, {u: 300})],
    "activation": [("tanh", "tanh")],
    "scale": [(3, 3.0), ([1, 2], [1.0, 2.0]), ({"x": 1, "y": 2}, {x: 1.0, y: 2.0}),
              ({"u": [1, 2]}, {u: [1.0, 2.0]}), ({"grid": [0, 20, 5]}, ScaleGrid(0, 20, 5))],
    "points": [({"grid": [5, 6]}, fens.Grid(5, 6)), ({"grid": {"x": 5, "y": 6}}, fens.Grid({x: 5, y: 6})),
               ({"random": 500, "boundary": 100}, fens.Random(500, 100)), ({"rows": 3}, fens.Clustered(rows=3.0))],
    "weights": [("unit", "unit"), ({"boundary": 10}, {square.boundary: 10.0})],
    "initialisation": [("xavier", "xavier")],
    "affine": [(True, True)],
    "seed": [(3, 3)],
    "device": [("cpu", "cpu")],
    "nonlinear": [("picard", "picard")],
    "initial": [("random", "random"), (1, 1.0), ("2*x", 2 * sp.Symbol("x")), ({"u": 2}, {u: 2.0})],
    "max_iterations": [(7, 7)],
    "until_settled": [(False, False)],
    "tol": [(1e-6, 1e-6)],
    "max_features": [(100, 100)],
    "estimate": [(False, False)],
    "adapt": [(True, True)],
    "frequencies": [("sobol", fens.Isotropic(sobol=True)), ({"sparse": 1}, fens.Sparse.up_to(1, 2)),
                    ({"oriented": [[1, 0], [0, 2]]}, fens.Oriented(((1.0, 0.0), (0.0, 2.0)))),
                    ({"mixture": [{"share": 1, "frequencies": "sobol"}]},
                     fens.Mixture(((1.0, fens.Isotropic(sobol=True)),)))],
    "partition": [(4, 4), ([2, 3], [2, 3]), ({"x": 2}, {x: 2})],
    "layers": [(2, 2)],
    "blocks": [(3, 3)],
    "memory": [("4 GB", "4 GB"), (10**9, 10**9)],
    "max_seconds": [(60, 60.0)],
    "corners": [([[0.25, 0]], ((0.25, 0.0),))],
    "until": [("x - 1", sp.Symbol("x") - 1), ("x > 1", sp.Symbol("x") > 1), ("x <= 2", sp.Symbol("x") < 2)],
    "keep": [([1, 0.5], (0.5, 1.0))],
    "solver": [(name, name) for name in SOLVERS],
}  # fmt: skip


def test_every_reader_is_tried():
    assert set(WRITTEN) == {name for name, known in OPTIONS.items() if known.read is not None}


@pytest.mark.parametrize("name", WRITTEN)
def test_how_files_write_an_option(name):
    for given, expected in WRITTEN[name]:
        value = OPTIONS[name].read(Value(given), Names())
        assert value == expected
        assert getattr(Settings(**{name: value}), name) == expected


def test_the_page_of_files_shows_what_can_be_read(tmp_path):
    section = (DOCS / "files.md").read_text().partition("## Options\n")[2].partition("\n## ")[0]
    shown = {name: re.findall(r"`(.+?)`", rest) for name, rest in re.findall(r"^- (\w+): (.+)$", section, re.M)}
    assert set(shown) == {name for name, known in OPTIONS.items() if known.read not in PLAIN | {None}}
    for name, values in shown.items():
        for value in values:
            assert set(fens.read(written(tmp_path, f"{name} = {value}")).options) == {name}


PLAIN = {readers.text, readers.whole, readers.switch, readers.number}
DOCS = Path(__file__).parents[1] / "docs"


# solvers by name


@pytest.mark.parametrize("solver", SOLVERS)
def test_solvers_by_name_find_the_solution(solver, tmp_path):
    known = zoo.helmholtz()
    solution = fens.solve(known.problem, features=400, scale=10.0, solver=solver)
    linf = solution.compare(known.exact).linf
    assert linf < 1e-7
    assert linf <= solution.error.estimate
    solution.save(tmp_path / "u.fens")
    again = fens.load(tmp_path / "u.fens")
    assert again.settings.solver == solver
    assert np.array_equal(fens.solve_again(again).weights, solution.weights)


def test_the_named_solver_is_the_one_that_solves():
    from fens.lstsq import Automatic, Direct, Gels, Sketched

    problem = zoo.helmholtz().problem
    made = {name: Settings(solver=name, memory=10**9).solver_for(problem) for name in SOLVERS}
    assert made["automatic"] == Automatic(10**9)
    assert (made["direct"].solver, made["gels"].solver) == (Direct(), Gels())
    assert made["streamed"].memory == 10**9
    assert isinstance(made["sketched"], Sketched)


def test_a_nonlinear_problem_without_damping():
    known = zoo.nonlinear_helmholtz()
    solution = fens.solve(known.problem, features=200, scale=20.0, solver="gels", estimate=False)
    assert solution.stats.status == "converged"
    assert solution.compare(known.exact).linf < 1e-10


def test_dependent_columns_without_damping_are_a_sentence():
    """At the only point inside, the factor of the unknown number is zero, and so is its column."""
    number = fens.Unknown("a")
    problem = fens.Problem({square: sp.Eq(u + number * (2 * x - 1), 1), square.boundary: sp.Eq(u, 1)})
    options = {"features": 3, "points": fens.Grid(3), "estimate": False, "scale": 1.0}
    assert fens.solve(problem, **options).weights.isfinite().all()
    with pytest.raises(fens.FensError, match=r"singular.*solver='automatic'"):
        fens.solve(problem, **options, solver="gels")


def test_a_file_names_its_solver(tmp_path):
    path = written(tmp_path, 'features = 60\nestimate = false\nsolver = "gels"')
    assert fens.read(path).solve().settings.solver == "gels"
    assert fens.read(path, {"solver": "streamed"}).solve().settings.solver == "streamed"


def test_too_little_memory_for_a_solver_that_holds_the_matrix():
    with pytest.raises(SettingError, match=r"'direct' holds the matrix.*Raise memory, or take another") as told:
        fens.solve(POISSON, features=350, memory="6 MB", solver="direct", estimate=False)
    assert told.value.option == "solver"
    assert fens.solve(POISSON, features=350, memory="6 MB", solver="streamed", estimate=False, scale=5.0) is not None
