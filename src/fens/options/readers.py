"""How problem files write options: from a value that stands in a file to the one that `solve` takes.

What a file is, and where in it something stands, is known elsewhere: a reader asks a `Node` for what it holds, which
refuses what it does not, and a `Context` for what names mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import sympy as sp

from ..basis import Distribution, Isotropic, Mixture, Oriented, Sparse
from ..errors import FileError, quoted
from ..geometry import Clustered, Grid, Random, Region, Sampler
from .scale_grid import ScaleGrid


class Node(Protocol):
    """A value of a file, that is a text, a number, true or false, a list or a table."""

    @property
    def value(self) -> Any:
        """It, as it is."""
        ...

    def text(self) -> str:
        """It, if it is a text."""
        ...

    def whole(self) -> int:
        """It, if it is a whole number."""
        ...

    def switch(self) -> bool:
        """It, if it is true or false."""
        ...

    def number(self, names: Any, /) -> float:
        """It, if it is a number, or a text that is a formula for one."""
        ...

    def items(self) -> Sequence[Node]:
        """Its elements, if it is a list."""
        ...

    def table(self, allowed: Sequence[str] | None = None, /) -> Mapping[str, Node]:
        """Its entries, if it is a table and all of them are allowed."""
        ...

    def reading(self) -> AbstractContextManager[None]:
        """What is refused within is told with its place."""
        ...


class Context(Protocol):
    """What the names in options can refer to."""

    @property
    def names(self) -> Any:
        """All of them, for `Node.number`."""
        ...

    @property
    def unknowns(self) -> Mapping[str, sp.Expr]:
        """What is sought."""
        ...

    @property
    def axes(self) -> Mapping[str, sp.Symbol]:
        """The coordinates, in their order."""
        ...

    @property
    def regions(self) -> Mapping[str, Region]:
        """Where equations hold."""
        ...

    def expression(self, text: str, /) -> sp.Expr:
        """A formula as SymPy has it."""
        ...


Reader = Callable[[Node, Context], Any]


def text(node: Node, context: Context) -> str:
    """A text."""
    return node.text()


def whole(node: Node, context: Context) -> int:
    """A whole number."""
    return node.whole()


def switch(node: Node, context: Context) -> bool:
    """true or false."""
    return node.switch()


def number(node: Node, context: Context) -> float:
    """A number, or a formula for one in quotes."""
    return node.number(context.names)


def memory(node: Node, context: Context) -> int | str:
    """4000000000 or "4 GB"."""
    return node.text() if isinstance(node.value, str) else node.whole()


def features(node: Node, context: Context) -> Any:
    """900 or { u = 900, p = 400 }."""
    return _by(context.unknowns, node, context, whole) if isinstance(node.value, dict) else node.whole()


def scale(node: Node, context: Context) -> Any:
    """3, [3, 1], { x = 3, t = 1 }, { u = 3, p = [1, 2] } or { grid = [minimum, maximum, step] }."""
    if isinstance(node.value, list):
        return [number(n, context) for n in node.items()]
    if not isinstance(node.value, dict):
        return number(node, context)
    if "grid" in node.value:
        ends = [number(n, context) for n in node.table(("grid",))["grid"].items()]
        if len(ends) != 3:
            raise FileError("a grid of scales is [minimum, maximum, step]")
        return ScaleGrid(*ends)
    return _by({**context.axes, **context.unknowns}, node, context, scale)


def points(node: Node, context: Context) -> Sampler:
    """{ grid = 51 }, { random = 500, boundary = 100 } or { interior = 1000, boundary = 200, rows = 2.5 }."""
    table = node.table(("grid", "random", "boundary", "interior", "rows"))
    if "grid" in table:
        return grid(node.table(("grid",))["grid"], context.axes)
    if "random" in table:
        counts = {k: v.whole() for k, v in node.table(("random", "boundary")).items()}
        return Random(counts["random"], counts.get("boundary", 0))
    counts = {k: v.whole() for k, v in table.items() if k != "rows"}
    rows = {"rows": number(table["rows"], context)} if "rows" in table else {}
    return Clustered(**counts, **rows)  # type: ignore[arg-type]


def grid(node: Node, axes: Mapping[str, sp.Symbol]) -> Grid:
    """101, [101, 51] or { x = 101, t = 51 }."""
    with node.reading():
        if isinstance(node.value, list):
            return Grid(*(n.whole() for n in node.items()))
        if isinstance(node.value, dict):
            return Grid({axes[k]: v.whole() for k, v in node.table(tuple(axes)).items()})
        return Grid(node.whole())


def weights(node: Node, context: Context) -> Any:
    """ "balanced", "unit" or { inside = 1, boundary = 10 }."""
    if not isinstance(node.value, dict):
        return node.text()
    return _by(context.regions, node, context, number)


def initial(node: Node, context: Context) -> Any:
    """ "random", a formula, a number, or a table of these for the unknowns."""
    if isinstance(node.value, dict):
        return _by(context.unknowns, node, context, initial)
    if not isinstance(node.value, str):
        return number(node, context)
    with node.reading():
        return node.value if node.value == "random" else context.expression(node.value)


def frequencies(node: Node, context: Context) -> Distribution:
    """ "isotropic", "sobol", { sparse = 2 }, { oriented = [[1, 0], [0, 2]] } or { mixture = [{ share = …, … }, …] }."""
    if isinstance(node.value, str):
        if node.value not in ("isotropic", "sobol"):
            raise FileError(f"frequencies must be isotropic, sobol or a table; got {quoted(node.value)}")
        return Isotropic(sobol=node.value == "sobol")
    table = node.table(("oriented", "sparse", "mixture"))
    if len(table) != 1:
        raise FileError("frequencies is a table with one of oriented, sparse and mixture")
    (kind, value), = table.items()
    if kind == "sparse":
        return Sparse.up_to(value.whole(), len(context.axes))
    if kind == "oriented":
        return Oriented(tuple(tuple(number(n, context) for n in row.items()) for row in value.items()))
    parts = [part.table(("share", "frequencies")) for part in value.items()]
    if not parts or any(len(p) != 2 for p in parts):
        raise FileError('a mixture is a list of { share = 0.5, frequencies = "isotropic" }')
    return Mixture(tuple((number(p["share"], context), frequencies(p["frequencies"], context)) for p in parts))


def places(node: Node, context: Context) -> Any:
    """[[0, 1], ["1/3", 0]]."""
    return tuple(tuple(number(v, context) for v in place.items()) for place in node.items())


def event(node: Node, context: Context) -> Any:
    """ "u - 1", or "u > 1"."""
    for sign, relation in ((">", sp.StrictGreaterThan), ("<", sp.StrictLessThan)):
        left, found, right = node.text().partition(sign)
        if found:
            with node.reading():
                return relation(context.expression(left), context.expression(right.removeprefix("=")))
    with node.reading():
        return context.expression(node.text())


def times(node: Node, context: Context) -> Any:
    """[0, 1, "3/2"]."""
    return tuple(sorted(number(t, context) for t in node.items()))


def partition(node: Node, context: Context) -> Any:
    """4, [4, 2] or { x = 4 }."""
    if isinstance(node.value, dict):
        return _by(context.axes, node, context, whole)
    return [n.whole() for n in node.items()] if isinstance(node.value, list) else node.whole()


def _by(known: Mapping[str, Any], node: Node, context: Context, read: Reader) -> dict[Any, Any]:
    """A table from names to values."""
    return {known[k]: read(v, context) for k, v in node.table(tuple(known)).items()}
