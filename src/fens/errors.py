"""The errors a user can meet. Each is also the builtin it resembles, so `except ValueError` keeps working."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from types import FrameType

LONGEST = 200  # characters of a value that a message shows


def quoted(value: object) -> str:
    """A value as messages show it: cut off where it is long, and its kind where it cannot be shown."""
    try:
        text = repr(value)
    except Exception:  # an object may raise anything, and an expression be too deep for SymPy to print
        return f"an object of the kind {type(value).__name__}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def listed(values: Iterable[object]) -> str:
    """Several values as messages list them, cut off where they are many."""
    text = ", ".join(map(quoted, islice(values, LONGEST)))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


class FensError(Exception):
    """Anything fens refuses, in a sentence that names the thing, the constraint, what was given and what to do.

    `option` is the name of the option of `solve` that it is about; empty if it is not about one.
    """

    option: str = ""


@contextmanager
def concerning(option: str) -> Iterator[None]:
    """What is refused within is about an option, and carries its name, unless it has one already."""
    try:
        yield
    except FensError as error:
        error.option = error.option or option
        raise


class EquationError(FensError, ValueError):
    """An equation, or the set of them, is malformed."""


class UnsupportedEquation(FensError, NotImplementedError):
    """An equation is well formed, but of a kind fens cannot solve yet."""


class RegionError(FensError, ValueError):
    """A domain or a region of it cannot be what was asked for."""


class SettingError(FensError, ValueError):
    """An option of `solve`, or an argument of a solution, is out of its range."""


class EvaluationError(FensError, ValueError):
    """A coefficient, a source or a callable gave something other than finite real numbers."""


class Unconverged(UserWarning):
    """An integral is known to a few digits only."""


class NotConverged(FensError, RuntimeError):
    """A nonlinear iteration did not reach a solution. `states` holds what it did, the last one included.

    Of an evolution that could not be followed to the end, `solution` is that up to the time where it stopped.
    """

    def __init__(self, message: str, states: tuple[object, ...] = (), solution: object = None) -> None:
        super().__init__(message)
        self.states = states
        self.solution = solution


class ToleranceNotMet(FensError, RuntimeError):
    """The error estimate stayed above the tolerance. `solution` is the best that was found."""

    def __init__(self, message: str, solution: object) -> None:
        super().__init__(message)
        self.solution = solution


class UnreliableWarning(UserWarning):
    """A solution was found that is not to be trusted; the sentence has the verdict, and what to do."""


class MissingPackage(FensError, ImportError):
    """An optional package that something needs is not installed."""


class NotInFile(FensError, LookupError):
    """Something is asked of a loaded solution that a file cannot hold, such as the values of a Python function."""


class FileError(FensError, ValueError):
    """A file, or a text in it, cannot be read or written. `line` and `column` count from 1; 0 if they are not known."""

    def __init__(self, reason: str, *, name: str = "", line: int = 0, column: int = 0, quoted: str = "") -> None:
        self.reason, self.name, self.line, self.column, self.quoted = reason, name, line, column, quoted
        places = [name, f"line {line}" if line else "", f"column {column}" if column else ""]
        where = ", ".join(p for p in places if p)
        lines = [f"{where}: {reason}" if where else reason]
        if quoted:
            shown, at = _window(quoted.replace("\t", " "), column)
            lines += [f"    {shown}"] + ([f"    {' ' * at}^"] if column else [])
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[object, ...]:
        return _file_error, (self.reason, self.name, self.line, self.column, self.quoted), {"option": self.option}


def warn_of(doubt: str) -> None:
    """Warn of an unreliable solution, at the line outside of this package from which it was asked for."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(doubt, UnreliableWarning, stacklevel=level)


def _file_error(reason: str, name: str, line: int, column: int, quoted: str) -> FileError:
    return FileError(reason, name=name, line=line, column=column, quoted=quoted)


def _window(text: str, column: int, width: int = 100) -> tuple[str, int]:
    """The part of a long line around a column, and where that column is in it."""
    start = max(0, min(column - width // 2, len(text) - width))
    return text[start : start + width], column - 1 - start
