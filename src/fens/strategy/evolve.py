"""What goes on from a first instant: in slabs of time, or as one problem in space and time where that is short."""

from __future__ import annotations

from dataclasses import replace

from .._support.steering import Slabs
from ..errors import NotConverged, SettingError, concerning
from ..evolution.solve import NoMarch, evolve, told
from ..evolution.statement import Evolution, are_alike
from ..options import Settings
from ..problem import Problem
from ..solution import EvolvedSolution, Solution
from .grow import grow
from .pipeline import solve_with


def evolve_or_grow(problem: Problem, settings: Settings) -> Solution:
    """The solution of a problem about which nothing is said but how good it should be."""
    evolution = Evolution.of(problem)
    check(evolution, problem, settings)
    if evolution is None:
        return at_once(problem, settings)
    try:
        found = evolve(evolution, settings)
    except NoMarch as reason:
        refuse_others(evolution, settings, str(reason))
        return at_once(problem, settings)
    if suits_one(found, settings):
        most = min(settings.max_features, Slabs.MOST_AT_ONCE)
        other = at_once(problem, replace(settings, raise_on_failure=False, max_features=most))
        if is_as_good(other, found):
            return replace(other, settings=settings)
    return told(found, settings)


def refuse_others(evolution: Evolution, settings: Settings, why: str) -> None:
    """Only in slabs of time is there an end that is waited for, or a beginning that is another one's end."""
    for name in ("until", "continuing", "keep"):
        if (given := getattr(settings, name)) is not None:
            since = evolution.start if settings.continuing is None else settings.continuing.end
            message = (
                f"{name}= follows an evolution in slabs of time, and this one cannot be followed from "
                f"{evolution.time} = {since:.12g}: {why}. Do initial values and conditions agree there? Without "
                f"{name}=, fens.solve looks for other ways to solve the whole problem."
            )
            raise NotConverged(message, solution=given if name == "continuing" else None)


def at_once(problem: Problem, settings: Settings) -> Solution:
    """The solution with functions of space and time."""
    settings = replace(settings, until=None, keep=None, continuing=None)
    return grow(problem, settings) if settings.grows else solve_with(problem, settings)


def suits_one(found: EvolvedSolution, settings: Settings) -> bool:
    """Whether an evolution is so short, and so easy, that functions of space and time are likely to do better still."""
    asks = settings.until is not None or settings.keep is not None or settings.continuing is not None
    return found.problem.is_linear and len(found.slabs.which) <= Slabs.NO_SLABS and not asks


def is_as_good(other: Solution, found: Solution) -> bool:
    """Whether a solution with functions of space and time is to be preferred to one in slabs."""
    ended = other.stats.status in ("converged", "settled")
    return ended and other.expected_error <= Slabs.ENOUGH * found.expected_error


def check(evolution: Evolution | None, problem: Problem, settings: Settings) -> None:
    """Refuse what only an evolution has."""
    for name in ("until", "continuing", "keep"):
        if evolution is None and getattr(settings, name) is not None:
            with concerning(name):
                raise SettingError(
                    f"{name} needs a problem that goes on from its first instant: equations in a cylinder, "
                    "shape.during(t, 0, 1), or on an interval of time, and as many initial values as they have "
                    "derivatives in time, known at the first instant."
                )
    if evolution is not None and (saved := settings.continuing) is not None:
        with concerning("continuing"):
            _check_saved(evolution, problem, saved)


def _check_saved(evolution: Evolution, problem: Problem, saved: object) -> None:
    if not isinstance(saved, EvolvedSolution) or saved.restart is None:
        raise SettingError("continuing takes a solution in slabs of time, as fens.solve found it for an earlier end.")
    alike = saved.problem.unknowns == problem.unknowns and saved.slabs.beginning == evolution.start
    former = Evolution.of(saved.asked or saved.problem)
    if not alike or former is None or former.base != evolution.base or former.orders != evolution.orders:
        raise SettingError(
            f"continuing takes a solution of the same unknowns on the same domain, from the same time on; it has "
            f"{', '.join(map(str, saved.problem.unknowns))} on {saved.problem.domain.name}."
        )
    if not are_alike(former, evolution):
        raise SettingError(
            "continuing takes a solution of the same equations and initial values, up to an earlier time; it has "
            f"{'; '.join(c.label for c in saved.problem.conditions)}."
        )
    if not saved.end < evolution.end:
        raise SettingError(
            f"continuing goes on after {evolution.time} = {saved.end:g}, and the problem ends at {evolution.end:g}; "
            "give it a later end."
        )
