"""A solution in blocks of time, as one function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from .._support.stored import stored
from ..discretise.field import ComplexField
from ..errors import SettingError
from ..fit.search import Search
from ..geometry import Cylinder, Region, Samples
from ..problem import Unknown
from .solution import Solution


@dataclass(frozen=True)
class BlockField:
    """A derivative of an unknown, as computed block by block; callable as a `Field`."""

    blocks: tuple[Any, ...]
    domain: Cylinder

    @property
    def arguments(self) -> tuple[sp.Symbol, ...]:
        """The coordinates in the order in which it takes them."""
        first = self.blocks[0]
        return (first.real if isinstance(first, ComplexField) else first).arguments

    def __call__(self, *coordinates: Any, outside: str = "nan") -> Any:
        """The value at the given coordinates, as that of a `Field`."""
        arrays = np.broadcast_arrays(*(np.asarray(c, dtype=np.float64) for c in coordinates))
        when = arrays[self.arguments.index(self.domain.time)]
        number = self._block(when)
        values = np.full(when.shape, np.nan, dtype=np.result_type(self._at_least, np.float64))
        for k, block in enumerate(self.blocks):
            here = number == k
            if here.any():
                values[here] = block(*(a[here] for a in arrays), outside=outside)
        return values if values.shape else values[()].item()

    def at(self, points: np.ndarray) -> np.ndarray:
        """The values at points given as rows."""
        number = self._block(points[:, -1])
        values = np.zeros(len(points), dtype=np.result_type(self._at_least, np.float64))
        for k, block in enumerate(self.blocks):
            values[number == k] = block.at(points[number == k])
        return values

    def diff(self, *variables: Any) -> BlockField:
        """A derivative, in SymPy's notation."""
        return replace(self, blocks=tuple(b.diff(*variables) for b in self.blocks))

    def near(self, place: Any) -> Any:
        """That of a block is with the block."""
        raise SettingError("A solution in blocks has places in each of them; take solution.blocks[k].near(place).")

    @property
    def _at_least(self) -> type:
        return complex if isinstance(self.blocks[0], ComplexField) else float

    def _block(self, times: np.ndarray) -> np.ndarray:
        inner = [b.domain.end for b in self.blocks[:-1]]
        return np.searchsorted(inner, times)


@stored("March")
@dataclass(frozen=True, repr=False, eq=False)
class PiecewiseSolution(Solution):
    """A solution in blocks of time, each with features of its own; `blocks` are their solutions."""

    blocks: tuple[Solution, ...] = ()

    @cached_property
    def functions(self) -> dict[sp.Expr, Any]:
        """Each unknown: a function to call, or a number, which is that of the last block."""
        return self._marked({
            u: self.blocks[-1][u]
            if isinstance(u, Unknown)
            else BlockField(tuple(b[u] for b in self.blocks), self.problem.domain)
            for u in self.problem.unknowns
        })

    @property
    def _searches(self) -> tuple[Search | None, ...]:
        return tuple(b.search for b in self.blocks)

    @property
    def _samples(self) -> tuple[Mapping[Region, Samples], ...]:
        return tuple(b.samples for b in self.blocks)

    def residual(self, region: Region, points: Any = None) -> np.ndarray:
        """That of a block is with the block."""
        raise SettingError("A solution in blocks has residuals in each of them; take those of solution.blocks[k].")
