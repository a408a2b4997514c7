"""Which corners of a domain make eigenfunctions singular, and trial functions for these."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .._support.steering import CornerFeatures, Eigenvalues
from ..basis import Ansatz, Corner, Plain, Sum
from ..basis.singular.corners import AtCorners
from ..geometry import Domain
from ..problem import LinearForm
from ..strategy.sites import sites_of
from .pencil import Pencil

ROUND = 1e-9  # how far numbers are from whole ones, if they are none
ALONG = np.array([[0.1], [0.5], [0.9]])  # where the normals of a straight side are compared


def at_corners(pencil: Pencil) -> tuple[Ansatz, ...] | None:
    """Features of which a part are at corners, for each unknown; None if no corner calls for them."""
    corners = [singular_corners(pencil, c.domain, k) for k, c in enumerate(pencil.problem.components)]
    return tuple(map(_with, corners)) if any(corners) else None


def _with(corners: tuple[Corner, ...]) -> Ansatz:
    """The more corners, the more of the functions are at them."""
    if not corners:
        return Plain()
    share = CornerFeatures.SHARE * len(corners) / (len(corners) + Eigenvalues.ELSEWHERE)
    return Sum(((1 - share, Plain()), (share, AtCorners(corners))))


def singular_corners(pencil: Pencil, domain: Domain, component: int = 0) -> tuple[Corner, ...]:
    """The corners at which eigenfunctions may not be smooth; none if they are too many.

    Where they continue across both sides by reflection, they are smooth: if π/ω is a whole number at an opening ω, and
    an even one where the two sides may have different conditions.
    """
    step = _reflects(pencil, domain)
    # the whole has the eigenvalue, so that corners are not `alone`
    found = sites_of(domain, pencil.whole, component=component).corners
    singular = tuple(
        replace(c, radial=bool(step) and _has_no_slopes(pencil, domain))
        for c in found
        if not (step and _is_whole(np.pi / (step * c.opening)))
    )
    return singular if len(singular) <= CornerFeatures.MOST else ()


def _reflects(pencil: Pencil, domain: Domain) -> int:
    """Of what π/ω must be a multiple so that eigenfunctions are smooth at a corner; 0 if there is no such thing.

    There is for the Laplacian and lower terms, with constant coefficients, between straight sides.
    """
    if len(pencil.problem.components) > 1 or not _is_straight(domain):
        return 0
    inside = [c.equation for c in pencil.whole.conditions if c.region == domain]
    around = [c.equation for c in pencil.whole.conditions if c.region != domain]
    if not all(_is_laplacian(*pencil.sides(e)) for e in inside) or not all(_is_usual(*pencil.sides(e)) for e in around):
        return 0
    symbols = set(domain.coordinates)
    if any(e.residual.free_symbols & symbols for e in (*inside, *around)):
        return 0
    return 1 if len(set(around)) == 1 else 2


def _has_no_slopes(pencil: Pencil, domain: Domain) -> bool:
    """Whether the equation has second derivatives and the unknown itself, and no first derivatives."""
    sides = [side for c in pencil.whole.conditions if c.region == domain for side in pencil.sides(c.equation)]
    return all(sum(jet.orders) != 1 for side in sides for jet, _ in side.coefficients)


def _is_whole(number: float) -> bool:
    return abs(number - round(number)) < ROUND


def _is_straight(domain: Domain) -> bool:
    """Whether all sides of a domain are."""
    if len(domain.coordinates) != 2:
        return False
    normals = [edge.piece.place(ALONG).normals for edge in domain.edges if len(edge.piece.ends) == 1]
    return all(n is not None and len(n) > 0 and bool(np.abs(n - n[0]).max() < ROUND) for n in normals)


def _is_laplacian(left: LinearForm, right: LinearForm) -> bool:
    """Whether an equation has the Laplacian and terms of lower order, which alone the eigenvalue multiplies."""
    if _order(left) != 2 or _order(right) > 1:
        return False
    highest = {jet.orders: f.expression for jet, f in left.coefficients if sum(jet.orders) == 2}
    return set(highest) == {(2, 0), (0, 2)} and highest[2, 0] == highest[0, 2]


def _is_usual(left: LinearForm, right: LinearForm) -> bool:
    """Whether a condition has values and normal derivatives only."""
    first = [f for jet, f in left.coefficients if sum(jet.orders) == 1]
    return _order(left) <= 1 and _order(right) == 0 and all(f.expression.free_symbols for f in first)


def _order(form: LinearForm) -> int:
    return max((sum(jet.orders) for jet, _ in form.coefficients), default=0)
