"""How far a march can be trusted: by what two of them differ, and whether equations hold between their points."""

from __future__ import annotations

from .._support.numbers import EPS
from .._support.steering import Assessment, Discretisation, Slabs
from ..estimate.assess import Error, Evidence
from .record import Record

ROUNDED = "The equations hold to rounding, and what that has grown to in the course of time; tol= would not lower it."
TO_GOAL = "Space and time are resolved as far as was asked for; tol= asks for more digits."
ROUGH = (
    "The roughest functions of space have a part in the solution: it has kinks or fronts that max_features= does not "
    "resolve."
)


def error_of(record: Record, goal: float) -> Error:
    """The error of all unknowns at all times so far."""
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
        residuals[name] = max(residuals.get(name, 0.0), float(value))
    evidence = Evidence(
        residuals or {record.evolution.problem.domain.name: 0.0},
        {c.name: (float(d), float(s)) for c, d, s in zip(components, record.differences, record.sizes, strict=True)},
        recovery=0.0, sensitivity=1.0, rounding=EPS * largest, coordinates=record.coordinates,
    )  # fmt: skip
    if record.restless:
        verdict, advice = "approximation-limited", ROUGH
    elif goal <= Slabs.GOAL:
        verdict, advice = "roundoff-limited", ROUNDED
    else:
        verdict, advice = "approximation-limited", TO_GOAL
    return Error(max(of.values()), relative, verdict, advice, evidence, of)


def is_contradicted(error: Error) -> bool:
    """Whether equations hold so badly, where nothing was asked of them, that something contradicts them."""
    return not error.evidence.worst <= max(Slabs.CONTRADICTED, error.relative)
