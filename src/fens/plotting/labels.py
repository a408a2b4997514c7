"""Names and numbers as pictures show them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sympy as sp

MOST_NAMES = 4  # of coordinates, before the rest is three dots


def symbol(name: Any) -> str:
    r"""A name in mathtext, `theta` as $\theta$ and `x_1` as $x_{1}$; words, and what cannot be set, stay."""
    return _set(str(name))


@lru_cache(maxsize=1024)  # each frame of a film, and each of its axes, has the same few names
def _set(name: str) -> str:
    from matplotlib.mathtext import MathTextParser

    plain = name.replace("$", r"\$")
    formula = sp.latex(sp.Symbol(name))
    if "$" in plain or (formula == plain and len(plain) > 1):
        return plain
    try:
        MathTextParser("path").parse(f"${formula}$")
    except ValueError:
        return plain
    return f"${formula}$"


def number(value: float) -> str:
    """A number with three digits, and a minus sign that is one."""
    return f"{value + 0.0:.3g}".replace("-", "−")  # + 0.0 takes the sign of a zero away


def at(coordinate: Any, value: float) -> str:
    """`z = 0.5`."""
    return f"{symbol(coordinate)} = {number(value)}"


def place(coordinates: Sequence[Any], values: Sequence[float]) -> str:
    """A point: the names of coordinates that share a value stand together."""
    groups: dict[str, list[str]] = {}
    for x, v in zip(coordinates, values, strict=True):
        groups.setdefault(number(v), []).append(symbol(x))
    return ", ".join(f"{_listed(names)} = {value}" for value, names in groups.items())


def _listed(names: list[str]) -> str:
    return ", ".join(names if len(names) <= MOST_NAMES else [names[0], names[1], "…", names[-1]])
