"""Solutions for other programs: read back with their own readers, the values are those of the solution."""

import csv
import math
import re
import xml.dom.minidom
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest
import sympy as sp

import fens
from fens.errors import FileError, MissingPackage, SettingError, UnsupportedEquation

pytestmark = pytest.mark.xdist_group("export")  # what tests share is made once
x, y, z, t = sp.symbols("x y z t")
u = sp.Function("u")(x, y)
square = fens.Box({x: (0, 1), y: (0, 2)})
disc = fens.Ball({x: 0, y: 0}, radius=1)
holed = square - fens.Ball({x: 0.5, y: 1}, radius=0.25, name="hole")


@cache
def of_function(domain, formula):
    """A function on a domain, as a solution."""
    g = sp.Function("g")(*domain.coordinates)
    return fens.solve(fens.Problem({domain: sp.Eq(g, formula)}), features=60, estimate=False)


@cache
def two_parts():
    c = fens.complex_unknown("c")(x)
    k = fens.Unknown("k")
    v = sp.Function("v")(x)
    left, right = fens.Box({x: (0, 1)}), fens.Box({x: (1, 2)})
    return fens.solve(
        fens.Problem({
            left: sp.Eq(c.diff(x), sp.I * c),
            left.face(x, 0): sp.Eq(c, 1),
            right: sp.Eq(v, x**2),
            right.face(x, 2): sp.Eq(v + k, 5),
        }),
        features=40,
        estimate=False,
    )


def plane():
    return of_function(holed, sp.sin(x) * y)


def spacetime():
    return of_function(holed.during(t, 0, 1), sp.sin(x) * y + t)


def numbers(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_a_table_gives_back_the_same_numbers(tmp_path):
    path = tmp_path / "u.csv"
    plane().to_csv(path, 11)
    header, *rows = numbers(path)
    assert header == ["x", "y", "g"]
    values = np.array(rows, dtype=float)
    assert holed.contains(values[:, :2]).all()
    assert len(values) < 121
    np.testing.assert_array_equal(values[:, 2], plane().function.at(values[:, :2]))
    read = np.genfromtxt(path, delimiter=",", names=True)
    np.testing.assert_array_equal(read["g"], values[:, 2])
    pandas = pytest.importorskip("pandas")
    np.testing.assert_array_equal(pandas.read_csv(path).to_numpy(), values)


def test_a_table_of_several_unknowns_and_domains(tmp_path):
    two_parts().to_csv(tmp_path / "u.csv", fens.Grid(3))
    header, *rows = numbers(tmp_path / "u.csv")
    assert header == ["x", "c_re", "c_im", "v"]
    assert [r[0] for r in rows] == ["0", "0.5", "1", "1", "1.5", "2"]
    assert [r.count("") for r in rows] == [1, 1, 1, 2, 2, 2]
    assert float(rows[1][2]) == pytest.approx(math.sin(0.5))
    assert float(rows[4][3]) == pytest.approx(2.25)


def test_a_table_at_points_of_choice(tmp_path):
    plane().to_csv(tmp_path / "u.csv", {x: 0.5, y: [0.5, 1.0, 1.5]})
    assert [r[:2] for r in numbers(tmp_path / "u.csv")[1:]] == [["0.5", "0.5"], ["0.5", "1.5"]]
    plane().to_csv(tmp_path / "u.csv", fens.Random(17))
    assert len(numbers(tmp_path / "u.csv")) == 18


def test_a_dataset_has_coordinates_units_and_provenance():
    pytest.importorskip("xarray")
    found = plane().to_xarray(fens.Grid({x: 5, y: 9}), units={x: "m", plane().problem.unknowns[0]: "K"})
    assert found["g"].dims == ("x", "y")
    assert found["g"].attrs == {"units": "K"}
    assert found["x"].attrs == {"units": "m"}
    assert np.isnan(found["g"].sel(x=0.5, y=1.0))
    assert float(found["g"].sel(x=0.25, y=0.5)) == pytest.approx(plane()(0.25, 0.5), rel=1e-8)
    assert found.attrs["source"] == f"fens {fens.__version__}"
    for words in ("numpy", "threads"):
        assert words in found.attrs["computed_with"]
    assert "Problem for g(x, y)" in found.attrs["problem"]


def test_a_dataset_of_sections_numbers_and_complex_values(tmp_path):
    xarray = pytest.importorskip("xarray")
    at = spacetime().to_xarray({x: np.linspace(0, 1, 5), y: 0.5, t: [0.0, 0.5]})
    assert dict(at.sizes) == {"x": 5, "t": 2}
    assert float(at["y"]) == 0.5
    rounding = 1e-15 * spacetime().stats.largest_weight  # of cosines of one point and of many, summed
    assert float(at["g"].sel(x=0.5, t=0.5)) == pytest.approx(spacetime()(0.5, 0.5, 0.5), abs=10 * rounding)
    found = two_parts().to_xarray(5)
    assert found["c"].dtype == complex
    assert np.isnan(found["c"].sel(x=1.5))
    assert np.isnan(found["v"].sel(x=0.5))
    assert float(found["k"]) == pytest.approx(1)
    two_parts().to_netcdf(tmp_path / "u.nc", 5, units={"c": "V"})
    with xarray.open_dataset(tmp_path / "u.nc", engine="scipy") as read:
        np.testing.assert_array_equal(read["c_re"], found["c"].real)
        np.testing.assert_array_equal(read["v"], found["v"])
        assert read["c_im"].attrs["units"] == "V"
        assert read.attrs["seed"] == "0"


def test_without_xarray_a_sentence(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "xarray", None)
    with pytest.raises(MissingPackage, match=r"pip install 'fens\[export\]'"):
        plane().to_xarray()


box3 = fens.Box({x: (0, 1), y: (0, 1), z: (0, 2)})
SHAPES = {  # domain, cells, their size together, and to which part of it a mesh of this fineness gives that
    "interval": (fens.Box({x: (0, 3)}), "line", 3, 1e-12),
    "interval with a gap": (fens.Box({x: (0, 3)}) - fens.Ball({x: 1}, radius=0.3), "line", 2.4, 1e-12),
    "rectangle": (square, "quad", 2, 1e-12),
    "disc": (disc, "triangle", math.pi, 0.01),
    "rectangle with a hole": (holed, "triangle", 2 - math.pi / 16, 0.01),
    "polygon": (fens.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], (x, y)), "triangle", 3, 1e-12),
    "star": (fens.Star({x: 0, y: 0}, radius=1 + sp.cos(5 * t) / 4, angle=t), "triangle", math.pi * 33 / 32, 0.02),
    "implicit": (fens.Implicit(x**2 + 4 * y**2 < 1, fens.Box({x: (-2, 2), y: (-2, 2)})), "triangle", math.pi / 2, 0.02),
    "slit disc": (disc - fens.Segment((0, 0), (1, 0), (x, y)), "triangle", math.pi, 0.01),
    "box": (box3, "hexahedron", 2, 1e-12),
    "ball": (fens.Ball({x: 0, y: 0, z: 0}, radius=1), "tetra", 4 * math.pi / 3, 0.05),
    "box with a ball cut out": (box3 - fens.Ball({x: 0.5, y: 0.5, z: 1}, radius=0.3), "tetra",
                                2 - 4 * math.pi / 3 * 0.027, 0.05),
    "space and time": (fens.Box({x: (0, 3)}).during(t, 0, 2), "quad", 6, 1e-12),
    "a disc in time": (disc.during(t, 0, 2), "wedge", 2 * math.pi, 0.01),
    "a square in time": (square.during(t, 0, 2), "hexahedron", 4, 1e-12),
}  # fmt: skip


def sizes(kind, points, cells):
    """Length, area or volume of cells as VTK counts their corners."""
    corners = points[cells]
    if kind == "line":
        return np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
    parts = {
        "triangle": [(0, 1, 2)],
        "quad": [(0, 1, 2), (0, 2, 3)],
        "tetra": [(0, 1, 2, 3)],
        "wedge": [(0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5)],
        "hexahedron": [(0, 1, 3, 4), (1, 2, 3, 6), (1, 3, 4, 6), (3, 4, 6, 7), (1, 4, 5, 6)],
    }[kind]
    found = 0
    for first, *others in parts:
        edges = corners[:, others] - corners[:, [first]]
        if len(others) == 2:
            found = found + np.cross(edges[:, 0], edges[:, 1])[:, 2] / 2
        else:
            found = found + np.abs(np.linalg.det(edges)) / 6
    return found


@pytest.mark.parametrize("name", SHAPES)
def test_a_mesh_fills_the_domain(name, tmp_path):
    meshio = pytest.importorskip("meshio")
    domain, kind, size, tolerance = SHAPES[name]
    solution = of_function(domain, sp.cos(domain.coordinates[0]))
    assert solution.to_vtk(tmp_path / "u.vtu", 21 if len(domain.bounds) < 3 else 11) == [tmp_path / "u.vtu"]
    read = meshio.read(tmp_path / "u.vtu")
    (block,) = read.cells
    assert block.type == kind
    assert set(np.unique(block.data)) == set(range(len(read.points)))
    of_each = sizes(kind, read.points, block.data)
    assert (of_each > 0).all()
    assert of_each.sum() == pytest.approx(size, rel=tolerance)
    where = read.points[:, : len(domain.coordinates)]
    assert (domain.signed_distance(where) <= 1e-9).all()
    np.testing.assert_array_equal(read.point_data["g"], solution.function.at(where))
    assert not np.isnan(read.point_data["g"]).any()


def test_a_mesh_of_sections_systems_and_numbers(tmp_path):
    meshio = pytest.importorskip("meshio")
    spacetime().to_vtk(tmp_path / "u.vtu", {x: np.linspace(0, 1, 21), y: np.linspace(0, 2, 21), t: 0.5})
    read = meshio.read(tmp_path / "u.vtu")
    assert read.cells[0].type == "quad"
    np.testing.assert_array_equal(
        read.point_data["g"], spacetime()(read.points[:, 0], read.points[:, 1], 0.5)
    )
    two_parts().to_vtk(tmp_path / "u.vtu", 5)
    read = meshio.read(tmp_path / "u.vtu")
    assert set(read.point_data) == {"c_re", "c_im", "v"}
    assert np.isnan(read.point_data["v"]).sum() == 5
    text = (tmp_path / "u.vtu").read_text()
    assert 'Name="k"' in text
    assert "source: fens" in text


def test_a_series_in_time(tmp_path):
    meshio = pytest.importorskip("meshio")
    written = spacetime().to_vtk(tmp_path / "u.pvd", fens.Grid({x: 9, y: 9, t: 3}))
    assert [p.name for p in written] == ["u.pvd", "u_0000.vtu", "u_0001.vtu", "u_0002.vtu"]
    series = xml.dom.minidom.parse(str(written[0])).getElementsByTagName("DataSet")
    assert [(s.getAttribute("timestep"), s.getAttribute("file")) for s in series] == [
        ("0.0", "u_0000.vtu"), ("0.5", "u_0001.vtu"), ("1.0", "u_0002.vtu"),
    ]  # fmt: skip
    read = meshio.read(written[2])
    rows = np.column_stack([read.points[:, :2], np.full(len(read.points), 0.5)])
    np.testing.assert_array_equal(read.point_data["g"], spacetime().function.at(rows))
    written = spacetime().to_vtk(tmp_path / "a.pvd", {x: np.linspace(0, 1, 9), y: [0.0, 0.5], t: [0.25, 0.5]})
    read = meshio.read(written[2])
    assert read.cells[0].type == "quad"
    np.testing.assert_allclose(read.point_data["g"], spacetime()(*read.points[:, :2].T, 0.5), rtol=0, atol=1e-6)
    solid = of_function(box3.during(t, 0, 1), x + t)
    assert len(solid.to_vtk(tmp_path / "s.pvd", 4)) == 5


def test_vtk_itself_reads_the_mesh(tmp_path):
    vtk = pytest.importorskip("vtk")
    plane().to_vtk(tmp_path / "u.vtu", 21)
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(tmp_path / "u.vtu"))
    reader.Update()
    sizes_of = vtk.vtkCellSizeFilter()
    sizes_of.SetInputData(reader.GetOutput())
    sizes_of.Update()
    areas = sizes_of.GetOutput().GetCellData().GetArray("Area")
    found = [areas.GetValue(k) for k in range(areas.GetNumberOfValues())]
    assert min(found) > 0
    assert sum(found) == pytest.approx(2 - math.pi / 16, rel=0.01)


@pytest.mark.parametrize(
    ("use", "error", "words"),
    [
        (lambda s, p: s.to_vtk(p / "u.vtk"), FileError, r"ends in \.vtu, or in \.pvd"),
        (lambda s, p: s.to_vtk(p / "u.pvd"), SettingError, "in space and time"),
        (lambda s, p: s.to_vtk(p / "u.vtu", fens.Random(3)), SettingError, "points must be a number along each axis"),
        (lambda s, p: s.to_vtk(p / "u.vtu", {x: 0.5, y: [0.9, 1.1]}), SettingError, "No cell of these points lies in"),
        (lambda s, p: s.to_csv(p / "u.csv", "many"), SettingError, "points must be"),
        (lambda s, p: s.to_csv(p / "u.csv", 10**6), SettingError, "numbers; 1e"),
        (lambda s, p: s.to_csv(p / "none" / "u.csv", 3), FileError, "no such file or folder"),
        (lambda s, p: s.to_csv(p, 3), FileError, "it is a folder"),
        (lambda s, p: s.to_xarray({x: 1}), SettingError, "needs values for each of x, y; it has some for x"),
        (lambda s, p: s.to_xarray({x: [1, 0], y: 0}), SettingError, "must increase"),
        (lambda s, p: s.to_xarray({x: [[1]], y: 0}), SettingError, "finite number or a list"),
        (lambda s, p: s.to_xarray({x: "a", y: 0}), SettingError, "real numbers"),
        (lambda s, p: s.to_xarray([3, 4]), SettingError, "points must be a number"),
        (lambda s, p: s.to_xarray(3, units={"q": "m"}), SettingError, "units is a mapping from x, y, g"),
        (lambda s, p: s.to_xarray(3, units={x: 1}), SettingError, "to texts; got x: 1"),
        (lambda s, p: s.report(p / "none" / "u.html"), FileError, "no such file or folder"),
    ],
)
def test_what_cannot_be_written_is_told(use, error, words, tmp_path):
    pytest.importorskip("xarray")
    with pytest.raises(error, match=words):
        use(plane(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_many_coordinates_have_sections(tmp_path):
    meshio = pytest.importorskip("meshio")
    axes = sp.symbols("a0:5")
    solution = of_function(fens.Box(dict.fromkeys(axes, (0, 1))), axes[0])
    with pytest.raises(UnsupportedEquation, match="take a section"):
        solution.to_vtk(tmp_path / "u.vtu")
    line = np.linspace(0, 1, 4)
    with pytest.raises(UnsupportedEquation, match="here 4 coordinates vary"):
        solution.to_vtk(tmp_path / "u.vtu", {a: line if a != axes[0] else 0.5 for a in axes})
    solution.to_vtk(tmp_path / "u.vtu", {a: line if a in axes[1:3] else 0.5 for a in axes})
    assert meshio.read(tmp_path / "u.vtu").cells[0].type == "quad"
    solution.to_csv(tmp_path / "u.csv", 3)
    assert len(numbers(tmp_path / "u.csv")) == 1 + 3**5


class Outside(HTMLParser):
    """What a page would load from elsewhere, or run."""

    def __init__(self):
        super().__init__()
        self.found, self.open, self.links = [], [], []

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "img", "link", "br"):
            self.open.append(tag)
        for name, value in attributes:
            if name in ("src", "href", "xlink:href") and not value.startswith("data:"):
                self.found.append(value)
            if name == "href":
                self.links.append(value)
        if tag in ("script", "iframe", "link", "object", "embed"):
            self.found.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@cache
def estimated():
    f = sp.Function("f")(x)
    line = fens.Box({x: (0, 1)})
    return fens.solve(fens.Problem({line: sp.Eq(f.diff(x, 2), sp.exp(f)), line.boundary: sp.Eq(f, 0)}), features=40)


def page(solution, path):
    solution.report(path)
    text = path.read_text(encoding="utf-8")
    parser = Outside()
    parser.feed(text)
    assert parser.found == []
    assert parser.open == []
    return text, parser


def test_a_page_needs_nothing_else_and_holds_the_solution(tmp_path):
    pytest.importorskip("matplotlib")
    text, parser = page(estimated(), tmp_path / "u.html")
    for words in ("<math", "data:image/png", "roundoff-limited", "recovery", "least squares", "iteration of newton",
                  "features=", fens.__version__, "solve_again", "nonlinear", estimated().provenance.time):  # fmt: skip
        assert words in text
    (link,) = parser.links
    import base64

    (tmp_path / "u.fens").write_bytes(base64.b64decode(link.partition("base64,")[2]))
    program = re.search(r"<pre>(.*?)</pre>", text, re.DOTALL)[1].replace("&quot;", '"')
    names = {}
    exec(program.replace('"u.fens"', repr(str(tmp_path / "u.fens"))), names)
    assert names["solution"](0.3) == estimated()(0.3)


def test_a_page_without_an_estimate_or_a_picture(tmp_path, monkeypatch):
    text, _ = page(two_parts(), tmp_path / "u.html")
    assert "was not estimated" in text
    assert "<td>k</td>" in text

    def fails(self):
        raise UnsupportedEquation("Pictures are not made of this.")

    monkeypatch.setattr(fens.Solution, "plot", fails)
    text, _ = page(plane(), tmp_path / "u.html")
    assert "There is no picture: Pictures are not made of this." in text


def test_texts_of_a_problem_are_escaped(tmp_path):
    g = sp.Function("<script>alert(1)</script>")(x)
    line = fens.Box({x: (0, 1)}, name="<b>")
    solution = fens.solve(fens.Problem({line: sp.Eq(g, x)}), features=30, estimate=False)
    text, _ = page(solution, tmp_path / "u.html")
    assert "<b>" not in text
    for shown in (solution._repr_html_(), solution.problem._repr_html_()):
        assert "<script>" not in shown


def test_notebooks_show_mathematics():
    problem = fens.Problem({
        square: sp.Eq(u.diff(x, 2) + u.diff(x, y), fens.wrap(np.hypot, "my_f")(x, y)),
        square.pair(x): sp.Eq(fens.jump(u), 0),
        square.face(y, 0): sp.Eq(fens.normal_derivative(u), sp.Piecewise((x, x < 0.1 + 0.2), (1, True))),
        square.face(y, 2): sp.Eq(fens.integral(u**2 + 1), 3),
        fens.Points({x: [0.5], y: [0.5]}): u - fens.Data([1.0]),
    })
    shown = problem._repr_latex_()
    for words in (r"\frac{\partial^{2} u}{\partial x^{2}}", r"\partial x\,\partial y", r"\operatorname{my\_f}", "n_{x}",
                  r"\left[\!", r"\int \left(u^{2} + 1\right)", r"\text{data}", "x < 0.3", r"\text{on the face y = 0}"):
        assert words in shown
    html = problem._repr_html_()
    for words in ("<mfrac>", "⟦", "∫", "data", "otherwise", "my_f", "0.3", "on the face y = 0"):
        assert words in html
    xml.dom.minidom.parseString(f"<div>{html}</div>")
    assert "Solution" in plane()._repr_html_()
    assert plane()._repr_latex_() == plane().problem._repr_latex_()
    assert "solution" in plane().function._repr_html_()
    block = fens.solve(
        fens.Problem({square: sp.Eq(u.diff(y), u), square.face(y, 0): sp.Eq(u, 1)}), features=60, estimate=False
    )
    assert "error about" not in block._repr_html_()
    assert "error about" in estimated()._repr_html_()
    xml.dom.minidom.parseString(f"<div>{estimated()._repr_html_()}</div>")
