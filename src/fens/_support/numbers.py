"""Numbers as users give them."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
import psutil

from ..errors import FensError

LEAST_MEMORY = 1_000_000  # bytes
ENTRY = 8  # bytes of a number
EPS = float(np.finfo(np.float64).eps)
FEW = 10**6  # numbers for which there is always room
DETACH = "Gradients do not pass through it: detach the tensor first."


def real_array(value: Any, error: type[FensError], message: str) -> np.ndarray:
    """An array of float64; text, complex numbers and anything else that is not real raise the error.

    So do masked values and tensors that are part of a gradient: an array would lose what matters of them.
    """
    try:
        if (reason := _reason_against(value)) is not None:
            raise error(f"{message} {reason}")
        array = np.asarray(value)
        if array.dtype.kind == "O" and all(map(_may_be_number, array.flat)):
            array = array.astype(np.float64)  # SymPy's numbers, and Python's large integers
        if array.dtype.kind not in "iuf":
            raise error(message)
        return array.astype(np.float64)
    except FensError:
        raise
    except Exception as cause:  # an object may raise anything when it is asked for its numbers
        raise error(message) from cause


def _may_be_number(value: Any) -> bool:
    """Whether it is worth a try; SymPy tries for long to make a number of an expression with symbols."""
    return not (value is None or isinstance(value, str | complex) or getattr(value, "free_symbols", None))


def _reason_against(value: Any) -> str | None:
    """Why not to make an array of something, found before anything is allocated."""
    if getattr(value, "requires_grad", False) is True:
        return DETACH
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        return "Some of them are masked."
    shape = getattr(value, "shape", None) or (len(value) if isinstance(value, Sequence) else 0,)
    count = math.prod(map(int, shape))
    if count <= FEW or ENTRY * count <= free():
        return None
    return f"There are {about(count)} of them, more than fit into memory."


def real_number(value: Any, error: type[FensError], message: str) -> float:
    """A float; the same for one number. It may be infinite or NaN."""
    try:
        array = real_array(value, error, message)
    except FensError as refused:
        if isinstance(refused.__cause__, OverflowError) and np.ndim(value) == 0:  # beyond the range of floating point
            return math.inf if value > 0 else -math.inf
        raise
    if array.ndim:
        raise error(message)
    return float(array)


def items(value: Any, most: int = FEW) -> tuple[Any, ...] | None:
    """What is in a list or array that a user gave; None for a text, for what has no items, and for more than `most`."""
    if isinstance(value, str | bytes):
        return None
    try:
        found = tuple(islice(value, most + 1))
    except Exception:  # an object may raise anything when it is asked for its items, and an array of no axes does
        return None
    return found if len(found) <= most else None


def free() -> int:
    """Bytes of memory that are free."""
    return int(psutil.virtual_memory().available)


def is_whole(value: Any, least: int) -> bool:
    """Whether a value is a whole number, not below `least`."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)
    return whole and int(value) >= least


def bytes_of(value: Any) -> int | None:
    """An amount of memory, given as a number of bytes or a text such as "4 GB"; None if it is none."""
    if isinstance(value, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([KMGT]?)(i?)B\s*", value, re.IGNORECASE)
        if not found:
            return None
        power = " KMGT".index(found[2].upper() or " ")
        value = float(found[1]) * (1024 if found[3] else 1000) ** power
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return None
    return int(value) if LEAST_MEMORY <= value < math.inf else None


def about(count: int) -> str:
    """A number of points or the like as a text, also where it is beyond floating point."""
    return f"{float(min(count, 10**300)):.1e}"


def shown(size: int) -> str:
    """An amount of memory as a text."""
    if size < 2**30:
        return f"{size / 2**20:.1f} MiB"
    return f"{size / 2**30:.1f} GiB" if size < 2**80 else "far too many GiB"


def geometric_mean(lengths: Sequence[float]) -> float:
    """Of positive numbers, by their logarithms where their product, as of hundreds of them, is out of range."""
    product = math.prod(lengths)
    if sys.float_info.min <= product < math.inf:
        return float(product ** (1 / len(lengths)))
    return math.exp(math.fsum(map(math.log, lengths)) / len(lengths))


def rms(values: np.ndarray) -> float:
    """The root mean square, of numbers whose squares may be too large or too small."""
    size = float(np.max(np.abs(values)))
    return size * float(np.sqrt(np.mean(np.abs(values / size) ** 2))) if 0 < size < np.inf else size
