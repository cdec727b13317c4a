"""The analytic surfaces of each distinct part: planes, cylinders, cones, spheres, tori, with sides and extents.

Faces that are one surface (a bore in two halves, a shaft cut by a groove's end) are one `Surface`. All in m, in the
part's frame; instances share them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from cadbridge.assembly import Face, Part, Shape
from cadbridge.frames import Vector, unit
from cadbridge.polyhedron import FARTHEST
from cadbridge.shapes import face_features
from cadbridge.shapes.protocol import FeatureTable
from solver.algebra.connected import Groups

SAME = 1e-5
"""Share of a part's size (and rad) within which two faces lie on one surface; writers keep seven digits."""

ROUND = ("cylinder", "cone", "torus")
"""Kinds that have an axis."""


@dataclass(frozen=True, eq=False)
class Surface:
    """A plane, cylinder, cone, sphere or torus of a part.

    `point` (3,) lies on the plane or the axis, or is the sphere's centre; `direction` (3,) is the normal out of the
    material or the axis (None for a sphere). `radius`: of cylinder and sphere, of a cone at `point`, a torus's major
    one. `second`: the half angle (rad) by which a cone widens along `direction`, a torus's minor radius.
    `hollow`: the material is outside, as of a bore. `low`, `high`: the extent along `direction` from `point`.
    `turn`: how much of a full turn (rad) its faces cover. `loops`: boundaries as polygons (n, 3). `faces`: indices
    into `Shape.faces`.
    """

    kind: str
    point: Vector
    direction: Vector | None
    radius: float
    second: float
    hollow: bool
    low: float
    high: float
    area: float
    turn: float
    loops: tuple[NDArray[np.float64], ...]
    faces: tuple[int, ...]

    @property
    def length(self) -> float:
        """Extent along the axis, m."""
        return self.high - self.low

    @cached_property
    def box(self) -> NDArray[np.float64]:
        """The box (2, 3) of its boundary."""
        points = np.concatenate(self.loops) if self.loops else self.point[None, :]
        return np.array([points.min(axis=0), points.max(axis=0)])


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

    def across(self) -> Iterator[tuple[Surface, Vector]]:
        """The planes with their normals."""
        return ((s, s.direction) for s in self.surfaces if s.kind == "plane" and s.direction is not None)

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
        what = (
            "only the faces of STEP and FreeCAD's files are read"
            if shape.faces
            else "its geometry is a mesh, which has no exact faces"
        )
        return PartFaces(shape.key, (), box, fault=what)
    if isinstance(table, str):
        return PartFaces(shape.key, (), box, fault=f"its faces could not be read: {table}")
    size = math.dist(*box) or 1.0
    if not size < FARTHEST:
        return PartFaces(shape.key, (), np.zeros((2, 3)), fault=f"its faces reach farther than {FARTHEST:g} m")
    loops: dict[int, list[NDArray[np.float64]]] = defaultdict(list)
    for j, owner in enumerate(table.owners.tolist()):
        loops[owner].append(table.points[table.loops[j] : table.loops[j + 1]])
    found = [s for i, face in enumerate(shape.faces) if (s := _surface(i, face, table, tuple(loops[i]))) is not None]
    return PartFaces(shape.key, tuple(_merged(found, size)), box, table)


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
        return Surface("sphere", face.point, None, face.radius, 0.0, hollow, 0.0, 0.0, area, turn, loops, (i,))
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
        turn = min(2 * math.pi, area / (face.radius * (high - low)))
        return Surface("cylinder", face.point, axis, face.radius, 0.0, hollow, low, high, area, turn, loops, (i,))
    slope, radius = np.polyfit(along, away, 1) if high - low > 1e-9 else (0.0, 0.0)
    middle = radius + slope * (low + high) / 2
    if not middle > 0.0:
        return None
    turn = min(2 * math.pi, area / (middle * (high - low) * math.hypot(1.0, slope)))
    half = math.atan(float(slope))
    return Surface("cone", face.point, axis, float(radius), half, hollow, low, high, area, turn, loops, (i,))


def _merged(found: list[Surface], size: float) -> list[Surface]:
    """Faces that are one cylinder, cone or sphere made one surface, unless they lie apart along the axis."""
    rest = [s for s in found if s.kind in ("plane", "torus")]
    for kind in ("cylinder", "cone", "sphere"):
        members = [_canonical(s) for s in found if s.kind == kind]
        for group in _groups(members, size):
            rest.extend(_joined(run) for run in _runs(group, SAME * size))
    return sorted(rest, key=lambda s: s.faces)


def _canonical(s: Surface) -> Surface:
    """The axis through the point nearest to the part's origin, pointing to the positive side of its main direction."""
    if s.direction is None:
        return s
    sign = 1.0 if s.direction[int(np.argmax(np.abs(np.round(s.direction, 6))))] > 0 else -1.0
    axis = s.direction * sign
    foot = s.point - (s.point @ axis) * axis
    shift = float((s.point - foot) @ axis)
    low, high = sorted((sign * s.low + shift, sign * s.high + shift))
    second = s.second * sign if s.kind == "cone" else s.second
    radius = s.radius - math.tan(second) * shift if s.kind == "cone" else s.radius
    return replace(s, point=foot, direction=axis, low=low, high=high, second=second, radius=radius)


def _groups(members: list[Surface], size: float) -> list[list[Surface]]:
    """Surfaces by the line, radius and side that they share."""
    if len(members) < 2:
        return [members] if members else []
    keys = np.array(
        [
            [
                *(np.zeros(3) if s.direction is None else s.direction),
                *(s.point / size),
                s.radius / size,
                s.second,
                s.hollow,
            ]
            for s in members
        ]
    )
    alike: Groups[int] = Groups()
    for i, j in cKDTree(keys).query_pairs(SAME):
        alike.join(i, j)
    groups: dict[int, list[Surface]] = defaultdict(list)
    for i, s in enumerate(members):
        groups[alike.root(i)].append(s)
    return list(groups.values())


def _runs(group: list[Surface], tolerance: float) -> list[list[Surface]]:
    """A group cut where nothing of it lies along the axis."""
    runs: list[list[Surface]] = []
    end = -math.inf
    for s in sorted(group, key=lambda s: (s.low, s.high)):
        if s.low > end + tolerance:
            runs.append([])
        runs[-1].append(s)
        end = max(end, s.high) if runs[-1][1:] else s.high
    return runs


def _joined(run: list[Surface]) -> Surface:
    first = run[0]
    if len(run) == 1:
        return first
    low, high, area = min(s.low for s in run), max(s.high for s in run), sum(s.area for s in run)
    most = 4 * math.pi if first.kind == "sphere" else 2 * math.pi
    share = (first.radius**2) if first.kind == "sphere" else 0.0
    if first.kind != "sphere":
        middle = first.radius + math.tan(first.second) * (low + high) / 2
        share = abs(middle) * (high - low) / math.cos(first.second)
    return replace(
        first,
        low=low,
        high=high,
        area=area,
        turn=min(most, area / share) if share > 0.0 else most,
        loops=tuple(loop for s in run for loop in s.loops),
        faces=tuple(sorted(i for s in run for i in s.faces)),
    )
