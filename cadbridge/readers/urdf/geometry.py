"""The shapes of links: mesh files, boxes, cylinders and spheres, in the link's frame."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Mesh, Shape
from cadbridge.polyhedron import volume_properties_of
from cadbridge.readers.paths import referenced
from cadbridge.readers.urdf.context import Context
from cadbridge.readers.xml import Element, child, children, local

AROUND = 128
"""Sides of a round solid. Its radius is widened so that the volume is the round one's."""


def shape_of(c: Context, link: Element, name: str) -> Shape | None:
    """The shape of a link, None where it has none: visuals joined to one mesh, collisions to another."""
    visual, visual_file = _joined(c, link, "visual", name)
    collision, collision_file = _joined(c, link, "collision", name)
    if visual is None and collision is None:
        return None
    key = hashlib.sha256()
    for mesh in (visual, collision):
        if mesh is not None:
            key.update(mesh.vertices.tobytes() + mesh.triangles.tobytes())
    shape = Shape(
        key.hexdigest(), visual, visual, collision, solids=1, visual_file=visual_file, collision_file=collision_file
    )
    if c.options.mass_from == "mesh":
        _tell_weighed(c, link, name, shape)
    return shape


def _tell_weighed(c: Context, link: Element, name: str, shape: Shape) -> None:
    """Say which mesh gives the link its mass; the weighing itself decides by the same audit."""
    from cadbridge.mass import audit_mesh

    for mesh, what, file in (
        (shape.fine, "visual", shape.visual_file),
        (shape.collision, "collision", shape.collision_file),
    ):
        if mesh is not None and audit_mesh(mesh).closed:
            c.say("CB192", f"{name} is weighed by its {what} mesh ({file})", link, name)
            return
    c.say("CB192", f"{name} has no closed mesh, so nothing is weighed", link, name)


def _joined(c: Context, link: Element, tag: str, name: str) -> tuple[Mesh | None, str | None]:
    """All geometry of a link under one tag as one mesh, and the names of its files."""
    meshes: list[Mesh] = []
    files: list[str] = []
    for element in children(link, tag):
        c.leave(element, "origin", "geometry", "material")
        X_LG = c.origin(element, name)
        geometry = child(element, "geometry")
        kinds = [] if geometry is None else children(geometry)
        if not kinds:
            c.say("CB193", f"{name}: <{tag}> holds no geometry", element, name)
        if X_LG is None or not kinds:
            continue
        kind = local(kinds[0])
        maker = _MAKERS.get(kind)
        if maker is None:
            c.say("CB193", f"{name}: geometry <{kind}> is not known; it is left out", kinds[0], name)
            continue
        made = maker(c, kinds[0], name)
        if made is not None:
            meshes.append(Mesh(X_LG.point(made.vertices), made.triangles))
            files.append((kinds[0].get("filename") or kind).replace("\\", "/").rsplit("/", 1)[-1])
    if not meshes:
        return None, None
    starts = np.cumsum([0, *(len(m.vertices) for m in meshes[:-1])])
    triangles = np.concatenate([m.triangles + s for m, s in zip(meshes, starts, strict=True)]).astype(np.int32)
    return Mesh(np.concatenate([m.vertices for m in meshes]), triangles), ", ".join(files)


def _mesh(c: Context, element: Element, name: str) -> Mesh | None:
    uri = (element.get("filename") or "").strip()
    if not uri:
        c.say("CB181", f"{name}: <mesh> has no filename", element, name)
        return None
    scale = c.values(element, "scale", 3, name) if element.get("scale") is not None else np.ones(3)
    if scale is None:
        return None
    path = referenced(uri, c.path, c.options.package_dirs, c.findings, c.where(element, name))
    if path is None or not c.options.geometry:
        return None
    from cadbridge.mass import load_mesh_file

    try:
        return load_mesh_file(path, (float(scale[0]), float(scale[1]), float(scale[2])))
    except ValueError as error:
        c.say("CB193", f"{name}: {error}", element, name)
        return None


def _positive(c: Context, element: Element, key: str, count: int, name: str) -> list[float] | None:
    """Sizes above zero; a finding and None where they are not."""
    found = c.values(element, key, count, name)
    if found is None:
        return None
    if not np.all(found > 0):
        c.say("CB181", f"{name}: {key} of <{local(element)}> must be above zero", element, name)
        return None
    return [float(v) for v in found]


def _box(c: Context, element: Element, name: str) -> Mesh | None:
    size = _positive(c, element, "size", 3, name)
    if size is None:
        return None
    square = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    unit = _lathe([square, square], [-1.0, 1.0])
    return Mesh(unit.vertices * (np.array(size) / 2.0), unit.triangles)


def _cylinder(c: Context, element: Element, name: str) -> Mesh | None:
    radius, length = (_positive(c, element, key, 1, name) for key in ("radius", "length"))
    if radius is None or length is None:
        return None
    widened = radius[0] * math.sqrt(2.0 * math.pi / (AROUND * math.sin(2.0 * math.pi / AROUND)))
    ring = widened * _circle()
    return _lathe([ring, ring], [-length[0] / 2.0, length[0] / 2.0])


def _sphere(c: Context, element: Element, name: str) -> Mesh | None:
    radius = _positive(c, element, "radius", 1, name)
    if radius is None:
        return None
    angles = np.linspace(0.0, math.pi, AROUND // 2 + 1)[1:-1]
    unit = _lathe([math.sin(a) * _circle() for a in angles], [-math.cos(a) for a in angles], ends=(-1.0, 1.0))
    volume = volume_properties_of(unit.vertices, unit.triangles)[0]
    return Mesh(unit.vertices * radius[0] * float(np.cbrt(4.0 / 3.0 * math.pi / volume)), unit.triangles)


def _capsule(c: Context, element: Element, name: str) -> Mesh | None:
    """A cylinder of `length` along z between two half balls; the radius widened to the round solid's volume."""
    radius, length = (_positive(c, element, key, 1, name) for key in ("radius", "length"))
    if radius is None or length is None:
        return None
    r, half = radius[0], length[0] / 2.0
    angles = np.linspace(0.0, math.pi / 2.0, AROUND // 4 + 1)[:-1]
    rings = [math.cos(a) * _circle() for a in angles]
    heights = [math.sin(a) for a in angles]
    wanted = math.pi * r * r * length[0] + 4.0 / 3.0 * math.pi * r**3

    def at(wide: float) -> Mesh:
        low = [-half - wide * h for h in reversed(heights)]
        high = [half + wide * h for h in heights]
        ends = (-half - wide, half + wide)
        return _lathe([wide * ring for ring in (*reversed(rings), *rings)], [*low, *high], ends=ends)

    wide = r
    for _ in range(6):  # Newton's method; the derivative of the volume is nearly the surface's
        volume = volume_properties_of(at(wide).vertices, at(wide).triangles)[0]
        wide += (wanted - volume) / (2.0 * math.pi * wide * length[0] + 4.0 * math.pi * wide**2)
    return at(wide)


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


_MAKERS: dict[str, Callable[[Context, Element, str], Mesh | None]] = {
    "mesh": _mesh,
    "box": _box,
    "cylinder": _cylinder,
    "sphere": _sphere,
    "capsule": _capsule,
}
