"""The shapes of an assembly, small enough for one page."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Assembly
from cadbridge.geometry import Mesh
from cadbridge.report.page.buffer import Buffer

MOST_TRIANGLES = 240_000
"""Triangles of all distinct shapes together; above it each shape gives up the same share."""

MOST_DRAWN = 350_000
"""Triangles of all instances together; above it shapes keep as many as they are large, so that a frame is quick."""

FEWEST_TRIANGLES = 60
"""A shape is not simplified below this."""

STEPS = 65535
"""A coordinate is one of so many steps across the shape's box: 15 µm on a metre."""


def add_shapes(assembly: Assembly, buffer: Buffer) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Put every distinct shape into the buffer; what the page knows of each, and the shape of each part.

    Vertices are steps across the shape's box (`low` in m, `step` in m), triangles are differences from one
    index to the next, which deflate well. A part without a mesh has no shape.
    """
    meshes: dict[str, Mesh] = {}
    key_of: dict[str, str] = {}
    for part in assembly.parts:
        if part.shape is None:
            continue
        mesh = next((m for m in (part.shape.coarse, part.shape.fine) if m is not None and len(m.triangles)), None)
        if mesh is not None and np.all(np.isfinite(mesh.vertices)):
            key_of[part.name] = part.shape.key
            meshes.setdefault(part.shape.key, mesh)
    drawn = Counter(key_of[i.part] for i in assembly.instances if i.part in key_of)
    most = _most(list(meshes.values()), np.array([max(drawn[key], 1) for key in meshes]))
    shapes = [_shape(_simplified(mesh, int(n)), buffer) for mesh, n in zip(meshes.values(), most, strict=True)]
    index = {key: i for i, key in enumerate(meshes)}
    return shapes, {part: index[key] for part, key in key_of.items()}


def _most(meshes: list[Mesh], count: NDArray[np.int_]) -> NDArray[np.float64]:
    """Triangles that each shape may keep: a share of all; where too many are drawn, in proportion to its size.

    A round shape of radius r is as round as others, to the same distance, with triangles in proportion to r: the balls
    of a bearing need few, though they are drawn hundreds of times.
    """
    triangles = np.array([len(m.triangles) for m in meshes], dtype=float)
    share = min(1.0, MOST_TRIANGLES / max(float(triangles.sum()), 1.0))
    most: NDArray[np.float64] = np.clip(share * triangles, np.minimum(FEWEST_TRIANGLES, triangles), None)
    size = np.array([np.linalg.norm(np.ptp(m.vertices, axis=0)) for m in meshes])
    with np.errstate(divide="ignore", invalid="ignore"):
        dense = np.nan_to_num(most / size, posinf=0.0)
    low, high = 0.0, float(dense.max(initial=0.0))

    def held(density: float) -> NDArray[np.float64]:
        kept: NDArray[np.float64] = np.minimum(most, np.maximum(density * size, FEWEST_TRIANGLES))
        return kept

    if count @ most <= MOST_DRAWN:
        return most
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if count @ held(middle) > MOST_DRAWN else (middle, high)
    return held(low)


def _simplified(mesh: Mesh, most: int) -> Mesh:
    """The mesh with equal vertices merged and about `most` triangles."""
    # OCCT's faces have vertices of their own along common edges, at which a simplification would tear the shape open.
    vertices, inverse = np.unique(mesh.vertices, axis=0, return_inverse=True)
    triangles = inverse.reshape(-1)[mesh.triangles].astype(np.int32)
    triangles = triangles[(triangles[:, 0] != triangles[:, 1]) & (triangles[:, 1] != triangles[:, 2])]
    triangles = triangles[triangles[:, 0] != triangles[:, 2]]
    if len(triangles) <= most:
        return Mesh(vertices, triangles)
    import fast_simplification

    points, faces = fast_simplification.simplify(vertices, triangles, target_count=most)
    return Mesh(np.asarray(points, dtype=float), np.asarray(faces, dtype=np.int32))


def _shape(mesh: Mesh, buffer: Buffer) -> dict[str, Any]:
    if len(mesh.vertices) == 0:
        low = step = np.zeros(3)
    else:
        low = mesh.vertices.min(axis=0)
        step = np.ptp(mesh.vertices, axis=0) / STEPS
    steps = np.divide(mesh.vertices - low, step, out=np.zeros_like(mesh.vertices), where=step > 0)
    triangles = _in_order(mesh.triangles)
    return {
        "low": [float(x) for x in low],
        "step": [float(x) for x in step],
        "vertices": buffer.add(np.rint(steps).astype(np.uint16), "u2"),
        # Differences wrap modulo 2^32, so that one unsigned type holds them.
        "triangles": buffer.add(np.diff(triangles.reshape(-1), prepend=0).astype(np.int64) & 0xFFFFFFFF, "u4"),
    }


def _in_order(triangles: NDArray[np.int32]) -> NDArray[np.int64]:
    """Triangles by their first vertex, so that the differences are small."""
    rows = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    # Turned in a circle, which keeps the side that a triangle faces.
    turn = np.argmin(rows, axis=1)[:, None] if len(rows) else np.zeros((0, 1), dtype=np.int64)
    rows = np.take_along_axis(rows, (turn + np.arange(3)) % 3, axis=1)
    return rows[np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))]
