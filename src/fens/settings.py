"""The options of a solve, checked once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
import torch

from .domain import Clustered, Sampler
from .errors import SettingError
from .features import activation
from .numbers import is_whole, real_number
from .problem import LINEARISATIONS
from .scale import ScaleGrid

Scale = float | Sequence[float] | Mapping[sp.Symbol, float] | ScaleGrid | None

ONE_SIZE = 1000  # features of a solve that does not look for their number
FIRST_SIZE = 400  # features of one that does, at first


@dataclass(frozen=True)
class Settings:
    """Everything a user may choose; None means that `solve` chooses."""

    features: int | None
    activation: str
    scale: Scale
    points: Sampler | None
    weights: Any
    initialisation: str
    affine: bool | None
    seed: int
    device: str
    nonlinear: str = "newton"
    initial: Any = None
    max_iterations: int = 100
    raise_on_failure: bool = True
    tol: float | None = None
    max_features: int = 3000
    estimate: bool = True
    adapt: bool | None = None

    def __post_init__(self) -> None:
        activation(self.activation)
        if self.affine is not None and not isinstance(self.affine, bool | np.bool_):
            raise SettingError(f"affine must be True, False or None; got {self.affine!r}.")
        if not isinstance(self.nonlinear, str) or self.nonlinear not in LINEARISATIONS:
            raise SettingError(f"nonlinear must be one of {', '.join(LINEARISATIONS)}; got {self.nonlinear!r}.")
        if not isinstance(self.raise_on_failure, bool | np.bool_):
            raise SettingError(f"raise_on_failure must be True or False; got {self.raise_on_failure!r}.")
        if self.adapt is not None and not isinstance(self.adapt, bool | np.bool_):
            raise SettingError(f"adapt must be True, False or None; got {self.adapt!r}.")
        if self.adapt and (self.scale is not None or self.initialisation != "uniform"):
            raise SettingError("adapt=True chooses frequencies and scale; leave out scale and initialisation.")
        if not isinstance(self.estimate, bool | np.bool_):
            raise SettingError(f"estimate must be True or False; got {self.estimate!r}.")
        if self.features is not None:
            _check_whole("features", self.features, 1)
        _check_whole("max_features", self.max_features, 1)
        if self.tol is not None:
            self._check_tol()
        _check_whole("max_iterations", self.max_iterations, 1)
        _check_whole("seed", self.seed, 0)
        if self.points is not None:
            check_sampler(self.points)
        _check_device(self.device)

    @property
    def size(self) -> int:
        """How many features a single solve has."""
        return ONE_SIZE if self.features is None else int(self.features)

    @property
    def grows(self) -> bool:
        """Whether the number of features is to be found, for which the error must be estimated."""
        return self.estimate and (self.features is None or self.tol is not None)

    @property
    def first_size(self) -> int:
        """The number of features that growth begins with."""
        return min(FIRST_SIZE, self.max_features) if self.features is None else int(self.features)

    def _check_tol(self) -> None:
        message = f"tol must be a positive number, the largest error wanted; got {self.tol!r}."
        if not 0 < real_number(self.tol, SettingError, message) < float("inf"):
            raise SettingError(message)
        if not self.estimate:
            raise SettingError("tol needs the error estimate that estimate=False leaves out; give one of the two.")
        if self.features is not None and self.features > self.max_features:
            raise SettingError(
                f"features, {self.features}, is where a solve to a tolerance begins, and is larger than "
                f"max_features, {self.max_features}; raise max_features."
            )

    @property
    def adapts(self) -> bool | None:
        """Whether frequencies learn from the solution; None where that depends on how well they do without."""
        return self.adapt if self.scale is None and self.initialisation == "uniform" else False

    @property
    def sampler(self) -> Sampler:
        """The points asked for, or the default ones."""
        return self.points if self.points is not None else Clustered()

    @property
    def maps_inputs(self) -> bool:
        """Whether inputs go to [−1, 1]^d first: what the non-trigonometric activations need."""
        return not activation(self.activation).trigonometric if self.affine is None else bool(self.affine)

    def fixed_scale(self, coordinates: Sequence[sp.Symbol]) -> tuple[float, ...] | None:
        """The scale along each axis, if it was given as numbers."""
        d = len(coordinates)
        if self.scale is None:
            # Xavier's and Kaiming's widths are meant as they are
            return None if self.initialisation == "uniform" else (1.0,) * d
        if isinstance(self.scale, ScaleGrid):
            return None
        return tuple(_positive(s) for s in _per_axis(self.scale, coordinates))


def check_sampler(points: Any) -> None:
    """Refuse what is not a way to place points."""
    if not hasattr(points, "sample") or isinstance(points, type):
        raise SettingError(f"points must be a fens.Grid, fens.Random or fens.Clustered; got {points!r}.")


def _check_whole(name: str, value: Any, least: int) -> None:
    if not is_whole(value, least):
        kind = "a whole positive number" if least else "a whole number, not negative"
        raise SettingError(f"{name} must be {kind}; got {value!r}.")


def _per_axis(scale: Any, coordinates: Sequence[sp.Symbol]) -> Sequence[Any]:
    d = len(coordinates)
    if isinstance(scale, Mapping):
        if set(scale) != set(coordinates):
            raise SettingError(
                f"scale has values for {', '.join(map(str, scale))}; "
                f"the coordinates are {', '.join(map(str, coordinates))}."
            )
        return [scale[x] for x in coordinates]
    if isinstance(scale, Sequence | np.ndarray) and not isinstance(scale, str | bytes) and np.ndim(scale) > 0:
        if len(scale) != d:
            raise SettingError(f"scale has {len(scale)} values for {d} coordinates; give one, or one for each.")
        return list(scale)
    return [scale] * d


def _positive(scale: Any) -> float:
    message = f"scale must be a positive number, one for each coordinate, or a fens.ScaleGrid; got {scale!r}."
    number = real_number(scale, SettingError, message)
    if not (math.isfinite(number) and number > 0):
        raise SettingError(f"scale must be positive and finite; got {number:g}.")
    return number


def _check_device(device: str) -> None:
    try:
        kind = torch.device(device).type
    except (RuntimeError, TypeError) as error:
        raise SettingError(f"device must be 'cpu' or 'cuda'; got {device!r}.") from error
    if kind == "mps":
        raise SettingError("device 'mps' has no float64, which fens computes in; use 'cpu'.")
    if kind not in ("cpu", "cuda"):
        raise SettingError(f"device must be 'cpu' or 'cuda'; got {device!r}.")
    if kind == "cuda" and not torch.cuda.is_available():
        raise SettingError("device 'cuda' was asked for, but PyTorch sees no CUDA device here; use 'cpu'.")
