"""The options of a solve, checked once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import sympy as sp

from .._support.device import device_of
from .._support.numbers import bytes_of, free, is_whole, real_number
from ..basis import Distribution, activation, check_initialisation
from ..errors import SettingError, listed, quoted
from ..geometry import Clustered, Sampler
from ..lstsq import Automatic, Solver
from ..lstsq.cluster import Cluster, Distributed
from ..problem import LINEARISATIONS, Problem, Unknown
from .scale_grid import ScaleGrid

Scale = float | Sequence[float] | Mapping[sp.Expr, Any] | ScaleGrid | None

ONE_SIZE = 1000  # features of a solve that does not look for their number
MOST_BLOCKS = 100_000  # of a march through time
FIRST_SIZE = 400  # features of one that does, at first
FIRST_SIZE_TO_TOLERANCE = 300  # the same where a tolerance may be met by fewer


@dataclass(frozen=True)
class Settings:
    """Everything a user may choose; None means that `solve` chooses."""

    features: int | Mapping[sp.Expr, int] | None = None
    activation: str = "cos"
    scale: Scale = None
    points: Sampler | None = None
    weights: Any = "balanced"
    initialisation: str = "uniform"
    affine: bool | None = None
    seed: int = 0
    device: str = "cpu"
    nonlinear: str = "newton"
    initial: Any = None
    max_iterations: int = 100
    raise_on_failure: bool = True
    tol: float | None = None
    max_features: int = 3000
    estimate: bool = True
    adapt: bool | None = None
    frequencies: Distribution | None = None
    partition: Any = None
    layers: int = 1
    blocks: int = 1
    memory: int | str | None = None
    cluster: Any = field(default=None, repr=False, compare=False)
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        activation(self.activation)
        if self.affine is not None and not isinstance(self.affine, bool | np.bool_):
            raise SettingError(f"affine must be True, False or None; got {quoted(self.affine)}.")
        if not isinstance(self.nonlinear, str) or self.nonlinear not in LINEARISATIONS:
            raise SettingError(f"nonlinear must be one of {', '.join(LINEARISATIONS)}; got {quoted(self.nonlinear)}.")
        if not isinstance(self.raise_on_failure, bool | np.bool_):
            raise SettingError(f"raise_on_failure must be True or False; got {quoted(self.raise_on_failure)}.")
        if self.adapt is not None and not isinstance(self.adapt, bool | np.bool_):
            raise SettingError(f"adapt must be True, False or None; got {quoted(self.adapt)}.")
        check_initialisation(self.initialisation)
        if self.adapt and (self.scale is not None or self.initialisation != "uniform"):
            raise SettingError("adapt=True chooses frequencies and scale; leave out scale and initialisation.")
        if self.frequencies is not None and not hasattr(self.frequencies, "draw"):
            raise SettingError(
                "frequencies must be a distribution: fens.Isotropic, fens.Oriented, fens.Sparse or fens.Mixture; "
                f"got {quoted(self.frequencies)}."
            )
        if not isinstance(self.estimate, bool | np.bool_):
            raise SettingError(f"estimate must be True or False; got {quoted(self.estimate)}.")
        if not is_whole(self.layers, 1) or self.layers > 2:
            raise SettingError(f"layers, the number of hidden layers, must be 1 or 2; got {quoted(self.layers)}.")
        _check_whole("blocks", self.blocks, 1)
        if self.blocks > MOST_BLOCKS:
            raise SettingError(f"blocks is at most {MOST_BLOCKS}, each a solve of its own; got {quoted(self.blocks)}.")
        if isinstance(self.features, Mapping) and not self.features:
            raise SettingError("The mapping of features is empty; it needs a number for each unknown.")
        for count in self._counts:
            _check_whole("features", count, 1)
        _check_whole("max_features", self.max_features, 1)
        if self.tol is not None:
            self._check_tol()
        _check_whole("max_iterations", self.max_iterations, 1)
        if self.max_seconds is not None:
            message = f"max_seconds must be a positive number; got {quoted(self.max_seconds)}."
            object.__setattr__(self, "max_seconds", seconds := real_number(self.max_seconds, SettingError, message))
            if not seconds > 0:
                raise SettingError(message)
        _check_whole("seed", self.seed, 0)
        if self.points is not None:
            check_sampler(self.points)
        device_of(self.device)
        if self.cluster is not None:
            Cluster.of(self.cluster)
            if device_of(self.device).type != "cpu":
                raise SettingError("cluster and device='cuda' cannot be combined; the workers compute on their CPUs.")
        if self.memory is not None and bytes_of(self.memory) is None:
            raise SettingError(
                "memory must be a number of bytes, at least a million, or a text such as '4 GB'; "
                f"got {quoted(self.memory)}."
            )

    @property
    def options(self) -> dict[str, Any]:
        """The options of `solve` that were not left as they are by default."""
        return {f.name: v for f in fields(self) if not _same(v := getattr(self, f.name), f.default)}

    @property
    def size(self) -> int:
        """How many features a single solve has for each unknown; the largest number if they have their own."""
        return ONE_SIZE if self.features is None else int(max(self._counts))

    def sizes(self, problem: Problem) -> tuple[int, ...]:
        """The number of features of each component of a problem."""
        if not isinstance(self.features, Mapping):
            return tuple(1 if c.is_constant else self.size for c in problem.components)
        for unknown in self.features:
            problem.of(unknown)
        for c in problem.components:
            if c.unknown not in self.features and not c.is_constant:
                raise SettingError(f"The mapping of features has no number for {c.unknown}; it needs all the unknowns.")
        return tuple(1 if c.is_constant else int(self.features[c.unknown]) for c in problem.components)

    @property
    def bytes(self) -> int:
        """How much memory may be used."""
        return free() // 2 if self.memory is None else bytes_of(self.memory) or 0

    def solver(self, problem: Problem) -> Solver:
        """What solves the least squares of a problem."""
        if self.cluster is not None:
            return Distributed(Cluster.of(self.cluster))
        measured = any(c.equation.data for c in problem.conditions)
        return Automatic(self.bytes, exact=measured)

    @property
    def _counts(self) -> tuple[Any, ...]:
        if self.features is None:
            return ()
        return tuple(self.features.values()) if isinstance(self.features, Mapping) else (self.features,)

    @property
    def grows(self) -> bool:
        """Whether the number of features is to be found, for which the error must be estimated."""
        given = isinstance(self.features, Mapping) or (self.features is not None and self.tol is None)
        return self.estimate and not given

    @property
    def first_size(self) -> int:
        """The number of features that growth begins with."""
        if self.features is not None:
            return self.size
        return min(FIRST_SIZE if self.tol is None else FIRST_SIZE_TO_TOLERANCE, self.max_features)

    def _check_tol(self) -> None:
        message = f"tol must be a positive number, the largest error wanted; got {quoted(self.tol)}."
        object.__setattr__(self, "tol", tol := real_number(self.tol, SettingError, message))
        if not 0 < tol < float("inf"):
            raise SettingError(message)
        if not self.estimate:
            raise SettingError("tol needs the error estimate that estimate=False leaves out; give one of the two.")
        if isinstance(self.features, Mapping):
            raise SettingError("tol adds features as needed; give one number of features to begin with, or none.")
        if self.features is not None and self.features > self.max_features:
            raise SettingError(
                f"features, {self.features}, is where a solve to a tolerance begins, and is larger than "
                f"max_features, {self.max_features}; raise max_features."
            )

    @property
    def adapts(self) -> bool | None:
        """Whether frequencies learn from the solution; None where that depends on how well they do without."""
        if self.scale is not None or self.initialisation != "uniform":
            return False
        return False if self.frequencies is not None and self.adapt is None else self.adapt

    @property
    def places_points(self) -> bool:
        """Whether it is ours to choose where the equations are asked to hold."""
        return self.points in (None, Clustered())

    @property
    def sampler(self) -> Sampler:
        """The points asked for, or the default ones."""
        return self.points if self.points is not None else Clustered()

    @property
    def maps_inputs(self) -> bool:
        """Whether inputs go to [−1, 1]^d first: what the non-trigonometric activations need."""
        return not activation(self.activation).trigonometric if self.affine is None else bool(self.affine)

    def cells(self, coordinates: Sequence[sp.Symbol]) -> tuple[int, ...] | None:
        """How many cells there are along each axis, if the domain is to be cut into pieces."""
        if self.partition is None:
            return None
        if isinstance(self.partition, Mapping):
            for x in self.partition:
                if x not in coordinates:
                    known = ", ".join(map(str, coordinates))
                    raise SettingError(f"partition has a number of cells for {quoted(x)}; the coordinates are {known}.")
            counts: Sequence[Any] = [self.partition.get(x, 1) for x in coordinates]
        else:
            counts = _per_axis(self.partition, coordinates, "partition")
        for n in counts:
            _check_whole("partition", n, 1)
        return tuple(int(n) for n in counts)

    def fixed_scale(self, problem: Problem) -> tuple[float, ...] | None:
        """The scale along each axis, for one component after another, if it was given as numbers."""
        coordinates, components = problem.coordinates, problem.components
        if self.scale is None:
            # Xavier's and Kaiming's widths are meant as they are
            return None if self.initialisation == "uniform" else (1.0,) * len(coordinates) * len(components)
        if isinstance(self.scale, ScaleGrid):
            return None
        scales = [self._scale_of(c.unknown, problem) for c in components]
        return tuple(_positive(s) for scale in scales for s in _per_axis(scale, coordinates))

    def _scale_of(self, unknown: sp.Expr, problem: Problem) -> Any:
        if not isinstance(self.scale, Mapping) or not any(u in self.scale for u in problem.unknowns):
            return self.scale
        if unknown not in self.scale and not isinstance(unknown, Unknown):
            raise SettingError(f"The mapping of scales has none for {unknown}; it needs all the unknowns.")
        return self.scale.get(unknown, 1.0)


def _same(one: Any, other: Any) -> bool:
    plain = bool | int | float | str | None
    return one is other or (isinstance(one, plain) and isinstance(other, plain) and one == other)


def check_sampler(points: Any) -> None:
    """Refuse what is not a way to place points."""
    if not hasattr(points, "sample") or isinstance(points, type):
        raise SettingError(f"points must be a fens.Grid, fens.Random or fens.Clustered; got {quoted(points)}.")


def _check_whole(name: str, value: Any, least: int) -> None:
    if not is_whole(value, least):
        kind = "a whole positive number" if least else "a whole number, not negative"
        raise SettingError(f"{name} must be {kind}; got {quoted(value)}.")


def _per_axis(given: Any, coordinates: Sequence[sp.Symbol], name: str = "scale") -> Sequence[Any]:
    d = len(coordinates)
    if isinstance(given, Mapping):
        if set(given) != set(coordinates):
            raise SettingError(
                f"{name} has values for {listed(given)}; "
                f"the coordinates are {', '.join(map(str, coordinates))}."
            )
        return [given[x] for x in coordinates]
    many = isinstance(given, Sequence) and not isinstance(given, str | bytes)
    if many or (isinstance(given, np.ndarray) and given.ndim > 0):
        if len(given) != d:
            raise SettingError(f"{name} has {len(given)} values for {d} coordinates; give one, or one for each.")
        return list(given)
    return [given] * d


def _positive(scale: Any) -> float:
    message = f"scale must be a positive number, one for each coordinate, or a fens.ScaleGrid; got {quoted(scale)}."
    number = real_number(scale, SettingError, message)
    if not (math.isfinite(number) and number > 0):
        raise SettingError(f"scale must be positive and finite; got {number:g}.")
    return number
