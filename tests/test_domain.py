"""Regions and the points on them."""

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import fens
from fens.errors import RegionError, SettingError
from fens.geometry import Demand

x, y, z, t = sp.symbols("x y z t")
SAMPLERS = [fens.Grid(7), fens.Random(interior=50, boundary=40), fens.Clustered(), fens.Clustered(interior=33)]


def boxes():
    side = st.tuples(st.floats(-100, 100), st.floats(0.01, 50)).map(lambda p: (p[0], p[0] + p[1]))
    return st.lists(side, min_size=1, max_size=4).map(
        lambda sides: fens.Box(dict(zip(sp.symbols(f"x1:{len(sides) + 1}"), sides, strict=True)))
    )


def domains():
    return st.one_of(boxes(), boxes().map(lambda box: box.during(t, 0, 2)))


def regions_of(domain):
    regions = [domain, domain.boundary]
    regions += [domain.face(c, b) for c, bounds in zip(domain.coordinates, domain.bounds, strict=True) for b in bounds]
    return regions + ([domain.sides, domain.initial, domain.final] if hasattr(domain, "sides") else [])


def sample(sampler, domain, regions, features=100, seed=0):
    demand = Demand(domain, tuple(regions), (1,) * len(regions), features)
    return sampler.sample(demand, np.random.SeedSequence(seed))


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
@given(domain=domains())
@settings(max_examples=15, deadline=None)
def test_every_region_gets_points_on_itself_with_outward_unit_normals(sampler, domain):
    if isinstance(sampler, fens.Grid) and len(domain.coordinates) > 3:
        sampler = fens.Grid(3)
    for region in regions_of(domain):
        (samples,) = sample(sampler, domain, [region])
        points = samples.points
        assert points.shape[1] == len(domain.coordinates)
        assert domain.contains(points).all()
        assert np.any([p.contains(points) for p in region.patches], axis=0).all()
        if region is domain:
            assert samples.normals is None
            continue
        np.testing.assert_allclose(np.linalg.norm(samples.normals, axis=1), 1)
        widths = np.diff(np.array(domain.bounds), axis=1)[:, 0]
        assert not domain.contains(points + 1e-3 * widths * samples.normals).any()


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
def test_same_seed_same_points(sampler):
    square = fens.Box({x: (0, 1), y: (0, 1)})
    one, two = (sample(sampler, square, [square, square.boundary], seed=5) for _ in range(2))
    assert all(np.array_equal(a.points, b.points) for a, b in zip(one, two, strict=True))


def test_different_seeds_different_points():
    square = fens.Box({x: (0, 1), y: (0, 1)})
    one, two = (sample(fens.Clustered(), square, [square], seed=s)[0].points for s in (0, 1))
    assert not np.isin(one, two).any()


def test_the_default_has_about_two_and_a_half_rows_for_each_feature():
    for d in (2, 3, 5):
        box = fens.Box(dict.fromkeys(sp.symbols(f"x1:{d + 1}"), (0, 1)))
        found = sample(fens.Clustered(), box, [box, box.boundary], features=1000)
        assert sum(map(len, found)) == pytest.approx(2500, rel=0.02)
        assert len(found[0]) >= len(found[1]) * 0.9


def test_default_points_cluster_towards_the_faces():
    rod = fens.Box({x: (0, 1)})
    points = sample(fens.Clustered(interior=1000), rod, [rod])[0].points
    assert np.mean(points < 0.1) == pytest.approx(np.arccos(0.8) / np.pi, abs=0.01)


def test_the_ends_of_an_interval_are_two_points():
    rod = fens.Box({x: (-2, 3)})
    boundary = sample(fens.Clustered(), rod, [rod, rod.boundary], features=500)[1]
    assert sorted(boundary.points[:, 0]) == [-2, 3]
    assert sorted(boundary.normals[:, 0]) == [-1, 1]


def test_grid_gives_the_interior_what_no_other_region_claims():
    square = fens.Box({x: (0, 1), y: (0, 1)})
    alone = sample(fens.Grid(11), square, [square])[0]
    inside, rim = sample(fens.Grid(11), square, [square, square.boundary])
    assert (len(alone), len(inside)) == (121, 81)
    assert len(rim) == len(np.unique(rim.points, axis=0)) == 40


def test_grid_in_space_time_keeps_the_final_time_inside():
    rod = fens.Box({x: (0, 1)}).during(t, 0, 1)
    inside, sides, initial = sample(fens.Grid(11), rod, [rod, rod.sides, rod.initial])
    assert (len(inside), len(sides), len(initial)) == (9 * 10, 22, 11)
    assert inside.points[:, 1].max() == 1


def test_grid_per_axis():
    box = fens.Box({x: (0, 1), y: (0, 2)})
    for grid in (fens.Grid(3, 5), fens.Grid((3, 5)), fens.Grid({y: 5, x: 3})):
        points = sample(grid, box, [box])[0].points
        assert sorted(set(points[:, 1])) == [0, 0.5, 1, 1.5, 2]
        assert len(points) == 15


def test_random_shares_the_boundary_points_by_measure():
    rod = fens.Box({x: (0, 1)}).during(t, 0, 10)
    inside, sides, initial = sample(fens.Random(interior=100, boundary=210), rod, [rod, rod.sides, rod.initial])
    assert (len(inside), len(sides), len(initial)) == (100, 200, 10)


def test_faces_of_a_cylinder():
    plate = fens.Box({x: (0, 1), y: (0, 1)}).during(t, 0, 3)
    assert plate.coordinates == (x, y, t)
    assert plate.face(t, 0) == plate.initial
    assert plate.face(t, 3) == plate.final
    (patch,) = plate.face(x, 1).patches
    assert (patch.lower, patch.upper, patch.normal) == ((1, 0, 0), (1, 1, 3), (1, 0, 0))
    assert len(plate.sides.patches) == 4
    assert len(plate.boundary.patches) == 6


def test_regions_are_equal_by_what_they_are():
    assert fens.Box({x: (0, 1)}).boundary == fens.Box({x: (0, 1.0)}).boundary
    assert fens.Box({x: (0, 1)}) != fens.Box({x: (0, 2)})
    assert hash(fens.Box({x: (0, 1)}).face(x, 0)) == hash(fens.Box({x: (0, 1)}).face(x, 1e-14))


def test_symbolic_bounds():
    assert fens.Box({x: (0, sp.pi)}).face(x, sp.pi).patches[0].lower == (float(sp.pi),)


# ---- the sentences


@pytest.mark.parametrize(
    ("sides", "words"),
    [
        ({}, "takes a mapping from coordinates to intervals"),
        ({"x": (0, 1)}, "Coordinates are SymPy symbols; got 'x'"),
        ({x: (0, 1), sp.Symbol("x", real=True): (0, 1)}, "Two coordinates have the name x"),
        ({x: "01"}, "two numbers"),
        ({x: (0, 10**400)}, "must be finite"),
        ({sp.Symbol("p", positive=True): (-1, 1)}, "assumptions of the symbol p exclude numbers between -1 and 1"),
        ({sp.Symbol("n", integer=True): (0, 1)}, "assumptions of the symbol n"),
        ({x: (1, 0)}, r"interval of x must have its lower end first; got \(1, 0\)"),
        ({x: (1, 1)}, "lower end first"),
        ({x: (0, float("inf"))}, r"interval of x must be finite; got \(0, inf\)"),
        ({x: (0, float("nan"))}, "must be finite"),
        ({x: 3}, r"two numbers, \(lower, upper\); got 3"),
        ({x: (0, 1, 2)}, "two numbers"),
        ({x: (0, y)}, "two numbers"),
    ],
)
def test_bad_boxes(sides, words):
    with pytest.raises(RegionError, match=words):
        fens.Box(sides)


def test_bad_faces():
    box = fens.Box({x: (0, 1)})
    with pytest.raises(RegionError, match=r"faces across x are at x = 0 and x = 1; there is none at x = 0\.5"):
        box.face(x, 0.5)
    with pytest.raises(RegionError, match="z is not a coordinate of the box 0 < x < 1; the coordinates are x"):
        box.face(z, 0)
    with pytest.raises(RegionError, match="there is none at t = 2"):
        box.during(t, 0, 1).face(t, 2)
    with pytest.raises(RegionError, match="A face is at a number; got x = 'left'"):
        box.face(x, "left")
    with pytest.raises(RegionError, match="Two coordinates have the name x"):
        box.during(x, 0, 1)
    with pytest.raises(RegionError, match="Coordinates are SymPy symbols; got 't'"):
        box.during("t", 0, 1)
    with pytest.raises(RegionError, match="interval of t must have its lower end first"):
        box.during(t, 1, 0)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "a mapping from coordinates to arrays"),
        ({x: [0.1, 0.2], y: [0.3]}, "as many values for each coordinate, and at least one; got x: 2, y: 1"),
        ({x: [], y: []}, "at least one"),
        ({x: ["a"]}, "arrays of real numbers"),
        ({x: [1j]}, "arrays of real numbers"),
        ({"x": [1]}, "are SymPy symbols; got 'x'"),
        ({x: [float("inf")]}, "must be finite"),
    ],
)
def test_bad_points(values, words):
    with pytest.raises(RegionError, match=words):
        fens.Points(values)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fens.Grid(1), "at least 2 along an axis; got 1"),
        (lambda: fens.Grid(2.5), "whole numbers"),
        (lambda: fens.Grid(), "such as Grid"),
        (lambda: fens.Random(interior=0), "whole positive number for interior; got 0"),
        (lambda: fens.Random(interior=10, boundary=-1), "for boundary, not negative; got -1"),
        (lambda: fens.Clustered(rows=0.5), "at least one row"),
        (lambda: fens.Clustered(rows=float("inf")), "at least one row"),
        (lambda: fens.Clustered(rows="many"), "a number for rows; got 'many'"),
        (lambda: fens.Random(True), "whole positive number for interior"),
    ],
)
def test_bad_samplers(make, words):
    with pytest.raises(SettingError, match=words):
        make()


def test_random_points_without_a_boundary_for_its_equations():
    box = fens.Box({x: (0, 1), y: (0, 1)})
    with pytest.raises(SettingError, match="Random needs a number of points for boundary"):
        sample(fens.Random(interior=10), box, [box, box.boundary])


def test_a_grid_too_large_to_be_made():
    box = fens.Box(dict.fromkeys(sp.symbols("x1:6"), (0, 1)))
    with pytest.raises(SettingError, match=r"The grid has 1\.1e\+10 points"):
        sample(fens.Grid(101), box, [box])


def test_a_long_thin_box_has_points_on_its_short_faces():
    thin = fens.Box({x: (0, 100), y: (0, 1)})
    rim = sample(fens.Clustered(), thin, [thin, thin.boundary], features=400)[1]
    assert np.mean(np.isin(rim.points[:, 0], (0, 100))) == pytest.approx(0.5, abs=0.05)


def test_grid_of_other_axes():
    box = fens.Box({x: (0, 1), y: (0, 1)})
    with pytest.raises(SettingError, match="counts for 3 axes; the domain has 2"):
        sample(fens.Grid(3, 4, 5), box, [box])
    with pytest.raises(SettingError, match="counts for x; the coordinates are x, y"):
        sample(fens.Grid({x: 3}), box, [box])
