"""Kinds of conditions that are not a row for each point: from a region to points, and a matrix from values to rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from .._support.registry import Registry, check_has
from .._support.steering import Discretisation
from ..errors import SettingError
from ..geometry import Region, Samples, graded_rule

Place = tuple[float, ...]


class Functional(Protocol):
    """What an equation with `fens.functional(name, …)` asks for on its region."""

    def rows(self, region: Region) -> tuple[Samples, np.ndarray]:
        """Points of the region, and T with a row for each condition and a column for each point."""
        ...


class Integral:
    """The integral over the region: one row of quadrature weights."""

    def rows(self, region: Region, singular: Sequence[Place] = ()) -> tuple[Samples, np.ndarray]:
        """The points and weights of a rule, denser towards places where integrands are singular."""
        samples, weights = _rule(region, _along(Discretisation.RULE, region), singular)
        return samples, weights[None, :]


def _rule(region: Region, n: int, singular: Sequence[Place]) -> tuple[Samples, np.ndarray]:
    """About n points along each direction; towards singular places there are more."""
    if not singular:
        return region.rule(n)
    return graded_rule(region, max(int(Discretisation.RULE_LEAST), n // 2), singular)


def finer_rules(region: Region, singular: Sequence[Place] = ()) -> list[tuple[Samples, np.ndarray]]:
    """Rules for the same integral with more points, the last with many; where there are none, some of its own."""
    own, others = _along(Discretisation.RULE, region), []
    usual = _rule(region, own, singular)
    for n in (round(Discretisation.FINER * own), _along(Discretisation.FINEST, region)):
        samples, weights = _rule(region, n, singular)
        if len(samples) != len(usual[0]):
            others.append((samples, weights))
    if not others and len(usual[0]) > 1:  # random points, as many whatever one asks for: every other of them
        half = np.arange(0, len(usual[0]), 2)
        weights = usual[1][half]
        others.append((usual[0].only(half), weights * (usual[1].sum() / weights.sum())))
    return others


def _along(count: int, region: Region) -> int:
    """How many points along a direction make about as many in all, and a few along each at least."""
    dimension = max((len(p.ends) for p in region.patches), default=1)
    along: float = count ** (1 / max(1, dimension))
    return max(int(Discretisation.RULE_LEAST), round(along))


def _checked(name: str, given: Any) -> Functional:
    check_has(f"The condition {name}", given, ("rows",))
    found: Functional = given() if isinstance(given, type) else given
    return found


CONDITIONS: Registry[Functional] = Registry("condition", _checked)
CONDITIONS.own("integral", Integral())


def rows_of(name: str, region: Region, singular: Sequence[Place] = ()) -> tuple[Samples, np.ndarray]:
    """The points and the matrix of a functional on a region, checked where it may be a user's; the unknowns may have
    singular places in the plane, which rules for integrals resolve.
    """
    if name not in CONDITIONS:
        raise SettingError(f"There is no condition of the name {name}; fens.register(\"condition\", …) adds one.")
    own = CONDITIONS[name]
    samples, T = own.rows(region, singular) if isinstance(own, Integral) else own.rows(region)
    T = np.asarray(T, dtype=np.float64)
    if not isinstance(samples, Samples) or T.ndim != 2 or T.shape[1] != len(samples) or not np.isfinite(T).all():
        raise SettingError(
            f"The condition {name} must give samples and a matrix of finite numbers with a column for each of them; "
            f"got {type(samples).__name__} and an array of shape {T.shape}."
        )
    return samples, T
