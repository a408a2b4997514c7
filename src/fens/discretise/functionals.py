"""Kinds of conditions that are not a row for each point: from a region to points, and a matrix from values to rows."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from .._support.registry import Registry, check_has
from .._support.steering import Discretisation
from ..errors import SettingError
from ..geometry import Region, Samples


class Functional(Protocol):
    """What an equation with `fens.functional(name, …)` asks for on its region."""

    def rows(self, region: Region) -> tuple[Samples, np.ndarray]:
        """Points of the region, and T with a row for each condition and a column for each point."""
        ...


class Integral:
    """The integral over the region: one row of quadrature weights."""

    def rows(self, region: Region) -> tuple[Samples, np.ndarray]:
        """The points and weights of a rule."""
        samples, weights = region.rule(Discretisation.RULE)
        return samples, weights[None, :]


def _checked(name: str, given: Any) -> Functional:
    check_has(f"The condition {name}", given, ("rows",))
    found: Functional = given() if isinstance(given, type) else given
    return found


CONDITIONS: Registry[Functional] = Registry("condition", _checked)
CONDITIONS.own("integral", Integral())


def rows_of(name: str, region: Region) -> tuple[Samples, np.ndarray]:
    """The points and the matrix of a functional on a region, checked where it may be a user's."""
    if name not in CONDITIONS:
        raise SettingError(f"There is no condition of the name {name}; fens.register(\"condition\", …) adds one.")
    samples, T = CONDITIONS[name].rows(region)
    T = np.asarray(T, dtype=np.float64)
    if not isinstance(samples, Samples) or T.ndim != 2 or T.shape[1] != len(samples) or not np.isfinite(T).all():
        raise SettingError(
            f"The condition {name} must give samples and a matrix of finite numbers with a column for each of them; "
            f"got {type(samples).__name__} and an array of shape {T.shape}."
        )
    return samples, T
