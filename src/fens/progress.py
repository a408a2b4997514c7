"""Progress of long work: a bar on a terminal, nothing anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def track(items: Sequence[T], label: str) -> Iterator[T]:
    """The items one by one, with a bar on standard error while they are worked on, if that is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track as bar

    yield from bar(items, description=label, console=Console(stderr=True), transient=True)


def watch(states: Iterable[T]) -> Iterator[T]:
    """The states of an iteration one by one, the latest on a line of standard error, if that is a terminal."""
    live = sys.stderr.isatty()
    for state in states:
        if live:
            sys.stderr.write(f"\r\x1b[K{state}")
            sys.stderr.flush()
        yield state
    if live:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
