"""The ways from a part's mesh to what an engine lets collide."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from cadbridge.errors import MissingExtraError
from cadbridge.exporters.collision.fitting import fitted
from cadbridge.exporters.collision.solids import Box
from cadbridge.exporters.collision.surface import MeshSurface, Piece, apart
from cadbridge.frames import Pose
from cadbridge.geometry import Mesh
from cadbridge.mass.audit import weld

_AT_REST = Pose()
_FEWEST = 12
"""Triangles below which nothing is simplified further: a box has twelve."""

_CONCAVITY = 5.0, 0.01, 1.0
"""CoACD's threshold for a tolerance of 1 (it counts by half the size of the part), its least and its greatest."""


def box(surface: MeshSurface, tolerance: float) -> tuple[Piece, ...]:
    """The box along the part's axes that holds it; none of a flat part."""
    low, high = surface.mesh.vertices.min(axis=0), surface.mesh.vertices.max(axis=0)
    x, y, z = (float(v) for v in high - low)
    if min(x, y, z) <= 0.0:
        return ()
    return (Piece(Pose(np.eye(3), 0.5 * (low + high)), Box((x, y, z))),)


def hull(surface: MeshSurface, tolerance: float) -> tuple[Piece, ...]:
    """The convex hull. Raises scipy's QhullError where the part is flat."""
    return (Piece(_AT_REST, _hull_of(surface.mesh)),)


def _hull_of(mesh: Mesh) -> Mesh:
    from scipy.spatial import ConvexHull

    found = ConvexHull(mesh.vertices)
    used = np.sort(found.vertices)
    triangles = np.searchsorted(used, found.simplices)
    corners = mesh.vertices[found.simplices]
    # Qhull gives outward normals, but orders the corners of a triangle anyhow.
    turned = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ij,ij->i", turned, found.equations[:, :3]) < 0
    triangles[inward] = triangles[inward][:, ::-1]
    return Mesh(mesh.vertices[used], triangles.astype(np.int32))


def decomposition(surface: MeshSurface, tolerance: float) -> tuple[Piece, ...]:
    """Convex pieces by CoACD (Wei et al. 2022); the fewer the greater the tolerance. MissingExtraError without it."""
    try:
        import coacd
    except ImportError:
        raise MissingExtraError("convex decomposition needs coacd: pip install 'cadbridge[collision]'") from None
    coacd.set_log_level("error")
    factor, least, most = _CONCAVITY
    # CoACD cuts a closed surface, and meshes from STL give each triangle corners of its own.
    welded = weld(surface.mesh, 0.0)
    parts = coacd.run_coacd(
        # CoACD searches at random: with a fixed seed the same mesh gives the same pieces.
        coacd.Mesh(welded.vertices, welded.triangles),
        threshold=min(max(factor * tolerance, least), most),
        seed=0,
    )
    return tuple(Piece(_AT_REST, _hull_of(Mesh(np.asarray(v, dtype=float), np.asarray(t)))) for v, t in parts)


def primitives(surface: MeshSurface, tolerance: float) -> tuple[Piece, ...]:
    """The box, cylinder, sphere or capsule that the part is; none where it is none of them."""
    found = fitted(surface, tolerance * surface.size)
    return () if found is None else (found[0],)


def simplified(surface: MeshSurface, tolerance: float) -> tuple[Piece, ...]:
    """The mesh with half its triangles, a quarter … as long as it stays within the tolerance; none where it does not.

    Edges are collapsed by quadric error (Garland and Heckbert 1997).
    """
    import fast_simplification

    mesh = weld(surface.mesh, 0.0)
    best: tuple[Piece, ...] = ()
    target = len(mesh.triangles) // 2
    while target >= _FEWEST:
        points, faces = fast_simplification.simplify(mesh.vertices, mesh.triangles, target_count=target)
        fewer = Mesh(np.asarray(points, dtype=float), np.asarray(faces, dtype=np.int32))
        pieces = (Piece(_AT_REST, fewer, convex=False),)
        if not len(faces) or len(faces) == len(mesh.triangles) or apart(pieces, surface) > tolerance * surface.size:
            break
        best = pieces
        target //= 2
    return best


AS_IS = "as-is"

KINDS: dict[str, Callable[[MeshSurface, float], tuple[Piece, ...]] | None] = {
    AS_IS: None,
    "box": box,
    "hull": hull,
    "decomposition": decomposition,
    "primitives": primitives,
    "simplified": simplified,
}
"""Name → what makes the pieces of a part's surface within a tolerance (as a part of its size); none where it cannot."""


def attempt(kind: str, surface: MeshSurface, tolerance: float) -> tuple[Piece, ...]:
    """The pieces; none where this part does not allow them (it is flat, or further off than the tolerance)."""
    from scipy.spatial import QhullError

    make = KINDS[kind]
    assert make is not None
    with suppress(QhullError):
        return make(surface, tolerance)
    return ()
