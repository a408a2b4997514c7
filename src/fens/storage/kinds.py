"""The kinds of objects that a file may hold. What is not on this list is neither written nor built."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import cached_property
from typing import Any, get_type_hints

from ..basis import AroundHoles, Family, Hole, Isotropic, Localised, Mixture, Oriented, RandomFeatures, Sparse, Spot
from ..basis.composed import Composed
from ..basis.joined import Joined
from ..basis.layers import Layers
from ..basis.pieces import Bell, Cell, Pieces
from ..discretise.field import ComplexField, Extrapolated, Field
from ..errors import FileError
from ..estimate.assess import Error, Evidence
from ..fit.discrete import Stats
from ..fit.search import Search
from ..geometry import (
    Ball,
    Box,
    Cloud,
    Clustered,
    Combined,
    Cylinder,
    Domain,
    Extruded,
    Grid,
    Implicit,
    Pair,
    Part,
    Patch,
    Points,
    Polygon,
    Random,
    Samples,
    Star,
    Surface,
)
from ..geometry.boundary.curve import Arc, Oval, Segment
from ..geometry.boundary.piece import Sliced
from ..geometry.boundary.point_set import Given, Table
from ..geometry.boundary.trace import Level
from ..geometry.shapes.ball import Sphere
from ..geometry.shapes.combination import Trimmed
from ..geometry.shapes.implicit import Shell
from ..geometry.shapes.shape import Inside
from ..geometry.shapes.star import Polar
from ..geometry.shapes.surface import Triangles
from ..nonlinear import State
from ..options import ScaleGrid
from ..options.settings import Settings
from ..problem import MOST_EQUATIONS, Component, Condition, Equation, Jet, Problem
from ..strategy.adapt import Round
from .fits import fits
from .sound import is_sound


@dataclass(frozen=True)
class Kind:
    """A class, the fields that make one of its objects, and how these are put together."""

    cls: type
    fields: tuple[str, ...]
    make: Callable[[Mapping[str, Any]], Any]
    checked: bool = False  # by the annotations of the fields; else `make` does that

    @classmethod
    def of(cls, own: type) -> Kind:
        """A frozen dataclass. Its objects are put together as they were: no check, and no work, is done again."""
        assert is_dataclass(own)
        names = tuple(f.name for f in fields(own))

        def make(values: Mapping[str, Any]) -> Any:
            made = object.__new__(own)
            for name, value in values.items():
                object.__setattr__(made, name, value)
            return made

        return cls(own, names, make, checked=True)

    @cached_property
    def hints(self) -> dict[str, Any]:
        """What the fields may be."""
        return get_type_hints(self.cls) if self.checked else {}

    def built(self, values: Mapping[str, Any]) -> Any:
        """An object, if its fields are what they should be."""
        for name, value in values.items():
            if not fits(value, self.hints.get(name, Any)):
                raise FileError(f"the {name} of a {self.cls.__name__} in the file is a {type(value).__name__}")
        made = self.make(values)
        if not is_sound(made):
            raise FileError(f"the parts of a {self.cls.__name__} in the file do not belong together")
        return made

    def written_with(self, names: Any) -> Kind:
        """The kind as it was when a file was written: of fields that came later it has the default."""
        if not fits(names, list[str]) or not set(names) <= set(self.fields) or len(set(names)) < len(names):
            raise FileError(f"the file has a {self.cls.__name__} with parts that this version of fens does not know")
        if tuple(names) == self.fields:
            return self
        later = {name: self.defaults.get(name, MISSING) for name in self.fields if name not in names}
        if MISSING in later.values():
            raise FileError(f"the file has a {self.cls.__name__} without parts that this version of fens needs")
        return replace(self, fields=tuple(names), make=lambda values: self.make({**later, **values}))

    @property
    def defaults(self) -> dict[str, Any]:
        """What fields are by default."""
        return {
            f.name: f.default if f.default_factory is MISSING else f.default_factory()
            for f in (fields(self.cls) if is_dataclass(self.cls) else ())
        }


def written(names: Any, kinds: Mapping[str, Kind]) -> dict[str, Kind]:
    """The kinds with the fields that a file says they have; of others it has none."""
    if not isinstance(names, dict):
        raise FileError("the kinds of the file are none")
    return {name: kinds[name].written_with(own) for name, own in names.items() if name in kinds}


def kinds_of(classes: Iterable[type]) -> dict[str, Kind]:
    """Kinds by the names of their classes."""
    return {c.__name__: Kind.of(c) for c in classes}


def _problem(values: Mapping[str, Any]) -> Problem:
    wanted = {"domains": tuple[Domain, ...], "components": tuple[Component, ...], "conditions": tuple[Condition, ...]}
    if not all(fits(values[name], hint) and values[name] for name, hint in wanted.items()):
        raise FileError("the problem in the file is not one")
    if len(values["conditions"]) > 2 * MOST_EQUATIONS:  # a complex one is two
        raise FileError(f"the problem in the file has more than {MOST_EQUATIONS} equations")
    problem = Problem.of_conditions(**values)
    x = problem.coordinates
    regions = {c.region.domain for c in problem.conditions} - {None}
    jets = [jet for c in problem.conditions for jet, _ in c.equation.jets]
    agree = (
        all(d.coordinates == x for d in (*problem.domains, *regions, *(c.domain for c in problem.components)))
        and all(j.unknown < len(problem.components) and len(j.orders) == len(x) for j in jets)
        and all(set(c.region.arrays) == set(x) for c in problem.conditions if isinstance(c.region, Points))
    )
    if not agree:
        raise FileError("the parts of the problem in the file do not belong together")
    return problem


def _settings(values: Mapping[str, Any]) -> Settings:
    """Options as they were given, checked as they were then; a device may be another machine's."""
    Settings(**{**values, "device": "cpu"})
    made: Settings = Kind.of(Settings).make(values)
    return made


SHAPES = (Ball, Box, Cloud, Combined, Cylinder, Implicit, Polygon, Star, Surface)
REGIONS = (Pair, Part, Points, Samples)
PIECES = (Arc, Extruded, Given, Inside, Patch, Shell, Sliced, Sphere, Triangles, Trimmed)
CURVES = (Level, Oval, Polar, Segment, Table)
SAMPLERS = (Clustered, Grid, Random)
FEATURES = (Bell, Cell, Composed, Family, Joined, Layers, Pieces, RandomFeatures)
DISTRIBUTIONS = (AroundHoles, Hole, Isotropic, Localised, Mixture, Oriented, Sparse, Spot)
EQUATIONS = (Component, Condition, Equation, Jet)
RESULTS = (ComplexField, Error, Evidence, Extrapolated, Field, Round, ScaleGrid, Search, State, Stats)

KINDS: Mapping[str, Kind] = {
    **kinds_of((*SHAPES, *REGIONS, *PIECES, *CURVES, *SAMPLERS, *FEATURES, *DISTRIBUTIONS, *EQUATIONS, *RESULTS)),
    "Settings": Kind(Settings, tuple(f.name for f in fields(Settings)), _settings),
    "Problem": Kind(Problem, ("domains", "components", "conditions"), _problem),
}
