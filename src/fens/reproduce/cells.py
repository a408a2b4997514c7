"""Cells: one number of a table, or one curve of a figure, as a piece of work with a key."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace

from fens.errors import SettingError

from . import paper
from .experiments import ACTIVATIONS, BY_NAME, EXPERIMENTS, FEN, MESHES, SEEDS, Experiment, Work

ALL = 0  # candidates: every one of Algorithm 1
FLOPS = 18e9  # a second, of a least squares on one core with all that belongs to it; the order of cells rests on it
MEMORY = 3.1  # times its matrix that a least squares takes
ROWS = 2.5  # for each feature, of our default points
OVERHEAD = 0.15  # seconds, of equations and of measuring errors
SECONDS_OF_GROWTH = {"burgers": 60.0, "poisson_highdim": 3.0}  # of column `fens`, at the size that is enough
ENOUGH = {"burgers": 1350, "poisson_highdim": 900}  # features
ELM_LATER = 1.5  # cells of the paper's own method come first, and its rivals' as if they cost so much more
CLAIMS_EARLIER = 0.2  # those that are of no table, but of a claim, as if they cost less
LONG = 600.0  # seconds, of a cell that waits until the others are done
EXPLICIT, DAMPED = "explicit", "damped"  # the other reading of Picard, and our own least squares
MAPPED, UNMAPPED = "mapped", "unmapped"  # inputs to [−1, 1]^d or not, other than each activation has it
XAVIER, KAIMING = "xavier", "kaiming"
TIMED, FREQUENCY_FEATURES = 3, 200


@dataclass(frozen=True)
class Cell:
    """What is run, completely: two equal cells give the same numbers with the same code.

    `variant` is what is otherwise than in the column, as the names above have it.
    """

    experiment: str
    column: str  # paper, fens, fem, sweep, times or frequency
    activation: str
    size: float  # as the paper's table names it: M, d or h
    features: int = 0
    points: tuple[int, ...] = ()
    candidates: int = 1
    iterations: int = 0
    seed: int = 0
    variant: str = ""

    @property
    def about(self) -> Experiment:
        """The experiment it belongs to."""
        return BY_NAME[self.experiment]

    @property
    def key(self) -> str:
        """The settings in a word."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]

    @property
    def name(self) -> str:
        """The settings for the eye."""
        words = (self.experiment, self.column, self.activation, f"{self.size:g}", self.variant)
        more = ("all" if self.candidates == ALL else "", f"seed {self.seed}" if self.seed else "")
        return " ".join(filter(None, (*words, *more)))

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
        features = min(self.features, ENOUGH[self.experiment]) if self.grows else self.features
        return MEMORY * 8 * self.rows * features / 2**30

    @property
    def grows(self) -> bool:
        """Whether as many features are taken as pay, at most those given."""
        return self.column == "fens" and self.about.grows

    @property
    def seconds(self) -> float:
        """About how long it takes on one core."""
        if self.column == "fem":
            return 0.3 + 1e-4 * math.pow(self.size, -2.6)
        if self.column == "frequency":
            return 2.0
        if self.grows:
            return 2 + SECONDS_OF_GROWTH[self.experiment] * min(self.features / ENOUGH[self.experiment], 1) ** 2
        one = 2 * self.rows * self.features**2 / FLOPS
        if self.column == "fens":
            return OVERHEAD + self.about.effort * one
        if self.column == "times":
            return (TIMED + 1) * (OVERHEAD + one)
        light = 6e-3 + 4e-9 * self.rows * self.features  # an iteration where the matrix stays the same
        follows = self.experiment == "burgers" and self.variant != EXPLICIT
        steps = self.iterations * (one if follows else light)
        evaluation = 1e-8 * self.rows * self.features
        return self.candidate_count * (OVERHEAD + evaluation + max(one, steps if follows else one + steps))

    @property
    def has_laps(self) -> bool:
        """Whether it is a long iteration, worth keeping in the middle."""
        return self.column == "paper" and self.candidates == 1 and self.iterations > 0 and self.seconds > LONG

    @property
    def candidate_count(self) -> int:
        """How many scales are tried."""
        return self.candidates or len(paper.search(self.about.table, self.activation))

    @property
    def group(self) -> str:
        """What it is run with: the cheap ones, then searches of all candidates, then the long ones."""
        if self.candidates == ALL:
            return f"all candidates, {self.about.size_name} = {self.size:g}"
        if self.seconds < LONG:
            return "other seeds" if self.seed else "short cells"
        return f"{self.about.title}, column `{self.column}`"

    @property
    def turn(self) -> tuple[int, float]:
        """What cells are ordered by: cheap and telling ones, then other seeds, then all candidates, then long ones."""
        stage = 2 if self.candidates == ALL else 3 if self.seconds >= LONG else min(self.seed, 1)
        of_table = self.column in ("paper", "fens") and not self.variant
        factor = (1 if self.activation in FEN else ELM_LATER) * (1 if of_table else CLAIMS_EARLIER)
        return stage, self.seconds * factor


def cells(names: Sequence[str] = (), full: bool = False, seed: int = 0) -> list[Cell]:
    """The cells of some experiments, or of all, the cheap and telling ones first."""
    found = [cell for experiment in chosen(names) for cell in (_full if full else _quick)(experiment, seed)]
    return sorted(dict.fromkeys(found), key=lambda c: c.turn)


def chosen(names: Sequence[str]) -> Iterable[Experiment]:
    """Experiments by name; all of them if none is named."""
    if unknown := [n for n in names if n not in BY_NAME]:
        raise SettingError(f"There is no experiment {unknown[0]!r}; there are {', '.join(BY_NAME)}.")
    return [e for e in EXPERIMENTS if not names or e.name in names]


def papers_cell(e: Experiment, work: Work, activation: str, size: int, seed: int = 0) -> Cell:
    """The paper's method at a place of its table."""
    features = work.features or size
    return Cell(e.name, "paper", activation, size, features, work.points, work.candidates, work.iterations, seed)


def _quick(e: Experiment, seed: int) -> Iterable[Cell]:
    yield from _tables(e, e.quick, seed)
    if e.name == "function2d":
        yield from (Cell(e.name, "sweep", a, 400, 400, e.quick.points, 20, seed=seed) for a in ACTIVATIONS)
    if e.name == "helmholtz2d":
        yield from (Cell(e.name, "fem", "fem", h) for h in MESHES[:4])
        yield from _initialisations(e, e.quick, seed)
    if e.name == "diffusion":
        yield from _maps(e, e.quick, seed)
    if e.name == "poisson_oscillating":
        yield from _frequencies(e)


def _full(e: Experiment, seed: int) -> Iterable[Cell]:
    yield from _tables(e, e.full, seed)
    for size in e.full.seeded:
        for other in SEEDS:
            for cell in _tables(e, replace(e.full, sizes=(size,)), other):
                if cell.column == "fens" or not e.grows:
                    yield cell
    for size in e.full.exhaustive:
        yield from (replace(papers_cell(e, e.full, a, size, seed), candidates=ALL) for a in ACTIVATIONS)
    yield from EXTRAS.get(e.name, _nothing)(e, seed)


def _tables(e: Experiment, work: Work, seed: int) -> Iterable[Cell]:
    for size in work.sizes:
        for a in ACTIVATIONS:
            cell = papers_cell(e, work, a, size, seed)
            yield cell
            features = e.full.features or size if e.grows else cell.features
            yield Cell(e.name, "fens", a, size, features, seed=seed)


def _nothing(e: Experiment, seed: int) -> Iterable[Cell]:
    return ()


def _sweeps(e: Experiment, seed: int) -> Iterable[Cell]:
    """The paper's figure at the sizes where not all candidates are tried."""
    return [Cell(e.name, "sweep", "tanh", size, size, e.full.points, 60, seed=seed) for size in (1600, 2500)]


def _rivals(e: Experiment, seed: int) -> Iterable[Cell]:
    yield from (Cell(e.name, "fem", "fem", h) for h in MESHES)
    yield from _initialisations(e, e.full, seed)


def _initialisations(e: Experiment, work: Work, seed: int) -> Iterable[Cell]:
    """Other initialisations, which have no scale of their own."""
    for a in ACTIVATIONS:
        cell = replace(papers_cell(e, work, a, 900, seed), candidates=1)
        yield from (replace(cell, variant=kind) for kind in (XAVIER, KAIMING))


def _solvers(e: Experiment, seed: int) -> Iterable[Cell]:
    """What makes the difference at M = 1600: the least squares, the seed or the search."""
    for a in ("sin", "cos_sin", "tanh"):
        for s in SEEDS:
            cell = replace(papers_cell(e, e.full, a, 1600, s), candidates=1)
            yield from (cell, replace(cell, variant=DAMPED))


def _maps(e: Experiment, work: Work, seed: int) -> Iterable[Cell]:
    """Inputs mapped to [−1, 1]^d where the activation has them as they are, and the other way round."""
    for a in ACTIVATIONS:
        cell = papers_cell(e, work, a, 900, seed)
        yield replace(cell, variant=MAPPED if a in FEN else UNMAPPED, candidates=max(6, work.candidates))


def _oscillating(e: Experiment, seed: int) -> Iterable[Cell]:
    """The picture at the paper's own ρ; errors and ranks beyond the range of ρ; and the frequency domain."""
    yield replace(papers_cell(e, e.full, "cos", 900, seed), candidates=1)
    yield from (Cell(e.name, "sweep", a, 400, 400, e.full.points, 60, seed=seed) for a in ACTIVATIONS)
    yield from _frequencies(e)


def _frequencies(e: Experiment) -> Iterable[Cell]:
    return [Cell(e.name, "frequency", a, FREQUENCY_FEATURES, FREQUENCY_FEATURES) for a in ACTIVATIONS]


def _readings(e: Experiment, seed: int) -> Iterable[Cell]:
    for size in e.full.sizes:
        for a in ACTIVATIONS:
            yield replace(papers_cell(e, e.full, a, size, seed), variant=EXPLICIT)


def _times(e: Experiment, seed: int) -> Iterable[Cell]:
    for size in e.full.sizes:
        for a in ACTIVATIONS:
            yield Cell(e.name, "times", a, size, e.quick.features or 0, e.quick.points, seed=seed)


EXTRAS = {
    "function2d": _sweeps,
    "helmholtz2d": _rivals,
    "helmholtz2d_tanh": _solvers,
    "diffusion": lambda e, seed: _maps(e, e.full, seed),
    "poisson_oscillating": _oscillating,
    "burgers": _readings,
    "poisson_highdim": _times,
}
