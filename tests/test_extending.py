"""Activations, shapes and exports from outside of the package: by a call, and by entry points."""

import ast
import json
import os
import re
import subprocess
import sys
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
import torch

import fens
from fens._support import stored
from fens._support.registry import KINDS, Registry, registry
from fens.cli.app import main
from fens.errors import FileError, SettingError
from fens.geometry import Arc, Ball, Curve, Facet, Shape
from test_docs import ARROW, agrees

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
pytestmark = pytest.mark.xdist_group("extending")  # what tests share is made once
x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)


@contextmanager
def nothing_stays():
    """What is registered meanwhile is forgotten."""
    before = {kind: dict(registry(kind)._known) for kind in KINDS}, dict(stored.STORED), dict(stored.ALIASES)
    yield
    for kind, known in before[0].items():
        registry(kind)._known = known
    for table, content in zip((stored.STORED, stored.ALIASES), before[1:], strict=True):
        table.clear()
        table.update(content)


@pytest.fixture
def clean(monkeypatch, tmp_path):
    """Nothing stays registered, and files are written elsewhere."""
    monkeypatch.chdir(tmp_path)
    with nothing_stays():
        yield


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The names that the page defines, after all its code has run and shown what it says; and its folder."""
    folder, names, shown = tmp_path_factory.mktemp("page"), {}, 0
    with nothing_stays(), chdir(folder):
        for block in BLOCKS:
            lines = block.split("\n")
            for statement in ast.parse(block).body:
                arrow = ARROW.search(lines[statement.end_lineno - 1])
                if arrow and isinstance(statement, ast.Expr):
                    value = eval(compile(ast.Expression(statement.value), PAGE.name, "eval"), names)
                    assert agrees(value, arrow[1]), f"{ast.unparse(statement)} is {value!r}, not {arrow[1]}"
                    shown += 1
                else:
                    exec(compile(ast.Module([statement], []), PAGE.name, "exec"), names)
        assert shown >= 6
        names["smooth"].save("u.fens")
        yield names, folder


@pytest.fixture
def page(ran, monkeypatch):
    """The names of the page, in its folder."""
    monkeypatch.chdir(ran[1])
    return ran[0]


def test_the_page_and_what_follows_from_it(page, capsys):
    smooth, around, exact = page["smooth"], page["around"], page["exact"]
    assert smooth.compare(exact).linf < 1e-10
    assert around.compare(page["known"]).linf < 1e-10

    kept = fens.load("u.fens")
    assert kept(0.3, 0.4) == smooth(0.3, 0.4)
    assert torch.equal(fens.solve_again(kept).weights, smooth.weights)

    kept = fens.load("ring.fens")
    assert kept.problem.domain == page["ring"]
    assert type(kept.problem.domain) is page["Annulus"]
    assert np.isnan(kept(0.0, 0.0))
    assert kept.integrate(sp.Integer(1)) == pytest.approx(0.75 * np.pi, rel=1e-12)
    half = page["ring"] & fens.Box({x: (0, 2), y: (-2, 2)})  # combined with others, and through time
    assert half.volume() == pytest.approx(0.375 * np.pi, rel=1e-10)
    assert "hole" in page["ring"].during(sp.Symbol("t"), 0, 1).part_names

    assert main(["export", "u.fens", "--to", "json", "--points", "3"]) == 0
    assert capsys.readouterr().out == "u.json\n"
    assert len(json.loads(Path("u.json").read_text())["u"]) == 9
    assert main(["export", "u.fens", "--to", "json", "--units", "x=m"]) == 1
    assert "--units belongs to --to nc." in capsys.readouterr().err


def test_a_problem_file_uses_all_three(page, capsys):
    text = Path("ring.toml").read_text() + 'activation = "gaussian"\n[output]\njson = "v.json"\ngrid = 11\n'
    Path("all.toml").write_text(text)
    assert main(["solve", "all.toml"]) == 0
    table = json.loads(Path("v.json").read_text())
    known = -np.log(np.hypot(table["x"], table["y"])) / np.log(2)
    assert np.abs(np.array(table["u"]) - known).max() < 1e-8
    Path("bad.toml").write_text(text.replace("v.json", "v.csv"))
    with pytest.raises(FileError, match=r"json must end in \.json; got 'v\.csv'"):
        fens.read("bad.toml")
    Path("bad.toml").write_text(text.replace("inner = 0.5\n", ""))
    with pytest.raises(FileError, match="annulus needs inner next to it"):
        fens.read("bad.toml")


def elsewhere(program, *arguments, path=""):
    """A program in a process of its own, where nothing is registered by a call."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(path), str(Path(fens.__file__).parents[1])])}
    command = [sys.executable, "-W", "error", "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


LOAD = "import sys, fens\nfor path in sys.argv[1:]:\n    try: fens.load(path)\n    except fens.FensError as e: print(e)"


def test_what_is_not_registered_is_told_when_a_file_is_loaded(page):
    told = elsewhere(LOAD, "ring.fens", "u.fens").stdout.splitlines()
    for line, words in zip(told, ["the shape 'annulus'", "activation 'gaussian'"], strict=True):
        assert words in line
        assert "which is not registered here; load it after fens.register(" in line


def test_installed_packages_are_found_by_their_entry_points(page, tmp_path):
    """The code of the page as a module, beside the record of a package that offers what it defines."""
    package = tmp_path / "site"
    (package / "fens_page-1.dist-info").mkdir(parents=True)
    (package / "fens_page-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: fens-page\nVersion: 1\n")
    (package / "fens_page-1.dist-info" / "entry_points.txt").write_text(
        "[fens.activations]\ngaussian = fens_page:gaussian\nsoft = fens_page:nothing\ncos = fens_page:gaussian\n"
        "[fens.shapes]\nannulus = fens_page:Annulus\n[fens.exports]\njson = fens_page:json_export\n"
    )
    classes = [ast.unparse(s) for b in BLOCKS for s in ast.parse(b).body
               if isinstance(s, ast.ClassDef | ast.Import | ast.ImportFrom)]
    code = "\n".join([*classes, "gaussian, json_export = Gaussian(), Json()"])
    (package / "fens_page.py").write_text(code)
    program = (
        "import sys, fens\n"
        "from fens.basis import ACTIVATIONS, activation\n"
        "from fens.cli.app import main\n"
        "import fens.files, fens.solution.export\n"
        "assert 'fens_page' not in sys.modules\n"
        "assert type(ACTIVATIONS['cos']).__module__ == 'fens.basis.activation'\n"
        "kept = fens.load('ring.fens')\n"
        "assert type(kept.problem.domain).__module__ == 'fens_page'\n"
        "import fens_page\n"
        "kept.save('again.fens')\n"
        "assert fens.load('again.fens')(0.6, 0.3) == kept(0.6, 0.3)\n"
        "assert fens.read('ring.toml').problem.domain == fens_page.Annulus(*map(tuple, ((fens.read('ring.toml')['x'], "
        "fens.read('ring.toml')['y']), (0, 0))), 0.5, 1.0)\n"
        "assert main(['export', 'u.fens', '--to', 'json', '--points', '3']) == 0\n"
        "kept.export('ring.json', points=4)\n"
        "assert 'gaussian' in list(ACTIVATIONS)\n"
        "try:\n    activation('soft')\nexcept fens.FensError as error:\n    print(error)\n"
    )
    done = elsewhere(program, path=package)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("u.json\nThe activation soft of an installed package, fens_page:nothing, cannot be")
    unasked = "import sys, fens_page, fens; s = fens.load('ring.fens'); s.save('v.fens')"
    assert elsewhere(unasked, path=package).returncode == 0


@dataclass(frozen=True, repr=False)
class Bare(Shape):
    """A disc, by what a shape must have and no more, with a curve of its own."""

    coordinates: tuple[sp.Symbol, ...]
    radius: float

    def __post_init__(self):
        if not self.radius > 0:
            raise fens.errors.RegionError("The radius must be positive.")

    name = "a disc"

    @property
    def bounds(self):
        return ((-self.radius, self.radius),) * 2

    @property
    def edges(self):
        return (Facet(Arc.whole(Circle(self.radius)), "rim"),)

    def signed_distance(self, points):
        return np.linalg.norm(points, axis=1) - self.radius


@dataclass(frozen=True)
class Circle(Curve):
    radius: float
    panels = 4
    closed = True

    def at(self, parameter):
        angle = np.pi / 2 * parameter
        around = np.column_stack([np.cos(angle), np.sin(angle)])
        return self.radius * around, np.pi / 2 * self.radius * np.column_stack([-around[:, 1], around[:, 0]])


def solved_on(disc):
    problem = fens.Problem({disc: sp.Eq(fens.laplacian(u), -4), disc.boundary: sp.Eq(u, 0)})
    return fens.solve(problem, features=150, estimate=False)


def test_a_shape_with_a_curve_of_its_own(clean):
    solution = solved_on(Bare((x, y), 1.0))
    assert solution(0.0, 0.0) == pytest.approx(1, abs=1e-8)
    with pytest.raises(SettingError, match=r'A Bare cannot be saved.*fens.register\("shape", "bare", Bare\)'):
        solution.save("u.fens")
    fens.register("shape", "bare", Bare)
    with pytest.raises(SettingError, match=r'A Circle cannot be saved.*fens.register\("piece", "circle", Circle\)'):
        solution.save("u.fens")
    fens.register("piece", "circle", Circle)
    solution.save("u.fens")
    kept = fens.load("u.fens")
    assert kept(0.25, 0.5) == solution(0.25, 0.5)
    assert kept.problem.domain == Bare((x, y), 1.0)
    Path("bare.toml").write_text('unknowns="u"\ndomain.bare = 1\nequations.inside = "laplacian(u) = 0"\n')
    with pytest.raises(FileError, match="A Bare cannot be written in a problem file: it has no method from_file"):
        fens.read("bare.toml")


def test_what_is_loaded_from_a_forged_file_is_checked_by_its_class(clean):
    from fens.storage import KINDS as ALL
    from fens.storage import packed
    from fens.storage.container import unpacked

    fens.register("shape", "bare", Bare)
    disc = Bare((x, y), 1.0)
    assert unpacked(packed(disc, ALL), ALL, "a file") == disc
    object.__setattr__(disc, "radius", -1.0)
    with pytest.raises(FileError, match="The radius must be positive"):
        unpacked(packed(disc, ALL), ALL, "a file")
    object.__setattr__(disc, "radius", "one")
    with pytest.raises(FileError, match="the radius of a Bare in the file is a str"):
        unpacked(packed(disc, ALL), ALL, "a file")


class Sine:
    name = "sine"
    trigonometric = True

    def __init__(self, slope=1.0):
        self.slope = slope

    def derivatives(self, z, orders):
        cycle = (torch.sin, torch.cos, lambda v: -torch.sin(v), lambda v: -torch.cos(v))
        return [(self.slope if n else 1) * cycle[n % 4](z) for n in orders]


def without(cls, *names):
    """A class that lacks some attributes."""
    return type(cls.__name__, (), {k: v for k, v in vars(cls).items() if k not in names and not k.startswith("__")})


class NoPoints:
    endings = (".txt",)

    def write(self, solution, path, level):
        raise NotImplementedError


class Short(NoPoints):
    def write(self, solution):
        raise NotImplementedError


class Loud(NoPoints):
    endings = (".TXT",)


class Thawed(Ball):
    """Not a dataclass of its own, and made of other things than its fields."""


abstract = dataclass(frozen=True)(type("Nothing", (Shape,), {"name": "nothing", "__module__": __name__}))


@pytest.mark.parametrize(
    ("kind", "name", "given", "words"),
    [
        ("colour", "red", 1, "is one of activation, shape, piece, export, basis, solver, condition; got the kind 'col"),
        (None, "red", 1, "got the kind None"),
        ("basis", "mine", Sine(), "must be a fens.basis.Proposal"),
        ("basis", "holes", Sine(), "a registered basis of the name holes already"),
        ("solver", "mine", 3, "must be a function from the bytes that may be used"),
        ("solver", "mine", lambda memory, exact: 3, "The solver mine needs the method factorise, which int has not"),
        ("condition", "mine", Sine(), "The condition mine needs the method rows, which Sine has not"),
        ("activation", "cos", Sine(), "a registered activation of the name cos already, Cos; take another name"),
        ("activation", "no name", Sine(), "has letters, digits and _, the first one a letter.*got 'no name'"),
        ("activation", 7, Sine(), "got 7"),
        ("activation", "sine", Sine, r"An activation is an object, Sine\(\); got the class Sine"),
        ("activation", "sine", without(Sine, "derivatives")(), "needs the method derivatives, which Sine has not"),
        ("activation", "other", Sine(), "name = 'other'; that of Sine is 'sine'"),
        ("activation", "sine", without(Sine, "trigonometric")(), "needs trigonometric = True or False"),
        ("activation", "sine", Sine(1.1), "Order 1 of the activation sine is not the derivative of order 0"),
        ("shape", "bare", 3, "A shape is a class derived from fens.geometry.Shape; got 3"),
        ("shape", "bare", Circle, "A shape is a class derived from fens.geometry.Shape"),
        ("shape", "nothing", abstract, "A shape needs the method bounds, which Nothing has not"),
        ("shape", "thawed", Thawed, "its __init__ does not take coordinates. Leave __init__ to the dataclass"),
        ("shape", "ball", Bare, "name ball already, Ball"),
        ("shape", "during", Bare, "during has a meaning in the tables of other shapes"),
        ("shape", "radius", Bare, "radius has a meaning"),
        ("piece", "bare", Bare, "A piece is a class derived from fens.geometry.Piece or Curve"),
        ("export", "txt", NoPoints, r"An export is an object, NoPoints\(\)"),
        ("export", "txt", without(NoPoints, "write")(), "An export needs the method write, which NoPoints has not"),
        ("export", "txt", without(NoPoints, "endings")(), "has endings of files in small letters"),
        ("export", "txt", Loud(), r"got \('.TXT',\)"),
        ("export", "txt", NoPoints(), r"got write\(solution, path, level\)"),
        ("export", "txt", Short(), r"called as write\(solution, path\)"),
        ("export", "table", NoPoints(), r"table has a meaning in the section \[output\]"),
    ],
)
def test_bad_ones_are_refused_in_a_sentence(clean, kind, name, given, words):
    with pytest.raises(SettingError, match=words):
        fens.register(kind, name, given)


def test_what_is_defined_again_at_the_same_place_takes_its_place(clean):
    """A cell of a notebook may run twice."""
    fens.register("activation", "sine", Sine())
    again = Sine()
    fens.register("activation", "sine", again)
    assert registry("activation")["sine"] is again
    other = without(Sine)()
    other.name, type(other).__qualname__ = "sine", "Other"
    with pytest.raises(SettingError, match="name sine already, Sine"):
        fens.register("activation", "sine", other)


def test_a_registry_is_a_mapping():
    found = Registry("colour", lambda name, given: given)
    found.own("red", 1)
    found.register("blue", 2)
    assert dict(found) == {"red": 1, "blue": 2}
    assert len(found) == 2
    assert "green" not in found
    assert found.get(3) is None
    assert found.name_of(2) == "blue"
    assert repr(found) == "<colour: red, blue>"


def test_a_tag_belongs_to_one_class_and_old_ones_are_read(clean):
    from fens.storage.registry import KINDS as STORAGE

    with pytest.raises(ValueError, match="The tag Box of Bare is that of another class already"):
        stored.stored("Box")(Bare)
    stored.stored("Disc", "OldDisc")(Bare)
    assert STORAGE["OldDisc"].cls is STORAGE["Disc"].cls is Bare
    assert "OldDisc" not in list(STORAGE)
    assert "Disk" not in STORAGE


def test_the_ending_tells_the_format(clean):
    rod = fens.Box({x: (0, 1)})
    v = sp.Function("v")(x)
    solution = fens.solve(fens.Problem({rod: sp.Eq(v.diff(x, 2), -2), rod.boundary: sp.Eq(v, 0)}), features=60)
    assert solution.export("v.csv", points=3) == [Path("v.csv")]
    assert solution.export(Path("v.VTU")) == [Path("v.VTU")]
    assert solution.export("v.fens") == [Path("v.fens")]
    assert fens.load("v.fens")(0.5) == solution(0.5)
    solution.export("v.html", title="A rod")
    assert "<h1>A rod</h1>" in Path("v.html").read_text()
    for arguments, words in [
        ({"path": "v.xyz"}, "ends in .fens, .csv, .nc, .vtu, .pvd, .png, .pdf, .svg, .html"),
        ({"path": "v.csv", "to": "vtk"}, "must end in .vtu or .pvd; got 'v.csv'"),
        ({"path": "v.csv", "to": "excel"}, "The format of an export is one of fens, csv"),
        ({"path": "v.csv", "units": {x: "m"}}, "The export csv takes points; got units"),
        ({"path": 3}, "3"),
    ]:
        with pytest.raises(fens.FensError, match=re.escape(words)):
            solution.export(**arguments)
