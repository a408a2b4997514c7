"""Numbers as users give them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .errors import FensError


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


def rms(values: np.ndarray) -> float:
    """The root mean square, of numbers whose squares may be too large or too small."""
    size = float(np.max(np.abs(values)))
    return size * float(np.sqrt(np.mean(np.abs(values / size) ** 2))) if 0 < size < np.inf else size
