"""`fens export`: a saved solution for other programs."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileError, SettingError
from ..geometry import Grid
from ..solution import load
from ..solution.export import ELSEWHERE, EXPORTS, options_of, write
from .shared import OK, UNRELIABLE, add_examples, write_json

DESCRIPTION = """Write a solution that was saved by `fens solve --save` or `solution.save` in another format: a table
(csv), a mesh for ParaView (vtk), netCDF (nc), or a page that tells all about it (html)."""

EXAMPLES = (
    "fens export u.fens --to csv --points 51                  51 points along each axis",
    "fens export u.fens --to vtk                              u.vtu, for ParaView",
    "fens export u.fens --to vtk --output u.pvd               a series in time",
    "fens export u.fens --to nc --points x=101,t=0.5 --units x=m,u=K",
    "fens export u.fens --to html                             a page with everything",
)
POINTS_HELP = "along each axis: 51, or x=101,t=21; a number with a point fixes a coordinate, t=0.5"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = DESCRIPTION
    parser.add_argument("file", metavar="SOLUTION", help="a saved solution, .fens")
    formats = tuple(name for name in EXPORTS if name not in ELSEWHERE)
    parser.add_argument("--to", choices=formats, required=True, help="the format")
    parser.add_argument("--output", metavar="PATH", type=Path, help="file to write; default: that of SOLUTION, here")
    parser.add_argument("--points", metavar="POINTS", help=POINTS_HELP)
    parser.add_argument("--units", metavar="UNITS", help="units of coordinates and unknowns, for nc: x=m,u=K")
    parser.add_argument("--json", action="store_true", help="the files written as JSON, for machines")
    add_examples(parser, EXAMPLES)


def run(args: argparse.Namespace) -> int:
    """Load, and write."""
    export = EXPORTS[args.to]
    path = args.output or Path(Path(args.file).stem + export.endings[0])
    if path.suffix.lower() not in export.endings or not path.parent.is_dir():
        endings = " or ".join(export.endings)
        raise FileError(f"--output must end in {endings} and be in a folder that exists; got {path}")
    _check_taken(args, options_of(export))
    solution = load(args.file)
    given = {"points": points_of(args.points, solution), "units": pairs(args.units, "--units", "x=m,u=K")}
    written = write(args.to, solution, path, {option: v for option, v in given.items() if v is not None})
    if args.json:
        write_json({"written": [str(p) for p in written]})
    else:
        sys.stdout.write("".join(f"{p}\n" for p in written))
    if solution.doubt:
        sys.stderr.write(f"fens export: The solution is {solution.doubt}\n")
    return UNRELIABLE if solution.doubt else OK


def _check_taken(args: argparse.Namespace, options: tuple[str, ...]) -> None:
    """Refuse what the format has no use for."""
    if args.units and "units" not in options:
        known = ", ".join(name for name, e in EXPORTS.registered.items() if "units" in options_of(e))
        raise SettingError(f"--units belongs to --to {known}.")
    if args.points and "points" not in options:
        raise SettingError(f"--points belongs to tables, meshes and netCDF; --to {args.to} takes none.")


def points_of(text: str | None, solution: Any) -> Any:
    """`51` or `x=101,t=0.5` as an export takes it."""
    if text is None:
        return None
    if "=" not in text:
        return _count(text, text)
    given, problem = pairs(text, "--points", "x=101,t=0.5") or {}, solution.problem
    axes = {x.name: x for x in problem.coordinates}
    if set(given) != set(axes):
        raise SettingError(f"--points needs a number for each of {', '.join(axes)}; got {text!r}.")
    if all(number.isdecimal() for number in given.values()):
        return Grid({x: _count(given[name], text) for name, x in axes.items()})
    lower, upper = (f([d.bounds for d in problem.domains], axis=0) for f in (np.min, np.max))
    ends = {x: (a, b) for x, (a, _), (_, b) in zip(problem.coordinates, lower, upper, strict=True)}
    return {x: _along(given[name], ends[x], text) for name, x in axes.items()}


def _along(number: str, ends: tuple[float, float], text: str) -> Any:
    if number.isdecimal():
        return np.linspace(*ends, _count(number, text))
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise SettingError(f"--points takes counts and numbers, as in x=101,t=0.5; got {text!r}.")
    return value


def _count(number: str, text: str) -> int:
    if not number.isdecimal() or not int(number[:9]) >= 2 or len(number) > 8:
        raise SettingError(f"--points takes whole numbers of points, at least 2 along an axis; got {text!r}.")
    return int(number)


def pairs(text: str | None, option: str, example: str) -> dict[str, str] | None:
    """`x=m,u=K` as a mapping."""
    if text is None:
        return None
    found = {}
    for part in text.split(","):
        name, sign, value = part.partition("=")
        if not sign or not name.strip() or not value.strip() or name.strip() in found:
            raise SettingError(f"{option} takes NAME=VALUE, separated by commas, as in {example}; got {text!r}.")
        found[name.strip()] = value.strip()
    return found
