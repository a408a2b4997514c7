"""Every example runs and reaches its number; the README's quick start runs as written."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BOUNDS = {"helmholtz": 1e-14, "sine_gordon": 1e-11}


def test_every_example_has_a_bound():
    assert {p.stem for p in (ROOT / "examples").glob("*.py")} == set(BOUNDS)


@pytest.mark.parametrize("name", BOUNDS)
def test_example(name, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    main = runpy.run_path(str(ROOT / "examples" / f"{name}.py"))["main"]
    assert main() <= BOUNDS[name]
    assert "true error" in capsys.readouterr().out


def test_readme_quick_start(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    assert blocks
    names = {}
    for block in blocks:
        exec(block, names)
    assert names["solution"].compare(names["exact"]).linf < 1e-14
