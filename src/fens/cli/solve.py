"""`fens solve`: solve the problem in a file, tell how well, and write what the file asks for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .._support.disk import check_target
from ..errors import FileError, NotConverged, SettingError
from ..files import ProblemFile, read, write
from ..problem import Unknown
from .shared import OK, UNRELIABLE, add_file, changes, told, write_json

DESCRIPTION = """Solve the problem in a file. The result and its error estimate go to standard output, progress to
standard error, and the files that the problem file asks for to --output."""

FAR = 100  # times the estimate: a true error as large is no error of the solution
NEGLIGIBLE = 1e-10  # of the size of a solution: below it estimates of rounding may be off

EXAMPLES = (
    "fens solve heat.toml",
    "fens solve heat.toml --set k=0.5 --set solve.tol=1e-8",
    "fens solve heat.toml --output results --json | jq .error.estimate",
    "fens solve heat.toml --save heat.fens",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = DESCRIPTION
    add_file(parser, EXAMPLES)
    parser.add_argument("--output", metavar="DIR", type=Path, default=Path(), help="folder for files; default: here")
    parser.add_argument("--save", metavar="PATH", type=Path, help="keep the solution, for fens export, plot and info")
    parser.add_argument("--json", action="store_true", help="the result as JSON, for machines")


def run(args: argparse.Namespace) -> int:
    """Solve, tell, write."""
    file = read(args.file, changes(args.set), allow_outside=args.allow_outside)
    check_savable(args.save, file)
    try:
        if file.eigen:
            return _modes(file, args)
        result = solution_of(file)
    except NotConverged as error:
        sys.stderr.write(f"fens solve: {error}\n")
        return UNRELIABLE
    written = [str(p) for p in write(result, file.output, args.output)]
    if args.save is not None:
        result.save(args.save)
        written.append(str(args.save))
    doubts = reasons_to_doubt(result, file.options.get("tol"))
    facts = summary(result, file) | {"written": written, "doubts": doubts}
    facts["remarks"] = remarks(result, facts["true_error"])
    write_json(facts) if args.json else sys.stdout.write(_told(result, file, facts))
    for doubt in doubts:
        sys.stderr.write(f"fens solve: {doubt}\n")
    return UNRELIABLE if doubts else OK


def check_savable(path: Path | None, file: ProblemFile) -> None:
    """Refuse before anything is solved what could not be saved."""
    if path is not None and file.eigen:
        raise SettingError("--save keeps a solution, and an eigenvalue problem has several functions.")
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        raise FileError(f"--save takes the name of a file in a folder that exists; got {path}")
    if path is not None:
        check_target(path)


def solution_of(file: ProblemFile) -> Any:
    """The solution; where it is not one, the best that was found, which says so."""
    with told(f"solving {file.path.name}"):
        return file.solve() if file.continuation else file.solve(raise_on_failure=False)


def reasons_to_doubt(solution: Any, tol: float | None) -> list[str]:
    """Why the exit code is not 0."""
    found = []
    if solution.stats.status == "failed":
        found.append(f"The nonlinear iteration did not converge: {solution.stats.advice}")
    if solution.error is not None and not solution.error.trusted:
        found.append(f"The solution is {solution.error.verdict}: {solution.error.advice}")
    elif tol is not None and not solution.meets(tol):
        found.append(f"The error estimate is {solution.expected_error:.1e}, above the tolerance {tol:.1e}.")
    return found


def remarks(solution: Any, true_errors: Mapping[str, Mapping[str, float]]) -> list[str]:
    """What a user should look at, and no reason to doubt the solution: an exact one that is given may be wrong."""
    error = solution.error
    if error is None or not error.trusted:
        return []
    rounding = NEGLIGIBLE * error.estimate / error.relative if error.relative > 0 else 0.0  # of the solution's size
    return [
        f"The exact solution given for {u} is not the solution that was found: they differ by {e['linf']:.1e}, and the "
        f"error estimate is {error.estimate:.1e}. Look at [exact], and at the equations."
        for u, e in true_errors.items()
        if e["linf"] > max(FAR * error.estimate, rounding)
    ]


def summary(solution: Any, file: ProblemFile) -> dict[str, Any]:
    """The facts about a solution."""
    stats, error = solution.stats, solution.error
    numbers = {u: v for u, v in solution.functions.items() if isinstance(u, Unknown)}
    return {
        "file": str(file.path),
        "title": file.title,
        "unknowns": list(map(name_of, solution.problem.unknowns)),
        "features": stats.features,
        "rows": stats.rows,
        "rank": stats.rank,
        "scale": solution.scale,
        "residual": stats.residual,
        "status": stats.status,
        "error": error and {"estimate": error.estimate, "verdict": error.verdict, "advice": error.advice},
        "numbers": {name_of(u): {"value": float(v), "std": v.std} for u, v in numbers.items()},
        "true_error": {name_of(u): {"linf": c.linf, "l2": c.l2} for u, c in _compared(solution, file).items()},
        "seconds": sum(stats.seconds.values()),
    }


def name_of(unknown: Any) -> str:
    """u for u(x, y)."""
    return str(unknown) if isinstance(unknown, Unknown) else str(unknown.func.__name__)


def _compared(solution: Any, file: ProblemFile) -> dict[Any, Any]:
    functions = {u: e for u, e in file.exact.items() if not isinstance(u, Unknown)}
    return dict(solution.compare(functions)) if functions else {}


def _told(solution: Any, file: ProblemFile, facts: dict[str, Any]) -> str:
    lines = [file.title] if file.title else []
    lines.append(str(solution))
    lines += [f"  {u} = {v!r}" for u, v in solution.functions.items() if isinstance(u, Unknown)]
    errors = facts["true_error"].items()
    lines += [f"  true error of {u}: L∞ {e['linf']:.2e}, relative L2 {e['l2']:.2e}" for u, e in errors]
    lines += [f"  remark: {remark}" for remark in facts["remarks"]]
    lines += [f"  written: {path}" for path in facts["written"]]
    return "\n".join(lines) + "\n"


def _modes(file: ProblemFile, args: argparse.Namespace) -> int:
    with told(f"eigenvalues of {file.path.name}"):
        modes: Sequence[Any] = file.modes()
    facts = [{"eigenvalue": m.eigenvalue, "estimate": m.estimate, "residual": m.residual} for m in modes]
    if args.json:
        write_json({"file": str(file.path), "title": file.title, "modes": facts})
        return OK
    rows = [f"  {f['eigenvalue']:.12g}   error about {f['estimate']:.1e}" for f in facts]
    sys.stdout.write("\n".join([file.title or f"Eigenvalues of {file.path.name}", *rows]) + "\n")
    return OK
