"""How the time of a solve grows, and how much of the machine's rate it reaches.

    python benchmarks/scaling.py [--quick] [--folder docs/benchmarks]

Rows and features: `fens.solve` of the wave equation with the scale given and without an error estimate, one least
squares each, so that what grows is known; exponents are those of straight lines through the larger half in log-log.
Automatic: the same with nothing given but the number of features. Fraction: the flops of the factorisations and
products that a whole call of `fens.solve(features=2500)` made, by the rule of `flops`, over its time and the rate
of `torch` products measured just before; and beside it those that as many plain QRs would take. Each series is a row
of SERIES; a new one is a new row.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

import fens
from fens import zoo
from fens._support.flops import Counted, multiply_rate, of_factorisation

FOLDER = Path(__file__).parents[1] / "docs" / "benchmarks"
SCALE = 2.5
FRACTION_FEATURES = 2500
WANTED = 0.5  # of the rate of products
PROBLEMS = {"wave": zoo.wave, "heat": zoo.heat, "helmholtz": zoo.helmholtz}


@dataclass(frozen=True)
class Series:
    """A quantity that is varied, and what is timed for each of its values."""

    name: str
    title: str
    values: Sequence[int]
    quick: Sequence[int]
    run: Callable[[int], int]  # takes a value, solves, and returns what belongs on the axis


def with_rows(rows: int, features: int = 800) -> int:
    """A solve with a number of features and about so many rows."""
    points = fens.Clustered(rows=rows / features)
    return fens.solve(zoo.wave().problem, features=features, scale=SCALE, estimate=False, points=points).stats.rows


def with_features(features: int) -> int:
    """A solve with default points, the scale given and no estimate: one least squares."""
    return fens.solve(zoo.wave().problem, features=features, scale=SCALE, estimate=False).stats.features


def automatic(features: int) -> int:
    """The same with the scale chosen and the error estimated."""
    return fens.solve(zoo.wave().problem, features=features).stats.features


@cache
def client(workers: int) -> Any:
    """Of a cluster on this machine with so many workers of one thread each, kept until the end."""
    from distributed import Client, LocalCluster

    return Client(LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0"))


def with_workers(workers: int, features: int = 1200, rows: int = 60) -> int:
    """One least squares of many rows on so many workers."""
    options = {"scale": SCALE, "estimate": False, "points": fens.Clustered(rows=rows), "cluster": client(workers)}
    fens.solve(zoo.wave().problem, features=features, **options)
    return workers


SERIES = (
    Series("rows", "rows, 800 features", (2000, 4000, 8000, 16000, 32000, 64000), (2000, 4000), with_rows),
    Series("features", "features, 2.5 rows each", (300, 600, 1200, 1800, 2500, 3500), (100, 200), with_features),
    Series("automatic", "features, all else automatic", (300, 600, 1200, 1800, 2500), (100, 200), automatic),
    Series("workers", "workers, 72,000 rows, 1200 features", (1, 2), (1, 2), with_workers),
)


@dataclass(frozen=True)
class Curve:
    """The times of a series."""

    series: Series
    sizes: Sequence[int]
    seconds: Sequence[float]

    @property
    def exponent(self) -> float:
        """Of a power of the size that the larger half of the times follow."""
        start = len(self.sizes) // 2 if len(self.sizes) > 3 else 0
        return float(np.polyfit(np.log(self.sizes[start:]), np.log(self.seconds[start:]), 1)[0])


def measure(series: Series, values: Sequence[int], repeats: int = 3) -> Curve:
    """Medians of some runs each, after one that warms up."""
    sizes, seconds = [], []
    series.run(values[0])
    for value in values:
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            size = series.run(value)
            times.append(time.perf_counter() - start)
        sizes.append(size)
        seconds.append(statistics.median(times))
        print(f"{series.name}: {size} in {seconds[-1]:.2f} s", flush=True)
    return Curve(series, sizes, seconds)


@dataclass(frozen=True)
class Fraction:
    """What a whole call reached of the rate of products of matrices."""

    problem: str
    rows: int
    features: int
    least_squares: int
    seconds: float
    flops: float
    rate: float

    @property
    def share(self) -> float:
        """By the flops that were done; between 0 and 1."""
        return self.flops / self.seconds / self.rate

    @property
    def plain_share(self) -> float:
        """By those of QRs of the same matrices without damping, and nothing else."""
        return self.least_squares * of_factorisation(self.rows, self.features) / self.seconds / self.rate


def fraction(name: str, features: int, repeats: int = 5) -> Fraction:
    """A call that counts, then some that are timed, each beside the rate; the one of median share."""
    problem = PROBLEMS[name]().problem
    with Counted() as counted:
        fens.solve(problem, features=features)
    found = sorted((timed(name, features, counted) for _ in range(repeats)), key=lambda f: f.share)
    shares = ", ".join(f"{f.share:.0%} ({f.plain_share:.0%})" for f in found)
    print(f"{name}: {shares} of the rate of products (by plain QRs)", flush=True)
    return found[repeats // 2]


def timed(name: str, features: int, counted: Counted) -> Fraction:
    """A call that is timed, just after the rate was; the same seed gives the work that was counted."""
    problem, rate = PROBLEMS[name]().problem, multiply_rate()
    start = time.perf_counter()
    solution = fens.solve(problem, features=features)
    seconds = time.perf_counter() - start
    trials = len(solution.search.scales) if solution.search else 1
    stats = solution.stats  # each trial is one least squares, and the estimate is another
    return Fraction(name, stats.rows, stats.features, trials + 1, seconds, counted.flops, rate)


def document(curves: Sequence[Curve], fractions: Sequence[Fraction]) -> Iterator[str]:
    """The page, line by line."""
    yield "# How the time grows"
    yield ""
    threads = f"{os.cpu_count()} cores, {torch.get_num_threads()} threads"
    yield f"By `python benchmarks/scaling.py` on {threads}, torch {torch.__version__}."
    yield ""
    yield "![Seconds against size](scaling.svg)"
    yield ""
    yield "| against | sizes | seconds | exponent |"
    yield "|---|---|---|---|"
    for c in curves:
        sizes, seconds = ", ".join(map(str, c.sizes)), ", ".join(f"{s:.2f}" for s in c.seconds)
        yield f"| {c.series.title} | {sizes} | {seconds} | {c.exponent:.2f} |"
    yield ""
    yield "## Share of the machine's rate"
    yield ""
    yield (
        "A whole call of `fens.solve(problem, features=…)` with default points: scale chosen, error estimated. Flops "
        "are 2mn² − 2n³/3 for each factorisation of an m × n matrix that was made, panels of columns and their like, "
        "and 2mkn for each product; cosines and all else count for nothing. The rate is that of `torch` products of "
        f"float64 matrices on the same threads, measured just before; the median of five calls. At least {WANTED:.0%} "
        "is wanted. The last column is stricter: 2mn² − 2n³/3 for each least squares, as for a QR without damping, "
        "refinement or panels of our own."
    )
    yield ""
    columns = (
        "problem", "features", "rows", "least squares", "GFLOP", "seconds", "rate, GFLOP/s", "share", "by plain QRs",
    )  # fmt: skip
    yield "| " + " | ".join(columns) + " |"
    yield "|---" * len(columns) + "|"
    for f in fractions:
        missed = "" if f.share >= WANTED else ", missed"
        figures = f"{f.flops / 1e9:.0f}", f"{f.seconds:.2f}", f"{f.rate / 1e9:.0f}"
        cells = (f.problem, f.features, f.rows, f.least_squares, *figures, f"{f.share:.0%}{missed}")
        yield "| " + " | ".join(map(str, (*cells, f"{f.plain_share:.0%}"))) + " |"


def draw(curves: Sequence[Curve], path: Path) -> None:
    """Seconds against size, log-log, a panel for each series, with the straight line that was fitted."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullLocator

    figure, axes = plt.subplots(1, len(curves), figsize=(3.9 * len(curves), 3.4), squeeze=False)
    for axis, c in zip(axes[0], curves, strict=True):
        x = np.array([c.sizes[0], c.sizes[-1]], dtype=float)
        axis.loglog(c.sizes, c.seconds, "o", color="#0b6e4f")
        axis.loglog(
            x, c.seconds[-1] * (x / x[-1]) ** c.exponent, "--", color="#888888", label=f"power {c.exponent:.2f}"
        )
        axis.set(xlabel=c.series.title, ylabel="seconds")
        axis.set_xticks(c.sizes, [str(s) for s in c.sizes], rotation=45, fontsize=8)
        axis.xaxis.set_minor_locator(NullLocator())
        axis.grid(alpha=0.25, linewidth=0.5)
        axis.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    """Measure, and write the page and the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it works")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    args = parser.parse_args()
    curves = [measure(s, s.quick if args.quick else s.values, 1 if args.quick else 3) for s in SERIES]
    size = 100 if args.quick else FRACTION_FEATURES
    fractions = [fraction(name, size, 1 if args.quick else 5) for name in PROBLEMS]
    args.folder.mkdir(parents=True, exist_ok=True)
    draw(curves, args.folder / "scaling.svg")
    (args.folder / "scaling.md").write_text("\n".join(document(curves, fractions)) + "\n", "utf-8")


if __name__ == "__main__":
    main()
