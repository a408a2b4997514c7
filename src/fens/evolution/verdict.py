"""How far a march can be trusted: by what two of them differ, and whether equations hold between their points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from torch import Tensor

from .._support.numbers import EPS
from .._support.steering import Assessment, Discretisation, Slabs
from ..basis import TimeSlabs, TrialSpace
from ..discretise import DiscreteCondition, sample
from ..estimate.assess import Error, Evidence
from ..estimate.kind import objection
from ..estimate.local import Look
from ..estimate.scan import scans, standing_out
from ..fit.discrete import discretised
from ..geometry import Clustered, Cylinder, Region, Samples
from ..options import Settings
from ..problem import Problem
from .record import Record

ROUNDED = "The equations hold to rounding, and what that has grown to in the course of time; tol= would not lower it."
TO_GOAL = "Space and time are resolved as far as was asked for; tol= asks for more digits."
ROUGH = (
    "The roughest functions of space have a part in the solution: it has kinks or fronts that max_features= does not "
    "resolve."
)


def error_of(record: Record, goal: float, against: str = "") -> Error:
    """The error of all unknowns at all times so far; `against` says why nothing is to be trusted."""
    components = record.evolution.problem.components
    of = {
        c.name: Assessment.SAFETY * float(d) + record.coordinates
        for c, d in zip(components, record.differences, strict=True)
    }
    sizes = {c.name: float(s) for c, s in zip(components, record.sizes, strict=True)}
    largest = max(sizes.values())
    relative = max(
        e / s if (s := max(sizes[name], Discretisation.NEGLIGIBLE * largest)) > 0 else (0.0 if e == 0 else float("inf"))
        for name, e in of.items()
    )
    residuals: dict[str, float] = {}
    for r, value in zip(record.asked, record.residuals, strict=True):
        name = r.condition.region.name
        residuals[name] = float(np.maximum(residuals.get(name, 0.0), value))  # of no number nothing is larger
    evidence = Evidence(
        residuals or {record.evolution.problem.domain.name: 0.0},
        {c.name: (float(d), float(s)) for c, d, s in zip(components, record.differences, record.sizes, strict=True)},
        recovery=0.0, sensitivity=1.0, rounding=EPS * largest, coordinates=record.coordinates, objection=against,
    )  # fmt: skip
    if against:
        nothing = dict.fromkeys(of, float("inf"))
        return Error(float("inf"), float("inf"), "unreliable", against, evidence, nothing)
    if record.restless:
        verdict, advice = "approximation-limited", ROUGH
    elif goal <= Slabs.GOAL:
        verdict, advice = "roundoff-limited", ROUNDED
    else:
        verdict, advice = "approximation-limited", TO_GOAL
    return Error(max(of.values()), relative, verdict, advice, evidence, of)


def objection_to(problem: Problem, space: TrialSpace, weights: Tensor) -> str:
    """Why conditions in space are in the wrong place, or too few, in a sentence; empty if there is nothing to be said.

    Two marches may agree on one of many solutions.
    """
    if not isinstance(problem.domain, Cylinder):
        return ""  # initial values are all that ordinary differential equations want
    settings = Settings()
    samples = sample(problem, Clustered(), [Slabs.LOOKED_AT] * len(problem.components), np.random.SeedSequence(0))
    conditions = discretised(problem, settings, {region: remembered(own, space) for region, own in samples.items()})
    found = {k: Look.of(p, space, weights) for k, p in enumerate(conditions)}

    def moved(look: Look, elsewhere: Samples) -> Look:
        return look.moved(remembered(elsewhere, space), problem.coordinates, space, weights)

    return objection(problem, conditions, {k: look for k, look in found.items() if look is not None}, moved)


def unseen(problem: Problem, space: TrialSpace, weights: Tensor, samples: Mapping[Region, Samples]) -> str:
    """Where a known function does something that no instant and no place saw, in a sentence; empty if nowhere."""
    settings, rng = Settings(), np.random.SeedSequence(0)
    conditions = discretised(problem, settings, samples)
    sizes = [1.0] * len(problem.components)

    def look(p: DiscreteCondition) -> Look | None:
        return Look.of(p, space, weights)

    scanned = scans(problem, conditions, rng)
    found = standing_out(problem, scanned, look, sizes)
    places = [found.place] if Assessment.SAFETY * found.relative > Slabs.OVERLOOKED else []
    if len(problem.coordinates) == 1:  # else what is known of places at all instants is thinned
        places += [place for _, scan in scanned for place in scan.unseen()]
    if not places:
        return ""
    where = ", ".join(f"{value:.6g}" for value in places[0])
    return (
        f"A known function in the equations does something at ({where}) that no instant of a slab is near enough to "
        "see, such as a bump or a pulse. Divide the time there, with a problem for each part, or make it wider."
    )


def remembered(samples: Samples, space: TrialSpace) -> Samples:
    """Points at times that are not forgotten: those that are, at the end instead."""
    slabs = space.members[0]
    assert isinstance(slabs, TimeSlabs)
    points = samples.points.copy()
    points[slabs.slab_of(points[:, slabs.axis]) < 0, slabs.axis] = float(slabs.ends[-1])
    return replace(samples, points=points)


def is_contradicted(error: Error, rough_on: str = "") -> bool:
    """Whether equations hold so badly, where nothing was asked of them, that something contradicts them.

    Those on a domain that functions are too few to resolve hold badly next to corners and in layers.
    """
    usual = max(Slabs.CONTRADICTED, error.relative)
    return not all(
        residual <= (max(usual, Slabs.UNRESOLVED) if name == rough_on else usual)
        for name, residual in error.evidence.residuals.items()
    )
