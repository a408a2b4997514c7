"""The shapes by name: those here, and those from outside of the package.

A shape is one file: the class says which keys it has in a problem file (`file_keys`), how it is read from these
(`from_file`), and under which tag it is saved (the second argument of `shape`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import sympy as sp

from ..._support.registry import Registry
from ..._support.stored import check_record, store_outside, stored
from ...errors import SettingError, quoted
from ..boundary.curve import Curve
from ..boundary.piece import Piece
from .shape import Shape

S = TypeVar("S", bound=type[Shape])
RESERVED = ("shape", "during")  # keys that the table of a shape may have whatever it is


class Description(Protocol):
    """The table of a problem file that describes a shape: its entries by their keys, each read as what it should be.

    Anything else, and a key that is missing, is refused with its place in the file.
    """

    @property
    def label(self) -> str:
        """The name that the file gives to the shape; empty if none."""

    def __contains__(self, key: str) -> bool:
        """Whether there is such a key."""

    def is_text(self, key: str) -> bool:
        """Whether its value is a text."""

    def is_table(self, key: str) -> bool:
        """Whether its value is a table."""

    def text(self, key: str) -> str:
        """A text."""

    def whole(self, key: str) -> int:
        """A whole number."""

    def number(self, key: str) -> float:
        """A number, or a formula for one."""

    def symbol(self, key: str, default: str) -> sp.Symbol:
        """A name that is not taken."""

    def coordinates(self, key: str = "coordinates") -> list[sp.Symbol]:
        """["x", "y"]."""

    def values(self, key: str) -> dict[sp.Symbol, float]:
        """{ x = 0.5, y = 0.5 }."""

    def intervals(self, key: str) -> dict[sp.Symbol, tuple[float, float]]:
        """{ x = [0, 1], y = [0, 1] }."""

    def points(self, key: str) -> list[list[float]]:
        """[[0, 0], [1, 0], [0, 1]]."""

    def rings(self, key: str) -> list[list[list[float]]]:
        """Lists of points; none if there is no such key."""

    def expression(self, key: str, symbols: Sequence[sp.Symbol]) -> sp.Expr:
        """A formula in some symbols and in what the file has named."""

    def inequality(self, key: str, symbols: Sequence[sp.Symbol]) -> Any:
        """An inequality in some symbols and in what the file has named."""

    def file(self, key: str, endings: Sequence[str]) -> Path:
        """A file that may be read, with one of some endings."""

    def columns(self, key: str, wanted: Mapping[str, Sequence[str]]) -> dict[str, np.ndarray]:
        """{ inside = "in.csv" }: for each key the wanted columns of a file of numbers, side by side."""


def _checked_shape(name: str, given: Any) -> type[Shape]:
    cls: type[Shape] = _derived("shape", given, Shape)
    if "coordinates" not in getattr(cls, "__dataclass_fields__", ()) and not hasattr(cls, "coordinates"):
        raise SettingError(f"A shape needs the field coordinates: tuple[sp.Symbol, ...], which {cls.__name__} has not.")
    taken = {*RESERVED, *(key for other in SHAPES.registered.values() if other is not cls for key in other.file_keys)}
    if clash := {name} & taken or {*cls.file_keys} & {*RESERVED, *SHAPES.registered, name}:
        raise SettingError(f"{min(clash)} has a meaning in the tables of other shapes; take another name.")
    store_outside("shape", name, cls)
    return cls


def _checked_piece(name: str, given: Any) -> type[Piece | Curve]:
    cls: type[Piece | Curve] = _derived("piece", given, (Piece, Curve))
    store_outside("piece", name, cls)
    return cls


def _derived(kind: str, given: Any, bases: Any) -> Any:
    """A class with all methods that one of some bases asks for, whose objects can be saved."""
    names = " or ".join(b.__name__ for b in (bases if isinstance(bases, tuple) else (bases,)))
    if not isinstance(given, type) or not issubclass(given, bases):
        raise SettingError(f"A {kind} is a class derived from fens.geometry.{names}; got {quoted(given)}.")
    if lacking := sorted(getattr(given, "__abstractmethods__", ())):
        raise SettingError(f"A {kind} needs the method {lacking[0]}, which {given.__name__} has not.")
    check_record(f"A {kind}", given)
    return given


SHAPES: Registry[type[Shape]] = Registry("shape", _checked_shape)
PIECES: Registry[type[Piece | Curve]] = Registry("piece", _checked_piece)


def shape(name: str, tag: str) -> Callable[[S], S]:
    """Mark a shape of the package: its name in problem files, and its tag in saved ones."""

    def mark(cls: S) -> S:
        SHAPES.own(name, cls)
        return stored(tag)(cls)

    return mark
