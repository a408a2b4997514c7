"""A page that tells all about a solution, and needs nothing but itself."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from ..._support.disk import as_path, atomic_write, check_target
from ...errors import FensError, SettingError, quoted
from ...problem.typeset import html_of, sought
from ...storage import KINDS, packed
from .places import numbers_of
from .style import STYLE

MOST_EMBEDDED = 20 * 2**20  # bytes of a solution inside of its page
EVIDENCE = {
    "residual": "How far each equation is from holding, relative to its terms, at points the solve did not use",
    "difference": "Largest difference from a second solution, with other features at other points",
    "recovery": "Relative error with which random functions are found again from what the equations tell of them: "
    "large if these do not determine the solution",
    "sensitivity": "How much random changes of the equations change the solution: large if the problem is ill-posed",
    "rounding": "Size of the weighted features times the unit of round-off",
    "noise": "Change of the solution that noise like that of the data makes",
    "misfit": "What the data miss the solution by, in units of their standard deviations: about 1 if these are right",
}


def report(solution: Any, path: str | Path, title: str) -> None:
    """Write the page."""
    if not isinstance(title, str):
        raise SettingError(f"The title of a page is a text; got {quoted(title)}.")
    target = as_path(path)
    check_target(target)
    content = page(solution, title or sought(solution.problem), target.stem)
    with atomic_write(path) as temporary:
        temporary.write_text(content, encoding="utf-8")


def page(solution: Any, title: str, stem: str) -> str:
    """The page as a text."""
    sections = {
        "The problem": _problem(solution),
        "The solution": _picture(solution) + _numbers(solution),
        "How far to trust it": _error(solution),
        "How it was computed": _settings(solution) + _iterations(solution) + _sizes(solution) + _seconds(solution),
        "How to get it again": _again(solution, stem),
    }
    body = "".join(f"<section><h2>{name}</h2>{content}</section>" for name, content in sections.items())
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body><main><h1>{escape(title)}</h1>{_banner(solution)}{body}</main></body></html>\n"
    )


def _banner(solution: Any) -> str:
    error, stats = solution.error, solution.stats
    if error is None:
        return '<p class="verdict"><strong>No error estimate</strong> was asked for.</p>'
    kind = "good" if error.trusted and stats.status == "converged" else "bad"
    about = f"Error about {error.estimate:.1e}, relative {error.relative:.1e}: {escape(error.verdict)}."
    more = f" {escape(stats.advice)}" if stats.status != "converged" else ""
    return f'<p class="verdict {kind}"><strong>{about}</strong> {escape(error.advice)}{more}</p>'


def _problem(solution: Any) -> str:
    problem = solution.problem
    kind = "linear" if problem.is_linear else "nonlinear"
    return f"<p>Sought: {escape(sought(problem))}. The problem is {kind}.</p>{html_of(problem)}"


def _picture(solution: Any) -> str:
    try:
        figure = solution.plot()
    except (FensError, ImportError) as error:
        return f'<p class="quiet">There is no picture: {escape(str(error))}</p>'
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=150)
    encoded = base64.b64encode(content.getvalue()).decode()
    return f'<img src="data:image/png;base64,{encoded}" alt="a picture of {escape(sought(solution.problem))}">'


def _numbers(solution: Any) -> str:
    return table(("number", "value"), ((str(u), repr(n)) for u, n in numbers_of(solution).items()))


def _error(solution: Any) -> str:
    error = solution.error
    if error is None:
        return "<p>The error was not estimated: <code>estimate=False</code>.</p>"
    each = table(("unknown", "error about"), ((n, f"{e:.1e}") for n, e in error.of.items()))
    method = (
        "<p>The estimate is twice what a second solution, with independent features at independent points, differs by, "
        "and more where the evidence asks for it. The exact solution is not used.</p>"
    )
    return method + (each if len(error.of) > 1 else "") + _evidence(error.evidence)


def _evidence(evidence: Any) -> str:
    """Numbers with what they are, told once for each kind."""
    of_each = [(f"difference of {name}", f"{d:.1e}") for name, (d, _) in evidence.differences.items()]
    kinds = {
        "residual": [(f"residual on {name}", f"{v:.1e}") for name, v in evidence.residuals.items()],
        "difference": [*of_each, ("largest value of the solution", f"{evidence.size:.3g}")],
        **{name: [(name, f"{getattr(evidence, name):.2g}")] for name in ("recovery", "sensitivity", "rounding")},
        "noise": [(f"noise in {name}", f"{v:.1e}") for name, v in evidence.noise.items()],
        "misfit": [("misfit", f"{evidence.misfit:.2g}, of {evidence.measured} data")] if evidence.measured else [],
    }
    return "".join(table((EVIDENCE[kind],), rows) for kind, rows in kinds.items())


def _settings(solution: Any) -> str:
    stats, settings, search = solution.stats, solution.settings, solution.search
    chosen = {
        "features": f"{stats.features} {settings.activation}",
        "scale of the frequencies": _scale(solution.scale),
        "rows, from points": str(stats.rows),
        "numerical rank": str(stats.rank),
        "residual of the least squares": f"{stats.residual:.2e}",
        "largest weight": f"{stats.largest_weight:.2e}",
        "seed": str(settings.seed),
    }
    if search is not None:
        chosen["search for the scale"] = f"{len(search.scales)} tried: {search.reason}"
    given = [(f"{name}=", _short(value)) for name, value in settings.options.items()]
    asked = table(("option", "given"), given) if given else "<p>All options were left to fens.</p>"
    return asked + table(("chosen", "value"), chosen.items())


def _iterations(solution: Any) -> str:
    states = solution.stats.iterations
    rows = [(str(s.iteration), f"{s.residual:.2e}", f"{s.step:.1e}" if s.iteration else "", f"{s.damping:.2g}")
            for s in states]
    return table((f"iteration of {solution.settings.nonlinear}", "residual", "relative step", "damping"), rows)


def _sizes(solution: Any) -> str:
    return table(("features tried", "error about"), ((str(n), f"{e:.1e}") for n, e in solution.stats.sizes))


def _seconds(solution: Any) -> str:
    seconds = solution.stats.seconds
    rows = [(name, f"{s:.3f}") for name, s in seconds.items()]
    return table(("pass", "seconds"), [*rows, ("in all", f"{sum(seconds.values()):.3f}")])


def _again(solution: Any, stem: str) -> str:
    content = packed(solution, KINDS)
    name = f"{stem}.fens"
    if len(content) <= MOST_EMBEDDED:
        data = base64.b64encode(content).decode()
        link = f'<a download="{escape(name)}" href="data:application/octet-stream;base64,{data}">{escape(name)}</a>'
        first = f"<p>This page holds the solution: save {link} ({len(content) / 1000:.0f} kB), and then</p>"
    else:
        first = f'<p>Where the solution is known, <code>solution.save("{escape(name)}")</code>; and then</p>'
    code = (
        f'import fens\n\n# the same function, to the bit\nsolution = fens.load("{name}")\n'
        "# what was solved, and how\nsolution.problem, solution.settings\n"
        "# solves it again\nfens.solve_again(solution)"
    )
    same = "<p>The same versions on a machine of the same kind, with as many threads, give the same bits:</p>"
    return f"{first}<pre>{escape(code)}</pre>{same}{table(('computed with',), solution.provenance.facts.items())}"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table; nothing if it has no rows."""
    lines = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    if not lines:
        return ""
    names = list(head)
    across = f' colspan="{lines[0].count("<td>")}"' if len(names) == 1 else ""  # one heading over all columns
    top = "".join(f"<th{across}>{escape(cell)}</th>" for cell in names)
    return f'<div class="wide"><table><tr>{top}</tr>{"".join(f"<tr>{line}</tr>" for line in lines)}</table></div>'


def _scale(scale: Any) -> str:
    if isinstance(scale, Mapping):
        return "; ".join(f"{name}: {_scale(s)}" for name, s in scale.items())
    return ", ".join(f"{s:.4g}" for s in scale) if isinstance(scale, tuple) else f"{scale:.4g}"


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 200 else text[:200] + " …"
