"""What the type of the equations says of where conditions must be.

Along an axis, with waves e^(iξ·x) across it, an equation has the solutions e^(τs) for the roots τ(ξ) of its symbol. Of
short waves those that grow without bound must be determined at the upper end, those that decay at the lower one: the
heat equation wants its values first, and Laplace's a condition at each end. An equation of first order carries values
along its characteristics, of which each needs a condition at one of its ends. One of evolution in time, of any order in
space, wants at each of the two ends as many conditions as it has roots that decay from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np

from .._support.steering import Characteristics
from ..discretise import DiscreteCondition
from ..geometry import Box, Cylinder, Domain, Facet, Pair, Points, Samples
from ..problem import Problem
from .local import Look
from .symbol import Symbol, sides

Find = Callable[[Look, Samples], Look]


def objection(problem: Problem, held_out: Sequence[DiscreteCondition], looks: Mapping[int, Look], find: Find) -> str:
    """Why conditions are in the wrong place, in a sentence; empty if there is nothing to be said."""
    rng = np.random.default_rng(0)
    for domain in problem.domains:
        own = {k: look for k, look in looks.items() if look.discretised.condition.region is domain}
        if (more := conditions_to_spare(problem, held_out, looks)) is not None and more < 0:
            return (
                f"There are too few conditions on {domain.name}: the equations there want {_counted(-more)} more, at "
                "an end or elsewhere, and do not determine the solution. Look for a missing condition."
            )
        said = _against_time(problem, domain, held_out, list(own.values()), rng)
        said = said or _without_condition(problem, domain, list(own.values()), find, rng)
        said = said or _at_wrong_ends(problem, domain, held_out, list(own.values()))
        if not said and len(own) == 1 and len(problem.components) == 1:
            said = _without_inflow(problem, domain, next(iter(own.values())), find, rng)
        if said:
            return said
    return ""


def conditions_to_spare(
    problem: Problem, held_out: Sequence[DiscreteCondition], looks: Mapping[int, Look]
) -> int | None:
    """How many more conditions there are than equations on an interval want, or unknown numbers; None if not known.

    Layers at an end that has none may be narrower than all features, so that nothing else tells.
    """
    domain = problem.domain
    unknowns = [k for k, c in enumerate(problem.components) if not c.is_constant]
    own = [look for look in looks.values() if look.discretised.condition.region is domain]
    inside = sum(p.condition.region is domain and p.is_pointwise for p in held_out)
    if len(problem.coordinates) > 1 or len(problem.domains) > 1 or not len(own) == inside == len(unknowns):
        return None
    if not all(look.is_regular for look in own):
        return None
    symbol, rng = Symbol(own, unknowns, np.array(domain.half_widths)), np.random.default_rng(0)
    roots = [symbol.roots(row, np.ones(1), rng) for row in _places(own, rng)]
    counts = {-1 if r is None else r.count for r in roots}
    wanted = counts.pop()
    if counts or wanted < 0:
        return None
    given = sum(p.rows for p in held_out if p.condition.region is not domain or not p.is_pointwise)
    return given - wanted - (len(problem.components) - len(unknowns))


def _counted(number: int) -> str:
    return ("none", "one", "two", "three")[number] if number < 4 else str(number)


def _against_time(
    problem: Problem,
    domain: Domain,
    held_out: Sequence[DiscreteCondition],
    looks: Sequence[Look],
    rng: np.random.Generator,
) -> str:
    """Conditions at the wrong end of an axis."""
    unknowns = [k for k, c in enumerate(problem.components) if c.domain == domain and not c.is_constant]
    if not looks or len(looks) != len(unknowns) or not isinstance(domain, Box | Cylinder):
        return ""
    d, in_time = len(domain.coordinates), isinstance(domain, Cylinder)
    rows, symbol = _places(looks, rng), Symbol(looks, unknowns, np.array(domain.half_widths))
    for axis in [d - 1] if in_time else range(d):
        given = _given(domain, held_out, axis)
        if given is None or d == 1:
            continue
        # a face without condition may be one at which coefficients vanish, as t = 0 of t ∂u/∂t = ∂²u/∂x²
        pointwise = any(isinstance(c.region, Points) for c in problem.conditions)
        needed = in_time and not pointwise and not any(_vanishes_along(look, axis) for look in looks)
        trials = product(rows, range(1 if d == 2 else Characteristics.DIRECTIONS))
        counted = [symbol.roots(row, np.eye(d)[axis], rng) for row, _ in trials]
        known = [c for c in counted if c is not None and (needed or sum(given) >= c.count)]
        for end, missing in (
            ("lower", sum(c.decaying > given[0] for c in known)), ("upper", sum(c.growing > given[1] for c in known))
        ):
            if missing > Characteristics.SHARE * len(counted):
                return _sentence(domain, axis, end, given)
    return _from_no_end(domain, held_out, symbol, rows, rng)


def _vanishes_along(look: Look, axis: int) -> bool:
    """Whether the coefficients of the highest derivatives along an axis vanish somewhere."""
    order = max(jet.orders[axis] for jet, _ in look.coefficients)
    size = np.sum([np.abs(c) for jet, c in look.coefficients if jet.orders[axis] == order], axis=0)
    return bool(size.min() < Characteristics.NO_CONDITION * np.median(size))


def _from_no_end(
    domain: Domain, held_out: Sequence[DiscreteCondition], symbol: Symbol, rows: Sequence[int], rng: np.random.Generator
) -> str:
    """Waves without damping that no axis is solved along from one of its ends.

    Between two ends, or around a ring, some of them fit exactly, or nearly so: a vibrating string is not determined by
    its shape at two times.
    """
    d = len(domain.coordinates)
    if d == 1 or not isinstance(getattr(domain, "base", domain), Box):
        return ""
    for axis in range(d):
        given = _given(domain, held_out, axis)
        for row, _ in product(rows, range(1 if d == 2 else Characteristics.DIRECTIONS)):
            found = symbol.roots(row, np.eye(d)[axis], rng)
            if found is None or not found.count or found.undamped < found.count:
                return ""
            if given is not None and (0 in given or max(given) >= found.count):
                return ""
    return (
        "The equation has waves without damping, and along no coordinate is it solved from one end: between two ends, "
        "or around a ring, some waves fit of themselves, so that the equations do not determine the solution, or it "
        "does not depend continuously on them. Give all conditions in one of these directions at one end."
    )


def _at_wrong_ends(
    problem: Problem, domain: Domain, held_out: Sequence[DiscreteCondition], looks: Sequence[Look]
) -> str:
    """An equation of evolution with enough conditions at the two ends of space together, and too few at one of them.

    They may determine the solution still, as all data at one end do, yet no more stably than backward diffusion; and
    smooth data show nothing of it. Too few at both ends together show by themselves.
    """
    inside = sum(c.region is domain for c in problem.conditions)
    alone = len(problem.components) == len(problem.domains) == len(looks) == inside == 1
    elsewhere = any(isinstance(p.condition.region, Points) or not p.is_pointwise for p in held_out)
    if not alone or elsewhere or len(domain.coordinates) != 2 or not isinstance(getattr(domain, "base", domain), Box):
        return ""
    for space, time in ((0, 1), (1, 0)):
        given, when = _given(domain, held_out, space), _given(domain, held_out, time)
        if given is None or when is None or (when[0] > 0) == (when[1] > 0):
            continue
        wanted = _wanted(looks[0], space, time, forward=when[0] > 0)
        if wanted is None or sum(given) < sum(wanted) or all(g >= w for g, w in zip(given, wanted, strict=True)):
            continue
        x, (low, high) = domain.coordinates[space], domain.bounds[space]
        return (
            f"Along {x} the equation wants {_counted(wanted[0])} condition{'s' * (wanted[0] > 1)} at {x} = {low:g} and "
            f"{_counted(wanted[1])} at {x} = {high:g}, and has {_counted(given[0])} and {_counted(given[1])}: the "
            "solution does not depend continuously on the equations, or they do not determine it. A condition is at "
            "the wrong end, or a term has the wrong sign."
        )
    return ""


def _wanted(look: Look, space: int, time: int, forward: bool) -> tuple[int, int] | None:
    """How many conditions u_t = c ∂ⁿu/∂xⁿ + … wants at the ends of space; None if it is no such equation.

    That is one of first order in time, without mixed derivatives of it, where neither leading coefficient vanishes.
    """
    jets = [(jet.orders, c) for jet, c in look.coefficients]
    order = max(orders[space] for orders, _ in jets)
    in_time = {(orders[time], orders[space]) for orders, _ in jets if orders[time]}
    if order < 2 or in_time != {(1, 0)}:
        return None
    rate, leading = (sum(c for orders, c in jets if orders[i] == n) for i, n in ((time, 1), (space, order)))
    with np.errstate(all="ignore"):
        power = np.asarray(-rate / leading if forward else rate / leading)
        sizes = np.abs(power) / np.median(np.abs(power))
    within = (sizes > Characteristics.NO_CONDITION) & (sizes < 1 / Characteristics.NO_CONDITION)
    return sides(order, power[0]) if within.all() and np.ptp(np.sign(power)) == 0 else None


def _places(looks: Sequence[Look], rng: np.random.Generator) -> list[int]:
    """Some of the points; one if coefficients are the same at all of them."""
    if all(np.ptp(c) == 0 for look in looks for _, c in look.coefficients):
        return [0]
    return rng.integers(min(len(look.points) for look in looks), size=Characteristics.PLACES).tolist()  # type: ignore[no-any-return]


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


def _given(domain: Domain, held_out: Sequence[DiscreteCondition], axis: int) -> tuple[int, int] | None:
    """How many conditions there are at the lower and at the upper end of an axis; None where these are joined."""
    lower = upper = 0
    for p in held_out:
        region = p.condition.region
        if isinstance(region, Pair) and region.domain == domain and region.axis == axis:
            return None
        if isinstance(region, Points) and p.is_pointwise:  # measured at one end, they are a condition there
            along, (low, high) = p.samples.points[:, axis], domain.bounds[axis]
            lower, upper = lower + bool((along == low).all()), upper + bool((along == high).all())
        if region.domain == domain and p.samples.normals is not None and p.is_pointwise:
            lower += bool((p.samples.normals[:, axis] < -0.99).any())
            upper += bool((p.samples.normals[:, axis] > 0.99).any())
    return lower, upper


def _without_condition(
    problem: Problem, domain: Domain, looks: Sequence[Look], find: Find, rng: np.random.Generator
) -> str:
    """A part of the boundary that has no condition, where some solutions decay from it and as many grow."""
    unknowns = [k for k, c in enumerate(problem.components) if c.domain == domain and not c.is_constant]
    d, edges = len(domain.coordinates), _edges(problem, domain)
    if d == 1 or not looks or len(looks) != len(unknowns) or len(problem.domains) > 1 or edges is None:
        return ""
    for edge in (e for e, has in edges if not has):
        face = _on(edge, rng)
        assert face.normals is not None
        there = [find(look, face) for look in looks]
        usual = [Characteristics.NO_CONDITION * np.median(_leading(look)) for look in looks]
        if any(_leading(look).min() < most for look, most in zip(there, usual, strict=True)):
            continue
        symbol = Symbol(there, unknowns, np.array(domain.half_widths))
        counted = [symbol.roots(row, -face.normals[row], rng) for row in range(len(face))]
        wanting = sum(c is not None and c.decaying == c.growing > 0 for c in counted)
        if wanting > (1 - Characteristics.SHARE) * len(face):
            return (
                f"There is no condition on {_name(edge)}, where the equation wants one: the equations do not determine "
                "the solution, or it does not depend continuously on them."
            )
    return ""


def _edges(problem: Problem, domain: Domain) -> list[tuple[Facet, bool]] | None:
    """The parts of a boundary, and whether there is a condition; None if others may determine the solution, too."""
    regions = [c.region for c in problem.conditions if c.region is not domain]
    inside = sum(c.region is domain for c in problem.conditions)
    others = inside > len(problem.components) or any(isinstance(r, Pair | Points) for r in regions)
    covered = [p for r in regions for p in r.patches]
    edges = [(e, e.piece in covered) for e in domain.edges]
    if others or all(has for _, has in edges) or not all(e.piece.has_normals for e, _ in edges):
        return None
    return edges


def _leading(look: Look) -> np.ndarray:
    """The size of the coefficients of the highest derivatives."""
    order = max(sum(jet.orders) for jet, _ in look.coefficients)
    return np.asarray(sum(np.abs(c) for jet, c in look.coefficients if sum(jet.orders) == order))


def _on(edge: Facet, rng: np.random.Generator) -> Samples:
    return edge.piece.sample(Characteristics.ON_FACE, lambda n, ends, g: g.random((n, len(ends))), rng)


def _without_inflow(problem: Problem, domain: Domain, look: Look, find: Find, rng: np.random.Generator) -> str:
    """Characteristics that no condition gives a value to."""
    first_order = all(sum(jet.orders) <= 1 for jet, _ in look.coefficients)
    edges = _edges(problem, domain)
    if not first_order or edges is None:
        return ""
    samples = [_on(e, rng) for e, _ in edges]
    walls = Samples.joined(samples)
    walled = np.repeat([has for _, has in edges], [len(s) for s in samples])
    names = []
    for (edge, has), here in zip(edges, samples, strict=True):
        if has or here.normals is None:
            continue
        velocity = _velocity(find(look, here), len(domain.coordinates))
        entering = (velocity * here.normals).sum(axis=1) < -1e-9 * np.abs(velocity).max()
        lost = _lost(here.points[entering], domain, look, find, walls, walled)
        if lost > Characteristics.SHARE * entering.sum():
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
    for _ in range(Characteristics.STEPS):
        velocity = _velocity(find(look, Samples(points)), len(widths))
        speed = np.linalg.norm(velocity / widths, axis=1, keepdims=True)
        with np.errstate(all="ignore"):
            there = points + np.nan_to_num(Characteristics.STEP * velocity / speed)
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


def _name(edge: Facet) -> str:
    return f"the face {edge.detail}" if edge.detail else f"the part {edge.shape}"
