"""`fens plot`: solve the problem in a file and draw the solution, its error, points or search, or a film of it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ..errors import FileError, NotConverged, SettingError
from ..files import PICTURES, ProblemFile, read
from ..pictures import FRAMES, prepared
from ..scale import ScaleGrid
from .shared import OK, UNRELIABLE, add_file, changes, told
from .solve import reasons_to_doubt, solution_of

DESCRIPTION = "Solve the problem in a file and draw its solution, or what one of the options below asks for."
EXAMPLES = (
    "fens plot helmholtz.toml",
    "fens plot helmholtz.toml --error --picture error.pdf --set solve.features=400",
    "fens plot heat.toml --animate t --picture heat.gif",
)
FILMS = (".gif", ".mp4")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = DESCRIPTION
    add_file(parser, EXAMPLES)
    wanted = parser.add_mutually_exclusive_group()
    wanted.add_argument("--error", action="store_true", help="the error, if the file has a section [exact]")
    wanted.add_argument("--points", action="store_true", help="the points at which the equations hold, by region")
    wanted.add_argument("--search", action="store_true", help="the loss of each scale that was tried")
    wanted.add_argument("--animate", metavar="COORDINATE", help="a film in which a coordinate runs, such as t")
    formats = "PNG, PDF or SVG, of a film GIF or MP4; default: FILE with .png or .gif, here"
    parser.add_argument("--frames", metavar="N", type=int, default=FRAMES, help=f"of a film; default: {FRAMES}")
    parser.add_argument("--picture", metavar="PATH", type=Path, help=formats)


def run(args: argparse.Namespace) -> int:
    """Solve, and draw."""
    file = read(args.file, changes(args.set))
    picture = _picture(args, file)
    coordinate = _check(args, file, picture)
    try:
        solution = solution_of(file)
    except NotConverged as error:
        sys.stderr.write(f"fens plot: {error}\n")
        return UNRELIABLE
    with told(f"drawing {picture.name}"):
        _draw(solution, args, file, coordinate, str(picture))
    sys.stdout.write(f"{picture}\n")
    doubts = reasons_to_doubt(solution, file)
    for doubt in doubts:
        sys.stderr.write(f"fens plot: {doubt}\n")
    return UNRELIABLE if doubts else OK


def _draw(solution: Any, args: argparse.Namespace, file: ProblemFile, coordinate: Any, path: str) -> None:
    if coordinate is not None:
        solution.animate(coordinate, path, frames=args.frames)
    elif args.error:
        solution.plot_error(file.exact, path)
    elif args.points:
        solution.plot_points(path)
    elif args.search:
        solution.plot_search(path)
    else:
        solution.plot(path)


def _picture(args: argparse.Namespace, file: ProblemFile) -> Path:
    """Where the picture goes; refused before anything is solved."""
    endings = FILMS if args.animate else PICTURES
    picture: Path = args.picture or Path(file.path.stem + (".gif" if args.animate else ".png"))
    if picture.suffix.lower() not in endings or not picture.parent.is_dir():
        raise FileError(f"--picture must end in {', '.join(endings)} and be in a folder that exists; got {picture}")
    return picture


def _check(args: argparse.Namespace, file: ProblemFile, picture: Path) -> Any:
    """Refuse what the file cannot give, before anything is solved; the coordinate of a film."""
    if file.eigen:
        raise SettingError("fens plot draws a solution, and an eigenvalue problem has several.")
    if args.error and not file.exact:
        raise SettingError("--error needs the exact solution, and the file has no section [exact].")
    if args.search and file.options.get("scale") is not None and not isinstance(file.options["scale"], ScaleGrid):
        raise SettingError("--search needs a search, and the file gives the scale; leave scale out of [solve].")
    if args.animate is None:
        return None
    names = {str(x): x for x in file.problem.coordinates}
    coordinate = names.get(args.animate, args.animate)
    prepared(file.problem, coordinate, picture, args.frames)
    return coordinate
