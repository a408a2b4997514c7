"""How solutions behave next to a face at which an equation degenerates.

Near a regular singular point, the solutions of Σ c_k(d) ∂ᵏu are dˢ, where the exponents s solve
Σ γ_k s(s−1)…(s−k+1) = 0, and γ_k is the limit of d^(m−k) c_k/c_m as the distance d from the face vanishes (Frobenius).
If all but the smooth ones of them are unbounded, boundedness is a condition, and one that is given besides it may
contradict it: of (r u′)′ = f, whose solutions are 1 and log r, nobody may ask for a value at r = 0. If more of them
are bounded, boundedness is none, and where a condition is missing features would choose the smoothest: of
2x u″ + u′ = 0, whose solutions are 1 and √x, they would not see the second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from .._support.steering import Exponents, Features
from ..discretise import DiscreteCondition
from ..geometry import Domain, Piece, Samples
from ..problem import Problem
from .local import Look


def only_smooth(look: Look, face: Samples, half_widths: np.ndarray, find: Callable[[Samples], Look]) -> bool:
    """Whether an equation degenerates on a face, and all its bounded solutions are smooth there."""
    found = at_face(look, face, half_widths, find)
    return found is not None and len(found) > 0 and bounded_are_smooth(found)


def at_face(look: Look, face: Samples, half_widths: np.ndarray, find: Callable[[Samples], Look]) -> np.ndarray | None:
    """The exponents at a face on which an equation degenerates; none if it does not, and None if that is not known."""
    if face.normals is None or len({jet.unknown for jet, _ in look.coefficients}) != 1:
        return None
    near, nearer = (_quotients(look, face, half_widths, d, find) for d in (Exponents.NEAR, Exponents.NEARER))
    if near is None or nearer is None or not np.abs(near - nearer).max() < Exponents.ALIKE:
        return None
    return np.zeros(0) if np.abs(nearer[:-1]).max() < Exponents.ALIKE else exponents(nearer)


def undetermined(
    problem: Problem, held_out: Sequence[DiscreteCondition], looks: Mapping[int, Look], find: Callable[..., Look]
) -> str:
    """Why bounded solutions stay free where an equation degenerates on its boundary, in a sentence, if some do."""
    domain = problem.domain
    own = [look for look in looks.values() if look.discretised.condition.region is domain]
    if len(own) != 1 or len(problem.components) > 1 or not problem.is_linear or len(domain.coordinates) > Features.MANY:
        return ""
    look, rng = own[0], np.random.default_rng(0)
    edges = [e for e in domain.edges if e.piece.has_normals]
    faces = [e.piece.sample(int(Exponents.PLACES), lambda n, ends, g: g.random((n, len(ends))), rng) for e in edges]
    found = [at_face(look, face, np.array(domain.half_widths), partial(find, look)) for face in faces]
    free = _at_ends if len(domain.coordinates) == 1 else _on_faces
    number = free(problem, held_out, look, [e.piece for e in edges], found)
    if number is None or (there := found[number]) is None:
        return ""
    bounded = sorted(round(s.real, 3) for s in there if s.real > -Exponents.SAME)
    powers = ", ".join(f"{s + 0.0:g}" for s in bounded)
    place = ", ".join(f"{v:.6g}" for v in faces[number].points[0])
    return (
        f"The equation degenerates on the boundary, at ({place}), next to which all its solutions are bounded that go "
        f"like the distance to the power of {powers}: that they are says nothing, and the equations do not determine "
        "the solution. Give a condition there."
    )


Found = Sequence[np.ndarray | None]


def _at_ends(
    problem: Problem, held_out: Sequence[DiscreteCondition], look: Look, ends: Sequence[Piece], found: Found
) -> int | None:
    """The number of an end of an interval with bounded solutions, if conditions are fewer than all that are bounded."""
    order = max(sum(jet.orders) for jet, _ in look.coefficients)
    known = [e for e in found if e is not None]
    if len(known) < 2 or _vanishes_inside(look, problem.domain, order):
        return None
    given = sum(p.rows for p in held_out if p.condition.region is not problem.domain or not p.is_pointwise)
    if given >= order - sum(map(unbounded, known)):
        return None
    return next((k for k, e in enumerate(known) if unbounded(e) < len(e)), None)


def _on_faces(
    problem: Problem, held_out: Sequence[DiscreteCondition], look: Look, faces: Sequence[Piece], found: Found
) -> int | None:
    """The number of a face without a condition next to which both solutions of an equation of order two are bounded."""
    regions = [p.condition.region for p in held_out if p.condition.region is not problem.domain]
    if any(r.domain is None for r in regions) or max(sum(jet.orders) for jet, _ in look.coefficients) != 2:
        return None  # given points may stand for a condition
    covered = [piece for r in regions for piece in r.patches]
    bare = (k for k, piece in enumerate(faces) if piece not in covered)
    return next((k for k in bare if (e := found[k]) is not None and len(e) == 2 and not unbounded(e)), None)


def unbounded(found: np.ndarray) -> int:
    """How many solutions with these exponents have no bound; the second one of a double zero is a logarithm."""
    below = int((found.real < -Exponents.SAME).sum())
    return below + max(0, int((np.abs(found) < 2 * Exponents.SAME).sum()) - 1)


def _vanishes_inside(look: Look, domain: Domain, order: int) -> bool:
    """Whether the leading coefficient has a zero between the ends, or is so small that it may have."""
    (low, high), = domain.bounds
    x = look.points[:, 0]
    middle = (x > low + Exponents.INSIDE * (high - low)) & (x < high - Exponents.INSIDE * (high - low))
    leading = next(np.broadcast_to(c, len(x))[middle] for jet, c in look.coefficients if sum(jet.orders) == order)
    sizes = np.abs(leading)
    one_sign = len(leading) > 0 and bool((leading > 0).all() or (leading < 0).all())
    return not one_sign or bool(sizes.min() < Exponents.ZERO * sizes.max())


def exponents(quotients: np.ndarray) -> np.ndarray:
    """The roots of Σ γ_k s(s−1)…(s−k+1)."""
    falling, total = np.poly1d([1.0]), np.poly1d([0.0])
    for k, gamma in enumerate(quotients):
        total = total + gamma * falling
        falling = falling * np.poly1d([1.0, -k])
    return np.asarray(total.roots)


def bounded_are_smooth(found: np.ndarray) -> bool:
    """Whether no solution with these exponents is bounded and not smooth.

    Of two exponents that are whole numbers, the larger may come with a logarithm; that is unbounded if it is zero.
    """
    bounded = found[found.real > -Exponents.SAME]
    whole = np.abs(bounded - np.round(bounded.real)) < Exponents.SAME
    return bool(whole.all()) and (len(bounded) <= 1 or bool((np.abs(bounded) < 2 * Exponents.SAME).all()))


def _quotients(
    look: Look, face: Samples, half_widths: np.ndarray, distance: float, find: Callable[[Samples], Look]
) -> np.ndarray | None:
    """γ_k for each order k along the normal, the median of those at points of a face; None without a leading one."""
    assert face.normals is not None
    away = distance * float(np.abs(face.normals * half_widths).max())
    there = find(Samples(face.points - away * face.normals))
    order = max(sum(jet.orders) for jet, _ in look.coefficients)
    along = np.zeros((order + 1, len(face)))
    for jet, c in there.coefficients:
        along[sum(jet.orders)] += c * np.prod(face.normals ** np.array(jet.orders), axis=1)
    with np.errstate(all="ignore"):
        quotients = along * (-away) ** (order - np.arange(order + 1))[:, None] / along[-1]
    return np.median(quotients, axis=1) if order and np.isfinite(quotients).all() else None
