"""The law of the house: modules import only from what stands above them in docs/architecture.md, never in a circle."""

import ast
import importlib
import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import fens

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "fens"
MAP = (ROOT / "docs" / "architecture.md").read_text()
MOST_ON_THE_TOP_FLOOR = 24


def name_of(path):
    """The module that a file is: fens.basis for fens/basis/__init__.py."""
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


MODULES = {name_of(path): path for path in sorted(SOURCE.rglob("*.py"))}


# What closes a circle, and is imported inside of functions: shapes are combined to shapes by their operators. This list
# only gets shorter, too.
CIRCLES = {
    ("fens.geometry.shapes.shape", "fens.geometry.shapes.combination"),
}


def order():
    """Package → level, from the numbered list in the document; those on one line do not know each other."""
    lines = re.findall(r"^\d+\. ((?:`\w+`(?:, )?)+)", MAP, flags=re.MULTILINE)
    return {name: level for level, line in enumerate(lines) for name in re.findall(r"`(\w+)`", line)}


def package(module):
    """The name on the top floor to which a module belongs; the public interface, fens itself, is that of `api`."""
    return "api" if module == "fens" else module.split(".")[1]


def nodes(tree, for_types):
    """All nodes below one, `for_types` also those that only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) and not for_types:
            for other in node.orelse:
                yield from (other, *nodes(other, for_types))
        else:
            yield from (node, *nodes(node, for_types))


def imported(text, module, is_package, for_types=True):
    """What of fens a module imports, relatively or absolutely, anywhere in its text."""
    for node in nodes(ast.parse(text), for_types):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = module.split(".")
            base = parts[: len(parts) - node.level + is_package] if node.level else []
            base = ".".join([*base, *(node.module or "").split(".")]).rstrip(".")
            found = [f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base for alias in node.names]
        else:
            continue
        yield from (name for name in found if name.split(".")[0] == "fens" and name != module)


def imports(module, for_types=True):
    """What of fens a module of fens imports."""
    path = MODULES[module]
    return sorted(set(imported(path.read_text(), module, path.name == "__init__.py", for_types)))


def circle(graph):
    """Modules that import each other in turn; nothing if there are none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " → ".join(reversed(error.args[1]))
    return ""


def without(graph, edges):
    """A graph without some of its edges."""
    return {module: [other for other in others if (module, other) not in edges] for module, others in graph.items()}


def test_every_package_has_its_place_in_the_document():
    top = {package(module) for module in MODULES if module != "fens"}
    assert top == set(order())
    assert len(top) <= MOST_ON_THE_TOP_FLOOR


def test_a_module_imports_only_from_above():
    levels = order()
    wrong = {
        (module, other)
        for module in MODULES
        for other in imports(module)
        if module != "fens" and package(other) != package(module) and levels[package(other)] >= levels[package(module)]
    }
    assert not wrong, "\n".join(f"{module} imports {other}" for module, other in sorted(wrong))


def test_no_modules_import_each_other():
    graph = {module: imports(module, for_types=False) for module in MODULES}
    assert not circle(without(graph, CIRCLES))
    for edge in CIRCLES:  # none that is mended stays on the list
        assert circle(without(graph, CIRCLES - {edge})), f"{' → '.join(edge)} closes no circle any more"


def test_all_ways_to_import_are_seen():
    text = """
import fens.lstsq, numpy
from fens.basis import draw
from fens.basis.rank import by_rank
from fens import errors
from .. import problem
from . import weights
from .rows import System
from ..geometry import region
def later():
    import fens.api
if TYPE_CHECKING:
    from ..options import Settings
else:
    import fens.zoo
"""
    seen = {
        "fens.lstsq", "fens.basis", "fens.basis.rank", "fens.errors", "fens.problem", "fens.discretise.weights",
        "fens.discretise.rows", "fens.geometry.region", "fens.api", "fens.zoo",
    }  # fmt: skip
    assert set(imported(text, "fens.discretise.condition", False, for_types=False)) == seen
    assert set(imported(text, "fens.discretise.condition", False)) == seen | {"fens.options"}
    assert list(imported("from .rows import System", "fens.lstsq", True)) == ["fens.lstsq.rows"]


def test_what_the_document_names_exists():
    missing = []
    for name in sorted(set(re.findall(r"`((?:\w+\.)+\w+)`", MAP))):
        top, *rest = name.split(".")
        if top not in order():
            continue
        thing = importlib.import_module(f"fens.{top}")
        for part in rest:
            inner = f"{thing.__name__}.{part}" if hasattr(thing, "__path__") else ""
            thing = importlib.import_module(inner) if inner in MODULES else getattr(thing, part, None)
        if thing is None:
            missing.append(name)
    assert not missing


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

    attempted = 0
    for name in MODULES:
        result = doctest.testmod(importlib.import_module(name))
        assert result.failed == 0, name
        attempted += result.attempted
    assert attempted > 10
