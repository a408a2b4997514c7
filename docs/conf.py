"""Sphinx configuration. `make docs` first runs computed.py, whose figures and numbers the pages use."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE / "_ext")]

import fens  # noqa: E402

project = "fens"
author = "The fens developers"
copyright = "2026, the fens developers"
version = release = fens.__version__

extensions = [
    "mathml",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery/README.rst"]
default_role = "code"  # docstrings write `x` as Markdown does

html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"fens {version}"
html_static_path = ["_static"]
html_css_files = ["fens.css"]
html_copy_source = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "substitution"]
myst_heading_anchors = 3
myst_substitutions = json.loads((HERE / "computed" / "numbers.json").read_text())

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 100
python_use_unqualified_type_names = True
napoleon_use_rtype = False

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"helmholtz\.py",  # the demonstration of `make demo`
    "image_scrapers": ("pictures",),
    "reset_modules": (),
    "capture_repr": (),  # what is printed, not what the last line of a block happens to be
    "within_subsection_order": "pictures.Order",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "min_reported_time": 10**6,  # how long an example took says more about the machine than about the example
    "write_computation_times": False,
    "show_signature": False,
    "remove_config_comments": True,
}
suppress_warnings = ["config.cache"]
