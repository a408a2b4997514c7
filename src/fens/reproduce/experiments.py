"""The paper's experiments: problems, grids, sizes, and what a quick run leaves out of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from fens import zoo

FEN = ("cos", "sin", "cos_sin")
ELM = ("sigmoid", "tanh", "swish")
ACTIVATIONS = (*ELM, *FEN)
SIZES = (400, 900, 1600, 2500)
MESHES = (0.1, 0.05, 0.02, 0.01, 0.005)
PAPER_ITERATIONS = 100


@dataclass(frozen=True)
class Work:
    """How much of an experiment is done: its sizes, points, candidates for the scale, and Picard iterations.

    `points` are those of a grid along each axis or, for random points, those inside and on the boundary. `features`
    is their number where the size is not. One candidate is the paper's own ρ, and several are searched from there.
    At the sizes of `exhaustive` all are tried besides, and those of `seeded` are run with other seeds, too.
    """

    sizes: tuple[int, ...]
    points: tuple[int, ...]
    candidates: int
    iterations: int = 0
    features: int | None = None
    exhaustive: tuple[int, ...] = ()
    seeded: tuple[int, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """A table of errors and one of parameters: a problem solved at several sizes with six activations."""

    name: str
    title: str
    table: str  # name of the problem in the paper's tables
    known: Callable[[int], zoo.Known]  # size → problem; the size is the dimension for one of them
    full: Work
    quick: Work
    finer: int | None  # points along each axis of the independent grid; None in high dimension
    size_name: str = "M"
    effort: float = 8.0  # least squares, about, that our automatic choices take
    grows: bool = False  # column `fens` takes as many features as pay, and at most the paper's number
    equations: int = 1  # on the face with the most conditions
    counted: bool = True  # whether the paper's table is for this very problem
    pictured: tuple[tuple[str, int], ...] = ()  # activation and size of which values are kept
    remark: str = ""

    @property
    def random(self) -> bool:
        """Whether points are random, not a grid."""
        return self.finer is None


def fixed(make: Callable[[], zoo.Known]) -> Callable[[int], zoo.Known]:
    """A problem that does not depend on the size."""
    return lambda size: make()


SOME = SIZES[:2]
SEEDS = (0, 1, 2, 3, 4)

PLANE = (
    Work(SIZES, (101, 101), 12, exhaustive=SOME, seeded=SOME),
    Work(SOME, (101, 101), 3),
)
SPACE = Work(SIZES, (51, 51, 51), 6, seeded=SIZES[:1]), Work(SOME, (26, 26, 26), 3)
LINE = Work(SIZES, (3000,), 12, exhaustive=SOME, seeded=SOME), Work(SOME, (3000,), 3)
PICARD = replace(LINE[0], iterations=PAPER_ITERATIONS), replace(LINE[1], iterations=PAPER_ITERATIONS)

EXPERIMENTS = (
    Experiment("function2d", "Two-dimensional function", "function2d", fixed(zoo.function_2d), *PLANE, 237),
    Experiment(
        "helmholtz2d", "Helmholtz equation, sin·sin, on [−1, 1]²", "helmholtz2d",
        fixed(lambda: zoo.helmholtz(-1, 1)), *PLANE, 237,
        remark="The paper's text has (0, 1)²; the authors' settings, and the size of the errors, have [−1, 1]².",
    ),
    Experiment(
        "helmholtz2d_unit", "Helmholtz equation, sin·sin, on (0, 1)² as printed", "helmholtz2d",
        fixed(zoo.helmholtz), Work(SIZES, (101, 101), 12), PLANE[1], 237, counted=False,
        remark="The paper's figures are those of the other square; this table is shown, and not counted.",
    ),
    Experiment(
        "helmholtz2d_tanh", "Helmholtz equation, tanh(xy)", "helmholtz2d_tanh",
        fixed(lambda: zoo.helmholtz_tanh(-1, 1)), *PLANE, 237,
        remark="On [−1, 1]², as for the first solution. The paper's table has no row for cos.",
    ),
    Experiment("diffusion", "Diffusion equation", "diffusion", fixed(zoo.diffusion), *PLANE, 237),
    Experiment("heat", "Heat equation", "heat", fixed(zoo.heat), *SPACE, 64),
    Experiment("wave", "Wave equation", "wave", fixed(zoo.wave), *SPACE, 64, equations=2),
    Experiment(
        "nonlinear_helmholtz", "Nonlinear Helmholtz equation", "nonlinear_helmholtz",
        fixed(zoo.nonlinear_helmholtz), *PICARD, 10_007, effort=30,
    ),
    Experiment(
        "poisson_oscillating", "Poisson equation with an oscillating solution", "poisson_oscillating",
        fixed(zoo.oscillating_poisson), *LINE, 10_007, pictured=(("cos", 900),),
    ),
    Experiment(
        "burgers", "Burgers' equation", "burgers", fixed(zoo.burgers),
        Work((900, 1600, 2500, 5000), (200, 200), 1, PAPER_ITERATIONS, seeded=(900,)),
        Work((900,), (67, 67), 1, 10), 237, effort=60, grows=True, pictured=(("sin", 5000),),
        remark=(
            "The paper's Picard iteration can be read in two ways. Column `paper` takes u of the last iterate in front "
            "of the new u_x, so that the matrix changes in each iteration. The other reading moves the whole of u u_x "
            "to the right-hand side, as the text says of the nonlinear Helmholtz equation; what comes of it is below."
        ),
    ),
    Experiment(
        "poisson_highdim", "Poisson equation in high dimension", "poisson_highdim", zoo.poisson,
        Work((5, 7, 10, 15), (50_000, 1000), 1, features=10_000, seeded=(5, 7, 10, 15)),
        Work((5, 10), (10_000, 200), 1, features=1000), None, size_name="d", effort=3, grows=True,
    ),
)  # fmt: skip

BY_NAME = {e.name: e for e in EXPERIMENTS}
