"""How a function is laid out, by the dimension of its domain: a curve, a map, or several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from .._support.numbers import rms
from ..geometry import Clustered, Cylinder, Demand, Domain
from .draw import add_bar, draw_curve, draw_map, finish_curves
from .labels import at, place
from .quantity import Quantity
from .raster import Curve, curve, raster, resolution
from .section import Section, middle, to_scale
from .shade import COLOURS, shade

INSTANTS = 4  # maps of a function of two coordinates and time
CURVES = 5  # curves of a function of one coordinate and time
LINES = 4  # coordinates along which a function of many is shown
TRIALS = 2**12  # points among which the deepest inside is taken
EFFECT_POINTS = 400
PANEL = 3.3  # inches

Size = tuple[float, float]  # in inches


@dataclass(frozen=True)
class Layout:
    """How to draw a quantity on a part of a figure, how large that is, and how many of them stand side by side."""

    draw: Callable[[Quantity, Any], None]
    size: Callable[[Domain], Size]
    columns: int = 1


def layout_for(domain: Domain) -> Layout:
    """What suits a domain."""
    d, moves = len(domain.coordinates), isinstance(domain, Cylinder)
    if d > 3:
        return Layout(draw_lines_and_planes, lambda _: (11.0, 6.2))
    return {
        (1, False): Layout(draw_line, lambda _: (5.4, 3.4), 2),
        (2, False): Layout(draw_plane, _size_of_plane, 3),
        (2, True): Layout(draw_strip, lambda _: (9.6, 3.7)),
        (3, False): Layout(draw_slices, _size_of_slices),
        (3, True): Layout(draw_instants, _size_of_instants),
    }[d, moves]


def draw_line(quantity: Quantity, part: Any) -> None:
    """One coordinate: a curve."""
    axes, section = part.subplots(), Section(quantity.domain, (0,), (0.0,))
    _draw_curves(axes, quantity, [curve(quantity, section)], section)


def draw_plane(quantity: Quantity, part: Any) -> None:
    """Two coordinates: a filled map."""
    _draw_maps([part.subplots()], quantity, [Section(quantity.domain, (0, 1), (0.0, 0.0))])


def draw_strip(quantity: Quantity, part: Any) -> None:
    """One coordinate and time: a map, and next to it curves at some times, which are marked at its side."""
    left, right = part.subplots(1, 2, width_ratios=(1.0, 1.15))
    domain = quantity.domain
    _draw_maps([left], quantity, [Section(domain, (0, 1), (0.0, 0.0))])
    times = np.linspace(*domain.bounds[1], CURVES)
    sections = [Section(domain, (0,), (0.0, float(t))) for t in times]
    curves = [curve(quantity, s) for s in sections]
    labels = [at(domain.coordinates[1], t) for t in times]
    tones = _tones(CURVES)
    _draw_curves(right, quantity, curves, sections[0], labels, tones)
    for t, tone in zip(times, tones, strict=True):
        left.plot(domain.bounds[0][1], t, marker="<", ms=5, color=tone, clip_on=False, zorder=5)


def draw_instants(quantity: Quantity, part: Any) -> None:
    """Two coordinates and time: maps at some times, with one colour bar."""
    domain = quantity.domain
    sections = [Section(domain, (0, 1), (0.0, 0.0, float(t))) for t in np.linspace(*domain.bounds[2], INSTANTS)]
    axes = part.subplots(1, INSTANTS, sharey=True)
    _draw_maps(list(axes), quantity, sections)
    for one, section in zip(axes, sections, strict=True):
        one.set_title(at(domain.coordinates[2], section.held[2]), fontsize="medium")
        one.label_outer()


def draw_slices(quantity: Quantity, part: Any) -> None:
    """Three coordinates: three slices at right angles, with one colour bar."""
    domain, planes = quantity.domain, ((0, 1), (0, 2), (1, 2))
    axes = part.subplots(1, 3, width_ratios=_widths(domain))
    held = _crossing(domain, planes)
    sections = [Section(domain, plane, held) for plane in planes]
    _draw_maps(list(axes), quantity, sections)
    for one, other in zip(axes, (2, 1, 0), strict=True):
        one.set_title(at(domain.coordinates[other], held[other]), fontsize="medium")


def draw_lines_and_planes(quantity: Quantity, part: Any) -> None:
    """More coordinates: sections through one point, along those that matter most."""
    domain = quantity.domain
    held = _crossing(domain, [(i,) for i in range(len(domain.coordinates))])
    chosen = _by_effect(quantity)
    kept = sorted(chosen[:LINES])
    lines = {i: curve(quantity, Section(domain, (i,), held)) for i in kept}
    above, below = part.subfigures(2, 1, height_ratios=(1.0, 1.25))
    everything = shade(np.concatenate([line.values for line in lines.values()]), quantity.floor)
    for number, (axes, i) in enumerate(zip(above.subplots(1, len(kept), sharey=True), kept, strict=True)):
        draw_curve(axes, lines[i], everything)
        axes.locator_params(axis="x", nbins=4)
        label = quantity.label if number == 0 else ""
        finish_curves(axes, domain.coordinates[i], domain.bounds[i], label, everything)
    planes = list(combinations(sorted(chosen[:3]), 2))
    sections = [Section(domain, plane, held) for plane in planes]
    _draw_maps(list(below.subplots(1, 3)), quantity, sections)
    note = "Sections through " + place(domain.coordinates, held)
    if len(chosen) > LINES:
        note += f": the {LINES} of {len(chosen)} coordinates that matter most"
    part.supxlabel(note, fontsize="medium")


def _draw_maps(axes: Sequence[Any], quantity: Quantity, sections: Sequence[Section]) -> None:
    """Maps that share their colours and one colour bar."""
    count = resolution(quantity.cost, len(sections))
    rasters = [raster(quantity, s, count) for s in sections]
    colours = shade(np.concatenate([r.known for r in rasters]), quantity.floor)
    drawn = [draw_map(one, r, colours, quantity.around) for one, r in zip(axes, rasters, strict=True)]
    add_bar(drawn[-1], quantity.label)


def _draw_curves(
    axes: Any,
    quantity: Quantity,
    curves: Sequence[Curve],
    section: Section,
    labels: Sequence[str] = ("",),
    tones: Sequence[Any] = COLOURS[:1],
) -> None:
    """Curves that share their limits, with a legend next to them if there are several."""
    limits = shade(np.concatenate([c.values for c in curves]), quantity.floor)
    for c, label, tone in zip(curves, labels, tones, strict=True):
        draw_curve(axes, c, limits, label, tone)
    finish_curves(axes, section.names[0], section.bounds[0], quantity.label, limits)
    if len(curves) > 1:
        axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)


def _crossing(domain: Domain, frees: Sequence[tuple[int, ...]]) -> tuple[float, ...]:
    """The point through which sections go: the middle, or the deepest one where some would miss the domain."""
    held = middle(domain)
    if all(_meets(Section(domain, free, held)) for free in frees):
        return held
    lower, upper = np.array(domain.bounds).T
    trials = lower + (upper - lower) * np.random.default_rng(0).random((TRIALS, len(lower)))
    return tuple(trials[np.argmin(domain.signed_distance(trials))].tolist())


def _meets(section: Section) -> bool:
    count = 201 if len(section.free) == 1 else 41
    grids = np.meshgrid(*(np.linspace(a, b, count) for a, b in section.bounds))
    return bool(section.contains(np.column_stack([g.ravel() for g in grids])).any())


def _by_effect(quantity: Quantity) -> list[int]:
    """The axes, those first along which the function changes most if one coordinate of points is exchanged."""
    domain = quantity.domain
    points = Clustered(interior=EFFECT_POINTS).sample(Demand.inside(domain), np.random.SeedSequence(0))[0].points
    values, effects = quantity.at(points), []
    for i in range(points.shape[1]):
        moved = points.copy()
        moved[:, i] = np.roll(points[:, i], 1)
        rows = domain.contains(moved)
        effects.append(rms(quantity.at(moved[rows]) - values[rows]) if rows.any() else 0.0)
    return sorted(range(len(effects)), key=lambda i: -effects[i])


def _tones(count: int) -> list[Any]:
    """Colours of a sequence, from dark to light but not too light."""
    from matplotlib import colormaps

    return list(colormaps["viridis"](np.linspace(0, 0.9, count)))


def _size_of_plane(domain: Domain) -> Size:
    width = PANEL / max(1.0, _aspect(domain) / 1.25)  # what is tall is not higher than a page is wide
    return width + 1.7, width * _aspect(domain) + 0.6


def _size_of_instants(domain: Domain) -> Size:
    return 2.5 * INSTANTS + 1.7, 2.5 * _aspect(domain) + 0.9


def _size_of_slices(domain: Domain) -> Size:
    """Slices of one scale, at most as high as a panel."""
    if not to_scale(domain):
        return 3 * PANEL, PANEL + 0.9
    _, y, z = (b - a for a, b in domain.bounds)
    inch = min(PANEL / max(y, z), 2.5 * PANEL / sum(_widths(domain)))
    return inch * sum(_widths(domain)) + 3.2, inch * max(y, z) + 0.9


def _widths(domain: Domain) -> list[float]:
    """Of the three slices of a domain, next to each other."""
    x, y, _ = (b - a for a, b in domain.bounds)
    return [x, x, y] if to_scale(domain) else [1.0, 1.0, 1.0]


def _aspect(domain: Domain) -> float:
    (a, b), (c, d) = domain.bounds[:2]
    return (d - c) / (b - a) if Section(domain, (0, 1), (0.0,) * len(domain.bounds)).to_scale else 0.8
