"""Regions by their names, as a file writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import sympy as sp

from ..errors import FileError
from ..geometry import Cylinder, Domain, Points, Region
from ..problem import Data
from . import parse
from .builtins import Names
from .columns import MOST_BYTES, read_columns
from .document import Document

HELP = (
    "inside, boundary, sides, initial, final, face x = 0, part NAME, edge 3, pair x or points FILE.csv; with several "
    "domains also: boundary of NAME"
)


def region(
    text: str, domains: Mapping[str, Domain], names: Names, document: Document
) -> tuple[Region, dict[str, sp.Expr]]:
    """The region of a name, and the columns of data that belong to it, if it is one of points."""
    words = " ".join(text.split())
    if words.startswith("points "):
        return _points(words.removeprefix("points "), names, document)
    name, _, of = words.rpartition(" of ")
    if not name:
        name, of = words, next(iter(domains)) if len(domains) == 1 else ""
    if of not in domains:
        listed, example = ", ".join(domains), f"boundary of {next(iter(domains))}"
        raise FileError(
            f"the region {text[:60]!r} must say of which domain it is, as in {example!r}; the domains are: {listed}"
        )
    for pattern, find in REGIONS:
        if (match := re.fullmatch(pattern, name)) is not None:
            return find(domains[of], match, names), {}
    raise FileError(f"the region {text[:60]!r} is not known; regions are: {HELP}")


def _points(file: str, names: Names, document: Document) -> tuple[Points, dict[str, sp.Expr]]:
    if Path(file).suffix.lower() != ".csv":
        raise FileError(f"points are read from a file that ends in .csv; got {file[:60]!r}")
    path = document.beside(file, MOST_BYTES)
    columns = read_columns(path)
    if missing := [x.name for x in names.coordinates if x.name not in columns]:
        raise FileError(f"the file {path.name} needs a column for each coordinate, and lacks {', '.join(missing)}")
    where = {x: columns.pop(x.name) for x in names.coordinates}
    return Points(where), {name: Data(values) for name, values in columns.items()}


def _of_time(domain: Domain, word: str) -> Region:
    if not isinstance(domain, Cylinder):
        raise FileError(f"a domain without time has no region {word!r}; add during = {{ t = [0, 1] }} to the domain")
    return domain.part(word)


def _face(domain: Domain, match: re.Match[str], names: Names) -> Region:
    return domain.face(_coordinate(match[1], names), parse.number(match[2], names))


def _pair(domain: Domain, match: re.Match[str], names: Names) -> Region:
    if not hasattr(domain, "pair"):
        raise FileError(f"only a box has pairs of faces, not {domain.name}")
    found: Region = domain.pair(_coordinate(match[1], names))
    return found


def _coordinate(name: str, names: Names) -> sp.Symbol:
    found = names.meanings.get(name)
    if found not in names.coordinates:
        raise FileError(f"{name} is not a coordinate; these are {', '.join(map(str, names.coordinates))}")
    return found


REGIONS: tuple[tuple[str, Callable[[Domain, re.Match[str], Names], Region]], ...] = (
    ("inside", lambda domain, match, names: domain),
    ("boundary", lambda domain, match, names: domain.boundary),
    ("(sides|initial|final)", lambda domain, match, names: _of_time(domain, match[1])),
    (r"face (\w+) ?= ?(.+)", _face),
    ("part (.+)", lambda domain, match, names: domain.part(match[1])),
    (r"(edge [0-9]+)", lambda domain, match, names: domain.part(match[1])),
    (r"pair (\w+)", _pair),
)
