"""What slabs cost after the first one: hardly anything, if equations are linear and do not depend on time."""

import time

import numpy as np
import sympy as sp

import fens
from fens._support.steering import Slabs
from fens._support.threads import torch_alone
from fens.evolution.march import March
from fens.evolution.statement import Evolution

from .cases import Array, plate, t, x, y

z = sp.Function("z")(x, y, t)


def waves(end: float = 8.0) -> fens.Problem:
    """Short waves in a square."""
    domain = plate(0, 1, end)
    return fens.Problem({
        domain: sp.Eq(z.diff(t, 2), fens.laplacian(z)), domain.sides: sp.Eq(z, 0),
        domain.initial: [sp.Eq(z, sp.sin(7 * sp.pi * x) * sp.sin(9 * sp.pi * y)), sp.Eq(z.diff(t), 0)],
    })  # fmt: skip


def seconds_of_slabs(problem: fens.Problem, count: int = 40) -> Array:
    """How long each of the first slabs takes, both marches and all that is looked at; the first one with everything
    before it, and others where slabs became shorter or longer, or space finer, left out.
    """
    evolution = Evolution.of(problem)
    assert evolution is not None
    found, begun = [], time.perf_counter()
    with torch_alone():
        march = March.of(evolution, np.random.SeedSequence(0), Slabs.GOAL, 3000)
        known = (-1, 0)
        for step in march.steps():
            now, what = time.perf_counter(), (march.level, march.first.space.size)
            found.append((now - begun, what == known or not found, step.end))
            begun, known = now, what
            if len(found) == count:
                break
    return np.array([seconds for seconds, same, _ in found if same])


def report() -> None:
    """Prints the first slab's seconds, and the others' relative to it."""
    first, *others = seconds_of_slabs(waves())
    print(
        f"short waves in a square: the first slab {first:.2f} s, {len(others)} others {np.median(others):.3f} s each "
        f"(median), {np.median(others) / first:.1%} of it, {np.max(others) / first:.1%} at most"
    )
