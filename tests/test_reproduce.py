"""The reproduction of the paper: tiny cells, the file of results, and the page."""

import ast
import json
import math
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

import fens
from fens.cli.app import main
from fens.errors import MissingPackage, SettingError
from fens.reproduce import cells as cells_module
from fens.reproduce import command, frequency, paper, run
from fens.reproduce import fingerprint as fingerprint_module
from fens.reproduce.cells import ALL, EXPLICIT, UNMAPPED, Cell, cells, papers_cell
from fens.reproduce.claims import claims
from fens.reproduce.comparison import (
    coverage,
    fens_at_or_below,
    found_in,
    latest,
    orderings,
    pairs,
    paper_within_tenfold,
)
from fens.reproduce.experiments import ACTIVATIONS, BY_NAME, EXPERIMENTS, FEN
from fens.reproduce.fem import solve_helmholtz
from fens.reproduce.fingerprint import agree, fingerprint, fingerprints
from fens.reproduce.report import write_report
from fens.reproduce.results import Results
from fens.reproduce.run import run_cell, walk

pytestmark = pytest.mark.filterwarnings("ignore::fens.UnreliableWarning")  # some have nothing to trust
TINY_POINTS = {1: (150,), 2: (9, 9), 3: (7, 7, 7)}
COMMITTED = Path(__file__).parents[1] / "docs" / "results"


@pytest.fixture(autouse=True)
def word(monkeypatch):
    """No canaries are solved, but where they are what is tested."""
    monkeypatch.setattr(command, "fingerprint", lambda folder: "word")


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
        results.append(cell, outcome, "word")
    page = write_report(results, tmp_path).read_text()
    assert experiment.title in page


def test_column_paper_is_algorithm_1_with_the_papers_settings():
    cell = Cell("helmholtz2d", "paper", "cos", 400, 60, (21, 21), 3)
    outcome = run_cell(cell)
    known = BY_NAME["helmholtz2d"].known(400)
    settings = {"features": 60, "points": fens.Grid(21), "weights": "unit", "solver": "gels", "estimate": False}
    by_hand = [fens.solve(known.problem, scale=rho, **settings) for rho, *_ in outcome["tried"]]
    residuals = [s.stats.residual for s in by_hand]
    assert [loss for _, loss, _, _ in outcome["tried"]] == pytest.approx(residuals, rel=1e-5)
    assert [rank for *_, rank in outcome["tried"]] == [s.stats.rank for s in by_hand]
    assert outcome["rho"][0] == outcome["tried"][residuals.index(min(residuals))][0]
    assert outcome["linf"] == by_hand[residuals.index(min(residuals))].compare(known.exact, fens.Grid(101)).linf


def test_column_paper_makes_all_picard_iterations_and_keeps_the_last(monkeypatch):
    solved = []
    monkeypatch.setattr(fens, "solve", lambda *a, solve=fens.solve, **k: solved.append(solve(*a, **k)) or solved[-1])
    outcome = run_cell(Cell("nonlinear_helmholtz", "paper", "cos", 400, 60, (150,), 1, 30))
    states = solved[0].stats.iterations
    assert outcome["steps"] == len(states) == 31
    assert solved[0].weights.equal(states[-1].weights)


@pytest.mark.parametrize(("variant", "option"), [(EXPLICIT, "nonlinear"), (UNMAPPED, "affine")])
def test_a_variant_is_another_option(monkeypatch, variant, option):
    asked = []
    monkeypatch.setattr(fens, "solve", lambda *a, solve=fens.solve, **k: asked.append(k) or solve(*a, **k))
    for own in ("", variant):
        run_cell(Cell("burgers", "paper", "cos", 900, 20, (9, 9), 1, 2, variant=own))
    one, other = asked
    assert {k for k in other if one.get(k) != other[k] and k != "points"} == {option}


def test_laps_that_are_killed_end_with_the_same_bits(tmp_path, monkeypatch):
    cell = Cell("burgers", "paper", "cos", 900, 30, (9, 9), 1, 25)
    whole, solve, calls = run_cell(cell), run._solve, []

    def killed(*args, **options):
        calls.append(options)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return solve(*args, **options)

    monkeypatch.setattr(cells_module, "LONG", 0.0)
    monkeypatch.setattr(run, "_solve", killed)
    with pytest.raises(KeyboardInterrupt):
        run_cell(cell, folder=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    again = run_cell(cell, folder=tmp_path)
    assert len(calls) == 4
    assert not list(tmp_path.iterdir())
    for quantity in ("linf", "l2", "finer_linf", "residual", "tried", "steps"):
        assert again[quantity] == whole[quantity]


def test_exhaustive_means_every_candidate(monkeypatch):
    monkeypatch.setattr(paper, "search", lambda table, activation: paper.Search(0, 3, 0.5))
    outcome = run_cell(Cell("function2d", "paper", "cos", 400, 20, (9, 9), ALL))
    assert [rho for rho, *_ in outcome["tried"]] == [0.5, 1, 1.5, 2, 2.5, 3]


def test_a_search_that_is_killed_goes_on_with_the_next_candidate(tmp_path, monkeypatch):
    monkeypatch.setattr(paper, "search", lambda table, activation: paper.Search(0, 3, 0.5))
    cell, solve, calls = Cell("function2d", "paper", "cos", 400, 20, (9, 9), ALL), run._solve, []
    whole = run_cell(cell)

    def killed(*args, **options):
        calls.append(options["scale"])
        if len(calls) == 5:
            raise KeyboardInterrupt
        return solve(*args, **options)

    monkeypatch.setattr(run, "_solve", killed)
    with pytest.raises(KeyboardInterrupt):
        run_cell(cell, folder=tmp_path)
    (kept,) = tmp_path.iterdir()
    kept.write_text(kept.read_text() + "[2.5, 0.1")  # cut off
    calls.append(None)
    monkeypatch.setattr(run, "_solve", lambda *a, **k: calls.append(k["scale"]) or 1 / 0)
    with pytest.raises(ZeroDivisionError):  # and once more
        run_cell(cell, folder=tmp_path)
    monkeypatch.setattr(run, "_solve", killed)
    again = run_cell(cell, folder=tmp_path)
    assert calls[:8] == [0.5, 1.0, 1.5, 2.0, 2.5, None, 2.5, 2.5]
    assert not list(tmp_path.iterdir())
    for quantity in ("linf", "rho", "tried", "residual"):
        assert again[quantity] == whole[quantity]


def test_the_search_from_coarse_to_fine_walks_to_the_least_loss():
    tried = {}

    def loss(rho):
        tried[rho] = abs(math.log(rho / 13))
        return tried[rho]

    walk(paper.search("helmholtz2d", "cos"), 5.6, 12, loss)
    assert next(iter(tried)) == 5.6
    assert abs(math.log2(min(tried, key=tried.get) / 13)) < 0.1
    assert len(tried) <= 12


def test_candidates_without_a_solution_are_passed_over(monkeypatch):
    def solve(cell, known, *, scale, solve=run._solve, **options):
        if scale > 6:
            raise SettingError("singular")
        return solve(cell, known, scale=scale, **options)

    monkeypatch.setattr(run, "_solve", solve)
    outcome = run_cell(Cell("helmholtz2d", "paper", "cos", 400, 20, (9, 9), 3))
    assert outcome["status"] == "done"
    assert max(loss for _, loss, _, _ in outcome["tried"]) == math.inf
    assert outcome["rho"][0] <= 6


def test_a_sweep_covers_the_range_and_goes_beyond_it_for_ranks():
    for name, most in (("function2d", 10), ("poisson_oscillating", 40)):
        points = TINY_POINTS[len(BY_NAME[name].full.points)]
        scales = [rho for rho, *_ in run_cell(Cell(name, "sweep", "tanh", 400, 20, points, 5))["tried"]]
        assert scales == sorted(scales)
        assert scales[-1] == most


def test_in_many_dimensions_errors_are_at_points_that_no_solve_has_seen():
    known = BY_NAME["poisson_highdim"].known(5)
    drawn = np.array(list(run._independent(known, (1000, 20)).values()))
    assert drawn.shape == (5, 1100)
    on_boundary = (np.abs(drawn) == 1).sum(0)
    assert (on_boundary[:1000] == 0).all()
    assert (on_boundary[1000:] == 1).all()
    outcome = run_cell(Cell("poisson_highdim", "fens", "cos", 5, 60))
    assert outcome["linf"] == outcome["finer_linf"] != outcome["own_linf"]
    assert outcome["used"] <= 60


def test_frequencies_of_cosines_are_resolved_up_to_the_scale_and_not_beyond():
    errors = frequency.response("cos", 200, 50.0, 0)
    assert errors[frequency.FREQUENCIES < 60].max() < 1e-9
    assert errors[frequency.FREQUENCIES > 110].min() > 1e-2
    assert frequency.response("tanh", 200, 50.0, 0)[frequency.FREQUENCIES < 60].max() > 1e-6
    cosines = frequency.matrix("cos_sin", 6, 2.0, 0, np.zeros(1))
    assert cosines.shape == (1, 6)


def test_finite_elements_converge_with_the_third_power():
    exact = BY_NAME["helmholtz2d"].known(0).exact
    coarse, fine = solve_helmholtz(exact, 10), solve_helmholtz(exact, 20)
    assert 2.7 < math.log2(coarse["finer_l2"] / fine["finer_l2"]) < 3.3
    assert fine["dof"] == 41**2


def test_the_key_is_the_settings():
    cell = Cell("heat", "paper", "cos", 400, 400, (26, 26, 26), 4)
    assert cell.key == replace(cell).key
    for change in ({"seed": 1}, {"points": (51, 51, 51)}, {"candidates": 5}, {"activation": "sin"}, {"column": "fens"}):
        assert replace(cell, **change).key != cell.key, change


def test_the_table_of_cells():
    quick, full = cells(), cells(full=True)
    assert {c.experiment for c in quick} == set(BY_NAME)
    assert len({c.key for c in full}) == len(full)
    assert [c.turn for c in full] == sorted(c.turn for c in full)
    for experiment in EXPERIMENTS:
        whole = {papers_cell(experiment, experiment.full, a, s) for a in ACTIVATIONS for s in experiment.full.sizes}
        assert whole <= set(full)
        places = {(c.activation, c.size) for c in full if c.experiment == experiment.name and c.column == "fens"}
        assert len(places) == 24
    assert {c.iterations for c in full if c.column == "paper"} == {0, 100}
    assert {(c.experiment, c.size) for c in full if c.candidates == ALL} == {
        (e.name, size) for e in EXPERIMENTS for size in e.full.exhaustive
    }
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
    assert "15.0 GiB" in outcome["why"]


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
    common = dict.fromkeys(("linf", "l2", "finer_linf", "finer_l2", "own_linf"), error)
    tried = [[rho, error, error * (1 + 99 * abs(rho - 5)), 100.0] for rho in map(float, range(1, 11))]
    return {
        "status": "done", **common, "rho": [1.0, 2.0], "tried": tried, "seconds": 1.0, "cpu": 0.5, "dof": 25, "rank": 9,
        "cpu_of_one": 0.1 if cell.activation in FEN else 0.2, "steps": 9, "spectrum": [1.0, 0.1], "threads": 1,
        "scales": [1.0, 2.0, 4.0], "frequencies": [1.0, 2.0, 4.0], "errors": [[1e-13, 1e-9, 1e-3]] * 3,
    }  # fmt: skip


def test_a_killed_run_goes_on_where_it_was(tmp_path, monkeypatch):
    calls = []

    def fake(cell, memory, folder):
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
    monkeypatch.setattr(command, "fingerprint", lambda folder: "another")  # the numbers have changed
    assert f"{len(wanted)} of {len(wanted)} cells are missing" in command.plan(wanted, results)
    command.run_missing(wanted[:1], results, 16, 1)
    assert len(calls) == len(wanted) + 2
    assert [f.stale for f in found_in(results.records())].count(False) == 1


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
    shared = {"date": "2026-01-01T00:00:00+00:00", "fingerprint": "f", "code": "0", "machine": {"processor": "none"}}
    lines = [{"key": "k", "cell": asdict(c), "outcome": made_up(c), **shared} for c in cells(full=True)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return Results(path)


def test_the_fractions_count_what_they_say(tmp_path):
    records = every_record(tmp_path).records()
    compared = pairs(found_in(records))
    good = fens_at_or_below(compared)
    assert (good.percent, len(good.of)) == (100, 10 * 3 * 4 - 4)  # ten tables that count, and a row left out
    assert paper_within_tenfold(compared).percent == 100
    assert all(o.holds for o in orderings(compared))
    assert [(c.whole, c.of, c.missing) for c in coverage(compared)] == [(236, 236, ())] * 2
    for r in records:
        if r["cell"]["experiment"] == "heat" and r["cell"]["activation"] == "cos":
            r["outcome"]["linf"] *= 11
    compared = pairs(found_in(records))
    assert len(fens_at_or_below(compared).misses) == len(paper_within_tenfold(compared).misses) == 4


def test_what_is_missing_is_told_with_its_hours(tmp_path):
    records = [r for r in every_record(tmp_path).records() if r["cell"]["experiment"] != "burgers"]
    for c in coverage(pairs(found_in(records))):
        assert (c.whole, c.of, {m.experiment for m in c.missing}) == (212, 236, {"burgers"})
        assert c.hours > 0.1


def test_every_claim_has_a_verdict_and_figures(tmp_path):
    found = found_in(every_record(tmp_path).records())
    told = list(claims(pairs(found), list(latest(found).values())))
    assert len(told) >= 14
    assert all(c.holds is not None and c.found for c in told), [c.says for c in told if c.holds is None]
    assert any(c.holds for c in told)
    assert {c.holds for c in claims(pairs([]), [])} == {None}


def test_seeds_are_compared_like_beside_like(tmp_path):
    found = found_in(every_record(tmp_path).records())
    for f in found:
        if (f.cell.experiment, f.cell.column, f.cell.activation, f.cell.size) == ("diffusion", "paper", "cos", 900):
            f.record["outcome"]["linf"] = 1.0 + f.cell.seed if f.cell.candidates != ALL else 100.0
    pair = next(p for p in pairs(found) if (p.experiment.name, p.activation, p.size) == ("diffusion", "cos", 900))
    assert pair.own("paper") == 100
    assert pair.spread("paper") == (3, 1, 5, 5)
    assert pair.spread("fens")[3] == 5


def test_the_cell_nearest_to_the_paper_is_shown():
    def record(features, linf):
        cell = Cell("poisson_highdim", "paper", "cos", 5, features, (50_000, 1000))
        return {"key": "k", "cell": asdict(cell), "outcome": {"status": "done", "linf": linf}}

    for records in ([record(1000, 1.0), record(10_000, 2.0)], [record(10_000, 2.0), record(1000, 1.0)]):
        (found,) = latest(found_in(records)).values()
        assert found.get("linf") == 2.0
    assert latest(found_in([record(1000, 1.0)])).popitem()[1].thinned == ("1,000 features in place of 10,000",)


def test_the_committed_page_comes_from_the_committed_results(tmp_path):
    for name in ("results.jsonl", "fingerprints.json"):
        (tmp_path / name).write_bytes((COMMITTED / name).read_bytes())
    write_report(Results(tmp_path / "results.jsonl"), tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {p.name for p in COMMITTED.iterdir()}
    for path in COMMITTED.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


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
    assert "236 of 236" in page


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "run_cell", lambda cell, memory, folder: made_up(cell))
    assert main(["reproduce", "--report", "--folder", str(tmp_path)]) == 1
    assert main(["reproduce", "diffusion", "--workers", "1", "--folder", str(tmp_path)]) == 0
    assert (tmp_path / "report.html").exists()
    assert main(["reproduce", "diffusion", "--plan", "--folder", str(tmp_path)]) == 0
    assert "Fingerprint word: 0 of" in capsys.readouterr().out
    assert main(["reproduce", "nothing", "--folder", str(tmp_path)]) == 1
    assert "There is no experiment 'nothing'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([])


# ---- the fingerprint


def test_the_fingerprint_is_kept_while_numbers_differ_by_rounding_only(tmp_path):
    before = {"an error": 0.0123456, "round-off": 3e-15}
    first = fingerprint(tmp_path, before)
    assert fingerprint(tmp_path, {"an error": 0.0123456 * (1 + 1e-6), "round-off": 9e-15}) == first
    assert list(fingerprints(tmp_path)) == [first]
    for changed in ({"an error": 0.012357}, {"round-off": 3e-12}, {"more": 1.0}):
        assert not agree(before, {**before, **changed}), changed
    second = fingerprint(tmp_path, {**before, "an error": 0.02})
    assert second != first
    assert fingerprint(tmp_path, before) == first  # the code has been changed back


def test_canaries_are_numbers_and_most_are_far_above_rounding():
    found = fingerprint_module.canaries()
    assert set(fingerprint_module.CANARIES) <= set(found)
    assert all(0 < value < 1e3 for value in found.values())
    assert sum(value > fingerprint_module.ROUND_OFF for value in found.values()) > len(found) / 2


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
