"""A TOML file as read, with the place of everything in it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path as File
from pathlib import PurePath, PureWindowsPath
from typing import Any

import numpy as np

from .._support.disk import as_path, check_readable, contents
from .._support.numbers import is_whole
from ..errors import FensError, FileError
from ..errors import quoted as shown
from . import parse
from .builtins import Names
from .positions import Path, Place, places

LARGEST = 10**6  # bytes of a problem file
LARGEST_BESIDE = 5 * 10**7  # bytes of a file that it names
MOST_NAMES = 1000  # in a table
MOST_ITEMS = 10_000  # of a list
MOST_PARTS = 20  # of a key such as a.b.c; Python's reader keeps all its beginnings, which are many of a long one
_PART = r"(?>[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')"
LONG_KEY = re.compile(rf"(?<![A-Za-z0-9_-]){_PART}(?>[ \t]*\.[ \t]*{_PART}){{{MOST_PARTS}}}")


@dataclass(frozen=True)
class Document:
    """The content of a file, and where to point when something in it is wrong."""

    name: str
    folder: File
    text: str
    content: dict[str, Any]
    places: Mapping[Path, Place]
    changed: Mapping[Path, str]
    allow_outside: bool = False

    @property
    def root(self) -> Node:
        """The whole of it."""
        return Node(self, (), self.content)

    def error(self, path: Path, reason: str, *, at_key: bool = False) -> FileError:
        """An error about what stands at a path."""
        if path in self.changed:
            return FileError(reason, name=f"--set {self.changed[path]}")
        place = self.place(path)
        if place is None:
            return FileError(reason, name=self.name)
        return self.error_at(place.key if at_key else place.value, reason)

    def error_in(self, path: Path, text: str, error: FileError) -> FileError:
        """An error in a text that stands at a path."""
        place = self.place(path)
        if place is None or path in self.changed or not error.line:
            return self.error(path, error.reason)
        quoted = re.compile(r"[\"']\n?(" + re.escape(text) + r")[\"']").search(self.text, place.value)
        if quoted is None:  # it is written with escapes
            return self.error(path, error.reason)
        inner = sum(len(line) + 1 for line in text.split("\n")[: error.line - 1]) + error.column - 1
        return self.error_at(quoted.start(1) + inner, error.reason)

    def error_at(self, offset: int, reason: str) -> FileError:
        """An error at a place of the text."""
        before = self.text[:offset]
        line, column = before.count("\n") + 1, offset - before.rfind("\n")
        return FileError(reason, name=self.name, line=line, column=column, quoted=self.text.split("\n")[line - 1])

    def place(self, path: Path) -> Place | None:
        """The place of a path, or of the nearest thing around it that has one."""
        return next((self.places[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self.places), None)


    def beside(self, name: str, most: int = LARGEST_BESIDE) -> File:
        """A file that this one names. It stays in the folder, unless the user says otherwise, and has an end."""
        if "\0" in name or not name.strip():
            raise FileError(f"{name[:60]!r} cannot be the name of a file")
        path, given = self.folder / name, PurePath(name)
        if not self.allow_outside:
            windows = PureWindowsPath(name)
            if given.is_absolute() or windows.drive or windows.root or ".." in (*given.parts, *windows.parts):
                raise FileError(f"{name[:200]!r} leads out of the folder of the problem file; {OUTSIDE}")
            if not _within(path, self.folder):
                raise FileError(f"{name[:200]!r} is a link out of the folder of the problem file; {OUTSIDE}")
        check_readable(path, most)
        return path


OUTSIDE = "copy the file there, or allow it by --allow-outside, in Python by allow_outside=True"


def _within(path: File, folder: File) -> bool:
    """Whether a path is in a folder when all links are followed."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # links in a circle, or a name too long
        return False


@dataclass(frozen=True)
class Node:
    """A value in a document, which knows where it is."""

    document: Document
    path: Path
    value: Any

    @property
    def key(self) -> str:
        """The name it goes by."""
        return _name(self.path)

    def error(self, reason: str) -> FileError:
        """An error about it."""
        return self.document.error(self.path, reason)

    def error_at_key(self, reason: str) -> FileError:
        """An error about its name."""
        return self.document.error(self.path, reason, at_key=True)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """What fens refuses is told with the place of this."""
        try:
            yield
        except FileError as error:
            if error.name:
                raise
            if isinstance(self.value, str):
                raise self.document.error_in(self.path, self.value, error) from error
            raise self.error(error.reason) from error
        except FensError as error:
            raise self.error(str(error)) from error

    def table(self, allowed: Sequence[str] | None = None) -> dict[str, Node]:
        """Its entries; those that are not allowed are refused, with the nearest name that is."""
        if not isinstance(self.value, dict):
            raise self.error(f"{self.key} must be a table of names and values; got {_kind(self.value)}")
        if len(self.value) > MOST_NAMES:
            raise self.error(f"{self.key} has {len(self.value)} names, and {MOST_NAMES} are the most")
        found = {k: Node(self.document, (*self.path, k), v) for k, v in self.value.items()}
        for key, node in found.items():
            if allowed is not None and key not in allowed:
                near = get_close_matches(key[:60], allowed, 1)
                hint = f"did you mean {near[0]}?" if near else f"known are: {', '.join(allowed)}"
                raise node.error_at_key(f"{key[:60]!r} is not known in {self.key}; {hint}")
        return found

    def items(self) -> list[Node]:
        """Its elements."""
        if not isinstance(self.value, list):
            raise self.error(f"{self.key} must be a list, [ … ]; got {_kind(self.value)}")
        if len(self.value) > MOST_ITEMS:
            raise self.error(f"{self.key} has {len(self.value)} elements, and {MOST_ITEMS} are the most")
        return [Node(self.document, (*self.path, k), v) for k, v in enumerate(self.value)]

    def text(self) -> str:
        """It, if it is a text."""
        if not isinstance(self.value, str):
            raise self.error(f"{self.key} must be a text in quotes; got {_kind(self.value)}")
        return self.value

    def texts(self) -> list[Node]:
        """It, if it is a text or a list of texts, as a list."""
        nodes = self.items() if isinstance(self.value, list) else [self]
        for node in nodes:
            node.text()
        return nodes

    def switch(self) -> bool:
        """It, if it is true or false."""
        if not isinstance(self.value, bool):
            raise self.error(f"{self.key} must be true or false; got {_kind(self.value)}")
        return self.value

    def whole(self) -> int:
        """It, if it is a whole number."""
        if not is_whole(self.value, -(10**12)) or self.value > 10**12:
            raise self.error(f"{self.key} must be a whole number; got {_kind(self.value)}")
        return int(self.value)

    def number(self, names: Names) -> float:
        """It, if it is a number, or a text that is a formula for one."""
        if isinstance(self.value, str):
            with self.reading():
                return parse.number(self.value, names)
        if isinstance(self.value, bool) or not isinstance(self.value, int | float) or not abs(self.value) <= 1e300:
            given = _kind(self.value)
            raise self.error(f"{self.key} must be a finite number, or a formula for one in quotes; got {given}")
        return float(self.value)


def _name(path: Path) -> str:
    """What messages call what stands at a path; elements of lists have no names, only numbers, which count from 1."""
    if not path:
        return "the file"
    *outer, last = path
    return f"element {last + 1} of {_name(tuple(outer))}" if isinstance(last, int) else last[:60]


def load(path: str | File, changes: Mapping[str, Any], allow_outside: bool = False) -> Document:
    """The document in a file, with some values changed: {"parameters.k": 2}."""
    file = as_path(path)
    text = _text(file)
    if (long := LONG_KEY.search(text)) is not None:
        line = text.count("\n", 0, long.start()) + 1
        raise FileError(f"a key has more than {MOST_PARTS} parts, joined by points", name=str(file), line=line)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(file, text, str(error)) from error
    except (RecursionError, ValueError) as error:
        raise FileError("the file is nested too deeply or has a number too long", name=str(file)) from error
    document = Document(str(file), file.parent, text, content, places(text), {}, allow_outside)
    return _changed(document, changes)


def _text(file: File) -> str:
    try:
        return contents(file, LARGEST).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise FileError(f"the file is not UTF-8 text (byte {error.start})", name=str(file)) from error


def _syntax_error(file: File, text: str, message: str) -> FileError:
    match = re.fullmatch(r"(.*?) \(at (?:line (\d+), column (\d+)|end of document)\)", message, re.DOTALL)
    lines = text.split("\n")
    reason, line, column = match.groups() if match else (message, None, None)
    line_number = int(line) if line else len(lines)
    column_number = int(column) if column else len(lines[-1]) + 1
    quoted = lines[min(line_number, len(lines)) - 1]
    reason = f"this is not TOML: {reason[:1].lower()}{reason[1:]}"
    return FileError(reason, name=str(file), line=line_number, column=column_number, quoted=quoted)


def _changed(document: Document, changes: Any) -> Document:
    if not isinstance(changes, Mapping) or not all(isinstance(key, str) and key.strip(". ") for key in changes):
        example = '{"k": 2, "solve.features": 900}'
        raise FileError(f"changes are a mapping from names to values, {example}; got {shown(changes)}")
    content, changed = document.content, {}
    for key, value in changes.items():
        path = _path_of(key, content)
        content = _with(content, path, _checked(value, key), key)
        changed[path] = f"{key}={value}"[:200]
    return replace(document, content=content, changed=changed)


def _checked(value: Any, key: str) -> Any:
    """A value that a file could have as well."""
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, str | bool | int | float | list | tuple | dict):
        raise FileError(f"--set {key}: a file has texts, numbers, true and false, lists and tables; got {shown(value)}")
    return list(value) if isinstance(value, tuple) else value


def _path_of(key: str, content: Mapping[str, Any]) -> Path:
    """`solve.features`, or `k` for a parameter of that name, or else an option of solve."""
    if "." in key:
        return tuple(key.split(".", MOST_PARTS))
    parameters = content.get("parameters")
    return ("parameters" if isinstance(parameters, dict) and key in parameters else "solve", key)


def _with(content: dict[str, Any], path: Path, value: Any, key: str) -> dict[str, Any]:
    head, *rest = path
    inner = content.get(str(head), {})
    if rest and not isinstance(inner, dict):
        raise FileError(f"--set {key}: {head} is not a table of the file")
    return {**content, str(head): _with(inner, tuple(rest), value, key) if rest else value}


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return f"the text {value[:60]!r}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        if value != value:
            return "nan, which is no number"
        return f"the number {value:g}" if abs(value) < 1e300 else "a very large number"
    return {"dict": "a table", "list": "a list"}.get(type(value).__name__, f"a {type(value).__name__}")
