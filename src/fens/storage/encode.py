"""A value as a flat list of entries, each of which refers to others before it by their numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp
import torch

from .._support.device import to_host
from .._support.stored import tag_of
from ..basis import ACTIVATIONS
from ..errors import SettingError, quoted
from ..geometry import Curve, Piece, Shape
from ..problem import Absent
from .formulas import parts_of
from .registry import Kind

DTYPES = ("<f8", "<i8", "|b1", "<c16")
LARGEST_INTEGER = 2**4000
LENIENT = ("Equation", "Settings")  # a solution is one without these; not so without a formula of its shape
NUMBERED = ("dummy", "data")  # whose second part tells one from another of the same name


class Encoder:
    """Collects entries, such as ["tuple", 1, [7]] for the tuple of 1 and what entry number 7 stands for.

    What is the same object when it is written is one entry, and so the same object when it is read.
    """

    def __init__(self, kinds: Mapping[str, Kind]) -> None:
        self.entries: list[list[Any]] = []
        self.arrays: list[bytes] = []
        self._kinds, self._names = kinds, {kind.cls: name for name, kind in kinds.items()}
        self._known: dict[Any, list[int]] = {}
        self._alive: list[Any] = []  # else the identity of one object could become that of another
        self._size = 0
        self._lenient = False

    def value(self, value: Any) -> Any:
        """What stands for a value in an entry: itself, if JSON has it, or the number of an entry in a list."""
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, int) and abs(value) < LARGEST_INTEGER:
            return int(value)
        if isinstance(value, float) and not isinstance(value, np.generic) and math.isfinite(value):
            return float(value)
        key = value if isinstance(value, sp.Basic) else id(value)
        if key not in self._known:
            entry = self._entry(value)
            self.entries.append(entry)
            self._alive.append(value)
            self._known[key] = [len(self.entries) - 1]
        return self._known[key]

    def _entry(self, value: Any) -> list[Any]:
        if isinstance(value, float) and not isinstance(value, np.generic):
            return ["float", str(float(value))]
        if isinstance(value, complex) and not isinstance(value, np.generic):
            return ["complex", self.value(value.real), self.value(value.imag)]
        if isinstance(value, tuple | list):
            return ["list" if isinstance(value, list) else "tuple", *map(self.value, value)]
        if isinstance(value, Mapping):
            return ["mapping", *(self.value(part) for pair in value.items() for part in pair)]
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, np.generic):
            return ["scalar", self.value(np.asarray(value))]
        if isinstance(value, torch.Tensor):
            return ["tensor", self.value(to_host(value))]
        if isinstance(value, sp.Basic):
            tag, *parts = parts_of(value, self._lenient)
            return [tag, *map(self.value, parts)]
        return self._object(value)

    def _array(self, array: np.ndarray) -> list[Any]:
        columns_first = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
        plain = np.asarray(array, dtype=array.dtype.newbyteorder("<"))
        if plain.dtype.str not in DTYPES:
            raise SettingError(f"An array of {array.dtype} cannot be saved; fens has float64, int64, bool and complex.")
        content = plain.tobytes(order="F" if columns_first else "C")
        self.arrays.append(content)
        self._size += len(content)
        order = "F" if columns_first else "C"
        return ["array", plain.dtype.str, order, self._size - len(content), *array.shape]

    def _fields(self, value: Any, name: str) -> list[Any]:
        before, self._lenient = self._lenient, self._lenient or name in LENIENT
        entry = [name, *(self.value(getattr(value, f)) for f in self._kinds[name].fields)]
        self._lenient = before
        return entry

    def _object(self, value: Any) -> list[Any]:
        if type(value) in self._names:
            name = self._names[type(value)]
            return self._fields(value, name)
        if (known := ACTIVATIONS.name_of(value)) is not None:
            return ["activation", known]
        if isinstance(value, Absent):
            return ["absent", value.name]
        if callable(value) or hasattr(value, "sample") or hasattr(value, "draw"):  # code, which a file cannot hold
            return ["absent", Absent.of(value).name]
        if (tag := tag_of(type(value))) is not None:  # of a package whose entry points nobody had asked for
            return self._fields(value, tag)
        raise SettingError(f"A {type(value).__name__} cannot be saved: {quoted(value)}.{_remedy(value)}")


def _remedy(value: Any) -> str:
    kind = "shape" if isinstance(value, Shape) else "piece" if isinstance(value, Piece | Curve) else ""
    cls = type(value).__name__
    return f' Register its class: fens.register("{kind}", "{cls.lower()}", {cls}).' if kind else ""


def renumbered(entries: list[list[Any]]) -> list[list[Any]]:
    """The entries with dummies counted from 0 on, in their order, so that equal values are equal bytes."""
    numbers = sorted({e[1] for e in entries if e[0] in NUMBERED})
    places = {number: k for k, number in enumerate(numbers)}
    return [[e[0], places[e[1]], *e[2:]] if e[0] in NUMBERED else e for e in entries]
