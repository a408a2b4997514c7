"""The command line: a table of subcommands."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from .errors import FensError

# name → module with add_arguments(parser) and run(args) → exit code, and a line of help; imported when it is called
COMMANDS = {"reproduce": ("fens.reproduce.command", "run the paper's experiments and compare")}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand; what a user did wrong is told in a sentence, with exit code 2."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = argparse.ArgumentParser(prog="fens", description="Partial differential equations, solved to round-off.")
    subcommands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (module, explanation) in COMMANDS.items():
        own = subcommands.add_parser(name, help=explanation)
        if name in arguments[:1]:
            import_module(module).add_arguments(own)
    args = parser.parse_args(arguments)
    try:
        return int(import_module(COMMANDS[args.command][0]).run(args))
    except FensError as error:
        sys.stderr.write(f"fens {args.command}: {error}\n")
        return 2
