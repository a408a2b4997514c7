"""Checks of options: from a name and a value to the value that is kept, or a sentence that refuses it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
import sympy as sp

from .._support.device import device_of
from .._support.numbers import bytes_of, is_whole, items, real_number
from ..basis import Corner, activation, check_initialisation, place_of
from ..errors import SettingError, quoted
from ..lstsq.cluster import Cluster

Check = Callable[[str, Any], Any]

MOST_PLACES = 100  # that are given as corners
MOST_TIMES = 100_000  # that are kept


def anything(name: str, value: Any) -> Any:
    """Nothing is refused; what it may be depends on the problem."""
    return value


def one_of(known: Collection[str]) -> Check:
    """One of some names, of a table that may grow."""

    def check(name: str, value: Any) -> Any:
        if not isinstance(value, str) or value not in known:
            raise SettingError(f"{name} must be one of {', '.join(known)}; got {quoted(value)}.")
        return value

    return check


def switch(name: str, value: Any) -> Any:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        raise SettingError(f"{name} must be True or False; got {quoted(value)}.")
    return value


def switch_or_none(name: str, value: Any) -> Any:
    """True or False, where None has been let pass."""
    if not isinstance(value, bool | np.bool_):
        raise SettingError(f"{name} must be True, False or None; got {quoted(value)}.")
    return value


def positive_whole(name: str, value: Any) -> Any:
    """1, 2, 3, …"""
    if not is_whole(value, 1):
        raise SettingError(f"{name} must be a whole positive number; got {quoted(value)}.")
    return value


def whole(name: str, value: Any) -> Any:
    """0, 1, 2, …"""
    if not is_whole(value, 0):
        raise SettingError(f"{name} must be a whole number, not negative; got {quoted(value)}.")
    return value


def at_most(most: int, why: str) -> Check:
    """1, 2, 3, … up to a number."""

    def check(name: str, value: Any) -> Any:
        if positive_whole(name, value) > most:
            raise SettingError(f"{name} is at most {most}, {why}; got {quoted(value)}.")
        return value

    return check


def positive(what: str = "", finite: bool = False) -> Check:
    """A positive number, kept as a float."""

    def check(name: str, value: Any) -> float:
        message = f"{name} must be a positive number{what}; got {quoted(value)}."
        number = real_number(value, SettingError, message)
        if not number > 0 or (finite and number == math.inf):
            raise SettingError(message)
        return number

    return check


def counts(name: str, value: Any) -> Any:
    """A whole positive number, or a mapping from unknowns to such."""
    if not isinstance(value, Mapping):
        return positive_whole(name, value)
    if not value:
        raise SettingError(f"The mapping of {name} is empty; it needs a number for each unknown.")
    for count in value.values():
        positive_whole(name, count)
    return value


def layers(name: str, value: Any) -> Any:
    """1 or 2."""
    if not is_whole(value, 1) or value > 2:
        raise SettingError(f"{name}, the number of hidden layers, must be 1 or 2; got {quoted(value)}.")
    return value


def distribution(name: str, value: Any) -> Any:
    """Something to draw frequencies from."""
    if not hasattr(value, "draw"):
        raise SettingError(
            f"{name} must be a distribution: fens.Isotropic, fens.Oriented, fens.Sparse or fens.Mixture; "
            f"got {quoted(value)}."
        )
    return value


def sampler(name: str, value: Any) -> Any:
    """A way to place points."""
    check_sampler(value)
    return value


def check_sampler(points: Any) -> None:
    """Refuse what is not a way to place points."""
    if not hasattr(points, "sample") or isinstance(points, type):
        raise SettingError(f"points must be a fens.Grid, fens.Random or fens.Clustered; got {quoted(points)}.")


def places(name: str, value: Any) -> Any:
    """Corners or points, kept as the places where they are."""
    given = items(value, MOST_PLACES)
    if isinstance(value, Corner) or given is None:
        what = f"a list of corners, [fens.Corner((0, 1))], at most {MOST_PLACES}"
        raise SettingError(f"{name} must be {what}; got {quoted(value)}.")
    return tuple(map(place_of, given))


def event(name: str, value: Any) -> Any:
    """An expression, or an inequality of two."""
    inequality = isinstance(value, sp.StrictGreaterThan | sp.GreaterThan | sp.StrictLessThan | sp.LessThan)
    if not inequality and not isinstance(value, sp.Expr):
        raise SettingError(f"{name} must be an expression, as u - 1, or an inequality, as u > 1; got {quoted(value)}.")
    return value


def times(name: str, value: Any) -> Any:
    """Some times, kept as a tuple in their order."""
    message = f"{name} must be a list of times, at most {MOST_TIMES}; got {quoted(value)}."
    given = items(value, MOST_TIMES)
    if not given:
        raise SettingError(message)
    found = [real_number(t, SettingError, message) for t in given]
    if any(t != t for t in found):
        raise SettingError(message)
    return tuple(sorted(found))


def amount(name: str, value: Any) -> Any:
    """An amount of memory."""
    if bytes_of(value) is None:
        raise SettingError(
            f"{name} must be a number of bytes, at least a million, or a text such as '4 GB'; got {quoted(value)}."
        )
    return value


def known_activation(name: str, value: Any) -> Any:
    """The name of an activation."""
    activation(value)
    return value


def known_initialisation(name: str, value: Any) -> Any:
    """The name of a distribution of W and b."""
    check_initialisation(value)
    return value


def device(name: str, value: Any) -> Any:
    """The name of a device that there is."""
    device_of(value)
    return value


def client(name: str, value: Any) -> Any:
    """A connection to a cluster that has workers."""
    Cluster.of(value)
    return value
