"""What the paper claims, each with our figures and a verdict; computed from the results, never written by hand."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from . import paper
from .cells import DAMPED, EXPLICIT, KAIMING, MAPPED, UNMAPPED, XAVIER
from .comparison import TENFOLD, Found, Pair, at, family_factor, own_paper
from .document import Table, Value
from .experiments import ACTIVATIONS, BY_NAME, ELM, EXPERIMENTS, FEN, MESHES

SIMILAR = 10.0  # times, of errors that are called so
ENOUGH, MOSTLY = 20, 0.95  # steps, from one size to the next, that say something; the part that must fall
SLOWER = 1.05  # times, of seconds that are called different


@dataclass(frozen=True)
class Claim:
    """What the paper says, what was found, and whether it holds; None as long as that cannot be said."""

    says: str
    found: str
    holds: bool | None

    @property
    def row(self) -> tuple[Value, ...]:
        """A row of the table."""
        word = "not yet run" if self.holds is None else "holds" if self.holds else "does not hold"
        tone = "" if self.holds is None else "good" if self.holds else "bad"
        return Value(self.says, prose=True), Value(word, tone), Value(self.found, prose=True)


def claims_table(pairs: Sequence[Pair], found: Sequence[Found]) -> Table:
    """All of them."""
    rows = tuple(claim.row for claim in claims(pairs, found))
    return Table(("the paper says", "verdict", "found in column `paper`"), rows, "The paper's claims, one by one")


def claims(pairs: Sequence[Pair], found: Sequence[Found]) -> Iterator[Claim]:
    """In the order of the paper."""
    done = [f for f in found if f.done]
    yield maps_matter(pairs, done)
    yield initialisation(pairs, done)
    yield optimal_scale(done)
    yield same_trend(done)
    yield far_below(pairs)
    yield converges(pairs)
    yield finite_elements(pairs, done)
    yield own_activation(pairs)
    yield best_rival(pairs)
    yield ill_conditioned(done)
    yield burgers_sizes(pairs)
    yield five_dimensions(pairs)
    yield many_dimensions(pairs)
    yield faster(pairs, done)


def maps_matter(pairs: Sequence[Pair], found: Sequence[Found]) -> Claim:
    """Affine maps of the inputs."""
    says = "Affine maps of the inputs are indispensable for ELMs, and FENs do without (diffusion, M = 900)"
    words, holds = [], list[bool]()
    for a in ("tanh", "cos"):
        own, other = at(pairs, "diffusion", a, 900).ours.get("paper"), _variant(found, a, MAPPED, UNMAPPED)
        if own is None or not own.done or other is None:
            return Claim(says, "", None)
        mapped, plain = (own, other) if a in ELM else (other, own)
        words.append(
            f"{a} {_e(mapped.get('linf'))} with and {_e(plain.get('linf'))} without, each at the best ρ of its search"
            f"; {_e(_first(mapped))} and {_e(_first(plain))} at the paper's ρ"
        )
        holds.append((other.get("linf") or math.inf) > TENFOLD * (own.get("linf") or 0))
    return Claim(says, ". ".join(words) + ".", all(holds))


def initialisation(pairs: Sequence[Pair], found: Sequence[Found]) -> Claim:
    """Uniform with a scale, against Xavier and Kaiming."""
    says = "Xavier and Kaiming initialisation do not give the best results; a uniform one with its scale does"
    words, holds = [], list[bool]()
    for a in ("cos", "tanh"):
        own = at(pairs, "helmholtz2d", a, 900).own("paper")
        others = [_variant(found, a, kind) for kind in (XAVIER, KAIMING)]
        if own is None or any(o is None for o in others):
            return Claim(says, "", None)
        errors = [o.get("linf") or math.inf for o in others if o is not None]
        words.append(f"{a} {_e(own)}, Xavier {_e(errors[0])}, Kaiming {_e(errors[1])}")
        holds.append(own * TENFOLD < min(errors))
    return Claim(says, f"Helmholtz, M = 900: {'; '.join(words)}.", all(holds))


def curves(found: Sequence[Found], experiment: str = "function2d") -> dict[tuple[str, float], Found]:
    """The longest list of candidates tried, by activation and size."""
    chosen: dict[tuple[str, float], Found] = {}
    for f in found:
        if f.cell.experiment == experiment and f.cell.column in ("paper", "sweep") and not f.cell.variant:
            place = f.cell.activation, f.cell.size
            if len(f.tried) >= 10 and (place not in chosen or len(f.tried) > len(chosen[place].tried)):
                chosen[place] = f
    return chosen


def optimal_scale(found: Sequence[Found]) -> Claim:
    """Theorem 3.2."""
    says = "There is an optimal ρ within the range, and the candidate with the least ‖A w − F‖ is close to it"
    words, holds = [], list[bool]()
    for (a, size), f in sorted(curves(found).items()):
        if f.exhaustive:
            least = min(f.tried, key=lambda t: t[1])
            error = min(t[2] for t in f.tried)
            words.append(f"{a} {size:g}: {_e(least[2])} at ρ = {least[0]:g}, the least {_e(error)}")
            holds.append(least[2] <= TENFOLD * error)
    shown = f"Function, all candidates, L∞ at the least residual and the least L∞: {'; '.join(words)}."
    return Claim(says, shown if words else "", all(holds) if words else None)


def same_trend(found: Sequence[Found]) -> Claim:
    """Figure 1, and its remark on FENs."""
    says = "The error over ρ has the same trend for all activations: it falls to a minimum and rises after it"
    words, holds = [], list[bool]()
    for a in ACTIVATIONS:
        own = curves(found).get((a, 400))
        if own is None:
            continue
        tried = sorted(own.tried)
        least = min(tried, key=lambda t: t[2])
        words.append(f"{a} {_e(tried[0][2])}, {_e(least[2])} at {least[0]:g}, {_e(tried[-1][2])}")
        holds.append(min(tried[0][2], tried[-1][2]) > TENFOLD * least[2])
    shown = f"Function, M = 400, L∞ at the smallest ρ, the least, and at the largest: {'; '.join(words)}."
    return Claim(says, shown if words else "", all(holds) if len(words) == len(ACTIVATIONS) else None)


def far_below(pairs: Sequence[Pair]) -> Claim:
    """The main one."""
    shown, run, of, smallest = 0, 0, 0, math.inf
    for e in (e for e in EXPERIMENTS if e.counted):
        for size in e.full.sizes:
            own = [p for p in pairs if p.experiment is e and p.size == size]
            papers = family_factor(own, lambda p: p.papers("linf"))
            ours = family_factor(own, own_paper)
            of += papers is not None and papers >= TENFOLD
            if papers is not None and papers >= TENFOLD and ours is not None:
                run, shown, smallest = run + 1, shown + (ours >= TENFOLD), min(smallest, ours)
    says = f"FENs are far more accurate than ELMs, the best of them ten times or more at {of} sizes of ten tables"
    words = f"{shown} of the {run} that were run; the smallest factor is {smallest:.2g}" if run else ""
    return Claim(says, words, shown == run if run else None)


def converges(pairs: Sequence[Pair]) -> Claim:
    """More features, smaller errors."""
    says = "Errors fall as M grows, until round-off is reached"
    steps, fell = list[tuple[float, str]](), 0
    for e in (e for e in EXPERIMENTS if e.counted and e.size_name == "M"):
        for a in ACTIVATIONS:
            own = [p for p in pairs if p.experiment is e and p.activation == a and p.counts]
            for one, two in pairwise(own):
                before, after = own_paper(one), own_paper(two)
                if before and after and _papers_halves(one, two):
                    steps.append((after / before, f"{e.title}, {a}, {one.size:g} to {two.size:g}"))
                    fell += after < before
    words = f"{fell} of the {len(steps)} steps from one size to the next at which the paper's falls to half or less"
    worst = f"; the worst is {max(steps)[0]:.2g} times as much ({max(steps)[1]})" if fell < len(steps) else ""
    enough = len(steps) >= ENOUGH
    return Claim(says, words + worst if enough else "", fell >= MOSTLY * len(steps) if enough else None)


def _papers_halves(one: Pair, two: Pair) -> bool:
    before, after = one.papers("linf"), two.papers("linf")
    return before is not None and after is not None and 2 * after <= before


def finite_elements(pairs: Sequence[Pair], found: Sequence[Found]) -> Claim:
    """The rival of the Helmholtz table."""
    says = "FEM has far larger errors than FENs even with many more unknowns"
    fem = {f.cell.size: f for f in found if f.cell.column == "fem"}
    own = at(pairs, "helmholtz2d", "cos", 900).own("paper")
    if not fem or own is None:
        return Claim(says, "", None)
    finest = fem[min(fem)]
    error, unknowns = finest.get("finer_linf") or math.inf, finest.get("dof") or 0
    meshes = f"the finest of {len(fem)} meshes of {len(MESHES)}"
    words = f"{_e(error)} with {unknowns:,.0f} unknowns, {meshes}; cos {_e(own)} with 900"
    return Claim(says, words, own * TENFOLD < error)


def own_activation(pairs: Sequence[Pair]) -> Claim:
    """tanh(xy)."""
    says = "FENs beat ELMs for tanh(xy), too, above all with few features"
    return _factors_claim(says, pairs, "helmholtz2d_tanh", lambda own: all(f > 1 for f in own))


def best_rival(pairs: Sequence[Pair]) -> Claim:
    """Which ELM is the best for the nonlinear Helmholtz equation."""
    says = "For the nonlinear Helmholtz equation tanh is clearly the best ELM"
    words, holds = [], list[bool]()
    for size in BY_NAME["nonlinear_helmholtz"].full.sizes:
        own = {a: own_paper(at(pairs, "nonlinear_helmholtz", a, size)) for a in ELM}
        errors = {a: v for a, v in own.items() if v is not None}
        if len(errors) == len(ELM):
            words.append(f"M = {size}: " + ", ".join(f"{a} {_e(v)}" for a, v in errors.items()))
            holds.append(min(errors, key=lambda a: errors[a]) == "tanh")
    return Claim(says, f"{'; '.join(words)}." if words else "", all(holds) if holds else None)


def ill_conditioned(found: Sequence[Found]) -> Claim:
    """Why the paper keeps ρ small for tanh."""
    says = "A large ρ makes the matrix of tanh severely ill-conditioned, more so than those of sigmoid and swish"
    swept = {f.cell.activation: f for f in found if f.cell.column == "sweep" and f.cell.experiment == OSCILLATING}
    if not set(ELM) <= set(swept):
        return Claim(says, "", None)
    words, ranks = [], dict[str, float]()
    for a in (*ELM, "cos"):
        if a in swept:
            largest = paper.search(OSCILLATING, a).maximum
            tried = swept[a].tried
            inside, last = min(tried, key=lambda t: abs(math.log(t[0] / largest))), max(tried)
            ranks[a] = last[3]
            words.append(f"{a} {inside[3]:g} at {inside[0]:.3g} and {last[3]:g} at {last[0]:.3g}")
    same = "tanh z = 2 sigmoid(2z) − 1, so that tanh at ρ is sigmoid at 2ρ, and half the range is the same range"
    shown = f"Numerical ranks of 400 features at the end of the range and beyond it: {'; '.join(words)}; {same}."
    return Claim(says, shown, ranks["tanh"] < min(ranks["sigmoid"], ranks["swish"]) / 2)


def burgers_sizes(pairs: Sequence[Pair]) -> Claim:
    """The hardest one."""
    says = "For Burgers' equation no network is good up to M = 2500, and FENs are far better at 5000"
    words, holds = [], list[bool]()
    for size in BY_NAME["burgers"].full.sizes:
        errors = {a: own_paper(at(pairs, "burgers", a, size)) for a in ACTIVATIONS}
        known = {a: v for a, v in errors.items() if v is not None}
        if len(known) == len(ACTIVATIONS):
            fen, elm = (min(known[a] for a in family) for family in (FEN, ELM))
            words.append(f"M = {size}: FEN {_e(fen)}, ELM {_e(elm)}")
            holds.append(min(fen, elm) > 1e-2 if size < 5000 else fen * TENFOLD < elm)
    return Claim(says, f"{'; '.join(words)}." if words else "", all(holds) if len(holds) == 4 else None)


def five_dimensions(pairs: Sequence[Pair]) -> Claim:
    """The last table, at its smallest dimension."""
    says = "In five dimensions FENs are well below ELMs"
    return _factors_claim(says, pairs, "poisson_highdim", lambda own: own[0] >= TENFOLD, sizes=(5,))


def many_dimensions(pairs: Sequence[Pair]) -> Claim:
    """The last table, at the others."""
    says = "In 7, 10 and 15 dimensions errors of FENs and ELMs are similar"
    similar: Callable[[list[float]], bool] = lambda own: all(1 / SIMILAR < f < SIMILAR for f in own)  # noqa: E731
    return _factors_claim(says, pairs, "poisson_highdim", similar, sizes=(7, 10, 15))


def faster(pairs: Sequence[Pair], found: Sequence[Found]) -> Claim:
    """The table of times."""
    says = "FENs take significantly less time than ELMs, as their derivatives are simpler"
    timed = [f for f in found if f.cell.column == "times"]
    if len({f.cell.activation for f in timed}) < len(ACTIVATIONS):
        return Claim(says, "", None)
    seconds = {
        a: statistics.median(v for f in timed if f.cell.activation == a and (v := f.get("cpu_of_one")))
        for a in ACTIVATIONS
    }
    listed = ", ".join(f"{a} {s:.2f}" for a, s in seconds.items())
    fen, elm = (statistics.median(seconds[a] for a in family) for family in (FEN, ELM))
    large = [(a, at(pairs, "poisson_highdim", a, 5)) for a in ("tanh", "cos")]
    whole = [f"{a} {s:.0f}" for a, p in large if p.same_features and (s := p.own("paper", "cpu_of_one")) is not None]
    also = f" With 10,000, d = 5: {', '.join(whole)}." if whole else ""
    why = "The least squares, which is the same for all, is most of it, and the more so the more features there are"
    shown = f"Seconds of one thread with {timed[0].cell.features:,} features, medians: {listed}.{also} {why}."
    return Claim(says, shown, fen * SLOWER < elm)


OSCILLATING = "poisson_oscillating"


def other_reading(found: Sequence[Found]) -> str:
    """What comes of Burgers' equation with the whole nonlinear term on the right."""
    own = [f for f in found if f.cell.variant == EXPLICIT and f.cell.experiment == "burgers"]
    if not own:
        return ""
    good = [f for f in own if f.done and (f.get("linf") or math.inf) < 1]
    steps = sorted(f.record["outcome"]["steps"] - 1 for f in own if f.done)
    ended = f"after {steps[0]} to {steps[-1]} iterations" if steps else ""
    if not good:
        return (
            f"The other reading, with the whole of u u_x on the right, was run in {len(own)} cells at the paper's ρ, "
            f"and all of them diverge: the iterates are no longer finite {ended}. So the paper must mean the first one."
        )
    listed = ", ".join(f"{f.cell.activation} {f.cell.size:g} {_e(f.get('linf'))}" for f in good)
    return f"The other reading was run in {len(own)} cells at the paper's ρ, and stays below an error of 1 in {listed}."


def difference_at_1600(pairs: Sequence[Pair], found: Sequence[Found]) -> Table | None:
    """tanh(xy) with 1600 features: the least squares, the seed, and the search."""
    rows = []
    for a in ("sin", "cos_sin", "tanh"):
        p = at(pairs, "helmholtz2d_tanh", a, 1600)
        papers = p.papers("linf")
        kinds = {k: [f for f in found if _is_fixed(f, a, k)] for k in ("", DAMPED)}
        if papers is None or not all(kinds.values()):
            continue
        searched = p.own("paper") if p.ours["paper"].cell.candidates != 1 else None
        values = [_range(kinds[k]) for k in ("", DAMPED)]
        rows.append((Value(a), Value(_e(papers)), *map(Value, values), Value(_e(searched))))
    header = ("activation", "the paper", "plain, at its ρ", "damped and refined, at its ρ", "plain, ρ searched")
    caption = "tanh(xy), M = 1600, medians and ranges over seeds: is it the least squares, the seed or the search?"
    return Table(header, tuple(rows), caption) if rows else None


def _is_fixed(f: Found, activation: str, variant: str) -> bool:
    c = f.cell
    own = (c.experiment, c.column, c.size, c.candidates) == ("helmholtz2d_tanh", "paper", 1600, 1)
    return own and f.done and (c.activation, c.variant) == (activation, variant)


def _range(found: Iterable[Found]) -> str:
    values = [v for f in found if (v := f.get("linf")) is not None]
    return f"{_e(statistics.median(values))} ({_e(min(values))} to {_e(max(values))})" if values else "–"


def _factors_claim(
    says: str,
    pairs: Sequence[Pair],
    experiment: str,
    holds: Callable[[list[float]], bool],
    sizes: Sequence[float] = (),
) -> Claim:
    """A claim on how many times the best FEN is below the best ELM."""
    e = BY_NAME[experiment]
    factors: Mapping[float, float | None] = {
        s: family_factor([p for p in pairs if p.experiment is e and p.size == s], own_paper)
        for s in (sizes or e.full.sizes)
    }
    known = {s: f for s, f in factors.items() if f is not None}
    listed = ", ".join(f"{f:.2g} at {e.size_name} = {s:g}" for s, f in known.items())
    words = f"The best FEN is below the best ELM by a factor of {listed}." if known else ""
    return Claim(says, words, holds(list(known.values())) if len(known) == len(factors) else None)


def _variant(found: Sequence[Found], activation: str, *variants: str) -> Found | None:
    own = [f for f in found if f.cell.variant in variants and f.cell.activation == activation]
    return max(own, key=lambda f: f.faithful, default=None)


def _first(found: Found) -> float:
    """The error at the paper's own ρ; of a search over all candidates, at the one nearest to it."""
    own = paper.number(found.cell.about.table, found.cell.activation, found.cell.size, "rho_opt") or 1.0
    return min(found.tried, key=lambda t: abs(math.log(t[0] / own)))[2]


def _e(value: float | None) -> str:
    return "–" if value is None else f"{value:.1e}"
