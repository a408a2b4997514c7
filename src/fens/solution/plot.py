"""Pictures of a solution. matplotlib is imported here only, when a picture is asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UnsupportedEquation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS = 3  # in a row


def plot(functions: Mapping[str, Any], path: str | None = None) -> Figure:
    """A panel for each function of a name: a curve for one coordinate, a filled map for two."""
    from matplotlib.figure import Figure

    panels = {name: part for label, field in functions.items() for name, part in _parts(label, field).items()}
    d = len(next(iter(panels.values()))[0].coordinates)
    if d > 2:
        raise UnsupportedEquation(f"Pictures are made for one or two coordinates; this solution has {d}.")
    columns = min(PANELS, len(panels))
    rows = math.ceil(len(panels) / columns)
    figure = Figure(figsize=(1.2 + 4.4 * columns, 4.2 * rows), layout="constrained")
    for number, (name, (domain, values)) in enumerate(panels.items(), 1):
        axes = figure.add_subplot(rows, columns, number)
        (_curve if d == 1 else _map)(name, domain, values, axes)
        if len(panels) > 1:
            axes.set_title(name)
    if path is not None:
        figure.savefig(path, dpi=160)
    return figure


def _parts(name: str, field: Any) -> dict[str, tuple[Any, Any]]:
    """The real functions to draw, each with its domain: of a complex one both parts."""
    if not np.iscomplexobj(field.at(np.array([[(a + b) / 2 for a, b in field.domain.bounds]]))):
        return {name: (field.domain, field.at)}
    return {
        f"Re {name}": (field.domain, lambda points: np.real(field.at(points))),
        f"Im {name}": (field.domain, lambda points: np.imag(field.at(points))),
    }


def _curve(name: str, domain: Any, values: Any, axes: Axes) -> None:
    (a, b), (x,) = domain.bounds[0], domain.coordinates
    at = np.linspace(a, b, 2001)
    axes.plot(at, values(at[:, None]), lw=1.2)
    axes.set(xlabel=str(x), ylabel=name, xlim=(a, b))
    axes.grid(alpha=0.3)


def _map(name: str, domain: Any, values_at: Any, axes: Axes) -> None:
    (a, b), (c, d) = domain.bounds
    x, y = domain.coordinates
    across, up = np.linspace(a, b, 301), np.linspace(c, d, 301)
    points = np.stack([m.ravel() for m in np.meshgrid(across, up, indexing="ij")], axis=1)
    within = domain.contains(points)
    values = np.full((301, 301), np.nan)
    values[within.reshape(301, 301)] = values_at(points[within])  # in a hole the features may be singular
    # a diverging map centred on zero where the sign matters, a sequential one where it does not
    size = np.nanmax(np.abs(values))
    signed = np.nanmin(values) < -0.05 * size and np.nanmax(values) > 0.05 * size
    limits = {"vmin": -size, "vmax": size, "cmap": "RdBu_r"} if signed else {"cmap": "viridis"}
    image = axes.pcolormesh(across, up, np.ma.masked_invalid(values.T), shading="gouraud", rasterized=True, **limits)
    shape_matters = 1 / 4 < (d - c) / (b - a) < 4
    axes.set(xlabel=str(x), ylabel=str(y), aspect="equal" if shape_matters else "auto")
    axes.figure.colorbar(image, ax=axes, label=name)
