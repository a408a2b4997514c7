"""Cells: one number of a table, or one curve of a figure, as a piece of work with a key."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import fens
from fens.errors import SettingError

from . import paper
from .experiments import ACTIVATIONS, BY_NAME, EXPERIMENTS, FEN, MESHES, Experiment, Work

ALL = 0  # candidates: every one of Algorithm 1
FLOPS = 15e9  # a second, of a least squares on one core with all that belongs to it; the order of cells rests on it
MEMORY = 2.7  # times its matrix that a least squares takes
ROWS = 2.5  # for each feature, of our default points
OVERHEAD = 0.3  # seconds, of equations
NUMBERS = ("cells.py", "experiments.py", "fem.py", "paper.py", "run.py")  # of this package, what numbers depend on
SHELL = (
    "__main__.py", "cli", "eigenvalues", "files", "plotting", "problem/typeset.py", "reproduce", "solution/export",
    "storage",
)  # fmt: skip
ELM_LATER = 3.0  # cells of the paper's own method come first, and its rivals' as if they cost so much more


@dataclass(frozen=True)
class Cell:
    """What is run, completely: two equal cells give the same numbers with the same code."""

    experiment: str
    column: str  # paper, fens, fem or sweep
    activation: str
    size: float  # as the paper's table names it: M, d or h
    features: int = 0
    points: tuple[int, ...] = ()
    candidates: int = 1
    iterations: int = 0
    seed: int = 0

    @property
    def about(self) -> Experiment:
        """The experiment it belongs to."""
        return BY_NAME[self.experiment]

    @property
    def key(self) -> str:
        """Settings and code version in a word."""
        text = json.dumps([asdict(self), code_version()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def rows(self) -> int:
        """How many rows the largest least squares has."""
        if self.column == "fens":
            return round(ROWS * self.features)
        if self.about.random:
            inside, for_each_dimension = self.points
            return inside + for_each_dimension * int(self.size)
        extra = (self.about.equations - 1) * math.prod(self.points[1:])
        return math.prod(self.points) + extra

    @property
    def gibibytes(self) -> float:
        """The memory it takes."""
        return MEMORY * 8 * self.rows * self.features / 2**30

    @property
    def seconds(self) -> float:
        """About how long it takes on one core."""
        if self.column == "fem":
            return 0.3 + 1e-4 * math.pow(self.size, -2.3)
        one = 2 * self.rows * self.features**2 / FLOPS
        if self.column == "fens":
            return OVERHEAD + self.about.effort * one
        own = self.about.effort * 2 * ROWS * self.features**3 / FLOPS if self.candidates > 1 else 0.0
        # Picard's matrix stays the same in one of the two experiments that need it, and about 17 steps are enough
        steps = 1 if not self.iterations else self.iterations if self.experiment == "burgers" else 5
        return OVERHEAD + own + self.candidate_count * (OVERHEAD + steps * one)

    @property
    def candidate_count(self) -> int:
        """How many scales are tried."""
        return self.candidates or len(paper.search(self.about.table, self.activation))

    @property
    def patience(self) -> float:
        """What cells are ordered by: cheap and telling ones first."""
        return self.seconds * (1.0 if self.activation in FEN else ELM_LATER)


@lru_cache
def code_version() -> str:
    """The version, and a word for the source that numbers depend on."""
    return f"{fens.__version__}+{digest_of(Path(fens.__file__).parent)}"


def digest_of(root: Path) -> str:
    """A word for all that numbers depend on in a folder with the package."""
    return hashlib.sha256(b"".join(p.read_bytes() for p in sources(root))).hexdigest()[:8]


def sources(root: Path) -> list[Path]:
    """The files that numbers depend on: not those that only read, show and keep things."""
    own = [root / "reproduce" / name for name in NUMBERS]
    tables = sorted((root / "reproduce" / "data").glob("*.csv"))
    return [p for p in sorted(root.rglob("*.py")) if p in own or not _is_shell(p.relative_to(root))] + tables


def _is_shell(path: Path) -> bool:
    return any(path.is_relative_to(shell) for shell in SHELL)


def cells(names: Sequence[str] = (), full: bool = False, exhaustive: bool = False, seed: int = 0) -> list[Cell]:
    """The cells of some experiments, or of all, the cheap and telling ones first."""
    found = [
        cell
        for experiment in chosen(names)
        for cell in _of(experiment, experiment.full if full else experiment.quick, full, exhaustive, seed)
    ]
    return sorted(found, key=lambda c: c.patience)


def chosen(names: Sequence[str]) -> Iterable[Experiment]:
    """Experiments by name; all of them if none is named."""
    if unknown := [n for n in names if n not in BY_NAME]:
        raise SettingError(f"There is no experiment {unknown[0]!r}; there are {', '.join(BY_NAME)}.")
    return [e for e in EXPERIMENTS if not names or e.name in names]


def _of(experiment: Experiment, work: Work, full: bool, exhaustive: bool, seed: int) -> Iterable[Cell]:
    candidates = ALL if exhaustive else work.candidates
    for size in work.sizes:
        features = work.features or size
        for activation in ACTIVATIONS:
            own: dict[str, Any] = {"activation": activation, "size": size, "seed": seed}
            yield Cell(
                experiment.name, "paper", features=features, points=work.points, candidates=candidates,
                iterations=work.iterations, **own,
            )  # fmt: skip
            yield Cell(experiment.name, "fens", features=round(work.share * features), **own)
            if full and experiment.quick.features:  # our defaults do with fewer, and say so hours earlier
                yield Cell(experiment.name, "fens", features=experiment.quick.features, **own)
    if experiment.name == "function2d":
        swept = ALL if exhaustive else 60 if full else 20
        for size in work.sizes:
            yield Cell(experiment.name, "sweep", "tanh", size, size, work.points, swept, seed=seed)
    if experiment.name == "helmholtz2d":
        yield from (Cell(experiment.name, "fem", "fem", h) for h in (MESHES if full else MESHES[:4]))
