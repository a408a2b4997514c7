"""The paper's rival for the Helmholtz equation: finite elements, by scikit-fem."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from fens.errors import MissingPackage

from . import paper
from .cells import Cell

INTEGRATION = 8  # order of the quadrature that errors between the nodes are taken at


def run_fem(cell: Cell) -> dict[str, Any]:
    """Quadratic triangles, as many as have the paper's degrees of freedom at its mesh size."""
    degrees = paper.number(cell.about.table, "fem", cell.size, "dof")
    assert degrees is not None  # every mesh size of the paper has them
    return solve_helmholtz(cell.about.known(0).exact, round((np.sqrt(degrees) - 1) / 2))


def solve_helmholtz(exact: sp.Expr, squares: int) -> dict[str, Any]:
    """Δu + u = q on [−1, 1]², cut into squares × squares × 2 triangles, with the values of u on the boundary."""
    skfem = _skfem()
    x, y = sp.symbols("x y")
    value = sp.lambdify((x, y), exact)
    source = sp.lambdify((x, y), exact.diff(x, 2) + exact.diff(y, 2) + exact)
    ticks = np.linspace(-1, 1, squares + 1)
    basis = skfem.Basis(skfem.MeshTri.init_tensor(ticks, ticks), skfem.ElementTriP2(), intorder=INTEGRATION)

    def operator(u: Any, v: Any, w: Any) -> Any:
        return u * v - u.grad[0] * v.grad[0] - u.grad[1] * v.grad[1]

    def right(v: Any, w: Any) -> Any:
        return source(*w.x) * v

    A, b = skfem.BilinearForm(operator).assemble(basis), skfem.LinearForm(right).assemble(basis)
    nodal = value(*basis.doflocs)
    u = skfem.solve(*skfem.condense(A, b, x=nodal, D=basis.get_dofs()))
    between, expected = np.asarray(basis.interpolate(u)), value(*basis.global_coordinates())
    return {
        "dof": len(u),
        **_errors("", u, nodal),
        **_errors("finer_", between, np.asarray(expected)),
    }


def _errors(prefix: str, u: np.ndarray, exact: np.ndarray) -> dict[str, float]:
    error = u - exact
    l2 = float(np.linalg.norm(error) / np.linalg.norm(exact))
    return {f"{prefix}linf": float(np.abs(error).max()), f"{prefix}l2": l2}


def _skfem() -> Any:
    try:
        import skfem
    except ImportError as error:
        raise MissingPackage(
            "The finite elements of the Helmholtz table need scikit-fem; install it with pip install 'fens[reproduce]'."
        ) from error
    return skfem
