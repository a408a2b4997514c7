"""The figures and numbers of the pages, computed: writes docs/computed/*.svg and docs/computed/numbers.json.

    python docs/computed.py [NAME ...]

Every number that a page states about an error, an estimate or a time stands there as a name in double braces, and
comes from here.
"""

import csv
import json
import sys
import time
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
import torch

import fens
from fens import zoo
from fens._support.steering import Assessment, Sizes
from fens.discretise import System, discretise, linearise, weigh
from fens.geometry import Clustered
from fens.lstsq import Direct
from fens.problem import newton_form

HERE = Path(__file__).parent
OUT = HERE / "computed"
STYLE = {
    "figure.constrained_layout.use": True, "axes.grid": True, "grid.alpha": 0.3, "axes.spines.top": False,
    "axes.spines.right": False, "font.size": 10, "svg.hashsalt": "fens", "savefig.transparent": False,
}  # fmt: skip
x, y, t = sp.symbols("x y t")
Numbers = dict[str, str]


def features() -> Numbers:
    """A few features, and what sums of them make of a function."""
    line, u = fens.Box({x: (-1, 1)}), sp.Function("u")(x)
    target = sp.exp(-4 * x**2) * sp.sin(8 * x)
    problem, at = fens.Problem({line: sp.Eq(u, target)}), np.linspace(-1, 1, 801)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
    numbers = {}
    for size in (12, 24, 40, 64):
        solution = fens.solve(problem, features=size, estimate=False)
        error = np.abs(solution(at) - sp.lambdify(x, target)(at))
        right.semilogy(at, np.maximum(error, 1e-17), lw=1, label=f"{size} features")
        numbers[f"features_{size}"] = power(error.max())
    basis = solution.features.members[0]
    for j in range(5):
        left.plot(at, np.cos(float(basis.W[j, 0]) * at + float(basis.b[j])), lw=1, alpha=0.8)
    left.plot(at, sp.lambdify(x, target)(at), color="black", lw=2, label="the function")
    left.set(title="five of the features, and a function", xlabel="x")
    left.legend(loc="lower right")
    right.set(title="errors of sums of features", xlabel="x", ylim=(1e-17, 10))
    right.legend(loc=(0.62, 0.2), fontsize="small")
    for axes in (left, right):
        axes.set_xticks([-1, -0.5, 0, 0.5, 1])
    save(figure, "features")
    return numbers


def scale() -> Numbers:
    """The error against the scale."""
    known = zoo.helmholtz()
    figure, axes = plt.subplots(figsize=(7, 3.8))
    numbers = {}
    for size, colour in ((200, "C0"), (400, "C1"), (900, "C2")):
        scales = np.geomspace(1, 60, 19)
        tried = [fens.solve(known.problem, features=size, scale=rho, estimate=False) for rho in scales]
        axes.loglog(scales, [s.compare(known.exact).linf for s in tried], "o-", ms=3, color=colour, label=f"{size}")
        chosen = fens.solve(known.problem, features=size, estimate=False)
        error, mean = chosen.compare(known.exact).linf, float(np.exp(np.mean(np.log(chosen.scales))))
        axes.loglog(mean, error, "*", ms=13, color=colour, mec="black", mew=0.6)
        numbers[f"scale_{size}"] = power(error)
    axes.set(xlabel="scale ρ", ylabel="largest error")
    axes.legend(title="features")
    save(figure, "scale")
    return numbers


def convergence() -> Numbers:
    """Errors and their estimates against the number of features."""
    cases = {
        "Helmholtz on a square": (zoo.helmholtz(), {}, (50, 100, 200, 300, 400, 600, 900)),
        "the same, tanh features": (zoo.helmholtz(), {"activation": "tanh"}, (100, 200, 400, 600, 900)),
        "square with a hole": (zoo.holed_square(), {}, (50, 100, 200, 300, 400, 600)),
    }
    figure, axes = plt.subplots(figsize=(7, 4))
    numbers = {}
    for colour, (name, (known, options, sizes)) in enumerate(cases.items()):
        found = [fens.solve(known.problem, features=m, **options) for m in sizes]
        errors = [s.compare(known.exact).linf for s in found]
        axes.semilogy(sizes, errors, "o-", ms=4, color=f"C{colour}", label=name)
        axes.semilogy(sizes, [s.error.estimate for s in found], "--", lw=1, color=f"C{colour}")
        numbers |= {f"convergence_{colour}_{m}": power(e) for m, e in zip(sizes, errors, strict=True)}
    axes.set(xlabel="features", ylabel="largest error (dashed: as estimated)")
    axes.legend()
    save(figure, "convergence")
    return numbers


def damping() -> Numbers:
    """Singular values of the rows, and errors by back substitution and by the damped, refined QR."""
    known = zoo.helmholtz(-1, 1)
    scales = np.geomspace(2, 10, 7)
    errors: dict[str, list[float]] = {"back substitution": [], "damped": [], "damped and refined": []}
    for rho in scales:
        solution = fens.solve(known.problem, features=400, scale=rho, estimate=False)
        system = rows(known.problem, solution)
        A, b = matrix(system)
        for way, weights in {
            "back substitution": torch.linalg.lstsq(A, b[:, None], driver="gels").solution[:, 0],
            "damped": Direct(refinements=0).factorise(system).solve().weights,
            "damped and refined": solution.weights,
        }.items():
            errors[way].append(true_error(solution, weights, known))
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
    for rho in (2, 6, 16):
        solution = fens.solve(known.problem, features=400, scale=rho, estimate=False)
        values = torch.linalg.svdvals(matrix(rows(known.problem, solution))[0])
        left.semilogy(np.asarray(values / values[0]), label=f"ρ = {rho}")
    left.axhline(np.finfo(float).eps, color="black", lw=0.8)
    left.set(title="singular values of the matrix", xlabel="number", ylabel="relative to the largest")
    left.legend()
    for way, found in errors.items():
        right.loglog(scales, found, "o-", ms=3, label=way)
    right.set(title="largest error", xlabel="scale ρ", xticks=[2, 3, 4, 6, 10], xticklabels=[2, 3, 4, 6, 10])
    right.minorticks_off()
    right.legend()
    save(figure, "damping")
    numbers = {"damping_plain": power(errors["back substitution"][0]), "damping_damped": power(errors["damped"][0])}
    known = zoo.helmholtz()
    solution = fens.solve(known.problem, features=900, scale=10, estimate=False)
    once = Direct(refinements=0).factorise(rows(known.problem, solution)).solve().weights
    numbers["once"] = power(true_error(solution, once, known))
    return numbers | {"twice": power(true_error(solution, solution.weights, known))}


def rows(problem: fens.Problem, solution: fens.Solution) -> System:
    """The least squares of a solve."""
    conditions = linearise(discretise(problem, solution.samples, newton_form, torch.device("cpu")))
    return System(weigh(conditions, solution.features, "balanced"), solution.features)


def matrix(system: System) -> tuple[torch.Tensor, torch.Tensor]:
    """All rows at once, and the right-hand side."""
    A, b = (torch.cat(parts) for parts in zip(*system, strict=True))
    return A, b


def true_error(solution: fens.Solution, weights: torch.Tensor, known: zoo.Known) -> float:
    """The largest error of the same features with other weights."""
    axes = [np.linspace(a, b, 101) for a, b in known.problem.domain.bounds]
    grid = np.meshgrid(*axes, indexing="ij")
    points = torch.as_tensor(np.stack([g.ravel() for g in grid], axis=1))
    values = solution.features.matrix([(1.0, 0, (0, 0))], points) @ weights
    exact = sp.lambdify(known.problem.coordinates, known.exact)(*grid).ravel()
    return float(np.abs(values.numpy() - exact).max())


def estimates() -> Numbers:
    """The estimate against the true error, in the cells of docs/automatic.csv."""
    with (HERE / "automatic.csv").open() as file:
        cells = list(csv.DictReader(file))
    errors, estimated = (np.array([float(c[k]) for c in cells]) for k in ("error", "estimate"))
    figure, axes = plt.subplots(figsize=(5.4, 4.6))
    ends = np.array([1e-16, 10])
    axes.loglog(ends, ends, color="black", lw=1)
    for name in dict.fromkeys(c["activation"] for c in cells):
        chosen = np.array([c["activation"] == name for c in cells])
        axes.loglog(errors[chosen], estimated[chosen], "o", ms=3, label=name)
    axes.set(xlabel="true error", ylabel="estimate", xlim=ends, ylim=ends, aspect="equal")
    axes.legend()
    save(figure, "estimates")
    ratio = estimated / errors
    return {
        "cells": str(len(cells)), "ratio_smallest": f"{ratio.min():.2g}", "ratio_largest": f"{ratio.max():.2g}",
        "ratio_median": f"{np.median(ratio):.2g}",
    }  # fmt: skip


def verdicts() -> Numbers:
    """A problem for each verdict."""
    u, v = sp.Function("u")(x, y), sp.Function("v")(x, t)
    square, known = fens.Box({x: (0, 1), y: (0, 1)}), zoo.helmholtz()
    rod = fens.Box({x: (0, 1)}).during(t, 0, 1)
    at = np.random.default_rng(0).uniform(0, 1, (2, 40))
    heard = fens.Data(np.sin(np.pi * at[0]) + 0.02 * np.random.default_rng(1).standard_normal(40), std=0.02)
    ill, hard = zoo.ill_posed(), zoo.unresolvable()
    cases = {
        "roundoff": (known.problem, 900),
        "approximation": (known.problem, 200),
        "noise": (fens.Problem({
            square: sp.Eq(u.diff(x, 2) + u.diff(y, 2), -sp.pi**2 * u), square.face(x, 0): sp.Eq(u, 0),
            square.face(y, 0): sp.Eq(u.diff(y), 0), square.face(y, 1): sp.Eq(u.diff(y), 0),
            fens.Points({x: at[0], y: at[1]}): sp.Eq(u, heard),
        }), 100),
        "missing": (ill["a face without condition"], 300),
        "resonance": (ill["Helmholtz at a resonance"], 300),
        "backward": (fens.Problem({
            rod: sp.Eq(v.diff(t), v.diff(x, 2) / 10), rod.sides: sp.Eq(v, 0), rod.final: sp.Eq(v, x * (1 - x)),
        }), 300),
        "front": (hard["a front 1/1000 wide"], 600),
        "inconsistent": (zoo.inconsistent()["two values at one end"], 100),
    }  # fmt: skip
    numbers = {}
    for name, (problem, size) in cases.items():
        error = fens.solve(problem, features=size).error
        evidence = error.evidence
        numbers |= {
            f"{name}_estimate": power(error.estimate), f"{name}_verdict": error.verdict, f"{name}_advice": error.advice,
            f"{name}_recovery": power(evidence.recovery), f"{name}_sensitivity": power(evidence.sensitivity),
            f"{name}_residual": power(max(evidence.residuals.values())),
        }  # fmt: skip
    return numbers


def blind() -> Numbers:
    """A source so narrow that no point of the fit meets it."""
    u, rod = sp.Function("u")(x), fens.Box({x: (0, 1)})
    where, width = sp.Rational(271, 1000), sp.Rational(1, 100000)
    spike = sp.exp(-(((x - where) / width) ** 2)) / (width * sp.sqrt(sp.pi))
    solution = fens.solve(fens.Problem({rod: sp.Eq(u.diff(x, 2), -2 - spike), rod.boundary: sp.Eq(u, 0)}), features=60)
    return {"blind_verdict": solution.error.verdict, "blind_advice": solution.error.advice}


def chebyshev() -> Numbers:
    """Time and error of a Chebyshev collocation and of fens, on a smooth problem on a square."""
    known = zoo.helmholtz()
    numbers = {}
    for n in (16, 24, 32):
        seconds, error = best_of(3, lambda n=n: chebyshev_helmholtz(n))
        numbers |= {f"chebyshev_{n}_ms": milliseconds(seconds), f"chebyshev_{n}_error": power(error)}
    options = {"features": 900, "scale": 10, "estimate": False}
    seconds, error = best_of(3, lambda: fens.solve(known.problem, **options).compare(known.exact, fens.Grid(33)).linf)
    numbers |= {"given_ms": milliseconds(seconds), "given_error": power(error)}
    seconds, error = best_of(2, lambda: fens.solve(known.problem).compare(known.exact, fens.Grid(33)).linf)
    return numbers | {"default_ms": milliseconds(seconds), "default_error": power(error)}


def chebyshev_helmholtz(n: int) -> float:
    """Δu + u = q on the unit square by collocation at Chebyshev points, diagonalised along each axis."""
    theta = np.pi * np.arange(n + 1) / n
    at = np.cos(theta)
    c = np.r_[2, np.ones(n - 1), 2] * (-1.0) ** np.arange(n + 1)
    D = np.outer(c, 1 / c) / (at[:, None] - at[None, :] + np.eye(n + 1))
    D = 2 * (D - np.diag(D.sum(axis=1)))  # on (0, 1)
    second, s = (D @ D)[1:-1, 1:-1], (1 - at[1:-1]) / 2
    values, vectors = np.linalg.eig(second)
    exact = np.outer(np.sin(np.pi * s), np.sin(4 * np.pi * s))
    inverse = np.linalg.inv(vectors)
    inner = inverse @ ((1 - 17 * np.pi**2) * exact) @ inverse.T / (values[:, None] + values[None, :] + 1)
    return float(np.abs(vectors @ inner @ vectors.T - exact).max())


def singular() -> Numbers:
    """Errors on an L: a smooth solution, and one that is singular at the corner; and a kink along a line."""
    u, square = sp.Function("u")(x, y), fens.Box({x: (-1, 1), y: (-1, 1)})
    kink = sp.Abs(x - sp.Rational(1, 3))
    cases = {
        "smooth": (zoo.bent_polygon(), "Poisson on an L, smooth"),
        "corner": (zoo.corner_singularity(), r"Laplace on an L, $r^{2/3}\sin(2\theta/3)$"),
        "kink": (zoo.Known("kink", fens.Problem({square: sp.Eq(u, kink)}), kink), "function |x − 1/3|"),
    }
    figure, axes = plt.subplots(figsize=(7, 3.8))
    sizes, numbers = (100, 200, 400, 800), {}
    for name, (known, label) in cases.items():
        found = [fens.solve(known.problem, features=m) for m in sizes]
        errors = [s.compare(known.exact, fens.Grid(101)).linf for s in found]
        axes.semilogy(sizes, errors, "o-", ms=4, label=label)
        last = found[-1].error
        numbers |= {f"{name}_error": power(errors[-1]), f"{name}_verdict": last.verdict}
        numbers |= {f"{name}_estimate": power(last.estimate)}
    axes.set(xlabel="features", ylabel="largest error")
    axes.legend()
    save(figure, "singular")
    return numbers


def shock() -> Numbers:
    """Burgers' equation with less and less viscosity, adapted."""
    numbers = {}
    for inverse in (20, 100, 500):
        known = zoo.burgers(sp.Rational(1, inverse))
        solution = fens.solve(known.problem, features=400, adapt=True, raise_on_failure=False)
        numbers |= {
            f"burgers_{inverse}_error": power(solution.compare(known.exact).linf),
            f"burgers_{inverse}_estimate": power(solution.error.estimate),
            f"burgers_{inverse}_verdict": solution.error.verdict,
        }
    return numbers


def start() -> Numbers:
    """The problem of the first page, and its picture."""
    known = zoo.helmholtz()
    solution = fens.solve(known.problem)
    with plt.rc_context({"axes.grid": False}):
        figure = solution.plot()
    figure.set_size_inches(5.2, 4.2)
    save(figure, "start")
    return {
        "start_estimate": power(solution.error.estimate), "start_verdict": solution.error.verdict,
        "start_true": power(solution.compare(known.exact).linf), "start_features": str(solution.stats.features),
    }  # fmt: skip


def best_of(runs: int, work: object) -> tuple[float, float]:
    """The shortest time of several runs, and the last result."""
    seconds = []
    for _ in range(runs):
        begin = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - begin)
    return min(seconds), result


def milliseconds(seconds: float) -> str:
    """To two digits."""
    return f"{1000 * seconds:.0f}" if seconds > 0.01 else f"{1000 * seconds:.2g}"


def power(value: float) -> str:
    """A number to two digits, as it is printed elsewhere."""
    if not np.isfinite(value):
        return "∞"
    text = f"{value:.1e}" if value == 0 or not 0.01 <= abs(value) < 1000 else f"{value:.2g}"
    return text.replace("-", "-\u2060")  # at which no line is broken


def save(figure: plt.Figure, name: str) -> None:
    """Write a figure and forget it."""
    figure.savefig(OUT / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


def defaults() -> Numbers:
    """What the pages say of defaults and limits."""
    return {
        "first_size": str(Sizes.FIRST_SIZE),
        "first_size_to_tolerance": str(Sizes.FIRST_SIZE_TO_TOLERANCE),
        "rows": f"{Clustered().rows:g}",
        "determined": power(Assessment.DETERMINED), "unresolved": f"{Assessment.UNRESOLVED:.0%}",
    }  # fmt: skip


ALL = (
    defaults, start, features, scale, convergence, damping, estimates, verdicts, blind, chebyshev, singular, shock,
)  # fmt: skip


def main(names: list[str]) -> None:
    """Compute all, or those of some names, and keep the others."""
    OUT.mkdir(exist_ok=True)
    path = OUT / "numbers.json"
    found: Numbers = {}
    with plt.rc_context(STYLE):
        for compute in ALL:
            if not names or compute.__name__ in names:
                begin = time.perf_counter()
                found |= compute()
                print(f"{compute.__name__}: {time.perf_counter() - begin:.1f} s", flush=True)
    kept = json.loads(path.read_text()) if names and path.exists() else {}
    path.write_text(json.dumps(kept | found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
