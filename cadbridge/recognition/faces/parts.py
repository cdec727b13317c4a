"""The analytic surfaces of each distinct part: planes, cylinders, cones, spheres, tori, with sides and extents.

Faces that are one surface (a bore in two halves, a shaft cut by a groove's end) are one `Surface`. All in m, in the
part's frame; instances share them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Part
from cadbridge.frames import Vector, unit
from cadbridge.geometry import Face, Shape
from cadbridge.polyhedron import FARTHEST
from cadbridge.recognition.faces.surfaces import SAME_SURFACE, Surface, merged
from cadbridge.shapes import face_features
from cadbridge.shapes.protocol import FeatureTable

ROUND = ("cylinder", "cone", "torus")
"""Kinds that have an axis."""


@dataclass(frozen=True, eq=False)
class PartFaces:
    """The surfaces of a distinct shape and its box (2, 3); `fault` says why there are none."""

    key: str
    surfaces: tuple[Surface, ...]
    box: NDArray[np.float64]
    table: FeatureTable | None = None
    fault: str | None = None

    @property
    def size(self) -> float:
        """The diagonal of its box, m."""
        return float(np.linalg.norm(self.box[1] - self.box[0]))

    @property
    def corners(self) -> NDArray[np.float64]:
        """The corners (8, 3) of its box."""
        return np.array(list(product(*self.box.T)))

    def square_about(self, point: Vector, axis: Vector, near: float) -> float | None:
        """Half of the width of its box across a line, m; None where it is not square about that to a share `near`."""
        along = int(np.argmax(np.abs(axis)))
        size = np.delete(np.ptp(self.box, axis=0), along)
        off = np.delete(self.box.mean(axis=0) - point, along)
        wide = float(size.max())
        uneven = max(float(np.ptp(size)), float(np.abs(off).max())) > near * wide
        return None if uneven or abs(axis[along]) < 1 - SAME_SURFACE else wide / 2

    def of(self, *kinds: str) -> tuple[Surface, ...]:
        """The surfaces of some kinds."""
        return tuple(s for s in self.surfaces if s.kind in kinds)


def faces_of_parts(parts: Iterable[Part]) -> dict[str, PartFaces]:
    """The surfaces of every distinct shape, by `Shape.key`; a shape of no B-Rep has a fault that says so."""
    shapes = {p.shape.key: p.shape for p in parts if p.shape is not None}
    tables = face_features(shapes.values())
    return {key: _part_faces(shape, tables.get(key)) for key, shape in shapes.items()}


def _part_faces(shape: Shape, table: FeatureTable | str | None) -> PartFaces:
    box = _box(shape)
    if table is None:
        what = "only the faces of STEP and FreeCAD's files are read" if shape.faces else "a mesh has no exact faces"
        return PartFaces(shape.key, (), box, fault=what)
    if isinstance(table, str):
        return PartFaces(shape.key, (), box, fault=f"the faces could not be read: {table}")
    size = math.dist(*box) or 1.0
    if not size < FARTHEST:
        return PartFaces(shape.key, (), np.zeros((2, 3)), fault=f"the faces reach farther than {FARTHEST:g} m")
    loops: dict[int, list[NDArray[np.float64]]] = defaultdict(list)
    for j, owner in enumerate(table.owners.tolist()):
        loops[owner].append(table.points[table.loops[j] : table.loops[j + 1]])
    found = [s for i, face in enumerate(shape.faces) if (s := _surface(i, face, table, tuple(loops[i]))) is not None]
    return PartFaces(shape.key, tuple(merged(found, size)), box, table)


def _box(shape: Shape) -> NDArray[np.float64]:
    mesh = shape.coarse or shape.fine or shape.collision
    if mesh is not None and len(mesh.vertices):
        return np.array([mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)])
    points = np.array([f.centre for f in shape.faces]) if shape.faces else np.zeros((1, 3))
    return np.array([points.min(axis=0), points.max(axis=0)])


def _surface(i: int, face: Face, table: FeatureTable, loops: tuple[NDArray[np.float64], ...]) -> Surface | None:
    """A face as surface; None where it is of no simple kind, or too broken to know its side."""
    inner, normal, area = table.inner[i], table.normals[i], float(table.areas[i])
    if not (area > 0.0 and all(np.isfinite(points).all() for points in (inner, normal, *loops))):
        return None
    if face.kind == "plane":
        return Surface("plane", inner, unit(normal), 0.0, 0.0, False, 0.0, 0.0, area, 0.0, loops, (i,))
    if face.kind == "sphere" and face.radius is not None:
        hollow = bool(normal @ (inner - face.point) < 0.0)
        turn = area / face.radius**2
        return Surface("sphere", face.point, np.zeros(3), face.radius, 0.0, hollow, 0.0, 0.0, area, turn, loops, (i,))
    if face.direction is None or face.kind not in ROUND:
        return None
    return _round(i, face, table, loops)


def _round(i: int, face: Face, table: FeatureTable, loops: tuple[NDArray[np.float64], ...]) -> Surface | None:
    """A cylinder, cone or torus, its extent read from its boundary."""
    assert face.direction is not None
    axis, inner, normal, area = unit(face.direction), table.inner[i], table.normals[i], float(table.areas[i])
    points = np.concatenate([*loops, inner[None, :]])
    along = (points - face.point) @ axis
    away = np.linalg.norm(points - face.point - along[:, None] * axis, axis=1)
    low, high = float(along.min()), float(along.max())
    radial = inner - face.point - ((inner - face.point) @ axis) * axis
    if face.kind == "torus":
        major, minor = (float(r) for r in table.tori[i])
        if not (math.isfinite(major) and minor > 0.0):
            return None
        centre = face.point + (unit(radial) * major if np.linalg.norm(radial) > 1e-12 else radial)
        hollow = bool(normal @ (inner - centre) < 0.0)
        turn = min(2 * math.pi, area / (minor * max(major, minor)))
        return Surface("torus", face.point, axis, major, minor, hollow, low, high, area, turn, loops, (i,))
    hollow = bool(normal @ radial < 0.0)
    if face.kind == "cylinder":
        if face.radius is None or not high > low:
            return None
        # By its area: what slots and cross holes take of a round face, they take of its turn.
        turn = min(2 * math.pi, area / (face.radius * (high - low)))
        return Surface("cylinder", face.point, axis, face.radius, 0.0, hollow, low, high, area, turn, loops, (i,))
    slope, radius = np.polyfit(along, away, 1) if high - low > 1e-9 else (0.0, 0.0)
    middle = radius + slope * (low + high) / 2
    if not middle > 0.0:
        return None
    turn = min(2 * math.pi, area / (middle * (high - low) * math.hypot(1.0, slope)))
    half = math.atan(float(slope))
    return Surface("cone", face.point, axis, float(radius), half, hollow, low, high, area, turn, loops, (i,))
