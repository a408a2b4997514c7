"""Where the keys of a TOML text stand; Python's own reader does not tell."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field

Path = tuple[str | int, ...]

KEY = re.compile(r"[ \t]*(?:(?P<bare>[A-Za-z0-9_-]+)|(?P<quoted>\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'))[ \t]*")
STRING = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL)


@dataclass(frozen=True)
class Place:
    """Where a key begins in the text, and where its value does."""

    key: int
    value: int


def places(text: str) -> dict[Path, Place]:
    """The place of every key and table of a TOML text, which must be a valid one.

    >>> places("[a]\\nb = 1")[("a", "b")]
    Place(key=4, value=8)
    """
    scan = Scan(text)
    while scan.skip_space():
        scan.header() if text[scan.at] == "[" else scan.pair()
    return scan.found


@dataclass
class Scan:
    """One pass over a text."""

    text: str
    at: int = 0
    table: Path = ()
    found: dict[Path, Place] = field(default_factory=dict)
    lengths: dict[Path, int] = field(default_factory=dict)

    def skip_space(self) -> bool:
        """Go to the next key or header; whether there is one."""
        while self.at < len(self.text):
            if self.text[self.at] == "#":
                self.to_end_of_line()
            elif self.text[self.at].isspace():
                self.at += 1
            else:
                return True
        return False

    def to_end_of_line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def header(self) -> None:
        """[a.b] or [[a.b]]."""
        start, several = self.at, self.text.startswith("[[", self.at)
        self.at += 2 if several else 1
        path: Path = ()
        for name in self.keys():
            path = (*path, name)
            if path in self.lengths:
                path = (*path, self.lengths[path])
        if several:
            base = path[:-1] if path and isinstance(path[-1], int) else path
            self.lengths[base] = self.lengths.get(base, -1) + 1
            path = (*base, self.lengths[base])
        self.table = path
        self.found[path] = Place(start, start)
        self.to_end_of_line()

    def pair(self) -> None:
        """key = value."""
        start = self.at
        names = self.keys()
        self.at += 1
        while self.text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1
        self.found[(*self.table, *names)] = Place(start, self.at)
        self.skip_value()

    def keys(self) -> list[str]:
        """The parts of a dotted key."""
        names = []
        while (match := KEY.match(self.text, self.at)) is not None:
            quoted = match["quoted"]
            names.append(next(iter(tomllib.loads(f"{quoted} = 0"))) if quoted else match["bare"])
            self.at = match.end()
            if self.text[self.at : self.at + 1] != ".":
                break
            self.at += 1
        return names

    def skip_value(self) -> None:
        depth = 0
        while self.at < len(self.text):
            match, sign = STRING.match(self.text, self.at), self.text[self.at]
            if match is not None:
                self.at = match.end()
                continue
            if sign == "#":
                self.to_end_of_line()
                continue
            if sign == "\n" and depth == 0:
                return
            depth += (sign in "[{") - (sign in "]}")
            self.at += 1
