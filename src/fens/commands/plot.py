"""`fens plot`: solve the problem in a file and draw the solution, or draw one that was saved."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from ..errors import FileError, NotConverged, SettingError
from ..files import PICTURES, read
from ..solution import load
from .shared import OK, UNRELIABLE, add_file, changes, is_saved
from .solve import reasons_to_doubt, solution_of

DESCRIPTION = "Solve the problem in a file and draw its solution, or draw a solution that was saved."
EXAMPLES = (
    "fens plot helmholtz.toml",
    "fens plot helmholtz.toml --picture u.pdf --set solve.features=400",
    "fens plot u.fens",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = DESCRIPTION
    add_file(parser, EXAMPLES, "a problem file, TOML, or a saved solution, .fens")
    parser.add_argument("--picture", metavar="PATH", type=Path, help="PNG, PDF or SVG; default: FILE with .png, here")


def run(args: argparse.Namespace) -> int:
    """Solve or load, and draw."""
    picture = args.picture or Path(Path(args.file).stem + ".png")
    if picture.suffix.lower() not in PICTURES or not picture.parent.is_dir():
        raise FileError(f"--picture must end in {', '.join(PICTURES)} and be in a folder that exists; got {picture}")
    try:
        solution, doubts = _loaded(args) if is_saved(args.file) else _solved(args)
    except NotConverged as error:
        sys.stderr.write(f"fens plot: {error}\n")
        return UNRELIABLE
    try:
        solution.plot(str(picture))
    except OSError as error:
        raise FileError(f"the picture {picture} cannot be written: {error.strerror}") from error
    sys.stdout.write(f"{picture}\n")
    for doubt in doubts:
        sys.stderr.write(f"fens plot: {doubt}\n")
    return UNRELIABLE if doubts else OK


def _solved(args: argparse.Namespace) -> tuple[Any, list[str]]:
    file = read(args.file, changes(args.set))
    if file.eigen:
        raise SettingError("fens plot draws a solution, and an eigenvalue problem has several.")
    solution = solution_of(file)
    return solution, reasons_to_doubt(solution, file.options.get("tol"))


def _loaded(args: argparse.Namespace) -> tuple[Any, list[str]]:
    if args.set:
        raise SettingError("--set changes a problem file; a saved solution is as it is.")
    solution = load(args.file)
    return solution, reasons_to_doubt(solution, solution.settings.tol)
