"""Cases of each fuzzer; `make fuzz` runs many more."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

from fens.errors import FileError
from fuzz import FUZZERS, limits
from fuzz.limits import failure

PARTS, EACH = 10, 12


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", FUZZERS)
def test_what_is_wrong_is_refused_in_a_sentence(name, part):
    failures = [told for seed in range(part * EACH, (part + 1) * EACH) if (told := failure(name, seed))]
    assert not failures, "\n\n".join(failures)


FOUND = [("saved", 1001944), ("saved", 1012541), ("saved", 3001633), ("calls", 1004649)]  # by longer runs


@pytest.mark.parametrize(("name", "seed"), FOUND)
def test_what_was_found_stays_mended(name, seed):
    assert not failure(name, seed)


def refused(case):
    raise FileError("the file is not good")


def hides_a_lack_of_memory(case):
    try:
        np.ones(2 * limits.MEMORY // 8)
    except MemoryError as error:
        raise FileError("the file cannot be understood") from error


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (lambda case: None, ""),
        (refused, ""),
        (lambda case: {}["key"], "KeyError"),
        (lambda case: time.sleep(60), "it took more than"),
        (lambda case: np.ones(2 * limits.MEMORY // 8), "MemoryError"),
        (hides_a_lack_of_memory, "more memory than"),
    ],
)
def test_the_limits_hold(monkeypatch, run, words):
    monkeypatch.setattr(limits, "fuzzer", lambda name: SimpleNamespace(make=lambda seed: "a case", run=run))
    monkeypatch.setattr(limits, "SECONDS", 2)
    told = failure("any", 7)
    assert words in told
    assert bool(told) == bool(words)
    assert not told or "any, seed 7" in told


@pytest.mark.parametrize("name", FUZZERS)
def test_a_seed_makes_the_same_case(name):
    module = limits.fuzzer(name)
    assert module.make(3) == module.make(3)
    assert str(module.make(3)) != str(module.make(4))
