"""What the sources of the solvers tell without being imported: constants, and the lines that a user writes.

Lines of a problem are those of its function and of the functions of the same module that it calls, each counted once,
without blank lines, comments, docstrings and imports. What a module lists as HARNESS, the evaluation of results and
the watching of a training, is ours and does not count.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@cache
def _parsed(module: str) -> tuple[str, ast.Module]:
    text = (FOLDER / f"{module}.py").read_text(encoding="utf-8")
    return text, ast.parse(text)


def constant(module: str, name: str, default: Any = None) -> Any:
    """The value of a constant at the top of a module."""
    for node in _parsed(module)[1].body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(t, ast.Name) and t.id == name for t in targets):
            return ast.literal_eval(node.value)
    return default


def lines(module: str, problem: str) -> int:
    """How many lines a user writes for a problem."""
    text, tree = _parsed(module)
    definitions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    wanted, seen, count = [problem], set(constant(module, "HARNESS", ())), 0
    while wanted:
        name = wanted.pop()
        if name in seen or name not in definitions:
            continue
        seen.add(name)
        node = definitions[name]
        count += _lines_of(node, text.splitlines())
        wanted += [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
    return count + constant(module, "EXTRA_LINES", 0) if count else 0


def _lines_of(node: ast.AST, source: list[str]) -> int:
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    numbers = set(range(first, node.end_lineno + 1))
    for inner in ast.walk(node):
        body = getattr(inner, "body", None)
        documented = isinstance(inner, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(inner, clean=False)
        if documented and isinstance(body, list):
            numbers -= set(range(body[0].lineno, body[0].end_lineno + 1))
        if isinstance(inner, ast.Import | ast.ImportFrom):
            numbers -= set(range(inner.lineno, inner.end_lineno + 1))
    return sum(bool(source[n - 1].split("#")[0].strip()) for n in numbers)
