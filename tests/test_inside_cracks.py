"""Cracks inside a domain: their two tips, their functions, and solutions up to the tips."""

import math
from itertools import islice

import numpy as np
import pytest
import sympy as sp
import torch

import fens
from fens.basis import Corner, Crack, CrackFunctions
from fens.basis.singular.cracks import harmonic, singular_factors
from fens.strategy.sites import sites_of

x, y = sp.symbols("x y", real=True)
u = sp.Function("u")(x, y)
START, END = (-0.4, -0.1), (0.3, 0.2)
DISC = fens.Ball({x: 0.1, y: 0}, radius=1, name="disc")
CRACKED = DISC - fens.Segment(START, END, (x, y), name="crack")


def joukowski(points):
    """w, in which the crack is the segment from −1 to 1, and √(w² − 1) with its cut there."""
    half, z = (complex(*END) - complex(*START)) / 2, points[:, 0] + 1j * points[:, 1]
    p, q = (z - complex(*END)) / half, (z - complex(*START)) / half
    across = np.where(abs(p) < abs(q), p.imag, q.imag)
    p, q = p.real + 1j * across, q.real + 1j * across
    return (p + q) / 2, np.sqrt(p) * np.sqrt(q)


def symbolic():
    """The same as formulas, away from the crack: parts of w, and of √(w² − 1) as w √(1 − 1/w²)."""
    (a, b), (c, d) = START, END
    h, m = ((c - a) / 2, (d - b) / 2), ((a + c) / 2, (b + d) / 2)
    square = h[0] ** 2 + h[1] ** 2
    w = ((x - m[0]) * h[0] + (y - m[1]) * h[1]) / square
    v = ((y - m[1]) * h[0] - (x - m[0]) * h[1]) / square
    fourth = (w**2 + v**2) ** 2
    real, imaginary = 1 - (w**2 - v**2) / fourth, 2 * w * v / fourth
    root = sp.sqrt((sp.sqrt(real**2 + imaginary**2) + real) / 2)
    return w, v, w * root - v * imaginary / (2 * root), w * imaginary / (2 * root) + v * root


def everywhere(domain=CRACKED):
    """Points of the domain, and at all distances from both tips."""
    rng = np.random.default_rng(5)
    lower, upper = np.array(domain.bounds).T
    spread = lower + (upper - lower) * rng.random((500, 2))
    r, angle = 0.1 * 10.0 ** (-7 * rng.random((200, 1))), 2 * np.pi * rng.random((200, 1))
    near = [np.array(tip) + r * np.hstack([np.cos(angle), np.sin(angle)]) for tip in (START, END)]
    points = np.concatenate([spread, *near])
    return points[domain.contains(points) & ~domain.on_crack(points)]


def functions():
    tips = (Corner(START, 0, 2 * math.pi, jumps=True), Corner(END, 0, 2 * math.pi, jumps=True))
    crack = Crack(tips, mixed=True)
    terms = [*islice(harmonic(crack), 30), *singular_factors(crack)]
    double = torch.float64
    return CrackFunctions(torch.tensor([START, END], dtype=double), torch.tensor(terms, dtype=double), 2.0, (0, 1), 2)


def test_the_sites_of_a_crack_inside_are_its_tips():
    found = sites_of(CRACKED)
    assert not found.corners
    (crack,) = found.cracks
    assert [tip.place for tip in crack.tips] == [START, END]
    assert [tip.opening for tip in crack.tips] == pytest.approx([2 * math.pi] * 2)
    away = complex(*END) - complex(*START)
    assert math.cos(crack.tips[1].direction) == pytest.approx(away.real / abs(away))
    assert math.cos(crack.tips[0].direction) == pytest.approx(-away.real / abs(away))


def test_what_holds_on_the_sides_is_known_at_the_tips():
    sides = {"left": sp.Eq(u, 1), "right": sp.Eq(fens.normal_derivative(u), 0)}
    problem = fens.Problem({
        CRACKED: sp.Eq(fens.laplacian(u), 1),
        CRACKED.part("disc"): sp.Eq(u, 0),
        **{CRACKED.part(f"crack, {side}"): equation for side, equation in sides.items()},
    })  # fmt: skip
    (crack,) = sites_of(CRACKED, problem).cracks
    assert crack.mixed
    assert crack.alone
    assert not crack.jumps


def test_a_crack_that_points_back_into_the_domain_has_no_way_out():
    bracket = fens.Polygon([(0, 0), (3, 0), (3, 3), (0, 3), (0, 2), (2, 2), (2, 1), (0, 1)], (x, y))
    cracked = bracket - fens.Segment((1, 1), (1, 0.5), (x, y))  # beyond its start lies the other arm
    assert not [c for c in sites_of(cracked).corners if c.opening > 6]


@pytest.mark.parametrize("orders", [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (2, 1), (2, 2)])
def test_derivatives_of_the_functions(orders):
    basis, points = functions(), torch.tensor(np.random.default_rng(0).uniform(-1, 1, (20, 2)))
    axis = 0 if orders[0] else 1
    lower = tuple(n - (k == axis) for k, n in enumerate(orders))
    step = torch.tensor([1e-5 * (k == axis) for k in range(2)]).double()
    ahead, behind = (basis.matrix([(1.0, lower)], points + sign * step) for sign in (1, -1))
    found = basis.matrix([(1.0, orders)], points)
    assert (((ahead - behind) / 2e-5 - found).abs() / (1 + found.abs())).max() < 1e-4


def test_they_are_harmonic_and_jump_across_the_crack_only():
    basis, points = functions(), torch.tensor(everywhere())
    assert basis.matrix([(1.0, (2, 0)), (1.0, (0, 2))], points)[:, :30].abs().max() == 0
    along = np.array(END) - np.array(START)
    left = np.array([-along[1], along[0]])
    for share, jumps in ((-0.3, False), (-1e-3, False), (0.3, True), (0.7, True), (1 + 1e-3, False), (1.5, False)):
        both = torch.tensor(np.array(START) + share * along + np.outer([1e-12, -1e-12], left))
        one, other = basis.matrix([(1.0, (0, 0))], both)
        assert bool((one - other).abs().max() > 1e-3) == jumps


def test_values_on_both_sides_to_the_tips():
    """Im √(w² − 1) + log |ζ| / 2 + xy, of which the first jumps: to ten digits, and the estimate holds."""
    w, v, real, imaginary = symbolic()
    edge, zeta = sp.sqrt(1 - w**2), sp.log((w + real) ** 2 + (v + imaginary) ** 2) / 2
    solution = fens.solve(fens.Problem({
        CRACKED: sp.Eq(fens.laplacian(u), 0),
        CRACKED.part("disc"): sp.Eq(u, imaginary + zeta / 2 + x * y),
        CRACKED.part("crack, left"): sp.Eq(u, edge + x * y),
        CRACKED.part("crack, right"): sp.Eq(u, x * y - edge),
    }), features=400)  # fmt: skip
    points = everywhere()
    at, root = joukowski(points)
    exact = root.imag + np.log(abs(at + root)) / 2 + points[:, 0] * points[:, 1]
    error = np.abs(solution(*points.T) - exact).max()
    assert error < 1e-10 * np.abs(exact).max()
    assert error < solution.expected_error
    assert solution.error.trusted
    assert [r.kind for r in solution.stats.rounds] == ["cracks"]


def test_a_free_crack():
    """Im √(w² − 1), whose flux vanishes on the crack."""
    imaginary = symbolic()[3]
    solution = fens.solve(fens.Problem({
        CRACKED: sp.Eq(fens.laplacian(u), 0),
        CRACKED.part("disc"): sp.Eq(u, imaginary),
        CRACKED.part("crack"): sp.Eq(fens.normal_derivative(u), 0),
    }), features=400, estimate=False)  # fmt: skip
    points = everywhere()
    assert np.abs(solution(*points.T) - joukowski(points)[1].imag).max() < 1e-9
