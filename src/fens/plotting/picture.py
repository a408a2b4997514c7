"""Pictures of functions: a panel, or a row of them, for each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import sympy as sp

from ..errors import SettingError
from ..problem import Problem
from .canvas import begun, new_figure, save, set_title, title_height
from .layout import layout_for
from .quantity import Compare, Quantity, errors, number_errors, numbers, values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Functions = Mapping[sp.Expr, Any]


def plot(problem: Problem, functions: Functions, features: int, path: Any, doubt: str = "") -> Figure:
    """The unknown functions of a problem as computed; in the title the unknown numbers, and why not to trust all."""
    target = begun(path)
    return save(draw(values(problem, functions, features), numbers(functions), doubt), target)


def plot_errors(
    problem: Problem,
    functions: Functions,
    features: int,
    exact: Functions,
    compare: Compare,
    path: Any,
    doubt: str = "",
) -> Figure:
    """Their absolute errors against known functions, on a logarithmic scale, with how each compares in its title."""
    target = begun(path)
    found = errors(problem, functions, features, exact, compare)
    if not found:
        raise SettingError("plot_error() draws functions, and none is given.")
    return save(draw(found, number_errors(functions, exact), doubt), target)


def draw(quantities: Sequence[Quantity], title: str, doubt: str = "") -> Figure:
    """All quantities in one figure, with why not to trust them."""
    layout = layout_for(quantities[0].domain)
    columns = min(layout.columns, len(quantities))
    rows = math.ceil(len(quantities) / columns)
    sizes = [layout.size(q.domain) for q in quantities]
    width, height = max(w for w, _ in sizes), max(h for _, h in sizes)
    titled = 0.35 if any(q.title for q in quantities) else 0.0
    above = title_height(columns * width, title, doubt)
    figure = new_figure(columns * width, rows * (height + titled) + above)
    parts = figure.subfigures(rows, columns, squeeze=False).ravel()
    for quantity, part in zip(quantities, parts, strict=False):
        layout.draw(quantity, part)
        if quantity.title:
            part.suptitle(quantity.title, fontsize="large")
    if above:
        set_title(figure, title, doubt)
    return figure
