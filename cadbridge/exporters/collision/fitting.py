"""Whether a part is a box, a cylinder, a sphere or a capsule: fitted to its convex hull, measured against the part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cadbridge.exporters.collision.solids import Box, Capsule, Cylinder, Solid, Sphere
from cadbridge.exporters.collision.surface import MeshSurface, Piece, apart
from cadbridge.frames import Matrix, Pose, Vector, frame_from_axis

_AXES = 3
"""Normals of the hull, largest faces first, that are tried as axes: of parts that lathes and mills make the axis is one
of them, or a principal axis."""

_LEAST_STRAIGHT = 0.05
"""A capsule whose cylinder is shorter than that part of its radius is a sphere."""

Placed = tuple[Pose, Solid]


def fitted(surface: MeshSurface, tolerance: float) -> tuple[Piece, float] | None:
    """The solid that is nearest to the part, with its distance (m); None where none is within `tolerance` (m).

    Raises scipy's QhullError where the part is flat.
    """
    from scipy.spatial import ConvexHull

    hull = ConvexHull(surface.mesh.vertices)
    points = surface.mesh.vertices[hull.vertices]
    normals = _normals(hull)
    best: tuple[Piece, float] | None = None
    for X, solid in _candidates(points, normals):
        piece = Piece(X, solid)
        # The part's points are looked at first: that alone rules out most, and needs no search.
        if float(np.abs(piece.distance(surface.points)).max()) > tolerance:
            continue
        found = apart((piece,), surface)
        if found <= tolerance and (best is None or found < best[1]):
            best = piece, found
    return best


def _candidates(points: Matrix, normals: Matrix) -> Iterator[Placed]:
    """Solids about the points of a hull."""
    yield _sphere(points)
    if len(normals) > 1:
        box = _box(points, normals)
        if box is not None:
            yield box
    for axis in (*normals[:_AXES], *_principal(points)):
        yield from _round(points, axis)


def _normals(hull: Any) -> Matrix:
    """Outward normals (n, 3) of a hull's faces, triangles in one plane together, the largest area first."""
    corners = hull.points[hull.simplices]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    normals = hull.equations[:, :3]
    rounded, of = np.unique(np.round(normals, 3), axis=0, return_inverse=True)
    total = np.bincount(of.reshape(-1), areas)
    sums = np.zeros_like(rounded)
    np.add.at(sums, of.reshape(-1), normals * areas[:, None])
    # Of faces of one size the first by direction: the order of a hull's triangles means nothing.
    order = np.lexsort((*rounded.T, -np.round(total / total.max(), 6)))
    chosen = sums[order]
    return np.asarray(chosen / np.linalg.norm(chosen, axis=1, keepdims=True))


def _principal(points: Matrix) -> Matrix:
    """Principal axes (3, 3; one a row) of the points about their middle."""
    centred = points - points.mean(axis=0)
    return np.asarray(np.linalg.svd(centred, full_matrices=False)[2])


def _middle(values: Matrix) -> tuple[Vector, Vector]:
    low, high = values.min(axis=0), values.max(axis=0)
    return 0.5 * (low + high), high - low


def _box(points: Matrix, normals: Matrix) -> Placed | None:
    """Along the largest face and the largest one across it."""
    z = normals[0]
    # 1.1°: as square as a machined block is; castings are drafted by one degree and more.
    across = normals[np.abs(normals @ z) < 0.02]
    if not len(across):
        return None
    x = across[0] - (across[0] @ z) * z
    x /= np.linalg.norm(x)
    R = np.column_stack([x, np.cross(z, x), z])
    middle, size = _middle(points @ R)
    return Pose(R, R @ middle), Box((float(size[0]), float(size[1]), float(size[2])))


def _sphere(points: Matrix) -> Placed:
    centre, radius = _ball(points)
    return Pose(np.eye(3), centre), Sphere(radius)


def _ball(points: Matrix) -> tuple[Vector, float]:
    """Centre and radius, in any number of dimensions, nearest to the points by least squares."""
    middle = points.mean(axis=0)
    d = points - middle
    A = np.column_stack([2 * d, np.ones(len(d))])
    solution = np.linalg.lstsq(A, np.einsum("ij,ij->i", d, d), rcond=None)[0]
    centre = solution[:-1]
    distances = np.linalg.norm(d - centre, axis=1)
    # Half way between the nearest and the farthest point: least squares would leave one side further off.
    return middle + centre, float(0.5 * (distances.min() + distances.max()))


def _round(points: Matrix, axis: Vector) -> Iterator[Placed]:
    """Cylinder and capsule about an axis."""
    from scipy.spatial import ConvexHull

    R = frame_from_axis(axis)
    own = points @ R
    rim = own[ConvexHull(own[:, :2]).vertices, :2]
    # A triangle, a square or a pentagon lies on a circle as well: the end of a prism is no round one.
    if len(rim) < 6:
        return
    centre, radius = _ball(rim)
    height, length = _middle(own[:, 2:])
    X = Pose(R, R @ np.append(centre, height))
    yield X, Cylinder(radius, float(length[0]))
    straight = float(length[0]) - 2 * radius
    if straight > _LEAST_STRAIGHT * radius:
        yield X, Capsule(radius, straight)
