"""Implementations by name, of one kind each: those of the package, and those that users add without a fork.

They are added by `fens.register(kind, name, implementation)`, or by an installed package that offers them as entry
points of the group `fens.<kind>s`, in its pyproject.toml:

    [project.entry-points."fens.activations"]
    gaussian = "my_package:Gaussian"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..errors import SettingError, quoted

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}")

# kind → module and name of its registry, imported when it is first needed
KINDS = {
    "activation": "basis.activation:ACTIVATIONS",
    "shape": "geometry.shapes.registry:SHAPES",
    "piece": "geometry.shapes.registry:PIECES",
    "export": "solution.export.formats:EXPORTS",
    "basis": "basis.proposals:PROPOSALS",
    "solver": "lstsq.solvers:SOLVERS",
    "condition": "discretise.functionals:CONDITIONS",
}


def register(kind: str, name: str, implementation: Any) -> None:
    """Add an implementation of your own, which then goes by its name like those of fens: in options, files, commands.

    `kind` is one of: "activation", an object with `name`, `trigonometric` and `derivatives(z, orders)`; "shape", a
    class derived from `fens.geometry.Shape`; "piece", a class of which boundaries of such shapes are made; "export", an
    object with `endings` and `write(solution, path, …)`; "basis", a `fens.basis.Proposal`; "solver", a function from
    the bytes that may be used, and whether rows have noise, to an object with `factorise(rows)`; "condition", an object
    with `rows(region)`. What lacks a method, or has a name that is taken, is refused.
    The page "How to extend it" of the documentation has an example of each.

    A further kind takes one line in `KINDS`, which says where its `Registry` is; that has the function by which
    implementations are checked, `SOLVERS = Registry("solver", checked)`.
    """
    registry(kind).register(name, implementation)


def registry(kind: str) -> Registry[Any]:
    """The table of implementations of a kind."""
    if not isinstance(kind, str) or kind not in KINDS:
        raise SettingError(f"What is registered is one of {', '.join(KINDS)}; got the kind {quoted(kind)}.")
    module, _, name = KINDS[kind].partition(":")
    found: Registry[Any] = getattr(import_module(f"{__package__.partition('.')[0]}.{module}"), name)
    return found


class Registry(Mapping[str, T], Generic[T]):
    """Implementations of a kind by name, in the order in which they came.

    Entry points of installed packages are looked at when a name is missed or all are listed, and never before; one is
    loaded when it is asked for. `checked(name, implementation)` refuses what is no implementation, and returns what is
    kept.
    """

    def __init__(self, kind: str, checked: Callable[[str, Any], T]) -> None:
        self.kind, self._checked = kind, checked
        self._known: dict[str, T] = {}
        self._own: set[str] = set()

    def own(self, name: str, implementation: T) -> T:
        """Add one of the package's own, as it is. No other takes its place."""
        self._known[name] = implementation
        self._own.add(name)
        return implementation

    def register(self, name: str, implementation: Any) -> T:
        """Add one from outside; names that are taken or malformed, and bad implementations, are refused."""
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise SettingError(
                f"The name of a registered {self.kind} has letters, digits and _, the first one a letter, and at most "
                f"60 of them; got {quoted(name)}."
            )
        if name in self._known and not self._again(name, implementation):
            raise SettingError(
                f"There is a registered {self.kind} of the name {name} already, "
                f"{_class_of(self._known[name]).__name__}; take another name."
            )
        self._known[name] = self._checked(name, implementation)
        return self._known[name]

    @property
    def registered(self) -> Mapping[str, T]:
        """Those that are known by now: entry points that nobody has asked for are not."""
        return MappingProxyType(self._known)

    def name_of(self, implementation: Any) -> str | None:
        """The name of what is known by now."""
        return next((name for name, known in self._known.items() if known is implementation), None)

    def __getitem__(self, name: str) -> T:
        if not isinstance(name, str):
            raise KeyError(name)
        return self._known[name] if name in self._known else self._loaded(name)

    def __iter__(self) -> Iterator[str]:
        return iter({**dict.fromkeys(self._known), **dict.fromkeys(self._offered)})

    def __len__(self) -> int:
        return len({*self._known, *self._offered})

    def __repr__(self) -> str:
        return f"<{self.kind}: {', '.join(self._known)}>"

    def _again(self, name: str, implementation: Any) -> bool:
        """Whether it was defined at the same place before: a cell of a notebook may run again."""
        places = [(c.__module__, c.__qualname__) for c in map(_class_of, (self._known[name], implementation))]
        return name not in self._own and places[0] == places[1]

    @cached_property
    def _offered(self) -> dict[str, list[EntryPoint]]:
        """What installed packages offer."""
        from importlib.metadata import entry_points

        found: dict[str, list[EntryPoint]] = {}
        for point in entry_points(group=f"fens.{self.kind}s"):
            same = found.setdefault(point.name, [])
            if point.value not in [p.value for p in same]:  # a package may be listed twice
                same.append(point)
        return found

    def _loaded(self, name: str) -> T:
        if not (offers := self._offered.get(name)):
            raise KeyError(name)
        if len(offers) > 1:
            values = " and ".join(p.value for p in offers)
            raise SettingError(f"Several installed packages offer the {self.kind} {name}: {values}; keep one of them.")
        try:
            implementation = offers[0].load()
        except Exception as error:  # the code of another package may raise anything
            raise SettingError(
                f"The {self.kind} {name} of an installed package, {offers[0].value}, cannot be loaded: "
                f"{type(error).__name__}: {error}."
            ) from error
        return self.register(name, implementation)


def check_has(what: str, implementation: Any, methods: tuple[str, ...]) -> None:
    """Refuse what lacks one of some methods."""
    for method in methods:
        if not callable(getattr(implementation, method, None)):
            raise SettingError(f"{what} needs the method {method}, which {_class_of(implementation).__name__} has not.")


def _class_of(implementation: Any) -> type:
    return implementation if isinstance(implementation, type) else type(implementation)
