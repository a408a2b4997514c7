"""The benchmarks against peers, without the peers: points, lines, the order of turns, the page from made-up results."""

import importlib
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks" / "peers"
PEERS = ("fastlsq_solver", "pyrfm_solver", "deepxde_solver")


@pytest.fixture
def modules(monkeypatch):
    """The modules of the benchmark by name; they import each other as scripts do."""
    monkeypatch.syspath_prepend(str(FOLDER))
    names = [p.stem for p in FOLDER.glob("*.py")]
    yield importlib.import_module
    for name in names:
        sys.modules.pop(name, None)


def record(solver, problem, mode, error, seconds, **more):
    return {
        "key": f"{solver}{problem}{mode}{more.get('repeat', 0)}",
        "solver": solver,
        "problem": problem,
        "mode": mode,
        "repeat": 0,
        "date": "2026-01-01",
        "spent": 2 * seconds,
        "cores": "2",
        "processor": "a processor",
        "threads": "all cores",
        "python": "3.11",
        "versions": {solver: "1.0"},
        "settings": {},
        "error": error,
        "seconds": seconds,
        "calls": [2 * seconds, seconds],
        "features": 400,
        "rows": 1000,
        "estimate": 2 * float(error),
        **more,
    }


def test_points_are_where_the_problem_is(modules):
    for problem in modules("problems").PROBLEMS.values():
        x = problem.test_points()
        low, high = np.array(problem.bounds).T
        assert len(x) > problem.points / 2
        assert ((low <= x) & (x <= high)).all()
        assert problem.inside(x).all()
        assert problem.error(problem.exact) == 0
        assert problem.error(lambda p: np.full(len(p), np.nan)) == math.inf


def test_every_solver_states_every_problem_or_says_why_not(modules):
    sources, child, problems = modules("sources"), modules("child"), modules("problems")
    for module in child.MODULES.values():
        unavailable = sources.constant(module, "UNAVAILABLE")
        assert sources.constant(module, "DEFAULTS")
        for name in problems.PROBLEMS:
            assert (name in unavailable) != (sources.lines(module, name) > 0), (module, name)


def test_lines_are_counted_by_the_rule(modules, tmp_path, monkeypatch):
    sources = modules("sources")
    (tmp_path / "toy.py").write_text(
        'HARNESS = ("watch",)\n\ndef watch():\n    pass\n\ndef helper(n):\n    """What it does."""\n    return n\n\n'
        "def problem(n=1):\n    import os  # not counted\n\n    # a comment\n    watch()\n"
        "    return helper(\n        n\n    )\n"
    )
    monkeypatch.setattr(sources, "FOLDER", tmp_path)
    assert sources.lines("toy", "problem") == 5 + 2


def test_solvers_take_turns(modules):
    run = modules("run")
    order = [j for j in run.jobs(["helmholtz", "poisson_10d"], ["fens", "fastlsq", "scikit-fem"]) if not j.repeat]
    assert [(j.solver, j.mode) for j in order[:5]] == [
        ("fens", "default"), ("fastlsq", "default"), ("scikit-fem", "default"),
        ("fens", "tol=1e-3"), ("fastlsq", "tuned"),
    ]  # fmt: skip
    assert not [j for j in order if j.problem == "poisson_10d" and j.solver == "scikit-fem"]
    assert len({j.key for j in run.jobs(["helmholtz"], ["fens", "fastlsq"])}) == 5 + 2 + 5 + 1


def test_one_job_from_end_to_end(modules, tmp_path):
    run = modules("run")
    found = run.run_job(run.Job("chebyshev", "helmholtz", "tuned"), sys.executable)
    assert min(r["error"] for r in found) < 1e-11
    assert all(r["seconds"] > 0 for r in found)
    file = tmp_path / "folder" / "results.jsonl"
    run.append(file, found)
    with file.open("a") as f:
        f.write('{"cut off')
    assert run.read(file) == found


def test_numbers_that_are_not_finite_survive_json(modules):
    found = modules("child").plain({"error": math.inf, "curve": [(1.0, math.nan)], "seconds": 2.0})
    assert found == {"error": "inf", "curve": [[1.0, "nan"]], "seconds": 2.0}


def test_a_process_that_fails_says_why(modules):
    run = modules("run")
    (found,) = run.run_job(run.Job("no such solver", "helmholtz", "default"), sys.executable)
    assert "KeyError" in found["failure"]


@pytest.mark.parametrize("name", ["helmholtz", "heat", "burgers", "poisson_5d", "poisson_10d", "holed_square"])
def test_the_yardstick_solves_every_problem(modules, name):
    chebyshev, problem = modules("chebyshev"), modules("problems").PROBLEMS[name]
    small = {"helmholtz": 20, "heat": 8, "burgers": 48, "poisson_5d": 6, "poisson_10d": 3, "holed_square": 12}
    bound = {
        "helmholtz": 1e-6,
        "heat": 1e-6,
        "burgers": 0.05,
        "poisson_5d": 1e-7,
        "poisson_10d": 1e-5,
        "holed_square": 1e-8,
    }
    more = {"tol": 1e-5} if name == "burgers" else {}
    assert problem.error(chebyshev.predictor(getattr(chebyshev, name)(small[name], **more))) < bound[name]


def made_up():
    curve = [(1.0, 0.1), (5.0, 1e-4)]
    return [
        record("fens", "helmholtz", "default", 1e-14, 0.5),
        record("fens", "helmholtz", "tol=1e-3", 1e-10, 0.1),
        record("fens", "helmholtz", "tol=1e-9", 1e-10, 0.2, sizes=[[400, 1e-9]], rounds=0, passes={"scale": 0.15}),
        record("fastlsq", "helmholtz", "default", 1e-10, 0.5),
        record("fastlsq", "helmholtz", "tuned", 1e-11, 0.05, settings={"scale": 3.0}),
        record("fastlsq", "helmholtz", "tuned", 1e-5, 0.01, settings={"scale": 1.0}),
        record("deepxde", "helmholtz", "default", 1e-5, 60.0, curve=curve),
        record("fens", "burgers", "default", 1e-2, 9.0),
        record("pyrfm", "burgers", "default", 1e-10, 30.0),
        record("pyrfm", "poisson_5d", "default", "inf", 1.0),
        {**record("pyrfm", "heat", "default", 0, 0), "failure": "MemoryError: too large"},
    ]


def test_times_to_reach_and_duels(modules):
    summary = modules("summary")
    found = summary.entries(made_up())
    by = {(e.solver, e.problem, e.tuned): e for e in found}
    ours, tuned = by["fens", "helmholtz", False], by["fastlsq", "helmholtz", True]
    assert [ours.time_to(v) for v in (1e-3, 1e-9, 1e-12)] == [0.1, 0.2, 0.5]  # a tolerance counts for itself and above
    assert tuned.time_to(1e-3) == 0.01
    assert tuned.best.error == 1e-11
    assert by["deepxde", "helmholtz", False].time_to(1e-3) == 5.0
    assert by["deepxde", "helmholtz", False].time_to(1e-5) == 60.0
    lost = {(d.other.solver, d.other.tuned, d.level) for d in summary.duels(found) if d.lost}
    assert lost == {
        ("fastlsq", True, 1e-3), ("fastlsq", True, 1e-6), ("fastlsq", True, 1e-9),
        ("pyrfm", False, 1e-3), ("pyrfm", False, 1e-6), ("pyrfm", False, 1e-9),
    }  # fmt: skip
    missed = " ".join(summary.shortfalls(found))
    for words in ("fastlsq untuned 0.50 s", "fastlsq tuned 0.05 s", "Burgers: fens does not reach 1e-9"):
        assert words in missed


def test_repeats_are_one_run(modules):
    twice = [
        record("fens", "helmholtz", "default", e, s, repeat=k) for k, (e, s) in enumerate([(1e-9, 1.0), (3e-9, 2.0)])
    ]
    (run,) = modules("summary").runs(twice)
    assert (run.error, run.seconds) == (3e-9, 1.5)


def test_the_page(modules, tmp_path):
    report = modules("report")
    stale = {**record("fens", "helmholtz", "default", 1.0, 99.0), "key": "of other sources"}
    page = report.write([stale, *made_up()], tmp_path).read_text()
    for words in (
        "Where fens loses",
        "not available: meshes",
        "MemoryError: too large",
        "a processor",
        "It is not so here",
        "| Helmholtz | 400 | 0 | 0.20 | scale 0.15 |",
    ):
        assert words in page
    assert "99" not in page
    assert "| fens, automatic | 1.0e-14 | 0.50 | 1.00 | 0.10 | 0.20 | 0.20 | 0.50 |" in page
    assert "<svg" in (tmp_path / "peers.svg").read_text()
    assert len((tmp_path / "peers.jsonl").read_text().splitlines()) == len(made_up())
    assert json.loads((tmp_path / "peers.jsonl").read_text().splitlines()[0])["error"] == 1e-14
