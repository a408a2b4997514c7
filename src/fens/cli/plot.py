"""`fens plot`: draw the solution of a problem file or a saved one, its error, points or search, or a film of it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ..errors import FileError, NotConverged, SettingError
from ..files import PICTURES, ProblemFile, read
from ..options import ScaleGrid
from ..plotting import FRAMES, prepared
from ..problem import Problem
from ..solution import Solution, load
from .shared import OK, UNRELIABLE, add_file, changes, is_saved, told
from .solve import reasons_to_doubt, solution_of

DESCRIPTION = (
    "Solve the problem in a file, or load a solution that was saved, and draw it, or what one of the\n"
    "options below asks for."
)
EXAMPLES = (
    "fens plot helmholtz.toml",
    "fens plot helmholtz.toml --error --picture error.pdf --set solve.features=400",
    "fens plot heat.toml --animate t --picture heat.gif",
    "fens plot u.fens --points",
)
FILMS = (".gif", ".mp4")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = DESCRIPTION
    add_file(parser, EXAMPLES, "a problem file, TOML, or a saved solution, .fens")
    wanted = parser.add_mutually_exclusive_group()
    wanted.add_argument("--error", action="store_true", help="the error, if the file has a section [exact]")
    wanted.add_argument("--points", action="store_true", help="the points at which the equations hold, by region")
    wanted.add_argument("--search", action="store_true", help="the loss of each scale that was tried")
    wanted.add_argument("--animate", metavar="COORDINATE", help="a film in which a coordinate runs, such as t")
    formats = "PNG, PDF or SVG, of a film GIF or MP4; default: FILE with .png or .gif, here"
    parser.add_argument("--frames", metavar="N", type=int, default=FRAMES, help=f"of a film; default: {FRAMES}")
    parser.add_argument("--picture", metavar="PATH", type=Path, help=formats)


def run(args: argparse.Namespace) -> int:
    """Solve or load, and draw."""
    picture = _picture(args)
    try:
        solution, exact, doubts = (_loaded if is_saved(args.file) else _solved)(args, picture)
    except NotConverged as error:
        sys.stderr.write(f"fens plot: {error}\n")
        return UNRELIABLE
    with told(f"drawing {picture.name}"):
        _draw(solution, args, exact, str(picture))
    sys.stdout.write(f"{picture}\n")
    for doubt in doubts:
        sys.stderr.write(f"fens plot: {doubt}\n")
    return UNRELIABLE if doubts else OK


def _draw(solution: Solution, args: argparse.Namespace, exact: Any, path: str) -> None:
    if args.animate is not None:
        solution.animate(_coordinate(args, solution.problem), path, frames=args.frames)
    elif args.error:
        solution.plot_error(exact, path)
    elif args.points:
        solution.plot_points(path)
    elif args.search:
        solution.plot_search(path)
    else:
        solution.plot(path)


def _picture(args: argparse.Namespace) -> Path:
    """Where the picture goes; refused before anything is solved."""
    endings = FILMS if args.animate else PICTURES
    picture: Path = args.picture or Path(Path(args.file).stem + (".gif" if args.animate else ".png"))
    if picture.suffix.lower() not in endings or not picture.parent.is_dir():
        raise FileError(f"--picture must end in {', '.join(endings)} and be in a folder that exists; got {picture}")
    return picture


def _coordinate(args: argparse.Namespace, problem: Problem) -> Any:
    """The coordinate of a film; a name that is none is refused where films are made."""
    return {str(x): x for x in problem.coordinates}.get(args.animate, args.animate)


def _solved(args: argparse.Namespace, picture: Path) -> tuple[Solution, Any, list[str]]:
    file = read(args.file, changes(args.set), allow_outside=args.allow_outside)
    _check(args, file, picture)
    solution = solution_of(file)
    return solution, file.exact, reasons_to_doubt(solution, file.options.get("tol"))


def _check(args: argparse.Namespace, file: ProblemFile, picture: Path) -> None:
    """Refuse what the file cannot give, before anything is solved."""
    if file.eigen:
        raise SettingError("fens plot draws a solution, and an eigenvalue problem has several.")
    if args.error and not file.exact:
        raise SettingError("--error needs the exact solution, and the file has no section [exact].")
    if args.search and file.options.get("scale") is not None and not isinstance(file.options["scale"], ScaleGrid):
        raise SettingError("--search needs a search, and the file gives the scale; leave scale out of [solve].")
    if args.animate is not None:
        prepared(file.problem, _coordinate(args, file.problem), picture, args.frames)


def _loaded(args: argparse.Namespace, picture: Path) -> tuple[Solution, Any, list[str]]:
    if args.set:
        raise SettingError("--set changes a problem file; a saved solution is as it is.")
    if args.error:
        raise SettingError("--error needs the exact solution, which a saved solution does not have.")
    solution = load(args.file)
    return solution, None, reasons_to_doubt(solution, solution.settings.tol)
