"""The kinds of objects that a file may hold: those of classes with a tag. Others are neither written nor built."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import cache, cached_property
from typing import Any, get_type_hints

from .._support.stored import ALIASES, STORED, all_stored, is_outside, stored, stored_class
from ..basis import Ansatz, AtSpots, Basis, Cell, Gaussian, Plain, Sum, Union
from ..errors import FensError, FileError
from ..geometry import Domain, Points
from ..options.settings import Settings
from ..problem import MOST_EQUATIONS, Component, Condition, Problem
from .annotations import matches_annotation
from .sound import is_sound

Update = Callable[[Mapping[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Kind:
    """A class, the fields that make one of its objects, and how these are put together."""

    cls: type
    fields: tuple[str, ...]
    make: Callable[[Mapping[str, Any]], Any]
    checked: bool = False  # by the annotations of the fields; else `make` does that
    former: tuple[str, ...] = ()  # names of fields that only earlier versions wrote
    updated: Update = dict  # the fields of such a version as those of today

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
        unknown = not matches_annotation(names, list[str]) or not set(names) <= {*self.fields, *self.former}
        if unknown or len(set(names)) < len(names):
            raise FileError(f"the file has a {self.cls.__name__} with parts that this version of fens does not know")
        if set(names) & set(self.former):
            return Kind(self.cls, tuple(names), self._from_former)
        if tuple(names) == self.fields:
            return self
        later = {name: self.defaults.get(name, MISSING) for name in self.fields if name not in names}
        if MISSING in later.values():
            raise FileError(f"the file has a {self.cls.__name__} without parts that this version of fens needs")
        return replace(self, fields=tuple(names), make=lambda values: self.make({**later, **values}))

    def _from_former(self, values: Mapping[str, Any]) -> Any:
        now = self.updated(values)
        return self.written_with(list(now)).built(now)

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
    known = {name: FORMER[name] if name in FORMER else kinds[name] for name in names if name in FORMER or name in kinds}
    return {name: kind.written_with(names[name]) for name, kind in known.items()}


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


# those that are not put together as they were
SPECIAL: Mapping[type, Kind] = {
    stored("Settings")(Settings): Kind(Settings, tuple(f.name for f in fields(Settings)), _settings),
    stored("Problem")(Problem): Kind(Problem, ("domains", "components", "conditions"), _problem),
}


class Kinds(Mapping[str, Kind]):
    """The kinds of all stored classes by their tags, those from outside that are registered among them."""

    def __getitem__(self, tag: str) -> Kind:
        try:
            return _kind(ALIASES.get(tag, tag), stored_class(tag), is_outside(tag))
        except FensError as error:  # an installed package that cannot be loaded
            raise FileError(str(error).rstrip(".")) from error

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(all_stored()))

    def __len__(self) -> int:
        return len(STORED)


@cache
def _kind(tag: str, cls: type, outside: bool) -> Kind:
    if cls in SPECIAL:
        return SPECIAL[cls]
    former, updated = UPDATES.get(tag, ((), dict))
    return Kind.outside(cls) if outside else replace(Kind.of(cls), former=former, updated=updated)


KINDS = Kinds()


def ansaetze_of(given: Any) -> Any:
    """What frequencies were drawn from, as it was once written, as ansätze."""
    if not isinstance(given, tuple | list):
        return given
    return tuple(g if isinstance(g, Ansatz) or not hasattr(g, "draw") else Plain(g) for g in given)


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

def _with_ansaetze(values: Mapping[str, Any]) -> dict[str, Any]:
    """Ansätze in the place of what frequencies were drawn from."""
    once = {"distributions", "frequencies"}
    return {"ansaetze" if k in once else k: ansaetze_of(v) if k in once else v for k, v in values.items()}


def _with_functional(values: Mapping[str, Any]) -> dict[str, Any]:
    """The name of a functional or none, where it was once told apart whether there is one."""
    others = {k: v for k, v in values.items() if k not in ("is_integral", "functional")}
    if not isinstance(values["is_integral"], bool):
        raise FileError("the file has an equation that is neither one of integrals nor without any")
    return {**others, "functional": values.get("functional", "integral") if values["is_integral"] else None}


# fields that had other names or another form once, by the tags of their classes
UPDATES: Mapping[str, tuple[tuple[str, ...], Update]] = {
    "Round": (("distributions",), _with_ansaetze),
    "Solution": (("frequencies",), _with_ansaetze),
    "March": (("frequencies",), _with_ansaetze),
    "Equation": (("is_integral",), _with_functional),
}
