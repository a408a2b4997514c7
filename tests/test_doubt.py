"""A solution that is not to be trusted warns, and says so wherever it goes."""

import csv
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import fens
from fens.cli.app import main
from fens.estimate.assess import UNTRUSTED

pytestmark = pytest.mark.xdist_group("doubt")  # what tests share is made once
x, t = sp.symbols("x t")
u, h = sp.Function("u")(x), sp.Function("h")(x, t)
k = fens.Unknown("k")
rod = fens.Box({x: (0, 1)})
HALF = fens.Problem({rod: sp.Eq(u.diff(x, 2), -1), rod.face(x, 0): sp.Eq(u, 0)})  # nothing is said about x = 1
WHOLE = fens.Problem({rod: sp.Eq(u.diff(x, 2), -1), rod.boundary: sp.Eq(u, 0)})


@pytest.fixture(scope="module")
def doubtful():
    with pytest.warns(fens.UnreliableWarning):
        return fens.solve(HALF, features=30)


@pytest.fixture(scope="module")
def sound():
    return fens.solve(WHOLE, features=30)


@pytest.fixture(scope="module")
def found_number():
    """A number that the equations do not determine."""
    problem = fens.Problem({rod: sp.Eq(u.diff(x, 2), -k), rod.boundary: sp.Eq(u, 0)})
    with pytest.warns(fens.UnreliableWarning):
        return fens.solve(problem, features=30, raise_on_failure=False)


def marched():
    """A function of time without initial values, in blocks."""
    cylinder = rod.during(t, 0, 1)
    equations = {cylinder: sp.Eq(h.diff(t), h.diff(x, 2)), cylinder.sides: sp.Eq(h, sp.sin(t))}
    return fens.solve(fens.Problem(equations), features=200, blocks=2)


def red_pixels(path):
    with pytest.importorskip("PIL.Image").open(path) as image:
        picture = np.asarray(image.convert("RGB")).astype(int)
    return int(((picture[..., 0] > 150) & (picture[..., 1:] < 60).all(axis=-1)).sum())


def recorded(call):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return found


def test_a_solve_warns_once_at_the_line_that_asked_for_it():
    (warning,) = recorded(lambda: fens.solve(HALF, features=30))
    assert warning.category is fens.UnreliableWarning
    assert issubclass(fens.UnreliableWarning, UserWarning)
    assert warning.filename == __file__
    assert str(warning.message).startswith("The solution is unreliable: ")
    assert "Look for a missing condition" in str(warning.message)


@pytest.mark.parametrize("options", [{}, {"features": 40, "estimate": False}, {"tol": 1e-6}])
def test_a_solution_to_be_trusted_does_not_warn(options):
    assert not recorded(lambda: fens.solve(WHOLE, **options))


def test_growth_and_solving_again_warn_once(doubtful):
    for call in (lambda: fens.solve(HALF, max_features=60), lambda: fens.solve_again(doubtful)):
        (warning,) = recorded(call)
        assert warning.filename == __file__


def test_each_solution_of_a_continuation_warns():
    found = recorded(lambda: fens.continuation(lambda value: HALF, [1.0, 2.0], features=30))
    assert [w.filename for w in found] == [__file__] * 2


def test_blocks_of_time_warn_once():
    assert [w.category for w in recorded(marched)] == [fens.UnreliableWarning]


def test_the_warning_can_be_an_error_or_ignored():
    with warnings.catch_warnings():
        warnings.simplefilter("error", fens.UnreliableWarning)
        with pytest.raises(fens.UnreliableWarning, match="unreliable"):
            fens.solve(HALF, features=30)
        warnings.simplefilter("ignore", fens.UnreliableWarning)
        fens.solve(HALF, features=30)


def test_a_tolerance_that_is_not_met_is_an_error_and_no_warning():
    with pytest.raises(fens.ToleranceNotMet):
        fens.solve(HALF, tol=1e-6, max_features=60)


def test_which_verdicts_are_trusted(doubtful, sound):
    assert sound.error.trusted
    assert sound.doubt == sound.mark == ""
    assert sound.expected_error == sound.error.estimate
    for verdict in UNTRUSTED:
        solution = replace(doubtful, error=replace(doubtful.error, verdict=verdict, estimate=1e-9))
        assert not solution.error.trusted
        assert not solution.meets(1.0)
        assert solution.doubt.startswith(f"{verdict}: ")
        assert verdict.upper() in repr(solution).splitlines()[0]
    assert set(UNTRUSTED) == {"unreliable", "inconsistent"}


def test_an_iteration_that_failed_without_an_estimate_is_in_doubt(doubtful):
    failed = replace(doubtful, error=None, stats=replace(doubtful.stats, status="failed", advice="Start elsewhere."))
    assert failed.doubt == "not converged: Start elsewhere."


def test_text_shows_it(doubtful, sound):
    assert repr(doubtful).splitlines()[0].endswith("— UNRELIABLE")
    assert "UNRELIABLE" not in repr(sound)
    assert ">unreliable</strong>" in doubtful._repr_html_()
    assert ">unreliable</strong>" not in sound._repr_html_()


def test_numbers_show_it(found_number, sound):
    assert repr(found_number[k]).endswith("(unreliable)")
    assert str(found_number[k]).endswith("(unreliable)")
    assert float(found_number[k]) == found_number[k]
    assert repr(pickle.loads(pickle.dumps(found_number[k]))).endswith("(unreliable)")


def test_pictures_show_it(doubtful, sound, found_number, tmp_path):
    for solution, red in ((doubtful, True), (found_number, True), (sound, False)):
        solution.plot(tmp_path / "u.png")
        assert (red_pixels(tmp_path / "u.png") > 300) is red
        solution.plot_error({u: sp.sin(x)}, tmp_path / "e.png")
        assert (red_pixels(tmp_path / "e.png") > 300) is red


def test_films_show_it(tmp_path):
    with pytest.warns(fens.UnreliableWarning):
        marched().animate(t, tmp_path / "h.gif", frames=2)
    assert red_pixels(tmp_path / "h.gif") > 300


def test_tables_show_it(doubtful, sound, tmp_path):
    doubtful.to_csv(tmp_path / "u.csv", 3)
    with (tmp_path / "u.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["x", "u (unreliable)"]
    assert len(rows) == 4
    sound.to_csv(tmp_path / "v.csv", 3)
    assert (tmp_path / "v.csv").read_text().splitlines()[0] == "x,u"


def test_datasets_meshes_and_reports_show_it(doubtful, sound, tmp_path):
    pytest.importorskip("xarray")
    assert doubtful.to_xarray(3).attrs["warning"].startswith("The solution is unreliable")
    assert "warning" not in sound.to_xarray(3).attrs
    meshio = pytest.importorskip("meshio")
    for solution, shown in ((doubtful, True), (sound, False)):
        (path,) = solution.to_vtk(tmp_path / "u.vtu")
        assert ('Name="unreliable"' in path.read_text()) is shown
        assert "u" in meshio.read(path).point_data
        solution.report(tmp_path / "u.html")
        assert ('class="verdict bad"' in (tmp_path / "u.html").read_text()) is shown


def test_files_keep_it(doubtful, tmp_path, capsys):
    doubtful.save(tmp_path / "u.fens")
    assert fens.load(tmp_path / "u.fens").doubt == doubtful.doubt
    assert main(["export", str(tmp_path / "u.fens"), "--to", "csv", "--output", str(tmp_path / "u.csv")]) == 3
    assert "The solution is unreliable" in capsys.readouterr().err
    assert main(["info", str(tmp_path / "u.fens")]) == 0
    assert "unreliable" in capsys.readouterr().out
