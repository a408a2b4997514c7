"""Forged saved solutions: entries, arrays and tables altered, and the checksum made anew, as a forger would."""

import copy
import hashlib
import json
import random
import struct
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import sympy as sp

import fens
from fens.cli.info import facts_of
from fens.errors import FensError
from fens.problem import Unknown
from fens.storage import KINDS, packed
from fens.storage.decode import BUILDERS
from fens.storage.formulas import CONSTANTS, OPERATORS

SAVED = sorted((Path(__file__).parents[1] / "saved").glob("*.fens"))
ODD = (
    None, True, False, 0, 1, -1, 2, 3, 7, 10**6, 2**31, 2**63, -(2**63), 10**30, 0.5, -0.5, 1e-300, 1e300, -1e308, "",
    "x", "u", "nan", "inf", "pi", "C", "F", "<f8", "<i8", "|b1", "<c16", "cos", "tanh", "newton", "a\0b", "é\n<b>",
    "x" * 5000, [], [0], [-1], [1, 2], [10**9], ["0"], {}, {"x": 1},
)  # fmt: skip
SIZES = (0, 1, 2, 3, 5, 60, 61, 2**20, 2**31, 2**40, 2**62, -1)
FLOATS = (float("nan"), float("inf"), -float("inf"), 0.0, -1.0, 1e308, -1e308, 1e-320, 1e16, 2.0**63)


@dataclass(frozen=True)
class Forged:
    """The bytes of a file, what was done to get them, and the seed of what is done with them."""

    content: bytes
    done: tuple[str, ...]
    seed: int

    def __str__(self) -> str:
        return "; ".join(self.done)


def fresh() -> list[fens.Solution]:
    """Solutions of kinds that the kept files lack."""
    x, y, z, theta = *sp.symbols("x y z"), sp.Symbol("theta", real=True)
    u = sp.Function("u")(x, y)
    square = fens.Box({x: (0, 1), y: (0, 1)})
    angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    rim = np.column_stack([np.cos(angle), np.sin(angle)])
    cloud = fens.Cloud(rim[::2] / 2, rim, rim, (x, y))
    star = fens.Star({x: 0, y: 0}, radius=1 + sp.cos(5 * theta) / 4, angle=theta)

    def plane(domain: fens.geometry.Domain, **options: object) -> fens.Solution:
        problem = fens.Problem({domain: sp.Eq(u.diff(x, 2) + u.diff(y, 2), x), domain.boundary: sp.Eq(u, 0)})
        return fens.solve(problem, **{"features": 20, "estimate": False, "adapt": False, "scale": 2.0, **options})

    mixture = fens.Mixture(((0.4, fens.Oriented(((1.0, 0.5), (0.0, 1.0)))), (0.6, fens.Sparse.up_to(2, 2))))
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    solid = fens.Surface(corners, (x, y, z), np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    p = sp.Function("p")(x, y, z)
    surface = fens.Problem({solid: sp.Eq(p.diff(x, 2), 0), solid.boundary: sp.Eq(p, x)})
    return [
        plane(square, partition=2), plane(square, frequencies=mixture), plane(square, points=fens.Random(40, 20)),
        plane(square, weights={square.boundary: 3.0}, points=fens.Grid({x: 5, y: 6})), plane(cloud), plane(star),
        fens.solve(surface, features=20, estimate=False, adapt=False, scale=1.0),
    ]  # fmt: skip


@cache
def bases() -> list[tuple[str, dict, bytes]]:
    """Good files, as the name, the document and the bytes of the arrays of each."""
    contents = [(path.stem, path.read_bytes()) for path in SAVED]
    contents += [(f"fresh {k}", packed(solution, KINDS)) for k, solution in enumerate(fresh())]
    found = []
    for name, content in contents:
        tree, _, arrays = content.split(b"\n", 2)[2].partition(b"\n")
        found.append((name, json.loads(tree), arrays))
    return found


def make(seed: int) -> Forged:
    """A good file with one to three things altered."""
    dice = random.Random(seed)
    name, document, arrays = dice.choice(bases())
    document, arrays, done = copy.deepcopy(document), bytearray(arrays), [name]
    chosen = dice.choices(ALTERATIONS, k=dice.choice((1, 1, 1, 2, 3)))
    for alter in sorted(chosen, key=lambda a: a is key):  # after which there may be no entries
        done.append(f"{alter.__name__}: {alter(document, arrays, dice)}")
    tree = json.dumps(document, separators=(",", ":")).encode()
    if dice.random() < 0.03:
        at = dice.randrange(len(tree))
        tree = tree[:at] + bytes([dice.randrange(32, 127)]) + tree[at + dice.randrange(3) :]
        done.append(f"byte {at}")
    body = tree + b"\n" + bytes(arrays)
    digest = hashlib.sha256(body).hexdigest().encode()
    return Forged(b"fens solution, format 1\n" + digest + b"\n" + body, tuple(done), seed)


def _entry(document: dict, dice: random.Random, kind: str = "") -> tuple[int, list]:
    """A random entry; first a random kind of them, so that those of which there are few have their share."""
    kinds: dict[str, list[int]] = {}
    for k, e in enumerate(document["entries"]):
        if isinstance(e, list) and e:
            kinds.setdefault(str(e[0]), []).append(k)
    k = dice.choice(kinds.get(kind) or kinds[dice.choice(sorted(kinds))])
    return k, document["entries"][k]


def odd_part(document, arrays, dice):
    k, e = _entry(document, dice)
    at, e_before = dice.randrange(len(e)), list(e)
    e[at] = dice.choice(ODD)
    return f"{k} {e_before!r:.80} → {e!r:.80}"


def other_reference(document, arrays, dice):
    k, e = _entry(document, dice)
    places = [i for i, p in enumerate(e) if isinstance(p, list)] or [len(e) - 1]
    before = list(e)
    e[dice.choice(places)] = [dice.randrange(max(1, k))]
    return f"{k} {before!r:.80} → {e!r:.80}"


def reference_of_kind(document, arrays, dice):
    """Another value of the same kind as before: an array for an array, a tuple for a tuple."""
    k, e = _entry(document, dice)
    entries, before = document["entries"], list(e)
    places = [i for i, p in enumerate(e) if isinstance(p, list) and len(p) == 1]
    if not places:
        return odd_part(document, arrays, dice)
    at = dice.choice(places)
    target = e[at][0] if isinstance(e[at][0], int) and 0 <= e[at][0] < len(entries) else 0
    same = [i for i in range(k) if entries[i] and entries[target] and entries[i][0] == entries[target][0]] or [0]
    e[at] = [dice.choice(same)]
    return f"{k} {before!r:.80} → {e!r:.80}"


def number(document, arrays, dice):
    """A number becomes another: nearer to what is right than any value, so that it gets farther."""
    k, e = _entry(document, dice)
    places = [i for i, p in enumerate(e) if isinstance(p, int | float) and not isinstance(p, bool)]
    if not places:
        return odd_part(document, arrays, dice)
    before, at = list(e), dice.choice(places)
    e[at] = dice.choice([-e[at], e[at] + 1, e[at] - 1, 2 * e[at], float(e[at]) if abs(e[at]) < 1e300 else 0, 0, 10**4])
    return f"{k} {before!r:.80} → {e!r:.80}"


def text(document, arrays, dice):
    """A text becomes another text."""
    k, e = _entry(document, dice)
    places = [i for i, p in enumerate(e) if i and isinstance(p, str)]
    if not places:
        return odd_part(document, arrays, dice)
    words = ["", "x", "u", "a\0b", "<script>", "{", "$\\frac", "x" * 3000, "+", "-", "&", "picard", "failed",
             "unreliable", "imag", "\ud800", *OPERATORS, *CONSTANTS]  # fmt: skip
    before = list(e)
    e[dice.choice(places)] = dice.choice(words)
    return f"{k} {before!r:.80} → {e!r:.80}"


def fewer_parts(document, arrays, dice):
    k, e = _entry(document, dice)
    return f"{k} {e!r:.80} without {e.pop(dice.randrange(len(e)))!r:.80}"


def more_parts(document, arrays, dice):
    k, e = _entry(document, dice)
    e.insert(dice.randrange(len(e) + 1), dice.choice(e) if dice.random() < 0.6 else dice.choice(ODD))
    return f"{k} {e!r:.120}"


def longer(document, arrays, dice):
    """A tuple, list or mapping with its last parts again, some times or many."""
    k, e = _entry(document, dice, dice.choice(("tuple", "list", "mapping")))
    e += e[-2:] * dice.choice((1, 2, 50, 20_000))
    return f"{k} {e!r:.80}, {len(e)} parts"


def other_tag(document, arrays, dice):
    k, e = _entry(document, dice)
    before, e[0] = e[0], dice.choice([*BUILDERS, "array", "dummy", "data", *KINDS])
    return f"{k} {before} → {e!r:.80}"


def swapped(document, arrays, dice):
    entries = document["entries"]
    i, j = dice.randrange(len(entries)), dice.randrange(len(entries))
    entries[i], entries[j] = entries[j], entries[i]
    return f"{i} and {j}"


def dropped(document, arrays, dice):
    return str(document["entries"].pop(dice.randrange(len(document["entries"]))))[:80]


def deep(document, arrays, dice):
    """One entry after another that has the last one twice: few bytes, and many parts when they are written out."""
    entries = document["entries"]
    tag = dice.choice(["tuple", "list", "mapping", "node", "Combined", "Extruded", "Inside", "Mixture", "Family"])
    for _ in range(dice.choice((5, 40, 2000))):
        last = [len(entries) - 1]
        head = {"node": ["node", dice.choice(("Add", "Mul", "Pow", "sin"))], "Combined": ["Combined", last, "+"]}
        entries.append([*head.get(tag, [tag, last]), last])
    k, e = _entry(document, dice)
    e[dice.randrange(len(e))] = [len(entries) - 1]
    if dice.random() < 0.5:  # where it may be referred to
        entries.append(entries[k])
        document["value"] = [len(entries) - 1]
    return f"{tag}, in {k}"


def array_table(document, arrays, dice):
    k, e = _entry(document, dice, "array")
    before, at = list(e), dice.randrange(1, len(e))
    if at == 1:
        e[1] = dice.choice(("<f8", "<i8", "|b1", "<c16", "<f4", "|O", ">f8", "<U8", 8))
    elif at == 2:
        e[2] = dice.choice(("C", "F", "A", None))
    elif dice.random() < 0.5:
        e[at] = dice.choice(SIZES)
    else:
        e[4:] = dice.choice([e[:3:-1], [*e[4:], 1], [1, *e[4:]], e[5:], [int(np.prod(e[4:]))], [0], [2, 1]])
    return f"{k} {before!r:.80} → {e!r:.80}"


def array_numbers(document, arrays, dice):
    k, e = _entry(document, dice, "array")
    if e[0] != "array" or len(e) < 4 or not isinstance(e[3], int) or not 0 <= e[3] <= len(arrays) - 8:
        return array_table(document, arrays, dice)
    count = 1 if not all(isinstance(n, int) for n in e[4:]) else max(1, min(int(np.prod(e[4:])), 10**4))
    at = e[3] + 8 * dice.randrange(count)
    value = dice.choice(FLOATS) if e[1] == "<f8" else dice.choice((-1, 0, 1, 7, 10**6, 2**62))
    if at <= len(arrays) - 8:
        arrays[at : at + 8] = struct.pack("<d" if e[1] == "<f8" else "<q", value)
    return f"{k} {e!r:.60}: {value}"


def many_arrays(document, arrays, dice):
    """The same bytes as many arrays."""
    entries, count = document["entries"], dice.choice((3, 300, 20_000))
    entries += [["array", "<f8", "C", 0, len(arrays) // 8]] * count
    entries.append(["tuple", *([len(entries) - k] for k in range(1, count))])
    return str(count)


def fields(document, arrays, dice):
    table = document["fields"]
    if not table:
        return "none"
    name = dice.choice(sorted(table))
    own = table[name]
    if dice.random() < 0.3:
        table[name] = dice.choice(ODD)
    elif dice.random() < 0.5 and own:
        own.pop(dice.randrange(len(own)))
    else:
        dice.shuffle(own)
    return f"{name}: {table[name]!r:.100}"


def value(document, arrays, dice):
    document["value"] = dice.choice([[dice.randrange(len(document["entries"]))], *ODD])
    return str(document["value"])[:60]


def arrays_cut(document, arrays, dice):
    del arrays[dice.randrange(len(arrays) + 1) if arrays else 0 :]
    return f"at {len(arrays)}"


def key(document, arrays, dice):
    name = dice.choice(sorted(document))
    document[name] = dice.choice(ODD)
    return f"{name}: {document[name]!r:.60}"


FREQUENT = (odd_part, other_reference, reference_of_kind, number, text, array_table, array_numbers)
SELDOM = (
    fewer_parts, more_parts, longer, other_tag, swapped, dropped, deep, many_arrays, fields, value, arrays_cut, key,
)  # fmt: skip
ALTERATIONS = (*FREQUENT * 4, *SELDOM)


def run(case: Forged) -> None:
    """Load it and, if that is not refused, use it: each use is good, or refused by itself."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "u.fens"
        path.write_bytes(case.content)
        solution = fens.load(path)
        for use in uses(solution, Path(folder), case.seed):
            try:
                with np.errstate(all="ignore"):  # numbers of a file may be too large, and are then said to be
                    use()
            except FensError:
                pass


def uses(solution: fens.Solution, folder: Path, seed: int):
    """What users do with a loaded solution; pictures and pages, which take longer, in turns."""
    yield lambda: repr(solution)
    yield lambda: (repr(solution.error), repr(solution.stats), repr(solution.problem), repr(solution.settings))
    yield lambda: facts_of(solution)
    yield lambda: (solution.scale, solution.expected_error, solution.meets(1e-3), solution.settings.options)
    yield solution._repr_html_
    yield lambda: _evaluated(solution)
    for region in solution.problem.regions:
        yield lambda region=region: solution.residual(region)
    turn = seed % 12
    if turn == 0:
        yield lambda: solution.plot(folder / "u.png")
    elif turn == 1:
        yield lambda: solution.report(folder / "u.html")
    elif turn == 2:
        yield lambda: solution.plot_points(folder / "points.png")
        yield lambda: solution.plot_search(folder / "search.png")
    elif turn == 3:
        yield lambda: solution.to_csv(folder / "u.csv", 5)
        yield lambda: solution.to_vtk(folder / "u.vtu", 5)
    elif turn == 4:
        yield lambda: solution.integrate(solution.problem.unknowns[0], points=3)
        yield lambda: solution.save(folder / "again.fens")
    elif turn == 5:
        for region in solution.problem.regions:
            yield lambda region=region: solution.residual(region, fens.Clustered(interior=20, boundary=20))


def _evaluated(solution: fens.Solution) -> None:
    for unknown, function in solution.functions.items():
        if isinstance(unknown, Unknown):
            repr(function)
            continue
        middle = np.mean(np.array(function.domain.bounds, dtype=float), axis=1)
        function(*middle)
        function(*(np.array([m, m + 0.1]) for m in middle))
        function.diff(function.domain.coordinates[0], 2).at(middle[None])
