"""What helps at fronts beyond one set of directions: local directions, points where the residual is large, row weights.

    python benchmarks/fronts.py [FEATURES]
"""

import sys

import numpy as np
import sympy as sp
from scipy.cluster.vq import kmeans2

import fens
from adaptive import accelerating_front
from fens import zoo
from fens.basis import Mixture, Oriented, Proposal
from fens.basis.learnt import _rows

x, t = sp.symbols("x t")
CLUSTERS = 6


def local_directions(ansatz, rough):
    """A mixture of several gradient covariances, those of clusters of steep directions."""
    slopes = rough.slopes()
    steepness = np.linalg.norm(slopes, axis=1)
    rng = np.random.default_rng(0)
    chosen = slopes[rng.choice(len(slopes), 3000, p=steepness**2 / np.sum(steepness**2))]
    ways = chosen / np.linalg.norm(chosen, axis=1)[:, None]
    _, label = kmeans2(np.einsum("ni,nj->nij", ways, ways).reshape(len(ways), -1), CLUSTERS, seed=0, minit="++")
    parts = [(0.1, Oriented(_rows(np.eye(rough.dimension) * np.sqrt(0.5))))]
    for k in range(CLUSTERS):
        own = chosen[label == k]
        if len(own) > 20:
            values, vectors = np.linalg.eigh(own.T @ own / len(own))
            relative = np.maximum(values / values.max(), rough.residual**2)
            L = vectors @ np.diag(np.sqrt(relative)) @ vectors.T
            parts.append((0.9 * len(own) / len(chosen), Oriented(_rows(L))))
    return ansatz.with_frequencies(lambda _: Mixture(tuple(parts)))


def shown(name, solution, exact):
    rounds = ", ".join(f"{r.kind} {r.loss:.0e}" for r in solution.stats.rounds)
    print(f"| {name} | {solution.compare(exact).linf:.1e} | {rounds or '–'} |", flush=True)
    return solution


def where_it_is_large(problem, solution, features):
    """The default points, and half as many again where the residual is largest of many."""
    strip = problem.domain
    rng = np.random.default_rng(1)
    many = {s: rng.uniform(a, b, 40 * features) for s, (a, b) in zip(strip.coordinates, strip.bounds, strict=True)}
    field = solution.function
    u_x, u_t, u_xx = (field.diff(*d)(many[x], many[t]) for d in ((x,), (t,), (x, 2)))
    residual = np.abs(u_t + field(many[x], many[t]) * u_x - u_xx / 100)
    worst = np.argsort(-residual)[: features // 2]
    return fens.Points({s: a[worst] for s, a in many.items()})


def main(features):
    """Print two tables: the accelerating front, and interior weights at Burgers' front."""
    known = accelerating_front()
    options = {"features": features, "raise_on_failure": False, "estimate": False}
    print("| accelerating front | L∞ | rounds and their held-out residuals |", "|---" * 3 + "|", sep="\n")
    shown("isotropic", fens.solve(known.problem, adapt=False, **options), known.exact)
    rough = shown("one set of directions", fens.solve(known.problem, adapt=True, **options), known.exact)
    fens.register("basis", "local_directions", Proposal(local_directions))
    shown(f"{CLUSTERS} local sets besides", fens.solve(known.problem, adapt=True, **options), known.exact)
    strip, u = known.problem.domain, known.problem.unknowns[0]
    operator = u.diff(t) + u * u.diff(x) - u.diff(x, 2) / 100
    source = operator.subs(u, known.exact).doit()
    extra = where_it_is_large(known.problem, rough, features)
    more = fens.Problem({
        strip: sp.Eq(operator, source), extra: sp.Eq(operator, source),
        strip.sides: sp.Eq(u, known.exact), strip.initial: sp.Eq(u, known.exact),
    })  # fmt: skip
    shown("more points where the residual is large", fens.solve(more, adapt=True, **options), known.exact)
    weights(features)


def weights(features):
    """Burgers' equation linearised at its solution, the interior rows weighted by the local size of the operator."""
    exact, viscosity = zoo.burgers().exact, sp.Rational(1, 100)
    u, strip = sp.Function("u")(x, t), fens.Box({x: (0, 1)}).during(t, 0, 1)
    operator = u.diff(t) + exact * u.diff(x) + exact.diff(x) * u - viscosity * u.diff(x, 2)
    source, slope = operator.subs(u, exact).doit(), sp.Abs(exact.diff(x))
    print("", "| interior rows, isotropic features | conditions balanced | heavier by 10 |", "|---" * 3 + "|", sep="\n")
    divisors = {"as they are": sp.S.One, "divided by 1 + |u_x|/5": 1 + slope / 5, "by 1 + |u_x|": 1 + slope}
    for name, divisor in divisors.items():
        c = 1 / divisor
        problem = fens.Problem({
            strip: sp.Eq(c * operator, c * source), strip.sides: sp.Eq(u, exact), strip.initial: sp.Eq(u, exact),
        })  # fmt: skip
        first = fens.solve(problem, features=features, adapt=False, estimate=False)
        factors = {r: 10 * w for r, w in zip((strip.sides, strip.initial), first.stats.row_weights[1:], strict=True)}
        second = fens.solve(problem, features=features, adapt=False, estimate=False, weights={strip: 1.0, **factors})
        print(f"| {name} | {first.compare(exact).linf:.1e} | {second.compare(exact).linf:.1e} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1600)
