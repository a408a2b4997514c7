"""Values on a grid as a dataset of xarray's, and as a file of the kind netCDF."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._support.disk import atomic_write
from ...errors import MissingPackage
from .places import axes_of, checked_units, facts_of, numbers_of, rows_of, values_at

if TYPE_CHECKING:
    from xarray import Dataset


def to_xarray(solution: Any, points: Any, units: Mapping[Any, str] | None) -> Dataset:
    """A variable for each unknown, complex or not, along the coordinates; NaN outside the domain."""
    xarray = _xarray()
    axes, unit = axes_of(solution.problem, points), checked_units(solution.problem, units)
    shape = tuple(a.size for a in axes.values() if a.ndim)
    along = [str(x) for x, a in axes.items() if a.ndim]
    values = {name: v.reshape(shape) for name, v in values_at(solution, rows_of(axes)).items()}
    variables: dict[str, Any] = {name: (along, v) for name, v in _joined(solution, values).items()}
    for number, value in numbers_of(solution).items():
        variables[str(number)] = ((), float(value), {"standard_deviation": value.std})
    coordinates = {str(x): ((str(x),) if a.ndim else (), a) for x, a in axes.items()}
    dataset = xarray.Dataset(variables, coordinates, facts_of(solution))
    for name, text in unit.items():
        dataset[name].attrs["units"] = text
    return dataset  # type: ignore[no-any-return]


def to_netcdf(solution: Any, path: str | Path, points: Any, units: Mapping[Any, str] | None) -> None:
    """The same as a file, in which complex unknowns are two variables."""
    dataset = to_xarray(solution, points, units)
    for name in [str(n) for n, v in dataset.data_vars.items() if np.iscomplexobj(v)]:
        whole_one = dataset[name]
        dataset = dataset.drop_vars(name).assign({f"{name}_re": whole_one.real, f"{name}_im": whole_one.imag})
        for part in ("re", "im"):
            dataset[f"{name}_{part}"].attrs.update(whole_one.attrs)
    content = bytes(dataset.to_netcdf(engine="scipy"))
    with atomic_write(path) as temporary:
        temporary.write_bytes(content)


def _joined(solution: Any, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Complex values from their parts."""
    found = {}
    for unknown in solution.problem.unknowns:
        name = getattr(type(unknown), "__name__", "")
        if name in values:
            found[name] = values[name]
        elif f"{name}_re" in values:
            found[name] = values[f"{name}_re"] + 1j * values[f"{name}_im"]
    return found


def _xarray() -> Any:
    try:
        return importlib.import_module("xarray")
    except ImportError as error:
        raise MissingPackage("Datasets need the library xarray; install it by: pip install 'fens[export]'.") from error
