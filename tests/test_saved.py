"""Solutions saved by earlier versions, kept in `tests/saved`: they load, bit for bit, in all later ones."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import fens
from fens.problem import Unknown

SAVED = Path(__file__).parent / "saved"
EXPECTED = json.loads((SAVED / "expected.json").read_text())


def weights(solution):
    blocks = getattr(solution, "blocks", [solution])
    return hashlib.sha256(b"".join(b.weights.numpy().tobytes() for b in blocks)).hexdigest()


def test_the_table_has_every_file():
    assert {p.name for p in SAVED.glob("*.fens")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_file_of_an_earlier_version_loads(name):
    solution, expected = fens.load(SAVED / name), EXPECTED[name]
    assert weights(solution) == expected["weights"]
    assert (solution.error and solution.error.verdict) == expected["verdict"]
    assert (solution.error and solution.error.estimate) == expected["estimate"]
    functions = {str(u): g for u, g in solution.functions.items() if not isinstance(u, Unknown)}
    assert set(functions) == set(expected["values"])
    for unknown, function in functions.items():
        bounds = np.array(function.domain.bounds).T
        points = np.random.default_rng(1).uniform(*bounds, (50, bounds.shape[1]))[:5]
        known = np.array([complex(*(np.nan if v is None else v for v in pair)) for pair in expected["values"][unknown]])
        rounding = 1e-15 * float(solution.weights.abs().sum())  # weights are large, and machines round differently
        np.testing.assert_allclose(
            function.at(points), known if known.imag.any() else known.real, rtol=1e-12, atol=rounding
        )
