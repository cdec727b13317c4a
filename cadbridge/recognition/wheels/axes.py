"""Lines about which a part may have teeth: axes of its faces, of its outline, of its inertia."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from cadbridge.frames import Vector
from cadbridge.geometry import Face, Mesh, Shape
from cadbridge.polyhedron import volume_properties_of
from cadbridge.recognition.faces.sections import across

Array = NDArray[np.float64]

_MOST_AXES = 6
"""Axes of a part that are tried as a wheel's, those with most area and half as many with most faces about them."""

_ROUND_OFF = 0.02
"""Of an outline's radius, and of the larger moment of inertia: how far what is round is off. A choice."""

_ROUND = 5
"""Corners of an outline below which they do not tell its circle: three are on every circle, four may be a square."""


def candidate_axes(shape: Shape, mesh: Mesh) -> list[tuple[Vector, Vector]]:
    """Lines (point, direction) about which a part may have teeth, the likeliest first."""
    size = float(np.linalg.norm(np.ptp(mesh.vertices, axis=0)))
    points, directions, areas = [], [], []
    for face in shape.faces:
        if face.direction is not None and face.kind != "plane":
            points.append(face.point)
            directions.append(face.direction)
            areas.append(face.area)
    picked = _clustered(np.array(points), np.array(directions), np.array(areas), size) if points else []
    lone = _principal_axis(shape, mesh)
    picked += _hull_axes(shape.faces, mesh, None if lone is None else lone[1])
    picked += [lone] if lone is not None else []
    kept: list[tuple[Vector, Vector]] = []
    for point, direction in picked:
        if not any(_one_line(point, direction, p, d, size) for p, d in kept):
            kept.append((point, direction))
    return kept


def _clustered(points: Array, directions: Array, areas: Array, size: float) -> list[tuple[Vector, Vector]]:
    """The lines that most area, and most faces, have as their axis."""
    main = np.abs(directions).argmax(axis=1)
    # An axis has two directions: the one whose largest part is positive stands for both.
    directions = directions * np.sign(directions[np.arange(len(main)), main])[:, None]
    feet = points - directions * np.einsum("ij,ij->i", points, directions)[:, None]
    keys = np.round(np.concatenate([directions / 1e-3, feet / (2e-4 * size)], axis=1)).astype(np.int64)
    _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    which = which.reshape(-1)
    area, count = np.bincount(which, areas), np.bincount(which)
    # By their number too: the flanks of small teeth are many faces with little area.
    best = list(dict.fromkeys([*np.argsort(-area)[:_MOST_AXES], *np.argsort(-count)[: _MOST_AXES // 2]]))
    return [(points[first[i]], directions[first[i]]) for i in best]


def _hull_axes(faces: tuple[Face, ...], mesh: Mesh, lone: Vector | None) -> list[tuple[Vector, Vector]]:
    """Axes through the middle of a round outline, seen along the largest planes' normals and the lone axis of inertia.

    A wheel or worm without a bore or shaft has no other face that knows its axis.
    """
    planes = sorted((f for f in faces if f.kind == "plane" and f.direction is not None), key=lambda f: -f.area)[:2]
    directions = [f.direction for f in planes if f.direction is not None] + ([] if lone is None else [lone])
    directions += [] if faces else list(np.eye(3))  # a mesh: most are drawn along an axis of their frame
    found = []
    for direction in directions:
        R_PA = across(direction)
        flat = (mesh.vertices @ R_PA)[:, :2]
        try:
            hull = flat[ConvexHull(flat).vertices]
        except QhullError:
            continue
        if len(hull) < _ROUND:
            continue
        system = np.column_stack([2 * hull, np.ones(len(hull))])
        x, y, rest = np.linalg.lstsq(system, (hull**2).sum(axis=1), rcond=None)[0]
        radius = math.sqrt(max(rest + x * x + y * y, 0.0))
        if np.abs(np.hypot(hull[:, 0] - x, hull[:, 1] - y) - radius).max() < _ROUND_OFF * radius:
            found.append((R_PA @ np.array([x, y, 0.0]), np.asarray(direction)))
    return found


def _principal_axis(shape: Shape, mesh: Mesh) -> tuple[Vector, Vector] | None:
    """The axis of inertia whose other two are equal, as about any wheel of three teeth or more."""
    if shape.brep is not None:
        com, inertia = shape.brep.com, shape.brep.inertia
    else:
        _, com, inertia = volume_properties_of(mesh.vertices, mesh.triangles)
    if not np.isfinite(inertia).all():
        return None
    values, vectors = np.linalg.eigh(inertia)
    lone = 0 if values[2] - values[1] < values[1] - values[0] else 2
    equal = abs(values[1] - values[2 - lone]) < _ROUND_OFF * abs(values[2])
    return (np.asarray(com), vectors[:, lone]) if equal else None


def _one_line(p: Vector, d: Vector, q: Vector, e: Vector, size: float) -> bool:
    """Whether two lines are one, within what a count of teeth bears."""
    away = (q - p) - d * ((q - p) @ d)
    return abs(float(d @ e)) > 1 - 1e-6 and float(np.linalg.norm(away)) < 1e-4 * size


def outward(mesh: Mesh) -> Mesh:
    """The mesh with its triangles counter-clockwise from outside: an inverted solid is turned."""
    v = mesh.vertices - mesh.vertices.mean(axis=0)
    a, b, c = (v[mesh.triangles[:, i]] for i in range(3))
    if np.einsum("ij,ij->", a, np.cross(b, c)) >= 0:
        return mesh
    return Mesh(mesh.vertices, np.ascontiguousarray(mesh.triangles[:, ::-1]))
