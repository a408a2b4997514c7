"""Every example runs and reaches its number; the README's quick start runs as written."""

import re
import runpy
from pathlib import Path

import matplotlib
import pytest
from matplotlib import pyplot

ROOT = Path(__file__).parents[1]
GALLERY = sorted((ROOT / "examples").glob("plot_*.py"))


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """A folder to write to, and pictures that nobody looks at."""
    monkeypatch.chdir(tmp_path)
    matplotlib.use("agg")
    yield tmp_path
    pyplot.close("all")


def test_the_demonstration(elsewhere, capsys):
    main = runpy.run_path(str(ROOT / "examples" / "helmholtz.py"))["main"]
    assert main() <= 1e-14
    assert "true error" in capsys.readouterr().out


@pytest.mark.parametrize("path", GALLERY, ids=lambda p: p.stem.removeprefix("plot_"))
def test_example(path, elsewhere):
    names = runpy.run_path(str(path))  # which asserts its numbers
    assert isinstance(names["figure"], matplotlib.figure.Figure)


def test_examples_are_short_and_assert_a_number():
    texts = {path.name: path.read_text() for path in GALLERY}
    assert not [name for name, text in texts.items() if not re.search(r"^ *assert .*[<=]", text, flags=re.MULTILINE)]
    assert not [name for name, text in texts.items() if not 25 <= len(text.splitlines()) <= 80]


def test_there_are_examples_of_many_fields():
    assert len(GALLERY) >= 14


def test_readme_quick_start(elsewhere):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    assert blocks
    names = {}
    for block in blocks:
        exec(block, names)
    assert names["solution"].compare(names["exact"]).linf < 1e-14
