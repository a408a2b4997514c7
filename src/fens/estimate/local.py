"""What residuals do to a solution near the place where they are.

Near a point, an error that varies over a length ℓ leaves a residual of at most Σ|c_α| ℓ^(−|α|) times its size. So |r|
relative to that sum is, or nearly so, the least that the solution is wrong by; on a condition that gives values it is
just the error. Features of wave number k make no error that varies over less than 1/k or, next to a boundary, a corner
or a zero of leading coefficients, than the distance from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp
from torch import Tensor

from .._support.device import to_host
from .._support.steering import LocalLook
from ..basis import TrialSpace
from ..discretise import DiscreteCondition, evaluate_jets
from ..geometry import Box, Cylinder, Domain, Samples
from ..problem import Jet, Problem


@dataclass(frozen=True)
class Look:
    """An equation at points that are looked at more closely: coefficients, and what is left of it."""

    discretised: DiscreteCondition
    coefficients: Sequence[tuple[Jet, np.ndarray]]
    residual: np.ndarray

    @classmethod
    def of(cls, discretised: DiscreteCondition, features: TrialSpace, weights: Tensor) -> Look | None:
        """None for what has no points of its own, and for data with noise, which need not hold."""
        noisy = any(d.std is not None for d in discretised.condition.equation.data)
        if not discretised.is_pointwise or noisy:
            return None
        jets = evaluate_jets(features, weights, discretised.functional, discretised.jets)
        with np.errstate(all="ignore"):
            values = {**discretised.values, **{s: jets[j] for j, s in discretised.form.equation.jets}}
            n = len(discretised.samples)
            coefficients = [(jet, formula(values, n)) for jet, formula in discretised.form.coefficients]
            residual = discretised.residual(jets)
        return cls(discretised, coefficients, residual)

    @property
    def points(self) -> np.ndarray:
        """Where."""
        return self.discretised.samples.points

    def relative(self, sizes: Sequence[float], wave_numbers: np.ndarray) -> np.ndarray:
        """The error at each point relative to the solution; zero where the equation has no value.

        `sizes` are those of the unknowns, and `wave_numbers` has how fast each can vary at each point, along each axis.
        """
        with np.errstate(all="ignore"):
            ratio = np.abs(self.residual) / self.whole(sizes, wave_numbers)
        return np.asarray(np.where(np.isfinite(ratio), ratio, 0.0))

    def whole(self, sizes: Sequence[float], wave_numbers: np.ndarray) -> np.ndarray:
        """What the equation makes at each point of changes as large as the unknowns, that vary as fast."""
        whole = np.zeros(len(self.residual))
        with np.errstate(all="ignore"):
            for jet, c in self.coefficients:
                whole += np.abs(c) * sizes[jet.unknown] * np.prod(wave_numbers ** np.array(jet.orders), axis=1)
        return whole

    def leading(self, half_widths: np.ndarray) -> np.ndarray:
        """The smallest coefficient of a highest derivative along one axis, relative to what it usually is.

        It stands relative to all coefficients: an equation may have been divided by what vanishes somewhere.
        """
        order = max(sum(jet.orders) for jet, _ in self.coefficients)
        sizes = [(jet, np.abs(c) / np.prod(half_widths ** np.array(jet.orders))) for jet, c in self.coefficients]
        with np.errstate(all="ignore"):
            whole = sum(size for _, size in sizes)
            own = [size / whole for jet, size in sizes if max(jet.orders) == order]
            parts = [np.nan_to_num(c / (float(np.nanmedian(c)) or 1.0), nan=1.0) for c in own]
        return np.asarray(np.min(parts or [np.ones(len(self.residual))], axis=0))

    @property
    def is_regular(self) -> bool:
        """Whether the leading coefficients of an equation on a domain vanish nowhere; true on anything else."""
        region = self.discretised.condition.region
        if not isinstance(region, Domain):
            return True
        return bool(self.leading(np.array(region.half_widths)).min() > LocalLook.VANISHING)

    def own_wave_numbers(
        self, domain: Domain, fastest: np.ndarray, features: TrialSpace, weights: Tensor
    ) -> np.ndarray:
        """How fast the residual varies at each point along each axis: its range over a wave of the fastest features."""
        lower, upper = np.array(domain.bounds).T
        length = np.minimum(np.pi / fastest, (upper - lower) / 2)
        found = np.empty(self.points.shape)
        for axis in range(len(lower)):
            steps = np.linspace(-1, 1, LocalLook.STENCIL)[:, None, None] * (np.arange(len(lower)) == axis) * length
            line = np.clip(self.points + steps, lower, upper)
            moved = self.moved(Samples(line.reshape(-1, len(lower))), domain.coordinates, features, weights)
            values = moved.residual.reshape(LocalLook.STENCIL, -1)
            with np.errstate(all="ignore"):
                ratio = np.nan_to_num(np.ptp(values, axis=0) / np.abs(values).mean(axis=0), nan=1.0)
            found[:, axis] = np.maximum(ratio / length[axis], 2 / (upper[axis] - lower[axis]))
        return np.asarray(np.minimum(found, fastest))

    def only(self, rows: np.ndarray) -> Look:
        """The equation at some of the points."""
        coefficients = [(jet, c[rows]) for jet, c in self.coefficients]
        return Look(self.discretised.only(rows), coefficients, self.residual[rows])

    def moved(self, samples: Samples, coordinates: Sequence[sp.Symbol], features: TrialSpace, weights: Tensor) -> Look:
        """The same equation at other points."""
        found = Look.of(self.discretised.moved(samples, coordinates), features, weights)
        assert found is not None
        return found


@dataclass(frozen=True)
class LocalError:
    """The largest error that residuals show, relative to the solution, and where: a condition's number and a point."""

    relative: float
    condition: int
    where: str
    place: tuple[float, ...] = ()


NOWHERE = LocalError(0.0, 0, "")
Special = Mapping[Domain, np.ndarray]


def local_error(
    problem: Problem, looks: Mapping[int, Look], waves: np.ndarray, sizes: Sequence[float], special: Special
) -> LocalError:
    """What residuals say of the error, at the place where they say most; `looks` are by the numbers of conditions."""
    found = [NOWHERE]
    for k, look in looks.items():
        region = look.discretised.condition.region
        domain = region.domain or problem.domain
        away = distances(domain, look.points, special.get(domain), on_face=region is not domain)
        with np.errstate(divide="ignore"):
            wave_numbers = np.maximum(waves, 1 / (away[:, None] * np.array(domain.half_widths)))
        found.append(_largest(k, look, look.relative(sizes, wave_numbers), special.get(domain)))
    return max(found, key=lambda e: e.relative)


def degenerate_error(
    looks: Mapping[int, Look], features: TrialSpace, weights: Tensor, sizes: Sequence[float], special: Special
) -> LocalError:
    """The same where leading coefficients are about to vanish, and errors may vary as slowly as residuals do."""
    fastest, found = fastest_waves(features), [NOWHERE]
    for k, look in looks.items():
        region = look.discretised.condition.region
        if isinstance(region, Domain) and len(rows := _degenerate(look, region, sizes, fastest)):
            few = look.only(rows)
            own = few.own_wave_numbers(region, fastest, features, weights)
            found.append(_largest(k, few, few.relative(sizes, own), special.get(region)))
    return max(found, key=lambda e: e.relative)


def _largest(number: int, look: Look, relative: np.ndarray, special: np.ndarray | None) -> LocalError:
    at = int(np.argmax(relative))
    return LocalError(float(relative[at]), number, _described(look.points[at], look.points, special))


def _described(place: np.ndarray, points: np.ndarray, special: np.ndarray | None) -> str:
    """A place in words: a corner that is near, or its coordinates."""
    size = float(np.ptp(points, axis=0).max()) or 1.0
    if special is not None and len(special):
        nearest = special[np.argmin(np.abs(special - place).max(axis=1))]
        if np.abs(nearest - place).max() < LocalLook.NEXT_TO * size:
            return f"the corner or end ({', '.join(f'{v:.4g}' for v in nearest)})"
    return f"({', '.join(f'{v:.4g}' for v in place)})"


def _degenerate(look: Look, domain: Domain, sizes: Sequence[float], fastest: np.ndarray) -> np.ndarray:
    """Where a leading coefficient is about to vanish: some of the points of each order of magnitude of it.

    Those that may err most: there an error need not vary as fast as elsewhere to leave a residual.
    """
    leading = look.leading(np.array(domain.half_widths))
    relative = look.relative(sizes, np.broadcast_to(fastest, look.points.shape))
    with np.errstate(all="ignore"):
        decade = np.floor(np.log10(leading))
    rows: list[int] = []
    for d in np.unique(decade[decade < np.log10(LocalLook.VANISHING)]):
        here = np.flatnonzero(decade == d)
        rows += here[np.argsort(-relative[here])[:LocalLook.CANDIDATES]].tolist()
    return np.array(rows, dtype=int)


def distances(domain: Domain, points: np.ndarray, special: np.ndarray | None, on_face: bool) -> np.ndarray:
    """How far points are from the boundary and from special places, relative to half the widths of the domain.

    Points of a face are on the boundary; for them, special places count alone.
    """
    lower, upper = np.array(domain.bounds).T
    unit = (2 * points - lower - upper) / (upper - lower)
    found = np.full(len(points), np.inf)
    if not on_face:
        found = (1 - np.abs(unit)).min(axis=1)
        base, there = (domain.base, points[:, :-1]) if isinstance(domain, Cylinder) else (domain, points)
        if not isinstance(base, Box):  # whose bounds are its boundary
            found = np.minimum(found, np.abs(base.signed_distance(there)) / max(base.half_widths))
    for place in special if special is not None else ():
        at = (2 * place - lower - upper) / (upper - lower)
        found = np.minimum(found, np.sqrt(((unit - at) ** 2).sum(axis=1)))
    return np.asarray(np.maximum(found, 0.0))


def fastest_waves(features: TrialSpace) -> np.ndarray:
    """The largest wave number along each axis."""
    waves = [to_host(W.abs().amax(dim=0)) for m in features.members if (W := m.frequencies) is not None]
    return np.asarray(np.max([np.zeros(features.dimension), *waves], axis=0))
