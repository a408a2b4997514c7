"""Whether rows are better weighted block by block or each by its own norm.

    python benchmarks/row_weights.py [--seeds 3]

For problems with known solutions: how uneven the rows of the equation on the domain are (the largest norm relative to
the median), and the largest errors with conditions balanced as a whole, each row divided by its norm, and as chosen.
"""

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np
import sympy as sp
import torch

import fens
from fens import zoo
from fens._support.steering import Discretisation, changed
from fens.discretise import weights as weighing
from fens.fit.discrete import DiscreteProblem

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import verdicts

x = sp.Symbol("x")
u = sp.Function("u")(x)
rod = fens.Box({x: (0, 1)})


def layer(eps):
    """−εu″ + u′ = 1 with a layer at the right end."""
    exact = x - (sp.exp((x - 1) / eps) - sp.exp(-1 / sp.Float(eps))) / (1 - sp.exp(-1 / sp.Float(eps)))
    return fens.Problem({rod: sp.Eq(-eps * u.diff(x, 2) + u.diff(x), 1), rod.boundary: sp.Eq(u, 0)}), exact


def steep(power):
    """(x + 10^−p) u″ + u′ = f: a coefficient that grows by orders of magnitude."""
    exact = sp.sin(5 * x)
    a = x + sp.Float(10.0**-power)
    return fens.manufacture({rod: a * u.diff(x, 2) + u.diff(x), rod.boundary: u}, u, exact), exact


def growing(power):
    """u″ + e^(px) u = f: the rows grow from one end to the other."""
    exact = sp.cos(4 * x)
    return fens.manufacture({rod: u.diff(x, 2) + sp.exp(power * x) * u, rod.boundary: u}, u, exact), exact


def known(make):
    return lambda: (make().problem, make().exact)


CASES = {
    **{f"layer {eps:g}": (lambda eps=eps: layer(eps)) for eps in (1e-2, 1e-3)},
    **{f"steep coefficient 1e-{p}": (lambda p=p: steep(p)) for p in (1, 3, 6)},
    **{f"growing coefficient e^{p}": (lambda p=p: growing(p)) for p in (5, 10, 15)},
    **{
        make.__name__: known(make)
        for make in (zoo.helmholtz, zoo.diffusion, zoo.heat, zoo.wave, zoo.nonlinear_helmholtz, zoo.bratu,
                     zoo.holed_square, zoo.robin_and_periodic, zoo.corner_singularity)
    },
    "Burgers": known(lambda: zoo.burgers(0.1)),
}  # fmt: skip


def unevenness(problem, solution):
    """The largest norm of a row of the first equation, relative to the median."""
    seed = np.random.SeedSequence(0)
    discrete = DiscreteProblem.of(problem, solution.settings, solution.samples, seed, seed)
    near = discrete.near(discrete.conditions, solution.features, solution.weights)
    rows = discrete.linearised(discrete.conditions, near, solution.features)[0]
    norms = weighing.some_norms(rows.__class__(rows.condition, rows.functional, rows.operator, rows.source),
                                solution.features)
    return float(norms.max() / norms.median())


def row(name, problem, options, error):
    """One line of the table: medians over seeds."""
    found, uneven = {}, []
    for way in ("block", "rows", "balanced"):
        errors = []
        given = {k: v for k, v in options.items() if k != "seeds"}
        given["weights"] = "balanced" if way == "block" else way
        uneven_from = float("inf") if way == "block" else Discretisation.UNEVEN
        for seed in range(options["seeds"]):
            try:
                with changed("Discretisation.UNEVEN", uneven_from):
                    solution = fens.solve(problem, seed=seed, estimate=False, raise_on_failure=False, **given)
                errors.append(error(solution))
                uneven.append(unevenness(problem, solution) if way == "block" else 1.0)
            except fens.FensError:
                errors.append(np.inf)
        found[way] = float(np.median(errors))
    ratio = found["rows"] / found["block"] if found["block"] else np.nan
    print(f"| {name} | {max(uneven, default=np.nan):.1e} | {found['block']:.1e} | {found['rows']:.1e} | "
          f"{ratio:.2g} | {found['balanced']:.1e} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    args = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    print("| problem | unevenness | by block | by row | ratio | as chosen |\n|---|---|---|---|---|---|")
    for name, make in CASES.items():
        problem, exact = make()
        row(name, problem, {"features": 300, "seeds": args.seeds}, lambda s, e=exact: s.compare(e).linf)
    for family in verdicts.FAMILIES:
        given = verdicts.trial(family, 3)
        if given.exact is not None and given.kind in ("solved", "hard"):
            options = {**given.options, "seeds": args.seeds}
            row(family, given.problem, options, lambda s, g=given: verdicts.errors(s, g)[0])


if __name__ == "__main__":
    main()
