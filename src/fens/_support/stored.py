"""Classes whose objects saved files may hold, each under a tag. What has none is neither written nor built.

A class may get another name, its tag never. One that gets another tag keeps the old ones as aliases: files that have
them are still read.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import TypeVar, get_type_hints

from ..errors import SettingError
from .registry import KINDS, registry

C = TypeVar("C", bound=type)

STORED: dict[str, type] = {}
ALIASES: dict[str, str] = {}  # old tag → tag


def stored(tag: str, *aliases: str) -> Callable[[C], C]:
    """Mark a class of the package: its objects are saved under a tag, and read under old ones as well."""

    def mark(cls: C) -> C:
        for name in (tag, *aliases):
            if name in STORED or name in ALIASES:
                raise ValueError(f"The tag {name} of {cls.__name__} is that of another class already.")
        STORED[tag] = cls
        ALIASES.update(dict.fromkeys(aliases, tag))
        return cls

    return mark


def store_outside(kind: str, name: str, cls: type) -> None:
    """Let files hold objects of a class from outside of the package; no tag of the package's own has a colon."""
    STORED[f"{kind}:{name}"] = cls


def is_outside(tag: str) -> bool:
    """Whether a tag is that of a class from outside."""
    return ":" in tag


def stored_class(tag: str) -> type:
    """The class of a tag; a KeyError if there is none."""
    name = ALIASES.get(tag, tag)
    if name not in STORED:
        _look_further(name)
    return STORED[name]


def all_stored() -> dict[str, type]:
    """All classes of the package that are stored, and those from outside that were registered, by their tags."""
    return STORED


def tag_of(cls: type) -> str | None:
    """The tag of a class, which a package that is installed may offer."""
    if cls not in STORED.values():
        for kind in ("shape", "piece"):
            list(registry(kind).values())
    return next((tag for tag, own in STORED.items() if own is cls), None)


def _look_further(tag: str) -> None:
    kind, colon, name = tag.partition(":")
    if not colon:
        all_stored()
    elif kind in KINDS:
        registry(kind).get(name)  # which looks at entry points


def check_record(what: str, cls: type) -> None:
    """Refuse a class whose objects cannot be written as their fields and made of these again."""
    name = cls.__name__
    if not is_dataclass(cls) or not cls.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        raise SettingError(f"{what} is a frozen dataclass, so as to be saved: put @dataclass(frozen=True) on {name}.")
    wanted = [f.name for f in fields(cls) if f.init]
    if missing := [f for f in wanted if f not in inspect.signature(cls).parameters]:
        raise SettingError(
            f"{what} is made of its fields, so as to be loaded: {name}({', '.join(wanted)}); its __init__ does not "
            f"take {missing[0]}. Leave __init__ to the dataclass, and check fields in __post_init__."
        )
    try:
        get_type_hints(cls)
    except Exception as error:  # an annotation may be any text
        raise SettingError(
            f"The annotations of {name} say what its fields may be in a file, and cannot be understood: {error}."
        ) from error

