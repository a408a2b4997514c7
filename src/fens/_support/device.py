"""Where numbers are: the only place that knows of devices, and the only one that moves anything between them.

Points, coefficients and right-hand sides go to the device once, when equations are placed or linearised; matrices are
made there and never leave it. What comes back are vectors: values of functions at points, which formulas need.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..errors import SettingError, quoted


@cache
def guard_forks() -> None:
    """From now on, let forked processes compute with one thread.

    A fork copies one thread only. PyTorch's others, once they were used, are waited for in the copy for ever.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: torch.set_num_threads(1))


def device_of(name: str) -> torch.device:
    """The device of a name, if fens can compute there."""
    guard_forks()
    try:
        device = torch.device(name)
    except (RuntimeError, TypeError, ValueError) as error:
        raise SettingError(f"device must be 'cpu' or 'cuda'; got {quoted(name)}.") from error
    if device.type == "mps":
        raise SettingError("device 'mps' has no float64, which fens computes in; use 'cpu'.")
    if device.type not in ("cpu", "cuda"):
        raise SettingError(f"device must be 'cpu' or 'cuda'; got {quoted(name)}.")
    if device.type == "cuda" and not torch.cuda.is_available():
        raise SettingError("device 'cuda' was asked for, but PyTorch sees no CUDA device here; use 'cpu'.")
    return device


def to_device(values: Any, device: torch.device) -> Tensor:
    """An array on a device; without a copy if it is there."""
    guard_forks()
    return torch.as_tensor(values, device=device)


def to_host(values: Tensor) -> np.ndarray:
    """The array of a tensor, in memory that NumPy can reach; without a copy if it is there."""
    return np.asarray(values.detach().cpu())
