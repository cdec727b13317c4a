"""Closed meshes of simple solids, and assemblies of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cadbridge.assembly import Assembly, Component, Instance, Part
from cadbridge.frames import Pose
from cadbridge.geometry import Mesh, Shape

Triple = Sequence[float]


def box(a: float, b: float, c: float) -> Mesh:
    """A box about its centre, m."""
    corners = np.array([(x, y, z) for x in (-a, a) for y in (-b, b) for z in (-c, c)]) / 2
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for p, q, r, s in quads for t in ((p, q, r), (p, r, s))]
    return Mesh(corners, np.array(triangles, np.int32))


def tube(inner: float, outer: float, height: float, sides: int) -> Mesh:
    """A tube about z, m; a rod where `inner` is 0. Its corners lie on the circles, as a mesher places them."""
    t = 2 * np.pi * np.arange(sides) / sides
    ring = np.column_stack([np.cos(t), np.sin(t)])
    radii = [r for r in (outer, inner) if r > 0]
    levels = [np.column_stack([r * ring, np.full(sides, z)]) for r in radii for z in (-height / 2, height / 2)]
    if inner == 0:
        levels += [np.array([[0, 0, -height / 2], [0, 0, height / 2]])]
    triangles = []
    n = sides
    for k in range(n):
        m = (k + 1) % n
        triangles += [(k, m, n + m), (k, n + m, n + k)]
        if inner > 0:
            triangles += [(2 * n + m, 2 * n + k, 3 * n + k), (2 * n + m, 3 * n + k, 3 * n + m)]
            triangles += [(m, k, 2 * n + k), (m, 2 * n + k, 2 * n + m)]
            triangles += [(n + k, n + m, 3 * n + m), (n + k, 3 * n + m, 3 * n + k)]
        else:
            triangles += [(m, k, 2 * n), (n + k, n + m, 2 * n + 1)]
    return Mesh(np.vstack(levels), np.array(triangles, np.int32))


def shape(coarse: Mesh, fine: Mesh | None = None) -> Shape:
    """A shape of one mesh or two."""
    return Shape("key", fine if fine is not None else coarse, coarse)


def placed(parts: Sequence[Part], *places: tuple[str, Triple]) -> Assembly:
    """Instances of parts at places (m), each a component."""
    instances = [
        Instance(f"{p}:{k}", p, Pose(np.eye(3), np.array(x, float)), f"{p}:{k}") for k, (p, x) in enumerate(places)
    ]
    return Assembly(
        "solids",
        "solids",
        "test",
        tuple(parts),
        tuple(instances),
        tuple(Component(i.name, (i.name,), i.X_WI) for i in instances),
    )
