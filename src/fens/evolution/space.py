"""Functions of space for a slab of time: random features made orthonormal, and the places where equations are asked.

Random features span what they can represent many times over. In the course of time that would let rounding grow, so
that here they are brought to an orthonormal basis, from smooth functions to rough ones, and what lies below rounding
is left out. Where conditions are periodic the frequencies are those of the period, and all is periodic by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
import torch
from torch import Tensor

from .._support.device import device_of, to_device, to_host
from .._support.numbers import geometric_mean
from .._support.steering import ScaleTrials, Slabs
from ..basis import Frame, Plain, RandomFeatures, activation
from ..basis.rank import HALF_WIDTH, by_rank
from ..geometry import Ball, Box, Clustered, Combined, Demand, Domain, Pair, Polygon, Region, Samples, Star
from ..problem import Jet
from .inverse import inverse_of
from .statement import AtAllTimes, Evolution

Orders = tuple[int, ...]



@dataclass(frozen=True)
class Rows:
    """A condition at its places in space, with the derivatives in space that it needs of the basis there."""

    running: AtAllTimes
    samples: Samples
    matrices: Mapping[tuple[Orders, bool], Tensor]

    def __len__(self) -> int:
        return len(self.samples)

    def matrix(self, jet: Jet, axis: int) -> Tensor:
        """∂^α of the functions at the places or, of a pair of faces, at the opposite ones."""
        return self.matrices[in_space(jet.orders, axis), jet.opposite]


@dataclass(frozen=True)
class Space:
    """Orthonormal functions ψ = Σ φ_j B_j of random features φ, and the conditions at places in space."""

    evolution: Evolution
    features: RandomFeatures  # of all coordinates, constant in time
    B: Tensor
    rows: tuple[Rows, ...]
    scale: tuple[float, ...]
    size: int  # how many features were asked for
    quadrature: Tensor | None = None  # the weights of places in the domain, if these are a rule for integrals

    @classmethod
    def of(cls, evolution: Evolution, size: int, seed: np.random.SeedSequence) -> Space:
        """The space of so many features; without coordinates in space, the one of a constant."""
        for_features, for_points, for_more = streams(seed, 3)
        base = evolution.base
        if base is None:
            one = _constant(len(evolution.problem.coordinates))
            alone = cls(evolution, one, torch.ones((1, 1), dtype=torch.float64), (), (), 1)
            return alone.asking(0, for_points)
        periods = periodic_axes(evolution)
        if len(periods) == len(base.coordinates):
            waves = _all_waves(base, size, evolution.axis)
            B = torch.diag(_amplitudes(waves))
            return cls(evolution, waves, B, (), (), size).asking(Slabs.PERIODIC_ROWS, for_points)
        scale = _scale(base, size)
        features = _drawn(base, size, scale, periods, evolution.axis, for_features)
        B = _orthonormal(base, features, evolution.axis, for_more)
        made = cls(evolution, features, B, (), scale, size)
        rule = made.rule() if evolution.constraints is not None and has_rule(base) else None
        return made.asking(Slabs.ROWS, for_points, rule)

    def asking(
        self, rows: float, seed: np.random.SeedSequence, rule: tuple[Samples, np.ndarray] | None = None
    ) -> Space:
        """The same functions with conditions at other places: so many rows for each function, or those of a rule."""
        asked = self.asked
        placed = self._places(asked, rows, seed)
        if rule is not None:
            home = self.evolution.problem.domain
            placed = [rule[0] if r.condition.region == home else s for r, s in zip(asked, placed, strict=True)]
        known: dict[tuple[int, Orders, bool], Tensor] = {}
        made = tuple(self._rows(r, s, known) for r, s in zip(asked, placed, strict=True))
        weights = None if rule is None else to_device(rule[1], self.B.device)
        return Space(self.evolution, self.features, self.B, made, self.scale, self.size, weights)

    def rule(self) -> tuple[Samples, np.ndarray]:
        """Places in the domain and weights with which products of two functions are integrated."""
        base = self.evolution.base
        assert base is not None
        W = np.delete(to_host(self.features.W), self.evolution.axis, axis=1)
        fastest = 2 * W[np.argsort(-np.linalg.norm(W, axis=1))[: Slabs.FASTEST]]  # of products
        radians = (np.abs(fastest).max(axis=0) * np.array(base.half_widths)).max()
        count, before = int(np.ceil(Slabs.OF_RADIANS * radians)) + Slabs.MORE_POINTS, np.inf
        while True:
            samples, weights = base.rule(count)
            found = weights @ np.exp(1j * (samples.points @ fastest.T))
            if np.abs(found - before).max() <= Slabs.INTEGRATED * np.abs(weights).sum():
                return samples, weights
            count, before = round(Slabs.GROWTH * count), found

    @cached_property
    def test(self) -> Tensor:
        """The matrix from values at the places of the rule to integrals with each function."""
        assert self.quadrature is not None
        home = next(r for r in self.rows if r.running.condition.region == self.evolution.problem.domain)
        points = home.samples.points
        return (self.quadrature[:, None] * self.matrix((0,) * points.shape[1], points)).T.contiguous()

    def tested(self, matrix: Tensor) -> Tensor:
        """The integrals of derivatives, whose values at the places of the rule are in a matrix, with each function."""
        if id(matrix) not in self._tested:
            self._tested[id(matrix)] = self.test @ matrix
        return self._tested[id(matrix)]

    @cached_property
    def _tested(self) -> dict[int, Tensor]:
        return {}

    def __len__(self) -> int:
        return self.B.shape[1]

    @cached_property
    def asked(self) -> tuple[AtAllTimes, ...]:
        """The conditions that functions do not obey by themselves."""
        periods = periodic_axes(self.evolution)
        return tuple(
            r for r in self.evolution.running if not (isinstance(r.region, Pair) and r.region.axis in periods)
        )

    @property
    def is_periodic(self) -> bool:
        """Whether all directions are periodic, so that nothing is lost in making functions orthonormal."""
        return self.evolution.base is not None and not self.scale

    @property
    def rough(self) -> slice:
        """The roughest functions, of which a solution that is resolved has nothing.

        Of waves these are the shortest. Others are ordered by the part that features have in them: down to where that
        falls they all serve alike, and what is resolved has as little of the last ones.
        """
        n = len(self)
        if n <= 2:
            return slice(n, n)
        if self.is_periodic:
            return slice(n - round(Slabs.TAIL * n), n)
        parts = 1 / to_host(torch.linalg.vector_norm(self.B, dim=0))
        return slice(n - max(1, int((parts <= Slabs.SMALL_PART * parts[0]).sum())), n)

    @cached_property
    def filter(self) -> np.ndarray:
        """Factors from slab to slab: one, and for the roughest functions less and less, so that no rounding grows.

        Where Galerkin's method corrects it does not, and functions that obey conditions are to go on doing so.
        """
        n, factors = len(self), np.ones(len(self))
        if self.quadrature is not None:
            return factors
        first = self.rough.start
        factors[first:] = np.exp(-Slabs.DAMPED * ((np.arange(first, n) - first + 1) / (n - first or 1)) ** 2)
        return factors

    def matrix(self, orders: Orders, points: np.ndarray) -> Tensor:
        """∂^α ψ at points in space."""
        return self.features.matrix([(1.0, self._whole(orders))], self._lifted(points)) @ self.B

    @cached_property
    def inside(self) -> tuple[np.ndarray, Tensor]:
        """Places in the domain, and the matrix from values there to coefficients."""
        home = next(r for r in self.rows if r.running.condition.region == self.evolution.problem.domain)
        others = [r for r in self.rows if r.running.region is not home.running.region and not self.is_periodic]
        faces = [r.samples.points for r in others]
        points = np.concatenate([home.samples.points, *faces])
        return points, inverse_of(self.matrix((0,) * points.shape[1], points))

    def projected(self, parts: Sequence[Tensor]) -> list[Tensor]:
        """What is asked at the places of conditions: of those on the grid of a period, only its part in our waves.

        The others serve to find that part without aliases, and would be rows that say the same again.
        """
        if not self.is_periodic:
            return list(parts)
        back, home = self.inside[1], self.evolution.problem.domain
        on_grid = [r.running.condition.region == home for r in self.rows]
        return [_product(back, p) if g else p for g, p in zip(on_grid, parts, strict=True)]

    def fitted(self, values: np.ndarray) -> np.ndarray:
        """Coefficients of functions with values at the places of `inside`, a column for each."""
        return to_host(self.inside[1] @ to_device(values, self.B.device))

    def _rows(self, running: AtAllTimes, samples: Samples, known: dict[tuple[int, Orders, bool], Tensor]) -> Rows:
        """A condition at its places; conditions at the same ones share what is `known` there."""
        wanted = {(in_space(j.orders, self.evolution.axis), j.opposite) for j, _ in running.condition.equation.jets}
        found = {}
        for orders, opposite in sorted(wanted):
            points = samples.opposite if opposite else samples.points
            assert points is not None
            key = id(samples), orders, opposite
            known[key] = found[orders, opposite] = known[key] if key in known else self.matrix(orders, points)
        return Rows(running, samples, found)

    def _places(self, asked: Sequence[AtAllTimes], rows: float, seed: np.random.SeedSequence) -> list[Samples]:
        evolution, base = self.evolution, self.evolution.base
        if base is None:
            return [Samples(np.zeros((1, 0))) for _ in asked]
        given = {k: Samples(r.at) for k, r in enumerate(asked) if r.at is not None}
        regions = [r.region for r in asked if r.at is None]
        distinct: list[Region] = list(dict.fromkeys(r for r in regions if r is not None))
        if self.is_periodic:
            grid = Samples(_uniform(base, self._waves, rows))
            found = [grid for _ in distinct]  # of a domain without boundary there are no parts
        else:
            counts = [regions.count(r) for r in distinct]
            wanted = max(1, len(self)) * len(evolution.problem.components)
            found = Clustered(rows=rows).sample(Demand(base, tuple(distinct), tuple(counts), wanted), seed)
        placed = dict(zip(distinct, found, strict=True))
        for r, s in placed.items():
            placed[r] = r.paired(s) if isinstance(r, Pair) else s
        return [given[k] if k in given else placed[r.region] for k, r in enumerate(asked)]  # type: ignore[index]

    @property
    def _waves(self) -> np.ndarray:
        """How many waves the fastest ones have along each axis."""
        assert self.evolution.base is not None
        W = np.delete(to_host(self.features.W), self.evolution.axis, axis=1)
        return np.asarray(np.round(np.abs(W).max(axis=0) * np.array(self.evolution.base.half_widths) / np.pi))

    def _whole(self, orders: Orders) -> Orders:
        axis = self.evolution.axis
        return (*orders[:axis], 0, *orders[axis:])

    def _lifted(self, points: np.ndarray) -> Tensor:
        return to_device(np.insert(points, self.evolution.axis, 0.0, axis=1), self.B.device)


def _product(A: Tensor, B: Tensor) -> Tensor:
    """A B for a real A."""
    return torch.complex(A @ B.real, A @ B.imag) if B.is_complex() else A @ B


def streams(seed: np.random.SeedSequence, count: int) -> list[np.random.SeedSequence]:
    """Streams of random numbers from a seed, the same ones whenever they are asked for."""
    return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key).spawn(count)


def in_space(orders: Orders, axis: int) -> Orders:
    """The orders of a derivative without that in time."""
    return (*orders[:axis], *orders[axis + 1 :])


def has_rule(shape: Domain) -> bool:
    """Whether rules for integrals over a shape are made fast."""
    if isinstance(shape, Combined):
        return has_rule(shape.first) and has_rule(shape.second)
    return len(shape.coordinates) == 1 or isinstance(shape, Ball | Box | Polygon | Star)


def periodic_axes(evolution: Evolution) -> tuple[int, ...]:
    """The axes of space along which conditions say that everything is periodic.

    As many derivatives, from the value on, must agree on the two faces as the equations take along the axis: with
    fewer the conditions would not say so, and with functions that are periodic more would be asked than they do.
    """
    found = []
    d = 0 if evolution.base is None else len(evolution.base.coordinates)
    for axis in range(d):
        pairs = [r for r in evolution.running if isinstance(r.region, Pair) and r.region.axis == axis]
        jumps = [_jump(r, axis, evolution.axis) for r in pairs]
        highest = [0] * len(evolution.orders)
        for r in evolution.running:
            for jet, _ in r.condition.equation.jets:
                if not isinstance(r.region, Pair):
                    highest[jet.unknown] = max(highest[jet.unknown], in_space(jet.orders, evolution.axis)[axis])
        wanted = {(k, n) for k, h in enumerate(highest) for n in range(max(1, h))}
        if pairs and None not in jumps and set(jumps) == wanted:
            found.append(axis)
    return tuple(found)


def _jump(running: AtAllTimes, axis: int, time: int) -> tuple[int, int] | None:
    """The component and the order of a derivative that a condition says to be the same on two faces."""
    equation = running.condition.equation
    if len(equation.jets) != 2:
        return None
    (one, a), (other, b) = equation.jets
    orders = in_space(one.orders, time)
    same = (one.unknown, one.orders) == (other.unknown, other.orders) and one.opposite != other.opposite
    alone = sum(orders) == orders[axis] and one.orders[time] == 0
    F = equation.residual
    balanced = (F.xreplace({a: 1, b: 1}) == 0) and not (F.diff(a).free_symbols or F.diff(b).free_symbols)
    return (one.unknown, orders[axis]) if same and alone and balanced else None


def _constant(dimension: int) -> RandomFeatures:
    nothing = torch.zeros((1, dimension), dtype=torch.float64)
    return RandomFeatures(nothing, nothing[:, 0].clone(), nothing[0].clone(), activation("cos"))


def _scale(base: Domain, size: int) -> tuple[float, ...]:
    """The scale along each axis, by rank; inversely to lengths that are not comparable."""
    lengths = base.half_widths
    comparable = max(lengths) <= ScaleTrials.COMPARABLE * min(lengths)
    shape = [1.0 if comparable else geometric_mean(lengths) / w for w in lengths]
    # along a line frequencies are even, and fill the band without room to spare
    filling = size if len(lengths) > 1 else round(Slabs.ALONG_A_LINE * size)
    rho = by_rank(filling, [w * s for w, s in zip(lengths, shape, strict=True)])
    return tuple(rho * s for s in shape)


def _drawn(
    base: Domain, size: int, scale: Sequence[float], periods: Sequence[int], time: int, seed: np.random.SeedSequence
) -> RandomFeatures:
    """Random features of space, with whole numbers of waves along axes that are periodic.

    Along a line there is one pair in each of as many equal parts of the band, a quarter of a wave apart.
    """
    device = device_of("cpu")
    features = Plain().draw(size, Frame(base.bounds, activation("cos")), seed).scaled(scale, device)
    W, center = to_host(features.W).copy(), to_host(features.center)
    if W.shape[1] == 1:
        W, b = _even(len(W), HALF_WIDTH * scale[0], np.random.default_rng(seed))
        features = replace(features, b=to_device(b, device))
    for axis in periods:
        unit = np.pi / base.half_widths[axis]
        W[:, axis] = unit * np.round(W[:, axis] / unit)
    W, center = np.insert(W, time, 0.0, axis=1), np.insert(center, time, 0.0)
    return RandomFeatures(to_device(W, device), features.b, to_device(center, device), features.activation)


def _even(count: int, fastest: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies and phases of pairs, at random in equal parts of a band."""
    pairs = -(-count // 2)
    W = fastest * (np.arange(pairs) + rng.random(pairs)) / pairs
    b = rng.uniform(0, 2 * np.pi, pairs)
    return np.repeat(W, 2)[:count, None], np.stack([b, b + np.pi / 2], axis=1).ravel()[:count]


def _all_waves(base: Domain, size: int, time: int) -> RandomFeatures:
    """The slowest waves that are periodic, each as a cosine and a sine."""
    d, units = len(base.coordinates), np.pi / np.array(base.half_widths)
    reach = int(np.ceil(size ** (1 / d))) + 1
    numbers = np.array(list(product(range(-reach, reach + 1), repeat=d)))
    signs = [next((n for n in row if n), 0) >= 0 for row in numbers]
    W = numbers[signs] * units
    W = W[np.lexsort((*W.T, np.linalg.norm(W, axis=1)))][: size // 2 + 1]
    still = (W == 0).all(axis=1)
    W_, b = np.concatenate([W, W[~still]]), np.concatenate([np.zeros(len(W)), np.full((~still).sum(), -np.pi / 2)])
    order = np.argsort(np.linalg.norm(W_, axis=1), kind="stable")
    center = np.array(base.bounds).mean(axis=1)
    W_, center = np.insert(W_[order], time, 0.0, axis=1), np.insert(center, time, 0.0)
    device = device_of("cpu")
    return RandomFeatures(
        to_device(W_, device), to_device(b[order], device), to_device(center, device), activation("cos")
    )


def _amplitudes(waves: RandomFeatures) -> Tensor:
    return torch.where(waves.W.abs().sum(dim=1) > 0, waves.W.new_tensor(2**0.5), waves.W.new_tensor(1.0))


def _orthonormal(base: Domain, features: RandomFeatures, time: int, seed: np.random.SeedSequence) -> Tensor:
    """The matrix from features to functions that are orthonormal over the domain, smooth ones first."""
    d, size = len(base.coordinates), len(features)
    count = round(Slabs.POINTS_TO_ORTHONORMALISE * size)
    inside = Clustered(interior=count).sample(Demand.inside(base), seed)[0].points
    edges = [e.piece.sample(max(1, round(count ** ((d - 1) / d))), lambda n, ends, g: g.random((n, len(ends))),
                            np.random.default_rng(seed)).points for e in base.edges]
    points = np.insert(np.concatenate([inside, *edges]), time, 0.0, axis=1)
    values = features.matrix([(1.0, (0,) * (d + 1))], to_device(points, features.b.device)) / len(points) ** 0.5
    R = torch.linalg.qr(values, mode="r")[1]
    _, sizes, Vh = torch.linalg.svd(R)
    kept = sizes > Slabs.FLAT * max(1.0, size / Slabs.FLAT_FEATURES) ** (2 / d) * sizes[0]
    B: Tensor = Vh[kept].T / sizes[kept]
    return B


def _uniform(base: Domain, waves: np.ndarray, times: float) -> np.ndarray:
    """Evenly spaced points, at which waves of a period are orthogonal: so many for each wave of the fastest."""
    lower, upper = np.array(base.bounds).T
    counts = np.ceil(times * (2 * waves + 1) + 1).astype(int)
    grid = np.stack(np.meshgrid(*((np.arange(n) + 0.5) / n for n in counts), indexing="ij"), axis=-1)
    return np.asarray(lower + (upper - lower) * grid.reshape(-1, len(lower)))


def places_inside(evolution: Evolution, seed: np.random.SeedSequence) -> np.ndarray:
    """Places inside, denser towards the faces, and on these."""
    base = evolution.base
    if base is None:
        return np.zeros((1, 0))
    inside = Clustered(interior=Slabs.PROBES).sample(Demand.inside(base), *streams(seed, 1))[0].points
    rng = np.random.default_rng(seed)
    edges = [e.piece.sample(8, lambda n, ends, g: g.random((n, len(ends))), rng).points for e in base.edges]
    return np.concatenate([inside, *edges])
