"""`fens plot`: solve the problem in a file and draw the solution."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..errors import FileError, NotConverged, SettingError
from ..files import PICTURES, read
from .shared import OK, UNRELIABLE, add_file, changes
from .solve import reasons_to_doubt, solution_of

DESCRIPTION = "Solve the problem in a file and draw its solution, for one and two coordinates."
EXAMPLES = ("fens plot helmholtz.toml", "fens plot helmholtz.toml --picture u.pdf --set solve.features=400")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = DESCRIPTION
    add_file(parser, EXAMPLES)
    parser.add_argument("--picture", metavar="PATH", type=Path, help="PNG, PDF or SVG; default: FILE with .png, here")


def run(args: argparse.Namespace) -> int:
    """Solve, and draw."""
    file = read(args.file, changes(args.set))
    picture = args.picture or Path(file.path.stem + ".png")
    if picture.suffix.lower() not in PICTURES or not picture.parent.is_dir():
        raise FileError(f"--picture must end in {', '.join(PICTURES)} and be in a folder that exists; got {picture}")
    if file.eigen:
        raise SettingError("fens plot draws a solution, and an eigenvalue problem has several.")
    try:
        solution = solution_of(file)
    except NotConverged as error:
        sys.stderr.write(f"fens plot: {error}\n")
        return UNRELIABLE
    try:
        solution.plot(str(picture))
    except OSError as error:
        raise FileError(f"the picture {picture} cannot be written: {error.strerror}") from error
    sys.stdout.write(f"{picture}\n")
    doubts = reasons_to_doubt(solution, file)
    for doubt in doubts:
        sys.stderr.write(f"fens plot: {doubt}\n")
    return UNRELIABLE if doubts else OK
