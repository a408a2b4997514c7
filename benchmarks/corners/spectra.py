"""Eigenvalues of the Laplacian, as a user asks for them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

import fens

from . import meshes, plane
from .cases import Figure, Stated, case, x, y
from .store import kept

u, k = sp.Function("u")(x, y), fens.Unknown("k")
METHODS = "hp finite elements and particular solutions, which agree to 1e-12"


def eigenvalues_of(name: str, corners: Sequence[Any]) -> Stated:
    domain = fens.Polygon(corners, (x, y))
    problem = fens.Problem({domain: sp.Eq(-fens.laplacian(u), k * u), domain.boundary: sp.Eq(u, 0)})
    known = np.array(kept("eigenvalues")[name]["values"])

    def figures(modes: Any) -> list[Figure]:
        found = np.array([mode.eigenvalue for mode in modes])
        error = float(np.abs(found - known).max()) if len(found) == len(known) else float("inf")
        return [Figure("ten eigenvalues", error, 1e-10)]

    return Stated(problem, figures, k, len(known))


def regular(sides: int) -> list[tuple[float, float]]:
    return [(float(c.real), float(c.imag)) for c in meshes.regular(sides)]


@case("first ten eigenvalues of the L", 60, METHODS)
def l_eigenvalues() -> Stated:
    return eigenvalues_of("L", plane.L_SHAPE)


@case("first ten eigenvalues of the regular pentagon", 60, METHODS)
def pentagon_eigenvalues() -> Stated:
    return eigenvalues_of("pentagon", regular(5))


@case("first ten eigenvalues of the regular hexagon", 60, METHODS)
def hexagon_eigenvalues() -> Stated:
    return eigenvalues_of("hexagon", regular(6))
