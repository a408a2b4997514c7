"""The numbers that steer automatic choices: thresholds, factors, and counts of rounds, probes and points.

Each stands here once, in the group of the place that uses it, with its meaning and the command that measures what it
does. They are read where they are used, `Growth.PAYS`, so that a benchmark or a test can change one for a while:

>>> with changed("Growth.PAYS", 4.0):
...     Growth.PAYS
4.0
>>> Growth.PAYS
2.0

Elsewhere stay bounds on what users may give, sizes of blocks for caches and memory, formats, what saved solutions are
made of, and constants of mathematics. docs/steering.md follows from this module: `python benchmarks/steering.py --page`
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, TypeVar, cast

Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class Constant:
    """A number that steers, what it means, and the command that measures what it does."""

    value: float
    meaning: str
    by: str = ""


CONSTANTS: dict[str, Constant] = {}  # by group and name, such as "Growth.PAYS"


def constant(value: Number, meaning: str, by: str = "") -> Number:
    """A number of a group; of the text, `Steering` takes notice and leaves the number alone."""
    return cast("Number", Constant(value, meaning, by))


class Steering:
    """A group of numbers; its first line says where they are used."""

    groups: ClassVar[dict[str, type[Steering]]] = {}

    def __init_subclass__(cls) -> None:
        cls.groups[cls.__name__] = cls
        for name, it in list(vars(cls).items()):
            if isinstance(it, Constant):
                key = f"{cls.__name__}.{name}"
                by = it.by or f"python benchmarks/steering.py {key}"
                CONSTANTS[key] = Constant(it.value, it.meaning, by)
                setattr(cls, name, it.value)


@contextmanager
def changed(key: str, value: float) -> Iterator[None]:
    """Within it, a constant has another value."""
    if key not in CONSTANTS:
        raise KeyError(f"There is no steering constant {key!r}; fens._support.steering.CONSTANTS has all their names.")
    group, _, name = key.partition(".")
    before = getattr(Steering.groups[group], name)
    setattr(Steering.groups[group], name, value)
    try:
        yield
    finally:
        setattr(Steering.groups[group], name, before)


# the number of features, and their scale ----------------------------------------------------------------------


class Sizes(Steering):
    """options.settings: how many features a solve starts with."""

    ONE_SIZE = constant(1000, "features of a solve that does not look for their number")
    FIRST_SIZE = constant(400, "features of one that does, at first")
    FIRST_SIZE_TO_TOLERANCE = constant(300, "the same where a tolerance may be met by fewer")


class Growth(Steering):
    """strategy.grow: when to add features."""

    FACTOR = constant(1.5, "from one number of features to the next")
    PAYS = constant(2.0, "factor by which the error must fall for growth to go on")
    CONVERGING = constant(1e-6, "relative error above which growth goes on anyway: convergence may not have begun")
    NEAR_FLOOR = constant(1e-11, "relative error below which one step tells whether more features pay")
    ENOUGH_AT_CORNERS = constant(1e-11, "relative error beyond which more digits of solutions with corners take long")
    MOST_AT_CORNERS = constant(4000, "functions of all unknowns at most, with some at corners and no tolerance")
    MANY_AT_CORNERS = constant(
        1000.0, "functions, from which on that error grows as the time does", by="python benchmarks/corners.py"
    )
    SIZES = constant(3, "sizes whose errors tell how fast these fall")
    RESOLVED = constant(1e-3, "relative error from which on errors fall by rule")
    ALGEBRAIC = constant(2.0, "power of the number of features, below which more of them do not pay")
    UNTRUSTED_SIZES = constant(3, "sizes beyond the first, over which residuals of solutions in doubt must fall")
    CONFLICT_STAYS = constant(1.15, "factor by which residuals may fall from one size to the next, of a contradiction")
    UNTRUSTED_FALLS = constant(1.25, "factor by which they must")
    ROWS_TO_GROW = constant(1.8, "rows for each feature that leave enough of them for more")


class ScaleSearch(Steering):
    """fit.search: descent from one scale to the next."""

    ROUND_OFF = constant(5e-14, "residual of an equation relative to its terms below which no scale is much better")
    OCTAVE_PART = constant(2**0.25, "factor between neighbouring scales")
    FARTHEST = constant(20, "such factors from the first scale to the last that is tried")
    BY_CHANCE = constant(0.5, "residual of an equation relative to its terms with which nothing is solved")
    FLAT = constant(0.9, "of a residual, above which another one that is by chance is no better")


class ScaleTrials(Steering):
    """fit.scale: trial solves at a scale."""

    COMPARABLE = constant(8.0, "ratio of lengths up to which axes share one scale, at first")
    UNEQUAL = constant(
        3.0, "ratio of the solution's slopes, relative to what the scales expect, above which other scales are tried"
    )
    STEEPEST = constant(100.0, "the largest such ratio that a trial is trusted with")
    SLOPE_POINTS = constant(500, "points at which slopes of a trial are taken")
    STRIDE = constant(3, "first stride of the search, in quarter octaves")
    STEPS = constant(3, "steps of a nonlinear iteration, in trials after the first")
    NEARLY = constant(1e-4, "residual of the best trial so far, below which one step from it tells as much")
    SURE = constant(
        1e-2, "of a tolerance: residuals so small that the error will pass, mostly; else features are added"
    )
    ROWS = constant(2.5, "rows of a trial for each feature, if there are more than twice as many")


# trial functions ----------------------------------------------------------------------------------------------


class Features(Steering):
    """basis: what trial functions are proposed."""

    LEAST_SCALE = constant(
        0.15,
        "scale on [−1, 1]^d below which features are hard to tell from polynomials of low degree; in more than four "
        "dimensions a few thousand features do not fill even that band, and smaller scales only lose digits",
    )
    MANY = constant(
        3,
        "coordinates, above which pilots have sparse frequencies, couplings are worth looking for, and rounds are "
        "worth trying at once",
    )
    SPARED = constant(0.1, "of the frequencies follow nothing learnt, so that nothing is lost")
    COUPLED = constant(
        0.1, "second derivative across two coordinates, relative to the largest, from which on they are coupled"
    )
    MOST_SUBSETS = constant(100, "sets of coupled coordinates; with more of them none are singled out")
    MOST_HOLES = constant(10, "holes around which there are functions; with more of them there are none")
    AT_HOLES = constant(0.5, "of the functions are around holes", by="python benchmarks/shapes.py annulus")
    REACH = constant(2.5, "standard deviations within which features at a spot have to be told apart")
    SHARED = constant(4, "points of a grid for each cosine from which a product of cosines pays")


class CornerFeatures(Steering):
    """basis.singular.corners: functions at corners."""

    SHARE = constant(0.6, "of the functions are at corners")
    MOST = constant(24, "corners at which there are functions; with more of them there are none")
    REENTRANT = constant(2.0, "times as many at corners with more than a straight angle")
    AROUND_HOLES = constant(0.2, "as many around holes that have corners, relative to all others")
    AT_RANDOM = constant(0.25, "of the exponents at a corner are random")
    AT_RANDOM_ALONE = constant(0.5, "the same for equations without lower terms")
    AT_RANDOM_KNOWN = constant(0.2, "the same where exponents are those of the equations")
    BEYOND = constant(2.0, "times the largest exponent that is not random, up to which others are drawn")
    HIGHEST = constant(20.0, "exponent that is drawn")
    HIGHEST_KNOWN = constant(
        50.0, "degree up to which those that are not random are taken", by="python benchmarks/corners.py"
    )
    BY_COUNT = constant(0.06, "the same, times the number of functions at corners", by="python benchmarks/corners.py")
    LOWEST_KNOWN = constant(20.0, "the least of it")
    EVENLY = constant(4, "exponents at the same distances, after which all are")
    DECADES = constant(10.0, "down to which points are graded towards a corner, from the length of its shorter side")


class EdgeFeatures(Steering):
    """basis.singular.edges: functions along edges."""

    SHARE = constant(0.6, "of the functions are along edges")
    MOST = constant(12, "edges along which there are functions; with more of them there are none")
    DEGREES = constant(
        1.0, "times the third root of all functions along edges: polynomials for each function of a corner"
    )


class CornerTerms(Steering):
    """solution.singular: coefficients of the terms at a corner."""

    LARGEST = constant(0.9, "of the shorter side, within which a first fit is made")
    SMALLER = constant(0.65, "times the radius of a fit is that of the next")
    FITS = constant(8, "of them")
    CIRCLES = constant(40, "circles of points")
    ANGLES = constant(64, "points on each")
    DENSER = constant(4, "power with which circles get denser towards the corner")
    OTHERS = constant(15, "other powers of a fit at most: the more, the larger its radius may be")
    HIGHEST = constant(24.0, "exponent that is looked for")
    LEFT = constant(3.0, "times what a fit leaves is what its terms may be wrong by")
    RCOND = constant(1e-14, "singular values of a fit, relative to the largest, that are rounding")


class OnsetFeatures(Steering):
    """basis.singular.onsets: functions where diffusion begins with data that do not fit together."""

    SHARE = constant(0.4, "of the functions are at such places")
    MOST = constant(8, "places at which there are functions; with more of them there are none")
    POWERS = constant(8, "powers of x/√t before exponentials of its square, of each degree, for nonlinear equations")
    STEEPEST = constant(3.0, "largest factor in such exponentials")
    FARTHEST = constant(6.0, "x/√(4at) up to which points are graded towards them")
    FELT = constant(4.0, "the same from an image, at the end of the time, beyond which there are no functions for it")
    REFLECTIONS = constant(4, "of such a place in the ends of a rod, one after another, at which there are functions")
    IMAGE = constant(0.3, "of the functions of a place are at each of its images")


class CrackFeatures(Steering):
    """basis.singular.cracks: functions at cracks inside a domain."""

    ALONG = constant(0.8, "points on the sides of cracks for each of their functions and each row that a feature has")
    DECADES = constant(4.0, "down to which points are graded towards a tip: its functions are exact beyond")
    OUTSIDE = constant(4, "powers of ζ for each logarithm, and for each power of another kind")


class Adaptation(Steering):
    """strategy.adapt: rounds in which trial functions learn."""

    ROUNDS = constant(12, "rounds at most", by="python benchmarks/adaptive.py")
    ROUND_LEAVES = constant(0.7, "of the held-out residual that a round must leave at most")
    SETTLES = constant(0.1, "of the held-out residual: special functions that leave less are what was missing")
    PROMISING = constant(0.7, "of it, with which special functions are not taken, and equations may not contradict yet")
    LARGER = constant(2.0, "factor from the scale of one round to the first that the next tries")
    WORTH_TRYING = constant(
        1e-3, "residual of an equation relative to its terms, above which rounds are worth trying in any dimension"
    )
    LEARNT = constant(0.1, "of the held-out residual that more features must leave for an ansatz to serve again")
    STRIDE_AT_CORNERS = constant(2, "stride of a search from the scale of fewer features, with functions at corners")
    PAYS_AT_CORNERS = constant(0.5, "of the held-out residual that such a stride must leave at most")
    SERVES = constant(1e-10, "residual below which it does in any case")
    REACHING = constant(
        0.2,
        "of the points, as many more on the way to where the domain is farthest along frequencies",
        by="python benchmarks/far.py",
    )
    REACHED = constant(100, "frequencies of each unknown that are followed", by="python benchmarks/far.py")
    SLOPE_POINTS = constant(1000, "points at which slopes of a pilot are taken")
    COUPLING_POINTS = constant(200, "points at which second derivatives of a pilot are taken")


class CornerSites(Steering):
    """strategy.sites: where a domain has corners."""

    SAME_PLACE = constant(1e-9, "of the size of a domain: ends of sides that are one place")
    ALONG = constant(1e-4, "of a side: how far to go from its end to see where it leads")
    STRAIGHT = constant(1e-6, "of an angle that is no corner")
    BESIDE = constant(1e-2, "angle from a side that lies on another, at which to see whether they are a crack")
    VANISHES = constant(1e-12, "of what a function is around a domain: it is zero, as along a whole side it may be")
    TICKS = constant(257, "places along a side, between which zeros are looked for where conditions are not smooth")
    RAYS = constant(31, "directions from a corner, one of which has to stay clear of the domain")
    ALONG_RAY = constant(400, "places along each that are looked at")


class CornerPencil(Steering):
    """strategy.pencil: the exponents of solutions next to a place."""

    MOST = constant(8, "unknowns that meet at a place; with more of them exponents are not computed")
    HIGHEST = constant(10.0, "exponent that is looked for")
    VANISHES = constant(1e-12, "of the largest coefficient of an equation: one that is zero")
    ON_SIDE = constant(1e-6, "of the size of a domain: how far from its end a condition that switches is read")
    NODES = constant(12, "Chebyshev points along the arc of a sector")
    BY_ANGLE = constant(0.6, "more of them for each radian of the widest, times the highest exponent")
    DIGITS = constant(12, "that functions of the angle have at the points, where they are not entire")
    MOST_NODES = constant(120, "Chebyshev points at most")
    MORE_NODES = constant(9, "more of them, with which the same exponents must come out")
    SAME = constant(1e-6, "distance of exponents that are the same")
    WHOLE = constant(1e-4, "distance from a whole number of an exponent that is one: of those that coincide")
    BESIDE = constant(-0.37, "number near which no exponent is")
    SINGULAR = constant(1e-13, "of the size of the polynomial there: it is zero for every exponent")
    SLENDER = constant(1.0, "of the highest real part: the highest imaginary part")
    STEPS = constant(4, "steps of Newton's method that polish an exponent")
    MULTIPLE = constant(1e-3, "distance of roots of a symbol that are one")
    NEAT = constant(1e-7, "distance from i of a root that is i")


class OnsetSites(Steering):
    """strategy.onsets: where diffusion begins with data that do not fit together."""

    DERIVATIVES = constant(2, "derivatives in time of a condition that are looked at where time starts")
    DISAGREE = constant(1e-9, "of what a condition says there, from which on data disagree")
    PLACES = constant(16, "places along a rod that tell how large initial values are")


class Localisation(Steering):
    """strategy.localise: functions at spots where rough solutions vary."""

    PART = constant(4, "one in so many features makes a rough solution")
    FEWEST = constant(100, "features of a rough solution")
    ROUNDS = constant(5, "rough solutions at most")
    AT_SPOTS = constant(0.75, "of the features are at spots", by="python benchmarks/pieces.py 1600 0.06")
    MOST_SPOTS = constant(64, "spots at most")
    AT_LEAST = constant(4, "features at each spot")
    SLOPE_POINTS = constant(20000, "points at which slopes of a rough solution are taken")
    WIDER = constant(1.5, "how much farther than its features the points of a spot reach")


class SpotFit(Steering):
    """strategy.gaussian_mixture: the spots themselves."""

    STEPS = constant(40, "steps of the fit")
    APART = constant(
        5.5, "squared distance of two spots, relative to the sum of their variances, below which they are one"
    )
    LEAST_WEIGHT = constant(1e-3, "part of all the weight that makes a spot")


# rows, least squares and iterations ---------------------------------------------------------------------------


class Discretisation(Steering):
    """discretise: rows and their weights."""

    BALANCE_ROWS = constant(64, "rows from which the size of a condition's rows is estimated")
    UNEVEN = constant(
        30.0,
        "ratio of the largest row of a condition to a usual one, above which each is divided by its norm",
        by="python benchmarks/row_weights.py",
    )
    SOFT = constant(
        1e-5, "weight of data with noise relative to that of equations, which are to hold whatever the data say"
    )
    NEGLIGIBLE = constant(1e-6, "size of one unknown relative to another's, below which it may be rounding")
    USUAL = constant(1e3, "times the median of an unknown is its size for that, within as large a factor")
    RULE = constant(2000, "points of an integral, about; along each direction as many")
    RULE_LEAST = constant(24, "points along a direction at least")
    FINER = constant(1.4, "times as many points along a direction, by which the integrals of a solution are checked")
    FINEST = constant(2**15, "points of a rule by which they are checked once more")


class SolverChoice(Steering):
    """lstsq.automatic: which solver."""

    TALL = constant(5, "rows for each column from which a sketch pays", by="python benchmarks/lstsq_choice.py")
    WORTH = constant(2e10, "flops of a QR below which nothing needs saving", by="python benchmarks/lstsq_choice.py")


class Refinement(Steering):
    """lstsq: corrections, by any solver."""

    DIRECT_FALLS = constant(0.9, "residuals that fall to less of the last ones are worth another correction")
    STREAMED_FALLS = constant(0.5, "the same where a correction is another pass over the rows")
    MOST_STEPS = constant(8, "passes over the rows, or steps of conjugate gradients, at most")
    LEFT = constant(1e-2, "of ‖r‖²: as much as a further step would take away is not worth it")
    ROUNDING = constant(4.0, "units of round-off of a column, the noise that a triangle is damped by")


class Sketching(Steering):
    """lstsq.sketched: least squares of mixtures of rows."""

    RATIO = constant(2.5, "sketched rows for each column", by="python benchmarks/lstsq_choice.py")
    COARSE = constant(1e-8, "of the right-hand side: residuals that rounding has nothing to do with")
    FIRM = constant(1e4, "times rounding: damping after which gradients are more than noise")
    TRUSTED = constant(2.0, "largest factor between the residual of all rows and that of the sketched ones")


class Nonlinear(Steering):
    """nonlinear: where iterations start, when they end, and what came of them."""

    RIDGE = constant(1e-5, "of the norm of a column: a start needs few digits")
    TINY_STEP = constant(1e-13, "step relative to u that is round-off")
    SMALL_STEP = constant(1e-8, "with steps below this that no longer shrink, round-off is reached too")
    SETTLED_STEP = constant(
        1e-3, "with full steps below this that no longer shrink and a flat residual, it is the features' best"
    )
    STUCK_STEP = constant(
        0.03, "the same where no part of a step makes the residual fall; at a fold the full step is as large as u"
    )
    SHRINKING = constant(
        0.7,
        "steps or residuals that fall to less of the last ones make progress",
        by="python benchmarks/newton_and_picard.py",
    )
    SHRINKING_PICARD = constant(0.97, "the same of Picard's", by="python benchmarks/newton_and_picard.py")
    PATIENCE = constant(10, "small steps that do not shrink, nor residuals, after which what is left is rounding")
    FLAT_RESIDUAL = constant(1e-5, "relative change of the residual that counts as none")
    SHORTEST = constant(2.0**-12, "of the fractions of a step that the line search tries")
    SAME_JACOBIAN = constant(1e-5, "step relative to u after which a Jacobian serves again")
    DRIFT = constant(10.0, "factor by which row weights may leave those of the start before they are set anew")
    HOLDS = constant(1e-3, "residual of an equation relative to its terms, up to which it holds")
    NO_SOLUTION = constant(0.1, "and above which it cannot be said to hold at all")


class Eigenvalues(Steering):
    """eigenvalues: candidates, and which of them are confirmed."""

    SAME_VALUE = constant(1e-9, "relative difference up to which two values of an equation are the same")
    EXTRA = constant(10, "functions iterated on beyond those wanted, so that the last of these converge too")
    MOST_ITERATIONS = constant(60, "iterations at most")
    SETTLED = constant(1e-14, "relative change of the eigenvalues with which they have settled")
    ROUGHLY = constant(1e-5, "and below which solves are refined, which costs most of an iteration")
    NEARLY = constant(1e-8, "and below which it is enough that they no longer settle")
    SHRINKING = constant(0.7, "of the change some iterations ago, above which it is settling no more")
    PATIENCE = constant(3, "so many iterations ago")
    INDEPENDENT = constant(1e-13, "of a function, below which what others leave of it is rounding")
    REAL = constant(1e-9, "imaginary part relative to the value, below which it is rounding")
    DAMPING = constant(100.0, "of the least squares: right-hand sides without a solution would be met by huge weights")
    SPURIOUS = constant(0.1, "residual of the equation relative to its terms, above which an eigenvalue is none")
    OFF_CENTRE = constant(0.137, "of the natural size of an eigenvalue, by which the shift avoids round numbers")
    CONFIRMED = constant(1e-3, "relative difference up to which two computations found the same eigenvalue")
    DEFECT = constant(
        0.5, "of what is left of a function that counts: much of it is in other directions than the function"
    )
    FEATURES = constant(600, "features, if their number is not given")
    LARGER = constant(2.5, "times as many, if these leave more of the equations than rounding next to corners")
    ELSEWHERE = constant(1.0, "corners, as which all else counts where functions are shared out among corners")


# the estimate and the verdict ---------------------------------------------------------------------------------


class Assessment(Steering):
    """estimate.assess: from evidence to an estimate and a verdict."""

    SAFETY = constant(2.0, "the difference of two solutions can be smaller than the error of either")
    UNRESOLVED = constant(
        0.01, "residual of an equation relative to its terms, above which two solutions may err alike"
    )
    UNCERTAIN = constant(0.05, "relative error above which a solution is not one")
    NOISY = constant(0.5, "the same where it is the noise of data: this much is known of it")
    DETERMINED = constant(1e-8, "relative error to which a random function must be found again")
    AMPLIFIED = constant(
        200.0, "units of round-off, times the change of a solution with its data, to which it suffices"
    )
    RECOVERED = constant(1e-4, "and this at least, whatever it is lost to")
    OF_NOISE = constant(1e-2, "of the change that the noise of data makes, to which it suffices, too")
    SENSITIVE = constant(
        30.0, "change of a solution relative to that of its data, from which on it must not grow with the features"
    )
    GROWS = constant(
        4.0, "factor by which it grows as features double, if nothing bounds it; one of a derivative grows by 2 at most"
    )
    GROWN_TOO = constant(0.01, "of that change, from which on a solution is large because solutions grow")
    SINGULAR = constant(3e11, "change of a solution relative to that of its data that leaves no digits")
    HELPS = constant(0.5, "of the error with fewer features, below which more of them help")
    BY_LUCK = constant(10.0, "times its own estimate is the most that those of more features make of the smallest one")
    ROUNDED = constant(3e-14, "residual of an equation relative to its terms, up to which it is rounding")
    OF_ROUNDING = constant(
        0.3, "of such a residual that a sensitive solution amplifies", by="python benchmarks/verdicts.py growth"
    )
    FLOOR = constant(1.2e-14, "relative error that needs no improvement")
    DEVIATIONS = constant(
        5.0, "standard deviations of a misfit above its mean, which is one in some million by chance"
    )


class Estimation(Steering):
    """estimate.estimate: which evidence is collected."""

    MOST_DOUBLED = constant(2000, "features, of which twice as many are tried")
    HALF_WAY = constant(2.0, "a step of Newton's goes half of the way, or more, to where a solution branches")
    GROWTH_ENDS = constant(1.5, "growth of the sensitivity to twice as many features, below which it has ended")
    MOST_OF_CHANGE = constant(
        10, "times what twice as many features change is the most that an error is, unless it falls by a tenth only"
    )
    COARSE_RESIDUAL = constant(
        1e-9, "residual above which solutions may err alike where a leading coefficient is about to vanish"
    )
    RESOLVED = constant(
        3.0, "local error relative to the solution, above which nothing is resolved; of a compromise it may be above 1"
    )
    STANDS_OUT = constant(
        3.0, "times the error that shows elsewhere, from which on points do not see what a known function does"
    )
    FAR = constant(100.0, "distance from the origin, in half-widths, from which the rounding of coordinates counts")


class SecondSolve(Steering):
    """estimate.second: a solution with other features at other points."""

    PROBES = constant(1000, "points in the domain at which functions are compared")
    FAR_POINTS = constant(100, "some of its corners, and as many points that are farthest along frequencies")
    CHANGES = constant(8, "samples of random changes of the equations")
    NOISES = constant(4, "samples of the noise of data")
    SMOOTH = constant(20, "one in so many features makes the smooth one of the random functions")


class CloserLook(Steering):
    """estimate.closer: residuals near corners, ends and zeros of coefficients."""

    ROWS = constant(25.0, "rows for each feature: ten times those of a fit")
    FEWER_ROWS = constant(2.5, "the same in more dimensions, where ten times as many points are no denser")
    MANY = constant(3, "coordinates, above which points in balls are rare")
    DECADES = constant(8, "distances, each a tenth of the one before; the first is a tenth of a domain")
    EACH = constant(16, "points at each distance on a piece")
    AROUND = constant(4, "and around each corner")
    MOST_CORNERS = constant(24, "corners that are looked at")
    MOST_ENDS = constant(4, "directions of a piece with ends, up to which all of its corners are considered")
    SMALL = constant(0.01, "of the usual leading coefficient, below which its zero is looked for")
    ZOOM = constant(0.05, "factor from one neighbourhood of a zero to the next")
    ZOOMS = constant(6, "neighbourhoods")
    NEARBY = constant(60, "points in each")


class LocalLook(Steering):
    """estimate.local: which errors the residuals found there stand for."""

    STENCIL = constant(9, "points along a wave")
    VANISHING = constant(0.1, "leading coefficient, relative to what it usually is, below which it is about to vanish")
    NEXT_TO = constant(0.02, "of the size of a domain, from a corner")
    CANDIDATES = constant(8, "points for each order of magnitude of a leading coefficient about to vanish")


class Scanning(Steering):
    """estimate.scan: known functions between the points."""

    LOOKS = constant(2**17, "places in each region")
    FEW_LOOKS = constant(2**12, "if all functions were computed: none of them varies faster than its features")
    CELLS = constant(
        256, "cells, in each of which the largest and the smallest value are held against those at points nearby"
    )
    NEIGHBOURS = constant(4, "points nearby for each dimension, and as many more")
    COINCIDE = constant(0.01, "of the usual distance of points, within which two of them count as one")
    COINCIDE_AT_EDGES = constant(0.3, "the same where points are graded towards edges, along which they are many")
    MOST_AXES = constant(2, "axes of cells in which quadratics are fitted")
    BEYOND = constant(2.0, "ranges of the values at neighbours, beyond which points do not see a value")
    NOTHING = constant(1e-9, "of the range of all values")
    PLAIN_WAVES = constant(
        40.0, "radians across half the domain, up to which points of any fit see what a formula does"
    )


class ShortWaves(Steering):
    """estimate.symbol: how short waves grow and decay."""

    SHORT = constant(1e3, "wave number of short waves, in units of half the width of the domain")
    SHORTER = constant(4.0, "times that for others, which must grow faster")
    FASTER = constant(1.5, "factor by which they must")
    FAST = constant(10.0, "growth over half the width of a domain that matters")
    UNDAMPED = constant(1e-3, "growth or decay that is rounding")


class Characteristics(Steering):
    """estimate.kind: whether conditions stand where the type of the equations needs them."""

    PLACES = constant(12, "places at which the roots of the symbol are counted")
    DIRECTIONS = constant(4, "directions of waves at each")
    SHARE = constant(0.25, "of these in which a root is on the wrong side")
    STEP = constant(0.02, "step along a characteristic, in half-widths of the domain")
    STEPS = constant(300, "steps along a characteristic")
    ON_FACE = constant(24, "points of a face that are looked at, and from which characteristics start")
    NO_CONDITION = constant(
        1e-3, "leading coefficient, relative to what it usually is, with which a face may need no condition"
    )


class Exponents(Steering):
    """estimate.exponents: equations that degenerate on a face."""

    NEAR = constant(1e-4, "distance from a face, in half-widths, at which coefficients are looked at")
    NEARER = constant(1e-6, "the same once more")
    ALIKE = constant(1e-2, "what their quotients at the two may differ by")
    SAME = constant(0.02, "distance of two exponents that count as one")
    PLACES = constant(8, "places on each face")
    INSIDE = constant(0.03, "of an interval, from its ends, between which leading coefficients may not vanish")
    ZERO = constant(1e-4, "of the largest leading coefficient: one that may vanish")


class Numbers(Steering):
    """estimate.numbers: numbers that nothing determines."""

    FALLS = constant(0.6, "of what half of the features leave of a change of numbers, if functions can take it up")


class Contradiction(Steering):
    """estimate.conflict: equations that contradict each other."""

    SUSPICIOUS = constant(1e-8, "relative residual above which equations may contradict each other")
    TRACE = constant(1e-12, "the same on a face next to which the terms of an equation are large without end")
    LARGE = constant(0.2, "of the largest relative residual, from which on another is large, too")
    SPREAD = constant(
        0.28, "share of the points that have most of a residual, below which it is concentrated; of noise it is 1/3"
    )
    SPREAD_OF_DATA = constant(0.1, "the same at given points, none of which may be at a corner")
    SPREAD_OF_MORE = constant(0.04, "the same of equations of which a domain has more than unknowns")
    TRIED = constant(3, "equations whose weight is changed")
    RECURS = constant(0.6, "correlation of what is left of an equation by two solutions, if it contradicts others")
    STAYS = constant(1.15, "factor by which a residual may fall as features double, and still stays")
    STAYS_ON_FACE = constant(10.0, "the same of a condition where an equation degenerates, met by narrow peaks")
    HIDDEN_BETWEEN = constant(3.0, "factor by which one may grow as more features hide less of it between their points")
    JUMPS_LEAVE = constant(1e-3, "residual above which given values that jump on the boundary may be all that is wrong")
    STEEP = constant(30.0, "slopes of given values, in their size over the domain's, from which on they jump")
    NEAREST = constant(0.05, "share of the points of a domain that are next to a corner of it")
    FARTHEST = constant(0.5, "share beyond which they are far from them")
    TOWARDS_CORNERS = constant(3.0, "times a residual is larger next to corners than far from them, if it is theirs")
    HEAVIER = constant(10.0, "times the weight of an equation")
    FALLS = constant(3.0, "factor by which its residual then falls")
    FALLS_A_LITTLE = constant(1.15, "the same of noise, where those of others grow by far")
    GROWN = constant(1.1, "factor by which those of others grow")
    GROWN_BY_FAR = constant(5.0, "the same where its own falls a little")
    WITHOUT = constant(0.01, "factor by which residuals fall without a condition that contradicts the others")
    MISSED_ALIKE = constant(
        0.15, "part by which solutions of two sizes differ in what they miss a condition by, if it contradicts others"
    )
    AS_FIRM = constant(
        3.0, "factor by which equations with kinks may determine a solution less without one that contradicts them"
    )
    PLACES_ON_FACE = constant(8, "places on a face")
    HIDDEN = constant(
        0.1, "share of the leading terms in an equation for the shortest waves, below which it may have layers"
    )
    HALF_HIDDEN = constant(
        0.75, "the same where an equation does not hold: features resolve layers that are wider than their waves"
    )


class Slabs(Steering):
    """evolution: functions of space times polynomials of time, slab by slab."""

    STAGES = constant(18, "instants in a slab at which the equations hold")
    MORE_STAGES = constant(2, "by which the second march has more of them")
    FLAT = constant(3e-15, "size of a function relative to the largest, below which it is rounding")
    FLAT_FEATURES = constant(250, "features above which that grows, as second derivatives do")
    ROUNDING = constant(4.0, "units of round-off of a column with which corrections are damped")
    POINTS_TO_ORTHONORMALISE = constant(2.0, "points for each feature")
    ALONG_A_LINE = constant(2.0, "times as many frequencies, whose band is filled by even ones")
    ROWS = constant(3.0, "rows for each function of space")
    PERIODIC_ROWS = constant(1.6, "the same for waves, whose products alias")
    GOAL = constant(
        1e-12, "part of a function that its highest degrees in time and roughest functions in space may have"
    )
    IN_SLABS = constant(10.0, "times the goal, which the roughest functions may have in a slab, with rounding")
    LARGEST_GOAL = constant(1e-5, "the same where a tolerance asks for little")
    OF_TOLERANCE = constant(1e-3, "of a tolerance relative to the solution, which is the goal")
    TAIL = constant(0.2, "share of waves that are the roughest")
    SMALL_PART = constant(1e-12, "part of features in the roughest functions, relative to that in the first")
    DAMPED = constant(36.0, "exponent with which the very roughest fade from slab to slab")
    TELLS = constant(600, "features of space from which on it is told how many it would take")
    AMPLY = constant(1.03, "times what it would take is taken")
    RESOLVES = constant(0.1, "part of the roughest functions from which on nothing can be told")
    LEAST_GROWTH = constant(1.1, "factor of space at least")
    OF_ROUGHNESS = constant(0.1, "of the part of the roughest functions, if it stays, that degrees in time may have")
    NOISE = constant(100.0, "times the goal, below which the part of the roughest functions may be rounding")
    FALLS = constant(3.0, "factor by which it falls if it is not, with little more space")
    ROUGHER = constant(10.0, "times what it did not lower, beyond which it is tried again")
    SECOND = constant(1.2, "factor of the features of the second march")
    SETTLED = constant(0.03, "of the goal, below which a correction is the last")
    RESTS = constant(3, "steps without smaller corrections after which these are rounding, if they are small")
    RESTLESS = constant(1e-6, "size of corrections that may be rounding where space does not resolve a solution")
    FLOPS_IN_VAIN = constant(1e12, "the same where it would take more than there may be to resolve the solution")
    HARDLY = constant(0.7, "factor by which roughness falls with more functions if it hardly does")
    MOST_FLOPS = constant(1.5e12, "operations of a linearisation up to which space is refined")
    STEPS = constant(40, "corrections in a slab")
    HISTORY = constant(12, "corrections from which the next is combined")
    STALE = constant(12, "corrections from which on equations are linearised anew")
    EXACT = constant(420, "unknowns of a slab up to which its equations are linearised exactly")
    EVEN = constant(0.3, "part by which coefficients of the highest order may vary where waves are corrected alone")
    EASY = constant(0.5, "share of the degrees of time with which a slab may be twice as long")
    FLOOR = constant(1e-9, "size of the highest degrees, up to which they may be rounding if they do not fall")
    LEVEL = constant(30.0, "factor by which they then differ at most")
    LAST = constant(5, "degrees that are the same but for little, if they are rounding")
    FIRST = constant(4, "times that the whole is halved for the first slab")
    FINEST = constant(46, "times that the whole is halved at most")
    CUTS_AT_FIRST = constant(22, "the same for the first slab")
    GROWTH = constant(1.4, "factor of space when it is too small")
    STEADY = constant(1.04, "factor by which rough functions may grow in a slab")
    TRIED = constant(36, "slabs in which they are watched")
    ROUGH = constant(0.3, "share of rough functions in what grows most, above which it is an artefact")
    LOST = constant(0.02, "relative difference of two marches at which all digits are gone")
    BLOWS_UP = constant(1e4, "growth of a solution that cannot be followed, from which on it is said to have no bound")
    EVER_FASTER = constant(0.3, "share of the logarithm of that which must be in the last part of the time")
    NEARLY_ALL = constant(0.95, "before which there is so much of it")
    TRACE = constant(1e-3, "what a condition makes of functions relative to the most, below which they obey it")
    LIFTED = constant(1e-4, "the same, below which functions serve little to make others obey it")
    DEGENERATES = constant(1e-8, "coefficient of a derivative in time relative to the largest, below which it has none")
    OF_RADIANS = constant(0.55, "points along each axis for each radian by which a product turns in half a domain")
    MORE_POINTS = constant(12, "and so many more, at first")
    NO_LENGTH = constant(1e-11, "of the whole time, which is the length of a step that only sees to the conditions")
    OF_MULTIPLIERS = constant(0.6, "share of functions that a pressure has")
    SINGULAR = constant(1e-15, "pivot relative to the largest, below which there is no solution")
    FASTEST = constant(30, "products of which integrals must agree")
    INTEGRATED = constant(1e-10, "of the size of the domain, by which two rules may differ")
    NOTHING = constant(1e-13, "size of a row relative to the largest of its equation, below which it is rounding")
    CLOSER = constant(2.0, "distances of places around the largest value at these that are looked at more closely")
    CLOSER_STEPS = constant(60, "times that this is done")
    CLOSEST = constant(1e-8, "part of a domain with which it ends")
    ZERO = constant(1e-10, "of its largest value in the first slab, up to which the first one counts as zero")
    SMALLEST_GOAL = constant(1e-14, "of that part, where a tolerance asks for much")
    BETTER = constant(0.01, "factor of the goal with which all is done again if a tolerance is not met")
    NO_SLABS = constant(24, "slabs up to which linear equations are tried as one problem in space and time, too")
    MOST_AT_ONCE = constant(900, "features of that")
    OVERLOOKED = constant(1e-3, "error that a bump makes, from which on nothing is trusted")
    DENIED = constant(1e-5, "relative difference from which on an initial condition does not hold")
    CONTRADICTED = constant(1e-6, "residual relative to terms above which something contradicts the equations")
    UNRESOLVED = constant(0.03, "the same of equations on a domain in which there are layers or corners")
    TRIES = constant(30, "slabs that are tried, if none succeeds, whatever the time")
    ENOUGH = constant(10.0, "factor of the other estimate up to which that of one problem in space and time is as good")
    PROBES = constant(200, "places at which two marches are compared")
    LOOKED_AT = constant(60, "features for which there are places at which the type of equations is looked at")
    INSTANTS = constant(31, "instants of a slab at which they are")
    CHECKED = constant(3, "instants of a slab at which residuals are looked at")
    DENSE = constant(512, "instants, or places, at which known functions are looked at")
    FADED = constant(1e-3, "of the largest terms so far, to which residuals are relative at least")
    DECAYED = constant(1e-6, "of the largest terms so far, below which there is only rounding")
    STANDS_OUT = constant(0.05, "residual there, relative to terms, of what instants or places do not see")
