"""Solids and meshes of prims: their meshes, and their moments for what weighs a body by density.

Moments are volume, first and second moment about the origin (3, 3): they map by an affine map without loss, so that a
scaled sphere or a mirrored mesh weighs what it should.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cadbridge.frames import Matrix, Vector
from cadbridge.geometry import Mesh
from cadbridge.inertia import MassProperties
from cadbridge.polyhedron import volume_properties_of
from cadbridge.readers import solids
from cadbridge.readers.usd.context import number

_TURNED = {"X": [2, 0, 1], "Y": [1, 2, 0], "Z": [0, 1, 2]}
"""By the axis of a solid: which of its own axes are x, y and z of the prim, with the solid along its z."""


@dataclass(frozen=True, eq=False)
class Moments:
    """∫ dV, ∫ x dV (3,) and ∫ x xᵀ dV (3, 3)."""

    volume: float
    first: Vector
    second: Matrix

    def mapped(self, A: Matrix, p: Vector) -> Moments:
        """Of the shape mapped by x → A x + p."""
        size = abs(float(np.linalg.det(A)))
        first = A @ self.first
        second = A @ self.second @ A.T + np.outer(first, p) + np.outer(p, first) + self.volume * np.outer(p, p)
        return Moments(self.volume * size, (first + self.volume * p) * size, second * size)

    def weighed(self, density: float) -> MassProperties:
        """The properties at a density, about the centre."""
        com = self.first / self.volume
        second = (self.second - self.volume * np.outer(com, com)) * density
        return MassProperties(self.volume * density, com, float(np.trace(second)) * np.eye(3) - second)


def mesh_of(shape: Mapping[str, Any], A: Matrix, p: Vector) -> Mesh | None:
    """The mesh of a prim mapped by x → A x + p; None where it has none."""
    made = _triangles(shape["sizes"]) if shape["type"] == "Mesh" else _solid(shape)
    if made is None or not len(made.triangles):
        return None
    flip = float(np.linalg.det(A)) < 0
    return Mesh(made.vertices @ A.T + p, made.triangles[:, ::-1].copy() if flip else made.triangles)


def moments_of(shape: Mapping[str, Any], A: Matrix, p: Vector) -> Moments | None:
    """Its moments, mapped; of a mesh those of the hull, box or ball that collides for it; None without a volume."""
    kind, sizes = shape["type"], shape["sizes"]
    if kind == "Mesh":
        made = _triangles(sizes)
        found = None if made is None else _of_mesh(made, sizes.get("physics:approximation") or "none")
    else:
        found = _of_solid(kind, sizes)
    return None if found is None or not found.volume > 0 else found.mapped(A, p)


def _triangles(sizes: Mapping[str, Any]) -> Mesh | None:
    """Polygons as fans; None where the indices name no points."""
    nothing = np.zeros(0)
    points, counts, indices = (sizes.get(k, nothing) for k in ("points", "faceVertexCounts", "faceVertexIndices"))
    if not (isinstance(points, np.ndarray) and isinstance(counts, np.ndarray) and isinstance(indices, np.ndarray)):
        return None
    if (
        points.shape[1:] != (3,)
        or not counts.ndim == indices.ndim == 1
        or {counts.dtype.kind, indices.dtype.kind} != {"i"}
    ):
        return None
    if counts.min() < 0 or counts.sum() != len(indices):
        return None
    if indices.min() < 0 or indices.max() >= len(points):
        return None
    starts = np.cumsum(counts) - counts
    fans = np.maximum(counts - 2, 0)
    first = np.repeat(starts, fans)
    k = np.arange(fans.sum()) - np.repeat(np.cumsum(fans) - fans, fans)
    corners = np.column_stack([indices[first], indices[first + k + 1], indices[first + k + 2]])
    if sizes.get("orientation") == "leftHanded":
        corners = corners[:, ::-1]
    return Mesh(np.asarray(points, dtype=float), np.ascontiguousarray(corners, dtype=np.int32))


def _radius(sizes: Mapping[str, Any]) -> float | None:
    """Of a round solid; None where it is not the same at both ends."""
    radius = number(sizes, "radius", 1.0)
    top, bottom = (number(sizes, f"radius{end}", radius) for end in ("Top", "Bottom"))
    return top if top == bottom else None


def _solid(shape: Mapping[str, Any]) -> Mesh | None:
    kind, sizes = shape["type"].removesuffix("_1"), shape["sizes"]
    if kind == "Plane":
        return None
    if kind == "Cube":
        return solids.box([number(sizes, "size", 2.0)] * 3)
    radius, height = _radius(sizes), number(sizes, "height", 2.0)
    if radius is None:
        return None
    if kind == "Sphere":
        return solids.sphere(radius)
    makers: dict[str, Callable[[float, float], Mesh]] = {
        "Cylinder": solids.cylinder, "Capsule": solids.capsule, "Cone": solids.cone,
    }  # fmt: skip
    made = makers[kind](radius, height)
    return Mesh(made.vertices[:, _TURNED.get(str(sizes.get("axis")), _TURNED["Z"])], made.triangles)


def _of_solid(kind: str, sizes: Mapping[str, Any]) -> Moments | None:
    """In closed form; heights along z, then turned to the prim's axis."""
    kind = kind.removesuffix("_1")
    size, r, h = number(sizes, "size", 2.0), _radius(sizes), number(sizes, "height", 2.0)
    if kind == "Plane" or (r is None and kind != "Cube"):
        return None
    r = r or 0.0
    rod, ball = math.pi * r**2 * h, 4.0 / 3.0 * math.pi * r**3
    along = {
        # Volume, and moments about x (y) and z at density 1, of solids about their centres; textbook sums, their
        # fractions as they stand there.
        "Cube": (size**3, size**5 / 12.0, size**5 / 12.0),
        "Sphere": (ball, ball * r**2 / 5.0, ball * r**2 / 5.0),
        "Cylinder": (rod, rod * r**2 / 4.0, rod * h**2 / 12.0),
        "Cone": (rod / 3.0, rod * r**2 / 20.0, rod / 3.0 * h**2 / 10.0),
        "Capsule": (
            rod + ball, rod * r**2 / 4.0 + ball * r**2 / 5.0,
            rod * h**2 / 12.0 + ball * (r**2 / 5.0 + h**2 / 4.0 + 3.0 * h * r / 8.0),
        ),
    }  # fmt: skip
    volume, across, second = along[kind]
    # USD's cone stands with half its height at the origin; its centre lies a quarter of the height above the base.
    first = np.array([0.0, 0.0, -volume * h / 4.0 if kind == "Cone" else 0.0])
    turned = _TURNED["Z"] if kind in ("Cube", "Sphere") else _TURNED.get(str(sizes.get("axis")), _TURNED["Z"])
    return Moments(volume, first[turned], np.diag([across, across, second])[np.ix_(turned, turned)])


def _of_mesh(mesh: Mesh, approximation: str) -> Moments | None:
    vertices, triangles = mesh.vertices, mesh.triangles
    if approximation == "boundingCube":
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        cube = _of_solid("Cube", {"size": 1.0})
        return cube and cube.mapped(np.diag(high - low), (low + high) / 2.0)
    if approximation == "boundingSphere":
        middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2.0
        radius = float(np.linalg.norm(vertices - middle, axis=1).max())
        sphere = _of_solid("Sphere", {"radius": radius})
        return sphere and sphere.mapped(np.eye(3), middle)
    if approximation == "convexHull":
        import trimesh

        try:
            hull = trimesh.convex.convex_hull(vertices)
        except Exception:  # Qhull, of points in one plane
            return None
        vertices, triangles = np.asarray(hull.vertices, dtype=float), np.asarray(hull.faces, dtype=np.int32)
    volume, com, inertia = volume_properties_of(vertices, triangles)
    # A mesh wound inside out has a negative volume, and weighs the same.
    size = abs(volume)
    second = math.copysign(1.0, volume) * (0.5 * float(np.trace(inertia)) * np.eye(3) - inertia)
    return Moments(size, size * com, second + size * np.outer(com, com))
