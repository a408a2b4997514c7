"""Domains from tables: shapes of each kind, formulas of shapes, and time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from ..errors import FileError
from ..geometry import SHAPES, Combined, Domain, Segment, Shape, Slit, check_extent
from . import parse
from .builtins import Names
from .columns import MOST_BYTES, read_columns
from .document import Node
from .names import check_name, symbol
from .tokens import refuse

MOST_COMBINED = 50  # for each of them, all before are asked whether something is left
MOST_CHARACTERS = 5000
FORMULA = "shape"  # the key of what is combined of other shapes


def shape(node: Node, names: Names, known: Mapping[str, Shape], label: str = "", extra: tuple[str, ...] = ()) -> Shape:
    """The shape that a table describes; its key says of which kind it is."""
    kind = _kind(node)
    parts = node.table((kind, *(() if kind == FORMULA else SHAPES[kind].file_keys), *extra))
    with parts[kind].reading():
        if kind == FORMULA:
            found = formula(parts[kind].text(), known)
        else:
            found = SHAPES[kind].from_file(Entries(kind, parts, names, label))
        if not isinstance(found, Segment):  # which is as thin as can be
            check_extent(found.coordinates, found.bounds)
        return found


def _kind(node: Node) -> str:
    """The key that says which shape it is; what is not known by now may be that of an installed package."""
    keys: list[str] = list(node.value) if isinstance(node.value, dict) else []
    kinds = [k for k in keys if k == FORMULA or k in SHAPES.registered] or [k for k in keys if k in SHAPES]
    if len(kinds) != 1:
        given = " and ".join(kinds) or "none"
        listed = ", ".join((*SHAPES, FORMULA))
        raise node.error(f"{node.key} must have one of {listed} to say what shape it is; it has {given}")
    return kinds[0]


def domain(node: Node, names: Names, known: Mapping[str, Shape]) -> tuple[Domain, sp.Symbol | None]:
    """A shape or, with `during`, a shape through time; and the coordinate that is time."""
    base = shape(node, names, known, extra=("during",))
    with node.reading():
        base.check_inside()
    if "during" not in node.value:
        return base, None
    during = node.table()["during"]
    if len(times := during.table()) != 1:
        raise during.error("during is a table of one coordinate and its interval, { t = [0, 1] }")
    (time, interval), = intervals(during, names).items()
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
    if isinstance(shape, Slit):
        return (leaves(shape.shape) or 1) + 1
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


@dataclass(frozen=True)
class Entries:
    """What the table of a shape says, for the shape's own `from_file`: a `fens.geometry.Description`."""

    kind: str
    parts: Mapping[str, Node]
    names: Names
    label: str

    def __contains__(self, key: str) -> bool:
        return key in self.parts

    def is_text(self, key: str) -> bool:
        return isinstance(self._part(key).value, str)

    def is_table(self, key: str) -> bool:
        return isinstance(self._part(key).value, dict)

    def text(self, key: str) -> str:
        return self._part(key).text()

    def whole(self, key: str) -> int:
        return self._part(key).whole()

    def number(self, key: str) -> float:
        return self._part(key).number(self.names)

    def symbol(self, key: str, default: str) -> sp.Symbol:
        return symbol(check_name(self.text(key), self.parts[key]) if key in self else default)

    def coordinates(self, key: str = "coordinates") -> list[sp.Symbol]:
        given = self._part(key)
        if not (nodes := given.texts()):
            raise given.error(f'{key} lists names, such as ["x", "y"]; it is empty')
        return [symbol(check_name(node.text(), node)) for node in nodes]

    def values(self, key: str) -> dict[sp.Symbol, float]:
        table = self._part(key).table()
        return {symbol(check_name(k, v, self.names.meanings)): v.number(self.names) for k, v in table.items()}

    def intervals(self, key: str) -> dict[sp.Symbol, tuple[float, float]]:
        return intervals(self._part(key), self.names)

    def points(self, key: str) -> list[list[float]]:
        return self._points(self._part(key))

    def rings(self, key: str) -> list[list[list[float]]]:
        return [self._points(ring) for ring in self.parts[key].items()] if key in self else []

    def expression(self, key: str, symbols: Sequence[sp.Symbol]) -> sp.Expr:
        with self._part(key).reading():
            return parse.expression(self.text(key), self._with(symbols))

    def inequality(self, key: str, symbols: Sequence[sp.Symbol]) -> Any:
        with self._part(key).reading():
            return parse.inequality(self.text(key), self._with(symbols))

    def file(self, key: str, endings: Sequence[str]) -> Path:
        if Path(file := self.text(key)).suffix.lower() not in endings:
            raise FileError(f"a {self.kind} is read from a file that ends in {', '.join(endings)}; got {file[:60]!r}")
        return self.parts[key].document.beside(file)

    def columns(self, key: str, wanted: Mapping[str, Sequence[str]]) -> dict[str, np.ndarray]:
        files = self._part(key).table(tuple(wanted))
        read = {k: read_columns(node.document.beside(node.text(), MOST_BYTES)) for k, node in files.items()}
        if missing := [k for k in wanted if k not in read]:
            example = ", ".join(f'{k} = "{k}.csv"' for k in wanted)
            raise FileError(f"a {self.kind} has {len(wanted)} files, {key} = {{ {example} }}; {missing[0]} is missing")
        for file, names in wanted.items():
            if missing := [c for c in names if c not in read[file]]:
                raise FileError(f"the file of the points {file} lacks the columns {', '.join(missing)}")
        return {file: np.stack([read[file][c] for c in names], axis=1) for file, names in wanted.items()}

    def _part(self, key: str) -> Node:
        if key not in self.parts:
            raise FileError(f"a {self.kind} needs {key} next to it")
        return self.parts[key]

    def _points(self, node: Node) -> list[list[float]]:
        return [[c.number(self.names) for c in point.items()] for point in node.items()]

    def _with(self, symbols: Sequence[sp.Symbol]) -> Names:
        return self.names.with_meanings({x.name: x for x in symbols})


def intervals(node: Node, names: Names) -> dict[sp.Symbol, tuple[float, float]]:
    """{ x = [0, 1], y = [0, 1] }."""
    found = {}
    for key, value in node.table().items():
        if len(ends := value.items()) != 2:
            raise value.error(f"the interval of {key} has two ends, [0, 1]; got {len(ends)}")
        found[symbol(check_name(key, value, names.meanings))] = (ends[0].number(names), ends[1].number(names))
    return found
