"""Values from entries, of known kinds and no others. Each entry can refer to those before it only."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy as sp
import torch

from .._support.stored import is_outside
from ..basis import ACTIVATIONS
from ..errors import FensError, FileError
from ..problem import Absent, Data, Normal, Opposite, Unknown
from . import formulas
from .encode import DTYPES, NUMBERED
from .registry import Kind

MOST_ENTRIES = 200_000
LARGEST_EXPRESSION = 10**5  # nodes
LARGEST_VALUE = 10**7  # parts of anything else
LONGEST_TEXT = 10**6


def decoded(entries: Any, root: Any, arrays: bytes, kinds: Mapping[str, Kind]) -> Any:
    """The value that entry number `root` stands for."""
    if not isinstance(entries, list) or not all(isinstance(e, list) and e for e in entries):
        raise FileError("the file is malformed: its entries are not a list of lists")
    if len(entries) > MOST_ENTRIES:
        raise FileError(f"the file has more than {MOST_ENTRIES} entries")
    decoder = Decoder(arrays, kinds, _renumbered(entries))
    for entry in entries:
        decoder.add(entry)
    if decoder.taken != len(arrays):
        raise FileError("the file has bytes that belong to none of its arrays")
    return decoder.value(root)


class Decoder:
    """Builds one entry after another."""

    def __init__(self, arrays: bytes, kinds: Mapping[str, Kind], dummies: Mapping[int, int]) -> None:
        self.arrays, self.kinds, self.dummies = arrays, kinds, dummies
        self.built: list[Any] = []
        self.sizes: list[int] = []  # of what has parts, written out in full
        self.taken = 0  # bytes of arrays
        self.builders: dict[str, Callable[..., Any]] = {
            **BUILDERS,
            "array": self._array,
            "dummy": lambda number, *rest: formulas.dummy(self.dummies[number], *rest),
            "data": lambda number, *rest: _data(self.dummies[number], *rest),
        }

    def value(self, given: Any) -> Any:
        """What stands in an entry: a value of JSON's, or a reference to an earlier entry."""
        if not isinstance(given, list):
            if isinstance(given, dict) or (isinstance(given, float) and not math.isfinite(given)):
                raise FileError("the file is malformed: an entry is neither a value nor a reference")
            if isinstance(given, str) and (len(given) > LONGEST_TEXT or not _is_text(given)):
                raise FileError("the file is malformed: a text is too long, or has characters that cannot be shown")
            return given
        if len(given) != 1 or type(given[0]) is not int or not 0 <= given[0] < len(self.built):
            raise FileError("an entry of the file refers to one that is not there")
        return self.built[given[0]]

    def add(self, entry: list[Any]) -> None:
        """Build the next entry."""
        tag, parts = entry[0], [self.value(p) for p in entry[1:]]
        self.sizes.append(self._size(tag, entry))
        try:
            self.built.append(self._build(tag, parts))
        except FileError:
            raise
        except FensError as error:
            raise FileError(str(error).rstrip(".")) from error
        except Exception as error:  # SymPy and NumPy refuse in many ways
            raise FileError(f"an entry of the kind {tag!r:.60} cannot be understood") from error

    def _size(self, tag: Any, entry: list[Any]) -> int:
        """How many parts a value has; of one whose parts are shared these can be more than can ever be seen."""
        size = 1 + sum(self.sizes[p[0]] if isinstance(p, list) else 1 for p in entry[1:])
        most = LARGEST_EXPRESSION if tag in ("node", "function") else LARGEST_VALUE
        if size > most:
            raise FileError(f"the file has a value of more than {most} parts")
        return size if tag != "array" else 1

    def _build(self, tag: Any, parts: list[Any]) -> Any:
        if isinstance(tag, str) and tag in self.builders:
            return self.builders[tag](*parts)
        if not isinstance(tag, str) or tag not in self.kinds:
            raise FileError(_unknown(tag))
        kind = self.kinds[tag]
        if len(parts) != len(kind.fields):
            raise FileError(f"the file has a {tag} of {len(parts)} parts; this version of fens has {len(kind.fields)}")
        return kind.built(dict(zip(kind.fields, parts, strict=True)))

    def _array(self, dtype: str, order: str, offset: int, *shape: int) -> np.ndarray:
        whole = all(type(n) is int and n >= 0 for n in (offset, *shape))
        if dtype not in DTYPES or order not in ("C", "F") or not whole or len(shape) > 8:
            raise FileError("the file is malformed: an array has no type, order or shape that fens writes")
        count = math.prod(shape)
        size = count * np.dtype(dtype).itemsize
        if offset != self.taken or offset + size > len(self.arrays):
            raise FileError("an array of the file is not where it should be: they stand one behind another")
        self.taken += size  # so that no two have bytes in common, and all are no larger than the file
        flat = np.frombuffer(self.arrays, dtype, count, offset)
        return np.array(flat.reshape(shape, order=order), order=order)  # type: ignore[call-overload,no-any-return]


def _unknown(tag: Any) -> str:
    if not isinstance(tag, str) or not is_outside(tag):
        return f"the file has a value of the kind {tag!r:.60}, which this version of fens does not know"
    kind, _, name = tag.partition(":")
    return (
        f"the file has the {kind:.20} {name!r:.60} from outside of fens, which is not registered here; load it after "
        f'fens.register("{kind:.20}", …), or where the package is installed that has it'
    )


def _is_text(given: str) -> bool:
    """Whether a text can be written and shown, which null and halves of characters cannot."""
    return "\0" not in given and (given.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in given))


def _activation(name: Any) -> Any:
    if name not in ACTIVATIONS:
        raise FileError(
            f"the file has features with the activation {name!r:.60}, which is not registered here; load it after "
            'fens.register("activation", …), or where the package is installed that has it'
        )
    return ACTIVATIONS[name]


def _scalar(array: Any) -> Any:
    if not isinstance(array, np.ndarray) or array.ndim:
        raise FileError("the file is malformed: a number is not written as one")
    return array[()]


def _renumbered(entries: list[list[Any]]) -> dict[int, int]:
    """New numbers for dummies, in the order of the old ones."""
    numbers = {e[1] for e in entries if e[0] in NUMBERED and len(e) > 1 and type(e[1]) is int}
    return {old: int(sp.Dummy("new").dummy_index) for old in sorted(numbers)}


def _data(number: int, values: Any, std: Any) -> Data:
    made = Data(values, std)  # which checks them
    if not isinstance(made, Data):
        raise FileError("data of the file are not real numbers")
    renumbered = sp.Dummy.__new__(Data, made.name, number, real=True)
    renumbered.values, renumbered.std = made.values, made.std
    return renumbered  # type: ignore[no-any-return]


def _mapping(*parts: Any) -> dict[Any, Any]:
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _tensor(array: np.ndarray) -> torch.Tensor:
    return torch.as_tensor(array)


def _float(text: str) -> float:
    if text not in ("nan", "inf", "-inf"):
        raise FileError("the file is malformed: a number is not written as one")
    return float(text)


BUILDERS: dict[str, Callable[..., Any]] = {
    "tuple": lambda *parts: parts,
    "list": lambda *parts: list(parts),
    "mapping": _mapping,
    "float": _float,
    "complex": complex,
    "scalar": _scalar,
    "tensor": _tensor,
    "activation": _activation,
    "absent": Absent,
    "constant": formulas.constant,
    "symbol": formulas.symbol,
    "function": formulas.function,
    "handle": formulas.handle,
    "rational": formulas.rational,
    "real": formulas.real,
    "node": formulas.node,
    "normal": Normal,
    "opposite": Opposite,
    "unknown": Unknown,
}
