"""The shapes of links: mesh files, boxes, cylinders and spheres, in the link's frame."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cadbridge.geometry import Mesh, Shape
from cadbridge.readers import solids
from cadbridge.readers.paths import referenced
from cadbridge.readers.urdf.context import Context
from cadbridge.readers.xml import Element, child, children, local


def shape_of(c: Context, link: Element, name: str) -> Shape | None:
    """The shape of a link, None where it has none: visuals joined to one mesh, collisions to another."""
    before = c.vertices.count
    visual, visual_file = _joined(c, link, "visual", name)
    collision, collision_file = _joined(c, link, "collision", name)
    shape = solids.shape(visual, collision, (visual_file, collision_file))
    if shape is None:
        return None
    c.vertices.keep(shape.key, before)
    if c.options.mass_from == "mesh":
        _report_weighed(c, link, name, shape)
    return shape


def _report_weighed(c: Context, link: Element, name: str, shape: Shape) -> None:
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
            c.vertices.add(len(made.vertices), c.findings, c.where(element, name))
            meshes.append(solids.placed(X_LG, made))
            files.append((kinds[0].get("filename") or kind).replace("\\", "/").rsplit("/", 1)[-1])
    return solids.joined(meshes), ", ".join(files) or None


def _mesh(c: Context, element: Element, name: str) -> Mesh | None:
    uri = (element.get("filename") or "").strip()
    if not uri:
        c.say("CB181", f"{name}: <mesh> has no filename", element, name)
        return None
    scale = c.values(element, "scale", 3, name) if element.get("scale") is not None else np.ones(3)
    if scale is None:
        return None
    path = referenced(uri, c.path, c.options.package_dirs, c.findings, c.where(element, name), "CB112")
    # Only after `referenced`: a missing mesh is reported even where shapes are not read.
    if path is None or not c.options.geometry:
        return None
    from cadbridge.mass import load_mesh_file

    try:
        mesh = load_mesh_file(path, (float(scale[0]), float(scale[1]), float(scale[2])))
    except ValueError as error:
        c.say("CB193", f"{name}: {error}", element, name)
        return None
    solids.report_axes(c.findings, path, c.where(element, name))
    return mesh


def _positive(c: Context, element: Element, key: str, count: int, name: str) -> list[float] | None:
    """Sizes above zero; a finding and None where they are not."""
    found = c.values(element, key, count, name)
    if found is None:
        return None
    if not np.all(found > 0):
        c.say("CB193", f"{name}: {key} of <{local(element)}> is not above zero, so it has no volume", element, name)
        return None
    return [float(v) for v in found]


def _box(c: Context, element: Element, name: str) -> Mesh | None:
    size = _positive(c, element, "size", 3, name)
    return None if size is None else solids.box(size)


def _cylinder(c: Context, element: Element, name: str) -> Mesh | None:
    radius, length = (_positive(c, element, key, 1, name) for key in ("radius", "length"))
    return None if radius is None or length is None else solids.cylinder(radius[0], length[0])


def _capsule(c: Context, element: Element, name: str) -> Mesh | None:
    radius, length = (_positive(c, element, key, 1, name) for key in ("radius", "length"))
    return None if radius is None or length is None else solids.capsule(radius[0], length[0])


def _sphere(c: Context, element: Element, name: str) -> Mesh | None:
    radius = _positive(c, element, "radius", 1, name)
    return None if radius is None else solids.sphere(radius[0])


_MAKERS: dict[str, Callable[[Context, Element, str], Mesh | None]] = {
    "mesh": _mesh,
    "box": _box,
    "cylinder": _cylinder,
    "sphere": _sphere,
    "capsule": _capsule,
}
