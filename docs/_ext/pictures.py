"""Pictures of the gallery, all figures of an example, those of `solution.plot()` and those of pyplot; and its order."""

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
        figure.savefig(written[-1], dpi=110)
        figure.shown = True
    plt.close("all")
    return figure_rst(written, gallery_conf["src_dir"])


def _new_figures(names: dict[str, Any]) -> list[Figure]:
    found = [value for value in names.values() if isinstance(value, Figure) and not hasattr(value, "shown")]
    return list(dict.fromkeys(found))


ORDER = (
    "heat_plate", "coax", "stokes", "elasticity", "acoustics", "kovasznay", "wave", "schroedinger", "burgers", "bratu",
    "fokker_planck", "fisher", "black_scholes", "diffusivity", "two_materials", "solid", "ten_dimensions",
    "sine_gordon", "approximation",
)  # fmt: skip


class Order:
    """In which order the gallery shows its examples; new ones come last."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, file: str) -> tuple[int, str]:
        name = file.removeprefix("plot_").removesuffix(".py")
        return (ORDER.index(name) if name in ORDER else len(ORDER), name)
