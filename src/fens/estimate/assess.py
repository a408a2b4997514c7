"""The verdict on a solution: an estimate of its error, from the evidence there is, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from .._support.numbers import EPS
from .._support.steering import Assessment, Discretisation
from .._support.stored import stored
from ..fit.stats import Stats

MORE, MORE_OR = "More features would lower the error", "Take more features"
UNTRUSTED = ("unreliable", "inconsistent")  # verdicts with which an estimate is not to be trusted
SMOOTHER = "Write it with a smoother integrand, or integrate over parts of the region by hand and give the result."
SMALLEST_PERCENTAGE = 0.001


@stored("Evidence")
@dataclass(frozen=True)
class Evidence:
    """What an error estimate rests on.

    `residuals` has, for each region, the residual of its equation relative to the terms, at points the solve did not
    use; `disagreement` is the largest difference from a solution with independent features and points, and
    `differences` has that of each unknown with the size of it; `recovery` is the
    relative error with which random functions are found again from what the equations tell of them; `sensitivity`
    how much random changes of the equations change the solution, relative to their sizes; `rounding` the size of
    the weighted features times the unit of round-off; `noise` has the change of each unknown that noise of data makes;
    `misfit` is what the data miss the solution by, in units of their standard deviations, the root mean square of the
    `measured` values that have one.

    `growth` is the factor by which the sensitivity grows from half as many features to all of them, where that was
    looked at; `local` the largest error that residuals show near the place where they are, relative to the solution,
    `where` that is and in which `equation`; `coordinates` what the rounding of coordinates makes; `conflict` has the
    residuals of equations that contradict each other; `objection` says why conditions are in the wrong place, and
    `unseen` is a place at which a known function does something that no point saw. `quadrature` is the largest
    change of the solution, relative to it, that finer rules for an `integral` among the conditions speak of.
    """

    residuals: Mapping[str, float]
    differences: Mapping[str, tuple[float, float]]
    recovery: float
    sensitivity: float
    rounding: float
    noise: Mapping[str, float] = field(default_factory=dict)
    misfit: float = 0.0
    measured: int = 0
    growth: float = 1.0
    local: float = 0.0
    where: str = ""
    equation: str = ""
    coordinates: float = 0.0
    conflict: Mapping[str, float] = field(default_factory=dict)
    objection: str = ""
    unseen: tuple[float, ...] = ()
    quadrature: float = 0.0
    integral: str = ""

    @property
    def disagreement(self) -> float:
        """The largest of the differences."""
        return max(difference for difference, _ in self.differences.values())

    @property
    def size(self) -> float:
        """The largest value of an unknown."""
        return max(size for _, size in self.differences.values())

    @property
    def worst(self) -> float:
        """The largest of the residuals."""
        return max(self.residuals.values())

    @property
    def resolved(self) -> bool:
        """Whether the equations hold well enough for two solutions not to err alike."""
        return self.worst <= Assessment.UNRESOLVED

    @property
    def of_rule(self) -> bool:
        """Whether most of what solutions differ by is the work of the rule for an integral."""
        return self.quadrature * self.size > Assessment.HELPS * self.disagreement

    @property
    def determined(self) -> bool:
        """Whether the equations determine a solution, and one that depends continuously on them."""
        return self.unique and self.stable and not self.objection

    @property
    def unique(self) -> bool:
        """Whether random functions are found again, but for what the solution makes of rounding, or a little of what it
        makes of noise: data may determine a number well enough, and no better than that.
        """
        noise = max((n / self.differences[name][1] for name, n in self.noise.items() if n > 0), default=0.0)
        lost = min(Assessment.OF_NOISE * noise, Assessment.RECOVERED)
        return is_unique(self.recovery, self.sensitivity) or self.recovery <= lost

    @property
    def noisy(self) -> bool:
        """Whether the noise of data changes an unknown by more than solutions differ."""
        return any(n > self.differences[name][0] for name, n in self.noise.items())

    @property
    def drowned(self) -> bool:
        """Whether random functions are lost to rounding alone, and the solution itself has grown as much as that."""
        lost = not self.unique and self.recovery <= Assessment.AMPLIFIED * EPS * self.sensitivity
        return lost and self.size >= Assessment.GROWN_TOO * self.sensitivity

    @property
    def amplified(self) -> float:
        """What a sensitive solution makes of the rounding of its equations, relative to it.

        Two solutions may agree on it better than either deserves: by chance, or since both are damped alike.
        """
        if self.sensitivity <= Assessment.SENSITIVE:
            return 0.0
        return max(EPS, Assessment.OF_ROUNDING * min(self.worst, Assessment.ROUNDED)) * self.sensitivity

    @property
    def stable(self) -> bool:
        """Whether small changes of the equations make small ones of the solution, however many features it has.

        How small is no matter: e^10x grows as it should. Where nothing bounds the changes, they grow with the features.
        """
        bounded = self.growth <= Assessment.GROWS and self.sensitivity <= Assessment.SINGULAR
        return self.sensitivity <= Assessment.SENSITIVE or bounded


@stored("Error")
@dataclass(frozen=True)
class Error:
    """The error of a solution: `estimate` is the largest absolute one expected, `relative` relative to the solution.

    Of several unknowns these are the largest; `of` has the absolute one of each.

    The verdict is "roundoff-limited" (no choice of features would help much), "approximation-limited" (more features
    would), "noise-limited" (better data would), "inconsistent" (the equations contradict each other), or "unreliable"
    (the solution is not to be trusted). With the last two there is no estimate: it is infinite.
    """

    estimate: float
    relative: float
    verdict: str
    advice: str
    evidence: Evidence
    of: Mapping[str, float]

    @property
    def trusted(self) -> bool:
        """Whether the estimate is to be trusted: the one place that tells which verdicts mean that."""
        return self.verdict not in UNTRUSTED

    def __repr__(self) -> str:
        return f"Error({self.estimate:.1e}, relative {self.relative:.1e}, {self.verdict}: {self.advice})"


def is_unique(recovery: float, sensitivity: float) -> bool:
    """Whether random functions are found again to as many digits as their sensitivity leaves."""
    return recovery <= max(Assessment.DETERMINED, min(Assessment.AMPLIFIED * EPS * sensitivity, Assessment.RECOVERED))


def understated(misfit: float, count: int) -> bool:
    """Whether so many data miss a solution by more, in units of their standard deviations, than chance allows.

    Their squares, summed up, have a χ² distribution if the deviations are right; the cube root of its mean is nearly
    normal, with the mean 1 − 2/9n and the variance 2/9n (Wilson and Hilferty).
    """
    if count == 0:
        return False
    variance = 2 / (9 * count)
    return not float(misfit) ** (2 / 3) <= 1 - variance + Assessment.DEVIATIONS * variance**0.5


def assess(evidence: Evidence, stats: Stats, alike: bool = False) -> Error:
    """The estimate and the verdict that follow from the evidence.

    Solutions `alike` have frequencies from one learnt distribution, and may lack the same.
    """
    worst, resolved = evidence.worst, evidence.resolved
    spread = max(1.0, evidence.misfit)  # of the data, relative to what they are said to have
    errors = {
        name: max(
            Assessment.SAFETY * max(difference + spread * evidence.noise.get(name, 0.0), evidence.local * size),
            evidence.amplified * size,
        )
        + evidence.coordinates
        for name, (difference, size) in evidence.differences.items()
    }
    if alike or not resolved:
        errors = {name: max(e, Assessment.SAFETY * worst * evidence.differences[name][1]) for name, e in errors.items()}
    relative = _relative(errors, evidence)

    def trusted(name: str, advice: str) -> Error:
        return Error(max(errors.values()), relative, name, advice, evidence, errors)

    if reason := _why_not(evidence, stats, relative):
        nothing = dict.fromkeys(errors, float("inf"))  # what the equations do not tell may be of any size
        return Error(float("inf"), float("inf"), *reason, evidence, nothing)
    if evidence.noisy:
        return trusted("noise-limited", "The noise of the data limits the solution; more data, or better, would help.")
    rounded = max(evidence.local, evidence.quadrature) <= Assessment.ROUNDED
    if evidence.quadrature > max(evidence.local, Assessment.ROUNDED) and evidence.of_rule:
        return trusted("approximation-limited", f"{_of_rule(evidence)} {SMOOTHER}")
    if (worst <= Assessment.ROUNDED or relative <= Assessment.FLOOR) and rounded:
        return trusted("roundoff-limited", "The equations hold to rounding; more features would not help much.")
    return trusted("approximation-limited", f"{MORE}; tol= asks for as many as needed.")


def after_growth(error: Error, sizes: Sequence[tuple[int, float]]) -> Error:
    """The error of the best solution of several, knowing the numbers of features tried and the error of each.

    Where the last two of them show that more do not help, the advice says so, and what may.
    """
    error = without_luck(error, [e for _, e in sizes])
    if len(sizes) < 2 or not any(words in error.advice for words in (MORE, MORE_OR)):
        return error
    (fewer, before), (more, after) = sizes[-2:]
    if after < Assessment.HELPS * before:
        return error
    evidence, what, where = error.evidence, "", ""
    if evidence.where:
        where = f" Its largest part is on {evidence.equation} near {evidence.where}."
    if not error.trusted:
        what = error.advice.split(MORE_OR)[0]
    advice = (
        f"{what}{more} features did not lower the error below that of {fewer}.{'' if what else where} What limits it "
        "may be a corner, an end, a kink, a layer or a front, which points and features could be put at (partition=), "
        "or a long time, which blocks= divides."
    )
    return replace(error, advice=advice)


def without_luck(error: Error, estimates: Sequence[float]) -> Error:
    """The error of the solution whose estimate is the smallest of these, for ever more features.

    More features make no solution worse, so that later estimates measure the same error once more, and the smallest of
    several is too small as often as not. One that is not to be trusted, infinite here, counts as the most they can do.
    """
    own = error.estimate
    best = max((k for k, e in enumerate(estimates) if e == min(estimates)), default=0)
    factor = min(max(estimates[best + 1 :], default=0.0) / own, Assessment.BY_LUCK) if 0 < own < float("inf") else 1.0
    if factor <= 1 or error.relative <= Assessment.FLOOR:
        return error
    relative = factor * error.relative
    if relative > Assessment.UNCERTAIN:
        nothing = dict.fromkeys(error.of, float("inf"))
        advice = (
            f"The solution is not resolved: those with more features speak of errors of {factor * own:.1e} or more. "
            f"{MORE_OR}, or look for a corner, a layer or a front."
        )
        return Error(float("inf"), float("inf"), "unreliable", advice, error.evidence, nothing)
    return replace(error, estimate=factor * own, relative=relative, of={u: factor * e for u, e in error.of.items()})


def _of_rule(evidence: Evidence) -> str:
    return (
        f"The integral in {evidence.integral} is not resolved by its points: with finer rules the solution changes by "
        f"about {_share(evidence.quadrature)}, as it does where an integrand has a kink, a jump, a pole or a bump."
    )


def _why_not(evidence: Evidence, stats: Stats, relative: float) -> tuple[str, str] | None:
    """A verdict that does not trust the solution, and why; None if there is no reason for one."""
    if evidence.objection:
        return "unreliable", evidence.objection
    if evidence.drowned:
        return "unreliable", (
            "The equations may determine the solution, but its sensitivity to them leaves no digits: what rounding "
            f"changes becomes {evidence.sensitivity:.0e} times as large, as the solution itself does. Solve over "
            "shorter intervals, or from the end at which it is largest; or look for a missing condition or a resonance."
        )
    if not evidence.unique:
        return "unreliable", (
            "The equations do not determine the solution: other functions satisfy them as well. Look for a missing "
            "condition, a resonance, or too few points."
        )
    if not evidence.stable:
        return "unreliable", (
            "The solution does not depend continuously on the equations: a small change of them makes one of it "
            f"{evidence.sensitivity:.0e} times as large. Look for a resonance, an equation solved against its "
            "direction of time, or conditions of the wrong kind."
        )
    if stats.status == "failed":
        return "unreliable", f"The nonlinear iteration failed: {stats.advice}"
    if Assessment.SAFETY * evidence.quadrature > Assessment.UNCERTAIN:
        return "unreliable", f"{_of_rule(evidence)} {SMOOTHER}"
    if evidence.unseen:
        place = ", ".join(f"{v:.6g}" for v in evidence.unseen)
        if evidence.integral:
            return "unreliable", (
                f"The integrand of {evidence.integral} does something at ({place}) that no point of its rule is near "
                f"enough to see, such as a bump. {SMOOTHER}"
            )
        return "unreliable", (
            f"A known function in the equations does something at ({place}) that no point of the solve is near enough "
            "to see, such as a bump or a steep change. "
            "Put points there, fens.Points({x: …}) with the same equation, or take more features."
        )
    if evidence.conflict:
        parts = "; ".join(f"on {name}: {residual:.1e} of its terms" for name, residual in evidence.conflict.items())
        return "inconsistent", (
            f"The equations contradict each other, and no function satisfies them all: what is left of them moves from "
            f"one to another as their weights change, or goes without one of them ({parts}). Look at the data of these "
            "equations."
        )
    if stats.status != "converged":
        return "unreliable", f"The nonlinear iteration {stats.status}: {stats.advice}"
    if evidence.resolved and understated(evidence.misfit, evidence.measured):
        return "unreliable", (
            f"The data miss the solution by {evidence.misfit:.2g} of their standard deviations, where chance makes it "
            "about one: std is understated, or the equations are not those that the data obey."
        )
    if evidence.resolved and evidence.noisy and Assessment.SAFETY * evidence.local <= Assessment.UNCERTAIN:
        if relative <= Assessment.NOISY:
            return None
        return "unreliable", (
            f"The noise of the data leaves little of the solution: it changes by {_share(relative)} of it. More data "
            "would help, or better ones, or others that the solution depends on more."
        )
    if not relative <= Assessment.UNCERTAIN or not evidence.resolved:
        where = f", most on {evidence.equation} near {evidence.where}" if evidence.where else ""
        return "unreliable", (
            f"The solution is not resolved: an equation holds only to {_share(evidence.worst)} of its terms, solutions "
            f"with other features differ by {evidence.disagreement:.1e}, and residuals speak of errors of "
            f"{evidence.local:.1e} of the solution{where}. {MORE_OR}, or look there for a corner, a layer or a front."
        )
    return None


def _share(value: float) -> str:
    """A part of something: in per cent, unless that would be none of it."""
    return f"{value:.1%}" if value >= SMALLEST_PERCENTAGE else f"{value:.1e}"


def _relative(errors: Mapping[str, float], evidence: Evidence) -> float:
    """The largest error relative to its unknown's size; one that vanishes counts with the rounding of the others."""
    relative = []
    for name, error in errors.items():
        size = max(evidence.differences[name][1], Discretisation.NEGLIGIBLE * evidence.size)
        relative.append(error / size if size > 0 else (0.0 if error == 0 else float("inf")))
    return max(relative)
