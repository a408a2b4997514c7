"""The numbers of the code in a word: what a cell was computed with, and whether that is still so.

A hash of the source would make every cell old by a comment. The fingerprint is of some small solves, the canaries,
which between them go through what cells go through: plain and damped least squares, the search for a scale, Picard,
Newton, growth, frequencies that learn. Most are too small to resolve their problem: their errors are then far above
rounding, so that another machine, or another number of threads, changes them in the tenth digit only, and any other
draw, point, weight, scale or step in the first few. Two codes are the same to us if these agree to `SAME`; the ones
that reach round-off, where even the first digit is chance, need only be of one size, within `ALIKE`. The word is a
hash of the first digits of those canaries that were first of their kind; a code whose canaries agree takes it over.
"""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

import fens
from fens import zoo

Canaries = Mapping[str, float]

SAME, ALIKE = 1e-4, 30.0
ROUND_OFF = 1e-10  # errors below it are rounding
FILE = "fingerprints.json"


def _plain(activation: str) -> fens.Solution:
    return fens.solve(
        zoo.helmholtz(-1, 1).problem, features=60, activation=activation, scale=4 if activation == "cos" else 0.5,
        points=fens.Grid(21), weights="unit", solver="gels", estimate=False,
    )  # fmt: skip


def _picard() -> fens.Solution:
    return fens.solve(
        zoo.burgers().problem, features=60, activation="sin", scale=10, points=fens.Grid(15), weights="unit",
        solver="gels", nonlinear="picard", initial="random", max_iterations=6, until_settled=False, estimate=False,
        raise_on_failure=False,
    )  # fmt: skip


CANARIES: Mapping[str, tuple[Callable[[], zoo.Known], Callable[[], fens.Solution]]] = {
    "plain, cos": (lambda: zoo.helmholtz(-1, 1), lambda: _plain("cos")),
    "plain, tanh": (lambda: zoo.helmholtz(-1, 1), lambda: _plain("tanh")),
    "Picard": (zoo.burgers, _picard),
    "automatic, linear": (zoo.heat, lambda: fens.solve(zoo.heat().problem, features=40, estimate=False)),
    "automatic, swish": (
        zoo.wave, lambda: fens.solve(zoo.wave().problem, features=40, activation="swish", estimate=False)
    ),
    "automatic, Newton": (
        lambda: zoo.burgers(0.1), lambda: fens.solve(zoo.burgers(0.1).problem, features=60, estimate=False)
    ),
    "growth": (zoo.diffusion, lambda: fens.solve(zoo.diffusion().problem, max_features=100)),
    "round-off": (zoo.helmholtz, lambda: fens.solve(zoo.helmholtz().problem, features=400, estimate=False)),
    "many dimensions": (
        lambda: zoo.poisson(5), lambda: fens.solve(zoo.poisson(5).problem, features=150, estimate=False)
    ),
}  # fmt: skip


@lru_cache
def canaries() -> Canaries:
    """The errors of the canaries, and the scales of those that choose one, with the present code."""
    found: dict[str, float] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fens.UnreliableWarning)  # they are small on purpose
        for name, (known, solve) in CANARIES.items():
            solution = solve()
            found[name] = solution.compare(known().exact).linf
            if solution.search is not None:
                found[f"{name}, scale"] = solution.scales[0]
    return found


def agree(one: Canaries, other: Canaries) -> bool:
    """Whether two codes compute the same numbers, but for rounding."""
    return set(one) == set(other) and all(_close(one[name], other[name]) for name in one)


def _close(a: float, b: float) -> bool:
    if max(a, b) < ROUND_OFF:
        return abs(math.log(a / b)) < math.log(ALIKE)
    return math.isclose(a, b, rel_tol=SAME)


def fingerprint(folder: Path, found: Canaries | None = None) -> str:
    """The word for the present code: one that the folder has, if the canaries agree, or a new one, which is kept."""
    found = canaries() if found is None else found
    known = fingerprints(folder)
    for word, numbers in known.items():
        if agree(found, numbers):
            return word
    digits = {name: f"{value:.3g}" for name, value in found.items()}
    word = hashlib.sha256(json.dumps(digits, sort_keys=True).encode()).hexdigest()[:8]
    kept = {**known, word: {name: float(f"{value:.9g}") for name, value in found.items()}}
    (folder / FILE).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return word


def fingerprints(folder: Path) -> dict[str, Canaries]:
    """The words in a folder, with the canaries of each."""
    path = folder / FILE
    found: dict[str, Canaries] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found
