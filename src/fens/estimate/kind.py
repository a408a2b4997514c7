"""What the type of the equations says of where conditions must be.

Along an axis, with waves e^(iξ·x) across it, an equation has the solutions e^(τs) for the roots τ(ξ) of its symbol. Of
short waves those that grow without bound must be determined at the upper end, those that decay at the lower one: the
heat equation wants its values first, and Laplace's a condition at each end. An equation of first order carries values
along its characteristics, of which each needs a condition at one of its ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np

from ..assemble import Placed
from ..domain import Box, Cylinder, Domain, Edge, Pair, Points, Samples
from ..problem import Problem
from .local import Look

SHORT = 1e3  # wave number of short waves, in units of half the width of the domain
SHORTER = 4.0  # times that for others, which must grow faster
FASTER = 1.5
FAST = 10.0  # growth over half the width of a domain that matters
UNDAMPED = 1e-3  # growth or decay that is rounding
PLACES, DIRECTIONS = 12, 4
SHARE = 0.25  # of these in which a root is on the wrong side
STEP, STEPS = 0.02, 300  # of a characteristic, in half-widths of the domain
ON_FACE = 24  # points of a face from which characteristics start

Find = Callable[[Look, Samples], Look]


def objection(problem: Problem, held_out: Sequence[Placed], looks: Mapping[int, Look], find: Find) -> str:
    """Why conditions are in the wrong place, in a sentence; empty if there is nothing to be said."""
    rng = np.random.default_rng(0)
    for domain in problem.domains:
        own = {k: look for k, look in looks.items() if look.placed.condition.region is domain}
        said = _against_time(problem, domain, held_out, list(own.values()), rng)
        if not said and len(own) == 1 and len(problem.components) == 1:
            said = _without_inflow(problem, domain, next(iter(own.values())), find, rng)
        if said:
            return said
    return ""


def _against_time(
    problem: Problem, domain: Domain, held_out: Sequence[Placed], looks: Sequence[Look], rng: np.random.Generator
) -> str:
    """Conditions at the wrong end of an axis."""
    unknowns = [k for k, c in enumerate(problem.components) if c.domain == domain and not c.is_constant]
    if not looks or len(looks) != len(unknowns) or not isinstance(domain, Box | Cylinder):
        return ""
    d, in_time = len(domain.coordinates), isinstance(domain, Cylinder)
    rows = _places(looks, rng)
    for axis in [d - 1] if in_time else range(d):
        given = _given(domain, held_out, axis)
        if given is None or d == 1:
            continue
        # a face of a box without condition may be one at which coefficients vanish; an instant without one is not
        needed = in_time and not any(isinstance(c.region, Points) for c in problem.conditions)
        trials = product(rows, range(1 if d == 2 else DIRECTIONS))
        counted = [_roots(looks, unknowns, row, axis, np.array(domain.half_widths), rng) for row, _ in trials]
        known = [c for c in counted if c is not None and (needed or sum(given) >= c[2])]
        for end, side in (("lower", 0), ("upper", 1)):
            if sum(c[side] > given[side] for c in known) > SHARE * len(counted):
                return _sentence(domain, axis, end, given)
    return _from_no_end(domain, held_out, looks, unknowns, rows, rng)


def _from_no_end(
    domain: Domain,
    held_out: Sequence[Placed],
    looks: Sequence[Look],
    unknowns: Sequence[int],
    rows: Sequence[int],
    rng: np.random.Generator,
) -> str:
    """Waves without damping that no axis is solved along from one of its ends.

    Between two ends, or around a ring, some of them fit exactly, or nearly so: a vibrating string is not determined by
    its shape at two times.
    """
    d, widths = len(domain.coordinates), np.array(domain.half_widths)
    if d == 1 or not isinstance(getattr(domain, "base", domain), Box):
        return ""
    for axis in range(d):
        given = _given(domain, held_out, axis)
        for row, _ in product(rows, range(1 if d == 2 else DIRECTIONS)):
            counted = _roots(looks, unknowns, row, axis, widths, rng)
            if counted is None or not counted[2] or counted[3] < counted[2]:
                return ""
            if given is not None and (0 in given or max(given) >= counted[2]):
                return ""
    return (
        "The equation has waves without damping, and along no coordinate is it solved from one end: between two ends, "
        "or around a ring, some waves fit of themselves, so that the equations do not determine the solution, or it "
        "does not depend continuously on them. Give all conditions in one of these directions at one end."
    )


def _places(looks: Sequence[Look], rng: np.random.Generator) -> list[int]:
    """Some of the points; one if coefficients are the same at all of them."""
    if all(np.ptp(c) == 0 for look in looks for _, c in look.coefficients):
        return [0]
    return rng.integers(min(len(look.points) for look in looks), size=PLACES).tolist()  # type: ignore[no-any-return]


def _sentence(domain: Domain, axis: int, end: str, given: tuple[int, int]) -> str:
    x, (low, high) = domain.coordinates[axis], domain.bounds[axis]
    there, wanted = (high, low) if end == "lower" else (low, high)
    if sum(given) == 0:
        return (
            f"There is no condition at {x} = {wanted:g}, where the equation wants one: the equations do not determine "
            "the solution."
        )
    return (
        f"Along {x} the equation is solved against its direction: from {x} = {there:g} its short waves grow without "
        "bound, so that the solution does not depend continuously on the equations. It wants a condition at "
        f"{x} = {wanted:g}, or a term in it has the wrong sign."
    )


def _given(domain: Domain, held_out: Sequence[Placed], axis: int) -> tuple[int, int] | None:
    """How many conditions there are at the lower and at the upper end of an axis; None where these are joined."""
    lower = upper = 0
    for p in held_out:
        region = p.condition.region
        if isinstance(region, Pair) and region.domain == domain and region.axis == axis:
            return None
        if region.domain == domain and p.samples.normals is not None and not p.is_integral:
            lower += bool((p.samples.normals[:, axis] < -0.99).any())
            upper += bool((p.samples.normals[:, axis] > 0.99).any())
    return lower, upper


def _roots(
    looks: Sequence[Look],
    unknowns: Sequence[int],
    row: int,
    axis: int,
    half_widths: np.ndarray,
    rng: np.random.Generator,
) -> tuple[int, int, int, int] | None:
    """How many roots decay and grow without bound, how many there are, and how many of these do neither at all.

    None if that cannot be told.
    """
    direction = rng.standard_normal(len(half_widths))
    direction[axis] = 0.0
    if len(half_widths) > 1:
        direction /= np.linalg.norm(direction)
    found = []
    for wave_number in (SHORT, SHORTER * SHORT):
        roots = _symbol_roots(looks, unknowns, row, axis, half_widths, wave_number * direction)
        found.append(np.sort(roots))
    slow, fast = found
    if len(slow) != len(fast):
        return None
    decaying = int(np.sum((slow < -FAST) & (fast < FASTER * slow)))
    growing = int(np.sum((slow > FAST) & (fast > FASTER * slow)))
    return decaying, growing, len(slow), int(np.sum((np.abs(slow) < UNDAMPED) & (np.abs(fast) < UNDAMPED)))


def _symbol_roots(
    looks: Sequence[Look], unknowns: Sequence[int], row: int, axis: int, half_widths: np.ndarray, waves: np.ndarray
) -> np.ndarray:
    """The real parts of the roots τ of det P(τ) = 0, in units of one over half the width."""
    n = len(unknowns)
    degree = max(jet.orders[axis] for look in looks for jet, _ in look.coefficients)
    P = np.zeros((degree + 1, n, n), dtype=complex)
    for e, look in enumerate(looks):
        for jet, c in look.coefficients:
            if jet.unknown not in unknowns:
                continue
            across = [(1j * w) ** k for i, (w, k) in enumerate(zip(waves, jet.orders, strict=True)) if i != axis]
            size = np.prod(half_widths ** np.array(jet.orders))
            P[jet.orders[axis], e, unknowns.index(jet.unknown)] += c[row] / size * np.prod(across)
    P /= np.abs(P).max(axis=(0, 2), keepdims=True) + np.finfo(float).tiny
    if degree == 0 or not np.isfinite(P).all():
        return np.zeros(0)
    if n == 1:
        return np.real(np.roots(P[::-1, 0, 0]))
    from scipy.linalg import eigvals

    A, B = np.eye(n * degree, dtype=complex), np.eye(n * degree, dtype=complex)  # P(τ) as a pencil of first order
    A = np.roll(A, n, axis=1)
    A[-n:] = -np.concatenate(list(P[:-1]), axis=1)
    B[-n:, -n:] = P[-1]
    with np.errstate(all="ignore"):
        roots = eigvals(A, B)
    return np.real(roots[np.isfinite(roots) & (np.abs(roots) < 1e3 * SHORT**3)])


def _without_inflow(problem: Problem, domain: Domain, look: Look, find: Find, rng: np.random.Generator) -> str:
    """Characteristics that no condition gives a value to."""
    first_order = all(sum(jet.orders) <= 1 for jet, _ in look.coefficients)
    regions = [c.region for c in problem.conditions if c.region is not domain]
    others = len(regions) < len(problem.conditions) - 1 or any(isinstance(r, Pair | Points) for r in regions)
    if not first_order or others:  # which may determine the solution in ways of their own
        return ""
    covered = [p for r in regions for p in r.patches]
    edges = [(e, e.piece in covered) for e in domain.edges]
    if all(has for _, has in edges) or not all(e.piece.has_normals for e, _ in edges):
        return ""
    samples = [e.piece.sample(ON_FACE, lambda n, ends, g: g.random((n, len(ends))), rng) for e, _ in edges]
    walls = Samples.joined(samples)
    walled = np.repeat([has for _, has in edges], [len(s) for s in samples])
    names = []
    for (edge, has), here in zip(edges, samples, strict=True):
        if has or here.normals is None:
            continue
        velocity = _velocity(find(look, here), len(domain.coordinates))
        entering = (velocity * here.normals).sum(axis=1) < -1e-9 * np.abs(velocity).max()
        lost = _lost(here.points[entering], domain, look, find, walls, walled)
        if lost > SHARE * entering.sum():
            names.append(_name(edge))
    if not names:
        return ""
    return (
        f"The equation carries values into the domain through {' and '.join(names)}, and neither there nor where they "
        "leave is there a condition: the equations do not determine the solution. Give its values there."
    )


def _lost(
    starts: np.ndarray, domain: Domain, look: Look, find: Find, walls: Samples, walled: np.ndarray
) -> int:
    """How many characteristics leave where there is no condition, either."""
    assert walls.normals is not None
    widths, points, lost = np.array(domain.half_widths), starts, 0
    for _ in range(STEPS):
        velocity = _velocity(find(look, Samples(points)), len(widths))
        speed = np.linalg.norm(velocity / widths, axis=1, keepdims=True)
        with np.errstate(all="ignore"):
            there = points + np.nan_to_num(STEP * velocity / speed)
        outside = ~domain.contains(there)
        for p in there[outside]:
            beyond = ((p - walls.points) * walls.normals).sum(axis=1) > 0  # of these, not of a wall that is near
            away = np.where(beyond, ((walls.points - p) ** 2 / widths**2).sum(axis=1), np.inf)
            lost += not walled[np.argmin(away)]
        points = there[~outside]
        if not len(points):
            break
    return lost


def _velocity(look: Look, dimension: int) -> np.ndarray:
    found = np.zeros((len(look.points), dimension))
    for jet, c in look.coefficients:
        if sum(jet.orders) == 1:
            found[:, jet.orders.index(1)] += c
    return found


def _name(edge: Edge) -> str:
    return f"the face {edge.detail}" if edge.detail else f"the part {edge.shape}"
