"""The benchmark of how times grow: exponents, shares and the page, with tiny sizes."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def scaling():
    spec = importlib.util.spec_from_file_location("scaling", ROOT / "benchmarks" / "scaling.py")
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "scaling", module)
        spec.loader.exec_module(module)
        yield module


@pytest.mark.parametrize("power", [1.0, 2.5])
def test_exponents_are_those_of_the_larger_sizes(scaling, power):
    sizes = (100, 200, 400, 800)
    seconds = [0.5 if n < 400 else (n / 400) ** power for n in sizes]
    assert scaling.Curve(scaling.SERIES[0], sizes, seconds).exponent == pytest.approx(power)


def test_a_series_is_measured(scaling):
    series = replace(scaling.SERIES[1], values=(30, 40))
    curve = scaling.measure(series, series.values, repeats=1)
    assert list(curve.sizes) == [30, 40]
    assert min(curve.seconds) > 0


def test_the_page(scaling, tmp_path):
    curve = scaling.Curve(scaling.SERIES[0], (10, 20), (0.1, 0.2))
    good = scaling.Fraction("wave", 3000, 1000, 2, 2.0, 1.2e10, 1e10)
    page = "\n".join(scaling.document([curve], [good, replace(good, flops=8e9)]))
    for words in ("| 10, 20 | 0.10, 0.20 | 1.00 |", "| 60% | 53% |", "| 40%, missed | 53% |", "2mn² − 2n³/3"):
        assert words in page
    scaling.draw([curve], tmp_path / "scaling.svg")
    assert "<svg" in (tmp_path / "scaling.svg").read_text()
