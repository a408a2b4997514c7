"""Devices: one place knows of them, and matrices stay where they are made."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

import fens
from fens import zoo
from fens._support.device import device_of, to_device, to_host
from fens.errors import SettingError

ROOT = Path(fens.__file__).parent
MOVES = re.compile(r"\.cpu\(|\.cuda\(|\.numpy\(|\.to\(|device=(?!['\"])|torch\.device\(")


def test_only_one_module_moves_numbers_between_devices():
    found = {str(p.relative_to(ROOT)): MOVES.findall(p.read_text()) for p in ROOT.rglob("*.py")}
    assert [path for path, moves in found.items() if path.endswith("device.py") and moves] == ["_support/device.py"]
    assert {path: moves for path, moves in found.items() if not path.endswith("device.py") and moves} == {}


@pytest.mark.parametrize("known", [zoo.helmholtz(), zoo.bratu()], ids=lambda k: k.name)
def test_no_matrix_leaves_the_device_during_a_solve(monkeypatch, known):
    shapes, original = [], torch.Tensor.cpu
    monkeypatch.setattr(torch.Tensor, "cpu", lambda self: shapes.append(tuple(self.shape)) or original(self))
    solution = fens.solve(known.problem, features=100)
    assert shapes
    assert all(len(shape) < 2 or shape[1] < 20 for shape in shapes)  # values of a function, or of a few, at points
    assert max(shape[0] for shape in shapes if shape) < 20 * solution.stats.rows


def test_what_is_there_is_not_copied():
    array = np.arange(3.0)
    tensor = to_device(array, torch.device("cpu"))
    assert np.shares_memory(to_host(tensor), array)


@pytest.mark.parametrize(
    ("name", "words"),
    [("mps", "no float64"), ("tpu", "'cpu' or 'cuda'"), (7.5, "'cpu' or 'cuda'"), ("meta", "'cpu' or 'cuda'")],
)
def test_devices_that_will_not_do(name, words):
    with pytest.raises(SettingError, match=words):
        device_of(name)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is one")
def test_no_accelerator_is_said_plainly():
    with pytest.raises(SettingError, match="sees no CUDA device"):
        fens.solve(zoo.helmholtz().problem, device="cuda")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no accelerator")
@pytest.mark.parametrize("known", [zoo.helmholtz(), zoo.bratu()], ids=lambda k: k.name)
def test_the_same_answer_on_an_accelerator(known):
    here, there = (fens.solve(known.problem, features=400, device=device) for device in ("cpu", "cuda"))
    where = [np.linspace(0.1, 0.9, 50)] * len(known.problem.coordinates)
    assert np.abs(here(*where) - there(*where)).max() < 1e-11
