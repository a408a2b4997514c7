"""Progress of long work, and its end: a bar or a line on a terminal, or told to whoever listens; a time that is up."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Listener = Callable[[str], None]
_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


class Deadline:
    """A time after which nothing new is begun; `passed` tells whether anything was left undone for it."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds
        self.passed = False

    def allows(self, seconds: float = 0.0) -> bool:
        """Whether there is time for work of so many seconds."""
        self.passed |= time.monotonic() + seconds >= self.end
        return not self.passed


_DEADLINE: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def within(seconds: float | None) -> Iterator[Deadline]:
    """Leave undone what can be left undone after so many seconds; what is inside of another has its end, too."""
    outer = _DEADLINE.get()
    deadline = Deadline(float("inf") if seconds is None else seconds)
    if outer is not None:
        deadline.end = min(deadline.end, outer.end)
    token = _DEADLINE.set(deadline)
    try:
        yield deadline
    finally:
        _DEADLINE.reset(token)


def time_left(seconds: float = 0.0) -> bool:
    """Whether there is time for more work, of so many seconds."""
    deadline = _DEADLINE.get()
    return deadline is None or deadline.allows(seconds)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell a function what is being done, a few words at a time, instead of writing it to the terminal."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def tell(what: str) -> None:
    """Say what is being done now to whoever listens."""
    if (listener := _LISTENER.get()) is not None:
        listener(what)


def track(items: Sequence[T], label: str) -> Iterator[T]:
    """The items one by one, with a bar on standard error while they are worked on, if that is a terminal."""
    if _LISTENER.get() is not None:
        for k, item in enumerate(items, 1):
            tell(f"{label}, {k} of {len(items)}")
            yield item
        return
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track as bar

    yield from bar(items, description=label, console=Console(stderr=True), transient=True)


def watch(states: Iterable[T]) -> Iterator[T]:
    """The states of an iteration one by one, the latest on a line of standard error, if that is a terminal."""
    live = sys.stderr.isatty() and _LISTENER.get() is None
    for state in states:
        tell(str(state))
        if live:
            sys.stderr.write(f"\r\x1b[K{state}")
            sys.stderr.flush()
        yield state
    if live:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
