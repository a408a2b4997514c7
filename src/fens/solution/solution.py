"""What the user keeps."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp
from torch import Tensor

from .. import plotting as pictures
from .._support.numbers import is_whole, real_number
from .._support.provenance import Provenance
from .._support.stored import stored
from ..basis import Ansatz, Corner, Plain, TrialSpace
from ..discretise import discretise, evaluate_jets, sample
from ..discretise.field import Fields, Number
from ..errors import SettingError, quoted
from ..estimate.assess import Error
from ..fit.search import Search
from ..fit.stats import Stats
from ..geometry import Region, Sampler, Samples
from ..options import ScaleGrid
from ..options.settings import Settings, check_sampler
from ..problem import LINEARISATIONS, Problem, Unknown
from ..storage import KINDS, write
from .check import check_whole
from .comparison import Comparison, compared, comparison_points
from .integral import integrate
from .singular import SingularTerms, corner_at, singular_terms

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from xarray import Dataset

PathLike = str | os.PathLike[str]

MOST_TERMS = 20  # singular ones of a corner


@stored("Solution")
@dataclass(frozen=True, repr=False, eq=False)
class Solution:
    """A computed function, its derivatives, and how it came about.

    Call it with coordinates in the order of the unknown's arguments; numbers give a float, arrays broadcast.
    """

    problem: Problem
    features: TrialSpace
    weights: Tensor
    samples: Mapping[Region, Samples]
    scales: tuple[float, ...]
    search: Search | None
    stats: Stats
    settings: Settings
    error: Error | None = None
    ansaetze: tuple[Ansatz, ...] = (Plain(),)
    deviations: Mapping[sp.Expr, float] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance.now)

    @cached_property
    def functions(self) -> dict[sp.Expr, Any]:
        """Each unknown as computed, a function to call, complex or not, or a number."""
        return self._marked(Fields(self.problem, self.features, self.weights, self.deviations).functions)

    def _marked(self, functions: Mapping[sp.Expr, Any]) -> dict[sp.Expr, Any]:
        """The same, with numbers that show it if they are not to be trusted."""
        return {u: f.marked(self.mark) if isinstance(f, Number) else f for u, f in functions.items()}

    def __getitem__(self, unknown: sp.Expr) -> Any:
        """One of the unknowns: `solution[p]`."""
        self.problem.of(unknown)
        return self.functions[unknown]

    @property
    def function(self) -> Any:
        """The unknown itself, as a function, if there is one only."""
        functions = [f for u, f in self.functions.items() if not isinstance(u, Unknown)]
        if len(functions) > 1:
            names = ", ".join(map(str, self.problem.unknowns))
            raise SettingError(f"The solution has several unknowns, {names}; take one of them, as solution[u].")
        return functions[0]

    @property
    def scale(self) -> Any:
        """The scale of the frequencies, one number or one for each axis; for several unknowns a mapping to these."""
        d = len(self.problem.coordinates)
        by_component = [self.scales[k : k + d] for k in range(0, len(self.scales), d)]
        short = [s[0] if len(set(s)) == 1 else s for s in by_component]
        if len(short) == 1:
            return short[0]
        return {c.name: s for c, s in zip(self.problem.components, short, strict=True) if not c.is_constant}

    @property
    def expected_error(self) -> float:
        """The error estimate; infinite where there is none to be trusted."""
        return self.error.estimate if self.error is not None and self.error.trusted else float("inf")

    @property
    def has_corners(self) -> bool:
        """Whether some of its functions are those of corners."""
        return any(a.graded for a in self.ansaetze)

    @property
    def corners(self) -> tuple[Corner, ...]:
        """The corners at which it has functions of their own."""
        found = (c for a in self.ansaetze for c in a.graded if isinstance(c, Corner))
        return tuple({(c.place, c.direction, c.opening): c for c in found}.values())

    @property
    def mark(self) -> str:
        """One word or two for a solution that is not to be trusted, such as "unreliable"; empty for others."""
        if self.error is not None and not self.error.trusted:
            return self.error.verdict
        return "not converged" if self.stats.status == "failed" else ""

    @property
    def doubt(self) -> str:
        """Why it is not to be trusted, and what to do; empty where there is no reason for doubt."""
        advice = self.stats.advice if self.error is None or self.error.trusted else self.error.advice
        return f"{self.mark}: {advice}" if self.mark else ""

    def meets(self, tol: float) -> bool:
        """Whether the error is below a tolerance, as far as can be known."""
        return self.expected_error <= real_number(tol, SettingError, f"tol must be a number; got {quoted(tol)}.")

    def __call__(self, *coordinates: Any, outside: str = "nan") -> Any:
        """The value at the given coordinates; NaN outside the domain unless `outside="extrapolate"`."""
        return self.function(*coordinates, outside=outside)

    def diff(self, *variables: Any) -> Any:
        """An exact derivative of the computed function: `diff(x, 2)`, `diff(x, y)`, of any order."""
        return self.function.diff(*variables)

    def near(self, corner: Any) -> Any:
        """The solution as a function of the offset from a corner or any other place: `near((0, 0))(dx, dy)`.

        Coordinates have no digits left at a distance of 1e-12 from (1, 1), and offsets do. It has derivatives, as
        `near((0, 0)).diff(x)`.
        """
        return self.function.near(corner)

    def singular(self, corner: Any, of: sp.Expr | None = None, terms: int = 5) -> SingularTerms:
        """The leading singular terms c r^λ cos(λθ − φ) at a corner: exponents λ, coefficients c and their errors.

        r and θ are polar coordinates from the corner, with θ from its first side, counter-clockwise through the domain.
        At the tip of a crack the first coefficient is the stress intensity factor, up to a factor of √(2π) or so. `of`
        is the unknown, if there are several.
        """
        if not is_whole(terms, 1) or terms > MOST_TERMS:
            raise SettingError(f"terms must be a whole positive number, at most {MOST_TERMS}; got {quoted(terms)}.")
        unknown = next(iter(self._known(None, "singular"))) if of is None else of
        estimate = float("nan") if self.error is None else self.error.estimate
        here = corner_at(self.corners, corner)
        return singular_terms(self.problem, unknown, self[unknown], here, estimate, self.mark, terms)

    def residual(self, region: Region, points: Sampler | None = None) -> np.ndarray:
        """left − right of the equation on a region, unweighted, at its collocation points or at points of choice.

        For several equations on the region there is one row for each.
        """
        self.problem.equations_on(region)
        samples = self.samples
        if points is not None:
            check_sampler(points)
            samples = sample(self.problem, points, [len(f) for f in self.features.members], self._fresh_seed())
        # the linearisation of the solve: Picard's takes equations that Newton's refuses
        discretised = discretise(self.problem, samples, LINEARISATIONS[self.settings.nonlinear], self.weights.device)
        rows = [
            p.residual(evaluate_jets(self.features, self.weights, p.functional, p.jets))
            for p in discretised
            if p.condition.region == region
        ]
        if len({len(r) for r in rows}) > 1:  # an integral next to equations that hold at points
            return np.concatenate(rows)
        return rows[0] if len(rows) == 1 else np.stack(rows)

    def compare(self, exact: Any, points: Sampler | str | Mapping[sp.Symbol, Any] | None = None) -> Any:
        """Errors against a known function of the same arguments, an expression or a callable.

        They are taken on `points`: a `Grid` or other sampler, `"collocation"` for the points of the solve, a
        mapping from coordinates to arrays, or by default a fine set of points independent of the solve. For several
        unknowns `exact` is a mapping from them to functions, and so is the result.
        """
        if isinstance(exact, Mapping):
            return {u: self._compared(u, function, points) for u, function in exact.items()}
        ((unknown, function),) = self._known(exact, "compare").items()
        return self._compared(unknown, function, points)

    def _known(self, exact: Any, caller: str) -> dict[sp.Expr, Any]:
        """Known functions by unknown; one by itself is that of the only unknown function."""
        if isinstance(exact, Mapping):
            for unknown in exact:
                self.problem.of(unknown)
            return dict(exact)
        functions = [u for u in self.problem.unknowns if not isinstance(u, Unknown)]
        if len(functions) > 1:
            names = ", ".join(map(str, functions))
            raise SettingError(f"There are several unknowns; {caller}() takes a mapping from {names} to functions.")
        return {functions[0]: exact}

    def _compared(self, unknown: sp.Expr, exact: Any, points: Any) -> Comparison:
        domain = self.problem.components[self.problem.of(unknown)[0]].domain
        where = comparison_points(points, domain, self.samples, self._fresh_seed())
        return compared(self.problem, unknown, self[unknown], exact, where)

    def integrate(self, expression: Any, on: Region | None = None, points: int = 24) -> Any:
        """∫ of an expression in the unknown, its derivatives and the coordinates, over the domain or a part of it.

        On a boundary part it may contain `fens.normal(x)`: `integrate(fens.normal_derivative(u), on=domain.boundary)`
        is the flux out of the domain. `points` is how many there are along each direction, as in `quadrature`.
        """
        return integrate(Fields(self.problem, self.features, self.weights), expression, on, points, self.corners)

    def plot(self, path: PathLike | None = None) -> Figure:
        """A picture of every unknown function, written to `path` if one is given; numbers are in the title.

        One coordinate gives a curve, two a map, one and time a map and curves at some times, two and time maps at
        some times, three slices at right angles, and more sections through the middle along those coordinates in which
        the function varies most.
        """
        return pictures.plot(self.problem, self.functions, self.stats.features, path, self.doubt)

    def plot_error(self, exact: Any, path: PathLike | None = None) -> Figure:
        """A picture of the absolute error against a known function, or a mapping to these, as `compare` takes them.

        The scale is logarithmic and ends at round-off; the title has what `compare` gives.
        """
        known = self._known(exact, "plot_error")
        compare = partial(self._compared, points=None)
        return pictures.plot_errors(
            self.problem, self.functions, self.stats.features, known, compare, path, self.doubt
        )

    def plot_search(self, path: PathLike | None = None) -> Figure:
        """A picture of the search for the scale: the loss of each that was tried, and the one chosen."""
        d = len(self.problem.coordinates)
        of_functions = [d * k + i for k, c in enumerate(self.problem.components) if not c.is_constant for i in range(d)]
        on_grid = isinstance(self.settings.scale, ScaleGrid)
        loss = "residual ‖A w − F‖" if on_grid else "largest residual at other points, relative to its terms"
        return pictures.plot_searches(self._searches, loss, of_functions, path)

    def plot_points(self, path: PathLike | None = None) -> Figure:
        """A picture of the points at which the equations were asked to hold, by region."""
        return pictures.plot_points(self.problem, self._samples, path)

    def animate(
        self, coordinate: sp.Symbol, path: PathLike, *, frames: int = pictures.FRAMES, fps: float = pictures.FPS
    ) -> Path:
        """A film in which one coordinate runs, time or any other, if one or two others remain; where it was written.

        `path` ends in `.gif` or, where the program ffmpeg is installed, `.mp4`.
        """
        return pictures.animate(
            self.problem, self.functions, self.stats.features, coordinate, path, frames, fps, self.doubt
        )

    @property
    def _searches(self) -> tuple[Search | None, ...]:
        return (self.search,)

    @property
    def _samples(self) -> tuple[Mapping[Region, Samples], ...]:
        return (self.samples,)

    def save(self, path: str | Path) -> None:
        """Write the solution with its problem, options and history to one file, for `fens.load`."""
        write(path, self, KINDS, check_whole)

    def to_csv(self, path: str | Path, points: Any = None) -> None:
        """Write a table: a column for each coordinate and unknown, a row for each point of the domain.

        `points` is a number of points along each axis, a `Grid` or another sampler, or a mapping from coordinates to
        values along their axes.
        """
        from .export.table import to_csv

        to_csv(self, path, points)

    def to_xarray(self, points: Any = None, units: Mapping[Any, str] | None = None) -> Dataset:
        """A dataset of xarray's on a grid, NaN outside the domain: `to_xarray({x: xs, t: 0.5}, units={x: "m"})`.

        `points` is a number of points along each axis, a `Grid`, or a mapping from coordinates to values along their
        axes, of which one number makes a section.
        """
        from .export.dataset import to_xarray

        return to_xarray(self, points, units)

    def to_netcdf(self, path: str | Path, points: Any = None, units: Mapping[Any, str] | None = None) -> None:
        """Write the dataset of `to_xarray` to a netCDF file, complex unknowns as two variables."""
        from .export.dataset import to_netcdf

        to_netcdf(self, path, points, units)

    def to_vtk(self, path: str | Path, points: Any = None) -> list[Path]:
        """Write a mesh of the domain with the values of all unknowns for ParaView; the files written.

        To a file `.vtu` with up to three coordinates as axes, time among them, or to a series `.pvd` of meshes in
        space, one for each time. Boundaries are followed; `points` along axes, as in `to_xarray`, make sections.
        """
        from .export.vtk import to_vtk

        return to_vtk(self, path, points)

    def export(self, path: str | Path, to: str | None = None, **options: Any) -> list[Path]:
        """Write the solution in the format that the ending of `path` tells, or `to` names; the files written.

        `.csv`, `.vtu`, `.pvd`, `.nc`, `.html`, `.fens`, `.png`, `.pdf`, `.svg`, and those that were added by
        `fens.register("export", …)`. Options are those of the format: `points`, `units`, `title`.
        """
        from .export import name_by_ending, write

        return write(name_by_ending(path) if to is None else to, self, path, options)

    def report(self, path: str | Path, title: str = "") -> None:
        """Write a page that tells all: equations, picture, error and its evidence, options, how to get it again.

        One HTML file that needs nothing else, and holds the solution itself.
        """
        from .export.report import report

        report(self, path, title)

    def _repr_html_(self) -> str:
        from .export.notebook import html

        return html(self)

    def _repr_latex_(self) -> str:
        return self.problem._repr_latex_()

    def __repr__(self) -> str:
        s = self.stats
        rho = [self.scales[k] for k in range(len(self.scales)) if k == 0 or self.scales[k] != self.scales[k - 1]]
        names, where = ", ".join(map(str, self.problem.unknowns)), " and ".join(d.name for d in self.problem.domains)
        lines = [
            f"Solution {names} on {where}{f' — {self.mark.upper()}' if self.mark else ''}",
            f"{s.features} {self.settings.activation} features at scale {', '.join(f'{r:.4g}' for r in rho)}, "
            f"{s.rows} rows, numerical rank {s.rank}",
            f"residual {s.residual:.2e}{self._iterations()}, {sum(s.seconds.values()):.2f} s",
        ]
        if self.error is not None:
            lines.append(f"error about {self.error.estimate:.1e}, {self.error.verdict}: {self.error.advice}")
        if s.status != "converged":
            lines.append(f"{s.status.upper()}: {s.advice}")
        return "\n  ".join(lines)

    def _iterations(self) -> str:
        states = self.stats.iterations
        return f" after {states[-1].iteration} iterations of {self.settings.nonlinear}" if states else ""

    def _fresh_seed(self) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.settings.seed, spawn_key=(99,))  # not a stream of the solve
