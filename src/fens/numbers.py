"""Numbers as users give them."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from .errors import FensError

LEAST_MEMORY = 1_000_000  # bytes


def real_array(value: Any, error: type[FensError], message: str) -> np.ndarray:
    """An array of float64; text, complex numbers and anything else that is not real raise the error."""
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O" and not any(v is None or isinstance(v, str | complex) for v in array.flat):
            array = array.astype(np.float64)  # SymPy's numbers, and Python's large integers
    except (TypeError, ValueError, OverflowError) as cause:
        raise error(message) from cause
    if array.dtype.kind not in "iuf":
        raise error(message)
    return array.astype(np.float64)


def real_number(value: Any, error: type[FensError], message: str) -> float:
    """A float; the same for one number. It may be infinite or NaN."""
    if isinstance(value, bool | str | bytes):
        raise error(message)
    try:
        return float(value)
    except (TypeError, ValueError) as cause:
        raise error(message) from cause
    except OverflowError:
        return math.inf


def is_whole(value: Any, least: int) -> bool:
    """Whether a value is a whole number, not below `least`."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= least


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


def rms(values: np.ndarray) -> float:
    """The root mean square, of numbers whose squares may be too large or too small."""
    size = float(np.max(np.abs(values)))
    return size * float(np.sqrt(np.mean(np.abs(values / size) ** 2))) if 0 < size < np.inf else size
