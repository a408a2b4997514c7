"""Pictures of the gallery: all figures of an example, those of `solution.plot()` and those of pyplot."""

from typing import Any

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst


def _get_sg_image_scraper() -> Any:
    """What sphinx-gallery asks a module for."""
    return scrape


def scrape(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any], **_: Any) -> str:
    """Write the figures that a block of an example has made, and return the text that shows them."""
    paths = block_vars["image_path_iterator"]
    written = []
    for figure in _new_figures(block_vars["example_globals"]):
        written.append(next(paths))
        figure.savefig(written[-1], dpi=130)
        figure.shown = True
    plt.close("all")
    return figure_rst(written, gallery_conf["src_dir"])


def _new_figures(names: dict[str, Any]) -> list[Figure]:
    found = [value for value in names.values() if isinstance(value, Figure) and not hasattr(value, "shown")]
    return list(dict.fromkeys(found))
