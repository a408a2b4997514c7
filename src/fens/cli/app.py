"""The command line: a table of subcommands."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Collection, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version

from .._support.disk import reason
from ..errors import FensError, UnreliableWarning

# name → module with add_arguments(parser) and run(args) → exit code, and a line of help; imported when it is called
COMMANDS = {
    "solve": ("fens.cli.solve", "solve the problem in a file"),
    "check": ("fens.cli.check", "read a problem file and show its equations as understood"),
    "plot": ("fens.cli.plot", "draw the solution of a problem file, or a saved one"),
    "export": ("fens.cli.export", "a saved solution as a table, a mesh, netCDF or a page"),
    "reproduce": ("fens.reproduce.command", "run the paper's experiments and compare"),
    "bench": ("fens.cli.bench", "measure this machine on problems with known solutions"),
    "info": ("fens.cli.info", "versions, machine and threads; or what is in a saved solution"),
    "completion": ("fens.cli.completion", "a script for completion in bash, zsh or fish"),
}
STOPPED = 130

EPILOG = """examples:
  fens check heat.toml                 is the file right, and is it what I meant?
  fens solve heat.toml                 solve it, and write what it asks for
  fens solve heat.toml --set k=0.5 --json
  fens solve heat.toml --save u.fens; fens export u.fens --to vtk
  fens COMMAND --help                  more about a command

exit codes:
  0    done, and the result can be relied on
  1    an error in a file or in what was asked for, told in a sentence
  2    a command or an option that does not exist
  3    solved, but unreliable, not converged, or the tolerance was not met
  130  stopped by Ctrl-C
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand; what a user did wrong is told in a sentence, with exit code 1."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    name = arguments[0] if arguments else ""
    try:
        _never_fail_to_print()
        try:
            return _run(name, arguments)
        finally:  # also where argparse ends the program, after a help that may not have been written
            sys.stdout.flush()
    except FensError as error:
        _tell(f"fens {name}: {error}")
        return 1
    except KeyboardInterrupt:
        _tell(f"fens {name}: stopped.")
        return STOPPED
    except BrokenPipeError:  # the reader of our output, `head` perhaps, has had enough
        _write_no_more()
        return 0
    except OSError as error:
        _write_no_more()
        _tell(f"fens {name}: the output cannot be written: {reason(error)}")
        return 1


def _run(name: str, arguments: list[str]) -> int:
    parser = build_parser(COMMANDS if name == "completion" else {name})
    args = parser.parse_args(arguments)
    args.parser = parser
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreliableWarning)  # commands say so themselves, and by their exit code
        return int(import_module(COMMANDS[args.command][0]).run(args))


def _tell(sentence: str) -> None:
    """Say something on standard error, if anyone can hear it."""
    with suppress(OSError):
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()


def _write_no_more() -> None:
    """What is still to be written to standard output goes nowhere; else Python would try again at its end."""
    with suppress(OSError, ValueError):  # a stream without a number, of a test
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def build_parser(wanted: Collection[str]) -> argparse.ArgumentParser:
    """The parser; only the wanted commands are imported and have their arguments."""
    parser = argparse.ArgumentParser(
        prog="fens",
        description="Partial differential equations, solved to round-off.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=_version())
    subcommands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (module, explanation) in COMMANDS.items():
        own = subcommands.add_parser(name, help=explanation)
        if name in wanted:
            import_module(module).add_arguments(own)
    return parser


def _version() -> str:
    return f"fens {version('fens')}"


def _never_fail_to_print() -> None:
    """Signs that a terminal does not have are replaced; what goes to a stream that is closed goes nowhere."""
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 until the program ends
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
