"""Domains from tables: shapes of each kind, formulas of shapes, and time."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from ..errors import FileError
from ..geometry import Ball, Box, Cloud, Combined, Domain, Implicit, Polygon, Shape, Star, Surface, check_extent
from . import parse
from .builtins import Names
from .columns import MOST_BYTES, read_columns
from .document import Node
from .names import check_name, symbol
from .tokens import refuse

Tables = Mapping[str, Node]
MOST_COMBINED = 50  # for each of them, all before are asked whether something is left
MOST_CHARACTERS = 5000
SURFACES = (".stl", ".ply", ".obj", ".off")


def shape(node: Node, names: Names, known: Mapping[str, Shape], label: str = "", extra: tuple[str, ...] = ()) -> Shape:
    """The shape that a table describes; its key says of which kind it is."""
    kinds = [k for k in KINDS if isinstance(node.value, dict) and k in node.value]
    if len(kinds) != 1:
        given = " and ".join(kinds) or "none"
        raise node.error(f"{node.key} must have one of {', '.join(KINDS)} to say what shape it is; it has {given}")
    build, keys = KINDS[kinds[0]]
    parts = node.table((kinds[0], *keys, *extra))
    with parts[kinds[0]].reading():
        found = build(parts, names, known, label)
        check_extent(found.coordinates, found.bounds)
        return found


def domain(node: Node, names: Names, known: Mapping[str, Shape]) -> tuple[Domain, sp.Symbol | None]:
    """A shape or, with `during`, a shape through time; and the coordinate that is time."""
    base = shape(node, names, known, extra=("during",))
    if "during" not in node.value:
        return base, None
    during = node.table()["during"]
    if len(times := during.table()) != 1:
        raise during.error("during is a table of one coordinate and its interval, { t = [0, 1] }")
    (time, interval), = _intervals(during, names).items()
    with next(iter(times.values())).reading():
        return base.during(time, *interval), time


def formula(text: str, known: Mapping[str, Shape]) -> Shape:
    """Shapes by their names, with + for what lies in either, - for what is left, and & for what lies in both."""
    pieces = list(re.finditer(r"\s*(?:(\w+)|(\S))", text[:MOST_CHARACTERS]))
    combined = sum(map(leaves, known.values())) + sum(leaves(known[p[1]]) or 1 for p in pieces if p[1] in known)
    if len(text) > MOST_CHARACTERS or combined > MOST_COMBINED:
        raise FileError(f"the formulas of a file combine at most {MOST_COMBINED} shapes, each time it is named counted")
    value, end = _combined(text, pieces, 0, known, 0)
    if end < len(pieces):
        refuse(text, pieces[end].end() - 1, f"{pieces[end].group().strip()!r} is not expected here; combine by + - &")
    return value


def leaves(shape: Shape) -> int:
    """How many shapes one is combined of; none if it is not combined."""
    if not isinstance(shape, Combined):
        return 0
    return sum(leaves(s) or 1 for s in (shape.first, shape.second))


def _combined(
    text: str, pieces: list[re.Match[str]], at: int, known: Mapping[str, Shape], depth: int
) -> tuple[Shape, int]:
    value, at = _operand(text, pieces, at, known, depth)
    signs = set()
    while at < len(pieces) and (sign := pieces[at].group().strip()) in ("+", "-", "&"):
        signs.add(sign)
        if "&" in signs and len(signs) > 1:
            refuse(text, pieces[at].end() - 1, "& next to + or - needs brackets to say which comes first")
        other, at = _operand(text, pieces, at + 1, known, depth)
        value = {"+": value.__add__, "-": value.__sub__, "&": value.__and__}[sign](other)
    return value, at


def _operand(
    text: str, pieces: list[re.Match[str]], at: int, known: Mapping[str, Shape], depth: int
) -> tuple[Shape, int]:
    word = pieces[at].group().strip() if at < len(pieces) else ""
    if word in known:
        return known[word], at + 1
    if word != "(":
        place = pieces[at].end() - len(word) if word else len(text)
        listed = ", ".join(known) or "none; give them as [shapes.NAME]"
        refuse(text, place, f"there is no shape {word!r}; the shapes are: {listed}" if word else "a shape is missing")
    if depth > 20:
        refuse(text, pieces[at].start(), "brackets are nested more than 20 deep")
    value, end = _combined(text, pieces, at + 1, known, depth + 1)
    if end >= len(pieces) or pieces[end].group().strip() != ")":
        refuse(text, pieces[min(end, len(pieces) - 1)].end() - 1, "')' is expected here")
    return value, end + 1


def _box(parts: Tables, names: Names, known: Any, label: str) -> Shape:
    return Box(_intervals(parts["box"], names), name=label)


def _ball(parts: Tables, names: Names, known: Any, label: str) -> Shape:
    radius = _required(parts, "ball", "radius")
    radii = _values(radius, names) if isinstance(radius.value, dict) else radius.number(names)
    return Ball(_values(parts["ball"], names), radii, name=label)


def _polygon(parts: Tables, names: Names, known: Any, label: str) -> Shape:
    holes = [_corners(h, names) for h in parts["holes"].items()] if "holes" in parts else []
    coordinates = _coordinates(parts, "polygon")
    return Polygon(_corners(parts["polygon"], names), coordinates, holes, name=label)


def _star(parts: Tables, names: Names, known: Any, label: str) -> Shape:
    angle = symbol(check_name(parts["angle"].text(), parts["angle"]) if "angle" in parts else "theta")
    radius = _required(parts, "star", "radius")
    inner = names.with_meanings({angle.name: angle})
    with radius.reading():
        value = parse.expression(radius.text(), inner) if isinstance(radius.value, str) else radius.number(names)
    return Star(_values(parts["star"], names), value, angle, name=label)


def _implicit(parts: Tables, names: Names, known: Any, label: str) -> Shape:
    box = Box(_intervals(_required(parts, "implicit", "within"), names))
    inner = names.with_meanings({x.name: x for x in box.coordinates})
    return Implicit(parse.inequality(parts["implicit"].text(), inner), box, name=label)


def _surface(parts: Tables, names: Names, known: Any, label: str) -> Shape:
    file = parts["surface"].text()
    if Path(file).suffix.lower() not in SURFACES:
        raise FileError(f"a surface is read from a file that ends in {', '.join(SURFACES)}; got {file[:60]!r}")
    return Surface(str(parts["surface"].document.beside(file)), _coordinates(parts, "surface"), name=label)


def _cloud(parts: Tables, names: Names, known: Any, label: str) -> Shape:
    files = parts["cloud"].table(("inside", "boundary"))
    columns = {k: read_columns(node.document.beside(node.text(), MOST_BYTES)) for k, node in files.items()}
    if set(columns) != {"inside", "boundary"}:
        raise FileError('a cloud has two files, cloud = { inside = "in.csv", boundary = "rim.csv" }')
    coordinates = _coordinates(parts, "cloud")
    rows = [[str(x) for x in coordinates], [f"n_{x}" for x in coordinates]]
    for wanted, file in ((rows[0], "inside"), (rows[0] + rows[1], "boundary")):
        if missing := [c for c in wanted if c not in columns[file]]:
            raise FileError(f"the file of the points {file} lacks the columns {', '.join(missing)}")
    inside, rim, normals = (
        np.stack([columns[file][c] for c in row], axis=1)
        for file, row in (("inside", rows[0]), ("boundary", rows[0]), ("boundary", rows[1]))
    )
    return Cloud(inside, rim, normals, coordinates, name=label)


def _formula(parts: Tables, names: Names, known: Mapping[str, Shape], label: str) -> Shape:
    return formula(parts["shape"].text(), known)


KINDS: dict[str, tuple[Callable[[Tables, Names, Mapping[str, Shape], str], Shape], tuple[str, ...]]] = {
    "box": (_box, ()),
    "ball": (_ball, ("radius",)),
    "polygon": (_polygon, ("coordinates", "holes")),
    "star": (_star, ("radius", "angle")),
    "implicit": (_implicit, ("within",)),
    "surface": (_surface, ("coordinates",)),
    "cloud": (_cloud, ("coordinates",)),
    "shape": (_formula, ()),
}


def _required(parts: Tables, kind: str, key: str) -> Node:
    if key not in parts:
        raise FileError(f"a {kind} needs {key} next to it")
    return parts[key]


def _coordinates(parts: Tables, kind: str) -> list[sp.Symbol]:
    given = _required(parts, kind, "coordinates")
    if not (nodes := given.texts()):
        raise given.error('coordinates lists names, such as ["x", "y"]; it is empty')
    return [symbol(check_name(node.text(), node)) for node in nodes]


def _values(node: Node, names: Names) -> dict[sp.Symbol, float]:
    """{ x = 0.5, y = 0.5 }."""
    return {symbol(check_name(k, v, names.meanings)): v.number(names) for k, v in node.table().items()}


def _intervals(node: Node, names: Names) -> dict[sp.Symbol, tuple[float, float]]:
    """{ x = [0, 1], y = [0, 1] }."""
    found = {}
    for key, value in node.table().items():
        if len(ends := value.items()) != 2:
            raise value.error(f"the interval of {key} has two ends, [0, 1]; got {len(ends)}")
        found[symbol(check_name(key, value, names.meanings))] = (ends[0].number(names), ends[1].number(names))
    return found


def _corners(node: Node, names: Names) -> list[list[float]]:
    return [[c.number(names) for c in corner.items()] for corner in node.items()]
