"""Volume, centre and inertia of what a triangle mesh encloses, by the divergence theorem."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Matrix, Vector

FARTHEST = 1e9
"""m; a shape that reaches farther has a broken number, and no volume."""
_CANONICAL = (np.ones((3, 3)) + np.eye(3)) / 120.0
"""Second moments of the tetrahedron (0, e1, e2, e3): 1/60 on the diagonal, 1/120 beside it."""


def volume_properties_of(vertices: NDArray[np.float64], triangles: NDArray[np.int32]) -> tuple[float, Vector, Matrix]:
    """Volume, centre (3,) and inertia (3, 3) about the centre, at density 1, in the vertices' frame.

    `vertices` (n, 3), `triangles` (m, 3), counter-clockwise from outside. Each triangle spans a
    signed tetrahedron with the origin; their moments add up (Blow and Binstock, "How to find the
    inertia tensor of a 3D solid body", 2004). The origin is moved into the mesh first: a small part
    far away would lose its digits otherwise. Negative volume and inertia for an inverted mesh.
    """
    if len(triangles) == 0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    named = np.zeros(len(vertices), dtype=bool)
    named[triangles] = True
    used = vertices[named]
    if not np.abs(used).max() < FARTHEST:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    origin = (used.min(axis=0) + used.max(axis=0)) / 2.0
    corners = (vertices - origin)[triangles]  # (m, 3 corners, 3)
    determinant = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))
    volume = float(determinant.sum()) / 6.0
    if volume == 0.0:
        return 0.0, origin, np.zeros((3, 3))
    # The tetrahedron of a triangle and the origin is det / 6 large, its centre a fourth of its corners' sum.
    com = determinant @ corners.sum(axis=1) / 24.0 / volume
    # ∫ x xᵀ dV over a tetrahedron with corners as columns of A is det A · A C Aᵀ.
    weighted = corners * determinant[:, None, None]
    second = np.einsum("tai,ab,tbj->ij", weighted, _CANONICAL, corners, optimize=True)
    second = (second + second.T) / 2.0 - volume * np.outer(com, com)
    return volume, com + origin, float(np.trace(second)) * np.eye(3) - second
