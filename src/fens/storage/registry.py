"""The kinds of objects that a file may hold: those of classes with a tag. Others are neither written nor built."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import cache, cached_property
from typing import Any, get_type_hints

from .._support.stored import STORED, all_stored, is_outside, stored, stored_class
from ..basis import AroundHoles, Family, Hole, Isotropic, Localised, Mixture, Oriented, RandomFeatures, Sparse, Spot
from ..basis.composed import Composed
from ..basis.joined import Joined
from ..basis.layers import Layers
from ..basis.pieces import Bell, Cell, Pieces
from ..errors import FensError, FileError
from ..geometry import Domain, Points
from ..options.settings import Settings
from ..problem import MOST_EQUATIONS, Component, Condition, Problem
from .annotations import matches_annotation
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

    @classmethod
    def outside(cls, own: type) -> Kind:
        """A class from outside of the package: its objects are made by its constructor, with all checks of that."""
        return cls(own, tuple(f.name for f in fields(own) if f.init), lambda values: own(**values), checked=True)

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
        unknown = not matches_annotation(names, list[str]) or not set(names) <= set(self.fields)
        if unknown or len(set(names)) < len(names):
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


# tags of features and distributions; those of all other classes stand beside these, as @stored("Box")
TAGS: Mapping[str, type] = {
    # features
    "Bell": Bell,
    "Cell": Cell,
    "Composed": Composed,
    "Family": Family,
    "Joined": Joined,
    "Layers": Layers,
    "Pieces": Pieces,
    "RandomFeatures": RandomFeatures,
    # distributions
    "AroundHoles": AroundHoles,
    "Hole": Hole,
    "Isotropic": Isotropic,
    "Localised": Localised,
    "Mixture": Mixture,
    "Oriented": Oriented,
    "Sparse": Sparse,
    "Spot": Spot,
}
for _tag, _class in TAGS.items():
    stored(_tag)(_class)

# those that are not put together as they were
SPECIAL: Mapping[type, Kind] = {
    stored("Settings")(Settings): Kind(Settings, tuple(f.name for f in fields(Settings)), _settings),
    stored("Problem")(Problem): Kind(Problem, ("domains", "components", "conditions"), _problem),
}


class Kinds(Mapping[str, Kind]):
    """The kinds of all stored classes by their tags, those from outside that are registered among them."""

    def __getitem__(self, tag: str) -> Kind:
        try:
            return _kind(stored_class(tag), is_outside(tag))
        except FensError as error:  # an installed package that cannot be loaded
            raise FileError(str(error).rstrip(".")) from error

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(all_stored()))

    def __len__(self) -> int:
        return len(STORED)


@cache
def _kind(cls: type, outside: bool) -> Kind:
    return SPECIAL[cls] if cls in SPECIAL else Kind.outside(cls) if outside else Kind.of(cls)


KINDS = Kinds()
