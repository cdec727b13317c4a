"""Meshes of simple solids, whose volume is exactly the round solid's; and meshes put together."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.geometry import Mesh, Shape
from cadbridge.polyhedron import volume_properties_of

_ALIKE: WeakValueDictionary[tuple[str, bool, bool, tuple[str | None, str | None]], Shape] = WeakValueDictionary()
"""Shapes in use: a thousand balls of one size need the memory of one."""
AROUND = 128
"""Sides of a round solid, a multiple of 4. Its radius is widened so that the volume is the round one's.

The surface is then off by 2e-4 of the radius at most. A choice: a ball of twice as many has four times the triangles.
"""

_WIDENED = math.sqrt(2.0 * math.pi / (AROUND * math.sin(2.0 * math.pi / AROUND)))
"""Radius of the regular polygon of the area of a circle of radius 1."""


def report_axes(findings: Findings, path: Path, where: Where) -> None:
    """Report once how the axes of glTF meshes are taken (CB1259), where a mesh is one."""
    if path.suffix.lower() in (".glb", ".gltf") and not any(f.code == "CB1259" for f in findings):
        findings.add("CB1259", f"{path.name} is a glTF mesh: its axes are taken as those of its geometry", where)


def box(size: Sequence[float]) -> Mesh:
    """A box of three edges (m), its centre at the origin."""
    square = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    unit = _lathe([square, square], [-1.0, 1.0])
    return Mesh(unit.vertices * (np.array(size) / 2.0), unit.triangles)


def cylinder(radius: float, length: float) -> Mesh:
    """A cylinder along z, its centre at the origin."""
    ring = radius * _WIDENED * _circle()
    return _lathe([ring, ring], [-length / 2.0, length / 2.0])


def cone(radius: float, length: float) -> Mesh:
    """A cone along z with its tip above, its half height at the origin."""
    return _lathe([radius * _WIDENED * _circle()], [-length / 2.0], (-length / 2.0, length / 2.0))


def ellipsoid(radii: Sequence[float]) -> Mesh:
    """An ellipsoid with three half axes (m), its centre at the origin."""
    ball = _ball()
    return Mesh(ball.vertices * np.array(radii), ball.triangles)


@cache
def _ball() -> Mesh:
    """A ball of radius 1, made once."""
    angles = np.linspace(0.0, math.pi, AROUND // 2 + 1)[1:-1]
    unit = _lathe([math.sin(a) * _circle() for a in angles], [-math.cos(a) for a in angles], ends=(-1.0, 1.0))
    volume = volume_properties_of(unit.vertices, unit.triangles)[0]
    return Mesh(unit.vertices * float(np.cbrt(4.0 / 3.0 * math.pi / volume)), unit.triangles)


def sphere(radius: float) -> Mesh:
    """A ball, its centre at the origin."""
    return ellipsoid((radius, radius, radius))


@lru_cache(256)
def capsule(radius: float, length: float) -> Mesh:
    """A cylinder of `length` along z between two half balls."""
    half = length / 2.0
    angles = np.linspace(0.0, math.pi / 2.0, AROUND // 4 + 1)[:-1]
    rings = [math.cos(a) * _circle() for a in angles]
    heights = [math.sin(a) for a in angles]
    wanted = math.pi * radius**2 * length + 4.0 / 3.0 * math.pi * radius**3

    def at(wide: float) -> Mesh:
        low = [-half - wide * h for h in reversed(heights)]
        high = [half + wide * h for h in heights]
        ends = (-half - wide, half + wide)
        return _lathe([wide * ring for ring in (*reversed(rings), *rings)], [*low, *high], ends=ends)

    wide = radius
    for _ in range(6):  # Newton's method; the derivative of the volume is nearly the surface's
        mesh = at(wide)
        volume = volume_properties_of(mesh.vertices, mesh.triangles)[0]
        wide += (wanted - volume) / (2.0 * math.pi * wide * length + 4.0 * math.pi * wide**2)
    return at(wide)


def placed(X_AB: Pose, mesh: Mesh) -> Mesh:
    """A mesh of frame B in frame A."""
    return Mesh(X_AB.point(mesh.vertices), mesh.triangles)


def joined(meshes: Sequence[Mesh]) -> Mesh | None:
    """Several meshes of one frame as one; None of none."""
    if not meshes:
        return None
    starts = np.cumsum([0, *(len(m.vertices) for m in meshes[:-1])])
    triangles = np.concatenate([m.triangles + s for m, s in zip(meshes, starts, strict=True)]).astype(np.int32)
    return Mesh(np.concatenate([m.vertices for m in meshes]), triangles)


def shape(visual: Mesh | None, collision: Mesh | None, files: tuple[str | None, str | None]) -> Shape | None:
    """A shape of a visual and a collision mesh, with the files they came from; None of neither."""
    if visual is None and collision is None:
        return None
    key = hashlib.sha256()
    for mesh in (visual, collision):
        if mesh is not None:
            key.update(mesh.vertices.tobytes() + mesh.triangles.tobytes())
    digest = key.hexdigest()
    made = Shape(digest, visual, visual, collision, solids=1, visual_file=files[0], collision_file=files[1])
    # Which of the two is missing is in the key: one mesh has the same digest as either.
    return _ALIKE.setdefault((digest, visual is None, collision is None, files), made)


def _circle() -> NDArray[np.float64]:
    turn = np.arange(AROUND) * (2.0 * math.pi / AROUND)
    return np.column_stack([np.cos(turn), np.sin(turn)])


def _lathe(rings: list[NDArray[np.float64]], heights: list[float], ends: tuple[float, float] | None = None) -> Mesh:
    """Rings (n, 2) stacked along z, closed below and above by a fan (to z of `ends` where given)."""
    n = len(rings[0])
    rows = [np.column_stack([ring, np.full(n, z)]) for ring, z in zip(rings, heights, strict=True)]
    bottom, top = ends or (heights[0], heights[-1])
    vertices = np.concatenate([*rows, [[0.0, 0.0, bottom], [0.0, 0.0, top]]])
    i = np.arange(n)
    j = (i + 1) % n
    faces = []
    for k in range(len(rows) - 1):
        low, high = k * n, (k + 1) * n
        faces += [np.column_stack([low + i, low + j, high + j]), np.column_stack([low + i, high + j, high + i])]
    last, south, north = (len(rows) - 1) * n, len(vertices) - 2, len(vertices) - 1
    faces += [np.column_stack([np.full(n, south), j, i]), np.column_stack([np.full(n, north), last + i, last + j])]
    return Mesh(vertices, np.concatenate(faces).astype(np.int32))
