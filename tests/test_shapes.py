"""Shapes: one contract over a table of domains, properties of random ones, integrals, names and sentences."""

import math
import operator
import pickle

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gamma

import fens
from fens import zoo
from fens._support.sobol import fixed_sobol
from fens.errors import EquationError, RegionError, SettingError
from fens.geometry import Combined, Demand, ExtremePoints
from fens.geometry.shapes.ball import ball_points
from fens.strategy.sites import corners_of

pytestmark = pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")  # some have nothing to trust
trimesh = pytest.importorskip("trimesh")
pytest.importorskip("shapely")

x, y, z, t, theta = sp.symbols("x y z t theta")
SQUARE = fens.Box({x: (0, 1), y: (0, 1)})
CUBE = fens.Box({x: (0, 1), y: (0, 1), z: (0, 1)})
AROUND = fens.Box({x: (-2, 2), y: (-2, 2)})


def disc(cx, cy, radius, **names):
    return fens.Ball({x: cx, y: cy}, radius, **names)


def torus(sections=16):
    mesh = trimesh.creation.torus(1.0, 0.4, major_sections=2 * sections, minor_sections=sections)
    return fens.Surface(mesh.vertices, (x, y, z), mesh.faces)


# name → domain, its measure and that of its boundary where they are known
TABLE = {
    "disc": (disc(0.5, 0.5, 0.25), math.pi / 16, math.pi / 2),
    "interval": (fens.Ball({x: 1}, 2), 4, 2),
    "ball": (fens.Ball({x: 0, y: 0, z: 1}, 2), 32 / 3 * math.pi, 16 * math.pi),
    "ball in four dimensions": (fens.Ball(dict.fromkeys(sp.symbols("x1:5"), 0), 1), math.pi**2 / 2, 2 * math.pi**2),
    "ellipse": (disc(0, 0, {x: 2, y: 0.5}), math.pi, None),
    "spheroid": (
        fens.Ball({x: 0, y: 0, z: 0}, [1, 1, 0.5]),
        2 / 3 * math.pi,
        2 * math.pi * (1 + 0.25 / math.sqrt(0.75) * math.atanh(math.sqrt(0.75))),
    ),
    "L": (fens.Polygon([(-1, -1), (0, -1), (0, 0), (1, 0), (1, 1), (-1, 1)], (x, y)), 3, 8),
    "clockwise": (fens.Polygon([(0, 0), (0, 1), (1, 0)], (x, y)), 0.5, 2 + math.sqrt(2)),
    "triangle with a hole": (
        fens.Polygon([(0, 0), (4, 0), (0, 4)], (x, y), holes=[[(1, 1), (1.5, 1), (1, 1.5)]]),
        8 - 0.125,
        8 + 4 * math.sqrt(2) + 1 + math.sqrt(0.5),
    ),
    "star": (fens.Star({x: 1, y: 0}, 1 + sp.cos(5 * theta) / 4, theta), math.pi * (1 + 1 / 32), None),
    "implicit": (
        fens.Implicit(x**2 + y**4 < 1, AROUND),
        4 * gamma(1.5) * gamma(1.25) / gamma(1.75),
        None,
    ),
    "two drops": (fens.Implicit((x**2 - 1) ** 2 + y**2 < sp.Rational(1, 2), AROUND), None, None),
    "implicit torus": (
        fens.Implicit(
            (sp.sqrt(x**2 + y**2) - 1) ** 2 + z**2 < sp.Rational(1, 9), fens.Box(dict.fromkeys((x, y, z), (-2, 2)))
        ),
        None,
        None,
    ),
    "solid of triangles": (torus(), None, None),
    "holed square": (SQUARE - disc(0.5, 0.5, 0.25, name="hole"), 1 - math.pi / 16, 4 + math.pi / 2),
    "bitten square": (SQUARE - disc(1, 1, 0.5), 1 - math.pi / 16, 3 + math.pi / 4),
    "annulus": (disc(0, 0, 1) - disc(0, 0, 0.4), math.pi * 0.84, 2.8 * math.pi),
    "two discs": (
        disc(0, 0, 1) + disc(1, 0, 1),
        4 * math.pi / 3 + math.sqrt(3) / 2,
        8 * math.pi / 3,
    ),
    "lens": (disc(0, 0, 1) & disc(1, 0, 1), 2 * math.pi / 3 - math.sqrt(3) / 2, 4 * math.pi / 3),
    "boxes side by side": (SQUARE + fens.Box({x: (1, 3), y: (0, 1)}), 3, 8),
    "box without its corner": (fens.Box({x: (0, 2), y: (0, 2)}) - fens.Box({x: (1, 2), y: (0, 1)}), 3, 8),
    "slit disc": (disc(0, 0, 1) - fens.Segment((0, 0), (1, 0), (x, y), name="slit"), math.pi, 2 * math.pi + 2),
    "square with two cracks": (
        SQUARE - fens.Segment((0.3, 0), (0.5, 0.4), (x, y)) - fens.Segment((0.5, 2), (0.5, 0.75), (x, y)),
        1,
        4 + 2 * math.sqrt(0.2) + 0.5,
    ),
    "crack inside": (
        SQUARE - fens.Segment((0.2, 0.3), (0.7, 0.4), (x, y), name="crack"), 1, 4 + 2 * math.hypot(0.5, 0.1),
    ),
    "cracked at a corner": (
        fens.Polygon([(-1, -1), (0, -1), (0, 0), (1, 0), (1, 1), (-1, 1)], (x, y))
        - fens.Segment((-0.5, 0.5), (0, 0), (x, y)),
        3,
        8 + math.sqrt(2),
    ),
    "intervals": (fens.Box({x: (0, 3)}) - fens.Box({x: (1, 2)}), 2, 4),
    "cube with a hollow": (
        CUBE - fens.Ball(dict.fromkeys((x, y, z), 0.5), 0.3),
        1 - 4 / 3 * math.pi * 0.027,
        6 + 4 * math.pi * 0.09,
    ),
    "cube without a corner": (CUBE - fens.Ball(dict.fromkeys((x, y, z), 1), 0.5), None, None),
    "star with a square hole": (
        fens.Star({x: 0, y: 0}, 1 + sp.cos(3 * theta) / 5, theta) - fens.Box({x: (-0.25, 0.25), y: (-0.25, 0.25)}),
        math.pi * (1 + 1 / 50) - 0.25,
        None,
    ),
}
DOMAINS = {name: row[0] for name, row in TABLE.items()}
SAMPLERS = [fens.Clustered(interior=400, boundary=300), fens.Random(interior=400, boundary=300), fens.Grid(13)]


def sample(sampler, domain, regions, features=100, seed=0):
    demand = Demand(domain, tuple(regions), (1,) * len(regions), features)
    return sampler.sample(demand, np.random.SeedSequence(seed))


def check_points(domain, inside, rim, grid=False, touching=False):
    """Inside means inside; the boundary is where the depth vanishes; normals are unit and lead outwards.

    Where boundaries are `touching`, the shape, or the gap between its parts, may be thinner than a step.
    """
    size = 2 * max(domain.half_widths)
    assert inside.normals is None
    assert domain.contains(inside.points).all()
    if not grid:
        assert (domain.signed_distance(inside.points) < 0).all()
    assert np.abs(domain.signed_distance(rim.points)).max() <= 1e-12 * size
    assert domain.contains(rim.points).all()
    assert np.abs(np.linalg.norm(rim.normals, axis=1) - 1).max() <= 1e-12
    if not grid:  # a grid has points at corners, where a step may lead anywhere
        step = 1e-8 * size * rim.normals
        touching = touching | on_a_crack(domain, rim.points)
        parts = (1, 0.1, 0.01, 0.001)  # of a step: a sharp corner may be near
        outward = [~domain.contains(rim.points + t * step) for t in parts]
        assert (np.any(outward, axis=0) | touching).all()
        inward = [domain.contains(rim.points - t * step) for t in parts]
        assert (np.any(inward, axis=0) | touching).mean() > 0.99


def on_a_crack(domain, points):
    """Points on the sides of cracks: a step from one of these leads to the other."""
    return domain.uncracked.signed_distance(points) < -1e-10 if domain.cracks else np.zeros(len(points), dtype=bool)


def directions(domain, count=50):
    drawn = np.random.default_rng(0).standard_normal((count, len(domain.coordinates)))
    return np.concatenate([drawn, np.eye(1, len(domain.coordinates)), np.zeros((1, len(domain.coordinates)))])


@pytest.mark.parametrize("name", DOMAINS)
def test_points_that_reach_far_are_like_others(name):
    domain = DOMAINS[name]
    plain = sample(fens.Clustered(), domain, [domain, domain.boundary])
    found = sample(ExtremePoints(tuple(map(tuple, directions(domain))), 0.5), domain, [domain, domain.boundary])
    check_points(domain, *found)
    for few, more in zip(plain, found, strict=True):
        assert len(few) <= len(more) <= 1.5 * len(few) + 10


@pytest.mark.parametrize("name", DOMAINS)
def test_nothing_is_farther_than_the_farthest(name):
    domain = DOMAINS[name]
    along, (points,) = directions(domain), sample(fens.Clustered(interior=2000), domain, [domain])
    far = domain.farthest(along)
    heights, highest = points.points @ along.T, np.sum(far * along, axis=1)
    assert (heights <= highest + 1e-12).all()
    if isinstance(domain, fens.Ball | fens.Box):
        assert domain.contains(far).all()


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
@pytest.mark.parametrize("name", DOMAINS)
def test_points_and_normals(name, sampler):
    domain = DOMAINS[name]
    inside, rim = sample(sampler, domain, [domain, domain.boundary])
    check_points(domain, inside, rim, grid=isinstance(sampler, fens.Grid))
    if not isinstance(sampler, fens.Grid):
        assert len(inside) == 400
        if len(domain.coordinates) > 1:
            assert abs(len(rim) - 300) <= len(domain.edges)


@pytest.mark.parametrize("name", DOMAINS)
def test_cylinders(name):
    domain = DOMAINS[name].during(t, -1, 2)
    parts = [domain, domain.sides, domain.initial, domain.final]
    inside, sides, initial, final = sample(fens.Clustered(interior=200, boundary=200), domain, parts)
    check_points(domain, inside, sides)
    assert set(initial.points[:, -1]) == {-1.0}
    assert set(final.points[:, -1]) == {2.0}
    assert (initial.normals[:, -1] == -1).all()
    assert (final.normals[:, -1] == 1).all()
    assert np.ptp(sides.points[:, -1]) > 2
    assert len(domain.boundary.patches) == sum(len(p.patches) for p in parts[1:])


@pytest.mark.parametrize("name", DOMAINS)
def test_domains_are_values(name):
    domain = DOMAINS[name]
    assert domain.boundary.patches
    copy = pickle.loads(pickle.dumps(domain))
    assert copy == domain
    assert hash(copy) == hash(domain)
    assert copy.boundary == domain.boundary
    one, two = (sample(fens.Clustered(), d, [d, d.boundary]) for d in (domain, copy))
    assert all(np.array_equal(a.points, b.points) for a, b in zip(one, two, strict=True))
    assert repr(domain).startswith("<")


@pytest.mark.parametrize("name", [k for k, (_, area, _) in TABLE.items() if area is not None])
def test_measures(name):
    domain, area, rim = TABLE[name]
    in_space = isinstance(domain, Combined) and len(domain.coordinates) == 3
    points, weights = domain.quadrature(24 if in_space else 32)
    assert weights.sum() == pytest.approx(area, rel=2e-12)
    assert (weights > 0).all()
    assert domain.contains(points).all()
    assert domain.measure == pytest.approx(area, rel=1e-2 if in_space else 2e-12)
    if rim is not None:
        assert domain.boundary.quadrature(24)[1].sum() == pytest.approx(rim, rel=1e-12)
        assert domain.boundary.measure == pytest.approx(rim, rel=1e-12)


SMOOTH = [k for k, (d, area, _) in TABLE.items() if area is not None and len(d.coordinates) == 2]


@pytest.mark.parametrize("name", [*SMOOTH, "ball", "spheroid", "cube with a hollow", "two drops"])
def test_the_divergence_theorem(name):
    """∫ div F = ∮ F·n for F = (sin(x + 2y), e^x y, …), which tests points, weights and normals together."""
    domain = DOMAINS[name]
    points, weights = domain.quadrature(28)
    rim, factors = domain.boundary.rule(28)
    a, b = points[:, 0], points[:, 1]
    inside = weights @ (np.cos(a + 2 * b) + np.exp(a))
    a, b = rim.points[:, 0], rim.points[:, 1]
    flux = np.sin(a + 2 * b) * rim.normals[:, 0] + np.exp(a) * b * rim.normals[:, 1]
    assert factors @ flux == pytest.approx(inside, abs=3e-12 * factors.sum())


def test_quadrature_keeps_away_from_holes():
    holed = SQUARE - disc(0.5, 0.5, 0.25)
    for n in (16, 24, 32):
        points, weights = holed.quadrature(n)
        r = np.hypot(points[:, 0] - 0.5, points[:, 1] - 0.5)
        assert r.min() >= 0.25 - 1e-14
        # ∫ r⁻² over the square is infinite, over the ring between the hole and the inscribed circle 2π log 2
        corners = r > 0.5
        assert weights[~corners] @ r[~corners] ** -2 == pytest.approx(2 * math.pi * math.log(2), rel=0.05)


def test_quadrature_in_space_time_and_of_cylinders_over_parts():
    plate = (SQUARE - disc(0.5, 0.5, 0.25, name="hole")).during(t, 0, 2)
    points, weights = plate.quadrature(20)
    assert weights @ points[:, 2] == pytest.approx(2 * (1 - math.pi / 16), rel=1e-12)
    assert plate.part("hole").quadrature(20)[1].sum() == pytest.approx(math.pi, rel=1e-12)
    assert plate.initial.quadrature(20)[1].sum() == pytest.approx(1 - math.pi / 16, rel=1e-12)


@pytest.mark.parametrize("powers", [(2, 2, 4), (2, 4, 2), (4, 4, 4), (2, 6, 8)])
def test_bounds_of_a_shape_with_a_flat_boundary(powers):
    level = sum((s - 0.1 * k) ** p for k, (s, p) in enumerate(zip((x, y, z), powers, strict=True)))
    shape = fens.Implicit(level < 1, fens.Box(dict.fromkeys((x, y, z), (-1.5, 1.5))))
    np.testing.assert_allclose(shape.bounds, [(-1, 1), (-0.9, 1.1), (-0.8, 1.2)], atol=1e-9)


def test_implicit_bodies_in_space():
    ball = fens.Implicit(x**2 + y**2 + z**2 < 1, fens.Box(dict.fromkeys((x, y, z), (-1.2, 1.5))))
    assert np.allclose(ball.bounds, [(-1, 1)] * 3, atol=1e-12)
    assert ball.quadrature(12)[1].sum() == pytest.approx(4 / 3 * math.pi, rel=1e-6)
    assert ball.boundary.measure == pytest.approx(4 * math.pi, rel=0.03)


def test_solids_of_triangles_know_their_volume():
    solid = torus(32)
    mesh_volume = 2 * math.pi**2 * 0.16
    assert solid.measure == pytest.approx(mesh_volume, rel=0.02)
    points, weights = solid.quadrature()
    assert weights.sum() == pytest.approx(solid.measure)
    assert weights @ points[:, 0] == pytest.approx(0, abs=1e-2)
    assert solid.boundary.quadrature(3)[1].sum() == pytest.approx(solid.boundary.measure, rel=1e-12)


def test_surfaces_from_files(tmp_path):
    mesh = trimesh.creation.icosphere(subdivisions=2)
    mesh.export(tmp_path / "ball.stl")
    solid = fens.Surface(tmp_path / "ball.stl", (x, y, z), name="ball")
    assert solid.measure == pytest.approx(mesh.volume, rel=1e-6)
    assert (CUBE - solid).part("ball").has_normals


def test_boundary_points_are_even():
    """Arc length between consecutive points of a grid on an ellipse; area of caps of a spheroid."""
    ellipse = DOMAINS["ellipse"]
    (rim,) = sample(fens.Grid(61), ellipse, [ellipse.boundary])
    gaps = np.linalg.norm(np.diff(rim.points, axis=0), axis=1)
    assert gaps.max() / gaps.min() < 1.05
    spheroid = DOMAINS["spheroid"]
    (rim,) = sample(fens.Clustered(boundary=4000), spheroid, [spheroid.boundary])
    caps, factors = spheroid.boundary.rule(40)
    for height in (0.1, 0.3, 0.45):
        expected = factors[caps.points[:, 2] > height].sum() / factors.sum()
        assert np.mean(rim.points[:, 2] > height) == pytest.approx(expected, abs=0.03)


def test_default_points_crowd_towards_curved_boundaries():
    ball = DOMAINS["disc"]
    (inside,) = sample(fens.Clustered(interior=4000), ball, [ball])
    (even,) = sample(fens.Random(interior=4000), ball, [ball])
    near = [np.mean(ball.signed_distance(s.points) > -0.01) for s in (inside, even)]
    assert near[0] > 2 * near[1]


def test_no_points_where_parts_meet():
    bitten = DOMAINS["bitten square"]
    corners = np.array([[0, 0], [1, 0], [0, 1], [1, 0.5], [0.5, 1]])
    (rim,) = sample(fens.Clustered(boundary=5000), bitten, [bitten.boundary])
    assert np.linalg.norm(rim.points[:, None] - corners, axis=2).min() > 1e-12


def test_sampling_looks_at_few_points_in_vain(monkeypatch):
    holed, looked_at = DOMAINS["holed square"], []
    distance = type(holed).signed_distance
    counted = lambda self, points: looked_at.append(len(points)) or distance(self, points)  # noqa: E731
    monkeypatch.setattr(type(holed), "signed_distance", counted)
    inside, _ = sample(fens.Clustered(interior=100_000, boundary=100_000), holed, [holed, holed.boundary])
    assert len(inside) == 100_000
    assert sum(looked_at) < 400_000


# ---- random shapes

OPERATIONS = {"+": operator.add, "-": operator.sub, "&": operator.and_}

places = st.floats(-2, 2)
lengths = st.floats(0.05, 2)
discs = st.builds(lambda a, b, r, s: disc(a, b, [r, s]), places, places, lengths, lengths)
boxes = st.builds(
    lambda a, b, r, s: fens.Box({x: (a, a + r), y: (b, b + s)}), places, places, lengths, lengths
)
stars = st.builds(
    lambda a, b, r, k, s: fens.Star({x: a, y: b}, r * (1 + s * sp.cos(k * theta)), theta),
    places, places, lengths, st.integers(1, 6), st.floats(-0.6, 0.6),
)  # fmt: skip
polygons = st.builds(
    lambda a, b, radii: fens.Polygon(
        [(a + r * math.cos(2 * math.pi * k / len(radii)), b + r * math.sin(2 * math.pi * k / len(radii)))
         for k, r in enumerate(radii)], (x, y)),
    places, places, st.lists(lengths, min_size=3, max_size=9),
)  # fmt: skip
ovals = st.builds(
    lambda a, b, c: fens.Implicit(x**2 + a * x * y + b * y**2 + x**4 < c, fens.Box({x: (-9, 9), y: (-9, 9)})),
    st.floats(-0.5, 0.5), st.floats(0.5, 2), st.floats(0.5, 2),
)  # fmt: skip
shapes = st.one_of(discs, boxes, stars, polygons)


@given(shape=st.one_of(shapes, ovals), seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_random_shapes(shape, seed):
    inside, rim = sample(fens.Clustered(interior=100, boundary=100), shape, [shape, shape.boundary], seed=seed)
    check_points(shape, inside, rim)


@given(one=shapes, two=shapes, operation=st.sampled_from("+-&"))
@settings(max_examples=40, deadline=None)
def test_random_combinations(one, two, operation):
    try:
        both = OPERATIONS[operation](one, two)
    except RegionError as error:
        assert "There is nothing in" in str(error)  # noqa: PT017
        return
    inside, rim = sample(fens.Clustered(interior=100, boundary=100), both, [both, both.boundary])
    near = 1e-7 * 2 * max(both.half_widths)
    touching = np.all([np.abs(s.signed_distance(rim.points)) <= near for s in (one, two)], axis=0)
    check_points(both, inside, rim, touching=touching)
    a, b = one.contains(inside.points), two.contains(inside.points)
    assert {"+": a | b, "-": a, "&": a & b}[operation].all()


@given(one=shapes, two=shapes)
@settings(max_examples=8, deadline=None)
def test_areas_add_up(one, two):
    """|A| + |B| = |A ∪ B| + |A ∩ B|, and |A − B| = |A| − |A ∩ B|."""
    try:
        common = (one & two).measure
    except RegionError:
        common = 0.0
    assert (one + two).measure + common == pytest.approx(one.measure + two.measure, rel=1e-7)


# ---- names


def test_names_of_parts():
    holed = SQUARE - disc(0.3, 0.3, 0.1, name="hole") - disc(0.7, 0.7, 0.1) - disc(0.7, 0.3, 0.1)
    assert holed.part_names == ("box", "x = 0", "x = 1", "y = 0", "y = 1", "hole", "ball", "ball 2")
    assert holed.part("hole").measure == pytest.approx(0.2 * math.pi)
    assert holed.part("box").measure == pytest.approx(4)
    assert holed.face(x, 0) == holed.part("x = 0")
    assert holed.part(SQUARE.face(x, 0)).patches == holed.part("x = 0").patches
    assert holed.part(SQUARE.boundary).patches == holed.part("box").patches
    with pytest.raises(RegionError, match=r"There is no part 'rim' .* its parts are 'box', 'x = 0'"):
        holed.part("rim")
    plate = holed.during(t, 0, 1)
    assert plate.part("hole").measure == pytest.approx(0.2 * math.pi)
    assert plate.face(x, 1).measure == pytest.approx(1)
    assert plate.part("initial") == plate.initial


def test_edges_of_polygons_follow_their_corners():
    corners = [(0, 0), (0, 2), (1, 2), (1, 0)]  # clockwise
    shape = fens.Polygon(corners, (x, y))
    for k, (a, b) in enumerate(zip(corners, [*corners[1:], corners[0]], strict=True)):
        (rim,) = sample(fens.Grid(5), shape, [shape.edge(k)])
        ends = {tuple(rim.points[0]), tuple(rim.points[-1])}
        assert ends == {a, b}
    assert (shape - disc(0, 0, 0.5)).edge(0).measure == pytest.approx(1.5)
    with pytest.raises(RegionError, match="numbers 0 to 3; got 4"):
        shape.edge(4)


def test_normals_of_a_subtracted_shape_point_into_it():
    holed = DOMAINS["holed square"]
    (rim,) = sample(fens.Clustered(boundary=50), holed, [holed.part("hole")])
    towards = (np.array([0.5, 0.5]) - rim.points) / 0.25
    assert np.allclose(rim.normals, towards, atol=1e-12)


def test_coincident_boundaries():
    joined = DOMAINS["boxes side by side"]
    assert joined.contains(np.array([[1.0, 0.5]])).all()  # the common face is inside now
    (rim,) = sample(fens.Clustered(boundary=500), joined, [joined.boundary])
    assert not np.any((rim.points[:, 0] == 1) & (rim.points[:, 1] > 0) & (rim.points[:, 1] < 1))
    bent = DOMAINS["box without its corner"]
    where = np.array([[2, 0], [2, 0.5], [1.5, 0], [1, 1], [2, 1], [1, 0]], dtype=float)
    assert bent.contains(where).tolist() == [False, False, False, True, True, True]


# ---- clouds


def cloud():
    angle = np.arange(120) * 2 * np.pi / 120
    rim = np.column_stack([np.cos(angle), np.sin(angle)])
    inside = np.random.default_rng(0).uniform(-0.7, 0.7, (400, 2))
    return fens.Cloud(inside, rim, 3 * rim, (x, y)), inside, rim


def test_clouds_have_the_points_they_were_given():
    shape, inside, rim = cloud()
    found, edge = sample(fens.Clustered(interior=1000, boundary=1000), shape, [shape, shape.boundary])
    assert np.array_equal(found.points, inside)
    assert np.array_equal(edge.points, rim)
    assert np.allclose(edge.normals, rim)
    few, _ = sample(fens.Clustered(interior=50), shape, [shape, shape.boundary])
    assert len(few) == 50
    assert shape.contains(np.array([[0, 0], [0.99, 0], [1.1, 0]])).tolist() == [True, True, False]
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert set((shape - disc(0, 0, 0.2)).part_names) == {"cloud", "ball"}


def test_clouds_say_what_is_wrong():
    _, inside, rim = cloud()
    with pytest.raises(RegionError, match=r"points inside lie outside the boundary.*normals there point inwards"):
        fens.Cloud(inside, rim, -rim, (x, y))
    with pytest.raises(RegionError, match="a normal, not zero, for each boundary point; got 3 for 120"):
        fens.Cloud(inside, rim, rim[:3], (x, y))
    with pytest.raises(RegionError, match=r"one row each, of 2 numbers; got shape \(400,\)"):
        fens.Cloud(inside[:, 0], rim, rim, (x, y))
    with pytest.raises(RegionError, match="no integral over given points"):
        fens.Cloud(inside, rim, rim, (x, y)).boundary.quadrature()


# ---- cracks


@pytest.mark.parametrize("name", ["slit disc", "square with two cracks", "cracked at a corner"])
def test_points_of_cracks_are_on_their_sides(name):
    """By so little that it is rounding, and so that it can be seen from the coordinates."""
    domain = DOMAINS[name]
    for (start, tip), own in zip(domain.cracks, [n for n in domain.part_names if n + ", left" in domain.part_names],
                                 strict=True):  # fmt: skip
        both = [domain.part(f"{own}, {side}") for side in ("left", "right")]
        assert {*domain.part(own).pieces} == {p for part in both for p in part.pieces}
        for part, other in (both, both[::-1]):
            unit = np.concatenate([10.0 ** -np.arange(1, 11), 1 - 10.0 ** -np.arange(1, 11), [0.3, 0.5]])[:, None]
            placed = part.pieces[0].place(unit)
            off = np.sum((placed.points - tip) * placed.normals, axis=1)
            assert (off < 0).all()
            assert np.abs(off).max() < 1e-14
            assert part.pieces[0].contains(placed.points).all()
            assert not other.pieces[0].contains(placed.points).any()
            assert not domain.on_crack(placed.points).any()
        line = np.linspace(0, 1, 7)[:, None] * (np.array(start) - tip) + tip
        assert domain.on_crack(line).all()


def test_names_of_the_sides_of_a_crack():
    domain = DOMAINS["slit disc"]
    assert domain.part_names == ("ball", "slit", "slit, left", "slit, right")
    assert (domain.part("slit, left").quadrature(4)[0][:, 1] > 0).all()  # from (0, 0) to (1, 0)
    assert domain.part("slit, right").rule(4)[0].normals[0].tolist() == [0, 1]
    assert len(domain.part("ball").pieces) == 2
    assert domain.part(disc(0, 0, 1).boundary).measure == pytest.approx(2 * math.pi)
    assert repr(domain) == "<the ball around (0, 0) of radius 1 without slit>"


def test_corners_where_cracks_start_and_end():
    """Their openings; and functions with the singularity of the tip jump across the crack, and nowhere else."""
    found = {name: corners_of(DOMAINS[name]) for name in ("slit disc", "square with two cracks", "cracked at a corner")}
    openings = {name: sorted(round(c.opening / math.pi * 4, 9) for c in corners) for name, corners in found.items()}
    assert openings["slit disc"] == [2, 2, 8]
    assert openings["cracked at a corner"] == [2] * 5 + [3, 3, 8]
    lean = round(math.atan2(0.4, 0.2) / math.pi * 4, 9)
    assert openings["square with two cracks"] == sorted([2] * 6 + [8, 8, lean, round(4 - lean, 9)])
    tips = [c for c in found["square with two cracks"] if c.opening > 6]
    assert [c.place for c in tips] == [(0.5, 0.4), (0.5, 0.75)]
    assert [math.cos(c.cut) for c in tips] == pytest.approx([-math.sqrt(0.2), 0])


def test_a_cusp_is_no_crack():
    moon = disc(0, 0, 1) - disc(0.5, 0, 0.5)
    assert not [c for c in corners_of(moon) if c.opening > 6]


def crack_solution(tip, angle):
    """√r sin(θ/2) with θ from a crack in the direction of an angle, and what sin becomes with cos."""
    dx, dy = x - tip[0], y - tip[1]
    ahead, left = dx * sp.cos(angle) + dy * sp.sin(angle), dy * sp.cos(angle) - dx * sp.sin(angle)
    half = sp.atan2(left, -ahead) / 2  # (θ − π)/2, up to its sign
    root = sp.sqrt(sp.sqrt(dx**2 + dy**2))
    return root * sp.cos(half), root * sp.sin(half)


def error_near(solution, exact, tip, reach):
    """The largest error, at all distances from the tip."""
    r, angle = 10.0 ** -np.arange(0.0, 9.0, 0.5), 2 * np.pi * (np.arange(16) + 0.4) / 16
    at = [tip[0] + reach * np.outer(r, np.cos(angle)).ravel(), tip[1] + reach * np.outer(r, np.sin(angle)).ravel()]
    return np.abs(solution(*at) - sp.lambdify((x, y), exact, "numpy")(*at)).max()


def test_a_crack_is_solved_to_round_off():
    u, domain = sp.Function("u")(x, y), DOMAINS["slit disc"]
    exact = crack_solution((0, 0), 0)[0] + x * y
    solution = fens.solve(fens.Problem({
        domain: sp.Eq(fens.laplacian(u), 0),
        domain.part("ball"): sp.Eq(u, exact),
        domain.part("slit"): sp.Eq(u, 0),
    }), features=600, estimate=False)  # fmt: skip
    assert error_near(solution, exact, (0, 0), 0.99) < 1e-10


def test_the_two_sides_of_a_crack_have_values_of_their_own():
    """Of √r cos(θ/2), which jumps across a crack that leans, and of another condition on one of its sides."""
    u, tip, domain = sp.Function("u")(x, y), (0.5, 0.4), SQUARE - fens.Segment((0.3, 0), (0.5, 0.4), (x, y), name="s")
    exact = crack_solution(tip, sp.atan2(-2, -1))[1]
    r = sp.sqrt((x - tip[0]) ** 2 + (y - tip[1]) ** 2)
    on_left = float(sp.lambdify((x, y), exact)(0.3, 0.2)) > 0
    sides = {side: sp.Eq(u, sp.sqrt(r) * (1 if (side == "left") == on_left else -1)) for side in ("left", "right")}
    solution = fens.solve(fens.Problem({
        domain: sp.Eq(fens.laplacian(u), 0),
        domain.part("box"): sp.Eq(u, exact),
        **{domain.part(f"s, {side}"): condition for side, condition in sides.items()},
    }), features=600, estimate=False)  # fmt: skip
    assert error_near(solution, exact, tip, 0.39) < 1e-9
    left, right = (domain.part(f"s, {side}").quadrature(5)[0] for side in ("left", "right"))
    assert np.sign(solution(*left.T)).tolist() == [1 if on_left else -1] * 5
    assert np.sign(solution(*right.T)).tolist() == [-1 if on_left else 1] * 5


# ---- the sentences


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: disc(0, 0, 0), "radius of a ball must be positive and finite; got 0"),
        (lambda: disc(0, 0, -1), "must be positive"),
        (lambda: disc(0, 0, {x: 1}), "a radius for each of x, y; got some for x"),
        (lambda: disc(0, 0, [1, 2, 3]), "needs 2 radii, one for each axis; got 3"),
        (lambda: disc(0, 0, "big"), "radius of a ball is a number"),
        (lambda: fens.Ball([0, 0], 1), "takes its centre as a mapping"),
        (lambda: disc(float("nan"), 0, 1), "centre of a ball must be finite"),
        (lambda: disc(0, 0, 1, name=3), "name of a shape is a text; got 3"),
        (lambda: disc(0, 0, 1) & disc(5, 0, 1), "There is nothing in .*the shapes leave no inside"),
        (lambda: disc(0, 0, 1) - disc(0, 0, 2), "There is nothing in"),
        (lambda: SQUARE - CUBE, "Shapes of the same coordinates"),
        (lambda: SQUARE - 3, "can be combined with another shape; got 3"),
        (lambda: SQUARE - SQUARE.during(t, 0, 1), "combine the shapes in space first"),
        (lambda: fens.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)], (x, y)), "not make a polygon: Self-intersection"),
        (lambda: fens.Polygon([(0, 0), (1, 1)], (x, y)), "at least three corners"),
        (lambda: fens.Polygon([(0, 0), (1, 1), (1, 1)], (x, y)), "must differ from the next"),
        (lambda: fens.Polygon([(0, 0), (1, 0), (0, 1)], (x, y), [[(3, 3), (4, 3), (3, 4)]]), "Hole lies outside"),
        (lambda: fens.Polygon([(0, 0), (1, 0), (0, 1)], (x, y, z)), "A polygon has 2 coordinates"),
        (lambda: fens.Star({x: 0, y: 0}, sp.cos(theta), theta), "must be positive, finite and smooth"),
        (lambda: fens.Star({x: 0, y: 0}, 1 + theta, theta), "must have the period 2π"),
        (lambda: fens.Star({x: 0, y: 0}, 1 + x * theta, theta), "formula in its angle only"),
        (lambda: fens.Star({x: 0, y: 0, z: 0}, 1, theta), "A star has two coordinates"),
        (lambda: fens.Implicit(x**2 < 1, AROUND), "reaches the box around it at .*unbounded"),
        (lambda: fens.Implicit(x**2 + y**2 < -1, AROUND), "There is nothing in the shape"),
        (lambda: fens.Implicit(x**2 + y**2, AROUND), "takes an inequality"),
        (lambda: fens.Implicit(x**2 + z**2 < 1, AROUND), "contains z; the coordinates are x, y"),
        (lambda: fens.Implicit(x**2 + y**2 < 1, 3), "takes a Box"),
        (lambda: fens.Surface("nowhere.stl", (x, y, z)), "'nowhere.stl': .* no such file"),
        (lambda: fens.Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0]], (x, y, z), [[0, 1, 2]]), "The surface is open"),
        (lambda: fens.Surface([[0, 0, 0]], (x, y, z), [[0, 1, 2]]), "vertices 0 to 0 only"),
        (lambda: fens.Surface(3, (x, y, z)), "name of a file, or vertices and faces; got int"),
        (lambda: SQUARE - fens.Segment((0.2, 0.2), (0.3, 1 - 1e-8), (x, y)), "its tip too near to the boundary"),
        (lambda: DOMAINS["crack inside"] - fens.Segment((0.7, 0.4), (0.7, 0.6), (x, y)), "neither are cracks with a k"),
        (lambda: SQUARE - fens.Segment((-1, 0.2), (2, 0.3), (x, y)), "from boundary to boundary. Take two shapes"),
        (lambda: SQUARE - fens.Segment((2, 2), (3, 2), (x, y)), "no part of it lies inside"),
        (lambda: SQUARE - fens.Segment((0, 0), (0, 0.5), (x, y)), "no part of it lies inside"),
        (lambda: SQUARE - fens.Segment((0, 0.5), (1e-8, 0.5), (x, y)), "too short"),
        (lambda: DOMAINS["holed square"] - fens.Segment((0, 0.5), (0.9, 0.5), (x, y)), "more than once"),
        (lambda: DOMAINS["slit disc"] - fens.Segment((0, 1), (0.5, 0), (x, y)), "meets another crack"),
        (lambda: DOMAINS["slit disc"] - fens.Segment((0.5, 1), (0.5, -0.5), (x, y)), "meets another crack"),
        (lambda: DOMAINS["slit disc"] - SQUARE, r"Take cracks away last: \(a - b\) - segment"),
        (lambda: SQUARE + fens.Segment((0, 0.5), (0.5, 0.5), (x, y)), "no inside.*shape - segment"),
        (lambda: fens.Segment((0, 0.5), (0.5, 0.5), (x, y)) - SQUARE, "no inside.*shape - segment"),
        (lambda: fens.Segment((0, 0.5), (0.5, 0.5), (x, y)).during(t, 0, 1), "no inside.*shape - segment"),
        (lambda: fens.Segment((0, 0.5), (0.5, 0.5), (x, y)).measure, "no inside.*shape - segment"),
        (lambda: fens.Segment((0, 0.5), (0, 0.5), (x, y)), "ends of a segment must differ"),
        (lambda: fens.Segment(0, 1, (x, y)), "pairs of finite numbers; got 0"),
        (lambda: SQUARE - fens.Segment((0, 0.5), (0.5, 0.5), (x, z)), "same coordinates, in one order"),
        (lambda: cloud()[0] - fens.Segment((0, 0.5), (0.5, 0.5), (x, y)), "boundary is known by points only"),
        (lambda: DOMAINS["disc"].quadrature(0), "whole positive number of points"),
        (lambda: DOMAINS["disc"].contains([1, 2, 3]), r"2 columns; got shape \(3,\)"),
        (lambda: DOMAINS["disc"].face(x, 0), "There is no part 'x = 0'"),
    ],
)
def test_bad_shapes(make, words):
    with pytest.raises(RegionError, match=words):
        make()


# ---- solutions on shapes


@pytest.fixture(scope="module")
def solved():
    known = zoo.holed_square()
    return fens.solve(known.problem, features=900), known.problem.unknowns[0], known.problem.domain, known.exact


@pytest.mark.xdist_group("holed square")
def test_poisson_on_a_holed_square(solved):
    solution, *_, exact = solved
    assert solution.compare(exact).linf <= 2e-14
    assert solution.error.verdict == "roundoff-limited"


@pytest.mark.parametrize(
    ("known", "features", "bound"),
    [
        (zoo.annulus(), 900, 1e-12),
        (zoo.bent_polygon(), 1200, 1e-13),
        (zoo.robin_and_periodic(), 900, 1e-12),
        (zoo.interface(), 700, 1e-11),
        (zoo.neumann_disc(), 900, 1e-12),
    ],
    ids=lambda k: getattr(k, "name", None),
)
def test_smooth_solutions_on_shapes(known, features, bound):
    found = fens.solve(known.problem, features=features, estimate=False).compare(known.exact)
    assert max(c.linf for c in found.values()) <= bound if isinstance(found, dict) else found.linf <= bound


def test_a_plate_with_insulated_holes():
    known = zoo.holed_plate()
    solution = fens.solve(known.problem, features=1600, scale=2, estimate=False)  # what the search finds, to save time
    assert solution.compare(known.exact).linf <= 2e-9  # at 2500 features 1e-10, by benchmarks/shapes.py


def test_features_around_holes_resolve_what_is_singular_inside_them():
    known = zoo.annulus(0.4)
    plain, around = (fens.solve(known.problem, features=500, adapt=a, estimate=False) for a in (False, None))
    assert around.compare(known.exact).linf < 1e-6 * plain.compare(known.exact).linf
    assert around.stats.rounds[-1].kind == "holes" or any(r.kind == "holes" and r.kept for r in around.stats.rounds)


def test_a_corner_singularity_is_not_taken_for_round_off():
    known = zoo.corner_singularity()
    solution = fens.solve(known.problem, features=400, scale=3, adapt=False)
    assert solution.error.verdict != "roundoff-limited"
    assert solution.error.estimate > 1e-6


def test_solids_of_triangles_are_as_good_as_their_mesh():
    """Values of the curved torus on a mesh of it: an error of second order in the size of the triangles."""
    w = sp.Function("w")(x, y, z)
    exact = (sp.sqrt(x**2 + y**2) - 1) ** 2 + z**2 - sp.Rational(4, 25)
    source = sp.simplify(sum(exact.diff(s, 2) for s in (x, y, z)))
    errors, smooth = [], sp.exp(x / 2) * sp.sin(y) * sp.cos(z)
    for sections in (12, 24):
        solid = torus(sections)
        operators = {solid: sum(w.diff(s, 2) for s in (x, y, z)), solid.boundary: w}
        flat = fens.Problem({solid: sp.Eq(operators[solid], source), solid.boundary: sp.Eq(w, 0)})
        errors.append(fens.solve(flat, features=900, scale=4, estimate=False).compare(exact).l2)
    assert 3 < errors[0] / errors[1] < 6
    given = fens.manufacture(operators, w, smooth)  # values that are right on the mesh: no error of it
    assert fens.solve(given, features=1600, scale=1.5, estimate=False).compare(smooth).linf < 1e-12


@pytest.mark.xdist_group("holed square")
def test_solutions_are_nan_in_holes(solved):
    solution, _, _, exact = solved
    assert np.isnan(solution(0.5, 0.5))
    assert np.isfinite(solution(0.5, 0.25))  # on the rim
    assert np.isnan(solution.diff(x)([0.5, 1.5], 0.5)).all()
    assert np.isfinite(solution(0.5, 0.5, outside="extrapolate"))
    assert solution(0.1, 0.2) == pytest.approx(float(exact.subs({x: 0.1, y: 0.2})), abs=1e-13)


@pytest.mark.xdist_group("holed square")
def test_integrals_of_solutions(solved):
    solution, u, holed, _ = solved
    points, weights = holed.quadrature(32)
    values = np.exp(points[:, 0]) * np.sin(3 * points[:, 1])
    assert solution.integrate(u**2) == pytest.approx(weights @ values**2, rel=1e-12)
    assert solution.integrate(1) == pytest.approx(1 - math.pi / 16, rel=1e-12)
    flux = solution.integrate(fens.normal_derivative(u), on=holed.boundary)
    assert flux == pytest.approx(solution.integrate(u.diff(x, 2) + u.diff(y, 2)), abs=1e-11)
    assert solution.integrate(fens.normal(x) * x, on=holed.part("hole")) == pytest.approx(-math.pi / 16, rel=1e-12)
    with pytest.raises(SettingError, match="uses the outward normal"):
        solution.integrate(fens.normal_derivative(u))
    with pytest.raises(RegionError, match="takes a region of"):
        solution.integrate(u, on=SQUARE)
    with pytest.raises(EquationError, match="z"):
        solution.integrate(z)


@pytest.mark.xdist_group("holed square")
def test_pictures_leave_holes_out(solved):
    pytest.importorskip("matplotlib")
    assert solved[0].plot().axes


@pytest.mark.parametrize("d", [4, 10])
def test_points_fill_a_ball_in_many_dimensions(d):
    points = ball_points(fixed_sobol(2**12, d))
    radius = np.linalg.norm(points, axis=1)
    assert np.mean(radius**d) == pytest.approx(0.5, abs=1e-3)  # as much within any radius as its volume
    assert (d + 2) * (points.T @ points) / len(points) == pytest.approx(np.eye(d), abs=0.02)
    assert radius.max() < 1
