"""The reproduction of the paper: tiny cells, the file of results, and the page."""

import ast
import json
import math
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

import fens
from fens.cli.app import main
from fens.errors import MissingPackage, SettingError
from fens.reproduce import cells as cells_module
from fens.reproduce import command, paper, run
from fens.reproduce.cells import Cell, cells
from fens.reproduce.comparison import fens_at_or_below, latest, orderings, pairs, paper_within_tenfold
from fens.reproduce.experiments import ACTIVATIONS, BY_NAME, EXPERIMENTS, FEN
from fens.reproduce.fem import solve_helmholtz
from fens.reproduce.report import write_report
from fens.reproduce.results import Results
from fens.reproduce.run import run_cell, thinned_search

pytestmark = pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")  # some have nothing to trust
TINY_POINTS = {1: (150,), 2: (9, 9), 3: (7, 7, 7)}


def tiny(cell):
    """The same cell with few features and points."""
    if cell.column == "fens":
        return replace(cell, features=20)
    points = (60, 10) if cell.about.random else TINY_POINTS[len(cell.points)]
    return replace(cell, features=20, points=points, candidates=2, iterations=min(cell.iterations, 3))


# ---- the paper's numbers


def test_every_table_of_the_paper_is_there():
    assert len(paper.numbers()) == 931
    assert paper.number("function2d", "cos_sin", 1600, "linf") == 6.4756e-15
    assert paper.number("helmholtz2d_tanh", "cos", 400, "linf") is None  # a row that the paper leaves out


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.name)
def test_experiments_have_the_sizes_and_searches_of_the_tables(experiment):
    for activation in ACTIVATIONS:
        assert len(paper.search(experiment.table, activation)) >= 100
        for size in experiment.full.sizes:
            assert paper.number(experiment.table, activation, size, "rho_opt") is not None
    assert len(experiment.full.sizes) == 4
    assert set(experiment.quick.sizes) < set(experiment.full.sizes)


def test_candidates_are_those_of_the_papers_grid():
    found = paper.search("burgers", "cos")
    assert (found.nearest(0.0), found.nearest(44.6), found.nearest(1e9)) == (1.0, 45.0, 150.0)


# ---- cells


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.name)
def test_a_tiny_cell_of_every_experiment_end_to_end(experiment, tmp_path):
    results = Results(tmp_path / "results.jsonl")
    for column in ("paper", "fens"):
        cell = tiny(next(c for c in cells([experiment.name]) if c.column == column and c.activation == "cos"))
        outcome = run_cell(cell)
        assert outcome["status"] == "done", outcome
        assert outcome["finer_linf"] > 0
        assert outcome["l2"] > 0
        assert math.isfinite(outcome["linf"])
        assert outcome["rho"][0] > 0
        results.append(cell, outcome)
    page = write_report(results, tmp_path).read_text()
    assert experiment.title in page


def test_column_paper_is_algorithm_1_with_the_papers_settings():
    cell = Cell("helmholtz2d", "paper", "cos", 400, 60, (21, 21), 3)
    outcome = run_cell(cell)
    known = BY_NAME["helmholtz2d"].known(400)
    by_hand = [
        fens.solve(known.problem, features=60, scale=rho, points=fens.Grid(21), weights="unit", estimate=False)
        for rho, _ in outcome["tried"]
    ]
    residuals = [s.stats.residual for s in by_hand]
    assert residuals == [loss for _, loss in outcome["tried"]]
    assert outcome["rho"][0] == outcome["tried"][residuals.index(min(residuals))][0]
    assert outcome["linf"] == by_hand[residuals.index(min(residuals))].compare(known.exact, fens.Grid(101)).linf


def test_exhaustive_means_every_candidate(monkeypatch):
    monkeypatch.setattr(paper, "search", lambda table, activation: paper.Search(0, 3, 0.5))
    outcome = run_cell(Cell("function2d", "paper", "cos", 400, 20, (9, 9), cells_module.ALL))
    assert [rho for rho, _ in outcome["tried"]] == [0.5, 1, 1.5, 2, 2.5, 3]


def test_the_thinned_search_walks_to_the_least_loss():
    cell = Cell("helmholtz2d", "paper", "cos", 400, 400, (101, 101), 12)  # the paper's own is 5.6
    tried = thinned_search(cell, lambda rho: abs(math.log(rho / 13)), lambda: 7.0)
    best, _ = min(tried, key=lambda pair: pair[1])
    assert [rho for rho, _ in tried[:2]] == [5.6, 7.0]
    assert abs(math.log2(best / 13)) < 0.1
    assert len(tried) <= 12
    assert len({rho for rho, _ in tried}) == len(tried)


def test_a_sweep_covers_the_range():
    outcome = run_cell(Cell("function2d", "sweep", "tanh", 400, 20, (9, 9), 5))
    assert [rho for rho, _, _ in outcome["swept"]] == sorted(rho for rho, _, _ in outcome["swept"])
    assert outcome["swept"][-1][0] == 10


def test_finite_elements_converge_with_the_third_power():
    exact = BY_NAME["helmholtz2d"].known(0).exact
    coarse, fine = solve_helmholtz(exact, 10), solve_helmholtz(exact, 20)
    assert 2.7 < math.log2(coarse["finer_l2"] / fine["finer_l2"]) < 3.3
    assert fine["dof"] == 41**2


def test_the_key_is_settings_and_code(monkeypatch):
    cell = Cell("heat", "paper", "cos", 400, 400, (26, 26, 26), 4)
    assert cell.key == replace(cell).key
    for change in ({"seed": 1}, {"points": (51, 51, 51)}, {"candidates": 5}, {"activation": "sin"}, {"column": "fens"}):
        assert replace(cell, **change).key != cell.key, change
    before = cell.key
    monkeypatch.setattr(cells_module, "code_version", lambda: "another")
    assert cell.key != before


def test_the_table_of_cells():
    quick, full = cells(), cells(full=True)
    assert {c.experiment for c in quick} == set(BY_NAME)
    assert len({c.key for c in full}) == len(full)
    assert [c.patience for c in full] == sorted(c.patience for c in full)
    for experiment in EXPERIMENTS:
        for column in ("paper", "fens"):
            own = {(c.activation, c.size) for c in full if c.experiment == experiment.name and c.column == column}
            assert len(own) == 24
    assert max(c.gibibytes for c in full) < 16
    with pytest.raises(SettingError, match="no experiment 'heaat'"):
        cells(["heaat"])


def test_rows_are_those_of_the_solve():
    for name in ("heat", "wave", "poisson_highdim", "nonlinear_helmholtz"):
        cell = tiny(next(c for c in cells([name]) if c.column == "paper" and c.activation == "cos"))
        assert abs(run_cell(cell)["rows"] / cell.rows - 1) < 0.1  # a grid's edges belong to two faces


def test_what_does_not_fit_is_skipped_with_a_reason():
    outcome = run_cell(Cell("poisson_highdim", "paper", "cos", 15, 10_000, (50_000, 1000)), memory=4.0)
    assert outcome["status"] == "skipped"
    assert "13.1 GiB" in outcome["why"]


def test_a_missing_package_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "skfem", None)
    outcome = run_cell(Cell("helmholtz2d", "fem", "fem", 0.1))
    assert outcome["status"] == "skipped"
    assert "pip install 'fens[reproduce]'" in outcome["why"]
    with pytest.raises(MissingPackage):
        solve_helmholtz(BY_NAME["helmholtz2d"].known(0).exact, 2)


# ---- results, and a run that is killed


def made_up(cell):
    """An outcome for a cell, without computing: the paper's error for FENs, and twice that for the others."""
    error = paper.number(cell.about.table, cell.activation, cell.size, "linf") or 1e-3
    error *= 1 if cell.activation in FEN else 2
    common = dict.fromkeys(("linf", "l2", "finer_linf", "finer_l2"), error)
    return {
        "status": "done", **common, "rho": [1.0, 2.0], "tried": [[1.0, 0.1]], "seconds": 1.0, "seconds_of_one": 0.5,
        "dof": 25, "swept": [[0.1, 1e-2, 1.0], [1.0, 1e-5, 1.0]],
    }  # fmt: skip


def test_a_killed_run_goes_on_where_it_was(tmp_path, monkeypatch):
    calls = []

    def fake(cell, memory):
        calls.append(cell.key)
        return made_up(cell)

    monkeypatch.setattr(command, "run_cell", fake)
    results = Results(tmp_path / "results.jsonl").prepared()
    wanted = cells(["wave"])
    command.run_missing(wanted[:7], results, 16, 1)
    whole = results.path.read_bytes()
    results.path.write_bytes(whole[:-40])  # killed while the seventh was written
    assert len(results.records()) == 6
    results.prepared()
    command.run_missing(wanted, results, 16, 1)
    assert calls == [c.key for c in wanted[:7]] + [c.key for c in wanted[6:]]
    assert len(results.records()) == len(wanted)
    command.run_missing(wanted, results, 16, 1)
    assert len(calls) == len(wanted) + 1


def test_workers_side_by_side_give_what_one_does(tmp_path):
    some = [Cell("heat", "fens", "cos", 400, n) for n in (20, 30)]
    found = []
    for workers in (1, 2):
        results = Results(tmp_path / f"{workers}.jsonl").prepared()
        command.run_missing(some, results, 16, workers)
        found.append({r["key"]: r["outcome"]["linf"] for r in results.records()})
    assert found[0] == pytest.approx(found[1], rel=1e-6)


def test_skipped_cells_are_written_once_and_tried_again(tmp_path):
    results, cell = Results(tmp_path / "r.jsonl").prepared(), Cell("heat", "fens", "cos", 400, 20)
    for memory, lines, status in ((1e-9, 1, "skipped"), (1e-9, 1, "skipped"), (16, 2, "done")):
        command.run_missing([cell], results, memory, 1)
        records = results.records()
        assert (len(records), records[-1]["outcome"]["status"]) == (lines, status)


def test_a_file_of_something_else_is_refused(tmp_path):
    results = Results(tmp_path / "results.jsonl")
    results.path.write_text('{"a": 1}\n')
    with pytest.raises(SettingError, match="Line 1 of"):
        results.records()


# ---- the page


def every_record(tmp_path):
    """A results file with every cell of a full run, made up."""
    path = tmp_path / "results.jsonl"
    shared = {"date": "2026-01-01T00:00:00+00:00", "code": "0+0", "machine": {"processor": "none"}}
    lines = [{"key": "k", "cell": asdict(c), "outcome": made_up(c), **shared} for c in cells(full=True)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return Results(path)


def test_the_fractions_count_what_they_say(tmp_path):
    records = every_record(tmp_path).records()
    compared = pairs(records)
    good = fens_at_or_below(compared)
    assert (good.percent, len(good.of)) == (100, 10 * 3 * 4 - 4)  # ten tables that count, and a row left out
    assert paper_within_tenfold(compared).percent == 100
    assert all(o.holds for o in orderings(compared))
    for r in records:
        if r["cell"]["experiment"] == "heat" and r["cell"]["activation"] == "cos":
            r["outcome"]["linf"] *= 11
    compared = pairs(records)
    assert len(fens_at_or_below(compared).misses) == len(paper_within_tenfold(compared).misses) == 4


def test_the_cell_nearest_to_the_paper_is_shown():
    def record(features, linf):
        cell = Cell("poisson_highdim", "fens", "cos", 5, features)
        return {"key": "k", "cell": asdict(cell), "outcome": {"status": "done", "linf": linf}}

    for records in ([record(1000, 1.0), record(10_000, 2.0)], [record(10_000, 2.0), record(1000, 1.0)]):
        (found,) = latest(records).values()
        assert found.get("linf") == 2.0
    assert latest([record(1000, 1.0)]).popitem()[1].thinned == ("1,000 features in place of 10,000",)


def test_the_report_is_self_contained_and_says_where_ours_disagrees(tmp_path):
    results = every_record(tmp_path)
    text = results.path.read_text().splitlines()
    bad = next(k for k, line in enumerate(text) if '"wave"' in line and '"fens"' in line and '"cos"' in line)
    record = json.loads(text[bad])
    record["outcome"]["linf"] = 123.0
    text[bad] = json.dumps(record)
    results.path.write_text("\n".join(text) + "\n")
    page = write_report(results, tmp_path).read_text()
    markdown = (tmp_path / "report.md").read_text()
    for words in ("Wave equation, cos, M = 400: `fens` has 1.2e+02", "FEN cells at or below the paper's"):
        assert words in markdown
    assert "http" not in page.replace("http://www.w3.org", "")
    assert page.count("<figure>") == markdown.count("![") >= len(EXPERIMENTS) + 1
    assert "Nothing" not in page


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "run_cell", lambda cell, memory: made_up(cell))
    assert main(["reproduce", "--report", "--folder", str(tmp_path)]) == 1
    assert main(["reproduce", "diffusion", "--workers", "1", "--folder", str(tmp_path)]) == 0
    assert (tmp_path / "report.html").exists()
    assert main(["reproduce", "nothing", "--folder", str(tmp_path)]) == 1
    assert "There is no experiment 'nothing'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([])


def test_only_the_public_interface_is_used():
    allowed = {"fens", "fens.zoo", "fens.errors"}
    for path in Path(run.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert (
                    node.level == 1
                    or (node.level == 0 and not node.module.startswith("fens."))
                    or (node.module in allowed)
                ), (path.name, node.module)
