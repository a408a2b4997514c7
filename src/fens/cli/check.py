"""`fens check`: read a problem file and show it as it was understood."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator
from itertools import groupby

import sympy as sp

from ..files import ProblemFile, read
from ..problem import Unknown
from .shared import OK, add_file, changes, write_json

DESCRIPTION = """Read a problem file, refuse what is wrong with it, and show its equations as they were understood.
Nothing is solved."""

EXAMPLES = ("fens check heat.toml", "fens check heat.toml --set k=0.5", "fens check heat.toml --json")
INDENT = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = DESCRIPTION
    add_file(parser, EXAMPLES)
    parser.add_argument("--json", action="store_true", help="the equations as JSON, for machines")


def run(args: argparse.Namespace) -> int:
    """Read, and show."""
    file = read(args.file, changes(args.set), allow_outside=args.allow_outside)
    if args.json:
        equations = [{"on": s.on, "region": s.region.name, "equation": str(s.equation)} for s in file.statements]
        names = [str(u) for u in file.problem.unknowns]
        write_json({"file": str(file.path), "title": file.title, "unknowns": names, "equations": equations})
        return OK
    sys.stdout.write("\n".join(shown(file)) + "\n")
    return OK


def shown(file: ProblemFile) -> Iterator[str]:
    """A problem, line by line."""
    problem = file.problem
    if file.title:
        yield file.title
    yield f"Sought:  {', '.join(_kind(u) for u in problem.unknowns)}"
    yield f"Domain:  {' and '.join(d.name for d in problem.domains)}"
    yield f"Problem: {'linear' if problem.is_linear else 'nonlinear'}, {len(problem.conditions)} equations"
    for on, statements in groupby(file.statements, key=lambda s: s.on):
        group = list(statements)
        yield f"\n{on}" if group[0].region.domain is not None else f"\n{on}: {group[0].region.name}"
        for s in group:
            yield from _pretty(s.equation)
    if file.options or file.eigen:
        yield ""
        yield from (f"{key} = {value}" for key, value in {**file.eigen, **file.options}.items())
    if file.output.names:
        yield f"Will be written: {', '.join(file.output.names.values())}"


def _kind(unknown: sp.Expr) -> str:
    if isinstance(unknown, Unknown):
        return f"the number {unknown}, from {unknown.initial:g}"
    return f"{unknown}, complex" if unknown.is_complex and not unknown.is_real else str(unknown)


def _pretty(equation: sp.Basic) -> Iterator[str]:
    """An equation as mathematics, as wide as the terminal."""
    width = shutil.get_terminal_size((100, 24)).columns - INDENT
    whole = equation if isinstance(equation, sp.Eq) else sp.Eq(equation, 0, evaluate=False)
    unicode = (sys.stdout.encoding or "ascii").lower().startswith("utf")
    rounded = whole.xreplace({f: sp.Float(f, 15) for f in whole.atoms(sp.Float)})
    text = sp.pretty(rounded, use_unicode=unicode, num_columns=max(width, 40), full_prec=False)
    yield from ((" " * INDENT + line).rstrip() for line in text.split("\n"))
