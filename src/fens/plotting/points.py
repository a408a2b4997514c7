"""The points at which equations were asked to hold, by region."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..geometry import Region, Samples
from ..problem import Problem
from .canvas import begun, new_figure, save
from .draw import NEIGHBOUR_COLOUR, draw_cracks, rim, set_limits
from .labels import symbol
from .section import Section, to_scale
from .shade import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 20_000  # points of a region that are drawn
MARKERS = "os^Dv<>P"


@dataclass(frozen=True)
class Group:
    """The points of a region, and how they are drawn."""

    label: str
    points: np.ndarray
    colour: str
    marker: str
    inside: bool
    given: bool

    @property
    def some(self) -> np.ndarray:
        """Those that are drawn."""
        return self.points[:: -(-len(self.points) // MOST)] if len(self.points) else self.points

    @property
    def style(self) -> dict[str, Any]:
        """As matplotlib has it: many points inside are small, given ones large."""
        size = 60.0 if self.given else 16.0 if not self.inside else 14.0 if len(self.points) <= 500 else 5.0
        return {"s": size, "color": self.colour, "marker": self.marker, "lw": 0, "label": self.label}


def plot_points(problem: Problem, samples: Sequence[Mapping[Region, Samples]], path: Any) -> Figure:
    """All points, of each block of time if there are several."""
    target = begun(path)
    groups = _groups(problem, samples)
    d = len(problem.coordinates)
    draw = {1: _draw_line, 2: _draw_plane}.get(d, _draw_space)
    figure = new_figure(*((7.5, 0.45 * len(groups) + 1.2) if d == 1 else (8.2, 5.2)))
    draw(figure, problem, groups)
    return save(figure, target)


def _draw_line(figure: Figure, problem: Problem, groups: Sequence[Group]) -> None:
    """One coordinate: a row for each region."""
    axes = figure.subplots()
    for k, group in enumerate(groups):
        style = group.style | {"marker": "|", "s": 60, "lw": 0.8}
        axes.scatter(group.some[:, 0], np.full(len(group.some), -k), **style)
    axes.set(yticks=-np.arange(len(groups)), xlabel=symbol(problem.coordinates[0]), ylim=(0.6 - len(groups), 0.6))
    axes.set_yticklabels([g.label for g in groups])
    axes.grid(alpha=0.3, axis="x")


def _draw_plane(figure: Figure, problem: Problem, groups: Sequence[Group]) -> None:
    """Two coordinates, with the outlines of the domains."""
    axes, section = figure.subplots(), Section(problem.domain, (0, 1), (0.0, 0.0))
    for domain in problem.domains:
        axes.add_artist(rim(section.of_another(domain), NEIGHBOUR_COLOUR))
        draw_cracks(axes, section.of_another(domain), NEIGHBOUR_COLOUR)
    for group in groups:
        axes.scatter(*group.some.T, **group.style, zorder=3 - group.inside, clip_on=False)
    axes.set(xlabel=symbol(section.names[0]), ylabel=symbol(section.names[1]))
    axes.set_aspect("equal" if section.to_scale else "auto")
    set_limits(axes, problem.domains, section.free, full=False)
    figure.legend(loc="outside right upper", frameon=False, markerscale=2)


def _draw_space(figure: Figure, problem: Problem, groups: Sequence[Group]) -> None:
    """Three coordinates, or the first three of more, in perspective."""
    axes: Any = figure.add_subplot(projection="3d")
    for group in groups:
        axes.scatter(*group.some[:, :3].T, **group.style, alpha=0.6 if group.inside else 1.0, depthshade=False)
    names = problem.coordinates
    axes.set(xlabel=symbol(names[0]), ylabel=symbol(names[1]), zlabel=symbol(names[2]))
    axes.locator_params(nbins=4)
    if to_scale(problem.domain):
        axes.set_aspect("equal")
    if len(names) > 3:
        figure.suptitle(f"the first three of {len(names)} coordinates", fontsize="medium")
    figure.legend(loc="outside right upper", frameon=False, markerscale=2)


def _groups(problem: Problem, samples: Sequence[Mapping[Region, Samples]]) -> list[Group]:
    """The points of all blocks by what their regions are called; those inside first."""
    found: dict[tuple[int, str], list[np.ndarray]] = {}
    for block in samples:
        for region, own in block.items():
            found.setdefault((_rank(region), _name(region, problem)), []).append(_points(own))
    groups = []
    for k, ((rank, name), parts) in enumerate(sorted(found.items(), key=lambda item: item[0][0])):
        points = np.concatenate(parts)
        count = f"{len(points)}" + (f", {MOST} or fewer drawn" if len(points) > MOST else "")
        colour, marker = COLOURS[k % len(COLOURS)], MARKERS[k % len(MARKERS)]
        groups.append(Group(f"{name} ({count})", points, colour, marker, rank == 0, rank == 2))
    return groups


def _rank(region: Region) -> int:
    """Inside, on boundaries, free."""
    return 2 if region.domain is None else int(region.domain is not region)


def _points(samples: Samples) -> np.ndarray:
    """Of pairs, both."""
    return samples.points if samples.opposite is None else np.concatenate([samples.points, samples.opposite])


def _name(region: Region, problem: Problem) -> str:
    several = len(problem.domains) > 1 and region.domain is not None
    if region.domain is region:
        return f"inside {region.name}" if several else "inside"
    return f"{region.name} of {region.domain.name}" if several else region.name
