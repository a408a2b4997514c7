"""Symbols as users give them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sympy as sp


def namesakes(symbols: Iterable[Any], coordinates: Sequence[sp.Symbol]) -> str:
    """A sentence about symbols that look like coordinates and are not, with a space before it; empty without such."""
    names = {x.name for x in coordinates}
    for s in symbols:
        if isinstance(s, sp.Symbol) and s.name in names and s not in coordinates:
            return (
                f" There are two symbols {s.name}: symbols of one name differ if their assumptions do, as "
                f"sp.Symbol({s.name!r}, real=True) and sp.Symbol({s.name!r}); use one symbol for both."
            )
    return ""
