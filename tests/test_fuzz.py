"""Cases of each fuzzer; `make fuzz` runs many more."""

import pytest

from fuzz import FUZZERS
from fuzz.limits import failure

CASES, PARTS = 200, 10


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", FUZZERS)
def test_what_is_wrong_is_refused_in_a_sentence(name, part):
    failures = [told for seed in range(part, CASES, PARTS) if (told := failure(name, seed))]
    assert not failures, "\n\n".join(failures)
