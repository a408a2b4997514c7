"""Pictures of a solution. matplotlib is imported here only, when a picture is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import UnsupportedEquation
from ..field import Field

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot(field: Field, path: str | None = None) -> Figure:
    """A curve for one coordinate, a filled map for two."""
    from matplotlib.figure import Figure

    d = len(field.domain.coordinates)
    if d > 2:
        raise UnsupportedEquation(f"Pictures are made for one or two coordinates; this solution has {d}.")
    figure = Figure(figsize=(5.6, 4.2), layout="constrained")
    (_curve if d == 1 else _map)(field, figure)
    if path is not None:
        figure.savefig(path, dpi=160)
    return figure


def _curve(field: Field, figure: Figure) -> None:
    (a, b), (x,) = field.domain.bounds[0], field.domain.coordinates
    at = np.linspace(a, b, 2001)
    axes = figure.subplots()
    axes.plot(at, field.at(at[:, None]), lw=1.2)
    axes.set(xlabel=str(x), ylabel="u", xlim=(a, b))
    axes.grid(alpha=0.3)


def _map(field: Field, figure: Figure) -> None:
    (a, b), (c, d) = field.domain.bounds
    x, y = field.domain.coordinates
    across, up = np.linspace(a, b, 301), np.linspace(c, d, 301)
    points = np.stack([m.ravel() for m in np.meshgrid(across, up, indexing="ij")], axis=1)
    values = np.where(field.domain.contains(points), field.at(points), np.nan).reshape(301, 301)
    axes = figure.subplots()
    # a diverging map centred on zero where the sign matters, a sequential one where it does not
    size = np.nanmax(np.abs(values))
    signed = np.nanmin(values) < -0.05 * size and np.nanmax(values) > 0.05 * size
    limits = {"vmin": -size, "vmax": size, "cmap": "RdBu_r"} if signed else {"cmap": "viridis"}
    image = axes.pcolormesh(across, up, np.ma.masked_invalid(values.T), shading="gouraud", rasterized=True, **limits)
    shape_matters = 1 / 4 < (d - c) / (b - a) < 4
    axes.set(xlabel=str(x), ylabel=str(y), aspect="equal" if shape_matters else "auto")
    figure.colorbar(image, ax=axes, label="u")
