"""The reproduction of the paper, on tiny cells."""

from dataclasses import replace

import pytest

from fens.reproduce import paper
from fens.reproduce.cells import Cell, cells
from fens.reproduce.experiments import EXPERIMENTS
from fens.reproduce.run import candidates, run_cell

TINY_POINTS = {1: (40,), 2: (9, 9), 3: (5, 5, 5)}


def tiny(cell):
    """The same cell with few features and points."""
    points = (60, 10) if cell.about.random else TINY_POINTS[len(cell.points)]
    return replace(cell, features=20, points=points, candidates=2, iterations=min(cell.iterations, 3))


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.name)
def test_a_tiny_cell_of_every_experiment_end_to_end(experiment):
    for column in ("paper", "fens"):
        cell = next(c for c in cells([experiment.name]) if c.column == column and c.activation == "cos")
        outcome = run_cell(tiny(cell) if column == "paper" else replace(cell, features=20))
        assert outcome["status"] == "done", outcome
        assert 0 < outcome["linf"] < 1e3
        assert 0 < outcome["finer_linf"] < 1e4
        assert outcome["rho"][0] > 0
