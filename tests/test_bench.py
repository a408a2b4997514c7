"""`fens bench`, and the arithmetic it counts."""

import json

import pytest
import sympy as sp
import torch

import fens
from fens._support.flops import Counted, multiply_rate, of_factorisation
from fens.cli import bench
from fens.cli.app import main
from fens.zoo import Known

x = sp.Symbol("x")
u = sp.Function("u")(x)


def tiny():
    rod = fens.Box({x: (0, 1)})
    return Known("tiny", fens.Problem({rod: sp.Eq(u.diff(x, 2), -2), rod.boundary: sp.Eq(u, 0)}), x * (1 - x))


@pytest.fixture
def small(monkeypatch):
    """One small problem in the place of all, a small product in the place of a large one, and few features."""
    solve = bench.solve
    monkeypatch.setattr(bench, "PROBLEMS", {"tiny": tiny, "same": tiny})
    monkeypatch.setattr(bench, "HANDFUL", ("tiny",))
    monkeypatch.setattr(bench, "multiply_rate", lambda: multiply_rate(50, 1))
    monkeypatch.setattr(bench, "solve", lambda problem, **options: solve(problem, **{**options, "features": 40}))


@pytest.mark.parametrize(("m", "n"), [(7, 3), (3, 7), (5, 5)])
def test_flops_of_a_factorisation_are_those_of_its_reflections(m, n):
    large, small = max(m, n), min(m, n)
    steps = sum(4 * (large - k) * (small - k) for k in range(small))  # a reflection of what is left, at each column
    assert of_factorisation(m, n) == pytest.approx(steps, rel=0.5)
    assert of_factorisation(1000 * m, 1000 * n) == pytest.approx(1e9 * of_factorisation(m, n))


def test_factorisations_and_products_are_counted():
    A = torch.rand(30, 10, dtype=torch.float64)
    with Counted() as counted:
        torch.geqrf(A)
        torch.linalg.qr(A, mode="r")
        torch.rand(10, 4, dtype=torch.float64).addmm_(A.T, A[:, :4])
        A.T @ A
    found = counted.flops
    assert found == 2 * of_factorisation(30, 10) + 2 * 30 * 10 * (4 + 10)
    torch.geqrf(A)
    assert counted.flops == found


def test_a_solve_makes_at_least_two_factorisations_of_its_rows():
    with Counted() as counted:
        stats = fens.solve(tiny().problem, features=60).stats
    assert counted.flops >= 2 * of_factorisation(stats.rows, stats.features)


def test_rate_of_products():
    assert 1e6 < multiply_rate(100, 2) < 1e14


def test_a_table(small, capsys):
    assert main(["bench", "tiny", "same"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "GFLOP/s" in lines[0]
    assert [line.split()[0] for line in lines[2:]] == ["problem", "tiny", "same"]
    assert float(lines[3].split()[3]) < 1e-8
    assert len({len(line) for line in lines[2:]}) == 1


def test_json(small, capsys):
    assert main(["bench", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (one,) = told["problems"]
    assert told["multiplication"] > 0
    assert one["features"] == 40
    assert one["flops"] > 0
    assert 0 < one["fraction"] < 1


def test_an_unknown_name(small, capsys):
    assert main(["bench", "nonsense"]) == 1
    assert "knows no problem 'nonsense'; it knows tiny, same" in capsys.readouterr().err


def test_what_was_finished_is_kept(small, monkeypatch, capsys):
    def stop():
        raise KeyboardInterrupt

    monkeypatch.setitem(bench.PROBLEMS, "same", stop)
    assert main(["bench", "tiny", "same", "--json"]) == 130
    out, err = capsys.readouterr()
    assert [p["problem"] for p in json.loads(out)["problems"]] == ["tiny"]
    assert "stopped" in err


def test_help_has_examples(capsys):
    with pytest.raises(SystemExit):
        main(["bench", "--help"])
    out = capsys.readouterr().out
    for words in (*bench.HANDFUL, "examples:", "--json"):
        assert words in out
