"""What a rough solution suggests for the next trial space: a table in which each kind of basis proposes itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .._support.registry import Registry
from ..errors import SettingError, quoted
from .ansatz import Ansatz
from .sites import Sites


@dataclass(frozen=True)
class Rough:
    """What is known of an unknown before its space is final: its sites, and derivatives of a rough solution.

    Nothing of it is computed before a proposal asks for it. `sites` are those that `find_sites()` finds, once;
    `slopes()` has a row for each of some points and a column for each axis, in units of the features' coordinates;
    `bends()` the root mean squares of all second derivatives, in the same units, as a symmetric matrix; `residual` is
    the held-out residual of the rough solution, below which nothing of it is to be believed.
    """

    dimension: int
    find_sites: Callable[[], Sites]
    slopes: Callable[[], np.ndarray]
    bends: Callable[[], np.ndarray]
    residual: float

    @cached_property
    def sites(self) -> Sites:
        """The places of its domain at which solutions are seldom smooth."""
        return self.find_sites()


@dataclass(frozen=True)
class Proposal:
    """A way to a better ansatz: a function of the last one and what is known, None if it has nothing to propose.

    A `special` one has functions of its own, for which the scale of the others means nothing, and which are worth a
    trial wherever its sites are and the residual is not at round-off.
    """

    propose: Callable[[Ansatz, Rough], Ansatz | None]
    special: bool = False


def _checked(name: str, given: Any) -> Proposal:
    if not isinstance(given, Proposal):
        raise SettingError(
            f"The basis {name} must be a fens.basis.Proposal, of a function from the last ansatz and what is known to "
            f"another ansatz or None; got {quoted(given)}."
        )
    return given


PROPOSALS: Registry[Proposal] = Registry("basis", _checked)
