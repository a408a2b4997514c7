"""Ours next to the paper's, and what that comes to."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import paper
from .cells import ALL, Cell, cells, papers_cell
from .experiments import ACTIVATIONS, BY_NAME, ELM, EXPERIMENTS, FEN, PAPER_ITERATIONS, Experiment
from .results import Record

TENFOLD = 10.0


@dataclass(frozen=True)
class Found:
    """A cell and its outcome; stale if it is of a code with other numbers than the last one that was run."""

    cell: Cell
    record: Record
    stale: bool = False

    def get(self, quantity: str) -> float | None:
        """A number of the outcome, if it has it."""
        value = self.record["outcome"].get(quantity)
        return None if value is None or not math.isfinite(value) else float(value)

    @property
    def done(self) -> bool:
        """Whether there is anything to compare."""
        return bool(self.record["outcome"]["status"] == "done")

    @property
    def tried(self) -> list[list[float]]:
        """Of each candidate for ρ that was tried: ρ, ‖A w − F‖, L∞ and rank."""
        found: list[list[float]] = self.record["outcome"].get("tried", [])
        return found

    @property
    def exhaustive(self) -> bool:
        """Whether all candidates were."""
        return self.cell.candidates == ALL

    @property
    def faithful(self) -> tuple[float, ...]:
        """How much of the paper's work was done, to prefer the cell with the most, and the first seed."""
        cell = self.cell
        candidates = math.inf if self.exhaustive else cell.candidates
        work = (cell.features, math.prod(cell.points), cell.iterations, candidates)
        return (not self.stale, self.done, *work, -cell.seed)

    @property
    def thinned(self) -> tuple[str, ...]:
        """What was left out relative to the paper's experiment, but for candidates."""
        about, cell = self.cell.about, self.cell
        full = about.full.features or int(cell.size)
        said = []
        if cell.features < full:
            said.append(f"{cell.features:,} features in place of {full:,}")
        if cell.column == "paper" and cell.points != about.full.points:
            said.append(f"{_points(cell.points, about)} points in place of {_points(about.full.points, about)}")
        if cell.column == "paper" and 0 < cell.iterations < PAPER_ITERATIONS:
            said.append(f"{cell.iterations} Picard iterations in place of {PAPER_ITERATIONS}")
        return tuple(said)


@dataclass(frozen=True)
class Pair:
    """A number of the paper's, and ours in both columns; of several seeds all, and the one nearest to the paper."""

    experiment: Experiment
    activation: str
    size: float
    ours: Mapping[str, Found]
    seeds: Mapping[str, Sequence[Found]] = field(default_factory=dict)

    def papers(self, quantity: str) -> float | None:
        """The paper's number."""
        return paper.number(self.experiment.table, self.activation, self.size, quantity)

    def own(self, column: str, quantity: str = "linf") -> float | None:
        """Ours, if the cell was run to its end."""
        found = self.ours.get(column)
        return found.get(quantity) if found and found.done else None

    def ratio(self, column: str, quantity: str = "linf") -> float | None:
        """Ours by the paper's; that of the finer points is held against the paper's collocation points."""
        own, papers = self.own(column, quantity), self.papers(quantity.removeprefix("finer_"))
        return None if own is None or papers is None else own / papers

    def spread(self, column: str, quantity: str = "linf") -> tuple[float, float, float, int] | None:
        """The median over seeds, the least and the largest, and how many there are."""
        found = [v for f in self.seeds.get(column, ()) if f.done and (v := f.get(quantity)) is not None]
        return (statistics.median(found), min(found), max(found), len(found)) if len(found) > 1 else None

    @property
    def is_fen(self) -> bool:
        """Whether it is the paper's method, not its rival."""
        return self.activation in FEN

    @property
    def same_features(self) -> bool:
        """Whether column `paper` has the paper's number of features."""
        found = self.ours.get("paper")
        return found is not None and found.cell.features == (self.experiment.full.features or self.size)

    @property
    def counts(self) -> bool:
        """Whether the paper has a number here."""
        return self.experiment.counted and self.papers("linf") is not None


Place = tuple[str, str, str, float, str]


def found_in(records: Sequence[Record]) -> list[Found]:
    """The cells of a results file; of those that were run several times the last."""
    newest = records[-1].get("fingerprint") if records else None
    found: dict[Cell, Found] = {}
    for record in records:
        cell = Cell(**{**record["cell"], "points": tuple(record["cell"]["points"])})
        found[cell] = Found(cell, record, record.get("fingerprint") != newest)
    return list(found.values())


def latest(found: Iterable[Found]) -> dict[Place, Found]:
    """For each place of a table, and variant, the cell closest to the paper's experiment."""
    chosen: dict[Place, Found] = {}
    for new in found:
        place = _place(new.cell)
        if place not in chosen or new.faithful >= chosen[place].faithful:
            chosen[place] = new
    return chosen


def _place(cell: Cell) -> Place:
    return (cell.experiment, cell.column, cell.activation, cell.size, cell.variant)


def pairs(found: Sequence[Found]) -> list[Pair]:
    """Every place of the error tables, with ours where there is one."""
    chosen, of_seeds = latest(found), _of_seeds(found)

    def both(where: Mapping[Any, Any], *place: Any) -> dict[str, Any]:
        name, activation, size = place
        columns = {c: where.get((name, c, activation, size, "")) for c in ("paper", "fens")}
        return {c: f for c, f in columns.items() if f is not None}

    places = [(e, a, float(size)) for e in EXPERIMENTS for size in e.full.sizes for a in ACTIVATIONS]
    return [Pair(e, a, s, both(chosen, e.name, a, s), both(of_seeds, e.name, a, s)) for e, a, s in places]


def _of_seeds(found: Sequence[Found]) -> dict[Place, list[Found]]:
    """For each place the cells that differ in nothing but the seed, of the kind that has the most: like beside like."""
    kinds: dict[Place, dict[Cell, dict[int, Found]]] = {}
    for new in found:
        if new.done and not new.stale:
            own = kinds.setdefault(_place(new.cell), {})
            own.setdefault(replace(new.cell, seed=0), {})[new.cell.seed] = new
    return {place: list(max(own.values(), key=len).values()) for place, own in kinds.items()}


@dataclass(frozen=True)
class Share:
    """How many of some cells are as they should be, and those that are not."""

    of: tuple[Pair, ...]
    misses: tuple[Pair, ...]

    @property
    def percent(self) -> float:
        """How many of a hundred are."""
        return 100 * (1 - len(self.misses) / len(self.of)) if self.of else math.nan

    def __str__(self) -> str:
        good, of = len(self.of) - len(self.misses), len(self.of)
        return f"{self.percent:.0f} % ({good} of {of})" if of else "no cells yet"


def share(pairs: Iterable[Pair], ratio: Callable[[Pair], float | None], most: float) -> Share:
    """How many of the cells that can be compared have a ratio of at most `most`."""
    known = [(p, r) for p in pairs if p.experiment.counted and p.is_fen and (r := ratio(p)) is not None]
    return Share(tuple(p for p, _ in known), tuple(p for p, r in known if r > most))


def fens_at_or_below(pairs: Iterable[Pair], quantity: str = "linf") -> Share:
    """FEN cells of column `fens` at or below the paper's."""
    return share(pairs, lambda p: p.ratio("fens", quantity), 1.0)


def paper_within_tenfold(pairs: Iterable[Pair], quantity: str = "linf") -> Share:
    """FEN cells of column `paper`, with the paper's number of features, at most ten times the paper's."""
    return share(pairs, lambda p: p.ratio("paper", quantity) if p.same_features else None, TENFOLD)


@dataclass(frozen=True)
class Coverage:
    """How many of the paper's cells a column has: as the paper ran them, thinned, and the cells that are missing."""

    column: str
    whole: int
    thinned: int
    missing: tuple[Cell, ...]

    @property
    def of(self) -> int:
        """How many the paper has."""
        return self.whole + self.thinned + len(self.missing)

    @property
    def hours(self) -> float:
        """About how long those take that are thinned or missing, on one core."""
        return sum(c.seconds for c in self.missing) / 3600


def coverage(pairs: Sequence[Pair]) -> list[Coverage]:
    """For both columns."""
    found = []
    for column in ("paper", "fens"):
        counted = [p for p in pairs if p.counts]
        run = [f for p in counted if (f := p.ours.get(column)) is not None and f.done]
        thinned = sum(bool(f.thinned) for f in run)
        missing = tuple(_cell(p, column) for p in counted if p.own(column) is None)
        found.append(Coverage(column, len(run) - thinned, thinned, missing))
    return found


def _cell(p: Pair, column: str) -> Cell:
    own = papers_cell(p.experiment, p.experiment.full, p.activation, int(p.size))
    return own if column == "paper" else Cell(p.experiment.name, "fens", p.activation, p.size, own.features)


def unfinished(found: Sequence[Found]) -> list[Cell]:
    """Cells of a full run that there is no outcome of, or an old one."""
    there = {f.cell for f in found if not f.stale and f.record["outcome"]["status"] != "skipped"}
    return [c for c in cells(full=True) if c not in there]


@dataclass(frozen=True)
class Best:
    """The smallest L∞ error of a table, the paper's and ours in column `fens`; the sizes of both."""

    experiment: Experiment
    papers: float
    papers_size: float
    ours: float | None
    run: tuple[float, ...]

    @property
    def below(self) -> bool | None:
        """Whether ours is below; None if it is not, and the size at which the paper's is best was not run."""
        if self.ours is None:
            return None
        return True if self.ours < self.papers else False if self.papers_size in self.run else None


def best_of_tables(pairs: Sequence[Pair]) -> list[Best]:
    """For every table that is counted; for the one in high dimension, at its best dimension."""
    found = []
    for e in (e for e in EXPERIMENTS if e.counted):
        own = [p for p in pairs if p.experiment is e and p.is_fen]
        papers, size = min((v, p.size) for p in own if (v := p.papers("linf")) is not None)
        ours = [(v, p.size) for p in own if (v := p.own("fens")) is not None]
        run = tuple(sorted({s for _, s in ours}))
        found.append(Best(e, papers, size, min((v for v, _ in ours), default=None), run))
    return found


@dataclass(frozen=True)
class Ordering:
    """How many times the best FEN is below the best ELM at the sizes where that is ten or more in the paper.

    `factors` has the paper's, and that of column `paper` or None if it was not run.
    """

    experiment: Experiment
    factors: Mapping[int, tuple[float, float | None]]

    @property
    def papers(self) -> tuple[int, ...]:
        """The sizes at which the paper shows it."""
        return tuple(self.factors)

    @property
    def run(self) -> tuple[int, ...]:
        """Those of them that were run."""
        return tuple(size for size, (_, ours) in self.factors.items() if ours is not None)

    @property
    def ours(self) -> tuple[int, ...]:
        """Those at which column `paper` shows it, too."""
        return tuple(size for size, (_, ours) in self.factors.items() if ours is not None and ours >= TENFOLD)

    @property
    def holds(self) -> bool | None:
        """Whether ours shows it at all sizes that were run; None if nothing can be said."""
        return set(self.run) == set(self.ours) if self.run else None


def orderings(pairs: Sequence[Pair]) -> list[Ordering]:
    """For every table in which the paper shows it."""
    found = []
    for e in (e for e in EXPERIMENTS if e.counted):
        at = {size: [p for p in pairs if p.experiment is e and p.size == size] for size in e.full.sizes}
        papers = {size: family_factor(own, lambda p: p.papers("linf")) for size, own in at.items()}
        factors = {size: (f, family_factor(at[size], own_paper)) for size, f in papers.items() if f and f >= TENFOLD}
        if factors:
            found.append(Ordering(e, factors))
    return found


def own_paper(pair: Pair) -> float | None:
    """The error of column `paper`, where it has the paper's number of features."""
    return pair.own("paper") if pair.same_features else None


def family_factor(pairs: Sequence[Pair], error: Callable[[Pair], float | None]) -> float | None:
    """How many times the best FEN is below the best ELM; None as long as some that the paper has are missing."""
    found = {p.activation: error(p) for p in pairs if p.papers("linf") is not None}
    if any(v is None for v in found.values()):
        return None
    fen, elm = (min(v for a in family if (v := found.get(a)) is not None) for family in (FEN, ELM))
    return elm / fen


def at(pairs: Sequence[Pair], experiment: str, activation: str, size: float) -> Pair:
    """The place of a table."""
    e = BY_NAME[experiment]
    return next(p for p in pairs if p.experiment is e and (p.activation, p.size) == (activation, size))


def _points(points: Sequence[int], about: Experiment) -> str:
    return f"{points[0]:,} + {points[1]:,}·d" if about.random else " × ".join(f"{n:,}" for n in points)
