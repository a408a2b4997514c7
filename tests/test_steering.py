"""The numbers that steer automatic choices: each stands once, with its meaning, and can be changed for a while."""

import importlib.util
import sys
from pathlib import Path

import pytest

from fens._support.steering import CONSTANTS, Growth, Steering, changed

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def steering():
    spec = importlib.util.spec_from_file_location("benchmark_of_steering", ROOT / "benchmarks" / "steering.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "benchmark_of_steering", module)
        patch.syspath_prepend(str(ROOT / "tests"))
        spec.loader.exec_module(module)
        yield module


def test_every_constant_has_a_value_a_meaning_and_a_command():
    for key, it in CONSTANTS.items():
        group, _, name = key.partition(".")
        assert getattr(Steering.groups[group], name) == it.value
        assert it.meaning
        command, file, *_ = it.by.split()
        assert command == "python"
        assert (ROOT / file).is_file()


def test_every_group_says_where_it_is_used():
    for group in Steering.groups.values():
        modules = group.__doc__.partition(":")[0].replace(".", "/")
        assert any((ROOT / "src" / "fens" / f"{modules}{end}").exists() for end in ("", ".py")), modules


def test_every_constant_is_used():
    text = "".join(p.read_text() for p in (ROOT / "src" / "fens").rglob("*.py") if p.stem != "steering")
    assert not [key for key in CONSTANTS if key not in text]


def test_a_constant_is_changed_for_a_while():
    before = Growth.PAYS
    with changed("Growth.PAYS", 4.0):
        assert Growth.PAYS == 4.0
    assert before == Growth.PAYS
    with pytest.raises(ZeroDivisionError), changed("Growth.PAYS", 4.0):
        _ = 1 / 0
    assert before == Growth.PAYS
    with pytest.raises(KeyError, match="no steering constant"), changed("Growth.PLAYS", 4.0):
        pass


def test_the_page_is_up_to_date(steering):
    assert (ROOT / "docs" / "steering.md").read_text() == steering.page(), "run python benchmarks/steering.py --page"


@pytest.mark.parametrize(
    ("value", "factor", "other"),
    [(1000, 2.0, 2000), (3, 0.5, 2), (1, 0.5, 1), (1e-6, 0.5, 5e-7), (0.75, 2.0, 0.875), (1.5, 0.5, 1.25)],
)
def test_other_values(steering, value, factor, other):
    assert steering.other_value(value, factor) == other
    assert type(other) is type(value)


def test_what_a_problem_reads_is_seen(steering):
    found, read = steering.reads("two_values")
    assert found.verdict == "inconsistent"
    assert {"ScaleSearch.ROUND_OFF", "Assessment.SAFETY"} <= read
    assert not any(key.startswith("Eigenvalues.") for key in read)
    assert steering.effect(None) == "–"
