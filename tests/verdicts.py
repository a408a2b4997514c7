"""Problems with a known verdict, most of them drawn by seed: what `benchmarks/verdicts.py` and `test_verdicts.py` try.

Each family makes a trial from a random generator. Of a trial is known what a solution may be called:

- "solved": the exact solution is known and within reach, so that it must not be called unreliable;
- "hard": the exact solution is known, and may be out of reach; where a verdict trusts the estimate, it must be right;
- "contradictory": no function satisfies the equations: "inconsistent", or at least never trusted;
- "ill-posed": the equations do not determine a solution, or not one that depends on them continuously: never trusted.
"""

import sys
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

import fens
from fens.geometry import Demand

x, y, t, r = sp.symbols("x y t r")
U, V, W, P = (sp.Function(n) for n in "uvwp")
line, square = fens.Box({x: (0, 1)}), fens.Box({x: (0, 1), y: (0, 1)})
disc = fens.Ball({x: 0, y: 0}, radius=1)
SMALL, PLANE = 120, 250  # features on a line and in the plane, where their number is given


@dataclass(frozen=True)
class Trial:
    """A problem, what is known of it, and how it is solved; `near` has places towards which errors are looked for."""

    kind: str
    problem: fens.Problem
    exact: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)
    near: tuple[tuple[float, ...], ...] = ()


Family = Callable[[np.random.Generator], Trial]


def laplacian(f: sp.Expr, *coordinates: sp.Symbol) -> sp.Expr:
    return sp.Add(*(f.diff(c, 2) for c in coordinates or f.args))


def number(rng: np.random.Generator, low: float, high: float) -> sp.Float:
    """A number with few digits, so that problems can be read."""
    return sp.Float(round(float(rng.uniform(low, high)), 3))


def wavy(rng: np.random.Generator, *coordinates: sp.Symbol, waves: float = 4.0) -> sp.Expr:
    """A smooth function of size about 1."""
    phase = sum(number(rng, -waves, waves) * c for c in coordinates)
    tilt = sum(number(rng, -1, 1) * c for c in coordinates)
    return sp.cos(phase + number(rng, 0, 6)) + number(rng, 0.2, 0.6) * sp.exp(tilt)


def pick(rng: np.random.Generator, options: Any) -> Any:
    return options[int(rng.integers(len(options)))]


def plane_domain(rng: np.random.Generator) -> Any:
    """A domain in the plane with smooth or convex boundary, or a hole."""
    a, b = (float(number(rng, 0.6, 1.6)) for _ in range(2))
    return pick(
        rng,
        (
            fens.Box({x: (-a, a), y: (0, b)}),
            fens.Ball({x: 0, y: 0}, radius={x: a, y: b}),
            fens.Polygon([(0, 0), (a, 0.1), (a, b), (0.2, b)], (x, y)),
            fens.Box({x: (-1, 1), y: (-1, 1)}) - fens.Ball({x: 0.1, y: 0}, radius=0.3),
        ),
    )


# solved: smooth, of all types and sizes -----------------------------------------------------------------------


def elliptic(rng: np.random.Generator) -> Trial:
    """−div(a grad u) + b·grad u + c u = f with smooth coefficients, Dirichlet or Robin conditions."""
    u, domain, exact = U(x, y), plane_domain(rng), wavy(rng, x, y)
    a = 1 + number(rng, 0, 0.5) * sp.sin(x + y)
    operator = -sum((a * u.diff(c)).diff(c) for c in (x, y)) + number(rng, -2, 2) * u.diff(x) + number(rng, 0, 3) * u
    problem = fens.manufacture({domain: operator, domain.boundary: u}, u, exact)
    return Trial("solved", problem, exact, {"features": PLANE})


def helmholtz(rng: np.random.Generator) -> Trial:
    """Δu + k²u = f, k between resonances as often as chance has it."""
    u, exact, k = U(x, y), wavy(rng, x, y, waves=6), number(rng, 1, 9)
    problem = fens.manufacture({square: laplacian(u) + k**2 * u, square.boundary: u}, u, exact)
    return Trial("solved", problem, exact, {"features": 350})


def mixed(rng: np.random.Generator) -> Trial:
    """Poisson with Neumann and Robin conditions on faces."""
    u, exact = U(x, y), wavy(rng, x, y)
    flux = -exact.diff(x) + 2 * exact
    problem = fens.Problem({
        square: sp.Eq(laplacian(u), laplacian(exact, x, y)),
        square.face(x, 0): sp.Eq(-u.diff(x) + 2 * u, flux),
        square.face(x, 1): sp.Eq(u.diff(x), exact.diff(x)),
        square.face(y, 0): sp.Eq(u, exact),
        square.face(y, 1): sp.Eq(u, exact),
    })
    return Trial("solved", problem, exact, {"features": PLANE})


def growth(rng: np.random.Generator) -> Trial:
    """u′ = a u, growing or falling by many orders of magnitude."""
    w, a = W(x), number(rng, -20, 20)
    problem = fens.Problem({line: sp.Eq(w.diff(x), a * w), line.face(x, 0): sp.Eq(w, 1)})
    return Trial("solved", problem, sp.exp(a * x), {"features": SMALL})


def logistic(rng: np.random.Generator) -> Trial:
    """w′ = a w (1 − w), from a little."""
    w, a, first = W(x), number(rng, 2, 10), number(rng, 0.02, 0.4)
    exact = 1 / (1 + (1 / first - 1) * sp.exp(-a * x))
    problem = fens.Problem({line: sp.Eq(w.diff(x), a * w * (1 - w)), line.face(x, 0): sp.Eq(w, first)})
    return Trial("solved", problem, exact, {"features": SMALL})


def near_resonance(rng: np.random.Generator) -> Trial:
    """w″ + (nπ + δ)² w = f with a small δ: well-posed, and sensitive."""
    w, n = W(x), int(rng.integers(1, 4))
    k = float(n * np.pi + 10 ** rng.uniform(-3.5, -1))
    exact = sp.exp(x) + sp.sin(3 * x)
    problem = fens.manufacture({line: w.diff(x, 2) + k**2 * w, line.boundary: w}, w, exact)
    return Trial("solved", problem, exact, {"features": SMALL})


def oscillator(rng: np.random.Generator) -> Trial:
    """w″ + 2 d w′ + k² w = 0 from initial values."""
    w, k, d = W(x), number(rng, 2, 20), number(rng, -2, 2)
    omega = sp.sqrt(k**2 - d**2) if k > abs(d) + 0.1 else None
    if omega is None:
        k, omega = abs(d) + 1, sp.sqrt((abs(d) + 1) ** 2 - d**2)
    exact = sp.exp(-d * x) * sp.sin(omega * x)
    problem = fens.Problem({
        line: sp.Eq(w.diff(x, 2) + 2 * d * w.diff(x) + k**2 * w, 0),
        line.face(x, 0): [sp.Eq(w, 0), sp.Eq(w.diff(x), omega)],
    })
    return Trial("solved", problem, exact, {"features": SMALL})


def scaled(rng: np.random.Generator) -> Trial:
    """Poisson in other units: lengths and values of any order of magnitude."""
    u, size, length = U(x, y), 10.0 ** float(rng.integers(-9, 9)), 10.0 ** float(rng.integers(-6, 6))
    box = fens.Box({x: (0, length), y: (0, 2 * length)})
    exact = sp.Float(size) * wavy(rng, x, y).subs({x: x / length, y: y / length}, simultaneous=True)
    problem = fens.manufacture({box: laplacian(u), box.boundary: u}, u, exact)
    return Trial("solved", problem, exact, {"features": PLANE})


def far_away(rng: np.random.Generator) -> Trial:
    """An interval far from the origin, so that its coordinates have few digits."""
    w, length = W(x), 10.0 ** float(rng.integers(-3, 1))
    start = float(10.0 ** rng.integers(2, 7)) * length * 1000
    box = fens.Box({x: (start, start + length)})
    exact = sp.sin(number(rng, 2, 6) * (x - start) / length) + 1
    problem = fens.manufacture({box: w.diff(x, 2), box.boundary: w}, w, exact)
    return Trial("solved", problem, exact, {"features": SMALL})


def heat(rng: np.random.Generator) -> Trial:
    """Heat on a rod, forward in time, of any diffusivity."""
    v, rod = V(x, t), line.during(t, 0, 1)
    a, n = 10 ** float(rng.uniform(-2.5, -0.5)), int(rng.integers(1, 4))
    exact = sp.exp(-a * (n * sp.pi) ** 2 * t) * sp.sin(n * sp.pi * x) + number(rng, -1, 1) * x
    problem = fens.Problem({
        rod: sp.Eq(v.diff(t), a * v.diff(x, 2)), rod.sides: sp.Eq(v, exact), rod.initial: sp.Eq(v, exact)
    })
    return Trial("solved", problem, exact, {"features": PLANE})


def backward_as_it_should(rng: np.random.Generator) -> Trial:
    """Diffusion of the other sign with a final condition: as well-posed as heat."""
    v, rod = V(x, t), line.during(t, 0, 1)
    a = number(rng, 0.02, 0.2)
    exact = sp.exp(-a * sp.pi**2 * (1 - t)) * sp.sin(sp.pi * x)
    problem = fens.Problem({
        rod: sp.Eq(-v.diff(t), a * v.diff(x, 2)), rod.sides: sp.Eq(v, 0), rod.final: sp.Eq(v, exact)
    })
    return Trial("solved", problem, exact, {"features": PLANE})


def wave(rng: np.random.Generator) -> Trial:
    """A string."""
    v, rod, c = V(x, t), line.during(t, 0, 1), number(rng, 0.5, 2)
    exact = sp.sin(sp.pi * x) * sp.cos(c * sp.pi * t) + number(rng, 0.1, 0.5) * sp.sin(2 * sp.pi * x) * sp.sin(
        2 * c * sp.pi * t
    )
    problem = fens.Problem({
        rod: sp.Eq(v.diff(t, 2), c**2 * v.diff(x, 2)),
        rod.sides: sp.Eq(v, 0),
        rod.initial: [sp.Eq(v, exact), sp.Eq(v.diff(t), exact.diff(t))],
    })
    return Trial("solved", problem, exact, {"features": 350})


def advection(rng: np.random.Generator) -> Trial:
    """Advection with its inflow given, in either direction."""
    v, rod, c = V(x, t), line.during(t, 0, 1), number(rng, 0.01, 2) * pick(rng, (-1, 1))
    exact = sp.sin(number(rng, 1, 4) * (x - c * t)) + x - c * t
    inflow = rod.face(x, 0 if c > 0 else 1)
    problem = fens.Problem({
        rod: sp.Eq(v.diff(t) + c * v.diff(x), 0), inflow: sp.Eq(v, exact), rod.initial: sp.Eq(v, exact)
    })
    return Trial("solved", problem, exact, {"features": PLANE})


def dispersive(rng: np.random.Generator, misplaced: int) -> tuple[fens.Problem, sp.Expr]:
    """u_t = c ∂ⁿu/∂xⁿ + lower ones, n = 3 or 5, either way in time, with `misplaced` conditions at the wrong end."""
    v, rod, order, c = V(x, t), line.during(t, 0, 1), pick(rng, (3, 5)), number(rng, 0.05, 1) * pick(rng, (-1, 1))
    k, forward = number(rng, 0.5, 2), rng.random() < 0.7
    exact = sp.cos(k * x + number(rng, -1, 1) * t) + number(rng, -1, 1) * x * t
    lower, first = number(rng, -0.5, 0.5), number(rng, -1, 1)
    left, right = (f.diff(t) - c * f.diff(x, order) - lower * f.diff(x) - first * f for f in (v, exact))
    # κⁿ = s/c has one root more that grows than that decays if n is 5 and s/c > 0, or n is 3 and s/c < 0
    more_above = (order == 5) == ((c > 0) == forward)
    lower_end = int(np.clip(order // 2 + (0 if more_above else 1) + misplaced, 0, order))
    ends = {rod.face(x, 0): lower_end, rod.face(x, 1): order - lower_end}
    problem = fens.Problem({
        rod: sp.Eq(left, right),
        rod.initial if forward else rod.final: sp.Eq(v, exact),
        **{e: [sp.Eq(v.diff(x, i), exact.diff(x, i)) for i in range(n)] for e, n in ends.items() if n},
    })
    return problem, exact


def dispersion(rng: np.random.Generator) -> Trial:
    """An equation of evolution of odd order in space, with as many conditions at each end as it wants."""
    problem, exact = dispersive(rng, 0)
    return Trial("solved", problem, exact, {"features": PLANE})


def rotation(rng: np.random.Generator) -> Trial:
    """Stationary transport by a rotating flow, with values where it enters."""
    u, exact = U(x, y), wavy(rng, x, y)
    box = fens.Box({x: (0.5, 1.5), y: (0, 1)})
    problem = fens.Problem({
        box: sp.Eq(-y * u.diff(x) + x * u.diff(y), -y * exact.diff(x) + x * exact.diff(y)),
        box.face(y, 0): sp.Eq(u, exact),
        box.face(x, 1.5): sp.Eq(u, exact),
    })
    return Trial("solved", problem, exact, {"features": PLANE})


def periodic(rng: np.random.Generator) -> Trial:
    """Advection and diffusion on a ring, in time."""
    v, rod, c, a = V(x, t), line.during(t, 0, 1), number(rng, -1, 1), number(rng, 0.005, 0.05)
    k = 2 * sp.pi
    exact = sp.exp(-a * k**2 * t) * sp.cos(k * (x - c * t))
    problem = fens.Problem({
        rod: sp.Eq(v.diff(t) + c * v.diff(x), a * v.diff(x, 2)),
        rod.pair(x): [sp.Eq(fens.jump(v), 0), sp.Eq(fens.jump(v.diff(x)), 0)],
        rod.initial: sp.Eq(v, exact),
    })
    return Trial("solved", problem, exact, {"features": 300})


def nonlinear(rng: np.random.Generator) -> Trial:
    """Δu + a sin u, u³ or e^u, with a manufactured solution."""
    u, exact = U(x, y), wavy(rng, x, y)
    term = pick(rng, (sp.sin(u), u**3, sp.exp(u) / 3))
    problem = fens.manufacture({square: laplacian(u) - number(rng, 0.3, 2) * term, square.boundary: u}, u, exact)
    return Trial("solved", problem, exact, {"features": 200})


def stokes(rng: np.random.Generator) -> Trial:
    """Stokes' equations with a manufactured flow."""
    u, v, p = U(x, y), V(x, y), P(x, y)
    stream = wavy(rng, x, y, waves=3)
    exact = {u: stream.diff(y), v: -stream.diff(x), p: sp.sin(number(rng, 1, 3) * x) * (y - 0.5)}
    forces = [exact[p].diff(c) - laplacian(exact[f], x, y) for c, f in ((x, u), (y, v))]
    problem = fens.Problem({
        square: [
            sp.Eq(p.diff(x) - laplacian(u), forces[0]),
            sp.Eq(p.diff(y) - laplacian(v), forces[1]),
            sp.Eq(u.diff(x) + v.diff(y), 0),
            sp.Eq(fens.integral(p), 0),
        ],
        square.boundary: [sp.Eq(u, exact[u]), sp.Eq(v, exact[v])],
    })
    return Trial("solved", problem, exact, {"features": 170})


def beam(rng: np.random.Generator) -> Trial:
    """w⁗ = f, clamped or simply supported."""
    w, exact = W(x), wavy(rng, x, waves=6)
    second = pick(rng, (1, 2))
    problem = fens.manufacture({line: w.diff(x, 4), line.boundary: [w, w.diff(x, second)]}, w, exact)
    return Trial("solved", problem, exact, {"features": SMALL})


def pair_of_functions(rng: np.random.Generator) -> Trial:
    """Two coupled equations in one dimension, one unknown much smaller than the other."""
    w, v, small = W(x), V(x), 10.0 ** float(rng.integers(-4, 1))
    exact = {w: wavy(rng, x), v: sp.Float(small) * wavy(rng, x)}
    problem = fens.Problem({
        line: [
            sp.Eq(w.diff(x, 2) + v / small, exact[w].diff(x, 2) + exact[v] / small),
            sp.Eq(v.diff(x, 2) - small * w, exact[v].diff(x, 2) - small * exact[w]),
        ],
        line.boundary: [sp.Eq(w, exact[w]), sp.Eq(v, exact[v])],
    })
    return Trial("solved", problem, exact, {"features": 80})


def regular_at_zero(rng: np.random.Generator) -> Trial:
    """Bessel's and Legendre's equations and polar Laplace, where their solutions are smooth."""
    w, which = W(x), int(rng.integers(4))
    if which < 2:
        exact = sp.besselj(which, 3 * x)
        problem = fens.Problem({
            line: sp.Eq(x**2 * w.diff(x, 2) + x * w.diff(x) + (9 * x**2 - which) * w, 0),
            line.face(x, 0): sp.Eq(w, 1 - which),
            line.face(x, 1): sp.Eq(w, float(exact.subs(x, 1))),
        })
        return Trial("solved", problem, exact, {"features": SMALL}, ((0.0,),))
    if which == 2:
        exact, both = sp.legendre(5, x) + 0 * x, fens.Box({x: (-1, 1)})
        equation = sp.Eq(((1 - x**2) * w.diff(x)).diff(x) + 30 * w, 0)
        problem = fens.Problem({both: equation, both.boundary: sp.Eq(w, exact)})
        return Trial("solved", problem, exact, {"features": SMALL}, ((1.0,),))
    u, exact = U(r, x), r * sp.cos(x) + number(rng, -1, 1) * r**2 * sp.sin(2 * x)
    sector = fens.Box({r: (0, 1), x: (0, 3)})
    problem = fens.Problem({
        sector: sp.Eq(r**2 * u.diff(r, 2) + r * u.diff(r) + u.diff(x, 2), 0), sector.boundary: sp.Eq(u, exact)
    })
    return Trial("solved", problem, exact, {"features": PLANE}, ((0.0, 0.3),))


def from_a_singular_end(rng: np.random.Generator) -> Trial:
    """Hypergeometric and Legendre functions by their value where the equation degenerates, which must be given."""
    from scipy.special import hyp2f1, lpmv

    w = W(x)
    if rng.integers(2):
        a, b, c = number(rng, 0.5, 1.5), number(rng, 0.5, 2), number(rng, 1.3, 1.8)
        domain = fens.Box({x: (0, 0.7)})
        equation = x * (1 - x) * w.diff(x, 2) + (c - (a + b + 1) * x) * w.diff(x) - a * b * w
        problem = fens.Problem({domain: equation, domain.face(x, 0): sp.Eq(w, 1)})
        return Trial("solved", problem, lambda s: hyp2f1(float(a), float(b), float(c), s), {"features": 60}, ((0.0,),))
    degree, domain = number(rng, 2, 4.5), fens.Box({x: (-0.9, 1)})
    equation = (1 - x**2) * w.diff(x, 2) - 2 * x * w.diff(x) + degree * (degree + 1) * w
    problem = fens.Problem({domain: equation, domain.face(x, 1): sp.Eq(w, 1)})
    return Trial("solved", problem, lambda s: lpmv(0, float(degree), s), {"features": 60}, ((1.0,),))


def around_an_axis(rng: np.random.Generator) -> Trial:
    """Laplace around an axis, divided by the distance from it, or not."""
    u, by, k = U(r, x), pick(rng, (1, r)), number(rng, 0.5, 3)
    exact = number(rng, 0.3, 1) * (r**2 - 2 * x**2) + number(rng, 0.3, 1) * sp.besselj(0, k * r) * sp.exp(k * x)
    tube = fens.Box({r: (0, 1), x: (0, 1)})
    problem = fens.Problem({
        tube: sp.Eq(by * (u.diff(r, 2) + u.diff(r) / r + u.diff(x, 2)), 0),
        tube.face(r, 0): sp.Eq(u.diff(r), 0),
        **{face: sp.Eq(u, exact) for face in (tube.face(r, 1), tube.face(x, 0), tube.face(x, 1))},
    })
    return Trial("solved", problem, exact, {"features": PLANE}, ((0.0, 0.3),))


def regular_on_a_line(rng: np.random.Generator) -> tuple[dict[Any, Any], sp.Expr, sp.Expr]:
    """Equations of order two or four on an interval, with conditions at its ends, their unknown and its solution."""
    w, exact = W(x), wavy(rng, x)
    operator, ends = pick(
        rng,
        (
            (w.diff(x, 2), [w]),
            (w.diff(x, 2) + number(rng, -4, 4) * w, [w]),
            (w.diff(x, 4) - w, [w, w.diff(x)]),
            (w.diff(x, 2) - 2 * w**3, [w]),
        ),
    )
    given = {f: f.subs(w, exact).doit() for f in (operator, *ends)}
    equations = {line: [sp.Eq(operator, given[operator])], line.boundary: [sp.Eq(f, given[f]) for f in ends]}
    return equations, w, exact


def one_more(rng: np.random.Generator, w: sp.Expr, exact: sp.Expr, gap: float) -> dict[Any, Any]:
    """A value, a few of them, a slope or an integral of a function, off by something."""
    places = rng.uniform(0.1, 0.9, int(rng.integers(1, 3)))
    values = sp.lambdify(x, exact, "numpy")(places) + gap
    whole = float(sp.Integral(exact, (x, 0, 1)).evalf()) + gap
    slope = sp.Eq(w.diff(x), exact.diff(x) + gap)
    return dict([pick(rng, (
        (fens.Points({x: places}), sp.Eq(w, fens.Data(values))),
        (line, sp.Eq(fens.integral(w), whole)),
        (line.face(x, 0), slope),
    ))])  # fmt: skip


def joined(equations: Mapping[Any, Any], more: Mapping[Any, Any]) -> fens.Problem:
    """A problem of equations and more of them, for the same regions or others."""
    return fens.Problem({k: [*equations.get(k, []), *([more[k]] if k in more else [])] for k in {**equations, **more}})


def divided_by_distance(rng: np.random.Generator) -> Trial:
    """w″ + m w′/x = f as it stands next to x = 0, where smooth solutions need no condition; few features or many."""
    w, m, k, end = W(x), int(rng.integers(1, 4)), number(rng, 0.5, 2), float(number(rng, 1, 3))
    exact = sp.cos(k * x) + number(rng, -1, 1) * x**2
    ball = fens.Box({x: (0, end)})
    source = exact.diff(x, 2) + m * sp.expand(exact.diff(x) / x)
    problem = fens.Problem({
        ball: sp.Eq(w.diff(x, 2) + m * w.diff(x) / x, source), ball.face(x, end): sp.Eq(w, exact.subs(x, end))
    })
    return Trial("solved", problem, exact, {"features": pick(rng, (SMALL, 200, 400))}, ((0.0,),))


def wavy_integral(rng: np.random.Generator) -> Trial:
    """w″ + k² w = 0 with w(0) = 0, and its integral instead of a value at the other end."""
    w, k = W(x), number(rng, 5, 90)
    whole = (1 - np.cos(float(k))) / float(k)
    if abs(np.sin(float(k) / 2)) < 0.3:  # next to a wave number at which the integral says nothing
        k, whole = sp.Float(33.0), (1 - np.cos(33.0)) / 33.0
    equations = [sp.Eq(w.diff(x, 2) + k**2 * w, 0), sp.Eq(fens.integral(w), whole)]
    problem = fens.Problem({line: equations, line.face(x, 0): sp.Eq(w, 0)})
    return Trial("solved", problem, sp.sin(k * x), {"features": 200})


def known_twice(rng: np.random.Generator) -> Trial:
    """A condition more than needed, which fits the others."""
    equations, w, exact = regular_on_a_line(rng)
    first_order_too = any(f.lhs == w.diff(x) for f in equations[line.boundary])
    more = one_more(rng, w, exact, 0.0)
    problem = joined(equations, {} if first_order_too and line.face(x, 0) in more else more)
    return Trial("solved", problem, exact, {"features": pick(rng, (60, SMALL, 300, 400))})


def lively(rng: np.random.Generator) -> Trial:
    """What varies fast and yet is resolved: many waves, poles next to the interval, bumps, smooth steps, kinks."""
    w, a, which = W(x), number(rng, 0.2, 0.8), int(rng.integers(5))
    k = number(rng, 50, 150)
    step = sp.Float(5.5) + sp.Float(4.5) * sp.tanh((x - a) * 12)
    if which == 0:
        problem, exact = fens.Problem({line: sp.Eq(w, f := sp.sin(k * x) + x)}), f
    elif which == 1:
        problem, exact = fens.manufacture({line: w.diff(x, 2), line.boundary: w}, w, f := sp.cos(k * x) + x), f
    elif which == 2:
        problem, exact = fens.Problem({line: sp.Eq(w, f := 1 / (1 + 50 * (x - a) ** 2))}), f
    elif which == 3:
        exact = sp.exp(-(((x - a) * 12) ** 2)) + x
        problem = fens.manufacture({line: sp.Derivative(step * w.diff(x), x), line.boundary: w}, w, exact)
    else:
        exact = wavy(rng, x)
        bent = 1 + sp.Abs(x - a)
        problem = fens.Problem({
            line: sp.Eq(bent * w.diff(x, 2) + w, bent * exact.diff(x, 2) + exact), line.boundary: sp.Eq(w, exact)
        })
    return Trial("solved", problem, exact, {"features": 300})


# hard: what limits it is known, and the estimate must know, too -----------------------------------------------


def bessel(rng: np.random.Generator) -> Trial:
    """Bessel's equation at 0, where its solution is x^ν times a smooth function."""
    w, nu = W(x), pick(rng, (sp.Rational(1, 2), sp.Rational(1, 3), sp.Rational(4, 3), sp.Rational(2, 5)))
    exact = sp.besselj(nu, 2 * x)
    problem = fens.Problem({
        line: sp.Eq(x**2 * w.diff(x, 2) + x * w.diff(x) + (4 * x**2 - nu**2) * w, 0),
        line.face(x, 0): sp.Eq(w, 0),
        line.face(x, 1): sp.Eq(w, float(exact.subs(x, 1))),
    })
    return Trial("hard", problem, exact, {"features": SMALL}, ((0.0,),))


def euler(rng: np.random.Generator) -> Trial:
    """x² w″ + a x w′ + b w = 0 with w = x^p."""
    w, p, q = W(x), number(rng, 0.3, 2.7), number(rng, 0.4, 1.5)
    problem = fens.Problem({
        line: sp.Eq(x**2 * w.diff(x, 2) + (1 - p + q) * x * w.diff(x) - p * q * w, 0),
        line.face(x, 0): sp.Eq(w, 0),
        line.face(x, 1): sp.Eq(w, 1),
    })
    return Trial("hard", problem, x**p, {"features": SMALL}, ((0.0,),))


def root(rng: np.random.Generator) -> Trial:
    """x w″ + (1 − p) w′ = f, whose solution is x^p and something smooth."""
    w, p, smooth = W(x), number(rng, 0.3, 1.8), number(rng, -1, 1) * sp.exp(x)
    exact = x**p + smooth
    problem = fens.Problem({
        line: sp.Eq(x * w.diff(x, 2) + (1 - p) * w.diff(x), x * smooth.diff(x, 2) + (1 - p) * smooth.diff(x)),
        line.boundary: sp.Eq(w, exact),
    })
    return Trial("hard", problem, exact, {"features": SMALL}, ((0.0,),))


def branching(rng: np.random.Generator) -> Trial:
    """w w′ = f, whose solution is the root of a function that vanishes at one end."""
    w, a, b = W(x), number(rng, 0.5, 1.5), number(rng, 0, 1)
    end = int(rng.integers(2))
    away = x if end == 0 else 1 - x
    exact = sp.sqrt(a * away + b * away**2)
    problem = fens.Problem({
        line: sp.Eq(w * w.diff(x), sp.expand(exact**2 / 2).diff(x)), line.face(x, 1 - end): sp.Eq(w, exact)
    })
    return Trial("hard", problem, exact, {"features": 2 * SMALL}, ((float(end),),))


def polar(rng: np.random.Generator) -> Trial:
    """Laplace in polar coordinates on a sector, whose solution is r^λ sin λφ."""
    u, degrees = U(r, x), pick(rng, (200, 270, 315, 360))
    lam = sp.Float(round(180 / degrees, 4))
    sector = fens.Box({r: (0, 1), x: (0, float(sp.pi / lam))})
    exact = r**lam * sp.sin(lam * x)
    problem = fens.Problem({
        sector: sp.Eq(r**2 * u.diff(r, 2) + r * u.diff(r) + u.diff(x, 2), 0),
        sector.face(r, 0): sp.Eq(u, 0),
        sector.face(r, 1): sp.Eq(u, exact),
        sector.face(x, 0): sp.Eq(u, 0),
        sector.face(x, float(sp.pi / lam)): sp.Eq(u, exact),
    })
    return Trial("hard", problem, exact, {"features": PLANE}, ((0.0, 0.3), (0.0, 1.5)))


def weak_corner(rng: np.random.Generator) -> Trial:
    """Laplace on a square with u = r^p sin or cos pφ at one of its corners, from Dirichlet or Neumann data."""
    u, p = U(x, y), number(rng, 0.6, 2.6)
    radius, angle = sp.sqrt(x**2 + y**2), sp.atan2(y, x)
    exact = radius**p * pick(rng, (sp.sin, sp.cos))(p * angle)
    faces = {square.face(y, 0): sp.Eq(u, exact)}
    if rng.random() < 0.3:
        turned = sp.cos(p * angle) if exact.has(sp.sin) else -sp.sin(p * angle)
        slope = p * (y * exact / radius**2 + x * radius ** (p - 2) * turned)
        faces = {square.face(y, 0): sp.Eq(u.diff(y), slope)}
    problem = fens.Problem({
        square: sp.Eq(laplacian(u), 0), **faces,
        square.face(x, 0): sp.Eq(u, exact), square.face(x, 1): sp.Eq(u, exact), square.face(y, 1): sp.Eq(u, exact),
    })
    return Trial("hard", problem, exact, {"features": PLANE}, ((0.0, 0.0),))


def corner(rng: np.random.Generator) -> Trial:
    """Laplace on an L, u = r^(2/3) sin(2φ/3) and a smooth part."""
    u = U(x, y)
    bent = fens.Polygon([(-1, -1), (0, -1), (0, 0), (1, 0), (1, 1), (-1, 1)], (x, y))
    angle = sp.Piecewise((sp.atan2(y, x), y >= 0), (sp.atan2(y, x) + 2 * sp.pi, True))
    share = 10 ** float(rng.uniform(-6, 0))
    exact = share * (x**2 + y**2) ** sp.Rational(1, 3) * sp.sin(2 * angle / 3) + sp.exp(x) * sp.cos(y)
    problem = fens.Problem({bent: sp.Eq(laplacian(u), 0), bent.boundary: sp.Eq(u, exact)})
    return Trial("hard", problem, exact, {"features": PLANE}, ((0.0, 0.0),))


def jumping_data(rng: np.random.Generator) -> Trial:
    """Laplace on a square, boundary values that jump where two faces meet: singular, and not inconsistent."""
    u, height = U(x, y), 10 ** float(rng.uniform(-4, 0))
    exact = height * sp.atan2(y, x) * 2 / sp.pi + x * y
    problem = fens.Problem({
        square: sp.Eq(laplacian(u), 0),
        square.face(y, 0): sp.Eq(u, 0),
        square.face(x, 0): sp.Eq(u, height),
        square.face(x, 1): sp.Eq(u, exact),
        square.face(y, 1): sp.Eq(u, exact),
    })
    return Trial("hard", problem, exact, {"features": PLANE}, ((0.0, 0.0),))


def torsion(rng: np.random.Generator) -> Trial:
    """−Δu = 1 on a square, whose corners are singular to the second order."""
    u = U(x, y)
    del rng
    with_series = str(Path(__file__).parents[1] / "benchmarks")
    if with_series not in sys.path:
        sys.path.insert(0, with_series)
    from corners.series import square_with_source

    problem = fens.Problem({square: sp.Eq(-laplacian(u), 1), square.boundary: sp.Eq(u, 0)})
    return Trial("hard", problem, square_with_source, {"features": PLANE})


def bump(rng: np.random.Generator) -> Trial:
    """A bump anywhere, of any width, in a source or in boundary values."""
    u, width = U(x, y), 10 ** float(rng.uniform(-2.3, -0.3))
    a, b = number(rng, 0.2, 0.8), number(rng, 0.2, 0.8)
    exact = sp.exp(-((x - a) ** 2 + (y - b) ** 2) / width**2) + x
    problem = fens.manufacture({square: laplacian(u), square.boundary: u}, u, exact)
    return Trial("hard", problem, exact, {"features": 400}, ((float(a), float(b)),))


def bump_on_a_line(rng: np.random.Generator) -> Trial:
    """The same in one dimension, down to a hundred-thousandth of the interval."""
    w, width, a = W(x), 10 ** float(rng.uniform(-5, -0.5)), number(rng, 0.1, 0.9)
    exact = sp.exp(-(((x - a) / width) ** 2)) + x
    problem = fens.manufacture({line: w.diff(x, 2), line.boundary: w}, w, exact)
    return Trial("hard", problem, exact, {"features": 200}, ((float(a),),))


def under_a_bell(a: float, width: float) -> tuple[float, float]:
    """The integrals of exp(−((x − a)/width)²) and of x times it over (0, 1)."""
    from scipy.special import erf

    mass = width * np.sqrt(np.pi) / 2 * float(erf((1 - a) / width) + erf(a / width))
    ends = np.exp(-((a / width) ** 2)) - np.exp(-(((1 - a) / width) ** 2))
    return mass, a * mass + width**2 / 2 * float(ends)


def weighted_integral(rng: np.random.Generator) -> Trial:
    """A line through zero, whose slope an integral tells, with a bump, a step or a root in its weight."""
    w, a = W(x), float(number(rng, 0.2, 0.8))
    width = 10 ** float(rng.uniform(-5, -1))
    weight, whole = pick(rng, (
        (1 + sp.exp(-(((x - a) / width) ** 2)) / width, 0.5 + under_a_bell(a, width)[1] / width),
        (sp.Heaviside(x - a, 0), (1 - a**2) / 2),
        (sp.Piecewise((2, x < a), (1, True)), (1 + a**2) / 2),
        (1 / sp.sqrt(x), 2 / 3),
        (sp.Abs(x - a), (1 - a) ** 2 * (2 + a) / 6 + a**3 / 6),
    ))  # fmt: skip
    equations = [sp.Eq(w.diff(x, 2), 0), sp.Eq(fens.integral(weight * w), float(whole))]
    return Trial("hard", fens.Problem({line: equations, line.face(x, 0): sp.Eq(w, 0)}), x, {"features": SMALL})


def weighted_mean(rng: np.random.Generator) -> Trial:
    """Laplace with given fluxes, and a mean over a spot or a strip of the square, or over a part of a face."""
    u, a, b = U(x, y), float(number(rng, 0.35, 0.65)), float(number(rng, 0.35, 0.65))
    width, which = 10 ** float(rng.uniform(-2.3, -1)), int(rng.integers(3))
    spot = sp.exp(-((x - a) ** 2 + (y - b) ** 2) / width**2) / (width**2 * sp.pi)
    strip = sp.Piecewise((u, x < a), (0, True))
    flux = {square.boundary: sp.Eq(fens.normal_derivative(u), fens.normal(x))}
    if which == 2:
        part = sp.Piecewise((u, y < b), (0, True))
        problem = fens.Problem({square: laplacian(u), square.face(x, 1): sp.Eq(fens.integral(part), 2 * b), **flux})
        return Trial("hard", problem, x + 1, {"features": PLANE})
    (mass, moment), (across, _) = under_a_bell(a, width), under_a_bell(b, width)
    of_spot = (mass + moment) * across / (width**2 * np.pi)
    inside, whole = pick(rng, ((spot * u, of_spot), (strip, a**2 / 2 + a)))
    problem = fens.Problem({square: [laplacian(u), sp.Eq(fens.integral(inside), whole)], **flux})
    return Trial("hard", problem, x + 1, {"features": PLANE})


def bump_in_the_solution(rng: np.random.Generator) -> Trial:
    """A source that is a bump in w or w′, of any width; what it adds up to is a step of the slope."""
    w, width, a = W(x), 10 ** float(rng.uniform(-4.5, -1)), number(rng, 0.3, 0.7)
    if rng.integers(2):  # from zero with slope 1: w′² = 1 + 2 ∫ of the source over w
        from scipy.interpolate import CubicSpline
        from scipy.special import erf

        high = float(number(rng, 0.1, 0.6))
        source = high * sp.exp(-(((w - a) / width) ** 2)) / width
        near = float(a) + width * np.linspace(-8, 8, 2001)  # few in all: the rounding of each adds up
        fine = np.unique(np.concatenate([np.linspace(0, 1, 2001), near[(near > 0) & (near < 1)]]))
        fine = fine[np.diff(fine, prepend=-1) > 1e-9]
        area = high * np.sqrt(np.pi) * (erf((fine - float(a)) / width) + erf(float(a) / width))
        where = CubicSpline(fine, 1 / np.sqrt(1 + area)).antiderivative()(fine)
        shape = fens.Box({x: (0, float(where[-1]))})
        start = [sp.Eq(w, 0), sp.Eq(w.diff(x), 1)]
        problem = fens.Problem({shape: sp.Eq(w.diff(x, 2), source), shape.face(x, 0): start})
        return Trial("hard", problem, CubicSpline(where, fine), {"features": 200})
    exact = sp.exp(x) / 2 + x / 4
    known = sp.exp(-(((w.diff(x) - 1 - a) / width) ** 2)) / width  # the same on both sides but for the solution
    there = sp.exp(-(((exact.diff(x) - 1 - a) / width) ** 2)) / width
    equation = sp.Eq(w.diff(x, 2) + number(rng, 0.1, 0.5) * (known - there), exact.diff(x, 2))
    problem = fens.Problem({line: equation, line.boundary: sp.Eq(w, exact)})
    return Trial("hard", problem, exact, {"features": 200, "initial": exact + 0.01 * x * (1 - x)})


def wrapped_bump(rng: np.random.Generator) -> Trial:
    """A bump that is a Python function."""
    w, width, a = W(x), 10 ** float(rng.uniform(-4.5, -1)), float(number(rng, 0.1, 0.9))
    f = fens.wrap(lambda s: np.exp(-(((s - a) / width) ** 2)))
    problem = fens.Problem({line: sp.Eq(w, f(x) + x)})
    return Trial("hard", problem, lambda s: np.exp(-(((s - a) / width) ** 2)) + s, {"features": 200}, ((a,),))


def small_bump(rng: np.random.Generator) -> Trial:
    """A narrow bump on something larger: in a fitted function, in a source, in initial or in boundary values."""
    high, width, a = 10 ** float(rng.uniform(-4, 0)), 10 ** float(rng.uniform(-4.3, -2)), float(number(rng, 0.1, 0.9))
    which, w = int(rng.integers(4)), W(x)
    bump = high * sp.exp(-(((x - a) / width) ** 2))
    if which == 0:
        exact = sp.sin(3 * x) + bump
        return Trial("hard", fens.Problem({line: sp.Eq(w, exact)}), exact, {"features": SMALL}, ((a,),))
    if which == 1:
        z = (x - a) / width
        exact = sp.sin(3 * x) + high * width**2 * (sp.sqrt(sp.pi) * z * sp.erf(z) + sp.exp(-(z**2))) / 2
        problem = fens.Problem({
            line: sp.Eq(w.diff(x, 2), -9 * sp.sin(3 * x) + bump), line.boundary: sp.Eq(w, exact)
        })
        return Trial("hard", problem, exact, {"features": SMALL}, ((a,),))
    if which == 2:
        v, rod = V(x, t), line.during(t, 0, 1)
        wide = width**2 + 0.4 * t
        images = [s * sp.exp(-((x - s * a - 2 * n) ** 2) / wide) for n in range(-3, 4) for s in (1, -1)]
        exact = sp.exp(-0.1 * sp.pi**2 * t) * sp.sin(sp.pi * x) + high * width / sp.sqrt(wide) * sp.Add(*images)
        problem = fens.Problem({
            rod: sp.Eq(v.diff(t), v.diff(x, 2) / 10),
            rod.sides: sp.Eq(v, 0),
            rod.initial: sp.Eq(v, sp.sin(sp.pi * x) + bump),
        })
        return Trial("hard", problem, exact, {"features": PLANE}, ((a, 0.0),))
    u = U(x, y)
    exact = sp.sin(x) * sp.cosh(y) + high * width * (y + width) / ((x - a) ** 2 + (y + width) ** 2)
    problem = fens.Problem({square: sp.Eq(laplacian(u), 0), square.boundary: sp.Eq(u, exact)})
    return Trial("hard", problem, exact, {"features": PLANE}, ((a, 0.0),))


def ramp_in_a_flux(rng: np.random.Generator) -> Trial:
    """(a u′)′ = 0, where a goes from one level to another, over any width."""
    width, place = 10 ** float(rng.uniform(-10, -0.5)), float(number(rng, 0.2, 0.6))
    level = float(number(rng, 1.5, 10)) ** pick(rng, (-1, 1))
    slope = (level - 1) / width
    straight = 1 + slope * (x - place)
    a = pick(rng, (
        sp.Piecewise((1, x < place), (straight, x < place + width), (level, True)),
        sp.Min(max(1, level), sp.Max(min(1, level), straight)),
    ))  # fmt: skip

    def resistance(s: np.ndarray) -> np.ndarray:
        on = np.clip(s - place, 0, width)
        return np.minimum(s, place) + np.log1p(slope * on) / slope + np.maximum(s - place - width, 0) / level

    if rng.random() < 0.6:
        w = W(x)
        equation, ends = sp.Eq(fens.div(a * fens.grad(w)), 0), [sp.Eq(w, 0), sp.Eq(w, 1)]
        problem = fens.Problem({line: equation, line.face(x, 0): ends[0], line.face(x, 1): ends[1]})
        exact = lambda s: resistance(np.asarray(s)) / resistance(np.array(1.0))  # noqa: E731
        return Trial("hard", problem, exact, {"features": pick(rng, (SMALL, 400))}, ((place,),))
    u = U(x, y)
    exact = lambda s, _: resistance(np.asarray(s)) / resistance(np.array(1.0))  # noqa: E731
    problem = fens.Problem({
        square: sp.Eq(fens.div(a * fens.grad(u)), 0), square.boundary: sp.Eq(u, fens.wrap(exact)(x, y))
    })
    return Trial("hard", problem, exact, {"features": PLANE}, ((place, 0.5),))


def layer(rng: np.random.Generator) -> Trial:
    """−ε w″ + w′ = 1, a layer at the end."""
    w, eps = W(x), 10 ** float(rng.uniform(-6, -0.5))
    exact = lambda s: s - (np.exp((s - 1) / eps) - np.exp(-1 / eps)) / (1 - np.exp(-1 / eps))  # noqa: E731
    problem = fens.Problem({line: sp.Eq(-eps * w.diff(x, 2) + w.diff(x), 1), line.boundary: sp.Eq(w, 0)})
    return Trial("hard", problem, exact, {"features": 200}, ((1.0,),))


def front(rng: np.random.Generator) -> Trial:
    """A front in the plane, bent or straight."""
    u, width = U(x, y), 10 ** float(rng.uniform(-3, -0.3))
    exact = sp.tanh((pick(rng, (x - y, x**2 + y**2 - 0.5, x - 0.4))) / width)
    problem = fens.manufacture({square: laplacian(u), square.boundary: u}, u, exact)
    return Trial("hard", problem, exact, {"features": 400})


def waves(rng: np.random.Generator) -> Trial:
    """Ever more waves."""
    u, k = U(x, y), float(rng.uniform(5, 120))
    exact = sp.sin(k * x) * sp.cos(k * y / 2) + 1
    problem = fens.manufacture({square: laplacian(u), square.boundary: u}, u, exact)
    return Trial("hard", problem, exact, {"features": 400})


def kink(rng: np.random.Generator) -> Trial:
    """A source that jumps, or has a kink, in one dimension."""
    w, a = W(x), number(rng, 0.2, 0.8)
    high = 10 ** float(rng.uniform(-3, 0))
    f = pick(rng, (sp.Heaviside(x - a, 0), sp.Abs(x - a)))
    F = sp.Max(x - a, 0) ** 2 / 2 if f.has(sp.Heaviside) else sp.Abs(x - a) ** 3 / 6
    exact = sp.sin(x) + high * F
    problem = fens.Problem({line: sp.Eq(w.diff(x, 2), -sp.sin(x) + high * f), line.boundary: sp.Eq(w, exact)})
    return Trial("hard", problem, exact, {"features": SMALL}, ((float(a),),))


def bessel_divided(rng: np.random.Generator) -> Trial:
    """Bessel's equation divided by x², as it stands in books: terms without bound, next to x = 0 only."""
    w, k = W(x), number(rng, 1, 4)
    nu = pick(rng, (sp.Rational(1, 2), sp.Rational(1, 3), sp.Rational(3, 4), sp.Rational(4, 3), sp.Integer(1)))
    exact = sp.besselj(nu, k * x)
    problem = fens.Problem({
        line: sp.Eq(w.diff(x, 2) + w.diff(x) / x + (k**2 - nu**2 / x**2) * w, 0),
        line.face(x, 0): sp.Eq(w, 0),
        line.face(x, 1): sp.Eq(w, float(exact.subs(x, 1))),
    })
    return Trial("hard", problem, exact, {"features": pick(rng, (SMALL, 200))}, ((0.0,),))


def turning_point(rng: np.random.Generator) -> Trial:
    """ε w″ = x w, ever more waves on one side of zero, from values at both ends: few conditions, and none too many."""
    from scipy.special import airy

    w, both = W(x), fens.Box({x: (-1, 1)})
    k = 10 ** float(rng.uniform(0.3, 1.6))
    values = np.array([airy(-k)[::2], airy(k)[::2]]) / np.array([1.0, airy(k)[2]])
    a, b = np.linalg.solve(values, [1.0, 0.0])
    exact = lambda s: a * airy(k * np.asarray(s))[0] + b * airy(k * np.asarray(s))[2] / airy(k)[2]  # noqa: E731
    problem = fens.Problem({
        both: sp.Eq(w.diff(x, 2), k**3 * x * w), both.face(x, -1): sp.Eq(w, 1), both.face(x, 1): sp.Eq(w, 0)
    })
    return Trial("hard", problem, exact, {"features": 150})


def kinked(rng: np.random.Generator, gap: float) -> tuple[fens.Problem, sp.Expr]:
    """w″ = f with a kink, values at both ends, and a slope or a value more that is off by something."""
    w, a, high = W(x), number(rng, 0.3, 0.6), number(rng, 0.1, 0.5)
    exact = sp.sin(x) + high * sp.Abs(x - a) ** 3 / 6
    slope = 1 - high * a**2 / 2
    more = pick(rng, (
        {line.face(x, 0): sp.Eq(w.diff(x), slope + gap)},
        {fens.Points({x: [0.75]}): sp.Eq(w, float(exact.subs(x, 0.75)) + gap)},
    ))  # fmt: skip
    source = -sp.sin(x) + high * sp.Abs(x - a)
    return fens.Problem({line: sp.Eq(w.diff(x, 2), source), line.boundary: sp.Eq(w, exact), **more}), exact


def kink_known_twice(rng: np.random.Generator) -> Trial:
    """A kink in a source, and a condition more than needed, which fits."""
    problem, exact = kinked(rng, 0.0)
    return Trial("hard", problem, exact, {"features": pick(rng, (80, SMALL, 200))})


# contradictory ------------------------------------------------------------------------------------------------


def size_of_contradiction(rng: np.random.Generator) -> float:
    return 10 ** float(rng.uniform(-5, -0.5))


def two_values(rng: np.random.Generator) -> Trial:
    """Two values at one place."""
    w, gap, exact = W(x), size_of_contradiction(rng), wavy(rng, x)
    problem = fens.Problem({
        line: sp.Eq(w.diff(x, 2), exact.diff(x, 2)),
        line.face(x, 0): [sp.Eq(w, exact), sp.Eq(w, exact + gap)],
        line.face(x, 1): sp.Eq(w, exact),
    })
    return Trial("contradictory", problem, None, {"features": SMALL})


def two_equations(rng: np.random.Generator) -> Trial:
    """Two equations on one domain."""
    gap, plane = size_of_contradiction(rng), rng.random() < 0.5
    domain, f = (square, U(x, y)) if plane else (line, W(x))
    exact = wavy(rng, *f.args)
    source = laplacian(exact, *f.args)
    problem = fens.Problem({
        domain: [sp.Eq(laplacian(f), source), sp.Eq(laplacian(f), source + gap)], domain.boundary: sp.Eq(f, exact)
    })
    return Trial("contradictory", problem, None, {"features": PLANE if plane else SMALL})


def incompatible_flux(rng: np.random.Generator) -> Trial:
    """Pure Neumann data that do not fit the source."""
    gap, plane = size_of_contradiction(rng), rng.random() < 0.6
    if not plane:
        w, exact = W(x), wavy(rng, x)
        problem = fens.Problem({
            line: [sp.Eq(w.diff(x, 2), exact.diff(x, 2)), sp.Eq(fens.integral(w), 0)],
            line.face(x, 0): sp.Eq(w.diff(x), exact.diff(x)),
            line.face(x, 1): sp.Eq(w.diff(x), exact.diff(x) + gap),
        })
        return Trial("contradictory", problem, None, {"features": SMALL})
    u, exact = U(x, y), wavy(rng, x, y)
    flux = sum(fens.normal(c) * exact.diff(c) for c in (x, y))
    problem = fens.Problem({
        disc: [sp.Eq(laplacian(u), laplacian(exact, x, y)), sp.Eq(fens.integral(u), 0)],
        disc.boundary: sp.Eq(fens.normal_derivative(u), flux + gap),
    })
    return Trial("contradictory", problem, None, {"features": PLANE})


def too_many_ends(rng: np.random.Generator) -> Trial:
    """A first-order equation with values at both ends that do not belong together."""
    w, gap, exact = W(x), size_of_contradiction(rng), wavy(rng, x)
    problem = fens.Problem({
        line: sp.Eq(w.diff(x), exact.diff(x)),
        line.face(x, 0): sp.Eq(w, exact),
        line.face(x, 1): sp.Eq(w, exact + gap),
    })
    return Trial("contradictory", problem, None, {"features": SMALL})


def value_and_flux(rng: np.random.Generator) -> Trial:
    """Values and fluxes on the whole boundary, of two different functions."""
    u, gap, exact, other = U(x, y), size_of_contradiction(rng), wavy(rng, x, y), wavy(rng, x, y)
    domain = pick(rng, (square, disc))
    flux = sum(fens.normal(c) * (exact + gap * other).diff(c) for c in (x, y))
    problem = fens.Problem({
        domain: sp.Eq(laplacian(u), laplacian(exact, x, y)),
        domain.boundary: [sp.Eq(u, exact), sp.Eq(fens.normal_derivative(u), flux)],
    })
    return Trial("contradictory", problem, None, {"features": PLANE})


def wrong_at_a_singular_point(rng: np.random.Generator) -> Trial:
    """A value or a slope where the leading coefficient vanishes, and boundedness determines both."""
    w, gap, which, exact = W(x), max(size_of_contradiction(rng), 1e-4), int(rng.integers(4)), wavy(rng, x)
    k = number(rng, 1, 2.5)
    if which == 3:
        v, exact, rod = V(x, t), 1 - x - k * t, fens.Box({x: (0, 1)}).during(t, 0, 1)
        problem = fens.Problem({
            rod: sp.Eq(v.diff(t), x * v.diff(x, 2) + k * v.diff(x)),
            rod.initial: sp.Eq(v, exact),
            rod.sides: sp.Eq(v, exact + gap * (1 - x) * t),
        })
        return Trial("contradictory", problem, None, {"features": PLANE})
    if which == 2:
        problem = fens.Problem({
            line: sp.Eq(x * w.diff(x) + k * w, x * exact.diff(x) + k * exact), line.face(x, 0): sp.Eq(w, exact + gap)
        })
        return Trial("contradictory", problem, None, {"features": SMALL})
    by = pick(rng, (1, x))  # as it stands, or divided by what vanishes
    left, right = (sp.expand((x * f.diff(x, 2) + k * f.diff(x)) / by) for f in (w, exact))
    problem = fens.Problem({
        line: sp.Eq(left, right),
        line.face(x, 0): sp.Eq(w, exact + gap) if which else sp.Eq(w.diff(x), exact.diff(x) + gap),
        line.face(x, 1): sp.Eq(w, exact),
    })
    return Trial("contradictory", problem, None, {"features": SMALL})


def curl(rng: np.random.Generator) -> Trial:
    """A gradient that has a curl."""
    u, gap, exact = U(x, y), size_of_contradiction(rng), wavy(rng, x, y)
    domain = plane_domain(rng)
    problem = fens.Problem({
        domain: [sp.Eq(u.diff(x), exact.diff(x) + gap * y), sp.Eq(u.diff(y), exact.diff(y))],
        fens.Points({x: [0.5], y: [0.5]}): sp.Eq(u, exact.subs({x: 0.5, y: 0.5})),
    })
    return Trial("contradictory", problem, None, {"features": PLANE})


def measured_otherwise(rng: np.random.Generator) -> Trial:
    """Measurements, said to be exact, that the equations do not allow."""
    u, gap, exact = U(x, y), max(size_of_contradiction(rng), 1e-4), wavy(rng, x, y)
    xs, ys = rng.uniform(0.1, 0.9, (2, 40))
    values = sp.lambdify((x, y), exact, "numpy")(xs, ys) + gap * rng.standard_normal(40)
    problem = fens.Problem({
        square: sp.Eq(laplacian(u), laplacian(exact, x, y)),
        square.boundary: sp.Eq(u, exact),
        fens.Points({x: xs, y: ys}): sp.Eq(u, fens.Data(values)),
    })
    return Trial("contradictory", problem, None, {"features": PLANE})


def one_too_many(rng: np.random.Generator) -> Trial:
    """A regular equation on an interval and a value, a slope or an integral that its solution does not have."""
    equations, w, exact = regular_on_a_line(rng)
    gap = size_of_contradiction(rng)
    problem = joined(equations, one_more(rng, w, exact, gap))
    return Trial("contradictory", problem, None, {"features": pick(rng, (60, SMALL, 250, 400, 600))})


def behind_a_kink(rng: np.random.Generator) -> Trial:
    """A kink in a source, which leaves more of its equation than a condition that does not fit."""
    problem, _ = kinked(rng, 10 ** float(rng.uniform(-4, -1)))
    return Trial("contradictory", problem, None, {"features": pick(rng, (80, SMALL, 200))})


def net_flux(rng: np.random.Generator) -> Trial:
    """A divergence and a curl, and a flux through the boundary that is not the divergence's."""
    u, v, exact = U(x, y), V(x, y), wavy(rng, x, y)
    gap = 10 ** float(rng.uniform(-3, -0.5))
    through = sum(fens.normal(c) * exact.diff(c) for c in (x, y))
    problem = fens.Problem({
        disc: [sp.Eq(u.diff(x) + v.diff(y), laplacian(exact, x, y)), sp.Eq(u.diff(y) - v.diff(x), 0)],
        disc.boundary: sp.Eq(fens.normal(x) * u + fens.normal(y) * v, through + gap),
    })
    return Trial("contradictory", problem, None, {"features": 150})


def beyond_half(rng: np.random.Generator) -> Trial:
    """Two equations for one function, which so many features resolve and half as many do not."""
    u, gap, exact = U(x, y), 10 ** float(rng.uniform(-4.5, -1)), wavy(rng, x, y, waves=5)
    domain = plane_domain(rng)
    problem = fens.Problem({
        domain: [sp.Eq(u.diff(x), exact.diff(x) + gap * y), sp.Eq(u.diff(y), exact.diff(y))],
        fens.Points({x: [0.5], y: [0.5]}): sp.Eq(u, exact.subs({x: 0.5, y: 0.5})),
    })
    return Trial("contradictory", problem, None, {"features": pick(rng, (120, 160, 200))})


# ill-posed ----------------------------------------------------------------------------------------------------


def no_inflow(rng: np.random.Generator) -> Trial:
    """Advection without a condition where it enters."""
    v, rod, c = V(x, t), line.during(t, 0, 1), 10 ** float(rng.uniform(-2.5, 0)) * pick(rng, (-1, 1))
    exact = sp.sin(2 * (x - c * t))
    wrong = {rod.face(x, 1 if c > 0 else 0): sp.Eq(v, exact)} if rng.random() < 0.5 else {}
    problem = fens.Problem({rod: sp.Eq(v.diff(t) + c * v.diff(x), 0), rod.initial: sp.Eq(v, exact), **wrong})
    return Trial("ill-posed", problem, None, {"features": PLANE})


def wrong_sign(rng: np.random.Generator) -> Trial:
    """Diffusion of the wrong sign, forward in time."""
    v, rod, a = V(x, t), line.during(t, 0, 1), 10 ** float(rng.uniform(-3, -0.5))
    exact = sp.exp(a * sp.pi**2 * t) * sp.sin(sp.pi * x)
    problem = fens.Problem({
        rod: sp.Eq(v.diff(t), -a * v.diff(x, 2)), rod.sides: sp.Eq(v, 0), rod.initial: sp.Eq(v, exact)
    })
    return Trial("ill-posed", problem, None, {"features": PLANE})


def backward_heat(rng: np.random.Generator) -> Trial:
    """Heat from its final state."""
    v, rod, a = V(x, t), line.during(t, 0, 1), 10 ** float(rng.uniform(-2.5, -0.5))
    exact = sp.exp(-a * sp.pi**2 * t) * sp.sin(sp.pi * x)
    problem = fens.Problem({
        rod: sp.Eq(v.diff(t), a * v.diff(x, 2)), rod.sides: sp.Eq(v, 0), rod.final: sp.Eq(v, exact)
    })
    return Trial("ill-posed", problem, None, {"features": pick(rng, (200, 300, 450))})


def cauchy(rng: np.random.Generator) -> Trial:
    """Laplace with all data on one side."""
    u, exact = U(x, y), wavy(rng, x, y, waves=2)
    side = pick(rng, (square.face(y, 0), square.face(x, 1)))
    slope = sum(fens.normal(c) * exact.diff(c) for c in (x, y))
    conditions = [sp.Eq(u, exact), sp.Eq(fens.normal_derivative(u), slope)]
    problem = fens.Problem({square: sp.Eq(laplacian(u), laplacian(exact, x, y)), side: conditions})
    return Trial("ill-posed", problem, None, {"features": PLANE})


def open_face(rng: np.random.Generator) -> Trial:
    """An elliptic equation, a face without condition."""
    u, exact = U(x, y), wavy(rng, x, y)
    faces = [square.face(x, 0), square.face(x, 1), square.face(y, 0), square.face(y, 1)]
    del faces[int(rng.integers(4))]
    equation = sp.Eq(laplacian(u) - u, laplacian(exact, x, y) - exact)
    problem = fens.Problem({square: equation, **{f: sp.Eq(u, exact) for f in faces}})
    return Trial("ill-posed", problem, None, {"features": PLANE})


def measured_at_the_wrong_end(rng: np.random.Generator) -> Trial:
    """What has been diffused, or harmonic data, measured with noise where short waves have died out."""
    places, std = np.linspace(0.05, 0.95, 30), 10 ** float(rng.uniform(-4, -2))
    noise, m, p = std * rng.standard_normal(30), int(rng.integers(2, 5)), float(sp.pi)
    if rng.random() < 0.5:
        v, rod = V(x, t), fens.Box({x: (0, 1)}).during(t, 0, 0.1)
        values = np.exp(-0.1 * p**2) * np.sin(p * places) + np.exp(-0.1 * (m * p) ** 2) * np.sin(m * p * places)
        problem = fens.Problem({
            rod: sp.Eq(v.diff(t), v.diff(x, 2)),
            rod.sides: sp.Eq(v, 0),
            fens.Points({x: places, t: np.full(30, 0.1)}): sp.Eq(v, fens.Data(values + noise, std=std)),
        })
        return Trial("ill-posed", problem, None, {"features": PLANE})
    u, values = U(x, y), np.sin(p * places) / np.cosh(p) + np.sin(m * p * places) / np.cosh(m * p)
    problem = fens.Problem({
        square: sp.Eq(laplacian(u), 0),
        square.face(x, 0): sp.Eq(u, 0),
        square.face(x, 1): sp.Eq(u, 0),
        square.face(y, 1): sp.Eq(u.diff(y), 0),
        fens.Points({x: places, y: np.ones(30)}): sp.Eq(u, fens.Data(values + noise, std=std)),
    })
    return Trial("ill-posed", problem, None, {"features": PLANE})


def odd_order(rng: np.random.Generator) -> Trial:
    """An equation of evolution of odd order in space, with one or two conditions at the wrong end of it."""
    return Trial("ill-posed", dispersive(rng, pick(rng, (-2, -1, 1, 2)))[0], None, {"features": PLANE})


def resonance(rng: np.random.Generator) -> Trial:
    """Helmholtz at an eigenvalue."""
    w, n = W(x), int(rng.integers(1, 5))
    problem = fens.Problem({line: sp.Eq(w.diff(x, 2) + (n * sp.pi) ** 2 * w, 1 + x), line.boundary: sp.Eq(w, 0)})
    return Trial("ill-posed", problem, None, {"features": SMALL})


def floating(rng: np.random.Generator) -> Trial:
    """Pure Neumann data that fit, and nothing that fixes the constant."""
    u, exact = U(x, y), wavy(rng, x, y)
    flux = sum(fens.normal(c) * exact.diff(c) for c in (x, y))
    problem = fens.Problem({
        disc: sp.Eq(laplacian(u), laplacian(exact, x, y)), disc.boundary: sp.Eq(fens.normal_derivative(u), flux)
    })
    return Trial("ill-posed", problem, None, {"features": PLANE})


def elliptic_in_time(rng: np.random.Generator) -> Trial:
    """u_tt = −c² u_xx from initial values: Hadamard's example."""
    v, rod, c = V(x, t), line.during(t, 0, 1), number(rng, 0.1, 1)
    exact = sp.sin(sp.pi * x) * sp.cosh(c * sp.pi * t)
    problem = fens.Problem({
        rod: sp.Eq(v.diff(t, 2) + c**2 * v.diff(x, 2), 0),
        rod.sides: sp.Eq(v, 0),
        rod.initial: [sp.Eq(v, exact), sp.Eq(v.diff(t), 0)],
    })
    return Trial("ill-posed", problem, None, {"features": PLANE})


def too_few(rng: np.random.Generator) -> Trial:
    """An ordinary equation of order two or three, a condition less, and a layer that no feature shows in its place."""
    w, small, exact = W(x), 10 ** float(rng.uniform(-7, -2)), wavy(rng, x)
    order = int(rng.integers(2, 4))
    left, right = ((-small) * f.diff(x, order) + f.diff(x) + f for f in (w, exact))
    ends = [sp.Eq(w, exact), sp.Eq(w.diff(x), exact.diff(x))][: order - 1]
    problem = fens.Problem({line: sp.Eq(left, right), line.face(x, 0): ends})
    return Trial("ill-posed", problem, None, {"features": SMALL})


def free_at_zero(rng: np.random.Generator) -> Trial:
    """x w″ + b w′ + … = f with 0 < b < 1, whose solutions go like 1 and x^(1−b), and nothing asked at zero."""
    b, c, exact = number(rng, 0.1, 0.9), number(rng, -2, 2), wavy(rng, x)
    if rng.integers(2):
        w = W(x)
        left, right = (x * f.diff(x, 2) + b * f.diff(x) + c * f for f in (w, exact))
        problem = fens.Problem({line: sp.Eq(left, right), line.face(x, 1): sp.Eq(w, exact)})
        return Trial("ill-posed", problem, None, {"features": SMALL})
    u, known = U(x, y), wavy(rng, x, y)
    left, right = (f.diff(y, 2) + x * f.diff(x, 2) + b * f.diff(x) for f in (u, known))
    faces = [square.face(x, 1), square.face(y, 0), square.face(y, 1)]
    problem = fens.Problem({square: sp.Eq(left, right)} | {face: sp.Eq(u, known) for face in faces})
    return Trial("ill-posed", problem, None, {"features": PLANE})


def free_number(rng: np.random.Generator) -> Trial:
    """A number in a source, and nothing that would tell which."""
    k, u, domain = fens.Unknown("k", initial=float(number(rng, -1, 1))), U(x, y), pick(rng, (square, disc))
    exact = number(rng, 0.5, 2) * x**2 + number(rng, 0.5, 2) * y
    source = k * pick(rng, (1, 1 + x))
    problem = fens.Problem({domain: sp.Eq(laplacian(u, x, y), source), domain.boundary: sp.Eq(u, exact)})
    return Trial("ill-posed", problem, None, {"features": pick(rng, (150, 300))})


SOLVED: tuple[Family, ...] = (
    elliptic, helmholtz, mixed, growth, logistic, near_resonance, oscillator, scaled, far_away, heat,
    backward_as_it_should, wave, advection, dispersion, rotation, periodic, nonlinear, stokes, beam, pair_of_functions,
    regular_at_zero, from_a_singular_end, around_an_axis, known_twice, lively, divided_by_distance, wavy_integral,
)  # fmt: skip
HARD: tuple[Family, ...] = (
    bessel, euler, root, branching, polar, weak_corner, corner, jumping_data, torsion, bump, bump_on_a_line,
    wrapped_bump, layer, front, waves, kink, small_bump, ramp_in_a_flux, weighted_integral, weighted_mean,
    bump_in_the_solution, bessel_divided, turning_point, kink_known_twice,
)  # fmt: skip
CONTRADICTORY: tuple[Family, ...] = (
    two_values, two_equations, incompatible_flux, too_many_ends, value_and_flux, wrong_at_a_singular_point, curl,
    measured_otherwise, one_too_many, behind_a_kink, net_flux, beyond_half,
)  # fmt: skip
ILL_POSED: tuple[Family, ...] = (
    no_inflow, wrong_sign, backward_heat, measured_at_the_wrong_end, cauchy, open_face, resonance, floating,
    elliptic_in_time, too_few, free_at_zero, free_number, odd_order,
)  # fmt: skip
FAMILIES: dict[str, Family] = {f.__name__: f for f in (*SOLVED, *HARD, *CONTRADICTORY, *ILL_POSED)}


def trial(family: str, seed: int) -> Trial:
    """Number `seed` of a family."""
    return FAMILIES[family](np.random.default_rng([seed, zlib.crc32(family.encode())]))


@dataclass(frozen=True)
class Outcome:
    """What a solve said, and what is true."""

    family: str
    seed: int
    kind: str
    verdict: str
    estimate: float
    error: float
    size: float

    @property
    def trusted(self) -> bool:
        return self.verdict not in ("unreliable", "inconsistent")

    @property
    def ratio(self) -> float:
        """Estimate beside error; 1 where both are round-off."""
        least = 1e-13 * self.size
        if self.error <= least and self.estimate <= 30 * least:
            return 1.0
        return self.estimate / max(self.error, least)

    @property
    def confidently_wrong(self) -> bool:
        """Trusted where there is nothing to trust, or with an estimate far below the error."""
        return self.trusted and (self.kind in ("contradictory", "ill-posed") or not self.ratio >= 1 / 3)

    @property
    def too_cautious(self) -> bool:
        """Not trusted where the solution is within reach, and was reached."""
        return self.kind == "solved" and not self.trusted


def outcome(family: str, seed: int, automatic: bool = False) -> Outcome:
    """Solve a trial, with as many features as it says or `automatic` ones, and compare what is said with the truth."""
    import warnings

    given = trial(family, seed)
    options = {k: v for k, v in given.options.items() if not (automatic and k == "features")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solution = fens.solve(given.problem, seed=seed, raise_on_failure=False, **options)
    error, size = float("nan"), 1.0
    if given.exact is not None:
        error, size = errors(solution, given)
    found = solution.error
    return Outcome(family, seed, given.kind, found.verdict, found.estimate, error, size)


def errors(solution: fens.Solution, given: Trial) -> tuple[float, float]:
    """The largest error on a fine grid and towards given places, and the size of the solution."""
    exact = given.exact if isinstance(given.exact, Mapping) else {solution.problem.unknowns[0]: given.exact}
    domain = solution.problem.domain
    inside = fens.Clustered(interior=500).sample(Demand.inside(domain), np.random.SeedSequence(0))[0].points
    places = [everywhere(domain, given.near), *(towards(domain, p) for p in given.near)]
    looks = [dict(zip(domain.coordinates, points.T, strict=True)) for points in places]
    worst = max(solution.compare(exact, where)[u].linf for where in looks for u in exact)
    return worst, max(float(np.abs(solution[u].at(inside)).max()) for u in exact)


def everywhere(domain: Any, near: tuple[tuple[float, ...], ...]) -> np.ndarray:
    """A grid, without places at which a solution may have no value."""
    grid = fens.Grid({1: 2001, 2: 201, 3: 51}[len(domain.coordinates)])
    points = np.asarray(grid.sample(Demand.inside(domain), np.random.SeedSequence(0))[0].points)
    return points[[all(np.abs(p - np.array(place)).max() > 1e-12 for place in near) for p in points]]


def towards(domain: Any, place: tuple[float, ...]) -> np.ndarray:
    """Points of a domain at distances from a place of all orders of magnitude."""
    rng = np.random.default_rng(0)
    lower, upper = np.array(domain.bounds).T
    points = rng.uniform(lower, upper, (800, len(lower)))
    near = np.array(place) + 10 ** rng.uniform(-9, 0, (800, 1)) * (points - np.array(place))
    near = near[domain.contains(near)]
    return near[np.abs(near - np.array(place)).max(axis=1) > 1e-12]
