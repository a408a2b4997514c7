"""A problem file, read from top to bottom: parameters, shapes, domain, unknowns, expressions, equations, options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import escape
from inspect import signature
from pathlib import Path
from typing import Any

import sympy as sp

from ..api import continuation, eigen, solve
from ..eigenvalues import Mode
from ..errors import FensError, FileError, SettingError, concerning, quoted
from ..geometry import Domain, Region, Shape
from ..options import OPTIONS, Settings
from ..problem import Problem, Unknown, complex_unknown
from ..solution import Solution
from . import parse, shapes
from .builtins import Names
from .document import Document, Node, load
from .names import check_name
from .options import Context, options
from .output import Output, output
from .regions import region

SECTIONS = (
    "title", "parameters", "shapes", "domain", "domains", "unknowns", "expressions", "equations",
    "exact", "solve", "eigen", "continuation", "output",
)  # fmt: skip
MOST_EQUATIONS, MOST_UNKNOWNS = 500, 50
EIGEN_OPTIONS = tuple(name for name in signature(eigen).parameters if name in OPTIONS)


@dataclass(frozen=True)
class Statement:
    """An equation as a file has it: on which region, as what SymPy reads it, and where it stands."""

    on: str
    region: Region
    equation: sp.Basic
    node: Node


@dataclass(frozen=True)
class ProblemFile:
    """A problem file as read: the problem, how it is to be solved, and what is to be written."""

    path: Path
    changes: Mapping[str, Any]
    title: str
    names: Names
    statements: tuple[Statement, ...]
    problem: Problem
    options: Mapping[str, Any]
    exact: Mapping[sp.Expr, sp.Expr]
    output: Output
    eigen: Mapping[str, Any] = field(default_factory=dict)
    continuation: tuple[str, tuple[float, ...]] | None = None
    allow_outside: bool = False

    def solve(self, **more: Any) -> Solution:
        """Solve it with its options, and others of `fens.solve` that take precedence."""
        if self.eigen:
            raise SettingError("This is an eigenvalue problem, with a section [eigen]; take modes(), not solve().")
        given = {**self.options, **more}
        if self.continuation is None:
            return solve(self.problem, **given)
        name, values = self.continuation
        changed = f"parameters.{name}"
        def problem(value: float) -> Problem:
            return read(self.path, {**self.changes, changed: value}, allow_outside=self.allow_outside).problem

        return continuation(problem, values, **given)[-1]

    def __getitem__(self, name: str) -> sp.Expr:
        """What a name of the file stands for: a coordinate, an unknown, a parameter or a named expression."""
        if name not in self.names.meanings:
            raise SettingError(f"The file has no name {quoted(name)}; it has {', '.join(self.names.meanings)}.")
        return self.names.meanings[name]

    def _repr_latex_(self) -> str:
        return self.problem._repr_latex_()

    def _repr_html_(self) -> str:
        return f"<p><strong>{escape(self.title or self.path.name)}</strong></p>{self.problem._repr_html_()}"

    def modes(self) -> list[Mode]:
        """The eigenvalues and their functions, for a file with a section [eigen]."""
        if not self.eigen:
            raise SettingError("This is not an eigenvalue problem: the file has no section [eigen].")
        return eigen(self.problem, **self.eigen, **self.options)


def read(
    path: str | Path, changes: Mapping[str, Any] | None = None, *, allow_outside: bool = False
) -> ProblemFile:
    """Read a problem file; `changes` are values to replace, {"k": 2} for a parameter or {"solve.features": 900}.

    Nothing in a file is ever run: expressions go through a parser that knows arithmetic and a list of functions. Tables
    and surfaces that it names are read from its folder and not from elsewhere, unless `allow_outside` is true.
    """
    if not isinstance(allow_outside, bool):
        raise SettingError(f"allow_outside must be True or False; got {quoted(allow_outside)}.")
    document = load(path, {} if changes is None else changes, allow_outside)
    sections = document.root.table(SECTIONS)
    names = _parameters(sections, Names())
    names, domains = _domains(sections, names, document)
    names = _expressions(sections, _unknowns(sections, names, document))
    statements = _statements(sections, names, domains, document)
    problem = _problem(statements, sections["equations"])
    context = Context(names, {s.on: s.region for s in statements})
    given = options(sections["solve"], context) if "solve" in sections else {}
    title = sections["title"].text() if "title" in sections else ""
    file = ProblemFile(
        path=Path(path), changes=dict(changes or {}), title=title,
        names=names, statements=statements, problem=problem, options=given,
        exact=_exact(sections, context),
        output=output(sections["output"], names, title) if "output" in sections else Output({}),
        eigen=_eigen(sections, context, given), continuation=_continuation(sections, names),
        allow_outside=allow_outside,
    )  # fmt: skip
    _check_options(file, sections)
    return file


def _parameters(sections: Mapping[str, Node], names: Names) -> Names:
    for key, node in sections["parameters"].table().items() if "parameters" in sections else ():
        check_name(key, node)
        if isinstance(node.value, str):
            with node.reading():
                parse.number(node.value, names)
                names = names.with_meanings({key: parse.expression(node.value, names)})  # 2*pi stays exact
        else:
            value = node.number(names)
            exact = sp.Integer(node.value) if isinstance(node.value, int) else sp.Float(value)
            names = names.with_meanings({key: exact})
    return names


def _domains(sections: Mapping[str, Node], names: Names, document: Document) -> tuple[Names, dict[str, Domain]]:
    known: dict[str, Shape] = {}
    for key, node in sections["shapes"].table().items() if "shapes" in sections else ():
        known[check_name(key, node)] = shapes.shape(node, names, known, label=key)
    if ("domain" in sections) == ("domains" in sections):
        raise document.error((), "the file needs a section [domain], or sections [domains.NAME] for several")
    nodes = sections["domains"].table() if "domains" in sections else {"": sections["domain"]}
    if not nodes:
        raise sections["domains"].error("domains needs at least one domain, [domains.NAME]")
    found, time = {}, None
    for key, node in nodes.items():
        found[check_name(key, node) if key else key], time = shapes.domain(node, names, known)
    first, last = next(iter(found.values())), next(reversed(nodes.values()))
    if any(d.coordinates != first.coordinates for d in found.values()):
        raise last.error("all domains must have the same coordinates in the same order")
    for x in first.coordinates:
        check_name(x.name, last, names.meanings)
    coordinates = {x.name: x for x in first.coordinates}
    return replace(names.with_meanings(coordinates), coordinates=first.coordinates, time=time), found


def _unknowns(sections: Mapping[str, Node], names: Names, document: Document) -> Names:
    if "unknowns" not in sections:
        raise document.error((), 'the file does not say what is sought; add unknowns = ["u"] at its top, or [unknowns]')
    node = sections["unknowns"]
    if isinstance(node.value, dict):
        kinds = node.table()
    else:
        kinds = {n.text(): Node(n.document, n.path, "real") for n in node.texts()}
    if len(kinds) > MOST_UNKNOWNS:
        raise node.error(f"the file has {len(kinds)} unknowns, and {MOST_UNKNOWNS} are the most")
    for key, kind in kinds.items():
        check_name(key, kind, names.meanings)
        names = names.with_meanings({key: _unknown(key, kind, names)})
    return names


def _unknown(name: str, node: Node, names: Names) -> sp.Expr:
    if isinstance(node.value, dict):
        start = node.table(("initial",))
        return Unknown(name, start["initial"].number(names) if start else 1.0)
    kind = node.text()
    if kind not in ("real", "complex", "number"):
        raise node.error(f'an unknown is "real", "complex", "number" or {{ initial = 1.0 }}; got {quoted(kind)}')
    if kind == "number":
        return Unknown(name)
    return (complex_unknown(name) if kind == "complex" else sp.Function(name, real=True))(*names.coordinates)


def _expressions(sections: Mapping[str, Node], names: Names) -> Names:
    for key, node in sections["expressions"].table().items() if "expressions" in sections else ():
        check_name(key, node, names.meanings)
        text = node.text()
        with node.reading():
            names = names.with_meanings({key: parse.expression(text, names)})
    return names


def _statements(
    sections: Mapping[str, Node], names: Names, domains: Mapping[str, Domain], document: Document
) -> tuple[Statement, ...]:
    if "equations" not in sections:
        raise document.error((), "the file has no section [equations]")
    found: list[Statement] = []
    regions: dict[str, tuple[Region, dict[str, Any]]] = {}
    for on, key, given in _listed(sections["equations"]):
        if on not in regions:
            try:
                regions[on] = region(on, domains, names, document)
            except FensError as error:
                reason = error.reason if isinstance(error, FileError) else str(error)
                raise key.error_at_key(reason) from error
        where, columns = regions[on]
        inner = names.with_columns(columns)
        for node in given.texts():
            if len(found) == MOST_EQUATIONS:
                raise node.error(f"the file has more than {MOST_EQUATIONS} equations")
            with node.reading():
                found.append(Statement(on, where, parse.equation(node.text(), inner), node))
    return tuple(found)


def _listed(node: Node) -> list[tuple[str, Node, Node]]:
    """Regions with their equations, from a table or from a list of { on = …, equation = … }."""
    if isinstance(node.value, dict):
        return [(on, given, given) for on, given in node.table().items()]
    entries = [(entry, entry.table(("on", "equation"))) for entry in node.items()]
    for entry, parts in entries:
        if len(parts) != 2:
            raise entry.error('each of the [[equations]] needs on = "a region" and equation = "left = right"')
    return [(parts["on"].text(), parts["on"], parts["equation"]) for _, parts in entries]


def _problem(statements: tuple[Statement, ...], section: Node) -> Problem:
    equations: dict[Region, list[sp.Basic]] = {}
    for s in statements:
        equations.setdefault(s.region, []).append(s.equation)
    try:
        return Problem(equations)
    except FensError as error:
        quoted = [s for s in statements if str(s.equation) in str(error)]
        place = max(quoted, key=lambda s: len(str(s.equation))).node if quoted else section
        raise place.error(str(error)) from error


def _exact(sections: Mapping[str, Node], context: Context) -> dict[sp.Expr, sp.Expr]:
    found = {}
    for key, node in sections["exact"].table(tuple(context.unknowns)).items() if "exact" in sections else ():
        text = node.text()
        with node.reading():
            found[context.unknowns[key]] = parse.expression(text, context.names)
    return found


def _eigen(sections: Mapping[str, Node], context: Context, given: Mapping[str, Any]) -> dict[str, Any]:
    if "eigen" not in sections:
        return {}
    parts = sections["eigen"].table(("eigenvalue", "count", "near"))
    name = parts["eigenvalue"].text() if "eigenvalue" in parts else ""
    if not isinstance(context.unknowns.get(name), Unknown):
        raise sections["eigen"].error("eigen needs eigenvalue = NAME, where NAME is an unknown of the kind number")
    for key in given:
        if key not in EIGEN_OPTIONS:
            with concerning(key):
                raise sections["solve"].table()[key].error_at_key(f"an eigenvalue problem has no option {key}")
    more = {"count": parts["count"].whole()} if "count" in parts else {}
    near = {"near": parts["near"].number(context.names)} if "near" in parts else {}
    return {"eigenvalue": context.unknowns[name], **more, **near}


def _continuation(sections: Mapping[str, Node], names: Names) -> tuple[str, tuple[float, ...]] | None:
    if "continuation" not in sections:
        return None
    parts = sections["continuation"].table(("parameter", "values"))
    if len(parts) != 2:
        raise sections["continuation"].error('continuation needs parameter = "k" and values = [1, 2, 3]')
    if parts["parameter"].text() not in (sections["parameters"].value if "parameters" in sections else {}):
        raise parts["parameter"].error(f"{parts['parameter'].text()} is not one of the parameters")
    values = tuple(v.number(names) for v in parts["values"].items())
    if not values:
        raise parts["values"].error("continuation needs at least one value")
    return parts["parameter"].text(), values


def _check_options(file: ProblemFile, sections: Mapping[str, Node]) -> None:
    """Refuse options that `solve` would refuse, before anything is solved."""
    if "solve" not in sections:
        return
    try:
        Settings(**file.options).check_for(file.problem)
    except FensError as error:
        named = sections["solve"].table().get(error.option, sections["solve"])
        with concerning(error.option):
            raise named.error(str(error)) from error
