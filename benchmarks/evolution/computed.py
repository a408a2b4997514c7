"""Makes the references that have no closed form, each at two accuracies, and keeps them.

Each maker returns by how much the two differ, which is kept as `data/<name>.json` beside `data/<name>.csv` or `.npz`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from mpmath import mpf

from . import etdrk, radau, taylor
from .etdrk import Periodic
from .lid import Lid
from .places import Array, along, early_and_late
from .solitons import END, crossing
from .store import keep, keep_table, keep_values

Said = dict[str, float]


def by_taylor(name: str, system: taylor.System, state: dict[str, float], end: float, count: int = 300) -> Said:
    """An equation that is not stiff, at 30 and at 40 digits."""
    times = early_and_late(end, count, 4)
    values, difference = taylor.twice(system, list(state.values()), times)
    keep_table(name, {"t": times, **dict(zip(state, values.T, strict=True))})
    said = {"largest difference between 30 and 40 digits": difference}
    keep(name, said)
    return said


def lorenz() -> Said:
    def system(x: Any, y: Any, z: Any) -> Sequence[Any]:
        return 10 * (y - x), 28 * x - x * z - y, x * y - mpf(8) / 3 * z

    return by_taylor("lorenz", system, {"x": 1, "y": 1, "z": 1}, 10, 400)


def vanderpol_10() -> Said:
    def system(u: Any, slope: Any) -> Sequence[Any]:
        return slope, 10 * (slope - u * u * slope) - u

    return by_taylor("vanderpol_10", system, {"u": 2, "slope": 0}, 20, 400)


def henon_heiles() -> Said:
    def system(x: Any, y: Any, p: Any, q: Any) -> Sequence[Any]:
        return p, q, -x - 2 * x * y, y * y - y - x * x

    return by_taylor("henon_heiles", system, {"x": 0, "y": 0.1, "p": 0.5, "q": 0}, 50)


def lotka_volterra() -> Said:
    def system(u: Any, v: Any) -> Sequence[Any]:
        return u - u * v, 2 * (u * v - v)

    return by_taylor("lotka_volterra", system, {"u": 2, "v": 0.5}, 20)


STAGES = ((9, 1e-15), (13, 1e-18))  # of Radau's method, and tolerances


def vanderpol_1000() -> Said:
    """The period is twice the time between two zeros: the motion has forgotten its start, and is odd."""
    mu = radau.Long(1000)

    def slopes(Y: Array) -> Array:
        u, slope = Y.T
        return np.stack([slope, mu * (1 - u**2) * slope - u], axis=1)

    def matrices(Y: Array) -> Array:
        u, slope = Y.T
        zero, one = np.zeros_like(u), np.ones_like(u)
        rows = [[zero, one], [-2000 * u * slope - 1, 1000 * (1 - u**2)]]
        return np.stack([np.stack(row) for row in rows]).transpose(2, 0, 1)

    paths = [radau.solved(slopes, matrices, (2, 0), 2000, *s, sizes=(1, 1e-3), step=1e-6) for s in STAGES]
    zeros = [path.crossings() for path in paths]
    periods = [float(2 * (b - a)) for a, b in zeros]
    in_jumps = [float(z) + s * d for z in zeros[1] for d in np.geomspace(1e-4, 1, 13) for s in (-1, 1)]
    times = np.unique(np.concatenate([early_and_late(2000, 300, 6), in_jumps]))
    values = [path(times)[:, 0] for path in paths]
    keep_table("vanderpol_1000", {"t": times, "u": values[1]})
    said = {
        "difference between the zeros of 9 and 13 stages": float(max(abs(a - b) for a, b in zip(*zeros, strict=True))),
        "relative difference between their periods": abs(periods[1] - periods[0]) / periods[1],
        "largest difference between their values, also in jumps": float(np.abs(values[1] - values[0]).max()),
    }
    keep("vanderpol_1000", {"period": periods[1], "zeros": [float(z) for z in zeros[1]], **said})
    return said


def robertson() -> Said:
    k = radau.long([mpf("0.04"), mpf(10) ** 4, 3 * mpf(10) ** 7])
    a, b, c = (float(rate) for rate in k)

    def slopes(Y: Array) -> Array:
        u, v, w = Y.T
        first, second, third = k[0] * u, k[1] * v * w, k[2] * v**2
        return np.stack([second - first, first - second - third, third], axis=1)

    def matrices(Y: Array) -> Array:
        _, v, w = Y.T
        zero, first = np.zeros_like(v), np.full_like(v, a)
        rows = [[-first, b * w, b * v], [first, -b * w - 2 * c * v, -b * v], [zero, 2 * c * v, zero]]
        return np.stack([np.stack(row) for row in rows]).transpose(2, 0, 1)

    sizes = np.array([1, 3.65e-5, 1])
    paths = [radau.solved(slopes, matrices, (1, 0, 0), 1e4, *s, sizes=sizes, step=1e-6) for s in STAGES]
    times = early_and_late(1e4, 300, 10)
    values = [path(times) for path in paths]
    keep_table("robertson", {"t": times, **dict(zip("uvw", values[1].T, strict=True))})
    largest = np.abs(values[1]).max(axis=0)
    said = {
        "largest relative difference between 9 and 13 stages": float((np.abs(values[1] - values[0]) / largest).max()),
        "largest deviation of the sum from 1": float(np.abs(values[1].sum(axis=1) - 1).max()),
    }
    keep("robertson", {"largest values": [float(v) for v in largest], **said})
    return said


Resolution = tuple[int, int]  # points, and steps between two times


def by_fourier(
    name: str, equations: Callable[[int], Periodic], first: Callable[[Array], Array], end: float,
    resolutions: tuple[Resolution, Resolution], unknowns: str = "u", places: int = 48, times: int = 33,
) -> Said:  # fmt: skip
    """A periodic equation at two resolutions."""
    spots, instants = along(*ends(equations(8)), places), np.linspace(0, end, times)
    coarse, fine = (etdrk.solved(equations(n), first, instants, steps, spots) for n, steps in resolutions)
    said = {"largest difference between two resolutions": float(np.abs(fine - coarse).max())}
    keep_values(name, {"places": spots, "times": instants, **dict(zip(unknowns, fine, strict=True))})
    keep(name, {"points, and steps between two times": resolutions, **said})
    return said


def ends(equations: Periodic) -> tuple[float, float]:
    return equations.start, equations.start + equations.length


def burgers_like(factor: float) -> Callable[[Periodic, Array], Array]:
    """−factor u u_x."""

    def nonlinear(equations: Periodic, v: Array) -> Array:
        return -factor / 2 * equations.slope(equations.coefficients(equations.values(v) ** 2))

    return nonlinear


def kuramoto() -> Said:
    def equations(n: int) -> Periodic:
        return Periodic(0, 32, n, lambda k: k**2 - k**4, burgers_like(1))

    def first(x: Array) -> Array:
        return np.cos(np.pi * x / 16) * (1 + np.sin(np.pi * x / 16))

    return by_fourier("kuramoto", equations, first, 40, ((128, 400), (192, 800)))


def zabusky() -> Said:
    def equations(n: int) -> Periodic:
        return Periodic(0, 2, n, lambda k: 1j * 0.022**2 * k**3, burgers_like(1))

    return by_fourier("zabusky", equations, lambda x: np.cos(np.pi * x), 3.6 / np.pi, ((384, 500), (512, 1000)))


def solitons() -> Said:
    """Two solitons are known; this says how far the code is right."""
    spots, instants = along(-22, 22, 48), np.linspace(0, float(END), 15)
    equations = Periodic(-22, 44, 512, lambda k: 1j * k**3, burgers_like(6))
    found = etdrk.solved(equations, lambda x: crossing(x, 0 * x), instants, 4000, spots)[0]
    exact = np.array([crossing(spots, np.full_like(spots, time)) for time in instants])
    return {"largest error of the code where the solution is known": float(np.abs(found - exact).max())}


def gray_scott() -> Said:
    def linear(k: Array) -> Array:
        return np.stack([-(k**2) - 0.02, -0.01 * k**2 - 0.0862])

    def nonlinear(equations: Periodic, w: Array) -> Array:
        u, v = equations.values(w)
        product = u * v**2
        return equations.coefficients(np.stack([0.02 - product, product]))

    def first(x: Array) -> Array:
        bump = np.exp(-(x**2) / 20)
        return np.stack([1 - bump / 2, bump / 4])

    def equations(n: int) -> Periodic:
        return Periodic(-50, 100, n, linear, nonlinear)

    return by_fourier("gray_scott", equations, first, 200, ((1024, 1000), (1536, 2000)), "uv", 96)


def allen_cahn() -> Said:
    def nonlinear(equations: Periodic, v: Array) -> Array:
        return equations.coefficients(-(equations.values(v) ** 3))

    def equations(n: int) -> Periodic:
        return Periodic(-1, 2, n, lambda k: 1 - 0.05**2 * k**2, nonlinear)

    def first(x: Array) -> Array:
        return np.sin(np.pi * x) / 2 + np.cos(2 * np.pi * x) / 2

    return by_fourier("allen_cahn", equations, first, 5, ((256, 50), (384, 100)))


def ginzburg_landau() -> Said:
    """w_t = w + (1 + i/2) w_xx − (1 − i) |w|² w by its real and imaginary part; N has what couples these, too."""

    def nonlinear(equations: Periodic, v: Array) -> Array:
        u, w = equations.values(v)
        square = u**2 + w**2
        bent = 0.5 * equations.waves**2 * v[::-1] * np.array([[1], [-1]])
        return bent + equations.coefficients(np.stack([-square * (u + w), -square * (w - u)]))

    def equations(n: int) -> Periodic:
        return Periodic(0, 20, n, lambda k: np.stack([1 - k**2] * 2), nonlinear)

    def first(x: Array) -> Array:
        return np.stack([1 + np.cos(np.pi * x / 10) / 5, np.sin(np.pi * x / 5) / 5])

    return by_fourier("ginzburg_landau", equations, first, 10, ((96, 400), (128, 800)), "uw")


def brusselator() -> Said:
    """Chebyshev's points in space, Radau's in time; twice with more of both."""
    times, spots, found = np.linspace(0, 10, 33), along(0, 1, 48), []
    for n, stages, tolerance in ((48, 5, 1e-13), (64, 7, 1e-14)):
        s, D = chebyshev(n)
        place, D2 = (1 + s) / 2, 4 * (D @ D)
        inner = slice(1, n)
        first = np.concatenate([1 + np.sin(2 * np.pi * place[inner]), np.full(n - 1, 3.0)])
        path = radau.solved(
            partial(brusselator_slopes, D2), partial(brusselator_matrices, D2), first, 10, stages, tolerance,
            sizes=np.ones(2 * n - 2), step=1e-4,
        )  # fmt: skip
        u, v = (with_ends(part, end) for part, end in zip(np.split(path(times), 2, axis=1), (1, 3), strict=True))
        found.append([interpolated(s, values.astype(float), 2 * spots - 1) for values in (u, v)])
    coarse, fine = np.array(found)
    keep_values("brusselator", {"places": spots, "times": times, "u": fine[0], "v": fine[1]})
    said = {"largest difference between 48 and 64 points": float(np.abs(fine - coarse).max())}
    keep("brusselator", said)
    return said


def brusselator_slopes(D2: Array, Y: Array) -> Array:
    """u_t = 1 + u²v − 4u + u_xx/50, v_t = 3u − u²v + v_xx/50 at inner points, u = 1 and v = 3 at the ends."""
    u, v = np.split(Y, 2, axis=1)
    spread = [with_ends(part, end) @ D2[1:-1].T / 50 for part, end in ((u, 1), (v, 3))]
    return np.concatenate([1 + u**2 * v - 4 * u + spread[0], 3 * u - u**2 * v + spread[1]], axis=1)


def brusselator_matrices(D2: Array, Y: Array) -> Array:
    found, inner = [], D2[1:-1, 1:-1] / 50
    for u, v in zip(*np.split(Y, 2, axis=1), strict=True):
        found.append(np.block([
            [inner + np.diag(2 * u * v - 4), np.diag(u**2)],
            [np.diag(3 - 2 * u * v), inner - np.diag(u**2)],
        ]))  # fmt: skip
    return np.array(found)


def with_ends(inner: Array, end: float) -> Array:
    known = np.full((len(inner), 1), end, dtype=inner.dtype)
    return np.concatenate([known, inner, known], axis=1)


def chebyshev(n: int) -> tuple[Array, Array]:
    """Points cos(πj/n), and the matrix of differentiation."""
    s = np.sin(np.pi * (n - 2 * np.arange(n + 1)) / (2 * n))
    c = np.where(np.isin(np.arange(n + 1), (0, n)), 2.0, 1.0) * (-1.0) ** np.arange(n + 1)
    D = np.outer(c, 1 / c) / (s[:, None] - s + np.eye(n + 1))
    return s, D - np.diag(D.sum(axis=1))


def interpolated(s: Array, values: Array, places: Array) -> Array:
    """Polynomials through values at Chebyshev's points, a row for each time."""
    V = np.polynomial.chebyshev.chebvander(s, len(s) - 1)
    return np.linalg.solve(V, values.T).T @ np.polynomial.chebyshev.chebvander(places, len(s) - 1).T


def cavity() -> Said:
    """Three times: for what more functions change, and what a smaller tolerance does."""
    side = np.linspace(0.1, 0.9, 9)
    places = np.stack([a.ravel() for a in np.meshgrid(side, side, indexing="ij")], axis=1)
    times, found = np.linspace(0, 1, 9), {}
    for degree, tolerance in ((32, 1e-12), (40, 1e-12), (40, 1e-10)):
        lid = Lid(degree)
        coefficients = lid.solved(times, tolerance)
        found[degree, tolerance] = np.array([
            lid.velocity(C, time, *places.T) for C, time in zip(coefficients, times, strict=True)
        ])  # fmt: skip
    best = found[40, 1e-12]
    keep_values("cavity", {"places": places, "times": times, "u": best[:, 0], "v": best[:, 1]})
    said = {
        "largest difference between degrees 32 and 40": float(np.abs(best - found[32, 1e-12]).max()),
        "largest difference between tolerances 1e-10 and 1e-12": float(np.abs(best - found[40, 1e-10]).max()),
    }
    keep("cavity", said)
    return said


MAKERS = {
    maker.__name__: maker
    for maker in (
        lorenz, vanderpol_10, vanderpol_1000, robertson, solitons, kuramoto, zabusky, gray_scott, cavity,
        henon_heiles, lotka_volterra, allen_cahn, ginzburg_landau, brusselator,
    )
}  # fmt: skip
