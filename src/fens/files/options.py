"""The options of a solve, each read as the table of options says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from ..errors import concerning
from ..geometry import Region
from ..options import OPTIONS as TABLE
from . import parse
from .builtins import Names, is_unknown
from .document import Node

OPTIONS = {name: option.read for name, option in TABLE.items() if option.read is not None}


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

    def expression(self, text: str) -> sp.Expr:
        """What a formula stands for."""
        return parse.expression(text, self.names)


def options(node: Node, context: Context) -> dict[str, Any]:
    """The options that `fens.solve` gets."""
    found = {}
    for key, value in node.table(tuple(OPTIONS)).items():
        with concerning(key), value.reading():
            found[key] = OPTIONS[key](value, context)
    return found
