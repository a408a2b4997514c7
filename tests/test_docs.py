"""The documentation lists what there is, its code runs, and what it shows as results is so."""

import ast
import importlib
import inspect
import math
import re
from pathlib import Path

import matplotlib
import pytest

import fens
from fens.cli.app import COMMANDS, EPILOG
from fens.files.read import SECTIONS

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(DOCS.glob("*.md"))
DECISIONS = sorted((DOCS / "decisions").glob("[0-9]*.md"))
PARTS = ["Decision", "Why", "Measured by", "Consequences"]  # of each of them
GUIDE = [p for p in PAGES if "```python" in p.read_text() and p.stem != "extending"]  # which test_extending runs
ARROW = re.compile(r"#\s*→\s*(.+?)(?:\s{2,}.*)?$")


def function_of(member):
    """The function behind a method, a class method or a property, cached or not."""
    for attribute in ("fget", "func", "__func__"):
        member = getattr(member, attribute, None) or member
    return member


def public():
    """Each public function, and each public method and property of a class, with the classes that may describe it."""
    for name in fens.__all__:
        thing = getattr(fens, name)
        if not inspect.isclass(thing):
            yield name, thing, ()
            continue
        yield name, None, (thing,)
        for key in dir(thing):
            function = function_of(inspect.getattr_static(thing, key))
            ours = inspect.isfunction(function) and function.__module__.startswith("fens.")  # or SymPy's, or Python's
            if ours and (not key.startswith("_") or key in ("__init__", "__call__", "__getitem__")):
                yield f"{name}.{key}", function, thing.__mro__


PUBLIC = {name: (function, classes) for name, function, classes in public()}


def is_documented(name):
    """Whether a public name has a docstring, its own or that of a class it is inherited from."""
    function, classes = PUBLIC[name]
    _, _, key = name.partition(".")
    if key == "__init__":  # the class says it
        return bool(classes[0].__doc__)
    if key:
        return any(vars(c)[key].__doc__ for c in classes if key in vars(c))
    return bool((function or classes[0]).__doc__)


def is_typed(function):
    """Whether all that a function takes and what it returns have types."""
    signature = inspect.signature(function)
    untyped = [p.name for p in signature.parameters.values() if p.annotation is p.empty]
    return untyped in ([], ["self"], ["cls"]) and signature.return_annotation is not signature.empty


def test_public_names_are_documented():
    assert not [name for name in PUBLIC if not is_documented(name)]


def test_public_names_have_types():
    assert not [name for name, (function, _) in PUBLIC.items() if function is not None and not is_typed(function)]


def test_the_api_page_lists_what_is_public():
    listed = re.findall(r"^\.\. auto(?:class|function|exception):: fens\.(\w+)$", (DOCS / "api.md").read_text(), re.M)
    assert sorted(listed) == sorted(fens.__all__)


def test_what_the_api_pages_describe_exists():
    listed = r"^\.\. auto\w+:: (fens(?:\.\w+)+)(?:\(\))?\n((?:   :.+\n)*)"
    lost = []
    for path, options in re.findall(listed, "".join((DOCS / f"{p}.md").read_text() for p in ("api", "objects")), re.M):
        module, _, name = path.rpartition(".")
        thing = getattr(importlib.import_module(module), name, None)
        members = re.findall(r"\w+", " ".join(re.findall(r"members: (.+)", options)))
        fields = getattr(thing, "__annotations__", {})
        lost += [path] * (thing is None) + [f"{path}.{m}" for m in members if not hasattr(thing, m) and m not in fields]
    assert not lost


def test_every_page_is_in_the_contents():
    trees = re.findall(r"```\{toctree\}\n(.*?)```", (DOCS / "index.md").read_text(), flags=re.DOTALL)
    listed = {line for tree in trees for line in tree.split("\n") if line and not line.startswith(":")}
    elsewhere = {"gallery/index", "results/report", "benchmarks/peers", "benchmarks/scaling", "decisions/index"}
    assert listed == {p.stem for p in PAGES} - {"index"} | elsewhere


def test_every_link_between_pages_leads_somewhere():
    examples = {f"gallery/{p.stem}.rst" for p in (DOCS.parent / "examples").glob("plot_*.py")} | {"gallery/index.rst"}
    lost = [
        f"{page.name}: {target}"
        for page in [*PAGES, *DECISIONS, DOCS / "decisions" / "index.md"]
        for target in re.findall(r"\]\(([\w/.-]+\.(?:md|rst))(?:#[\w-]+)?\)", page.read_text())
        if target not in examples and not (page.parent / target).is_file()
    ]
    assert not lost


def test_every_decision_has_its_form_and_its_line_in_the_index():
    index = (DOCS / "decisions" / "index.md").read_text()
    lines = re.findall(r"^\| \[(\d{4})\]\((.+)\.md\) \| (.+) \| (.+) \| .+ \|$", index, flags=re.MULTILINE)
    assert [name for _, name, _, _ in lines] == [p.stem for p in DECISIONS]
    for k, (number, name, title, date) in enumerate(lines, 1):
        text = (DOCS / "decisions" / f"{name}.md").read_text()
        assert name.startswith(f"{k:04d}-")
        assert number == f"{k:04d}"
        assert text.startswith(f"# {number}. {title}\n\n*{date}*\n\n")
        assert re.findall(r"^\*\*([A-Z][\w ]+)", text, flags=re.MULTILINE) == PARTS, name


def test_every_file_that_a_page_names_is_there():
    roots = (DOCS.parent, DOCS.parent / "src" / "fens")
    lost = [
        f"{page.name}: {path}"
        for page in [*PAGES, *DECISIONS]
        for path in re.findall(r"`(?:python )?((?:\w+/)+\w+\.py)\b[^`]*`", page.read_text())
        if not any((root / path).is_file() for root in roots)
    ]
    assert not lost


def test_every_figure_is_computed():
    computed = {node.name for node in ast.parse((DOCS / "computed.py").read_text()).body if hasattr(node, "name")}
    for page in PAGES:
        assert set(re.findall(r"computed/(\w+)\.svg", page.read_text())) <= computed


@pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")  # a page shows one
@pytest.mark.parametrize("page", GUIDE, ids=lambda p: p.stem)
def test_the_code_of_a_page_runs_and_gives_what_it_shows(page, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    matplotlib.use("agg")
    names = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL):
        lines = block.split("\n")
        for statement in ast.parse(block).body:
            shown = ARROW.search(lines[statement.end_lineno - 1])
            if shown and isinstance(statement, ast.Expr):
                value = eval(compile(ast.Expression(statement.value), page.name, "eval"), names)
                assert agrees(value, shown[1]), f"{ast.unparse(statement)} is {value!r}, not {shown[1]}"
            else:
                exec(compile(ast.Module([statement], []), page.name, "exec"), names)


@pytest.mark.parametrize("page", ["start", "files"])
def test_the_problem_files_of_a_page_are_read(page, tmp_path):
    blocks = re.findall(r"```toml\n(.*?)```", (DOCS / f"{page}.md").read_text(), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        (tmp_path / "page.toml").write_text(block)
        assert fens.read(tmp_path / "page.toml").problem.is_linear


def test_the_page_of_files_knows_sections_commands_and_exit_codes():
    text = (DOCS / "files.md").read_text()
    sections = re.findall(r"^\| (`.+?`) \|", text, flags=re.MULTILINE)
    assert {name for cell in sections for name in re.findall(r"`\[?(\w+)", cell)} == set(SECTIONS)
    assert set(re.findall(r"fens (\w+)", text)) >= set(COMMANDS)
    for code, meaning in re.findall(r"^  (\d+)  +(.+)$", EPILOG, flags=re.MULTILINE):
        assert f"| {code} | {meaning} |" in text


def agrees(value, shown):
    """Whether a result is what is shown: a number to the digits shown, anything else as it prints."""
    if not isinstance(value, float) or not math.isfinite(value):
        return repr(value) == shown
    decimals = len(shown.partition(".")[2])
    return abs(value - float(shown)) <= 0.51 * 10.0**-decimals
