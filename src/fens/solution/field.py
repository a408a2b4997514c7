"""A function Σ w_j ∂^α φ_j(x) that can be called and differentiated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp
import torch
from torch import Tensor

from ..domain import Domain
from ..errors import SettingError
from ..features import RandomFeatures
from ..lstsq import product

BLOCK_ENTRIES = 2**22  # features × points evaluated at a time


@dataclass(frozen=True)
class Field:
    """∂^orders of an unknown, as computed. Callable with numbers or arrays, in the order of `arguments`."""

    features: RandomFeatures
    weights: Tensor
    domain: Domain
    arguments: tuple[sp.Symbol, ...]
    orders: tuple[int, ...]

    def __call__(self, *coordinates: Any, outside: str = "nan") -> Any:
        """The value at the given coordinates, which broadcast; a float if all are numbers.

        Outside the domain the value is NaN, or that of the formula if `outside` is `"extrapolate"`.
        """
        if len(coordinates) != len(self.arguments):
            names = ", ".join(map(str, self.arguments))
            raise SettingError(
                f"The solution takes {len(self.arguments)} coordinates, ({names}); got {len(coordinates)}."
            )
        if outside not in ("nan", "extrapolate"):
            raise SettingError(f"outside must be 'nan' or 'extrapolate'; got {outside!r}.")
        arrays = _broadcast(coordinates, self.arguments)
        shape = arrays[0].shape
        by_name = dict(zip(self.arguments, arrays, strict=True))
        points = np.stack([by_name[x].ravel() for x in self.domain.coordinates], axis=1)
        values = self.at(points)
        if outside == "nan":
            values[~self.domain.contains(points)] = np.nan
        return values.reshape(shape) if shape else float(values[0])

    def at(self, points: np.ndarray) -> np.ndarray:
        """The values at points given as rows, in the order of the domain's coordinates, wherever they lie."""
        size = max(1, BLOCK_ENTRIES // len(self.features))
        result = np.empty(len(points))
        for start in range(0, len(points), size):
            block = torch.as_tensor(points[start : start + size], device=self.weights.device)
            matrix = self.features.matrix([(1.0, self.orders)], block)
            result[start : start + size] = product(matrix, self.weights).cpu().numpy()
        return result

    def diff(self, *variables: Any) -> Field:
        """A derivative, in SymPy's notation: `diff(x)`, `diff(x, 2)`, `diff(x, 2, y)`, `diff((x, 2), y)`."""
        orders = list(self.orders)
        for x, n in _variables_and_orders(variables):
            orders[self.domain.axis(x)] += n
        return replace(self, orders=tuple(orders))

    def __repr__(self) -> str:
        pairs = zip(self.domain.coordinates, self.orders, strict=True)
        taken = ", ".join(f"{x}" if n == 1 else f"{x}, {n}" for x, n in pairs if n)
        return f"<derivative ({taken}) of the solution>" if taken else "<value of the solution>"


def _broadcast(coordinates: tuple[Any, ...], names: tuple[sp.Symbol, ...]) -> list[np.ndarray]:
    try:
        arrays = [np.asarray(c, dtype=np.float64) for c in coordinates]
    except (TypeError, ValueError) as error:
        given = ", ".join(type(c).__name__ for c in coordinates)
        raise SettingError(f"The coordinates must be real numbers or arrays of them; got {given}.") from error
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError as error:
        shapes = ", ".join(f"{x}: {a.shape}" for x, a in zip(names, arrays, strict=True))
        raise SettingError(f"The arrays of coordinates must broadcast together; got {shapes}.") from error


def _variables_and_orders(variables: tuple[Any, ...]) -> list[tuple[Any, int]]:
    pairs: list[tuple[Any, int]] = []
    for v in variables:
        if isinstance(v, tuple | list) and len(v) == 2:
            pairs.append((v[0], _order(v[1])))
        elif isinstance(v, int | np.integer | sp.Integer) and pairs:
            pairs[-1] = (pairs[-1][0], _order(v))
        else:
            pairs.append((v, 1))
    if not pairs:
        raise SettingError("diff() takes at least one coordinate, such as diff(x) or diff(x, 2).")
    return pairs


def _order(n: Any) -> int:
    if int(n) != n or n < 0:
        raise SettingError(f"The order of a derivative must be a whole number, not negative; got {n}.")
    return int(n)
