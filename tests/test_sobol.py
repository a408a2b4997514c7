"""Sobol points are as even as SciPy's, whatever the seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import qmc

from fens._support.sobol import fixed_sobol, sobol


@given(st.integers(0, 10), st.integers(0, 2**32))
def test_every_elementary_box_of_the_square_has_one_point(power, seed):
    points = sobol(2**power, 2, np.random.default_rng(seed))
    for k in range(power + 1):
        boxes = np.floor(points * [2**k, 2 ** (power - k)]).astype(int)
        assert len(np.unique(boxes, axis=0)) == 2**power


@pytest.mark.parametrize("dimension", [1, 3, 10])
@pytest.mark.parametrize("count", [100, 1000])
def test_discrepancies_are_those_of_scipy(dimension, count):
    ours = [qmc.discrepancy(sobol(count, dimension, np.random.default_rng(seed))) for seed in range(8)]
    power = (count - 1).bit_length()
    theirs = [qmc.discrepancy(qmc.Sobol(dimension, rng=seed).random_base2(power)[:count]) for seed in range(8)]
    assert np.median(ours) < 1.5 * np.median(theirs)


@given(st.integers(1, 300), st.integers(1, 12), st.integers(0, 2**32))
def test_points_are_distinct_and_in_the_cube(count, dimension, seed):
    points = sobol(count, dimension, np.random.default_rng(seed))
    assert points.shape == (count, dimension)
    assert points.min() >= 0
    assert points.max() < 1
    assert len(np.unique(points, axis=0)) == count


def test_seeds_make_points_that_have_nothing_to_do_with_each_other():
    """Shifts alone would leave those of one seed at the same place beside those of another, in every box."""
    one, two = (np.sort(sobol(1024, 1, np.random.default_rng(seed))[:, 0]) for seed in (0, 1))
    apart = np.abs(one - two) * 1024
    assert 0.2 < apart.mean() < 0.5  # a third, of points at random in the same box
    assert np.quantile(apart, 0.1) < 0.1
    assert np.quantile(apart, 0.9) > 0.5


def test_fixed_points_are_the_same_and_cannot_be_changed():
    assert fixed_sobol(64, 3) is fixed_sobol(64, 3)
    with pytest.raises(ValueError, match="read-only"):
        fixed_sobol(64, 3)[0] = 0
