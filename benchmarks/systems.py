"""Several unknowns, complex values, unknown numbers, eigenvalues, pieces and blocks, with everything chosen by `solve`.

    python benchmarks/systems.py [NAME ...]
"""

import sys
import time

import numpy as np
import sympy as sp
from scipy.special import jn_zeros

import fens

x, y, t = sp.symbols("x y t")
u, v, p = (sp.Function(name)(x, y) for name in "uvp")
square = fens.Box({x: (0, 1), y: (0, 1)})


def laplacian(f):
    return f.diff(x, 2) + f.diff(y, 2)


def stokes():
    stream = sp.sin(2 * x + 1) * sp.cos(3 * y)
    pressure = sp.exp(x) * sp.sin(2 * y)
    mean = sp.integrate(pressure, (x, 0, 1), (y, 0, 1))
    exact = {u: stream.diff(y), v: -stream.diff(x), p: pressure - mean}
    operators = [-laplacian(u) + p.diff(x), -laplacian(v) + p.diff(y), u.diff(x) + v.diff(y)]
    problem = fens.Problem({
        square: [*(sp.Eq(op, op.subs(exact).doit(), evaluate=False) for op in operators), sp.Eq(fens.integral(p), 0)],
        square.boundary: [sp.Eq(u, exact[u]), sp.Eq(v, exact[v])],
    })  # fmt: skip
    return problem, exact, 600


def elasticity():
    lam, mu = sp.Rational(3, 2), 1
    strain_xx, strain_yy, strain_xy = u.diff(x), v.diff(y), (u.diff(y) + v.diff(x)) / 2
    trace = lam * (strain_xx + strain_yy)
    xx, yy, xy = trace + 2 * mu * strain_xx, trace + 2 * mu * strain_yy, 2 * mu * strain_xy
    traction = [xx * fens.normal(x) + xy * fens.normal(y), xy * fens.normal(x) + yy * fens.normal(y)]
    operators = {square: [xx.diff(x) + xy.diff(y), xy.diff(x) + yy.diff(y)], square.face(x, 0): [u, v]}
    operators |= dict.fromkeys((square.face(x, 1), square.face(y, 0), square.face(y, 1)), traction)
    exact = {u: sp.sin(2 * x) * sp.exp(y / 2), v: sp.cos(x + 2 * y)}
    return fens.manufacture(operators, exact), exact, 600


def navier_stokes(u, v, p, viscosity):
    """Momentum without the derivative by time, and continuity."""
    return (
        u * u.diff(x) + v * u.diff(y) + p.diff(x) - viscosity * laplacian(u),
        u * v.diff(x) + v * v.diff(y) + p.diff(y) - viscosity * laplacian(v),
        u.diff(x) + v.diff(y),
    )


def kovasznay():
    rate = 20 - sp.sqrt(400 + 4 * sp.pi**2)
    wave, decay = 2 * sp.pi * y, sp.exp(rate * x)
    exact = {
        u: 1 - decay * sp.cos(wave),
        v: rate / (2 * sp.pi) * decay * sp.sin(wave),
        p: (1 - sp.exp(2 * rate * x)) / 2,
    }
    half = sp.Rational(1, 2)
    box = fens.Box({x: (-half, 1), y: (-half, 3 * half)})
    problem = fens.Problem({
        box: [sp.Eq(e, 0) for e in navier_stokes(u, v, p, sp.Rational(1, 40))],
        box.boundary: [sp.Eq(u, exact[u]), sp.Eq(v, exact[v])],
        fens.Points({x: [0.0], y: [0.0]}): sp.Eq(p, 0),
    })  # fmt: skip
    return problem, exact, 900


def taylor_green():
    a, b, q = (sp.Function(name)(x, y, t) for name in "uvp")
    viscosity = sp.Rational(1, 20)
    box = fens.Box({x: (0, sp.pi), y: (0, sp.pi)}).during(t, 0, 1)
    decay = sp.exp(-2 * viscosity * t)
    exact = {
        a: sp.sin(x) * sp.cos(y) * decay,
        b: -sp.cos(x) * sp.sin(y) * decay,
        q: (sp.cos(2 * x) + sp.cos(2 * y)) / 4 * decay**2,
    }
    along_x, along_y, divergence = navier_stokes(a, b, q, viscosity)
    times, middle = np.linspace(0, 1, 60), np.full(60, np.pi / 2)
    velocity = [sp.Eq(a, exact[a]), sp.Eq(b, exact[b])]
    problem = fens.Problem({
        box: [sp.Eq(a.diff(t) + along_x, 0), sp.Eq(b.diff(t) + along_y, 0), sp.Eq(divergence, 0)],
        box.sides: velocity,
        box.initial: velocity,
        fens.Points({x: middle, y: middle, t: times}): sp.Eq(q, exact[q]),
    })  # fmt: skip
    return problem, exact, 1600


def impedance():
    w, k = fens.complex_unknown("w")(x, y), 20
    exact = sp.exp(sp.I * k * (sp.cos(sp.Rational(3, 10)) * x + sp.sin(sp.Rational(3, 10)) * y))
    operators = {square: laplacian(w) + k**2 * w, square.boundary: fens.normal_derivative(w) - sp.I * k * w}
    return fens.manufacture(operators, w, exact), {w: exact}, 900


def schroedinger():
    w = fens.complex_unknown("w")(x, t)
    spread = 1 + 2 * sp.I * t
    exact = sp.exp(-((x - 2 * t) ** 2) / (2 * spread) + sp.I * (x - t)) / sp.sqrt(spread)
    strip = fens.Box({x: (-5, 6)}).during(t, 0, sp.Rational(1, 2))
    problem = fens.Problem({
        strip: sp.Eq(sp.I * w.diff(t) + w.diff(x, 2), 0),
        strip.sides: sp.Eq(w, exact),
        strip.initial: sp.Eq(w, exact),
    })  # fmt: skip
    return problem, {w: exact}, 1600


FLOWS = {
    "stokes": ("Stokes, mean pressure zero", stokes, 1e-11),
    "elasticity": ("linear elasticity, one face clamped, traction on three", elasticity, 1e-11),
    "kovasznay": ("Kovasznay flow, Re = 40", kovasznay, 1e-9),
    "taylor_green": ("Taylor–Green vortex, ν = 0.05, t ≤ 1", taylor_green, 1e-8),
    "impedance": ("Helmholtz, impedance, complex plane wave, k = 20", impedance, 1e-11),
    "schroedinger": ("Schrödinger, free Gaussian packet", schroedinger, 1e-9),
}


def flow(name):
    """One of the systems."""
    title, make, bound = FLOWS[name]
    problem, exact, features = make()
    solution = fens.solve(problem, features=features)
    error = max(c.linf for c in solution.compare(exact).values())
    return title, f"{features} each", error, bound, f"{solution.error.estimate:.1e} {solution.error.verdict}"


def disc():
    """Laplace on the unit disc: squares of the zeros of Bessel functions."""
    eigenvalue = fens.Unknown("λ")
    ball = fens.Ball({x: 0, y: 0}, radius=1)
    problem = fens.Problem({ball: sp.Eq(-laplacian(u), eigenvalue * u), ball.boundary: sp.Eq(u, 0)})
    modes = fens.eigen(problem, eigenvalue, count=6, features=600)
    zeros = sorted(z for n in range(6) for z in jn_zeros(n, 3).tolist() * (1 if n == 0 else 2))[:6]
    error = max(abs(m.eigenvalue - z**2) for m, z in zip(modes, zeros, strict=True))
    return "Laplace eigenvalues of the disc, first six", "600", error, 1e-10, f"{max(m.estimate for m in modes):.1e}"


def inverse(runs=100):
    """How often the diffusivity lies within three standard deviations of what is found."""
    w, k = sp.Function("w")(x, t), fens.Unknown("k", initial=1)
    strip = fens.Box({x: (0, 1)}).during(t, 0, 1)
    within = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        xs, ts = rng.uniform(0, 1, (2, 50))
        values = np.exp(-0.3 * np.pi**2 * ts) * np.sin(np.pi * xs) + 0.01 * rng.standard_normal(50)
        problem = fens.Problem({
            strip: sp.Eq(w.diff(t), k * w.diff(x, 2)),
            strip.sides: sp.Eq(w, 0),
            strip.initial: sp.Eq(w, sp.sin(sp.pi * x)),
            fens.Points({x: xs, t: ts}): sp.Eq(w, fens.Data(values, std=0.01)),
        })  # fmt: skip
        found = fens.solve(problem, features=200, estimate=False, seed=seed)[k]
        within += abs(found - 0.3) <= 3 * found.std
    title = f"diffusivity from 50 noisy samples: runs of {runs} outside three deviations"
    return title, "200", runs - within, runs // 10, f"last: {found!r}"


def wave():
    """A standing wave to t = 20 in ten blocks."""
    w, strip = sp.Function("w")(x, t), fens.Box({x: (0, 1)}).during(t, 0, 20)
    exact = sp.sin(sp.pi * x) * sp.cos(sp.pi * t)
    problem = fens.Problem({
        strip: sp.Eq(w.diff(t, 2), w.diff(x, 2)),
        strip.sides: sp.Eq(w, 0),
        strip.initial: [sp.Eq(w, sp.sin(sp.pi * x)), sp.Eq(w.diff(t), 0)],
    })  # fmt: skip
    solution = fens.solve(problem, features=900, blocks=10)
    error = solution.compare(exact, points={x: np.linspace(0, 1, 201), t: 20.0}).linf
    return "standing wave to t = 20, ten blocks, at the end", "900 each", error, 1e-9, f"{solution.error.estimate:.1e}"


CASES = {**{name: (lambda name=name: flow(name)) for name in FLOWS}, "disc": disc, "wave": wave, "inverse": inverse}


def main(names):
    """Run the chosen cases, or all, and print a table."""
    print("| problem | features | L∞ | wanted | estimate | seconds |", "|---" * 6 + "|", sep="\n")
    for name in names or CASES:
        start = time.perf_counter()
        title, features, error, bound, estimate = CASES[name]()
        missed = "" if error <= bound else " MISSED"
        print(f"| {title} | {features} | {error:.1e} | {bound:.0e}{missed} | {estimate} | "
              f"{time.perf_counter() - start:.0f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1:])
