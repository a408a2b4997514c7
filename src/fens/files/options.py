"""The options of a solve, from a table: each by name, checked for its type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from ..basis import Distribution, Isotropic, Mixture, Oriented, Sparse
from ..errors import FileError, quoted
from ..geometry import Clustered, Grid, Random, Region, Sampler
from ..options import ScaleGrid
from . import parse
from .builtins import Names, is_unknown
from .document import Node


@dataclass(frozen=True)
class Context:
    """What the names in options can refer to."""

    names: Names
    regions: Mapping[str, Region]

    @property
    def unknowns(self) -> dict[str, sp.Expr]:
        """What is sought, by name."""
        return {k: v for k, v in self.names.meanings.items() if is_unknown(v)}

    @property
    def axes(self) -> dict[str, sp.Symbol]:
        """The coordinates, by name."""
        return {x.name: x for x in self.names.coordinates}


Reader = Callable[[Node, Context], Any]


def options(node: Node, context: Context) -> dict[str, Any]:
    """The options that `fens.solve` gets."""
    found = {}
    for key, value in node.table(tuple(OPTIONS)).items():
        with value.reading():
            found[key] = OPTIONS[key](value, context)
    return found


def _by(known: Mapping[str, sp.Basic], node: Node, context: Context, read: Reader) -> dict[Any, Any]:
    """A table from names to values."""
    return {known[k]: read(v, context) for k, v in node.table(tuple(known)).items()}


def _text(node: Node, context: Context) -> str:
    return node.text()


def _whole(node: Node, context: Context) -> int:
    return node.whole()


def _switch(node: Node, context: Context) -> bool:
    return node.switch()


def _number(node: Node, context: Context) -> float:
    return node.number(context.names)


def _memory(node: Node, context: Context) -> int | str:
    return node.text() if isinstance(node.value, str) else node.whole()


def _features(node: Node, context: Context) -> Any:
    return _by(context.unknowns, node, context, _whole) if isinstance(node.value, dict) else node.whole()


def _scale(node: Node, context: Context) -> Any:
    if isinstance(node.value, list):
        return [_number(n, context) for n in node.items()]
    if not isinstance(node.value, dict):
        return _number(node, context)
    if "grid" in node.value:
        ends = [_number(n, context) for n in node.table(("grid",))["grid"].items()]
        if len(ends) != 3:
            raise FileError("a grid of scales is [minimum, maximum, step]")
        return ScaleGrid(*ends)
    return _by({**context.axes, **context.unknowns}, node, context, _scale)


def _points(node: Node, context: Context) -> Sampler:
    table = node.table(("grid", "random", "boundary", "interior", "rows"))
    if "grid" in table:
        return grid(node.table(("grid",))["grid"], context.names)
    if "random" in table:
        counts = {k: v.whole() for k, v in node.table(("random", "boundary")).items()}
        return Random(counts["random"], counts.get("boundary", 0))
    counts = {k: v.whole() for k, v in table.items() if k != "rows"}
    rows = {"rows": table["rows"].number(context.names)} if "rows" in table else {}
    return Clustered(**counts, **rows)  # type: ignore[arg-type]


def grid(node: Node, names: Names) -> Grid:
    """101, [101, 51] or { x = 101, t = 51 }."""
    with node.reading():
        if isinstance(node.value, list):
            return Grid(*(n.whole() for n in node.items()))
        if isinstance(node.value, dict):
            axes = {x.name: x for x in names.coordinates}
            return Grid({axes[k]: v.whole() for k, v in node.table(tuple(axes)).items()})
        return Grid(node.whole())


def _weights(node: Node, context: Context) -> Any:
    if not isinstance(node.value, dict):
        return node.text()
    return {context.regions[k]: v.number(context.names) for k, v in node.table(tuple(context.regions)).items()}


def _initial(node: Node, context: Context) -> Any:
    if isinstance(node.value, dict):
        return _by(context.unknowns, node, context, _initial)
    if not isinstance(node.value, str):
        return node.number(context.names)
    with node.reading():
        return node.value if node.value == "random" else parse.expression(node.value, context.names)


def _frequencies(node: Node, context: Context) -> Distribution:
    if isinstance(node.value, str):
        if node.value not in ("isotropic", "sobol"):
            raise FileError(f"frequencies must be isotropic, sobol or a table; got {quoted(node.value)}")
        return Isotropic(sobol=node.value == "sobol")
    table = node.table(("oriented", "sparse", "mixture"))
    if len(table) != 1:
        raise FileError("frequencies is a table with one of oriented, sparse and mixture")
    (kind, value), = table.items()
    if kind == "sparse":
        return Sparse.up_to(value.whole(), len(context.names.coordinates))
    if kind == "oriented":
        return Oriented(tuple(tuple(n.number(context.names) for n in row.items()) for row in value.items()))
    parts = [part.table(("share", "frequencies")) for part in value.items()]
    if not parts or any(len(p) != 2 for p in parts):
        raise FileError('a mixture is a list of { share = 0.5, frequencies = "isotropic" }')
    return Mixture(tuple((_number(p["share"], context), _frequencies(p["frequencies"], context)) for p in parts))


def _partition(node: Node, context: Context) -> Any:
    if isinstance(node.value, dict):
        return _by(context.axes, node, context, _whole)
    return [n.whole() for n in node.items()] if isinstance(node.value, list) else node.whole()


OPTIONS: dict[str, Reader] = {
    "features": _features,
    "activation": _text,
    "scale": _scale,
    "points": _points,
    "weights": _weights,
    "initialisation": _text,
    "affine": _switch,
    "seed": _whole,
    "device": _text,
    "nonlinear": _text,
    "initial": _initial,
    "max_iterations": _whole,
    "max_seconds": _number,
    "tol": _number,
    "max_features": _whole,
    "estimate": _switch,
    "adapt": _switch,
    "frequencies": _frequencies,
    "partition": _partition,
    "layers": _whole,
    "blocks": _whole,
    "memory": _memory,
}
