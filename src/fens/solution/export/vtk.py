"""Values on a mesh for ParaView: an unstructured grid in VTK's XML, or a series of them in time.

The format is a list of arrays with their names, so that it takes no library to write it.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from ..._support.disk import as_path, atomic_write
from ...errors import FileError, SettingError, UnsupportedEquation, quoted
from ...geometry import Cylinder, Domain
from .mesh import Mesh, grid_mesh, mesh_of
from .places import axes_of, check_size, facts_of, grid_of, numbers_of, values_at

INSTANTS = 41  # of a series, by default


def to_vtk(solution: Any, path: str | Path, points: Any) -> list[Path]:
    """Write a mesh with the values of all unknowns, to `.vtu`, or a series in time, to `.pvd`; the files written."""
    target = as_path(path)
    if target.suffix.lower() == ".vtu":
        write_grid(target, _parts(solution, points), solution)
        return [target]
    if target.suffix.lower() == ".pvd":
        return _series(solution, target, points)
    raise FileError(f"a file for ParaView ends in .vtu, or in .pvd for a series in time; got {target.name!r}")


Part = tuple[Mesh, dict[str, np.ndarray]]


def _parts(solution: Any, points: Any) -> list[Part]:
    """A mesh of each domain with the values on it; for values along axes, one mesh of what is inside of any."""
    problem = solution.problem
    d = len(problem.coordinates)
    given = grid_of(points, d)
    if isinstance(given, Mapping):
        return [_on_axes(solution, given)]
    if d > 3:
        raise UnsupportedEquation(
            f"ParaView has three axes, and this solution has {d} coordinates: take a section, points={{x: xs, y: ys, "
            "z: 0.5, …}, or for one in space and time a series, u.pvd."
        )
    found = []
    for domain in problem.domains:
        mesh = mesh_of(domain, _counts(problem, domain, given))
        found.append((mesh, values_at(solution, mesh.points, domain)))
    return found


def _counts(problem: Any, domain: Domain, given: Any) -> tuple[int, ...]:
    if not hasattr(given, "per_axis"):
        raise SettingError(f"points must be a number along each axis, a fens.Grid or a mapping; got {quoted(given)}.")
    counts: tuple[int, ...] = given.per_axis(domain)
    check_size(problem, math.prod(counts))
    return counts


def _on_axes(solution: Any, given: Any) -> Part:
    mesh = grid_mesh(axes_of(solution.problem, given))
    inside = np.any([d.contains(mesh.points) for d in solution.problem.domains], axis=0)
    mesh = mesh.only(inside[mesh.cells].all(axis=1))
    if not len(mesh.points):
        raise SettingError("No cell of these points lies in the domain; take more of them, or others.")
    varying = np.ptp(mesh.points, axis=0) > 0
    values = values_at(solution, mesh.points)
    shown = mesh.points[:, varying] if 0 < varying.sum() <= 3 else mesh.points[:, :3]
    return Mesh(shown, mesh.cells, mesh.kind), values


def _series(solution: Any, target: Path, points: Any) -> list[Path]:
    """One mesh of the base of a space-time domain, with the values at one time after another."""
    problem = solution.problem
    domains = problem.domains
    if not all(isinstance(d, Cylinder) for d in domains):
        raise SettingError(f"A series in time, .pvd, is of a domain in space and time; {domains[0].name} is not one.")
    if len(domains[0].coordinates) > 4:
        raise UnsupportedEquation("ParaView has three axes of space, and this solution has more.")
    instants = list(_along_axes(solution, points) if isinstance(points, Mapping) else _following(solution, points))
    written = []
    for k, (_, parts) in enumerate(instants):
        written.append(target.with_name(f"{target.stem}_{k:04d}.vtu"))
        write_grid(written[-1], parts, solution)
    entries = "".join(
        f'    <DataSet timestep="{t!r}" part="0" file={quoteattr(p.name)}/>\n'
        for (t, _), p in zip(instants, written, strict=True)
    )
    text = f'<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1">\n  <Collection>\n{entries}'
    with atomic_write(target) as temporary:
        temporary.write_text(text + "  </Collection>\n</VTKFile>\n", encoding="utf-8")
    return [target, *written]


def _following(solution: Any, points: Any) -> Iterator[tuple[float, list[Part]]]:
    """Meshes that follow the boundary, with values at one time after another."""
    problem, domains = solution.problem, solution.problem.domains
    counts = [_counts_in_time(problem, d, points) for d in domains]
    bases = [mesh_of(d.base, n[:-1]) for d, n in zip(domains, counts, strict=True)]
    for t in np.linspace(domains[0].start, domains[0].end, counts[0][-1]).tolist():
        parts = []
        for domain, base in zip(domains, bases, strict=True):
            rows = np.column_stack([base.points, np.full(len(base.points), t)])
            parts.append((base, values_at(solution, rows, domain)))
        yield t, parts


def _along_axes(solution: Any, points: Any) -> Iterator[tuple[float, list[Part]]]:
    """Cells of a grid along given axes, at each of the given times."""
    axes, time = axes_of(solution.problem, points), solution.problem.domain.time
    for t in np.atleast_1d(axes[time]).tolist():
        yield t, [_on_axes(solution, {**axes, time: t})]


def _counts_in_time(problem: Any, domain: Any, points: Any) -> tuple[int, ...]:
    """Points along the axes of the base, and instants."""
    if points is None:
        d = len(domain.base.coordinates)
        return (*grid_of(None, d).per_axis(domain.base), INSTANTS)
    return _counts(problem, domain, grid_of(points, len(domain.coordinates)))


def write_grid(path: Path, parts: list[Part], solution: Any) -> None:
    """Write meshes, one after another, as one unstructured grid."""
    starts = np.cumsum([0, *(len(m.points) for m, _ in parts)])
    points = np.concatenate([_in_space(m.points) for m, _ in parts])
    cells = [m.cells + start for (m, _), start in zip(parts, starts, strict=False)]
    sizes = np.concatenate([np.full(len(c), c.shape[1]) for c in cells])
    kinds = np.concatenate([np.full(len(c), m.kind, np.uint8) for c, (m, _) in zip(cells, parts, strict=True)])
    connectivity = np.concatenate([c.ravel() for c in cells]).astype(np.int64)
    values = {name: np.concatenate([v[name] for _, v in parts]) for name in parts[0][1]}
    numbers = {str(u): np.array([float(n)]) for u, n in numbers_of(solution).items()}
    if solution.mark:
        numbers[solution.mark] = np.array([1.0])  # what a user of ParaView can see
    facts = "\n".join(f"{k}: {v}" for k, v in facts_of(solution).items()).replace("--", "- -")
    lines = [
        '<?xml version="1.0"?>',
        f"<!--\n{escape(facts)}\n-->",
        '<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">',
        "<UnstructuredGrid>",
        "<FieldData>", *(_array(n, v, f' NumberOfTuples="{len(v)}"') for n, v in numbers.items()), "</FieldData>",
        f'<Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(sizes)}">',
        "<Points>", _array("Points", points, ' NumberOfComponents="3"'), "</Points>",
        "<Cells>", _array("connectivity", connectivity), _array("offsets", np.cumsum(sizes)), _array("types", kinds),
        "</Cells>",
        "<PointData>", *(_array(name, v) for name, v in values.items()), "</PointData>",
        "</Piece>", "</UnstructuredGrid>", "</VTKFile>",
    ]  # fmt: skip
    with atomic_write(path) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _in_space(points: np.ndarray) -> np.ndarray:
    """With zeros for the coordinates that there are not."""
    return np.column_stack([points, np.zeros((len(points), 3 - points.shape[1]))])


def _array(name: str, values: np.ndarray, more: str = "") -> str:
    kinds = {"f": "Float64", "i": "Int64", "u": "UInt8"}
    content = np.ascontiguousarray(values).tobytes()
    text = base64.b64encode(len(content).to_bytes(8, "little") + content).decode()
    kind = kinds[values.dtype.kind]
    return f'<DataArray type="{kind}" Name={quoteattr(name)} format="binary"{more}>{text}</DataArray>'
