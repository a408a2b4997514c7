"""The law of the house: a module imports only from what stands above it in docs/architecture.md."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fens

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "fens"


def order():
    """Module → level, from the numbered list in the document; modules on one line do not know each other."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    lines = re.findall(r"^\d+\. ((?:`\w+`(?:, )?)+)", text, flags=re.MULTILINE)
    return {name: level for level, line in enumerate(lines) for name in re.findall(r"`(\w+)`", line)}


def house(path):
    """The top-level module or package a file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path):
    """What of fens a file imports, as top-level modules."""
    depth = len(path.relative_to(SOURCE).parts)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            yield from [node.module.split(".")[0]] if node.module else [alias.name for alias in node.names]


FILES = sorted(p for p in SOURCE.rglob("*.py") if p != SOURCE / "__init__.py")


def test_every_module_has_its_place_in_the_document():
    assert {house(p) for p in FILES} == set(order())


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_module_imports_only_from_above(path):
    levels = order()
    own = house(path)
    for other in imports(path):
        assert other == own or levels[other] < levels[own], f"{own} imports {other}"


# what takes long to import, or may not be installed, and is imported where it is used
HEAVY = (
    "matplotlib", "rich", "scipy.optimize", "scipy.spatial", "scipy.special", "scipy.stats", "shapely", "skfem",
    "trimesh", "xarray", "pandas", "distributed",
)  # fmt: skip


def test_importing_fens_loads_no_matplotlib_and_sets_nothing():
    program = (
        "import sys, torch, numpy; "
        "before = torch.get_default_dtype(), torch.initial_seed(), numpy.geterr(); "
        "import fens; "
        "assert before == (torch.get_default_dtype(), torch.initial_seed(), numpy.geterr()); "
        f"assert not [m for m in {HEAVY} if m in sys.modules]"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


def test_public_names_exist_and_are_documented():
    for name in fens.__all__:
        assert getattr(fens, name).__doc__, name


def test_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert fens.__version__ == version("fens")


def test_doctests():
    import doctest
    import importlib

    attempted = 0
    for path in FILES:
        name = "fens." + ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        result = doctest.testmod(importlib.import_module(name))
        assert result.failed == 0, name
        attempted += result.attempted
    assert attempted > 10
