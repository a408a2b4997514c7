"""Whether a value is what an annotation says."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import Any, Union, get_args, get_origin

import numpy as np
import sympy as sp

from ..problem import Absent

LARGEST = 10**300  # a whole number that is a float, too


def matches_annotation(value: Any, hint: Any) -> bool:
    """Whether a value is of a type, as an annotation of a field names it, with all that is inside.

    >>> matches_annotation((1.0, 2), tuple[float, ...]), matches_annotation((1.0, "2"), tuple[float, ...])
    (True, False)
    """
    if hint is Any or hint is object:
        return True
    if hint is None or hint is type(None):
        return value is None
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(matches_annotation(value, h) for h in inner)
    if origin is not None:
        return _contains(value, origin, inner)
    if hint is float:
        number = isinstance(value, float | int | np.floating | np.integer | sp.Number) and not isinstance(value, bool)
        return number and (not isinstance(value, int | sp.Number) or abs(value) <= LARGEST)
    if hint is int:
        return isinstance(value, int | np.integer) and not isinstance(value, bool)
    if hint is bool:
        return isinstance(value, bool | np.bool_)
    if getattr(hint, "_is_protocol", False):
        return isinstance(value, Absent) or all(hasattr(type(value), name) or _is_field(value, name)
                                                for name in _members(hint))
    return isinstance(value, hint)


def _contains(value: Any, origin: Any, inner: tuple[Any, ...]) -> bool:
    if isinstance(value, np.ndarray) and value.ndim and origin in (tuple, Sequence):  # as users give sequences
        return value.dtype.kind in "iuf" and _contains(value.tolist(), origin, inner)
    if origin is tuple:
        if not isinstance(value, tuple | list):
            return False
        if len(inner) == 2 and inner[1] is Ellipsis:
            return all(matches_annotation(v, inner[0]) for v in value)
        return len(value) == len(inner) and all(map(matches_annotation, value, inner))
    if not isinstance(value, origin):
        return False
    if isinstance(value, Mapping):
        return all(matches_annotation(k, inner[0]) and matches_annotation(v, inner[1]) for k, v in value.items())
    return not isinstance(value, Sequence) or all(matches_annotation(v, inner[0]) for v in value)


def _members(protocol: Any) -> set[str]:
    own = {*vars(protocol), *vars(protocol).get("__annotations__", {})}
    return {name for name in own if not name.startswith("_")}


def _is_field(value: Any, name: str) -> bool:
    return name in getattr(type(value), "__dataclass_fields__", {})
