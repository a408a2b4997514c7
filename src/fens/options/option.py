"""What is known of an option, and how functions that take options come by their documentation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from inspect import cleandoc, signature
from textwrap import fill, indent
from typing import Any, TypeVar

from .checks import Check, anything
from .readers import Reader

F = TypeVar("F", bound=Callable[..., Any])
WIDTH = 112  # of a line of documentation


@dataclass(frozen=True)
class Option:
    """One option of `solve`, which goes by the name of the field that it is kept in.

    `text` describes it, for the documentation. `check` gives the value that is kept or refuses it; None, where that is
    the default, passes unchecked. `read` takes it from a problem file; None if a file cannot have it.
    """

    default: Any
    text: str
    check: Check = anything
    read: Reader | None = None

    def checked(self, name: str, value: Any) -> Any:
        """The value to keep."""
        return value if value is None and self.default is None else self.check(name, value)


def option(
    default: Any, text: str, *, check: Check = anything, read: Reader | None = None, compare: bool = True
) -> Any:
    """A field of a dataclass that is an option; not part of its repr if it is not compared either."""
    known = Option(default, text, check, read)
    return field(default=default, repr=compare, compare=compare, metadata={"option": known})


def options_of(table: Any) -> dict[str, Option]:
    """The options of a dataclass, by name."""
    return {f.name: f.metadata["option"] for f in fields(table)}


def describe(known: Mapping[str, Option], **own: str) -> Callable[[F], F]:
    """Put a section on its parameters behind the docstring of a function: with `own` texts, or those of the options."""

    def described(function: F) -> F:
        texts = {**{name: option.text for name, option in known.items()}, **own}
        entries = [f"{name}\n{indent(_filled(texts[name]), '    ')}" for name in signature(function).parameters]
        if function.__doc__ is not None:  # as it is where Python leaves out docstrings
            section = ["Parameters", "----------", *entries]
            function.__doc__ = "\n".join([cleandoc(function.__doc__), "", *section, ""])
        return function

    return described


def _filled(text: str) -> str:
    return fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)
