"""The formats in which solutions are written, by name: those here, and those from outside of the package.

`fens export --to NAME`, the section [output] of problem files and `solution.export(path)` all go by this table. What
an export may be told (`points`, `units`, `title`) is what its `write` takes.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ..._support.disk import as_path
from ..._support.registry import Registry, check_has
from ...errors import FileError, SettingError, quoted

TOLD = ("points", "units", "title")  # what files and commands can tell an export
KEYS = {"fens": "save", "csv": "table", "nc": "netcdf", "html": "report"}  # in [output], if not the names of formats
ELSEWHERE = ("fens", "picture")  # what `fens solve --save` and `fens plot` write, and `fens export` does not


class Export(Protocol):
    """A format: how the names of its files end, and how a solution is written to one."""

    @property
    def endings(self) -> tuple[str, ...]:
        """(".json",); the first is the usual one."""

    @property
    def write(self) -> Callable[..., Iterable[str | Path] | None]:
        """write(solution, path, points=None, …) gives the files that it wrote, or nothing if that is `path` alone."""


@dataclass(frozen=True)
class Format:
    """One of the package's own."""

    endings: tuple[str, ...]
    write: Callable[..., Iterable[str | Path] | None]


def options_of(export: Export) -> tuple[str, ...]:
    """What an export can be told."""
    return tuple(inspect.signature(export.write).parameters)[2:]


def write(name: str, solution: Any, path: str | Path, options: Mapping[str, Any]) -> list[Path]:
    """Write a solution in the format of a name; the files written."""
    if not isinstance(name, str) or name not in EXPORTS:
        raise SettingError(f"The format of an export is one of {', '.join(EXPORTS)}; got {quoted(name)}.")
    export, target = EXPORTS[name], as_path(path)
    check_ending(target, export)
    if unknown := [o for o in options if o not in options_of(export)]:
        known = ", ".join(options_of(export)) or "nothing else"
        raise SettingError(f"The export {name} takes {known}; got {unknown[0]}.")
    written = export.write(solution, target, **options)
    return [target] if written is None else [Path(p) for p in written]


def check_ending(path: Path, export: Export) -> None:
    """Refuse a name that does not end as those of a format do."""
    if path.suffix.lower() not in export.endings:
        raise FileError(f"the name of the file must end in {' or '.join(export.endings)}; got {path.name!r:.200}")


def name_by_ending(path: str | Path) -> str:
    """The first of the formats whose files end as a name does; those of installed packages come last."""
    ending = as_path(path).suffix.lower()
    for formats in (EXPORTS.registered, EXPORTS):
        for name, export in formats.items():
            if ending in export.endings:
                return name
    endings = ", ".join(e for export in EXPORTS.values() for e in export.endings)
    raise FileError(f"the name of an export ends in {endings}, which tells its format; got {str(path)!r:.200}")


def sections() -> dict[str, str]:
    """The keys of [output], and the format of each."""
    return {KEYS.get(name, name): name for name in EXPORTS}


def _checked(name: str, given: Any) -> Export:
    """A format from outside."""
    if isinstance(given, type):
        raise SettingError(f"An export is an object, {given.__name__}(); got the class {given.__name__}.")
    check_has("An export", given, ("write",))
    if name in ("grid", *KEYS.values()):
        raise SettingError(f"{name} has a meaning in the section [output] of problem files; take another name.")
    endings = getattr(given, "endings", None)
    if not isinstance(endings, tuple) or not endings or not all(map(_is_ending, endings)):
        raise SettingError(f'An export has endings of files in small letters, (".json",); got {quoted(endings)}.')
    try:
        parameters = list(inspect.signature(given.write).parameters.values())
    except (TypeError, ValueError):  # of what is not written in Python
        parameters = []
    if len(parameters) < 2 or any(p.default is p.empty and p.name not in TOLD for p in parameters[2:]):
        raise SettingError(
            f"An export is called as write(solution, path), with {', '.join(TOLD)} if it takes them and others by "
            f"default; got write({', '.join(map(str, parameters))})."
        )
    export: Export = given
    return export


def _is_ending(text: Any) -> bool:
    return isinstance(text, str) and re.fullmatch(r"\.[a-z0-9_]{1,20}", text) is not None


def _csv(solution: Any, path: Path, points: Any = None) -> None:
    solution.to_csv(path, points)


def _vtk(solution: Any, path: Path, points: Any = None) -> list[Path]:
    return list(solution.to_vtk(path, points))


def _netcdf(solution: Any, path: Path, points: Any = None, units: Any = None) -> None:
    solution.to_netcdf(path, points, units)


def _html(solution: Any, path: Path, title: str = "") -> None:
    solution.report(path, title)


def _saved(solution: Any, path: Path) -> None:
    solution.save(path)


def _picture(solution: Any, path: Path) -> None:
    solution.plot(str(path))


EXPORTS: Registry[Export] = Registry("export", _checked)
EXPORTS.own("fens", Format((".fens",), _saved))
EXPORTS.own("csv", Format((".csv",), _csv))
EXPORTS.own("nc", Format((".nc",), _netcdf))
EXPORTS.own("vtk", Format((".vtu", ".pvd"), _vtk))
EXPORTS.own("picture", Format((".png", ".pdf", ".svg"), _picture))
EXPORTS.own("html", Format((".html",), _html))
