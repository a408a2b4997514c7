"""What the numbers that steer automatic choices do: each of them halved and doubled, on a few quick problems.

    python benchmarks/steering.py [GROUP[.NAME] …] [--factor 2]    # measures, and appends to docs/steering.csv
    python benchmarks/steering.py --page                           # writes docs/steering.md

Small counts change by one, and numbers near one change by their distance from it. A problem that does not read a
constant is not solved again. What docs/steering.csv has for today's value is not measured again.
"""

import argparse
import csv
import functools
import math
import signal
import sys
import warnings
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sympy as sp
import torch

import fens
from fens import zoo
from fens._support.flops import Counted
from fens._support.steering import CONSTANTS, Steering, changed

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "docs" / "steering.csv", ROOT / "docs" / "steering.md"
sys.path.insert(0, str(ROOT / "tests"))
FIELDS = (
    "constant", "from", "factor", "to", "problems", "largest_error_ratio", "mean_error_ratio", "mean_estimate_ratio",
    "verdicts", "arithmetic_ratio",
)  # fmt: skip
PATIENCE = 60  # seconds of the processor for a solve
ROUNDING = 1e-13  # errors below which are alike
SMALL = {"features": 120, "max_iterations": 8}
TABLE = {
    "a function, growing": (zoo.function_2d, {"max_features": 900}),
    "Burgers": (lambda: zoo.burgers(0.1), SMALL),
    "Bratu": (zoo.bratu, SMALL),
    "annulus": (zoo.annulus, SMALL),
    "corner": (zoo.corner_singularity, SMALL),
    "Poisson in 5 dimensions": (lambda: zoo.poisson(5), SMALL),
    "spots": (zoo.helmholtz_tanh, {"features": 80, "partition": 2}),
    "two materials": (zoo.interface, SMALL),
}
FAMILIES = (
    "regular_at_zero", "euler", "bump_on_a_line", "two_values", "incompatible_flux", "measured_otherwise", "cauchy",
    "no_inflow",
)  # fmt: skip


@dataclass(frozen=True)
class Found:
    """The relative error of a solve, its estimate, what was said, and the arithmetic it took."""

    error: float
    estimate: float
    verdict: str
    flops: float


def of_zoo(name):
    """Relative error, estimate and verdict of a problem of the table."""
    make, options = TABLE[name]
    known = make()
    solution = fens.solve(known.problem, raise_on_failure=False, **options)
    if isinstance(known.exact, dict):
        error = max(e.l2 for e in solution.compare(known.exact).values())
    else:
        error = solution.compare(known.exact).l2
    return error, solution.error.relative, solution.error.verdict


def of_family(name):
    """The same of a problem drawn by seed."""
    import verdicts

    found = verdicts.outcome(name, 0)
    return found.error / found.size, found.estimate / found.size, found.verdict


def of_modes(_):
    """The same of eigenvalues of a square; said is how many were confirmed."""
    x, y = sp.symbols("x y")
    u, k, square = sp.Function("u")(x, y), fens.Unknown("k"), fens.Box({x: (0, 1), y: (0, 1)})
    equations = {square: sp.Eq(-u.diff(x, 2) - u.diff(y, 2), k * u), square.boundary: sp.Eq(u, 0)}
    modes = fens.eigen(fens.Problem(equations), k, count=3, features=120)
    exact = np.pi**2 * np.array([2, 5, 5])[: len(modes)]
    error = max(abs(m.eigenvalue - e) / e for m, e in zip(modes, exact, strict=True))
    return error, max(m.estimate / e for m, e in zip(modes, exact, strict=True)), f"{len(modes)} confirmed"


PROBLEMS = {**dict.fromkeys(TABLE, of_zoo), **dict.fromkeys(FAMILIES, of_family), "eigenvalues": of_modes}


def solved(name):
    """One problem, with nothing known from the last; what goes wrong is what it says."""
    for module in modules():
        for thing in vars(module).values():
            if isinstance(thing, functools._lru_cache_wrapper):
                thing.cache_clear()
    signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        with warnings.catch_warnings(), Counted() as counted:
            warnings.simplefilter("ignore")
            error, estimate, verdict = PROBLEMS[name](name)
        return Found(float(error), float(estimate), verdict, counted.flops)
    except Exception as error:
        return Found(math.nan, math.nan, type(error).__name__, math.nan)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def too_long(*_):
    raise TimeoutError


def modules():
    """Those of fens."""
    return [m for name, m in list(sys.modules.items()) if name.startswith("fens.") and m is not None]


class Watched:
    """In place of a group, keeps what is read."""

    def __init__(self, group, read):
        self.group, self.read = group, read

    def __getattr__(self, name):
        self.read.add(f"{self.group.__name__}.{name}")
        return getattr(self.group, name)


def reads(name):
    """A problem as it is solved today, and the constants it reads."""
    fens.solve  # imports all that it takes  # noqa: B018
    read = set()
    places = [
        (module, key, thing)
        for module in modules()
        for key, thing in vars(module).items()
        if isinstance(thing, type) and issubclass(thing, Steering) and not module.__name__.endswith("steering")
    ]
    for module, key, group in places:
        setattr(module, key, Watched(group, read))
    try:
        return solved(name), read
    finally:
        for module, key, group in places:
            setattr(module, key, group)


def other_value(value, factor):
    """A value changed by a factor, in the sense of what is said above."""
    if isinstance(value, int):
        changed_value = round(value * factor)
        return changed_value if value > 4 else max(1, value + (1 if factor > 1 else -1))
    if 0.5 <= value < 1 and factor > 1:
        return 1 - (1 - value) / factor
    return 1 + (value - 1) * factor if 1 < value < 2 else value * factor


def geometric_mean(ratios):
    known = [r for r in ratios if 0 < r < math.inf]
    return math.exp(sum(map(math.log, known)) / len(known)) if known else 1.0


def measured(key, factor, today):
    """A row of results: one constant, changed by a factor."""
    value = CONSTANTS[key].value
    other = other_value(value, factor)
    errors, estimates, flops, verdicts = [], [], [], 0
    readers = [name for name, (_, read) in today.items() if key in read]
    for name in readers:
        before = today[name][0]
        with changed(key, other):
            now = solved(name)
        verdicts += now.verdict != before.verdict
        one, two = (max(f.error, ROUNDING) if f.error >= 0 else math.nan for f in (before, now))
        errors.append(two / one)
        estimates.append(max(now.estimate, ROUNDING) / two / (max(before.estimate, ROUNDING) / one))
        flops.append(now.flops / before.flops if before.flops else math.nan)
    known = [e for e in errors if e == e]
    numbers = (max(known, default=1.0), geometric_mean(errors), geometric_mean(estimates))
    return [key, value, factor, other, len(readers), *(f"{n:.3g}" for n in numbers), verdicts,
            f"{geometric_mean(flops):.3g}"]  # fmt: skip


def results():
    """What was measured at today's values, by constant and factor."""
    if not RESULTS.is_file():
        return {}
    with RESULTS.open() as file:
        rows = [r for r in csv.DictReader(file) if r["constant"] in CONSTANTS]
    return {(r["constant"], float(r["factor"])): r for r in rows if float(r["from"]) == CONSTANTS[r["constant"]].value}


def wanted(names):
    """The constants of groups, or of names; all if there are none."""
    unknown = [n for n in names if n not in CONSTANTS and n not in Steering.groups]
    if unknown:
        sys.exit(f"There is no group or constant {unknown[0]!r}; the groups are {', '.join(Steering.groups)}.")
    return [key for key in CONSTANTS if not names or key in names or key.split(".")[0] in names]


def effect(row):
    """A cell of the page."""
    if row is None:
        return "–"
    if row["problems"] == "0":
        return "not read"
    numbers = {"error": row["mean_error_ratio"], "at most": row["largest_error_ratio"],
               "estimate / error": row["mean_estimate_ratio"], "arithmetic": row["arithmetic_ratio"]}  # fmt: skip
    parts = [f"{name} × {n}" for name, n in numbers.items() if abs(float(n) - 1) > 0.005]
    count = int(row["verdicts"])
    parts += [f"{count} verdict{'s' * (count > 1)}"] if count else []
    return ", ".join(parts) or "nothing"


def page():
    """The page of all constants."""
    found, groups = results(), defaultdict(list)
    for key, it in CONSTANTS.items():
        group, _, name = key.partition(".")
        own = "" if it.by.startswith("python benchmarks/steering.py") else f" (`{it.by}`)"
        cells = [effect(found.get((key, f))) for f in (0.5, 2.0)]
        groups[group].append(f"| `{name}` | {it.value:.6g} | {it.meaning}{own} | {cells[0]} | {cells[1]} |")
    text = f"""# What steers it

Written by `python benchmarks/steering.py --page`, from `_support/steering.py` and `docs/steering.csv`.

The {len(CONSTANTS)} numbers that steer automatic choices. Those of a group are measured by
`python benchmarks/steering.py GROUP`; where another command measures one on problems of its own, that stands beside
it. The last columns say what happens on {len(PROBLEMS)} quick problems if a number is halved and doubled (small counts:
one less, one more): the mean and the largest factor of true errors over the problems that read it, that of the estimate
relative to the error, and that of the arithmetic, where they differ from 1 by more than 0.5 %, and how many verdicts
change. “Nothing” says that none of these does, “not read” that no problem of the table asks for it, and – that it was
not measured.
"""
    for group, rows in groups.items():
        about = Steering.groups[group].__doc__
        text += f"\n## {group}\n\n{about}\n\n| name | value | meaning | halved | doubled |\n|---|---|---|---|---|\n"
        text += "\n".join(rows) + "\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="GROUP[.NAME]")
    parser.add_argument("--factor", type=float, default=2.0)
    parser.add_argument("--page", action="store_true", help="write docs/steering.md, and measure nothing")
    options = parser.parse_args()
    if options.page:
        PAGE.write_text(page())
        return
    torch.set_num_threads(1)
    keys, known = wanted(options.names), results()
    keys.sort(key=lambda k: options.names.index(k) if k in options.names else len(options.names))
    todo = [(k, f) for k in keys for f in (1 / options.factor, options.factor) if (k, f) not in known]
    today = {name: reads(name) for name in PROBLEMS} if todo else {}
    for name, (found, read) in today.items():
        print(f"{name:26}{found.verdict:24}error {found.error:.1e}, estimate {found.estimate:.1e}, reads {len(read)}")
    print(" ".join(FIELDS), flush=True)
    for key, factor in todo:
        row = measured(key, factor, today)
        is_new = not RESULTS.is_file()
        with RESULTS.open("a", newline="") as file:
            csv.writer(file).writerows(([FIELDS] if is_new else []) + [row])
        print(*row, flush=True)


if __name__ == "__main__":
    main()
