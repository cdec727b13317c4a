"""How far two surfaces are apart: meshes, convex meshes and solids, by points all over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cadbridge.exporters.collision.solids import Solid
from cadbridge.frames import Matrix, Pose, Vector
from cadbridge.geometry import Mesh, nearest_on_triangles
from cadbridge.mass import audit_mesh, volume_properties

_SAMPLES = 4000
"""Points on a mesh besides its vertices; what lies between them is less far apart than they are."""

_CUTS = 60
"""Edges are cut to this part of the size before a nearest triangle is looked for."""

_NEIGHBOURS = 12
"""Triangles nearest by their middles that are looked at, once edges are cut (`_CUTS`): a choice, with room for slivers.
"""

_INSIDE = 1e-3
"""As a part of the size: so deep within another piece a point is no longer on the surface of all."""


@dataclass(frozen=True, eq=False)
class MeshSurface:
    """A mesh with what is asked of it again and again."""

    mesh: Mesh

    @cached_property
    def size(self) -> float:
        """The diagonal of its bounding box (m)."""
        return float(np.linalg.norm(np.ptp(self.mesh.vertices, axis=0)))

    @cached_property
    def volume(self) -> float | None:
        """m³; None where it encloses none."""
        audit = audit_mesh(self.mesh)
        return volume_properties(audit.mesh).mass if audit.closed else None

    @cached_property
    def points(self) -> Matrix:
        """Points (n, 3) all over it: the vertices in use, and more by area."""
        return np.vstack([self.mesh.vertices[np.unique(self.mesh.triangles)], self._samples])

    @cached_property
    def _samples(self) -> Matrix:
        """One in each triangle, the others by area."""
        corners = self.mesh.vertices[self.mesh.triangles]
        areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        # A fixed seed, as the distance that is reported must be the same on each run.
        random = np.random.default_rng(1)
        total = areas.sum()
        more = random.choice(len(areas), _SAMPLES, p=areas / total) if total > 0 else np.zeros(0, dtype=int)
        of = np.concatenate([np.arange(len(areas)), more])
        u, v = random.random((2, len(of), 1))
        u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
        a, b, c = corners[of].swapaxes(0, 1)
        return np.asarray(a + u * (b - a) + v * (c - a))

    @cached_property
    def _pieces(self) -> Matrix:
        """Corners (n, 3, 3) of its triangles, cut until no edge is long: near a point lie then the middles near it."""
        done, rest = [], self.mesh.vertices[self.mesh.triangles]
        longest = self.size / _CUTS
        while len(rest):
            lengths = np.linalg.norm(np.roll(rest, -1, axis=1) - rest, axis=2)
            short = lengths.max(axis=1) <= longest
            done.append(rest[short])
            rest, lengths = rest[~short], lengths[~short]
            first = lengths.argmax(axis=1)[:, None] + np.arange(3)
            a, b, c = np.take_along_axis(rest, (first % 3)[:, :, None], axis=1).swapaxes(0, 1)
            middle = 0.5 * (a + b)
            rest = np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])
        return np.concatenate(done)

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self._pieces.mean(axis=1))

    def distance(self, points: Matrix) -> Vector:
        """Distances (n,) of points from the mesh."""
        count = min(_NEIGHBOURS, len(self._pieces))
        _, near = self._tree.query(points, k=count)
        repeated = np.repeat(points, count, axis=0)
        found = nearest_on_triangles(self._pieces[near.ravel()], repeated)
        return np.asarray(np.linalg.norm(found - repeated, axis=1).reshape(len(points), count).min(axis=1))


@dataclass(frozen=True, eq=False)
class Piece:
    """A piece of collision geometry: a solid, or a mesh (`convex` or not), at `X_IP` in the part's frame."""

    X_IP: Pose
    body: Solid | Mesh
    convex: bool = True

    @cached_property
    def _surface(self) -> MeshSurface:
        assert isinstance(self.body, Mesh)
        return MeshSurface(self.body)

    @cached_property
    def _planes(self) -> Matrix:
        """The faces of a convex mesh (m, 4): outward normal, minus the height along it."""
        assert isinstance(self.body, Mesh)
        a, b, c = self.body.vertices[self.body.triangles].swapaxes(0, 1)
        normals = np.cross(b - a, c - a)
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        normals, a = (normals / np.where(lengths > 0, lengths, 1.0))[lengths[:, 0] > 0], a[lengths[:, 0] > 0]
        return np.column_stack([normals, -np.einsum("ij,ij->i", normals, a)])

    @property
    def volume(self) -> float | None:
        """m³; None of a mesh that encloses none."""
        return self.body.volume if isinstance(self.body, Solid) else self._surface.volume

    def surface(self) -> Matrix:
        """Points (n, 3) all over it, in the part's frame."""
        return self._points

    @cached_property
    def _points(self) -> Matrix:
        own = self.body.surface() if isinstance(self.body, Solid) else self._surface.points
        return own @ self.X_IP.R.T + self.X_IP.p

    def distance(self, points: Matrix) -> Vector:
        """Distances from its surface of points in the part's frame, negative inside; of other meshes unsigned."""
        own = (points - self.X_IP.p) @ self.X_IP.R
        if isinstance(self.body, Solid):
            return self.body.distance(own)
        apart = self._surface.distance(own)
        return np.where(self.depth(points) > 0, -apart, apart) if self.convex else apart

    def depth(self, points: Matrix) -> Vector:
        """How deep points lie within, at least: below 0 outside; of meshes that are not convex never above 0."""
        if isinstance(self.body, Solid):
            return -self.distance(points)
        if not self.convex:
            return np.full(len(points), -np.inf)
        planes = self._planes
        own = (points - self.X_IP.p) @ self.X_IP.R
        # In parts: all points times all planes of a fine hull would be gigabytes.
        depths = [-(part @ planes[:, :3].T + planes[:, 3]).max(axis=1) for part in np.array_split(own, 16)]
        return np.concatenate(depths)


def apart(pieces: tuple[Piece, ...], surface: MeshSurface) -> float:
    """The largest distance (m) from a point of either to the other (Hausdorff), by points all over both.

    Where pieces touch or overlap, only what of them lies outside of all others counts.
    """
    within = _INSIDE * surface.size
    boxes = [(points.min(axis=0), points.max(axis=0)) for points in (piece.surface() for piece in pieces)]
    worst = 0.0
    for piece in pieces:
        points = piece.surface()
        for other, box in zip(pieces, boxes, strict=True):
            if other is not piece:
                near = _to_box(points, box) <= within
                near[near] = other.depth(points[near]) >= -within
                points = points[~near]
        if len(points):
            worst = max(worst, float(surface.distance(points).max()))
    nearest = np.full(len(surface.points), np.inf)
    for piece, box in zip(pieces, boxes, strict=True):
        # A piece whose box is further off than what was found is not the nearest.
        nearer = _to_box(surface.points, box) <= np.maximum(nearest, 0.0)
        if nearer.any():
            nearest[nearer] = np.minimum(nearest[nearer], piece.distance(surface.points[nearer]))
    return max(worst, float(np.abs(nearest).max()))


def _to_box(points: Matrix, box: tuple[Vector, Vector]) -> Vector:
    """Distances (n,) of points from a box along the axes; 0 inside."""
    low, high = box
    return np.asarray(np.linalg.norm(np.maximum(np.maximum(low - points, points - high), 0.0), axis=1))
