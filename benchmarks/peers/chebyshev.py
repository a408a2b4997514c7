"""Tensor Chebyshev collocation in NumPy: what a box and a smooth solution allow, the honest yardstick.

There is nothing automatic about it: the number of nodes along each axis is chosen by the true error. In five and ten
dimensions the Laplacian is inverted through the eigenvectors of its one-dimensional parts, so that no matrix of the
whole is ever made; the front of Burgers' equation is followed in time by SciPy's Radau. A square without a disc has no
tensor grid: there the same polynomials are fitted to the equations at scattered points.
"""

from __future__ import annotations

from functools import reduce

import numpy as np
from scipy.integrate import solve_ivp

NAME = "Chebyshev"
DISTRIBUTIONS = ("numpy", "scipy")
DEFAULTS = "none: a yardstick of ours, its number of nodes chosen by the true error"
UNAVAILABLE: dict[str, str] = {}
HARNESS = ("at", "weights_at")  # evaluation, which is not timed


def settings(problem):
    """Numbers of nodes less one, from few to many."""
    if problem == "burgers":
        return [{"n": n, "tol": t} for n, t in ((56, 1e-5), (96, 1e-7), (112, 1e-8), (176, 1e-11), (208, 1e-13))]
    sizes = {
        "helmholtz": (8, 12, 16, 20, 24, 28, 32),
        "heat": (4, 6, 8, 10, 12, 14),
        "poisson_5d": (2, 4, 6, 8, 10),
        "poisson_10d": (2, 3, 4, 5, 6),
        "holed_square": (6, 8, 10, 12, 14, 16, 18),
    }
    return [{"n": n} for n in sizes[problem]]


def nodes(n, low=0.0, high=1.0):
    """n + 1 Chebyshev points from high to low, and the matrix that differentiates there."""
    k = np.arange(n + 1)
    x = np.cos(np.pi * k / n)
    c = np.where((k == 0) | (k == n), 2.0, 1.0) * (-1.0) ** k
    D = np.outer(c, 1 / c) / (x[:, None] - x + np.eye(n + 1))
    D -= np.diag(D.sum(axis=1))
    return (low + high) / 2 + (high - low) / 2 * x, D * 2 / (high - low)


def collocate(A, f, u, known):
    """Solve A u = f where u is not known."""
    free = ~known.ravel()
    right = f.ravel()[free] - A[np.ix_(free, ~free)] @ u.ravel()[~free]
    solved = u.ravel().copy()
    solved[free] = np.linalg.solve(A[np.ix_(free, free)], right)
    return solved.reshape(u.shape)


def helmholtz(n):
    x, D = nodes(n)
    identity, D2 = np.eye(n + 1), D @ D
    X, Y = np.meshgrid(x, x, indexing="ij")
    exact = np.sin(np.pi * X) * np.sin(4 * np.pi * Y)
    A = np.kron(D2, identity) + np.kron(identity, D2) + np.eye((n + 1) ** 2)
    known = (X == 0) | (X == 1) | (Y == 0) | (Y == 1)
    return (x, x), collocate(A, (1 - 17 * np.pi**2) * exact, exact, known)


def heat(n):
    x, D = nodes(n)
    identity, D2 = np.eye(n + 1), D @ D
    X, Y, T = np.meshgrid(x, x, x, indexing="ij")
    exact = 2 * np.exp(-T) * np.sin(np.pi * X / 2) * np.sin(np.pi * Y / 2)
    laplacian = np.kron(D2, identity) + np.kron(identity, D2)
    A = np.kron(np.eye((n + 1) ** 2), D) - np.kron(laplacian, identity)
    known = (X == 0) | (X == 1) | (Y == 0) | (Y == 1) | (T == 0)
    return (x, x, x), collocate(A, (np.pi**2 / 2 - 1) * exact, exact, known)


def burgers(n, tol):
    x, D = nodes(n)
    D2, inner = D @ D / 100, np.s_[1:-1]

    def exact(t):
        return 1 / (1 + np.exp(50 * (x - t)))

    def whole(t, v):
        u = exact(t)
        u[inner] = v
        return u

    def rate(t, v):
        u, front = whole(t, v), exact(t)
        return (D2 @ u - u * (D @ u) + 25 * front * (1 - front))[inner]

    def jacobian(t, v):
        u = whole(t, v)
        return (D2 - u[:, None] * D - np.diag(D @ u))[inner, inner]

    solved = solve_ivp(
        rate, (0, 1), exact(0)[inner], method="Radau", jac=jacobian, rtol=tol, atol=tol, dense_output=True
    )
    return x, lambda t: np.stack([whole(s, v) for s, v in zip(t, solved.sol(t).T, strict=True)])


def poisson(n, d):
    x, D = nodes(n, -1, 1)
    D2, inner = D @ D, np.s_[1:-1]
    values, vectors = np.linalg.eig(D2[inner, inner])
    inverse = np.linalg.inv(vectors)
    mean = reduce(np.add.outer, [x[inner] / d] * d)
    right = (2 - np.sin(mean)) / d
    for axis in range(d):
        for end in (0, -1):
            m = reduce(np.add.outer, [x[[end]] / d if k == axis else x[inner] / d for k in range(d)])
            column = D2[inner, end].reshape([-1 if k == axis else 1 for k in range(d)])
            right = right - column * (m**2 + np.sin(m))
    for axis in range(d):
        right = np.moveaxis(np.tensordot(inverse, right, (1, axis)), 0, axis)
    right = right / reduce(np.add.outer, [values] * d)
    for axis in range(d):
        right = np.moveaxis(np.tensordot(vectors, right, (1, axis)), 0, axis)
    mean = reduce(np.add.outer, [x / d] * d)
    u = mean**2 + np.sin(mean)
    u[(inner,) * d] = right.real
    return (x,) * d, u


def poisson_5d(n):
    return poisson(n, 5)


def poisson_10d(n):
    return poisson(n, 10)


def holed_square(n):
    rng = np.random.default_rng(0)
    inside = (1 - np.cos(np.pi * rng.random((6 * (n + 1) ** 2, 2)))) / 2
    inside = inside[np.hypot(*(inside - 0.5).T) > 0.25]
    s, angle = (1 - np.cos(np.pi * np.linspace(0, 1, 4 * n))) / 2, np.linspace(0, 2 * np.pi, 8 * n, endpoint=False)
    sides = [np.column_stack(side) for side in ((s, 0 * s), (s, 0 * s + 1), (0 * s, s), (0 * s + 1, s))]
    rim = 0.5 + 0.25 * np.column_stack([np.cos(angle), np.sin(angle)])
    boundary = np.concatenate([*sides, rim])

    def exact(p):
        return np.exp(p[:, 0]) * np.sin(3 * p[:, 1])

    def columns(p, a, b):
        chebyshev, unit = np.polynomial.chebyshev, np.eye(n + 1)
        X, Y = (
            chebyshev.chebval(2 * p[:, k] - 1, 2**order * chebyshev.chebder(unit, order, axis=0)).T
            for k, order in ((0, a), (1, b))
        )
        return (X[:, :, None] * Y[:, None, :]).reshape(len(p), -1)

    A = np.concatenate([(columns(inside, 2, 0) + columns(inside, 0, 2)) / n**4, columns(boundary, 0, 0)])
    right = np.concatenate([-8 * exact(inside) / n**4, exact(boundary)])
    weights = np.linalg.lstsq(A, right, rcond=1e-15)[0]
    return lambda p: columns(p, 0, 0) @ weights


def weights_at(x, at):
    """The matrix that takes values at Chebyshev points to those at others: barycentric interpolation."""
    c = (-1.0) ** np.arange(len(x))
    c[[0, -1]] /= 2
    difference = at[:, None] - x
    hit = difference == 0
    W = c / np.where(hit, 1.0, difference)
    W[hit.any(axis=1)] = hit[hit.any(axis=1)]
    return W / W.sum(axis=1, keepdims=True)


def at(axes, u, points):
    """The polynomial with values u on a tensor grid, at scattered points."""
    W = [weights_at(x, p) for x, p in zip(axes, points.T, strict=True)]
    half = len(W) // 2
    left, right = (
        reduce(lambda a, b: (a[:, :, None] * b[:, None, :]).reshape(len(points), -1), part)
        for part in (W[:half], W[half:])
    )
    return np.einsum("pi,pi->p", left, (u.reshape(left.shape[1], -1) @ right.T).T)


def predictor(result):
    """What a run returned, as a function of points."""
    if callable(result):
        return result
    axes, u = result
    if callable(u):  # nodes in space, a function of time
        return lambda points: np.einsum("pi,pi->p", weights_at(axes, points[:, 0]), u(points[:, 1]))
    return lambda points: at(axes, u, points)
