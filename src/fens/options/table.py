"""The table of options: a new one is a field here, and a name in the signature of `fens.solve`.

Each field has the option's default, its text in the documentation, its check, and how problem files write it; what
options cannot be together is a rule at the end.
"""
# ruff: noqa: RUF009 — option() makes a field, and no value that all would share

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from .._support.device import device_of
from ..basis import Distribution
from ..errors import SettingError, concerning
from ..geometry import Sampler
from ..lstsq import SOLVERS
from ..problem import LINEARISATIONS
from . import checks, readers
from .option import option, options_of
from .scale_grid import ScaleGrid

Scale = float | Sequence[float] | Mapping[sp.Expr, Any] | ScaleGrid | None

MOST_BLOCKS = 10_000  # of a march through time


@dataclass(frozen=True, kw_only=True)
class Options:
    """Everything a user may choose; None means that `solve` chooses."""

    features: int | Mapping[sp.Expr, int] | None = option(
        None,
        "how many features, M, for each unknown, or a mapping from unknowns to numbers; by default as many as pay, "
        "from 400 on, or 300 with `tol`, and at most `max_features`.",
        check=checks.counts,
        read=readers.features,
    )
    activation: str = option(
        "cos",
        'σ: `"cos"`, `"sin"`, `"cos_sin"`, `"sigmoid"`, `"tanh"` or `"swish"`.',
        check=checks.known_activation,
        read=readers.text,
    )
    scale: Scale = option(
        None,
        "ρ: a number, one for each coordinate (a sequence or a mapping), a mapping from unknowns to these, or a "
        "`ScaleGrid` to search; by default it is chosen by the numerical rank of the features and refined by trial "
        "fits.",
        read=readers.scale,
    )
    points: Sampler | None = option(
        None,
        "where the equations are asked to hold: `Grid`, `Random` or, by default, `Clustered`.",
        check=checks.sampler,
        read=readers.points,
    )
    weights: Any = option(
        "balanced",
        'of the rows: `"balanced"`, which makes those of all conditions alike in the mean, and divides each by its own '
        'norm where they differ by orders of magnitude, `"rows"`, which divides all of them so, `"unit"`, or a mapping '
        "from regions to numbers.",
        read=readers.weights,
    )
    initialisation: str = option(
        "uniform",
        'distribution of W and b: `"uniform"` (unit variance), `"xavier"` or `"kaiming"`.',
        check=checks.known_initialisation,
        read=readers.text,
    )
    affine: bool | None = option(
        None,
        "whether to map the domain to [−1, 1]^d first; by default only for sigmoid, tanh and swish.",
        check=checks.switch_or_none,
        read=readers.switch,
    )
    seed: int = option(
        0,
        "of the random draws. The same seed gives the same bits on the same machine.",
        check=checks.whole,
        read=readers.whole,
    )
    device: str = option("cpu", '`"cpu"` or `"cuda"`.', check=checks.device, read=readers.text)
    nonlinear: str = option(
        "newton",
        'for equations that are not linear: `"newton"`, damped by a line search, `"picard"`, as in the paper, or '
        '`"explicit"`, which takes every term that is not linear from the last iterate.',
        check=checks.one_of(LINEARISATIONS),
        read=readers.text,
    )
    initial: Any = option(
        None,
        "where a nonlinear iteration starts: an expression, a number, a callable of the unknown's arguments, a mapping "
        'from unknowns to these, a `Solution`, `"random"`, or by default the solution of the linear part.',
        read=readers.initial,
    )
    max_iterations: int = option(
        100, "of a nonlinear iteration.", check=checks.positive_whole, read=readers.whole
    )
    until_settled: bool = option(
        True,
        "whether a nonlinear iteration ends where further steps would only be rounding, and the best of its iterates "
        "is kept; if not, it makes all of `max_iterations`, and the last one is, as in the paper.",
        check=checks.switch,
        read=readers.switch,
    )
    raise_on_failure: bool = option(  # a file reports failure by an exit code, and has nothing to raise
        True,
        "whether an iteration that fails raises `NotConverged`, and a tolerance that is not met `ToleranceNotMet`, or "
        "a solution is returned that says so.",
        check=checks.switch,
    )
    tol: float | None = option(
        None,
        "the largest absolute error wanted: features, and points with them, are added until the error estimate is "
        "below it.",
        check=checks.positive(", the largest error wanted", finite=True),
        read=readers.number,
    )
    max_features: int = option(
        3000,
        "how many features there may be, where their number is not given.",
        check=checks.positive_whole,
        read=readers.whole,
    )
    estimate: bool = option(
        True, "whether to estimate the error, which takes a second solve.", check=checks.switch, read=readers.switch
    )
    adapt: bool | None = option(
        None,
        "whether the frequencies learn from rough solutions along which directions, and in which coordinates together, "
        "the solution varies; by default in more than three dimensions, and where they do not resolve it otherwise.",
        check=checks.switch_or_none,
        read=readers.switch,
    )
    frequencies: Distribution | None = option(
        None,
        "what the frequencies are drawn from, at first: `Isotropic`, `Oriented`, `Sparse`, or a `Mixture` of these.",
        check=checks.distribution,
        read=readers.frequencies,
    )
    partition: Any = option(
        None,
        "features in pieces, each with its own part of them: at most as many pieces as there are cells, of which there "
        "are so many along each axis, a number, or one for each coordinate (a sequence or a mapping). Pieces go to "
        "where rough solutions vary or, if that is better or `adapt` is False, are the cells, joined by a partition of "
        "unity.",
        read=readers.partition,
    )
    layers: int = option(
        1,
        "hidden layers: 1, or 2 for a network whose second hidden layer sees the first and reaches the output next "
        "to it.",
        check=checks.layers,
        read=readers.whole,
    )
    blocks: int | None = option(
        None,
        "march through time in so many blocks of equal length, each with features of its own, or with 1 in a single "
        "one; by default an evolution is followed in as many slabs of time as suit it.",
        check=checks.at_most(MOST_BLOCKS, "each a solve of its own that takes a second or more"),
        read=readers.whole,
    )
    memory: int | str | None = option(
        None,
        'how much of it the least squares may use, in bytes or as a text such as `"4 GB"`; by default half of what is '
        "free. A matrix that does not fit is made block by block, again each time it is needed.",
        check=checks.amount,
        read=readers.memory,
    )
    cluster: Any = option(  # a file cannot hold a connection
        None, "a `distributed.Client` whose workers do the least squares.", check=checks.client, compare=False
    )
    max_seconds: float | None = option(
        None,
        "a time after which no further features, scales, directions or iterations are tried: the best solution so far "
        'comes back, with the status "out of time". What has begun is finished, and a first solution is always made.',
        check=checks.positive(),
        read=readers.number,
    )
    corners: Any = option(
        None,
        "places on the boundary, in the plane, at which the solution may not be smooth and nothing in the problem "
        "tells, such as jumps in data that a callable gives: `[fens.Corner((0, 1))]`, or points. Corners of the "
        "domain, changes of conditions and breaks in their formulas are found without.",
        check=checks.places,
        read=readers.places,
    )
    until: Any = option(
        None,
        "where an evolution ends, if that is before its last time: where the largest value over space of an expression "
        "in the unknowns changes its sign, or where an inequality begins to hold, as `u.diff(t) > 0`.",
        check=checks.event,
        read=readers.event,
    )
    continuing: Any = option(  # a file cannot hold a solution
        None, "a solution of the same evolution up to an earlier time, from whose end it goes on.", compare=False
    )
    keep: Any = option(
        None,
        "times of an evolution around which the solution is kept, so that memory does not grow with what is forgotten; "
        "by default all of it is.",
        check=checks.times,
        read=readers.times,
    )
    solver: str = option(
        "automatic",
        'of the least squares: `"direct"` in memory, damped and refined, `"streamed"` block by block, `"sketched"` '
        'through a random mixture of the rows, or `"gels"`, LAPACK\'s plain QR as in the paper; by default the one of '
        "the first three that suits the matrix and the memory.",
        check=checks.one_of(SOLVERS),
        read=readers.text,
    )

    def __post_init__(self) -> None:
        for name, known in OPTIONS.items():
            with concerning(name):
                object.__setattr__(self, name, known.checked(name, getattr(self, name)))
        for rule in RULES:
            with concerning(rule.option):
                rule.check(self)


OPTIONS = options_of(Options)


@dataclass(frozen=True)
class Rule:
    """What options cannot be together: the one to complain about, whether they are so, and what to say.

    The sentence may have values of the options in it, as {0.features}.
    """

    option: str
    broken: Callable[[Options], bool]
    sentence: str

    def check(self, options: Options) -> None:
        """Refuse options that break it."""
        if self.broken(options):
            raise SettingError(self.sentence.format(options))


def _larger(features: Any, most: int) -> bool:
    return features is not None and not isinstance(features, Mapping) and bool(features > most)


RULES = (
    Rule(
        "adapt",
        lambda o: bool(o.adapt) and (o.scale is not None or o.initialisation != "uniform"),
        "adapt=True chooses frequencies and scale; leave out scale and initialisation.",
    ),
    Rule(
        "tol",
        lambda o: o.tol is not None and not o.estimate,
        "tol needs the error estimate that estimate=False leaves out; give one of the two.",
    ),
    Rule(
        "features",
        lambda o: o.tol is not None and isinstance(o.features, Mapping),
        "tol adds features as needed; give one number of features to begin with, or none.",
    ),
    Rule(
        "features",
        lambda o: o.tol is not None and _larger(o.features, o.max_features),
        "features, {0.features}, is where a solve to a tolerance begins, and is larger than max_features, "
        "{0.max_features}; raise max_features.",
    ),
    Rule(
        "cluster",
        lambda o: o.cluster is not None and device_of(o.device).type != "cpu",
        "cluster and device='cuda' cannot be combined; the workers compute on their CPUs.",
    ),
    Rule(
        "solver",
        lambda o: o.cluster is not None and o.solver != "automatic",
        "cluster has a least-squares solver of its own, on the workers, and cannot be combined with "
        "solver='{0.solver}'; leave out one of them.",
    ),
)
