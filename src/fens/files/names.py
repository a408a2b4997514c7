"""Names that a file gives to things: checked, and each given once."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from .builtins import CONSTANTS, WORDS
from .document import Node
from .tokens import LONGEST_NAME


def check_name(name: str, node: Node, taken: Iterable[str] = ()) -> str:
    """The name, refused unless an expression can use it and nothing else has it."""
    if not name.isidentifier() or name.startswith("_") or len(name) > LONGEST_NAME:
        raise node.error_at_key(f"{name!r} cannot be a name: letters, digits and _, the first one a letter")
    if name in WORDS or name in CONSTANTS:
        raise node.error_at_key(f"{name} is a {'function' if name in WORDS else 'constant'} already; take another name")
    if name in taken:
        raise node.error_at_key(f"there are two things with the name {name}; each needs its own")
    return name


def symbol(name: str) -> sp.Symbol:
    """A coordinate. It is real, which saves SymPy minutes of doubt about long expressions."""
    return sp.Symbol(name, real=True)
