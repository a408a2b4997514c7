"""The command `fens`, from its first moment on; it stands outside of the package, which takes a second to import."""

from __future__ import annotations

import os
import signal
import sys

STOPPED = 130


def main() -> int:
    """Run the command line. Ctrl-C ends it without a traceback while it is still being imported, too."""
    signal.signal(signal.SIGINT, _stop)
    from fens.cli.app import main as command

    signal.signal(signal.SIGINT, signal.default_int_handler)
    return command()


def _stop(number: int, frame: object) -> None:
    """Leave at once: an exception in the midst of an import would pass through whatever is being imported."""
    sys.stderr.write("fens: stopped.\n")
    sys.stderr.flush()
    os._exit(STOPPED)
