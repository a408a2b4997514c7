"""The options of a solve, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import sympy as sp

from .._support.numbers import bytes_of, free, real_number
from .._support.steering import Sizes
from ..basis import activation
from ..discretise import check_weights
from ..errors import SettingError, concerning, listed, quoted
from ..geometry import Clustered, Graded, Sampler, Sector, on_boundary
from ..lstsq import SOLVERS, Solver
from ..lstsq.cluster import Cluster, Distributed
from ..problem import Problem, Unknown
from .checks import check_sampler, positive_whole
from .scale_grid import ScaleGrid
from .table import OPTIONS, Options, Scale

# options that say nothing of the functions that a solution is made of
LIMITS = {
    "continuing", "device", "estimate", "keep", "max_features", "max_iterations", "max_seconds", "memory",
    "raise_on_failure", "seed", "tol", "until",
}  # fmt: skip

__all__ = ["Scale", "Settings", "check_sampler"]



@dataclass(frozen=True, kw_only=True)
class Settings(Options):
    """The options of a solve, and what follows from them."""

    @classmethod
    def among(cls, names: Mapping[str, Any], **more: Any) -> Settings:
        """The options among the arguments of a function, `locals()`, and further ones."""
        return cls(**{name: names[name] for name in OPTIONS if name in names}, **more)

    def check_for(self, problem: Problem) -> None:
        """Refuse what does not go with a problem, before anything is solved."""
        with concerning("weights"):
            check_weights(self.weights, problem)
        self.sizes(problem)
        self.fixed_scale(problem)
        self.cells(problem.coordinates)
        self.check_corners(problem)
        self.check_evolution(problem)

    def check_evolution(self, problem: Problem) -> None:
        """Refuse what is said of an evolution beside features that are those of all times."""
        for name in ("until", "continuing", "keep"):
            others = sorted(set(self.options) - LIMITS)
            if getattr(self, name) is not None and others:
                with concerning(name):
                    raise SettingError(
                        f"{name} follows an evolution in slabs of time that are chosen by themselves; leave out "
                        f"{', '.join(others)}, or {name}."
                    )

    @concerning("corners")
    def check_corners(self, problem: Problem) -> None:
        """Refuse corners that are not on a boundary in the plane, or at which there could be no functions."""
        if not self.corners:
            return
        if len(problem.coordinates) != 2:
            names = ", ".join(map(str, problem.coordinates))
            raise SettingError(f"corners are places in the plane; the problem has the coordinates {names}.")
        if self.adapts is False or self.scale is not None or not self.places_points:
            raise SettingError(
                "corners need functions and points of their own, which points=, scale=, initialisation=, frequencies= "
                "and adapt=False leave no room for; leave out corners or these."
            )
        for place in self.corners:
            if not any(on_boundary(domain, place) for domain in problem.domains):
                where, names = ", ".join(f"{v:g}" for v in place), " and ".join(d.name for d in problem.domains)
                raise SettingError(f"A corner is a place on the boundary; ({where}) is none of {names}.")

    @property
    def options(self) -> dict[str, Any]:
        """The options of `solve` that were not left as they are by default."""
        return {f.name: v for f in fields(self) if not _same(v := getattr(self, f.name), f.default)}

    @property
    def size(self) -> int:
        """How many features a single solve has for each unknown; the largest number if they have their own."""
        return Sizes.ONE_SIZE if self.features is None else int(max(self._counts))

    @concerning("features")
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

    def solver_for(self, problem: Problem) -> Solver:
        """What solves the least squares of a problem."""
        if self.cluster is not None:
            return Distributed(Cluster.of(self.cluster))
        measured = any(c.equation.data for c in problem.conditions)
        return SOLVERS[self.solver](self.bytes, measured)

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
    def leaves_features(self) -> bool:
        """Whether nothing is said of features and points but limits, so that other functions serve, too."""
        return set(self.options) <= LIMITS

    @property
    def first_size(self) -> int:
        """The number of features that growth begins with."""
        if self.features is not None:
            return self.size
        return min(Sizes.FIRST_SIZE if self.tol is None else Sizes.FIRST_SIZE_TO_TOLERANCE, self.max_features)

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
    def singular_places(self) -> tuple[tuple[float, ...], ...]:
        """Corners in the plane towards which points are graded, as are rules for integrals."""
        sectors = self.points.sectors if isinstance(self.points, Graded) else ()
        return tuple(dict.fromkeys(s.place for s in sectors if isinstance(s, Sector)))

    @property
    def held_out_sampler(self) -> Sampler:
        """Points of our own choice, which no fit uses: fewer, and graded if those of the fit are."""
        return self.points.thinned(1.0) if isinstance(self.points, Graded) else Clustered(rows=1.0)

    @property
    def maps_inputs(self) -> bool:
        """Whether inputs go to [−1, 1]^d first: what the non-trigonometric activations need."""
        return not activation(self.activation).trigonometric if self.affine is None else bool(self.affine)

    @concerning("partition")
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
            positive_whole("partition", n)
        return tuple(int(n) for n in counts)

    @concerning("scale")
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
