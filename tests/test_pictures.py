"""Pictures: every kind of problem is drawn, with labels, honest colours and holes; bad input gets sentences."""

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fens
from fens import zoo
from fens.cli.app import main
from fens.errors import EquationError, EvaluationError, MissingPackage, SettingError
from fens.fit.search import Search
from fens.plotting.animation import Film, _first_frame
from fens.plotting.labels import number, place, symbol
from fens.plotting.layout import layout_for
from fens.plotting.outline import BISECTIONS, GRID, outline
from fens.plotting.quantity import Quantity
from fens.plotting.raster import FEWEST, raster, resolution
from fens.plotting.search import plot_searches
from fens.plotting.section import Section
from fens.plotting.shade import shade

mpl = pytest.importorskip("matplotlib")
Image = pytest.importorskip("PIL.Image")
pytest.importorskip("shapely")

pytestmark = pytest.mark.xdist_group("pictures")  # each solution is made once
x, y, z, t, theta = sp.symbols("x y z t theta")
ROD, SQUARE = fens.Box({x: (0, 2)}), fens.Box({x: (0, 1), y: (0, 1)})
HOLED = fens.Box({x: (0, 2), y: (0, 1)}) - fens.Ball({x: 0.6, y: 0.5}, 0.25, name="hole")
BENT = fens.Polygon([(-1, -1), (0, -1), (0, 0), (1, 0), (1, 1), (-1, 1)], (x, y))
CUBE = fens.Box({x: (0, 1), y: (0, 1), z: (0, 2)})
SHELL = fens.Ball({x: 0, y: 0, z: 0}, 1) - fens.Ball({x: 0, y: 0, z: 0}, 0.5)
TWO_BALLS = fens.Ball({x: -2, y: 0, z: 0}, 1) + fens.Ball({x: 2, y: 0, z: 0}, 1)
FAST = {"features": 60, "estimate": False, "adapt": False, "scale": 2.0}


def ring_cloud():
    """Points in a disc, and on its rim."""
    angle = 2 * np.pi * np.arange(80) / 80
    rim = np.column_stack([np.cos(angle), np.sin(angle)])
    radius, turn = np.sqrt((np.arange(300) + 0.5) / 300) * 0.97, np.arange(300) * 2.4
    return fens.Cloud(np.column_stack([radius * np.cos(turn), radius * np.sin(turn)]), rim, rim, (x, y))


def fit(domain, expression, **options):
    """A function approximated on a domain."""
    u = sp.Function("u")(*domain.coordinates)
    return fens.solve(fens.Problem({domain: sp.Eq(u, expression)}), **FAST | options)


def heat(base, **options):
    """exp(−t) sin 2x on a base through time, to be found from its values at the sides and at first."""
    domain = base.during(t, 0, 1)
    u = sp.Function("u")(*domain.coordinates)
    known = sp.exp(-t) * sp.sin(2 * x)
    problem = fens.Problem(
        {domain: sp.Eq(u.diff(t), u.diff(x, 2) / 4), domain.sides: sp.Eq(u, known), domain.initial: sp.Eq(u, known)}
    )
    return fens.solve(problem, **FAST | options)


def many(d):
    return sp.symbols(f"x_1:{d + 1}")


def system():
    """Two functions on a square, one of them complex, and a number."""
    p, w, k = sp.Function("p")(x, y), fens.complex_unknown("w")(x, y), fens.Unknown("k", initial=0)
    somewhere = fens.Points({x: [0.5], y: [0.5]})
    return fens.solve(
        fens.Problem({SQUARE: [sp.Eq(p, k + x), sp.Eq(w, sp.exp(sp.I * x))], somewhere: sp.Eq(p, 1)}), **FAST
    )


# name → solution, axes that carry data, colour bars, what stands on the first axes, and an exact solution
KINDS = {
    "curve": (lambda: fit(fens.Box({theta: (0, 6)}), sp.sin(theta)), 1, 0, (r"$\theta$", "$u$"), sp.sin(theta)),
    "map": (lambda: fit(SQUARE, x * y), 1, 1, ("$x$", "$y$"), x * y),
    "disc": (lambda: fit(fens.Ball({x: 0, y: 0}, 1), x * y), 1, 1, ("$x$", "$y$"), x * y),
    "holed": (lambda: fit(HOLED, sp.log((x - 0.6) ** 2 + (y - 0.5) ** 2)), 1, 1, ("$x$", "$y$"),
              sp.log((x - 0.6) ** 2 + (y - 0.5) ** 2)),
    "polygon": (lambda: fit(BENT, x - y), 1, 1, ("$x$", "$y$"), x - y),
    "star": (lambda: fit(fens.Star({x: 0, y: 0}, radius=1 + sp.cos(5 * theta) / 4, angle=theta), x), 1, 1,
             ("$x$", "$y$"), x),
    "cloud": (lambda: fit(ring_cloud(), x + y), 1, 1, ("$x$", "$y$"), x + y),
    "strip": (lambda: heat(ROD), 2, 1, ("$x$", "$t$"), sp.exp(-t) * sp.sin(2 * x)),
    "blocks": (lambda: heat(ROD, blocks=2), 2, 1, ("$x$", "$t$"), sp.exp(-t) * sp.sin(2 * x)),
    "plate": (lambda: heat(HOLED), 4, 1, ("$x$", "$y$"), sp.exp(-t) * sp.sin(2 * x)),
    "cube": (lambda: fit(CUBE, x * y - z), 3, 1, ("$x$", "$y$"), x * y - z),
    "shell": (lambda: fit(SHELL, x * y - z), 3, 1, ("$x$", "$y$"), x * y - z),
    "two balls": (lambda: fit(TWO_BALLS, x * y - z), 3, 1, ("$x$", "$y$"), x * y - z),
    "six": (lambda: fit(fens.Box(dict.fromkeys(many(6), (-1, 1))), many(6)[0] * many(6)[4]), 7, 1, None,
            many(6)[0] * many(6)[4]),
    "three and time": (lambda: fit(CUBE.during(t, 0, 2), x * t), 7, 1, None, x * t),
    "system": (system, 3, 3, ("$x$", "$y$"), None),
    "interface": (lambda: fens.solve(zoo.interface().problem, **FAST), 2, 2, ("$x$", "$y$"), zoo.interface().exact),
}  # fmt: skip


@pytest.fixture(scope="module")
def solved():
    """Each kind solved once, when it is first asked for."""
    found = {}

    def solution(kind):
        if kind not in found:
            found[kind] = KINDS[kind][0]()
        return found[kind]

    return solution


def bars(figure):
    return [child for axes in figure.axes for child in axes.child_axes]


def images(figure):
    return [i for a in figure.axes for i in a.get_images()]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_its_picture(kind, solved, tmp_path):
    _, count, colour_bars, labels, _ = KINDS[kind]
    figure = solved(kind).plot(tmp_path / "u.png")
    axes = figure.axes
    assert (len(axes), len(bars(figure))) == (count, colour_bars)
    assert all(a.get_xlabel() for a in axes)
    assert labels is None or (axes[0].get_xlabel(), axes[0].get_ylabel()) == labels
    assert all(b.get_ylabel() for b in bars(figure))
    with Image.open(tmp_path / "u.png") as picture:
        assert picture.size == pytest.approx(160 * figure.get_size_inches(), abs=1)
        assert len(picture.convert("RGB").getcolors(10**6)) > 50


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_its_picture_of_the_error(kind, solved):
    solution, exact = solved(kind), KINDS[kind][4]
    if exact is None:
        p, w = solution.problem.unknowns[:2]
        exact = {p: x + 0.5, w: sp.exp(sp.I * x)}
    figure = solution.plot_error(exact)
    for image in images(figure):
        assert isinstance(image.norm, mpl.colors.LogNorm)
        assert image.get_array().max() <= image.norm.vmax
    if not images(figure):
        assert figure.axes[0].get_yscale() == "log"
    titles = [part.get_suptitle() for part in figure.subfigs]
    assert len(titles) == (len(exact) if isinstance(exact, dict) else 1)
    assert all("L∞ " in title for title in titles)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_its_picture_of_points(kind, solved):
    solution = solved(kind)
    figure = solution.plot_points()
    (axes,) = figure.axes
    drawn = sum(len(c.get_offsets()) for c in axes.collections)
    blocks = getattr(solution, "blocks", (solution,))
    assert drawn == sum(len(s) for b in blocks for s in b.samples.values())
    words = [w.get_text() for legend in figure.legends for w in legend.get_texts()]
    words = words or [w.get_text() for w in axes.get_yticklabels()]
    assert sum(int(w.rsplit("(", 1)[1].rstrip(")")) for w in words) == drawn


@pytest.mark.parametrize("kind", ["map", "disc", "holed", "polygon", "star", "cloud"])
def test_colours_span_the_values(kind, solved):
    solution = solved(kind)
    (image,) = images(solution.plot())
    where = np.stack(np.meshgrid(*(np.linspace(a, b, 301) for a, b in solution.problem.domain.bounds)), axis=-1)
    found = solution(*where.reshape(-1, 2).T)
    low, high = np.nanmin(found), np.nanmax(found)
    spread = high - low
    if image.cmap.name == "RdBu_r":
        assert image.norm.vmin == -image.norm.vmax
        low, high = -max(-low, high), max(-low, high)
    assert image.norm.vmin == pytest.approx(low, abs=0.02 * spread)
    assert image.norm.vmax == pytest.approx(high, abs=0.02 * spread)
    assert image.norm.vmin <= low + 1e-4 * spread
    assert image.norm.vmax >= high - 1e-4 * spread


@pytest.mark.parametrize(
    ("domain", "area", "rings"),
    [
        (SQUARE, 1, 1),
        (fens.Ball({x: 3, y: 0}, 2), 4 * np.pi, 1),
        (HOLED, 2 - np.pi / 16, 2),
        (BENT, 3, 1),
        (HOLED - fens.Ball({x: 1.4, y: 0.5}, 0.2), 2 - np.pi * (1 / 16 + 0.04), 3),
        (fens.Polygon([(0, 0), (4, 0), (4, 4), (0, 4)], (x, y), holes=[[(1, 1), (2, 1), (2, 2), (1, 2)]]), 15, 2),
        (fens.Box({x: (0, 1e-3), y: (0, 5)}) , 5e-3, 1),
        (fens.Ball({x: 0, y: 0}, 1) + fens.Ball({x: 4, y: 0}, 1), 2 * np.pi, 2),
    ],
)  # fmt: skip
def test_outlines_are_those_of_the_domain(domain, area, rings):
    section = Section(domain, (0, 1), (0.0, 0.0))
    found = outline(section)
    vertices, codes = found.vertices, found.codes
    assert np.count_nonzero(codes == mpl.path.Path.MOVETO) == rings
    pieces = np.split(vertices, np.flatnonzero(codes == mpl.path.Path.MOVETO)[1:])
    signed = [np.sum(p[:-1, 0] * p[1:, 1] - p[1:, 0] * p[:-1, 1]) / 2 for p in pieces]
    assert abs(sum(signed)) == pytest.approx(area, rel=5e-5)
    diagonal = 2 * np.hypot(*domain.half_widths) / (GRID - 3)  # of a square of the grid
    assert np.abs(domain.signed_distance(vertices)).max() < 2 * diagonal / 2**BISECTIONS
    assert domain.contains(vertices).all()
    lower, upper = np.array(domain.bounds).T
    anywhere = lower + (upper - lower) * np.random.default_rng(0).random((5000, 2))
    points = np.concatenate([anywhere, [lower, upper], vertices])
    assert np.array_equal(found.contains(section, points), domain.contains(points))


def test_holes_are_left_out_and_the_map_is_clipped_by_the_outline(solved):
    figure = solved("holed").plot()
    (axes,) = figure.axes
    (image,) = axes.get_images()
    values = image.get_array()
    middle = values[values.shape[0] // 2, int(0.3 * values.shape[1])]
    assert middle is np.ma.masked
    (rim,) = axes.patches
    clip, _ = image.get_clip_path().get_transformed_path_and_affine()
    assert len(clip.vertices) == len(rim.get_path().vertices) > 500
    figure.savefig(buffer := __import__("io").BytesIO(), dpi=100)
    drawn = np.asarray(Image.open(buffer).convert("RGB")).astype(int)
    height = drawn.shape[0]

    def colour(a, b):
        column, row = axes.transData.transform((a, b)) * 100 / figure.dpi
        return drawn[int(height - row), int(column)]

    assert colour(0.6, 0.5).tolist() == [255, 255, 255]
    assert colour(0.6, 0.5 + 0.23).tolist() == [255, 255, 255]
    assert colour(0.6, 0.5 + 0.27).tolist() != [255, 255, 255]


def test_slices_of_a_shell_are_rings(solved):
    figure = solved("shell").plot()
    assert [a.get_title() for a in figure.axes] == ["$z$ = 0", "$y$ = 0", "$x$ = 0"]
    for axes in figure.axes:
        (rim,) = axes.patches
        assert np.count_nonzero(rim.get_path().codes == mpl.path.Path.MOVETO) == 2
        assert axes.get_aspect() == 1


def test_slices_that_would_miss_the_domain_are_moved_into_it(solved):
    for axes in solved("two balls").plot().axes:
        assert not axes.get_images()[0].get_array().mask.all()
        assert "x" not in axes.get_title() or axes.get_title() != "$x$ = 0"


def test_one_colour_bar_serves_all_times(solved):
    figure = solved("plate").plot()
    axes = figure.axes
    assert [a.get_title() for a in axes] == ["$t$ = 0", "$t$ = 0.333", "$t$ = 0.667", "$t$ = 1"]
    assert len({(i.norm.vmin, i.norm.vmax) for i in images(figure)}) == 1


def test_space_time_has_curves_at_some_times(solved):
    for kind in ("strip", "blocks"):
        solution = solved(kind)
        _, curves = solution.plot().axes
        for line, time in zip(curves.get_lines(), np.linspace(0, 1, 5), strict=True):
            at = line.get_xdata()
            assert np.allclose(line.get_ydata(), solution(at, np.full(len(at), time)), equal_nan=True)
            assert line.get_label() == f"$t$ = {time:.3g}"


def test_sections_say_what_is_held(solved):
    (part,) = solved("six").plot().subfigs
    assert part.get_supxlabel() == (
        "Sections through $x_{1}$, $x_{2}$, …, $x_{6}$ = 0: the 4 of 6 coordinates that matter most"
    )
    (part,) = solved("three and time").plot().subfigs
    assert part.get_supxlabel() == "Sections through $x$, $y$ = 0.5, $z$, $t$ = 1"


def test_numbers_are_told_and_complex_functions_have_two_parts(solved):
    figure = solved("system").plot()
    assert figure.get_suptitle().startswith("$k$ = 0.5")
    assert [part.get_suptitle() for part in figure.subfigs] == ["$p$", "Re $w$", "Im $w$"]
    p, k = sp.Function("p")(x, y), solved("system").problem.unknowns[-1]
    figure = solved("system").plot_error({p: x + 0.5, k: 0.25})
    assert figure.get_suptitle() == "error of $k$: 0.25"


def test_neighbouring_domains_are_seen_and_axes_are_common(solved):
    for axes in solved("interface").plot().axes:
        assert len(axes.patches) == 2
        assert axes.get_xlim() == pytest.approx((-0.03, 1.03))


def test_noise_is_not_drawn_as_a_function():
    constant = shade(3 + 1e-14 * np.arange(5), None)
    assert (constant.low, constant.high) == pytest.approx((1.5, 4.5))
    assert (shade(np.zeros(5), None).low, shade(np.zeros(5), None).high) == (-1, 1)


def test_logarithmic_colours_have_a_floor_and_tell_what_lies_below():
    spread = shade(np.concatenate([[0.0], np.logspace(-20, -3, 500)]), 1e-16)
    assert (spread.low, spread.high, spread.extend) == (1e-16, pytest.approx(1e-3), "min")
    exact = shade(np.zeros(9), 1e-16)
    assert (exact.low, exact.high, exact.extend) == (1e-16, 1e-15, "min")
    assert shade(np.full(9, 1e-3), 1e-16).extend == "neither"
    with pytest.raises(EvaluationError, match="no value is a finite number"):
        shade(np.full(3, np.nan), None)


def test_nothing_is_evaluated_outside_the_domain(solved):
    """The logarithm has no value in the middle of the hole."""
    exact = KINDS["holed"][4]
    assert solved("holed").plot_error(exact).axes
    seen = []
    ring = Quantity("u", HOLED, lambda points: seen.append(points) or points[:, 0], 100)
    raster(ring, Section(HOLED, (0, 1), (0.0, 0.0)), 81)
    assert all(HOLED.contains(points).all() for points in seen)


def test_many_features_make_coarser_grids():
    assert resolution(100, 1) == 401
    assert FEWEST < resolution(3000, 4) < 200
    assert resolution(10**6, 10) == FEWEST
    for domain in (ROD, SQUARE, ROD.during(t, 0, 1), SQUARE.during(t, 0, 1), CUBE, CUBE.during(t, 0, 1)):
        assert layout_for(domain).size(domain)[0] > 4


def test_names():
    assert symbol("theta") == r"$\theta$"
    assert symbol("x_1") == symbol("x1") == "$x_{1}$"
    assert symbol("heat") == "heat"
    assert symbol("a$b") == r"a\$b"
    assert (number(-0.0), number(-1e-7), number(1 / 3)) == ("0", "−1e−07", "0.333")
    assert place((x, y, t), (0.5, 0.5, 2)) == "$x$, $y$ = 0.5, $t$ = 2"


def test_search(tmp_path):
    u = sp.Function("u")(x)
    problem = fens.Problem({ROD: sp.Eq(u.diff(x, 2), sp.sin(9 * x)), ROD.boundary: sp.Eq(u, 0)})
    solution = fens.solve(problem, features=40, estimate=False, scale=fens.ScaleGrid(0, 10, 1))
    (axes,) = solution.plot_search(tmp_path / "search.png").axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    tried, chosen, mark = axes.get_lines()
    assert tried.get_xdata() == pytest.approx(np.arange(1.0, 11))
    assert np.allclose(tried.get_ydata(), solution.search.losses)
    assert chosen.get_xdata()[0] == pytest.approx(solution.scale)
    assert mark.get_ydata() == [min(solution.search.losses)]
    assert "residual" in axes.get_ylabel()
    automatic = fens.solve(problem, features=40, estimate=False)
    assert automatic.plot_search().axes[0].get_title() == automatic.search.reason
    blocks = heat(ROD, blocks=2, scale=None).plot_search().axes[0]
    words = [w.get_text() for w in blocks.get_legend().get_texts()]
    assert any(w.startswith("block 2: chosen") for w in words)


def test_infinite_losses_are_shown_as_such():
    found = Search(((1.0, 1.0), (2.0, 2.0), (4.0, 4.0), (4.0, 1.0), (8.0, 8.0)), (1e-3, 1e-5, np.inf, 1e-4, np.nan), "")
    (axes,) = plot_searches([found], "loss", [0, 1], None).axes
    labels = [line.get_label() for line in axes.get_lines()]
    assert labels[:4] == ["tried", "tried, ratios 4 : 1", "no solution, loss infinite", "chosen, ρ = 2"]
    assert list(axes.get_lines()[2].get_xdata()) == pytest.approx([4, 8])
    nothing = replace(found, scales=((1.0, 1.0),), losses=(np.inf,))
    assert plot_searches([nothing], "loss", [0, 1], None).axes
    exact = replace(found, scales=((1.0, 1.0),), losses=(0.0,))
    assert "loss 0" in [line.get_label() for line in plot_searches([exact], "loss", [0, 1], None).axes[0].get_lines()]


def test_no_search_no_picture(solved):
    with pytest.raises(SettingError, match=r"No scale was searched for.*ScaleGrid"):
        solved("map").plot_search()


@pytest.mark.parametrize(
    ("kind", "coordinate"), [("strip", t), ("blocks", t), ("plate", t), ("map", y), ("shell", z), ("interface", x)]
)
def test_animation(kind, coordinate, solved, tmp_path):
    path = solved(kind).animate(coordinate, tmp_path / "u.gif", frames=7, fps=10)
    with Image.open(path) as film:
        assert (film.format, film.n_frames, film.info["duration"]) == ("GIF", 7, 100)
        assert film.size[0] > 400
        first = np.asarray(film.convert("RGB"))
        film.seek(6)
        last = np.asarray(film.convert("RGB"))
    assert (first != last).any()
    assert (first[:, :40] == last[:, :40]).all()  # axes stay where they are, and white is white
    assert first[0, 0].tolist() == [255, 255, 255]


def test_a_film_of_curves_has_limits_that_hold_for_all_frames():
    strip = ROD.during(t, 0, 1)
    rising = Quantity("u", strip, lambda points: points[:, 1] - 0.2, cost=1)  # of both signs
    figure, _ = _first_frame([rising], Film(t, np.linspace(0, 1, 5), 10.0), "")
    low, high = figure.axes[0].get_ylim()
    assert low < -0.2
    assert high > 0.8


@pytest.mark.parametrize(
    ("kind", "arguments", "words"),
    [
        ("map", (t, "u.gif"), "takes one of the coordinates, x, y; got t"),
        ("map", ("y", "u.gif"), "takes one of the coordinates"),
        ("curve", (theta, "u.gif"), "one or two coordinates; there are 1 in all"),
        ("three and time", (t, "u.gif"), "there are 4 in all, x, y, z, t"),
        ("map", (x, "u.avi"), "must end in .gif, .mp4; got 'u.avi'"),
        ("map", (x, "no/where/u.gif"), "its folder does not exist"),
        ("map", (x, 7), "is a text or a Path"),
        ("map", (x, "u.gif", 1), "frames must be a whole number from 2"),
        ("map", (x, "u.gif", 10**9), "frames must be"),
        ("map", (x, "u.gif", 5, 0), "fps"),
        ("map", (x, "u.gif", 5, float("nan")), "fps"),
        ("map", (x, "u.gif", 5, "fast"), "fps"),
    ],
)
def test_bad_films(kind, arguments, words, solved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    named = dict(zip(("coordinate", "path", "frames", "fps"), arguments, strict=False))
    with pytest.raises(SettingError, match=words):
        solved(kind).animate(**named)
    assert not list(tmp_path.iterdir())


def test_mp4_needs_ffmpeg(solved, tmp_path):
    from matplotlib.animation import FFMpegWriter

    with mpl.rc_context({"animation.ffmpeg_path": "no-such-program"}), pytest.raises(MissingPackage, match="ffmpeg"):
        solved("strip").animate(t, tmp_path / "u.mp4", frames=3)
    if FFMpegWriter.isAvailable():
        assert solved("strip").animate(t, tmp_path / "u.mp4", frames=3).stat().st_size > 1000


def test_an_mp4_that_ffmpeg_does_not_write(solved, tmp_path):
    broken = tmp_path / "ffmpeg"
    broken.write_text("#!/bin/sh\ncat > /dev/null\nexit 3\n")
    broken.chmod(0o755)
    with (
        mpl.rc_context({"animation.ffmpeg_path": str(broken)}),
        pytest.raises(SettingError, match=r"cannot be written: .* non-zero exit status 3"),
    ):
        solved("strip").animate(t, tmp_path / "u.mp4", frames=3)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("u.xyz", "must end in .png.*got 'u.xyz'"),
        ("u", "must end in"),
        ("no/where/u.png", "its folder does not exist"),
        (3, "is a text or a Path"),
        (b"u.png", "is a text or a Path"),
    ],
)
def test_bad_paths(path, words, solved):
    for draw in (solved("map").plot, solved("map").plot_points, lambda p: solved("map").plot_error(x, p)):
        with pytest.raises(SettingError, match=words):
            draw(path)


def test_a_picture_that_cannot_be_written(solved, tmp_path):
    (tmp_path / "u.png").mkdir()
    with pytest.raises(SettingError, match=r"u.png' cannot be written: .*it is a folder"):
        solved("map").plot(tmp_path / "u.png")


@pytest.mark.parametrize(
    ("kind", "exact", "error", "words"),
    [
        ("map", {}, SettingError, "none is given"),
        ("map", {sp.Function("v")(x, y): x}, EquationError, "v.* is not an unknown"),
        ("map", "x*y", SettingError, "expression or a callable"),
        ("map", 1 / (x - 0.5), EvaluationError, "it must be finite"),
        ("map", z, SettingError, "contains z"),
        ("interface", x, SettingError, r"plot_error\(\) takes a mapping from u"),
    ],
)
def test_bad_exact_solutions(kind, exact, error, words, solved):
    with pytest.raises(error, match=words):
        solved(kind).plot_error(exact)


def test_exact_solutions_may_be_callables(solved):
    called, written = solved("map").plot_error(lambda a, b: a * b), solved("map").plot_error(x * y)
    assert np.ma.allclose(images(called)[0].get_array(), images(written)[0].get_array(), atol=1e-15)


def test_without_matplotlib(solved, monkeypatch):
    solution = solved("map")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    film = partial(solution.animate, x, "u.gif")
    for draw in (solution.plot, solution.plot_points, partial(solution.plot_error, x), film):
        with pytest.raises(MissingPackage, match=r"fens\[plot\]"):
            draw()


def test_pictures_leave_no_global_state(solved):
    before = dict(mpl.rcParams)
    solved("map").plot()
    assert dict(mpl.rcParams) == before
    assert "matplotlib.pyplot" not in sys.modules or not mpl.pyplot.get_fignums()


FILE = """unknowns = ["u"]
domain.box = { x = [0, 1] }
domain.during = { t = [0, 1] }
equations.inside = "diff(u, t) = diff(u, x, 2)"
equations.sides = "u = 0"
equations.initial = "u = sin(pi*x)"
exact.u = "exp(-pi^2*t)*sin(pi*x)"
solve.features = 60
solve.estimate = false
"""


@pytest.mark.parametrize(
    ("options", "written"),
    [
        ([], "heat.png"),
        (["--error"], "heat.png"),
        (["--points", "--picture", "p.svg"], "p.svg"),
        (["--search", "--picture", "s.pdf"], "s.pdf"),
        (["--animate", "t", "--frames", "3"], "heat.gif"),
    ],
)
def test_the_command(options, written, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("heat.toml").write_text(FILE)
    assert main(["plot", "heat.toml", *options]) == 0
    assert capsys.readouterr().out == f"{written}\n"
    assert Path(written).stat().st_size > 3000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--animate", "s"], "takes one of the coordinates, x, t; got 's'"),
        (["--animate", "t", "--picture", "u.png"], "must end in .gif, .mp4"),
        (["--animate", "t", "--frames", "1"], "frames must be a whole number"),
        (["--picture", "u.gif"], "must end in .png"),
        (["--search", "--set", "solve.scale=3"], "--search needs a search"),
        (["--error"], "no section"),
    ],
)
def test_what_the_command_refuses_before_it_solves(options, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fens.ProblemFile, "solve", None)
    Path("heat.toml").write_text(FILE.replace("exact.u =", "expressions.known ="))
    assert main(["plot", "heat.toml", *options]) == 1
    assert words in capsys.readouterr().err


def test_colours_do_not_follow_a_pole():
    values = np.linspace(-1, 1, 1000)
    with_pole = np.concatenate([values, [1e140, -1e140]])
    found = shade(with_pole, None)
    assert (found.low, found.high, found.extend) == (pytest.approx(-0.98, abs=0.01), -found.low, "both")
    assert shade(np.concatenate([1e-9 * values, np.ones(9)]), None).high == 1  # a narrow peak is none
