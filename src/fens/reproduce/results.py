"""What was found, one line for each cell, in a file that is never rewritten and survives being killed."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import fens
from fens.errors import SettingError

from .cells import Cell

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Results:
    """A file of JSON lines, each the outcome of a cell and the circumstances of it."""

    path: Path

    def records(self) -> list[Record]:
        """Everything in the file; a last line that was cut off by the end of its writer counts for nothing."""
        if not self.path.exists():
            return []
        *lines, _ = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
        return [self._parsed(number, line) for number, line in enumerate(lines, 1) if line.strip()]

    def finished(self, fingerprint: str) -> set[str]:
        """Keys of the cells that need not be run again with a code: those done, and those that failed by themselves."""
        own = (r for r in self.records() if r.get("fingerprint") == fingerprint)
        return {r["key"] for r in own if r["outcome"]["status"] != "skipped"}

    def append(self, cell: Cell, outcome: Mapping[str, Any], fingerprint: str) -> None:
        """Write an outcome, on the disk when this returns."""
        about = {"fingerprint": fingerprint, **circumstances()}
        record = {"key": cell.key, "cell": asdict(cell), "outcome": dict(outcome), **about}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def prepared(self) -> Results:
        """Ready to append to: with its folder, and without what is left of a line that was cut off."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists() and (content := self.path.read_bytes()) and not content.endswith(b"\n"):
            with self.path.open("r+b") as file:
                file.truncate(content.rfind(b"\n") + 1)
        return self

    def _parsed(self, number: int, line: str) -> Record:
        try:
            record = json.loads(line)
            Cell(**{**record["cell"], "points": tuple(record["cell"]["points"])})
            record["key"], record["outcome"]["status"]
        except (ValueError, KeyError, TypeError) as error:
            raise SettingError(
                f"Line {number} of {self.path} is not a result of `fens reproduce` ({error}); "
                "remove the line, or choose another folder."
            ) from error
        result: Record = record
        return result


def circumstances() -> dict[str, Any]:
    """When, with what, and on which machine."""
    return {"date": datetime.now(UTC).isoformat(timespec="seconds"), "code": fens.__version__, "machine": machine()}


@lru_cache
def machine() -> dict[str, str]:
    """The processor, memory, threads and versions that results may depend on."""
    import torch

    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    packages = {name: version(name) for name in ("numpy", "scipy", "sympy", "torch")}
    return {
        "processor": _processor(),
        "cores": f"{os.cpu_count()}, {torch.get_num_threads()} used",
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **packages,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
