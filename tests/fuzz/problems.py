"""Mutated problem files: texts cut, joined and garbled, values replaced by odd ones, and files that reach outside."""

import os
import random
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import fens
from fens.files import read
from fens.files.builtins import WORDS

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.toml"))
HEAD = 'title = "a problem"\nunknowns = ["u"]\n'
POISSON = '\n[equations]\ninside = "laplacian(u) = f"\nboundary = "u = 0"\n'
EXPRESSIONS = '\n[parameters]\nk = 2\nc = "pi/k"\n[expressions]\nf = "k*sin(pi*x) + exp(-c*x)"\ng = "diff(f, x)"\n'
TEXTS = [
    *(path.read_text() for path in EXAMPLES),
    HEAD + "[domain]\nbox = { x = [0, 1], y = [0, 1] }" + EXPRESSIONS + POISSON + "[exact]\nu = 'x*(1 - x)'\n",
    HEAD + "[domain]\nball = { x = 0, y = 0 }\nradius = { x = 1, y = 'pi/2' }" + EXPRESSIONS + POISSON,
    HEAD + '[domain]\npolygon = [[0, 0], [2, 0], [1, 1]]\ncoordinates = ["x", "y"]' + EXPRESSIONS + POISSON,
    HEAD + '[domain]\nstar = { x = 0, y = 0 }\nradius = "1 + cos(5*theta)/4"' + EXPRESSIONS + POISSON,
    HEAD + '[domain]\nimplicit = "x^2 + y^4 < 1"\nwithin = { x = [-2, 2], y = [-2, 2] }' + EXPRESSIONS + POISSON,
    HEAD + '[domain]\nsurface = "cube.stl"\ncoordinates = ["x", "y", "z"]' + EXPRESSIONS + POISSON,
    HEAD + '[domain]\ncloud = { inside = "in.csv", boundary = "rim.csv" }\ncoordinates = ["x", "y"]'
    + EXPRESSIONS + POISSON,
    HEAD + "[domain]\nbox = { x = [0, 1] }" + EXPRESSIONS + POISSON + '"points data.csv" = "u = data(T, 0.1)"\n',
    '[unknowns]\nu = "real"\nk = { initial = 2 }\n[domain]\nbox = { x = [0, 1] }\nduring = { t = [0, 2] }\n'
    '[equations]\ninside = "diff(u, t) = k*diff(u, x, 2)"\n"face x = 0" = "u = 0"\nsides = "u = where(t < 1, 0, x^2)"\n'
    'initial = ["u = sin(pi*x)", "diff(u, t) = 0"]\nfinal = "u = x"\n',
    '[unknowns]\nu = "real"\nm = "number"\n[domain]\nbox = { x = [0, 1] }\n[equations]\n'
    'inside = "-diff(u, x, 2) = m*u"\nboundary = "u = 0"\n[eigen]\neigenvalue = "m"\ncount = 2\nnear = 3\n'
    "[solve]\nfeatures = 60\nscale = 3\n",
    'unknowns = { u = "complex" }\n[domain]\nbox = { x = [0, 1], y = [0, 1] }\n[[equations]]\non = "inside"\n'
    'equation = "laplacian(u) + 4*u = 0"\n[[equations]]\non = "boundary"\n'
    'equation = "normal_derivative(u) - 2*I*u = x"\n',
    'unknowns = "u"\n[parameters]\nk = 1\n[domain]\nbox = { x = [0, 1] }\n[equations]\nboundary = "u = 0"\n'
    'inside = "diff(u, x, 2) + k*exp(u) = 0"\n[continuation]\nparameter = "k"\nvalues = [1, 2, 3]\n[output]\n'
    'table = "u.csv"\ngrid = { x = 41 }\npicture = "u.png"\nsave = "u.fens"\nreport = "u.html"\n',
    HEAD + "[domain]\nbox = { x = [0, 1], y = [0, 1] }" + EXPRESSIONS + POISSON + '[solve]\nfeatures = { u = 100 }\n'
    'activation = "tanh"\nscale = { x = 2, y = 3.5 }\npoints = { grid = [11, 12] }\nweights = { inside = 1, '
    'boundary = 2.5 }\nseed = 3\nnonlinear = "newton"\ninitial = "x*y"\nmax_iterations = 5\ntol = 1e-6\n'
    'estimate = false\nadapt = false\nfrequencies = { mixture = [{ share = 0.5, frequencies = "sobol" }, { share = 0.5,'
    ' frequencies = { oriented = [[1, 0], [0.5, 1]] } }] }\npartition = [2, 2]\nlayers = 1\nmemory = "1 GB"\n',
]  # fmt: skip
FILES = {
    "in.csv": "x,y\n0,0\n0.5,0.1\n-0.3,0.2\n",
    "rim.csv": "x,y,n_x,n_y\n" + "".join(f"{a},{b},{a},{b}\n" for a, b in
                                         ((np.cos(s), np.sin(s)) for s in np.arange(24) * np.pi / 12)),
    "data.csv": "x,T\n0.25,1\n0.5,2\n0.75,1\n",
    "cube.off": "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n",
    "cube.stl": "solid a\n" + "".join(
        "facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {p}\n" for p in face) + "endloop\nendfacet\n"
        for face in (("0 0 0", "0 1 0", "1 0 0"), ("0 0 0", "1 0 0", "0 0 1"), ("0 0 0", "0 0 1", "0 1 0"),
                     ("1 0 0", "0 1 0", "0 0 1"))) + "endsolid a\n",
}  # fmt: skip
VALUES = (
    "0", "-1", "1", "3.5", "1e400", "-1e308", "nan", "inf", "10**400", "9" * 400, "true", '""', '"x"', '"u"', "[]",
    "{}", "[[]]", "[0, 1]", "[1, 0]", "[0, 0]", "{ x = 1 }", "{ x = [0, 1] }", "1979-05-27", "07:32:00", '"9**9**9**9"',
    '"10**400"', '"1/0"', '"x = x"', '"u = u"', '"0 = 0"', '"u**2 = -1"', '"sin(u)*diff(u, x) = jump(u)"', '"I"',
    '"/etc/passwd"', '"../outside.csv"', '"link.csv"', '"pipe.csv"', '"a\\u0000b.csv"', '"data.csv"', '"."',
    '"' + "x" * 3000 + '"',
    "[" * 200 + "]" * 200, "{ a = " * 100 + "1" + " }" * 100, str(10**18), '"exp(exp(exp(x)))"', '"points /etc/passwd"',
    '"where(x < 1, 1/x, log(x))"', '"besselj(100000, x)"', '"(x + y + 1)**900"', '"erf(10**300*x)"', '"2**1000.5"',
)  # fmt: skip
WORDS_OF_FILES = (
    "inside", "boundary", "initial", "part left", "edge 3", "edge 99999999999", "pair x", "face x = 0", "face y = 1/0",
    "points data.csv", "points /etc/passwd.csv", "points ../a.csv", "points link.csv", "points pipe.csv",
    "points a\\u0000b.csv", "box", "ball", "radius", "shape", "during", "x", "y", "t", "u", "k", "domain", "domains",
    "shapes", "solve", "output", "eigen", "exact", "features", "scale", "grid", "points", "weights", "title",
    "unknowns",
)  # fmt: skip
SNIPPETS = (
    "(", ")", "**", "^", "/0", "*10**400", "9**9**9**9", "+ u", "sin(", "diff(u, x, 12)", "laplacian(", "[", "]", "{",
    "}", "=", '"', "'", '"""', "\n", "#", ".", ",", "\\", "\t", "\0", "é", "−", "𝑥", "\r", " \ufeff", "1e999", "-",
    "--", "I*", "jump(", "integral(", "data(", "normal(x)", "where(", "a." * 50, "x" * 60, "(" * 40, "-" * 300, "10**",
    "**-1",
)  # fmt: skip


@dataclass(frozen=True)
class Mutated:
    """A folder with a problem file in it, as texts, and what is changed when it is read."""

    text: str
    files: dict[str, str]
    changes: dict[str, object]
    seed: int

    def __str__(self) -> str:
        return f"{self.text}\n{self.changes or ''}"


def make(seed: int) -> Mutated:
    """A good file with one to four things altered."""
    dice = random.Random(seed)
    text, files, changes = dice.choice(TEXTS), dict(FILES), {}
    for _ in range(dice.choice((1, 1, 2, 3, 4))):
        text = dice.choice(MUTATIONS)(text, dice)
    if dice.random() < 0.15:
        name = dice.choice(sorted(files))
        files[name] = dice.choice((garbled, cut, doubled, numbers))(files[name], dice)
    if dice.random() < 0.1:
        keys = ("k", "solve.features", "parameters.k", "title", "domain.box.x", "a.b.c", "", ".", "equations.inside")
        changes[dice.choice(keys)] = dice.choice((1, -1, "x", None, [1], {"a": 1}, "9**9**9", 1e400, "a\0b", True))
    return Mutated(text, files, changes, seed)


def garbled(text, dice):
    """A few characters replaced."""
    at = dice.randrange(len(text) + 1)
    return text[:at] + dice.choice(SNIPPETS) + text[at + dice.choice((0, 0, 1, 3, 20)) :]


def cut(text, dice):
    """A part left out."""
    at = dice.randrange(len(text) + 1)
    return text[:at] + text[at + dice.randrange(1, 80) :]


def doubled(text, dice):
    """A part again, perhaps many times."""
    at, length = dice.randrange(len(text) + 1), dice.randrange(1, 60)
    return text[:at] + text[at : at + length] * dice.choice((2, 3, 200)) + text[at + length :]


def lines(text, dice):
    """Lines exchanged, left out or from another file."""
    own, other = text.split("\n"), dice.choice(TEXTS).split("\n")
    at = dice.randrange(len(own))
    own[at : at + dice.randrange(2)] = [dice.choice([*other, own[-1 - at]])]
    return "\n".join(own)


def sections(text, dice):
    """A section of another file."""
    other = re.split(r"(?m)^(?=\[)", dice.choice(TEXTS))
    own = re.split(r"(?m)^(?=\[)", text)
    own[dice.randrange(len(own))] = dice.choice(other)
    return "".join(own)


def values(text, dice):
    """The value of a key replaced."""
    places = list(re.finditer(r"(?<==)[ ]*[^=\n]+$", text, re.MULTILINE))
    if not places:
        return garbled(text, dice)
    place = dice.choice(places)
    return f"{text[: place.start()]} {dice.choice(VALUES)}{text[place.end() :]}"


def words(text, dice):
    """A name, or a text in quotes, replaced by another one."""
    places = list(re.finditer(r"\"[^\"\n]*\"|\b[A-Za-z_]\w*\b", text))
    if not places:
        return garbled(text, dice)
    place = dice.choice(places)
    word = dice.choice([*WORDS_OF_FILES, *WORDS])
    return text[: place.start()] + (f'"{word}"' if place[0][0] == '"' else word) + text[place.end() :]


def numbers(text, dice):
    """A number replaced."""
    places = list(re.finditer(r"\d+(\.\d+)?", text))
    if not places:
        return garbled(text, dice)
    place = dice.choice(places)
    odd = ("0", "-1", "1e9", "1e308", "1e-308", "1e999", "nan", "10000000", "1" * 30, "2", "9**9**9")
    return text[: place.start()] + dice.choice(odd) + text[place.end() :]


def grown(text, dice):
    """Very many of something."""
    count = dice.choice((100, 3000, 20_000))
    return text + dice.choice((
        lambda: "\n[parameters]\n" + "".join(f"a{k} = {k}\n" for k in range(count)),
        lambda: "\n[expressions]\n" + "".join(f"e{k} = 'x + {k}'\n" for k in range(count)),
        lambda: "\n[expressions]\ne0 = 'x'\n" + "".join(f"e{k} = 'e{k - 1}*e{k - 1}'\n" for k in range(1, 200)),
        lambda: "\n" + "a." * count + "b = 1\n",
        lambda: "".join(f"\n{'a.' * 60}b{k} = 1" for k in range(count // 60)),
        lambda: "\n[equations]\n" + "".join(f"'points data.csv ' = 'u = {k}'\n" for k in range(5)),
        lambda: "\n[equations]\ninside = [" + "'diff(u, x) = x', " * count + "]\n",
        lambda: "\n[shapes]\n" + "".join(f"s{k}.box = {{ x = [0, 1], y = [0, 1] }}\n" for k in range(count // 10)),
        lambda: "\nz = " + "[" * count + "]" * count,
        lambda: "\n[unknowns]\n" + "".join(f"u{k} = 'real'\n" for k in range(count)),
        lambda: "\ntitle = '" + "x" * 50 * count + "'",
        lambda: "\n" + "[a" + ".a" * count + "]",
        lambda: "\n" + "[[a]]\n" * count,
    ))()  # fmt: skip


MUTATIONS = (*(garbled, cut, doubled, lines, sections, values, words, numbers) * 4, grown)


def run(case: Mutated) -> None:
    """Read the file as a user would, show what was read and, if it is small, solve it."""
    with tempfile.TemporaryDirectory() as folder:
        inner = Path(folder) / "inner"
        inner.mkdir()
        (Path(folder) / "outside.csv").write_text("x,T\nsecret,1\n")
        os.symlink("../outside.csv", inner / "link.csv")
        os.mkfifo(inner / "pipe.csv")
        for name, text in case.files.items():
            (inner / name).write_bytes(text.encode("utf-8", "surrogatepass"))
        path = inner / "problem.toml"
        path.write_bytes(case.text.encode("utf-8", "surrogatepass"))
        try:
            file = read(path, case.changes)
            repr(file.problem)
            file.problem._repr_html_()
            _solved(file, case.seed)
        except fens.FensError as error:
            if "secret" in str(error):
                raise AssertionError("an error quotes another file") from error
            raise


def _solved(file: fens.files.ProblemFile, seed: int) -> None:
    """Solve one problem of many, with few features; large ones are not asked for."""
    small = len(file.statements) < 10 and len(file.problem.coordinates) < 4 and len(file.problem.unknowns) < 4
    if seed % 10 or not small or file.eigen or file.continuation:
        return
    with np.errstate(all="ignore"):
        file.solve(features=30, scale=2.0, estimate=False, adapt=False, tol=None, partition=None, layers=1, blocks=1,
                   points=fens.Clustered(interior=60, boundary=40), max_iterations=3, weights="balanced", memory=None,
                   raise_on_failure=False)  # fmt: skip
