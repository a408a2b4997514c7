"""The kinds of objects that a file may hold. What is not on this list is neither written nor built."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from typing import Any, get_type_hints

from ..basis import (
    Ansatz,
    AroundHoles,
    AtSpots,
    Basis,
    Cell,
    Composed,
    Gaussian,
    Hole,
    InCells,
    Isotropic,
    Layers,
    Mixture,
    Number,
    Oriented,
    Plain,
    RandomFeatures,
    Sparse,
    Spot,
    Sum,
    TrialSpace,
    TwoLayers,
    Union,
    Windowed,
)
from ..discretise.field import ComplexField, Extrapolated, Field
from ..errors import FileError
from ..estimate.assess import Error, Evidence
from ..fit.search import Search
from ..fit.stats import Round, Stats
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
from .annotations import matches_annotation
from .sound import is_sound


@dataclass(frozen=True)
class Kind:
    """A class, the fields that make one of its objects, and how these are put together."""

    cls: type
    fields: tuple[str, ...]
    make: Callable[[Mapping[str, Any]], Any]
    checked: bool = False  # by the annotations of the fields; else `make` does that
    renamed: Mapping[str, tuple[str, Callable[[Any], Any]]] = field(default_factory=dict)  # by their former names

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
            if not matches_annotation(value, self.hints.get(name, Any)):
                raise FileError(f"the {name} of a {self.cls.__name__} in the file is a {type(value).__name__}")
        made = self.make(values)
        if not is_sound(made):
            raise FileError(f"the parts of a {self.cls.__name__} in the file do not belong together")
        return made

    def written_with(self, names: Any) -> Kind:
        """The kind as it was when a file was written: of fields that came later it has the default."""
        if self.renamed and matches_annotation(names, list[str]) and set(names) & set(self.renamed):
            return self._once(names)
        unknown = not matches_annotation(names, list[str]) or not set(names) <= set(self.fields)
        if unknown or len(set(names)) < len(names):
            raise FileError(f"the file has a {self.cls.__name__} with parts that this version of fens does not know")
        if tuple(names) == self.fields:
            return self
        later = {name: self.defaults.get(name, MISSING) for name in self.fields if name not in names}
        if MISSING in later.values():
            raise FileError(f"the file has a {self.cls.__name__} without parts that this version of fens needs")
        return replace(self, fields=tuple(names), make=lambda values: self.make({**later, **values}))

    def _once(self, names: Sequence[str]) -> Kind:
        """The kind with some of its fields under the names that they once had."""
        new = {name: self.renamed.get(name, (name, lambda value: value)) for name in names}
        now = self.written_with([name for name, _ in new.values()])
        return Kind(
            self.cls, tuple(names), lambda values: now.built({new[k][0]: new[k][1](v) for k, v in values.items()})
        )

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
        raise FileError("the file is malformed: its kinds are not a table")
    known = {**FORMER, **kinds}
    return {name: known[name].written_with(own) for name, own in names.items() if name in known}


def kinds_of(tags: Mapping[str, type]) -> dict[str, Kind]:
    """Kinds by the tags of their classes."""
    return {tag: Kind.of(c) for tag, c in tags.items()}


def ansaetze_of(given: Any) -> Any:
    """What frequencies were drawn from, as it was once written, as ansätze."""
    if not isinstance(given, tuple | list):
        return given
    return tuple(g if isinstance(g, Ansatz) or not hasattr(g, "draw") else Plain(g) for g in given)


def _problem(values: Mapping[str, Any]) -> Problem:
    wanted = {"domains": tuple[Domain, ...], "components": tuple[Component, ...], "conditions": tuple[Condition, ...]}
    if not all(matches_annotation(values[name], hint) and values[name] for name, hint in wanted.items()):
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


# tags in files, and what they stand for: a class may get another name, a tag never
TAGS: Mapping[str, type] = {
    # shapes
    "Ball": Ball,
    "Box": Box,
    "Cloud": Cloud,
    "Combined": Combined,
    "Cylinder": Cylinder,
    "Implicit": Implicit,
    "Polygon": Polygon,
    "Star": Star,
    "Surface": Surface,
    # regions
    "Pair": Pair,
    "Part": Part,
    "Points": Points,
    "Samples": Samples,
    # pieces
    "Arc": Arc,
    "Extruded": Extruded,
    "Given": Given,
    "Inside": Inside,
    "Patch": Patch,
    "Shell": Shell,
    "Sliced": Sliced,
    "Sphere": Sphere,
    "Triangles": Triangles,
    "Trimmed": Trimmed,
    # curves
    "Level": Level,
    "Oval": Oval,
    "Polar": Polar,
    "Segment": Segment,
    "Table": Table,
    # samplers
    "Clustered": Clustered,
    "Grid": Grid,
    "Random": Random,
    # features
    "Bell": Gaussian,
    "Cell": Cell,
    "Composed": Composed,
    "Family": TrialSpace,
    "Joined": Union,
    "Layers": Layers,
    "Windowed": Windowed,
    "RandomFeatures": RandomFeatures,
    # distributions
    "Plain": Plain,
    "Number": Number,
    "Sum": Sum,
    "TwoLayers": TwoLayers,
    "InCells": InCells,
    "AtSpots": AtSpots,
    "HoleFunctions": AroundHoles,
    "Hole": Hole,
    "Isotropic": Isotropic,
    "Mixture": Mixture,
    "Oriented": Oriented,
    "Sparse": Sparse,
    "Spot": Spot,
    # equations
    "Component": Component,
    "Condition": Condition,
    "Equation": Equation,
    "Jet": Jet,
    # results
    "ComplexField": ComplexField,
    "Error": Error,
    "Evidence": Evidence,
    "Extrapolated": Extrapolated,
    "Field": Field,
    "Round": Round,
    "ScaleGrid": ScaleGrid,
    "Search": Search,
    "State": State,
    "Stats": Stats,
}

KINDS: Mapping[str, Kind] = {
    **kinds_of(TAGS),
    "Round": replace(Kind.of(Round), renamed={"distributions": ("ansaetze", ansaetze_of)}),
    "Settings": Kind(Settings, tuple(f.name for f in fields(Settings)), _settings),
    "Problem": Kind(Problem, ("domains", "components", "conditions"), _problem),
}


def _pieces(values: Mapping[str, Any]) -> Union:
    """Bases under windows, which once had a class of their own."""
    members, windows = values["members"], values["cells"]
    if not matches_annotation((members, windows), tuple[tuple[Basis, ...], tuple[Cell | Gaussian, ...]]):
        raise FileError("the pieces in the file are none")
    made = [KINDS["Windowed"].built({"plain": m, "window": w}) for m, w in zip(members, windows, strict=True)]
    found: Union = KINDS["Joined"].built({"members": tuple(made)})
    return found


def _around_holes(values: Mapping[str, Any]) -> Sum:
    """Functions around holes, which were once written with what stands next to them."""
    share, (base,) = values["share"], ansaetze_of((values["base"],))
    holes = KINDS["HoleFunctions"].built({"holes": values["holes"], "inner": Plain()})
    found: Sum = KINDS["Sum"].built({"terms": ((1 - share, base), (share, holes))})
    return found


def _at_spots(values: Mapping[str, Any]) -> AtSpots:
    (base,) = ansaetze_of((values["base"],))
    found: AtSpots = KINDS["AtSpots"].built({"places": values["spots"], "share": values["share"], "inner": base})
    return found


# tags that only earlier versions wrote
FORMER: Mapping[str, Kind] = {
    "Pieces": Kind(Union, ("members", "cells"), _pieces),
    "AroundHoles": Kind(Sum, ("holes", "share", "base"), _around_holes),
    "Localised": Kind(AtSpots, ("spots", "share", "base"), _at_spots),
}
