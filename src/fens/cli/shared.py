"""What several subcommands have in common: changed values, progress, exit codes, JSON."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .._support.progress import listening
from ..errors import FileError

OK, WRONG, UNRELIABLE = 0, 1, 3
OUTSIDE_HELP = "let the file name tables and surfaces outside of its folder"
SET_HELP = "change a parameter or an option: --set k=0.5 --set solve.features=900; may be repeated"


def add_file(
    parser: argparse.ArgumentParser, examples: Sequence[str], what: str = "a problem file, TOML"
) -> None:
    """The arguments of a command that takes a problem file, and its examples."""
    parser.add_argument("file", metavar="FILE", help=what)
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], help=SET_HELP)
    parser.add_argument("--allow-outside", action="store_true", help=OUTSIDE_HELP)
    add_examples(parser, examples)


def is_saved(path: str | Path) -> bool:
    """Whether a file is a saved solution, by its name."""
    return Path(path).suffix.lower() == ".fens"


def add_examples(parser: argparse.ArgumentParser, examples: Sequence[str]) -> None:
    """Examples at the end of the help."""
    parser.epilog = "examples:\n" + "\n".join(f"  {e}" for e in examples)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter


def changes(given: Sequence[str]) -> dict[str, Any]:
    """`k=0.5` as {"k": 0.5}; the values are TOML, or else texts."""
    found = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise FileError(f"--set takes NAME=VALUE, as in --set k=0.5; got {text!r}")
        found[name.strip()] = _value(value.strip())
    return found


def _value(text: str) -> Any:
    try:
        read = tomllib.loads(f"value = {text}")
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return text
    return read["value"] if list(read) == ["value"] else text


@contextmanager
def told(what: str) -> Iterator[None]:
    """A line on standard error that says what is being done, while it is done, if that is a terminal."""
    if not sys.stderr.isatty():
        with listening(lambda now: None):
            yield
        return
    from rich.console import Console
    from rich.markup import escape

    start = time.perf_counter()
    with Console(stderr=True).status(escape(what)) as status:

        def show(now: str) -> None:
            status.update(escape(f"{what}, {time.perf_counter() - start:.0f} s: {now}"))

        with listening(show):
            yield


def write_json(content: Any) -> None:
    """One JSON document on standard output; what is not a finite number is null."""
    sys.stdout.write(json.dumps(_plain(content), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, complex):
        return {"re": _plain(value.real), "im": _plain(value.imag)}
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value if isinstance(value, str | int | bool | None) else str(value)
