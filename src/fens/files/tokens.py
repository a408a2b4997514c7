"""An expression cut into numbers, names and signs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from ..errors import FileError

LONGEST = 5000  # characters of one expression
LONGEST_NUMBER = 40
LONGEST_NAME = 40

TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/^(),=<>])"
)
HINTS = {
    ".": "a file has no attributes or methods; a number is written 0.5",
    "[": "indices are not known here",
    "{": "braces are not known here; take round brackets",
    "'": "derivatives are written diff(u, x)",
    "·": "a product is written with *",
    "×": "a product is written with *",
    "−": "this is a typographic minus; write -",
    "%": "there is no remainder",
    "&": "only shapes are combined with &",
}


@dataclass(frozen=True)
class Token:
    """A piece of an expression: its kind (number, name, sign or end), its text, and where it begins."""

    kind: str
    text: str
    at: int


def refuse(text: str, at: int, reason: str) -> NoReturn:
    """Raise the error that points at a place in a text."""
    before = text[:at]
    line, start = before.count("\n"), before.rfind("\n") + 1
    raise FileError(reason, line=line + 1, column=at - start + 1, quoted=text.split("\n")[line])


def tokens(text: str) -> list[Token]:
    """The pieces of an expression, and an end.

    >>> [t.text for t in tokens("2*diff(u, x)")]
    ['2', '*', 'diff', '(', 'u', ',', 'x', ')', '']
    """
    if len(text) > LONGEST:
        raise FileError(f"the expression has {len(text)} characters, and {LONGEST} are the most; name parts of it")
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            hint = HINTS.get(text[at], "")
            refuse(text, at, f"the character {text[at]!r} has no meaning here{hint and ': ' + hint}")
        token = Token(str(match.lastgroup), match.group(), at)
        _check(token, text)
        found += [token] if token.kind != "space" else []
        at = match.end()
    return [*found, Token("end", "", len(text))]


def _check(token: Token, text: str) -> None:
    if token.kind == "name" and token.text.startswith("_"):
        refuse(text, token.at, f"the name {token.text[:LONGEST_NAME]!r} begins with an underscore, which no name does")
    if token.kind == "name" and len(token.text) > LONGEST_NAME:
        refuse(text, token.at, f"the name is longer than {LONGEST_NAME} characters")
    if token.kind == "number" and len(token.text) > LONGEST_NUMBER:
        refuse(text, token.at, f"the number has more than {LONGEST_NUMBER} digits")
