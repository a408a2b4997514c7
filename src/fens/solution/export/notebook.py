"""A solution in a notebook: what it solves, and how well."""

from __future__ import annotations

from html import escape
from typing import Any

from ...problem.typeset import html_of, sought
from .places import numbers_of
from .report import table


def html(solution: Any) -> str:
    """A few lines, as HTML."""
    stats, error = solution.stats, solution.error
    rows = [
        ("features", f"{stats.features} {solution.settings.activation}"),
        ("rows", f"{stats.rows}, numerical rank {stats.rank}"),
        ("residual", f"{stats.residual:.2e}"),
        ("seconds", f"{sum(stats.seconds.values()):.2f}"),
        *((str(u), repr(n)) for u, n in numbers_of(solution).items()),
    ]
    if error is not None:
        rows.insert(0, ("error about", f"{error.estimate:.1e}, {error.verdict}: {error.advice}"))
    if stats.status != "converged":
        rows.insert(0, ("status", f"{stats.status}: {stats.advice}"))
    problem = f"<details><summary>Equations</summary>{html_of(solution.problem)}</details>"
    mark = f' <strong style="color:#c00">{escape(solution.mark)}</strong>' if solution.mark else ""
    return f"<p><strong>Solution</strong> {escape(sought(solution.problem))}{mark}</p>{table(('', ''), rows)}{problem}"
