"""Solids bounded by triangles."""

from __future__ import annotations

import io
import logging
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from ..._support.disk import contents
from ..._support.numbers import real_array
from ..._support.stored import stored
from ...errors import FileError, RegionError
from ..boundary.piece import Piece, Samples
from ..boundary.point_set import Table
from ..checks import check_places, checked_label, checked_plane, optional
from ..quadrature.rule import gauss, tensor
from ..region import Facet
from .raycast import Rays
from .registry import Description, shape
from .shape import Shape

LARGEST = 5 * 10**8  # bytes of a file of triangles
ENDINGS = (".stl", ".ply", ".obj", ".off")  # of files that a problem file may name


@shape("surface", "Surface")
@dataclass(frozen=True, repr=False, init=False)
class Surface(Shape):
    """The inside of a closed triangulated surface: `Surface("torus.stl", (x, y, z))`, or with vertices and faces.

    Points are on the triangles and normals are those of the triangles, so that conditions hold on the mesh, not on the
    curved surface it stands for.
    """

    vertices: Table
    faces: Table
    coordinates: tuple[sp.Symbol, ...]
    label: str

    def __init__(self, source: Any, coordinates: Any, faces: Any = None, *, name: str = "") -> None:
        mesh = _mesh(source, faces)
        object.__setattr__(self, "coordinates", checked_plane("A surface", coordinates, 3))
        object.__setattr__(self, "vertices", Table(np.array(mesh.vertices, dtype=np.float64)))
        turned = mesh.volume < 0
        object.__setattr__(self, "faces", Table(np.array(mesh.faces, dtype=np.int64)[:, :: -1 if turned else 1]))
        object.__setattr__(self, "label", checked_label(name))

    file_keys = ("coordinates",)

    @classmethod
    def from_file(cls, table: Description) -> Surface:
        file = table.file("surface", ENDINGS)
        return cls(str(file), table.coordinates(), name=table.label)

    @property
    def name(self) -> str:
        return self.label or f"the solid of {len(self.faces.array)} triangles"

    @cached_property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        v = self.vertices.array
        return tuple(zip(v.min(axis=0).tolist(), v.max(axis=0).tolist(), strict=True))

    @cached_property
    def edges(self) -> tuple[Facet, ...]:
        return (Facet(Triangles(self.vertices, self.faces), self.label or "surface", "", bool(self.label)),)

    def signed_distance(self, points: np.ndarray) -> np.ndarray:
        return self._rays.signed_distance(points)

    def volume(self) -> float:
        a, b, c = self.vertices.array[self.faces.array].transpose(1, 0, 2)
        return float(np.sum(a * np.cross(b, c)) / 6)

    @cached_property
    def _rays(self) -> Rays:
        return Rays(self.vertices.array[self.faces.array])


@stored("Triangles")
@dataclass(frozen=True)
class Triangles(Piece):
    """A triangulated surface."""

    vertices: Table
    faces: Table

    @property
    def ends(self) -> tuple[bool, ...]:
        return (False, False, False)  # the first direction chooses the triangle

    @property
    def has_normals(self) -> bool:
        return True

    @cached_property
    def measure(self) -> float:
        return float(self._areas.sum())

    @cached_property
    def _corners(self) -> np.ndarray:
        corners: np.ndarray = self.vertices.array[self.faces.array]
        return corners

    @cached_property
    def _normals(self) -> np.ndarray:
        a, b, c = self._corners.transpose(1, 0, 2)
        return np.cross(b - a, c - a)

    @property
    def _areas(self) -> np.ndarray:
        areas: np.ndarray = np.linalg.norm(self._normals, axis=1) / 2
        return areas

    def attempt(self, unit: np.ndarray) -> tuple[Samples, np.ndarray]:
        upto = np.cumsum(self._areas)
        chosen = np.minimum(np.searchsorted(upto, unit[:, 0] * upto[-1], side="right"), len(upto) - 1)
        return self._placed(chosen, unit[:, 1], unit[:, 2]), np.arange(len(unit))

    def _placed(self, chosen: np.ndarray, u: np.ndarray, v: np.ndarray) -> Samples:
        a, b, c = self._corners[chosen].transpose(1, 0, 2)
        far = np.sqrt(u)[:, None]
        points = (1 - far) * a + far * ((1 - v[:, None]) * b + v[:, None] * c)
        normals = self._normals[chosen]
        return Samples(points, normals / np.linalg.norm(normals, axis=1)[:, None])

    def contains(self, points: np.ndarray) -> np.ndarray:
        there: np.ndarray = np.abs(Rays(self._corners).signed_distance(points)) <= 1e-12 * np.ptp(self.vertices.array)
        return there

    def rule(self, n: int) -> tuple[Samples, np.ndarray]:
        """The same few points on every triangle, exact for polynomials of low degree: triangles are many and small."""
        few = min(n, 4)
        unit, weights = tensor([gauss(few)] * 2)
        chosen = np.repeat(np.arange(len(self.faces.array)), len(unit))
        # the square of the first direction is what _placed takes, and the weight follows from that
        u = np.tile(unit[:, 0] ** 2, len(self.faces.array))
        samples = self._placed(chosen, u, np.tile(unit[:, 1], len(self.faces.array)))
        return samples, np.outer(self._areas, weights * 2 * unit[:, 0]).ravel()


def _mesh(source: Any, faces: Any) -> Any:
    trimesh = optional("trimesh", "Triangulated surfaces")
    if faces is None:
        if not isinstance(source, str | Path):
            raise RegionError(f"Surface takes the name of a file, or vertices and faces; got {type(source).__name__}.")
        mesh = _read(trimesh, Path(source))
    else:
        vertices = real_array(source, RegionError, "The vertices of a surface are rows of three real numbers.")
        triangles = real_array(faces, RegionError, "The faces of a surface are rows of three vertex numbers.")
        _check_shapes(vertices, triangles)
        mesh = trimesh.Trimesh(vertices, triangles.astype(np.int64))
    if not len(getattr(mesh, "faces", ())):
        raise RegionError("The surface has no triangles.")
    if not mesh.is_watertight:
        raise RegionError("The surface is open: some edges belong to one triangle only, so that it has no inside.")
    if not mesh.is_winding_consistent or mesh.volume == 0:
        raise RegionError("The triangles of the surface are not oriented alike, so that its outside is not known.")
    return mesh


def _read(trimesh: Any, path: Path) -> Any:
    """The mesh in a file; what a file says of materials in others is left alone, and nothing in it is quoted."""
    try:
        content = contents(path, LARGEST)
    except FileError as error:
        raise RegionError(f"The surface {str(path)!r:.200}: {error.reason}.") from error
    log = logging.getLogger("trimesh")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)  # it prints tracebacks of what it tries first, and then reads the file anyway
    try:
        return trimesh.load_mesh(io.BytesIO(content), file_type=path.suffix[1:].lower())
    except Exception as error:
        raise RegionError(f"The file {str(path)!r:.200} cannot be read as a triangulated surface.") from error
    finally:
        log.setLevel(level)


def _check_shapes(vertices: np.ndarray, triangles: np.ndarray) -> None:
    if vertices.ndim != 2 or vertices.shape[1] != 3 or triangles.ndim != 2 or triangles.shape[1] != 3:
        raise RegionError(
            f"Vertices and faces are rows of three numbers; got shapes {vertices.shape} and {triangles.shape}."
        )
    if len(triangles) and not (triangles.min() >= 0 and triangles.max() < len(vertices)):
        raise RegionError(f"The faces refer to vertices 0 to {len(vertices) - 1} only.")
    if not np.isfinite(vertices).all():
        raise RegionError("The vertices of a surface must be finite.")
    check_places(vertices, "The vertices of a surface")
