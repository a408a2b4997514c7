"""Verdicts on problems of known kinds, one of each family; `benchmarks/verdicts.py` draws many more."""

import pytest

import verdicts


@pytest.mark.parametrize("family", verdicts.FAMILIES)
def test_no_verdict_is_confidently_wrong(family):
    found = verdicts.outcome(family, 0)
    assert not found.confidently_wrong, found
    assert not found.too_cautious, found
    assert (found.verdict == "inconsistent") == (found.kind == "contradictory"), found


def test_there_are_enough_families_of_every_kind():
    kinds = (verdicts.SOLVED, verdicts.HARD, verdicts.CONTRADICTORY, verdicts.ILL_POSED)
    assert sum(map(len, kinds)) == len(verdicts.FAMILIES) >= 45
    assert min(map(len, kinds)) >= 6
