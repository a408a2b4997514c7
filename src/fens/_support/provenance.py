"""Where a result comes from: versions, the kind of machine, and when."""

from __future__ import annotations

import platform
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from .stored import stored


@stored("Provenance")
@dataclass(frozen=True)
class Provenance:
    """The versions and the kind of machine that a solution was computed with, and when. No names of users or places.

    The same problem, options and seed lead to the same bits where all of this but the time is the same.
    """

    fens: str
    python: str
    numpy: str
    scipy: str
    sympy: str
    torch: str
    platform: str
    processor: str
    threads: int
    time: str

    @classmethod
    def now(cls) -> Provenance:
        """That of what is computed here and now."""
        import torch

        when = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(**_versions(), threads=torch.get_num_threads(), time=when)

    @property
    def facts(self) -> dict[str, str]:
        """As words and texts, for tables and headers of files."""
        return {f.name: str(getattr(self, f.name)) for f in fields(self)}

    def same_machine(self, other: Provenance) -> bool:
        """Whether all but the time is the same, so that the bits of results should be."""
        return {**self.facts, "time": ""} == {**other.facts, "time": ""}


@cache
def _versions() -> dict[str, Any]:
    import torch

    packages = {name: _version(name) for name in ("fens", "numpy", "scipy", "sympy", "torch")}
    processor = f"{platform.machine()}, {torch.backends.cpu.get_cpu_capability()}"
    return {**packages, "python": platform.python_version(), "platform": platform.system(), "processor": processor}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
